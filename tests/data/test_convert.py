import re
import warnings
from decimal import Decimal

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given

from conftest import graphs
from messages import hear
from shoal import Graph, Table, as_graph
from shoal.data.graph import Pairs
from shoal.data.names import Names
from shoal.data.table import exact, is_missing
from shoal.errors import BadGraph, BadParameter, Notice, UnknownColumn

FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


def known(g):
    return [(v, {key: exact(x) for key, x in data.items() if not is_missing(x)}) for v, data in g.nodes(data=True)]


@given(graphs(attributed=True))
def test_networkx_round_trip(g):
    back = as_graph(g).to_networkx()
    assert list(back) == list(g)
    assert {frozenset(edge) for edge in back.edges} == {frozenset(edge) for edge in g.edges}
    assert known(back) == known(g)


@given(graphs(multi=True, attributed=True))
def test_networkx_multigraph_round_trip(g):
    back = as_graph(g, multigraph=True).to_networkx()
    assert isinstance(back, nx.MultiGraph)
    assert {(u, v): back.number_of_edges(u, v) for u in g for v in g} == {
        (u, v): g.number_of_edges(u, v) for u in g for v in g
    }


@pytest.mark.slow
@given(graphs(multi=True, attributed=True))
def test_igraph_and_scipy_round_trip(g):
    graph = as_graph(g, multigraph=True)
    assert as_graph(graph.to_igraph(), multigraph=True) == graph
    matrix = as_graph(graph.to_scipy(), multigraph=True)
    assert matrix == graph.without_attributes()
    assert as_graph(graph.to_scipy().toarray(), multigraph=True) == matrix


def test_labels_are_kept():
    g = as_graph(nx.Graph([(1, "1"), ((2, 3), frozenset({4}))]))
    assert list(g.names) == [1, "1", (2, 3), frozenset({4})]


def test_a_graph_is_returned_unchanged():
    g = as_graph([("a", "b")])
    assert as_graph(g) is g
    assert list(as_graph(g, attributes={"age": [1, 2]}).attributes["age"]) == [1, 2]
    double = as_graph([("a", "b"), ("a", "b")], multigraph=True)
    assert as_graph(double, attributes={"age": [1, 2]}).m == 2


def test_edge_attributes_are_named_in_a_notice():
    with pytest.warns(Notice, match=r"not used.*'weight'"):
        as_graph(nx.Graph([(0, 1, {"weight": 2})]))
    weighted = igraph.Graph([(0, 1)])
    weighted.es["weight"] = [2]
    with pytest.warns(Notice, match=r"not used.*'weight'"):
        as_graph(weighted)


def test_igraph_names_or_ids():
    assert list(as_graph(igraph.Graph([(0, 1)])).names) == [0, 1]
    g = igraph.Graph([(0, 1)])
    g.vs["name"] = ["x", "y"]
    g.vs["age"] = [3, None]
    assert list(as_graph(g).names) == ["x", "y"]
    assert list(as_graph(g).attributes["age"]) == [3, None]
    g.vs["name"] = ["x", "x"]
    with pytest.raises(BadGraph, match=r"'name'.*2 vertices.*1"):
        as_graph(g)


def test_a_column_called_name_cannot_go_to_igraph():
    with pytest.warns(Notice, match=r"'name'.*left out"):
        as_graph([("a", "b")], attributes={"name": ["x", "y"]}).to_igraph()


@pytest.mark.parametrize(
    "directed", [nx.DiGraph([(0, 1)]), igraph.Graph([(0, 1)], directed=True), np.array([[0, 1], [0, 0]])]
)
def test_directed_graphs_are_read_as_they_are(directed):
    g = as_graph(directed)
    assert g.directed
    assert [(a, b) for a, b, _ in g.each_link()] == [(0, 1)]
    assert as_graph(directed, directed=True) == g
    assert as_graph(directed, undirected=True) == g.to_undirected()


