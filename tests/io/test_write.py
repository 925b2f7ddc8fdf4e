import os
import stat
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st

import shoal
from draws import examples
from hard_names import FORMATS, NAMES, PACKED, TEXTS
from shoal import Graph, Table, as_graph, read_graph
from shoal.data.examples import village
from shoal.data.table import exact
from shoal.errors import BadFile, BadGraph, BadParameter, FileExists, Notice
from shoal.io.write import WRITERS, write_graph

NUMBERS = [st.integers(), st.floats(allow_nan=False, allow_infinity=False)]
HOLDING = ["graphml", "gexf", "gml", "json"]


@st.composite
def drawn(draw, kinds=()):
    """Draw a graph with any names, isolated vertices, optional multiplicities, and columns of the given kinds."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    n = len(names)
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])
    multi = draw(st.booleans())
    pairs = draw(st.lists(ends, max_size=8, unique=not multi)) if n > 1 else []
    columns = {
        name: draw(st.lists(st.none() | draw(st.sampled_from(kinds)), min_size=n, max_size=n))
        for name in (draw(st.sets(st.sampled_from(["age", "sex", "Income"]))) if kinds else ())
    }
    table = Table.of(columns, n)
    a, b = [a for a, _ in pairs], [b for _, b in pairs]
    return Graph.from_pairs(names, a, b, multigraph=multi, attributes=table)


def said(g):
    """Return the contents of a graph, independent of the order of its vertices."""
    names = list(map(str, g.names))
    return sorted(names), sorted(tuple(sorted((names[a], names[b]))) for a, b in g.each_edge())


def known(g):
    cells = {c: zip(map(str, g.names), g.attributes[c], strict=True) for c in g.attributes}
    return {c: {name: exact(x) for name, x in column if x is not None} for c, column in cells.items()}


def there_and_back(g, folder, name, **options):
    """Write and read a graph; return None if the format refuses it and leaves no file."""
    try:
        write_graph(g, folder / name, force=True, **options)
    except (BadParameter, BadGraph):
        assert not any(path.suffix == ".part" for path in folder.iterdir())
        return None
    return read_graph(folder / name, multigraph=g.multiplicity is not None, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS + PACKED)
def test_round_trip(folder, suffix):
    held = []

    @examples(60 if suffix in FORMATS else 15)
    @given(drawn())
    def check(g):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", ".*could|.*is read as|.*looks like a table", Notice)
            back = there_and_back(g, folder, f"g.{suffix}")
        held.append(back is not None)
        if back is not None:
            assert said(back) == said(g)
            assert all(isinstance(name, str) for name in back.names)

    check()
    assert sum(held) > len(held) / 4


@pytest.mark.slow
@pytest.mark.parametrize("suffix", HOLDING)
def test_attributes_are_held(folder, suffix):
    kinds = [*NUMBERS, TEXTS] if suffix == "gml" else [*NUMBERS, TEXTS, st.booleans(), st.one_of(*NUMBERS, TEXTS)]

    @examples(60)
    @given(drawn(kinds))
    def check(g):
        back = there_and_back(g, folder, f"a.{suffix}")
        if back is not None:
            assert said(back) == said(g)
            mine = known(g)
            if suffix == "gml":  # which cannot say that there is a column without values
                mine = {column: cells for column, cells in mine.items() if cells}
            assert known(back) == mine

    check()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "parquet"])
def test_attributes_in_a_second_file(folder, suffix):
    whole = st.integers(-(2**63), 2**63 - 1) if suffix == "parquet" else st.integers()
    kinds = [whole, NUMBERS[1], TEXTS, *([st.booleans()] if suffix == "parquet" else [])]

    @examples(60)
    @given(drawn(kinds))
    def check(g):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*is read as", Notice)
            back = there_and_back(g, folder, "e.csv", attributes=folder / f"p.{suffix}")
        if back is not None:
            assert said(back) == said(g)
            assert known(back) == known(g)

    check()


@pytest.mark.parametrize("suffix", HOLDING)
def test_village_round_trip(tmp_path, suffix):
    write_graph(village(), tmp_path / f"x.{suffix}")
    assert read_graph(tmp_path / f"x.{suffix}") == village()


def test_a_notice_about_attributes_that_are_not_written(tmp_path):
    g = as_graph([("a", "b")], attributes={"age": [1, 2]})
    for suffix in ("csv", "tsv", "txt", "parquet", "net", "mtx"):
        with pytest.warns(Notice, match=r"'age'.*attributes=.*'people\.csv'"):
            write_graph(g, tmp_path / f"x.{suffix}")


def test_written_text(tmp_path):
    g = as_graph([("Ann", "Bo"), ("Ann", "Bo"), ("Lee, C", None)], multigraph=True)
    looks = {
        "x.csv": 'source,target\nAnn,Bo\nAnn,Bo\n"Lee, C",\n',
        "x.tsv": 'source\ttarget\nAnn\tBo\nAnn\tBo\n"Lee, C"\t\n',
        "x.txt": '# edges, without a header\nAnn Bo\nAnn Bo\n"Lee, C" ""\n',
        "x.net": '*Vertices 3\n1 "Ann"\n2 "Bo"\n3 "Lee, C"\n*Edges\n1 2\n1 2\n',
        "x.mtx": '%%MatrixMarket matrix coordinate integer symmetric\n%name 1 "Ann"\n%name 2 "Bo"\n'
        '%name 3 "Lee, C"\n3 3 1\n2 1 2\n',
    }
    for name, text in looks.items():
        write_graph(g, tmp_path / name)
        assert (tmp_path / name).read_text() == text


def test_written_attributes(tmp_path):
    g = as_graph([("a", "b")], attributes={"age": [30, None], "zip": ["007", "7"], "n": ["7", "8"], "t": ["", "x, y"]})
    write_graph(g, tmp_path / "x.csv", attributes=tmp_path / "p.csv")
    assert (tmp_path / "p.csv").read_text() == 'name,age,zip,n,t\na,30,007,"7",""\nb,,7,"8","x, y"\n'
    assert read_graph(tmp_path / "x.csv", attributes=tmp_path / "p.csv") == g


def test_other_programs_read_what_is_written(tmp_path):
    g = village(40)
    mine = g.to_networkx()
    for suffix, read in (("graphml", nx.read_graphml), ("gexf", nx.read_gexf), ("gml", nx.read_gml)):
        write_graph(g, tmp_path / f"x.{suffix}")
        theirs = read(tmp_path / f"x.{suffix}")
        assert set(theirs) == set(mine)
        assert {frozenset(edge) for edge in theirs.edges} == {frozenset(edge) for edge in mine.edges}
        for name in mine:
            assert {c: theirs.nodes[name][c] for c in mine.nodes[name]} == mine.nodes[name]
    bare = g.without_attributes()
    for suffix in ("csv", "net", "mtx", "parquet"):
        write_graph(bare, tmp_path / f"x.{suffix}")
    assert len(pd.read_csv(tmp_path / "x.csv")) == len(pd.read_parquet(tmp_path / "x.parquet"))
    assert nx.read_pajek(tmp_path / "x.net").number_of_edges() == g.m
    assert scipy.io.mmread(tmp_path / "x.mtx", spmatrix=False).nnz == 2 * g.m
    assert igraph.Graph.Read_GraphML(str(tmp_path / "x.graphml")).ecount() == g.m


@pytest.mark.parametrize(
    ("name", "suffix", "message"),
    [
        ("", "csv", r"empty.*NUL.*''"),
        ("a\0", "txt", r"empty.*NUL"),
        ("a\x01", "graphml", r"'\\x01'.*'a\\x01'"),
        ("a\x01", "gexf", r"XML cannot hold the character"),
        ('"', "net", r"must be a text without quotes and line breaks"),
        ("\ud800", "json", r"a text must be valid Unicode"),
    ],
)
def test_names_that_a_format_cannot_hold(tmp_path, name, suffix, message):
    with pytest.raises(BadParameter, match=message):
        write_graph(as_graph([(name, "b")]), tmp_path / f"x.{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_names_with_the_same_text_are_refused(tmp_path):
    with pytest.raises(BadGraph, match=r"names must be distinct as text. Got 1 and '1', both written as '1'"):
        write_graph(as_graph([(1, "1")]), tmp_path / "x.csv")


def test_values_with_the_same_text_are_refused(tmp_path):
    g = as_graph([("a", "b")], attributes={"x": [(1,), "(1,)"]})
    with pytest.warns(Notice), pytest.raises(BadParameter, match="must differ as text"):
        write_graph(g, tmp_path / "x.graphml")
    truths = as_graph([("a", "b")], attributes={"x": [True, 1]})
    with pytest.warns(Notice), pytest.raises(BadParameter, match=r"both written as 1"):
        write_graph(truths, tmp_path / "x.gml")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "name", "options", "message", "read"),
    [
        (
            (1, 2),
            "x.graphml",
            {},
            r"holds values that the format cannot store, such as \(1, 2\). They become text",
            "(1, 2)",
        ),
        ((1, 2), "x.gexf", {}, r"holds values that the format cannot store, such as \(1, 2\)", "(1, 2)"),
        (True, "x.gml", {}, r"holds booleans, which GML stores as 1 and 0", 1),
        (float("inf"), "x.json", {}, r"holds values that the format cannot store, such as inf", "inf"),
        (True, "x.csv", {"attributes": "p.csv"}, r"holds values .*They are read back as text", "True"),
        (2**70, "x.csv", {"attributes": "p.parquet"}, r"holds values that the format cannot", str(2**70)),
    ],
)
def test_a_notice_about_values_that_become_text(tmp_path, monkeypatch, value, name, options, message, read):
    monkeypatch.chdir(tmp_path)
    with pytest.warns(Notice, match=rf"the column 'x' {message}"):
        write_graph(as_graph([("a", "b")], attributes={"x": [value, None]}), name, **options)
    assert list(read_graph(name, **options).attributes["x"]) == [read, None]


@pytest.mark.parametrize(
    ("column", "suffix", "message"),
    [
        ("id", "json", "'id'"),
        ("label", "gml", r"'_'.*'id'.*'label'.*'label'"),
        ("home town", "gml", r"'home town'.*GraphML"),
        ("a\x01", "graphml", r"XML cannot hold"),
    ],
)
def test_columns_that_a_format_cannot_hold(tmp_path, column, suffix, message):
    with pytest.raises(BadParameter, match=message):
        write_graph(as_graph([("a", "b")], attributes={column: [1, 2]}), tmp_path / f"x.{suffix}")


def test_columns_that_a_second_file_cannot_hold(tmp_path):
    for column, message in (("name", "a column 'name'"), ("", "a column must have a name")):
        g = as_graph([("a", "b")], attributes={column: [1, 2]})
        with pytest.raises(BadParameter, match=message):
            write_graph(g, tmp_path / "x.csv", attributes=tmp_path / "p.csv")
    g = as_graph([("a", "b")], attributes={"x": ["a\0", None]})
    with pytest.raises(BadParameter, match=r"cannot hold a NUL"):
        write_graph(g, tmp_path / "x.csv", attributes=tmp_path / "p.csv")
    assert list(tmp_path.iterdir()) == []


class TestPlaces:
    def test_nothing_is_overwritten_without_force(self, tmp_path):
        path = tmp_path / "x.csv"
        path.write_text("mine")
        with pytest.raises(FileExists, match=r"x\.csv.*exists.*force=True.*--force"):
            write_graph(as_graph([("a", "b")]), path)
        assert path.read_text() == "mine"
        write_graph(as_graph([("a", "b")]), path, force=True)
        assert read_graph(path).m == 1

    def test_a_second_file_that_exists_stops_both(self, tmp_path):
        (tmp_path / "p.csv").write_text("mine")
        with pytest.raises(FileExists, match=r"p\.csv: exists"):
            write_graph(as_graph([("a", "b")]), tmp_path / "x.csv", attributes=tmp_path / "p.csv")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["p.csv"]

    def test_a_folder_is_refused(self, tmp_path):
        (tmp_path / "x.csv").mkdir()
        with pytest.raises(FileExists, match="folder"):
            write_graph(as_graph([("a", "b")]), tmp_path / "x.csv", force=True)

    def test_a_missing_folder(self, tmp_path):
        with pytest.raises(BadParameter, match="no folder"):
            write_graph(as_graph([("a", "b")]), tmp_path / "nowhere" / "x.csv")

    def test_an_unknown_suffix(self, tmp_path):
        with pytest.raises(BadFile, match="must end in"):
            write_graph(as_graph([("a", "b")]), tmp_path / "x.xyz")
        write_graph(as_graph([("a", "b")]), tmp_path / "x.xyz", format="csv")
        assert read_graph(tmp_path / "x.xyz", format="csv").m == 1

    @pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
    @pytest.mark.parametrize("name", ["x.graphml", "x.graphml.gz", "x.graphml.zst"])
    def test_a_failure_leaves_nothing(self, tmp_path, monkeypatch, error, name):
        def fail(graph, names, stream, path):
            stream.write(b"half")
            raise error("no more")

        monkeypatch.setitem(WRITERS, "graphml", fail)
        with pytest.raises(BadFile if error is OSError else error):
            write_graph(as_graph([("a", "b")]), tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    def test_the_mode_is_that_of_any_new_file(self, tmp_path):
        write_graph(as_graph([("a", "b")]), tmp_path / "x.csv")
        (tmp_path / "y").touch()
        assert stat.S_IMODE(os.stat(tmp_path / "x.csv").st_mode) == stat.S_IMODE(os.stat(tmp_path / "y").st_mode)
        (tmp_path / "x.csv").chmod(0o600)
        write_graph(as_graph([("a", "b")]), tmp_path / "x.csv", force=True)
        assert stat.S_IMODE(os.stat(tmp_path / "x.csv").st_mode) == 0o600

    def test_a_symbolic_link_is_followed(self, tmp_path):
        (tmp_path / "real.csv").touch()
        (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
        write_graph(as_graph([("a", "b")]), tmp_path / "link.csv", force=True)
        assert (tmp_path / "link.csv").is_symlink()
        assert read_graph(tmp_path / "real.csv").m == 1

    def test_the_same_graph_gives_the_same_bytes(self, tmp_path):
        for name in ("x.csv.gz", "y.csv.gz"):
            write_graph(village().without_attributes(), tmp_path / name)
        assert (tmp_path / "x.csv.gz").read_bytes() == (tmp_path / "y.csv.gz").read_bytes()


@pytest.mark.slow
def test_many_edges(tmp_path):
    draw = np.random.default_rng(0)
    a = draw.permutation(30_000)
    g = as_graph(list(zip(a[:-1].tolist(), a[1:].tolist(), strict=True)))
    for suffix in ("csv", "parquet", "txt.gz"):
        write_graph(g, tmp_path / f"x.{suffix}")
        back = read_graph(tmp_path / f"x.{suffix}")
        assert said(back) == said(g)
        assert suffix == "parquet" or back.names.numbers is not None


def test_write_takes_a_graph_or_a_table(tmp_path):
    club, people = shoal.examples.karate(), shoal.Table.of({"age": [30, None, 41], "sex": ["f", "m", "f"]})
    shoal.write(club, tmp_path / "club.graphml")
    shoal.write(people, tmp_path / "people.csv")
    shoal.write({"age": [1, 2]}, tmp_path / "ages.parquet")
    again = shoal.read_graph(tmp_path / "club.graphml")
    assert (again.n, again.m, list(again.attributes)) == (34, 78, ["club"])
    assert shoal.read_table(tmp_path / "people.csv").has_same_cells(people)
    assert list(shoal.read_table(tmp_path / "ages.parquet")["age"]) == [1, 2]
    with pytest.raises(FileExists):
        shoal.write(people, tmp_path / "people.csv")
    shoal.write(people, tmp_path / "people.csv", force=True)


def test_tables_are_equal_cell_by_cell():
    one, other = (shoal.Table.of({"age": [30, None], "sex": ["f", "m"]}) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert one != shoal.Table.of({"age": [30, 31], "sex": ["f", "m"]})
    assert one != shoal.Table.of({"sex": ["f", "m"], "age": [30, None]})
    assert one != {"age": [30, None], "sex": ["f", "m"]}
