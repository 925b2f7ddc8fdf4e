"""The trade-off of one method: people at risk against links changed, for several budgets of :class:`.ReduceRisk`.

Random edits and two published heuristics (de Jong et al. 2024) stand beside it. :func:`shoal.frontier` compares
different methods.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.core.edge_diff import find_edge_difference
from shoal.data.arrays import Bools
from shoal.data.dataset import as_graph, describe_form
from shoal.data.frames import make_frame
from shoal.data.graph import Graph
from shoal.errors import BadParameter, OutOfTime, check_k, find_by_name, must, public, show_value, whole
from shoal.knowledge import Adversary, Columns, parse_knowledge
from shoal.limits import TimeLimit, count_ended, find_limit, limit_time
from shoal.methods.links.reduce_risk import ReduceRisk, count_amount
from shoal.methods.links.reduce_risk.baselines import HEURISTICS, delete_in_rounds, edit_randomly
from shoal.methods.links.reduce_risk.search import Edits
from shoal.progress import track
from shoal.release.verify import find_at_risk, find_at_risk_by_original
from shoal.risk.assess import Risk, assess
from shoal.seeds import AnySeed, parse_seed
from shoal.shares import spell_share
from shoal.show import as_chart, as_html, as_picture, as_text
from shoal.utility.base import LARGE, Measurement, Metric, Network, Value
from shoal.utility.communities import COMMUNITIES
from shoal.utility.network import CLUSTERING, DEGREES, DISTANCES
from shoal.utility.registry import METRICS
from shoal.workers import BoundedWork

BUDGETS = (0.01, 0.02, 0.05, 0.1)
SEARCH, RANDOM = ReduceRisk.shell, "random"
WAYS = (SEARCH, RANDOM, *HEURISTICS)
"""The ways of choosing edits: the method, and the baselines."""
UNCHANGED, STOPPED = "no change", "stopped by Ctrl-C"
DRAWS, DRAWS_LARGE = 5, 1
"""How many times each baseline is drawn; the second number is for large graphs."""
GROUPS = (DEGREES, DISTANCES, CLUSTERING, COMMUNITIES)
UTILITY: tuple[Metric, ...] = tuple(
    METRICS[name]
    for name in (
        "degree distance",
        "largest component",
        "mean distance",
        "transitivity",
        "local clustering",
        "community NMI",
    )
)
"""The metrics of utility that are measured."""


@public
def tradeoff(
    data: Any,
    knowledge: Adversary | str | Sequence[Adversary | str],
    k: int = 2,
    *,
    budgets: float | str | Iterable[float | str] = BUDGETS,
    edits: Edits = "delete",
    suppress: float | str = 0,
    facts: Literal["release", "both"] = "release",
    columns: str | Sequence[str] = (),
    effort: float | str | None = None,
    draws: int | None = None,
    seed: AnySeed = 0,
    time_limit: float | None = None,
) -> Tradeoff:
    """Count the people at risk after :class:`.ReduceRisk` with several budgets, beside random edits and heuristics.

    A person is at risk if an attacker with any one of the kinds of knowledge finds fewer than k candidates. The people
    at risk are counted exactly, in each release. :func:`shoal.frontier` compares different methods.

    The search for a budget uses the same seed whichever other budgets are asked for, so its release is the one that
    ReduceRisk makes. A larger budget also allows every release of a smaller one. If the search finds no better release
    with the larger budget, the curve shows that of the smaller one again, and `point.reused` names it. So the curve
    never rises.

    Parameters
    ----------
    data
        A graph, or anything that :func:`shoal.as_graph` takes.
    knowledge, k, edits, suppress, facts, effort
        As for :class:`.ReduceRisk`. The effort is that of each budget.
    budgets
        The most links that may change, one budget or several: shares of the links (0.05 or "5%"), or whole numbers.
    columns
        Columns that the attacker knows too, joined with each kind of knowledge.
    draws
        How many times each baseline is drawn. The curve shows the median draw. Default: 5, or 1 for a large graph.
    seed
        Random seed of the search and of the baselines: an int or a numpy Generator.
    time_limit
        Seconds after which the run ends with the releases made so far. While others wait, a release is given up after
        half of the time that was left at its start.

    Ctrl-C during a search ends it with the best release so far. The run then ends with the releases made until then.

    Examples
    --------
    In a path that begins with a triangle, some people are unique. Deleting one link protects every person:

    >>> import networkx as nx, shoal
    >>> g = nx.path_graph(7)
    >>> g.add_edge(0, 2)
    >>> found = shoal.tradeoff(g, "counts:1", k=2, budgets=[1])
    >>> found.start.at_risk, found["reduce-risk", 1].at_risk
    (2, 0)
    """
    graph = as_graph(data)
    must(graph.m, "tradeoff", "data", "a network with at least one link", graph)
    must(not graph.is_multigraph, "tradeoff", "data", "a simple graph (leave out multigraph)", graph)
    drawn = parse_seed(seed, "tradeoff")
    plans = _plan_budgets(graph, _join_columns(knowledge, columns), k, budgets, edits, suppress, facts, effort, drawn)
    usual = DRAWS_LARGE if graph.m > LARGE else DRAWS
    repeats = usual if draws is None else whole(draws, "tradeoff", "draws", least=1)
    method = next(iter(plans.values()))
    check_k("tradeoff", method.k, graph)
    count_amount(method.suppress, graph.n, "suppress")
    with limit_time(time_limit, "tradeoff"):
        limit = find_limit()
        start, points = _measure_all(Comparing(graph, method, repeats), plans, limit)
    seconds = None if limit is None else limit.seconds
    return Tradeoff(graph, method, start, _never_rise(points), repeats, drawn, seconds)


@dataclass(frozen=True)
class TradeoffPoint:
    """One release: how many links it changes, and how many people stay at risk."""

    way: str
    """How its edits were chosen: "reduce-risk", "random", "at risk first" or "most affected"; "no change" for none."""
    asked: str
    """The budget as it was asked for, such as "5%" or "38"."""
    budget: int
    """The most links that may change."""
    edits: int = 0
    """The links that differ from the original."""
    people: int = 0
    """The released people."""
    at_risk: int = 0
    """Released people with fewer than k candidates: by facts of the release, or with facts="both" by either."""
    by_release: int = 0
    """Those by facts of the release."""
    by_original: int | None = None
    """Those by facts of the original; None if these were not counted."""
    misled: int | None = None
    """Released people whose original facts fit no released person. They are not counted as at risk, nor as safe."""
    draws: tuple[int, ...] = ()
    """The people at risk in each draw of a baseline, ascending; this release is the median."""
    utility: Mapping[str, float] = field(default_factory=dict)
    """The value of each metric that is defined."""
    reused: str = ""
    """The smaller budget whose release this is, if the search found no better one with this budget."""
    stopped: bool = False
    """Whether Ctrl-C ended its search: then it is the best release found until then."""
    ended: str = ""
    """Why there is no release; empty if there is one."""
    seconds: float = field(default=0.0, compare=False)

    @property
    def share(self) -> Fraction:
        """The share of released people who are at risk.

        >>> TradeoffPoint("random", "5%", 5, 5, people=8, at_risk=2).share
        Fraction(1, 4)
        """
        return Fraction(self.at_risk, self.people)

    def data(self) -> dict[str, Any]:
        """Return the point as plain data for JSON."""
        return asdict(self) | {"draws": list(self.draws), "share": None if self.ended else float(self.share)}


@dataclass(frozen=True, eq=False, repr=False)
class Tradeoff:
    """People at risk against links changed, for several budgets of one method and its baselines."""

    original: Graph
    method: ReduceRisk
    """The method with the smallest budget."""
    start: TradeoffPoint
    """The original, without any edit."""
    points: tuple[TradeoffPoint, ...]
    """A point for each budget and way, ascending by budget."""
    draws: int
    """How many times each baseline was drawn."""
    seed: int
    limit: float | None = None
    """The time limit in seconds, if there was one."""

    @property
    def kinds(self) -> tuple[Adversary, ...]:
        """What the attacker may know. A person is at risk if one of them leaves fewer than k candidates."""
        return self.method.knowledge

    @property
    def k(self) -> int:
        """The number of candidates that a person must have."""
        return self.method.k

    @property
    def both(self) -> bool:
        """Whether people are at risk by facts of the original too."""
        return self.method.facts == "both"

    @property
    def budgets(self) -> tuple[tuple[str, int], ...]:
        """The budgets as they were asked for, each with its number of links, ascending."""
        return tuple((point.asked, point.budget) for point in self.points if point.way == SEARCH)

    @property
    def partial(self) -> str:
        """What the time limit or Ctrl-C ended, in sentences; empty if they ended nothing."""
        stopped = sum(point.ended == STOPPED for point in self.points)
        late = sum(bool(point.ended) for point in self.points) - stopped
        by_keys, by_limit = (count_ended(many, len(self.points), "release") for many in (stopped, late))
        said = [f"Ctrl-C ended {by_keys}."] if by_keys else []
        return " ".join([*said, *([TimeLimit.of(self.limit).describe_ended(by_limit)] if self.limit else [])])

    def curve(self, way: str = SEARCH) -> tuple[TradeoffPoint, ...]:
        """Return the points of one way of choosing edits: the start, then each budget that has a release."""
        find_by_name("way", way, dict.fromkeys(WAYS, True))
        return (self.start, *(point for point in self.points if point.way == way and not point.ended))

    def __getitem__(self, called: tuple[str, str | int]) -> TradeoffPoint:
        """Return a point by its way and its budget, as it was asked for or in links."""
        for point in self.points:
            if called in ((point.way, point.asked), (point.way, point.budget)):
                return point
        budgets, ways = ", ".join(asked for asked, _ in self.budgets), ", ".join(WAYS)
        raise BadParameter(f"Tradeoff: there is no point {called!r}. Budgets: {budgets}. Ways: {ways}.")

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per point, the start first, as plain data."""
        return [
            {
                "way": point.way,
                "budget": point.asked,
                "links": point.budget,
                "changed": None if point.ended else point.edits,
                "people": None if point.ended else point.people,
                "at risk": None if point.ended else point.at_risk,
                "share": None if point.ended else float(point.share),
                "lowest": point.draws[0] if point.draws else None,
                "highest": point.draws[-1] if point.draws else None,
                **({"by release": None if point.ended else point.by_release} if self.both else {}),
                **({"by original": point.by_original, "misled": point.misled} if self.both else {}),
                **{metric.name: point.utility.get(metric.name) for metric in UTILITY},
                "reused": point.reused,
                "ended": point.ended,
            }
            for point in (self.start, *self.points)
        ]

    def to_frame(self) -> Any:
        """Return a data frame with one row per point, the start first."""
        rows = self.rows()
        return make_frame({name: [row[name] for row in rows] for name in rows[0]})

    def data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, without names of people."""
        return {
            "schema": 1,
            "data": {"vertices": self.original.n, "edges": self.original.m} | describe_form(self.original),
            "knows": [kind.spec for kind in self.kinds],
            "k": self.k,
            **{name: getattr(self.method, name) for name in ("edits", "suppress", "facts", "effort")},
            "seed": self.seed,
            "draws": self.draws,
            "utility": [{"name": metric.name, "means": metric.means} for metric in UTILITY],
            "start": self.start.data(),
            "points": [point.data() for point in self.points],
            "partial": self.partial,
        }

    @public
    def plot(self) -> Any:
        """Return an altair chart: the share of people at risk against the links changed.

        In a notebook the chart shows itself. It has exact numbers about the original: keep it private.
        """
        return as_chart(self)

    @public
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write a page (.html), a chart (.svg) or the numbers (.json, .csv), readable only by their owner."""
        as_picture(self, Path(path), force)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


