"""Scene: what is published, where the attacker's facts come from, and who in the one is who in the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.candidates import Alike, Tell
from shoal.data.graph import Graph
from shoal.engines import Engine, Ints
from shoal.errors import BadParameter, UnknownVertex, did_you_mean, notice


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
        return cls(published, knowing, _counterparts(published, knowing, mapping))

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


def _counterparts(published: Graph, original: Graph, mapping: Mapping[Hashable, Hashable] | None) -> Ints:
    if mapping is None:
        found = published.names.find(original.names)
    else:
        _check_names(mapping, original, "original")
        _check_names(dict.fromkeys(mapping.values()), published, "published")
        found = published.names.find([mapping.get(name, _NOBODY) for name in original.names])
    matched = found[found >= 0]
    if not len(matched):
        raise BadParameter(
            "assess: the original and the published graph must have vertices in common. "
            f"Got names such as {original.names[0]!r} and {published.names[0]!r}. "
            "Pass mapping= (--mapping) if names were changed."
        )
    if len(np.unique(matched)) < len(matched):
        raise BadParameter(
            "assess: 'mapping' must give every original vertex a published vertex of its own. Got one twice."
        )
    if len(matched) < original.n:
        notice(f"{original.n - len(matched):,} of the {original.n:,} original vertices are not in the published graph.")
    return found


def _check_names(names: Iterable[Hashable], graph: Graph, which: str) -> None:
    for name in names:
        if name not in graph.names:
            hint = did_you_mean(name, graph.names)
            raise UnknownVertex(
                f"The mapping names {name!r}, but there is no such vertex among the {graph.n:,} of the {which} graph."
                f"{hint} Leave out of the mapping who was not published."
            )


_NOBODY = object()
