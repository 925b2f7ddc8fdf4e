"""Confusion: the paper's conf and its kin, judged by the oracle; E26, E27 and E28; floats near a threshold."""

from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import confusion_oracle as oracle
from messages import tells
from shoal import Table
from shoal.errors import BadParameter
from shoal.linkage import (
    DistanceLinkage,
    ExactMatch,
    ProbabilisticLinkage,
    calibrated_threshold,
    confusion,
    confusion_curve,
    is_calibrated,
    is_compatible,
    linked,
    n_confusion,
    provides_confusion,
    records_of,
)
from shoal.linkage.rows import CodedRow, DenseRow, SharedRow, as_row, share_evenly

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
conventions = pytest.mark.parametrize("convention", ["per-a", "paper"])


@st.composite
def distributions(draw, n, kind=Fraction):
    """Draw probabilities of n individuals with small denominators, so that ties and zeros are common."""
    weights = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    return [kind(w) / kind(sum(weights)) for w in weights]


@st.composite
def methods(draw, least=1, kind=Fraction):
    """Draw tables of answers: some methods, some records, some informations, the same individuals."""
    n, ys, infos = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    answers = [
        {(y, a): draw(distributions(n, kind)) for y in range(ys) for a in range(infos)}
        for _ in range(draw(st.integers(least, 2)))
    ]
    return [partial(lambda table, y, a: table[y, a], table) for table in answers], list(range(ys)), list(range(infos))


@pytest.mark.slow
@conventions
@settings(max_examples=150)
@given(drawn=methods())
def test_confusion_is_the_definition(convention, drawn):
    (r, *_), Y, A = drawn
    curve = confusion_curve(r, Y, A, convention)
    assert curve.at(0) == confusion(r, Y, A, 0, convention) == len(r(0, 0))
    assert np.diff(curve.confusion).all()  # no bound where nothing changes
    for t in oracle.thresholds([r], Y, A):
        expected = oracle.conf(r, Y, A, t, convention)
        assert confusion(r, Y, A, t, convention) == expected
        assert curve.at(t) == expected


@pytest.mark.slow
@conventions
@settings(max_examples=150)
@given(drawn=methods(least=2))
def test_n_confusion_is_the_largest_n_over_all_thresholds(convention, drawn):
    rs, Y, A = drawn
    found = n_confusion(rs, Y, A, convention=convention)
    n, t = oracle.n_confusion(rs, Y, A, convention)
    assert (found.n, found.t) == (n, t)
    assert isinstance(found.t, Fraction)
    assert provides_confusion(rs, Y, A, n, t, convention)
    w = found.witness
    assert w.count == min(oracle.conf(r, Y, A, t, convention) for r in rs) >= n
    assert w.method in rs
    assert oracle.m(w.method, t, w.y, A, convention) == w.count
    assert n_confusion(rs, Y, A, definition="ties").n == oracle.ties(rs, Y, A)
    assert n_confusion(rs, Y, A, definition="peak").n == oracle.peak(rs, Y, A)
    for definition in ("threshold", "ties", "peak"):
        found = n_confusion(rs, Y, A, convention=convention, definition=definition)
        assert (found.definition, found.convention) == (definition, convention)
        if definition != "threshold":
            w = found.witness
            row = w.method(w.y, w.a)
            assert (found.t, w.count) == (max(row), row.count(max(row)))


@pytest.mark.slow
@settings(max_examples=100)
@given(drawn=methods())
def test_per_a_n_confusion_is_the_smallest_number_of_linked_individuals(drawn):
    rs, Y, A = drawn
    assert n_confusion(rs, Y, A).n == min(len(linked(r, y, a)) for r in rs for y in Y for a in A)


@pytest.mark.slow
@settings(max_examples=100)
@given(drawn=methods(), n=st.integers(1, 5), parts=st.integers(1, 4))
def test_n_t_confusion_is_the_definition(drawn, n, parts):
    rs, Y, A = drawn
    t = Fraction(parts, 4 * n)
    held = provides_confusion(rs, Y, A, n, t)
    assert bool(held) == all(oracle.conf(r, Y, A, t) >= n for r in rs)
    if held.violation:
        v = held.violation
        assert v.count < n
        assert v.count == sum(p >= t for p in v.method(v.y, v.a))


