"""Metrics of communities: agreement of Leiden's method on two graphs, beside its agreement with itself.

The method draws its order by chance, and two runs on one graph differ. So each graph is searched several times, and the
number to compare with is the agreement of two runs on the original. (V. Traag, L. Waltman, N. van Eck: From Louvain to
Leiden, 2019.)
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

GROUP = "communities"
RUNS, RUNS_LARGE = 5, 2
"""Searches of the original, and of the release."""
ITSELF = "The value before compares two searches of the original."
METRICS = (
    Metric(
        "community NMI", "Normalized mutual information of the communities of both graphs (Leiden's method).",
        GROUP, 0, 1, "higher", True, "share",
        title="agreement of communities (NMI)",
        note=f"1: the same communities. {ITSELF} Many small communities make it high even without edges: compare it "
        "with the empty graph.",
    ),
    Metric(
        "community ARI", "Adjusted Rand index of the communities of both graphs (Leiden's method).",
        GROUP, -0.5, 1, "higher", True, "share",
        title="agreement of communities (ARI)",
        note=f"1: the same communities. 0: no more agreement than by chance. {ITSELF}",
    ),
)  # fmt: skip


def compare_with_itself(original: Network) -> Values:
    """Return how far searches of the original agree with each other."""
    found = list_searches(original, count_runs(original))
    return measure_agreement([(x, y) for x, y in combinations(found, 2)])


def compare_communities(before: Network, after: Network) -> Values:
    """Return how far searches of the original and of another graph agree, about the vertices that both have."""
    if after.who is None:
        return {}
    here = after.who >= 0
    old = list_searches(before, count_runs(before))
    new = list_searches(after, count_runs(before) if after.stream == 1 else 1)
    return measure_agreement([(x[here], y[after.who[here]]) for x, y in product(old, new)])


def count_runs(original: Network) -> int:
    """Return how often the original is searched, and the release."""
    return RUNS_LARGE if original.large else RUNS


def measure_agreement(pairs: list[tuple[Ints, Ints]]) -> Values:
    """Return both measures, the mean over pairs of searches."""
    return {
        metric.name: pool_values([how(x, y) for x, y in pairs])
        for metric, how in zip(METRICS, (measure_nmi, measure_ari), strict=True)
    }


def list_searches(network: Network, many: int) -> list[Ints]:
    """Return the communities of several searches, a number per vertex each; those made once are not made again."""
    known: list[Ints] = network.remember("communities", lambda _: [])
    known += search_communities(network, range(len(known), many))
    return known[:many]


def search_communities(network: Network, which: range) -> list[Ints]:
    """Search for communities of high modularity; without links everybody is alone."""
    if not network.m or not which:
        return [np.arange(network.n)] * len(which)
    import igraph

    a, b, _ = network.graph.edges()
    graph = igraph.Graph(n=network.n, edges=zip(a.tolist(), b.tolist(), strict=True))
    seeds = [int(np.random.default_rng([network.seed, 2, network.stream, run]).integers(2**62)) for run in which]
    return [call_shielded(partial(run_leiden, graph, seed)) for seed in seeds]


def run_leiden(graph: Any, seed: int) -> Ints:
    """Search an igraph graph once; igraph has a generator in each thread, so that it is set in the same one."""
    with seed_igraph(seed):
        return np.array(graph.community_leiden(objective_function="modularity").membership)


def call_shielded(call: Callable[[], Ints]) -> Ints:
    """Call a search in a thread of its own, where no signal is looked at; one that came is raised when it is over.

    igraph 1.0 aborts the whole process ("free(): invalid pointer") if an interrupt reaches it inside this search.
    """
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(call).result()


@contextmanager
def seed_igraph(seed: int) -> Iterator[None]:
    """Let igraph draw from a seed, and then again from where it draws unless told otherwise: Python's generator.

    The generator of Python itself is not touched. igraph does not tell which one it had: whoever gave it one of their
    own must do so again.
    """
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def measure_nmi(x: Ints, y: Ints) -> float:
    """Return the mutual information of two partitions over the mean of their entropies; 1 where they are the same.

    >>> measure_nmi(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    1.0
    >>> measure_nmi(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    0.0
    """
    both, one, other = count_shared_sizes(x, y)
    if len(both) == len(one) == len(other):
        return 1.0  # the same classes; rounding could say a little less
    n = len(x)
    apart = measure_entropy(one, n) + measure_entropy(other, n)
    return min(1.0, max(0.0, 2 * (apart - measure_entropy(both, n)) / apart))


def measure_ari(x: Ints, y: Ints) -> float:
    """Return the adjusted Rand index (Hubert & Arabie 1985), in whole numbers until the last step.

    1 where both put all together, or both put all apart.

    >>> measure_ari(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]))
    1.0
    >>> measure_ari(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    -0.5
    """
    together, one, other = (int((many * (many - 1) // 2).sum()) for many in count_shared_sizes(x, y))
    pairs = len(x) * (len(x) - 1) // 2
    # with t, p, q pairs together in both, in one, in the other, of N: (t - pq/N) / ((p + q)/2 - pq/N)
    below = pairs * (one + other) - 2 * one * other
    return 2 * (pairs * together - one * other) / below if below else 1.0


def count_shared_sizes(x: Ints, y: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the sizes of the classes of both together, of the one and of the other."""
    one, x = np.unique(x, return_inverse=True)
    other, y = np.unique(y, return_inverse=True)
    _, both = np.unique(x * np.int64(len(other)) + y, return_counts=True)
    return both, np.bincount(x, minlength=len(one)), np.bincount(y, minlength=len(other))


def measure_entropy(sizes: Ints, n: int) -> float:
    """Return the entropy of a partition with classes of these sizes."""
    return log(n) - float((sizes * np.log(sizes)).sum()) / n


COMMUNITIES = Group(METRICS, compare_with_itself, compare_communities, slow=True)