# What is asked.


def _join_columns(
    knowledge: Adversary | str | Sequence[Adversary | str], columns: str | Sequence[str]
) -> tuple[Adversary, ...]:
    """Return the kinds of knowledge, each joined with the columns that the attacker knows too."""
    asked = (knowledge,) if isinstance(knowledge, str | Adversary) else tuple(knowledge)
    must(asked, "tradeoff", "knowledge", "at least one kind of knowledge", knowledge)
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    return tuple(kind & Columns(*names) if names else kind for kind in map(parse_knowledge, asked))


def _plan_budgets(
    graph: Graph, kinds: tuple[Adversary, ...], k: int, budgets: Any, edits: Edits, suppress: Any, facts: Any,
    effort: Any, seed: int,
) -> dict[int, ReduceRisk]:  # fmt: skip
    """Return the method for each budget, by the number of links, ascending; a wrong budget raises an error."""
    several = isinstance(budgets, Iterable) and not isinstance(budgets, str)
    asked = tuple(budgets) if several else (budgets,)
    must(asked, "tradeoff", "budgets", "at least one budget", budgets)
    plans: dict[int, ReduceRisk] = {}
    for budget in asked:
        method = ReduceRisk(kinds, k, budget, edits, suppress, None, facts, effort, seed)
        if method.budget is None:
            rule = "a whole number, a share from 0 to 1, or a percentage up to 100%"
            raise BadParameter(f"tradeoff: each of 'budgets' must be {rule}. Got {show_value(budget)}.")
        plans.setdefault(count_amount(method.budget, graph.m, "budget"), method)
    return dict(sorted(plans.items()))


