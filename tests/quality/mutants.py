"""Quality of the tests of a package: random faults are put into its source, and its tests must notice 9 of 10.

``make mutants PACKAGE=risk COUNT=500 SEED=1``. A fault that no test notices is a survivor. `survivors.toml` has the
reason of each survivor that is no gap: the program does the same with it, or only a message or the time differs.

The tests run once to learn which of them reach which line. Then one process holds the collected tests; a copy of it is
forked for each fault, gets the changed code, and runs only the tests that reach the line, the quickest first, until one
fails. Code that runs on import (constants, fields of dataclasses) is changed in a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from source_faults import Mutation, compile_mutation, find_functions, list_mutations

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REASONS = HERE / "survivors.toml"
WANTED = 0.9
"""The share of faults that tests must notice."""
SLOWER, PATIENCE = 3.0, 5.0
"""A fault is noticed, too, if tests take this many times as long as without it, and so many seconds more, of the
processor; other programs on the machine change nothing."""
START = 20.0
"""Seconds that a process may take beyond this to import what it needs."""
ASLEEP = 10
"""A copy or process that waits and does not compute is ended after this many times its seconds."""
MEMORY = 8 << 30
"""How many bytes tests of a fault may take."""


@dataclass(frozen=True)
class Package:
    """Sources, and the tests that must notice their faults."""

    sources: tuple[str, ...]
    """Patterns of files below the root."""
    tests: tuple[str, ...]
    without: tuple[str, ...] = ()
    """Sources that belong to another package, or that need what is not installed."""
    root: Path = ROOT

    def list_files(self) -> list[Path]:
        """Return the source files; compiled kernels are tested by `make sanitize` and tests/kernels."""
        left = {path for pattern in self.without for path in self.root.glob(pattern)}
        found = {path for pattern in self.sources for path in self.root.glob(pattern)}
        return sorted(path for path in found - left if "_kernels" not in path.parts)


LEVELS = ("src/shoal/risk/levels.py", "src/shoal/risk/*certificate.py", "src/shoal/risk/similarity.py")
PROMISES = ("src/shoal/release/verify.py", "src/shoal/release/guarantee.py", "src/shoal/release/drawn.py")
SPARK = ("src/shoal/relational/spark_engine.py",)
PACKAGES = {
    "risk": Package(("src/shoal/risk/*.py",), ("tests/risk", "src/shoal/risk"), LEVELS),
    "levels": Package(LEVELS, ("tests/risk", "tests/tables", "src/shoal/risk")),
    "verification": Package(PROMISES, ("tests/release", "src/shoal/release")),
    "linkage": Package(("src/shoal/linkage/*.py",), ("tests/linkage", "src/shoal/linkage")),
    "relational": Package(
        ("src/shoal/relational/**/*.py",),
        ("tests/relational", "src/shoal/relational"),
        () if os.environ.get("SHOAL_TEST_SPARK") else SPARK,
    ),
}


class Reach(NamedTuple):
    """Which tests reach which lines, and how long they take."""

    lines: dict[str, dict[int, set[str]]]
    """For each file and line the tests that reach it; importing it reaches no test."""
    seconds: dict[str, float]


# What tests reach


class Watcher:
    """A plugin of pytest that notes which lines each test reaches.

    What a fixture of several tests reaches counts for each of them.
    """

    def __init__(self, files: list[Path]) -> None:
        from coverage import Coverage

        self.coverage = Coverage(data_file=None, include=[str(path) for path in files], config_file=False)
        self.files, self.seconds, self.users = files, Counter[str](), defaultdict[str, set[str]](set)
        self.context = ""

    def pytest_configure(self) -> None:
        """Begin before anything is imported."""
        self.coverage.start()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note which tests use which fixture."""
        for item in session.items:
            for name in getattr(item, "fixturenames", ()):
                self.users[f"fixture {name}"].add(item.nodeid)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Count the lines of a test as its own."""
        self._enter(item.nodeid)
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[None]:
        """Count the lines of a fixture that lives longer than a test for all tests that use it."""
        before = self.context
        if fixturedef.scope != "function":
            self._enter(f"fixture {fixturedef.argname}")
        try:
            return (yield)
        finally:
            self._enter(before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the time of a test."""
        self.seconds[report.nodeid] += report.duration

    def collect(self) -> dict[str, Any]:
        """Return what was seen, as plain data."""
        self.coverage.stop()
        data = self.coverage.get_data()
        lines: dict[str, dict[int, list[str]]] = {}
        for path in self.files:
            at = lines[str(path)] = {}
            for line, contexts in data.contexts_by_lineno(str(path)).items():
                tests = {one for context in contexts for one in self.users.get(context, {context})}
                at[line] = sorted(tests - {""})
        return {"lines": lines, "seconds": self.seconds}

    def _enter(self, context: str) -> None:
        self.context = context
        self.coverage.switch_context(context)


