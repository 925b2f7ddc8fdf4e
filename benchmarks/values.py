"""Promise: exact values on real networks. Classes / vertices alone, and shares unique / below 5 / above 20."""

import sys
import time

import numpy as np
from benchmarks.measure import file

import shoal

SPECS = ["degree", "counts:1", "degrees:1", "neighborhood:1", "neighborhood:2", "refinement:2", "adjacency", "orbit"]
CLASSES = {
    "power": "16/2 100/39 146/81 150/88 2064/1712 1010/680 4595/4345 4466/4118",
    "ca-GrQc": "65/17 476/284 833/654 856/688 3007/2449 2353/1867 4936/4707 3382/2750",
    "facebook_combined": "227/30 2783/2372 3372/3259 3385/3281 - 3853/3764 3957/3930 3865/3785",
    "wiki-Vote": "300/86 2451/2107 3099/2960 3137/3025 5769/5260 5007/4739 5832/5326 5789/5283",
}
SHARES = [
    ("power", "refinement:2", (0.138, 0.234, 0.567)),
    ("power", "refinement:3", (0.597, 0.800, 0.069)),
    ("polblogs", "degree", (0.034, 0.146, 0.576)),
    ("facebook_combined", "refinement:2", (0.932, 0.977, 0)),
    ("email-Enron", "refinement:2", (0.440, 0.596, 0.322)),
    ("com-DBLP", "refinement:3", (0.562, 0.908, 0.013)),
]


def row(name, found, expected, seconds):
    same = found == expected
    print(f"{'ok  ' if same else 'FAIL'} {name}: {found}{'' if same else f', expected {expected}'} ({seconds:.2f} s)")
    return same


def classes(name, path):
    graph, kept = shoal.read_graph(path), True
    for spec, expected in zip(SPECS, CLASSES[name].split(), strict=True):
        if expected != "-":
            start = time.perf_counter()
            sizes = np.bincount(shoal.assess(graph, spec).answer.published)
            found = f"{len(sizes)}/{(sizes == 1).sum()}"
            kept &= row(f"{name} {spec}", found, expected, time.perf_counter() - start)
    return kept


def shares(name, path, spec, expected):
    start = time.perf_counter()
    sizes = shoal.assess(shoal.read_graph(path), spec).sizes
    found = tuple(round(float(part.mean()), 3) for part in (sizes == 1, sizes < 5, sizes > 20))
    return row(f"{name} {spec}", found, expected, time.perf_counter() - start)


def main(data=None):
    kept = True
    for name in CLASSES:
        path = file(data, name)
        kept &= path is None or classes(name, path)
    for name, spec, expected in SHARES:
        path = file(data, name)
        kept &= path is None or shares(name, path, spec, expected)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
