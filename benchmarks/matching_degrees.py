"""Promises: k-degree anonymity with few edits in seconds, the dynamic programs exact, the structure spared.

Half of L1, the least sum of differences, is what the literature holds edits against. It cannot be reached here: where
the edits that *any* solution needs (proved in shoal.methods.links.match_degrees.bounds) are more than 1.02 times that,
no method comes within 2 % of it. So edits are held against the proved bound, with limits set to what is reached. Times
are CPU seconds, verification and bounds included, compilation apart. The utility is that of the largest component of
polblogs for k = 5, beside the figures published for Liu & Terzi: promised with deletions, printed for all other ways.
"""

import sys
import time
import warnings

import numpy as np
from benchmarks.measure import file, promise

import shoal
from shoal.errors import Notice
from shoal.methods.links.match_degrees import REALIZE
from shoal.methods.links.match_degrees.groups import find_optimal_groups, sort_degrees
from shoal.release.release import measure_transitivity

KNOWN = {
    ("karate", 2): (7, 5),
    ("karate", 5): (25, 17),
    ("karate", 10): (86, 44),
    ("power", 10): (55, 19),
    ("power", 50): (449, 92),
    ("polblogs", 10): (1629, 807),
    ("facebook_combined", 10): (6140, 2486),
    ("email-Enron", 10): (5772, 3255),
}
"""The least sums of differences: additions only, and with deletions."""
MOST = {
    ("facebook_combined", "add"): {5: 1.01, 10: 1.01, 50: 1.01},
    ("facebook_combined", "add-delete"): {5: 1.02, 10: 1.04, 50: 1.05},
    ("email-Enron", "add"): {5: 1.06, 10: 1.06, 50: 1.03},
    ("email-Enron", "add-delete"): {5: 1.20, 10: 1.17, 50: 1.12},
}
"""Edits per edit that is proved to be needed, as reached, rounded up."""
UNREACHABLE = 1.02
"""A proved bound of so many times half of L1 means that no method comes within 2 % of half of L1."""
SECONDS, PEER_EDITS, PEER_SECONDS = 12, 4152, 24
"""The peer is a Java tool on email-Enron for k = 5."""
ORIGINAL, PUBLISHED = (74.08, 0.226, 2.506), (75.10, 0.221, 2.475)
"""The top eigenvalue, the transitivity and the harmonic mean distance: before, and after Liu & Terzi."""
WHAT = ("top eigenvalue", "transitivity", "harmonic mean distance")


def timed(graph, k, **how):
    """Return a release and the CPU seconds it took."""
    began = time.process_time()
    release = shoal.methods.MatchDegrees(k, **how)(graph)
    return release, time.process_time() - began


def known(data):
    kept = True
    for (name, k), sums in KNOWN.items():
        if name == "karate":
            graph = shoal.examples.karate()
        elif path := file(data, name):
            graph = shoal.read_graph(path)
        else:
            continue
        found = tuple(find_optimal_groups(sort_degrees(graph.degree), k, down=down).cost for down in (False, True))
        print(f"{'ok  ' if found == sums else 'FAIL'} {name} k = {k}: least sums of differences {found}, known {sums}")
        kept &= found == sums
    return kept


def few(name, graph, edits, limits):
    kept = True
    for k, most in limits.items():
        release, spent = timed(graph, k, edits=edits)
        told = release.measured
        made, proved, half = told["edits"], told["lower bound on edits"], told["half of the least sum"]
        text = f"{name} {edits} k = {k}"
        print(f"     {text}: {made:,} edits, proved bound {proved:,}, half of L1 {half:,}")
        kept &= promise(f"{text}: edits / proved bound", made / proved, most, most=True)
        kept &= promise(f"{text}: proved bound / half of L1", proved / half, UNREACHABLE, most=False)
        kept &= promise(f"{text}: seconds", spent, SECONDS, most=True)
        if (name, k) == ("email-Enron", 5):
            kept &= promise(f"{text}: edits of the peer / edits", PEER_EDITS / made, 2, most=False)
            kept &= promise(f"{text}: seconds of the peer / seconds", PEER_SECONDS / spent, 2, most=False)
    return kept


def structure(graph):
    """Return the top eigenvalue, the transitivity and the harmonic mean distance."""
    from scipy.sparse.csgraph import shortest_path
    from scipy.sparse.linalg import eigsh

    matrix = graph.to_scipy().astype(float)
    far = shortest_path(matrix, unweighted=True, directed=False)[~np.eye(graph.n, dtype=bool)]
    return float(eigsh(matrix, 1)[0][0]), measure_transitivity(graph), 1 / float(np.mean(1 / far))


def largest_component(graph):
    from scipy.sparse.csgraph import connected_components

    from shoal.methods.links.raise_l import induce_subgraph

    label = connected_components(graph.to_scipy(), directed=False)[1]
    return induce_subgraph(graph, np.flatnonzero(label == np.bincount(label).argmax()))


def utility(graph):
    """Print what each way makes of the structure; with deletions it is promised to change less than was published."""
    before = structure(graph)
    print(f"     original: {before[0]:.2f} {before[1]:.3f} {before[2]:.3f}; published {ORIGINAL}, then {PUBLISHED}")
    kept = True
    for edits, names in REALIZE.items():
        for realize in (None, *names):
            release, _ = timed(graph, 5, edits=edits, realize=realize)
            after = structure(release.data)
            changes = [abs(y - x) / abs(n - o) for x, y, o, n in zip(before, after, ORIGINAL, PUBLISHED, strict=True)]
            told = ", ".join(f"{what} {y:.3f} ({c:.2f})" for what, y, c in zip(WHAT, after, changes, strict=True))
            print(f"     {edits} {realize}: {release.measured['edits']} edits, {told} of the published change")
            if (edits, realize) == ("add-delete", None):
                for what, change in zip(WHAT, changes, strict=True):
                    kept &= promise(f"{edits}: change of the {what} / published change", change, 1, most=True)
    return kept


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    for edits, names in REALIZE.items():
        for realize in (None, *names):  # compilation apart
            shoal.methods.MatchDegrees(3, edits=edits, realize=realize)(shoal.examples.karate())
    kept = known(data)
    for (name, edits), limits in MOST.items():
        if path := file(data, name):
            kept &= few(name, shoal.read_graph(path), edits, limits)
    if path := file(data, "polblogs"):
        kept &= utility(largest_component(shoal.read_graph(path)))
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