def watch_tests(package: Package, folder: Path) -> Reach:
    """Run the tests once, in a process of its own, and return what they reach; a test that fails ends the program."""
    kept = folder / "reach.json"
    begun = os.fork()
    if not begun:
        code = 70
        try:
            watcher = Watcher(package.list_files())
            code = int(run_pytest(package, [*package.tests, "-q"], watcher))
            kept.write_text(json.dumps(watcher.collect()))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    if code := os.waitstatus_to_exitcode(os.waitpid(begun, 0)[1]):
        sys.exit(f"The tests must pass before faults are tried. pytest ended with exit code {code}.")
    found = json.loads(kept.read_text())
    return Reach(
        {name: {int(line): set(tests) for line, tests in at.items()} for name, at in found["lines"].items()},
        found["seconds"],
    )


def run_pytest(package: Package, arguments: list[str], *plugins: object) -> int:
    """Run pytest with the settings of the project, without processes of its own and without capturing files."""
    os.chdir(package.root)
    return pytest.main(["--rootdir", str(package.root), "-p", "no:xdist", "-s", *arguments], plugins=[*plugins])


# Trying faults


class Trial(NamedTuple):
    """What became of one fault."""

    mutation: Mutation
    end: str
    """"killed", "killed by time", "survived", or "survived, and no test reaches it"."""
    tests: int
    """How many tests reach it."""
    seconds: float


