"""Sources: what is read, and what is refused before anything is counted."""

import datetime
import subprocess
import sys
import warnings
from contextlib import suppress

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from relational_cases import LINKS, count_sizes, list_left, save
from shoal.errors import BadFile, BadGraph, BadParameter, MissingResource, Notice, ShoalError
from shoal.progress import remember_inputs
from shoal.relational import DuckDBEngine, open_network

PATH = {"a": (2, True), "b": (1, True), "c": (2, True)}
"""The sizes of the path a, b, c for the degree."""
HARD_FILES = ("e[1].parquet", "e*.parquet", "it's.parquet", "e?.parquet", "e{a,b}.parquet")


@pytest.fixture
def temp(tmp_path):
    """The place of temporary data, in which nothing may be left."""
    place = tmp_path / "temp"
    place.mkdir()
    yield place
    assert list_left(place) == []


def build_database(path):
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE SCHEMA s; CREATE SCHEMA t")
        names = ("edges", "s.deep", '"a.b"', '"my ""t"" x"', '"with space"', "s.twice", "t.twice", '"s.both"', "s.both")
        for name in names:
            made.execute(f"CREATE TABLE {name} AS SELECT * FROM (VALUES ('a', 'b'), ('b', 'c')) v(src, dst)")
        made.execute("CREATE VIEW seen AS SELECT * FROM edges")
        made.execute("CREATE VIEW prying AS SELECT content AS src, content AS dst FROM read_text('/etc/hostname')")
        made.execute("CREATE VIEW sniffing AS SELECT src, src AS dst FROM read_csv('/etc/passwd', names=['src'])")
        made.execute("CREATE TABLE blind(src VARCHAR COLLATE NOCASE, dst VARCHAR COLLATE NOCASE)")
        made.execute("INSERT INTO blind VALUES ('a', 'B'), ('A', 'b'), ('a', 'c')")
        made.execute("CREATE TABLE blind_people(name VARCHAR COLLATE NOCASE, town VARCHAR COLLATE NOCASE)")
        made.execute(
            "INSERT INTO blind_people VALUES ('a', 'Ulm'), ('A', 'ulm'), ('B', 'ulm'), ('b', 'ULM'), ('c', NULL)"
        )
    return path


# What is read


def test_parquet_files_are_named_by_path_pattern_folder_and_list(tmp_path):
    folder = tmp_path / "edges" / "deep"
    folder.mkdir(parents=True)
    first = save(folder.parent / "one.parquet", src=["a"], dst=["b"])
    second = save(folder / "two.parquet", src=["b"], dst=["c"])
    for source in (folder.parent, str(folder.parent / "**" / "*.parquet"), [first, str(second)]):
        assert count_sizes(source) == PATH


def test_names_of_files_are_no_patterns(tmp_path):
    """A file with * in its name is this file, and not all that the pattern matches."""
    place = tmp_path / "[a]*"
    place.mkdir()
    for other in ("e1.parquet", "ea.parquet", "e.parquet"):
        save(place / other, src=["x", "x", "x"], dst=["1", "2", "3"])
    for name in HARD_FILES:
        assert count_sizes(save(place / name, **LINKS), temp=place) == PATH, name


def test_tables_of_a_database(tmp_path):
    file = build_database(tmp_path / "it's [a] #1.db")
    tables = ("EDGES", "a.b", 'my "t" x', "s.twice", "seen")
    for table in tables:
        assert count_sizes(f"duckdb:{file}/{table}") == PATH, table


def test_a_table_is_named_without_doubt(tmp_path, temp):
    """s.both is a table of the schema main, and both is one of the schema s."""
    file = build_database(tmp_path / "x.db")
    with pytest.raises(BadParameter, match=r"2 tables are called 's\.both'"):
        count_sizes(f"duckdb:{file}/s.both", temp=temp)
    with pytest.raises(BadParameter, match=r"Did you mean 's\.deep'"):
        count_sizes(f"duckdb:{file}/s.dep", temp=temp)
    with pytest.raises(BadParameter, match="Did you mean 'edges'"):
        count_sizes(f"duckdb:{file}/edgs", temp=temp)


