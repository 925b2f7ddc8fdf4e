"""A run that is ended leaves no partial file: each output is absent or whole, and all are there or none.

Ctrl-C, SIGTERM and SIGHUP end a command within a second, whatever it is doing, and it says what was written. While
files are moved into place they wait. SIGKILL cannot wait: a journal then tells what is what, and `shoal recover`
settles it.
"""

import json
import shutil
import signal
import subprocess
import sys
import time
from hashlib import sha256

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.io.journal import recover

pytestmark = pytest.mark.slow

NAMES = ("safe.csv", "safe.csv.release.json", "safe.csv.README.md", "secret.csv")
JOURNAL = ".safe.csv.shoal-journal"
KILL, END, STOP, CLOSED = signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP
DRIVER = """
import contextlib, ctypes, json, os, pathlib, signal, sys, time
import shoal.cli.commands.anonymize, shoal.cli.supervisor, shoal.io.atomic, shoal.methods.links.hide_neighbors
import shoal.release.save
from shoal.cli import run
from shoal.cli.app import run_command
from shoal.progress import searching

OWNERS = {
    "reading": (shoal.cli.commands.anonymize, "load_data"),
    "searching": (shoal.methods.links.hide_neighbors, "repair_degrees"),
    "data": (shoal.release.save, "_write_data"),
    "page": (shoal.release.save, "describe_release"),
    "mapping": (shoal.release.save, "_write_mapping"),
    "move": (shoal.io.atomic, "_move"),
    "telling": (shoal.cli.commands.anonymize, "print_text"),
}

class Callback:
    '''An exception that is raised in here is lost, as it is in callbacks of libraries.'''
    def __del__(self):
        time.sleep(60)

def wait(how):
    '''Be where the signal finds the program; while files are moved, it goes on meanwhile.'''
    if how == "callback":
        callback = Callback()
        del callback
    elif how == "library":
        ctypes.PyDLL(None).sleep(60)  # nothing else in this process runs meanwhile
    elif how != "go on":
        time.sleep(60)

def send(who, signals):
    for number in signals:
        os.kill(os.getpid() if who == "worker" else os.getppid(), number)

def die(who, signals, how):
    if not how.startswith("search"):
        send(who, signals)
        wait(how)
        return
    with contextlib.suppress(KeyboardInterrupt), searching():
        send(who, signals)
        time.sleep(60)
    if how == "search twice":
        send(who, signals)
        time.sleep(60)

def prepare(who, signals, point, at, how):
    '''Send signals before (even) or after (odd) a call of a function; of moves only those into place count.'''
    owner, name = OWNERS[point]
    was, calls = getattr(owner, name), []

    def stopping(*args, **kwargs):
        calls.extend([1] if point != "move" or args[0].final.parent.suffix != ".part" else [])
        here = len(calls) == 1 + at // 2
        if here and at % 2 == 0:
            die(who, signals, how)
        found = was(*args, **kwargs)
        if here and at % 2:
            die(who, signals, how)
        return found

    setattr(owner, name, stopping)

def child(folder, case, arguments):
    os.chdir(folder)
    os.dup2(os.open("../out-" + os.path.basename(folder), os.O_WRONLY | os.O_CREAT), 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    prepare(*case)
    sys.argv = ["shoal", *arguments]
    try:
        run()
    except SystemExit as done:
        os._exit(done.code)

ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: orphans become children of this process
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup, which a command respects
for line in sys.stdin:
    task = json.loads(line)
    if "warm" not in globals():
        warm = os.chdir(os.path.dirname(task[0]))
        with contextlib.redirect_stdout(sys.stderr):
            run_command(task[-1])  # loads what all copies need
    if not (number := os.fork()):
        child(*task)
    code = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()  # a worker that outlives its watcher for a moment
    print(code, flush=True)
"""
"""Runs the command again and again, each time in a copy of itself in which signals come at some point.

Signals go to the watcher, as those of a user do, or to the worker. A wait takes a minute unless the program is ended.
"""
BEFORE = [("reading", 0), ("reading", 1), ("searching", 0), ("data", 0), ("data", 1), ("page", 1), ("mapping", 1)]
MOVES = [("move", at) for at in range(2 * len(NAMES))]
EARLY = [
    *(("watcher", (end,), *point, "wait", old) for end in (END, STOP) for point in BEFORE for old in (False, True)),
    ("watcher", (CLOSED,), "mapping", 1, "wait", False),
    ("watcher", (END, END), "mapping", 1, "wait", False),
    *(("watcher", (end,), "searching", 0, how, False) for end in (END, STOP) for how in ("callback", "library")),
    ("watcher", (END,), "searching", 0, "search", False),
    ("watcher", (STOP,), "searching", 0, "search twice", False),
]
"""Signals that end the program before the first file is moved: nothing is written."""
LATE = [
    *(("watcher", (end,), *point, "go on", old) for end in (END, STOP) for point in MOVES for old in (False, True)),
    ("watcher", (STOP, END), "move", 3, "go on", True),
    ("watcher", (STOP,), "telling", 0, "wait", False),
    ("watcher", (END,), "telling", 0, "library", False),
]
"""Signals that come while files are moved, or later: all are there."""
KILLS = [
    (who, (KILL,), *point, "wait", old)
    for who in ("watcher", "worker")
    for point, old in [
        *((point, False) for point in (*BEFORE, ("telling", 0))),
        *((point, old) for point in MOVES for old in (False, True)),
    ]
]
KEPT = ("watcher", (STOP,), "searching", 0, "search", False)
"""Ctrl-C in a search ends the search; the best so far is written."""
CASES = [*EARLY, *LATE, *KILLS, KEPT]
"""To whom the signals go, which, before or after which call, what the program does then, and whether older files are
there to be replaced."""


