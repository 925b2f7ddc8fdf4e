"""Promise: Mondrian on 1,000,000 rows with 8 columns within 5 s, labels and verification included."""

import sys

import numpy as np
from benchmarks.measure import best, promise

from shoal.data.column import Column
from shoal.data.table import Table
from shoal.methods.tables.mondrian import Mondrian

NUMBERS = {"age": 73, "school": 16, "hours": 94}
WORDS = {"work": 8, "marital": 7, "occupation": 14, "sex": 2, "country": 41}
"""How many values each column has; few of them are frequent."""


def people(n, seed=1, fine=False):
    """Return n records; `fine` adds two columns in which no number occurs twice in place of two of words."""
    rng = np.random.default_rng(seed)
    columns = {}
    for name, count in (NUMBERS | WORDS).items():
        codes = np.minimum(rng.geometric(min(0.6, 6 / count), n), count) - 1
        words = tuple(f"{name} {i}" for i in range(count))
        columns[name] = Column.from_numbers(17 + codes) if name in NUMBERS else Column(codes.astype(np.int64), words)
    if fine:
        for name in ("sex", "country"):
            columns[name] = Column.from_numbers(rng.normal(size=n))
    return Table.of(columns)


def timed(table):
    found = Mondrian(5)(table).measured
    (seconds,) = best(lambda: Mondrian(5)(table))
    penalty = found["normalized certainty penalty"]
    print(f"     {found['classes']:,} classes, certainty penalty {penalty:.4f}, {seconds:.2f} s")
    return seconds


def main(data=None):
    print("     with two columns in which no number occurs twice:")
    timed(people(1_000_000, fine=True))
    print("     with few values each:")
    seconds = timed(people(1_000_000))
    return promise("1,000,000 x 8 columns, k = 5, seconds", seconds, 5, most=True)


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
