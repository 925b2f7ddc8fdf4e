"""Metrics of directions and kinds of links: in- and out-degrees, reciprocity, strong components, shares of kinds.

A link without direction in a network that has directed links leads both ways.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from shoal.data.arrays import Ints
from shoal.utility.base import Group, Metric, Network, NoValue, Value, Values, measure_kolmogorov_smirnov

NO_LINKS = NoValue("there are no links")

# Directions.

DIRECTION_GROUP = "directions"
IN_DEGREE_DISTANCE = Metric(
    "in-degree distance",
    "Largest difference of both graphs in the share of vertices that at most d links lead to, over all d "
    "(Kolmogorov-Smirnov).",
    DIRECTION_GROUP, 0, 1, "lower", unit="share", title="in-degree distance (Kolmogorov-Smirnov)",
)  # fmt: skip
OUT_DEGREE_DISTANCE = Metric(
    "out-degree distance",
    "Largest difference of both graphs in the share of vertices that at most d links lead from, over all d "
    "(Kolmogorov-Smirnov).",
    DIRECTION_GROUP, 0, 1, "lower", unit="share", title="out-degree distance (Kolmogorov-Smirnov)",
)  # fmt: skip
RECIPROCITY = Metric(
    "reciprocity", "Share of links that are answered: a link also leads from the target to the source.",
    DIRECTION_GROUP, 0, 1, "closer", unit="share", note="Kinds are ignored, and a pair counts once per direction.",
)  # fmt: skip
STRONG_COMPONENT = Metric(
    "largest strong component",
    "Share of the vertices in the largest set whose members all reach each other along the direction of links.",
    DIRECTION_GROUP, 0, 1, "closer", unit="share", title="share in the largest strong component",
)  # fmt: skip
DIRECTION_METRICS = (IN_DEGREE_DISTANCE, OUT_DEGREE_DISTANCE, RECIPROCITY, STRONG_COMPONENT)


def measure_directions(network: Network) -> Values:
    """Measure the directions of one graph.

    >>> from shoal.data.graph import Graph
    >>> measure_directions(Network.of(Graph.from_pairs("abcd", [0, 1, 1], [1, 0, 2], directed=True)))
    {'reciprocity': 0.6666666666666666, 'largest strong component': 0.5}
    """
    return {RECIPROCITY.name: measure_reciprocity(network), STRONG_COMPONENT.name: measure_strong_component(network)}


def compare_directions(before: Network, after: Network) -> Values:
    """Measure the directions of a graph, and the distance of its degrees from those of the original."""
    (sent, got), (sent_now, got_now) = count_directed_degrees(before), count_directed_degrees(after)
    return {
        IN_DEGREE_DISTANCE.name: measure_kolmogorov_smirnov(got, got_now),
        OUT_DEGREE_DISTANCE.name: measure_kolmogorov_smirnov(sent, sent_now),
        **measure_directions(after),
    }


def count_directed_degrees(network: Network) -> tuple[Ints, Ints]:
    """Return how many links lead from each vertex, and how many lead to it.

    >>> from shoal.data.graph import Graph
    >>> mixed = Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False])
    >>> [degrees.tolist() for degrees in count_directed_degrees(Network.of(mixed))]
    [[1, 1, 1], [0, 2, 1]]
    """
    sent, got = (np.asarray(network.adjacency.sum(axis=axis), dtype=np.int64).reshape(-1) for axis in (1, 0))
    return sent, got


def measure_reciprocity(network: Network) -> Value:
    """Return the share of ordered pairs (u, v) with a link from u to v for which a link leads from v to u."""
    links = network.adjacency
    return links.multiply(links.T).nnz / links.nnz if links.nnz else NO_LINKS


def measure_strong_component(network: Network) -> float:
    """Return the share of the vertices in the largest strong component."""
    from scipy.sparse.csgraph import connected_components

    _, parts = connected_components(network.adjacency, directed=True, connection="strong")
    return int(np.bincount(parts).max()) / network.n


DIRECTIONS = Group(DIRECTION_METRICS, measure_directions, compare_directions)


# Kinds of links.

KIND_DISTANCE = Metric(
    "kind distance", "Sum over all kinds of the difference in their share of links, divided by 2 (total variation).",
    "kinds", 0, 1, "lower", unit="share", title="distance of the shares of kinds",
    note="0: each kind has the same share of links in both graphs. 1: no kind occurs in both.",
)  # fmt: skip


def compare_kinds(before: Network, after: Network) -> Values:
    """Return the distance between the shares of kinds in two graphs."""
    if not before.m or not after.m:
        return {KIND_DISTANCE.name: NO_LINKS}
    old, new = share_kinds(before), share_kinds(after)
    apart = sum(abs(old.get(kind, Fraction(0)) - new.get(kind, Fraction(0))) for kind in old | new)
    return {KIND_DISTANCE.name: float(apart / 2)}


def share_kinds(network: Network) -> dict[str, Fraction]:
    """Return the exact share of links of each kind.

    >>> from shoal.data.graph import Graph
    >>> share_kinds(Network.of(Graph.from_pairs("abc", [0, 1], [1, 2], kinds=["call", "mail"])))
    {'call': Fraction(1, 2), 'mail': Fraction(1, 2)}
    """
    links = network.links
    return {kind: Fraction(many, links.m) for kind, many in links.count_kinds().items()}


KINDS = Group((KIND_DISTANCE,), lambda _: {}, compare_kinds)