@pytest.mark.slow
@conventions
@settings(max_examples=100)
@given(drawn=methods(kind=float))
def test_floats_that_are_far_from_every_threshold_count_as_the_definition_says(convention, drawn):
    (r, *_), Y, A = drawn
    curve = confusion_curve(r, Y, A, convention)
    for t in oracle.thresholds([r], Y, A):
        values = {p for y in Y for a in A for p in r(y, a)}
        if all(p in (t, 0) or abs(p - t) > 1e-9 for p in values):
            assert confusion(r, Y, A, float(t), convention) == oracle.conf(r, Y, A, t, convention)
            assert curve.at(float(t)) == oracle.conf(r, Y, A, t, convention)


# rows: the forms of an answer


@st.composite
def coded(draw):
    """Draw a few values, some of them of nobody, and the value of each of n individuals; they sum to 1."""
    weights = draw(st.lists(st.integers(0, 4), min_size=1, max_size=4))
    codes = draw(
        st.lists(st.integers(0, len(weights) - 1), min_size=1, max_size=6).filter(lambda c: any(weights[i] for i in c))
    )
    total = sum(weights[i] for i in codes)
    return [Fraction(min(w, total), total) for w in weights], codes


@settings(max_examples=80)
@given(drawn=coded())
def test_every_form_of_a_row_gives_the_same_answers(drawn):
    table, codes = drawn
    values = [table[i] for i in codes]
    many = np.bincount(codes, minlength=len(table))
    floats = np.array([float(p) for p in table])
    rows = [as_row(values), as_row([float(p) for p in values]), CodedRow(floats, np.array(codes), many)]
    rows.append(as_row([float(values[0]), *values[1:]]))  # numbers of both kinds
    held = [i for i, p in enumerate(values) if p]
    if len({values[i] for i in held}) == 1:
        rows.append(SharedRow(np.array(held), len(values)))
    hair = Fraction(1, 10**30)
    for row in rows:
        exact = not isinstance(row, DenseRow)
        assert list(row.values) == (values if exact else [float(p) for p in values])
        assert row.linked.tolist() == held
        assert row.n == len(values)
        assert row.peak() == (max(values) if exact else float(max(values)), values.count(max(values)))
        assert row.entropy() == pytest.approx(oracle.entropy(values), abs=1e-12)
        steps = row.steps()
        assert all(0 < t <= 1 for t in steps.bounds)
        assert row.count(0) == len(values)
        thresholds = {*values, Fraction(1), Fraction(1, 7), Fraction(2, 3)} - {0}
        for t in [t + shift for t in thresholds for shift in (-hair, 0, hair) if exact or not shift]:
            if t <= 1:
                expected = sum(p >= t for p in values)
                assert row.count(t) == expected
                assert steps.at(t) == expected
        for t in thresholds:
            if all(p == t or abs(p - t) > 1e-9 for p in values):
                assert row.count(float(t)) == sum(p >= t for p in values)


# E26: the theorem holds for calibrated methods


@st.composite
def calibrated(draw):
    """Draw a doubly stochastic matrix whose rows come in groups of at least k equal ones: a mixture of permutations,
    averaged over the groups."""
    k = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(k, k + 2), min_size=1, max_size=3))
    n = sum(sizes)
    weights = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    matrix = [[Fraction(0)] * n for _ in range(n)]
    for w in weights:
        for y, i in enumerate(draw(st.permutations(range(n)))):
            matrix[y][i] += Fraction(w, sum(weights))
    groups = np.repeat(np.arange(len(sizes)), sizes).tolist()
    rows = []
    for g, size in enumerate(sizes):
        members = [matrix[y] for y in range(n) if groups[y] == g]
        rows.append([sum(column) / size for column in zip(*members, strict=True)])
    return k, groups, rows


@pytest.mark.slow
@settings(max_examples=200)
@given(drawn=calibrated())
def test_e26_k_entries_of_a_calibrated_method_reach_the_bound(drawn):
    k, groups, rows = drawn
    n = len(groups)

    def r(y, a):
        return rows[y]

    assert oracle.is_doubly_stochastic([rows[g] for g in groups])
    assert is_calibrated(r, groups, None)
    t = calibrated_threshold(k, n)
    assert t == Fraction(1, k * (n - k + 1))
    assert confusion(r, groups, None, t) >= k
    assert all(sum(p >= t for p in row) >= k for row in rows)
    assert provides_confusion(r, groups, None, k, t)


