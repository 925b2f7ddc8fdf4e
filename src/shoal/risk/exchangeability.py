"""The check of exchangeability inside classes: what is published must follow from numbers of edges, and from chance.

It shares no code with the search for classes, and counts by another route than what it checks: products of sparse
matrices rather than sorted pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.data.drawn import DrawnRelease
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph, Ints
from shoal.data.release import ExchangeabilityPromise, Release
from shoal.errors import BadGraph, BrokenPromise
from shoal.progress import track


def exchangeable(promise: ExchangeabilityPromise, release: Release) -> str:
    """Say how exchangeability was verified, or raise BrokenPromise.

    All of it must hold: every class has k members or more; the numbers of edges are those of the original, and of the
    published graph; the published graph is what the seed draws from the numbers alone, no member being known.
    """
    track("verifying classes", 0, 0)
    drawn = isinstance(release, DrawnRelease) and isinstance(release.generalized, Generalized)
    whole = isinstance(release.codes, np.ndarray) and np.issubdtype(release.codes.dtype, np.integer)
    if not drawn or not whole or not isinstance(release.seed, int) or isinstance(release.seed, bool):
        raise BrokenPromise("Exchangeability must rest on classes and on links drawn from a seed. There are none.")
    assert isinstance(release, DrawnRelease)
    assert release.codes is not None
    sizes = _sizes(promise, release)
    _check_numbers(release.generalized, release.original, release.codes, "the original")
    _check_numbers(release.generalized, release.graph, release.codes, "the published graph")
    _check_draw(release, release.seed, release.codes)
    told = f"exchangeability: {len(sizes):,} classes of {sizes.min():,} to {sizes.max():,} vertices"
    again = "the published links are what chance draws from these numbers alone"
    return f"{told}; the edges inside and between them were counted again in the original; {again}."


def _sizes(promise: ExchangeabilityPromise, release: DrawnRelease) -> Ints:
    """Return the sizes of the classes, if everybody is in one of k or more."""
    codes: Any = release.codes
    n = release.original.n
    if len(codes) != n or codes.min() < 0 or release.graph.names != release.original.names:
        raise BrokenPromise("Exchangeability: every vertex of the original must be in a class and published. Some not.")
    sizes = np.bincount(codes)
    if promise.k < 1 or sizes.min() < promise.k:
        raise BrokenPromise(f"Classes of {promise.k:,} or more were promised. Got one of {sizes.min():,}.")
    if not np.array_equal(sizes, release.generalized.sizes):
        raise BrokenPromise("The sizes of the classes must be as published. They are not.")
    return sizes


def _check_numbers(generalized: Generalized, graph: Graph, codes: Ints, where: str) -> None:
    """Refuse numbers of edges other than those counted in a graph."""
    from scipy.sparse import csr_array

    c = len(generalized.sizes)
    ones = np.ones(graph.n, dtype=np.int64)
    belongs = csr_array((ones, (np.arange(graph.n), codes)), shape=(graph.n, c))
    found = (belongs.T @ graph.to_scipy().astype(np.int64) @ belongs).tocoo()
    i, j = generalized.links.reshape(-1, 2).T
    said = csr_array((generalized.between, (i, j)), shape=(c, c))
    said = said + said.T + csr_array((2 * generalized.inside, (np.arange(c), np.arange(c))), shape=(c, c))
    if (said != found.tocsr()).nnz:
        raise BrokenPromise(f"The edges inside and between classes must be as many as in {where}. They are not.")


def _check_draw(release: DrawnRelease, seed: int, codes: Ints) -> None:
    """Refuse a graph that is not what the seed draws from the numbers, whoever the members are."""
    was = release.generalized
    try:
        alone = Generalized(was.sizes.copy(), was.inside.copy(), was.links.copy(), was.between.copy())
    except BadGraph as error:
        raise BrokenPromise(f"The numbers of edges must be possible. {error}") from error
    again = alone.sample(seed)
    seats: list[list[int]] = [[] for _ in was.sizes]
    for v, code in enumerate(codes.tolist()):
        seats[code].append(v)
    called = np.array([v for members in seats for v in members])
    a, b, _ = again.edges()
    ends, published = np.sort(np.stack([called[a], called[b]]), axis=0), release.graph.edges()[:2]
    n = np.int64(release.graph.n)
    if not np.array_equal(np.sort(ends[0] * n + ends[1]), np.sort(published[0] * n + published[1])):
        raise BrokenPromise("The published links must be what the secret seed draws from the numbers. They are not.")
