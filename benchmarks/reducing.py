"""Promise: with 5 % of the links deleted, few people stay at risk under counts:1, fewer than by published heuristics.

Shares of people at risk for k = 2. "random": random deletions. "at unique": random links of people at risk. "affected":
the links that change the counts of most people at risk. Both choose again after each 5 % of the budget (de Jong et al.
2024). Times are CPU seconds of all 4 chains: 120 are 60 seconds on two cores. The utility is printed with its limits.
"""

import sys
import time
import warnings

import numpy as np
from benchmarks.measure import file, promise

import shoal
from shoal.errors import Notice
from shoal.methods import ReduceRisk
from shoal.methods.links.random_edits import perturb_links
from shoal.methods.links.reduce_risk.baselines import HEURISTICS, delete_in_rounds
from shoal.utility.base import Network
from shoal.utility.communities import list_searches, measure_nmi

KNOWS, K, BUDGET, SECONDS = "counts:1", 2, 0.05, 120
LIMITS = {
    "power": (0.02, 0.0, 2_000_000),
    "ca-GrQc": (0.05, 0.005, 6_000_000),
    "polblogs": (0.05, 0.15, 6_000_000),
    "facebook_combined": (0.05, 0.29, 2_400_000),
    "Lehigh96": (0.05, 0.37, 3_500_000),
}
"""The budget, the share of people that may be left at risk, and the proposals of each chain."""
OTHERS = (
    {"k": 5},
    {"edits": "add"},
    {"edits": "add-delete"},
    {"edits": "swap"},
    {"suppress": 0.02},
    {"facts": "both"},
    {"knowledge": "degree"},
    {"knowledge": "degrees:1"},
    {"knowledge": "refinement:2"},
    {"knowledge": "neighbors:1"},
)
"""Printed for polblogs, without a limit."""


def share(graph, knows=KNOWS, k=K):
    """Return the share of people with fewer than k candidates."""
    return shoal.assess(graph, knows).rate(k)


def measure_baselines(graph):
    """Return the shares at risk after random deletions and after the heuristics."""
    rng = np.random.default_rng(1)
    random = share(perturb_links(graph, 0, int(BUDGET * graph.m), rng))
    spent, knows = int(BUDGET * graph.m), [shoal.parse_knowledge(KNOWS)]
    return random, *(share(delete_in_rounds(graph, spent, how, knows, K, rng)) for how in HEURISTICS.values())


def timed(graph, proposals, **how):
    """Return a release, and the CPU seconds of making it."""
    began = time.process_time()
    given = {"knowledge": KNOWS, "k": K, "effort": max(1, proposals // graph.m)} | how
    return ReduceRisk(**given)(graph), time.process_time() - began


def check_utility(name, release):
    """Print what is left of the structure, beside its limits."""
    change, n = release.utility, release.original.n
    before, after = (list_searches(Network(g, seed=1), 2) for g in (release.original, release.data))
    kept = promise(f"{name}: degree KS", change.degree_distance, 0.03, most=True)
    component = change.largest_component[1] / change.largest_component[0]
    kept &= promise(f"{name}: largest component / before", component, 0.97, most=False)
    kept &= promise(
        f"{name}: change of transitivity", abs(change.transitivity[1] / change.transitivity[0] - 1), 0.08, most=True
    )
    itself = measure_nmi(before[0], before[1])
    print(
        f"     {name}: community NMI {measure_nmi(before[0], after[0]):.3f}, of two runs on the original {itself:.3f}"
    )
    return kept and n == release.data.n


def check(name, graph):
    budget, most, proposals = LIMITS[name]
    release, spent = timed(graph, proposals, budget=budget)
    left = share(release.data)
    random, near, affected = measure_baselines(graph)
    print(f"     {name}: {share(graph):.4f} before, {left:.4f} after {len(release.edits):,} of {graph.m:,} links")
    print(f"     {name}: 5 % by random deletion {random:.4f}, at unique {near:.4f}, affected {affected:.4f}")
    kept = promise(
        f"{name}: share at risk with {budget:.0%} deleted, in thousandths", 1000 * left, 1000 * most, most=True
    )
    kept &= promise(f"{name}: CPU seconds", spent, SECONDS, most=True)
    return check_utility(name, release) and kept


def print_others(graph):
    """Print the share at risk before, after random deletion, and after, for other k, edits and knowledge."""
    rng = np.random.default_rng(1)
    drawn = perturb_links(graph, 0, int(BUDGET * graph.m), rng)
    for how in OTHERS:
        release, spent = timed(graph, 1_000_000, **how)
        knows, k = how.get("knowledge", KNOWS), how.get("k", K)
        shares = [share(g, knows, k) for g in (graph, drawn, release.data)]
        told = ", ".join(f"{name} = {value}" for name, value in how.items())
        print(f"     polblogs, {told}: {shares[0]:.4f}, random {shares[1]:.4f}, {shares[2]:.4f} ({spent:.0f} s)")


def check_large(data):
    path = file(data, "com-DBLP")
    if path is None:
        return True
    graph = shoal.read_graph(path)
    began = time.perf_counter()
    release, _ = timed(graph, 3 * graph.m)
    seconds = time.perf_counter() - began
    random = share(perturb_links(graph, 0, int(BUDGET * graph.m), np.random.default_rng(1)))
    kept = promise("com-DBLP: share at risk / that of random deletion", share(release.data) / random, 0.5, most=True)
    return promise("com-DBLP: seconds", seconds, 600, most=True) and kept


def main(data=None, *names):
    kept = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        for name in names or LIMITS:
            if path := file(data, name):
                kept &= check(name, shoal.read_graph(path))
        if not names and (path := file(data, "polblogs")):
            print_others(shoal.read_graph(path))
        return kept if names else check_large(data) and kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
