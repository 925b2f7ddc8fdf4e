"""Spark as an engine: its sources, its private data, its end, and that lost executors change nothing.

`make test-spark` runs these tests, and with them every test of an engine in Spark. They need Java.
"""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from draws import SEED
from relational_cases import ENGINES, LINKS, MASTER, count_sizes, draw_case, list_left, save, write_case
from relational_releases import draw_people, suppress_by_hand
from shoal import relational
from shoal.errors import BadFile, BadParameter, MissingResource, OutOfTime
from shoal.io.digest import digest_file
from shoal.limits import TimeLimit, stop_after
from shoal.progress import watching
from shoal.relational import DuckDBEngine, SparkEngine, open_network
from shoal.relational.parquet import join_parquet

pytestmark = [
    pytest.mark.filterwarnings("ignore::shoal.errors.Notice"),
    pytest.mark.skipif("spark" not in ENGINES, reason="Spark runs in make test-spark"),
]
RELEASED = "degree"
"""What is known of the people in releases."""
PATH = {"a": (2, True), "b": (1, True), "c": (2, True)}
"""The sizes of the path a, b, c for the degree."""


@pytest.fixture
def temp(tmp_path):
    """The place of temporary data, in which nothing may be left."""
    place = tmp_path / "temp"
    place.mkdir()
    yield place
    assert list_left(place) == []


@pytest.fixture
def begin(spark, temp):
    """Start an engine in the running Spark."""
    return lambda bits=32: SparkEngine(spark, temp=temp, bits=bits)


def save_clique(path, n):
    """Write all pairs of n vertices, in which triangles take a while."""
    a, b = np.triu_indices(n, 1)
    return save(path, src=a, dst=b)


# Sources


def test_a_frame_is_counted_in_its_own_spark(spark, temp):
    frame = spark.createDataFrame([("a", "b", 7), ("b", "c", 8)], "src STRING, dst STRING, `other one` INT")
    with relational.assess(frame, "degree") as risk:
        assert risk.network.engine.name == "spark"
        assert {name: size for name, size, _ in risk.sizes.collect()} == {"a": 2, "b": 1, "c": 2}
        assert risk.at_risk(2).relation.filter("candidates = 1").count() == 1
    assert spark.sql("SELECT 1").collect()[0][0] == 1  # the caller's session goes on
    swapped = count_sizes(frame, "degree:out", ends=(1, 0), directed=True, engine=SparkEngine(spark, temp=temp))
    assert swapped == {"a": (1, True), "b": (2, True), "c": (2, True)}
    with pytest.raises(BadParameter, match="Did you mean 'dst'"):
        relational.assess(frame, "degree", ends=("src", "dts"))


def test_a_frame_without_cells_and_names_with_signs(spark, begin):
    frame = spark.createDataFrame([("a", "b", None), ("b", "c", None)], "`s``r.c` STRING, dst STRING, empty VOID")
    assert count_sizes(frame, ends=("s`r.c", "dst"), engine=begin()) == PATH
    people = spark.createDataFrame([("a", None), ("b", None)], "name STRING, empty VOID")
    assert count_sizes(frame, "columns:empty", ends=("s`r.c", "dst"), vertices=people, engine=begin()) == dict.fromkeys(
        "abc", (3, True)
    )


def test_names_of_files_are_no_patterns_and_none_is_left_out(tmp_path, begin):
    """Spark takes * for a pattern, and leaves out files whose names begin with _ or a dot."""
    place = tmp_path / "[a]*"
    place.mkdir()
    for other in ("e1.parquet", "ea.parquet", "e.parquet"):
        save(place / other, src=["x", "x", "x"], dst=["1", "2", "3"])
    for name in (
        "e*.parquet",
        "e[1].parquet",
        "it's.parquet",
        "e{a,b}.parquet",
        "_e.parquet",
        ".e.parquet",
        "e %41.pq",
    ):
        assert count_sizes(save(place / name, **LINKS), engine=begin()) == PATH, name


def test_folders_lists_and_uris(tmp_path, begin):
    folder = tmp_path / "edges" / "deep"
    folder.mkdir(parents=True)
    first = save(folder.parent / "one.parquet", src=["a"], dst=["b"])
    second = save(folder / "two.parquet", src=["b"], dst=["c"])
    for source in (
        folder.parent,
        str(folder.parent / "**" / "*.parquet"),
        [first, str(second)],
        f"file://{folder.parent}",
    ):
        assert count_sizes(source, engine=begin()) == PATH, source