def test_two_tables_of_one_database(tmp_path):
    file = build_database(tmp_path / "x.db")
    with duckdb.connect(str(file)) as made:
        made.execute(
            "CREATE TABLE people AS SELECT * FROM (VALUES ('a', 1), ('b', 1), ('c', 2), ('d', 2)) v(name, age)"
        )
    found = count_sizes(f"duckdb:{file}/edges", "columns:age", vertices=f"duckdb:{file}/people")
    assert found == dict.fromkeys("abcd", (2, True))


def test_texts_of_a_column_without_case_stay_different(tmp_path):
    file = build_database(tmp_path / "x.db")
    assert count_sizes(f"duckdb:{file}/blind") == dict.fromkeys("ABbc", (4, True)) | {"a": (1, True)}
    found = count_sizes(f"duckdb:{file}/blind", "columns:town", vertices=f"duckdb:{file}/blind_people")
    assert found == {"a": (1, True), "A": (2, True), "B": (2, True), "b": (1, True), "c": (1, True)}
    alone = count_sizes(f"duckdb:{file}/blind_people", "columns:town", key="name")
    assert alone == found


def test_a_view_opens_no_other_file(tmp_path, temp):
    file = build_database(tmp_path / "x.db")
    for view in ("prying", "sniffing"):
        with pytest.raises(BadFile, match="Permission"):
            count_sizes(f"duckdb:{file}/{view}", temp=temp)


def test_a_database_is_not_changed(tmp_path):
    file = build_database(tmp_path / "x.db")
    before, about = file.read_bytes(), file.stat()
    count_sizes(f"duckdb:{file}/edges", "neighbors:2")
    assert file.read_bytes() == before
    assert (file.stat().st_mtime_ns, file.stat().st_size) == (about.st_mtime_ns, about.st_size)
    assert [path.name for path in tmp_path.iterdir()] == ["x.db"]


def test_relations_of_any_connection():
    query = "SELECT * FROM (VALUES ('a', 'b', 7), ('b', 'c', 8)) v(src, dst, other)"
    assert count_sizes(duckdb.sql(query)) == PATH
    with duckdb.connect() as made:
        made.execute(f"CREATE TABLE t AS {query}")
        assert count_sizes(made.table("t")) == PATH
        assert count_sizes(made.table("t"), ends=(0, 1)) == PATH
        assert count_sizes(made.table("t"), ends=None) == PATH


def test_ends_by_name_by_position_and_found(tmp_path):
    file = save(
        tmp_path / "e.parquet", kind=["x", "y"], to=["b", "c"], **{"from": ["a", "b"]}, b=["q", "r"], a=["s", "t"]
    )
    for ends in (("from", "to"), (2, 1), ("from", 1)):
        assert count_sizes(file, ends=ends) == PATH
    for ends in (("a", "b"), ("b", "a")):  # they are called like columns that the engine makes
        found = count_sizes(file, "degree:out", ends=ends, directed=True)
        assert found == dict.fromkeys("qrst", (2, True))
    assert count_sizes(save(tmp_path / "f.parquet", x=["a", "b"], y=["b", "c"]), ends=None) == PATH
    known = save(tmp_path / "g.parquet", target=["b", "c"], source=["a", "b"], weight=[1, 2])
    assert count_sizes(known, "degree:out", ends=None, directed=True) == {
        "a": (2, True),
        "b": (2, True),
        "c": (1, True),
    }


def test_files_may_have_numbers_of_different_width(tmp_path):
    kinds = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32())
    for at, kind in enumerate(kinds):
        save(tmp_path / f"{at}.parquet", src=pa.array([1], kind), dst=pa.array([at + 2], kind))
    save(tmp_path / "9.parquet", src=pa.array([2**40]), dst=pa.array([1]))
    expected = dict.fromkeys([*range(2, 9), 2**40], (8, True)) | {1: (1, True)}
    assert count_sizes(tmp_path) == expected


