"""Re-identification methods: functions r(y, a) that say for each individual how probable it is that y is about him.

Definition 2 of the paper. y is one protected record, a a piece of auxiliary information; here the whole original, or
None for no information at all. Any callable will do; those that offer `rows` are asked about all records at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from shoal.adversaries.adversary import at_most
from shoal.data.graph import Graph
from shoal.errors import BadParameter
from shoal.risk.linkage.probabilities import Ints
from shoal.risk.linkage.record import Record, as_data
from shoal.risk.linkage.rows import Row, anybody


class Reidentifies(ABC):
    """A re-identification method r(y, a)."""

    @abstractmethod
    def __call__(self, y: Any, a: Any) -> Any:
        """Return one probability per individual."""


class Linkage(Reidentifies):
    """A method that links the records of a release to those of the original."""

    shell: ClassVar[str]
    """The first word of its shell name."""
    form: ClassVar[str]
    """How its shell name is spelled; parts in square brackets may be left out."""

    @abstractmethod
    def link(self, release: Graph, original: Graph, which: Ints) -> Iterator[Row]:
        """Yield a row over the original's individuals for each of the records `which` of the release."""

    def rows(self, release: Any, original: Any, which: Ints | None = None) -> Iterator[Row]:
        """Yield a row for each record of the release (or only for those in `which`), one at a time.

        Without an original (None) nothing is known, and each individual is as probable as any other.
        """
        published = as_data(release)
        asked = np.arange(published.n) if which is None else np.asarray(which)
        if original is None:
            return iter([anybody(published.n)] * len(asked))
        return self.link(published, as_data(original), asked)

    def __call__(self, y: Any, a: Any) -> Any:
        """Return one probability per individual of the original `a`; 1/n each if it is None."""
        if not isinstance(y, Record):
            name = type(self).__name__
            raise BadParameter(f"{name}: 'y' must be a Record of a release. Got {y!r:.60}. Use Record(release, i).")
        return next(iter(self.rows(y.data, a, np.array([y.i])))).values

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Build from a shell name: its first word, what follows (still escaped), and the columns to compare."""
        at_most(words, 0, cls.form)
        return cls()
