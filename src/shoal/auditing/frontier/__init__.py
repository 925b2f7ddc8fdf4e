"""Risk-utility frontier: what each applicable method leaves at risk against one attacker, and what it costs.

Not to be confused with :func:`shoal.level_curves`, the frontier of (k,l)-anonymity of one graph.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal.auditing.frontier.plans import Plan, plan_releases
from shoal.auditing.frontier.points import Facts, Point, select_unbeaten
from shoal.auditing.frontier.state import PointStore, check_folder, compute_key
from shoal.auditing.frontier.trial import CHANGED, METRICS, Question, measure_point
from shoal.auditing.frontier.workers import try_plans
from shoal.data.dataset import Dataset, as_dataset, check_k
from shoal.data.frames import make_frame
from shoal.errors import BadParameter, did_you_mean, must, notice, public, whole
from shoal.knowledge import Adversary, Columns, Neighbors, parse_knowledge
from shoal.knowledge.view import Pair
from shoal.methods.base import Method
from shoal.progress import track
from shoal.show import as_html, as_picture, as_text

WORK = "making releases"


@public
def frontier(
    data: Any,
    knowledge: Adversary | str | None = None,
    k: int | Iterable[int] = (2, 5, 10),
    *,
    methods: str | Method | Iterable[str | Method] | None = None,
    columns: Sequence[str] = (),
    utility: str = CHANGED,
    facts: Facts = "release",
    also: Mapping[str, Any] | None = None,
    seed: int = 0,
    jobs: int | None = None,
    time_limit: float | None = None,
    folder: Any = None,
) -> Frontier:
    """Make a release by every method that applies, for each k, and measure its risk and what it lost.

    Parameters
    ----------
    data
        A graph or a table, as whatever shoal takes.
    knowledge
        What the attacker knows; None for two neighbors, with the columns where some are named; all columns of a table.
    k
        The numbers of candidates to ask for, one or several; risk is counted below each of them.
    methods
        Shell names of methods, or methods with their options (their k is replaced by each k); None for all that apply.
    columns
        Columns that are looked at, besides those that are known: of a graph none, of a table all, unless named.
    utility
        What is lost: the name of a metric.
    facts
        Whether the attacker measures what is known in the "release", or in the "original". Both are counted.
    also
        Releases that exist, by what they are called, to be put beside: a :class:`shoal.Release`, a graph whose
        vertices have the original names, or a :class:`shoal.knowledge.view.Pair`.
    seed
        What all methods draw from. Make the release that you publish with another, secret one.
    jobs
        How many processes work at once; None for as many as there are cores. 1 works in this process.
    time_limit
        Seconds after which a release is given up.
    folder
        Where finished points are kept, so that an interrupted run goes on; None keeps nothing.

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
    original, wanted = _parse_question(data, knowledge, columns)
    ks = _check_ks(k, original)
    must(utility in METRICS, "frontier", "utility", f"one of {', '.join(METRICS)}", utility)
    must(facts in ("release", "original"), "frontier", "facts", "release or original", facts)
    must(time_limit is None or time_limit > 0, "frontier", "time_limit", "a number of seconds above 0", time_limit)
    several = os.cpu_count() or 1 if jobs is None else whole(jobs, "frontier", "jobs", least=1)
    named = (methods,) if isinstance(methods, str | Method) else None if methods is None else tuple(methods)
    plans, left_out = plan_releases(original, ks, named, wanted, whole(seed, "frontier", "seed", least=0, most=None))
    question = Question(original, wanted, ks)
    given = _measure_given(also or {}, question)
    made = _make_points(plans, question, several, time_limit, check_folder(folder))
    return Frontier(original, wanted, ks, (*made, *given), left_out, seed, utility, facts, named, time_limit)


