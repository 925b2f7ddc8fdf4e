"""(k,l)-anonymity of tables by recoding and local suppression (as in Willenborg & de Waal 2001).

Every occurring combination of values of up to l columns occurs at least k times. Statistical offices state this rule
for tables of persons. Rare values are recoded, and cells are suppressed. A full count verifies the release.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from shoal.core.column_sets import Cells
from shoal.data.arrays import Ints
from shoal.data.column import Column
from shoal.data.dataset import Dataset, as_dataset
from shoal.data.encode import renumber_codes
from shoal.data.hierarchy import Hierarchy
from shoal.errors import BadParameter, check_k, list_names, must, notice, whole
from shoal.knowledge import Adversary, SomeColumns
from shoal.methods.base import Method, Proposals, choose_columns, count_known_facts, parse_columns
from shoal.methods.tables.hide_columns.suppression import SuppressionTaste, count_missing_cells, suppress_cells
from shoal.methods.tables.ladders import (
    Recoding,
    Rungs,
    build_hierarchies,
    list_recodings,
    parse_hierarchies,
    read_rungs,
)
from shoal.optimize.annealing import make_generator
from shoal.progress import track
from shoal.release.guarantee import Promise
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.seeds import Seed

TASTES = (SuppressionTaste(0.3, 0.0, 3.0), SuppressionTaste(0.3, 0.0, 0.0), SuppressionTaste(1.0, 0.5, 0.0))
"""Ways to choose cells. The best one depends on the table, so all are tried."""
WORK = 3_000_000_000
"""The limit on combinations looked up in a climb."""
STEPS = (1, 2, 4, 8, -1)
"""The steps along the recodings of a column that a trial takes."""
Thresholds = int | tuple[int | None, ...]


@dataclass(frozen=True)
class HideColumns(Method):
    """Recode and suppress until any l known columns leave at least k records.

    Every occurring combination of values of at most l columns occurs at least k times; a missing value is a value. A
    subset of columns leaves at least as many records, so a threshold for sets of s columns also holds for smaller sets.

    Rare values are generalized along their hierarchy. Cells that are still rare are suppressed: they become missing. A
    search by trial chooses how far to recode each column, so that the total loss is small. A recoded cell loses (q - 1)
    / (d - 1), where the column has d distinct values and q of them are published as the same value. A suppressed cell
    loses 1. The loss is small but not minimal. The guarantee is exact, and verified by a full count.

    Parameters
    ----------
    k
        How often each combination must occur; at most the number of records. Or one threshold per size of set, from
        size 1: (None, 1000, 100) requires 1,000 records for every pair and 100 for every triple.
    l
        The number of known columns. If `k` has several thresholds, their number. More than the number of columns means
        all columns, and a notice says so.
    columns
        The columns that may be known; None for all.
    hierarchies
        As for :class:`~shoal.methods.tables.recode.Recode`. Without a hierarchy, numbers are merged into intervals, and
        other rare values into "other".
    seed
        Seed of the order in which records are processed; None for the order of the table. The guarantee does not depend
        on it.

    Examples
    --------
    One person is 41 years old, and one of the two men is 30. Both are unique:

    >>> people = {"age": [30, 30, 30, 30, 41], "sex": ["f", "f", "f", "m", "m"]}
    >>> release = HideColumns(2, 2)(people)
    >>> [list(release.table[name]) for name in release.table]
    [[30, 30, 30, None, None], ['f', 'f', 'f', 'm', 'm']]
    >>> release.measured["cells suppressed"]
    2
    """

    k: Thresholds
    l: int | None = None
    columns: tuple[str, ...] | None = None
    hierarchies: Mapping[str, Any] | None = None
    seed: Seed[None] = Seed(None)

    shell: ClassVar[str] = "hide-columns"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "columns: recodes rare values and suppresses cells"
    protects: ClassVar[str] = "an attacker who knows any l of the columns"
    promises: ClassVar[str] = "at least k candidates against some-columns:l"
    source: ClassVar[str] = "the rule of statistical offices; Willenborg & de Waal 2001 (local suppression)"

    def __post_init__(self) -> None:
        k, l = _check_thresholds(self.k, self.l)
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "l", l)
        object.__setattr__(self, "columns", parse_columns(self.columns, "HideColumns"))
        object.__setattr__(self, "hierarchies", parse_hierarchies(self.hierarchies, "HideColumns"))

    @classmethod
    def propose(cls, wanted: Adversary) -> Proposals:
        """Return as many columns as are known."""
        parts = [part for part in wanted.parts if isinstance(part, SomeColumns)]
        return [({"l": part.l, "columns": part.names or None}, part) for part in parts]

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return as many columns as are known."""
        l = count_known_facts(wanted, SomeColumns)
        if l is None:
            raise BadParameter("it needs l, the number of known columns. Got none: --knows some-columns:2")
        return [{"l": l}]

    def __call__(self, data: Any) -> Release:
        """Return a release in which every combination is frequent, with its guarantee verified."""
        graph = as_dataset(data)
        names = choose_columns(graph, self.columns, "HideColumns")
        asked = self._list_thresholds(graph, len(names))
        given = build_hierarchies(self.hierarchies, names, "HideColumns")
        table = graph.attributes.canonical(name for name in names if name not in given)
        rungs = [
            read_rungs(name, table[name], given.get(name) or make_hierarchy(name, table[name]), "HideColumns")
            for name in names
        ]
        hiding = RecodingSearch(rungs, reduce_thresholds(asked), self.seed)
        best = hiding.find_best()
        columns = dict(zip(names, hiding.make_columns(best), strict=True))
        release = Release(
            original=graph,
            data=graph.with_attributes(table.with_columns(columns)),
            promises=tuple(Promise(SomeColumns(s, *names), k) for s, k in asked.items()),
            method=self,
            seed=self.seed,
            measured=hiding.measure(names, best),
            notes=_describe_hierarchies([name for name in names if name not in given]),
        )
        return verify_release(release)

    def _list_thresholds(self, graph: Dataset, width: int) -> dict[int, int]:
        """Return how often combinations of s columns must occur, by s. A larger s than the number of columns is all."""
        sizes = {self.l: self.k} if isinstance(self.k, int) else dict(enumerate(self.k, 1))
        found: dict[int, int] = {}
        for s, k in sizes.items():
            if k is not None and s is not None:
                fits = min(s, width)
                found[fits] = max(found.get(fits, 1), check_k("HideColumns", k, graph))
        if self.l is not None and self.l > width:
            columns = "is 1 column" if width == 1 else f"are {width:,} columns"
            notice(f"HideColumns: there {columns}, so l = {self.l:,} is the same as l = {width:,}.")
        return found


