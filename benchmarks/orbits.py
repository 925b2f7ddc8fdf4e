"""Promise: exact orbits of email-Enron (36,692 vertices) within 2 GB."""

import sys

from benchmarks.measure import file, peak_megabytes, promise

CODE = """
import sys, time, numpy as np, shoal
graph = shoal.read_graph(sys.argv[1])
shoal.assess(shoal.examples.karate(), "orbit").k
start = time.perf_counter()
codes = shoal.assess(graph, "orbit").answer.published
sizes = np.bincount(codes)
result = [time.perf_counter() - start, len(sizes), int((sizes == 1).sum())]
"""


def main(data=None):
    path = file(data, "email-Enron")
    if path is None:
        return True
    (seconds, orbits, alone), megabytes = peak_megabytes(CODE, path)
    print(f"     email-Enron: {orbits:,} orbits, {alone:,} vertices alone, {seconds:.2f} s")
    return promise("peak memory, MB", megabytes, 2048, most=True)


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
