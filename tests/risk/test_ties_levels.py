"""Levels and certificates of graphs whose links have directions or kinds, judged by all sets of known entries."""

import json
from functools import partial
from math import inf
from random import Random

import networkx as nx
import numpy as np
import pytest

import shoal
import ties_oracle as ties
from draws import SEED, draw_cases
from messages import tells
from shoal.core import exposing_sets as search

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")

READINGS = {
    "neighbors": ties.neighbors,
    "exact-neighbors": partial(ties.neighbors, multiplicities=True),
    "relations": ties.relations,
    "located-relations": partial(ties.relations, located=True),
}
readings = pytest.mark.parametrize("reading", READINGS)


def find_levels(graph, reading, k, **how):
    exactly = reading == "exact-neighbors"
    return shoal.levels(graph, "neighbors" if exactly else reading, k=k, multiplicities=exactly, **how)


def judge(reading, net, most):
    """Assert that levels, witnesses and certificates are those of the definition, for sets up to a size."""
    graph, families = ties.as_graph(net), READINGS[reading](net, l=most)
    for k in range(1, min(4, len(net)) + 1):
        found = find_levels(graph, reading, k, max_size=most)
        for i, v in enumerate(net):
            least = min((len(some) for some, left in families[v] if 1 <= len(left) < k), default=inf)
            if least < inf:
                assert found.exact[i]
                assert found.per_vertex[i] == least - 1
                judge_witness(found.witness(v), v, k, {some: left for some, left in families[v] if len(some) == least})
            else:
                assert found.per_vertex[i] == (inf if found.exact[i] else most)
                assert found.witness(v) is None
            judge_certificate(graph, found.certificate(v))


def judge_witness(witness, v, k, sets):
    known = {(name, (relation["kind"], relation["direction"])) for name, _, relation in witness.knows[0].value["known"]}
    assert frozenset(witness.candidates) in [left for some, left in sets.items() if known == some] or (
        # a missing entry that no vertex has stands for all others about the same vertex
        frozenset(witness.candidates) in sets.values()
    )
    assert v in witness.candidates
    assert len(witness.candidates) < k


def judge_certificate(graph, claim):
    checked = shoal.check_certificate(graph, json.loads(json.dumps(claim)))
    assert checked.holds is (None if claim.get("none_smaller", {}).get("by") == "search" else True), checked
    if claim["l"] != "every" and checked.holds:
        assert shoal.check_certificate(graph, claim | {"l": claim["l"] + 1}).holds is False


def has_ties(net):
    return ties.as_graph(net).ties is not None


@pytest.mark.slow
@readings
def test_every_small_digraph_as_the_oracle_says(reading):
    nets = [net for n in range(2, 5) for net in ties.list_nets(n, ties.ARCS) if has_ties(net)]
    for net in draw_cases(nets, 40):
        judge(reading, net, most=8)


@pytest.mark.slow
@readings
def test_random_graphs_with_mixed_directions_and_kinds_as_the_oracle_says(reading):
    random = Random(f"{SEED} {reading}")
    for _ in range(12):
        pairs = [(a, b) for a in range(4) for b in range(4) if a != b and random.random() < 0.5]
        links = tuple((a, b, random.random() < 0.6, random.choice("xy")) for a, b in pairs)
        if links:
            judge(reading, ties.Net((*range(4),), links), most=3)


def symmetric(g):
    a, b, _ = g.edges()
    return shoal.Graph.from_pairs(g.names, [*a, *b], [*b, *a], directed=True)


@readings
def test_a_symmetric_digraph_keeps_every_level(reading):
    for g in (shoal.examples.florentine(), shoal.as_graph(nx.cycle_graph(5))):
        plain, twice = (find_levels(graph, reading, 2) for graph in (g, symmetric(g)))
        assert plain.per_vertex.tolist() == twice.per_vertex.tolist()


def draw_digraph(n, arcs, seed, kinds=None):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, n, arcs), rng.integers(0, n, arcs)
    kept = a != b
    labels = None if kinds is None else rng.choice(kinds, int(kept.sum())).tolist()
    return shoal.Graph.from_pairs(range(n), a[kept], b[kept], directed=True, kinds=labels)