def _describe_hierarchies(made: list[str]) -> tuple[str, ...]:
    what = "Numbers were merged into intervals and rare values into 'other' if this lost less than suppression."
    return (f"No hierarchy was given for {list_names(made)}. {what}",) if made else ()


def _check_thresholds(k: Any, l: Any) -> tuple[Thresholds, int]:
    """Return k and l, or raise an error."""
    if isinstance(k, list | tuple):
        each = tuple(None if one is None else whole(one, "HideColumns", "k", least=1) for one in k)
        must(any(one is not None for one in each), "HideColumns", "k", "a threshold for some size", k)
        must(l is None or l == len(each), "HideColumns", "l", f"the number of thresholds, {len(each)}, or left out", l)
        return each, len(each)
    return whole(k, "HideColumns", "k", least=1), whole(l, "HideColumns", "l", least=1)


def reduce_thresholds(asked: Mapping[int, int]) -> dict[int, int]:
    """Drop each threshold that follows from one for larger sets that is at least as high.

    >>> reduce_thresholds({1: 5, 2: 1000, 3: 100}), reduce_thresholds({1: 7, 3: 7})
    ({2: 1000, 3: 100}, {3: 7})
    """
    return {s: k for s, k in asked.items() if not any(larger > s and kept >= k for larger, kept in asked.items())}


def make_hierarchy(name: str, column: Column) -> Hierarchy:
    """Return a default hierarchy for a column: intervals for numbers, else the single label "other"."""
    if column.is_numeric:
        return Hierarchy.intervals(column, name=name)
    values = tuple(column.values[code] for code in column.occurring.tolist())
    label = "other"
    while label in values:
        label += "s"
    return Hierarchy(values, ((label,) * len(values),))


@dataclass(frozen=True, eq=False)
class RecodingTrial:
    """One recoding per column, and the cells that are then suppressed."""

    choice: tuple[int, ...]
    taste: SuppressionTaste
    which: Ints
    """The row in `cells` for each distinct row of the original."""
    before: Ints
    """The recoded cells, one line per row."""
    cells: Ints
    """The cells after suppression; 0 is missing."""
    weight: Ints
    loss: float
    work: int
    """The number of combinations looked up."""

    @cached_property
    def suppressed(self) -> Ints:
        """The number of suppressed cells of each column."""
        return count_missing_cells(self.before, self.cells, self.weight)


