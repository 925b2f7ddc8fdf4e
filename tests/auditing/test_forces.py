"""Forces: finite, different and repeatable places for networks of all shapes, with linked vertices close."""

import networkx as nx
import numpy as np
import pytest

from shoal.auditing.forces import Level, place_by_forces, transform_push


def place(graph, seed=0):
    links = np.array(list(graph.edges()), dtype=np.int64)
    return place_by_forces(len(graph), links, np.random.default_rng(seed))


def measure_links(graph, at):
    """Return the mean length of links, as a share of the mean distance of all pairs."""
    links = np.array(list(graph.edges()))
    a, b = np.random.default_rng(0).integers(0, len(graph), (2, 20_000))
    return (
        np.linalg.norm(at[links[:, 0]] - at[links[:, 1]], axis=1).mean() / np.linalg.norm(at[a] - at[b], axis=1).mean()
    )


SHAPES = {
    "pair": nx.path_graph(2),
    "star": nx.star_graph(80),
    "complete": nx.complete_graph(60),
    "tree": nx.random_labeled_tree(200, seed=1),
    "lattice": nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 12)),
    "caves": nx.connected_caveman_graph(12, 8),
    "loops": nx.Graph([(0, 0), (0, 1), (1, 2), (2, 2)]),
    "parallel": nx.MultiGraph([(0, 1), (0, 1), (1, 0), (1, 2)]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_places_are_finite_and_different(name):
    at = place(SHAPES[name])
    assert at.shape == (len(SHAPES[name]), 2)
    assert np.isfinite(at).all()
    assert len(np.unique(at.round(6), axis=0)) == len(at)


def test_the_same_seed_gives_the_same_places():
    first = place(SHAPES["tree"], seed=3)
    assert (first == place(SHAPES["tree"], seed=3)).all()
    assert (first != place(SHAPES["tree"], seed=4)).any()


@pytest.mark.parametrize(("name", "most"), [("lattice", 0.3), ("caves", 0.4), ("tree", 0.3)])
def test_linked_vertices_are_close(name, most):
    assert measure_links(SHAPES[name], place(SHAPES[name])) < most


def test_the_push_of_a_mesh_is_that_of_all_pairs():
    rng = np.random.default_rng(5)
    n, size = 40, 64
    x, y, mass = rng.integers(0, size - 1, n).astype(float), rng.integers(0, size - 1, n).astype(float), rng.random(n)
    x[0], y[0], x[1], y[1] = 0, 0, size - 1, size - 1
    level = Level(mass, np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    found = np.stack(level._push(x, y, size - 1.0, size))
    far = np.stack([x[:, None] - x, y[:, None] - y])
    square = (far**2).sum(axis=0)
    expected = (far * mass[:, None] * mass / np.where(square, square, 1)).sum(axis=2)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert transform_push(size)[0].shape == (2 * size, size + 1)


def test_groups_join_linked_vertices():
    graph = SHAPES["caves"]
    links = np.array(list(graph.edges()))
    level = Level(np.ones(len(graph)), links[:, 0], links[:, 1], np.ones(len(links)))
    group = level.find_groups(np.random.default_rng(0))
    assert 2 * (group.max() + 1) <= len(graph)
    for own in range(group.max() + 1):
        assert nx.is_connected(graph.subgraph(np.flatnonzero(group == own).tolist()))
    above = level.contract(group)
    assert above.mass.sum() == len(graph)
    assert above.weight.sum() == np.count_nonzero(group[links[:, 0]] != group[links[:, 1]])
