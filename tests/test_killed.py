"""A run that is killed leaves no partial file: each output is absent or whole, and all are there or none.

SIGTERM, SIGHUP and Ctrl-C let a program clean up: then there are all files or none, and no staging area. SIGKILL does
not. The files are moved into place one after the other, the data last: where the data is, the others are too.
"""

import json
import signal
import subprocess
import sys
import time
from hashlib import sha256

import networkx as nx
import numpy as np
import pytest

import shoal

NAMES = ("safe.csv", "safe.csv.release.json", "secret.csv")
KILL, END, STOP, CLOSED = signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP
DRIVER = """
import contextlib, json, os, pathlib, sys
import shoal.anonymizers.hide_neighbors, shoal.cli.anonymize, shoal.data.publish
from shoal.cli import run
from shoal.cli.main import outcome

OWNERS = {
    "reading": (shoal.cli.anonymize, "load"),
    "searching": (shoal.anonymizers.hide_neighbors, "repaired"),
    "data": (shoal.data.publish, "_write_data"),
    "page": (shoal.data.publish, "told"),
    "mapping": (shoal.data.publish, "_write_mapping"),
    "move": (pathlib.Path, "replace"),
    "telling": (shoal.cli.anonymize, "say"),
}

def die(signals):
    for number in signals:
        os.kill(os.getpid(), number)

def prepare(signals, point, at):
    '''Send signals before (even) or after (odd) a call of a function; of moves only those into place count.'''
    owner, name = OWNERS[point]
    was, calls = getattr(owner, name), []

    def stopping(*args, **kwargs):
        calls.extend([1] if point != "move" or args[1].parent.suffix != ".part" else [])
        here = len(calls) == 1 + at // 2
        die(signals if here and at % 2 == 0 else [])
        found = was(*args, **kwargs)
        die(signals if here and at % 2 else [])
        return found

    setattr(owner, name, stopping)

def child(folder, signals, point, at, arguments):
    os.chdir(folder)
    os.dup2(os.open("../out-" + os.path.basename(folder), os.O_WRONLY | os.O_CREAT), 2)
    prepare(signals, point, at)
    sys.argv = ["shoal", *arguments]
    try:
        run()
    except SystemExit as done:
        sys.stderr.flush()
        os._exit(done.code)

codes, tasks = [], json.load(sys.stdin)
with contextlib.redirect_stdout(sys.stderr):
    os.chdir(os.path.dirname(tasks[0][0]))
    outcome(tasks[0][-1])  # loads what all copies need
for task in tasks:
    if not (number := os.fork()):
        child(*task)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]))
json.dump(codes, sys.stdout)
"""
"""Runs the command again and again, each time in a copy of itself that sends itself signals at some point."""
BEFORE = [("reading", 0), ("reading", 1), ("searching", 0), ("data", 0), ("data", 1), ("page", 1), ("mapping", 1)]
MOVES = [("move", at) for at in range(6)]
CASES = [
    *(((KILL,), *point, False) for point in (*BEFORE, *MOVES, ("telling", 0))),
    *(((number,), *point, old) for number in (END, STOP) for point in (*BEFORE, *MOVES) for old in (False, True)),
    ((CLOSED,), "mapping", 1, False),
    ((END, END), "mapping", 1, False),
    ((STOP,), "telling", 0, False),
]
"""The signals, where, before or after which call, and whether older files are there to be replaced."""


