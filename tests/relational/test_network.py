"""Names and cells: two values are equal in an engine if and only if they are equal in memory."""

import datetime
import decimal
import warnings
from itertools import pairwise

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from relational_cases import HARD, count_sizes, list_left, save
from shoal.errors import BadFile, Notice
from shoal.relational import DuckDBEngine, open_network

UTC = datetime.UTC
SUMMER = datetime.timezone(datetime.timedelta(hours=2))
CELLS = {
    "float": pa.array([float("nan"), None, 0.0, -0.0, 1.5], from_pandas=False),
    "float32": pa.array([float("nan"), None, 0.0, -0.0, 1.5], pa.float32(), from_pandas=False),
    "half": pa.array(np.array([1, 1, -0.0, 0, 2], dtype="float16")),
    "text": pa.array(["", None, "", " ", "a"]),
    "forms": pa.array(["é", "e\u0301", "é", "E\u0301", None]),
    "hard": pa.array(["a\0b", "a\0c", "a", "A", "a\0b"]),
    "coded": pa.array(["a", "A", "a", "", None]).dictionary_encode(),
    "large": pa.array(["x" * 100_000 + "a", "x" * 100_000 + "b", "x" * 100_000 + "a", None, ""], pa.large_string()),
    "whole": pa.array([2**63 - 1, -(2**63), 2**53, 2**53 + 1, 2**53]),
    "uint64": pa.array([2**64 - 1, 2**64 - 2, 1, 1, None], pa.uint64()),
    "truth": pa.array([True, False, None, True, None]),
    "decimal": pa.array([decimal.Decimal(text) for text in ("1.10", "1.1", "-0.0", "0", "1.11")], pa.decimal128(10, 2)),
    "bytes": pa.array([b"a", b"A", b"a", b"", None]),
    "date": pa.array([1, 1, 2, None, 3], pa.date32()),
    "time": pa.array([1, 1, 2, None, 0], pa.time64("us")),
    "stamp": pa.array([1, 2, 1, None, 3], pa.timestamp("us")),
    "fine": pa.array([1_000, 1_001, 1_000, None, 2_000], pa.timestamp("ns")),
    "zoned": pa.array(
        [
            datetime.datetime(2020, 1, 1, 2, tzinfo=SUMMER),
            datetime.datetime(2020, 1, 1, 0, tzinfo=UTC),
            None,
            datetime.datetime(2020, 1, 1, 1, tzinfo=UTC),
            None,
        ],
        pa.timestamp("us", "UTC"),
    ),
    "nothing": pa.nulls(5),
}
NOT_IN_SPARK = ("half", "time", "fine")
"""Columns that Spark refuses to read."""


def test_cells_are_compared_as_in_memory(tmp_path, start, in_spark):
    read = {name: column for name, column in CELLS.items() if not (in_spark and name in NOT_IN_SPARK)}
    file = save(tmp_path / "people.parquet", name=list("abcde"), **read)
    cells = {name: column.to_pylist() for name, column in CELLS.items()}
    cells["fine"] = CELLS["fine"].cast(pa.int64()).to_pylist()
    table = shoal.Table.of(cells, 5)
    with open_network(None, vertices=file, key="name", engine=start()) as network:
        for name in read:
            expected = shoal.assess(table, f"columns:{name}").sizes.tolist()
            found = shoal.relational.assess(network, f"columns:{name}").sizes.collect()
            assert [size for _, size, _ in sorted(found)] == expected, name


def test_columns_may_be_called_like_those_of_the_engine(tmp_path, start):
    """The engine numbers rows as v, and cells as c0, c1 ..."""
    columns = {
        "v": [7, 7, 8],
        "c1": [1, 2, 3],
        "c0": [5, 5, 5],
        "name": ["a", "b", "c"],
        "near": [0, 0, 1],
        "a": [1, 1, 2],
    }
    file = save(tmp_path / "people.parquet", **columns)
    sizes = {"v": [2, 2, 1], "c1": [1, 1, 1], "c0": [3, 3, 3], "near": [2, 2, 1], "a": [2, 2, 1]}
    edges = save(tmp_path / "edges.parquet", src=["a"], dst=["b"])
    for options in ({"source": None}, {"source": edges}):
        with open_network(**options, vertices=file, key="name", engine=start()) as network:
            for name, expected in sizes.items():
                found = shoal.relational.assess(network, f"columns:{name}").sizes.collect()
                assert [size for _, size, _ in sorted(found)] == expected, name