@dataclass(frozen=True, eq=False, repr=False)
class Frontier:
    """Methods against each other: what their releases leave at risk, and what they lose."""

    original: Dataset
    """What they were made from, with the columns that were looked at."""
    adversary: Adversary
    ks: tuple[int, ...]
    points: tuple[Point, ...]
    """All that was tried; the data as they are and the empty data come first."""
    left_out: tuple[tuple[str, str], ...]
    """Methods that were not tried, each with the reason."""
    seed: int
    utility: str = CHANGED
    facts: Facts = "release"
    methods: tuple[str | Method, ...] | None = None
    """The methods that were asked for; None for all that apply."""
    limit: float | None = None
    """The seconds after which a release was given up."""

    def front(self, k: int | None = None) -> tuple[Point, ...]:
        """Return the points that no other beats in both, the share of people below k and what is lost.

        Points that lose least come first; ties are kept. One beats another only if that is sure: where a search was cut
        short, or where nothing fits somebody, the worst is assumed of the one that would beat.
        """
        return select_unbeaten(self.points, self._check_k(k), self.utility, self.facts)

    def along(self, utility: str | None = None, facts: Facts | None = None) -> Frontier:
        """Return the same points along another metric, or against the attacker who measures elsewhere."""
        chosen = self.utility if utility is None else utility
        known = {name for point in self.points for name in point.lost}
        if chosen not in known:
            hint = did_you_mean(chosen, known)
            raise BadParameter(f"frontier: there is no metric {chosen!r}. There are: {', '.join(sorted(known))}.{hint}")
        return replace(self, utility=chosen, facts=facts or self.facts)

    def __getitem__(self, called: tuple[str, int | None]) -> Point:
        """Return a point by what it is called, with its options, and its k."""
        for point in self.points:
            if (point.called, point.k) == called:
                return point
        known = ", ".join(dict.fromkeys(point.called for point in self.points))
        raise BadParameter(f"Frontier: there is no point {called!r}. There are: {known}.")

    def data(self) -> dict[str, Any]:
        """Return everything as plain data, as JSON can hold it; it names nobody."""
        fronts = {k: {id(point) for point in self.front(k)} for k in self.ks}
        return {
            "schema": 1,
            "data": {self.original.noun[1]: self.original.n, "edges": self.original.m},
            "columns": list(self.original.attributes),
            "knows": self.adversary.spec,
            "k": list(self.ks),
            "seed": self.seed,
            "utility": {"name": self.utility, "means": METRICS[self.utility].means},
            "facts": self.facts,
            "points": [
                point.data() | {"called": point.called, "front": [k for k in self.ks if id(point) in fronts[k]]}
                for point in self.points
            ],
            "left out": [{"name": name, "why": why} for name, why in self.left_out],
        }

    def to_frame(self) -> Any:
        """Return one row per point as a frame."""
        rows = [
            {"method": p.called, "k": p.k, "lost": p.lost.get(self.utility), "refused": p.refused}
            | {f"below {k}": None if (e := p.get_risk(self.facts)) is None else float(e.bounds(k)[0]) for k in self.ks}
            for p in self.points
        ]
        return make_frame({name: [row[name] for row in rows] for name in rows[0]})

    @public
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write a page (.html), a picture (.svg) or the numbers (.json)."""
        as_picture(self, Path(path), force)

    def _check_k(self, k: int | None) -> int:
        asked = self.ks[-1] if k is None else k
        must(asked in self.ks, "Frontier", "k", f"one of {', '.join(map(str, self.ks))}", asked)
        return asked

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _parse_question(graph: Any, knows: Adversary | str | None, columns: Sequence[str]) -> tuple[Dataset, Adversary]:
    """Return the data with the columns that are looked at, and the attacker."""
    original = as_dataset(graph)
    named = (columns,) if isinstance(columns, str) else tuple(columns)
    named = named or (() if original.has_links else tuple(original.attributes))
    wanted = parse_knowledge(knows) if knows is not None else _choose_knowledge(named, linked=original.has_links)
    named += wanted.columns(original.attributes)
    return original.with_attributes(original.attributes.only(list(dict.fromkeys(named)))), wanted


def _choose_knowledge(columns: tuple[str, ...], *, linked: bool) -> Adversary:
    """Return what is taken for known where nobody says: the columns that were named, and two neighbors of a network."""
    if not linked:
        return Columns(*columns)
    return Columns(*columns) & Neighbors(2) if columns else Neighbors(2)


def _check_ks(k: int | Iterable[int], data: Dataset) -> tuple[int, ...]:
    asked = tuple(k) if isinstance(k, Iterable) else (k,)
    must(asked, "frontier", "k", "at least one number", asked)
    return tuple(sorted({check_k("frontier", each, data) for each in asked}))


def _measure_given(also: Mapping[str, Any], question: Question) -> tuple[Point, ...]:
    """Return a point for each release that exists already."""
    points = []
    for name, release in also.items():
        pair = release if isinstance(release, Pair) else Pair.of(question.data, as_dataset(release), who="frontier")
        if pair.counterpart is None:
            notice(f"{name}: who is who is not known, so that only what needs no mapping is shown")
        same = Pair(question.data, pair.released, pair.counterpart, pair.by)
        points.append(measure_point(Point(name, kind="given"), same, question))
    return tuple(points)


def _make_points(
    plans: Sequence[Plan], question: Question, jobs: int, limit: float | None, folder: Path | None
) -> list[Point]:
    """Return the point of each plan, in their order; those that are kept are not made again."""
    kept = PointStore(folder, question)
    keys = [compute_key(plan, question) for plan in plans]
    found = {key: point for key in keys if (point := kept.find(key, limit)) is not None}
    if found:
        notice(f"{len(found)} of {len(plans)} points are there already, in {kept.path}")
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
        return f"{done} of {total} points were made and are lost; give a folder to go on the next time"
    return f"{done} of {total} points are kept in {path}; ask the same again to go on from there"
