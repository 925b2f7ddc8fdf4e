"""Promises: links added until everybody shares l neighbors with k - 1 others, and the seconds it takes, verified.

Nobody becomes a hub by it, and leaving out those who got most links undoes little. Random edits of a million links
take seconds, risk counted.
"""

import sys
import warnings

import networkx as nx
import numpy as np
from benchmarks.measure import best, file, promise

import shoal
from shoal.errors import Notice
from shoal.methods.links.share_neighbors.adding import count_sharing

K = 5
CASES = {
    "polblogs": {("weak", 1): 8, ("strong", 1): 20, ("weak", 2): 185},
    "ca-GrQc": {("weak", 1): 560, ("strong", 1): 1_400, ("weak", 2): 3_300},
    "facebook_combined": {("weak", 1): 0, ("strong", 1): 0, ("weak", 2): 110},
    "email-Enron": {("weak", 1): 1_700, ("strong", 1): 4_100, ("weak", 2): 16_500},
}
"""Links added at most, by variant and l."""
SECONDS = 120


def still(release, l, left_out):
    """Return the share of those who share enough when the vertices that got most links are left out."""
    got = release.data.degree - release.original.degree
    rest = np.setdiff1d(np.arange(release.data.n), np.argsort(-got)[:left_out])
    place = np.full(release.data.n, -1)
    place[rest] = np.arange(len(rest))
    a, b, _ = release.data.edges()
    inside = (place[a] >= 0) & (place[b] >= 0)
    graph = shoal.Graph.from_pairs(range(len(rest)), place[a[inside]], place[b[inside]])
    return float((count_sharing(graph, l) >= K - 1).mean())


def one(name, graph, variant, l, most):
    releases = []
    (spent,) = best(lambda: releases.append(shoal.methods.ShareNeighbors(K, l, variant)(graph)), repeat=1)
    release = releases[0]
    text, told = f"{name} k = {K}, l = {l}, {variant}", release.measured
    below = int((count_sharing(graph, l) < K - 1).sum())
    print(f"     {text}: {below:,} of {graph.n:,} lack somebody, {told}, {spent:.1f} s")
    kept = promise(f"{text}: links added", told["edits"], most, most=True)
    kept &= promise(f"{text}: seconds", spent, SECONDS, most=True)
    kept &= promise(f"{text}: largest degree / before", release.data.degree.max() / graph.degree.max(), 1, most=True)
    share = still(release, l, l)
    return kept & promise(f"{text}: share that keeps it without the {l} who got most", share, 0.98, most=False)


def perturbing(graph, name):
    kept = True
    for how in ({"add": 0.1, "delete": 0.1}, {"switch": 0.5}):
        releases = []
        (spent,) = best(lambda how=how, to=releases: to.append(shoal.methods.Perturb(**how, seed=1)(graph)), repeat=1)
        print(f"     {name}, {how}: {releases[0].measured}")
        kept &= promise(f"{name}, {graph.m:,} links, {how}: seconds", spent, 20, most=True)
    return kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    small = nx.barabasi_albert_graph(60, 2, seed=1)  # loads libraries
    for how in (
        shoal.methods.ShareNeighbors(3, 2),
        shoal.methods.ShareNeighbors(3, 2, "strong"),
        shoal.methods.Perturb(switch=9),
    ):
        how(small)
    kept = True
    for name, cases in CASES.items():
        if path := file(data, name):
            graph = shoal.read_graph(path)
            for (variant, l), most in cases.items():
                kept &= one(name, graph, variant, l, most)
    million = file(data, "com-DBLP")
    graph = shoal.read_graph(million) if million else shoal.as_graph(nx.gnm_random_graph(200_000, 1_000_000, seed=1))
    return kept & perturbing(graph, "com-DBLP" if million else "a random network")


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