def asked(file):
    return ["anonymize", str(file), "--method", "hide-neighbors", "-k", "3", "-o", NAMES[0], "--mapping", NAMES[2]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Run all cases; return for each the folder, the exit code and what was said."""
    folder = tmp_path_factory.mktemp("killed")
    tasks, found = [], {}
    for i, (signals, point, at, old) in enumerate(CASES):
        (folder / str(i)).mkdir()
        for name in NAMES if old else ():
            (folder / str(i) / name).write_text(f"old {name}")
        arguments = [*asked("example:florentine"), *(["--force"] if old else [])]
        tasks.append((str(folder / str(i)), [int(number) for number in signals], point, at, arguments))
    done = subprocess.run(
        [sys.executable, "-c", DRIVER], input=json.dumps(tasks), capture_output=True, text=True, check=True, timeout=300
    )
    for i, (case, code) in enumerate(zip(CASES, json.loads(done.stdout), strict=True)):
        found[case] = folder / str(i), code, (folder / f"out-{i}").read_text()
    return found


def there(folder, n):
    """Return which outputs are there, each of them whole."""
    found = [name for name in NAMES if (folder / name).exists()]
    if NAMES[1] in found:
        page = json.loads((folder / NAMES[1]).read_text())
        assert list(page)[-1] == "utility"
    if NAMES[0] in found:
        assert page["files"][NAMES[0]]["sha256"] == sha256((folder / NAMES[0]).read_bytes()).hexdigest()
        assert shoal.read_graph(folder / NAMES[0]).m == page["edges"]
    if NAMES[2] in found:
        assert len(shoal.read_mapping(folder / NAMES[2])) == n
        assert (folder / NAMES[2]).stat().st_mode & 0o077 == 0
    return found


@pytest.mark.parametrize("case", [case for case in CASES if case[0] == (KILL,)], ids=str)
def test_a_kill_leaves_whole_files_and_the_data_last(case, outcomes):
    _, point, at, _ = case
    folder, code, _ = outcomes[case]
    assert code == -KILL
    moved = {"move": (at + 1) // 2, "telling": 3}.get(point, 0)
    assert there(folder, 15) == list(NAMES[3 - moved :])


@pytest.mark.parametrize("case", [case for case in CASES if case[0] != (KILL,) and case[1] != "telling"], ids=str)
def test_an_interrupt_leaves_what_was_there(case, outcomes):
    signals, _, _, old = case
    folder, code, said = outcomes[case]
    assert code == 128 + signals[0]
    left = {name: f"old {name}" for name in NAMES} if old else {}
    assert {file.name: file.read_text() for file in folder.iterdir()} == left
    assert said.strip() == ("interrupted; nothing was written." if signals == (STOP,) else "")


def test_an_interrupt_after_the_files_are_there_does_not_deny_them(outcomes):
    folder, code, said = outcomes[(STOP,), "telling", 0, False]
    assert there(folder, 15) == sorted(file.name for file in folder.iterdir()) == list(NAMES)
    assert (code, said.strip()) == (130, f"interrupted; written before: {', '.join(NAMES)}.")


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    """A network whose files take a while to write."""
    file = tmp_path_factory.mktemp("network") / "ring.csv"
    np.savetxt(file, np.array(nx.circulant_graph(8_000, [1, 2, 3]).edges), fmt="%d", delimiter=",")
    return file


MOMENTS = list(zip((KILL, END, STOP, KILL), np.random.default_rng(5).uniform(0, 0.1, 4).round(4), strict=True))


@pytest.mark.parametrize(("number", "delay"), MOMENTS)
def test_a_stop_while_files_are_written(number, delay, network, tmp_path):
    """Wait until something appears, a moment longer, and stop the program: whenever that is, no file is partial."""
    program = [sys.executable, "-m", "shoal", *asked(network)]
    run = subprocess.Popen(program, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while run.poll() is None and not any(tmp_path.iterdir()):
        time.sleep(0.001)
    time.sleep(delay)
    run.send_signal(number)
    _, said = run.communicate(timeout=300)
    found = there(tmp_path, 8_000)
    assert found == list(NAMES[3 - len(found) :])
    assert "Traceback" not in said
    if number != KILL:
        assert len(found) in (0, 3)
        assert sorted(file.name for file in tmp_path.iterdir()) == found
        assert ("nothing was written" in said) <= (not found)
