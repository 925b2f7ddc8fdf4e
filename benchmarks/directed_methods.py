"""Promises: methods on directed networks, beside the same networks without directions.

Each method runs at k = 5 on a real network with its directions and without them. Printed are its edits with the proved
lower bound, CPU seconds of all threads, the share of them that verification takes, and the success of attacks on the
original and on the release. Methods that draw all links anew have no edits.
"""

import sys
import warnings
from dataclasses import replace

import numpy as np
from benchmarks.directed import NETWORKS, copy_afresh, read_directed, spend
from benchmarks.measure import promise

import shoal
from shoal.attacks import Cascade, KorulaLattanzi, NarayananShmatikov
from shoal.errors import Notice
from shoal.methods import (
    Confuse,
    EqualizeRows,
    Generalize,
    HideNeighbors,
    HideRelations,
    MatchDegrees,
    Perturb,
    Pipeline,
    ReduceRisk,
    ShareNeighbors,
)
from shoal.release.verify import verify_release

K = 5
SWEEPS = {"degree": 5, "counts:1": 5, "degrees:1": 5, "refinement:2": 1, "neighbors:1": 5}
"""Short searches: by default, these networks get 19 to 124 sweeps, which find fewer people at risk."""
METHODS = {
    "equalize-rows": EqualizeRows(K, seed=1),
    "generalize": Generalize(K, seed=1),
    "confuse": Confuse(K, seed=1),
    "hide-neighbors:1": HideNeighbors(K, seed=1),
    "hide-relations:1": HideRelations(K, seed=1),
    "share-neighbors:2": ShareNeighbors(K, 2, seed=1),
    "match-degrees, add-delete": MatchDegrees(K, "add-delete", seed=1),
    "match-degrees, add": MatchDegrees(K, "add", seed=1),
    "perturb, 10 %": Perturb(add=0.1, delete=0.1, seed=1),
    "perturb, then hide-neighbors:1": Pipeline([Perturb(add=0.02, delete=0.02, seed=1), HideNeighbors(K, seed=1)]),
    **{
        f"reduce-risk, {spec}, 5 %": ReduceRisk(spec, K, budget=0.05, effort=sweeps, seed=1)
        for spec, sweeps in SWEEPS.items()
    },
}
ATTACKS = (NarayananShmatikov(repeats=1), KorulaLattanzi(repeats=1), Cascade())
GROUPS = 5
"""Random values of a column, which confuse exchanges."""
SECONDS = 120
"""The most seconds of CPU of one release."""
VERIFYING = 0.1
"""The largest share of the making that verification takes."""


def describe(release):
    """Return the numbers of a release as text."""
    told = release.measured
    bound = f" (at least {told['lower bound on edits']:,})" if "lower bound on edits" in told else ""
    risk = "people at risk by facts of the release"
    left = f", at risk {told['people at risk before']:,} -> {told[risk]:,}" if risk in told else ""
    changed = (
        "all links drawn anew" if release.method.redraws else f"{len(release.edits):,} of {release.original.m:,} links"
    )
    return f"{changed}{bound}{left}"


def measure_success(original, release):
    """Return the success of each attack as text: shares of people, if only names were changed and in the release."""
    found = [shoal.attack(original, release, by=attack, seed=1) for attack in ATTACKS]
    rates = [(one.shell, one["only renamed"].rates[one.main].rate, one.rate) for one in found]
    return ", ".join(f"{shell} {before:.3f} -> {after:.3f}" for shell, before, after in rates)


def judge(text, method, graph):
    """Print the numbers of one release; return it, and whether its limits are kept.

    It is verified again on fresh copies of its graphs, so that nothing is kept from the making.
    """
    seconds, release = spend(method, graph)
    kept = promise(f"{text}: {describe(release)}; seconds of CPU", seconds, SECONDS, most=True)
    fresh = replace(release, original=copy_afresh(release.original), data=copy_afresh(release.data))
    share = spend(verify_release, fresh)[0] / seconds
    return release, promise(f"{text}: verification / making", share, VERIFYING, most=True) and kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for name in NETWORKS:
        directed = read_directed(data, name)
        if directed is None:
            continue
        group = np.random.default_rng(1).integers(GROUPS, size=directed.n)
        directed = directed.with_attributes(shoal.as_table({"group": group.tolist()}))
        for called, method in METHODS.items():
            for form, graph in (("directed", directed), ("undirected", directed.to_undirected())):
                text = f"{name}, {called}, {form}"
                release, fine = judge(text, method, graph)
                kept &= fine
                print(f"     {text}: attacks: {measure_success(graph, release)}", flush=True)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