class Forker:
    """A plugin of pytest that runs the collected tests against one fault after the other, each in a forked copy."""

    def __init__(self, package: Package, reach: Reach, drawn: list[tuple[Mutation, CodeType]], jobs: int) -> None:
        self.package, self.reach, self.drawn, self.jobs = package, reach, drawn, jobs
        self.trials: list[Trial] = []
        self.believed: set[tuple[str, bool]] = set()
        """Tests that passed without a fault, in a forked copy or in a process that imported everything itself."""
        self.place = Path()
        """The folder of a copy; set there."""

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Prepare the collected tests: what Hypothesis fails at needs not be made smaller."""
        from hypothesis import Phase, settings

        for item in session.items:
            test = getattr(item, "obj", None)
            test = getattr(test, "__func__", test)
            if given := getattr(test, "_hypothesis_internal_use_settings", None):
                test._hypothesis_internal_use_settings = settings(given, phases=[Phase.explicit, Phase.generate])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all faults; the tests themselves run only in the copies."""
        items = {item.nodeid: item for item in session.items}
        for path in self.package.list_files():
            load(self.package, path)
        gc.unfreeze()
        functions = find_loaded_functions({str(path) for path in self.package.list_files()})
        gc.collect()
        gc.freeze()
        with tempfile.TemporaryDirectory() as folder:
            running: dict[int, Running] = {}
            todo = list(enumerate(self.drawn))[::-1]
            while todo or running:
                while todo and len(running) < self.jobs:
                    number, (mutation, code) = todo.pop()
                    tests = order_tests(self.package, mutation, code, self.reach)
                    if not tests:
                        self.end(mutation, "survived, and no test reaches it", 0, 0.0)
                        continue
                    place = Path(folder, str(number))
                    allowed = PATIENCE + SLOWER * sum(self.reach.seconds.get(name, 0) for name in tests)
                    changes = match_functions(self.package, mutation, code, functions)
                    if changes is None:
                        started = start_process(self.package, mutation, tests, place, allowed := allowed + START)
                    else:
                        self.place = place
                        started = start_copy(session, [items[name] for name in tests], changes, place, allowed)
                    running[started] = Running(
                        mutation, tests, changes is None, place, time.monotonic(), allowed * ASLEEP
                    )
                time.sleep(0.005)
                for process in list(running):
                    if end := see_end(process, running[process]):
                        one = running.pop(process)
                        if end == "killed":
                            self.believe(session, one)
                        shutil.rmtree(one.place, ignore_errors=True)
                        self.end(one.mutation, end, len(one.tests), time.monotonic() - one.began)
        return True

    def believe(self, session: pytest.Session, one: Running) -> None:
        """End the program if the test that failed also fails without the fault, in the same kind of copy or process."""
        failed = one.place / "failed"
        test = failed.read_text() if failed.exists() else one.tests[0]
        if (test, one.imports) in self.believed:
            return
        place = one.place.with_name("without")
        allowed = START + PATIENCE + SLOWER * self.reach.seconds.get(test, 0.0)
        if one.imports:
            started = start_process(self.package, None, [test], place, allowed)
        else:
            self.place = place
            [item] = (item for item in session.items if item.nodeid == test)
            started = start_copy(session, [item], [], place, allowed)
        if os.waitpid(started, 0)[1]:
            print((place / "said").read_text(errors="replace"))
            pytest.exit(f"{test} fails in a copy of the program without any fault, so no fault can be judged.", 2)
        shutil.rmtree(place)
        self.believed.add((test, one.imports))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Let a copy say at once which test failed, and why, since it never comes to the end of the session."""
        note_failure(report, self.place)

    def end(self, mutation: Mutation, end: str, tests: int, seconds: float) -> None:
        """Note what became of a fault."""
        self.trials.append(Trial(mutation, end, tests, seconds))
        print(
            f"{len(self.trials):4} of {len(self.drawn)}  {end:16} {mutation.file}:{mutation.line} {mutation.change}",
            flush=True,
        )


class Running(NamedTuple):
    """A copy or process in which tests run against a fault."""

    mutation: Mutation
    tests: list[str]
    imports: bool
    """Whether it is a process that imports everything itself, and not a forked copy."""
    place: Path
    began: float
    allowed: float


def see_end(process: int, one: Running) -> str:
    """Return what became of a fault; nothing while its tests run. Tests that take too long are ended."""
    ended, status = os.waitpid(process, os.WNOHANG)
    if ended:
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
        return "killed by time" if late else "killed" if status else "survived"
    if time.monotonic() - one.began < one.allowed:
        return ""
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return "killed by time"


def order_tests(package: Package, mutation: Mutation, code: CodeType, reach: Reach) -> list[str]:
    """Return the tests that reach a fault, the quickest first.

    Constants and fields of dataclasses are used without reaching a line of their file: all tests may notice them.
    """
    path = package.root / mutation.file
    at = reach.lines.get(str(path), {})
    here, others = set().union(*at.values()), set[str]()
    if runs_on_import(path, code):
        others = set(reach.seconds) - here
    else:
        here = set().union(*(at.get(line, set()) for line in mutation.lines))
    return [*sort_by_time(here, reach), *sort_by_time(others, reach)]


def sort_by_time(tests: set[str], reach: Reach) -> list[str]:
    """Return tests, the quickest first."""
    return sorted(tests, key=lambda name: (reach.seconds.get(name, 0.0), name))


def runs_on_import(path: Path, code: CodeType) -> bool:
    """Return whether a fault changes what runs when the file is imported."""
    return find_functions(code)[0] != find_functions(compile(path.read_text(), str(path), "exec"))[0]


def find_loaded_functions(files: set[str]) -> dict[tuple[str, str, int], list[FunctionType]]:
    """Return all functions of some files that exist in this process, by file, name and first line."""
    found = defaultdict[tuple[str, str, int], list[FunctionType]](list)
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename in files:
            code = one.__code__
            found[code.co_filename, code.co_qualname, code.co_firstlineno].append(one)
    return found


def match_functions(
    package: Package, mutation: Mutation, code: CodeType, functions: dict[tuple[str, str, int], list[FunctionType]]
) -> list[tuple[FunctionType, CodeType]] | None:
    """Return which functions of this process get which code; None if that does not do."""
    path = package.root / mutation.file
    outside, was = find_functions(compile(path.read_text(), str(path), "exec"))
    outside_now, now = find_functions(code)
    if outside != outside_now:
        return None
    changes = []
    for key, new in now.items():
        if new != was[key]:
            held = functions.get((str(path), *key), [])
            if not held or any(one.__code__.co_freevars != new.co_freevars for one in held):
                return None
            changes += [(one, new) for one in held]
    return changes


def start_copy(
    session: pytest.Session,
    items: list[pytest.Item],
    changes: list[tuple[FunctionType, CodeType]],
    place: Path,
    allowed: float,
) -> int:
    """Fork this process, change functions there, and run tests until one fails."""
    sys.stdout.flush()
    started = os.fork()
    if started:
        return started
    code = 1
    try:
        os.setsid()
        place.mkdir()
        quiet_down(place, allowed)
        session.config._tmp_path_factory._given_basetemp = place / "files"  # type: ignore[attr-defined]
        for function, new in changes:
            function.__code__ = new
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break
        code = int(session.testsfailed > 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def start_process(package: Package, mutation: Mutation | None, tests: list[str], place: Path, allowed: float) -> int:
    """Start a process that imports the file with the fault, if any, and runs tests until one fails."""
    place.mkdir()
    listed = place / "tests"
    listed.write_text("\n".join(tests))
    settings: dict[str, Any] = {"root": str(package.root), "allowed": allowed}
    if mutation is not None:
        settings |= {"file": mutation.file, "change": mutation.change, "path": mutation.path}
    command = [sys.executable, __file__, "--fault", json.dumps(settings), "--tests", str(listed)]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    process.returncode = 0  # its end is waited for elsewhere
    return process.pid


def quiet_down(place: Path, allowed: float) -> None:
    """Let a process speak to a file, and take no more memory and time than it may."""
    import resource  # Windows has none

    away = os.open(place / "said", os.O_RDWR | os.O_CREAT, 0o600)
    for stream in (1, 2):
        os.dup2(away, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # what is only reserved does not count
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(allowed), ceil(allowed) + 1))


def note_failure(report: pytest.TestReport, place: Path) -> None:
    """Write which test failed, and say why."""
    if report.failed:
        print(report.longreprtext)
        (place / "failed").write_text(report.nodeid)


class Chosen:
    """A plugin of pytest that keeps the named tests, in their order."""

    def __init__(self, tests: list[str], place: Path) -> None:
        self.tests = {name: at for at, name in enumerate(tests)}
        self.place = place

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note which test failed."""
        note_failure(report, self.place)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the named tests."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.tests), key=lambda item: self.tests[item.nodeid]
        )


