"""Promise: an edge list loads within 4 times (texts: 8 times) what pyarrow alone needs to parse the same file.

And the peak of memory stays below 10 times the two columns of ends as 64-bit numbers.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from benchmarks.measure import best, file, peak_megabytes, promise

VERTICES = 1_000_000
EDGES = 5_000_000
COLUMNS = 2 * 8 * EDGES / 2**20
"""Megabytes of the two columns of ends as 64-bit numbers."""

LOAD = """
import sys, warnings
import pyarrow, pyarrow.csv, pyarrow.compute, scipy.sparse
from shoal.io.read import read_graph

def peak():  # of this process alone: getrusage begins with the peak of the one that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

warnings.simplefilter("ignore")
before = peak()
read_graph(sys.argv[1])
result = [before, peak()]
"""


def make(folder):
    """Write random pairs: numbers separated by a comma and by a blank, and texts."""
    import pyarrow as pa
    from pyarrow import csv

    draw = np.random.default_rng(7)
    ends = draw.integers(0, VERTICES, (2, EDGES))
    ends = ends[:, ends[0] != ends[1]]
    names = pa.array([f"person-{i:06}" for i in range(VERTICES)])
    texts = [names.take(pa.array(column)) for column in ends]
    for name, columns, mark in (
        ("numbers.csv", ends, ","),
        ("numbers.txt", ends, " "),
        ("texts.csv", texts, ","),
    ):
        options = csv.WriteOptions(include_header=False, delimiter=mark, quoting_style="none")
        csv.write_csv(pa.table(list(columns), names=["source", "target"]), folder / name, options)


def one(path, limit):
    """Measure one file against pyarrow's own parse of it."""
    from pyarrow import csv

    from shoal.io.read import read_graph

    mark = " " if path.suffix == ".txt" else ","

    def parse():
        csv.read_csv(path, csv.ReadOptions(autogenerate_column_names=True), csv.ParseOptions(delimiter=mark))

    arrow, ours = best(parse, lambda: read_graph(path), repeat=7)
    print(f"     {path.name}, {EDGES / 1e6:.0f}M edges: pyarrow {arrow:.2f} s, read_graph {ours:.2f} s")
    (before, peak), _ = peak_megabytes(LOAD, path)
    print(f"     memory: {peak:.0f} MB at the peak, of which {before:.0f} MB are the libraries")
    kept = promise(f"{path.name}, times pyarrow", ours / arrow, limit, most=True)
    return kept & promise(f"{path.name}, times the columns in memory", peak / COLUMNS, 10, most=True)


def real(data):
    """Show how long a real network takes, packed."""
    from shoal.io.read import read_graph

    path = file(data, "com-DBLP")
    if path is not None:
        [seconds] = best(lambda: read_graph(path))
        print(f"     {path.name}: {seconds:.2f} s, {read_graph(path)}")


def main(data=None):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # random pairs repeat
        make(Path(folder))
        limits = {"numbers.csv": 4, "numbers.txt": 4, "texts.csv": 8}
        kept = True
        for name, limit in limits.items():
            kept &= one(Path(folder, name), limit)
        real(data)
    return kept


if __name__ == "__main__":
    sys.exit(not main())
