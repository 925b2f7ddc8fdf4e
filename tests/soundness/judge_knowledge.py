"""Judge candidate sets: shoal.assess against the definitions, for each kind of knowledge and for random ``+``."""

from random import Random
from typing import Any

import shoal
from soundness import oracle
from soundness.draw import FORMS, SPECS, as_graph, as_networkx, draw_joined, draw_net, draw_release
from soundness.judging import Findings, add_kind
from soundness.oracle import Net, World, make_world

SLOW = ("subgraph", "orbit", "neighborhood", "relations")
"""Kinds whose oracle is slow where there are many vertices."""


def draw_case(rng: Random, spec: str, *, by_original: bool) -> dict[str, Any]:
    """Draw a network with these facts to ask for; or an original, its release and the mapping."""
    directed = any(word in spec for word in ("degree:out", "degree:in"))
    form = rng.choice(FORMS[2:4]) if directed else None
    most = 6 if any(word in spec for word in SLOW) else 8
    original = draw_net(rng, form, least=2, most=most, columns=("a", "b", "c"))
    if directed and not original.links:
        a, b = original.names[:2]
        original = original._replace(links=((a, b, None, True),))
    if not by_original:
        return {"spec": spec, "published": original, "networkx": rng.random() < 0.5}
    published, mapping = draw_release(rng, original)
    if directed and not published.links:
        published = published._replace(links=((*published.names[:2], original.links[0][2], True),))
    return {"spec": spec, "published": published, "original": original, "mapping": mapping}


def judge_knowledge(case: dict[str, Any], found: Findings) -> None:
    """Compare sizes, candidates, witnesses and all numbers that follow from them."""
    spec, published, original = case["spec"], case["published"], case.get("original")
    world = make_world(published, original, case.get("mapping"))
    graph = (as_networkx(published) if case.get("networkx") else None) or as_graph(published)
    parts = {}
    if original is not None:
        parts = {"original": as_graph(original), "mapping": case["mapping"]}
    risk = shoal.assess(graph, spec, **parts)
    judge_risk(risk, spec, world, found)


def judge_risk(risk: Any, spec: str, world: World, found: Findings) -> None:
    """Compare everything that a risk says."""
    sets = oracle.answer(spec, world)
    names = tuple(risk.names)
    sizes = {v: min((len(us) for us in sets[v] if us), default=0) for v in sets}
    found.equal("names", names, world.known.names)
    found.equal("sizes", dict(zip(names, risk.sizes.tolist(), strict=True)), sizes)
    found.check(bool(risk.exact_sizes.all()), "a size is not exact")
    least = min((size for size in sizes.values() if size), default=0)
    found.equal("k", risk.k, least)
    found.equal("exact", risk.exact, True)
    found.equal("misled", set(risk.misled), {v for v in sizes if not sizes[v]})
    for k in {1, 2, 3, len(world.published.names)} & set(range(1, len(world.published.names) + 1)):
        below = {v for v, size in sizes.items() if 0 < size < k}
        found.equal(f"at_risk({k})", set(risk.at_risk(k)), below)
        found.equal(f"rate({k})", risk.rate(k), len(below) / len(sizes))
    for v in names:
        candidates = frozenset(risk.candidates(v))
        fitting = {us for us in sets[v] if len(us) == sizes[v]} if sizes[v] else {frozenset()}
        found.check(candidates in fitting, f"candidates({v!r}) are {set(candidates)}, which no worst facts leave")
        holds = v in world.to and world.to[v] in candidates
        found.equal(f"holds({v!r})", risk.holds(v), holds)
        judge_witness(risk.witness(v), v, candidates, world, found)


def judge_witness(witness: Any, v: Any, candidates: frozenset, world: World, found: Findings) -> None:
    """Compare a witness: its facts must be true, and leave just its candidates."""
    found.equal(f"witness({v!r}).candidates", frozenset(witness.candidates), candidates)
    if not candidates:
        return
    left = set(world.published.names)
    for fact in witness.knows:
        some = leave_by_fact(fact, v, world, found)
        if some is None:
            return  # a fact that says only the kind of knowledge
        left &= some
    found.equal(f"what the facts about {v!r} leave", left, set(candidates))


