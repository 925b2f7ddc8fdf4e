"""Levels of (k,l)-anonymity for several k: the vertices that l known relations expose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.data.dataset import as_graph
from shoal.data.frames import make_frame
from shoal.errors import must, public
from shoal.risk.levels import Levels, levels
from shoal.show import as_chart, as_html, as_picture, as_text


@public
def level_curves(
    data: Any,
    knowledge: Literal["neighbors", "relations", "located-relations"] = "neighbors",
    *,
    k: Iterable[int] | int,
    max_size: int | None = None,
) -> LevelCurves:
    """Compute the levels for several k.

    Parameters
    ----------
    data
        A graph, or anything that :func:`shoal.as_graph` takes.
    k
        One or several values of k.
    knowledge, max_size
        As for :func:`shoal.levels`.

    Examples
    --------
    >>> import shoal
    >>> front = level_curves(shoal.examples.karate(), k=[2, 5])
    >>> front.histograms[2]
    {0: 1, 1: 15, 2: 1, inf: 17}
    >>> [round(share, 2) for share in front.shares[5]]
    [0.56, 0.71]
    """
    graph, wanted = as_graph(data), sorted({k} if isinstance(k, int) else set(k))
    must(wanted, "level_curves", "k", "at least one number", wanted)
    return LevelCurves({k: levels(graph, knowledge, k=k, max_size=max_size) for k in wanted})


@dataclass(frozen=True, eq=False, repr=False)
class LevelCurves:
    """Levels for several k."""

    levels: dict[int, Levels]
    """The levels by k, ascending."""

    @property
    def histograms(self) -> dict[int, dict[float, int]]:
        """For each k the number of vertices by exact l."""
        return {k: found.histogram() for k, found in self.levels.items()}

    @property
    def shares(self) -> dict[int, list[float]]:
        """For each k the share of vertices with fewer than k candidates after 1, 2, ... known relations.

        The list ends where more relations expose no further vertex. If a search was cut short, the shares are lower
        bounds.
        """
        return {
            k: [float(found.exposed(l).mean()) for l in range(1, _find_last(found) + 1)]
            for k, found in self.levels.items()
        }

    def to_frame(self) -> Any:
        """Return one row per k and number of known relations."""
        rows = [
            (k, l, share, bool(self.levels[k].exact.all()))
            for k, curve in self.shares.items()
            for l, share in enumerate(curve, 1)
        ]
        columns = zip(*rows, strict=True) if rows else ([], [], [], [])
        return make_frame(dict(zip(("k", "known", "share", "exact"), map(list, columns), strict=True)))

    @public
    def plot(self) -> Any:
        """Return the curves as an altair chart. In a notebook it shows itself."""
        return as_chart(self)

    @public
    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Save the curves as a .png, .svg or .html file."""
        as_picture(self, Path(path), force)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def _find_last(found: Levels) -> int:
    """Return the largest number of relations that exposes a further vertex, at least 1."""
    finite = found.per_vertex[found.exact & np.isfinite(found.per_vertex)]
    return int(finite.max()) + 1 if len(finite) else 1
