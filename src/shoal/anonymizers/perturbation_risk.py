"""What random edits leave to be known: which links are true, and who is still singled out from the original."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.adversaries import Adversary, KnowsDegree, KnowsSomeNeighbors
from shoal.anonymizers.perturbation_draws import keys_of, missing
from shoal.data.graph import Graph
from shoal.engines import Bools
from shoal.engines.local.pool import announce_compilation, heavy, spread
from shoal.risk.assess import assess

TRUE, HIDDEN = "share of released links that are true", "chance that a missing link is true"
BY_DEGREE, BY_NEIGHBOR = "singled out by degree", "singled out by one neighbor"
BY_LINKS = "found by all their links, errors allowed"


def known_of_risk(original: Graph, graph: Graph) -> dict[str, Any]:
    """Return how much of the release is true, and how many are singled out by facts from the original."""
    kept = len(np.intersect1d(keys_of(original), keys_of(graph), assume_unique=True))
    absent = missing(graph)
    return {
        "edits": original.m + graph.m - 2 * kept,
        **({TRUE: kept / graph.m} if graph.m else {}),
        **({HIDDEN: (original.m - kept) / absent} if absent else {}),
        BY_DEGREE: singled_out(original, graph, KnowsDegree(), by_degree(original, graph)),
        BY_NEIGHBOR: singled_out(original, graph, KnowsSomeNeighbors(1), by_neighbor(original, graph)),
        BY_LINKS: {
            "before": int(by_links(original, original).sum()),
            "after": int(by_links(original, graph).sum()),
        },
    }


def singled_out(original: Graph, graph: Graph, knows: Adversary, rightly: Bools) -> dict[str, int]:
    """Count who has a single candidate: in the original itself, and in the release by facts from the original."""
    alone = assess(graph, knows, knowing=original).sizes == 1
    before = int((assess(original, knows).sizes == 1).sum())
    return {
        "before": before,
        "after": int(rightly.sum()),
        "others taken for somebody else": int((alone & ~rightly).sum()),
    }


def by_degree(original: Graph, graph: Graph) -> Bools:
    """Tell who is the only one in the release with the degree they have in the original."""
    most = int(max(original.degree.max(), graph.degree.max())) + 1
    alone = np.bincount(graph.degree, minlength=most)[original.degree] == 1
    found: Bools = alone & (graph.degree == original.degree)
    return found


def by_neighbor(original: Graph, graph: Graph) -> Bools:
    """Tell who has a neighbor in the original whose only neighbor in the release they are."""
    kept = np.intersect1d(keys_of(original), keys_of(graph), assume_unique=True)
    a, b = kept // graph.n, kept % graph.n
    found = np.full(graph.n, graph.n == 1)  # alone, one is found by knowing nothing
    found[a[graph.degree[b] == 1]] = True
    found[b[graph.degree[a] == 1]] = True
    return found


def by_links(original: Graph, graph: Graph) -> Bools:
    """Tell whose links in the release differ from those in the original in fewer places than anybody else's do.

    That is how somebody would look who knows all links of a person, where the others are in the release, and that some
    links are wrong.
    """
    announce_compilation()
    from shoal.engines.local.kernels.sharing_nearest import found_again

    found, lowest = np.zeros(graph.n, dtype=np.bool_), np.argsort(graph.degree, kind="stable")
    rows = original.indptr, original.indices, graph.indptr, graph.indices

    def piece(first: int, last: int) -> None:
        found_again(first, last, np.zeros(graph.n, dtype=np.int64), *rows, lowest, found)

    spread(piece, graph.n, None, "comparing links", heavy(graph.n))
    return found