@pytest.mark.parametrize("undirected", [nx.Graph([(0, 1)]), igraph.Graph([(0, 1)])])
def test_direction_asked_of_an_undirected_graph_is_refused(undirected):
    with pytest.raises(BadGraph, match=r"--directed.*an undirected (networkx|igraph) graph"):
        as_graph(undirected, directed=True)
    with pytest.raises(BadGraph, match=r"'directed'.*1 edge"):
        as_graph(as_graph(undirected), directed=True)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_edge_frames_with_direction_and_kind(make):
    frame = make(
        {"payer": ["a", "b", "a"], "payee": ["b", "a", "c"], "amount": [5.0, 20.0, None], "note": ["", "x", ""]}
    )
    g, notes = hear(lambda: as_graph(frame, directed=True, kind="amount"))
    assert any("1 of 3 links has no kind in 'amount'" in told for told in notes)
    assert g == Graph.from_pairs("abc", [0, 1, 0], [1, 0, 2], directed=True, kinds=["5", "20", None])
    assert g.unread == ("note",)
    binned, _ = hear(lambda: as_graph(frame, directed=True, kind=2, bins=[10]))
    assert binned.kinds == ("", "< 10", ">= 10")
    with pytest.raises(UnknownColumn, match="Did you mean 'amount'"):
        as_graph(frame, kind="amounts")


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_kinds_are_an_edge_attribute(library):
    g = Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], directed=True, kinds=["call", "text", None])
    other = getattr(g, f"to_{library}")()
    with pytest.warns(Notice, match="1 of 3 links has no kind"):
        assert as_graph(other, kind="kind") == g
    plain, notes = hear(lambda: as_graph(other))
    assert any("edge attributes are not used" in told for told in notes)
    assert plain == g.without_kinds()
    assert plain.unread == ("kind",)
    with pytest.raises(UnknownColumn, match="Did you mean 'kind'"):
        as_graph(other, kind="kinds")


def test_conversion_keeps_direction_and_multiplicities():
    g = Graph.from_pairs("abc", [0, 0, 1], [1, 1, 0], directed=True, multigraph=True)
    made = g.to_networkx()
    assert type(made) is nx.MultiDiGraph
    assert as_graph(made, multigraph=True) == g
    assert type(g.to_undirected().to_networkx()) is nx.MultiGraph
    assert as_graph(g.to_igraph(), multigraph=True) == g
    assert g.to_scipy().toarray().tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 0]]
    back = as_graph(g.to_scipy(), multigraph=True)
    assert (back.indices.tolist(), back.ties.is_equal(g.ties)) == (g.indices.tolist(), True)
    simple = Graph.from_pairs("ab", [1], [0], directed=True)
    assert type(simple.to_networkx()) is nx.DiGraph
    assert list(simple.to_networkx().edges) == [("b", "a")]


def test_keys_of_a_multigraph_are_no_kinds():
    made = nx.MultiDiGraph()
    made.add_edges_from([("a", "b", "x"), ("a", "b", "y")])
    with pytest.warns(Notice, match=r"1 of 2 pairs repeat"):
        g = as_graph(made)
    assert (g.m, g.kinds) == (1, ())
    assert as_graph(made, multigraph=True).m == 2


def test_links_without_direction_in_a_directed_graph_become_two():
    g = Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False])
    with pytest.warns(Notice, match="two directed links: 1"):
        assert set(g.to_networkx().edges) == {("a", "b"), ("b", "c"), ("c", "b")}
    with pytest.warns(Notice, match="two directed links: 1"):
        assert g.to_igraph().ecount() == 3
    assert g.to_scipy().toarray().tolist() == [[0, 1, 0], [0, 0, 1], [0, 1, 0]]


def test_a_graph_keeps_its_links_when_attributes_are_joined():
    g = Graph.from_pairs("ab", [0, 1], [1, 0], directed=True, kinds=["x", None])
    joined, notes = hear(lambda: as_graph(g, attributes={"age": {"a": 3, "c": 4}}))
    assert len(notes) == 2
    assert list(joined.names) == ["a", "b", "c"]
    assert joined.ties.is_equal(g.ties)
    assert joined.degree.tolist() == [2, 2, 0]
    with pytest.raises(BadParameter, match="'kind'"):
        as_graph(g, kind="kind")


