"""Ways in which good libraries overstate k, each kept as a test for ever."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.core.grouping import group_multisets


@pytest.fixture(params=["hashed", "colliding", "one thread"])
def counted(request, monkeypatch):
    """Count with good hashes, with hashes that all collide, and with one thread."""
    if request.param == "colliding":
        monkeypatch.setattr("shoal.core.grouping.HASH_BITS", 0)
    elif request.param == "one thread":
        monkeypatch.setattr("shoal.settings.threads", 1)


def broom(*degrees):
    """A vertex "v" whose neighbors have the given degrees."""
    g = nx.Graph()
    for i, degree in enumerate(degrees):
        g.add_edge("v", ("near", i))
        g.add_edges_from((("near", i), ("far", i, j)) for j in range(degree - 1))
    return g


@pytest.mark.usefixtures("counted")
def test_degrees_1_and_112_are_not_degrees_11_and_12():
    # joined without a separator both are "111" + "2": networkx's WL hash takes one for the other
    both = nx.disjoint_union(broom(1, 112), broom(11, 12))
    graph = shoal.as_graph(both)
    two = [v for v in both if sorted(both.degree(w) for w in both[v]) in ([1, 112], [11, 12])]
    risk = shoal.assess(graph, "refinement:2")
    assert len(two) == 2
    assert two[1] not in risk.candidates(two[0])


def test_a_missing_value_is_a_value():
    people = nx.Graph()
    people.add_nodes_from(
        [("a", {"age": 30}), ("b", {"age": 30}), ("c", {"age": None}), ("d", {}), ("e", {"age": float("nan")})]
    )
    graph = shoal.as_graph(people)
    assert shoal.assess(graph, shoal.knowledge.Columns("age")).sizes.tolist() == [2, 2, 3, 3, 3]
    people.remove_nodes_from("de")
    alone = shoal.assess(shoal.as_graph(people), shoal.knowledge.Columns("age"))
    assert (alone.k, alone.at_risk(2)) == (1, ("c",))


def test_values_that_only_look_alike_are_different():
    people = nx.Graph()
    people.add_nodes_from(enumerate({"code": code} for code in ("007", 7, "7", "", None, True, 1, 1.0)))
    assert shoal.assess(people, shoal.knowledge.Columns("code")).sizes.tolist() == [1, 1, 1, 1, 1, 1, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2, 3])
def test_tens_of_thousands_of_colors_stay_apart(rounds):
    # floats compared with an epsilon merge colors here
    g = nx.gnm_random_graph(60_000, 240_000, seed=5)
    colors = dict(g.degree)
    for _ in range(rounds - 1):
        colors = {v: tuple(sorted(colors[w] for w in g[v])) for v in g}
        numbers = {color: i for i, color in enumerate(set(colors.values()))}
        colors = {v: numbers[color] for v, color in colors.items()}
    sizes = Counter(colors.values())
    risk = shoal.assess(g, shoal.knowledge.Refinement(rounds))
    assert len(sizes) > 8_600
    assert risk.sizes.tolist() == [sizes[colors[v]] for v in g]


def test_a_forced_collision_is_caught(monkeypatch):
    monkeypatch.setattr("shoal.core.grouping.HASH_BITS", 0)
    rng = np.random.default_rng(3)
    rows = [sorted(rng.integers(0, 4, size=3)) for _ in range(200)]
    indptr, items = np.arange(0, 601, 3), np.array(rows).reshape(-1)
    codes = group_multisets(indptr, items)
    assert [codes[i] == codes[j] for i in range(200) for j in range(i)] == [
        rows[i] == rows[j] for i in range(200) for j in range(i)
    ]


def wheel(*cycles):
    """A center linked to disjoint cycles."""
    rim = nx.disjoint_union_all(nx.cycle_graph(c) for c in cycles)
    rim.add_edges_from(("center", v) for v in list(rim))
    return rim


@pytest.mark.usefixtures("counted")
def test_neighborhoods_equal_in_every_count_but_not_isomorphic():
    # six neighbors on one ring, or on two rings of three: same vertices, edges, degrees, and the same refinement
    both = nx.disjoint_union(wheel(6), wheel(3, 3))
    one, other = (v for v in both if both.degree(v) == 6)
    for spec in ("counts:1", "degrees:1", "refinement"):
        assert other in shoal.assess(both, spec).candidates(one)
    assert shoal.assess(both, "neighborhood:1").candidates(one) == (one,)
    assert shoal.assess(both, "orbit").candidates(one) == (one,)


@pytest.mark.usefixtures("counted")
def test_the_center_is_marked():
    # balls of radius 2 that are isomorphic, but not with the centers on each other
    path = shoal.as_graph(nx.path_graph(4))
    risk = shoal.assess(path, "neighborhood:2")
    assert risk.candidates(0) == (0, 3)
    tail = nx.Graph([(0, 1), (1, 2), (0, 3)])
    assert shoal.assess(tail, "neighborhood:3").sizes.tolist() == [2, 2, 2, 2]


@pytest.mark.usefixtures("counted")
def test_regular_graphs_whose_refinement_sees_nothing():
    # refinement takes two triangles for a hexagon; orbits do not
    g = nx.disjoint_union(nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)))
    assert shoal.assess(g, "refinement").k == 12
    assert shoal.assess(g, "orbit").k == 6


def test_dense_cells_are_settled_by_their_complement():
    # a cocktail party: all linked but for disjoint pairs; its automorphisms are those of the pairs
    party = nx.complement(nx.from_edgelist((2 * i, 2 * i + 1) for i in range(40)))
    assert shoal.assess(party, "orbit").k == 80


def test_a_subgraph_search_cut_short_says_so(monkeypatch):
    from shoal.knowledge import subgraph

    g = nx.random_labeled_tree(12, seed=2)
    exact = shoal.assess(g, "subgraph:5")
    assert exact.exact_sizes.all()
    monkeypatch.setattr(subgraph, "EXPLORATIONS", 2)
    cut = shoal.assess(g, "subgraph:5")
    assert (cut.sizes >= exact.sizes).all()
    assert not cut.exact_sizes.all()
    assert (cut.sizes[cut.exact_sizes] == exact.sizes[cut.exact_sizes]).all()
    monkeypatch.undo()
    monkeypatch.setattr(subgraph, "SEARCH_STEPS", 1)
    unsure = shoal.assess(g, "subgraph:5")
    assert (unsure.sizes >= exact.sizes).all()
    assert not unsure.exact_sizes.all()


def test_undecided_placements_do_not_stand_for_somebody_in_a_release(monkeypatch):
    from shoal.knowledge import subgraph

    original, released = nx.random_labeled_tree(9, seed=4), nx.random_labeled_tree(9, seed=5)
    exact = shoal.assess(released, "subgraph:4", original=original)
    monkeypatch.setattr(subgraph, "SEARCH_STEPS", 2)
    unsure = shoal.assess(released, "subgraph:4", original=original)
    assert (unsure.sizes >= exact.sizes).all()
    assert (unsure.sizes == exact.sizes)[unsure.exact_sizes].all()


def test_a_cut_family_is_not_taken_for_a_whole_one_by_and(monkeypatch):
    from shoal.knowledge import subgraph

    g = nx.Graph([(0, 3), (0, 5), (1, 2), (1, 5), (2, 4), (2, 5), (3, 4), (4, 5)])
    knowledge = shoal.knowledge.Subgraph(4) & shoal.knowledge.Hubs(1, reach=1, world="open")
    exact = shoal.assess(g, knowledge)
    monkeypatch.setattr(subgraph, "EXPLORATIONS", 3)
    cut = shoal.assess(g, knowledge)
    assert (cut.sizes >= exact.sizes).all()
    assert (cut.sizes == exact.sizes)[cut.exact_sizes].all()
    assert not shoal.assess(g, knowledge, original=g).exact_sizes.all()


def test_hubs_of_a_regular_graph_need_no_square_matrix():
    ring = nx.cycle_graph(3_000)
    assert shoal.assess(ring, "hubs:5").k == 1


def test_a_subgraph_does_not_use_a_vertex_twice():
    # a triangle and a path of four edges: a tree query of two steps out and back would fit the triangle
    g = nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(5))
    risk = shoal.assess(g, shoal.knowledge.Subgraph(4, exact_degrees=False))
    assert set(risk.candidates(5)).isdisjoint({0, 1, 2})
