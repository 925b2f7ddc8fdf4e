"""Promises: equal rows of directed networks need no more edits than equal rows without directions, directed afterwards.

Each method runs at k = 5 on a real network with its directions and without them; times are CPU times of all threads.
"Apart" is the release of the undirected network, whose links then get directions: between two linked classes, the
directions (one way, the other, or both) that take the fewest edits. "By its classes" keeps only the classes of that
release: each direction between two classes is completed or emptied on its own, at the fewest edits for these classes.
"""

import sys
import warnings

import numpy as np
from benchmarks.directed import NETWORKS, read_directed, spend
from benchmarks.measure import promise

import shoal
from shoal.errors import Notice
from shoal.optimize.class_partition import count_blocks
from shoal.release.verify import verify_release

K = 5
RATIO = 2
"""Directed networks may take this many times the CPU time of undirected ones."""


def count_apart(directed, plain, codes):
    """Count the edits if the blocks of the undirected release are completed first, and get directions afterwards."""
    kept, arcs = count_blocks(plain, codes), count_blocks(directed, codes)
    many, full = int(codes.max()) + 1, kept.choose_majority()
    cells = kept.first[full] * many + kept.second[full]
    at = np.searchsorted(cells, arcs.first * many + arcs.second)
    there = np.append(cells, -1)[at] == arcs.first * many + arcs.second
    edits = int(arcs.edges[~there].sum()) + arcs.inside
    counts, space = np.zeros((len(cells), 2), dtype=np.int64), kept.space[full]
    counts[at[there], arcs.relation[there]] = arcs.edges[there]
    ways = [
        (space - counts[:, 0]) + counts[:, 1],
        counts[:, 0] + (space - counts[:, 1]),
        2 * space - counts.sum(axis=1),
    ]
    return edits + int(np.minimum.reduce(ways).sum())


def compare_equal_rows(name, directed, plain):
    """Print edits, bounds and times of EqualizeRows; return whether the promises are kept."""
    (spent, release), (without, other) = (spend(shoal.methods.EqualizeRows(K), g) for g in (directed, plain))
    for kind, graph, found, time in (("directed", directed, release, spent), ("undirected", plain, other, without)):
        edits, bound = found.measured["edits"], found.measured["lower bound on edits"]
        text = f"{edits:,} edits ({edits / graph.m:.3f} per link), at least {bound:,}, {time:.1f} s of CPU"
        print(f"     {name}, {kind}, {graph.m:,} links: {text}")
    edits, apart = release.measured["edits"], count_apart(directed, plain, other.codes)
    classes = count_blocks(directed, other.codes).cheapest
    kept = promise(f"{name}, k = {K}: edits, against {apart:,} apart", edits, apart, most=True)
    kept &= promise(f"{name}, k = {K}: edits, against {classes:,} by its classes", edits, classes, most=True)
    kept &= promise(f"{name}, EqualizeRows: CPU time, directed / undirected", spent / without, RATIO, most=True)
    return promise("verification / making", spend(verify_release, release)[0] / spent, 0.1, most=True) and kept


def compare_worlds(name, directed, plain):
    """Print worlds and times of Generalize; return whether the ratio is kept."""
    times = []
    for kind, graph in (("directed", directed), ("undirected", plain)):
        spent, release = spend(shoal.methods.Generalize(K, seed=1), graph)
        times.append(spent)
        worlds, sure = release.generalized.log_worlds, release.generalized.certain / graph.m
        check = spend(verify_release, release)[0]
        text = f"exp({worlds:,.0f}) worlds, {worlds / graph.m:.2f} per link; share of certain links {sure:.3f}"
        print(f"     {name}, {kind}: {text}; {spent:.1f} s of CPU, of which verified {check:.2f}")
    return promise(f"{name}, Generalize: CPU time, directed / undirected", times[0] / times[1], RATIO, most=True)


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for name in NETWORKS:
        directed = read_directed(data, name)
        if directed is not None:
            plain = directed.to_undirected()
            kept &= compare_equal_rows(name, directed, plain)
            kept &= compare_worlds(name, directed, plain)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