@pytest.mark.parametrize(
    ("obj", "how"),
    [
        ([("a", "b")], {"kind": "type"}),
        (np.array([[0, 1], [1, 0]]), {"kind": "type"}),
        ([("a", "b")], {"bins": [1]}),
        ([("a", "b")], {"directed": True, "undirected": True}),
    ],
)
def test_options_about_links_that_do_not_fit(obj, how):
    with pytest.raises(BadParameter, match=r"as_graph.*'(kind|bins|directed)'"):
        as_graph(obj, **how)


def test_pairs_and_symmetric_matrices_do_not_say_whether_links_have_a_direction():
    assert as_graph([("a", "b"), ("b", "a"), ("b", "c")], directed=True).m == 3
    assert as_graph(np.array([[0, 1], [1, 0]]), directed=True).m == 2
    assert as_graph(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"]), directed=True).m == 2


def test_opposite_links_are_one_edge_listed_twice():
    with pytest.warns(Notice, match=r"1 of 2 pairs repeat"):
        assert as_graph(nx.DiGraph([(0, 1), (1, 0)]), undirected=True).m == 1
    assert as_graph(nx.DiGraph([(0, 1), (1, 0)]), undirected=True, multigraph=True).m == 2


@pytest.mark.parametrize("make", [np.array, sp.csr_array, sp.coo_matrix, sp.lil_array])
class TestMatrices:
    def test_names_are_numbers(self, make):
        g = as_graph(make([[0, 1, 0], [1, 0, 0], [0, 0, 0]]))
        assert list(g.names) == [0, 1, 2]
        assert list(g.each_edge()) == [(0, 1)]

    def test_truth_values_and_small_types(self, make):
        for kind in (bool, np.uint8, np.int8, np.float32):
            assert as_graph(make(np.array([[0, 1], [1, 0]], dtype=kind))).m == 1

    def test_weights_are_counted_in_a_notice(self, make):
        with pytest.warns(Notice, match=r"2 entries.*0.*1"):
            assert as_graph(make([[0, 0.5], [0.5, 0]])).m == 1

    def test_whole_numbers_are_multiplicities_if_asked(self, make):
        assert as_graph(make([[0, 3], [3, 0]]), multigraph=True).m == 3
        with pytest.raises(BadGraph, match=r"2 others.*0.5"):
            as_graph(make([[0, 0.5], [0.5, 0]]), multigraph=True)

    @pytest.mark.parametrize("odd", [-1.0, np.nan, np.inf])
    def test_negative_and_missing_entries_are_refused(self, make, odd):
        with pytest.raises(BadGraph, match=r"0.*2 others"):
            as_graph(make([[0, odd], [odd, 0]]))

    def test_loops_stand_on_the_diagonal(self, make):
        with pytest.raises(BadGraph, match=r"loops"):
            as_graph(make([[1, 0], [0, 0]]))

    def test_a_matrix_must_be_square(self, make):
        with pytest.raises(BadGraph, match=r"must be square. Got the shape \(1, 2\)"):
            as_graph(make([[0, 1]]))

    def test_a_direction_is_an_asymmetry(self, make):
        g = as_graph(make([[0, 2], [1, 0]]), multigraph=True)
        assert (g.directed, g.m) == (True, 3)
        assert as_graph(make([[0, 2], [1, 0]]), multigraph=True, undirected=True).m == 3


def test_complex_matrices_are_refused():
    with pytest.raises(BadGraph, match="complex128"):
        as_graph(np.array([[0, 1j], [1j, 0]]))


@pytest.mark.parametrize("frame", FRAMES)
class TestFrames:
    def test_numbers_stay_numbers(self, frame):
        g = as_graph(frame({"source": [40, 7], "target": [7, 9]}))
        assert list(g.names) == [7, 9, 40]
        assert g.m == 2

    def test_texts_are_numbered_by_first_appearance(self, frame):
        assert list(as_graph(frame({"source": ["x", "z"], "target": ["y", "x"]})).names) == ["x", "y", "z"]

    def test_texts_with_nul_are_different_names(self, frame):
        assert as_graph(frame({"source": ["a", "a\0"], "target": ["b", "b"]})).n == 3

    def test_a_missing_end_is_an_isolated_vertex(self, frame):
        g = as_graph(frame({"source": ["x", "y", None], "target": ["y", None, "z"]}))
        assert list(g.names) == ["x", "y", "z"]
        assert g.degree.tolist() == [1, 1, 0]

    def test_a_row_must_have_an_end(self, frame):
        with pytest.raises(BadGraph, match=r"pair 1.*at least one end"):
            as_graph(frame({"source": ["x", None], "target": ["y", None]}))

    def test_mixed_columns(self, frame):
        assert list(as_graph(frame({"source": [1, 2], "target": ["1", "2"]})).names) == [1, "1", 2, "2"]

    def test_other_columns_are_named_in_a_notice(self, frame):
        with pytest.warns(Notice, match=r"'a'.*'b'.*read as the ends.*Not used.*'w'"):
            as_graph(frame({"a": [1], "b": [2], "w": [3]}))

    def test_columns_by_name_and_position(self, frame):
        with pytest.warns(Notice, match=r"Not used: 'w'"):
            g = as_graph(frame({"w": [5], "a": ["x"], "b": ["y"]}), columns=("a", 2))
        assert list(g.names) == ["x", "y"]

    def test_a_column_that_is_not_there(self, frame):
        with pytest.raises(UnknownColumn, match=r"'targets'.*'source'.*'target'.*Did you mean 'target'\?"):
            as_graph(frame({"source": [1], "target": [2]}), columns=("source", "targets"))
        with pytest.raises(BadParameter, match=r"two different columns"):
            as_graph(frame({"source": [1], "target": [2]}), columns=("source", "source"))
        with pytest.raises(BadParameter, match=r"must be two columns"):
            as_graph(frame({"source": [1], "target": [2]}), columns="source")

    def test_one_column_is_not_an_edge_list(self, frame):
        with pytest.raises(BadGraph, match=r"two columns"):
            as_graph(frame({"source": [1]}))

    def test_attributes_are_joined_by_name(self, frame):
        people = frame({"age": [4, 5, 6], "name": ["z", "b", "a"]})
        with pytest.warns(Notice) as notices:
            g = as_graph([("a", "b"), ("b", "c")], attributes=people)
        assert [str(notice.message) for notice in notices] == [
            "attributes: names without links, kept as isolated vertices: 1.",
            "attributes: vertices without a row, with missing values: 1.",
        ]
        assert list(g.names) == ["a", "b", "c", "z"]
        assert list(g.attributes["age"]) == [6, 5, None, 4]


def test_attributes_in_a_mapping():
    g = as_graph([("a", "b")], attributes={"age": {"b": 2, "a": 1}, "sex": {"a": "f"}})
    assert list(g.attributes["age"]) == [1, 2]
    assert list(g.attributes["sex"]) == ["f", None]
    assert list(as_graph([("a", "b")], attributes=Table.of({"x": [1, 2]})).attributes["x"]) == [1, 2]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"age": [1]}, r"'age'.*2.*1"),
        ({"age": [1, 2], "sex": {"a": 1}}, "either mappings by name or lists"),
        ({"age": "ab"}, "'age'"),
        (7, "must be a frame with a column of names, or a mapping"),
        ({"age": {1: 2}}, r"1 names.*1"),
        (pd.DataFrame({"name": ["a", "a"], "age": [1, 2]}), r"'a'.*row 0.*row 1"),
        (pd.DataFrame({"name": ["a", None], "age": [1, 2]}), "row 1"),
    ],
)
def test_attributes_that_do_not_fit(attributes, message):
    with pytest.raises(BadParameter, match=message):
        as_graph([("a", "b")], attributes=attributes)