def test_files_may_have_numbers_of_different_width(tmp_path, begin):
    for at, kind in enumerate((pa.int8(), pa.int32(), pa.int64(), pa.uint32())):
        save(tmp_path / f"{at}.parquet", src=pa.array([1], kind), dst=pa.array([at + 2], kind))
    save(tmp_path / "9.parquet", src=pa.array([2**40]), dst=pa.array([1]))
    expected = dict.fromkeys([2, 3, 4, 5, 2**40], (5, True)) | {1: (1, True)}
    assert count_sizes(tmp_path, engine=begin()) == expected


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"src": ["a", None], "dst": ["b", "c"]}, ["without", "1 row"]),
        ({"src": ["1", "2"], "dst": [1, 2]}, ["VARCHAR", "BIGINT"]),
        ({"src": [1.0, 2.0], "dst": [2.0, 3.0]}, ["DOUBLE", "'src'"]),
        ({"src": [True], "dst": [False]}, ["BOOLEAN"]),
        ({"src": [b"a"], "dst": [b"b"]}, ["BLOB"]),
        ({"src": [[1]], "dst": [[2]]}, ["ARRAY"]),
    ],
)
def test_links_that_are_none_are_refused(columns, words, tmp_path, begin):
    file = save(tmp_path / "e.parquet", **columns)
    with pytest.raises(BadFile) as told:
        count_sizes(file, engine=begin())
    assert all(word in str(told.value) for word in words), str(told.value)


def test_what_spark_does_not_read_is_refused(tmp_path, edges, begin):
    for kind in (pa.float16(), pa.time64("us"), pa.timestamp("ns")):
        file = save(tmp_path / "people.parquet", name=["a", "b"], x=pa.array([1, 2], pa.int64()).cast(kind))
        with pytest.raises(BadFile, match=r"people\.parquet"):
            open_network(None, vertices=file, key="name", engine=begin())
    with duckdb.connect(str(tmp_path / "x.db")) as made:
        made.execute("CREATE TABLE edges AS SELECT 1 AS src, 2 AS dst")
    with pytest.raises(BadParameter, match="engine duckdb"):
        count_sizes(f"duckdb:{tmp_path}/x.db/edges", engine=begin())
    edges.write_bytes(edges.read_bytes()[:-4])
    with pytest.raises(BadFile, match=r"edges\.parquet"):
        count_sizes(edges, engine=begin())
    connected = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    with pytest.raises(BadParameter, match="Spark Connect"):
        relational.assess(connected, "degree")


def test_cells_do_not_reach_messages(spark, begin, capfd):
    """Neither the error nor what pyspark prints about it."""
    frame = spark.sql("SELECT CAST(n AS INT) AS src, 1 AS dst FROM VALUES ('7'), ('Ridolfi') AS v(n)")
    with pytest.raises(BadFile) as told:
        count_sizes(frame, engine=begin())
    assert "CAST_INVALID_INPUT" in str(told.value)
    assert "Ridolfi" not in str(told.value) + "".join(capfd.readouterr())


# The same answers


def test_answers_are_equal_where_all_signatures_are(tmp_path, begin):
    """With no bits, vertices with equally many rows collide in every round."""
    case = draw_case(1)
    links, people = write_case(case, tmp_path)
    with open_network(links, vertices=people, engine=begin(bits=0), **case.options) as network:
        for spec in ("adjacency", "refinement", "degrees:1"):
            expected = shoal.assess(case.graph, spec)
            found = {name: size for name, size, _ in relational.assess(network, spec).sizes.collect()}
            assert found == dict(zip(case.graph.names, expected.sizes.tolist(), strict=True)), spec


def release(engine, people, folder, out):
    """Release a network by both methods; return the digests of all files but the mappings, whose text holds digests."""
    out.mkdir()
    links, known = people.write(folder)
    secret = {"seed": 2**70 + 1, "attributes": out / "who.parquet", "readme": out / "README.md"}
    ask = {"vertices": known, **people.options}
    with relational.suppress(links, RELEASED, 2, keep_at_least=0, engine=engine(), **ask) as found:
        counted = [(one.below, one.people, one.links) for one in found.rounds.rounds], found.promise
        found.save(out / "suppressed.parquet", out / "map.csv", **secret)
    with relational.thin(links, 3, "80%", knowledge="degree", k=2, seed=2**70, engine=engine(), **ask) as found:
        counted = (*counted, found.promise)
        found.save(
            out / "thinned.parquet", out / "thin.csv", **secret | {"attributes": out / "all.parquet"}, force=True
        )
    return counted, {path.name: digest_file(path) for path in sorted(out.iterdir())}