def listen(source, **how):
    """Return the notices of loading."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", Notice)
        open_network(source, **how).close()
    return [str(one.message) for one in told]


def test_what_a_reader_is_told_of_repeated_links(tmp_path):
    """A notice has the numbers of links, of rows, and of pairs in both directions."""
    file = save(tmp_path / "e.parquet", src=["a", "b", "a", "c", "e"], dst=["b", "a", "b", "d", "e"])
    loops, repeats = listen(file, drop_loops=True)
    assert loops == f"{file}: loops left out: 1."
    assert repeats.startswith(f"{file}: 2 undirected links from 4 rows; 1 pair occurs in both directions")
    assert listen(file, drop_loops=True, undirected=True) == [loops]
    assert listen(save(tmp_path / "f.parquet", **LINKS)) == []
    (asked,) = listen(save(tmp_path / "g.parquet", caller=["a", "b"], callee=["b", "c"]), ends=None)
    assert "2 undirected links from 2 rows; no pairs occur" in asked


def test_rows_without_a_target_are_isolated_vertices(tmp_path):
    file = save(tmp_path / "e.parquet", source=[1, 2, 7, 8], target=[2, 3, None, None])
    with pytest.warns(Notice, match="2 rows have no target"):
        network = open_network(file, ends=("source", "target"), undirected=True)
    with network:
        found = {name: size for name, size, _ in shoal.relational.assess(network, "degree").sizes.collect()}
    assert found == {1: 2, 2: 1, 3: 2, 7: 2, 8: 2}
    other = save(tmp_path / "f.parquet", a=[1, 2, 7], b=[2, 3, None])
    with pytest.raises(BadFile, match="1 row or more"):
        open_network(other, ends=("a", "b"), undirected=True)
    with pytest.raises(BadFile, match="1 row or more"):
        open_network(save(tmp_path / "g.parquet", source=[1, None], target=[2, None]), ends=None, undirected=True)


def test_people_with_only_a_loop_are_there(tmp_path):
    for names in ([1, 5], ["a", "b"]):
        file = save(
            tmp_path / "e.parquet",
            src=[names[0], 9 if names[0] == 1 else "c"],
            dst=[names[1], 9 if names[0] == 1 else "c"],
        )
        with pytest.warns(Notice, match="loops left out: 1"):
            network = open_network(file, drop_loops=True, undirected=True)
        with network:
            assert (network.n, network.m) == (3, 1)
            assert shoal.relational.assess(network, "degree").histogram() == {1: 1, 2: 2}


def test_a_thousand_kinds_and_one_that_is_missing(tmp_path):
    n = np.arange(1_001)
    kinds = [*map(str, range(1_000)), None]
    file = save(tmp_path / "e.parquet", src=n, dst=n + 5_000, kind=kinds)
    told = listen(file, kind=2, undirected=True)
    assert any("1,000 of 1,000 kinds in the column 'kind' occur once" in one for one in told)
    assert any("1 link has no kind in 'kind'" in one for one in told)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        network = open_network(file, kind=2, undirected=True)
    with network:
        assert (len(network.kinds), network.m) == (1_001, 1_001)


# What is refused


def refuse(error, words, temp, *arguments, **options):
    with pytest.raises(error) as told:
        count_sizes(*arguments, temp=temp, **options)
    for word in words:
        assert word in str(told.value), (word, str(told.value))
    assert list_left(temp) == []
    return str(told.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ["Parquet", "empty"]),
        ("missing.parquet", ["missing.parquet", "No such file"]),
        ("none*.parquet", ["none*.parquet", "pattern"]),
        ("empty", ["empty", "*.parquet"]),
        ("edges.csv", ["edges.csv", "no Parquet file", "--engine"]),
        ("s3://bucket/edges.parquet", ["s3://bucket", "on this machine"]),
        ("https://example.org/edges.parquet", ["https://", "on this machine"]),
        ("duckdb:nothing.db/edges", ["nothing.db", "no such file"]),
        ("duckdb:edges.csv/edges", ["edges.csv", "DuckDB database"]),
        ("duckdb:edges", ["duckdb:FILE/TABLE"]),
        ("duckdb:/", ["duckdb:FILE/TABLE"]),
    ],
)
def test_sources_that_are_not_there_are_refused(name, words, tmp_path, temp, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "edges.csv").write_text("src,dst\na,b\n")
    save(tmp_path / "other.parquet", **LINKS)
    refuse((BadFile, BadParameter), words, temp, name)


def test_no_source_at_all_is_refused(temp):
    for nothing in (None, [], 7, {"src": [1]}, [1, 2]):
        refuse(BadParameter, ["source"], temp, nothing)


@pytest.mark.parametrize("kept", [4, 50, -4, -1])
def test_truncated_files_are_refused(kept, edges, temp):
    edges.write_bytes(edges.read_bytes()[:kept])
    refuse(BadFile, ["edges.parquet"], temp, edges)


@pytest.mark.slow
def test_corrupt_files_raise_no_foreign_errors(edges, temp):
    """A file with changed bytes is refused, or read as what it has become."""
    whole = edges.read_bytes()
    for at in range(4, len(whole), 83):
        edges.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with suppress(ShoalError):
            count_sizes(edges, temp=temp)
        assert list_left(temp) == []


def test_a_database_that_is_being_written_is_refused(tmp_path, temp):
    file = build_database(tmp_path / "x.db")
    hold = f"import duckdb, sys; c = duckdb.connect({str(file)!r}); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        refuse(BadFile, ["x.db", "no other program is writing"], temp, f"duckdb:{file}/edges")
    assert count_sizes(f"duckdb:{file}/edges", temp=temp) == PATH
    with duckdb.connect(str(file)) as own:
        refuse(BadFile, ["x.db", "no other program is writing"], temp, f"duckdb:{file}/edges")
        own.execute("INSERT INTO edges VALUES ('c', 'd')")  # and it can still be written


def test_columns_that_are_not_there_are_refused_with_a_suggestion(edges, tmp_path, temp):
    people = save(tmp_path / "people.parquet", name=["a"], age=[1])
    refuse(BadParameter, ["'dts'", "Did you mean 'dst'?", "'src'"], temp, edges, ends=("src", "dts"))
    refuse(BadParameter, ["2"], temp, edges, ends=(0, 2))
    refuse(BadParameter, ["ends"], temp, edges, ends=("src", "src"))
    refuse(BadParameter, ["ends"], temp, edges, ends="ab")
    refuse(BadParameter, ["'kinds'"], temp, edges, kind="kinds")
    refuse(BadParameter, ["kind"], temp, edges, kind="src")
    refuse(BadParameter, ["'names'", "'name'"], temp, edges, vertices=people, key="names")
    refuse(BadParameter, ["'aeg'", "'age'"], temp, edges, "columns:aeg", vertices=people)
    refuse(BadParameter, ["'age'", "vertices"], temp, edges, "degree+columns:age")
    relation = duckdb.sql("SELECT 'a' AS src, 'b' AS dts")
    refuse(BadParameter, ["'dst'", "Did you mean 'dts'?"], temp, relation)


def test_columns_with_one_name_are_refused(temp):
    for query in ("SELECT 1 AS a, 2 AS a, 3 AS b", "SELECT 1 AS a, 2 AS A, 3 AS b"):
        refuse(BadParameter, ["different names"], temp, duckdb.sql(query), ends=("a", "b"))


@pytest.mark.parametrize(
    ("src", "dst", "error", "words"),
    [
        (["a", None], ["b", "c"], BadFile, ["without", "1 row"]),
        (["a", "b"], ["b", None], BadFile, ["without", "1 row"]),
        (["1", "2"], [1, 2], BadFile, ["VARCHAR", "BIGINT", "'1'"]),
        ([1.0, 2.0], [2.0, 3.0], BadFile, ["DOUBLE", "'src'", "text"]),
        ([datetime.date(2020, 1, 1)], [datetime.date(2020, 1, 2)], BadFile, ["DATE", "text"]),
        ([True], [False], BadFile, ["BOOLEAN"]),
        ([b"a"], [b"b"], BadFile, ["BLOB"]),
        ([[1]], [[2]], BadFile, ["BIGINT[]"]),
        (["a", "b"], ["a", "c"], BadGraph, ["loops", "1", "--drop-loops"]),
        (pa.array([], pa.int64()), pa.array([], pa.int64()), BadGraph, ["Got none"]),
    ],
)
def test_links_that_are_none_are_refused(src, dst, error, words, tmp_path, temp):
    refuse(error, ["e.parquet", *words], temp, save(tmp_path / "e.parquet", src=src, dst=dst))


def test_types_that_differ_between_files_are_refused(tmp_path, temp):
    folder = tmp_path / "edges"
    folder.mkdir()
    save(folder / "a.parquet", src=[1], dst=[2])
    for kind, told in ((pa.string(), "VARCHAR"), (pa.uint64(), "UBIGINT"), (pa.float64(), "DOUBLE")):
        save(folder / "b.parquet", src=pa.array([1]).cast(kind), dst=pa.array([2]).cast(kind))
        refuse(BadFile, ["b.parquet", "'src'", told, "a.parquet"], temp, folder)
    save(folder / "b.parquet", src=[1], dts=[2])
    refuse(BadFile, ["b.parquet", "same columns"], temp, folder)


def test_vertices_that_are_ambiguous_are_refused(edges, tmp_path, temp):
    cases = ((["a", "a"], "different"), (["a", None], "1 row"), ([1, 2], "BIGINT"), ([1.5, 2.5], "DOUBLE"))
    for names, word in cases:
        people = save(tmp_path / "people.parquet", name=names, age=[1, 2])
        refuse(BadFile, [word], temp, edges, vertices=people)
    people = save(tmp_path / "people.parquet", name=["a", "a"], age=[1, 2])
    refuse(BadFile, ["different"], temp, people, "columns:age", key="name")


def test_nested_cells_are_refused_only_where_they_are_known(edges, tmp_path, temp):
    people = save(tmp_path / "people.parquet", name=["a", "b"], likes=[[1], [2]], age=[1, 2])
    refuse(BadFile, ["'likes'", "BIGINT[]"], temp, edges, "columns:likes", vertices=people)
    refuse(BadFile, ["'likes'"], temp, edges, "some-columns:1", vertices=people)
    refuse(BadFile, ["'likes'"], temp, people, "columns:likes")
    assert count_sizes(edges, "columns:age", vertices=people)["c"] == (1, True)
    assert count_sizes(people, "columns:age") == {0: (1, True), 1: (1, True)}


def test_too_many_kinds_are_refused(tmp_path, temp):
    n = np.arange(1_001)
    file = save(tmp_path / "e.parquet", src=n, dst=n + 1, kind=n.astype(str))
    refuse(BadGraph, ["1,000", "1,001"], temp, file, kind="kind")


def test_k_beyond_the_vertices_is_refused(edges, temp):
    engine = DuckDBEngine(temp=temp, threads=1)
    with pytest.raises(BadParameter, match="3"):
        shoal.relational.levels(edges, k=4, engine=engine)
    assert list_left(temp) == []
    with open_network(edges, engine=DuckDBEngine(temp=temp, threads=1)) as network:
        with pytest.raises(BadParameter, match="3"):
            shoal.relational.levels(network, k=4)
        risk = shoal.relational.assess(network, "degree")
        for k in (0, 4, 1.5, "2", None):
            with pytest.raises(BadParameter):
                risk.at_risk(k)
            with pytest.raises(BadParameter):
                risk.rate(k)
        assert risk.sizes.rows == 3  # a refused question leaves the network as it is


UNSUPPORTED = (
    "orbit",
    "neighborhood:1",
    "subgraph:3",
    "shared-neighbors:1",
    "counts:2",
    "degrees:2",
    "neighbors:3",
    "neighbors:2+degree",
    "some-columns:1+degree",
    "hubs:2:1:open+degree",
    "neighbors:1+neighbors:2",
    "nonsense",
)


@pytest.mark.parametrize("knowledge", UNSUPPORTED)
def test_what_is_not_counted_is_refused_before_any_work(knowledge, monkeypatch):
    def work(*_, **__):
        raise AssertionError("a source was opened")

    monkeypatch.setattr(DuckDBEngine, "__init__", work)
    with pytest.raises(BadParameter) as told:
        shoal.relational.assess("missing.parquet", knowledge)
    assert knowledge.split("+")[0].split(":")[0] in str(told.value)
    assert "degree" in str(told.value) or "neighbors:1" in str(told.value)


def test_cells_do_not_reach_messages(tmp_path, temp):
    """A text that is not Unicode is refused, and not shown: it may be the name of a person."""
    data = b"Ridolfi\xffmed"
    offsets = pa.py_buffer(np.array([0, 8, 11], dtype=np.int32).tobytes())
    broken = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(data)])
    file = save(tmp_path / "e.parquet", src=broken, dst=["x", "y"])
    assert "Ridolfi" not in refuse(BadFile, ["encoding"], temp, file)
    relation = duckdb.sql("SELECT CAST(n AS INTEGER) AS src, 1 AS dst FROM (VALUES ('7'), ('Ridolfi')) v(n)")
    assert "Ridolfi" not in refuse(BadFile, ["relation"], temp, relation)


@pytest.mark.parametrize(
    "cell",
    [
        "strptime(n, '%Y')",
        "CAST(n AS INTEGER)",
        "CAST(n AS DATE)",
        "date_part(n, DATE '2020-01-01')",
        "regexp_matches('a', n || '(')",
        "json_extract('{}', '$' || n || '[')",
        "chr(-777123)",
        "777123 * 9_000_000_000_000_000",
        "777123::TINYINT",
    ],
)
def test_cells_of_a_relation_do_not_reach_messages(cell, temp):
    relation = duckdb.sql(f"SELECT {cell} AS src, 1 AS dst FROM (VALUES ('Ridolfi')) v(n)")
    told = refuse(BadFile, ["Error"], temp, relation)
    assert "Ridolfi" not in told
    assert "777" not in told


class DuckDBPyRelation:
    """A relation that fails while it is computed."""

    columns, types = ("src", "dst"), ("BIGINT", "BIGINT")

    def __init__(self, error):
        self.error = error

    def project(self, columns):
        return self

    def write_parquet(self, path):
        raise self.error


@pytest.mark.parametrize(
    ("error", "raised", "words"),
    [
        (duckdb.OutOfMemoryException("full"), MissingResource, ["--memory", "limit 300MB"]),
        (MemoryError(), MissingResource, ["--memory"]),
        (duckdb.IOException("No Space left on device"), MissingResource, ["--temp", "does not fit"]),
        (duckdb.IOException("Quota exceeded"), MissingResource, ["--temp", "does not fit"]),
        (duckdb.IOException("broken"), BadFile, ["DuckDB cannot read", "broken"]),
        (duckdb.BinderException("no space here"), BadFile, ["DuckDB cannot read", "no space here"]),
        (duckdb.InternalException("defect"), duckdb.InternalException, ["defect"]),
        (ValueError("defect"), ValueError, ["defect"]),
    ],
)
def test_errors_of_the_library_are_told_with_what_to_do(error, raised, words, temp):
    refuse(raised, words, temp, DuckDBPyRelation(error))


def test_output_does_not_replace_an_input(edges):
    with remember_inputs(), shoal.relational.assess(edges, "degree", engine=DuckDBEngine(threads=1)) as risk:
        for place in (edges, edges.parent / "." / "edges.parquet"):
            with pytest.raises(BadParameter, match="input"):
                risk.sizes.write(place, force=True)
    assert parquet.read_table(edges).num_rows == 2
