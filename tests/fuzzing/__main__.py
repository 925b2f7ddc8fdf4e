"""Read hostile and changed files with every reader, for some minutes, and print what was refused, read, and failed.

    python tests/fuzzing [--minutes 10] [--seed N] [--jobs 2] [--only READER] [--case N] [--out FOLDER]

A case that fails is saved with the command that reads it again. The exit code is 1 if one failed.
"""

import argparse
import os
import secrets
import shlex
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1]))

from file_readers import READERS
from fuzz_judges import find_active, judge
from watched import Watched


def say(text):
    """Print at once: a run takes minutes."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


@dataclass
class Tally:
    """What a reader did so far."""

    cases: int = 0
    listed: int = 0
    refused: int = 0
    read: int = 0
    failures: list = field(default_factory=list)
    spent: float = 0.0
    slowest: float = 0.0
    largest: float = 0.0
    busy: int = 0


class Fuzzing:
    """A run: its readers are served in turn, the one that had least time first."""

    def __init__(self, names, seed, out, end, most=None):
        self.seed, self.out, self.end, self.most = seed, Path(out), end, most
        self.tallies = {name: Tally() for name in names}
        self.safe = {}
        self.broken = None
        """Why the run itself ended early: a defect of these programs."""
        self.lock = threading.Lock()

    def choose(self):
        """Return the reader to serve, and the number of its case; None at the end."""
        with self.lock:
            open_ = [n for n, t in self.tallies.items() if self.most is None or t.cases + t.busy < self.most]
            if time.monotonic() > self.end or not open_:
                return None
            name = min(open_, key=lambda n: (self.tallies[n].spent, self.tallies[n].cases + self.tallies[n].busy))
            tally = self.tallies[name]
            number = tally.cases + tally.busy
            tally.busy += 1
            tally.spent += 1e-3  # another worker takes another reader
            return name, number

    def work(self, folder):
        """Serve readers until the time is over."""
        try:
            with Watched(folder) as worker:
                while (chosen := self.choose()) is not None:
                    self.try_case(worker, *chosen)
        except BaseException as error:
            self.broken, self.end = error, 0.0

    def try_case(self, worker, name, number):
        """Run a case and judge it."""
        self.learn(worker, name)
        title, words, outcome = worker.run(reader=name, number=number, seed=self.seed)
        outcome.safe = self.safe[name]
        wrong = judge(outcome)
        with self.lock:
            tally = self.tallies[name]
            tally.busy -= 1
            tally.cases += 1
            tally.listed += not title.startswith("changed")
            tally.spent += outcome.clock or outcome.seconds  # not the start of a process
            tally.slowest, tally.largest = max(tally.slowest, outcome.seconds), max(tally.largest, outcome.megabytes)
            tally.refused += not wrong and outcome.code == 2
            tally.read += not wrong and outcome.code != 2
            if wrong:
                tally.failures.append((number, title, wrong))
                self.save(worker, name, number, title, words, wrong)
        return wrong

    def learn(self, worker, name):
        """Read the valid file with every command: it must be read, and its pages show what our own pages run."""
        if name in self.safe:
            return
        reader, found = READERS[name], frozenset()
        for i in range(max(1, len(reader.commands))):
            _, words, outcome = worker.run(reader=name, number=-1 - i, seed=self.seed)
            if outcome.code not in (0, 1) or outcome.ended or outcome.defect:
                raise RuntimeError(f"{name}: the valid file is not read: {words} {outcome}")
            found |= {one for page in outcome.pages.values() for one in find_active(page)}
        self.safe[name] = frozenset(found)

    def save(self, worker, name, number, title, words, wrong):
        """Keep the files of a case with the commands that repeat it."""
        place = self.out / f"{name.replace(' ', '-').replace(',', '')}-{number}"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(worker.folder / "case", place)
        for made in {*place.glob("*.html")} if words else ():
            made.unlink()
        again = f"python tests/fuzzing --only {shlex.quote(name)} --seed {self.seed} --case {number}"
        told = [f"{name}, case {number}: {title}", *wrong, "", "Again, with all judges:", f"  {again}"]
        if words:
            told += ["Or, in this folder:", f"  {shlex.join(['shoal', *words])}"]
        (place / "FAILURE.txt").write_text("\n".join(told) + "\n")
        say(f"FAIL {name}, case {number} ({title}): {'; '.join(wrong)[:300]}\n     {place}")


HEADS = ("cases", "listed", "refused", "read", "failures", "slowest", "memory")


def print_table(tallies):
    """Print a row for each reader, and return the number of failures; "listed" files are those of the catalogue."""
    say(f"\n{'reader':<26}" + "".join(f"{head:>10}" for head in HEADS))
    for name, t in tallies.items():
        counts = (t.cases, t.listed, t.refused, t.read, len(t.failures))
        say(f"{name:<26}" + "".join(f"{count:>10,}" for count in counts) + f"{t.slowest:>8.1f} s{t.largest:>7,.0f} MB")
    every = [(t.cases, t.listed, t.refused, t.read, len(t.failures)) for t in tallies.values()]
    total = [sum(column) for column in zip(*every, strict=True)]
    say(f"{'all':<26}" + "".join(f"{count:>10,}" for count in total))
    return total[-1]


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python tests/fuzzing", description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", choices=READERS, help="only this reader")
    parser.add_argument("--case", type=int, help="only this case of the reader")
    parser.add_argument("--out", default="build/fuzz", help="folder for files that fail")
    given = parser.parse_args(arguments)
    seed = secrets.randbelow(2**32) if given.seed is None else given.seed
    say(f"SEED={seed}")
    end = time.monotonic() + 60 * given.minutes
    run = Fuzzing(given.only or READERS, seed, given.out, end)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # files are made and removed all the time
    with tempfile.TemporaryDirectory(prefix="shoal-fuzz-", dir=memory) as folder:
        if given.case is not None:
            with Watched(folder) as worker:
                run.try_case(worker, given.only[0], given.case)
        else:
            threads = [threading.Thread(target=run.work, args=(Path(folder, str(i)),)) for i in range(given.jobs)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
    if run.broken is not None:
        raise run.broken
    failed = print_table(run.tallies)
    say(f"{failed} failures. SEED={seed}" + (f". Files: {given.out}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
