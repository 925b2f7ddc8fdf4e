"""The option --engine of risk and check: the exit codes, rows and refusals of memory."""

import json
import sys

import duckdb
import pytest
from pyarrow import parquet

from relational_cases import list_left, save


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a network and a table of its people."""
    monkeypatch.chdir(tmp_path)
    save(tmp_path / "edges.parquet", src=["a", "b", "c", "a"], dst=["b", "c", "d", "e"])
    save(tmp_path / "people.parquet", name=list("abcdef"), age=[1, 1, 1, 2, 2, 3], town=["x", "x", "y", "y", "x", "x"])
    (tmp_path / "temp").mkdir()
    yield tmp_path
    assert list_left(tmp_path / "temp") == []


ENGINE = ("--engine", "duckdb", "--temp", "temp", "--memory", "300MB")
COMMANDS = (
    "check edges.parquet --undirected --knows degree --at-least 2",
    "check edges.parquet --undirected --knows degree --knows refinement:2 --at-least 2",
    "check edges.parquet --undirected --knows degree --at-least 3 --allow 50%",
    "check edges.parquet --undirected --knows degree --at-least 9",
    "check edges.parquet --undirected --scenario agreement",
    "check edges.parquet --undirected --scenario internal --attributes people.parquet --columns age",
    "check edges.parquet --undirected --scenario own.toml",
    "check edges.parquet --undirected --scenario own.toml --attributes people.parquet",
    "check edges.parquet --undirected --at-least 2",
    "check edges.parquet --directed --knows degree:out --at-least 2",
    "check people.parquet --columns age --at-least 2",
    "check people.parquet --columns age,town --at-least 1",
    "check people.parquet --table --at-least 1",
    "check people.parquet --table --at-least 2",
    "check people.parquet --columns age --scenario own.toml",
    "risk edges.parquet --undirected --knows degree --knows neighbors:1 -k 2",
    "risk edges.parquet --undirected --knows columns:age --attributes people.parquet",
    "risk people.parquet --columns age --knows columns:age",
)


def write_scenario(place, *specs):
    knows = "".join(f'[[knows]]\nspec = "{spec}"\n' for spec in specs)
    (place / "own.toml").write_text(f"k = 2\nallow = 0\n{knows}")


@pytest.mark.parametrize("command", COMMANDS)
def test_codes_and_data_are_those_of_memory(command, place, shell):
    more = ("some-columns:1",) if "attributes" in command else ()
    write_scenario(place, "degree", "columns:age", *more)
    code, out, _ = shell(*command.split(), "--json")
    again, told, said = shell(*command.split(), *ENGINE, "--json")
    assert (again, bool(told)) == (code, bool(out)), said
    if not out:
        return
    expected, found = json.loads(out), json.loads(told)
    expected.pop("table", None)  # what is only said about tables in memory
    graphs = expected.pop("graph"), found.pop("graph")
    assert graphs[1].pop("engine") == "duckdb"
    assert {graph.get("edges", 0) for graph in graphs} == {4 if "edges.parquet" in command else 0}
    for row in (*expected.get("risks", ()), *found.get("risks", ())):
        assert row.pop("seconds") >= 0
    assert found == expected


def test_rows_in_text(place, shell):
    code, out, said = shell(
        "risk", "edges.parquet", "--undirected", "--knows", "degree", *ENGINE, "--out", "sizes.parquet"
    )
    assert (code, said) == (0, "")
    assert "duckdb" in out
    assert "sizes.parquet" in out
    assert (place / "sizes.parquet").stat().st_mode & 0o777 == 0o600
    rows = parquet.read_table(place / "sizes.parquet").to_pylist()
    assert {row["name"]: (row["knows"], row["candidates"]) for row in rows} == {
        "a": ("degree", 3),
        "b": ("degree", 3),
        "c": ("degree", 3),
        "d": ("degree", 2),
        "e": ("degree", 2),
    }
    before = (place / "sizes.parquet").read_bytes()
    code, _, said = shell("risk", "edges.parquet", "--knows", "degree", *ENGINE, "--out", "sizes.parquet")
    assert code == 2
    assert "--force" in said
    assert (place / "sizes.parquet").read_bytes() == before


def test_a_database_needs_no_engine(place, shell):
    with duckdb.connect("x.db") as made:
        made.execute("CREATE TABLE edges AS FROM 'edges.parquet'")
    before = (place / "x.db").read_bytes()
    assert shell("check", "duckdb:x.db/edges", "--undirected", "--knows", "degree", "--at-least", "2")[0] == 0
    assert shell("check", "duckdb:x.db/edges", "--undirected", "--knows", "degree", "--at-least", "3")[0] == 1
    assert (place / "x.db").read_bytes() == before


REFUSED = (
    ("risk edges.parquet --knows degree --memory 1GB", ["--memory", "--engine"]),
    ("risk edges.parquet --knows degree --temp temp", ["--temp", "--engine"]),
    ("check edges.parquet --knows degree --at-least 2 --temp temp", ["--temp", "--engine"]),
    ("risk edges.parquet --knows degree --out o.parquet", ["--out", "--engine"]),
    ("risk edges.parquet --engine duckdb --knows degree --memory lots", ["--memory", "lots", "4GB"]),
    ("risk edges.parquet --engine duckdb --knows degree --memory=-1GB", ["--memory", "-1GB"]),
    ("risk edges.parquet --engine duckdb --knows degree --temp missing", ["--temp", "missing"]),
    ("risk edges.parquet --engine duckdb --knows degree --temp edges.parquet", ["--temp"]),
    ("risk edges.parquet --engine sql --knows degree", ["--engine", "spark", "duckdb"]),
    ("risk edges.parquet --engine duckdb --master local --knows degree", ["--master", "--engine spark"]),
    ("risk edges.parquet --engine duckdb --knows degree --csv o.csv --names", ["--csv", "--names"]),
    ("risk edges.parquet --engine duckdb --knows degree --separator ;", ["--separator"]),
    ("risk edges.parquet --engine duckdb --knows degree --fraction 0", ["--fraction"]),
    ("risk people.parquet --engine duckdb --columns age --sensitive town", ["--sensitive"]),
    ("check edges.parquet --engine duckdb --knows degree --at-least 2 --original x --mapping y", ["--original"]),
    ("risk edges.parquet --engine duckdb --knows orbit", ["orbit", "degree"]),
    ("risk missing.parquet --engine duckdb --knows orbit", ["orbit", "degree"]),
    ("check missing.parquet --engine duckdb --scenario own.toml", ["orbit", "degree"]),
    ("risk missing.parquet --engine duckdb --knows degree", ["missing.parquet"]),
    ("risk edges.csv --engine duckdb --knows degree", ["edges.csv", "Parquet"]),
    ("risk s3://bucket/e.parquet --engine duckdb --knows degree", ["s3://", "on this machine"]),
    ("risk duckdb:missing.db/edges --knows degree", ["missing.db"]),
    ("risk duckdb:edges.parquet/edges --knows degree", ["edges.parquet", "DuckDB database"]),
    ("risk edges.parquet --engine duckdb --knows degree --ends src,dts", ["'dts'", "'dst'"]),
    ("risk edges.parquet --engine duckdb --knows degree --out edges.parquet --force", ["edges.parquet", "input"]),
    ("risk edges.parquet --engine duckdb --knows columns:age", ["age", "--attributes"]),
    ("risk edges.parquet --engine duckdb --knows columns:zip --attributes people.parquet", ["zip", "'town'"]),
    ("risk edges.parquet --engine duckdb --knows degree -k 99", ["99", "5"]),
)


@pytest.mark.parametrize(("command", "words"), REFUSED, ids=[command for command, _ in REFUSED])
def test_refusals(command, words, place, shell):
    write_scenario(place, "degree", "orbit")
    (place / "edges.csv").write_text("src,dst\na,b\n")
    before = sorted(path.name for path in place.iterdir())
    temp = () if "--temp" in command or "--engine" not in command else ("--temp", "temp")
    code, out, said = shell(*command.split(), *temp)
    assert code == 2
    assert out == ""
    assert "Traceback" not in said
    for word in words:
        assert word in said, said
    assert sorted(path.name for path in place.iterdir()) == before


def test_without_the_library_the_extra_is_named(place, shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    code, _, said = shell("risk", "edges.parquet", "--knows", "degree", *ENGINE)
    assert code == 2
    assert "shoal[duckdb]" in said