def extremal(k, n):
    """The rows of two classes: k - 1 individuals have 1/k with the first class, the others share what is left."""
    t = Fraction(1, k * (n - k + 1))
    first = [Fraction(1, k)] * (k - 1) + [t] * (n - k + 1)
    second = [Fraction(0)] * (k - 1) + [Fraction(1, n - k + 1)] * (n - k + 1)
    return first, second


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_e26_the_bound_is_attained(k):
    even = [Fraction(1, k)] * k
    assert is_calibrated(lambda y, a: even, range(k), None)
    assert calibrated_threshold(k, k) == max(even)
    for n in range(2 * k, 2 * k + 4):
        first, second = extremal(k, n)
        groups = [0] * k + [1] * (n - k)
        r = [first, second].__getitem__
        assert is_calibrated(lambda y, a, r=r: r(y), groups, None)
        assert oracle.is_doubly_stochastic([[first, second][g] for g in groups])
        assert sorted(first, reverse=True)[k - 1] == calibrated_threshold(k, n)
        above = calibrated_threshold(k, n) + Fraction(1, 10**9)
        if k > 1:
            assert confusion(lambda y, a, r=r: r(y), groups, None, above) < k


def test_e26_the_theorem_fails_for_a_method_that_is_not_calibrated():
    def r(y, a):
        return [HALF, QUARTER, QUARTER, 0]

    records = ["the same"] * 4
    found = n_confusion(r, records, None)
    assert (found.n, found.t) == (3, QUARTER)
    assert max(confusion(r, records, None, t) for t in oracle.thresholds([r], records, [None]) if 4 * t <= 1) == 3
    verdict = is_calibrated(r, records, None)
    assert not verdict
    assert "individual 0 sum to 2" in verdict.violation


def test_e27_one_uninformative_a_hides_another():
    def r(y, a):
        return [QUARTER] * 4 if a == "nothing" else [1, 0, 0, 0]

    for infos in (["nothing", "all"], ["all", "nothing"]):
        assert confusion(r, ["y"], infos, HALF, convention="paper") == 4
        assert confusion(r, ["y"], infos, HALF, convention="per-a") == confusion(r, ["y"], infos, HALF) == 1
        assert n_confusion(r, ["y"], infos).n == 1
        assert n_confusion(r, ["y"], infos, convention="paper").n == 3


def test_e28_a_larger_threshold_is_not_a_stronger_one():
    for values in ([0.4, 0.3, 0.3], [Fraction(4, 10), Fraction(3, 10), Fraction(3, 10)]):
        curve = confusion_curve(lambda y, a, values=values: values, ["y"], None)
        assert [float(t) for t in curve.t] == [0.3, 0.4, 1.0]
        assert curve.confusion.tolist() == [3, 1, 3]
        assert curve.at(0.35) == 1 < curve.at(0.45)
        frame = curve.to_frame()
        assert list(frame.columns) == ["above", "up_to", "confusion"]
        assert frame["above"].tolist() == [0.0, 0.3, 0.4]


def test_a_curve_has_a_bound_only_where_confusion_changes():
    def r(y, a):
        return {"p": [0.5, 0.5, 0, 0], "q": [1.0, 0, 0, 0]}[y]

    assert confusion_curve(r, ["p"], None).t.tolist() == [0.5, 1.0]
    assert confusion_curve(r, ["p", "q"], None).t.tolist() == [1.0]
    # a sum of floats may be a little above 1
    above = confusion_curve(lambda y, a: [1 + 1e-10, 0.0], ["y"], None)
    assert (above.t.tolist(), above.confusion.tolist()) == ([1.0], [1])


def test_a_curve_of_exact_numbers_is_asked_exactly():
    hair = Fraction(1, 10**30)
    table = Table.of({"age": [30, 30, 41, 41, 41]})
    for r, y, a in ((ExactMatch(), table, table), (lambda y, a: [HALF, HALF, 0, 0, 0], ["y"], None)):
        curve = confusion_curve(r, y, a)
        assert [curve.at(t) for t in (HALF - hair, HALF, HALF + hair)] == [2, 2, 5]
        assert [confusion(r, y, a, t) for t in (HALF - hair, HALF, HALF + hair)] == [2, 2, 5]


