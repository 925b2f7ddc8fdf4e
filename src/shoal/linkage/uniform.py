"""Uniform linkage over candidate sets: every adversary is a re-identification method."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from shoal.core.grouping import list_members_by_class
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, list_names
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.candidates import AlikeCandidates, Candidates
from shoal.linkage.base import Linkage
from shoal.linkage.rows import Row, SharedRow, share_evenly
from shoal.risk.assess import assess

AT_ONCE = 50_000_000
"""The maximum number of candidates, over all individuals, held at once."""


@dataclass(frozen=True)
class UniformOver(Linkage):
    """Equal probabilities for all individuals that have the record as a candidate; 1/n each if there are none.

    Parameters
    ----------
    adversary
        What is known about the individuals, e.g. ``Degree()``; or its shell name.
    mapping
        The original-to-released mapping of names, or the csv file that holds it. Needed if names differ and the
        knowledge is about named vertices.

    Examples
    --------
    In a star the center has a unique degree, and the three others share theirs:

    >>> import networkx as nx, shoal
    >>> from shoal.linkage import Record
    >>> star = shoal.as_graph(nx.star_graph(3))
    >>> r = UniformOver(shoal.knowledge.Degree())
    >>> [list(map(str, r(Record(star, i), star))) for i in (0, 1)]
    [['1', '0', '0', '0'], ['0', '1/3', '1/3', '1/3']]
    """

    adversary: Adversary
    mapping: Mapping[Hashable, Hashable] | str | Path | None = field(default=None, hash=False)

    shell: ClassVar[str] = "uniform"
    form: ClassVar[str] = "uniform:KNOWLEDGE"

    def __post_init__(self) -> None:
        object.__setattr__(self, "adversary", parse_knowledge(self.adversary))

    def link(self, release: Dataset, original: Dataset, which: Ints) -> Iterator[Row]:
        """Yield the individuals that have each record as a candidate."""
        answer = assess(release, self.adversary, original=original, mapping=self.mapping).answer
        no_match = share_evenly(original.n)
        for held in _list_holders(answer, which):
            yield SharedRow(held, original.n) if len(held) else no_match

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Parse the knowledge."""
        if not words or columns:
            came = f"columns {list_names(columns, spell=str)}" if columns else "no knowledge"
            raise BadParameter(f"'uniform' must be spelled {cls.form}, e.g. uniform:columns:age,sex. Got {came}.")
        return cls(parse_knowledge(":".join(words)))


def _list_holders(answer: Candidates, which: Ints) -> Iterator[Ints]:
    """Yield, for each published id in `which`, the individuals that have it as a candidate, ascending."""
    if isinstance(answer, AlikeCandidates):
        members, _ = list_members_by_class(answer.known)
        bounds = np.concatenate([[0], np.cumsum(np.bincount(answer.known, minlength=int(answer.published.max()) + 1))])
        yield from (members[bounds[c] : bounds[c + 1]] for c in answer.published[which].tolist())
        return
    pieces = max(1, -(-int(answer.sizes.sum()) // AT_ONCE))
    for part in np.array_split(which, min(pieces, len(which))):
        yield from _turn_candidates(answer, part)


def _turn_candidates(answer: Candidates, which: Ints) -> list[Ints]:
    """Invert candidates per individual into individuals per candidate, for the published ids in `which`."""
    wanted = np.unique(which)
    who: list[Ints] = []
    whom: list[Ints] = []
    for v in range(len(answer.sizes)):
        found = np.intersect1d(answer.of(v), wanted, assume_unique=True).astype(np.int32)
        whom.append(found)
        who.append(np.full(len(found), v, dtype=np.int32))
    published, individuals = np.concatenate(whom), np.concatenate(who)
    order = np.argsort(published, kind="stable")
    bounds = np.searchsorted(published[order], wanted), np.searchsorted(published[order], wanted, side="right")
    at = np.searchsorted(wanted, which)
    return [individuals[order[bounds[0][i] : bounds[1][i]]] for i in at]
