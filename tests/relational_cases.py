"""Small and random networks, in memory and as files for an engine."""

import os
import random
import warnings
from typing import NamedTuple

import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from shoal.errors import Notice
from shoal.relational import DuckDBEngine, SparkEngine
from shoal.relational.scratch import PREFIX

MASTER = os.environ.get("SHOAL_TEST_SPARK")
"""Where Spark runs in the tests, e.g. local[2]; without it only DuckDB is tested."""
ENGINES = ("duckdb", "spark") if MASTER else ("duckdb",)

LINKS = {"src": ["a", "b"], "dst": ["b", "c"]}
"""The path a, b, c."""
HARD = (
    "",
    " ",
    "a",
    "A",
    "a ",
    " a",
    "é",
    "e\u0301",
    "1",
    "01",
    "1.0",
    "NULL",
    "null",
    "ß",
    "ss",
    "%",
    "'",
    '"',
    "日本",
    "🙂",
)
"""Names that careless comparisons would join."""
KNOWLEDGE = (
    "degree",
    "degree:total",
    "columns:age",
    "columns:age,town",
    "some-columns:1",
    "some-columns:2:age,town,weight",
    "adjacency",
    "refinement:0",
    "refinement:1",
    "refinement:2",
    "refinement:3",
    "refinement",
    "counts:1",
    "degrees:1",
    "hubs:1",
    "hubs:2:1",
    "hubs:2:2:open",
    "hubs:1:*:open",
    "neighbors:1",
    "neighbors:2",
    "degree+columns:age",
    "refinement:2+columns:town+counts:1",
    "adjacency+degree",
    "degree+neighbors:1",
    "columns:town+neighbors:1",
    "refinement:2+hubs:1+neighbors:1",
)
"""Every kind of knowledge that engines count, with their combinations."""
DIRECTED = ("degree:out", "degree:in", "degree:out+neighbors:1")


class Case(NamedTuple):
    """A network in memory, and how its files are read."""

    graph: object
    links: pa.Table
    vertices: pa.Table
    options: dict

    @property
    def knowledge(self):
        return KNOWLEDGE + (DIRECTED if self.options["directed"] else ())


def draw_case(seed):
    """Return a random network: integers or texts as names, isolated vertices, loops, repeated links, missing cells."""
    rng = random.Random(seed)
    n = rng.randint(2, 9)
    wide = rng.random() < 0.2
    names = rng.sample(HARD, n) if rng.random() < 0.5 else rng.sample(range(-5, 40), n)
    if wide and isinstance(names[0], int):
        names = [name * 10**12 for name in names]
    directed, kinds, multigraph = (rng.random() < 0.45 for _ in range(3))
    density = rng.choice((0.2, 0.5, 0.8))
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b and rng.random() < density / 2]
    pairs += rng.choices(pairs, k=len(pairs) // 3) if pairs else [(0, 1)]
    loops = [(a, a) for a in range(n) if rng.random() < 0.1]
    rows = [(a, b, rng.choice(("call", "mail", "", None)) if kinds else None) for a, b in pairs + loops]
    rng.shuffle(rows)
    cells = {
        "age": [rng.choice((30, 31, None)) for _ in range(n)],
        "town": [rng.choice(("Ulm", "ulm", "", None)) for _ in range(n)],
        "weight": [rng.choice((0.0, -0.0, 1.5, float("nan"), None)) for _ in range(n)],
    }
    known = [v for v in range(n) if rng.random() < 0.8]
    linked = {end for a, b, _ in rows for end in (a, b)}
    there = sorted(linked | set(known))
    number = {v: i for i, v in enumerate(there)}
    links = [row for row in rows if row[0] != row[1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        graph = shoal.Graph.from_pairs(
            [names[v] for v in there],
            [number[a] for a, _, _ in links],
            [number[b] for _, b, _ in links],
            directed=directed,
            kinds=[kind or None for *_, kind in links] if kinds else None,
            multigraph=multigraph,
        )
    empty = dict.fromkeys(cells)
    held = {v: {name: column[v] for name, column in cells.items()} if v in known else empty for v in there}
    graph = graph.with_attributes(shoal.Table.of({name: [held[v][name] for v in there] for name in cells}, len(there)))
    kind = pa.int64() if isinstance(names[0], int) else pa.string()
    links = pa.table(
        {
            "src": pa.array([names[a] for a, _, _ in rows], kind),
            "dst": pa.array([names[b] for _, b, _ in rows], kind),
            "what": pa.array([one for *_, one in rows], pa.string()),
        }
    )
    vertices = pa.table(
        {
            "name": pa.array([names[v] for v in known], kind),
            "age": pa.array([cells["age"][v] for v in known], pa.int32()),
            "town": pa.array([cells["town"][v] for v in known], pa.string()),
            "weight": pa.array([cells["weight"][v] for v in known], pa.float64(), from_pandas=False),
        }
    )
    options = {"directed": directed, "kind": "what" if kinds else None, "multigraph": multigraph, "drop_loops": True}
    return Case(graph, links, vertices, options)


def write_case(case, folder, files=2):
    """Write the links in several files and the vertices in one; return both places."""
    edges = folder / "edges"
    edges.mkdir()
    step = -(-max(1, case.links.num_rows) // files)
    for at in range(files):
        parquet.write_table(case.links.slice(at * step, step), edges / f"part-{at}.parquet")
    parquet.write_table(case.vertices, folder / "people.parquet")
    return edges, folder / "people.parquet"


def save(path, **columns):
    """Write a Parquet file; return its path."""
    parquet.write_table(pa.table(columns), path)
    return path


def count_sizes(source, knowledge="degree", *, bits=32, temp=None, engine=None, **options):
    """Return the sizes that an engine counts, as {name: (size, exact)}."""
    engine = engine or DuckDBEngine("300MB", temp, threads=1, bits=bits)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        with shoal.relational.assess(source, knowledge, engine=engine, **options) as risk:
            return {name: (size, exact) for name, size, exact in risk.sizes.collect()}


def list_left(folder):
    """Return the temporary folders of runs in a folder."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(PREFIX))


@pytest.fixture(scope="session")
def spark():
    """A running Spark."""
    from pyspark.sql import SparkSession

    engine = SparkEngine(master=MASTER)
    yield SparkSession.active()
    engine.close()


@pytest.fixture(params=ENGINES)
def start(request):
    """Start an engine: each test that takes it runs in every engine."""
    if request.param == "duckdb":
        return lambda temp=None, bits=32: DuckDBEngine("300MB", temp, threads=1, bits=bits)
    session = request.getfixturevalue("spark")
    return lambda temp=None, bits=32: SparkEngine(session, temp=temp, bits=bits)


@pytest.fixture
def in_spark(start, request):
    """Whether the engine of this test is Spark, where each step takes a second."""
    return request.node.callspec.params["start"] == "spark"


@pytest.fixture
def edges(tmp_path):
    """A Parquet file with the path a, b, c."""
    return save(tmp_path / "edges.parquet", **LINKS)