class FaultyImport(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports one module from changed code."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        super().__init__(name, str(path))
        self.code = code

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return how to import the module."""
        if name != self.name:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def get_code(self, fullname: str) -> CodeType:
        """Return the changed code."""
        return self.code


def run_fault(settings: dict[str, Any], listed: Path) -> int:
    """Run tests in this process with a fault that is there on import, if any; return 0 if they pass."""
    package = Package((), (), root=Path(settings["root"]))
    quiet_down(listed.parent, settings["allowed"])
    if "file" in settings:
        path = package.root / settings["file"]
        wanted = tuple((name, place) for name, place in settings["path"])
        mutation = next(
            one
            for one in list_mutations(path.read_text(), settings["file"])
            if one.path == wanted and one.change == settings["change"]
        )
        code = compile_mutation(path.read_text(), mutation, str(path))
        assert code is not None
        sys.meta_path.insert(0, FaultyImport(name_module(package, path), path, code))
        load(package, path)  # pytest itself imports the files whose doctests it runs, past that
    tests = listed.read_text().splitlines()
    files = list(dict.fromkeys(name.split("::")[0] for name in tests))
    return run_pytest(package, [*files, "-x", "--basetemp", str(listed.parent / "files")], Chosen(tests, listed.parent))


def name_module(package: Package, path: Path) -> str:
    """Return the name of the module that a file is."""
    parts = path.relative_to(package.root / "src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def load(package: Package, path: Path) -> None:
    """Import a file that functions import only when they run."""
    importlib.import_module(name_module(package, path))


# Drawing faults, and what is said of them


def draw_mutations(package: Package, count: int, seed: str) -> tuple[list[tuple[Mutation, CodeType]], int]:
    """Return faults drawn with a seed, with their code, and how many there are in all."""
    every = [
        one
        for path in package.list_files()
        for one in list_mutations(path.read_text(), str(path.relative_to(package.root)))
    ]
    drawn = []
    for one in Random(seed).sample(every, len(every)):
        if len(drawn) == count:
            break
        path = package.root / one.file
        code = compile_mutation(path.read_text(), one, str(path))
        if code is not None:
            drawn.append((one, code))
    return sorted(drawn, key=lambda pair: (pair[0].file, pair[0].line)), len(every)


def read_reasons(path: Path = REASONS) -> dict[tuple[str, str, str, str], str]:
    """Return why survivors are no gaps of the tests."""
    held = tomllib.loads(path.read_text()).get("survivor", [])
    return {(one["file"], one["where"], one["line"], one["change"]): one["reason"] for one in held}


def report(trials: list[Trial], reasons: dict[tuple[str, str, str, str], str]) -> bool:
    """Print the survivors with their reasons, and the share of faults that tests notice; return whether it does."""
    left = [one for one in trials if one.end.startswith("survived")]
    unexplained = [one for one in left if one.mutation.key not in reasons]
    for trial in left:
        if reason := reasons.get(trial.mutation.key):
            one = trial.mutation
            print(
                f"\nSurvivor, {reason}\n  {one.file}:{one.line} in {one.where or 'the module'}: {one.change}\n"
                f"  {one.text}"
            )
    if unexplained:
        print(f"\nSurvivors without a reason; add a test, or the reason to {REASONS.name}:")
    for trial in unexplained:
        one = trial.mutation
        print(f"\n# {one.file}:{one.line}, {trial.end}; reached by {trial.tests} tests\n[[survivor]]")
        for name, text in zip(("file", "where", "line", "change"), one.key, strict=True):
            print(f"{name} = {json.dumps(text, ensure_ascii=False)}")
        print('reason = ""')
    total, killed = len(trials), len(trials) - len(left)
    late = sum(one.end == "killed by time" for one in trials)
    print(
        f"\n{killed} of {total} faults noticed ({100 * killed // total} %), {late} of them by time; "
        f"{len(left) - len(unexplained)} survivors have a reason, {len(unexplained)} have none"
    )
    return killed >= WANTED * total


def try_mutations(package: Package, count: int, seed: str, jobs: int) -> tuple[list[Trial], int]:
    """Draw faults and run the tests against each; return what became of them, and how many faults there are."""
    os.environ["SHOAL_TEST_SEED"] = str(sum(seed.encode()))  # tests draw the same cases every time
    drawn, every = draw_mutations(package, count, seed)
    with tempfile.TemporaryDirectory() as folder:
        reach = watch_tests(package, Path(folder))
    forker = Forker(package, reach, drawn, jobs)
    if run_pytest(package, [*package.tests, "-q"], forker) or len(forker.trials) < len(drawn):
        sys.exit("The faults could not be tried.")
    return forker.trials, every


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("package", nargs="?", choices=list(PACKAGES))
    parser.add_argument("--count", type=int, default=500, help="number of faults")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="tests that run at the same time")
    parser.add_argument("--fault", help=argparse.SUPPRESS)
    parser.add_argument("--tests", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.fault:
        return int(run_fault(json.loads(options.fault), options.tests) != 0)
    if options.package is None or options.count < 1:
        parser.error(f"name a package, one of {', '.join(PACKAGES)}, and at least 1 fault")
    began = time.monotonic()
    trials, every = try_mutations(
        PACKAGES[options.package], options.count, f"{options.seed} {options.package}", options.jobs
    )
    good = report(trials, read_reasons())
    took = time.monotonic() - began
    print(f"{options.package}: {len(trials)} of {every} faults, drawn with SEED={options.seed}, took {took:.0f} s")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
