"""Edits and CPU time of methods on directed networks, beside the same networks without directions."""

import sys
import warnings

from benchmarks.directed import NETWORKS, read_directed, spend
from benchmarks.measure import promise

from shoal.errors import Notice
from shoal.methods import MatchDegrees, Perturb, ReduceRisk

K = 5
METHODS = {
    "match-degrees, add-delete": MatchDegrees(K, "add-delete"),
    "match-degrees, add": MatchDegrees(K, "add"),
    "reduce-risk, degree, 5 %": ReduceRisk("degree", K, budget=0.05, effort=20),
    "reduce-risk, neighbors:1, 5 %": ReduceRisk("neighbors:1", K, budget=0.05, effort=20),
    "perturb, 10 %": Perturb(add=0.1, delete=0.1, seed=1),
}
SECONDS = 60
"""The most seconds of CPU of one release."""


def describe(release):
    """Return the numbers of a release as text."""
    told = release.measured
    bound = f" (at least {told['lower bound on edits']:,})" if "lower bound on edits" in told else ""
    risk = "people at risk by facts of the release"
    left = f", at risk {told['people at risk before']:,} -> {told[risk]:,}" if risk in told else ""
    return f"{told['edits']:,} of {release.original.m:,} links{bound}{left}"


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for name in NETWORKS:
        directed = read_directed(data, name)
        if directed is None:
            continue
        for called, method in METHODS.items():
            for form, graph in (("directed", directed), ("undirected", directed.to_undirected())):
                seconds, release = spend(method, graph)
                text = f"{name}, {called}, {form}: {describe(release)}; seconds of CPU"
                kept &= promise(text, seconds, SECONDS, most=True)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
