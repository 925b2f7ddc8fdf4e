"""Promises: a million edges are compared within two minutes, baselines included; numbers are those of networkx.

Times are without reading. networkx is timed on a small network, on what both can do.
"""

import sys
import warnings

import networkx as nx
from benchmarks.measure import best, file, peak_megabytes, promise

import shoal
from shoal.errors import Notice
from shoal.utility.base import Network
from shoal.utility.network import compute_pagerank, count_degrees, measure_clustering, measure_cores, measure_distances

LARGE = """
import sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import shoal
from shoal.methods.links.random_edits import perturb_links
club = shoal.examples.karate()
shoal.compare(club, club)
g = shoal.read_graph(sys.argv[1])
release = perturb_links(g, g.m // 7, 2 * g.m // 7, np.random.default_rng(1))
began, cpu = time.perf_counter(), time.process_time()
found = shoal.compare(g, release)
kept = found["edges kept"]
spent = time.perf_counter() - began, time.process_time() - cpu
result = [*spent, len(found.rows), kept.after.value == kept.random.value == g.m - 2 * g.m // 7]
"""
SECONDS, MEGABYTES = 120, 2000


def ours(graph):
    network = Network.of(graph)
    found = {**measure_clustering(network), **measure_distances(network), **count_degrees(network)}
    return found | {**measure_cores(network), "PageRank": float(compute_pagerank(network).max())}


def theirs(g):
    giant = g.subgraph(max(nx.connected_components(g), key=len))
    return {
        "transitivity": nx.transitivity(g),
        "local clustering": nx.average_clustering(g),
        "mean distance": nx.average_shortest_path_length(giant),
        "largest component": len(giant) / len(g),
        "degree assortativity": nx.degree_assortativity_coefficient(g),
        "largest core": max(nx.core_number(g).values()),
        "PageRank": max(nx.pagerank(g, tol=1e-10).values()),
    }


def same(g, graph):
    """Return by how much the worst number differs, relatively."""
    mine = {name: getattr(value, "value", value) for name, value in ours(graph).items()}
    return max(abs(mine[name] - value) / abs(value) for name, value in theirs(g).items())


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    g = nx.powerlaw_cluster_graph(1_500, 4, 0.5, seed=1)
    graph = shoal.as_graph(g)
    kept = promise(
        "numbers beside those of networkx, worst relative difference, x 1e6", 1e6 * same(g, graph), 1, most=True
    )
    mine, other = best(lambda: ours(graph), lambda: theirs(g), repeat=2)
    print(f"     {graph!r}: {mine:.2f} s, networkx {other:.2f} s (4-cycles are ours alone)")
    kept &= promise("networkx / shoal, time of what both measure", other / mine, 5, most=False)
    if path := file(data, "com-DBLP"):
        (spent, cpu, rows, right), peak = peak_megabytes(LARGE, path)
        print(f"     com-DBLP: {spent:.0f} s, of which {cpu:.0f} s of processor time")
        kept &= promise(f"com-DBLP, {rows} metrics with baselines: seconds", spent, SECONDS, most=True)
        kept &= promise("com-DBLP: peak memory in MB", peak, MEGABYTES, most=True)
        kept &= promise("com-DBLP: links kept are as many as were made to stay", right, 1, most=False)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
