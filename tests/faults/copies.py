"""Commands run in copies of this process, which has loaded all they need: a run costs what its work costs.

A copy runs the command line as a user does: a watcher, and a worker below it that does the work. Faults are put into
the worker by a hook at every step that changes something on the disk (an audit hook of Python, before the step), or
from outside, by signals.
"""

import ctypes
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import shoal.cli.app
import shoal.seeds
from shoal import progress, settings
from shoal.cli import run
from shoal.cli.app import COMMANDS, load_command

LIMIT = 120.0
"""Seconds after which a run that did not end counts as hanging."""
SUBREAPER = 36
CHANGES = {"os.rename", "os.link", "os.symlink", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT
MODULES = (
    *("altair", "duckdb", "igraph", "pyarrow.parquet", "scipy.optimize", "scipy.sparse.linalg", "jinja2", "networkx"),
    *("rich.console", "rich.progress", "shoal.relational", "shoal.report", "shoal.auditing.frontier.workers"),
)


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    said: str
    seconds: float
    processor: float
    """Seconds of a processor that the worker took."""
    staged: float
    """Seconds from the start until the first temporary folder was there; all of them if there was none."""
    steps: tuple
    """What the worker changed on the disk, step by step, as far as it was recorded."""
    survivors: int
    """Processes that were still running after the command had ended."""


class Place(NamedTuple):
    """The folders of a run: inputs, the folder it runs in, and the one for temporary data."""

    root: Path

    @property
    def folder(self):
        return self.root / "run"

    @property
    def temp(self):
        return self.root / "temp"


def prepare():
    """Load what the commands need, and become the parent of what they leave behind."""
    ctypes.CDLL(None).prctl(SUBREAPER, 1)
    for name in COMMANDS:
        load_command(name)
    for name in MODULES:
        with suppress(ImportError):
            import_module(name)
    settings.threads = 1
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["SHOAL_THREADS"] = "1"


def is_change(event, arguments):
    """Return whether an audit event is a step that changes files."""
    if event == "open":
        mode, flags = arguments[1], arguments[2]
        return not isinstance(arguments[0], int) and bool(
            set(mode) & set("wax+") if isinstance(mode, str) else (flags or 0) & WRITES
        )
    return event in CHANGES


def describe_step(event, arguments):
    """Return a step in words, with file names only."""
    names = [os.path.basename(os.fsdecode(one)) for one in arguments if isinstance(one, str | bytes | os.PathLike)]
    return " ".join([event, *names[: 1 if event == "open" else 2]])


class Steps:
    """The hook of a worker: it counts the steps that change something below a folder, and calls `act` before each."""

    def __init__(self, root, act, record):
        self.root, self.act, self.record = f"{root}{os.sep}", act, record
        self.count, self.inside = 0, False

    def __call__(self, event, arguments):
        if self.inside or not is_change(event, arguments):
            return
        places = [one for one in arguments if isinstance(one, str | bytes | os.PathLike)]
        if not any(os.path.abspath(os.fsdecode(one)).startswith(self.root) for one in places):
            return
        self.inside = True
        try:
            self.record(describe_step(event, arguments))
            self.count += 1
            self.act(self.count)
        finally:
            self.inside = False


class Run:
    """A command that runs in a copy of this process."""

    def __init__(self, arguments, place, *, act=None, seed=1, before=None, said="said"):
        """Start it; `act(n)` is called in the worker before step n, `before()` in the copy before all."""
        self.report, ours = os.pipe()
        self.place, self.rest, self.lines, self.said = place, b"", [], place.root / said
        self.began, self.worker = time.monotonic(), None
        sys.stdout.flush()
        sys.stderr.flush()
        self.number = os.fork()
        if not self.number:
            try:
                os.close(self.report)
                self._become(arguments, ours, act or (lambda _: None), seed, before or (lambda: None))
            except SystemExit as done:
                os._exit(done.code if isinstance(done.code, int) else int(done.code is not None))
            finally:
                os._exit(99)
        os.close(ours)
        os.set_blocking(self.report, False)

    def _become(self, arguments, ours, act, seed, before):
        """Be the program in its folder, with its own output, seeds and temporary folder."""
        os.setpgid(0, 0)
        os.chdir(self.place.folder)
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.place.temp)
        said = os.open(self.said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(said, 1)
        os.dup2(said, 2)
        for name in ("stdin", "stdout", "stderr"):
            number = ("stdin", "stdout", "stderr").index(name)
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115
        for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        shoal.seeds.secrets = SimpleNamespace(randbits=lambda bits: (1 << (bits - 1)) + seed)
        work, record = shoal.cli.app.run_command, lambda text: os.write(ours, f"{text}\n".encode())

        def work_and_tell():
            record(f"worker {os.getpid()}")
            report = progress._listener

            def listen(event, path):
                report(event, path)
                if event == "stage":
                    record("stage")

            progress.listen(listen)
            sys.addaudithook(Steps(self.place.root, act, lambda text: record(f"step {text}")))
            return work()

        shoal.cli.app.run_command = work_and_tell
        before()
        sys.argv = ["shoal", *arguments]
        run()

    def hear(self):
        """Read what the run reported; return whether its report is still open."""
        while True:
            try:
                came = os.read(self.report, 65_536)
            except BlockingIOError:
                return True
            if not came:
                return False
            *lines, self.rest = (self.rest + came).split(b"\n")
            for line in lines:
                words = line.decode(errors="replace")
                self.lines.append((time.monotonic() - self.began, words))
                if words.startswith("worker "):
                    self.worker = int(words.split()[1])

    def has_ended(self):
        """Return whether the watcher has ended."""
        return os.waitid(os.P_PID, self.number, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def measure(self):
        """Return the seconds of a processor that the worker took so far."""
        self.hear()
        with suppress(OSError):
            return 0.0 if self.worker is None else time.clock_gettime((~self.worker << 3) | 2)
        return float("inf")

    def is_staged(self):
        """Return whether a temporary folder was made."""
        self.hear()
        return any(words == "stage" for _, words in self.lines)

    def wait_until(self, true):
        """Wait until something is true of the run, or it has ended; return whether it became true."""
        while not (ended := self.has_ended()) and not true() and time.monotonic() - self.began < LIMIT:
            time.sleep(0.0005)
        return not ended and true()

    def send(self, number, whom):
        """Send a signal to the watcher, to the worker, or to all processes at once."""
        self.hear()
        with suppress(ProcessLookupError):
            if whom == "all":
                os.killpg(self.number, number)
            elif whom == "watcher" or self.worker is not None:
                os.kill(self.number if whom == "watcher" else self.worker, number)

    def end(self, *, alone=True):
        """Wait for the end, and return what happened. What does not end is killed, and counted if it is `alone`."""
        processor, hung = 0.0, False
        while not self.has_ended():
            found = self.measure()
            processor = found if found != float("inf") else processor
            if time.monotonic() - self.began > LIMIT:
                hung = True
                os.killpg(self.number, signal.SIGKILL)
            time.sleep(0.002)
        seconds = time.monotonic() - self.began
        code = os.waitstatus_to_exitcode(os.waitpid(self.number, 0)[1])
        survivors = wait_for_orphans() if alone else 0
        self.hear()
        os.close(self.report)
        said = self.said.read_text(errors="replace")
        steps = tuple(words.removeprefix("step ") for _, words in self.lines if words.startswith("step "))
        staged = next((at for at, words in self.lines if words == "stage"), seconds)
        return Ended(code if not hung else -99, said, seconds, processor, staged, steps, survivors)


def wait_for_orphans(patience=5.0):
    """Wait for processes that outlive a command for a moment; kill and count those that do not end."""
    deadline, killed = time.monotonic() + patience, 0
    while True:
        try:
            number, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return killed
        if number:
            continue
        if time.monotonic() > deadline:
            for child in list_children():
                killed += 1
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            deadline = time.monotonic() + patience
        time.sleep(0.002)


def list_children():
    """Return the numbers of the child processes of this process."""
    found = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            if entry.name.isdigit() and int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(entry.name))
    return found
