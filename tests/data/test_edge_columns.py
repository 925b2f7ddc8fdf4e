"""Edge lists: links that may have a direction, tables passed as networks, and columns that are not read."""

import csv
import warnings

import networkx as nx
import pandas as pd
import pytest

import shoal
from messages import hear, tells
from shoal.data.edge_columns import EdgeColumns
from shoal.errors import BadGraph, Notice

TABLE = "looks like a table"
WAYS = "in both directions"


@pytest.fixture
def write(tmp_path):
    """Return a function that writes rows as csv and returns the path."""

    def writing(rows, name="x.csv"):
        with (tmp_path / name).open("w", newline="") as stream:
            csv.writer(stream).writerows(rows)
        return tmp_path / name

    return writing


def read(path, **how):
    return hear(lambda: shoal.read_graph(path, **how))


class TestDirections:
    def test_some_pairs_in_both_directions(self, write):
        arcs = nx.gnp_random_graph(40, 0.1, seed=3, directed=True)
        links = arcs.to_undirected().number_of_edges()
        both = arcs.number_of_edges() - links
        assert 0 < both < links
        g, notes = read(write(arcs.edges))
        [told] = notes
        assert g.m == links
        assert tells(
            told, "x.csv", f"{links} undirected links from {arcs.number_of_edges()} rows", f"{both} pairs", WAYS
        )
        assert tells(told, "If links have a direction", "--undirected", "--multigraph")

    def test_a_symmetric_list_is_undirected(self, write):
        g = nx.karate_club_graph()
        _, notes = read(write([("from", "to"), *nx.DiGraph(g).edges]))
        [told] = notes
        assert tells(told, "78 of 156 pairs repeat")

    @pytest.mark.parametrize(
        "heads",
        ["from,to", "Sender,Receiver", "payer_account,payee_account", "Nominator ID,Nominee ID", "FromNodeId,ToNodeId"],
    )
    def test_names_of_columns(self, write, heads):
        _, notes = read(write([heads.split(","), ("a", "b"), ("b", "c")]))
        [told] = notes
        assert tells(told, "2 undirected links from 2 rows", "no pair occurs", WAYS)

    @pytest.mark.parametrize("heads", ["source,target", "node1,node2", "user1,user2", "src,dst"])
    def test_names_that_suggest_nothing(self, write, heads):
        assert read(write([heads.split(","), ("a", "b"), ("b", "c")]))[1] == []

    def test_undirected_confirms(self, write):
        path = write([("from", "to"), ("a", "b"), ("b", "a"), ("b", "c")])
        _, notes = read(path, undirected=True)
        [told] = notes
        assert tells(told, "1 of 3 pairs repeat", "--multigraph")

    def test_numbers_with_repeated_rows_and_loops(self, write):
        rows = [("from", "to"), ("a", "b"), ("a", "b"), ("b", "a"), ("b", "c"), ("c", "c"), ("d", "")]
        g, notes = read(write(rows), drop_loops=True)
        assert g.m == 2
        assert any(tells(told, "2 undirected links from 4 rows", "1 pair occurs") for told in notes)
        g, notes = read(write(rows), drop_loops=True, multigraph=True)
        assert g.m == 4
        assert any(tells(told, "4 undirected links from 4 rows", "1 pair occurs") for told in notes)
        assert not any("--multigraph" in told for told in notes)

    def test_a_multigraph_may_list_pairs_in_both_directions(self, write):
        assert read(write([(1, 2), (2, 1), (2, 3)]), multigraph=True)[1] == []

    def test_ends_with_words_beside_them_are_found(self, write):
        g, _ = read(write([("day", "payee account", "payer account"), (1, "a", "b"), (2, "b", "c")]))
        assert set(g.names) == {"a", "b", "c"}
        g, _ = read(write([("letter from Ann", "letter to Bo"), ("x", "y")]))
        assert g.n == 4

    def test_frames(self):
        frame = pd.DataFrame({"sender": ["a", "b"], "receiver": ["b", "c"]})
        _, notes = hear(lambda: shoal.as_graph(frame))
        assert tells(notes[0], "2 undirected links from 2 rows")
        assert hear(lambda: shoal.as_graph(frame, undirected=True))[1] == []


