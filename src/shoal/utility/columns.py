"""Metrics of columns: distributions, correlations, and assortativity along edges.

A missing value is a category of its own. Means, correlations and distances of numbers use only the values that are
present; the share of missing values is a metric of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.data.column import MISSING, WHOLE_LIMIT, Column
from shoal.data.table import Table
from shoal.utility.base import Better, Group, Metric, Network, NoValue, Value, Values

GROUP = "columns"


@dataclass(frozen=True)
class ColumnMetric:
    """A metric that many columns have: a template of :class:`Metric` with the name "COLUMN: SUFFIX"."""

    suffix: str
    description: str
    """As in a metric; {column} stands for the name of the column."""
    low: float | None
    high: float | None
    better: Better
    unit: str = ""
    note: str = ""
    depends_on_edges: bool = False
    """Whether edges can change it. If so, it is measured on the undirected view."""

    def name(self, column: str) -> str:
        """Return the name of the metric of a column."""
        return f"{column}: {self.suffix}"

    def of(self, column: str) -> Metric:
        """Return the metric of a column.

        >>> MEAN.of("age").name, MEAN.of("age").phrase
        ('age: mean', 'the mean of age without missing values')
        """
        return Metric(
            self.name(column), self.description.replace("{column}", column), GROUP, self.low, self.high, self.better,
            unit=self.unit, note=self.note, depends_on_edges=self.depends_on_edges, undirected=self.depends_on_edges,
        )  # fmt: skip


MEAN = ColumnMetric("mean", "Mean of {column} without missing values.", None, None, "closer")
NUMBER_DISTANCE = ColumnMetric(
    "distance",
    "Largest difference of original and release in the share of values of {column} that are at most x, over all x "
    "(Kolmogorov-Smirnov).",
    0, 1, "lower", "share",
)  # fmt: skip
CATEGORY_DISTANCE = ColumnMetric(
    "distance",
    "Share of rows that would need another value of {column} to restore the frequencies of the original "
    "(total variation distance).",
    0, 1, "lower", "share",
)  # fmt: skip
MISSING_SHARE = ColumnMetric("missing", "Share of rows without a value of {column}.", 0, 1, "closer", "share")
ALONG_LINKS = ColumnMetric(
    "along links", "Similarity of linked vertices in {column} (assortativity).", -1, 1, "closer",
    note="1: always equal. 0: no more than by chance. Below 0: less than by chance.",
    depends_on_edges=True,
)  # fmt: skip
COLUMN_METRICS = (MEAN, NUMBER_DISTANCE, CATEGORY_DISTANCE, MISSING_SHARE, ALONG_LINKS)
CORRELATIONS = Metric(
    "correlations: largest change", "Largest change of the correlation of two numeric columns.", GROUP, 0, 2, "lower",
    note="The correlation with a constant column counts as 0.", depends_on_edges=False,
)  # fmt: skip


def group_column_metrics(before: Table, after: Table, *, linked: bool) -> Group:
    """Return the metrics of the columns in both tables, and why the others are left out."""
    left_out = [(name, "the release does not have this column") for name in before if name not in after]
    kinds: dict[str, str] = {}
    for name in (name for name in before if name in after):
        found = choose_kind(before[name], after[name])
        if found in ("numbers", "categories"):
            kinds[name] = found
        else:
            left_out.append((name, found))
    numbers = [name for name, what in kinds.items() if what == "numbers"]
    metrics = [metric for name in kinds for metric in declare_metrics(name, kinds[name], before, after, linked)]
    if len(numbers) > 1:
        metrics.append(CORRELATIONS)
    return Group(
        tuple(metrics),
        lambda network: measure_columns(network, kinds, linked),
        lambda original, network: {
            **measure_columns(network, kinds, linked),
            **compare_columns(original, network, kinds),
        },
        left_out=tuple(left_out),
    )


def choose_kind(before: Column, after: Column) -> str:
    """Return "numbers" or "categories", or the reason why two columns cannot be compared."""
    if not len(before.occurring) or not len(after.occurring):
        return f"every value {'of the original' if not len(before.occurring) else 'of the release'} is missing"
    if before.is_numeric and after.is_numeric:
        fits = fits_floats(before) and fits_floats(after)
        return "numbers" if fits else "it has numbers above 2**53, which floats cannot distinguish"
    if before.is_numeric or after.is_numeric:
        return "it was recoded: only one side is numeric, so the values cannot be compared"
    codes = before.followed_by(after)
    old, new = codes[: len(before)], codes[len(before) :]
    if not np.isin(new[new != MISSING], old).any():
        return "it was recoded: no value of the release occurs in the original"
    return "categories"


def fits_floats(column: Column) -> bool:
    """Return whether different numbers of a column are different floats."""
    present = [column.values[code] for code in column.occurring.tolist()]
    return all(isinstance(value, float) or abs(value) <= WHOLE_LIMIT for value in present)


def declare_metrics(name: str, what: str, before: Table, after: Table, linked: bool) -> Iterable[Metric]:
    """Yield the metrics of a column."""
    if what == "numbers":
        yield MEAN.of(name)
    yield (NUMBER_DISTANCE if what == "numbers" else CATEGORY_DISTANCE).of(name)
    if any((table[name].codes == MISSING).any() for table in (before, after)):
        yield MISSING_SHARE.of(name)
    if linked:
        yield ALONG_LINKS.of(name)


def measure_columns(network: Network, kinds: dict[str, str], linked: bool) -> Values:
    """Measure the columns of one graph or table."""
    found: dict[str, Value] = {}
    for name, what in kinds.items():
        column = network.data.attributes[name]
        found[MISSING_SHARE.name(name)] = float(np.count_nonzero(column.codes == MISSING) / len(column))
        if what == "numbers":
            found[MEAN.name(name)] = compute_mean(column.numbers(name))
        if linked:
            measure = measure_numbers_along if what == "numbers" else measure_categories_along
            found[ALONG_LINKS.name(name)] = measure(network, column, name)
    return found


def compare_columns(before: Network, after: Network, kinds: dict[str, str]) -> Values:
    """Compare the columns of two graphs or tables."""
    old, new = before.data.attributes, after.data.attributes
    found: dict[str, Value] = {
        NUMBER_DISTANCE.name(name): (compare_numbers if what == "numbers" else compare_categories)(old[name], new[name])
        for name, what in kinds.items()
    }
    numbers = [name for name, what in kinds.items() if what == "numbers"]
    changes = [
        abs(
            compute_correlation(*(old[x].numbers(x) for x in pair))
            - compute_correlation(*(new[x].numbers(x) for x in pair))
        )
        for pair in combinations(numbers, 2)
    ]
    return {**found, CORRELATIONS.name: max(changes, default=0.0)}


def compare_numbers(before: Column, after: Column) -> float:
    """Return the Kolmogorov-Smirnov distance of two numeric columns, without missing values.

    >>> compare_numbers(Column.of([1, 2, None]), Column.of([1.0, 2.0]))
    0.0
    >>> compare_numbers(Column.of([0]), Column.of([0.5]))
    1.0
    """
    x, y = (np.sort(there[~np.isnan(there)]) for there in (before.numbers(""), after.numbers("")))
    steps = np.concatenate([x, y])
    rises = [np.searchsorted(sample, steps, side="right").astype(np.int64) for sample in (x, y)]
    return int(np.abs(rises[0] * len(y) - rises[1] * len(x)).max()) / (len(x) * len(y))


def compare_categories(before: Column, after: Column) -> float:
    """Return the total variation distance of two columns: half the sum of the absolute differences of the shares.

    Missing is a category of its own.

    >>> compare_categories(Column.of(["a", "b", None, None]), Column.of(["a", "b", "b", "b"]))
    0.5
    """
    codes = before.followed_by(after) + 1
    most = int(codes.max()) + 1
    n, o = len(before), len(after)
    old, new = np.bincount(codes[:n], minlength=most), np.bincount(codes[n:], minlength=most)
    return int(np.abs(old * o - new * n).sum()) / (2 * n * o)


def compute_mean(x: Floats) -> float:
    """Return the mean of the values that are present. Scaling first keeps the sum of large numbers finite."""
    there = x[~np.isnan(x)]
    most = float(np.abs(there).max()) or 1.0
    return float((there / most).mean()) * most


def compute_correlation(x: Floats, y: Floats) -> float:
    """Return Pearson's correlation over the rows where both values are present; 0 if one of the columns is constant.

    >>> compute_correlation(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]))
    -1.0
    >>> compute_correlation(np.ones(2), np.arange(2.0))
    0.0
    """
    both = ~(np.isnan(x) | np.isnan(y))
    if np.count_nonzero(both) < 2 or (x[both] == x[both][0]).all() or (y[both] == y[both][0]).all():
        return 0.0
    x, y = (part - part.mean() for part in (there[both] / np.abs(there[both]).max() for there in (x, y)))
    below = float(np.sqrt((x * x).sum() * (y * y).sum()))  # 0 if rounding removed all differences
    return max(-1.0, min(1.0, float((x * y).sum()) / below)) if below else 0.0


def list_ends(network: Network) -> tuple[Ints, Ints]:
    """Return both ends of every edge, in both directions."""
    return np.repeat(np.arange(network.n), network.degree), network.graph.indices


def measure_numbers_along(network: Network, column: Column, name: str) -> Value:
    """Return the correlation of the numbers at the two ends of an edge, where both are present (Newman 2003)."""
    x, y = (column.numbers(name)[side] for side in list_ends(network))
    both = ~(np.isnan(x) | np.isnan(y))
    if not both.any():
        return NoValue("no two linked vertices have a value")
    if (x[both] == x[both][0]).all():
        return NoValue("all linked vertices have the same value")
    return compute_correlation(x[both], y[both])


def measure_categories_along(network: Network, column: Column, name: str) -> Value:
    """Return the assortativity coefficient (Newman 2003): (s - e) / (1 - e).

    s is the share of edges between equal values, e the share expected by chance.
    """
    if not network.m:
        return NoValue("there are no links")
    codes = column.codes + 1
    a, b = list_ends(network)
    share = np.bincount(codes[a]) / len(a)
    expected = float((share * share).sum())
    if np.count_nonzero(share) == 1:
        return NoValue("all linked vertices have the same value")
    return (float(np.count_nonzero(codes[a] == codes[b]) / len(a)) - expected) / (1 - expected)
