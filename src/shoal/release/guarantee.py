"""Guarantees: the promises of a release, as plain values, and the other knowledge that they cover.

:mod:`shoal.release.verify` checks them.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol

from shoal.data.arrays import Ints
from shoal.data.table import Table
from shoal.errors import must, public
from shoal.knowledge import Adversary, SharedNeighbors, parse_knowledge
from shoal.knowledge.base import SAME, explain_finer

Ground = Literal["equal records", "secret permutation", "exchangeable draw"]
"""What a guarantee of confusion rests on. "equal records": all members of a class are published equal. "secret
permutation": the records of a class are assigned to its members by a secret uniform permutation. "exchangeable draw":
they are drawn from a distribution that depends only on the class as a set."""

Reason = Literal["release", "policy", "classes"]
"""Why a number may stand in a public file. "release": it can be counted in the published files. "policy": it was
declared before the data were seen. "classes": the guarantee rests on classes, and the number stays the same when two
members of a class are exchanged in the original."""


@dataclass(frozen=True)
class Promise:
    """A guarantee that an attacker with this knowledge finds at least k candidates."""

    knowledge: Adversary
    k: int
    vertices: Literal["all"] | tuple[Hashable, ...] = "all"
    """The protected vertices. The others still count as candidates."""
    source: Literal["release", "original"] = "release"
    """Where the attacker's facts are measured: in the release itself, or in the original."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it covers."""
        return self.knowledge.columns(table)