def test_the_three_definitions_differ():
    def skew(y, a):
        return [HALF, QUARTER, QUARTER]

    def tied(y, a):
        return [Fraction(2, 5), Fraction(2, 5), Fraction(1, 5), 0, 0]

    def got(r):
        return [n_confusion(r, ["y"], None, definition=d).n for d in ("threshold", "ties", "peak")]

    assert got(skew) == [3, 1, 2]
    assert got(tied) == [3, 2, 2]
    assert got(lambda y, a: [Fraction(1, 3), *[Fraction(1, 6)] * 4]) == [5, 1, 3]
    assert n_confusion(tied, ["y"], None, definition="ties").t == Fraction(2, 5)


# numbers: exact where exact, and never towards safety where not


def test_exact_thresholds_are_compared_exactly():
    third = Fraction(1, 3)
    hair = Fraction(1, 10**30)

    def r(y, a):
        return [third, third, third]

    assert confusion(r, ["y"], None, third) == 3
    assert [
        confusion(lambda y, a: [third + hair, third, third - hair], ["y"], None, t) for t in (third, third + hair)
    ] == [
        2,
        1,
    ]
    assert confusion(r, ["y"], None, 1 / 3) == 3
    assert confusion(lambda y, a: [Decimal("0.3"), Decimal("0.7")], ["y"], None, Decimal("0.3")) == 2


def test_a_float_next_to_the_threshold_never_makes_confusion_larger():
    t = 0.1 * 3  # just above 0.3
    assert t != 0.3
    assert confusion(lambda y, a: [0.4, 0.3, 0.3], ["y"], None, t) == 1
    # values just above t may as well be below it
    assert confusion(lambda y, a: [0.4, t, 0.6 - t], ["y"], None, 0.3) == 1
    # without those that are next to t nobody would be left, and everybody would count
    assert confusion(lambda y, a: [0.3, 0.3, 0.2, 0.2], ["y"], None, t) == 2
    # the same in the paper's convention, where the fallback comes after the minimum
    table = {0: [0.3, 0.3, 0.2, 0.2], 1: [0.3, 0.3, 0.3, 0.1]}
    assert confusion(lambda y, a: table[a], ["y"], [0, 1], t, convention="paper") == 2
    # a float threshold means the number whose float it is
    assert confusion(lambda y, a: [HALF, *[Fraction(1, 10)] * 5], ["y"], None, 0.1) == 6
    assert confusion(lambda y, a: [0.5, *[0.1] * 5], ["y"], None, Fraction(1, 10)) == 6
    assert n_confusion(lambda y, a: [0.1] * 10, ["y"], None, definition="peak").n == 10


def test_noise_in_floats_lowers_the_threshold_and_not_n():
    noisy = np.array([0.25, 0.25 + 1e-16, 0.25 - 5e-17, 0.25])
    found = n_confusion(lambda y, a: noisy, ["y"], None)
    assert found.n == 4
    assert found.witness.count >= 4
    assert 0.25 * (1 - 2.5e-12) < found.t < 0.25
    assert confusion(lambda y, a: noisy, ["y"], None, found.t) == 4


def test_an_answer_that_is_no_distribution_is_refused():
    good = [HALF, HALF]
    bad = {
        "sum to 1. Got the sum 3/2": [HALF, 1],
        "sum to 1. Got the sum 0.9": [0.5, 0.4],
        "must not be negative. Got -1/2": [Fraction(3, 2), -HALF],
        "must not be negative. Got -0.5": [1.5, -0.5],
        "must not be negative. Got -0.25": np.array([1.25, -0.25]),
        "one probability per individual. Got nan": [0.5, float("nan")],
        "Got NaN or an infinity": np.array([0.5, np.inf]),
        "one probability per individual. Got 'x'": ["x", 1],
        "one probability per individual. Got 0.5": 0.5,
        "one probability per individual. Got none at all": [],
        "one probability per individual. Got True": [True, False],
        r"same number of probabilities each time. Got 3 after 2": [1, 0, 0],
    }
    for message, answer in bad.items():
        with pytest.raises(BadParameter, match=message) as refused:
            confusion(lambda y, a, answer=answer: answer if (y, a) == ("q", "b") else good, ["p", "q"], ["a", "b"], 0.5)
        assert "record 1 of y, 'q', and information 1 of a, 'b'" in str(refused.value)
    assert confusion(lambda y, a: [0.5, 0.5 + 1e-10], ["p"], None, 0.5) == 2
    assert confusion(lambda y, a: np.array([1, 0]), ["p"], None, 1) == 1


