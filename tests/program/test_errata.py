"""What the paper says and what is true: each claim that shoal does not follow, with its smallest case."""

from math import inf

import networkx as nx
import numpy as np
import pytest

import shoal
from conftest import ATLAS
from draws import draw_cases
from shoal.errors import BadParameter

K2_K1 = nx.disjoint_union(nx.complete_graph(2), nx.empty_graph(1))
C4 = nx.cycle_graph(4)


def k_anonymous(g):
    """The k of the paper's k-anonymous graph."""
    return shoal.assess(g, "adjacency").k


def test_algorithm_2_overstates_definition_1():
    assert shoal.similarity_radius(K2_K1, 2, "manhattan").l == 2
    assert shoal.levels(K2_K1, "relations", k=2).l == 0


def test_algorithm_3_overstates_definition_2():
    path = nx.path_graph(4)
    assert shoal.similarity_radius(path, 2, "2-path").l == 1
    assert shoal.levels(path, k=2).l == 0


def test_what_algorithm_3_returns_is_not_bounded_by_n_less_k():
    for k in (2, 3, 4):
        assert shoal.similarity_radius(nx.complete_graph(4), k, "2-path").l == 2


@pytest.mark.slow
def test_vertices_with_equal_rows_are_never_linked():
    for g in ATLAS:
        risk = shoal.assess(g, "adjacency")
        assert not any(v in risk.candidates(u) for u, v in g.edges)
        assert g.number_of_edges() == 0 or len(g) >= 2 * risk.k


@pytest.mark.slow
def test_degrees_in_a_k_anonymous_graph_are_0_or_at_least_k():
    for g in ATLAS:
        k = k_anonymous(g)
        degrees = {d for _, d in g.degree}
        assert all(d == 0 or d >= k for d in degrees)
        if len(degrees) == 1 and degrees != {0}:
            assert k <= min(degrees)


def test_k_may_be_n_but_not_more():
    two = nx.empty_graph(2)
    assert shoal.levels(two, "relations", k=2).l == inf
    for call in (shoal.levels, shoal.similarity_radius):
        with pytest.raises(BadParameter, match="vertices, 2"):
            call(two, k=3)


@pytest.mark.slow
def test_k_plus_l_is_at_most_n_only_with_conditions():
    for g in draw_cases(ATLAS, 400):
        n, highest = len(g), max(d for _, d in g.degree)
        for k in range(2, min(4, n) + 1):
            two, one, located = (shoal.levels(g, r, k=k).l for r in ("neighbors", "relations", "located-relations"))
            assert two > highest or k + two <= n
            assert (one == inf) == (k_anonymous(g) >= k)
            assert one == inf or one <= n - k
            assert k + located <= n


def test_the_minimum_degree_is_a_convention():
    g = nx.disjoint_union(nx.complete_graph(3), nx.empty_graph(1))
    found = shoal.levels(g, k=2)
    assert found.l == 1
    assert found.capped.min() == 0
    assert shoal.levels(g, "relations", k=2).l <= found.l


def test_complete_graphs():
    for n in (3, 4, 5, 6):
        for k in range(2, n):
            g = nx.complete_graph(n)
            assert shoal.levels(g, k=k).l == n - k
            assert shoal.levels(g, "relations", k=k).l == 0
            assert shoal.levels(g, "located-relations", k=k).l == n - k


def test_whoever_has_located_the_known_vertices_knows_more_than_definition_1_counts():
    assert shoal.levels(C4, "relations", k=2).l == inf
    assert shoal.levels(C4, "located-relations", k=2).l < inf


def test_missing_links_leak_what_definition_2_does_not_count():
    g = nx.Graph([(0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 4)])
    two, one = shoal.assess(g, shoal.knowledge.Neighbors(2)), shoal.assess(g, shoal.knowledge.Relations(2))
    assert set(two.candidates(3)) == {2, 3, 4}
    assert one.candidates(3) == (3,)


def test_a_graph_without_symmetry_can_be_2_1_anonymous():
    g = nx.Graph([(0, 1), (0, 5), (1, 2), (2, 3), (2, 4), (2, 5), (3, 4), (4, 5)])
    assert shoal.assess(g, "orbit").sizes.max() == 1
    assert shoal.levels(g, k=2).l == 1


def test_the_table_matters():
    incidence = nx.incidence_matrix(C4).toarray()
    assert k_anonymous(C4) == 2
    assert len(np.unique(incidence, axis=0)) == 4


@pytest.mark.parametrize(("k", "l", "m"), [(1, 1, 5), (2, 2, 6), (3, 1, 7), (8, 3, 12), (4, 2, 9)])
def test_feders_notion_does_not_protect(k, l, m):
    g = shoal.examples.feder_counterexample(k, l, m)
    assert shoal.assess(g, shoal.knowledge.SharedNeighbors(l)).k - 1 >= k
    clique = max(k + l, 3 * l)
    assert g.m == clique * (clique - 1) // 2 + m + m * l
    found = shoal.assess(g, shoal.knowledge.Neighbors(2))
    ring = [v for v in g.names if str(v).startswith("ring")]
    assert len(ring) == m
    assert all(found.candidates(v) == (v,) for v in ring)
