"""HideNeighbors: every degree becomes 0 or at least k (checked by the oracle), with few edits."""

import warnings
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, Notice
from shoal.methods import HideNeighbors
from shoal.methods.links.hide_neighbors.degrees import bound_edits
from shoal.release.verify import verify_release


def made(g, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return HideNeighbors(**how)(g)


def holds(published, k, known=None):
    return min(oracle.size(oracle.neighbors(published, known, l=1)).values()) >= k


def graphs_over(g, add_only):
    """Yield all graphs on the same vertices; with additions only, those that hold all edges of g."""
    free = [pair for pair in combinations(g, 2) if not (add_only and g.has_edge(*pair))]
    for chosen in range(2 ** len(free)):
        h = nx.Graph(list(g.edges) if add_only else [])
        h.add_nodes_from(g)
        h.add_edges_from(pair for i, pair in enumerate(free) if chosen >> i & 1)
        yield h


def changed(g, h):
    return len({frozenset(e) for e in g.edges} ^ {frozenset(e) for e in h.edges})


@pytest.mark.slow
@pytest.mark.parametrize("add_only", [False, True])
def test_the_guarantee_holds_or_is_impossible_on_all_small_graphs(add_only):
    refused = 0
    for g in draw_cases(ATLAS, 120):
        for k in range(1, len(g) + 1):
            try:
                release = made(g, k=k, add_only=add_only)
            except CannotPromise:
                refused += 1
                assert add_only
                complete = nx.complete_graph(len(g))  # no additions give more neighbors than all
                assert not holds(complete, k)
                assert all(len(g) - 1 < k for v in g if g.degree(v))
                continue
            h = release.data.to_networkx()
            assert holds(h, k)
            assert set(h) == set(g)
            if add_only:
                assert not release.edits.removed
                assert holds(h, k, known=g)
            if holds(g, k):
                assert not release.edits.added + release.edits.removed
            assert release.measured["lower bound on edits"] <= changed(g, h)
    assert (refused > 50) == add_only


@pytest.mark.slow
@pytest.mark.parametrize("add_only", [False, True])
def test_refusals_are_impossible_and_bounds_are_below_the_optimum(add_only):
    optimal = tried = 0
    for g in [g for g in ATLAS if len(g) <= 5]:
        others = [(changed(g, h), [d for _, d in h.degree()]) for h in graphs_over(g, add_only)]
        for k in range(1, len(g) + 1):
            ways = [edits for edits, degrees in others if all(d == 0 or d >= k for d in degrees)]
            if not ways:
                with pytest.raises(CannotPromise, match="with additions only"):
                    HideNeighbors(k=k, add_only=add_only)(g)
                continue
            cost = changed(g, made(g, k=k, add_only=add_only).data.to_networkx())
            assert bound_edits(shoal.as_graph(g), k, add_only) <= min(ways) <= cost
            tried += 1
            optimal += cost == min(ways)
    assert optimal == tried


@pytest.mark.slow
@given(graphs(least=2, most=7), st.integers(1, 7), st.booleans(), st.integers(0, 3))
def test_edits_turn_the_original_into_the_release_and_the_seed_repeats_them(g, k, add_only, seed):
    data = shoal.as_graph(g)
    k = min(k, data.n)
    try:
        release = made(data, k=k, add_only=add_only, seed=seed)
    except CannotPromise:
        return
    h = g.copy()
    h.remove_edges_from(release.edits.removed)
    h.add_edges_from(release.edits.added)
    assert changed(h, release.data.to_networkx()) == 0
    assert data == shoal.as_graph(g)
    assert made(data, k=k, add_only=add_only, seed=seed).data == release.data


@pytest.mark.parametrize("k", [2, 3, 5, 8])
@pytest.mark.parametrize("add_only", [False, True])
def test_larger_graphs_stay_near_the_lower_bound(k, add_only):
    for seed in range(4):
        for g in (nx.gnm_random_graph(200, 300, seed=seed), nx.barabasi_albert_graph(150, 1, seed=seed)):
            release = made(g, k=k, add_only=add_only, seed=seed)
            degree = release.data.degree
            assert ((degree == 0) | (degree >= k)).all()
            edits = len(release.edits.added) + len(release.edits.removed)
            least = release.measured["lower bound on edits"]
            assert edits <= (least + 2 if add_only else 1.5 * least + 2)
            assert release.measured["vertices isolated"] == np.sum((shoal.as_graph(g).degree > 0) & (degree == 0))


def test_links_go_to_nearby_vertices_in_need():
    g = nx.star_graph(6)
    g.add_edges_from((a, b) for a, b in combinations(range(10, 16), 2))
    release = HideNeighbors(k=2)(g)
    assert not release.edits.removed
    assert len(release.edits.added) == 3
    assert sorted(v for pair in release.edits.added for v in pair) == [1, 2, 3, 4, 5, 6]


def test_vertices_are_isolated_if_that_is_cheaper():
    g = nx.disjoint_union(nx.complete_graph(12), nx.complete_graph(4))
    g.add_edge(0, 99)
    release = HideNeighbors(k=10)(g)
    assert not release.edits.added
    assert len(release.edits.removed) == 7
    assert release.measured["vertices isolated"] == 5


def test_isolated_vertices_are_linked_if_removal_is_not_allowed():
    g = nx.path_graph(3)
    g.add_nodes_from(range(10, 15))
    release = HideNeighbors(k=4, add_only=True)(g)
    assert sorted(release.data.degree.tolist()) == [0, 0, 0, 4, 4, 4, 4, 4]
    with pytest.warns(Notice, match="0 of 2 edges are left"):
        assert HideNeighbors(k=4)(g).data.m == 0


def test_a_broken_guarantee_is_not_released():
    release = HideNeighbors(k=2, add_only=True)(nx.path_graph(6))
    assert [promise.source for promise in release.promises] == ["release", "original"]
    assert len(release.verification) == 2
    with pytest.raises(BrokenPromise):
        verify_release(replace(release, data=release.original))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, r"'k'.*1"),
        ({"k": 2, "l": 0}, r"'l'.*1"),
        ({"k": 2, "effort": "long"}, "'effort'"),
        ({"k": 2, "seed": -1}, r"'seed'.*0"),
        ({"k": 2, "add_only": "yes"}, "'add_only'"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        HideNeighbors(**how)


def test_bad_data():
    with pytest.raises(BadParameter, match="at most the number of vertices"):
        HideNeighbors(k=4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        HideNeighbors(k=2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))


def test_eval_repr():
    method = HideNeighbors(k=3, add_only=True, seed=9)
    assert eval(repr(method)) == method
