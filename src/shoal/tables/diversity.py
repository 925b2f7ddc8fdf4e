"""Diversity of sensitive columns inside classes: l-diversity and t-closeness.

If k candidates all have the same disease, their disease is known. So each sensitive column is also measured by
l-diversity (Machanavajjhala et al.) and t-closeness (Li, Li & Venkatasubramanian).

p is the distribution of a column inside a class, q the one in the whole table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.data.spelling import parse_number
from shoal.data.table import MISSING, Column
from shoal.errors import BadParameter, public
from shoal.knowledge.candidates import AlikeCandidates
from shoal.risk.assess import Risk


@dataclass(frozen=True)
class Diversity:
    """How much the classes of a table disclose about one sensitive column."""

    column: str
    distinct: int
    """l-diversity: the fewest different values in a class. 1: the value of every person in that class is known."""
    entropy: float
    """Entropy l-diversity: the smallest exp(entropy) of a class; never more than `distinct`."""
    closeness: float
    """t-closeness: the largest distance of a class from the whole table, from 0 (equal) to 1."""
    known: int
    """The number of records whose value is disclosed: those in classes with a single value."""


@public
def diversity(risk: Risk, columns: str | Sequence[str]) -> tuple[Diversity, ...]:
    """Measure how much the classes of a risk disclose about sensitive columns.

    In `distinct`, `entropy` and `known` a missing value does not count as a value, since it hides no other value.
    Classes without present values are left out there. Different spellings of one number, and texts that differ only in
    surrounding blanks, are one value there. In `closeness` a missing value is a value. The distance of numeric columns
    is the larger of the ordered earth mover's distance (ranks are exact) and the difference in the share of missing
    values. For other columns it is the total variation, which is never smaller.

    Examples
    --------
    Both classes have two members, but both people aged 30 have the flu:

    >>> import shoal
    >>> people = {"age": [30, 30, 41, 41], "ill": ["flu", "flu", "flu", "cold"]}
    >>> shoal.tables.diversity(shoal.assess(people, shoal.knowledge.Columns("age")), "ill")
    (Diversity(column='ill', distinct=1, entropy=1.0, closeness=0.25, known=2),)
    """
    names = [columns] if isinstance(columns, str) else list(columns)
    if not isinstance(risk.answer, AlikeCandidates):
        raise BadParameter(f"diversity: knowledge must split the records into classes. Got {risk.adversary!r}.")
    codes = risk.answer.published
    return tuple(_measure_diversity(codes, name, risk.graph.attributes[name]) for name in names)


def _measure_diversity(codes: Ints, name: str, column: Column) -> Diversity:
    column = column.canonical
    present = column.codes != MISSING
    classes, _, counts = _count_pairs(codes[present], _number_meanings(column)[present])
    if not len(classes):
        return Diversity(name, 0, 0.0, 0.0, 0)
    distinct = np.bincount(classes)
    sizes = np.bincount(classes, weights=counts)
    share = counts / sizes[classes]
    entropy = np.bincount(classes, weights=-share * np.log(share))
    there = distinct > 0
    single = distinct[classes] == 1
    return Diversity(
        name,
        int(distinct[there].min()),
        float(min(np.exp(entropy[there].min()), distinct[there].min())),
        _measure_closeness(codes, column),
        int(counts[single].sum()),
    )


def _number_meanings(column: Column) -> Ints:
    """Return one number per cell. Texts that differ only in blanks or in the spelling of a number get the same one."""
    if not any(isinstance(value, str) for value in column.values):
        return column.codes
    meant = [_read_meaning(value) if isinstance(value, str) else value for value in column.values]
    return np.append(Column.of(meant).codes, MISSING)[column.codes]


def _read_meaning(text: str) -> Any:
    found = parse_number(text)
    return text.strip() if found is None else ("text", found)


def _count_pairs(codes: Ints, values: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct pairs of class and value, sorted by class and then value, and the count of each."""
    if not len(codes):
        return codes, values, codes
    order = np.lexsort((values, codes))
    a, b = codes[order], values[order]
    first = np.flatnonzero(np.concatenate([[True], (np.diff(a) != 0) | (np.diff(b) != 0)]))
    return a[first], b[first], np.diff(np.append(first, len(a)))


def _measure_closeness(codes: Ints, column: Column) -> float:
    """Return the largest distance of a class from the table: by rank for numbers, and by the share of missing ones."""
    if not column.is_numeric:
        return _measure_variation(codes, column.codes + 1)
    present = column.codes != MISSING
    return max(_measure_ordered(codes[present], column, present), _measure_variation(codes, present.astype(np.int64)))


def _measure_variation(codes: Ints, cells: Ints) -> float:
    """Return the largest total variation distance of a class: the sum over its values of max(0, p - q)."""
    classes, values, counts = _count_pairs(codes, cells)
    q = np.bincount(cells) / len(codes)
    p = counts / np.bincount(codes)[classes]
    return float(np.bincount(classes, weights=np.maximum(0, p - q[values])).max())


def _measure_ordered(codes: Ints, column: Column, present: np.ndarray[Any, Any]) -> float:
    """Return the largest ordered distance: the mean of |P - Q| over the steps, with cumulative P and Q.

    Between two values of a class P is constant and Q rises. So a stretch is summed at once, split where Q passes P.
    """
    ranks, levels = _rank_numbers(column, present)
    if levels < 2:
        return 0.0
    classes, values, counts = _count_pairs(codes, ranks)
    total = np.cumsum(np.bincount(ranks, minlength=levels)) / len(ranks)  # Q
    before = np.concatenate([[0.0], np.cumsum(total)])  # Q summed
    starts = np.concatenate([[True], np.diff(classes) != 0])
    sizes = np.bincount(codes)[classes]
    run = np.cumsum(counts)
    inside = run - np.repeat(run[starts] - counts[starts], np.diff(np.append(np.flatnonzero(starts), len(run))))
    reached = inside / sizes  # P
    end = np.append(values[1:], levels)
    end[np.append(starts[1:], True)] = levels
    stretch = _sum_stretches(reached, values, end, total, before)
    lead = before[values[starts]]  # P is 0 before the first value of a class
    sums = np.bincount(classes, weights=stretch)
    sums[classes[starts]] += lead
    return float(sums.max() / (levels - 1))


def _sum_stretches(reached: Floats, a: Ints, b: Ints, total: Floats, before: Floats) -> Floats:
    passes = np.clip(np.searchsorted(total, reached), a, b)
    below = reached * (passes - a) - (before[passes] - before[a])
    above = before[b] - before[passes] - reached * (b - passes)
    return np.asarray(below + above, dtype=np.float64)


def _rank_numbers(column: Column, present: np.ndarray[Any, Any]) -> tuple[Ints, int]:
    """Return the rank of each present number among the distinct ones, and the number of distinct ones."""
    rank = np.empty(len(column.values), dtype=np.int64)
    rank[column.ascending] = np.arange(len(column.ascending))
    return rank[column.codes[present]], len(column.ascending)
