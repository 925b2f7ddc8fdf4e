"""Promises: directed networks cost at most twice the time of undirected ones, and levels of 10^7 arcs take a minute.

Every kind of knowledge that reads links is counted on a real network with its directions and without them, in one
process. The two take turns, each on a fresh copy of its graph, so that nothing is kept from the call before. Times are
the least CPU times of all threads; short calls are repeated often.
"""

import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
from benchmarks.measure import promise

import shoal
from shoal.errors import Notice
from shoal.knowledge import REGISTRY

NETWORKS = ("email-Eu-core", "wiki-Vote")
KINDS = (
    "degree",
    "degree:total",
    "degree~5%",
    "refinement:2",
    "refinement:3",
    "refinement",
    "hubs:5",
    "hubs:5:2",
    "hubs:5:2:open",
    "hubs:5:*:open",
    "hubs:50",
    "subgraph:2",
    "subgraph:3",
    "subgraph:4",
    "subgraph:3:atleast",
    "counts:1",
    "counts:1~5%",
    "counts:2",
    "degrees:1",
    "degrees:1~5%",
    "neighborhood:1",
    "shared-neighbors:1",
    "shared-neighbors:2",
    "neighbors:1",
    "neighbors:2",
    "neighbors:2~1",
    "relations:1",
    "relations:2",
    "located-relations:1",
    "located-relations:2",
    "adjacency",
    "orbit",
    "degree+neighbors:1",
)
READINGS = ("neighbors", "relations", "located-relations")
LIMITS = {("wiki-Vote", "neighborhood:1"): 1.0}
"""The most seconds of CPU; a public C++ program needs about .7 s for the undirected network."""
FEWEST, MOST = 3, 200
"""The fewest and the most turns of two calls."""
LONG = 2.0
"""Two calls take further turns until they have taken so many seconds of CPU together."""
ARCS = 10_000_000
EXPONENT = 2.6


def read_directed(data, name):
    """Return a real network with its directions, or None with a note."""
    path = None if data is None else Path(data) / f"{name}.directed.csv.gz"
    if path is None or not path.exists():
        print(f"skip {name}: pass --data FOLDER (make bench DATA=FOLDER) with {name}.directed.csv.gz")
        return None
    return shoal.read_graph(path, directed=True, drop_loops=True)


def draw_power_law(arcs, n, seed):
    """Return a simple digraph whose expected degrees, out and in, follow a power law, each independently."""
    rng = np.random.default_rng(seed)
    weights = np.arange(1, n + 1) ** (-1 / (EXPONENT - 1))
    ends = []
    for _ in range(2):
        bounds = np.cumsum(rng.permutation(weights))
        ends.append(np.searchsorted(bounds, rng.random(int(arcs * 1.1)) * bounds[-1]))
    keys = np.unique(ends[0] * n + ends[1])
    a, b = keys // n, keys % n
    kept = rng.permutation(np.flatnonzero(a != b))[:arcs]
    return shoal.Graph.from_pairs(range(n), a[kept], b[kept], directed=True)


def spend(call, *arguments):
    """Return the CPU time of a call, of all threads, and its result."""
    start = time.process_time()
    result = call(*arguments)
    return time.process_time() - start, result


def copy_afresh(graph):
    """Return the same graph without anything that was computed from it."""
    return replace(graph, ties=None if graph.ties is None else replace(graph.ties))


def take_turns(call, *graphs):
    """Return the least CPU time of a call on each graph. The calls take turns, each on a fresh copy."""
    times = [[] for _ in graphs]
    while len(times[0]) < FEWEST or (sum(map(sum, times)) < LONG and len(times[0]) < MOST):
        for taken, graph in zip(times, graphs, strict=True):
            taken.append(spend(call, copy_afresh(graph))[0])
    return [min(taken) for taken in times]


def check_kinds():
    """Raise an error if a registered kind of knowledge about links is not measured."""
    named = {type(part) for spec in KINDS for part in shoal.parse_knowledge(spec).parts}
    left = [kind.shell for kind in REGISTRY.words.values() if kind.reads_links and kind not in named]
    if left:
        raise LookupError(f"benchmarks.directed: KINDS must name every kind of knowledge about links. Missing: {left}.")


def compare_kinds(name, directed):
    """Print what each kind of knowledge costs with and without directions; return whether the ratios are kept."""
    plain, kept, sums = directed.to_undirected(), True, [0.0, 0.0]
    calls = [(spec, lambda graph, spec=spec: shoal.assess(graph, spec).sizes) for spec in KINDS]
    calls += [(f"levels {one}", lambda graph, one=one: shoal.levels(graph, one, k=2).sizes) for one in READINGS]
    for spec, call in calls:
        with_directions, without = take_turns(call, directed, plain)
        sums[0], sums[1] = sums[0] + with_directions, sums[1] + without
        text = f"{name}, {spec}: directed {1000 * with_directions:.2f} ms, undirected {1000 * without:.2f} ms of CPU"
        if (name, spec) in LIMITS:
            kept &= promise(f"{name}, {spec}, directed: seconds of CPU", with_directions, LIMITS[name, spec], most=True)
        kept &= promise(f"{text}, ratio", with_directions / without, 2, most=True)
    return promise(f"{name}, all kinds together: ratio", sums[0] / sums[1], 2, most=True) and kept


def measure_levels():
    """Measure exact levels of a generated network; return whether each takes less than a minute."""
    graph, kept = draw_power_law(ARCS, ARCS // 5, seed=20), True
    for k in (2, 5):
        start = time.perf_counter()
        found = shoal.levels(graph, k=k)
        undecided = int((~found.exact).sum())
        text = f"levels of {graph.m:,} arcs, power law, k = {k}, {undecided} undecided: seconds"
        kept &= promise(text, time.perf_counter() - start, 60, most=True)
    return kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    check_kinds()
    kept = measure_levels()
    for name in NETWORKS:
        directed = read_directed(data, name)
        kept &= directed is None or compare_kinds(name, directed)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
