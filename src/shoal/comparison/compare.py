"""Compare a release with the original: each metric beside random edits and the empty graph.

A number about a release tells little alone: beside it stand the same number of random edits, and the empty graph.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset, as_dataset, as_linked, unwrap_data
from shoal.data.frames import make_frame
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import BadParameter, did_you_mean, public, whole
from shoal.knowledge.view import Pair, match_by_name
from shoal.methods.links.random_edits import perturb_links
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.show import as_html, as_text
from shoal.utility import columns
from shoal.utility.base import LARGE, Group, Measurement, Metric, Network, NoValue, Value, pool_values
from shoal.utility.communities import COMMUNITIES, RUNS_LARGE
from shoal.utility.network import (
    CENTRALITY,
    CLUSTERING,
    CORES,
    DEGREES,
    DISTANCES,
    LINKS,
    SPECTRUM,
    SPLIT,
    count_links_kept,
)

SAID = ("name", "means", "group", "low", "high", "better", "unit")
"""What is told about a metric."""
SIDES = ("before", "after", "random", "empty")
"""What is measured of it."""


@dataclass(frozen=True)
class ComparisonRow:
    """One metric of the original and of the release, with what baselines come to."""

    metric: Metric
    before: Measurement | None
    """None where the metric is itself a comparison, e.g. an overlap."""
    after: Measurement
    random: Measurement | None
    """After as many random edits as the release made; None where that has no meaning."""
    empty: Measurement | None
    """For a graph without links; None where that has no meaning."""

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        said = {k: getattr(self.metric, k) for k in SAID}
        numbers = {k: getattr(self, k) for k in SIDES}
        return said | {k: None if found is None else found.data() for k, found in numbers.items()}


@dataclass(frozen=True, repr=False)
class Comparison:
    """How a release differs from its original."""

    rows: tuple[ComparisonRow, ...]
    matched: str
    """How vertices were matched: by "name", by "mapping", or by "nothing"."""
    left_out: tuple[tuple[str, str], ...]
    """Metrics that could not be had, each with the reason in a sentence."""
    seed: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> ComparisonRow:
        """Return a row by the name of its metric."""
        found = {row.metric.name: row for row in self.rows}
        if name not in found:
            hint = did_you_mean(name, found)
            raise BadParameter(f"Comparison: there is no metric {name!r}. There are: {', '.join(found)}.{hint}")
        return found[name]

    def __iter__(self) -> Iterator[ComparisonRow]:
        return iter(self.rows)

    def data(self) -> dict[str, Any]:
        """Return everything as plain data, as JSON can hold it."""
        return {
            "matched": self.matched,
            "seed": self.seed,
            "metrics": [row.data() for row in self.rows],
            "left out": [{"name": name, "why": why} for name, why in self.left_out],
            "notes": list(self.notes),
        }

    def to_frame(self) -> Any:
        """Return a data frame with a row for each metric.

        >>> from shoal.data.examples import florentine
        >>> from shoal.comparison.compare import compare
        >>> compare(florentine(), florentine(), baselines=False).to_frame().shape[1]
        15
        """
        said: dict[str, list[Any]] = {k: [getattr(row.metric, k) for row in self.rows] for k in SAID}
        for side in SIDES:
            cells = [getattr(row, side) for row in self.rows]
            said[side] = [None if cell is None else cell.value for cell in cells]
            said[f"{side} spread"] = [None if cell is None else cell.spread for cell in cells]
        return make_frame(said)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


GROUPS = (LINKS, DEGREES, CLUSTERING, DISTANCES, CENTRALITY, COMMUNITIES, SPECTRUM, CORES)
"""Everything about links; columns depend on the data."""
SAMPLES, SAMPLES_LARGE = 30, 5
"""How many samples of a release that was drawn are measured."""
NOBODY = "one must know who is who: pass the mapping"
ANEW = "all links were drawn anew, so that none was kept, added or removed"


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
    seed: int = 0,
) -> Comparison:
    """Compare a release with its original: one row a metric, beside as many random edits and beside the empty graph.

    Parameters
    ----------
    original
        A graph, or anything that :func:`shoal.as_graph` takes; or a table.
    released
        A release, a graph, or a table. Of a release whose links were all drawn anew, samples are measured.
    mapping
        Who in the original is who in the release, as a dict or a file, where names were changed.
    same_names
        Whether vertices of the same name are the same, where there is no mapping. If not told: in a release at hand and
        in graphs in memory they are; in a release that was saved and read again they never are, since its names are
        fresh, and metrics that need to know who is who are left out.
    baselines
        Whether to measure the baselines too.
    repeats
        How many times the random edits are drawn.
    samples
        How many samples of a release that was drawn are measured: 30, or 5 of a large one, unless told otherwise.
    seed
        What every random choice is drawn from.

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
    seed = whole(seed, "compare", "seed", least=0, most=None)
    many = None if samples is None else whole(samples, "compare", "samples", least=1)
    found = read_data(released)
    pair = match_people(
        as_dataset(original) if not found.has_links else read_data(original),
        found,
        mapping,
        match_by_name(released, same_names),
    )
    worlds: Iterable[Dataset] = [found]
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
    """Find out who is who; not in tables, whose rows have no names and of which nothing needs it."""
    if not (original.has_links or released.has_links):
        return Pair(original, released, None, "nothing")
    return Pair.of(original, released, mapping, same_names=same_names, who=who)


