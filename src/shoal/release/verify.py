"""Verification: each guarantee is checked by counting. A release that breaks one is not returned.

The checks do not depend on how a release was made. Candidates are counted in the release. Classes are compared member
by member. What a class is published from is computed again with its members in other orders.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, get_args

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.core.grouping import group_multisets, list_members_by_class, number_by_first_appearance
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_graph
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph
from shoal.data.table import Table
from shoal.data.ties import Relation, sort_relations
from shoal.errors import BrokenPromise, Notice, list_names
from shoal.knowledge import Adjacency, Adversary, Columns, Neighbors, Relations
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.release.guarantee import (
    ConfusionPromise,
    ExchangeabilityPromise,
    Ground,
    PartialPromise,
    Promise,
    RadiusPromise,
)
from shoal.release.release import Release
from shoal.risk.assess import Risk, assess
from shoal.risk.similarity import similarity_radius

GROUNDS = get_args(Ground)
CHECKED: dict[Ground, str] = {
    "equal records": "They have the same values.",
    "secret permutation": "Their published values are a permutation of their own, which the secret seed draws.",
    "exchangeable draw": "Their values do not depend on the order of the members. The secret seed draws them.",
}
"""What the check of a class found, by what its guarantee rests on."""
Count = Callable[..., Risk]
"""How candidates are counted: :func:`shoal.assess`, or a function that remembers what it counted before."""


def verify_release(release: Release) -> Release:
    """Return the release with a sentence on how each guarantee was verified, or raise BrokenPromise."""
    return replace(release, verification=tuple(check_promise(promise, release) for promise in release.promises))


@singledispatch
def check_promise(promise: Any, release: Release, count: Count = assess) -> str:
    """Return how a guarantee was verified, or raise BrokenPromise."""
    raise TypeError(f"There is no way to check a {type(promise).__name__}.")


@check_promise.register
def _check_candidates(promise: Promise, release: Release, count: Count = assess) -> str:
    spec = promise.knowledge.spec
    track(f"verifying {spec}", 0, 0)
    risk = count(release.data, promise.knowledge, original=release.original if promise.source == "original" else None)
    verified = check_counts(promise, risk)
    if not risk.exact_sizes.all():
        return prove_by_classes(promise, release.data)
    track(f"verifying {spec}", 1, 1)
    return verified


def check_counts(promise: Promise, risk: Risk) -> str:
    """Return how these counts verify a guarantee, or raise BrokenPromise. Upper bounds must be verified otherwise."""
    spec, covers_all = promise.knowledge.spec, promise.vertices == "all"
    sizes = risk.sizes if promise.vertices == "all" else risk.sizes[_find_ids(risk, promise.vertices)]
    if not len(sizes):
        raise BrokenPromise(f"{spec}: a guarantee must protect at least one vertex. Got none.")
    fewest, noun = int(sizes.min()), risk.graph.noun[1]
    if fewest < promise.k:
        raise BrokenPromise(f"{spec}: the guarantee is at least {promise.k:,} candidates. Got {fewest:,}.")
    counted = f"counted the candidates of all {f'{len(sizes):,}' if covers_all else 'protected'} {noun}"
    if covers_all and promise.source == "release":
        return f"{spec}: {counted}; the smallest set has {fewest:,}."
    # Here the exact minimum would reveal facts about the original or the protected.
    where = " from the original" if promise.source == "original" else ""
    return f"{spec}{where}: {counted}; no set has fewer than {promise.k:,}."


def prove_by_classes(promise: Promise, data: Dataset) -> str:
    """Verify knowledge of l neighbors or relations, for any l, by classes of vertices with the same links.

    Vertices with the same row agree on every known relation. If l of k + l such vertices are located, k remain. Of k +
    l vertices that are linked to each other and to the same others, k remain for an attacker who knows l neighbors.
    """
    knows, k = promise.knowledge, promise.k
    if promise.source == "release" and isinstance(data, Graph) and _is_large_enough(knows, k, data):
        return f"{knows.spec}: every vertex is in a class of vertices linked alike, large enough for every known set."
    raise BrokenPromise(
        f"{knows.spec}: the search was cut short, so k >= {k} is not proved. Lower l, or use EqualizeRows."
    )


def _is_large_enough(knows: Adversary, k: int, graph: Graph) -> bool:
    """Return whether every class of vertices that are linked alike leaves k, whichever l of them are known."""
    located = isinstance(knows, Relations) and knows.located
    weighed = isinstance(knows, Neighbors) and knows.multiplicities
    if not isinstance(knows, Neighbors | Relations) or weighed or graph.is_multigraph:
        return False
    many = min(knows.l, graph.n)
    open_ones = _count_alike(graph, closed=False) >= k + many * located
    closed_ones = _count_alike(graph, closed=True) >= k + many
    return bool((open_ones | (closed_ones & (located or isinstance(knows, Neighbors)))).all())


def _count_alike(graph: Graph, *, closed: bool) -> Ints:
    """Count, for each vertex, those with the same neighbors; if closed, each vertex counts as its own neighbor."""
    indptr, indices = graph.indptr, graph.indices
    if closed:
        rows = np.concatenate([np.repeat(np.arange(graph.n), np.diff(indptr)), np.arange(graph.n)])
        order = np.lexsort((np.concatenate([indices, np.arange(graph.n)]), rows))
        indices = np.concatenate([indices, np.arange(graph.n)])[order].astype(graph.indices.dtype)
        indptr = indptr + np.arange(graph.n + 1)
    codes = group_multisets(indptr, indices)
    return np.bincount(codes)[codes]


@check_promise.register
def _check_partial_promise(promise: PartialPromise, release: Release, count: Count = assess) -> str:
    return check_partial(promise, release.data, count)


def check_partial(promise: PartialPromise, data: Dataset, count: Count = assess) -> str:
    """Return how a partial guarantee was verified by counting in published data, or raise BrokenPromise."""
    specs = ", ".join(knows.spec for knows in promise.knowledge)
    found = int(np.count_nonzero(~find_at_risk(data, promise.knowledge, promise.k, count)))
    if data.n != promise.of or found < promise.protected:
        raise BrokenPromise(
            f"{specs}: {promise.protected:,} of {promise.of:,} {data.noun[1]} are guaranteed to have at least "
            f"{promise.k:,} candidates. Got {found:,} of {data.n:,}."
        )
    each = "" if len(promise.knowledge) == 1 else " under each"
    return (
        f"{specs}: counted the candidates of all {data.n:,} {data.noun[1]}{each}; {found:,} have {promise.k:,} or more."
    )


def find_at_risk(data: Dataset, knowledge: Sequence[Adversary], k: int, count: Count = assess, **facts: Any) -> Bools:
    """Return who has 1 to k - 1 candidates under any kind of knowledge; counts that are only bounds are refused."""
    below: Bools | None = None
    for knows in knowledge:
        track(f"counting {knows.spec}", 0, 0)
        risk = count(data, knows, **facts)
        if not risk.exact_sizes.all():
            raise BrokenPromise(f"{knows.spec}: the search was cut short, so k >= {k} is not proved. Lower l.")
        here = (risk.sizes > 0) & (risk.sizes < k)
        below = here if below is None else below | here
        track(f"counting {knows.spec}", 1, 1)
    assert below is not None
    return below


def find_at_risk_by_original(
    released: Dataset, original: Dataset, knowledge: Sequence[Adversary], k: int, count: Count = assess
) -> Bools:
    """Return which released people have 1 to k - 1 candidates by facts of the original, matched by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)  # people may be left out on purpose
        below = find_at_risk(released, knowledge, k, count, original=original)
    found: Bools = below[original.names.find(released.names)]
    return found


