"""Knowledge of shapes where links have directions, kinds and multiplicities: what the laws for all kinds do not reach.

Hashes that all collide, patterns that are folded by twins, errors in other numbers, labels, and large patterns.
"""

from fractions import Fraction
from functools import partial
from random import Random

import pytest

import shoal
import ties_oracle as ties
from draws import draw_cases
from laws import assert_agrees, quietly
from shoal.core import balls, grouping
from shoal.data.table import Table

SHAPES = [spec for spec in ties.ORACLES if spec.split(":")[0].split("~")[0] in {"degree", "degrees", "refinement"}]
PATTERNS = ["neighborhood:1", "neighborhood:2", "orbit", "adjacency"]
ABOUT = {
    "degree~30%": partial(ties.degree_about, error=Fraction(3, 10)),
    "degrees:1~40%": partial(ties.degrees_about, radius=1, error=Fraction(2, 5)),
    "degrees:2~25%": partial(ties.degrees_about, radius=2, error=Fraction(1, 4)),
    "counts:2~30%": partial(ties.counts_about, radius=2, error=Fraction(3, 10)),
}


def draw_nets(many, n=5):
    """Yield random nets and whether links have a direction; a failure names the case to repeat."""
    for case in draw_cases(range(10**6), many):
        net = ties.draw_net(Random(case), n)
        yield net, ties.as_graph(net)


def check(many, oracles):
    for net, graph in draw_nets(many):
        for spec, answer in oracles.items():
            if graph.directed or spec not in ties.DIRECTED_ONLY:
                assert_agrees(shoal.assess(graph, spec), answer(net))


def test_errors_in_every_number():
    check(40, ABOUT)


def test_every_hash_collides(monkeypatch):
    monkeypatch.setattr(grouping, "HASH_BITS", 0)
    check(30, {spec: ties.ORACLES[spec] for spec in SHAPES + PATTERNS} | ABOUT)


def test_small_patterns_folded_by_twins(monkeypatch):
    monkeypatch.setattr(balls, "FEW", 2)
    check(40, {spec: ties.ORACLES[spec] for spec in PATTERNS})


def test_labels_are_preserved():
    """Labels are one more kind of arc in the oracle: each vertex has parallel arcs to a vertex of its own."""
    for case in draw_cases(range(10**6), 40):
        random = Random(case)
        net = ties.draw_net(random, random.randint(2, 4))
        labels = [random.randint(1, 2) for _ in net]
        graph = ties.as_graph(net).with_attributes(Table.of({"x": labels}))
        marked = ties.Net(
            (*net.vertices, *("m", "n", "o", "p")[: len(net)]),
            net.links + tuple(("mnop"[v], v, True, "label") for v, times in enumerate(labels) for _ in range(times)),
        )
        wanted = {
            v: frozenset(
                u
                for u in net
                if ties.isomorphic(*(part for w in (v, u) for part in (find_marked_ball(net, marked, w), w)))
            )
            for v in net
        }
        assert_agrees(shoal.assess(graph, "neighborhood:1:x"), wanted)


def find_marked_ball(net, marked, v):
    """Return the ball around v with the marks of its vertices."""
    near = ties.distances(ties.near(net), v, 1)
    return ties.inside(marked, {*near, *("mnop"[w] for w in near)})


def test_facts_of_an_original_within_an_error():
    for case in draw_cases(range(10**6), 40):
        random = Random(case)
        original, release = (ties.draw_net(random, 4) for _ in range(2))
        graphs = [ties.as_graph(net) for net in (release, original)]
        kinds = [{*graph.count_kinds()} for graph in graphs]
        other = all(kinds) and not kinds[0] & kinds[1]  # kinds without a common one are refused
        if len({(graph.directed, bool(graph.kinds)) for graph in graphs}) == 1 and not other:
            for spec, answer in ABOUT.items():
                assert_agrees(quietly(graphs[0], spec, original=graphs[1]), answer(release, original))


def test_the_fixed_point_is_beyond_a_round_without_change():
    """Every vertex has one arc out and one in, so that H_1 is H_0; H_2 distinguishes the cycles of 2 and 3."""
    arcs = ((0, 1), (1, 0), (2, 3), (3, 4), (4, 2))
    net = ties.Net(tuple(range(5)), tuple((*arc, True, None) for arc in arcs))
    for spec in ("refinement:2", "refinement"):
        risk = shoal.assess(ties.as_graph(net), spec)
        assert risk.sizes.tolist() == [2, 2, 3, 3, 3]
        assert_agrees(risk, ties.ORACLES[spec](net))


def test_a_double_link_is_not_two_links():
    """0 has a double link to a vertex of degree 4, 5 has links to two such vertices."""
    pairs = [(0, 1), (0, 1), (1, 2), (1, 3), (5, 6), (5, 7), (6, 8), (6, 9), (6, 10), (7, 11), (7, 12), (7, 13)]
    graph = shoal.Graph.from_pairs(range(14), *zip(*pairs, strict=True), multigraph=True)
    assert {0, 5} <= set(shoal.assess(graph, "refinement:1").candidates(0))
    assert shoal.assess(graph, "refinement:2").candidates(0) == (0,)


@pytest.mark.parametrize("spec", ["neighborhood:2", "orbit", "adjacency"])
def test_large_patterns_are_folded(spec):
    """70 leaves with an arc to the hub, 70 with one from it, 70 with both."""
    leaves = range(1, 211)
    out, back = ([v for v in leaves if v % 3 != rest] for rest in (1, 2))
    sources, targets = [0] * len(out) + back, out + [0] * len(back)
    graph = shoal.Graph.from_pairs(range(211), sources, targets, directed=True)
    assert shoal.assess(graph, spec).sizes.tolist() == [1, *[70] * 210]


def test_a_regular_tournament_has_one_orbit():
    """Each of 65 vertices beats the next 32: a dense cell of arcs, which cannot be complemented."""
    arcs = [(v, (v + step) % 65) for v in range(65) for step in range(1, 33)]
    tournament = shoal.Graph.from_pairs(range(65), *zip(*arcs, strict=True), directed=True)
    assert shoal.assess(tournament, "orbit").k == 65
    turned = shoal.Graph.from_pairs(range(65), *zip(*[*arcs[1:], arcs[0][::-1]], strict=True), directed=True)
    assert shoal.assess(turned, "orbit").k < 65
