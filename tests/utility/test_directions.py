"""Metrics of directions and kinds agree with networkx, and see what the undirected view does not."""

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.data.graph import Graph
from shoal.utility.base import Network, NoValue
from shoal.utility.directions import (
    compare_directions,
    compare_kinds,
    count_directed_degrees,
    measure_reciprocity,
    measure_strong_component,
)
from shoal.utility.network import compute_pagerank, list_incoming


def draw_digraph(seed, n=12, m=30, **how):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(n, size=(2, m))
    keep = a != b
    pairs = sorted(set(zip(a[keep].tolist(), b[keep].tolist(), strict=True)))
    return Graph.from_pairs(range(n), *np.array(pairs).T, directed=True, **how)


def as_digraph(g):
    made = nx.DiGraph()
    made.add_nodes_from(range(g.n))
    made.add_edges_from((a, b) for a, b, _ in g.each_link())
    return made


@pytest.mark.parametrize("seed", range(20))
def test_directions_as_networkx_counts_them(seed):
    g = draw_digraph(seed)
    network, other = Network.of(g), as_digraph(g)
    sent, got = count_directed_degrees(network)
    assert sent.tolist() == [other.out_degree(v) for v in range(g.n)]
    assert got.tolist() == [other.in_degree(v) for v in range(g.n)]
    assert measure_reciprocity(network) == pytest.approx(nx.overall_reciprocity(other))
    largest = max(map(len, nx.strongly_connected_components(other)))
    assert measure_strong_component(network) == largest / g.n
    ranks = nx.pagerank(other, tol=1e-12, max_iter=1_000)
    assert compute_pagerank(network) == pytest.approx([ranks[v] for v in range(g.n)], abs=1e-8)


def test_parallel_links_and_kinds():
    g = Graph.from_pairs("abc", [0, 0, 0, 1], [1, 1, 1, 2], directed=True, kinds=["x", "x", "y", "x"], multigraph=True)
    network = Network.of(g)
    assert (g.m, network.m, network.links.m) == (4, 2, 3)
    assert [degrees.tolist() for degrees in count_directed_degrees(network)] == [[2, 1, 0], [0, 2, 1]]
    links, sent = list_incoming(network)
    assert links.toarray().tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    assert sent.tolist() == [1, 1, 0]


def test_a_symmetric_digraph_is_the_undirected_graph():
    plain = shoal.examples.karate()
    a, b, _ = plain.edges()
    both = Graph.from_pairs(plain.names, np.r_[a, b], np.r_[b, a], directed=True, attributes=plain.attributes)
    assert measure_reciprocity(Network.of(both)) == 1
    assert compute_pagerank(Network.of(both)) == pytest.approx(compute_pagerank(Network.of(plain)), abs=1e-12)
    found = shoal.compare(both, both, baselines=False)
    for row in shoal.compare(plain, plain, baselines=False):
        if row.metric.undirected and row.before is not None and "community" not in row.metric.name:
            assert found[row.metric.name].before.value == pytest.approx(row.before.value)
            assert found[row.metric.name].on_undirected_view
            assert not row.on_undirected_view


def test_no_links():
    arcs = Network.of(draw_digraph(1))
    empty = Network.of(Graph.from_pairs(range(12), [], [], directed=True))
    found = compare_directions(arcs, empty)
    assert isinstance(found["reciprocity"], NoValue)
    assert found["largest strong component"] == 1 / 12
    assert found["in-degree distance"] > 0
    assert isinstance(compare_kinds(arcs, empty)["kind distance"], NoValue)


def test_distance_of_kinds():
    shares = [["x"] * 3 + ["y"], ["x"] * 2 + ["z"] * 2]
    g, h = (Network.of(Graph.from_pairs(range(5), range(4), range(1, 5), kinds=kinds)) for kinds in shares)
    assert compare_kinds(g, h) == {"kind distance": 0.5}
    assert compare_kinds(g, g) == {"kind distance": 0}


def test_reversed_links_change_edits_and_not_the_undirected_view():
    g = draw_digraph(4)
    a, b, _ = g.list_links()
    turned = Graph.from_pairs(g.names, b, a, directed=True)
    found = shoal.compare(g, turned)
    both = sum(
        (y, x) in set(zip(a.tolist(), b.tolist(), strict=True)) for x, y in zip(a.tolist(), b.tolist(), strict=True)
    )
    assert found["edges kept"].after.value == both
    assert found["edges removed"].after.value == g.m - both
    assert found["degree distance"].after.value == 0
    assert found["reciprocity"].after == found["reciprocity"].before
    degrees = count_directed_degrees(Network.of(g))
    assert found["in-degree distance"].after.value == found["out-degree distance"].after.value
    assert (found["in-degree distance"].after.value > 0) == (sorted(degrees[0]) != sorted(degrees[1]))


def test_only_networks_with_directions_or_kinds_have_their_metrics():
    plain = shoal.examples.karate()
    names = {row.metric.name for row in shoal.compare(plain, plain, baselines=False)}
    assert not names & {"reciprocity", "kind distance"}
    kin = Graph.from_pairs("abc", [0, 1], [1, 2], kinds=["kin", "call"])
    names = {row.metric.name for row in shoal.compare(kin, kin, baselines=False)}
    assert "kind distance" in names
    assert "reciprocity" not in names
