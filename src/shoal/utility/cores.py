"""Cores: how deep vertices are inside the network."""

from __future__ import annotations

import numpy as np

from shoal.data.utility import distance
from shoal.utility.comparison import Metric
from shoal.utility.group import Group, Values
from shoal.utility.network import Network

GROUP = "cores"
METRICS = (
    Metric(
        "largest core",
        "The largest c for which some vertices have c links or more among themselves.",
        GROUP, 0, None, "closer", unit="count",
    ),
    Metric(
        "core distance",
        "By how much the share of vertices with a core number of at most c differs, for the worst c "
        "(Kolmogorov-Smirnov).",
        GROUP, 0, 1, "lower", unit="share",
    ),
    Metric(
        "core number kept",
        "The share of the original's vertices whose core number is what it was.",
        GROUP, 0, 1, "higher", True, "share",
    ),
)  # fmt: skip


def counted(network: Network) -> Values:
    """Return the largest core number."""
    return {"largest core": int(network.cores.max())}


def compared(before: Network, after: Network) -> Values:
    """Compare core numbers, those of each vertex where it is known who is who."""
    found = {**counted(after), "core distance": distance(before.cores, after.cores)}
    if after.who is None:
        return found
    here = after.who >= 0
    same = np.count_nonzero(before.cores[here] == after.cores[after.who[here]])
    return {**found, "core number kept": float(same / before.n)}


CORES = Group(METRICS, counted, compared)
