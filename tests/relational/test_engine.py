"""An engine: what it may open, what it reports, what it writes, and that a wrong result is not believed."""

import os
import resource
import sys
import warnings
from pathlib import Path
from random import Random

import duckdb
import pytest
from pyarrow import parquet

import shoal
from relational_cases import count_sizes, draw_case, list_left, save, write_case
from shoal.errors import BadFile, BadParameter, FileExists, Notice, ShoalError
from shoal.progress import watching
from shoal.relational import DuckDBEngine, open_network
from shoal.relational.kinds import neighbors


@pytest.fixture
def network(edges, tmp_path):
    with open_network(edges, engine=DuckDBEngine(temp=tmp_path, threads=1)) as found:
        yield found


# What it may open


def test_nothing_else_can_be_read_or_written_after_loading(network, edges, tmp_path):
    other = save(tmp_path / "other.parquet", src=[1], dst=[2])
    target = tmp_path / "target"
    for query in (
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        f"SELECT * FROM '{other}'",
        f"COPY (SELECT 1) TO '{target}'",
        f"COPY people TO '{edges}' (FORMAT parquet)",
        f"ATTACH '{target}'",
        f"EXPORT DATABASE '{target}'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SELECT * FROM 'https://example.org/a.parquet'",
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SET allowed_directories = ['/']",
        "SET temp_directory = '/tmp'",
        "SET autoinstall_known_extensions = true",
    ):
        with pytest.raises(ShoalError):
            network.engine.collect(query, "attack")
    assert not target.exists()
    assert parquet.read_table(edges).num_rows == 2
    assert network.engine.collect("SELECT count(*) FROM people", "people") == [(3,)]


def test_a_database_is_opened_for_reading_only(tmp_path):
    file = tmp_path / "x.db"
    with duckdb.connect(str(file)) as made:
        made.execute("CREATE TABLE edges AS SELECT 1 AS src, 2 AS dst")
    with open_network(f"duckdb:{file}/edges", engine=DuckDBEngine(threads=1)) as network:
        for query in ("INSERT INTO source0.edges VALUES (3, 4)", "DROP TABLE source0.edges"):
            with pytest.raises(BadFile, match="Cannot execute"):
                network.engine.collect(query, "attack")


def test_the_engine_keeps_to_its_folder_and_loads_nothing(network, tmp_path):
    known = dict(network.engine.collect("SELECT name, value FROM duckdb_settings()", "settings"))
    (folder,) = list_left(tmp_path)
    for name in (
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "allow_community_extensions",
        "allow_persistent_secrets",
        "enable_external_file_cache",
        "enable_external_access",
        "enable_progress_bar_print",
        "preserve_insertion_order",
    ):
        assert known[name] == "false", name
    for name, place in (("temp_directory", "/spill"), ("secret_directory", "/none"), ("home_directory", "")):
        assert known[name] == f"{tmp_path / folder}{place}"
    assert (known["lock_configuration"], known["default_collation"], known["threads"]) == ("true", "", "1")
    assert known["disabled_optimizers"] == ""  # as long as files are read, statistics in them are not believed


def test_the_memory_is_what_was_asked_for(edges, tmp_path):
    with open_network(edges, engine=DuckDBEngine(" 300 MB ", tmp_path, 1)) as network:
        ((limit,),) = network.engine.collect("SELECT current_setting('memory_limit')", "settings")
    assert limit.startswith("286")  # MiB


@pytest.mark.parametrize("memory", ["lots", "", "0", "5", "-1", "-1GB", "100%", "none", "1e9", "4 gigs"])
def test_memory_is_an_amount(memory, tmp_path):
    """DuckDB itself takes a negative amount for no limit."""
    with pytest.raises(BadParameter, match="--memory"):
        DuckDBEngine(memory, temp=tmp_path)
    assert list_left(tmp_path) == []


def test_an_engine_has_one_network(network, edges):
    with pytest.raises(BadParameter, match="new one"):
        open_network(edges, engine=network.engine)
    assert shoal.relational.assess(network, "degree").k == 1  # the first one is not harmed


def test_without_the_library_the_extra_is_named(monkeypatch, edges):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(shoal.errors.MissingLibrary, match=r"shoal\[duckdb\]"):
        shoal.relational.assess(edges, "degree")


def test_too_little_memory_is_told_with_what_to_do(tmp_path):
    links = duckdb.sql("SELECT range AS src, hash(range) % 90_000 AS dst FROM range(100_000) WHERE src <> dst")
    with pytest.raises(shoal.errors.MissingResource, match="--memory"):
        open_network(links, undirected=True, engine=DuckDBEngine("1MB", tmp_path, 1))
    assert list_left(tmp_path) == []