def test_a_column_cannot_come_from_both_sources():
    g = nx.Graph([("a", "b")])
    g.nodes["a"]["age"] = 1
    with pytest.raises(BadParameter, match="'age'"):
        as_graph(g, attributes={"age": [1, 2]})


def test_pairs():
    g = as_graph(iter([("a", "b"), ["b", "c"], ("d", None)]))
    assert list(g.names) == ["a", "b", "c", "d"]
    assert g.degree.tolist() == [1, 2, 1, 0]
    assert list(as_graph([(np.int64(1), 2)]).names) == [1, 2]


@pytest.mark.parametrize("pair", ["ab", ("a",), ("a", "b", "c"), 7])
def test_a_pair_is_two_names(pair):
    with pytest.raises(BadGraph, match="item 1"):
        as_graph([("a", "b"), pair])


def test_names_must_be_hashable():
    with pytest.raises(BadGraph, match=r"must be hashable"):
        as_graph([(["a"], "b")])


@pytest.mark.parametrize("odd", ["friends.csv", {"a": ["b"]}, 7, None])
def test_an_unknown_type_is_refused_with_the_supported_types(odd):
    with pytest.raises(BadParameter, match="networkx or igraph"):
        as_graph(odd)


def test_a_lazy_frame_must_be_collected():
    with pytest.raises(BadParameter, match=r"call .collect\(\) first"):
        as_graph(pl.LazyFrame({"a": [1], "b": [2]}))


