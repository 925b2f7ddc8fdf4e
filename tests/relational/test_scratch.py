"""Temporary data: private while they are there, and gone afterwards, however a run ends."""

import gc
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from random import Random

import duckdb
import pytest
from pyarrow import parquet

import shoal
from draws import SEED, TIMES
from relational_cases import count_sizes, list_left, save
from shoal.errors import BadGraph, MissingResource, OutOfTime
from shoal.limits import TimeLimit, stop_after
from shoal.progress import watching
from shoal.relational import DuckDBEngine, open_network
from shoal.relational.scratch import PREFIX, Scratch


@pytest.fixture
def temp(tmp_path):
    place = tmp_path / "temp"
    place.mkdir()
    return place


def draw_clique(n):
    """Return a relation of all pairs, in which triangles take a while."""
    return duckdb.sql(f"SELECT a.range AS src, b.range AS dst FROM range({n}) a, range({n}) b WHERE a.range < b.range")


def open_clique(temp, n=300):
    return open_network(draw_clique(n), undirected=True, engine=DuckDBEngine("500MB", temp, 1))


# Private


@pytest.mark.slow
def test_what_does_not_fit_is_in_a_private_folder(temp, monkeypatch):
    """At every look of a run with little memory, all that is on the disk is inside a folder of mode 700."""
    monkeypatch.setattr("shoal.relational.steps.TICK", 0.002)
    modes, spilled = set(), set()

    def look(*_):
        for folder in temp.iterdir():
            modes.add(stat.S_IMODE(folder.lstat().st_mode))
            with suppress(FileNotFoundError):
                spilled.update(path.name for path in folder.glob("spill/*.tmp"))

    links = duckdb.sql(
        "SELECT range % 30_000 AS src, hash(range) % 300_000 AS dst FROM range(300_000) WHERE src <> dst"
    )
    umask = os.umask(0)
    try:
        with (
            watching(look),
            open_network(links, engine=DuckDBEngine("40MB", temp, 1), undirected=True) as net,
        ):
            assert shoal.relational.assess(net, "refinement:1").n > 100_000
            look()
    finally:
        os.umask(umask)
    assert modes == {0o700}
    assert spilled
    assert list_left(temp) == []


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, edges):
    for place in (tmp_path / "missing", edges):
        with pytest.raises(MissingResource, match="--temp"):
            DuckDBEngine(temp=place)


# Removed


def test_removed_on_success_on_error_and_without_references(edges, tmp_path, temp):
    count_sizes(edges, temp=temp)
    assert list_left(temp) == []
    loops = save(tmp_path / "loops.parquet", src=["a"], dst=["a"])
    with pytest.raises(BadGraph):
        count_sizes(loops, temp=temp)
    assert list_left(temp) == []
    network = open_network(edges, engine=DuckDBEngine(temp=temp, threads=1))
    risk = shoal.relational.assess(network, "degree")
    assert len(list_left(temp)) == 1
    del network
    gc.collect()
    assert len(list_left(temp)) == 1  # the risk still reads it
    del risk
    gc.collect()
    assert list_left(temp) == []


def test_closing_twice_is_harmless_and_nothing_is_counted_afterwards(edges, temp):
    risk = shoal.relational.assess(edges, "degree", engine=DuckDBEngine(temp=temp, threads=1))
    risk.close()
    risk.close()
    assert list_left(temp) == []
    assert risk.k == 1  # what was collected stays
    with pytest.raises(shoal.errors.BadParameter, match="closed"):
        risk.sizes.collect()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_removed_when_a_step_is_interrupted(error, temp):
    def interrupt(what, done, total):
        if what == "triangles":
            raise error

    with pytest.raises(error), open_clique(temp) as network, watching(interrupt):
        shoal.relational.assess(network, "degrees:1")
    assert list_left(temp) == []


def test_an_interrupted_engine_counts_on(temp):
    with open_clique(temp) as network:
        with pytest.raises(OutOfTime), stop_after(TimeLimit.of(0.3)):
            shoal.relational.assess(network, "degrees:1")
        assert shoal.relational.assess(network, "degree").k == 300
    assert list_left(temp) == []


def test_a_relation_can_be_interrupted(temp):
    """The relation is computed by the caller's connection; Ctrl-C ends that too."""
    endless = duckdb.sql(
        "SELECT count(*) AS src, 1 AS dst FROM range(100_000) a, range(100_000_000) b WHERE a.range * b.range % 7 = 3"
    )
    press = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    with pytest.raises(KeyboardInterrupt):
        count_sizes(endless, temp=temp)
    press.join()
    assert list_left(temp) == []


