"""Knowledge of shapes where links have directions, kinds and multiplicities, against the definitions word for word."""

import random
from itertools import combinations, product

import pytest

import shoal
from draws import draw_cases
from shoal.core import balls, grouping
from shoal.data.graph import Graph
from shoal.data.table import Table
from tied_graphs import are_isomorphic, build, draw_links, find_candidates, fits, join, read_tie, relate

EXACT = [
    "degree",
    "degree:total",
    "refinement:0",
    "refinement:1",
    "refinement:2",
    "refinement:3",
    "refinement",
    "counts:1",
    "counts:2",
    "degrees:0",
    "degrees:1",
    "degrees:2",
    "neighborhood:1",
    "neighborhood:2",
    "orbit",
    "adjacency",
]
ABOUT = ["degree~30%", "degree:total~30%", "counts:1~30%", "degrees:1~40%", "degrees:2~25%"]
PARTS = ["degree:out", "degree:in", "degree:out~40%"]
KINDS = [("a", "b"), None, ("a",), tuple("abcdef")]


def read_candidates(graph, spec, **how):
    """Return the candidates of each vertex as numbers, and check their sizes."""
    risk = shoal.assess(graph, spec, **how)
    found = [sorted(int(name[1:]) for name in risk.candidates(f"v{v}")) for v in range(graph.n)]
    assert risk.sizes.tolist() == [len(some) for some in found]
    return found


def draw_tied(rng, n):
    """Return random links, at least one of them with a direction or a kind."""
    while True:
        kinds = rng.choice(KINDS)
        links = draw_links(
            rng, n, most=rng.choice([2, 5, 8, 12]), directed=rng.choice([None, True, False]), kinds=kinds
        )
        if links and (kinds or any(link[2] for link in links)):
            return links


def draw_generators(many):
    """Yield generators of random numbers; a failure names the one to repeat."""
    yield from map(random.Random, draw_cases(range(10**6), many))


def check(many, specs):
    for rng in draw_generators(many):
        n, multigraph = rng.randint(2, 5), rng.random() < 0.6
        links = draw_tied(rng, n)
        graph, relations = build(n, links, multigraph=multigraph), relate(n, links, multigraph=multigraph)
        for spec in specs + (PARTS if graph.directed else []):
            assert read_candidates(graph, spec) == find_candidates(spec, relations), (spec, links, multigraph)


def test_random_graphs():
    check(40, EXACT + ABOUT)


def test_every_hash_collides(monkeypatch):
    monkeypatch.setattr(grouping, "HASH_BITS", 0)
    check(25, EXACT + ABOUT)


def test_small_graphs_folded_by_twins(monkeypatch):
    monkeypatch.setattr(balls, "FEW", 2)
    check(25, ["neighborhood:1", "neighborhood:2", "orbit"])


def list_digraphs(n):
    """Yield all digraphs with n vertices: each pair is not linked, linked one way, or both ways."""
    pairs = list(combinations(range(n), 2))
    for choice in product(range(4), repeat=len(pairs)):
        ways = [(pair, way) for pair, way in zip(pairs, choice, strict=True) if way]
        yield [(a, b, True, None) for (x, y), way in ways for a, b, bit in ((x, y, 1), (y, x, 2)) if way & bit]


def test_all_digraphs_with_three_vertices():
    for links in list_digraphs(3):
        graph, relations = build(3, links, multigraph=False), relate(3, links, multigraph=False)
        for spec in EXACT + ABOUT + PARTS:
            assert read_candidates(graph, spec) == find_candidates(spec, relations), (spec, links)


@pytest.mark.slow
def test_all_digraphs_with_four_vertices():
    for links in list_digraphs(4):
        graph, relations = build(4, links, multigraph=False), relate(4, links, multigraph=False)
        for spec in ("degree", "refinement", "degrees:1", "neighborhood:1", "orbit", "adjacency"):
            assert read_candidates(graph, spec) == find_candidates(spec, relations), (spec, links)


