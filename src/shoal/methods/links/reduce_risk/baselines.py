"""Baselines of a search for edits: random edits, and two published heuristics that delete links.

De Jong et al. (2024) delete links at unique vertices, or those that affect most unique vertices. "Unique" is here "at
risk": fewer than k candidates. They choose again after each 5 % of the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from shoal.core.edge_diff import number_edges
from shoal.core.layers import number_links, replace_links, split_numbers
from shoal.data.arrays import Bools, Ints
from shoal.data.graph import Graph
from shoal.knowledge import Adversary
from shoal.methods.links.random_edits import count_missing, perturb_links, switch_links
from shoal.methods.links.reduce_risk.search import Edits
from shoal.release.verify import find_at_risk

ROUNDS = 20
"""The heuristics choose again after this part of the budget."""
AT_ONCE = 256
"""Vertices whose paths of two links are counted at once."""
PER_SWITCH = 4
"""Links that differ after one switch: two are removed and two added."""

Reach = int
ENDS, COMMON, ALL = 0, 1, 2
"""Which vertices a link affects: both ends, also their common neighbors, or also all their neighbors."""
REACH: dict[str, Reach] = {"degree": ENDS, "refinement": ALL, "neighbors": ALL, "pairs": ALL, "hubs": ALL}
"""What a link affects, by what a kind of knowledge reads (:mod:`shoal.knowledge.incremental`); others have COMMON."""
Score = Callable[[Graph, Bools, Reach], Ints]
"""Gives each link a number from the people at risk; links with the highest number are deleted first."""


def edit_randomly(graph: Graph, budget: int, edits: Edits, rng: np.random.Generator) -> Graph:
    """Return the graph after random edits of one kind, which change at most `budget` links.

    "add-delete" deletes one half and adds the other. Switches may undo each other, so that fewer links differ. There
    are fewer additions if fewer pairs are not linked.

    >>> from shoal.data.examples import karate
    >>> [edit_randomly(karate(), 8, how, np.random.default_rng(1)).m for how in ("delete", "add", "add-delete", "swap")]
    [70, 86, 78, 78]
    """
    if edits == "swap":
        return switch_links(graph, budget // PER_SWITCH, rng)[0]
    add = {"delete": 0, "add": budget, "add-delete": budget // 2}[edits]
    delete = 0 if edits == "add" else budget - add
    return perturb_links(graph, min(add, count_missing(graph)), delete, rng)


def score_at_risk(graph: Graph, risky: Bools, reach: Reach) -> Ints:
    """Return 1 for the links of people at risk, and 0 for others."""
    a, b, _ = graph.edges()
    return (risky[a] | risky[b]).astype(np.int64)


def score_affected(graph: Graph, risky: Bools, reach: Reach) -> Ints:
    """Return for each link how many people at risk it affects.

    >>> from shoal.data.dataset import as_graph
    >>> triangle = as_graph([(0, 1), (0, 2), (1, 2), (2, 3)])
    >>> risky = np.array([True, False, True, True])
    >>> [score_affected(triangle, risky, reach).tolist() for reach in (ENDS, COMMON, ALL)]
    [[1, 2, 1, 2], [2, 2, 2, 2], [2, 3, 3, 3]]
    """
    a, b, _ = graph.edges()
    ends = risky[a].astype(np.int64) + risky[b]
    if reach == ENDS:
        return ends
    common = count_risky_common(graph, risky)
    if reach == COMMON:
        return ends + common
    near = graph.to_scipy().astype(np.int64) @ risky.astype(np.int64)
    return np.asarray(near[a] + near[b] - common)  # each end is a neighbor of the other


def count_risky_common(graph: Graph, risky: Bools) -> Ints:
    """Return for each link how many common neighbors of its ends are at risk, block by block of the vertices."""
    matrix = graph.to_scipy().astype(np.int32).tocsr()
    left, right = matrix[:, risky], matrix[risky]
    keys, n = number_edges(graph), np.int64(graph.n)
    found = np.zeros(len(keys), dtype=np.int64)
    for first in range(0, graph.n, AT_ONCE):
        here = slice(first, first + AT_ONCE)
        linked = (left[here] @ right).multiply(matrix[here]).tocoo()
        once = linked.row + first < linked.col
        at = (linked.row[once] + first) * n + linked.col[once]
        found[np.searchsorted(keys, at)] = linked.data[once]
    return found


HEURISTICS: dict[str, Score] = {"at risk first": score_at_risk, "most affected": score_affected}
"""The published heuristics, by name."""


def delete_in_rounds(
    graph: Graph, budget: int, score: Score, knowledge: Sequence[Adversary], k: int, rng: np.random.Generator
) -> Graph:
    """Return the graph without `budget` links: in each round those of the highest score, at random among equal ones."""
    reach = max(find_reach(knows) for knows in knowledge)
    step = -(-budget // ROUNDS)
    while budget > 0:
        keys = number_links(graph)
        scores = score_links(graph, keys, score, find_at_risk(graph, knowledge, k), reach)
        gone = np.lexsort((rng.random(len(keys)), -scores))[: min(step, budget)]
        graph = replace_links(graph, np.delete(keys, gone))
        budget -= len(gone)
    return graph


def score_links(graph: Graph, keys: Ints, score: Score, risky: Bools, reach: Reach) -> Ints:
    """Return the score of each link. With directions or kinds it is that of the linked pair."""
    if graph.ties is None:
        return score(graph, risky, reach)
    pairs = graph.to_undirected().without_kinds()
    _, a, b = split_numbers(graph.n, keys)
    at = np.searchsorted(number_edges(pairs), np.minimum(a, b) * np.int64(graph.n) + np.maximum(a, b))
    return score(pairs, risky, reach)[at]


def find_reach(knows: Adversary) -> Reach:
    """Return which vertices a link affects under a kind of knowledge.

    >>> from shoal.knowledge import parse_knowledge
    >>> [find_reach(parse_knowledge(spec)) for spec in ("degree", "counts:1", "refinement:2")]
    [0, 1, 2]
    """
    found = knows.incremental()
    return max((REACH.get(part, COMMON) for part in (found.parts if found else ())), default=COMMON)