def test_invalid_parameters_are_refused():
    def r(y, a):
        return [1]

    for t in (-0.1, 1.5, float("nan"), "1/2", None, True):
        with pytest.raises(BadParameter, match=r"'t'.*0.*1"):
            confusion(r, ["y"], None, t)
    with pytest.raises(BadParameter, match="'convention'"):
        confusion(r, ["y"], None, 0.5, convention="per-y")
    with pytest.raises(BadParameter, match="'definition'"):
        n_confusion(r, ["y"], None, definition="mode")
    with pytest.raises(BadParameter, match="'y'"):
        confusion(r, [], None, 0.5)
    with pytest.raises(BadParameter, match=r"'a'.*'all'"):
        confusion(r, ["y"], "all", 0.5)
    with pytest.raises(BadParameter, match=r"must be a function r\(y, a\)"):
        n_confusion([r, "distance"], ["y"], None)
    for n, t in ((2, 0.51), (2, 0), (3, Fraction(1, 2))):
        with pytest.raises(BadParameter, match=rf"'t'.*0.*1.*{n}"):
            provides_confusion(r, ["y"], None, n, t)
    assert not provides_confusion(r, ["y"], None, 5, 0.2)
    with pytest.raises(BadParameter, match=r"'n' must be a whole number"):
        provides_confusion(r, ["y"], None, 0, 0.5)
    held = provides_confusion(r, ["y"], None, 5, 0.2)
    assert (held.n, held.t, held.violation.count) == (5, 0.2, 1)
    held = provides_confusion(r, ["y"], None, 1, 0.2)
    assert (held.n, held.t, held.violation) == (1, 0.2, None)
    with pytest.raises(BadParameter, match=r"'k' must be at most n"):
        calibrated_threshold(4, 3)
    with pytest.raises(BadParameter, match=r"'k' must be a whole number of 1 or more"):
        calibrated_threshold(0, 3)
    with pytest.raises(BadParameter, match=r"'n' must be a whole number of 1 or more"):
        calibrated_threshold(1, 0)


@pytest.mark.parametrize(
    ("asked", "rest"),
    [
        (confusion, (0.5,)),
        (provides_confusion, (1, 0.5)),
        (confusion_curve, ()),
        (n_confusion, ()),
        (is_calibrated, ()),
        (is_compatible, ()),
    ],
)
def test_an_error_names_the_function_that_was_called(asked, rest):
    def r(y, a):
        return [1]

    def fails(*arguments, **named):
        with pytest.raises(BadParameter, match=f"^{asked.__name__}: "):
            asked(*arguments, **named)

    fails(r, [], None, *rest)
    fails(r, ["y"], [], *rest)
    fails(7, ["y"], None, *rest)
    fails(lambda y, a: [2], ["y"], None, *rest)
    if rest:
        fails(r, ["y"], None, *rest[:-1], 2)
    if asked not in (is_calibrated, is_compatible):
        fails(r, ["y"], None, *rest, convention="per-y")


def test_generators_and_single_methods_are_accepted():
    def r(y, a):
        return [int(i == y) for i in range(3)]

    assert confusion(r, (y for y in range(3)), (a for a in "ab"), 1) == 1
    assert n_confusion([r, lambda y, a: [1, 0, 0]], range(3), None).n == 1
    assert linked(r, 2, None) == {2}
    assert confusion_curve([r], range(3), None).at(HALF) == 1


# calibrated and compatible


@pytest.mark.slow
@settings(max_examples=100)
@given(drawn=methods())
def test_calibrated_is_doubly_stochastic(drawn):
    (r, *_), Y, A = drawn
    expected = all(oracle.is_doubly_stochastic([r(y, a) for y in Y]) for a in A)
    verdict = is_calibrated(r, Y, A)
    assert bool(verdict) == expected
    assert (verdict.violation is None) == expected
    assert bool(is_calibrated(lambda y, a: [float(p) for p in r(y, a)], Y, A)) == expected


def test_calibration_of_linked_tables():
    table = Table.of({"age": [30, 30, 41, 41, 41], "sex": list("fmfmf")})
    assert is_calibrated(ExactMatch("age"), table, table)
    assert is_calibrated(ExactMatch(), table, [None, table])
    assert is_calibrated(DistanceLinkage(take="softmax", temperature=1e9), table, table)
    shorter = table.take(np.array([0, 1, 2]))
    assert "3 records for 5 individuals" in is_calibrated(ExactMatch("age"), shorter, table).violation
    twice = table.take(np.array([0, 0, 2, 3, 4]))
    assert "individual 0 sum to 2" in is_calibrated(ExactMatch(), twice, table).violation