def asked(file, output=NAMES[0], mapping=NAMES[-1]):
    names = [str(output), "--mapping", str(mapping)]
    return ["anonymize", str(file), "--method", "hide-neighbors", "-k", "3", "-o", *names]


class Outcomes:
    """What became of each case: the folder, the exit code and what was said. A case is run when it is asked for."""

    def __init__(self, folder, driver):
        self.folder, self.driver, self.found = folder, driver, {}

    def __getitem__(self, case):
        if case not in self.found:
            self.found[case] = self.run(*case)
        return self.found[case]

    def run(self, *case):
        *how, old = case
        folder = self.folder / str(len(self.found))
        folder.mkdir()
        for name in NAMES if old else ():
            (folder / name).write_text(f"old {name}")
        arguments = [*asked("example:florentine"), *(["--force"] if old else [])]
        self.driver.stdin.write(json.dumps((str(folder), how, arguments)) + "\n")
        self.driver.stdin.flush()
        code = int(self.driver.stdout.readline())
        return folder, code, (self.folder / f"out-{folder.name}").read_text()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", DRIVER], text=True, **pipes) as driver:
        yield Outcomes(folder, driver)


def is_new(folder, name):
    """Tell whether an output is there, and is not the old one; a new one is whole."""
    if not (folder / name).exists() or (folder / name).read_bytes().startswith(b"old "):
        return False
    if name == NAMES[1]:
        assert list(json.loads((folder / name).read_text()))[-1] == "scenario"
    if name == NAMES[-1]:
        assert len(shoal.read_mapping(folder / name)) > 0
        assert (folder / name).stat().st_mode & 0o077 == 0
    return True


def check_whole(folder, n):
    """Check that all files are there, and belong together."""
    page = json.loads((folder / NAMES[1]).read_text())
    assert page["files"][NAMES[0]]["sha256"] == sha256((folder / NAMES[0]).read_bytes()).hexdigest()
    assert shoal.read_graph(folder / NAMES[0]).m == page["edges"]
    assert len(shoal.read_mapping(folder / NAMES[-1])) == n


def check_old(folder, old):
    """Check that everything is as it was before."""
    left = {name: f"old {name}" for name in NAMES} if old else {}
    assert {file.name: file.read_text() for file in folder.iterdir()} == left


WORDS = {STOP: "interrupted; ", END: "ended by SIGTERM; ", CLOSED: "ended by SIGHUP; "}


@pytest.mark.parametrize("case", EARLY, ids=str)
def test_a_signal_before_the_first_move_leaves_what_was_there(case, outcomes):
    folder, code, said = outcomes[case]
    signals, old = case[1], case[-1]
    assert code == 128 + signals[0]
    check_old(folder, old)
    assert said.endswith(f"{WORDS[signals[0]]}nothing was written.\n")


@pytest.mark.parametrize("case", LATE, ids=str)
def test_a_signal_after_the_first_move_waits_and_says_what_is_there(case, outcomes):
    folder, code, said = outcomes[case]
    check_whole(folder, 15)
    assert sorted(file.name for file in folder.iterdir()) == sorted(NAMES)
    assert code in {128 + number for number in case[1]}
    assert "nothing was written" not in said
    assert f"written before: {', '.join(NAMES)}." in said


