"""Promises: the audit of email-Enron, attacks included, takes at most 2 minutes and 2 GB, and its page 3 MB.

The audit of a generated network with 300,000 vertices and 2 million edges, with the scenario "agreement", takes at most
5 minutes on two cores, its page included. With --time-limit 5m it takes at most 10 % longer than that on any machine.

Times are without loading libraries: a small audit is made first.
"""

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from benchmarks.measure import file, peak_megabytes, promise

import shoal
from shoal.errors import Notice

AUDIT = """
import pathlib, sys, time, warnings
warnings.simplefilter("ignore")
import shoal
small = shoal.examples.village(60)
shoal.audit(small, shoal.methods.MatchDegrees(k=3, seed=1)(small)).save(sys.argv[4], force=True)
graph, released = shoal.read_graph(sys.argv[1]), shoal.read_graph(sys.argv[2])
began = time.perf_counter()
found = shoal.audit(graph, released, mapping=sys.argv[3], files=(sys.argv[1], sys.argv[2]))
counted = time.perf_counter() - began
found.save(sys.argv[4], force=True)
left = [one.name for one in (*found.attacks.left_out, *found.after.left_out)]
result = [time.perf_counter() - began, counted, pathlib.Path(sys.argv[4]).stat().st_size / 1e6, left]
"""


PEOPLE, LINKS, LOST = 300_000, 2_000_000, 0.05
MINUTES = 5


def write_network(folder, rng):
    """Write a network with power-law degrees, and a release of it that lacks some links; return both files."""
    weights = rng.permutation(np.arange(1, PEOPLE + 1) ** -0.5)
    ends = rng.choice(PEOPLE, (2, LINKS * 6 // 5), p=weights / weights.sum())
    low, high = ends.min(axis=0), ends.max(axis=0)
    pairs = rng.permutation(np.unique((low * PEOPLE + high)[low < high]))[:LINKS]
    files = []
    for name, kept in (("large.csv", len(pairs)), ("released.csv", int(len(pairs) * (1 - LOST)))):
        graph = shoal.Graph.from_pairs(range(PEOPLE), pairs[:kept] // PEOPLE, pairs[:kept] % PEOPLE)
        files.append(Path(folder) / name)
        shoal.write(graph, files[-1])
    return files


def audit_large(limit):
    """Audit a generated network in the shell; return the seconds and the first lines of the result."""
    with tempfile.TemporaryDirectory() as folder:
        names = write_network(folder, np.random.default_rng(1))
        command = [sys.executable, "-m", "shoal", "audit", *names, "--same-names", "-o", Path(folder) / "report.html"]
        began = time.perf_counter()
        done = subprocess.run([*map(str, command), *limit], check=True, capture_output=True, text=True)
        return time.perf_counter() - began, done.stdout


def main(data=None):
    warnings.simplefilter("ignore", Notice)
    kept = True
    for limit in ([], ["--time-limit", f"{MINUTES}m"]):
        spent, told = audit_large(limit)
        print("    ", *told.splitlines()[:2], sep="\n     ")
        what = (
            f"{PEOPLE:,} vertices, {LINKS:,} edges{', with a time limit' if limit else ''}: seconds of the audit over"
        )
        kept &= promise(f"{what} {60 * MINUTES}", spent / (60 * MINUTES), 1.1 if limit else 1, most=True)
    path = file(data, "email-Enron")
    if path is None:
        return kept
    with tempfile.TemporaryDirectory() as folder:
        safe, secret, page = (Path(folder) / name for name in ("safe.csv", "secret.csv", "report.html"))
        shoal.methods.MatchDegrees(k=12, seed=7)(shoal.read_graph(path)).save(safe, secret)
        (spent, counted, size, left), peak = peak_megabytes(AUDIT, path, safe, secret, page)
    print(f"     counting {counted:.1f} s, writing {spent - counted:.1f} s; left out: {', '.join(left)}")
    kept &= promise("email-Enron: seconds for the audit and its page", spent, 120, most=True)
    kept &= promise("email-Enron: megabytes of memory", peak, 2048, most=True)
    return kept & promise("email-Enron: megabytes of the page", size, 3, most=True)


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:2]) else 1)