class ClassProtection(Protocol):
    """A method that protects records inside classes, as far as verification uses it."""

    @property
    def ground(self) -> Ground:
        """What the confusion inside a class rests on."""

    def names(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it protects."""

    def summary(self, table: Table, members: Ints) -> Hashable:
        """Return all that the published values of a class depend on, apart from chance and the order of members."""

    def unordered(self, published: Table, members: Ints) -> Hashable:
        """Return the published values of a class in a canonical order."""

    def owners(self, table: Table, members: Ints) -> int:
        """Return the smallest number of members of a class to which a published entry could belong."""

    def again(self, table: Table, codes: Ints, seed: int) -> Table:
        """Return the table that a seed makes from the original table."""


@dataclass(frozen=True)
class ConfusionPromise:
    """n-confusion: as far as the columns (and the links) show, published data could belong to any of n individuals.

    It holds against an attacker who knows the whole original and the method, but not the seed. To this attacker the
    members of a class are equally probable, so at least n individuals reach the probability t. (A calibrated method
    that knows less may give unequal probabilities; see :func:`shoal.linkage.calibrated_threshold`.)
    """

    n: int
    t: Fraction
    columns: tuple[str, ...]
    by: ClassProtection
    """The method that protected the records inside their classes."""
    of: Literal["entries", "vertices"] = "entries"
    """What could belong to any of n. "entries": every published entry, and every record as a whole. "vertices": only
    the identity of a vertex; a value may still reveal its owner (E30)."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns that it covers."""
        return self.columns

    @property
    def ground(self) -> Ground:
        """What it rests on."""
        return self.by.ground


@dataclass(frozen=True)
class RadiusPromise:
    """A similarity radius: the row of every vertex is similar to those of at least k vertices, itself included.

    The paper's Algorithm 4 raises it. It is only an upper bound of the l of (k,l)-anonymity (E1, E2, E22).
    """

    k: int
    l: int
    """The minimum similarity."""
    similarity: Literal["manhattan", "2-path"]
    """The number of entries in which two rows agree, or the number of common neighbors."""
    reached: int | None = field(default=None, compare=False, repr=False)
    """The radius of the release, at least l. This is what is published: if l is one more than the radius of the
    original, l would reveal that radius."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns that it covers: none."""
        return ()


@dataclass(frozen=True)
class ExchangeabilityPromise:
    """The members of a class, k or more, are exchangeable: no published data distinguishes them by their links.

    The published data depend on the links only through the numbers of edges inside and between classes, and on chance.
    A world is a graph with these numbers. If all worlds are equally likely, every question about the structure around a
    vertex has the members of its class as equally likely answers (Hay et al. 2008). It does not guarantee equal rows:
    in a drawn graph the members of a class have different neighbors, drawn at random.
    """

    k: int

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns that it covers: none."""
        return ()


@dataclass(frozen=True)
class PartialPromise:
    """A guarantee for some people, counted in the release: so many of all have at least k candidates.

    A person counts if an attacker with any one of these kinds of knowledge finds at least k candidates. The facts are
    those of the release. Anyone can see there which people have fewer.
    """

    knowledge: tuple[Adversary, ...]
    k: int
    protected: int
    """How many people have at least k candidates."""
    of: int
    """How many people there are in the release."""

    def columns_of(self, table: Table) -> tuple[str, ...]:
        """Return the columns of a table that it covers."""
        return tuple(dict.fromkeys(name for knows in self.knowledge for name in knows.columns(table)))


AnyPromise = Promise | PartialPromise | ConfusionPromise | RadiusPromise | ExchangeabilityPromise


def covers_kinds(promise: AnyPromise) -> bool:
    """Return whether a guarantee is about an attacker who distinguishes kinds of links.

    >>> from shoal.knowledge import Adjacency, Hubs
    >>> covers_kinds(Promise(Adjacency(), 5)), covers_kinds(Promise(Hubs(1), 5))
    (True, False)
    """
    if isinstance(promise, Promise):
        return promise.knowledge.reads_kinds
    if isinstance(promise, PartialPromise):
        return any(knows.reads_kinds for knows in promise.knowledge)
    return isinstance(promise, ExchangeabilityPromise)


# Coverage: the other knowledge that a guarantee is proved to protect against.
#
# A guarantee about `a` covers `b` if `a` is finer than `b` (:func:`shoal.knowledge.base.explain_finer`). What is not
# proved is not covered.

RADIUS = "the candidates are the vertices whose rows share l neighbors"


@public
def covers(promise: Any, adversary: Adversary | str, *, simple: bool | None = None) -> bool:
    """Return whether a guarantee, or one of a release, holds with its k for other knowledge too.

    Only what is proved counts. A guarantee for some vertices covers those vertices. A partial guarantee, which does not
    say whom it protects, covers no other knowledge, and neither does a guarantee about facts of the original.

    Parameters
    ----------
    promise
        A guarantee, or a release.
    adversary
        The other knowledge: an adversary or its spec.
    simple
        Whether the released graph is simple: its links have no directions, no kinds and no multiplicities. Some proofs
        hold only there. None: as the data of the release; for a guarantee by itself, the proof must hold in every
        graph.

    Examples
    --------
    Equal rows protect against all that links show without names, but not against distances to known hubs:

    >>> from shoal.knowledge import Adjacency
    >>> from shoal.release import Promise
    >>> equal_rows = Promise(Adjacency(), 5)
    >>> covers(equal_rows, "neighbors:7"), covers(equal_rows, "hubs:1")
    (True, False)

    Parallel links are not seen in the number of people nearby:

    >>> from shoal.knowledge import Counts
    >>> [covers(Promise(Counts(1), 5), "degree", simple=simple) for simple in (True, False)]
    [True, False]
    """
    return explain_coverage(promise, adversary, simple=simple) is not None


def explain_coverage(promise: Any, adversary: Adversary | str, *, simple: bool | None = None) -> str | None:
    """Return why a guarantee covers other knowledge; None if that is not proved. `simple` is as in :func:`covers`.

    >>> from shoal.knowledge import Degree
    >>> from shoal.release import Promise
    >>> explain_coverage(Promise(Degree(), 2), "refinement:1")
    'it can be counted from the protected knowledge'
    """
    wanted = parse_knowledge(adversary)
    held = getattr(promise, "promises", None)  # those of a release
    if isinstance(held, tuple):
        form = promise.data.is_simple if simple is None else simple
        return next((why for one in held if (why := explain_coverage(one, wanted, simple=form))), None)
    must(isinstance(promise, AnyPromise), "covers", "promise", "a promise or a release", promise)
    if isinstance(promise, RadiusPromise):
        shares = isinstance(wanted, SharedNeighbors) and wanted.l <= promise.l
        return RADIUS if promise.similarity == "2-path" and shares else None
    if not isinstance(promise, Promise):
        return None
    if promise.source == "release":
        return explain_finer(promise.knowledge, wanted, simple=bool(simple))
    return SAME if promise.knowledge == wanted else None
