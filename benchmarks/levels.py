"""Promises: exact levels of every vertex, as fast as a C++ prototype of the scheme, within 2 GB, and 100 times suda.

PROTOTYPE holds the seconds of a single-threaded C++ program on a quiet machine, printed beside ours.
"""

import logging
import math
import sys
import time

import igraph
import networkx as nx
import numpy as np
from benchmarks.measure import best, file, peak_megabytes, promise

import shoal

SHARES = [  # of l + 1 = 1, 2, 3, 4, 5 or more, every l; two digits of a reference
    ("facebook_combined", 2, (0.00, 0.04, 0.55, 0.16, 0.14, 0.11)),
    ("facebook_combined", 5, (0.11, 0.66, 0.08, 0.03, 0.05, 0.05)),
    ("email-Enron", 2, (0.06, 0.23, 0.14, 0.07, 0.07, 0.43)),
    ("com-DBLP", 2, (0.08, 0.33, 0.15, 0.08, 0.11, 0.24)),
    ("com-DBLP", 5, (0.56, 0.21, 0.03, 0.02, 0.03, 0.15)),
]
PROTOTYPE = {
    ("com-DBLP", 2, "neighbors"): 8.6,
    ("com-DBLP", 5, "neighbors"): 7.8,
    ("facebook_combined", 2, "neighbors"): 3.9,
    ("email-Enron", 2, "neighbors"): 0.44,
    ("ca-GrQc", 2, "relations"): 1.5,
    ("facebook_combined", 2, "relations"): 8.2,
    ("polblogs", 2, "relations"): 85,
}
TOLERANCE = 0.006
"""The references have two digits, cut off or rounded."""

MEMORY = """
import sys, shoal
graph = shoal.read_graph(sys.argv[1])
result = int((~shoal.levels(graph, k=2).exact).sum())
"""


def timed(graph, k, reading):
    start = time.perf_counter()
    found = shoal.levels(graph, reading, k=k)
    return found, time.perf_counter() - start


def shares(found):
    sizes, exact = found.per_vertex + 1, found.exact
    parts = [(sizes == q) & exact for q in (1, 2, 3, 4)]
    parts += [(sizes >= 5) & np.isfinite(sizes) & exact, np.isinf(sizes)]
    return [float(part.mean()) for part in parts]


def known_shares(data):
    kept = True
    for name, k, expected in SHARES:
        path = file(data, name)
        if path is not None:
            found = shares(shoal.levels(shoal.read_graph(path), k=k))
            same = all(abs(a - b) <= TOLERANCE for a, b in zip(found, expected, strict=True))
            print(f"{'ok  ' if same else 'FAIL'} {name} k={k}: {[round(x, 3) for x in found]}")
            kept &= same
    return kept


def against_the_prototype(data):
    kept = True
    shoal.levels(shoal.examples.karate(), "relations", k=2)
    for (name, k, reading), seconds in PROTOTYPE.items():
        path = file(data, name)
        if path is not None:
            found, ours = timed(shoal.read_graph(path), k, reading)
            undecided = int((~found.exact).sum())
            beside = f"C++ prototype, one core: {seconds} s"
            print(f"     {name} k={k} {reading}: {ours:.2f} s ({beside}), {undecided} undecided")
            kept &= undecided == 0
    return kept


def growth():
    """Time from 10^5 to 10^7 edges on power-law graphs, as an exponent."""
    times = []
    for m in (100_000, 1_000_000, 10_000_000):
        drawn = igraph.Graph.Static_Power_Law(m // 5, m, 2.6)
        a, b = np.array(drawn.get_edgelist(), dtype=np.int64).T
        graph = shoal.Graph.from_pairs(range(drawn.vcount()), a, b)
        found, seconds = timed(graph, 2, "neighbors")
        times.append(seconds)
        print(f"     power law, {m:,} edges: {seconds:.2f} s, {int((~found.exact).sum())} undecided")
    print(f"     time grows like edges to the power of {math.log(times[-1] / times[0]) / math.log(100):.2f}")


def against_suda():
    """The minimal uniques of the adjacency table up to two columns, for the same sizes (Definition I, k = 2)."""
    try:
        import pandas as pd
        import suda
    except ImportError:
        print("skip suda: pip install 'shoal[bench]'")
        return True
    logging.disable(logging.WARNING)
    g = nx.gnm_random_graph(200, 800, seed=1)
    table = pd.DataFrame(nx.to_numpy_array(g, dtype=int)).rename(columns="column {}".format)
    found = {}
    ours, peers = best(
        lambda: found.update(ours=shoal.levels(g, "relations", k=2).per_vertex + 1),
        lambda: found.update(peers=suda.suda(table, max_msu=2)["msu"]),
        repeat=1,
    )
    same = [(int(a) if a <= 2 else 0) == int(b or 0) for a, b in zip(found["ours"], found["peers"], strict=True)]
    print(f"     suda, up to 2 columns: {peers:.1f} s; ours, any size: {ours:.3f} s; same sizes: {all(same)}")
    return promise("suda's time / ours", peers / ours, 100, most=False) and all(same)


def memory(data):
    path = file(data, "com-DBLP")
    if path is None:
        return True
    undecided, megabytes = peak_megabytes(MEMORY, path)
    return promise(f"com-DBLP, {undecided} undecided, peak memory in MB", megabytes, 2048, most=True)


def main(data=None):
    kept = known_shares(data)
    kept &= against_the_prototype(data)
    kept &= memory(data)
    growth()
    return against_suda() and kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