PEOPLE = [
    ("name", "age", "sex", "zip"),
    *((f"p{i}", 20 + i % 9, "fm"[i % 2], 10_000 + i % 3) for i in range(12)),
]
TABLES = {
    "a column of ages": PEOPLE,
    "ages in front": [row[1:] for row in PEOPLE],
    "words only": [("name", "sex", "city"), *((f"p{i}", "fm"[i % 2], "xyz"[i % 3]) for i in range(12))],
    "numbered people": [("id", "score", "group"), *((i, i % 5 + 20, i % 3) for i in range(40))],
    "two columns": [("id", "department"), *((i, i % 7 + 40) for i in range(40))],
    "names and cities": [("who", "city", "height"), *((f"p{i}", "xyz"[i % 3], 150 + i) for i in range(12))],
    "categories": [("job", "school", "pay"), *(("abc"[i % 3], "xyz"[i % 2], i) for i in range(400))],
    "answers": [("q1", "q2", "q3"), *((i % 5 + 1, i % 3 + 1, i % 2) for i in range(60))],
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_recognized(write, name):
    path = write(TABLES[name])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", Notice)
        try:
            shoal.read_graph(path)
        except BadGraph as error:
            assert "loops" in str(error)  # noqa: PT017 - some of these tables would have loops
    told = [str(one.message) for one in heard if TABLE in str(one.message)]
    assert len(told) == 1
    assert tells(told[0], str(path), "--table", "--columns", "--ends")


def test_named_ends_are_believed(write):
    path = write(PEOPLE)
    assert not any(TABLE in told for told in read(path, columns=("name", "zip"))[1])


NETWORKS = {
    "karate": nx.karate_club_graph(),
    "tree": nx.random_labeled_tree(80, seed=1),
    "star": nx.star_graph(30),
    "path": nx.path_graph(30),
    "two modes": nx.davis_southern_women_graph(),
    "sparse": nx.gnp_random_graph(60, 0.05, seed=1),
}
HEADS = [(), ("source", "target"), ("a", "b"), ("person", "friend"), ("customer", "product"), ("id", "parent_id")]
OTHERS = [(), ("weight",), ("date", "kind"), ("amount", "date", "kind", "note")]
CELLS = {"weight": 0.5, "date": "2026-11-16", "kind": "call", "amount": 12, "note": ""}


@pytest.mark.parametrize("name", NETWORKS)
def test_edge_lists_are_not_taken_for_tables(write, name):
    for heads in HEADS:
        for others in OTHERS:
            for spell in (str, lambda v: f"p{v}"):
                rows = [(spell(a), spell(b), *(CELLS[one] for one in others)) for a, b in NETWORKS[name].edges]
                _, notes = read(write([(*heads, *others), *rows] if heads else rows))
                assert not any(TABLE in told for told in notes), (heads, others)


class TestColumnsNotRead:
    def test_files_keep_their_names(self, write):
        g, notes = read(write([("source", "target", "amount", "date"), ("a", "b", 1, "x"), ("b", "c", 2, "y")]))
        assert g.unread == ("amount", "date")
        assert any(tells(told, "Not used", "'amount'", "'date'") for told in notes)

    def test_other_sources(self, tmp_path):
        net = nx.Graph()
        net.add_edge("a", "b", weight=3)
        nx.write_graphml(net, tmp_path / "x.graphml")
        frame = pd.DataFrame({"a": ["x"], "b": ["y"], "w": [1]})
        for call in (
            lambda: shoal.as_graph(net),
            lambda: shoal.read_graph(tmp_path / "x.graphml"),
        ):
            assert hear(call)[0].unread == ("weight",)
        assert hear(lambda: shoal.as_graph(frame))[0].unread == ("w",)
        assert shoal.as_graph([("a", "b")]).unread == ()

    def test_other_graphs_do_not_have_them(self):
        net = nx.Graph()
        net.add_edge("a", "b", weight=3)
        g, _ = hear(lambda: shoal.as_graph(net))
        assert g == shoal.as_graph([("a", "b")])
        assert g.without_attributes().unread == g.beside(g).unread == ()


def test_words_of_column_names():
    assert EdgeColumns(("x", "to", "from"), (2, 1)).suggests_direction
    assert not EdgeColumns(("fromage", "tomato"), (0, 1)).suggests_direction
