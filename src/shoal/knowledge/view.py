"""View: the published data, the data in which facts are measured, and the mapping between them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from shoal.core.edge_diff import find_edge_difference
from shoal.core.grouping import group_columns
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_graph, as_linked
from shoal.data.graph import Graph
from shoal.data.intervals import find_clash
from shoal.data.table import Table
from shoal.errors import BadParameter, UnknownVertex, did_you_mean, join_names, must, notice
from shoal.io.mapping import read_mapping
from shoal.knowledge.candidates import AlikeCandidates, Tell

# Counterparts: the released vertex of each original vertex, by name or by a mapping.
#
# A saved release has fresh names. They may look like the original's names, but only the mapping links the two. Without
# a mapping, no vertex is matched.

_ABSENT = object()


@dataclass(frozen=True, eq=False)
class Pair:
    """The original and the release, with the mapping between them if it is known."""

    original: Dataset
    released: Dataset
    counterpart: Ints | None
    """For each original vertex the id of its released vertex, -1 if it was not released; None: unknown."""
    by: str
    """How they were matched: "name", "mapping" or "nothing"."""

    @classmethod
    def of(
        cls,
        original: Dataset,
        released: Dataset,
        mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
        *,
        same_names: bool = True,
        who: str = "compare",
    ) -> Pair:
        """Match by the mapping if there is one, else by name if the names are the same, else not at all.

        >>> g = Graph.from_pairs("abc", [0, 1], [1, 2])
        >>> Pair.of(g, g).counterpart.tolist(), Pair.of(g, g, same_names=False).counterpart
        ([0, 1, 2], None)
        """
        original, released = match_forms(original, released, who)
        if mapping is None and not same_names:
            return cls(original, released, None, "nothing")
        found = find_counterparts(released, original, read_known_names(mapping, original, released), who)
        return cls(original, released, found, "name" if mapping is None else "mapping")

    @property
    def graphs(self) -> tuple[Graph, Graph]:
        """Both as graphs, to compare links; a table has none."""
        return as_linked(self.original), as_linked(self.released)

    @cached_property
    def kept(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """For each linked pair of the original, as `edges` lists them, whether one of its links is in the release.

        Where links have directions or kinds, a link is in the release if it has the same direction and kind there.

        >>> before, after = Graph.from_pairs("abc", [0, 1], [1, 2]), Graph.from_pairs("cab", [0], [2])
        >>> Pair.of(before, after).kept.tolist()  # b and c
        [False, True]
        """
        assert self.counterpart is not None
        kept: np.ndarray[Any, np.dtype[np.bool_]] = find_edge_difference(*self.graphs, self.counterpart).kept > 0
        return kept

    @property
    def edits(self) -> tuple[int, int]:
        """The numbers of links that only the release has, and that only the original has.

        Linked pairs are counted if links have neither directions nor kinds.
        """
        (original, released), many = self.graphs, int(self.kept.sum())
        if original.ties is None and released.ties is None:
            return len(released.indices) // 2 - many, len(original.indices) // 2 - many
        return released.m - self.links_kept, original.m - self.links_kept

    @cached_property
    def links_kept(self) -> int:
        """The number of links of the original that the release has, with the same direction and kind.

        >>> arcs, one = (Graph.from_pairs("ab", [0, 1][:q], [1, 0][:q], directed=True) for q in (2, 1))
        >>> Pair.of(arcs, one).links_kept, Pair.of(arcs, one).edits
        (1, (0, 1))
        """
        assert self.counterpart is not None
        if self.graphs[0].ties is None:
            return int(self.kept.sum())
        return find_edge_difference(*self.graphs, self.counterpart).both


def match_forms(original: Dataset, published: Dataset, who: str = "assess") -> tuple[Dataset, Dataset]:
    """Return both graphs in one form; raise BadParameter if only one of them has directions, or kinds.

    The original decides: if some of its links have a direction and others have none, a release without directed links
    has lost them, and the links that are left have no direction. A notice says so.
    """
    if not isinstance(original, Graph) or not isinstance(published, Graph):
        return original, published
    lost = original.directed and not published.directed and _has_relations_of(published, original)
    for what, option, one, other in (
        ("directions", "--undirected", original.directed and not lost, published.directed),
        ("kinds", "no --kind", bool(original.kinds), bool(published.kinds)),
    ):
        if one != other and original.m and published.m:
            raise BadParameter(
                f"{who}: links must have {what} in the original and in the release, or in neither. Got {what} only in "
                f"the {'original' if one else 'release'}. Read both in the same way (--directed, --kind), or use "
                f"{option} for it."
            )
    if original.m and published.m and original.kinds:
        _check_kinds(original.kinds, tuple(published.count_kinds()), who)
    if lost and published.m:
        notice(
            "Some links of the original have a direction, and no link of the release has one. The links of the release "
            "count as links without direction. If they have directions, read the release with them (--directed). To "
            "ignore all directions, use --undirected."
        )
    return original.with_ties_like(published), published.with_ties_like(original)


def _check_kinds(known: Sequence[str], published: Sequence[str], who: str) -> None:
    """Raise BadParameter if kinds of links cannot correspond by their labels; issue a notice if some do not.

    A fact with a kind that the release spells in another way fits no link there. The sets of known links that are left
    would then have more candidates than the attacker finds.
    """
    clash = find_clash(known, published)
    if clash is not None:
        raise BadParameter(
            f"{who}: kinds that are intervals must have the same bounds in the original and in the release. Got "
            f"{clash[0]!r} in the original and {clash[1]!r} in the release. Read both with the same bounds, for "
            "example bins='10,100' (--bins 10,100)."
        )
    new = [kind for kind in published if kind not in known]
    if len(new) == len(published):
        raise BadParameter(
            f"{who}: some kinds of links must be the same in the original and in the release. Got "
            f"{join_names([_name_kind(kind) for kind in known])} in the original and "
            f"{join_names([_name_kind(kind) for kind in new])} in the release. Merge kinds of both in the same way "
            "(--kind-hierarchy, --bins), or leave out --kind."
        )
    if new:
        notice(
            f"Kinds of links that only the release has: {join_names([_name_kind(kind) for kind in new])}. Kinds "
            "correspond by name. If a kind was renamed or merged, facts from the original do not fit it, and numbers "
            "of candidates may be too large: merge kinds of both in the same way (--kind-hierarchy)."
        )


def _name_kind(kind: str) -> str:
    return repr(kind) if kind else "missing"


def _has_relations_of(published: Graph, original: Graph) -> bool:
    """Return whether the original has links of every kind and direction that the published graph has."""
    ties = published.with_ties_like(original).ties
    return ties is not None and original.ties is not None and {*ties.relations} <= {*original.ties.relations}


def match_by_name(released: object, same_names: bool | None) -> bool:
    """Return whether equal names mean the same individual, if `same_names` does not say.

    They do in a release in memory, which keeps the original's names, and in graphs in memory. They do not in a file, in
    data read from a saved release, or in a table whose rows are only numbered.
    """
    if same_names is not None:
        return same_names
    if isinstance(released, Table):
        return released.is_keyed
    fresh = isinstance(released, Graph) and released.names.fresh
    return not fresh and not isinstance(released, str | Path)


def read_known_names(
    mapping: Mapping[Hashable, Hashable] | str | Path | None, original: Dataset, published: Dataset
) -> Mapping[Hashable, Hashable] | None:
    """Return a mapping, read from its file if it is one; a number there is the number that names a vertex."""
    if not isinstance(mapping, str | Path):
        must(mapping is None or isinstance(mapping, Mapping), "assess", "mapping", "a mapping, or its file", mapping)
        return mapping
    told: dict[Any, Any] = read_mapping(mapping)
    return {original.names.spelled(a): published.names.spelled(b) for a, b in told.items()}


def find_counterparts(
    published: Dataset, original: Dataset, mapping: Mapping[Hashable, Hashable] | None, who: str = "assess"
) -> Ints:
    """Return for each original vertex its published vertex, by name or by mapping; -1 if there is none."""
    if mapping is None and published.names.fresh and published.names is not original.names:
        raise BadParameter(
            f"{who}: 'mapping' must come with a saved release: its names are fresh, even where they look like names of "
            "the original. Got none. Pass mapping= (--mapping FILE), which was saved with the release."
        )
    if mapping is None:
        found = published.names.find(original.names)
    else:
        _check_names(mapping, original, "original")
        _check_names(dict.fromkeys(mapping.values()), published, "published")
        found = published.names.find([mapping.get(name, _ABSENT) for name in original.names])
    matched = found[found >= 0]
    if not len(matched):
        raise BadParameter(
            f"{who}: the original and the published graph must have vertices in common. "
            f"Got names such as {original.names[0]!r} and {published.names[0]!r}. "
            "Pass mapping= (--mapping) if names were changed."
        )
    if len(np.unique(matched)) < len(matched):
        raise BadParameter(
            f"{who}: 'mapping' must give every original vertex a published vertex of its own. Got one twice."
        )
    if len(matched) < original.n:
        told = f"{original.n - len(matched):,} of the {original.n:,} original vertices are not in the published graph"
        notice(f"{told}.", told)
    return found


def _check_names(names: Iterable[Hashable], graph: Dataset, which: str) -> None:
    for name in names:
        if name not in graph.names:
            told = f"The mapping names {name!r}, but the {which} graph has no such vertex among its {graph.n:,}."
            raise UnknownVertex(f"{told}{did_you_mean(name, graph.names)} {WHICH[which]}")


WHICH = {
    "original": "Is it the mapping of these data, and are they read with the same options (--header, --attributes, "
    "--key)?",
    "published": "Is it the mapping that was saved with this release?",
}
"""Hints about a mapping that does not fit."""


def recode_known_columns(
    original: Dataset, released: Dataset, counterpart: Ints, columns: Sequence[str]
) -> Dataset | None:
    """Return the original with the columns of the release, where their values follow from those of the original.

    An attacker who knows an age knows its range. None if no value changed, if people were left out or added, or if
    equal values became different ones: an attacker cannot know which. None also for tables: without links, the facts
    are then those of the release itself.

    >>> people = Graph.from_pairs("ab", [0], [1], attributes=Table.of({"age": [31, 38]}))
    >>> ranges = people.with_attributes(Table.of({"age": ["30-39", "30-39"]}))
    >>> list(recode_known_columns(people, ranges, np.arange(2), ["age"]).attributes["age"])
    ['30-39', '30-39']
    """
    if not original.has_links or released.n != original.n or (counterpart < 0).any():
        return None
    before, after = original.attributes, released.attributes.take(counterpart)
    shared = [name for name in columns if name in before and name in after]
    changed = [name for name in shared if not after[name].alike(before[name])]
    if not changed:
        return None
    values = group_columns([before[name].codes for name in shared])
    recoded = group_columns([after[name].codes for name in shared])
    if group_columns([values, recoded]).max() != values.max():
        return None
    return original.with_attributes(before.with_columns({name: after[name] for name in changed}))


def list_changed_columns(view: View, columns: Sequence[str]) -> list[str]:
    """Return those of the columns in which a released person has another value than in the original."""
    there = np.flatnonzero(view.counterpart >= 0)
    before = view.known.attributes.take(there)
    after = view.published.attributes.take(view.counterpart[there])
    return [name for name in columns if name in before and name in after and not after[name].alike(before[name])]


# View: the published data, the data of the attacker's facts, and the mapping between them.


@dataclass(frozen=True, eq=False)
class View:
    """The published data, and the original if the facts are measured there."""

    published: Dataset
    original: Dataset | None
    counterpart: Ints
    """For each known vertex the id of its published vertex, -1 if it was not published."""

    @classmethod
    def of(cls, published: Dataset, original: Dataset | None, mapping: Mapping[Hashable, Hashable] | None) -> View:
        """Match the vertices by name, or by `mapping` from original to published names."""
        if original is None:
            if mapping is not None:
                raise BadParameter(
                    "assess: 'mapping' must come with 'original', the original graph. Got only a mapping."
                )
            return cls(published, None, np.arange(published.n))
        original, published = match_forms(original, published)
        return cls(published, original, find_counterparts(published, original, mapping))

    @property
    def known(self) -> Dataset:
        """The data in which the facts are measured."""
        return self.published if self.original is None else self.original

    @property
    def graph(self) -> Graph:
        """The published graph, for knowledge of links; a table is refused."""
        return self.published if isinstance(self.published, Graph) else as_graph(self.published)

    @property
    def known_graph(self) -> Graph:
        """The graph in which the facts about links are measured."""
        return self.known if isinstance(self.known, Graph) else as_graph(self.known)

    @cached_property
    def together(self) -> Graph:
        """All vertices in one graph: those of the original and then the published ones, or only the published ones."""
        return self.graph if self.original is None else self.known_graph.beside(self.graph)

    @cached_property
    def source(self) -> Ints:
        """For each published vertex the id of its known vertex, -1 if there is none."""
        source = np.full(self.published.n, -1, dtype=np.int64)
        there = np.flatnonzero(self.counterpart >= 0)
        source[self.counterpart[there]] = there
        return source

    def group_alike(self, codes: Ints, tell: Tell) -> AlikeCandidates:
        """Turn codes of all vertices of `together` into an answer."""
        if self.original is None:
            return AlikeCandidates(codes, codes, tell)
        return AlikeCandidates(codes[: self.original.n], codes[self.original.n :], tell)

    def code_columns(self, names: Sequence[str]) -> list[Ints]:
        """Return codes of columns for all vertices of `together`, equal if and only if the values are equal."""
        published, known = self.published.attributes, self.known.attributes
        if self.original is None:
            return [published[name].codes for name in names]
        return [known[name].followed_by(published[name]) for name in names]

    def number_values(self, names: Sequence[str]) -> Ints:
        """Number the distinct combinations of values of all vertices of `together`."""
        return group_columns(self.code_columns(names))

    def list_known_rows(self) -> tuple[Ints, Ints, Ints | None]:
        """Return the rows of the known graph in ids of published vertices, without vertices that were not published."""
        g = self.known_graph
        items = self.counterpart[g.indices]
        return _keep_rows(g, items, items >= 0)

    def list_published_rows(self) -> tuple[Ints, Ints, Ints | None]:
        """Return the rows of the published graph, without vertices that no known vertex corresponds to."""
        g = self.graph
        wanted = np.zeros(g.n, dtype=np.bool_)
        wanted[self.counterpart[self.counterpart >= 0]] = True
        return _keep_rows(g, g.indices, wanted[g.indices])


def _keep_rows(
    g: Graph, items: Ints, keep: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> tuple[Ints, Ints, Ints | None]:
    before = np.concatenate([[0], np.cumsum(keep)])
    return before[g.indptr], items[keep], None if g.multiplicity is None else g.multiplicity[keep]
