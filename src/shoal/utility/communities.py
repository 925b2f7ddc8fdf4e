"""Metrics of communities: agreement of Leiden's method on two graphs.

The method is randomized, so two runs on one graph differ. Each graph is therefore searched several times. The baseline
is the agreement of two runs on the original. (V. Traag, L. Waltman, N. van Eck: From Louvain to Leiden, 2019.)
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import combinations, product
from math import log
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.utility.base import Group, Metric, Network, Values, pool_values
from shoal.workers import map_in_workers

GROUP = "communities"
RUNS, RUNS_LARGE = 5, 2
"""How often the original and the release are searched; the second number is for large graphs."""
ITSELF = "The value in the column 'before' compares two searches of the original, since the search is random."
METRICS = (
    Metric(
        "community NMI",
        "Normalized mutual information of the communities in the original and in the release (Leiden's method).",
        GROUP, 0, 1, "higher", True, "share",
        title="agreement of communities (NMI)", undirected=True,
        note=f"1: the same communities. 0: unrelated ones. {ITSELF} Many small communities make it high even without "
        "edges: compare it with the column 'empty'.",
    ),
    Metric(
        "community ARI",
        "Adjusted Rand index of the communities in the original and in the release (Leiden's method).",
        GROUP, -0.5, 1, "higher", True, "share",
        title="agreement of communities (ARI)", undirected=True,
        note=f"1: the same communities. 0: no more agreement than by chance. Below 0: less. {ITSELF}",
    ),
)  # fmt: skip


def compare_with_itself(original: Network) -> Values:
    """Return how well searches of the original agree with each other."""
    found = list_searches(original, count_runs(original))
    return measure_agreement([(x, y) for x, y in combinations(found, 2)])


def compare_communities(before: Network, after: Network) -> Values:
    """Return how well searches of the original and of another graph agree, on the vertices that both have."""
    if after.who is None:
        return {}
    here = after.who >= 0
    old = list_searches(before, count_runs(before))
    new = list_searches(after, count_runs(before) if after.stream == 1 else 1)
    return measure_agreement([(x[here], y[after.who[here]]) for x, y in product(old, new)])


def count_runs(original: Network) -> int:
    """Return how often the original and the release are searched."""
    return RUNS_LARGE if original.large else RUNS


def measure_agreement(pairs: list[tuple[Ints, Ints]]) -> Values:
    """Return both metrics: the mean over pairs of searches."""
    return {
        metric.name: pool_values([how(x, y) for x, y in pairs])
        for metric, how in zip(METRICS, (measure_nmi, measure_ari), strict=True)
    }


def list_searches(network: Network, many: int) -> list[Ints]:
    """Return the communities of several searches, each as a number per vertex. Earlier searches are reused."""
    known: list[Ints] = network.remember("communities", lambda _: [])
    known += search_communities(network, range(len(known), many))
    return known[:many]


def search_communities(network: Network, which: range) -> list[Ints]:
    """Search for communities of high modularity. Without edges, each vertex is a community of its own."""
    if not network.m or not which:
        return [np.arange(network.n)] * len(which)
    links = network.n, np.stack(network.graph.edges()[:2], axis=1)
    seeds = [int(np.random.default_rng([network.seed, 2, network.stream, run]).integers(2**62)) for run in which]
    if network.large:  # igraph holds Python's lock during a search, so only processes search at the same time
        return map_in_workers(search_once, links, seeds)
    return [search_once(links, seed) for seed in seeds]


def search_once(links: tuple[int, Ints], seed: int) -> Ints:
    """Search once, given the number of vertices and the edges."""
    import igraph

    return call_shielded(partial(run_leiden, igraph.Graph(n=links[0], edges=links[1]), seed))


def run_leiden(graph: Any, seed: int) -> Ints:
    """Search an igraph graph once. igraph has one random generator per thread, so it is seeded in the same thread."""
    with seed_igraph(seed):
        return np.array(graph.community_leiden(objective_function="modularity").membership)


def call_shielded(call: Callable[[], Ints]) -> Ints:
    """Call a search in a thread of its own, which no signal interrupts. An interrupt is raised after the search.

    igraph 1.0 aborts the whole process ("free(): invalid pointer") if an interrupt reaches it inside this search.
    """
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(call).result()


@contextmanager
def seed_igraph(seed: int) -> Iterator[None]:
    """Seed igraph's random generator, then restore its default: Python's generator.

    Python's own generator is not touched. igraph does not reveal which generator it had. A caller who set another one
    must set it again.
    """
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def measure_nmi(x: Ints, y: Ints) -> float:
    """Return the mutual information of two partitions, divided by the mean of their entropies; 1 if they are equal.

    >>> measure_nmi(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    1.0
    >>> measure_nmi(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    0.0
    """
    both, one, other = count_shared_sizes(x, y)
    if len(both) == len(one) == len(other):
        return 1.0  # equal classes; rounding could give a little less
    n = len(x)
    apart = measure_entropy(one, n) + measure_entropy(other, n)
    return min(1.0, max(0.0, 2 * (apart - measure_entropy(both, n)) / apart))


def measure_ari(x: Ints, y: Ints) -> float:
    """Return the adjusted Rand index (Hubert & Arabie 1985), in integers until the last step.

    It is 1 if both partitions have one class, or if both have only classes of one vertex.

    >>> measure_ari(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    1.0
    >>> measure_ari(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    -0.5
    """
    together, one, other = (int((many * (many - 1) // 2).sum()) for many in count_shared_sizes(x, y))
    pairs = len(x) * (len(x) - 1) // 2
    # t, p, q of N pairs are together in both, in x, in y: ARI = (t - pq/N) / ((p + q)/2 - pq/N)
    below = pairs * (one + other) - 2 * one * other
    return 2 * (pairs * together - one * other) / below if below else 1.0


def count_shared_sizes(x: Ints, y: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the class sizes of the common refinement of x and y, of x, and of y."""
    one, x = np.unique(x, return_inverse=True)
    other, y = np.unique(y, return_inverse=True)
    _, both = np.unique(x * np.int64(len(other)) + y, return_counts=True)
    return both, np.bincount(x, minlength=len(one)), np.bincount(y, minlength=len(other))


def measure_entropy(sizes: Ints, n: int) -> float:
    """Return the entropy of a partition with classes of these sizes."""
    return log(n) - float((sizes * np.log(sizes)).sum()) / n


COMMUNITIES = Group(METRICS, compare_with_itself, compare_communities, slow=True)
