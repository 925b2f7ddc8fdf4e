"""Promises: whom a few known neighbors give away before and after equal rows; how long attacks take on large networks.

Targets who are left with 1 to k-1 candidates are counted in the whole network; whom nothing fits is counted apart.
Two directed networks are attacked with their directions and without them, published unchanged under new names.
"""

import sys
import time
import warnings

from benchmarks.directed import NETWORKS, read_directed
from benchmarks.measure import best, file, promise

import shoal
from shoal.errors import Notice

K = 2
SECONDS = {"neighbors:2": 60, "cascade": 60}
WAYS = (
    {"knowledge": "degree"},
    {"knowledge": "neighbors:2"},
    {"by": "cascade"},
    {"by": "korula-lattanzi"},
    {"by": "narayanan-shmatikov"},
)
LOWER, RATIO = 0.01, 2.5
"""With directions, a rate may be lower by so much, and all attacks together may take so many times the CPU time."""


def few_neighbors(graph):
    """Some people are unique before. With equal rows none is."""
    release, kept = shoal.methods.EqualizeRows(k=K, seed=0)(graph), True
    for l in (1, 2, 3):
        outcome = shoal.attack(graph, release, knowledge=shoal.knowledge.Neighbors(l), k=K, seed=0)
        before, after = (outcome[name].rates for name in ("only renamed", "release"))
        told = f"misled {after['misled'].rate:.3f}, found {after['found'].rate:.3f}"
        print(f"     {l} known: 1 to {K - 1} candidates before {before['below k'].rate:.3f}; after, {told}")
        kept &= promise(
            f"     {l} known: 1 to {K - 1} candidates after equal rows", after["below k"].rate, 0, most=True
        )
        kept &= promise("     highest chance of a target, times k", outcome.law["measured"] * K, 1, most=True)
    return kept


def quick(graph):
    """Attack a network of a million links."""
    release, kept = shoal.methods.Perturb(add=0.01, delete=0.01, seed=1)(graph), True
    ways = {"neighbors:2": {"knowledge": "neighbors:2"}, "cascade": {"by": "cascade"}}
    for name, way in ways.items():
        (spent,) = best(lambda way=way: shoal.attack(graph, release, **way), repeat=1)
        kept &= promise(f"com-DBLP, {name}: seconds for all graphs", spent, SECONDS[name], most=True)
    return kept


def compare_directions(name, directed):
    """Print the rate of each attack with and without directions; return whether directions lower none."""
    kept, spent = True, [0.0, 0.0]
    for way in WAYS:
        rates = []
        for i, graph in enumerate((directed, directed.to_undirected())):
            start = time.process_time()
            outcome = shoal.attack(graph, graph, seed=1, **way)
            spent[i] += time.process_time() - start
            rates.append(outcome.rate)
        text = f"{name}, {outcome.shell}: directed {rates[0]:.4f}, undirected {rates[1]:.4f}, difference"
        kept &= promise(text, rates[0] - rates[1], -LOWER, most=False)
    return promise(f"{name}, all attacks together: ratio of CPU times", spent[0] / spent[1], RATIO, most=True) and kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    club, kept = shoal.examples.karate(), True
    for way in ({"knowledge": "neighbors:2"}, {"by": "cascade"}):
        shoal.attack(club, club, **way)  # loads libraries
    if path := file(data, "ca-GrQc"):
        kept &= few_neighbors(shoal.read_graph(path))
    if path := file(data, "com-DBLP"):
        kept &= quick(shoal.read_graph(path))
    for name in NETWORKS:
        directed = read_directed(data, name)
        kept &= directed is None or compare_directions(name, directed)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
