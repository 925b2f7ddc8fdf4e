"""A digest depends on the contents of data, not on their order."""

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from shoal.io.digest import digest_contents as digest


@settings(max_examples=30)
@given(graphs(least=2, most=7, attributed=True), st.randoms(use_true_random=False))
def test_a_digest_depends_on_the_data_and_not_on_its_order(g, random):
    order = list(g)
    random.shuffle(order)
    other = nx.Graph()
    other.add_nodes_from((v, g.nodes[v]) for v in order)
    edges = [(b, a) for a, b in g.edges]
    random.shuffle(edges)
    other.add_edges_from(edges)
    assert digest(shoal.as_graph(g)) == digest(shoal.as_graph(other))
    a, b = order[:2]
    other.remove_edge(a, b) if other.has_edge(a, b) else other.add_edge(a, b)
    assert digest(shoal.as_graph(g)) != digest(shoal.as_graph(other))
