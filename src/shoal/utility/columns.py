"""Metrics of columns: distributions, correlations, and assortativity along links.

A missing value is a value where categories are compared; means, correlations and distances of numbers are about the
values that are there, and the share that is missing stands beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.data.column import MISSING, WHOLE_LIMIT, Column
from shoal.data.table import Table
from shoal.utility.base import Group, Metric, Network, NoValue, Value, Values

GROUP = "columns"
CORRELATIONS = "correlations: largest change"
ALONG = "along links"


def group_column_metrics(before: Table, after: Table, *, linked: bool) -> Group:
    """Return the metrics that the columns of both tables have, and why others are left out."""
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
        metrics.append(declare_correlations())
    return Group(
        tuple(metrics),
        lambda network: measure_columns(network, kinds, linked),
        lambda original, network: {
            **measure_columns(network, kinds, linked),
            **compare_columns(original, network, kinds),
        },
        left_out=tuple(left_out),
        baselined=frozenset(f"{name}: {ALONG}" for name in kinds),
    )


def choose_kind(before: Column, after: Column) -> str:
    """Return "numbers" or "categories", or the sentence that says why two columns cannot be compared."""
    if not len(before.occurring) or not len(after.occurring):
        return f"every value {'of the original' if not len(before.occurring) else 'of the release'} is missing"
    if before.is_numeric and after.is_numeric:
        return (
            "numbers"
            if fits_floats(before) and fits_floats(after)
            else "it has numbers above 2**53, which floats do not tell"
        )
    if before.is_numeric or after.is_numeric:
        return "it was recoded: one side has numbers, the other has not, so that they cannot be compared one by one"
    codes = before.followed_by(after)
    old, new = codes[: len(before)], codes[len(before) :]
    if not np.isin(new[new != MISSING], old).any():
        return "it was recoded: no value of the release is one of the original"
    return "categories"


def fits_floats(column: Column) -> bool:
    """Tell whether floats tell all numbers apart."""
    present = [column.values[code] for code in column.occurring.tolist()]
    return all(isinstance(value, float) or abs(value) <= WHOLE_LIMIT for value in present)


def declare_metrics(name: str, what: str, before: Table, after: Table, linked: bool) -> Iterable[Metric]:
    """Yield the metrics of a column."""
    if what == "numbers":
        yield Metric(f"{name}: mean", f"The mean of {name}, where it is not missing.", GROUP, None, None, "closer")
        apart = (
            f"By how much the share of those with at most x in {name} differs, for the worst x (Kolmogorov-Smirnov)."
        )
    else:
        apart = f"The share that would need another value of {name} for it to be as frequent as before."
    yield Metric(f"{name}: distance", apart, GROUP, 0, 1, "lower", unit="share")
    if any((table[name].codes == MISSING).any() for table in (before, after)):
        yield Metric(f"{name}: missing", f"The share without a value of {name}.", GROUP, 0, 1, "closer", unit="share")
    if linked:
        along = f"Whether linked vertices are alike in {name}: 1 always, 0 no more than by chance."
        yield Metric(f"{name}: {ALONG}", along, GROUP, -1, 1, "closer")


def declare_correlations() -> Metric:
    """Return the metric about pairs of numeric columns."""
    means = "By how much the correlation of two columns of numbers changed, for the worst two; a constant column has 0."
    return Metric(CORRELATIONS, means, GROUP, 0, 2, "lower")


def measure_columns(network: Network, kinds: dict[str, str], linked: bool) -> Values:
    """Measure the columns of one graph."""
    found: dict[str, Value] = {}
    for name, what in kinds.items():
        column = network.data.attributes[name]
        found[f"{name}: missing"] = float(np.count_nonzero(column.codes == MISSING) / len(column))
        if what == "numbers":
            found[f"{name}: mean"] = compute_mean(column.numbers(name))
        if linked:
            measure = measure_numbers_along if what == "numbers" else measure_categories_along
            found[f"{name}: {ALONG}"] = measure(network, column, name)
    return found


def compare_columns(before: Network, after: Network, kinds: dict[str, str]) -> Values:
    """Compare the columns of two graphs."""
    old, new = before.data.attributes, after.data.attributes
    found: dict[str, Value] = {
        f"{name}: distance": (compare_numbers if what == "numbers" else compare_categories)(old[name], new[name])
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
    return {**found, CORRELATIONS: max(changes, default=0.0)}


def compare_numbers(before: Column, after: Column) -> float:
    """Return the Kolmogorov-Smirnov distance of two columns of numbers, missing values left out.

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
    """Return half the sum over all values of how much their shares differ: total variation. Missing is a value.

    >>> compare_categories(Column.of(["a", "b", None, None]), Column.of(["a", "b", "b", "b"]))
    0.5
    """
    codes = before.followed_by(after) + 1
    most = int(codes.max()) + 1
    n, o = len(before), len(after)
    old, new = np.bincount(codes[:n], minlength=most), np.bincount(codes[n:], minlength=most)
    return int(np.abs(old * o - new * n).sum()) / (2 * n * o)


def compute_mean(x: Floats) -> float:
    """Return the mean of what is there; scaled first, so that the sum of large numbers is not beyond all floats."""
    there = x[~np.isnan(x)]
    most = float(np.abs(there).max()) or 1.0
    return float((there / most).mean()) * most


def compute_correlation(x: Floats, y: Floats) -> float:
    """Return Pearson's correlation where both are there; 0 where one of them does not vary.

    >>> compute_correlation(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0]))
    -1.0
    >>> compute_correlation(np.ones(2), np.arange(2.0))
    0.0
    """
    both = ~(np.isnan(x) | np.isnan(y))
    if np.count_nonzero(both) < 2 or (x[both] == x[both][0]).all() or (y[both] == y[both][0]).all():
        return 0.0
    x, y = (part - part.mean() for part in (there[both] / np.abs(there[both]).max() for there in (x, y)))
    below = float(np.sqrt((x * x).sum() * (y * y).sum()))  # 0 if rounding ate all the differences there are
    return max(-1.0, min(1.0, float((x * y).sum()) / below)) if below else 0.0


def list_ends(network: Network) -> tuple[Ints, Ints]:
    """Return both ends of every link, in both directions."""
    return np.repeat(np.arange(network.n), network.degree), network.graph.indices


def measure_numbers_along(network: Network, column: Column, name: str) -> Value:
    """Return the correlation of the numbers at the two ends of a link, where both are there (Newman 2003)."""
    x, y = (column.numbers(name)[side] for side in list_ends(network))
    both = ~(np.isnan(x) | np.isnan(y))
    if not both.any():
        return NoValue("no two linked vertices have a value")
    if (x[both] == x[both][0]).all():
        return NoValue("all linked vertices have the same value")
    return compute_correlation(x[both], y[both])


def measure_categories_along(network: Network, column: Column, name: str) -> Value:
    """Return the share of links between equals, beyond what chance gives, over the most it can be (Newman 2003)."""
    if not network.m:
        return NoValue("there are no links")
    codes = column.codes + 1
    a, b = list_ends(network)
    share = np.bincount(codes[a]) / len(a)
    expected = float((share * share).sum())
    if np.count_nonzero(share) == 1:
        return NoValue("all linked vertices have the same value")
    return (float(np.count_nonzero(codes[a] == codes[b]) / len(a)) - expected) / (1 - expected)
