"""Promises: MDAV on 30,000 x 4 numbers within 2 s, blocks on 1,000,000 x 4 within 10 s, verification included.

The information loss (SSE/SST) of both is printed, and the price of blocks on the same records is limited.
"""

import sys

import numpy as np
from benchmarks.measure import best, promise

from shoal.data.column import Column
from shoal.data.table import Table
from shoal.methods.tables.microaggregate import Microaggregate

LOSS = "information loss (SSE/SST)"


def people(n, seed=1):
    """Age, years of school, hours of work and income: whole numbers, skewed and correlated, many of them equal."""
    rng = np.random.default_rng(seed)
    age = np.clip(17 + rng.gamma(3.0, 8.0, n), 17, 90).astype(int)
    school = np.clip(rng.normal(10, 2.5, n), 1, 16).astype(int)
    hours = np.clip(np.where(rng.random(n) < 0.47, 40, rng.normal(40, 12, n)), 1, 99).astype(int)
    income = np.exp(rng.normal(8 + 0.12 * school + 0.01 * age, 0.5)).astype(int)
    columns = {"age": age, "school": school, "hours": hours, "income": income}
    return Table.of({name: Column.from_numbers(cells) for name, cells in columns.items()})


def normal(n, seed=1):
    """Four independent columns in which no number occurs twice."""
    rng = np.random.default_rng(seed)
    return Table.of({name: Column.from_numbers(rng.normal(size=n)) for name in "abcd"})


def timed(method, table):
    release = method(table)
    return release.measured[LOSS], best(lambda: method(table), repeat=2)[0]


def main(data=None):
    kept = True
    for kind in (people, normal):
        at_once, seconds = timed(Microaggregate(5, algorithm="mdav"), kind(30_000))
        in_blocks, _ = timed(Microaggregate(5, algorithm="blocks"), kind(30_000))
        large, long = timed(Microaggregate(5), kind(1_000_000))
        name = kind.__name__
        print(f"     {name}: SSE/SST mdav {at_once:.4%}, blocks {in_blocks:.4%}; 1,000,000 in blocks {large:.4%}")
        kept &= promise(f"{name}: mdav, 30,000 x 4, k = 5, seconds", seconds, 2, most=True)
        kept &= promise(f"{name}: blocks, 1,000,000 x 4, k = 5, seconds", long, 10, most=True)
        kept &= promise(f"{name}: loss of blocks / loss of mdav", in_blocks / at_once, 2, most=True)
    return kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