def test_each_step_reports_progress(network, monkeypatch):
    monkeypatch.setattr("shoal.relational.steps.TICK", 0)
    seen = {}
    with watching(lambda what, done, total: seen.setdefault(what, (done, total))):
        for spec in ("refinement:2", "counts:1", "adjacency"):
            shoal.relational.assess(network, spec)
    assert {"refinement", "triangles", "adjacency", "checking"} <= seen.keys()
    assert all(0 <= done <= total == 100 for done, total in seen.values())


# Wrong results


class BrokenEngine(DuckDBEngine):
    """Counts wrong: it runs another query for a table of sizes."""

    wrong = "{query}"

    def keep(self, table, query, what, **how):
        super().keep(table, self.wrong.format(query=query) if table.startswith("sizes") else query, what, **how)


WRONG = (
    "SELECT * FROM ({query}) LIMIT 2",
    "SELECT * FROM ({query}) UNION ALL SELECT * FROM ({query})",
    "SELECT min(v) OVER () AS v, candidates, exact FROM ({query})",
    "SELECT v + 99 AS v, candidates, exact FROM ({query})",
    "SELECT v, candidates - 1 AS candidates, exact FROM ({query})",
    "SELECT v, candidates + 3 AS candidates, exact FROM ({query})",
)


@pytest.mark.parametrize("wrong", [*WRONG, "SELECT v, 2 AS candidates, exact FROM ({query})"])
def test_a_wrong_result_is_not_believed(wrong, edges, tmp_path, monkeypatch):
    monkeypatch.setattr(BrokenEngine, "wrong", wrong)
    with pytest.raises(RuntimeError, match="defect"):
        shoal.relational.assess(edges, "refinement:2", engine=BrokenEngine(temp=tmp_path, threads=1))
    assert list_left(tmp_path) == []


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_levels_are_not_believed(wrong, edges, tmp_path, monkeypatch):
    monkeypatch.setattr(BrokenEngine, "wrong", wrong)
    with pytest.raises(RuntimeError, match="defect"):
        shoal.relational.levels(edges, k=2, max_size=1, engine=BrokenEngine(temp=tmp_path, threads=1))
    assert list_left(tmp_path) == []


COLLIDING = (
    "adjacency",
    "refinement",
    "degrees:1",
    "counts:1",
    "hubs:2:2",
    "hubs:1:2:open",
    "refinement:2+columns:town+counts:1",
    "neighbors:2",
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_answers_are_equal_where_all_signatures_are(seed, tmp_path):
    """With no bits, vertices with equally many rows collide in every round."""
    case = draw_case(seed)
    links, people = write_case(case, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        with open_network(links, vertices=people, engine=DuckDBEngine(threads=1, bits=0), **case.options) as network:
            for spec in COLLIDING:
                expected = shoal.assess(case.graph, spec)
                found = {name: size for name, size, _ in shoal.relational.assess(network, spec).sizes.collect()}
                assert found == dict(zip(case.graph.names, expected.sizes.tolist(), strict=True)), spec


# What it writes


def test_a_written_table_is_private_and_whole(network, tmp_path):
    out = tmp_path / "sizes.parquet"
    umask = os.umask(0)
    try:
        risk = shoal.relational.assess(network, "degree")
        risk.sizes.write(out)
    finally:
        os.umask(umask)
    assert out.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob("*/written*"))
    before = out.read_bytes()
    with pytest.raises(FileExists, match="force"):
        risk.at_risk(3).write(out)
    assert out.read_bytes() == before
    risk.at_risk(2).write(out, force=True)
    assert parquet.read_table(out).to_pylist() == [{"name": "b", "candidates": 1, "exact": True}]
    assert out.stat().st_mode & 0o777 == 0o600


def test_nothing_partial_is_left_where_the_disk_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # else a module could be cut
    links = duckdb.sql("SELECT range AS src, range + 1 AS dst FROM range(50_000)")
    out, temp = tmp_path / "sizes.parquet", tmp_path / "temp"
    temp.mkdir()
    with open_network(links, undirected=True, engine=DuckDBEngine(temp=temp, threads=1)) as network:
        risk = shoal.relational.assess(network, "degree")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, hard))
        try:
            with pytest.raises(ShoalError):
                risk.sizes.write(out)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [path.name for path in tmp_path.iterdir()] == ["temp"]
        assert not list(Path(temp).glob("*/written*"))
        risk.sizes.write(out)
        assert parquet.read_table(out).num_rows == 50_001
    assert list_left(temp) == []


