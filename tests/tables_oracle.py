"""The oracle for tables: every definition word for word, slow and obvious.

A table is a dictionary from column to cells. v and u are rows, S is a set of columns, s its size.
"""

from collections import Counter
from itertools import combinations
from math import exp, log

from oracle import comparable


def n_of(table):
    return len(next(iter(table.values())))


def cell(table, v, column):
    """Return a cell so that == means the same value; missing equals missing and nothing else."""
    return comparable({column: table[column][v]}, column)


def agreeing(table, v, S):
    """Return the rows that have v's values in all columns of S."""
    return [u for u in range(n_of(table)) if all(cell(table, u, c) == cell(table, v, c) for c in S)]


def smallest_revealing(table, v, k, most=None):
    """Return the size of the smallest set of columns that leaves fewer than k rows, None if none does.

    k is a number, or one per size with None where none is asked.
    """
    sizes = range(1, min(most or len(table), len(table) if isinstance(k, int) else len(k)) + 1)
    for s in sizes:
        least = k if isinstance(k, int) else k[s - 1]
        if least is not None and any(len(agreeing(table, v, S)) < least for S in combinations(table, s)):
            return s
    return None


def minimal_uniques(table, v, k, most):
    """Return every set of at most `most` columns that leaves fewer than k rows, while no proper part of it does."""

    def reveals(S):
        return len(agreeing(table, v, S)) < k

    sets = [S for s in range(1, most + 1) for S in combinations(table, s) if reveals(S)]
    return {S for S in sets if not any(reveals(T) for s in range(len(S)) for T in combinations(S, s))}


def distribution(values):
    return {value: count / len(values) for value, count in Counter(values).items()}


def classes(table, columns):
    """Return the rows of each class of equal values."""
    rows = {}
    for v in range(n_of(table)):
        rows.setdefault(tuple(cell(table, v, c) for c in columns), []).append(v)
    return list(rows.values())


def diversity(table, columns, sensitive):
    """Return the fewest distinct present values of a class, the smallest exp(entropy), and how many are known."""
    distinct, entropies, known = [], [], 0
    for rows in classes(table, columns):
        values = [cell(table, v, sensitive) for v in rows if cell(table, v, sensitive) != ("missing",)]
        if values:
            distinct.append(len(set(values)))
            entropies.append(exp(-sum(p * log(p) for p in distribution(values).values())))
            known += len(values) if len(set(values)) == 1 else 0
    return (min(distinct), min(entropies), known) if distinct else (0, 0.0, 0)


def variation(table, columns, sensitive):
    """Return the largest total variation distance between a class and the table; missing is a value."""
    everything = [cell(table, v, sensitive) for v in range(n_of(table))]
    q = distribution(everything)
    found = []
    for rows in classes(table, columns):
        p = distribution([everything[v] for v in rows])
        found.append(sum(abs(p.get(x, 0) - q[x]) for x in q) / 2)
    return max(found)


def ordered(table, columns, sensitive):
    """Return the largest ordered earth mover's distance between the present numbers of a class and of the table."""
    present = {v: x for v, x in enumerate(table[sensitive]) if x is not None}
    levels = sorted(set(present.values()))
    if len(levels) < 2:
        return 0.0
    found = [0.0]
    for rows in classes(table, columns):
        mine = [present[v] for v in rows if v in present]
        if mine:
            steps = [
                abs(
                    sum(x <= level for x in mine) / len(mine) - sum(x <= level for x in present.values()) / len(present)
                )
                for level in levels
            ]
            found.append(sum(steps) / (len(levels) - 1))
    return max(found)
