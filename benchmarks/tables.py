"""Promises: the k of a table 5 times faster than pycanon and the same; minimal uniques of a million rows within 5 s."""

import sys
import tempfile
import time
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.measure import best, promise
from benchmarks.peers import asked, there

import shoal

CANON = """
import sys, time
import pandas as pd
from pycanon import anonymity
frame, columns = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False), sys.argv[2].split(",")
times = []
for _ in range(3):
    start = time.perf_counter()
    k = anonymity.k_anonymity(frame, columns)
    times.append(time.perf_counter() - start)
sizes = frame.groupby(columns).size()
result = [min(times), int(k), int(sizes.min()), sorted(sizes.tolist())[:50]]
"""
SUDA = """
import sys, time
import pandas as pd, suda
frame = pd.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
start = time.perf_counter()
found = suda.suda(frame, max_msu=int(sys.argv[3]), columns=sys.argv[2].split(","))
result = [time.perf_counter() - start, int((found["msu"] > 0).sum())]
"""


def million(rows=1_000_000, seed=1):
    """Return rows as skewed as a census: 8 columns with 5 to 90 values."""
    rng = np.random.default_rng(seed)
    cards = {"age": 74, "sex": 2, "race": 5, "education": 16, "marital": 7, "work": 8, "occupation": 14, "country": 40}
    shape = {name: rng.dirichlet(np.full(card, 0.6)) for name, card in cards.items()}
    return pd.DataFrame({name: rng.choice(card, rows, p=shape[name]) for name, card in cards.items()}).astype(str)


def against_pycanon(frame, columns, what):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        frame[columns].to_csv(file, index=False)
        theirs, k, least, smallest = asked("pycanon", CANON, file, ",".join(columns))
    risk = shoal.assess(frame, shoal.knowledge.Columns(*columns))
    (ours,) = best(lambda: shoal.assess(frame, shoal.knowledge.Columns(*columns)).k)
    classes = np.unique(risk.answer.published, return_counts=True)[1]
    print(f"     {what}: k = {risk.k}, {len(classes):,} classes; pycanon {theirs:.2f} s, shoal {ours:.3f} s")
    if (risk.k, sorted(classes.tolist())[:50]) != (k, smallest) or least != k:
        print(f"FAIL pycanon says k = {k}, smallest classes {smallest[:5]}")
        return False, theirs / ours
    return True, theirs / ours


def on_adult(data):
    path = None if data is None else Path(data) / "adult.data.csv.gz"
    if path is None or not path.exists():
        print("skip UCI Adult: pass --data FOLDER with adult.data.csv.gz")
        return True
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    complete = frame[~(frame == "?").any(axis=1)]
    columns = [name for name in frame.columns if "num" not in name and "fnlwgt" not in name][:8]
    kept = True
    if there("pycanon"):
        for some in (columns, columns[:3], columns[2:6]):
            same, _ = against_pycanon(complete, some, f"Adult, {len(complete):,} complete rows, {len(some)} columns")
            kept &= same
    table = shoal.read_table(path, missing=("?",))
    sizes = frame[columns].groupby(columns)[columns[0]].transform("size").to_numpy()
    right = np.array_equal(shoal.assess(table, shoal.knowledge.Columns(*columns)).sizes, sizes)
    print(f"{'ok  ' if right else 'FAIL'} Adult with its missing cells: all {table.n:,} class sizes are right")
    return kept and right


def uniques(frame):
    table = shoal.as_table(frame)
    shoal.tables.minimal_uniques(table)
    start = time.perf_counter()
    found = shoal.tables.minimal_uniques(table)
    seconds = time.perf_counter() - start
    print(f"     minimal uniques: {len(found.sets)} sets, {int((found.counts > 0).sum()):,} records")
    kept = promise("minimal uniques, 1,000,000 x 8, sets of up to 3: seconds", seconds, 5, most=True)
    start = time.perf_counter()
    level = shoal.levels(table, k=5, max_size=3)
    print(f"     levels for k = 5, limit 3: l = {level.l:.0f} in {time.perf_counter() - start:.2f} s")
    return kept and minimal(frame.head(4_000))


def minimal(frame):
    """Check every set on a sample by definition, and count what suda reports beyond it."""
    columns = list(frame)[:5]
    found = shoal.tables.minimal_uniques(frame, columns, max_size=3)
    alone = {
        S: set(np.flatnonzero((frame.groupby(list(S))[S[0]].transform("size") == 1).to_numpy()))
        for s in (1, 2, 3)
        for S in combinations(columns, s)
    }
    parts = {S: [T for s in range(1, len(S)) for T in combinations(S, s)] for S in alone}
    right = {S: rows.difference(*(alone[T] for T in parts[S])) for S, rows in alone.items()}
    ours = {S: set(rows.tolist()) for S, rows in found.sets.items()}
    kept = ours == {S: rows for S, rows in right.items() if rows}
    print(
        f"{'ok  ' if kept else 'FAIL'} each of {sum(map(len, ours.values())):,} minimal uniques is one, none is missing"
    )
    if there("suda"):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "table.csv"
            frame[columns].to_csv(file, index=False)
            theirs, many = asked("suda", SUDA, file, ",".join(columns), 3)
        (seconds,) = best(lambda: shoal.tables.minimal_uniques(frame, columns, max_size=3))
        own = int((found.counts > 0).sum())
        print(f"     suda: {theirs:.2f} s, {many:,} records; shoal {seconds:.3f} s, {own:,} records")
    return kept


def main(data=None):
    frame = million()
    kept = True
    if there("pycanon"):
        four = ["age", "sex", "race", "education"]
        same, ratio = against_pycanon(frame[four], four, "1,000,000 rows, 4 columns")
        kept = promise("k of 1,000,000 rows, 4 columns: pycanon's time / ours", ratio, 5, most=False) and same
    return on_adult(data) & uniques(frame) & kept


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
