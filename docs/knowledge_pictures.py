"""The pictures of the pages on knowledge: what the attacker knows, and the candidates.

Candidates are computed while drawing, by shoal or straight from the definition, so that no picture can be wrong. Most
show one network of nine friends: Ann is the target, Bob her mirror image, Eve and Finn are twins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import networkx as nx
from drawing import Network, Picture, Sheet

import shoal
from shoal.data.examples import friends

AT = {
    "Ivy": (0, 0), "Hana": (0.18, 0.44), "Ann": (0.36, 0), "Bob": (0.36, 1), "Gus": (0.42, 0.6),
    "Cleo": (0.84, 0), "Dan": (0.84, 1), "Eve": (0.73, 0.46), "Finn": (1, 0.6),
}  # fmt: skip
MIRROR = {
    "Ivy": (0, 0.5), "Hana": (0.2, 0.5), "Ann": (0.36, 0), "Bob": (0.36, 1), "Gus": (0.44, 0.5),
    "Cleo": (0.8, 0), "Dan": (0.8, 1), "Eve": (0.68, 0.5), "Finn": (1, 0.5),
}  # fmt: skip
"""The same, so that one half is seen to be the mirror image of the other."""
TABLE = {
    "age": [30, 30, 30, 41, 41, 41],
    "sex": ["f", "m", "f", "m", "f", "m"],
    "town": ["Ulm", "Ulm", "Bonn", "Bonn", "Ulm", "Bonn"],
}
PIECE = {"?": (0.3, 0.5), "a": (0.75, 0), "b": (0.75, 0.5), "c": (0.75, 1)}

Draw = Callable[[], Picture]
PICTURES: dict[str, Draw] = {}
"""Every picture by the name of its file."""


def networked(pairs: str) -> nx.Graph[str]:
    """Return the network of a list of links, spelled a-b."""
    return nx.Graph([pair.split("-") for pair in pairs.split()])


def picture(name: str) -> Callable[[Draw], Draw]:
    """Register a picture."""
    return lambda draw: PICTURES.setdefault(name, draw)


def links(graph: Any = None, seen: str = "", missing: str = "") -> list[tuple[str, str, str]]:
    """Return the links of a network, of which some are seen, and those that are known to be missing."""
    pairs = list((friends().to_networkx() if graph is None else graph).edges)
    marked = {frozenset(pair.split("-")) for pair in seen.split()}
    absent = [(*pair.split("-"), "missing") for pair in missing.split()]
    return [*((a, b, "seen" if {a, b} in marked else "plain") for a, b in pairs), *absent]


def roles(left: Iterable[str], target: str, known: str = "", found: str = "") -> dict[str, str]:
    """Return the roles of the nine friends."""
    marks = {name: "left" if name in set(left) else "out" for name in AT}
    marks |= dict.fromkeys(known.split(), "known") | dict.fromkeys(found.split(), "found")
    return marks | {target: "target"}


def counted(left: Iterable[str]) -> str:
    """Name and count the candidates."""
    names = sorted(left)
    return f"Candidates: {', '.join(names)} ({len(names)} of 9)."


def who_is_left(spec: str, target: str, title: str, seen: str = "", known: str = "") -> Network:
    """Return the nine friends, with the candidates of one of them marked."""
    left = shoal.assess(friends(), spec).candidates(target)
    return Network(title, AT, links(seen=seen), roles(left, target, known), counted(left))


def given(target: str, linked: str, title: str, known: str, missing: str = "", located: bool = False) -> Network:
    """Return the nine friends, with those marked who are linked to some and not to others."""
    net, there, away = friends().to_networkx(), linked.split(), missing.split()
    left = [u for u in AT if all(net.has_edge(u, w) for w in there) and not any(net.has_edge(u, w) for w in away)]
    left = [u for u in left if not (located and u in there + away)]
    seen, absent = (" ".join(f"{target}-{w}" for w in names) for names in (there, away))
    marks = roles(left, target, known if not located else "", known if located else "")
    marks |= {u: "left" for u in left if u != target}
    return Network(title, AT, links(seen=seen, missing=absent), marks, counted(left))


def piece(title: str, says: str, pairs: str, labels: dict[str, str] | None = None) -> Network:
    """Return what the attacker has in hand: the target with three neighbors, and links among them."""
    seen = [(*pair.split("-"), "seen") for pair in pairs.split()]
    told = {"a": "", "b": "", "c": ""} | (labels or {})
    return Network(title, PIECE, seen, {"?": "target"}, says, told)


@picture("degree")
def degree() -> Picture:
    """Draw a star of three links, and the vertices with as many."""
    hand = piece("What is known", "Ann has three links.", "?-a ?-b ?-c")
    told = "Ann has three links; so have Bob, Gus, Cleo and Dan: five candidates of nine friends"
    return Picture(told, [hand, who_is_left("degree", "Ann", "Candidates")])


@picture("refinement")
def refinement() -> Picture:
    """Draw the degrees of the neighbors."""
    hand = piece("What is known: H_2", "The friends of Ann have 4, 3 and 3 links.", "?-a ?-b ?-c",
                 {"a": "4", "b": "3", "c": "3"})  # fmt: skip
    told = "Ann's neighbors have 4, 3 and 3 links; so do those of Bob and Gus, and no others: three candidates"
    return Picture(told, [hand, who_is_left("refinement:2", "Ann", "Candidates")])


@picture("hubs")
def hubs() -> Picture:
    """Draw the distances to Hana."""
    net = friends().to_networkx()
    away = {name: f"{name}\n{nx.shortest_path_length(net, 'Hana', name)}" for name in AT}
    shown = Network("Distances to Hana", AT, links(), {"Hana": "known"},
                    "Hana has the most links: she is the hub.", away)  # fmt: skip
    told = "Hana is the hub. Ann is one step from her, and so are Bob, Gus and Ivy: four candidates"
    return Picture(told, [shown, who_is_left("hubs:1", "Ann", "Candidates: one step away", known="Hana")])


@picture("subgraph")
def subgraph() -> Picture:
    """Draw a piece of four links."""
    hand = piece("What is known: four links", "Two of Ann's three friends know each other.", "?-a ?-b ?-c a-b")
    told = "Four links around Ann, a triangle and one more, can be placed on Ann, Bob and Gus: three candidates"
    return Picture(told, [hand, who_is_left("subgraph:4", "Ann", "Candidates")])


@picture("counts")
def counts() -> Picture:
    """Draw a ball and its counts."""
    hand = piece("What is known: 4 and 4", "Four people and four links, Ann and her friends.", "?-a ?-b ?-c a-b")
    told = "Ann and her friends are four people with four links among them; so it is with Bob: two candidates"
    left = who_is_left("counts:1", "Ann", "Candidates", seen="Ann-Hana Ann-Gus Ann-Cleo Hana-Gus")
    return Picture(told, [hand, left])


def ball(title: str, says: str, pairs: str, role: str) -> Network:
    """Return a center with its neighbors around it, each with its number of links."""
    net = networked(pairs)
    at = dict(zip(net, SPOTS[pairs], strict=True))
    told = {v: str(net.degree(v)) for v in net}
    return Network(title, at, links(net), {next(iter(net)): role}, says, told)


BALLS = {
    "degrees": ("A-1 A-2 A-3 A-4 1-2 2-3", "B-5 B-6 B-7 B-8 5-6 7-8"),
    "neighborhood": ("A-1 A-2 A-3 A-4 A-5 1-2 2-3 3-4 4-5", "B-6 B-7 B-8 B-9 B-10 6-7 7-8 6-8 9-10"),
}
"""Two balls that the weaker knowledge takes for one another; the center comes first."""
SQUARE = [(0.5, 0.5), (0.1, 0), (0.9, 0), (0.9, 1), (0.1, 1)]
SPOTS = {
    **dict.fromkeys(BALLS["degrees"], SQUARE),
    BALLS["neighborhood"][0]: [(0.5, 0.9), (0, 0.8), (0.17, 0.15), (0.5, 0), (0.83, 0.15), (1, 0.8)],
    BALLS["neighborhood"][1]: [(0.56, 0.5), (0.02, 0.05), (0.02, 0.95), (0.28, 0.5), (0.95, 0.1), (0.95, 0.9)],
}
"""Where the members of each ball are drawn."""


def told_apart(name: str, weaker: str, says: tuple[str, str], told: str) -> Picture:
    """Return two balls, of which the second is a candidate for the weaker knowledge alone."""
    both = networked(" ".join(BALLS[name]))
    weak, strong = (shoal.assess(both, spec).candidates("A") for spec in (weaker, f"{name}:1"))
    role = {(True, False): "out", (True, True): "left"}["B" in weak, "B" in strong]
    panels = [
        ball("The target, and what is known", says[0], BALLS[name][0], "target"),
        ball(f"The same for {weaker}", says[1], BALLS[name][1], role),
    ]
    return Picture(told, panels)


@picture("degrees")
def degrees() -> Picture:
    """Draw two balls with the same counts and other degrees."""
    says = ("Numbers inside the ball: 4, 3, 2, 2, 1.", "Five people and six links too, but 4, 2, 2, 2, 2.")
    told = "Two balls of five people and six links: degrees 4, 3, 2, 2, 1 and 4, 2, 2, 2, 2 distinguish them"
    return told_apart("degrees", "counts:1", says, told)


@picture("neighborhood")
def neighborhood() -> Picture:
    """Draw two balls with the same degrees that are not isomorphic."""
    says = (
        "The five friends form a path; the numbers are links inside the ball.",
        "Numbers 5, 3, 3, 3, 2, 2 too, but a triangle and a pair: another picture.",
    )
    told = "Two balls with the same degrees: one center's friends form a path, the other's a triangle and a pair"
    return told_apart("neighborhood", "degrees:1", says, told)


@picture("shared-neighbors")
def shared_neighbors() -> Picture:
    """Draw who shares two neighbors."""
    hand = piece("What is known", "Two of Ann's three links or more, but not to whom.", "?-a ?-b ?-c")
    told = "Bob shares Hana and Gus with Ann; no other vertex shares two neighbors with her: two candidates"
    left = who_is_left("shared-neighbors:2", "Ann", "Two shared neighbors", "Ann-Hana Ann-Gus Bob-Hana Bob-Gus")
    return Picture(told, [hand, left], {"seen": "link to a shared neighbor"})


@picture("neighbors")
def neighbors() -> Picture:
    """Draw one and two known neighbors."""
    told = "Ann is linked to Gus: three candidates. Ann is linked to Gus and Cleo: only Ann fits"
    one = given("Ann", "Gus", "One neighbor is known: Gus", "Gus")
    return Picture(told, [one, given("Ann", "Gus Cleo", "Two are known: Gus and Cleo", "Gus Cleo")])


@picture("relations")
def relations() -> Picture:
    """Draw what a missing link reveals, and where the known vertices are located."""
    told = (
        "Ivy is linked to Hana: four candidates. She is not linked to Gus: Ivy and Gus are left. "
        "If Gus is located, only Ivy is left"
    )
    panels = [
        given("Ivy", "Hana", "neighbors:1, linked to Hana", "Hana"),
        given("Ivy", "Hana", "relations:2, and not to Gus", "Hana", "Gus"),
        given("Ivy", "Hana", "located-relations:2, both found", "Hana Gus", "Gus", located=True),
    ]
    return Picture(told, panels)


@picture("adjacency")
def adjacency() -> Picture:
    """Draw a vertex with a twin, and one without."""
    told = "Eve and Finn are both linked to Cleo and Dan only: two candidates. No other vertex has Ann's links"
    panels = [
        who_is_left("adjacency", "Eve", "All links of Eve", "Eve-Cleo Eve-Dan Finn-Cleo Finn-Dan", "Cleo Dan"),
        who_is_left("adjacency", "Ann", "All links of Ann", "Ann-Hana Ann-Gus Ann-Cleo", "Hana Gus Cleo"),
    ]
    return Picture(told, panels)


@picture("orbit")
def orbit() -> Picture:
    """Draw the unnamed network, and the two who are mirror images."""
    says, unnamed = "The whole network, and where Ann is in it.", dict.fromkeys(AT, "") | {"Ann": "?"}
    bare = Network("Known: everything but names", MIRROR, links(), {"Ann": "target"}, says, unnamed)
    told = "The network is its own mirror image: turned over, Ann lies on Bob. Two candidates"
    left = replace(who_is_left("orbit", "Ann", "Candidates: the mirror image"), at=MIRROR)
    return Picture(told, [bare, left])


def sheet(title: str, table: dict[str, Any], cells: dict[str, str], marks: list[str], says: str = "") -> Sheet:
    """Return a table as it is drawn; a missing cell is a dash."""
    rows = [["–" if x is None else f"{x:g}" if isinstance(x, float) else str(x) for x in row]
            for row in zip(*(list(column) for column in table.values()), strict=True)]  # fmt: skip
    return Sheet(title, list(table), rows, cells, marks, says)


def people_left(title: str, *names: str) -> Sheet:
    """Return the table, with the records marked that agree with the first in some columns."""
    left = shoal.assess(TABLE, shoal.knowledge.Columns(*names)).candidates(0)
    marks = ["target" if i == 0 else "left" if i in left else "out" for i in range(6)]
    known = {f"{i},{j}": "told" for i in left for j, name in enumerate(TABLE) if name in names}
    return sheet(title, TABLE, known, marks, f"{len(left)} of 6 fit.")


@picture("columns")
def columns() -> Picture:
    """Draw the records with the same age and sex."""
    told = "A table of six people: two are 30 years old and f, so age and sex leave two candidates"
    return Picture(told, [people_left("Age and sex are known", "age", "sex")])


@picture("some-columns")
def some_columns() -> Picture:
    """Draw one, two and three known columns."""
    told = "The first of six people: one known column leaves three candidates, two leave two, all three leave one"
    panels = [
        people_left("One column: age", "age"),
        people_left("Two: age and sex", "age", "sex"),
        people_left("All three", "age", "sex", "town"),
    ]
    return Picture(told, panels)


@picture("both")
def both() -> Picture:
    """Draw two kinds of knowledge that meet."""
    degrees_left = set(shoal.assess(friends(), "degree").candidates("Ann"))
    linked = set(friends().to_networkx()["Cleo"])
    joint = degrees_left & linked
    meet = Network("Both", AT, links(seen="Ann-Cleo"), roles(joint, "Ann", "Cleo"), counted(joint))
    told = "Three links leave five candidates, one known neighbor leaves three, both together leave only Ann"
    panels = [
        who_is_left("degree", "Ann", "Three links"),
        given("Ann", "Cleo", "Linked to Cleo", "Cleo"),
        meet,
    ]
    return Picture(told, panels)
