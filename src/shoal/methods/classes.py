"""Shared parts of methods that protect a table class by class: step 2 of n-confusion (Stokes & Torra 2012).

A clustering is given. The records of each class are published so that an attacker cannot say which record belongs to
which member. The guarantee has one of three grounds (:data:`shoal.release.guarantee.Ground`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.core.grouping import list_members_by_class, number_by_first_appearance
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_dataset
from shoal.data.table import Column, Table, is_missing, plain
from shoal.errors import BadParameter, CannotPromise
from shoal.knowledge import Adjacency
from shoal.methods.base import Method, choose_columns, parse_columns
from shoal.optimize.annealing import make_generator
from shoal.release.guarantee import ConfusionPromise, Ground, Reason
from shoal.release.release import Release
from shoal.release.verify import verify_release
from shoal.risk.assess import assess
from shoal.seeds import Seed, draw_seed


class InsideClasses(Method):
    """A method that publishes the records of each class so that each could belong to any member of the class."""

    columns: tuple[str, ...] | None
    """The protected columns; None for all."""

    @property
    @abstractmethod
    def ground(self) -> Ground:
        """The reason why members of a class are confused."""

    @abstractmethod
    def inside(self, table: Table, codes: Ints, rng: np.random.Generator) -> tuple[Table, dict[str, Any]]:
        """Return the protected table (same rows, `columns` replaced) and measures of the change."""

    @abstractmethod
    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return everything, besides chance, that determines the published values of one class.

        It must not depend on the order of the members: a check calls it in several orders. For a secret permutation it
        is the published rows in a canonical order, as returned by `unordered`. For a draw it is the fitted parameters.
        """

    def unordered(self, published: Table, members: Ints) -> Hashable:
        """Return the published values of a class in a canonical order."""
        names = self.names(published)
        return tuple(sorted(zip(*([published[name][v] for v in members.tolist()] for name in names), strict=True)))

    def names(self, table: Table) -> tuple[str, ...]:
        """Return the protected columns of a table."""
        return tuple(table) if self.columns is None else self.columns

    def owners(self, table: Table, members: Ints) -> int:
        """Return the smallest number of members that a published entry of the class could belong to.

        By default that is all members. A method that keeps original values counts fewer.
        """
        return len(members)

    def again(self, table: Table, codes: Ints, seed: int) -> Table:
        """Return the table that this seed produces. A check compares it with the published table."""
        return self.inside(table, codes, make_generator(seed))[0]

    def notes(self, table: Table, measured: dict[str, Any]) -> tuple[str, ...]:
        """Return notes for the person who makes the release."""
        return ()


def count_fewest_owners(by: InsideClasses, table: Table, codes: Ints) -> int:
    """Return the smallest number of individuals that a published entry could belong to, over all classes."""
    order, bounds = list_members_by_class(codes)
    return min(by.owners(table, members) for members in np.split(order, bounds[1:-1]))


# Classes given by the caller, and the guarantee for classes that keep their links.

Classes = str | tuple[Hashable, ...] | None
"""The name of the column that holds the class, or one label per record. None if Confuse sets the classes."""

LINKS_STAY = (
    "The links are not changed, and they distinguish members of a class. So only the columns are protected, "
    "and n-confusion is not guaranteed. Confuse protects both."
)


def parse_classes(classes: Any, who: str) -> Classes:
    """Return classes in a form whose repr can be read back. A release yields its own classes.

    >>> parse_classes(np.array([0, 0, 1]), "SwapWithin")
    (0, 0, 1)
    """
    if classes is None or isinstance(classes, str):
        return classes
    if isinstance(classes, Release):
        if classes.codes is None:
            raise BadParameter(f"{who}: 'classes' must be a release that has classes. Got one without classes.")
        classes = classes.codes
    if not isinstance(classes, Iterable) or isinstance(classes, dict | set | frozenset):
        raise BadParameter(f"{who}: 'classes' must be a column, a label per record, or a release. Got {classes!r:.80}.")
    return tuple(None if is_missing(label) else plain(label) for label in classes)


def number_classes(data: Dataset, classes: Classes, who: str) -> Ints:
    """Return the class of each individual as a number. A missing label is a label. No class may have one member."""
    if classes is None:
        raise BadParameter(
            f"{who}: 'classes' must be given, for example the column that holds the class (--set classes=COLUMN). "
            "Got nothing."
        )
    column = data.attributes[classes] if isinstance(classes, str) else Column.of(classes)
    if len(column) != data.n:
        raise BadParameter(
            f"{who}: 'classes' must have a label for each of the {data.n:,} {data.noun[1]}. Got {len(column):,}."
        )
    codes = number_by_first_appearance(column.codes)
    alone = np.flatnonzero(np.bincount(codes) == 1)
    if len(alone):
        label = column[int(np.flatnonzero(codes == alone[0])[0])]
        raise CannotPromise(
            f"{who}: each class must have 2 or more {data.noun[1]}. Got {len(alone):,} with one; the first is "
            f"{label!r:.80}. Merge it into another class."
        )
    return codes


