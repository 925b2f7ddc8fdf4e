"""Phrases for attacker models and for facts about a person, in English that a reader can check in the data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from shoal.errors import tame
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.candidates import Fact, Witness
from shoal.wording import format_count, join_names

# What is known, in words that complete "Whoever knows ...", for readers who have never heard of graphs.


def describe_knowledge(spec: str) -> str:
    """Put a kind of knowledge into plain words.

    >>> describe_knowledge("degree"), describe_knowledge("neighbors:2")
    ('how many links somebody has', '2 neighbors of somebody (already found in the data)')
    >>> describe_knowledge("degree+columns:age,sex")
    'how many links somebody has, and the age and sex of somebody'
    """
    return ", and ".join(_describe_one(part) for part in parse_knowledge(spec).parts)


def title_knowledge(spec: str) -> str:
    """Return a few words for a kind of knowledge, to stand above a chart or at the head of a row.

    >>> title_knowledge("neighbors:2"), title_knowledge("degree+columns:age,sex")
    ('2 known neighbors', 'number of links + age and sex')
    """
    return " + ".join(TITLES[part.shell](part) for part in parse_knowledge(spec).parts)


def label_knowledge(spec: str) -> str:
    """Return the few words with the shell name, by which it can be asked for again.

    >>> label_knowledge("orbit")
    'whole network without names (orbit)'
    """
    return f"{title_knowledge(spec)} ({spec})"


def title_attack(shell: str) -> str:
    """Return a few words for an attack.

    >>> title_attack("knows:neighbors:2"), title_attack("korula-lattanzi")
    ('guessing by 2 known neighbors', 'matching outward from known people (Korula & Lattanzi)')
    """
    spec = shell.removeprefix("knows:")
    return f"guessing by {title_knowledge(spec)}" if spec != shell else ATTACKS.get(shell, shell)


def describe_untried(one: dict[str, str]) -> str:
    """Say that an attack was not tried, in words, with the name by which it can be asked for.

    >>> describe_untried({"name": "grampa", "why": "It takes long."})
    'matching whole networks without knowing anybody (GRAMPA), by the name of grampa. It takes long.'
    """
    name = one["name"]
    known = name in ATTACKS or name.startswith("knows:")
    return f"{title_attack(name)}{f', by the name of {name}' if known else ''}. {one['why']}"


def _describe_one(part: Adversary) -> str:
    return WORDS[part.shell](part)


def _format_steps(radius: int) -> str:
    return "their neighbors" if radius == 1 else f"everybody up to {radius} steps away"


def _describe_refinement(part: Any) -> str:
    if part.rounds == 2:
        return "how many links somebody has, and how many each of the neighbors has"
    return "how many links somebody, the neighbors, their neighbors and so on have"


def _describe_hubs(part: Any) -> str:
    return f"how far somebody is from the {part.hubs} best connected people (already found in the data)"


def _describe_neighbors(part: Any) -> str:
    return f"{format_count(part.l, 'neighbor')} of somebody (already found in the data)"


def _describe_relations(part: Any) -> str:
    return f"whether somebody is linked to {format_count(part.l, 'other')} (already found in the data)"


def _describe_some_columns(part: Any) -> str:
    return (
        f"any {format_count(part.l, 'column')} about somebody{f', of {join_names(part.names)}' if part.names else ''}"
    )


WORDS: dict[str, Callable[[Any], str]] = {
    "degree": lambda part: "how many links somebody has",
    "refinement": _describe_refinement,
    "hubs": _describe_hubs,
    "subgraph": lambda part: f"up to {format_count(part.edges, 'link')} around somebody",
    "neighborhood": lambda part: f"the whole pattern of links among somebody and {_format_steps(part.radius)}",
    "counts": lambda part: (
        f"how many links there are among somebody and {_format_steps(part.radius)}, and how many these are"
    ),
    "degrees": lambda part: f"how many links each has, counted among somebody and {_format_steps(part.radius)}",
    "shared-neighbors": lambda part: f"who shares {format_count(part.l, 'neighbor')} with somebody",
    "neighbors": _describe_neighbors,
    "relations": _describe_relations,
    "adjacency": lambda part: "all the neighbors of somebody (already found in the data)",
    "orbit": lambda part: "all links of the whole network, only without names",
    "columns": lambda part: f"the {join_names(part.names)} of somebody",
    "some-columns": _describe_some_columns,
}
"""One per kind of knowledge."""

TITLES: dict[str, Callable[[Any], str]] = {
    "degree": lambda part: "number of links",
    "refinement": lambda part: "links of the neighbors" if part.rounds == 2 else "links of neighbors, and so on",
    "hubs": lambda part: f"distance to {part.hubs} hubs",
    "subgraph": lambda part: f"{format_count(part.edges, 'link')} around",
    "neighborhood": lambda part: "pattern of the circle" if part.radius == 1 else f"pattern, {part.radius} steps",
    "counts": lambda part: "size of the circle" if part.radius == 1 else f"size, {part.radius} steps",
    "degrees": lambda part: "links in the circle" if part.radius == 1 else f"links, {part.radius} steps",
    "shared-neighbors": lambda part: f"{format_count(part.l, 'shared neighbor')}",
    "neighbors": lambda part: f"{format_count(part.l, 'known neighbor')}",
    "relations": lambda part: f"{format_count(part.l, 'known relation')}",
    "adjacency": lambda part: "all neighbors",
    "orbit": lambda part: "whole network without names",
    "columns": lambda part: join_names(part.names),
    "some-columns": lambda part: f"any {format_count(part.l, 'column')}",
}
"""One per kind of knowledge; a circle is somebody with all neighbors."""

ATTACKS = {
    "korula-lattanzi": "matching outward from known people (Korula & Lattanzi)",
    "narayanan-shmatikov": "matching outward, checked back (Narayanan & Shmatikov)",
    "grampa": "matching whole networks without knowing anybody (GRAMPA)",
    "cascade": "who falls after the first ones fell (cascade)",
    "planted-walk": "accounts planted beforehand (walk-based)",
}
"""One per attack."""


# Facts as English sentences that a reader can check in the data.


def describe_witness(name: Hashable, witness: Witness, *, misled: bool = False, noun: str = "vertex") -> str:
    """Say what gives a vertex away, or how well it is hidden.

    Parameters
    ----------
    name
        The vertex.
    witness
        What is known about it and whom that leaves.
    misled
        Whether the vertex itself is not among those who are left.
    noun
        What it is called where it is no vertex: "record".

    Examples
    --------
    >>> print(describe_witness("Medici", Witness((Fact("degree", 6),), ("Medici",))))
    Whoever knows a vertex with 6 links knows it is Medici.
    >>> print(describe_witness("Pazzi", Witness((Fact("degree", 1),), ("Acciaiuoli", "Pazzi"))))
    Whoever knows a vertex with 1 link is left with 2 candidates: Acciaiuoli and Pazzi.
    """
    return tame(_build_sentence(name, witness, misled, noun))


def _build_sentence(name: Hashable, witness: Witness, misled: bool, noun: str) -> str:
    known = f"Whoever knows {join_facts([phrase_fact(fact) for fact in witness.knows])}"
    known = known if noun == "vertex" else known.replace("a vertex", f"a {noun}", 1)
    left = witness.candidates
    if not left and any(fact.kind in ("columns", "some-columns") for fact in witness.knows):
        return f"{known}, which is {name}, finds nobody with these very values; they may have been recoded."
    if not left:
        return f"{known}, which is {name}, finds nobody: the release misleads about {name}."
    if len(left) == 1 and misled:
        return f"{known} takes it for {left[0]}, which is wrong: it is {name}."
    if len(left) == 1:
        return f"{known} knows it is {left[0]}."
    most = "" if witness.proved else "at most "
    end = f" But it is {name}, who is not among them." if misled else ""
    return f"{known} is left with {most}{len(left):,} candidates: {join_names(left)}.{end}"


def join_facts(phrases: Sequence[str]) -> str:
    """Join what is known about one vertex.

    >>> join_facts(["a vertex with 3 links", "a vertex with age 30"])
    'a vertex with 3 links and with age 30'
    """
    return " and ".join([phrases[0], *(text.removeprefix("a vertex ") for text in phrases[1:])])


def phrase_fact(fact: Fact) -> str:
    """Put a fact into words that complete "Whoever knows ...".

    >>> phrase_fact(Fact("columns", [("age", 30), ("sex", None)]))
    'a vertex with age 30 and no sex'
    """
    return PHRASES[fact.kind](fact.value)


def _phrase_degree(links: int) -> str:
    return f"a vertex with {format_count(links, 'link')}"


def _phrase_refinement(seen: dict[str, Any]) -> str:
    rounds, view = seen["rounds"], seen["view"]
    if rounds == 0:
        return "nothing about a vertex"
    if rounds == 1:
        return _phrase_degree(view)
    if view == []:
        return "a vertex without neighbors"
    if rounds == 2 and view is not None:
        near = format_count(len(view), "neighbor")
        return f"a vertex with {near} that {'has' if len(view) == 1 else 'have'} {_format_numbers(view)} links"
    if rounds == 3 and view is not None:
        return f"a vertex whose neighbors have neighbors with {'; '.join(_format_numbers(near) for near in view)} links"
    steps = "as far as one can go" if rounds is None else f"up to {rounds - 1} steps away"
    return f"how many links a vertex, its neighbors, their neighbors and so on have, {steps},"


def _phrase_hubs(seen: dict[str, Any]) -> str:
    parts = [f"{d} {'step' if d == 1 else 'steps'} from {hub}" for hub, d in seen["distances"] if d is not None]
    absent = [str(hub) for hub, d in seen["distances"] if d is None]
    reach = "out of reach of" if seen["reach"] is None else f"more than {format_count(seen['reach'], 'step')} from"
    if absent and seen["world"] == "closed":
        parts.append(f"{reach} {join_names(absent)}")
    return f"a vertex {join_names(parts)}" if parts else "nothing about a vertex"


def _phrase_subgraph(seen: dict[str, Any]) -> str:
    links = join_names([f"{a}–{b}" for a, b in seen["edges"]], most=60)
    exact = join_names([f"{name} has {format_count(d, 'neighbor')} in all" for name, d in seen["exact"]], most=60)
    if not seen["edges"]:
        return "a vertex without neighbors" if seen["exact"] else "nothing about a vertex"
    return f"a vertex that is linked as {seen['vertex']} is in {links}{f', where {exact},' if seen['exact'] else ''}"


def _phrase_neighborhood(seen: dict[str, Any]) -> str:
    vertices, edges, radius = seen["vertices"], seen["edges"], seen["radius"]
    labels = f" with the {join_names(seen['labels'])} of each" if seen["labels"] else ""
    if radius == 1 and vertices == 1:
        return "a vertex without neighbors"
    if radius == 1:
        near, among = format_count(vertices - 1, "neighbor"), format_count(edges - (vertices - 1), "link")
        return f"the shape{labels} of a vertex's {near} with {among} among them"
    what = f"{format_count(vertices, 'vertex', 'vertices')} and {format_count(edges, 'link')}"
    return f"the shape{labels} of the {what} within {format_count(radius, 'step')} of a vertex"


def _phrase_counts(seen: dict[str, Any]) -> str:
    vertices, edges = format_count(seen["vertices"], "vertex", "vertices"), format_count(seen["edges"], "link")
    return f"a vertex with {vertices} (itself included) and {edges} within {format_count(seen['radius'], 'step')}"


def _phrase_degrees(seen: dict[str, Any]) -> str:
    within = f"within {format_count(seen['radius'], 'step')} of which the vertices"
    return f"a vertex {within} have {_format_numbers(seen['degrees'])} links among each other"


def _phrase_shared(seen: dict[str, Any]) -> str:
    return f"a vertex that has at least {seen['least']} of the neighbors {join_names(seen['neighbors'])}"


def _phrase_relations(seen: dict[str, Any]) -> str:
    linked = [_format_times(name, q) for name, q in seen["known"] if q]
    apart = [str(name) for name, q in seen["known"] if not q]
    parts = ([f"linked to {join_names(linked, most=60)}"] if linked else []) + (
        [f"not linked to {join_names(apart, most=60)}"] if apart else []
    )
    return f"a vertex {' and '.join(parts)}" if parts else "nothing about a vertex"


def _phrase_located(seen: dict[str, Any]) -> str:
    return f"{_phrase_relations(seen)} (and where these are)" if seen["known"] else "nothing about a vertex"


def _format_times(name: object, q: int) -> str:
    return f"{name} ({q} times)" if q > 1 else str(name)


def _phrase_adjacency(seen: dict[str, Any]) -> str:
    near = [_format_times(name, q) for name, q in seen["neighbors"]]
    return f"a vertex linked to {join_names(near, most=60)} and to nobody else" if near else "a vertex linked to nobody"


def _phrase_orbit(_: None) -> str:
    return "the place of a vertex in the whole network without names"


def _phrase_columns(cells: Sequence[tuple[str, Any]]) -> str:
    values = [f"no {name}" if value is None else f"{name} {value}" for name, value in cells]
    return f"a vertex with {join_names(values, most=60)}" if cells else "nothing about a vertex"


def _format_numbers(numbers: Sequence[int]) -> str:
    return join_names(numbers, most=40)


PHRASES: dict[str, Callable[[Any], str]] = {
    "degree": _phrase_degree,
    "refinement": _phrase_refinement,
    "hubs": _phrase_hubs,
    "subgraph": _phrase_subgraph,
    "neighborhood": _phrase_neighborhood,
    "counts": _phrase_counts,
    "degrees": _phrase_degrees,
    "shared-neighbors": _phrase_shared,
    "neighbors": _phrase_relations,
    "relations": _phrase_relations,
    "located-relations": _phrase_located,
    "adjacency": _phrase_adjacency,
    "orbit": _phrase_orbit,
    "columns": _phrase_columns,
    "some-columns": _phrase_columns,
}
"""One phrase per kind of fact."""
