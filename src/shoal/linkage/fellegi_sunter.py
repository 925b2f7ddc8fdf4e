"""Probabilistic record linkage (Fellegi & Sunter 1969): weights by expectation-maximization, and the linkage itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from shoal.data.arrays import Floats, Ints
from shoal.data.dataset import Dataset
from shoal.errors import must, public, whole
from shoal.linkage.base import Linkage, as_data
from shoal.linkage.columns import PIECE, ColumnComparison, check_names, fill_blocks
from shoal.linkage.probabilities import is_finite
from shoal.linkage.rows import CodedRow, Row
from shoal.parts import check_word_count
from shoal.settings import run_in_pieces

# Fellegi-Sunter: the probabilities that pairs agree if they are the same person (m) and if not (u), estimated by
# expectation-maximization.
#
# A pair of records has a comparison vector with one level per column: 0 if they disagree, higher the better they agree.
# Columns are assumed independent, given whether the pair is a match. Pairs are counted by vector, so billions of pairs
# cost no more than the few distinct vectors.


class FellegiSunter(NamedTuple):
    """Estimated probabilities of agreement."""

    share: float
    """The share of pairs that are matches: the same person."""
    m: Floats
    """m[j, level]: the probability of a level of column j for a match."""
    u: Floats
    """u[j, level]: the probability of a level of column j for two different persons."""


@public
def fit_fellegi_sunter(
    vectors: Any,
    counts: Any,
    *,
    share: float = 0.1,
    m: float | Floats = 0.9,
    u: float | Floats = 0.1,
    iterations: int = 1_000,
    tolerance: float = 1e-9,
) -> FellegiSunter:
    """Estimate the share of matches and the m- and u-probabilities from counted comparison vectors.

    Parameters
    ----------
    vectors
        The distinct comparison vectors, one per row, with one level (from 0) per column.
    counts
        The number of pairs with each vector.
    share, m, u
        Start values. m and u are matrices with one level per column, or the probability of the highest level; the other
        levels then share the rest.
    iterations
        The maximum number of steps.
    tolerance
        Stop if no probability changes by more than this.

    Returns
    -------
    FellegiSunter
        (share, m, u). The solution (1 - share, u, m) is equally good; the start values select one of the two.

    Examples
    --------
    Half of the pairs agree in both columns, the other half in none:

    >>> share, m, u = fit_fellegi_sunter([[0, 0], [1, 1]], [50, 50])
    >>> round(share, 3), m.round(3).tolist(), u.round(3).tolist()
    (0.5, [[0.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]])

    References
    ----------
    I. P. Fellegi, A. B. Sunter: A theory for record linkage. Journal of the American Statistical Association 1969.
    M. A. Jaro: Advances in record-linkage methodology as applied to matching the 1985 census of Tampa, Florida. 1989.
    """
    levels, pairs = _check_vectors(vectors, counts)
    whole(iterations, "fit_fellegi_sunter", "iterations", least=1)
    must(is_finite(share) and 0 < share < 1, "fit_fellegi_sunter", "share", "between 0 and 1", share)
    must(is_finite(tolerance) and tolerance >= 0, "fit_fellegi_sunter", "tolerance", "0 or more", tolerance)
    top = levels.max(axis=0)
    now = FellegiSunter(float(share), _choose_start(m, top), _choose_start(u, top))
    for _ in range(iterations):
        before, now = now, _estimate_once(now, levels, pairs)
        if max(float(np.abs(a - b).max()) for a, b in _pair_estimates(before, now)) <= tolerance:
            break
    return now


def _pair_estimates(before: FellegiSunter, now: FellegiSunter) -> list[tuple[Floats, Floats]]:
    return [(np.asarray(a), np.asarray(b)) for a, b in zip(before, now, strict=True)]


def compute_log_ratio(fit: FellegiSunter, levels: Ints) -> Floats:
    """Return the log likelihood ratio of each vector; -inf or inf if one of the two likelihoods is 0."""
    with np.errstate(divide="ignore"):
        same, other = (np.log(p[np.arange(levels.shape[1]), levels]).sum(axis=1) for p in (fit.m, fit.u))
    impossible = np.isneginf(same)
    return np.where(impossible, -np.inf, same - np.where(impossible, 0, other))


def _check_vectors(vectors: Any, counts: Any) -> tuple[Ints, Floats]:
    levels, pairs = _read_array(vectors), _read_array(counts, np.float64)
    who = "fit_fellegi_sunter"
    fine = levels.ndim == 2 and levels.size and levels.dtype.kind in "iub" and (levels >= 0).all()
    must(fine, who, "vectors", "a matrix of whole numbers from 0, a vector per row", vectors)
    counted = pairs.shape == (len(levels),) and np.isfinite(pairs).all() and (pairs >= 0).all() and pairs.sum() > 0
    must(counted, who, "counts", f"one number of pairs for each of the {len(levels):,} vectors", counts)
    return levels.astype(np.int64), pairs


def _read_array(values: Any, kind: Any = None) -> np.ndarray[Any, Any]:
    """Return values as an array; an empty one if they are none."""
    try:
        return np.asarray(values, dtype=kind)
    except (TypeError, ValueError):
        return np.empty(0)


def _choose_start(given: float | Floats, top: Ints) -> Floats:
    start, shape = _read_array(given, np.float64), (len(top), int(top.max()) + 1)
    fine = start.shape in {(), shape} and ((start >= 0) & (start <= 1)).all()
    must(fine, "fit_fellegi_sunter", "m and u", f"{shape[0]} x {shape[1]} probabilities, or one", given)
    if start.shape:
        return start
    table = np.zeros(shape)
    for j, highest in enumerate(top.tolist()):
        table[j, :highest] = (1 - start) / max(1, highest)
        table[j, highest] = start if highest else 1
    return table


def _estimate_once(now: FellegiSunter, levels: Ints, pairs: Floats) -> FellegiSunter:
    """Return the next estimate: averages over the pairs, weighted by their match probability under the last one."""
    columns = np.arange(levels.shape[1])
    same = now.share * now.m[columns, levels].prod(axis=1)
    other = (1 - now.share) * now.u[columns, levels].prod(axis=1)
    match = np.divide(same, same + other, out=np.full(len(same), now.share), where=same + other > 0) * pairs
    return FellegiSunter(
        float(match.sum() / pairs.sum()),
        _average_levels(match, levels, now.m),
        _average_levels(pairs - match, levels, now.u),
    )


def _average_levels(weights: Floats, levels: Ints, last: Floats) -> Floats:
    """Return the weighted frequency of each level; the last estimate if the weights sum to 0."""
    total = weights.sum()
    if total <= 0:
        return last
    return np.array([np.bincount(column, weights, minlength=last.shape[1]) / total for column in levels.T])


# Probabilistic record linkage: probabilities proportional to the likelihood ratio of a match.

MOST_VECTORS = 2**20
"""The maximum number of different comparison vectors."""


@dataclass(frozen=True)
class ProbabilisticLinkage(Linkage):
    """Link by Fellegi-Sunter: r(y, a)[i] is proportional to the likelihood ratio of the agreement of y with i.

    m, u and the share of matches are estimated from all pairs by expectation-maximization. The model then assumes that
    exactly one individual is y.

    Parameters
    ----------
    columns
        The columns to compare. None: all that the release and the original share.
    agree
        How close numbers must be to agree, as a share of the original's range. Several values define several levels of
        agreement. A mapping gives either for each column. 0: only equal numbers agree. Other values agree if they are
        equal; two missing values agree.
    iterations, tolerance
        When the estimation stops; see :func:`fit_fellegi_sunter`.

    Examples
    --------
    >>> import shoal
    >>> from shoal.linkage import Record
    >>> original = shoal.Table.of({"sex": list("fmfm"), "city": list("xxyy"), "age": [30, 40, 50, 60]})
    >>> r = ProbabilisticLinkage()
    >>> r(Record(original, 2), original).round(3).tolist()
    [0.0, 0.0, 1.0, 0.0]

    References
    ----------
    I. P. Fellegi, A. B. Sunter: A theory for record linkage. Journal of the American Statistical Association 1969.
    """

    columns: tuple[str, ...] | None = None
    agree: float | tuple[float, ...] | Mapping[str, float | tuple[float, ...]] = field(default=0.05, hash=False)
    iterations: int = 1_000
    tolerance: float = 1e-9

    shell: ClassVar[str] = "probabilistic"
    form: ClassVar[str] = "probabilistic"

    def __post_init__(self) -> None:
        who = "ProbabilisticLinkage"
        object.__setattr__(self, "columns", check_names(who, self.columns))
        for given in self.agree.values() if isinstance(self.agree, Mapping) else [self.agree]:
            shares = _as_shares(given)
            good = shares and all(is_finite(s) and s >= 0 for s in shares) and len(set(shares)) == len(shares)
            must(good, who, "agree", "a share of the range, 0 or more, or several different ones", given)
        whole(self.iterations, who, "iterations", least=1)
        must(is_finite(self.tolerance) and self.tolerance >= 0, who, "tolerance", "0 or more", self.tolerance)

    def fit(self, release: Any, original: Any) -> FellegiSunter:
        """Return the share of matches, and the m- and u-probabilities. Numeric columns come first."""
        published = as_data(release)
        return self._compare(published, as_data(original), np.arange(published.n)).fit(self)

    def link(self, release: Dataset, original: Dataset, which: Ints) -> Iterator[Row]:
        """Yield the normalized likelihood ratios of each record."""
        everyone = self._compare(release, original, np.arange(release.n))
        fit, taken = everyone.fit(self), everyone.taken
        weights = compute_log_ratio(fit, everyone.levels(taken))
        rank = np.zeros(everyone.size, dtype=np.int32)
        rank[taken] = np.arange(len(taken))
        all_asked = np.array_equal(which, np.arange(release.n))
        pairs = everyone if all_asked else self._compare(release, original, which)
        for codes in pairs.each(rank):
            yield _normalize_weights(weights, codes[pairs.both.original.of])

    def _compare(self, release: Dataset, original: Dataset, which: Ints) -> _Pairs:
        both = ColumnComparison.of(
            "ProbabilisticLinkage", release.attributes, original.attributes, which, self.columns, constant=True
        )
        for name in self.agree if isinstance(self.agree, Mapping) else ():
            must(name in both.numeric, "ProbabilisticLinkage", "agree", "about compared columns of numbers", name)
        shares = [
            self.agree.get(name, 0.05) if isinstance(self.agree, Mapping) else self.agree for name in both.numeric
        ]
        return _Pairs(both, [_as_shares(share) for share in shares])

    @classmethod
    def from_words(cls, name: str, words: Sequence[str], columns: Sequence[str] | None) -> Self:
        """Build it from its shell name and the columns."""
        check_word_count(words, 0, cls.form)
        return cls(None if columns is None else tuple(columns))


def _as_shares(given: Any) -> tuple[float, ...]:
    return (given,) if is_finite(given) else tuple(given) if isinstance(given, tuple | list) else ()


def _normalize_weights(logarithms: Floats, codes: Ints) -> Row:
    """Return probabilities from log weights. If all weights are 0, all individuals share the probability.

    If some matches are certain, only these share it.
    """
    many = np.bincount(codes, minlength=len(logarithms))
    here = np.where(many > 0, logarithms, -np.inf)
    highest = here.max()
    weights = (here == highest).astype(np.float64) if np.isinf(highest) else np.exp(here - highest)
    return CodedRow(weights / (weights @ many), codes, many)


class _Pairs:
    """All pairs of a record and an individual, counted by comparison vector."""

    def __init__(self, both: ColumnComparison, shares: Sequence[tuple[float, ...]]):
        self.both = both
        self.radix = np.array([len(s) + 1 for s in shares] + [2] * len(both.other), dtype=np.int64)
        self.size = int(np.prod(self.radix.astype(np.float64)))
        must(self.size <= MOST_VECTORS, "ProbabilisticLinkage", "columns", "20 or fewer", len(self.radix))
        self.limits = np.full((len(shares), max([1, *map(len, shares)])), -np.inf)
        for j, width in enumerate(both.measure_spread("range").tolist() if shares else []):
            must(np.isfinite(width), "ProbabilisticLinkage", f"range of column {both.numeric[j]}", "finite", width)
            self.limits[j, : len(shares[j])] = np.array(shares[j]) * width

    def levels(self, codes: Ints) -> Ints:
        """Return the vectors of some codes, one per row."""
        return np.column_stack(np.unravel_index(codes, tuple(self.radix.tolist())))

    @cached_property
    def counts(self) -> Ints:
        """The number of pairs with each comparison vector."""
        from shoal.linkage._kernels import comparisons as loops

        people, records = self.both.original, self.both.release
        sides = (*people.lines, people.many, records.numbers, records.codes, records.many)
        found: list[Ints] = []

        def count(first: int, last: int) -> None:
            found.append(loops.tally(first, last, *sides, self.limits, self.radix, self.size))

        run_in_pieces(count, len(records.many), "comparing pairs", piece=max(1, len(records.many) // 64))
        return np.asarray(np.sum(found, axis=0))

    @cached_property
    def taken(self) -> Ints:
        """The comparison vectors that occur."""
        return np.flatnonzero(self.counts)

    def fit(self, method: ProbabilisticLinkage) -> FellegiSunter:
        """Estimate from all pairs. The start values: one match per record, and u as the frequencies over all pairs."""
        vectors, pairs = self.levels(self.taken), self.counts[self.taken]
        width = int(vectors.max()) + 1
        overall = np.array([np.bincount(column, pairs, minlength=width) for column in vectors.T]) / pairs.sum()
        n = len(self.both.original.of)
        return fit_fellegi_sunter(
            vectors, pairs, share=1 / (n + 1), u=overall, iterations=method.iterations, tolerance=method.tolerance
        )

    def each(self, rank: Ints) -> Iterator[Ints]:
        """Yield, for each record, the ranks of its comparison vectors with all points of the original."""
        from shoal.linkage._kernels import comparisons as loops

        people, records = self.both.original, self.both.release

        def block(asked: Ints) -> Ints:
            out = np.empty((len(asked), len(people.many)), dtype=np.int32)
            sides = (*people.lines, records.numbers[asked], records.codes[asked])

            def fill(first: int, last: int) -> None:
                loops.comparisons(first, last, *sides, self.limits, self.radix, rank, out)

            run_in_pieces(fill, len(asked), "comparing pairs", piece=PIECE)
            return out

        return fill_blocks(records.of, len(people.many), block)
