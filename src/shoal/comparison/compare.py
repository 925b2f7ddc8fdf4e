"""Compare a release with its original: each metric beside random edits and the empty graph.

A metric of a release means little alone. Two baselines put it into context: the same number of random edits, and the
graph without edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_dataset, as_graph, as_linked, unwrap_data
from shoal.data.frames import make_frame
from shoal.data.graph import Graph, link_graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import OutOfTime, find_by_name, format_count, public, whole
from shoal.knowledge.view import Pair, match_by_name
from shoal.limits import TimeLimit, count_ended, find_limit, limit_time
from shoal.methods.links.random_edits import perturb_links
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.seeds import AnySeed, parse_seed
from shoal.show import as_html, as_text
from shoal.utility import columns, registry
from shoal.utility.base import LARGE, Group, Measurement, Metric, Network, NoValue, Value, Values, pool_values
from shoal.utility.communities import RUNS_LARGE
from shoal.utility.network import count_links_kept
from shoal.workers import BoundedWork

SAID = ("name", "means", "group", "low", "high", "better", "unit")
"""The fields of a metric that a comparison shows."""
SIDES = ("before", "after", "random", "empty")
"""The columns of numbers in a comparison."""


@dataclass(frozen=True)
class ComparisonRow:
    """One metric of the original, the release and the baselines."""

    metric: Metric
    before: Measurement | None
    """None if the metric is itself a comparison, e.g. an overlap."""
    after: Measurement
    random: Measurement | None
    """After as many random edits as the release has. None if that has no meaning."""
    empty: Measurement | None
    """For the graph without edges. None if that has no meaning."""
    on_undirected_view: bool = False
    """Whether links have directions or kinds, which this metric ignores: one edge per linked pair."""

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        said = {k: getattr(self.metric, k) for k in SAID} | {"undirected view": self.on_undirected_view}
        numbers = {k: getattr(self, k) for k in SIDES}
        return said | {k: None if found is None else found.data() for k, found in numbers.items()}


@dataclass(frozen=True, repr=False)
class Comparison:
    """How a release differs from its original."""

    rows: tuple[ComparisonRow, ...]
    matched: str
    """How vertices were matched: by "name", by "mapping", or by "nothing"."""
    left_out: tuple[tuple[str, str], ...]
    """Metrics without a value, each with the reason."""
    seed: int
    notes: tuple[str, ...] = ()
    partial: str = ""
    """What the time limit ended, as a sentence; empty if it ended nothing."""

    def __getitem__(self, name: str) -> ComparisonRow:
        """Return the row of a metric."""
        return find_by_name("metric", name, {row.metric.name: row for row in self.rows})

    def __iter__(self) -> Iterator[ComparisonRow]:
        return iter(self.rows)

    def data(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {
            "matched": self.matched,
            "seed": self.seed,
            "metrics": [row.data() for row in self.rows],
            "left out": [{"name": name, "why": why} for name, why in self.left_out],
            "notes": list(self.notes),
            "partial": self.partial,
        }

    def to_frame(self) -> Any:
        """Return a data frame with one row per metric.

        >>> from shoal.data.examples import florentine
        >>> from shoal.comparison.compare import compare
        >>> compare(florentine(), florentine(), baselines=False).to_frame().shape[1]
        16
        """
        said: dict[str, list[Any]] = {k: [getattr(row.metric, k) for row in self.rows] for k in SAID}
        said["undirected view"] = [row.on_undirected_view for row in self.rows]
        for side in SIDES:
            cells = [getattr(row, side) for row in self.rows]
            said[side] = [None if cell is None else cell.value for cell in cells]
            said[f"{side} spread"] = [None if cell is None else cell.spread for cell in cells]
        return make_frame(said)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


SAMPLES, SAMPLES_LARGE = 30, 5
"""How many samples of a drawn release are measured; the second number is for large graphs."""
NO_MAPPING = "measured only with the original-to-released mapping (mapping=, --mapping)"
ANEW = "all links were drawn anew, so none was kept, added or removed"


@public
def compare(
    original: Any,
    released: Any,
    *,
    mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
    same_names: bool | None = None,
    baselines: bool = True,
    repeats: int = 5,
    samples: int | None = None,
    seed: AnySeed = 0,
    time_limit: float | None = None,
) -> Comparison:
    """Compare a release with its original, metric by metric, beside random edits and the empty graph.

    Parameters
    ----------
    original
        A graph, or anything that :func:`shoal.as_graph` takes; or a table.
    released
        A release, a graph or a table. If all links of a release were drawn anew, several samples are measured.
    mapping
        The original-to-released mapping, as a dict or a file. Needed if names were changed.
    same_names
        Whether vertices with the same name are the same vertex. Used if there is no mapping. Default: True for a
        release object and for graphs in memory, False for a release that was saved and read again. A saved release has
        new names. Without a match, metrics that need the mapping are left out.
    baselines
        Whether to measure the baselines.
    repeats
        How many times random edits are drawn.
    samples
        How many samples of a drawn release are measured. Default: 30, or 5 of a large release.
    seed
        Random seed: an int or a numpy Generator.
    time_limit
        Seconds after which metrics that are not finished are left out, with the reason.

    Examples
    --------
    >>> import shoal
    >>> club = shoal.examples.karate()
    >>> found = shoal.compare(club, shoal.methods.EqualizeRows(k=2, seed=1)(club))
    >>> row = found["transitivity"]
    >>> round(row.before.value, 3), row.metric.better
    (0.256, 'closer')
    """
    repeats = whole(repeats, "compare", "repeats", least=1)
    seed = parse_seed(seed, "compare")
    many = None if samples is None else whole(samples, "compare", "samples", least=1)
    with limit_time(time_limit, "compare"):
        found = read_data(released)
        pair = match_people(
            as_dataset(original) if not found.has_links else read_data(original),
            found,
            mapping,
            match_by_name(released, same_names),
        )
        worlds: Sequence[Dataset] = [found]
        if isinstance(released, DrawnRelease):
            worlds = released.samples(many or (SAMPLES if found.m <= LARGE else SAMPLES_LARGE), seed)
        return ComparisonRun(pair, worlds, isinstance(released, DrawnRelease), repeats if baselines else 0, seed).run()


def match_people(
    original: Dataset,
    released: Dataset,
    mapping: Mapping[Hashable, Hashable] | str | Path | None,
    same_names: bool,
    who: str = "compare",
) -> Pair:
    """Match the vertices of both graphs. Tables are not matched: their rows have no names and no metric needs it."""
    if not (original.has_links or released.has_links):
        return Pair(original, released, None, "nothing")
    return Pair.of(original, released, mapping, same_names=same_names, who=who)


def read_data(found: Any) -> Dataset:
    """Return the graph or table to compare. A frame is read as an edge list."""
    data = unwrap_data(found)
    return data if isinstance(data, Table) else as_graph(data)


@dataclass(frozen=True, eq=False)
class ComparisonRun:
    """The data of a comparison, and its options."""

    pair: Pair
    worlds: Sequence[Dataset]
    """The release, or several samples of a drawn release."""
    drawn: bool
    """Whether all links were drawn anew."""
    repeats: int
    """How many draws of random edits are measured. 0: no baselines."""
    seed: int

    def run(self) -> Comparison:
        """Measure all metrics; with a time limit, those that are finished in time."""
        groups = self.list_groups()
        found = self.measure_sides(groups, find_limit())
        track("comparing", 1, 1)
        rows, left_out = self.make_rows(groups, found)
        return Comparison(
            rows, self.pair.by, left_out, self.seed, tuple(self.list_notes(found)), found.describe_partial(rows, groups)
        )

    def measure_sides(self, groups: Sequence[Group], limit: TimeLimit | None) -> MeasuredSides:
        """Measure the original and the release first, quick groups before slow ones, then the baselines."""
        found = MeasuredSides({side: {} for side in SIDES}, set(), set(), limit)
        order = sorted(range(len(groups)), key=lambda g: groups[g].slow)
        both = [(side, 0, g) for g in order for side in ("before", "after")]
        each = [(side, i, g) for side, many in self.count_networks().items() for i in range(many) for g in order]
        steps = [*both, *(step for step in each if step not in set(both))]
        with BoundedWork(ComparedNetworks(self), limit) as work:
            for side, i, g in steps:
                if g in found.ended or (side, g) in found.cut or (groups[g].slow and i and self.large):
                    continue
                track(f"comparing, {WORDS[side]}" + (f" {i + 1}" if i else ""), 0, 0)
                last = (side, i, g) == steps[-1]
                try:
                    found.add(side, work.run(partial(measure_group, side, i, g), last=last))
                except OutOfTime:
                    found.end(side, i, g)
        return found

    def count_networks(self) -> dict[str, int]:
        """Return how many networks are measured on each side, in the order of measuring."""
        empty, random = bool(self.repeats) and self.linked, self.has_random_edits
        return {
            "before": 1,
            "after": len(self.worlds),
            "empty": int(empty),
            "random": self.repeats if random else 0,
        }

    @cached_property
    def original(self) -> Network:
        """The original as a network to measure."""
        data = self.pair.graphs[0] if self.linked else self.pair.original
        return Network.of(data, who=np.arange(self.pair.original.n), seed=self.seed)

    @cached_property
    def released(self) -> Network:
        """The release as a network to measure."""
        data = self.pair.graphs[1] if self.linked else self.pair.released
        return Network.of(data, who=self.pair.counterpart, seed=self.seed)

    @property
    def large(self) -> bool:
        """Whether slow metrics are measured fewer times."""
        return self.original.large

    @property
    def linked(self) -> bool:
        """Whether edges are compared. Two tables have none."""
        return self.pair.original.has_links or self.pair.released.has_links

    @cached_property
    def form(self) -> tuple[bool, bool]:
        """Whether links have directions, and whether they have kinds, in the original or in the release."""
        graphs = self.pair.graphs if self.linked else ()
        return any(g.directed for g in graphs), any(g.kinds for g in graphs)

    @property
    def has_random_edits(self) -> bool:
        """Whether random edits are a baseline. Their number must be known."""
        return bool(self.repeats) and self.linked and (self.drawn or self.pair.counterpart is not None)

    def list_groups(self) -> tuple[Group, ...]:
        """Return the groups of metrics to measure."""
        tables = self.pair.original.attributes, self.pair.released.attributes
        groups = registry.choose_groups(*self.form) if self.linked else ()
        if not any(len(table) for table in tables):
            return groups
        linked = bool(self.pair.original.m or self.pair.released.m)
        return (*groups, columns.group_column_metrics(*tables, linked=linked))

    def draw_networks(self, side: str) -> Iterator[Network]:
        """Yield the networks of one side other than the original, one after the other."""
        if side == "empty":
            yield empty_network(self.original)
        elif side == "random":
            yield from draw_random_edits(self.original, self.released, self.drawn, self.repeats)
        else:
            for i, graph in enumerate(self.worlds):
                known = as_linked(graph).with_ties_like(self.pair.graphs[0]) if self.linked else graph
                known = known.with_attributes(self.pair.released.attributes)
                yield Network.of(known, who=self.pair.counterpart, seed=self.seed, stream=1 + i)

    def make_rows(
        self, groups: Sequence[Group], found: MeasuredSides
    ) -> tuple[tuple[ComparisonRow, ...], tuple[tuple[str, str], ...]]:
        """Return a row for each metric that both graphs have, and the reasons why others have none."""
        rows, left_out = [], []
        pooled = {side: {name: pool_values(many) for name, many in found.values[side].items()} for side in SIDES}
        for g, group in enumerate(groups):
            for metric in group.metrics:
                why = self.explain_missing(metric, pooled["before"], pooled["after"], found.explain_ended(g))
                if why is not None:
                    left_out.append((metric.name, why))
                    continue
                sides = SIDES if metric.depends_on_edges else SIDES[:2]
                cells = {side: as_measurement(pooled[side].get(metric.name)) for side in sides}
                view = metric.undirected and any(self.form)
                rows.append(ComparisonRow(metric, **{side: cells.get(side) for side in SIDES}, on_undirected_view=view))  # type: ignore[arg-type]
            left_out += group.left_out
        return tuple(rows), tuple(left_out)

    def explain_missing(
        self, metric: Metric, before: Mapping[str, Value], after: Mapping[str, Value], ended: str | None
    ) -> str | None:
        """Return why a metric has no row, or None if it has one; `ended` is why its group was not finished."""
        if metric.needs_mapping and self.pair.counterpart is None:
            return NO_MAPPING
        if self.drawn and metric.compares_edges:
            return ANEW
        if ended is not None:
            return ended
        was, now = before.get(metric.name), after[metric.name]
        if isinstance(was, NoValue):
            return f"in the original, {was.why}"
        return f"in the release, {now.why}" if isinstance(now, NoValue) else None

    def list_notes(self, found: MeasuredSides) -> Iterator[str]:
        """Yield the notes for the reader."""
        samples, draws = found.count_most("after"), found.count_most("random")
        if self.pair.by == "nothing" and self.linked:
            also = (
                "" if self.drawn or not self.repeats else " Random edits are left out too: their number is not known."
            )
            yield f"There is no mapping from original to released vertices. Metrics that need it are left out.{also}"
        if any(self.form):
            what = " and ".join(name for name, there in zip(("directions", "kinds"), self.form, strict=True) if there)
            yield f"Links have {what}. Metrics of the view 'undirected' ignore them: they see one edge per linked pair."
        if self.drawn:
            graphs = "1 sampled graph" if samples == 1 else f"{samples:,} sampled graphs"
            yield f"All links were drawn anew: 'after' is the mean over {graphs}."
        if draws:
            drawn = self.describe_edits(*count_edits(self.original, self.released, self.drawn))
            yield f"'random' has {drawn}. Its values are means over {format_count(draws, 'draw')}."
        if self.linked and self.large:
            where = f"in the original and in {'the first sample' if self.drawn else 'the release'}"
            also = ", and once in the first draw of random edits" if self.has_random_edits else ""
            yield f"There are more than {LARGE:,} edges. Communities were searched {RUNS_LARGE} times {where}{also}."

    def describe_edits(self, added: int, removed: int) -> str:
        """Describe the random edits."""
        if self.drawn:
            return f"{added:,} links between any two vertices"
        shares = "; added links have the kinds and directions of the original, in its shares" if any(self.form) else ""
        return f"{added:,} links added and {removed:,} removed, drawn uniformly{shares}"


WORDS = {"before": "the original", "after": "the release", "random": "random edits", "empty": "the empty graph"}
"""The sides in words, for progress."""


@dataclass(frozen=True, eq=False)
class MeasuredSides:
    """The values of each metric on each side, and what the time limit ended."""

    values: Mapping[str, dict[str, list[Value]]]
    """For each side and metric the values in all networks."""
    ended: set[int]
    """Groups without a value of the original or of the release."""
    cut: set[tuple[str, int]]
    """Sides on which a group was not measured to the end."""
    limit: TimeLimit | None

    def add(self, side: str, values: Values) -> None:
        """Add the values of one network."""
        for name, value in values.items():
            self.values[side].setdefault(name, []).append(value)

    def end(self, side: str, i: int, group: int) -> None:
        """Note that a group was not finished on the network i of a side."""
        if side in ("before", "after") and not i:
            self.ended.add(group)
        else:
            self.cut.add((side, group))

    def count_most(self, side: str) -> int:
        """Return in how many networks of a side a metric was measured, at most."""
        return max(map(len, self.values[side].values()), default=0)

    def explain_ended(self, group: int) -> str | None:
        """Return why a group has no values; None if it has."""
        return self.limit.reason if self.limit is not None and group in self.ended else None

    def describe_partial(self, rows: Sequence[ComparisonRow], groups: Sequence[Group]) -> str:
        """Return what the time limit ended, as a sentence; empty if it ended nothing."""
        if self.limit is None:
            return ""
        ended = sum(len(groups[g].metrics) for g in self.ended)
        cut = {g for _, g in self.cut} - self.ended
        baselines = sum(len(groups[g].metrics) for g in cut)
        return self.limit.describe_ended(
            count_ended(ended, len(rows) + ended, "metric"),
            f"samples or baselines of {format_count(baselines, 'metric')}" if baselines else "",
        )


class ComparedNetworks:
    """The networks of a comparison, each made when it is measured, one at a time."""

    def __init__(self, run: ComparisonRun) -> None:
        self.run = run
        self.groups: Sequence[Group] | None = None
        self.side, self.next = "", 0
        self.networks: Iterator[Network] = iter(())
        self.network: Network | None = None

    def __getstate__(self) -> ComparisonRun:
        return self.run

    def __setstate__(self, run: ComparisonRun) -> None:
        ComparedNetworks.__init__(self, run)

    def find(self, side: str, i: int) -> Network:
        """Return the original, or the network i of another side; the one before it is forgotten."""
        if side == "before":
            return self.run.original
        if self.side != side or i < self.next - 1:
            self.side, self.next, self.networks = side, 0, self.run.draw_networks(side)
        while self.next <= i:
            self.network, self.next = next(self.networks), self.next + 1
        assert self.network is not None
        return self.network

    def measure(self, side: str, i: int, group: int) -> Values:
        """Measure one group of metrics."""
        self.groups = self.run.list_groups() if self.groups is None else self.groups
        network = self.find(side, i)
        if side == "before":
            return self.groups[group].before(network)
        return self.groups[group].after(self.run.original, network)


def measure_group(side: str, i: int, group: int, networks: ComparedNetworks) -> Values:
    """Measure one group of metrics in the network i of a side."""
    return networks.measure(side, i, group)


def as_measurement(value: Value | None) -> Measurement | None:
    """Return a value as a measurement, or None if there is none."""
    return None if value is None or isinstance(value, NoValue) else pool_values([value])  # type: ignore[return-value]


# Baselines: the same number of random edits, and the graph without edges.
#
# A release no closer to the original than random edits spent its edits badly. A release no closer than the empty graph
# has lost what the metric measures.

DRAWS = 3
"""Appended to the seed when random edits are drawn."""
STREAM = 1_000
"""First stream number of the draws. The original, the release and its samples have smaller numbers."""


def empty_network(original: Network) -> Network:
    """Return the vertices of the original without edges."""
    return Network.of(remove_links(original.links), who=np.arange(original.n), seed=original.seed, stream=STREAM - 1)


def remove_links(graph: Graph) -> Graph:
    """Return a graph without its edges. It keeps the relations of links that have directions or kinds."""
    if graph.ties is None:
        return Graph.from_pairs(graph.names, [], [], attributes=graph.attributes, multigraph=graph.is_multigraph)
    none, kept = np.empty(0, dtype=np.int64), (graph.ties.relations, graph.ties.counted)
    return link_graph(graph.names, none, none, none, None, *kept, graph.attributes)


def count_edits(original: Network, released: Network, drawn: bool) -> tuple[int, int]:
    """Return how many edges were added and removed. If all were drawn anew, all count."""
    kept = 0 if drawn else count_links_kept(original, released)
    return released.links.m - kept, original.links.m - kept


def draw_random_edits(original: Network, released: Network, drawn: bool, repeats: int) -> Iterator[Network]:
    """Yield copies of the original with as many random edges added and removed as in the release.

    Vertices that were added to the release are added here too. If all edges of the release were drawn anew, these
    copies have as many edges as the release, between random pairs.
    """
    found = min(original.n, released.n) if released.who is None else np.count_nonzero(released.who >= 0)
    base = pad_graph(original.links, released.n - int(found))
    base = remove_links(base) if drawn else base
    added, removed = count_edits(original, released, drawn)
    for i in range(repeats):
        rng = np.random.default_rng([original.seed, DRAWS, i])
        graph = perturb_links(base, added, 0 if drawn else removed, rng)
        yield Network.of(graph, who=np.arange(original.n), seed=original.seed, stream=STREAM + i)


def pad_graph(graph: Graph, strangers: int) -> Graph:
    """Return the graph with additional vertices that have no edges and no values."""
    if not strangers:
        return graph
    rows: Ints = np.concatenate([np.arange(graph.n), np.full(strangers, -1)])
    indptr = np.concatenate([graph.indptr, np.full(strangers, graph.indptr[-1])])
    names, table = Names(range(len(rows))), graph.attributes.take(rows)
    return Graph(names, indptr, graph.indices, graph.multiplicity, table, ties=graph.ties)
