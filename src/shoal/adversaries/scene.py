"""Scene: what is published, where the attacker's facts come from, and who in the one is who in the other."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.candidates import Alike, Tell
from shoal.data.counterparts import counterparts
from shoal.data.graph import Graph
from shoal.engines import Engine, Ints
from shoal.errors import BadParameter


@dataclass(frozen=True, eq=False)
class Scene:
    """The published graph, and the original if the facts are measured there."""

    published: Graph
    original: Graph | None
    counterpart: Ints
    """For each known vertex the id of the published vertex that it is, -1 where it was not published."""

    @classmethod
    def of(cls, published: Graph, knowing: Graph | None, mapping: Mapping[Hashable, Hashable] | None) -> Scene:
        """Match the vertices by name, or by `mapping` from original to published names."""
        if knowing is None:
            if mapping is not None:
                raise BadParameter(
                    "assess: 'mapping' must come with 'knowing', the original graph. Got only a mapping."
                )
            return cls(published, None, np.arange(published.n))
        return cls(published, knowing, counterparts(published, knowing, mapping))

    @property
    def known(self) -> Graph:
        """The graph in which the facts are measured."""
        return self.published if self.original is None else self.original

    @cached_property
    def together(self) -> Graph:
        """All vertices side by side: the original's and then the published ones, or just the published ones."""
        return self.published if self.original is None else self.original.beside(self.published)

    @cached_property
    def source(self) -> Ints:
        """For each published vertex the id of the known vertex that it is, -1 where there is none."""
        source = np.full(self.published.n, -1, dtype=np.int64)
        there = np.flatnonzero(self.counterpart >= 0)
        source[self.counterpart[there]] = there
        return source

    def alike(self, codes: Ints, tell: Tell) -> Alike:
        """Turn codes over `together` into an answer."""
        if self.original is None:
            return Alike(codes, codes, tell)
        return Alike(codes[: self.original.n], codes[self.original.n :], tell)

    def columns(self, names: Sequence[str]) -> list[Ints]:
        """Return the codes of columns over `together`, equal exactly where the values are; missing is a value."""
        published, known = self.published.attributes, self.known.attributes
        if self.original is None:
            return [published[name].codes for name in names]
        return [known[name].followed_by(published[name]) for name in names]

    def column_codes(self, names: Sequence[str], engine: Engine) -> Ints:
        """Number the distinct combinations of values over `together`."""
        return engine.group_columns(self.columns(names))

    def known_rows(self) -> tuple[Ints, Ints, Ints | None]:
        """Return the rows of the known graph in ids of published vertices, what has no counterpart left out."""
        g = self.known
        items = self.counterpart[g.indices]
        return _kept(g, items, items >= 0)

    def published_rows(self) -> tuple[Ints, Ints, Ints | None]:
        """Return the rows of the published graph, what is nobody's counterpart left out."""
        g = self.published
        wanted = np.zeros(g.n, dtype=np.bool_)
        wanted[self.counterpart[self.counterpart >= 0]] = True
        return _kept(g, g.indices, wanted[g.indices])


def _kept(
    g: Graph, items: Ints, keep: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> tuple[Ints, Ints, Ints | None]:
    before = np.concatenate([[0], np.cumsum(keep)])
    return before[g.indptr], items[keep], None if g.multiplicity is None else g.multiplicity[keep]
