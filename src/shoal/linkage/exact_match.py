"""Exact match: linkage by equal values of a quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from shoal.core.grouping import group_columns, list_members_by_class
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.linkage.base import Linkage
from shoal.linkage.columns import check_names, find_shared_columns
from shoal.linkage.rows import Row, SharedRow, share_evenly
from shoal.parts import check_word_count


@dataclass(frozen=True, init=False, repr=False)
class ExactMatch(Linkage):
    """Link a record to the individuals with the same values, with equal probabilities; 1/n each if there are none.

    A missing value is a value.

    Parameters
    ----------
    *columns
        The columns to compare. None given: all that the release and the original share.

    Examples
    --------
    >>> import shoal
    >>> from shoal.linkage import Record
    >>> original = shoal.Table.of({"age": [30, 41, 41], "sex": ["f", "m", "m"]})
    >>> release = shoal.Table.of({"age": [41, 30, 50]})
    >>> r = ExactMatch("age")
    >>> [list(map(str, r(Record(release, i), original))) for i in range(3)]
    [['0', '1/2', '1/2'], ['1', '0', '0'], ['1/3', '1/3', '1/3']]
    """

    columns: tuple[str, ...]

    shell: ClassVar[str] = "exact"
    form: ClassVar[str] = "exact"

    def __init__(self, *columns: str):
        object.__setattr__(self, "columns", check_names("ExactMatch", columns or None) or ())

    def __repr__(self) -> str:
        return f"ExactMatch({', '.join(map(repr, self.columns))})"

    def link(self, release: Dataset, original: Dataset, which: Ints) -> Iterator[Row]:
        """Yield the individuals with the same values."""
        known, published = original.attributes, release.attributes
        names = find_shared_columns("ExactMatch", published, known, self.columns or None)
        codes = group_columns([known[name].followed_by(published[name]) for name in names])
        members, bounds = list_members_by_class(codes[: original.n])
        classes = [SharedRow(part, original.n) if len(part) else None for part in np.split(members, bounds[1:-1])]
        no_match = share_evenly(original.n)
        for code in codes[original.n :][which].tolist():
            yield (classes[code] if code < len(classes) else None) or no_match

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Build it from its shell name and the columns."""
        check_word_count(words, 0, cls.form)
        return cls(*(columns or ()))
