"""Section 2 of the paper, word for word: slow, obvious, exact. It judges risk/confusion and risk/linkage."""

from fractions import Fraction
from itertools import pairwise
from math import exp, log


def m(r, t, y, A, convention):
    """M_{r,t}(y, A): inf over a of |{i: r(y, a)[i] >= t}|, or |I| where that is 0."""
    individuals = len(r(y, A[0]))
    counts = [sum(p >= t for p in r(y, a)) for a in A]
    if convention == "per-a":
        return min(count if count > 0 else individuals for count in counts)
    return min(counts) if min(counts) > 0 else individuals


def conf(r, Y, A, t, convention="per-a"):
    """conf(r, Y, A, t) = inf over y of M_{r,t}(y, A)."""
    return min(m(r, t, y, A, convention) for y in Y)


def thresholds(methods, Y, A):
    """Enough t to see every value of conf: the values taken, all 1/n, and one between any two of them."""
    individuals = len(methods[0](Y[0], A[0]))
    values = {Fraction(p) for r in methods for y in Y for a in A for p in r(y, a)}
    values |= {Fraction(1, n) for n in range(1, individuals + 1)} | {Fraction(0), Fraction(1)}
    ordered = sorted(values)
    return sorted({*ordered, *((low + high) / 2 for low, high in pairwise(ordered))} - {0})


def n_confusion(methods, Y, A, convention="per-a"):
    """The largest n such that some 0 < t <= 1/n has conf >= n for all methods; and the largest t that shows it."""
    individuals = len(methods[0](Y[0], A[0]))
    tried = thresholds(methods, Y, A)
    for n in range(individuals, 0, -1):
        shown = [t for t in tried if n * t <= 1 and all(conf(r, Y, A, t, convention) >= n for r in methods)]
        if shown:
            return n, max(shown)
    raise AssertionError("conf is at least 1")


def ties(methods, Y, A):
    """How often the highest value is taken, at least."""
    return min(list(r(y, a)).count(max(r(y, a))) for r in methods for y in Y for a in A)


def peak(methods, Y, A):
    """The largest n such that the highest value is at most 1/n."""
    highest = max(Fraction(p) for r in methods for y in Y for a in A for p in r(y, a))
    return max(n for n in range(1, 1 + int(1 / highest)) if highest <= Fraction(1, n))


def is_doubly_stochastic(matrix):
    rows = all(sum(row) == 1 for row in matrix)
    return rows and all(sum(column) == 1 for column in zip(*matrix, strict=True)) and len(matrix) == len(matrix[0])


def entropy(row):
    return -sum(float(p) * log(p) for p in row if p > 0)


# linkage methods over lists of records, each a dict from column to value; None is missing


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def numeric(column, original, release):
    """A column is compared as numbers if it holds nothing else on both sides, and something."""
    sides = [[row[column] for row in side if row[column] is not None] for side in (original, release)]
    return all(side and all(map(_is_number, side)) for side in sides)


def scale(column, original, how):
    values = [row[column] for row in original if row[column] is not None]
    if how == "range":
        return Fraction(float(max(values)) - float(min(values)))
    return Fraction(1)


def distance(one, other, original, release, how):
    """Scaled differences of numbers, 0 or 1 for other values, missing at 1 from all but missing: exact."""
    total = Fraction(0)
    for column in one:
        a, b = one[column], other[column]
        width = scale(column, original, how) if numeric(column, original, release) else 0
        if a is None or b is None or width == 0:
            total += Fraction(not same(a, b))
        else:
            total += abs(Fraction(a) - Fraction(b)) / width
    return total


def same(a, b):
    """Text is not a number, True is not 1, missing equals missing."""
    return (a is None) == (b is None) and isinstance(a, bool) == isinstance(b, bool) and a == b


def nearest(record, original, release, how, k=1):
    """Uniform over the k nearest, all at the distance of the k-th included."""
    far = [distance(record, person, original, release, how) for person in original]
    kth = sorted(far)[k - 1]
    chosen = [d <= kth for d in far]
    return [Fraction(int(c), sum(chosen)) for c in chosen]


def softmax(record, original, release, how, temperature):
    weights = [exp(-float(distance(record, person, original, release, how)) / temperature) for person in original]
    return [w / sum(weights) for w in weights]


def exact_match(record, original, columns):
    """Uniform over who has the same values; 1/n each if nobody has."""
    chosen = [all(same(record[c], person[c]) for c in columns) for person in original]
    chosen = chosen if any(chosen) else [True] * len(original)
    return [Fraction(int(c), sum(chosen)) for c in chosen]


def fellegi_sunter(pairs, share, m_start, u_start, iterations):
    """Expectation-maximization over a plain list of binary comparison vectors; m and u are chances of agreement."""
    columns = range(len(pairs[0]))
    m, u = [m_start] * len(columns), [u_start] * len(columns)
    for _ in range(iterations):
        matches = []
        for pair in pairs:
            one, other = share, 1 - share
            for j in columns:
                one *= m[j] if pair[j] else 1 - m[j]
                other *= u[j] if pair[j] else 1 - u[j]
            matches.append(one / (one + other))
        total = sum(matches)
        m = [sum(g for g, pair in zip(matches, pairs, strict=True) if pair[j]) / total for j in columns]
        u = [
            sum(1 - g for g, pair in zip(matches, pairs, strict=True) if pair[j]) / (len(pairs) - total)
            for j in columns
        ]
        share = total / len(pairs)
    return share, m, u