def choose_columns_inside(
    data: Dataset, columns: tuple[str, ...] | None, classes: Classes, who: str
) -> tuple[str, ...]:
    """Return the columns to protect: the given ones, or all except the column that holds the class."""
    given = classes if isinstance(classes, str) else None
    if columns is None and given is not None:
        columns = tuple(name for name in data.attributes if name != given)
    names = choose_columns(data, columns, who)
    if given in names:
        raise BadParameter(
            f"{who}: 'columns' must leave out the column that holds the class, {given!r}. Got {names!r}."
        )
    return names


def name_class(codes: Ints, code: int, classes: Classes, data: Dataset) -> str:
    """Return a name of a class for a message: its label, or its first member."""
    first = int(np.flatnonzero(codes == code)[0])
    if isinstance(classes, str):
        return f"{data.attributes[classes][first]!r:.80}"
    return f"{classes[first]!r:.80}" if classes is not None else f"of {data.names[first]!r:.80}"


def links_separate(data: Dataset, codes: Ints) -> bool:
    """Return whether members of some class have different neighbors."""
    if not data.m:
        return False
    seen: Any = assess(data, Adjacency()).answer
    order, bounds = list_members_by_class(codes)
    rows, first = seen.published[order], np.repeat(bounds[:-1], np.diff(bounds))
    return bool((rows != rows[first]).any())


def make_confusion_promise(
    data: Dataset, codes: Ints, n: int, names: tuple[str, ...], by: Any
) -> tuple[ConfusionPromise, ...]:
    """Return the guarantee of n-confusion for these classes, or none if the links distinguish their members."""
    if links_separate(data, codes):
        return ()
    return (ConfusionPromise(n, Fraction(1, int(np.bincount(codes).max())), names, by),)


def shuffle_classes(codes: Ints, rng: np.random.Generator) -> Ints:
    """Return the individuals class by class, uniformly shuffled inside each class.

    A stable sort by class of a uniform permutation: all orders inside a class are equally likely.
    """
    order = rng.permutation(len(codes))
    return order[np.argsort(codes[order], kind="stable")]


CLASS_SIZES: dict[str, Reason] = {"classes": "classes", "smallest class": "classes", "largest class": "classes"}
"""The counts of :func:`measure_sizes` may be published: exchanging two members of a class does not change them."""


def measure_sizes(codes: Ints) -> dict[str, Any]:
    """Return the number of classes and their smallest and largest size."""
    sizes = np.bincount(codes)
    return {"classes": len(sizes), "smallest class": int(sizes.min()), "largest class": int(sizes.max())}


@dataclass(frozen=True)
class GivenClasses(InsideClasses):
    """A method that protects columns inside given classes."""

    classes: Classes = None
    columns: tuple[str, ...] | None = None
    seed: Seed[None] = Seed(None, secret=True)

    def __post_init__(self) -> None:
        who = type(self).__name__
        object.__setattr__(self, "classes", parse_classes(self.classes, who))
        object.__setattr__(self, "columns", parse_columns(self.columns, who))

    def public(self) -> dict[str, Any]:
        """Return the fields that are not secret: a class column is one of them, labels are not."""
        return super().public() | ({"classes": self.classes} if isinstance(self.classes, str) else {})

    def __call__(self, data: Any) -> Release:
        """Return the data with its columns protected inside the classes."""
        who, original = type(self).__name__, as_dataset(data)
        codes = number_classes(original, self.classes, who)
        names = choose_columns_inside(original, self.columns, self.classes, who)
        seed = draw_seed(self.seed, who)
        table, measured = self.inside(original.attributes, codes, make_generator(seed))
        n = count_fewest_owners(self, original.attributes, codes)
        told = links_separate(original, codes)
        promise = () if told or n == 1 else make_confusion_promise(original, codes, n, names, self)
        notes = (*([LINKS_STAY] if told else []), *self.notes(original.attributes, measured))
        graph = original.with_attributes(table)
        return verify_release(Release(original, graph, promise, self, codes, seed, measured, notes))

    def names(self, table: Table) -> tuple[str, ...]:
        """Return the columns to protect: the given ones, or all except the class column."""
        return choose_columns_inside(table, self.columns, self.classes, type(self).__name__)
