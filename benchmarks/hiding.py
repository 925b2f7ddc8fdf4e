"""Promise: every combination of up to 3 of 8 columns occurs k times, with few cells lost, a million rows in minutes."""

import sys
import time

import numpy as np
from benchmarks.measure import promise
from benchmarks.recoding import census

import shoal
from shoal.core.column_sets import Cells
from shoal.methods.tables.hide_columns import HideColumns
from shoal.methods.tables.hide_columns.suppression import SuppressionTaste, count_missing_cells, suppress_cells

L = 3
CASES = ((None, 5, 60), (None, 10, 60), (1_000_000, 5, 300))
"""Rows (None for as they are), k, and the seconds allowed."""


def cleared(table, k):
    """Return the share of cells that are lost where every record at risk loses all; what is left may be rare still."""
    return shoal.assess(table, shoal.knowledge.SomeColumns(L)).rate(k)


def suppressed_only(table, k):
    """Return the share of cells that are lost without recoding."""
    cells = Cells.of([table[name].codes for name in table])
    before = cells.codes.T.astype(np.int64) + 1
    found, _ = suppress_cells(before, cells.weight, {L: k}, np.arange(len(before)), SuppressionTaste())
    return count_missing_cells(before, found, cells.weight).sum() / (table.n * len(table))


def one(table, k, limit):
    start = time.perf_counter()
    release = HideColumns(k, L)(table)
    seconds = time.perf_counter() - start
    found = release.measured
    share, naive = found["cells suppressed"] / (table.n * len(table)), cleared(table, k)
    print(f"     {table.n:,} rows, k = {k}: {share:.2%} of the cells suppressed, loss {found['loss']:.4f}")
    print(
        f"     records at risk cleared: {naive:.2%}; cells suppressed without recoding: {suppressed_only(table, k):.2%}"
    )
    print(f"     {release.verification[0]}")
    kept = promise("loss where records at risk are cleared / loss", naive / found["loss"], 3, most=False)
    return promise(f"{table.n:,} rows, k = {k}, seconds", seconds, limit, most=True) and kept


def main(data=None):
    HideColumns(2, L)(census(data).take(np.arange(300)))
    kept = [one(census(data, rows), k, limit) for rows, k, limit in CASES]
    return all(kept)


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
