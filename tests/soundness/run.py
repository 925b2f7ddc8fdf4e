"""Serve cases of every kind in turn until the time is over, save what failed, and print a table."""

import multiprocessing
import os
import re
import secrets
import signal
import sys
import time
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat
from random import Random
from threading import current_thread, main_thread
from typing import Any

import shoal
from soundness import (  # noqa: F401  each adds its kinds
    judge_attacks,
    judge_cut_short,
    judge_evaluations,
    judge_knowledge,
    judge_levels,
    judge_linkage,
    judge_matching,
    judge_methods,
    judge_pipelines,
    judge_recoded,
    judge_recommendations,
    judge_relational,
)
from soundness.faults import FAULTS, plant_fault
from soundness.judging import KINDS, Findings, Refused, judge_case
from soundness.oracle import Net

LONGEST = 120
"""Seconds after which a case is given up; that is a failure too."""
SHRINK = 20
"""Seconds for making a failed case smaller."""
TESTS = Path(__file__).resolve().parents[1]


class TooLong(BaseException):
    """A case took too long. Not an Exception, so that no judge takes it for an answer."""


@dataclass
class Tally:
    """What came of the cases of one kind."""

    cases: int = 0
    refused: int = 0
    compared: int = 0
    failures: int = 0
    seconds: float = 0.0


@dataclass
class Report:
    """What came of a run."""

    seed: int
    tallies: dict[str, Tally] = field(default_factory=dict)
    saved: list[Path] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    """Processes that ended before their time."""

    @property
    def failures(self) -> int:
        """How many cases failed; a process that ended counts as one."""
        return sum(tally.failures for tally in self.tallies.values()) + len(self.ended)

    def __str__(self) -> str:
        wide = max(map(len, self.tallies), default=4)
        lines = [f"{'kind':{wide}}  {'cases':>8} {'refused':>8} {'compared':>10} {'failures':>8} {'seconds':>8}"]
        whole = Tally()
        for name, tally in sorted(self.tallies.items()):
            lines.append(format_row(name, tally, wide))
            for what in vars(whole):
                setattr(whole, what, getattr(whole, what) + getattr(tally, what))
        lines += [format_row("all", whole, wide), *self.ended, *(f"failed: {path}" for path in self.saved)]
        lines.append("refused: shoal refused the drawn question, so nothing was judged. compared: numbers and sets.")
        lines.append(f"{self.failures:,} failures in {whole.cases:,} cases. SEED={self.seed}")
        return "\n".join(lines)


def format_row(name: str, tally: Tally, wide: int) -> str:
    counted = f"{tally.cases:8,} {tally.refused:8,} {tally.compared:10,} {tally.failures:8,}"
    return f"{name:{wide}}  {counted} {tally.seconds:8.1f}"


def say(*lines: Any) -> None:
    """Print lines at once."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


# One case.


def draw_case(seed: int, name: str, number: int) -> dict[str, Any]:
    """Return the case of a kind with this number."""
    return KINDS[name].draw(Random(f"{seed} {name} {number}"))


@contextmanager
def end_after(seconds: int) -> Iterator[None]:
    """Raise TooLong after some seconds, where the system has alarms."""

    def stop(*_: Any) -> None:
        raise TooLong

    if not hasattr(signal, "SIGALRM") or current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def try_case(name: str, case: dict[str, Any]) -> Findings | None:
    """Return what a judge found; None if shoal refused the question."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        try:
            with end_after(LONGEST):
                return judge_case(name, case)
        except Refused:
            return None
        except TooLong:
            return Findings(1, [f"no answer after {LONGEST} s"])


def shrink_case(name: str, case: dict[str, Any], why: str) -> dict[str, Any]:
    """Return a smaller case that fails in the same way: vertices and links are left out one at a time."""
    end, sign = time.monotonic() + SHRINK, describe_sort(why)
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for other in list_smaller(case):
            found = try_case(name, other) if time.monotonic() < end else None
            if found is not None and found.wrong and describe_sort(found.wrong[0]) == sign:
                case, smaller = other, True
                break
    return case


def describe_sort(why: str) -> str:
    """Return what a complaint is about, without names and numbers."""
    return re.sub(r"'[^']*'|[\d.]+", "", why.split(": ", maxsplit=1)[0])