def leave_by_fact(fact: Any, v: Any, world: World, found: Findings) -> set | None:
    """Return the candidates by one fact in a witness, after a check that it is true; None if it cannot be read."""
    kind, value = fact.kind, fact.value
    if kind in ("neighbors", "relations", "located-relations"):
        return leave_by_entries(kind, value, v, world, found)
    if kind in ("columns", "some-columns"):
        names = [name for name, _ in value]
        mine = {name: oracle.comparable(cell) for name, cell in value}
        found.equal(f"values of {v!r}", tuple(mine.values()), world.known.cells(v, names))
        return {u for u in world.published.names if world.published.cells(u, names) == tuple(mine.values())}
    if kind == "subgraph":
        pairs = frozenset(frozenset(edge[:2]) for edge in value["edges"])
        exhausted = frozenset(x for x, _ in value["exact"])
        near = oracle.find_neighbors(world.known)
        found.check(all(b in near[a] for a, b in map(tuple, pairs)), f"a link in the witness of {v!r} is not there")
        found.check(
            all(len(near[x]) == many for x, many in value["exact"]), f"a degree in the witness of {v!r} is wrong"
        )
        return set(oracle.embed(world.known, v, pairs, exhausted, world.published))
    if kind == "counts" and "error" not in value:
        ball = oracle.cut_ball(world.known, v, value["radius"])
        found.equal(f"the ball of {v!r}", (value["vertices"], value["edges"]), (len(ball.names), len(ball.links)))
        return set(next(iter(oracle.know_counts(world, value["radius"])[v])))
    return None


def leave_by_entries(kind: str, value: dict, v: Any, world: World, found: Findings) -> set:
    """Return the candidates by known entries of a row."""
    mine, theirs = oracle.list_entries(world.known), oracle.list_entries(world.published)
    known = []
    for w, q, *relation in value["known"]:
        told = (relation[0]["kind"], relation[0]["direction"]) if relation else (None, "both")
        has = mine[v][w, told]
        found.check(
            has == q or (kind == "neighbors" and not value["exactly"] and has), f"{v!r} does not have {q} x {w!r}"
        )
        known.append((w, told))
    located = kind == "located-relations"
    exactly = kind != "neighbors" or value["exactly"]

    def fits(u: Any) -> bool:
        lacking = {
            w
            for w, told in known
            if (theirs[u][world.to[w], told] != mine[v][w, told] if exactly else not theirs[u][world.to[w], told])
        }
        return len(lacking) <= value.get("errors", 0) and not (located and u in {world.to[w] for w, _ in known})

    return {u for u in world.published.names if fits(u)}


def draw_table_case(rng: Random) -> dict[str, Any]:
    """Draw a table, and perhaps its original."""
    net = draw_net(rng, "simple", least=2, most=9, columns=("a", "b", "c"))._replace(links=())
    case = {"spec": SPECS[rng.choice(("columns", "some-columns"))](rng), "published": net}
    if rng.random() < 0.5:
        columns = tuple(
            (name, tuple(rng.choice(values) if rng.random() < 0.2 else value for value in values))
            for name, values in net.columns
        )
        case["original"] = Net(net.names, (), columns)
    return case


def judge_table(case: dict[str, Any], found: Findings) -> None:
    """Compare the sizes of records of a table."""
    sides = {
        name: case[name]._replace(names=tuple(range(len(case[name].names))))
        for name in ("published", "original")
        if name in case
    }
    world = make_world(sides["published"], sides.get("original"))
    cells = {name: {column: list(values) for column, values in net.columns} for name, net in sides.items()}
    parts = {} if "original" not in cells else {"original": shoal.Table.of(cells["original"])}
    risk = shoal.assess(shoal.Table.of(cells["published"]), case["spec"], **parts)
    judge_risk(risk, case["spec"], world, found)


for _name, _draw in SPECS.items():
    for _by_original in (False, True):
        add_kind(
            f"knowledge/{_name}" + (", facts of the original" if _by_original else ""),
            lambda rng, draw=_draw, by=_by_original: draw_case(rng, draw(rng), by_original=by),
            judge_knowledge,
            "a size too large",
        )
for _by_original in (False, True):
    add_kind(
        "knowledge/two or three kinds (+)" + (", facts of the original" if _by_original else ""),
        lambda rng, by=_by_original: draw_case(rng, draw_joined(rng), by_original=by),
        judge_knowledge,
        "a size too large",
    )
add_kind("knowledge/tables", draw_table_case, judge_table, "a size too large")
