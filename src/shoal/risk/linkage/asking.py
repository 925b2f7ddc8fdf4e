"""Asking: a method is asked about every record under every information, one row at a time; no matrix is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from shoal.errors import BadParameter
from shoal.progress import track
from shoal.risk.linkage.record import Record, is_data, records_of
from shoal.risk.linkage.rows import Row, as_row

Method = Callable[[Any, Any], Any]
"""r(y, a), one probability per individual."""


@dataclass(frozen=True, eq=False)
class Questions:
    """All records y, and all pieces of information a."""

    who: str
    """Who asks, for messages."""
    ys: Sequence[Any]
    infos: Sequence[Any]

    @classmethod
    def of(cls, who: str, y: Any, a: Any) -> Questions:
        """Take a whole release for all its records, and a whole original (or None) for a single information."""
        ys = records_of(y) if is_data(y) else _listed(who, "y", "protected records", y)
        infos = [a] if a is None or is_data(a) else _listed(who, "a", "auxiliary informations", a)
        return cls(who, ys, infos)

    def each(self, methods: Sequence[Method]) -> Iterator[tuple[Method, Any, tuple[Row, ...]]]:
        """Yield for each method and each record one row per information, all over the same individuals."""
        n, total = 0, len(self.ys)
        for r in methods:
            done = 0
            for done, rows in enumerate(islice(self._answers(r), total), 1):
                n = n or rows[0].n
                self._same_individuals(rows, n, done - 1)
                if done % 256 == 1:
                    track("linking records", done - 1, total)
                yield r, self.ys[done - 1], rows
            if done < total:
                raise BadParameter(
                    f"{self.who}: {r!r:.60} must have a row for each of {total:,} records. Got {done:,}."
                )

    def _same_individuals(self, rows: Sequence[Row], n: int, j: int) -> None:
        for h, row in enumerate(rows):
            if row.n != n:
                came = f"{row.n:,} after {n:,}. {self._where(j, h)}"
                raise BadParameter(f"{self.who}: r(y, a) must always be over the same individuals. Got {came}")

    def _answers(self, r: Method) -> Iterator[tuple[Row, ...]]:
        release = self._one_release()
        return self._linked(r, release) if release is not None and hasattr(r, "rows") else self._called(r)

    def _one_release(self) -> Any:
        """Return the release that all records belong to; None if there is no such thing."""
        first = self.ys[0]
        if not isinstance(first, Record):
            return None
        same = all(isinstance(y, Record) and y.data is first.data for y in self.ys)
        return first.data if same else None

    def _linked(self, r: Any, release: Any) -> Iterator[tuple[Row, ...]]:
        which = np.array([y.i for y in self.ys])
        some = [] if np.array_equal(which, np.arange(release.n)) else [which]
        streams = [r.rows(release, a, *some) for a in self.infos]
        for j, answers in enumerate(zip(*streams, strict=False)):
            yield tuple(self._checked(answer, j, h) for h, answer in enumerate(answers))

    def _called(self, r: Method) -> Iterator[tuple[Row, ...]]:
        for j in range(len(self.ys)):
            yield tuple(self._checked(r(self.ys[j], a), j, h) for h, a in enumerate(self.infos))

    def _checked(self, answer: Any, j: int, h: int) -> Row:
        try:
            return as_row(answer)
        except BadParameter as error:
            raise BadParameter(f"{self.who}: {error} {self._where(j, h)}") from error

    def _where(self, j: int, h: int) -> str:
        return f"That was record {j} of y, {self.ys[j]!r:.60}, and information {h} of a, {self.infos[h]!r:.60}."


def as_methods(who: str, methods: Any) -> list[Method]:
    """Return one or several methods as a list."""
    found = [methods] if callable(methods) else list(methods) if isinstance(methods, Iterable) else []
    if not found or not all(map(callable, found)):
        raise BadParameter(f"{who}: a re-identification method must be a function r(y, a). Got {methods!r:.60}.")
    return found


def _listed(who: str, name: str, what: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadParameter(f"{who}: '{name}' must be a list of {what}. Got {values!r:.60}.")
    found = list(values)
    if not found:
        raise BadParameter(f"{who}: '{name}' must hold at least one of the {what}. Got none.")
    return found
