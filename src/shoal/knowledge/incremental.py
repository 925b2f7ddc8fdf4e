"""Incremental evaluation: what must be kept about each vertex so that an edit of one link updates the candidates.

A kind of knowledge declares it in :meth:`shoal.knowledge.base.Adversary.incremental`. The compiled loops are in
:mod:`shoal.methods.links._kernels.reduction`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["degree", "counts", "degrees", "refinement", "neighborhood", "hubs", "neighbors", "pairs"]
"""What a link changes. "degree": both ends. "counts", "degrees" and "neighborhood" (in the ball of radius 1): also the
common neighbors of both ends. "refinement" (degrees of neighbors): also all neighbors of both ends. "hubs": the
vertices whose distance from a hub changes, and all vertices where the set of hubs does. "neighbors" (one known
neighbor): the vertices that share a neighbor with one end. "pairs" (two known neighbors): those that share two with one
end."""
COSTLY: frozenset[Part] = frozenset({"neighborhood", "hubs", "pairs"})
"""Parts for which an edit may cost a thousand times as much as for the others."""


@dataclass(frozen=True)
class Incremental:
    """What a kind of knowledge reads: parts of the structure around a vertex, and columns, all known at once."""

    parts: frozenset[Part]
    columns: tuple[str, ...] = ()
    hubs: tuple[int, int | None] | None = None
    """The number of hubs, and the largest known distance."""

    def join(self, other: Incremental) -> Incremental | None:
        """Return what reads both; None if there is no incremental evaluation of it.

        >>> degree, sex = Incremental(frozenset({"degree"})), Incremental(frozenset(), ("sex",))
        >>> degree.join(sex)
        Incremental(parts=frozenset({'degree'}), columns=('sex',), hubs=None)
        >>> degree.join(Incremental(frozenset({"neighbors"}))) is None
        True
        """
        parts = self.parts | other.parts
        if parts & {"neighbors", "pairs"} and len(parts) > 1:
            return None
        if self.hubs and other.hubs and self.hubs != other.hubs:
            return None
        columns = tuple(dict.fromkeys((*self.columns, *other.columns)))
        return Incremental(parts, columns, self.hubs or other.hubs)
