"""The drawing of an audit shows true links and sizes."""

import networkx as nx
import numpy as np

import shoal
from audit_cases import SMALL
from shoal.auditing.network_drawing import count_candidates_after, find_buckets, sample_vertices
from shoal.data.graph import Graph
from shoal.report.html.charts.audit import draw_network


def test_the_drawing_shows_true_links_and_sizes(people, released):
    data = shoal.audit(people, released, knowledge=SMALL).drawing
    assert len(data.at) == data.of == people.n
    assert sorted(map(sorted, data.links_before)) == sorted(map(sorted, people.each_edge()))
    assert sorted(map(sorted, data.links_after)) == sorted(map(sorted, released.data.each_edge()))
    assert data.candidates[0].knows == "adjacency"
    assert list(data.candidates[0].before) == find_buckets(shoal.assess(people, "adjacency").sizes).tolist()
    assert len(set(data.at)) > 0.9 * people.n


def test_a_walk_meets_as_many_as_it_may():
    g = shoal.as_graph(nx.barabasi_albert_graph(500, 2, seed=1))
    met = sample_vertices(g, 50, seed=3)
    assert len(set(met.tolist())) == 50
    assert sample_vertices(g, 50, seed=3).tolist() == met.tolist()
    scattered = shoal.as_graph(nx.disjoint_union(nx.path_graph(2), nx.empty_graph(90)))
    assert len(sample_vertices(scattered, 50, seed=3)) == 2


def test_whoever_is_found_in_either_way_is_found():
    inside, facts, own = np.array([4, 1, 9]), np.array([2, 0, 0, 7]), np.array([0, 1, 2, -1])
    assert count_candidates_after(inside, facts, own).tolist() == [2, 1, 9, 7]
    assert count_candidates_after(inside, None, own).tolist() == [4, 1, 9, 0]


def test_directions_and_kinds_are_drawn():
    g = Graph.from_pairs(
        "abcd", [0, 1, 2, 2], [1, 2, 0, 0], directed=[True, True, False, True], kinds=["x", "y", "x", "y"]
    )
    data = shoal.audit(g, knowledge=SMALL).drawing
    assert data.kinds == ("x", "y")
    assert sorted(data.links_before) == [(0, 1, 1, 0), (0, 2, 0, 0), (1, 2, 1, 1), (2, 0, 1, 1)]
    page = draw_network(data, data.candidates[0], "before", "net").svg
    assert page.count("M") == len(data.links_before) + 3  # a line each, and a head for each arrow
    assert page.count("kind-") == 4  # lines and heads of two kinds


def test_kinds_that_are_intervals_are_sorted_by_their_bounds():
    g = Graph.from_pairs("abc", [0, 1, 2], [1, 2, 0], kinds=["[10, 20)", "[5, 10)", ">= 20"])
    assert shoal.audit(g, knowledge=SMALL).drawing.kinds == ("[5, 10)", "[10, 20)", ">= 20")