def read_data(found: Any) -> Dataset:
    """Return the graph, or the table, of whatever is to be compared; a frame is read as an edge list."""
    data = unwrap_data(found)
    return data if isinstance(data, Table) else as_graph(data)


@dataclass(frozen=True, eq=False)
class ComparisonRun:
    """What is compared, and how."""

    pair: Pair
    worlds: Iterable[Dataset]
    """The release; several samples where it was drawn."""
    drawn: bool
    """Whether all links were drawn anew."""
    repeats: int
    """How many draws of random edits there are; 0: no baselines."""
    seed: int

    def run(self) -> Comparison:
        """Measure everything."""
        pair = self.pair
        sides: tuple[Dataset, Dataset] = pair.graphs if self.linked else (pair.original, pair.released)
        original = Network.of(sides[0], who=np.arange(pair.original.n), seed=self.seed)
        released = Network.of(sides[1], who=pair.counterpart, seed=self.seed)
        groups = self.list_groups()
        track("comparing, the original", 0, 0)
        before = {name: value for group in groups for name, value in group.before(original).items()}
        after, seen = self.measure("the release", original, self.list_samples(), groups)
        draws = draw_random_edits(original, released, self.drawn, self.repeats) if self.has_random_edits else ()
        random, _ = self.measure("random edits", original, draws, groups)
        nothing = [empty_network(original)] if self.repeats and self.linked else []
        empty, _ = self.measure("the empty graph", original, nothing, groups)
        track("comparing", 1, 1)
        rows, left_out = self.make_rows(groups, before, after, random, empty)
        notes = tuple(self.list_notes(original, released, seen))
        return Comparison(rows, self.pair.by, left_out, self.seed, notes)

    @property
    def linked(self) -> bool:
        """Whether links are compared at all: not in two tables."""
        return self.pair.original.has_links or self.pair.released.has_links

    @property
    def has_random_edits(self) -> bool:
        """Whether there is a baseline of random edits: their number must be known."""
        return bool(self.repeats) and self.linked and (self.drawn or self.pair.counterpart is not None)

    def list_groups(self) -> tuple[Group, ...]:
        """Return what is measured."""
        tables = self.pair.original.attributes, self.pair.released.attributes
        about = columns.group_column_metrics(*tables, linked=bool(self.pair.original.m or self.pair.released.m))
        return (*(GROUPS if self.linked else ()), about)

    def list_samples(self) -> Iterator[Network]:
        """Yield what was released, ready to be measured."""
        for i, graph in enumerate(self.worlds):
            known = (as_linked(graph) if self.linked else graph).with_attributes(self.pair.released.attributes)
            yield Network.of(known, who=self.pair.counterpart, seed=self.seed, stream=1 + i)

    def measure(
        self, what: str, original: Network, networks: Iterable[Network], groups: tuple[Group, ...]
    ) -> tuple[dict[str, Measurement | NoValue], int]:
        """Return the numbers of some graphs, the mean over them with its spread, and how many graphs there were."""
        found: dict[str, list[Value]] = {}
        many = 0
        for many, network in enumerate(networks, 1):
            track(f"comparing, {what} {many}", 0, 0)
            for group in groups:
                if group.slow and many > 1 and original.large:
                    continue
                for name, value in group.after(original, network).items():
                    found.setdefault(name, []).append(value)
        return {name: pool_values(values) for name, values in found.items()}, many

    def make_rows(
        self,
        groups: tuple[Group, ...],
        before: Mapping[str, Value],
        after: Mapping[str, Measurement | NoValue],
        random: Mapping[str, Measurement | NoValue],
        empty: Mapping[str, Measurement | NoValue],
    ) -> tuple[tuple[ComparisonRow, ...], tuple[tuple[str, str], ...]]:
        """Return a row for each metric that both have, and why there is none for the others."""
        rows, left_out = [], []
        for group in groups:
            for metric in group.metrics:
                why = self.explain_missing(metric, before, after)
                if why is not None:
                    left_out.append((metric.name, why))
                    continue
                has = group.baselined is None or metric.name in group.baselined
                sides = (before, after, *((random, empty) if has else ({}, {})))
                rows.append(ComparisonRow(metric, *(as_measurement(side.get(metric.name)) for side in sides)))  # type: ignore[arg-type]
            left_out += group.left_out
        return tuple(rows), tuple(left_out)

    def explain_missing(self, metric: Metric, before: Mapping[str, Value], after: Mapping[str, Value]) -> str | None:
        """Return why there is no row for a metric, or None."""
        if metric.needs_mapping and self.pair.counterpart is None:
            return NOBODY
        if self.drawn and metric.name in SPLIT:
            return ANEW
        was, now = before.get(metric.name), after[metric.name]
        if isinstance(was, NoValue):
            return f"in the original, {was.why}"
        return f"in the release, {now.why}" if isinstance(now, NoValue) else None

    def list_notes(self, original: Network, released: Network, samples: int) -> Iterator[str]:
        """Yield what a reader must know."""
        if self.pair.by == "nothing" and self.linked:
            also = "" if self.drawn or not self.repeats else ", and so are random edits, whose number is not known"
            yield f"Nobody said who in the original is who in the release: what needs it is left out{also}."
        if self.drawn:
            yield f"All links were drawn anew: 'after' is about {samples:,} of the graphs that might have been drawn."
        if self.has_random_edits:
            drawn = self.describe_edits(*count_edits(original, released, self.drawn))
            yield f"Random: {drawn}; the mean over {self.repeats:,} draws."
        if self.linked and original.large:
            where = f"in the original and in {'the first sample' if self.drawn else 'the release'}"
            also = ", and once in the first draw of random edits" if self.has_random_edits else ""
            yield f"There are more than {LARGE:,} links: communities were searched {RUNS_LARGE} times {where}{also}."

    def describe_edits(self, added: int, removed: int) -> str:
        """Say what random edits are."""
        if self.drawn:
            return f"{added:,} links between any two vertices"
        return f"{added:,} links added and {removed:,} removed, drawn uniformly"