@pytest.mark.parametrize("case", KILLS, ids=str)
def test_a_kill_leaves_whole_files_and_a_journal_that_tells_what_is_what(case, outcomes, shell):
    who, _, point, at, _, old = case
    folder, code, said = outcomes[case]
    assert code == (-KILL if who == "watcher" else 2)
    assert ("SIGKILL" in said) == (who == "worker")
    moved = {"move": (at + 1) // 2, "telling": len(NAMES)}.get(point, 0)
    assert [name for name in NAMES if is_new(folder, name)] == list(NAMES[len(NAMES) - moved :])
    assert (folder / JOURNAL).exists() == (point == "move")
    if point == "move":
        check_recovery(folder, moved, old, shell)
    elif who == "worker":
        assert not [*folder.glob(".*")]
    else:
        recover(folder / NAMES[0])
        assert not [*folder.glob(".safe*")]


def check_recovery(folder, moved, old, shell):
    """Check that reading says what is what, that writing is refused, and that both ways out lead to a whole."""
    assert (folder / JOURNAL).stat().st_mode & 0o777 == 0o600
    output = folder / NAMES[0]
    if moved == len(NAMES):
        assert f"shoal recover {output}" in shell("risk", output, "--knows", "degree")[2]
    code, _, said = shell(*asked("example:florentine", output, folder / NAMES[-1]), "--force")
    assert code == 2
    assert f"shoal recover {output}" in said
    assert f"shoal recover {output}" in shell("levels", "example:karate", "-k", "2", "--csv", folder / NAMES[-1])[2]
    assert "nothing to recover" in shell("recover", folder / "safe")[1]  # a name that is only similar touches nothing
    new = said.partition("new: ")[2].partition(";")[0].partition(")")[0]
    assert [name for name in NAMES if name in new.split(", ")] == list(NAMES[len(NAMES) - moved :])
    back = folder.with_name(f"{folder.name}-back")
    shutil.copytree(folder, back)
    assert shell("recover", output)[0] == 0
    check_whole(folder, 15)
    assert sorted(file.name for file in folder.iterdir()) == sorted(NAMES)
    assert shell("recover", back / NAMES[0], "--roll-back")[0] == 0
    check_old(back, old)


def test_an_interrupt_in_a_search_keeps_the_best_so_far(outcomes):
    folder, code, _ = outcomes[KEPT]
    assert code == 0
    check_whole(folder, 15)


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
    _, said = run.communicate()
    found = [name for name in NAMES if is_new(tmp_path, name)]
    assert "Traceback" not in said
    if number == KILL:
        assert found == list(NAMES[len(NAMES) - len(found) :])
        recover(tmp_path / NAMES[0])
        found = [name for name in NAMES if is_new(tmp_path, name)]
    assert len(found) in (0, len(NAMES))
    if found:
        check_whole(tmp_path, 8_000)
    if number != KILL:
        assert sorted(file.name for file in tmp_path.iterdir()) == sorted(found)
        assert ("nothing was written" in said) == (not found)


DURING = """
import importlib, os, sys
name, kernel, number = sys.argv.pop(1), sys.argv.pop(1), int(sys.argv.pop(1))
module, calls = importlib.import_module(name), []
loop = getattr(module, kernel)

def stopped(*arguments):
    calls.append(1)
    if len(calls) == 2:
        os.kill(os.getppid(), number)
    return loop(*arguments)

setattr(module, kernel, stopped)
from shoal.cli import run
run()
"""
"""Runs a command that gets a signal when the second piece of a kernel begins, while the first one runs."""


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    """A network whose levels take minutes, and each piece of them seconds."""
    file = tmp_path_factory.mktemp("hard") / "random.csv"
    np.savetxt(file, np.array(nx.gnm_random_graph(1_000, 250_000, seed=1).edges), fmt="%d", delimiter=",")
    return file


@pytest.mark.parametrize("number", [END, STOP])
@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        ("exposing_sizes", ["levels", "--knows", "relations", "-k", "30", "--csv", "levels.csv"]),
        ("all_fewest", ["risk", "--knows", "relations:3"]),
    ],
    ids=["levels", "risk"],
)
def test_a_signal_while_a_kernel_runs_in_pieces(kernel, arguments, number, hard, tmp_path):
    command, *options = arguments
    driven = [sys.executable, "-c", DURING, "shoal.core._kernels.relation_sets", kernel, str(int(number))]
    ended = subprocess.run(
        [*driven, command, str(hard), *options], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 128 + number
    assert ended.stderr.endswith(f"{WORDS[number]}nothing was written.\n")
    assert not ended.stdout
    assert not list(tmp_path.iterdir())
