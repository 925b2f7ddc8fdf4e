"""Promise: with 5 % of the links deleted, few people stay at risk under counts:1, fewer than by published heuristics.

Shares of people at risk for k = 2. "random": random edits of the same sort. "at unique": random links of people at
risk. "affected": the links that affect most people at risk. Both choose again after each 5 % of the budget (de Jong et
al. 2024). Times are CPU seconds of all 4 chains: 120 are 60 seconds on two cores. The utility is printed with its
limits.

Then tables for k = 5, the other edits and the other kinds of knowledge, with a short search and without a limit. Only
the tables: `python -m benchmarks.reducing FOLDER tables [NETWORK ...]`.
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
from shoal.methods.links.reduce_risk.baselines import HEURISTICS, delete_in_rounds, edit_randomly
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
EDITS = ("delete", "add", "add-delete", "swap")
PROPOSALS = {
    "counts:1": 300_000,
    "degree": 300_000,
    "degrees:1": 300_000,
    "refinement:2": 60_000,
    "neighbors:1": 300_000,
    "neighborhood:1": 60_000,
    "neighbors:2": 60_000,
    "hubs:5": 20_000,
}
"""The kinds of knowledge in a table, and the proposals of each chain, so that a row takes some seconds."""
DRAWS = 3
"""Random edits are drawn so often; their mean is printed."""
TABLES = ("power", "ca-GrQc", "polblogs")


def share(graph, knows=KNOWS, k=K):
    """Return the share of people with fewer than k candidates."""
    return shoal.assess(graph, knows).rate(k)


def measure_baselines(graph):
    """Return the shares at risk after random deletions and after the heuristics."""
    rng = np.random.default_rng(1)
    random = share(perturb_links(graph, 0, int(BUDGET * graph.m), rng))
    return random, *measure_heuristics(graph, KNOWS, K, rng)


def measure_heuristics(graph, knows, k, rng):
    """Return the shares at risk after deletions by the heuristics."""
    spent, kinds = int(BUDGET * graph.m), [shoal.parse_knowledge(knows)]
    return [share(delete_in_rounds(graph, spent, how, kinds, k, rng), knows, k) for how in HEURISTICS.values()]


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


def list_rows():
    """Yield the knowledge, k and the edits of each row of a table."""
    for knows in PROPOSALS:
        for k in (2, 5) if knows == KNOWS else (2,):
            yield from ((knows, k, edits) for edits in EDITS if (knows, edits) != ("degree", "swap"))


def print_table(name, graph):
    """Print the share at risk before, after random edits of the same sort, after the heuristics, and after."""
    rng, budget = np.random.default_rng(1), int(BUDGET * graph.m)
    drawn = {edits: [edit_randomly(graph, budget, edits, rng) for _ in range(DRAWS)] for edits in EDITS}
    print(f"     {name}: share at risk with {BUDGET:.0%} of {graph.m:,} links changed")
    print("     knows           k  edits       before  random  at unique  affected   shoal  CPU s")
    for knows, k, edits in list_rows():
        release, spent = timed(graph, PROPOSALS[knows], knowledge=knows, k=k, edits=edits, budget=BUDGET)
        random = np.mean([share(g, knows, k) for g in drawn[edits]])
        others = [f"{one:.4f}" for one in measure_heuristics(graph, knows, k, rng)] if edits == "delete" else ["", ""]
        shares = f"{share(graph, knows, k):.4f}  {random:.4f}  {others[0]:>9}  {others[1]:>8}"
        left = share(release.data, knows, k)
        print(f"     {knows:<14}  {k}  {edits:<10}  {shares}  {left:.4f}  {spent:5.1f}", flush=True)


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
    kept, tables = True, "tables" in names
    chosen = [name for name in names if name != "tables"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        for name in () if tables else chosen or LIMITS:
            if path := file(data, name):
                kept &= check(name, shoal.read_graph(path))
        for name in (chosen or TABLES) if tables or not chosen else ():
            if path := file(data, name):
                print_table(name, shoal.read_graph(path))
        return kept if names else check_large(data) and kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
