"""Inside classes: what the methods have in common that protect a table class by class.

The paper's second step: a clustering is given, and the records of each class are published so that nobody can tell
which of them is whose. It rests on one of three grounds (:data:`shoal.data.release.Ground`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from typing import Any

import numpy as np

from shoal.anonymizers.method import Method, generator
from shoal.data.graph import Ints
from shoal.data.release import Ground
from shoal.data.table import Table
from shoal.engines.local.grouping import members_by_class


class InsideClasses(Method):
    """A method that publishes the records of each class so that they could be anybody's of that class."""

    columns: tuple[str, ...] | None
    """The columns it protects; None for all."""

    @property
    @abstractmethod
    def ground(self) -> Ground:
        """What the confusion inside a class rests on."""

    @abstractmethod
    def inside(self, table: Table, codes: Ints, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
        """Return the protected table (same rows, `columns` replaced) and what may be published about the change."""

    @abstractmethod
    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return all that the published values of one class depend on, besides chance, from the original table.

        It must not depend on the order of the members: a check calls it in several orders. For a secret permutation it
        is the published rows in a canonical order, as `unordered` gives them; for a draw, the fitted parameters.
        """

    def unordered(self, published: Table, members: Ints) -> Hashable:
        """Return the published values of a class in a canonical order."""
        names = self.names(published)
        return tuple(sorted(zip(*([published[name][v] for v in members.tolist()] for name in names), strict=True)))

    def names(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it protects."""
        return tuple(table) if self.columns is None else self.columns

    def owners(self, table: Table, members: Ints) -> int:
        """Return of how few members of a class a published entry could be: of all, unless values stay what they are."""
        return len(members)

    def again(self, table: Table, codes: Ints, seed: int) -> Table:
        """Return what a seed makes of the original table: a check compares it with what is published."""
        return self.inside(table, codes, generator(seed))[0]

    def notes(self, table: Table, measured: dict[str, Any]) -> tuple[str, ...]:
        """Return what the maker of a release must know."""
        return ()


def fewest_owners(by: InsideClasses, table: Table, codes: Ints) -> int:
    """Return of how few individuals a published entry could be, over all classes."""
    order, bounds = members_by_class(codes)
    return min(by.owners(table, members) for members in np.split(order, bounds[1:-1]))