def test_column_sums_stay_exact_however_many_sizes_there_are(monkeypatch):
    from shoal.linkage import compatibility

    monkeypatch.setattr(compatibility, "MOST_SIZES", 1)
    table = Table.of({"age": np.repeat(np.arange(6), np.arange(1, 7)).tolist()})
    assert is_calibrated(ExactMatch(), table, table)


def by_evidence(y, a):
    """How y is linked under three kinds of evidence; records 0 and 1 are equal."""
    rows = {0: [QUARTER] * 4, 1: [HALF, HALF, 0, 0] if y in (0, 1) else [0, 0, HALF, HALF]}
    return rows[a] if a in rows else [HALF, HALF, 0, 0] if y in (0, 1) else [int(i == y) for i in range(4)]


def test_compatible_methods_and_their_entropy():
    verdict = is_compatible(by_evidence, [0, 1, 2, 3], [0, 1, 2])
    assert verdict
    assert verdict.entropy == pytest.approx((log(4), log(2), log(2) / 2))
    assert verdict.pointwise == ()
    assert not is_compatible(by_evidence, [0, 1, 2, 3], [1, 2])
    again = is_compatible(by_evidence, [0, 1, 2, 3], [0, 0, 1, 1, 2, 2])  # the same evidence again is no more
    assert again
    assert again.pointwise == ()
    rising = is_compatible(by_evidence, [0, 1, 2, 3], [0, 2, 1])
    assert tells(rising.violation, "information 1", "information 2", "0.346")


def test_a_rise_of_entropy_at_one_record_is_allowed_and_reported():
    def r(y, a):
        rows = {0: [[QUARTER] * 4] * 2, 1: [[1, 0, 0, 0], [QUARTER] * 4], 2: [[HALF, HALF, 0, 0], [0, 0, 1, 0]]}
        return rows[a][y]

    verdict = is_compatible(r, [0, 1], [0, 1, 2])
    assert verdict
    assert verdict.pointwise == ((0, 2),)
    assert verdict.entropy == pytest.approx(
        [oracle.entropy(r(0, a)) / 2 + oracle.entropy(r(1, a)) / 2 for a in range(3)]
    )


def test_equal_records_must_get_equal_values():
    def r(y, a):
        r.asked += 1
        return [HALF, HALF] if a == 0 else [int(r.asked > 3), int(r.asked <= 3)]

    for records in (["same", "other", "same"], [[1, 2], [3], [1, 2]], [np.array([1]), np.array([2]), np.array([1])]):
        r.asked = 0
        verdict = is_compatible(r, records, [0, 1, 1])
        assert tells(verdict.violation, "Records 0 and 2", "information 1")


@pytest.mark.parametrize("other", [[Fraction(1, 3)] * 3, [1 / 3] * 3, [HALF, QUARTER, QUARTER], [0.4, 0.3, 0.3]])
def test_equal_records_may_get_equal_values_in_another_form(other):
    class Forms(ExactMatch):
        def rows(self, release, original, which=None):
            return iter([share_evenly(3), share_evenly(3) if original is None else other, share_evenly(3)])

    table = Table.of({"age": [30, 30, 41]})
    verdict = is_compatible(Forms(), table, [None, table])
    if other[0] == other[1]:
        assert verdict
    else:
        assert tells(verdict.violation, "Records 0 and 1", "information 1")


def test_no_evidence_must_give_equal_probabilities():
    assert (
        "record 1 of y must have probability 1/2"
        in is_compatible(lambda y, a: [HALF, HALF] if y == 0 else [0.4, 0.6], [0, 1], [None]).violation
    )
    assert is_compatible(lambda y, a: np.full(3, 1 / 3), [0, 1], [None])


@pytest.mark.parametrize(
    "method", [ExactMatch(), DistanceLinkage(), DistanceLinkage(take="softmax"), ProbabilisticLinkage()], ids=repr
)
def test_our_methods_are_compatible_with_more_and_more_columns(method):
    rng = np.random.default_rng(5)
    table = Table.of({name: rng.integers(0, 4, 40).tolist() for name in "abc"})
    infos = [None, table.only(["a"]), table.only(["a", "b"]), table]
    verdict = is_compatible(method, table, infos)
    if isinstance(method, ExactMatch):
        assert verdict
        assert verdict.pointwise == ()
    # the entropy of a guess need not fall, but no evidence is even and equal records get equal values
    assert verdict.violation is None or "mean entropy rises" in verdict.violation
    assert verdict.entropy[0] == pytest.approx(log(40))


