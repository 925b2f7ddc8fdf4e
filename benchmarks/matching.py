"""Promises: what matching attacks find in releases of a real network, and in what these are compared with; how fast.

Means over repeats. The numbers are those of Korula & Lattanzi's attack with 90 % of the links, 5 % seeds and two
witnesses; times are for one repeat on one graph.
"""

import sys
import warnings

from benchmarks.measure import best, file, promise

import shoal
from shoal.attacks.grampa import Grampa
from shoal.attacks.korula_lattanzi import KorulaLattanzi
from shoal.attacks.narayanan_shmatikov import NarayananShmatikov
from shoal.errors import Notice
from shoal.knowledge.view import Pair

REPEATS = 10
TRIES = 4
"""Graphs that are attacked in each repeat."""
FOUND = {"only renamed": (0.74, 0.82), "random edits": (0.2, 0.36), "surviving edges": (0.04, 0.09)}
SECONDS = {
    "facebook_combined": {KorulaLattanzi: 5, NarayananShmatikov: 5, Grampa: 150},
    "email-Enron": {KorulaLattanzi: 20, NarayananShmatikov: 20},
    "com-DBLP": {KorulaLattanzi: 120},
}


def between(text, value, low, high):
    """Tell whether a value is where it must be."""
    return promise(text, value, low, most=False) & promise(text, value, high, most=True)


def tell(outcome):
    """Print all rates."""
    for trial in outcome.trials:
        print(f"     {trial.graph:16} {', '.join(f'{name} {rate.rate:.3f}' for name, rate in trial.rates.items())}")


def tried(graph, release):
    """Attack a release of a graph."""
    outcome = KorulaLattanzi(repeats=REPEATS)(Pair.of(graph, release.data), release, seed=1)
    tell(outcome)
    return outcome


def twins(graph):
    """Equal rows: nearly nobody is found, and only the last step is anonymity."""
    outcome = tried(graph, shoal.methods.EqualizeRows(k=5, seed=1)(graph))
    kept = promise("equal rows, k = 5: recall", outcome.rate, 0.025, most=True)
    found = outcome["release"].rates
    kept &= between("     precision / right class", found["precision"].rate / found["right class"].rate, 0.17, 0.27)
    for name, (low, high) in FOUND.items():
        kept &= between(f"     {name}: recall", outcome[name].rates["recall"].rate, low, high)
    law = outcome.law
    print(
        f"     twins allow {law['expected precision']:.4f}, measured {law['measured']:.4f}, {law['deviations']:+.1f} sd"
    )
    return kept & promise("     above what twins allow, in deviations", law["deviations"], 4, most=True)


def timed(name, graph):
    """Measure one repeat."""
    kept = True
    for attack, most in SECONDS[name].items():
        outcomes = []
        how = attack(repeats=1)
        (spent,) = best(lambda how=how, kept=outcomes: kept.append(how(Pair.of(graph, graph), None, 1)), repeat=1)
        kept &= promise(f"{name}, {attack.shell}: seconds a repeat", spent / TRIES, most, most=True)
        tell(outcomes[0])
    return kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    novel, kept = shoal.examples.les_miserables(), True
    for attack in (KorulaLattanzi, NarayananShmatikov, Grampa):
        attack(repeats=1)(Pair.of(novel, novel), None, 1)  # loads libraries
    if path := file(data, "facebook_combined"):
        graph = shoal.read_graph(path)
        outcome = tried(graph, shoal.methods.MatchDegrees(k=10, seed=1)(graph))
        kept &= between("equal degrees, k = 10: recall", outcome.rate, 0.71, 0.80) & twins(graph)
    for name in SECONDS:
        if path := file(data, name):
            kept &= timed(name, shoal.read_graph(path))
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
