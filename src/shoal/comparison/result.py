"""The result of a comparison: one row per metric, beside two baselines.

A number about a release tells little alone: beside it stand the same number of random edits, and the empty graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shoal.data.frames import make_frame
from shoal.errors import BadParameter, did_you_mean
from shoal.show import as_html, as_text
from shoal.utility.base import Measurement, Metric

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
