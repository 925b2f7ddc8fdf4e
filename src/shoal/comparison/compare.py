"""Compare a release with its original: each metric beside random edits and the empty graph.

A metric of a release means little alone. Two baselines put it into context: the same number of random edits, and the
graph without edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_dataset, as_graph, as_linked, unwrap_data
from shoal.data.frames import make_frame
from shoal.data.graph import Graph
from shoal.data.names import Names
from shoal.data.table import Table
from shoal.errors import find_by_name, format_count, public, whole
from shoal.knowledge.view import Pair, match_by_name
from shoal.methods.links.random_edits import perturb_links
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.show import as_html, as_text
from shoal.utility import columns, registry
from shoal.utility.base import LARGE, Group, Measurement, Metric, Network, NoValue, Value, pool_values
from shoal.utility.communities import RUNS_LARGE
from shoal.utility.network import count_links_kept

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
    """Metrics without a value, each with the reason."""
    seed: int
    notes: tuple[str, ...] = ()

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
        }

    def to_frame(self) -> Any:
        """Return a data frame with one row per metric.

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
    seed: int = 0,
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
        Random seed.

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
    worlds: Iterable[Dataset]
    """The release, or several samples of a drawn release."""
    drawn: bool
    """Whether all links were drawn anew."""
    repeats: int
    """How many draws of random edits are measured. 0: no baselines."""
    seed: int

    def run(self) -> Comparison:
        """Measure all metrics."""
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
        """Whether edges are compared. Two tables have none."""
        return self.pair.original.has_links or self.pair.released.has_links

    @property
    def has_random_edits(self) -> bool:
        """Whether random edits are a baseline. Their number must be known."""
        return bool(self.repeats) and self.linked and (self.drawn or self.pair.counterpart is not None)

    def list_groups(self) -> tuple[Group, ...]:
        """Return the groups of metrics to measure."""
        tables = self.pair.original.attributes, self.pair.released.attributes
        groups = registry.GROUPS if self.linked else ()
        if not any(len(table) for table in tables):
            return groups
        linked = bool(self.pair.original.m or self.pair.released.m)
        return (*groups, columns.group_column_metrics(*tables, linked=linked))

    def list_samples(self) -> Iterator[Network]:
        """Yield the networks of the release to measure."""
        for i, graph in enumerate(self.worlds):
            known = (as_linked(graph) if self.linked else graph).with_attributes(self.pair.released.attributes)
            yield Network.of(known, who=self.pair.counterpart, seed=self.seed, stream=1 + i)

    def measure(
        self, what: str, original: Network, networks: Iterable[Network], groups: tuple[Group, ...]
    ) -> tuple[dict[str, Measurement | NoValue], int]:
        """Return the mean of each metric over some graphs with its spread, and the number of graphs."""
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
        """Return a row for each metric that both graphs have, and the reasons why others have none."""
        rows, left_out = [], []
        for group in groups:
            for metric in group.metrics:
                why = self.explain_missing(metric, before, after)
                if why is not None:
                    left_out.append((metric.name, why))
                    continue
                sides = (before, after, *((random, empty) if metric.depends_on_edges else ({}, {})))
                rows.append(ComparisonRow(metric, *(as_measurement(side.get(metric.name)) for side in sides)))  # type: ignore[arg-type]
            left_out += group.left_out
        return tuple(rows), tuple(left_out)

    def explain_missing(self, metric: Metric, before: Mapping[str, Value], after: Mapping[str, Value]) -> str | None:
        """Return why a metric has no row, or None if it has one."""
        if metric.needs_mapping and self.pair.counterpart is None:
            return NO_MAPPING
        if self.drawn and metric.compares_edges:
            return ANEW
        was, now = before.get(metric.name), after[metric.name]
        if isinstance(was, NoValue):
            return f"in the original, {was.why}"
        return f"in the release, {now.why}" if isinstance(now, NoValue) else None

    def list_notes(self, original: Network, released: Network, samples: int) -> Iterator[str]:
        """Yield the notes for the reader."""
        if self.pair.by == "nothing" and self.linked:
            also = (
                "" if self.drawn or not self.repeats else " Random edits are left out too: their number is not known."
            )
            yield f"There is no mapping from original to released vertices. Metrics that need it are left out.{also}"
        if self.drawn:
            graphs = "1 sampled graph" if samples == 1 else f"{samples:,} sampled graphs"
            yield f"All links were drawn anew: 'after' is the mean over {graphs}."
        if self.has_random_edits:
            drawn = self.describe_edits(*count_edits(original, released, self.drawn))
            yield f"'random' has {drawn}. Its values are means over {format_count(self.repeats, 'draw')}."
        if self.linked and original.large:
            where = f"in the original and in {'the first sample' if self.drawn else 'the release'}"
            also = ", and once in the first draw of random edits" if self.has_random_edits else ""
            yield f"There are more than {LARGE:,} edges. Communities were searched {RUNS_LARGE} times {where}{also}."

    def describe_edits(self, added: int, removed: int) -> str:
        """Describe the random edits."""
        if self.drawn:
            return f"{added:,} links between any two vertices"
        return f"{added:,} links added and {removed:,} removed, drawn uniformly"


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
    return Network(remove_links(original.graph), np.arange(original.n), original.seed, STREAM - 1)


def remove_links(graph: Graph) -> Graph:
    """Return a graph without its edges."""
    return Graph.from_pairs(graph.names, [], [], attributes=graph.attributes)


def count_edits(original: Network, released: Network, drawn: bool) -> tuple[int, int]:
    """Return how many edges were added and removed. If all were drawn anew, all count."""
    kept = 0 if drawn else count_links_kept(original, released)
    return released.m - kept, original.m - kept


def draw_random_edits(original: Network, released: Network, drawn: bool, repeats: int) -> Iterator[Network]:
    """Yield copies of the original with as many random edges added and removed as in the release.

    Vertices that were added to the release are added here too. If all edges of the release were drawn anew, these
    copies have as many edges as the release, between random pairs.
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
    """Return the graph with additional vertices that have no edges and no values."""
    if not strangers:
        return graph
    rows: Ints = np.concatenate([np.arange(graph.n), np.full(strangers, -1)])
    indptr = np.concatenate([graph.indptr, np.full(strangers, graph.indptr[-1])])
    return Graph(Names(range(len(rows))), indptr, graph.indices, None, graph.attributes.take(rows))
