"""Values that an engine could take for equal although they differ, and questions that a source cannot answer.

Each of these once gave too many candidates, or a release with a false guarantee.
"""

from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

from relational_cases import draw_case, save, write_case
from shoal import relational
from shoal.errors import BadFile, BadParameter, Notice
from shoal.progress import watching
from shoal.relational import DuckDBEngine, assess, levels, open_network, suppress, thin

PEOPLE = {"name": list("abcdef"), "age": [1, 2, 3, 4, 5, 6]}
SIX = f"SELECT {2**60} + range AS x FROM range(6)"
"""Six different numbers of 61 bits, which are equal as DOUBLE."""


@pytest.mark.parametrize("spec", ["degree", "degree:total", "refinement:1", "adjacency", "neighbors:1", "counts:1"])
def test_links_of_a_table_without_links_are_not_counted(spec, tmp_path):
    people = save(tmp_path / "people.parquet", **PEOPLE)
    for knowledge in (spec, f"{spec}+columns:age"):
        with pytest.raises(BadParameter, match="no links"):
            assess(None, knowledge, vertices=people)
        with pytest.raises(BadParameter, match="no links"):
            suppress(None, knowledge, 2, vertices=people)
    for ask in (lambda: levels(None, 2, vertices=people), lambda: thin(None, 2, vertices=people)):
        with pytest.raises(BadParameter, match="no links"):
            ask()


def test_a_relation_keeps_numbers_of_128_bits():
    summed = duckdb.sql(f"SELECT sum(x) AS x FROM ({SIX}) GROUP BY x")
    assert str(summed.types[0]) == "HUGEINT"
    with assess(summed, "columns:x") as risk:
        assert risk.histogram() == {1: 6}
    with assess(duckdb.sql(f"SELECT sum(x) AS src, 0::HUGEINT AS dst FROM ({SIX}) GROUP BY x"), "neighbors:1") as risk:
        assert risk.n == 7


def test_names_of_people_and_links_may_have_other_widths(tmp_path):
    links = save(tmp_path / "e.parquet", src=pa.array([2**63 + 1, 5], pa.uint64()), dst=pa.array([5, 7], pa.uint64()))
    people = save(tmp_path / "v.parquet", name=pa.array([5, 7], pa.int64()), age=[30, 31])
    with pytest.warns(Notice, match="without a row"), assess(links, "columns:age", vertices=people) as risk:
        assert risk.histogram() == {1: 3}


def test_equal_cells_of_every_type_are_equal():
    """The first two of three records are alike in every column, and the third one is another."""
    cells = {
        "UUID": ["7" * 32, "7" * 32, "8" * 32],
        "UHUGEINT": [2**127 + 1, 2**127 + 1, 2**127],
        "HUGEINT": [-(2**100), -(2**100), 1 - 2**100],
        "BLOB": ["a", "a", "A"],
        "TIME": ["10:00", "10:00", "10:01"],
        "ENUM('a', 'A')": ["a", "a", "A"],
        "DECIMAL(38, 2)": ["1.10", "1.1", "1.11"],
        "TIMESTAMP": ["2020-01-01", "2020-01-01 00:00", "2020-01-02"],
        "FLOAT": ["nan", None, "0"],
        "DOUBLE": ["0", "-0", "nan"],
    }
    rows = [
        ", ".join(
            f"CAST({'NULL' if one is None else repr(str(one))} AS {kind})" for kind, one in zip(cells, row, strict=True)
        )
        for row in zip(*cells.values(), strict=True)
    ]
    named = ", ".join(f"c{at}" for at in range(len(cells)))
    with open_network(None, vertices=duckdb.sql(f"FROM (VALUES ({'), ('.join(rows)})) v({named})")) as network:
        for at, kind in enumerate(cells):
            assert sorted(assess(network, f"columns:c{at}").sizes.collect()) == [
                (0, 2, True),
                (1, 2, True),
                (2, 1, True),
            ], kind


def test_files_keep_numbers_of_128_bits(tmp_path):
    with duckdb.connect(str(tmp_path / "x.db")) as made:
        made.execute(f"CREATE TABLE people AS SELECT x AS name, x::HUGEINT AS code, 1 AS town FROM ({SIX})")
    people = f"duckdb:{tmp_path}/x.db/people"
    with suppress(None, "columns:town", 2, vertices=people, key="name") as release, pytest.warns(Notice, match="code"):
        release.save(tmp_path / "out.parquet")
    codes = parquet.read_table(tmp_path / "out.parquet")["code"].to_pylist()
    assert sorted(map(int, codes)) == [2**60 + at for at in range(6)]