@pytest.mark.slow
def test_removed_at_the_end_of_the_program(edges, temp):
    """Nobody closed the network."""
    code = (
        "import sys, shoal; from shoal.relational import DuckDBEngine, open_network\n"
        "net = open_network(sys.argv[1], engine=DuckDBEngine(temp=sys.argv[2], threads=1))\n"
        "print(shoal.relational.assess(net, 'degree').k); raise RuntimeError('defect')"
    )
    ended = subprocess.run([sys.executable, "-c", code, edges, temp], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, "1\n")
    assert "defect" in ended.stderr
    assert list_left(temp) == []


# Swept


def leave(place, name, mode=0o700):
    folder = place / f"{PREFIX}{name}"
    folder.mkdir()
    (folder / "names.parquet").write_bytes(b"Ridolfi")
    folder.chmod(mode)
    return folder


def test_leftovers_are_swept_and_nothing_else_is(temp, tmp_path):
    left = leave(temp, "left")
    open_to_others = leave(temp, "open", 0o755)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    (elsewhere / "diary").write_text("dear")
    (temp / f"{PREFIX}link").symlink_to(elsewhere)
    (temp / f"{PREFIX}file").write_text("a file")
    (temp / "other").mkdir(mode=0o700)
    running = Scratch(temp)
    Scratch(temp).remove()
    assert not left.exists()
    assert (open_to_others / "names.parquet").exists()
    assert (elsewhere / "diary").read_text() == "dear"
    assert {path.name for path in temp.iterdir()} == {
        open_to_others.name,
        f"{PREFIX}link",
        f"{PREFIX}file",
        "other",
        running.folder.name,
    }
    running.remove()


def test_folders_of_others_are_not_swept(temp, monkeypatch):
    left, own = leave(temp, "left"), os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    Scratch(temp).remove()
    assert (left / "names.parquet").exists()
    monkeypatch.undo()
    Scratch(temp).remove()
    assert not left.exists()


# Killed

DRIVER = """
import os, signal, sys, time, warnings
import duckdb, pyarrow.parquet, shoal
import shoal.relational as relational
import shoal.relational.kinds.refinement
warnings.simplefilter("ignore")
edges, temp, out = sys.argv[1:]

def work():
    while True:
        with relational.assess(edges, "refinement:2", engine=relational.DuckDBEngine("100MB", temp, 1)) as risk:
            risk.sizes.write(out, force=True)

for line in sys.stdin:
    if not (child := os.fork()):
        work()
    time.sleep(float(line))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print("killed", flush=True)
"""
"""Counts and writes again and again, each time in a copy of itself that is killed after some seconds."""


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path, temp):
    """After the next start nothing is left, the result is right, and an output file is whole."""
    n = 20_000
    edges = tmp_path / "edges.parquet"
    duckdb.sql(f"SELECT range AS src, (range * 7 + 1) % {n} AS dst FROM range({n}) WHERE src <> dst").write_parquet(
        str(edges)
    )
    expected = count_sizes(edges, "refinement:2")
    out = tmp_path / "sizes.parquet"
    rng = Random(f"{SEED} killed")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    seen = 0
    with subprocess.Popen([sys.executable, "-c", DRIVER, edges, temp, out], text=True, **pipes) as driver:
        for _ in range(3 if TIMES == 1 else 100):
            driver.stdin.write(f"{rng.uniform(0, 1)}\n")
            driver.stdin.flush()
            assert driver.stdout.readline() == "killed\n"
            left = list_left(temp)
            seen += len(left)
            engine = DuckDBEngine("100MB", temp, 1)
            assert not set(left) & set(list_left(temp))  # the next start has swept
            engine.close()
            assert list_left(temp) == []
            if out.exists():
                assert out.stat().st_mode & 0o777 == 0o600
                rows = parquet.read_table(out).to_pylist()
                assert {row["name"]: (row["candidates"], row["exact"]) for row in rows} == expected
    assert seen
    assert count_sizes(edges, "refinement:2", temp=temp) == expected


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_a_command(number, code, tmp_path, temp):
    edges, out = tmp_path / "edges.parquet", tmp_path / "out.parquet"
    draw_clique(600).write_parquet(str(edges))  # so many triangles that the signal comes first on any machine
    options = ["--engine", "duckdb", "--temp", temp, "--undirected", "--knows", "degrees:1", "--out", out]
    run = subprocess.Popen(
        [sys.executable, "-m", "shoal", "risk", edges, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with run:
        end = time.monotonic() + 120
        while not list_left(temp) and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.5)
        run.send_signal(number)
        _, said = run.communicate(timeout=60)
    assert run.returncode == code
    assert "nothing was written" in said
    assert "Traceback" not in said
    assert list_left(temp) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edges.parquet", "temp"]