@check_promise.register
def _check_confusion(promise: ConfusionPromise, release: Release, count: Count = assess) -> str:
    if release.codes is None or len(release.codes) != release.data.n:
        raise BrokenPromise("Confusion is guaranteed, but some individuals are in no class.")
    if promise.n < 1 or promise.t <= 0 or promise.of not in ("entries", "vertices"):
        raise BrokenPromise(f"Confusion must be of entries or vertices, with n and t above 0. Got {promise!r:.200}.")
    if promise.ground not in GROUNDS or not promise.columns:
        raise BrokenPromise(
            f"Confusion must rest on {', '.join(GROUNDS)}, and be about columns. Got {promise.ground!r}."
        )
    codes = number_by_first_appearance(release.codes)
    sizes = np.bincount(codes)
    if sizes.min() < promise.n or promise.t * int(sizes.max()) > 1:
        raise BrokenPromise(
            f"({promise.n}, {promise.t})-confusion is guaranteed. Got classes of {sizes.min()} to {sizes.max()}."
        )
    if release.data.m:
        _check_equal(codes, count(release.data, Adjacency()), "have the same neighbors")
    if promise.ground == "equal records":
        _check_equal(codes, count(release.data, Columns(*promise.columns)), "have the same values")
    else:
        _check_chance(promise, release, codes)
    classes = f"{len(sizes):,} classes of {sizes.min():,} to {sizes.max():,} members"
    linked = " They have the same neighbors." if release.data.m else ""
    return f"{promise.n}-confusion: checked the members of all {classes}.{linked} {CHECKED[promise.ground]}"