def test_a_failure_while_writing_leaves_the_old_file(network, tmp_path, monkeypatch):
    out = tmp_path / "sizes.parquet"
    out.write_bytes(b"old")
    risk = shoal.relational.assess(network, "degree")

    def fail(path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shoal.relational.parquet.create_file", fail)
    with pytest.raises(BadFile, match="No space left"):
        risk.sizes.write(out, force=True)
    assert out.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name not in list_left(tmp_path)) == [
        "edges.parquet",
        "sizes.parquet",
    ]


def test_nothing_of_a_person_is_shown_unasked(network):
    risk = shoal.relational.assess(network, "degree")
    found = shoal.relational.levels(network, k=2)
    for shown in (repr(network), repr(risk), repr(risk.sizes), repr(found), repr(found.levels)):
        assert "'a'" not in shown
        assert "'b'" not in shown


# The budget of neighbors:2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_tiny_budget_gives_upper_bounds_and_never_a_wrong_exact_size(seed, tmp_path, monkeypatch):
    n = 24
    rng = Random(seed)
    pairs = [(a, b) for a in range(n) for b in range(a) if rng.random() < 0.35]
    file = save(tmp_path / "e.parquet", src=[a for a, _ in pairs], dst=[b for _, b in pairs])
    graph = shoal.as_graph(pairs)
    truth = dict(zip(graph.names, shoal.assess(graph, "neighbors:2").sizes.tolist(), strict=True))
    cut = 0
    for budget in (1, 400, 4_000):
        monkeypatch.setattr(neighbors, "BUDGET", budget)
        found = count_sizes(file, "neighbors:2", undirected=True)
        assert found.keys() == truth.keys()
        for name, (size, exact) in found.items():
            assert size == truth[name] if exact else size >= truth[name]
            cut += not exact
    assert cut


def count_by_hand(rows, budget):
    """Count pairs of neighbors, the rarest first; rows has the set of neighbors of each vertex.

    Pairs among the 2, 8, 32 rarest neighbors are counted. A pair costs as many steps as its rarer neighbor has
    neighbors. The vertices with the lowest costs come first, as long as those before have not used up the budget.
    Return the sizes, and the costs of each round.
    """
    rarest = {v: sorted(row, key=lambda x: (len(rows[x]), x)) for v, row in rows.items()}
    best = {v: min((len(rows[x]) for x in row), default=len(rows)) for v, row in rows.items()}
    floor = {v: sum(row == other for other in rows.values()) for v, row in rows.items()}
    cut, totals = set(), []
    open_ones = [v for v, row in rows.items() if len(row) > 1 and best[v] > floor[v]]
    for first, most in ((0, 2), (2, 8), (8, 32)):
        pairs = {
            v: [(x, y) for s, y in enumerate(rarest[v][:most]) for x in rarest[v][:s] if s >= first] for v in open_ones
        }
        costs = {v: sum(len(rows[x]) for x, _ in pairs[v]) for v in open_ones}
        totals.append(sum(costs.values()))
        spent, searched = 0, []
        for v in sorted(open_ones, key=lambda v: (costs[v], v)):
            if spent < budget:
                searched.append(v)
            else:
                cut.add(v)
            spent += costs[v]
        for v in searched:
            best[v] = min(best[v], *(len(rows[x] & rows[y]) for x, y in pairs[v]))
        open_ones = [v for v in searched if best[v] > floor[v] and len(rows[v]) > most]
    return {v: (best[v], v not in cut) for v in rows}, totals


def test_the_budget_is_spent_on_the_cheapest_vertices_first(tmp_path, monkeypatch):
    n, rng = 18, Random(5)
    pairs = [(a, b) for a in range(n) for b in range(a) if rng.random() < 0.6]
    rows = {v: {a + b - v for a, b in pairs if v in (a, b)} for v in range(n)}
    _, totals = count_by_hand(rows, 10**9)
    assert min(totals) > 0
    assert max(map(len, rows.values())) > 8
    file = save(tmp_path / "e.parquet", src=[a for a, _ in pairs], dst=[b for _, b in pairs])
    with open_network(file, undirected=True, engine=DuckDBEngine(threads=1)) as network:
        for budget in (1, *(total // 3 for total in totals), max(totals) - 1, max(totals), 10**9):
            monkeypatch.setattr(neighbors, "BUDGET", budget)
            risk = shoal.relational.assess(network, "neighbors:2")
            expected, _ = count_by_hand(rows, budget)
            assert {v: (size, exact) for v, size, exact in risk.sizes.collect()} == expected, budget


def test_a_table_is_a_relation_for_further_queries(network):
    risk = shoal.relational.assess(network, "degree")
    assert risk.sizes.relation.filter("candidates = 2").aggregate("count(*)").fetchall() == [(2,)]
    assert risk.at_risk(2).relation.columns == ["name", "candidates", "exact"]