def test_columns_are_for_frames():
    with pytest.raises(BadParameter, match=r"'columns' is only for an edge frame"):
        as_graph([("a", "b")], columns=(0, 1))


def test_no_notice_if_nothing_changes():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_graph(nx.path_graph(3)).m == 2
        assert as_graph(pd.DataFrame({"a": ["x"], "b": ["y"]})).m == 1


def test_a_pandas_frame_with_equal_index_and_columns_is_a_matrix():
    frame = nx.to_pandas_adjacency(nx.cycle_graph(["a", "b", "c", "d"]), dtype=int)
    graph = as_graph(frame)
    assert (list(graph.names), graph.m) == (["a", "b", "c", "d"], 4)
    unnamed = as_graph(pd.DataFrame([["x", "y"], ["y", "z"]]))
    assert (list(unnamed.names), unnamed.m) == (["x", "y", "z"], 2)
    whole = as_graph(pd.DataFrame({"source": [1, 2, 3], "target": [2, 3, None]}))
    assert list(whole.names) == [1, 2, 3]


CLASHING = [(True, 1), (0, False), (1.0, True), ((1, "a"), (True, "a")), (Decimal(1), 1)]
"""Names that are equal in Python but different values in a column."""


@pytest.mark.parametrize("names", CLASHING, ids=repr)
def test_names_equal_in_python_but_not_in_a_column_are_refused(names):
    a, b = names
    said = re.escape(f"Got {a!r} and {b!r}")
    frame = pd.DataFrame({"source": pd.Series([a, b], dtype=object), "target": ["x", "y"]})
    for make in (
        lambda: as_graph([(a, "x"), (b, "y")]),
        lambda: as_graph([("x", a), ("y", b)]),
        lambda: as_graph(frame),
        lambda: as_graph([(a, "x")], attributes={"age": {b: 30, "x": 40}}),
        lambda: as_graph([(a, "x")], attributes={"age": {a: 30}, "sex": {b: "f"}}),
        lambda: Graph.from_pairs([a, b], [0], [1]),
        lambda: Names([a, b]),
        lambda: Pairs.of([(a, "x"), (b, "y")]),
    ):
        with pytest.raises(BadGraph, match=said):
            make()


def test_igraph_names_equal_in_python_but_not_in_a_column_are_refused():
    g = igraph.Graph(3, [(0, 1), (1, 2)])
    g.vs["name"] = [True, 1, "x"]
    with pytest.raises(BadGraph, match="Got True and 1"):
        as_graph(g)


def test_one_number_in_two_types_is_one_name():
    assert list(as_graph([(1, "x"), (1.0, "y"), (np.int64(1), "z")]).names) == [1, "x", "y", "z"]
    assert list(as_graph([(True, "x"), (False, "x")]).names) == [True, "x", False]
