"""Promises: each is checked by counting, and a release that breaks one is not handed over.

The checkers know nothing of how a release was made: candidates are counted in the release, classes are compared member
by member, and what a class is published from is asked for again in other orders of its members.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any, TypeVar

import numpy as np

from shoal.adversaries import KnowsAdjacency, KnowsColumns
from shoal.data.graph import Ints
from shoal.data.release import ConfusionPromise, Promise, Release
from shoal.errors import BrokenPromise
from shoal.progress import track
from shoal.risk.assess import Risk, assess

AnyPromise = TypeVar("AnyPromise", Promise, ConfusionPromise)


def verified(release: Release) -> Release:
    """Return the release with a sentence on how each of its promises was verified, or raise BrokenPromise."""
    return replace(release, verification=tuple(check(promise, release) for promise in release.promise))


@singledispatch
def check(promise: Any, release: Release) -> str:
    """Say how a promise was verified, or raise BrokenPromise."""
    raise TypeError(f"There is no way to check a {type(promise).__name__}.")


@check.register
def _candidates(promise: Promise, release: Release) -> str:
    from_original = promise.source == "original"
    risk = assess(release.graph, promise.knows, knowing=release.original if from_original else None)
    sizes = risk.sizes if promise.vertices == "all" else risk.sizes[_ids(risk, promise.vertices)]
    least = int(sizes.min(initial=release.graph.n))
    if not risk.proved_sizes.all():
        raise BrokenPromise(f"{promise.knows.spec}: the search was cut short, so k >= {promise.k} is not proved.")
    if least < promise.k:
        raise BrokenPromise(f"{promise.knows.spec}: at least {promise.k} candidates were promised. Got {least}.")
    return f"{promise.knows.spec}: the candidates of all {len(sizes):,} were counted; the fewest are {least:,}."


@check.register
def _confusion(promise: ConfusionPromise, release: Release) -> str:
    codes = release.codes
    if codes is None or len(codes) != release.graph.n:
        raise BrokenPromise("Confusion was promised, but not everybody is in a class.")
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    if sizes.min() < promise.n or promise.t * int(sizes.max()) > 1:
        raise BrokenPromise(
            f"({promise.n}, {promise.t})-confusion was promised. Got classes of {sizes.min()} to {sizes.max()}."
        )
    if release.graph.m:
        _check_equal(codes, assess(release.graph, KnowsAdjacency()), "have the same neighbors")
    _check_ground(promise, release, codes)
    told = f"{promise.n}-confusion: {len(sizes):,} classes of {sizes.min():,} to {sizes.max():,}"
    return f"{told}, compared member by member ({promise.ground})."


def _check_ground(promise: ConfusionPromise, release: Release, codes: Ints) -> None:
    if promise.ground == "equal records":
        _check_equal(codes, assess(release.graph, KnowsColumns(*promise.columns)), "have the same values")
        return
    before, after = release.original.attributes, release.graph.attributes
    order = np.argsort(codes, kind="stable")
    classes = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    for done, members in enumerate(classes):
        if done % 256 == 0:
            track("verifying classes", done, len(classes))
        depends = promise.by.summary(before, members)
        if any(promise.by.summary(before, other) != depends for other in (members[::-1], np.roll(members, 1))):
            raise BrokenPromise("What a class is published from must not depend on the order of its members. It does.")
        if promise.ground == "secret permutation" and promise.by.unordered(after, members) != depends:
            raise BrokenPromise("A class must be published as a permutation. Got other values than those of the class.")


def _check_equal(codes: Ints, risk: Risk, what: str) -> None:
    """Refuse a class whose members are not all candidates of each other."""
    seen: Any = getattr(risk.answer, "published", None)
    order = np.argsort(codes, kind="stable")
    inside = np.diff(codes[order]) == 0
    if (np.diff(seen[order])[inside] != 0).any():
        raise BrokenPromise(f"The members of a class must {what}. They do not.")


def _ids(risk: Risk, names: tuple[Any, ...]) -> Ints:
    return np.array([risk.names.id(name) for name in names], dtype=np.int64)