def test_records_without_names_are_numbered_in_the_order_of_the_table(tmp_path, start, in_spark):
    n = 40_000
    parquet.write_table(pa.table({"age": np.arange(n) // 2}), tmp_path / "a.parquet", row_group_size=3_000)
    parquet.write_table(pa.table({"age": np.arange(n, 2 * n) // 2}), tmp_path / "b.parquet", row_group_size=3_000)
    with open_network(None, vertices=tmp_path, engine=start() if in_spark else DuckDBEngine(threads=4)) as network:
        assert network.engine.collect("SELECT count(*) FROM cells WHERE v - v % 2 <> 2 * c0", "order") == [(0,)]
        assert shoal.relational.assess(network, "columns:age").histogram() == {2: 2 * n}


# Names


EXTREME = {
    "small": [-(2**31), -1, 0, 2**31 - 1, 2**31],
    "long": [-(2**63), -(2**53) - 1, 2**53, 2**53 + 1, 2**63 - 1],
    "hard": list(HARD),
    "long texts": ["x" * 50_000 + "a", "x" * 50_000 + "b", "x" * 50_000 + "A", "a\0b", "a\0c", "a"],
}


@pytest.mark.parametrize("names", EXTREME.values(), ids=EXTREME.keys())
@pytest.mark.parametrize("options", [{}, {"directed": True, "kind": "kind"}], ids=["plain", "tied"])
def test_names_are_compared_as_in_memory(names, options, tmp_path, start):
    """Also in arithmetic: an entry of a vertex is one number of a name and a relation."""
    path = list(pairwise(names))
    kinds = [f"k{at % 3}" for at in range(len(path))]
    file = save(tmp_path / "e.parquet", src=[a for a, _ in path], dst=[b for _, b in path], kind=kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        graph = shoal.Graph.from_pairs(
            names,
            list(range(len(path))),
            list(range(1, len(names))),
            directed=bool(options),
            kinds=kinds if options else None,
        )
        with open_network(file, engine=start(), **options) as network:
            for spec in ("degree", "neighbors:1", "adjacency"):
                expected = dict(zip(graph.names, shoal.assess(graph, spec).sizes.tolist(), strict=True))
                found = shoal.relational.assess(network, spec).sizes.collect()
                assert {name: size for name, size, _ in found} == expected, spec


@pytest.mark.parametrize("big", [2**49, 2**61])
def test_names_and_many_kinds_do_not_overflow(big, tmp_path, start):
    names = [big - at for at in range(901)]
    kinds = [f"k{at}" for at in range(900)]
    file = save(tmp_path / "e.parquet", src=[big] * 900, dst=names[1:], kind=kinds)
    assert count_sizes(file, "neighbors:1", engine=start(), directed=True, kind="kind") == dict.fromkeys(
        names, (1, True)
    )


def test_unsigned_names_are_compared_by_their_digits(tmp_path, start):
    file = save(
        tmp_path / "e.parquet", src=pa.array([2**64 - 1, 1], pa.uint64()), dst=pa.array([1, 2**63], pa.uint64())
    )
    found = count_sizes(file, engine=start())
    assert {int(name): size for name, size in found.items()} == {2**64 - 1: (2, True), 1: (1, True), 2**63: (2, True)}


def test_isolated_vertices_and_vertices_without_a_row(tmp_path, start):
    edges = save(tmp_path / "e.parquet", src=["a", "b"], dst=["b", "c"])
    people = save(tmp_path / "p.parquet", name=["a", "", "d"], age=[1, None, 1])
    with pytest.warns(Notice, match="missing values: 2"):
        network = open_network(edges, vertices=people, undirected=True, engine=start())
    with network:
        risk = shoal.relational.assess(network, "columns:age")
        assert {name: size for name, size, _ in risk.sizes.collect()} == {"a": 2, "d": 2, "": 3, "b": 3, "c": 3}
        assert network.n == 5


def test_no_links_but_vertices(tmp_path, start):
    edges = save(tmp_path / "e.parquet", src=pa.array([], pa.int64()), dst=pa.array([], pa.int64()))
    people = save(tmp_path / "p.parquet", name=[1, 2], age=[1, 2])
    with open_network(edges, vertices=people, engine=start()) as network:
        for spec in ("degree", "neighbors:1", "neighbors:2", "refinement", "counts:1", "degrees:1", "adjacency"):
            found = shoal.relational.assess(network, spec).sizes.collect()
            assert sorted(found) == [(1, 2, True), (2, 2, True)], spec


# Kinds


KINDS = {
    "text": pa.array(["a", "A", "a ", "a", "", None]),
    "whole": pa.array([1, 2, 1, None, 2, 3]),
    "float": pa.array([1.0, 2.5, 1.0, None, float("nan"), -0.0], from_pandas=False),
    "truth": pa.array([True, False, None, True, False, True]),
    "nothing": pa.nulls(6),
}


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS.keys())
def test_kinds_are_compared_as_in_memory(kinds, tmp_path, start):
    src, dst = [1, 3, 5, 7, 9, 11], [2, 4, 6, 8, 10, 12]
    file = save(tmp_path / "e.parquet", src=src, dst=dst, kind=kinds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        graph = shoal.read_graph(file, kind="kind")
    expected = dict(zip(map(int, graph.names), shoal.assess(graph, "degree").sizes.tolist(), strict=True))
    assert {name: size for name, (size, _) in count_sizes(file, kind="kind", engine=start()).items()} == expected


def test_kinds_that_cannot_be_labels_are_refused(tmp_path, start, in_spark):
    fine = [] if in_spark else [pa.array([1_000, 1_001], pa.timestamp("ns"))]  # Spark refuses the file
    for cells in (*fine, pa.array([1, 2], pa.timestamp("us", "UTC")), pa.array([[1], [2]])):
        file = save(tmp_path / "e.parquet", src=[1, 3], dst=[2, 4], kind=cells)
        with pytest.raises(BadFile, match="--kind"):
            count_sizes(file, kind="kind", engine=start(tmp_path))
        assert list_left(tmp_path) == []


def test_what_a_parquet_file_declares_is_not_believed(tmp_path, start):
    """A writer leaves NaN out of the smallest and largest values, so a file seems to have none."""
    cells = pa.array([float("nan"), 1.0, float("nan"), None, 1.0], from_pandas=False)
    for at in range(2):
        save(tmp_path / f"{at}.parquet", weight=cells)
    assert (
        sorted(size for size, _ in count_sizes(tmp_path, "columns:weight", engine=start()).values())
        == [4] * 4 + [6] * 6
    )
    relation = duckdb.sql("SELECT CASE WHEN range % 2 = 0 THEN 'nan'::DOUBLE ELSE 1 END AS weight FROM range(6)")
    assert sorted(size for size, _ in count_sizes(relation, "columns:weight").values()) == [3] * 6