def test_sizes_are_whole_numbers(tmp_path):
    with assess(save(tmp_path / "e.parquet", src=[1, 1], dst=[2, 3]), "hubs:1:1:open", undirected=True) as risk:
        risk.sizes.write(tmp_path / "sizes.parquet")
    assert parquet.read_schema(tmp_path / "sizes.parquet").field("candidates").type == pa.int64()


def test_columns_with_more_digits_than_an_engine_reads_are_refused(tmp_path):
    long = [Decimal("12345678901234567890.01"), Decimal("12345678901234567890.02")]
    parquet.write_table(pa.table({"x": pa.array(long, pa.decimal256(50, 2)), "y": [1, 2]}), tmp_path / "long.parquet")
    moments = pa.table({"x": pa.array([1000, 1001], pa.timestamp("ns")), "y": [1, 2]})
    parquet.write_table(moments, tmp_path / "moments.parquet", use_deprecated_int96_timestamps=True)
    for name, told in (("long", "50 digits"), ("moments", "INT96")):
        with pytest.raises(BadFile, match=told):
            assess(tmp_path / f"{name}.parquet", "columns:x")
        with assess(tmp_path / f"{name}.parquet", "columns:y") as risk:  # other columns can be counted
            assert risk.k == 1


@pytest.mark.parametrize("names", [["a", "A", "A_1"], ["a", "a", "b"]])
def test_columns_with_one_name_are_refused(names, tmp_path):
    cells = [pa.array([1, 1, 1]), pa.array([2, 2, 2]), pa.array([1, 2, 3])]
    parquet.write_table(pa.table(cells, names=names), tmp_path / "e.parquet")
    with pytest.raises(BadFile, match="different names"):
        assess(tmp_path / "e.parquet", f"columns:{names[2]}")


def test_kinds_that_look_equal_in_python_are_refused():
    rows = "(1, 2, 'infinity'::DATE), (3, 4, '9999-12-31'::DATE)"
    with pytest.raises(BadFile, match="look equal"):
        open_network(duckdb.sql(f"FROM (VALUES {rows}) v(src, dst, kind)"), kind="kind", undirected=True)


def test_a_view_is_read_once(tmp_path):
    """Its rows may be others each time: nobody in a list of links is without a link."""
    with duckdb.connect(str(tmp_path / "v.db")) as made:
        made.execute("CREATE TABLE e AS SELECT range AS src, (range * 7 + 1) % 2000 AS dst FROM range(2000)")
        made.execute("CREATE VIEW half AS SELECT 'x' || src AS src, 'x' || dst AS dst FROM e WHERE random() < 0.5")
    with open_network(f"duckdb:{tmp_path}/v.db/half", undirected=True, drop_loops=True) as network:
        ((alone,),) = network.engine.collect("SELECT count(*) FROM people WHERE near = 0", "counting")
    assert alone <= 1  # the one loop


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    file = save(tmp_path / "e.parquet", src=["a", "b"], dst=["b", "c"])
    load = relational.loading._Loader._load_links

    def load_and_write(*given):
        load(*given)
        save(file, src=["a"], dst=["b"])

    monkeypatch.setattr(relational.loading._Loader, "_load_links", load_and_write)
    with pytest.raises(BadFile, match="change"):
        open_network(file, undirected=True)


def test_a_name_that_would_open_another_file_is_refused(tmp_path):
    (tmp_path / "x[1]").mkdir()
    save(tmp_path / "x[1]" / "e.parquet", src=[1, 1, 1], dst=[2, 3, 4])
    with pytest.raises(BadFile, match="Rename"):
        open_network(save(tmp_path / "x[1]\\e.parquet", src=[1], dst=[2]), undirected=True)


def test_a_column_called_name_is_not_renamed_in_silence(tmp_path):
    links = save(tmp_path / "e.parquet", src=[1, 2, 3, 4], dst=[2, 3, 4, 1])
    people = save(tmp_path / "v.parquet", id=[1, 2, 3, 4], Name=["ann", "bob", "cid", "dan"])
    with suppress(links, "degree", 2, vertices=people, key="id", undirected=True) as release:
        with pytest.raises(BadParameter, match="'name'"):
            release.save(tmp_path / "o.parquet", attributes=tmp_path / "oa.parquet")
        assert not (tmp_path / "o.parquet").exists()