def as_measurement(value: Value | None) -> Measurement | None:
    """Return a value as a number with its spread, None where there is none."""
    return None if value is None or isinstance(value, NoValue) else pool_values([value])  # type: ignore[return-value]


# Baselines: the same number of random edits, and no links at all.
#
# A release that is no nearer to the original than random edits of the same number spent them badly; one that is no
# nearer than the empty graph has lost what the metric measures.

DRAWS = 3
"""Follows the seed where random edits are drawn."""
STREAM = 1_000
"""Where the streams of the draws begin; below are those of the original, the release and its samples."""


def empty_network(original: Network) -> Network:
    """Return the original's vertices, and no link."""
    return Network(remove_links(original.graph), np.arange(original.n), original.seed, STREAM - 1)


def remove_links(graph: Graph) -> Graph:
    """Return a graph without its links."""
    return Graph.from_pairs(graph.names, [], [], attributes=graph.attributes)


def count_edits(original: Network, released: Network, drawn: bool) -> tuple[int, int]:
    """Return how many links were added and removed; all, where they were drawn anew."""
    kept = 0 if drawn else count_links_kept(original, released)
    return released.m - kept, original.m - kept


def draw_random_edits(original: Network, released: Network, drawn: bool, repeats: int) -> Iterator[Network]:
    """Yield the original after as many additions and removals as the release has, drawn uniformly, several times.

    Where the release has vertices that are nobody's, so have these. Where all links were drawn anew, so are these: as
    many as the release has, between any two vertices.
    """
    found = min(original.n, released.n) if released.who is None else np.count_nonzero(released.who >= 0)
    base = pad_graph(original.graph, released.n - int(found))
    base = remove_links(base) if drawn else base
    added, removed = count_edits(original, released, drawn)
    for i in range(repeats):
        rng = np.random.default_rng([original.seed, DRAWS, i])
        graph = perturb_links(base, added, 0 if drawn else removed, rng)
        yield Network(graph, np.arange(original.n), original.seed, STREAM + i)


def pad_graph(graph: Graph, strangers: int) -> Graph:
    """Return the graph with so many vertices more, which have no links and no values."""
    if not strangers:
        return graph
    rows: Ints = np.concatenate([np.arange(graph.n), np.full(strangers, -1)])
    indptr = np.concatenate([graph.indptr, np.full(strangers, graph.indptr[-1])])
    return Graph(Names(range(len(rows))), indptr, graph.indices, None, graph.attributes.take(rows))
