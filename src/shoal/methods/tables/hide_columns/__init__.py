"""HideColumns: (k,l) for tables. Every combination of up to l columns that occurs, occurs at least k times.

It is the rule that statistical offices state for their tables of persons. It is reached by recoding rare values and by
suppressing cells, and nothing leaves before a full count has passed.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from shoal.core.column_sets import Cells
from shoal.core.threads import announce_compilation
from shoal.data.arrays import Ints
from shoal.data.column import Column
from shoal.data.dataset import Dataset, as_dataset, check_k
from shoal.data.encode import renumber_codes
from shoal.data.hierarchy import Hierarchy
from shoal.errors import BadParameter, list_names, must, notice, whole
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

TASTES = (SuppressionTaste(0.3, 0.0, 3.0), SuppressionTaste(0.3, 0.0, 0.0), SuppressionTaste(1.0, 0.5, 0.0))
"""Ways to choose cells; which is better differs from table to table."""
WORK = 3_000_000_000
"""Combinations that are looked up before a climb ends."""
STEPS = (1, 2, 4, 8, -1)
"""How far along its recodings a column is moved in a trial."""
Thresholds = int | tuple[int | None, ...]


@dataclass(frozen=True)
class HideColumns(Method):
    """Publish so that whoever knows any l of the columns is left with at least k records.

    Every combination of values of at most l of the columns that occurs, occurs at least k times; a missing value is
    a value. A set of fewer columns leaves at least as many records as a larger one that holds it, so a threshold for
    sets of s columns holds for smaller sets too.

    Rare values go up their hierarchy, and what is still rare is suppressed: the cell becomes missing. How far each
    column is recoded is searched by trial, so that the loss of both together is small: a recoded cell loses
    (q - 1) / (d - 1), where the column has d distinct values of which q are published alike, a suppressed cell loses 1.
    The loss is small, not the least there is; the promise is exact, and counted anew before the release is handed over.

    Parameters
    ----------
    k
        How often a combination must occur; at most the number of records. Or one threshold for each size of sets,
        from 1: (None, 1000, 100) asks for 1,000 records for every pair and 100 for every triple.
    l
        How many columns may be known; the number of thresholds where `k` has several. More than there are columns is
        the same as all of them, and a notice says so.
    columns
        The columns that may be known; None for all.
    hierarchies
        As for :class:`~shoal.methods.tables.recode.Recode`. Columns without one: numbers are joined to intervals, rare
        other values to "other".
    seed
        The order in which records are looked at; None for that of the table. The promise does not rest on it.

    Examples
    --------
    Nobody else is 41 years old, and only one of the two men is 30:

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
    seed: int | None = None

    shell: ClassVar[str] = "hide-columns"
    changes: ClassVar[str] = "rare values are recoded, cells suppressed"
    protects: ClassVar[str] = "from whoever knows any l of the columns: (k,l)-anonymity of the table"
    promises: ClassVar[str] = "any l of the columns leave k"
    source: ClassVar[str] = "the rule of statistical offices; local suppression as in Willenborg & de Waal 2001"

    def __post_init__(self) -> None:
        k, l = _check_thresholds(self.k, self.l)
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "l", l)
        object.__setattr__(self, "columns", parse_columns(self.columns, "HideColumns"))
        object.__setattr__(self, "hierarchies", parse_hierarchies(self.hierarchies, "HideColumns"))
        if self.seed is not None:
            whole(self.seed, "HideColumns", "seed", least=0, most=None)

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
        """Return a release in which every combination is frequent, with its promise verified."""
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
        """Return how often the combinations of s columns must occur, by s; more columns than there are, are all."""
        sizes = {self.l: self.k} if isinstance(self.k, int) else dict(enumerate(self.k, 1))
        found: dict[int, int] = {}
        for s, k in sizes.items():
            if k is not None and s is not None:
                fits = min(s, width)
                found[fits] = max(found.get(fits, 1), check_k("HideColumns", k, graph))
        if self.l is not None and self.l > width:
            notice(f"HideColumns: there are {width:,} columns, so l = {self.l:,} is the same as l = {width:,}.")
        return found


def _describe_hierarchies(made: list[str]) -> tuple[str, ...]:
    what = "Numbers were joined to intervals and rare values to 'other', where that lost less than suppressing them."
    return (f"No hierarchy was given for {list_names(made)}. {what}",) if made else ()


def _check_thresholds(k: Any, l: Any) -> tuple[Thresholds, int]:
    """Return k and l, if they can be meant."""
    if isinstance(k, list | tuple):
        each = tuple(None if one is None else whole(one, "HideColumns", "k", least=1) for one in k)
        must(any(one is not None for one in each), "HideColumns", "k", "a threshold for some size", k)
        must(l is None or l == len(each), "HideColumns", "l", f"the number of thresholds, {len(each)}, or left out", l)
        return each, len(each)
    return whole(k, "HideColumns", "k", least=1), whole(l, "HideColumns", "l", least=1)