# streaming


class Watched(ExactMatch):
    """Counts how often it is asked for all rows, and for one."""

    def __call__(self, y, a):
        raise AssertionError("asked for one")


def test_a_whole_release_is_asked_for_once():
    table = Table.of({"age": [30, 30, 41]})
    assert confusion(Watched("age"), table, table, 0.5) == 1
    assert confusion(Watched("age"), records_of(table), [None, table], 0.5) == 1
    assert confusion(Watched("age"), records_of(table)[:2], table, 0.5) == 2
    mixed = [*records_of(table), *records_of(Table.of({"age": [30]}))]
    with pytest.raises(AssertionError, match=r"asked for one"):
        confusion(Watched("age"), mixed, table, 0.5)


class Streams:
    """A third-party method that answers for a whole release, with plain lists."""

    def __init__(self, rows):
        self.table = rows

    def rows(self, release, original):
        return iter(self.table)

    def __call__(self, y, a):
        return self.table[y.i]


def test_rows_of_other_methods_are_checked():
    table = Table.of({"age": [30, 41]})
    assert confusion(Streams([[1, 0], np.array([0.5, 0.5])]), table, None, 0.5) == 1
    with pytest.raises(BadParameter, match=r"2 records.*1"):
        confusion(Streams([[0.5, 0.5]]), table, None, 0.5)
    with pytest.raises(BadParameter, match=r"1 records.*Got 0"):
        confusion(Streams([]), table.take(np.array([0])), None, 0.5)
    with pytest.raises(BadParameter, match=r"sum 2.*record 1"):
        confusion(Streams([[1, 0], [1, 1]]), table, None, 0.5)


@pytest.mark.slow
@conventions
@pytest.mark.parametrize(
    "method",
    [
        ExactMatch(),
        DistanceLinkage(),
        DistanceLinkage(take="k-nearest", k=3),
        DistanceLinkage(take="softmax", temperature=0.2),
        ProbabilisticLinkage(),
    ],
    ids=repr,
)
def test_streamed_rows_equal_single_calls(method, convention):
    rng = np.random.default_rng(3)
    original = Table.of({"a": rng.integers(0, 5, 12).tolist(), "b": rng.choice(["x", "y", None], 12).tolist()})
    release = original.take(rng.permutation(12)).with_columns({"a": original["a"]})
    infos = [None, original, original.only(["b"])]
    records = records_of(release)
    table = {(j, h): list(method(y, a)) for j, y in enumerate(records) for h, a in enumerate(infos)}

    def plain(j, h):
        return table[j, h]

    js, hs = range(12), range(3)
    for t in (0, 0.05, 0.1, 0.31, 0.5, 0.9, 1):
        assert confusion(method, release, infos, t, convention) == confusion(plain, js, hs, t, convention)
    one, other = (confusion_curve(r, y, a, convention) for r, y, a in ((method, release, infos), (plain, js, hs)))
    assert one.t.tolist() == other.t.tolist()
    assert one.confusion.tolist() == other.confusion.tolist()
    for definition in ("threshold", "ties", "peak"):
        streamed = n_confusion(method, release, infos, convention=convention, definition=definition)
        listed = n_confusion(plain, js, hs, convention=convention, definition=definition)
        assert (streamed.n, streamed.t) == (listed.n, listed.t)
    assert bool(is_calibrated(method, release, infos)) == bool(is_calibrated(plain, js, hs))
    assert is_compatible(method, release, infos).entropy == pytest.approx(is_compatible(plain, js, hs).entropy)


def test_a_curve_is_a_chart_of_steps():
    chart = confusion_curve(lambda y, a: [0.4, 0.3, 0.3], ["y"], None).plot().to_dict()
    steps = [(row["t"], row["up to"], row["confusion"]) for row in chart["data"]["values"]]
    assert steps == [(0, 0.3, 3), (0.3, 0.4, 1), (0.4, 1, 3)]
    assert "no individual reaches t" in chart["data"]["values"][-1]["what"]
    assert chart["encoding"]["y"]["axis"]["values"] == [0, 1, 2, 3]