def spell_budget(budget: float | str | None) -> str:
    """Return a budget as it is asked for.

    >>> spell_budget(0.05), spell_budget(7)
    ('5%', '7')
    """
    return spell_share(Fraction(str(budget))) if isinstance(budget, float) else str(budget)


# How a release is made and measured.


@dataclass(frozen=True, eq=False)
class Comparing:
    """What every release is made from and assessed for."""

    graph: Graph
    method: ReduceRisk
    draws: int

    @cached_property
    def network(self) -> Network:
        """The original as a network to measure."""
        return Network.of(self.graph, who=np.arange(self.graph.n), seed=self.method.seed or 0)

    def count(self, graph: Graph) -> dict[str, Any]:
        """Count the links changed and the people at risk in a release."""
        kinds, k = self.method.knowledge, self.method.k
        found = find_at_risk(graph, kinds, k)
        counted = {"by_release": int(np.count_nonzero(found))}
        if self.method.facts == "both":
            risks: list[Risk] = []
            by_original = find_at_risk_by_original(graph, self.graph, kinds, k, partial(_assess_and_keep, risks))
            lost: Bools = np.logical_and.reduce([risk.sizes == 0 for risk in risks])
            found = found | by_original
            counted |= {
                "by_original": int(np.count_nonzero(by_original)),
                "misled": int(np.count_nonzero(lost[self.graph.names.find(graph.names)])),
            }
        who = graph.names.find(self.graph.names)
        edits = find_edge_difference(self.graph, graph, who).edits
        return counted | {"edits": edits, "people": graph.n, "at_risk": int(np.count_nonzero(found))}

    def measure_utility(self, graph: Graph) -> dict[str, float]:
        """Measure the utility of a release; metrics without a value are left out."""
        released = Network.of(graph, who=graph.names.find(self.graph.names), seed=self.network.seed, stream=1)
        values: dict[str, Value] = {}
        for group in GROUPS:
            track("measuring utility", 0, 0)
            values |= group.after(self.network, released)
            values |= group.before(self.network) if graph is self.graph else {}
        track("measuring utility", 1, 1)
        return {metric.name: number for metric in UTILITY for number in _read_number(values.get(metric.name))}

    def make_random(self, way: str, budget: int, draw: int) -> Graph:
        """Return a draw of a baseline. It depends on the seed, the way and the budget only."""
        rng = np.random.default_rng([self.method.seed or 0, WAYS.index(way), draw])
        if way == RANDOM:
            return edit_randomly(self.graph, budget, self.method.edits, rng)
        return delete_in_rounds(self.graph, budget, HEURISTICS[way], self.method.knowledge, self.method.k, rng)


