"""A watched worker: a case that takes too long or too much memory is stopped, and the next one gets a new process."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fuzz_judges import MEGABYTES, SECONDS, TIMES, Outcome

from shoal.errors import describe_exit

TICK = 0.1
TICKS, PAGE = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
BUILDING = 300
"""Seconds to start a process and make the files of a case."""
OLD, LARGE = 3_000, 400
"""A worker is replaced after so many cases, or when it keeps so many megabytes more than at first: freed memory that
is used again would not be seen."""


@dataclass(frozen=True)
class Limits:
    seconds: float = SECONDS
    megabytes: float = MEGABYTES
    times: float = TIMES


class Watched:
    """One worker and its folder."""

    def __init__(self, folder, limits=Limits()):
        self.folder, self.limits = Path(folder), limits
        self.seeds = self.folder / "seeds"
        self.seeds.mkdir(parents=True, exist_ok=True)
        self.process = None
        self.cases = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        read, write = os.pipe()
        environment = os.environ | {"SHOAL_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "COLUMNS": "100"}
        environment.pop("SHOAL_DEBUG", None)
        script = Path(__file__).with_name("fuzz_worker.py")
        self.process = subprocess.Popen(
            [sys.executable, script, str(write), self.seeds],
            stdin=subprocess.PIPE,
            pass_fds=[write],
            cwd=self.folder,
            env=environment,
            text=True,
            start_new_session=True,
        )
        os.close(write)
        self.answers, self.rest, self.cases, self.first = read, b"", 0, None

    def stop(self):
        """Kill the worker and all that it started."""
        if self.process is None:
            return
        for number in list_processes(self.process.pid)[::-1]:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        os.close(self.answers)
        self.process = None

    def run(self, **task):
        """Run a case in a new folder; return its title, its words and its outcome."""
        shutil.rmtree(self.folder / "case", ignore_errors=True)
        if self.process is None:
            self.start()
        self.cases += 1
        about, outcome = {"title": "?", "words": [], "size": 0}, Outcome()
        try:
            self.process.stdin.write(json.dumps(task | {"folder": str(self.folder / "case")}) + "\n")
            self.process.stdin.flush()
            about = self._wait(BUILDING, None)
            outcome.size = about["size"]
            start = time.monotonic()
            found = self._wait(self.limits.seconds, outcome)
            rss = found.pop("rss")
            peak = max(outcome.megabytes, found.pop("megabytes"))
            outcome = Outcome(**found, megabytes=peak, size=about["size"], clock=time.monotonic() - start)
            self.first = rss if self.first is None else min(rss, self.first)
            if self.cases >= OLD or rss > self.first + LARGE:
                self.stop()
        except (Stopped, BrokenPipeError) as stopped:
            outcome.ended = str(stopped)
            self.stop()
        outcome.pages = {path.name: path.read_text(errors="replace") for path in (self.folder / "case").glob("*.html")}
        return about["title"], about["words"], outcome

    def _wait(self, seconds, outcome):
        """Return the next answer, or raise Stopped; without an outcome, only the time is watched."""
        start, idle, before = time.monotonic(), 0.0, measure(self.process.pid)
        spent = before[0]
        while b"\n" not in self.rest:
            if select.select([self.answers], [], [], TICK)[0]:
                came = os.read(self.answers, 1 << 20)
                if not came:
                    last = (self.folder / "raw").read_text(errors="replace").strip().rpartition("\n")[2]
                    raise Stopped(f"the process ended: {describe_exit(self.process.wait())}. {last}")
                self.rest += came
                continue
            if outcome is None:
                if time.monotonic() - start > seconds:
                    raise Stopped(f"the case was not made within {seconds} s")
                continue
            used, memory, works = measure(self.process.pid)
            idle = 0.0 if works or used > spent else idle + TICK
            spent = used
            outcome.seconds, more = used - before[0], memory - before[1]
            outcome.megabytes = max(outcome.megabytes, more)
            if outcome.seconds > seconds or idle > seconds:
                raise Stopped(f"hangs: stopped after {outcome.seconds:.0f} s of work and {idle:.0f} s of waiting")
            if more > self.limits.megabytes + self.limits.times * outcome.size / 1e6:
                raise Stopped(f"takes too much memory: stopped at {more:,.0f} MB, for {outcome.size:,} bytes")
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line)


class Stopped(Exception):
    """The worker ended, or was stopped."""


def list_processes(number):
    """Return the numbers of a process and of all that it started and that still run."""
    found = [number]
    for place in Path(f"/proc/{number}/task").glob("*/children"):
        with suppress(OSError):
            found += [one for child in place.read_text().split() for one in list_processes(int(child))]
    return found


def measure(number):
    """Return the seconds of the processor and the megabytes that a process and its children use, and whether it works.

    On a busy machine it may work and get no time. Seconds on the wall would say that it hangs.
    """
    seconds, memory, works = 0.0, 0.0, False
    for one in list_processes(number):
        with suppress(OSError, IndexError):
            fields = _read_stat(f"/proc/{one}/stat")
            seconds += sum(map(int, fields[11:15])) / TICKS  # those of children that ended, too
            memory += int(fields[21]) * PAGE / 1e6
            works |= any(_read_stat(place)[0] in "RD" for place in Path(f"/proc/{one}/task").glob("*/stat"))
    return seconds, memory, works


def _read_stat(place):
    return Path(place).read_text().rpartition(")")[2].split()