def test_a_release_has_the_same_files_in_every_engine(tmp_path, begin):
    kinds, found = {(True, True), (False, False)}, []
    for seed in count():
        people = draw_people(seed)
        left, _ = suppress_by_hand(people, RELEASED, 2)
        if left is not None and (people.directed, people.kinds) in kinds:
            kinds.remove((people.directed, people.kinds))
            found.append(people)
            judge_release(people, tmp_path / str(seed), begin)
        if not kinds:
            break
    assert len(found) == 2


def judge_release(people, folder, begin):
    folder.mkdir()
    in_spark, in_duckdb = (
        release(engine, people, folder, folder / name)
        for name, engine in (("spark", begin), ("duckdb", lambda: DuckDBEngine(threads=1)))
    )
    assert in_spark == in_duckdb
    assert len(in_spark[1]) == 9


def test_rows_are_the_same_files_however_an_engine_splits_them(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.relational.parquet.ROWS", 100)
    rows = np.arange(1234)
    for name, sizes in (("one", [1234]), ("many", [0, 7, 100, 93, 400, 0, 634])):
        cuts = np.cumsum(sizes)[:-1]
        parts = [save(tmp_path / f"{name}{at}.parquet", v=part) for at, part in enumerate(np.split(rows, cuts))]
        join_parquet(parts, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes()
    assert parquet.read_table(tmp_path / "one")["v"].to_pylist() == rows.tolist()


# Private, and removed


def test_all_that_is_written_is_in_a_private_folder(tmp_path, begin, temp, monkeypatch):
    monkeypatch.setattr("shoal.relational.steps.TICK", 0.002)
    modes, seen = set(), set()

    def look(*_):
        for folder in temp.iterdir():
            modes.add(stat.S_IMODE(folder.lstat().st_mode))
            with suppress(FileNotFoundError):
                seen.update(path.suffix for path in folder.rglob("*.parquet"))

    umask = os.umask(0)
    try:
        with watching(look):
            assert count_sizes(save(tmp_path / "e.parquet", **LINKS), engine=begin()) == PATH
    finally:
        os.umask(umask)
    assert modes == {0o700}
    assert seen == {".parquet"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_step_can_be_interrupted_and_the_engine_counts_on(error, tmp_path, begin):
    """An error from a signal handler ends the jobs of the step."""
    file = save_clique(tmp_path / "e.parquet", 400)

    def interrupt(what, done, total):
        if what == "triangles":
            raise error

    with open_network(file, undirected=True, engine=begin()) as network:
        with pytest.raises(error), watching(interrupt):
            relational.assess(network, "degrees:1")
        with pytest.raises(OutOfTime), stop_after(TimeLimit.of(0.3)):
            relational.assess(network, "degrees:1")
        assert relational.assess(network, "degree").k == 400


def test_ctrl_c_ends_a_step(tmp_path, begin):
    with open_network(save_clique(tmp_path / "e.parquet", 800), undirected=True, engine=begin()) as network:
        press = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
        press.start()
        with pytest.raises(KeyboardInterrupt):
            relational.assess(network, "degrees:1")
        press.join()


def test_memory_and_master_are_checked(spark, temp):
    for memory in ("lots", "", "4 gigs", "-1g"):
        with pytest.raises(BadParameter, match="--memory"):
            SparkEngine(spark, memory=memory, temp=temp)
    with pytest.raises(BadParameter, match="running already"):
        SparkEngine(spark, memory="4GB", temp=temp)
    with pytest.raises(BadParameter, match="--master"):
        SparkEngine(master="local[7]", temp=temp)
    with pytest.raises(MissingResource, match="--temp"):
        SparkEngine(spark, temp=temp / "missing")


# Programs of their own: each starts a Spark


def start_shell(*arguments, **options):
    command = [sys.executable, "-m", "shoal", *map(str, arguments), "--engine", "spark", "--master", MASTER]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def await_folder(temp, process, seconds=120):
    """Wait until the run has made its private folder, and its first table."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        if any(place.is_dir() for folder in temp.iterdir() for place in folder.glob("*-*")):
            return
        time.sleep(0.05)
    raise AssertionError("the run did not begin to count")


def list_programs(folder):
    """Return the ids of the running programs whose command names a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if str(folder).encode() in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return found


def await_end(folder, seconds=60):
    """Wait until the Java programs of a run have ended."""
    end = time.monotonic() + seconds
    while (left := list_programs(folder)) and time.monotonic() < end:
        time.sleep(0.1)
    assert left == []


def test_the_command_counts_and_leaves_nothing(edges, temp):
    with start_shell("risk", edges, "--knows", "degree", "--temp", temp, "--undirected", "--json") as run:
        said, told = run.communicate(timeout=300)
    assert run.returncode == 0, told
    assert '"k": 1' in said
    await_end(temp)


def test_without_java_the_command_says_what_to_install(edges, temp, tmp_path):
    environment = {**os.environ, "PATH": str(tmp_path), "JAVA_HOME": str(tmp_path / "none")}
    with start_shell("risk", edges, "--knows", "degree", "--temp", temp, env=environment) as run:
        _, told = run.communicate(timeout=300)
    assert run.returncode == 2
    assert "Java 17" in told
    assert "Traceback" not in told


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_a_command(number, code, tmp_path, temp):
    file, out = save_clique(tmp_path / "e.parquet", 900), tmp_path / "out.parquet"
    with start_shell(
        "risk", file, "--knows", "degrees:1", "--undirected", "--temp", temp, "--out", out, start_new_session=True
    ) as run:
        await_folder(temp, run)
        run.send_signal(number)
        _, told = run.communicate(timeout=60)
    assert run.returncode == code, told
    assert "Traceback" not in told
    assert not out.exists()
    await_end(temp)


KILLS = 10


def test_a_killed_run_is_swept_at_the_next_start(tmp_path, spark):
    """Killed ten times at random: after the next start nothing is left. Java ends by itself."""
    place = tmp_path / "temp"
    place.mkdir()
    file, out = save_clique(tmp_path / "e.parquet", 300), tmp_path / "out.parquet"
    rng, seen = Random(f"{SEED} spark"), 0
    for _ in range(KILLS):
        ask = ("risk", file, "--knows", "degrees:1", "--undirected", "--temp", place, "--out", out)
        with start_shell(*ask) as run:
            end = time.monotonic() + rng.uniform(1, 25)
            while time.monotonic() < end and run.poll() is None:
                time.sleep(0.05)
            run.kill()
            run.communicate()
        seen += len(list_left(place))
        await_end(place)
        SparkEngine(spark, temp=place).close()
        assert list_left(place) == []
        if out.exists():  # a run came to its end: its file is whole
            assert set(parquet.read_table(out)["candidates"].to_pylist()) == {300}
            assert stat.S_IMODE(out.stat().st_mode) == 0o600
            out.unlink()
    assert seen


COUNT = """
import json, sys, shoal
from shoal.relational import SparkEngine, assess, open_network
with open_network(sys.argv[1], undirected=True, engine=SparkEngine(master=sys.argv[3], temp=sys.argv[2])) as network:
    for spec in sys.argv[4:]:
        with_sizes = assess(network, spec)
        print(json.dumps([spec, sorted(with_sizes.sizes.collect())]), flush=True)
"""


def list_executors(temp):
    """Return the ids of the executors of a local cluster."""
    return [
        one
        for one in list_programs(temp)
        if b"CoarseGrainedExecutorBackend" in Path(f"/proc/{one}/cmdline").read_bytes()
    ]


def test_a_lost_executor_changes_nothing(tmp_path, temp):
    """Two executors are processes of their own; one is killed while steps run, several times."""
    pairs = sorted({(int(a), int(b)) for a, b in np.random.default_rng(5).integers(0, 400, (3000, 2)) if a < b})
    file = save(tmp_path / "e.parquet", src=[a for a, _ in pairs], dst=[b for _, b in pairs])
    graph = shoal.as_graph(pairs)
    specs = ("refinement:2", "degrees:1", "hubs:3:2", "neighbors:1")
    command = [sys.executable, "-c", COUNT, file, temp, "local-cluster[2,1,1024]", *specs]
    killed = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        await_folder(temp, run)
        found = {}
        watch = threading.Thread(target=lambda: found.update(map(json.loads, run.stdout)))
        watch.start()
        for _ in range(3):
            end = time.monotonic() + 30
            while not (alive := list_executors(temp)) and time.monotonic() < end and run.poll() is None:
                time.sleep(0.1)
            if alive and run.poll() is None:
                os.kill(alive[0], signal.SIGKILL)
                killed += 1
            time.sleep(4)
        watch.join(300)
    assert run.returncode == 0
    assert killed == 3
    for spec in specs:
        expected = zip(graph.names, shoal.assess(graph, spec).sizes.tolist(), strict=True)
        assert found[spec] == [[int(name), size, True] for name, size in sorted(expected, key=lambda one: int(one[0]))]
    await_end(temp)
