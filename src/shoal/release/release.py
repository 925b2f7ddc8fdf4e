"""Release: the output of a method, and its promises.

`release.data` keeps the original names for whoever made it; :meth:`Release.save` writes fresh ones in a shuffled
order. A seed that protects a permutation is secret: it goes into the mapping file, never into the published ones.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.release.edits import Edits, Utility, find_edits, measure_utility
from shoal.release.guarantee import AnyPromise, Promise, Reason
from shoal.show import as_html, as_text

if TYPE_CHECKING:
    import os


class Maker(Protocol):
    """The method that made a release, as far as a release asks it."""

    shell: ClassVar[str]
    """Its name on the command line."""
    redraws: ClassVar[bool]
    """Whether all links are drawn anew, so that none of them counts as added or removed."""
    alone: ClassVar[tuple[str, ...]]
    """Notes that are true of this method by itself, and not where another one follows or went before."""

    def declare_policy(self) -> dict[str, Any]:
        """Return the fields that may stand in a public file."""

    def reason_to_publish(self, measure: str) -> Reason | None:
        """Return why something in `measured` may stand in a public file; None where it may not."""


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """What a method made of the data, with a promise that was verified before it was handed over."""

    original: Dataset
    """What it was made from."""
    data: Dataset
    """What may be published, under the original names."""
    promises: tuple[AnyPromise, ...]
    """What it guarantees."""
    method: Maker
    """The method that made it."""
    codes: Ints | None = None
    """One number per individual, equal inside a class; None where the method makes no classes."""
    seed: int | tuple[int | None, ...] | None = None
    """What every random choice was drawn from: a secret. One for each step, where there were several."""
    measured: Mapping[str, Any] = field(default_factory=dict)
    """What the method counted: loss of information, edits, and the like. Its maker sees all of it; what of it may stand
    in a public file is in the `public_measures` of the method."""
    notes: tuple[str, ...] = ()
    """What its maker must know."""
    verification: tuple[str, ...] = ()
    """How each promise was verified, a sentence each."""

    @property
    def table(self) -> Table:
        """What may be published about each individual besides the links."""
        return self.data.attributes

    @property
    def uncovered(self) -> tuple[str, ...]:
        """The columns that no promise speaks of: whoever knows them may tell people apart."""
        covered = {name for promise in self.promises for name in promise.columns_of(self.table)}
        return tuple(name for name in self.data.attributes if name not in covered)

    @property
    def leaves_others_out(self) -> bool:
        """Whether a promise is about some of the individuals only: the others are not protected by it."""
        return any(isinstance(promise, Promise) and promise.vertices != "all" for promise in self.promises)

    @property
    def rests_on_classes(self) -> bool:
        """Whether what is promised holds for everybody because nobody is alone in a class."""
        if not self.promises or self.leaves_others_out or self.codes is None or not len(self.codes):
            return False
        return bool(np.unique(self.codes, return_counts=True)[1].min() > 1)

    @cached_property
    def classes(self) -> tuple[tuple[Hashable, ...], ...]:
        """The names of the members of each class."""
        if self.codes is None:
            return ()
        order = np.argsort(self.codes, kind="stable")
        ends = np.flatnonzero(np.diff(self.codes[order])) + 1
        return tuple(tuple(self.data.names[int(v)] for v in part) for part in np.split(order, ends))

    @cached_property
    def edits(self) -> Edits | None:
        """The links that only the release or only the original has; None where all were drawn anew."""
        return find_edits(self.original, self.data)

    @cached_property
    def utility(self) -> Utility | None:
        """What became of the links, in a few numbers; None for a table, whose loss is in `measured`."""
        if not isinstance(self.original, Graph) or not isinstance(self.data, Graph):
            return None
        return measure_utility(self.original, self.data, self.edits)

    def save(
        self, path: str | os.PathLike[str], mapping: str | os.PathLike[str] | None = None, **how: Any
    ) -> tuple[str, ...]:
        """Write the release under fresh names in a shuffled order; see :func:`shoal.release.save.publish`."""
        from shoal.release.save import publish

        return publish(self, path, mapping, **how)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)