@check_promise.register
def _check_radius_promise(promise: RadiusPromise, release: Release, count: Count = assess) -> str:
    return check_radius(promise, as_graph(release.data))


def check_radius(promise: RadiusPromise, graph: Graph) -> str:
    """Return how a similarity radius was verified, or raise BrokenPromise."""
    found = similarity_radius(graph, promise.k, promise.similarity)
    least = max(promise.l, promise.reached or 0)
    if found.l < least:
        raise BrokenPromise(
            f"A {promise.similarity} radius of {least} at k = {promise.k} is guaranteed. Got {found.l}."
        )
    return f"{promise.similarity} radius: computed for all {graph.n:,} vertices; the smallest is {found.l:,}."


@check_promise.register
def _check_exchangeability(promise: ExchangeabilityPromise, release: Release, count: Count = assess) -> str:
    return verify_exchangeability(promise, release)


def _check_chance(promise: ConfusionPromise, release: Release, codes: Ints) -> None:
    """Raise an error if chance does not hide the members of a class.

    That is the case if columns were left unchanged, if the order of members matters, or if the seed draws other values.
    """
    by, before, after = promise.by, release.original.attributes, release.data.attributes
    left = [name for name in promise.columns if name not in by.names(before)]
    if left:
        raise BrokenPromise(
            f"Confusion is guaranteed for columns that the method leaves as they are: {list_names(left, spell=str)}."
        )
    order, bounds = list_members_by_class(codes)
    for done, members in enumerate(np.split(order, bounds[1:-1])):
        if done % 256 == 0:
            track("verifying classes", done, len(bounds) - 1)
        _check_class(promise, before, after, members)
    again = by.again(before, codes, release.seed) if isinstance(release.seed, int) else None
    if again is None or not all(again[name].alike(after[name]) for name in promise.columns):
        raise BrokenPromise("The published values must be those that the secret seed draws. They are not.")


def _check_class(promise: ConfusionPromise, before: Table, after: Table, members: Ints) -> None:
    depends = promise.by.summary(before, members)
    if any(promise.by.summary(before, other) != depends for other in (members[::-1], np.roll(members, 1))):
        raise BrokenPromise("The published values of a class must not depend on the order of its members. They do.")
    if promise.ground == "secret permutation" and promise.by.unordered(after, members) != depends:
        raise BrokenPromise("A class must be published as a permutation. Got other values than those of the class.")
    owners = promise.by.owners(before, members)
    if promise.of == "entries" and owners < promise.n:
        raise BrokenPromise(
            f"Each value must fit at least {promise.n} members of its class. Got one that fits {owners}."
        )


def _check_equal(codes: Ints, risk: Risk, what: str) -> None:
    """Raise an error unless all members of a class are candidates of each other."""
    seen: Any = getattr(risk.answer, "published", None)
    order, bounds = list_members_by_class(codes)
    if (seen[order] != np.repeat(seen[order[bounds[:-1]]], np.diff(bounds))).any():
        raise BrokenPromise(f"The members of a class must {what}. They do not.")


def _find_ids(risk: Risk, names: tuple[Any, ...]) -> Ints:
    return np.array([risk.names.id(name) for name in names], dtype=np.int64)


# The check of exchangeability: the published links must follow from the numbers of edges and from chance.
#
# It shares no code with the search for classes. It counts with sparse matrix products, where the search sorts pairs.


def verify_exchangeability(promise: ExchangeabilityPromise, release: Release) -> str:
    """Return how exchangeability was verified, or raise BrokenPromise.

    Three things must hold. Every class has k members or more. The numbers of edges are those of the original and of the
    published graph. The published graph is what the seed draws from the numbers alone, without the members.
    """
    track("verifying classes", 0, 0)
    drawn = isinstance(release, DrawnRelease) and isinstance(release.generalized, Generalized)
    whole = isinstance(release.codes, np.ndarray) and np.issubdtype(release.codes.dtype, np.integer)
    if not drawn or not whole or not isinstance(release.seed, int) or isinstance(release.seed, bool):
        raise BrokenPromise("Exchangeability must rest on classes and on links drawn from a seed. There are none.")
    assert isinstance(release, DrawnRelease)
    assert release.codes is not None
    sizes = _check_class_sizes(promise, release)
    _check_numbers(release.generalized, release.original, release.codes, "the original")
    _check_numbers(release.generalized, release.data, release.codes, "the published graph")
    _check_draw(release, release.seed, release.codes)
    classes = f"{len(sizes):,} classes of {sizes.min():,} to {sizes.max():,} vertices"
    again = "the secret seed draws the published links from these numbers alone"
    return f"exchangeability: recounted the edges inside and between {classes} in the original; {again}."


