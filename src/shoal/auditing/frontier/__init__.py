"""Risk-utility frontier: the remaining risk and the lost utility of each applicable method, for one scenario.

It is different from :func:`shoal.level_curves`, the frontier of (k,l)-anonymity of one graph. :func:`shoal.tradeoff`
compares budgets of one method.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from shoal.auditing.frontier.points import Facts, Plan, Point, plan_releases, refuse_misfit, select_unbeaten
from shoal.auditing.frontier.trial import Question, measure_point
from shoal.auditing.frontier.workers import try_plans
from shoal.data.dataset import Dataset, as_dataset, describe_form
from shoal.data.frames import make_frame
from shoal.errors import BadFile, BadParameter, check_k, cut, did_you_mean, must, notice, public, whole
from shoal.io.atomic import write_text
from shoal.io.digest import digest_layout, digest_text
from shoal.io.strict_json import find_misfit, is_a, parse_json
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.view import Pair
from shoal.limits import TimeLimit, count_ended, find_limit, limit_time
from shoal.methods.base import Method
from shoal.progress import track
from shoal.risk.scenario import Scenario, as_scenario
from shoal.seeds import AnySeed, parse_seed
from shoal.show import as_chart, as_html, as_picture, as_text
from shoal.utility.changes import CHANGED
from shoal.utility.registry import METRICS

WORK = "making releases"


@public
def frontier(
    data: Any,
    knowledge: Adversary | str | Sequence[Adversary | str] | None = None,
    k: int | Iterable[int] | None = None,
    *,
    scenario: Scenario | str | Path | None = None,
    methods: str | Method | Iterable[str | Method] | None = None,
    columns: Sequence[str] = (),
    utility: str = CHANGED.name,
    facts: Facts = "release",
    also: Mapping[str, Any] | None = None,
    seed: AnySeed = 0,
    jobs: int | None = None,
    time_limit: float | None = None,
    folder: Any = None,
) -> Frontier:
    """Make a release by every method that applies, for each k, and measure its risk and its loss of utility.

    :func:`shoal.tradeoff` compares budgets of one method.

    Parameters
    ----------
    data
        A graph or a table, in any form that shoal accepts.
    knowledge
        What the attacker knows: one kind of knowledge or several. None: the kinds of the scenario.
    k
        Numbers of candidates to ask for, one or several. Risk is the share of people with fewer than k candidates under
        at least one kind of knowledge. None: 2, 5, 10 and the k of the scenario.
    scenario
        A :class:`shoal.Scenario`, the name of a preset, or a .toml file. None: "agreement".
    methods
        Shell names of methods, or methods with options (their k is replaced by each k). None: all that apply.
    columns
        The quasi-identifiers, and columns to include. Default: none of a graph, all of a table.
    utility
        Name of the metric that measures the loss.
    facts
        Where the attacker measures facts: in the "release" or in the "original". Both are counted.
    also
        Existing releases by name, to be compared: a :class:`shoal.Release`, a graph whose vertices have the original
        names, or a :class:`shoal.knowledge.view.Pair`.
    seed
        Random seed of all methods: an int or a numpy Generator. Use another, private seed for the release that you
        publish.
    jobs
        Number of parallel processes; None for one per core. 1 works in this process.
    time_limit
        Seconds after which the run ends with the releases made so far. While others wait, a release is given up after
        half of the time that was left at its start.
    folder
        Folder of finished points, from which an interrupted run can resume; None keeps nothing.

    Examples
    --------
    >>> import shoal
    >>> found = shoal.frontier(shoal.examples.karate(), k=2, methods=["match-degrees", "perturb"], jobs=1)
    >>> [(point.called, point.k) for point in found.front(2)][:1]
    [('no change', None)]
    >>> found["match-degrees edits=add-delete", 2].risk.people
    34
    """
    if isinstance(data, str | os.PathLike):
        raise BadParameter(f"frontier: 'data' must be a graph or a table. Got the path {data!r}. Read it first.")
    original, kinds = _parse_question(data, knowledge, as_scenario(scenario), columns)
    ks = _check_ks(_choose_ks(as_scenario(scenario).k, original) if k is None else k, original)
    must(utility in METRICS, "frontier", "utility", f"one of {', '.join(METRICS)}", utility)
    must(facts in ("release", "original"), "frontier", "facts", "release or original", facts)
    several = os.cpu_count() or 1 if jobs is None else whole(jobs, "frontier", "jobs", least=1)
    named = (methods,) if isinstance(methods, str | Method) else None if methods is None else tuple(methods)
    drawn = parse_seed(seed, "frontier")
    plans, left_out = plan_releases(original, ks, named, kinds, drawn)
    question = Question(original, kinds, ks)
    with limit_time(time_limit, "frontier"):
        limit = find_limit()
        given = _measure_given(also or {}, question)
        made = _make_points(plans, question, several, limit, check_folder(folder))
    seconds = None if limit is None else limit.seconds
    return Frontier(original, kinds, ks, (*made, *given), left_out, drawn, utility, facts, named, seconds)


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """Releases by different methods, with the remaining risk and the lost utility of each."""

    original: Dataset
    """The original data, with the included columns."""
    kinds: tuple[Adversary, ...]
    """What the attacker may know. A person is at risk if one of them leaves fewer than k candidates."""
    ks: tuple[int, ...]
    points: tuple[Point, ...]
    """All releases tried; the unchanged data and the empty data come first."""
    left_out: tuple[tuple[str, str], ...]
    """Names of methods that were not tried, each with the reason."""
    seed: int
    utility: str = CHANGED.name
    facts: Facts = "release"
    methods: tuple[str | Method, ...] | None = None
    """The requested methods; None for all that apply."""
    limit: float | None = None
    """The time limit in seconds, if there was one."""

    @property
    def partial(self) -> str:
        """What the time limit ended, as a sentence; empty if it ended nothing."""
        if self.limit is None:
            return ""
        ended = [point for point in self.points if point.limit is not None]
        return TimeLimit.of(self.limit).describe_ended(count_ended(len(ended), len(self.points), "release"))

    def front(self, k: int | None = None) -> tuple[Point, ...]:
        """Return the points that no other point dominates in risk (the share of people below k) and loss.

        Points with the least loss come first; ties are kept. A point dominates another only if that is certain: where
        its search was cut short, or its attacker is misled about a person, the worst case is assumed.
        """
        return select_unbeaten(self.points, self._check_k(k), self.utility, self.facts)

    def along(self, utility: str | None = None, facts: Facts | None = None) -> Frontier:
        """Return the same points with another metric, or for the attacker who measures facts in the other data."""
        chosen = self.utility if utility is None else utility
        known = {name for point in self.points for name in point.lost}
        if chosen not in known:
            hint = did_you_mean(chosen, known)
            raise BadParameter(f"frontier: there is no metric {chosen!r}. There are: {', '.join(sorted(known))}.{hint}")
        return replace(self, utility=chosen, facts=facts or self.facts)

    def __getitem__(self, called: tuple[str, int | None]) -> Point:
        """Return a point by its name (method and options) and k."""
        for point in self.points:
            if (point.called, point.k) == called:
                return point
        known = ", ".join(dict.fromkeys(point.called for point in self.points))
        raise BadParameter(f"Frontier: there is no point {called!r}. There are: {known}.")

    def data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, without names of people."""
        fronts = {k: {id(point) for point in self.front(k)} for k in self.ks}
        return {
            "schema": 2,
            "data": {self.original.noun[1]: self.original.n, "edges": self.original.m} | describe_form(self.original),
            "columns": list(self.original.attributes),
            "knows": [kind.spec for kind in self.kinds],
            "k": list(self.ks),
            "seed": self.seed,
            "utility": {"name": self.utility, "means": METRICS[self.utility].means},
            "facts": self.facts,
            "points": [
                point.data() | {"called": point.called, "front": [k for k in self.ks if id(point) in fronts[k]]}
                for point in self.points
            ],
            "left out": [{"name": name, "why": why} for name, why in self.left_out],
            "partial": self.partial,
        }

    def to_frame(self) -> Any:
        """Return a data frame with one row per point."""
        rows = [
            {"method": p.called, "k": p.k, "lost": p.lost.get(self.utility), "refused": p.refused}
            | {f"below {k}": None if (e := p.get_risk(self.facts)) is None else float(e.bounds(k)[0]) for k in self.ks}
            for p in self.points
        ]
        return make_frame({name: [row[name] for row in rows] for name in rows[0]})

    @public
    def plot(self, k: int | None = None) -> Any:
        """Return an altair chart: the people with fewer than k candidates (default: the largest k), against the loss.

        In a notebook the chart shows itself. It has exact numbers about the original: keep it private.
        """
        return as_chart(replace(self, ks=(self._check_k(k),)))

    @public
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write a page (.html), a chart (.svg) or the numbers (.json)."""
        as_picture(self, Path(path), force)

    def _check_k(self, k: int | None) -> int:
        asked = self.ks[-1] if k is None else k
        must(asked in self.ks, "Frontier", "k", f"one of {', '.join(map(str, self.ks))}", asked)
        return asked

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _parse_question(
    graph: Any, knows: Adversary | str | Sequence[Adversary | str] | None, scenario: Scenario, columns: Sequence[str]
) -> tuple[Dataset, tuple[Adversary, ...]]:
    """Return the data with the included columns, and the kinds of knowledge."""
    original = as_dataset(graph)
    named = (columns,) if isinstance(columns, str) else tuple(columns)
    named = named or (() if original.has_links else tuple(original.attributes))
    if knows is None:
        kinds = tuple(scenario.choose_kinds(original, named).values())
    else:
        asked = (knows,) if isinstance(knows, str | Adversary) else tuple(knows)
        must(asked, "frontier", "knowledge", "at least one kind of knowledge", asked)
        kinds = tuple(dict.fromkeys(map(parse_knowledge, asked)))
    for kind in kinds:
        named += kind.columns(original.attributes)
    return original.with_attributes(original.attributes.only(list(dict.fromkeys(named)))), kinds


def _choose_ks(k: int, data: Dataset) -> list[int]:
    """Return the default numbers of candidates, as far as there are as many people."""
    return [each for each in (2, 5, 10, k) if each <= data.n] or [data.n]


def _check_ks(k: int | Iterable[int], data: Dataset) -> tuple[int, ...]:
    asked = tuple(k) if isinstance(k, Iterable) else (k,)
    must(asked, "frontier", "k", "at least one number", asked)
    return tuple(sorted({check_k("frontier", each, data) for each in asked}))


def _measure_given(also: Mapping[str, Any], question: Question) -> tuple[Point, ...]:
    """Return a point for each existing release."""
    points = []
    for name, release in also.items():
        pair = release if isinstance(release, Pair) else Pair.of(question.data, as_dataset(release), who="frontier")
        if pair.counterpart is None:
            notice(f"{name}: without a mapping, people cannot be matched. Metrics that need a match are left out")
        same = Pair(question.data, pair.released, pair.counterpart, pair.by)
        points.append(measure_point(Point(name, kind="given"), same, question))
    return tuple(points)


def _make_points(
    plans: Sequence[Plan], question: Question, jobs: int, limit: TimeLimit | None, folder: Path | None
) -> list[Point]:
    """Return the point of each plan, in order; stored points are not made again."""
    kept = PointStore(folder, question)
    keys = [compute_key(plan, question) for plan in plans]
    found = {
        key: point for key in keys if (point := kept.find(key, None if limit is None else limit.seconds)) is not None
    }
    if found:
        notice(f"{len(found)} of {len(plans)} points are already finished, in {kept.path}")
    left = {key: plan for key, plan in zip(keys, plans, strict=True) if key not in found}
    try:
        track(WORK, len(found), len(plans))
        for key, point in try_plans(left, question, jobs, limit):
            kept.add(key, point)
            found[key] = point
            track(f"{WORK}, {point.called}", len(found), len(plans))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_describe_resuming(len(found), len(plans), kept.path)) from None
    return [found[key] for key in keys]


def _describe_resuming(done: int, total: int, path: Path | None) -> str:
    if path is None:
        return f"{done} of {total} points were made and are lost; with a folder, the next run could resume"
    return f"{done} of {total} points are kept in {path}; run the same command again to resume"


# Storage of frontier points: each point is written as soon as it is made, so that an interrupted run can resume.
#
# The file has one line per point and no names. It is valid for one input and one version; for others it is started
# anew. It has exact numbers about the original, so only its owner can read it.

SCHEMA = 3
FILE = "points.jsonl"
MAKERS = ("shoal", "numpy", "scipy", "igraph")
"""Packages whose versions may change the release that a seed gives."""


class PointStore:
    """Finished points in a folder; without a folder nothing is kept."""

    def __init__(self, folder: Path | None, question: Question) -> None:
        self.path = None if folder is None else folder / FILE
        self.head = {"schema": SCHEMA, "input": digest_layout(question.data), "versions": list_versions()}
        self.ks = set(question.ks)
        self.points: dict[str, Point] = {}
        if self.path is not None:
            self._open(self.path)

    def find(self, key: str, limit: float | None) -> Point | None:
        """Return a stored point, unless more time or another attempt may give a better one."""
        found = self.points.get(key)
        if found is None or not all(
            risk is None or set(risk.below) == self.ks for risk in (found.risk, found.attacked)
        ):
            return None
        if not found.again:
            return found
        too_slow = found.limit is not None and limit is not None and limit <= found.limit
        return found if too_slow else None

    def add(self, key: str, point: Point) -> None:
        """Store a point at once."""
        if self.path is None:
            return
        self.points[key] = point
        number = os.open(self.path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(number, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(_format_line({"key": key, "point": point.data()}))
            stream.flush()
            os.fsync(stream.fileno())

    def _open(self, path: Path) -> None:
        """Read the stored points, and write them again without a line that was cut off."""
        try:
            _make_private_folder(path.parent)
            lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
            head, *rest = [_parse_line(line) for line in lines] or [None]
            if head == self.head:
                self.points = dict(self._parse_point(told) for told in rest if told is not None)
            elif lines:
                notice(f"{path} is about other data or from another version, so all points are made anew")
            self._write(path)
        except (OSError, ValueError) as error:
            raise BadFile(f"{path}: must hold the points of a frontier. {cut(error)}. Remove the file.") from error

    @staticmethod
    def _parse_point(told: Any) -> tuple[str, Point]:
        """Return the key and the point of a line, or raise ValueError."""
        refuse_misfit(find_misfit(told, {"key": is_a(str), "point": is_a(dict)}, "a line"))
        return told["key"], Point.from_data(told["point"])

    def _write(self, path: Path) -> None:
        told = ({"key": key, "point": point.data()} for key, point in self.points.items())
        if path.is_symlink():
            raise BadFile(f"{path}: must be a file that shoal wrote. Got a symbolic link. Remove it.")
        write_text(path, "".join(map(_format_line, (self.head, *told))), force=True, private=True)


def _make_private_folder(folder: Path) -> None:
    """Make the folder, or use an existing one that belongs to the user; others must not be able to write there."""
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    if not stat.S_ISDIR(found.st_mode) or not mine:
        came = "a symbolic link" if folder.is_symlink() else "one of another user"
        raise BadFile(f"{folder}: must be a folder of your own. Got {came}. Remove it, or name another output.")
    if found.st_mode & 0o022:  # other users could put links into it
        folder.chmod(0o700)


def _format_line(told: Any) -> str:
    return json.dumps(told, ensure_ascii=False) + "\n"


def _parse_line(line: str) -> Any:
    """Parse a line; None for one that was cut off by a kill."""
    try:
        return parse_json(line, FILE, nan=True)
    except BadFile:
        return None


def compute_key(plan: Plan, question: Question) -> str:
    """Return the key of a point: it depends on the method, its options, the attacker model and the requested k."""
    told = [repr(plan.method), plan.end, [kind.spec for kind in question.kinds], list(question.ks)]
    return digest_text(json.dumps(told))


def list_versions(packages: Iterable[str] = MAKERS) -> dict[str, str]:
    """Return the installed versions of some packages, by default those that a release depends on."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "unknown"
    return found


def check_folder(folder: Any) -> Path | None:
    """Return the folder as a path; its parent must exist."""
    if folder is None:
        return None
    path = Path(folder)
    if not path.parent.is_dir() or (path.exists() and not path.is_dir()):
        raise BadParameter(f"frontier: 'folder' must be a folder, or a new one in a folder that exists. Got {path}.")
    return path