def list_smaller(case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the case with a vertex less, or with a link less."""
    for key, net in case.items():
        if isinstance(net, Net):
            if len(net.names) > 2:
                yield from ({**case, key: net.only(set(net.names) - {v})} for v in net.names)
            yield from (
                {**case, key: net._replace(links=net.links[:i] + net.links[i + 1 :])} for i in range(len(net.links))
            )


def save_failure(
    folder: Path, name: str, number: int, seed: int, case: dict[str, Any], wrong: Sequence[str], fault: str | None
) -> Path:
    """Write a Python file that judges the case again."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}-{seed}-{number}.py"
    places = [str(TESTS), str(Path(shoal.__file__).resolve().parents[1])]
    told = "\n".join(f"# {line[:1000]}" for why in wrong[:5] for line in str(why).splitlines())
    planted = "" if fault is None else f"# A fault was planted: {fault}.\n"
    path.write_text(
        f"# {name}, case {number} with SEED={seed}, shoal {shoal.__version__}.\n"
        f"{planted}{told}\n# It exits with 1 while the answers differ.\n\n"
        "import sys\nfrom fractions import Fraction\n\n"
        f"sys.path[:0] = {places!r}\n\n"
        "from soundness.oracle import Net\nfrom soundness.run import repeat_case\n\n"
        f"CASE = {pformat(case, width=116, sort_dicts=False)}\n\n"
        f"if __name__ == '__main__':\n    sys.exit(repeat_case({name!r}, CASE, {fault!r}))\n",
        encoding="utf-8",
    )
    return path


def repeat_case(name: str, case: dict[str, Any], fault: str | None = None) -> int:
    """Judge a saved case again, print what is wrong, and return the exit code."""
    with plant_fault(fault):
        found = try_case(name, case)
    if found is None:
        say("shoal refuses this question now.")
        return 0
    say(*found.wrong, f"{name}: {len(found.wrong)} of {found.compared} answers differ.")
    return 1 if found.wrong else 0


# Many cases.


def choose_kinds(only: str) -> list[str]:
    """Return the names of the kinds that contain a text."""
    return [name for name in KINDS if only in name]


def serve(names: Sequence[str], seconds: float, seed: int, first: int = 0, step: int = 1, tell: Any = None) -> None:
    """Judge cases until the time is over: each kind once, then always the kind that had the least time.

    `tell` gets (name, number, None) before a case and (name, number, what came of it) after it.
    """
    end = time.monotonic() + seconds
    spent = dict.fromkeys(names[first % len(names) :] + names[: first % len(names)], 0.0)
    done = dict.fromkeys(names, 0)
    while time.monotonic() < end or not all(done.values()):
        name = min(spent, key=lambda name: (done[name] > 0, spent[name]))
        number = first + step * done[name]
        tell(name, number, None)
        begun = time.monotonic()
        case = draw_case(seed, name, number)
        found = try_case(name, case)
        took = time.monotonic() - begun
        wrong = [] if found is None else found.wrong
        if wrong:
            case = shrink_case(name, case, wrong[0])
        spent[name] += took
        done[name] += 1
        tell(
            name, number, (found is None, 0 if found is None else found.compared, wrong, took, case if wrong else None)
        )


def work(queue: Any, names: Sequence[str], seconds: float, seed: int, first: int, step: int, fault: str | None) -> None:
    """Serve cases in a process of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends the run
    with plant_fault(fault):
        serve(list(names), seconds, seed, first, step, lambda *told: queue.put((first, *told)))
    queue.put((first, None, 0, None))


def run_cases(
    seconds: float, seed: int, folder: Path, jobs: int = 1, only: str = "", fault: str | None = None
) -> Report:
    """Judge cases for some seconds, save the failures, and return the report."""
    names = choose_kinds(only)
    report = Report(seed, {name: Tally() for name in names})

    def note(name: str, number: int, came: Any) -> None:
        if came is None:
            return
        refused, compared, wrong, took, case = came
        tally = report.tallies[name]
        tally.cases += 1
        tally.refused += refused
        tally.compared += compared
        tally.seconds += took
        if wrong:
            tally.failures += 1
            report.saved.append(save_failure(folder, name, number, seed, case, wrong, fault))
            say(f"FAILED {name}: {wrong[0][:300]}", f"  {report.saved[-1]}")

    if jobs == 1:
        with plant_fault(fault):
            serve(names, seconds, seed, tell=note)
    else:
        share_among_processes(report, note, names, seconds, seed, jobs, fault)
    return report


def share_among_processes(
    report: Report, note: Any, names: Sequence[str], seconds: float, seed: int, jobs: int, fault: str | None
) -> None:
    """Let processes serve cases; one that ends in a case is a failure of that case."""
    context = multiprocessing.get_context("spawn")
    channels = [context.SimpleQueue() for _ in range(jobs)]
    workers = [
        context.Process(target=work, args=(channels[i], names, seconds, seed, i, jobs, fault), daemon=True)
        for i in range(jobs)
    ]
    for worker in workers:
        worker.start()
    at: dict[int, Any] = {}
    left = set(range(jobs))
    try:
        while left:
            for i in list(left):
                alive = workers[i].is_alive()
                while i in left and not channels[i].empty():
                    _, name, number, came = channels[i].get()
                    at[i] = name, number
                    if name is None:
                        left.discard(i)
                    else:
                        note(name, number, came)
                if i in left and not alive:
                    left.discard(i)
                    report.ended.append(f"A process ended with {workers[i].exitcode} in case {at.get(i)}.")
            time.sleep(0.05)
    except KeyboardInterrupt:
        report.ended.append("Stopped by Ctrl-C.")
    finally:
        for worker in workers:
            worker.terminate()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = ArgumentParser(prog="soundness", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="How long to run (default: 10).")
    parser.add_argument("--seed", type=int, default=None, help="Seed of all cases (default: drawn, and printed).")
    parser.add_argument("--jobs", type=int, default=2, help="Processes (default: 2).")
    parser.add_argument("--only", default="", help="Serve the kinds whose names contain this text.")
    parser.add_argument(
        "--folder", default="build/soundness", help="Where failures are saved (default: build/soundness)."
    )
    parser.add_argument("--fault", choices=sorted(FAULTS), default=None, help="Plant a fault, to see it reported.")
    asked = parser.parse_args(arguments)
    if not choose_kinds(asked.only):
        parser.error(f"No kind of cases contains {asked.only!r}. There are: {', '.join(KINDS)}.")
    seed = secrets.randbelow(2**32) if asked.seed is None else asked.seed
    say(f"SEED={seed}")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    report = run_cases(asked.minutes * 60, seed, Path(asked.folder), asked.jobs, asked.only, asked.fault)
    say(report)
    return 1 if report.failures else 0
