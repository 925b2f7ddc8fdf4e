"""Promises: equal rows and degrees cost less than reading the file; a refinement round 20 times less than networkx."""

import sys
import warnings

import networkx as nx
from benchmarks.measure import best, file, promise

import shoal


def against_networkx():
    g = nx.gnm_random_graph(10_000, 100_000, seed=1)
    graph = shoal.as_graph(g)
    shoal.assess(graph, "refinement:2")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networkx tells that its hashes changed in 3.5
        ours, peers = best(
            lambda: shoal.assess(graph, "refinement:3").k,
            lambda: nx.weisfeiler_lehman_subgraph_hashes(g, iterations=3),
            repeat=5,
        )
    return promise("refinement, 10,000 vertices: networkx's time / ours, per round", peers / ours, 20, most=False)


def against_reading(path):
    graph = shoal.read_graph(path)
    for spec in ("degree", "adjacency", "refinement:2"):
        shoal.assess(graph, spec)
    reading, both, one_round = best(
        lambda: shoal.read_graph(path),
        lambda: (shoal.assess(graph, "degree").k, shoal.assess(graph, "adjacency").k),
        lambda: shoal.assess(graph, "refinement:2").k,
        repeat=5,
    )
    print(f"     com-DBLP: reading {reading:.3f} s, degree and adjacency {both:.3f} s, refinement:2 {one_round:.3f} s")
    kept = promise("degree and adjacency / reading com-DBLP", both / reading, 1, most=True)
    return promise("one round of refinement / reading com-DBLP", one_round / reading, 1, most=True) and kept


def main(data=None):
    kept = against_networkx()
    path = file(data, "com-DBLP")
    return (path is None or against_reading(path)) and kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