def _assess_and_keep(risks: list[Risk], *data: Any, **facts: Any) -> Risk:
    risks.append(assess(*data, **facts))
    return risks[-1]


def _read_number(value: Value | None) -> Iterator[float]:
    """Yield the number of a value, if it has one."""
    if isinstance(value, Measurement):
        yield value.value
    elif isinstance(value, int | float):
        yield float(value)


def measure_start(comparing: Comparing) -> TradeoffPoint:
    """Return the point of the original."""
    graph = comparing.graph
    return TradeoffPoint(UNCHANGED, "", 0, **comparing.count(graph), utility=comparing.measure_utility(graph))


def measure_search(method: ReduceRisk, point: TradeoffPoint, comparing: Comparing) -> TradeoffPoint:
    """Return the point of the method with a budget."""
    release = method(comparing.graph)
    graph, stopped = as_graph(release.data), bool(release.measured.get("stopped early"))
    return replace(point, **comparing.count(graph), utility=comparing.measure_utility(graph), stopped=stopped)


def measure_baseline(point: TradeoffPoint, comparing: Comparing) -> TradeoffPoint:
    """Return the point of a baseline: the median of its draws. The utility is that of the median."""
    counted = []
    for draw in range(comparing.draws):
        track(f"drawing edits, {point.way}, {point.asked}", draw, comparing.draws)
        graph = comparing.make_random(point.way, point.budget, draw)
        counted.append((comparing.count(graph), draw))
    counted.sort(key=lambda one: (one[0]["at_risk"], one[1]))
    middle, draw = counted[(len(counted) - 1) // 2]
    utility = comparing.measure_utility(comparing.make_random(point.way, point.budget, draw))
    return replace(point, **middle, utility=utility, draws=tuple(one["at_risk"] for one, _ in counted))


def _measure_all(
    comparing: Comparing, plans: Mapping[int, ReduceRisk], limit: TimeLimit | None
) -> tuple[TradeoffPoint, list[TradeoffPoint]]:
    """Return the start, and a point for each budget and way; those not finished in time say so.

    Ctrl-C during a search ends the run after that release.
    """
    points: list[TradeoffPoint] = []
    steps = [
        (TradeoffPoint(way, spell_budget(method.budget), links), method)
        for links, method in plans.items()
        for way in WAYS
    ]
    try:
        with BoundedWork(comparing, limit) as work:
            start = work.run(measure_start)
            for i, (point, method) in enumerate(steps):
                track(f"making releases, {point.way}, {point.asked}", i, len(steps))
                call: Callable[[Comparing], TradeoffPoint] = partial(measure_baseline, point)
                if point.way == SEARCH:
                    call = partial(measure_search, method, point)
                began = time.perf_counter()
                try:
                    made = work.run(call, last=i == len(steps) - 1)
                except OutOfTime as error:
                    made = replace(point, ended=str(error))
                points.append(replace(made, seconds=time.perf_counter() - began))
                if made.stopped:
                    break
    except KeyboardInterrupt:
        many = f"{len(points)} of {len(steps)} releases were made and are lost"
        raise KeyboardInterrupt(f"{many}; Ctrl-C during a search keeps those that are finished") from None
    return start, [*points, *(replace(point, ended=STOPPED) for point, _ in steps[len(points) :])]


def _never_rise(points: Iterable[TradeoffPoint]) -> tuple[TradeoffPoint, ...]:
    """Show the release of a smaller budget again where the search found no better one with a larger budget."""
    shown: list[TradeoffPoint] = []
    best: TradeoffPoint | None = None
    for point in points:
        here = point
        if point.way == SEARCH and not point.ended:
            if best is not None and (best.share, best.edits) < (point.share, point.edits):
                smaller = best.reused or best.asked
                here = replace(best, asked=point.asked, budget=point.budget, reused=smaller, seconds=point.seconds)
            best = here
        shown.append(here)
    return tuple(shown)