STEPS = {
    "degree": {"degree", "counting"},
    "degree:total": {"degree", "counting"},
    "columns:age": {"columns", "counting"},
    "some-columns:2": {"some-columns:2"},
    "adjacency": {"adjacency", "counting"},
    "refinement:0": {"refinement", "counting"},
    "refinement": {"degree", "refinement", "counting"},
    "counts:1": {"triangles", "counts:1", "counting"},
    "degrees:1": {"triangles", "degrees:1", "counting"},
    "hubs:1": {"hubs", "counting"},
    "hubs:2:2:open": {"hubs"},
    "neighbors:1": {"neighbors:1"},
    "neighbors:2": {"adjacency", "neighbors:1", "neighbors:2"},
    "columns:town+neighbors:1": {"columns", "neighbors:1"},
    "refinement:2+columns:town+counts:1": {
        "degree",
        "refinement",
        "columns",
        "triangles",
        "counts:1",
        "joining",
        "counting",
    },
}
"""The steps that each question reports, besides the last one, "checking"."""
LOADING = {"reading columns", "reading links", "reading vertices", "kinds", "links", "people", "columns"}


def list_tables(network):
    return {name for (name,) in network.engine.collect("SELECT table_name FROM duckdb_tables()", "listing")}


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_questions_report_their_steps_and_leave_no_table(tmp_path):
    """Tables hold links: what a question needs is dropped with it, or when the network is left."""
    case = next(case for case in map(draw_case, range(200)) if case.options["directed"] and case.options["kind"])
    links, people = write_case(case, tmp_path)
    seen = set()
    with watching(lambda what, *_: seen.add(what)):
        network = open_network(links, vertices=people, engine=DuckDBEngine(threads=1, bits=2), **case.options)
    with network:
        assert seen - {"numbering names"} == LOADING
        tables = list_tables(network)
        assert tables - {"names"} == {"people", "arcs", "entries", "cells"}
        for spec, steps in STEPS.items():
            seen.clear()
            with watching(lambda what, *_: seen.add(what)):
                risk = assess(network, spec)
            assert seen == {*steps, "checking"}, spec
            network.engine.drop(risk.table)
            network.forget()
            assert list_tables(network) == tables, spec
        for most in (1, 2):
            network.engine.drop(levels(network, 2, max_size=most).table)
            network.forget()
            assert list_tables(network) == tables


def test_a_release_leaves_the_tables_of_a_network(tmp_path):
    links = duckdb.sql("SELECT range AS src, (range + 1) % 9 AS dst FROM range(9) UNION ALL SELECT 40, 41")
    seen = set()
    with (
        watching(lambda what, *_: seen.add(what)),
        suppress(links, "degree", 3, undirected=True) as release,
    ):
        assert list_tables(release.network) == {"people", "arcs", release.risks[0].table}
    assert {"suppressing", "degree", "judging"} < seen
    seen.clear()
    with (
        watching(lambda what, *_: seen.add(what)),
        thin(links, 2, 0.9, undirected=True, engine=DuckDBEngine(temp=tmp_path, threads=1)) as release,
    ):
        assert "thinning" in seen
        seen.clear()
        release.save(tmp_path / "out.parquet", tmp_path / "secret.csv")
        assert {"releasing", "writing"} <= seen
        assert list_tables(release.network) == {"people", "arcs"}
        assert not list(tmp_path.glob("*/written*"))


def test_an_isolated_name_may_be_long_where_the_linked_ones_are_short(tmp_path):
    links = save(tmp_path / "e.parquet", src=[1, 2], dst=[2, 3])
    people = save(tmp_path / "v.parquet", name=[1, 2**62, -(2**63)], age=[1, 1, 1])
    for how in ({"undirected": True}, {"directed": True}):
        for spec in ("degree", "neighbors:1"):
            with (
                pytest.warns(Notice, match="missing values: 2"),
                assess(links, spec, vertices=people, columns=["age"], **how) as risk,
            ):
                assert {name for name, *_ in risk.sizes.collect()} == {1, 2, 3, 2**62, -(2**63)}
