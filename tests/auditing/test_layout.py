"""Layout: every vertex has a place of its own component, the same for the same seed."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from shoal.auditing import layout
from shoal.auditing.layout import SIDE, place_vertices


def list_links(graph):
    return np.array(list(graph.edges()), dtype=np.int64).reshape(-1, 2)


def place(graph, seed=0):
    return place_vertices(len(graph), list_links(graph), seed)


def measure_box(at, members):
    own = at[sorted(members)]
    return [*own.min(axis=0), *own.max(axis=0)]


def overlap(one, other):
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]


def measure_links(graph, at):
    """Return the mean length of links, as a share of the mean distance of all pairs."""
    links = list_links(graph)
    a, b = np.random.default_rng(0).integers(0, len(graph), (2, 20_000))
    return (
        np.linalg.norm(at[links[:, 0]] - at[links[:, 1]], axis=1).mean() / np.linalg.norm(at[a] - at[b], axis=1).mean()
    )


MIXED = nx.disjoint_union_all(
    [nx.gnm_random_graph(40, 90, seed=1), nx.cycle_graph(9), nx.path_graph(2), nx.star_graph(5), nx.empty_graph(7)]
)
GRAPHS = {
    "mixed": MIXED,
    "one": nx.empty_graph(1),
    "empty": nx.empty_graph(12),
    "pair": nx.path_graph(2),
    "line": nx.path_graph(60),
    "loops": nx.Graph([(0, 0), (0, 1), (2, 2)]),
    "parallel": nx.MultiGraph([(0, 1), (0, 1), (1, 2)]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_places_are_finite_and_inside_the_frame(name):
    at = place(GRAPHS[name])
    assert at.shape == (len(GRAPHS[name]), 2)
    assert np.isfinite(at).all()
    assert at.min() >= 0
    assert at[:, 0].max() <= SIDE + 1e-6


def test_a_network_without_people_has_no_places():
    assert place(nx.empty_graph(0)).shape == (0, 2)


@pytest.mark.parametrize("name", ["mixed", "line"])
def test_the_same_seed_gives_the_same_places(name):
    first = place(GRAPHS[name], seed=3)
    assert (first == place(GRAPHS[name], seed=3)).all()
    assert (first != place(GRAPHS[name], seed=4)).any()


def test_the_generator_of_python_is_left_alone():
    import random

    random.seed(5)
    expected = random.random()
    random.seed(5)
    place(MIXED)
    assert random.random() == expected


def test_components_do_not_overlap_and_the_largest_comes_first():
    at = place(MIXED)
    parts = sorted(nx.connected_components(MIXED), key=len, reverse=True)
    boxes = [measure_box(at, part) for part in parts]
    assert not any(overlap(one, other) for one, other in combinations(boxes, 2))
    assert all(box[1] > boxes[0][3] for box in boxes[1:])


def test_no_two_people_have_the_same_place():
    for graph in (MIXED, GRAPHS["empty"], nx.complete_graph(8)):
        at = place(graph)
        assert len(np.unique(at.round(6), axis=0)) == len(graph)


@pytest.mark.parametrize("many", [200, 5_000])
def test_many_people_without_links_stay_compact(many):
    graph = nx.disjoint_union(nx.gnm_random_graph(60, 150, seed=2), nx.empty_graph(many))
    at = place(graph)
    assert at[:, 1].max() <= 2.5 * SIDE
    assert len(np.unique(at.round(6), axis=0)) == len(graph)


def test_linked_people_are_close():
    assert measure_links(GRAPHS["line"], place(GRAPHS["line"])) < 0.25


@pytest.mark.parametrize("large", [30, 1_000])
def test_a_component_is_laid_out_in_levels_from_some_size_on(monkeypatch, large):
    monkeypatch.setattr(layout, "LARGE", large)
    graph = nx.disjoint_union_all([nx.gnm_random_graph(100, 300, seed=3), nx.star_graph(40), nx.path_graph(9)])
    at = place(graph)
    assert np.isfinite(at).all()
    assert at.min() >= 0
    assert len(np.unique(at.round(6), axis=0)) == len(graph)
