"""Promises: graphs drawn from the numbers of edges of classes are like the original, and known neighbors tell little.

Means are over 30 samples. An attacker knows some neighbors of a vertex and where they are in the published graph, and
guesses among the vertices that are linked to all of them there, or, where there are none, among all. The interval is
Student's t over the samples, of 95 %. Memory is that of a process of its own.
"""

import sys
import warnings

import numpy as np
from benchmarks.measure import best, file, peak_megabytes, promise

import shoal
from shoal.attacks.base import Rate
from shoal.errors import Notice

DEGREE_DISTANCE = {"facebook_combined": 0.05, "ca-GrQc": 0.10}
NETWORKS = tuple(DEGREE_DISTANCE)
KS = (2, 5, 10)
GIANT, TRIANGLES = "share in the largest component", "transitivity"
DEGREES = "degree distance (Kolmogorov-Smirnov)"
SAMPLES, TRIALS = 30, 200
"""Trials are those in each sample."""
LARGE = """
import sys, time, warnings
warnings.simplefilter("ignore")
import networkx, shoal
shoal.methods.Generalize(2, effort=1, seed=1)(networkx.path_graph(9))  # loads libraries
g = shoal.read_graph(sys.argv[1])
began = time.perf_counter()
release = shoal.methods.Generalize(int(sys.argv[2]), seed=1)(g)
spent = time.perf_counter() - began
began = time.perf_counter()
other = release.sample(5)
result = [spent, time.perf_counter() - began, release.measured, release.utility.degree_distance, other.m == g.m]
"""
LIMITS = {"email-Enron": (300, 1500), "com-DBLP": (900, 4000)}
"""Seconds and megabytes at k = 5."""


def guessed(original, published, known, trials, rng):
    """Count the right guesses of whoever knows so many neighbors of a vertex and where they are."""
    targets, hits = np.flatnonzero(original.degree >= known), 0
    for v in rng.choice(targets, trials).tolist():
        places = rng.choice(original.neighbors(v), known, replace=False).tolist()
        left = set(published.neighbors(places[0]).tolist())
        for w in places[1:]:
            left &= set(published.neighbors(w).tolist())
        hits += v == (rng.choice(sorted(left)) if left else rng.integers(original.n))
    return hits


def attacked(name, release):
    """Known neighbors must not find a vertex more often than one of k guesses would."""
    kept, k, rng = True, release.method.k, np.random.default_rng(4)
    for known in (1, 2, 3):
        worlds = release.samples(SAMPLES, seed=9)
        rate = Rate.over_repeats([(guessed(release.original, world, known, TRIALS, rng), TRIALS) for world in worlds])
        low, high = rate.interval
        text = f"{name} k = {k}, {known} known, x 1000: right guesses ({1000 * low:.0f} to {1000 * high:.0f})"
        kept &= promise(text, 1000 * rate.rate, 1000 / k, most=True)
    return kept


def made(name, graph, k):
    """Measure what is drawn against its limits."""
    releases = []
    (spent,) = best(lambda: releases.append(shoal.methods.Generalize(k, seed=1)(graph)), repeat=1)
    found = releases[0].estimates(SAMPLES)
    print(f"     {releases[0].measured}, {spent:.1f} s\n{found}")
    text, kept = f"{name} k = {k}, x 1000", True
    kept &= promise(f"{text}: degree distance", 1000 * found[DEGREES].mean, 1000 * DEGREE_DISTANCE[name], most=True)
    for what, most in ((GIANT, 50), (TRIANGLES, 100)):
        row = found[what]
        kept &= promise(f"{text}: {what}, off by", 1000 * abs(row.mean - row.original), most, most=True)
    return kept & attacked(name, releases[0])


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for name in NETWORKS:
        if path := file(data, name):
            graph = shoal.read_graph(path)
            for k in KS:
                kept &= made(name, graph, k)
    for name, (seconds, megabytes) in LIMITS.items():
        if path := file(data, name):
            (spent, again, told, apart, same), peak = peak_megabytes(LARGE, path, 5)
            print(f"     {told}, degree distance {apart:.3f}, another sample in {again:.1f} s")
            kept &= promise(f"{name} k = 5: seconds", spent, seconds, most=True) & same
            kept &= promise(f"{name} k = 5: peak memory in MB", peak, megabytes, most=True)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
