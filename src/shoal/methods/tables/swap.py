"""Data swapping inside classes: a uniform permutation of each column in each class (Dalenius & Reiss 1982).

Stokes & Torra (2012) suggest it for the table of a k-anonymous graph. They do not mention that a value that is unique
in its class still identifies its owner (E30).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.core.grouping import list_members_by_class
from shoal.data.arrays import Ints
from shoal.data.column import Column
from shoal.data.table import Table, exact
from shoal.errors import CannotPromise, must
from shoal.methods.classes import CLASS_SIZES, GivenClasses, measure_sizes, name_class, shuffle_classes
from shoal.release.guarantee import Ground, Reason

UNIQUE, FEWEST = "values unique in their class", "fewest owners of a value"


@dataclass(frozen=True)
class SwapWithin(GivenClasses):
    """Permute the values of each column among the members of each class, uniformly and column by column.

    Parameters
    ----------
    classes
        The classes: the name of the column that holds the class (which does not change), one label per record, or a
        release with classes. None if :class:`Confuse` sets the classes.
    columns
        The columns to swap; None for all except the class column.
    seed
        Random seed. Keep it private; random by default.
    allow_unique
        Whether to allow values that are unique in their class. Such a value still identifies its owner: an attacker who
        knows that only Ann of this class earns 100,000 sees that Ann is in the data, but not her other values. An error
        by default. `measured` and `notes` count them.

    Notes
    -----
    Each column keeps its values in each class. So counts, means and deviations of a column inside a class do not
    change, but relations between columns are lost. A missing value is a value, and is swapped too.

    Examples
    --------
    >>> people = {"team": ["x", "x", "x", "x"], "sex": ["f", "f", "m", "m"], "age": [20, 30, 20, 30]}
    >>> release = SwapWithin("team", seed=3)(people)
    >>> list(release.table["sex"]), list(release.table["age"]), release.measured["fewest owners of a value"]
    (['f', 'm', 'm', 'f'], [20, 20, 30, 30], 2)

    Here an age is unique in its class:

    >>> SwapWithin("team", columns="age")({"team": ["x", "x", "x"], "age": [20, 20, 31]})
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: SwapWithin: no value may be unique in its class, because it identifies its owner. ...

    References
    ----------
    T. Dalenius, S. P. Reiss: Data-swapping: a technique for disclosure control. 1982.
    """

    allow_unique: bool = False

    shell: ClassVar[str] = "swap-within"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "columns: exchanges values inside each class"
    protects: ClassVar[str] = "an attacker who knows the whole original table"
    promises: ClassVar[str] = "n-confusion inside the given classes"
    source: ClassVar[str] = "Dalenius & Reiss 1982; Stokes & Torra 2012, n-Confusion for graphs"
    ground: ClassVar[Ground] = "secret permutation"
    public_measures: ClassVar[Mapping[str, Reason]] = {
        **CLASS_SIZES,
        UNIQUE: "classes",  # the release has the same counts of values in each class
        FEWEST: "classes",  # also a function of these counts
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        must(isinstance(self.allow_unique, bool), "SwapWithin", "allow_unique", "True or False", self.allow_unique)

    def notes(self, table: Table, measured: dict[str, Any]) -> tuple[str, ...]:
        """Return a note on values that still identify their owner."""
        unique = measured[UNIQUE]
        what = "1 value is unique in its class and still identifies its owner"
        if unique > 1:
            what = f"{unique:,} values are unique in their class and still identify their owners"
        return (f"{what}, so nothing is guaranteed.",) if unique else ()

    def owners(self, table: Table, members: Ints) -> int:
        """Return the number of members with the rarest value: values move but do not change."""
        return min(
            int(np.unique(table[name].codes[members], return_counts=True)[1].min()) for name in self.names(table)
        )

    def inside(self, table: Table, codes: Ints, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
        """Return the table with its columns swapped inside the given classes."""
        names = self.names(table)
        owners = [_count_owners(table[name], codes) for name in names]
        unique = sum(int(np.count_nonzero(counts == 1)) for counts in owners)
        if unique and not self.allow_unique:
            self._refuse(table, codes, names, owners, unique)
        order, _ = list_members_by_class(codes)
        columns = {}
        for name in names:
            swapped = np.empty_like(table[name].codes)
            swapped[order] = table[name].codes[shuffle_classes(codes, rng)]
            columns[name] = Column(swapped, table[name].values)
        fewest = min(int(counts.min()) for counts in owners)
        return table.with_columns(columns), {**measure_sizes(codes), UNIQUE: unique, FEWEST: fewest}

    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return the values of a class, column by column."""
        return self.unordered(table, members)

    def unordered(self, published: Table, members: Ints) -> Hashable:
        """Return how often each value occurs in a class, column by column."""
        return tuple(_count_values(published[name], members) for name in self.names(published))

    def _refuse(self, table: Table, codes: Ints, names: tuple[str, ...], owners: list[Ints], unique: int) -> None:
        name, counts = next((name, counts) for name, counts in zip(names, owners, strict=True) if (counts == 1).any())
        code = int(codes[counts == 1][0])
        here = int(np.count_nonzero((counts == 1) & (codes == code)))
        raise CannotPromise(
            f"SwapWithin: no value may be unique in its class, because it identifies its owner. Got {here:,} in the "
            f"column {name!r} of the class {name_class(codes, code, self.classes, table)}, {unique:,} in total. "
            "Make the values coarser first, or allow them with allow_unique=True."
        )


def _count_owners(column: Column, codes: Ints) -> Ints:
    """Return, for each individual, the number of members of its class with the same value."""
    joint = codes * (len(column.values) + 1) + column.codes + 1  # a missing value is a value
    _, which, counts = np.unique(joint, return_inverse=True, return_counts=True)
    owners: Ints = counts[which.reshape(-1)]
    return owners


def _count_values(column: Column, members: Ints) -> Hashable:
    found, counts = np.unique(column.codes[members], return_counts=True)
    keys = (None if code < 0 else exact(column.values[code]) for code in found.tolist())
    return frozenset(zip(keys, counts.tolist(), strict=True))