@pytest.mark.parametrize("reading", ["neighbors", "relations", "located-relations"])
def test_levels_and_sizes_agree(reading):
    graph = draw_digraph(60, 240, 3, kinds=["call", "text"])
    for l in (1, 2, 3):
        sizes = shoal.assess(graph, f"{reading}:{l}").sizes
        for k in (2, 5):
            assert (shoal.levels(graph, reading, k=k).exposed(l) == (sizes < k)).all()


@pytest.mark.parametrize("reading", ["neighbors", "relations", "located-relations"])
def test_a_search_cut_short_never_overstates(reading, monkeypatch):
    graph = draw_digraph(120, 1500, 4)
    exact = shoal.levels(graph, reading, k=5)
    monkeypatch.setattr(search, "NODES", 1)
    monkeypatch.setattr(search, "EASY", 1)
    cut = shoal.levels(graph, reading, k=5)
    assert (cut.per_vertex <= exact.per_vertex).all()
    assert (cut.per_vertex[cut.exact] == exact.per_vertex[cut.exact]).all()


@pytest.mark.parametrize("reading", ["neighbors", "relations", "located-relations"])
def test_certificates_of_larger_graphs_are_confirmed(reading):
    graph = draw_digraph(40, 300, 5, kinds=["call", "text"])
    found, outcomes = shoal.levels(graph, reading, k=3), []
    for v in graph.names:
        claim = found.certificate(v)
        assert claim["schema"] == 2
        outcomes.append(shoal.check_certificate(graph, claim).holds)
    assert False not in outcomes
    assert outcomes.count(True) > 0.9 * len(outcomes)


PATH = shoal.Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3], directed=True)


def test_a_certificate_says_direction_and_kind():
    claim = shoal.levels(PATH, k=2).certificate("b")
    (entry,) = claim["exposes"]["known"]
    assert entry in (["a", 1, {"kind": None, "direction": "in"}], ["c", 1, {"kind": None, "direction": "out"}])
    assert shoal.check_certificate(PATH, claim).holds


@pytest.mark.parametrize(
    "wrong",
    [
        ["c", 1],
        [["c"], 1, {"kind": None, "direction": "out"}],
        ["c", 1, {"kind": None, "direction": "out", "note": 1}],
        ["c", 1, {"kind": 7, "direction": "out"}],
        ["c", 1, {"kind": None, "direction": "away"}],
        ["c", 1, "out"],
        ["c", True, {"kind": None, "direction": "out"}],
    ],
)
def test_a_misshapen_entry_is_neither_confirmed_nor_refuted(wrong):
    claim = shoal.levels(PATH, k=2).certificate("b")
    changed = claim | {"exposes": claim["exposes"] | {"known": [wrong]}}
    assert shoal.check_certificate(PATH, changed).holds is None


@pytest.mark.parametrize("direction", ["in", "both"])
def test_an_entry_with_another_direction_is_refuted(direction):
    claim = shoal.levels(PATH, k=2).certificate("b")
    entry = ["c", 1, {"kind": None, "direction": direction}]
    changed = claim | {"exposes": {"known": [entry], "candidates": ["b"]}}
    assert shoal.check_certificate(PATH, changed).holds is False


def test_a_certificate_of_the_undirected_network_does_not_speak_of_the_directed_one():
    plain = PATH.to_undirected()
    for one, other in ((plain, PATH), (PATH, plain)):
        claim = shoal.levels(one, k=2).certificate("a")
        assert shoal.check_certificate(one, claim).holds
        assert shoal.check_certificate(other, claim).holds is None


def test_a_located_certificate_may_name_any_entry_that_no_vertex_has():
    """d links to no vertex, so no vertex has the entry (d, in): naming it only excludes d."""
    claim = shoal.levels(PATH, "located-relations", k=4).certificate("a")
    entry = ["d", 0, {"kind": None, "direction": "in"}]
    changed = claim | {"exposes": {"known": [entry], "candidates": ["a", "b", "c"]}}
    assert shoal.check_certificate(PATH, changed).holds


def test_the_text_of_levels_counts_links():
    assert tells(repr(shoal.levels(PATH, k=2)), "directed", "with its direction", "known link")
    assert shoal.levels(PATH, k=2).capped.max() <= 1