def draw_pair(rng):
    """Return the links of an original and of a release, which may be the same network with other names."""
    n, links = rng.randint(2, 4), []
    while not any(link[2] for link in links):
        links = draw_links(rng, n, most=6, kinds=rng.choice([("a", "b"), None]))
    if rng.random() < 0.5:
        to = rng.sample(range(n), n)
        return n, links, [(to[a], to[b], *rest) for a, b, *rest in links]
    arc = next(link for link in links if link[2])
    return n, links, [arc, *(link for link in links if rng.random() < 0.7)]


def test_facts_of_an_original():
    for rng in draw_generators(40):
        n, before, after = draw_pair(rng)
        labels = [rng.choice("pq") for _ in range(2 * n)]
        tables = Table.of({"x": labels[:n]}), Table.of({"x": labels[n:]})
        original, release = build(n, before, attributes=tables[0]), build(n, after, attributes=tables[1])
        one, other = relate(n, before), relate(n, after)
        both, everyone = join(one, other), range(n)
        for spec in ("degree", "degree:out", "degree~30%", "refinement", "counts:1", "degrees:1~40%", "neighborhood:1"):
            wanted = [[u for u in everyone if fits(spec, both, v, u + n)] for v in everyone]
            assert read_candidates(release, spec, original=original) == wanted, (spec, before, after)
        found = read_candidates(release, "neighborhood:1:x", original=original)
        assert found == [[u for u in everyone if fits("neighborhood:1", both, v, u + n, labels)] for v in everyone]
        found = read_candidates(release, "adjacency", original=original)
        assert found == [
            [u for u in everyone if all(read_tie(one, v, w) == read_tie(other, u, w) for w in everyone)]
            for v in everyone
        ]
        moved = [{*everyone}, {x + n for x in everyone}]
        found = read_candidates(release, "orbit", original=original)
        assert found == [[u for u in everyone if are_isomorphic(both, *moved, (v, u + n))] for v in everyone]


# Laws.


def count_all(graph, specs=(*EXACT, *ABOUT)):
    return {spec: shoal.assess(graph, spec).sizes.tolist() for spec in specs}


def test_a_symmetric_digraph_keeps_every_number():
    for rng in draw_generators(20):
        n = rng.randint(2, 9)
        links = {tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(1, 2 * n))}
        a, b = zip(*links, strict=True)
        plain = Graph.from_pairs(range(n), a, b)
        both = Graph.from_pairs(range(n), a + b, b + a, directed=True)
        assert count_all(both) == count_all(plain)


def test_reversing_all_arcs_exchanges_out_and_in():
    for rng in draw_generators(20):
        n = rng.randint(2, 8)
        links = draw_links(rng, n, kinds=("a", "b"))
        graph, turned = (build(n, some) for some in (links, [(b, a, *rest) for a, b, *rest in links]))
        assert count_all(graph) == count_all(turned)
        if graph.directed:
            out, back = (
                [shoal.assess(g, part).sizes.tolist() for part in ("degree:out", "degree:in")] for g in (graph, turned)
            )
            assert out == back[::-1]


def test_renaming_kinds_changes_nothing():
    for rng in draw_generators(20):
        n = rng.randint(2, 8)
        links = [link for link in draw_links(rng, n, kinds=("a", "b", "c")) if link]
        names = {"a": "z", "b": "call", "c": "b"}
        renamed = [(*rest, names[kind]) for *rest, kind in links]
        assert count_all(build(n, links)) == count_all(build(n, renamed))


def test_large_patterns_are_folded_and_told_apart():
    """70 leaves with an arc to the hub, 70 with one from it, 70 with both: more than are drawn without folding."""
    leaves = range(1, 211)
    out = [(0, v, True, None) for v in leaves if v % 3 != 1]
    back = [(v, 0, True, None) for v in leaves if v % 3 != 2]
    graph = build(211, out + back)
    for spec in ("neighborhood:2", "orbit", "adjacency"):
        assert shoal.assess(graph, spec).sizes.tolist() == [1, *[70] * 210]


def test_a_tournament_cycle_has_one_orbit():
    """Each of 65 vertices beats the next 32: no pair of a cell can be complemented."""
    links = [(v, (v + step) % 65, True, None) for v in range(65) for step in range(1, 33)]
    risk = shoal.assess(build(65, links), "orbit")
    assert risk.k == 65
    turned = [*links[1:], (links[0][1], links[0][0], True, None)]
    assert shoal.assess(build(65, turned), "orbit").k < 65