def reduce_thresholds(asked: Mapping[int, int]) -> dict[int, int]:
    """Leave out what follows from a larger set with a threshold that is as high.

    >>> reduce_thresholds({1: 5, 2: 1000, 3: 100}), reduce_thresholds({1: 7, 3: 7})
    ({2: 1000, 3: 100}, {3: 7})
    """
    return {s: k for s, k in asked.items() if not any(larger > s and kept >= k for larger, kept in asked.items())}


def make_hierarchy(name: str, column: Column) -> Hierarchy:
    """Return what the values of a column may become without a hierarchy: intervals, or "other"."""
    if column.is_numeric:
        return Hierarchy.intervals(column, name=name)
    values = tuple(column.values[code] for code in column.occurring.tolist())
    label = "other"
    while label in values:
        label += "s"
    return Hierarchy(values, ((label,) * len(values),))


@dataclass(frozen=True, eq=False)
class RecodingTrial:
    """One recoding per column, and what had to be suppressed then."""

    choice: tuple[int, ...]
    taste: SuppressionTaste
    which: Ints
    """The row of each distinct row of the original."""
    before: Ints
    """The recoded cells, a line per row."""
    cells: Ints
    """The same after suppression, 0 where a cell is missing."""
    weight: Ints
    loss: float
    work: int
    """Combinations that were looked up."""

    @cached_property
    def suppressed(self) -> Ints:
        """How many cells of each column were suppressed."""
        return count_missing_cells(self.before, self.cells, self.weight)


class RecodingSearch:
    """The search for the recodings that lose least."""

    def __init__(self, rungs: list[Rungs], asked: Mapping[int, int], seed: int | None):
        self.needs, self.seed = asked, seed
        self.ways = [list_recodings(column, max(asked.values())) for column in rungs]
        self.original = Cells.of([column.at for column in rungs])
        self.starts = np.cumsum([0, *(column.places for column in rungs)])[:-1]

    def find_best(self) -> RecodingTrial:
        """Return the best trial."""
        return min((self.climb(taste) for taste in TASTES), key=lambda trial: trial.loss)

    def climb(self, taste: SuppressionTaste) -> RecodingTrial:
        """Move one column at a time, those first that lose most cells, while the loss falls."""
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
        """Try the recodings of a column that are a few steps away."""
        steps = [trial.choice[c] + step for step in STEPS]
        choices = [(*trial.choice[:c], step, *trial.choice[c + 1 :]) for step in steps if 0 <= step < len(self.ways[c])]
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda choice: self.try_recodings(choice, trial.taste), choices))

    def try_recodings(self, choice: tuple[int, ...], taste: SuppressionTaste) -> RecodingTrial:
        """Recode, then suppress what is still rare."""
        announce_compilation()
        from shoal.kernels.columns import classes_at

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
        """Return the order in which rows are looked at."""
        return np.arange(rows) if self.seed is None else make_generator(self.seed).permutation(rows)

    def pick_recodings(self, choice: tuple[int, ...]) -> list[Recoding]:
        """Return the recoding of each column."""
        return [ways[i] for ways, i in zip(self.ways, choice, strict=True)]

    def sum_loss(self, chosen: list[Recoding], before: Ints, cells: Ints, weight: Ints) -> float:
        """Return what all cells lose together."""
        total = 0.0
        for c, way in enumerate(chosen):
            gone = (cells[:, c] == 0) & (before[:, c] != 0)
            total += way.loss + float((weight[gone] * (1.0 - way.lost[before[gone, c]])).sum())
        return total

    def make_columns(self, trial: RecodingTrial) -> list[Column]:
        """Return the published columns, a cell per record."""
        rows = trial.which[self.original.kind]
        found = []
        for c, way in enumerate(self.pick_recodings(trial.choice)):
            labels = Column.of(way.labels)  # two levels may use one word
            codes = np.append(labels.codes, -1)[trial.cells[rows, c] - 1]
            found.append(renumber_codes(codes, labels.values))
        return found

    def measure(self, names: tuple[str, ...], trial: RecodingTrial) -> dict[str, Any]:
        """Return what may be published about the change."""
        n = len(self.original.kind)
        chosen = self.pick_recodings(trial.choice)
        return {
            "loss": trial.loss / (n * len(names)),
            "cells suppressed": int(trial.suppressed.sum()),
            "share suppressed": {name: int(q) / n for name, q in zip(names, trial.suppressed, strict=True)},
            "share recoded": {name: way.recoded / n for name, way in zip(names, chosen, strict=True)},
            "levels": {name: way.level for name, way in zip(names, chosen, strict=True)},
        }