class RecodingSearch:
    """A search for recodings with a small loss."""

    def __init__(self, rungs: list[Rungs], asked: Mapping[int, int], seed: int | None):
        self.needs, self.seed = asked, seed
        self.ways = [list_recodings(column, max(asked.values())) for column in rungs]
        self.original = Cells.of([column.at for column in rungs])
        self.starts = np.cumsum([0, *(column.places for column in rungs)])[:-1]

    def find_best(self) -> RecodingTrial:
        """Return the best trial."""
        return min((self.climb(taste) for taste in TASTES), key=lambda trial: trial.loss)

    def climb(self, taste: SuppressionTaste) -> RecodingTrial:
        """Change the recoding of one column at a time, most suppressed cells first, while the loss falls."""
        best = self.try_recodings((0,) * len(self.ways), taste)
        spent, tried = best.work, set[int]()
        while best.loss > 0 and spent < WORK and (left := [c for c in range(len(self.ways)) if c not in tried]):
            track("trials of recodings", spent, WORK)
            c = max(left, key=lambda c: int(best.suppressed[c]))
            found = self.try_moves(best, c)
            spent += sum(trial.work for trial in found)
            winner = min([best, *found], key=lambda trial: trial.loss)
            tried = {c, *tried} if winner is best else set()
            best = winner
        return best

    def try_moves(self, trial: RecodingTrial, c: int) -> list[RecodingTrial]:
        """Try recodings of a column that are a few steps away."""
        steps = [trial.choice[c] + step for step in STEPS]
        choices = [(*trial.choice[:c], step, *trial.choice[c + 1 :]) for step in steps if 0 <= step < len(self.ways[c])]
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda choice: self.try_recodings(choice, trial.taste), choices))

    def try_recodings(self, choice: tuple[int, ...], taste: SuppressionTaste) -> RecodingTrial:
        """Recode, then suppress cells in rare combinations."""
        from shoal.core._kernels.alike import classes_at

        chosen = self.pick_recodings(choice)
        cards = np.array([int(way.codes.max()) + 1 for way in chosen], dtype=np.int64)
        lookup = np.concatenate([way.codes for way in chosen])
        rows, weight = np.arange(len(self.original.weight)), self.original.weight
        which, first, weight = classes_at(self.original.codes, rows, weight, lookup, self.starts, cards)
        lines = [way.codes[line[first]] for way, line in zip(chosen, self.original.codes, strict=True)]
        before = np.stack(lines, axis=1)
        cells, work = suppress_cells(before, weight, self.needs, self.order_rows(len(before)), taste)
        return RecodingTrial(
            choice, taste, which, before, cells, weight, self.sum_loss(chosen, before, cells, weight), work
        )

    def order_rows(self, rows: int) -> Ints:
        """Return the order in which rows are processed."""
        return np.arange(rows) if self.seed is None else make_generator(self.seed).permutation(rows)

    def pick_recodings(self, choice: tuple[int, ...]) -> list[Recoding]:
        """Return the recoding of each column."""
        return [ways[i] for ways, i in zip(self.ways, choice, strict=True)]

    def sum_loss(self, chosen: list[Recoding], before: Ints, cells: Ints, weight: Ints) -> float:
        """Return the total loss of all cells."""
        total = 0.0
        for c, way in enumerate(chosen):
            gone = (cells[:, c] == 0) & (before[:, c] != 0)
            total += way.loss + float((weight[gone] * (1.0 - way.lost[before[gone, c]])).sum())
        return total

    def make_columns(self, trial: RecodingTrial) -> list[Column]:
        """Return the published columns, one cell per record."""
        rows = trial.which[self.original.kind]
        found = []
        for c, way in enumerate(self.pick_recodings(trial.choice)):
            labels = Column.of(way.labels)  # two levels may have the same label
            codes = np.append(labels.codes, -1)[trial.cells[rows, c] - 1]
            found.append(renumber_codes(codes, labels.values))
        return found

    def measure(self, names: tuple[str, ...], trial: RecodingTrial) -> dict[str, Any]:
        """Return measures of the change."""
        n = len(self.original.kind)
        chosen = self.pick_recodings(trial.choice)
        return {
            "loss": trial.loss / (n * len(names)),
            "cells suppressed": int(trial.suppressed.sum()),
            "share suppressed": {name: int(q) / n for name, q in zip(names, trial.suppressed, strict=True)},
            "share recoded": {name: way.recoded / n for name, way in zip(names, chosen, strict=True)},
            "levels": {name: way.level for name, way in zip(names, chosen, strict=True)},
        }
