"""Hubs with very many leaves: work at the hub must not be repeated for every leaf."""

from functools import partial
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

import oracle
import shoal
from shoal import Graph
from shoal.knowledge import Hubs
from shoal.knowledge.subgraph import KnownLinks, list_explorations

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")  # not all are published

MANY = 200_000
"""The number of leaves. Quadratic time would take minutes."""


def multi(g):
    return shoal.as_graph(g, multigraph=g.is_multigraph())


def graph(n, pairs):
    a, b = np.array(pairs)
    return Graph.from_pairs(range(n), a, b)


@pytest.fixture(scope="module")
def star():
    leaves = np.arange(1, MANY + 1)
    return graph(MANY + 1, (0 * leaves, leaves))


@pytest.fixture(scope="module")
def double_star():
    """Two linked hubs with half of the leaves each."""
    leaves = np.arange(2, MANY + 2)
    return graph(MANY + 2, (np.append(leaves % 2, 0), np.append(leaves, 1)))


@pytest.fixture(scope="module")
def spider():
    """A hub, its neighbors, and a leaf at each neighbor: no two vertices have the same neighbors."""
    near = np.arange(1, MANY // 2 + 1)
    return graph(MANY + 1, (np.append(0 * near, near), np.append(near, near + MANY // 2)))


@pytest.mark.parametrize("spec", ["counts:1", "degrees:1", "neighborhood:1", "shared-neighbors:1"])
def test_the_leaves_of_a_star_are_counted_at_once(star, spec):
    sizes = shoal.assess(star, spec).sizes
    assert sizes[0] == 1
    assert (sizes[1:] == MANY).all()


def test_every_ball_of_radius_2_is_the_whole_star(star):
    assert (shoal.assess(star, "degrees:2").sizes == MANY + 1).all()  # the center is not marked


@pytest.mark.parametrize("spec", ["hubs:5", "hubs:5:1", "hubs:5:*:open", "hubs:5:1:open"])
def test_hubs_that_tie_share_a_search(star, spec):
    # every leaf ties for the fifth highest degree, and is at distance 0 from itself only
    assert (shoal.assess(star, spec).sizes == 1).all()


@pytest.mark.slow
def test_hubs_that_tie_share_a_search_in_a_release(star):
    moved = graph(star.n, (np.append(np.zeros(MANY - 1, dtype=int), 1), np.append(np.arange(1, MANY), MANY)))
    risk = shoal.assess(moved, "hubs:5", original=star)
    # in the release the last leaf hangs on the first: for everybody its distance is another one
    assert len(risk.misled) == star.n
    open_world = shoal.assess(moved, "hubs:5:0:open", original=star)
    assert (open_world.sizes == 1).all()  # with reach 0 a hub knows only itself


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "hub", "leaf"),
    [("orbit", 2, MANY), ("neighborhood:2", 2, MANY), ("counts:2", 2, MANY), ("hubs:1", 1, MANY // 2)],
)
def test_two_stars_that_are_linked(double_star, spec, hub, leaf):
    sizes = shoal.assess(double_star, spec).sizes
    assert (sizes[:2] == hub).all()
    assert (sizes[2:] == leaf).all()


@pytest.mark.parametrize("spec", ["counts:1", "degrees:1"])
def test_a_hub_whose_neighbors_all_differ(spider, spec):
    sizes = shoal.assess(spider, spec).sizes
    assert sizes[0] == 1
    assert (sizes[1:] == MANY // 2).all()


@pytest.mark.parametrize("spec", ["neighbors:2", "relations:1", "shared-neighbors:1"])
def test_leaves_are_attacked_at_once(star, spec):
    sizes = shoal.assess(star, spec, original=star).sizes
    assert sizes[0] == 1
    assert (sizes[1:] == MANY).all()


def test_explorations_read_only_the_beginning_of_a_long_row(star):
    class Row(np.ndarray):
        """A row that must not be read completely."""

        def tolist(self):
            assert self.size < 10
            return super().tolist()

    long = Graph(star.names, star.indptr, star.indices.view(Row), None, star.attributes)
    patterns = {
        view.pattern
        for leaf in (1, 2, MANY)
        for view in list_explorations(KnownLinks(long, 2), leaf, 2, every_order=False)
    }
    assert len(patterns) == 1  # the leaf, the center, and another leaf


TIED = {
    "star": nx.star_graph(5),
    "two hubs": nx.complete_bipartite_graph(2, 4),
    "double star": nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4), (1, 5)]),
    "clique": nx.complete_graph(5),
    "clique with leaves": nx.Graph([*combinations(range(4), 2), (0, 4), (0, 5), (1, 6), (1, 7)]),
    "isolated": nx.empty_graph(4),
    "edges apart": nx.Graph([(0, 1), (2, 3), (4, 5)]),
    "doubled links": nx.MultiGraph([(0, 1), (0, 1), (0, 2), (0, 3), (4, 1), (4, 2), (4, 2), (4, 3), (1, 2)]),
}


@pytest.mark.parametrize("name", TIED)
@pytest.mark.parametrize("bits", [64, 0], ids=["hashed", "colliding"])
def test_fingerprints_of_hubs_that_are_twins(name, bits, monkeypatch):
    monkeypatch.setattr("shoal.core.grouping.HASH_BITS", bits)
    g = TIED[name]
    for h, reach, world in product([1, 2, len(g)], [None, 0, 1, 2], ["closed", "open"]):
        judge = partial(oracle.hubs, hubs=h, reach=reach, world=world)
        risk = shoal.assess(multi(g), Hubs(h, reach, world))
        assert {v: frozenset(risk.candidates(v)) for v in g} == judge(g), (h, reach, world)


@pytest.mark.slow
@pytest.mark.parametrize("name", TIED)
def test_fingerprints_of_hubs_that_are_twins_in_one_graph_only(name):
    for published in TIED.values():
        compare_with_oracle(TIED[name], published)


def compare_with_oracle(original, published):
    mapping = {v: v for v in original if v in published and v != 1}
    for h, reach, world in product([1, len(original)], [None, 1, 2], ["closed", "open"]):
        judge = partial(oracle.hubs, hubs=h, reach=reach, world=world)
        known = Hubs(h, reach, world)
        risk = shoal.assess(multi(published), known, original=multi(original), mapping=mapping)
        found = {v: frozenset(risk.candidates(v)) for v in original}
        assert found == judge(published, original, mapping), (h, reach, world)


def test_a_hub_that_is_named_twice_counts_once():
    g = nx.path_graph(5)
    assert shoal.assess(g, Hubs([2, 2])).sizes.tolist() == shoal.assess(g, Hubs([2])).sizes.tolist()


def with_leaves(leaves):
    """Return a ring of hubs with the given numbers of leaves."""
    ring = nx.cycle_graph(len(leaves))
    for hub, many in enumerate(leaves):
        ring.add_edges_from([(hub, len(ring) + i) for i in range(many)])
    return ring


@pytest.mark.parametrize("spec", ["orbit", "neighborhood:3"])
def test_the_number_of_twins_matters(spec):
    assert shoal.assess(with_leaves([30] * 6), spec).sizes.tolist() == [6] * 6 + [180] * 180
    # mirrored at the hub with one leaf more
    assert shoal.assess(with_leaves([31, 30, 30, 30, 30, 30]), spec).sizes[:6].tolist() == [1, 2, 2, 1, 2, 2]


def test_linked_and_unlinked_twins_differ():
    g = nx.disjoint_union(nx.complete_graph(70), nx.complement(nx.complete_graph(70)))
    g.add_edges_from((140, v) for v in range(70))
    g.add_edges_from((141, v) for v in range(70, 140))
    sizes = shoal.assess(g, "neighborhood:1").sizes
    assert sizes.tolist() == [71] * 70 + [70] * 70 + [71, 1]