def _check_class_sizes(promise: ExchangeabilityPromise, release: DrawnRelease) -> Ints:
    """Return the sizes of the classes, or raise an error unless every vertex is in a class of k or more."""
    codes: Any = release.codes
    n = release.original.n
    if len(codes) != n or codes.min() < 0 or release.data.names != release.original.names:
        raise BrokenPromise(
            "Exchangeability: every vertex of the original must be published and in a class. Some are not."
        )
    sizes = np.bincount(codes)
    if promise.k < 1 or sizes.min() < promise.k:
        raise BrokenPromise(f"Classes of {promise.k:,} or more are guaranteed. Got one of {sizes.min():,}.")
    if not np.array_equal(sizes, release.generalized.sizes):
        raise BrokenPromise("The sizes of the classes must equal the published ones. They do not.")
    return sizes


def _check_numbers(generalized: Generalized, graph: Graph, codes: Ints, where: str) -> None:
    """Raise an error unless the numbers of edges equal those counted in a graph, for each relation."""
    from scipy.sparse import csr_array

    c, relations = len(generalized.sizes), generalized.relations
    ones = np.ones(graph.n, dtype=np.int64)
    belongs = csr_array((ones, (np.arange(graph.n), codes)), shape=(graph.n, c))
    links = generalized.links.reshape(-1, 3 if relations else 2)
    held = () if graph.ties is None else graph.ties.relations
    same = bool(held) == bool(relations) and set(held) <= set(sort_relations(relations))
    for r, one in enumerate(relations or (Relation(None, "both"),)):
        chosen = links[:, 2] == r if relations else np.ones(len(links), dtype=np.bool_)
        inside = generalized.inside[:, r] if relations else generalized.inside
        i, j = links[chosen, :2].T
        said = csr_array((generalized.between[chosen], (i, j)), shape=(c, c))
        own = csr_array((inside, (np.arange(c), np.arange(c))), shape=(c, c))
        said = said + own if one.direction == "out" else said + said.T + 2 * own
        found = belongs.T @ _take_matrix(graph, one) @ belongs
        same = same and (said != found.tocsr()).nnz == 0
    if not same:
        raise BrokenPromise(
            f"The numbers of edges inside and between classes must equal those in {where}. They do not."
        )


def _take_matrix(graph: Graph, relation: Relation) -> Any:
    """Return the adjacency matrix of one relation."""
    from scipy.sparse import csr_array

    if graph.ties is None:
        return graph.to_scipy().astype(np.int64)
    indptr, near, seen, times = graph.entries()
    at = graph.ties.relations.index(relation) if relation in graph.ties.relations else -1
    return csr_array((np.where(seen == at, times, 0).astype(np.int64), near, indptr), shape=(graph.n, graph.n))


def _check_draw(release: DrawnRelease, seed: int, codes: Ints) -> None:
    """Raise an error unless the seed draws this graph from the numbers alone, without the members."""
    was = release.generalized
    alone = Generalized(
        was.sizes.copy(), was.inside.copy(), was.links.copy(), was.between.copy(), relations=was.relations
    )
    again = alone.sample(seed)
    seats: list[list[int]] = [[] for _ in was.sizes]
    for v, code in enumerate(codes.tolist()):
        seats[code].append(v)
    called = np.array([v for members in seats for v in members])
    if not _has_links(release.data, again, called):
        raise BrokenPromise(
            "The published links must be those that the secret seed draws from the numbers. They are not."
        )


def _has_links(graph: Graph, drawn: Graph, called: Ints) -> bool:
    """Return whether a graph has exactly the links of a drawn one, whose vertex i is called[i]."""
    if graph.ties is not None:
        links = [(int(called[a]), int(called[b]), relation) for a, b, relation in drawn.each_link()]
        return Counter(map(_sort_ends, links)) == Counter(map(_sort_ends, graph.each_link()))
    a, b, _ = drawn.edges()
    ends = np.sort(np.stack([called[a], called[b]]), axis=0)
    return np.array_equal(np.sort(ends[0] * np.int64(graph.n) + ends[1]), number_edges(graph))


def _sort_ends(link: tuple[int, int, Relation]) -> tuple[int, int, Relation]:
    """Return a link; one without direction has its smaller end first."""
    a, b, relation = link
    return link if relation.direction == "out" else (min(a, b), max(a, b), relation)
