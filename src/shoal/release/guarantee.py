"""Guarantees: the promises of a release, as plain values. :mod:`shoal.release.verify` checks them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, Protocol

from shoal.data.arrays import Ints
from shoal.data.table import Table
from shoal.knowledge import Adversary

Ground = Literal["equal records", "secret permutation", "exchangeable draw"]
"""What a promise of confusion rests on: the members of a class are published alike; who gets which of the published
records of the class is a secret uniform permutation; they are drawn alike from what depends on the class as a set."""

Reason = Literal["release", "policy", "classes"]
"""Why a number may stand in a public file: it can be counted in the published files; it was declared before the data
were looked at; or the promise rests on classes, and it stays the same when two members of a class are exchanged in the
original."""


@dataclass(frozen=True)
class Promise:
    """Whoever has this knowledge is left with at least k candidates."""

    knowledge: Adversary
    k: int
    vertices: Literal["all"] | tuple[Hashable, ...] = "all"
    """Who is protected; the others count as candidates."""
    source: Literal["release", "original"] = "release"
    """Where the attacker measures what is known: in the release itself, or in the original."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it speaks of."""
        return self.knowledge.columns(table)


class ClassProtection(Protocol):
    """A method that protects records inside classes, as far as a check of what it promises calls it."""

    @property
    def ground(self) -> Ground:
        """What the confusion inside a class rests on."""

    def names(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it protects."""

    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return all that the published values of one class depend on, besides chance, whatever the members' order."""

    def unordered(self, published: Table, members: Ints) -> Hashable:
        """Return the published values of a class in a canonical order."""

    def owners(self, table: Table, members: Ints) -> int:
        """Return of how few members of a class a published entry could be."""

    def again(self, table: Table, codes: Ints, seed: int) -> Table:
        """Return what a seed makes of the original table."""


@dataclass(frozen=True)
class ConfusionPromise:
    """n-confusion: what is published could be of any of n individuals, as far as the columns (and the links) tell.

    It holds against an attacker who knows the whole original and the method, everything but the seed: given that, the
    members of a class are equally probable, so that n individuals or more reach the probability t. (A method that is
    calibrated but knows less may spread its probabilities unevenly; see :func:`shoal.linkage.calibrated_threshold`.)
    """

    n: int
    t: Fraction
    columns: tuple[str, ...]
    by: ClassProtection
    """The method that protected the records inside their classes."""
    of: Literal["entries", "vertices"] = "entries"
    """What could be of any of n: every published entry, and which record is whose; or only which vertex somebody is,
    though a value may still tell whose it was (E30)."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns that it speaks of."""
        return self.columns

    @property
    def ground(self) -> Ground:
        """What it rests on."""
        return self.by.ground


@dataclass(frozen=True)
class RadiusPromise:
    """A similarity radius: the row of every vertex is like those of k vertices or more, itself included.

    It is what the paper's Algorithm 4 raises, and only an upper bound of the l of (k,l)-anonymity (E1, E2, E22).
    """

    k: int
    l: int
    """How similar they are at least."""
    similarity: Literal["manhattan", "2-path"]
    """Counted in entries in which two rows agree, or in common neighbors."""
    reached: int | None = field(default=None, compare=False, repr=False)
    """The radius that the release has, at least l. It is what is published: where l is one more than the radius of the
    original, it would tell that."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns that it speaks of: none."""
        return ()


@dataclass(frozen=True)
class ExchangeabilityPromise:
    """The members of a class, k or more, are exchangeable: nothing published tells them apart by their links.

    What is published depends on the links only by the number of edges inside and between classes, and on chance.
    Taking all worlds, the graphs with these numbers, as equally likely, any question about the structure around a
    vertex leaves the members of its class as equally likely answers (Hay et al. 2008). It is no promise of equal
    rows: in a drawn graph the members of a class have different neighbors, which are nobody's in particular.
    """

    k: int

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns that it speaks of: none."""
        return ()


AnyPromise = Promise | ConfusionPromise | RadiusPromise | ExchangeabilityPromise
