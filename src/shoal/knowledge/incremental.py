"""Incremental evaluation: what must be kept about each vertex so that an edit of one link updates the candidates.

A kind of knowledge declares it in :meth:`shoal.knowledge.base.Adversary.incremental`. The compiled loops are in
:mod:`shoal.methods.links._kernels.reduction`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["degree", "counts", "degrees", "refinement", "neighbors"]
"""What a link changes. "degree": both ends. "counts" and "degrees" (in the ball of radius 1): also the common neighbors
of both ends. "refinement" (degrees of neighbors): also all neighbors of both ends. "neighbors" (one known neighbor):
the vertices that share a neighbor with one end."""


@dataclass(frozen=True)
class Incremental:
    """What a kind of knowledge reads: parts of the structure around a vertex, and columns, all known at once."""

    parts: frozenset[Part]
    columns: tuple[str, ...] = ()

    def join(self, other: Incremental) -> Incremental | None:
        """Return what reads both; None if there is no incremental evaluation of it.

        >>> degree, sex = Incremental(frozenset({"degree"})), Incremental(frozenset(), ("sex",))
        >>> degree.join(sex)
        Incremental(parts=frozenset({'degree'}), columns=('sex',))
        >>> degree.join(Incremental(frozenset({"neighbors"}))) is None
        True
        """
        parts = self.parts | other.parts
        if "neighbors" in parts and len(parts) > 1:
            return None
        return Incremental(parts, tuple(dict.fromkeys((*self.columns, *other.columns))))
