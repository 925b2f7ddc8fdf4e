"""Mondrian: compared with a literal version of the algorithm, and with the sets of values behind labels."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from math import isclose

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Table
from shoal.data.column import Column, exact
from shoal.errors import BadParameter, BrokenPromise, UnknownColumn
from shoal.methods import Mondrian
from shoal.methods.tables import mondrian
from shoal.methods.tables.mondrian import Ranked
from shoal.release.guarantee import ConfusionPromise, Promise
from shoal.release.verify import verify_release

PENALTY = "normalized certainty penalty"
CELLS = {
    "number": st.one_of(st.none(), st.integers(-3, 9), st.sampled_from([0.5, 2.25])),
    "whole": st.integers(0, 30),
    "word": st.sampled_from(["a", "b", "c", None, "d, e", "{a, b}", "*"]),
    "both": st.sampled_from([1, "1", 2.5, None, True, "missing", "{1, missing}"]),
}
NUMERIC = {"number", "whole"}


@st.composite
def tables(draw, most=16):
    n = draw(st.integers(1, most))
    return Table.of({name: draw(st.lists(cell, min_size=n, max_size=n)) for name, cell in CELLS.items()})


def classes_of(release):
    found = {}
    for v, code in enumerate(release.codes.tolist()):
        found.setdefault(code, []).append(v)
    return list(found.values())


def is_numeric(column):
    return all(type(x) in {int, float} for x in column if x is not None) and any(x is not None for x in column)


def orders(table):
    """Return a rank per record (missing first) and a position from 0 to 1 per rank, in plain Python."""
    found = []
    for name in table:
        cells = list(table[name])
        numeric = is_numeric(cells)
        key = (lambda x: x) if numeric else (lambda x: (type(x).__name__, x))
        values = sorted({exact(x): x for x in cells if x is not None}.values(), key=key)
        missing = None in cells
        rank = {exact(x): i + missing for i, x in enumerate(values)} | {exact(None): 0}
        spots = [float(x) for x in values] if numeric else list(range(len(values)))
        width = spots[-1] - spots[0] if spots else 0
        place = [0.0] * missing + [(s - spots[0]) / width if width else 0.0 for s in spots]
        found.append(([rank[exact(x)] for x in cells], place, missing))
    return found


def cut_word_for_word(columns, part, k):
    """Return the classes that median cuts of `part` give."""

    def width(column):
        ranks, place, missing = column
        here = [ranks[v] for v in part]
        if min(here) == max(here):
            return -1
        return 2 if missing and min(here) == 0 else place[max(here)] - place[min(here)]

    for ranks, _, missing in sorted(columns, key=width, reverse=True):
        here = sorted(ranks[v] for v in part)
        if here[0] == here[-1]:
            continue
        median = here[(len(here) - 1) // 2]
        cuts = [median, median - 1]
        cuts.sort(key=lambda cut: abs(2 * sum(r <= cut for r in here) - len(here)))
        for cut in [*([0] if missing and here[0] == 0 else []), *cuts]:
            left, right = [v for v in part if ranks[v] <= cut], [v for v in part if ranks[v] > cut]
            if min(len(left), len(right)) >= k:
                return cut_word_for_word(columns, left, k) + cut_word_for_word(columns, right, k)
    return [part]


@pytest.mark.slow
@given(tables(), st.integers(1, 4))
@settings(max_examples=200)
def test_classes_equal_those_of_the_published_algorithm(table, k):
    k = min(k, table.n)
    release = Mondrian(k)(table)
    expected = cut_word_for_word(orders(table), list(range(table.n)), k)
    assert sorted(classes_of(release)) == sorted(expected)


@pytest.mark.slow
@given(tables(), st.integers(1, 4), st.sampled_from([None, ("number", "word"), ("both",), ("whole", "number")]))
@settings(max_examples=200)
def test_laws(table, k, names):
    k = min(k, table.n)
    before = {name: (column.codes.copy(), column.values) for name, column in table.columns.items()}
    method = Mondrian(k, names)
    release = method(table)
    chosen = names or tuple(table)
    published = zip(*(map(exact, release.table[name]) for name in chosen), strict=True)
    assert min(Counter(published).values()) >= k
    for name in set(table) - set(chosen):
        assert release.table[name] is table[name]
    for name, (codes, values) in before.items():
        assert np.array_equal(table[name].codes, codes)
        assert table[name].values is values
    assert release.data == method(table).data
    assert eval(repr(method)) == method
    sizes = [len(part) for part in classes_of(release)]
    assert release.promises[0].k == k
    assert release.promises[1] == ConfusionPromise(k, Fraction(1, max(sizes)), chosen, method)
    for part in classes_of(release):
        assert not can_be_cut(orders(table.only(chosen)), part, k)
    check_labels(table, release, chosen)


def can_be_cut(columns, part, k):
    for ranks, _, _ in columns:
        for cut in range(max(ranks)):
            left = sum(ranks[v] <= cut for v in part)
            if min(left, len(part) - left) >= k:
                return True
    return False


def check_labels(table, release, names):
    """Check that each label means one set, that unchanged values mean themselves, and that the penalty adds up."""
    total = 0.0
    for name in names:
        everything = frozenset(map(exact, table[name]))
        stands_for = {}
        for part in classes_of(release):
            cells = [table[name][v] for v in part]
            values = frozenset(map(exact, cells))
            there = [x for x in cells if x is not None]
            (label,) = {exact(release.table[name][v]) for v in part}
            if len(values) == 1:
                assert label in values
                span, share = values, 0.0
            elif is_numeric(table[name]):
                all_numbers = [x for x in table[name] if x is not None]
                span = (min(there), max(there), None in cells)
                share = 1.0 if None in cells else (span[1] - span[0]) / (max(all_numbers) - min(all_numbers))
            elif values == everything or len(values) > mondrian.LISTED:
                span, share = everything, 1.0
            else:
                span, share = values, (len(values) - 1) / (len(everything) - 1)
            if len(values) > 1:
                assert label not in everything
            assert stands_for.setdefault(label, span) == span
            total += share * len(part)
        assert len(set(stands_for.values())) == len(stands_for)
    assert isclose(release.measured[PENALTY], total / table.n / len(names), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.slow
@given(tables(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(table, k, random):
    k = min(k, table.n)
    order = list(range(table.n))
    random.shuffle(order)
    there = Mondrian(k)(Table.of({name: [table[name][v] for v in order] for name in table})).table
    here = Mondrian(k)(table).table
    for name in table:
        assert [exact(here[name][v]) for v in order] == [exact(x) for x in there[name]]


def test_sorting_and_counting_give_the_same_cuts():
    rng = np.random.default_rng(4)
    table = Table.of({"a": rng.normal(size=300).tolist(), "b": rng.integers(0, 9, 300).tolist()})
    expected = cut_word_for_word(orders(table), list(range(300)), 4)
    assert sorted(classes_of(Mondrian(4)(table))) == sorted(expected)


def labels(values, k):
    (name,) = values
    return list(Mondrian(k)(values).table[name])


def test_labels_of_numbers():
    assert labels({"x": [20, 29]}, 2) == ["20-29"] * 2
    assert labels({"x": [1.5, 2.25]}, 2) == ["1.5-2.25"] * 2
    assert labels({"x": [-5, -1]}, 2) == ["-5 to -1"] * 2
    assert labels({"x": [1e-05, 0.5]}, 2) == ["1e-05 to 0.5"] * 2
    assert labels({"x": [3, 3, None]}, 3) == ["3 or missing"] * 3
    assert labels({"x": [3, 4, None]}, 3) == ["3-4 or missing"] * 3
    assert labels({"x": [7, 7]}, 2) == [7, 7]
    assert labels({"x": [None, None]}, 2) == [None, None]


def test_labels_of_categories():
    assert labels({"x": ["b", "a", "c", "c"]}, 2) == ["{a, b}", "{a, b}", "c", "c"]
    assert labels({"x": ["b", "a"]}, 2) == ["*", "*"]
    assert labels({"x": ["a", None, "c", "c"]}, 2) == ["{missing, a}", "{missing, a}", "c", "c"]
    assert labels({"x": ["a, b", "a", "x", "x"]}, 2) == ["{a, 'a, b'}"] * 2 + ["x"] * 2
    assert labels({"x": ["missing", "a", "x", "x"]}, 2)[0] == "{a, 'missing'}"
    many = [f"w{i}" for i in range(9)] + ["z"] * 9
    assert labels({"x": many}, 9) == ["*"] * 9 + ["z"] * 9
    assert labels({"x": [*many[:8], *many[9:17]]}, 8)[0] == "{w0, w1, w2, w3, w4, w5, w6, w7}"


def test_dates_become_ranges_too():
    days = [date(1980, 5, 1), date(1999, 1, 31), date(2004, 2, 29), date(1980, 4, 30)]
    release = Mondrian(2)({"born": [*days, None, None]})
    assert list(release.table["born"]) == [
        "1980-04-30 to 1980-05-01",
        "1999-01-31 to 2004-02-29",
        "1999-01-31 to 2004-02-29",
        "1980-04-30 to 1980-05-01",
        None,
        None,
    ]
    width = (days[2] - days[3]).days
    shares = [(days[0] - days[3]).days / width, (days[2] - days[1]).days / width, 0]
    assert isclose(release.measured[PENALTY], sum(shares) / 3)
    times = [datetime(2020, 1, 1, 12), datetime(2020, 1, 1, 12, 30)]
    assert labels({"at": times}, 2) == ["2020-01-01 12:00:00 to 2020-01-01 12:30:00"] * 2
    assert labels({"at": [times[0].replace(tzinfo=UTC), times[1]]}, 2) == ["*"] * 2
    assert labels({"at": [times[0], days[0]]}, 2) == ["*"] * 2


def test_missing_values_are_cut_off_first():
    table = {"x": [None, None, 1, 2], "y": [0, 100, 0, 100]}
    release = Mondrian(2)(table)
    assert list(release.table["x"]) == [None, None, "1-2", "1-2"]


def test_labels_never_equal_texts_of_the_table():
    assert labels({"x": ["a", "b", "{a, b}", "{a, b}"]}, 2) == ["{a, b} (2)"] * 2 + ["{a, b}"] * 2
    assert labels({"x": ["*", "*", "a", "b"]}, 4) == ["* (2)"] * 4


def test_a_column_is_ranked_by_value_not_by_spelling():
    ranked = Ranked("x", Column.of([10, 9, None, 10, 9.5]))
    assert ranked.ranks.tolist() == [3, 1, 0, 3, 2]
    assert [ranked.value(rank) for rank in range(ranked.count)] == [None, 9, 9.5, 10]


def test_values_without_an_order_are_ordered_by_spelling():
    release = Mondrian(2)({"x": [1j, 2j, 1j, 2j]})
    assert list(release.table["x"]) == [1j, 2j, 1j, 2j]


# promises that do not hold


def test_a_release_with_a_wrong_class_is_refused():
    release = Mondrian(2)({"age": [20, 21, 60, 61]})
    with pytest.raises(BrokenPromise, match="same values"):
        verify_release(replace(release, codes=np.array([0, 1, 1, 0])))
    other = release.table.with_columns({"age": Column.of(["20-21", "20-21", "60-61", 61])})
    with pytest.raises(BrokenPromise, match=r"guarantee.*2 candidates.*Got 1"):
        verify_release(replace(release, data=release.data.with_attributes(other)))


def test_networks_keep_their_links():
    g = nx.path_graph(4)
    nx.set_node_attributes(g, {v: 10 * v for v in g}, "age")
    release = Mondrian(2)(g)
    assert list(release.table["age"]) == ["0-10", "0-10", "20-30", "20-30"]
    assert release.data.m == 3
    assert [type(p) for p in release.promises] == [Promise]
    assert "links are not changed" in release.notes[0]


# bad input


@pytest.mark.parametrize("k", [0, 1.5, "2", True, None])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(BadParameter, match=r"'k'.*1"):
        Mondrian(k)


def test_bad_input():
    table = {"age": [1, 2, 3], "sex": ["f", "m", "f"]}
    with pytest.raises(BadParameter, match="'k' must be at most"):
        Mondrian(4)(table)
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        Mondrian(2, ("agee",))(table)
    with pytest.raises(BadParameter, match="each column once"):
        Mondrian(2, ("age", "age"))(table)
    with pytest.raises(BadParameter, match="at least one column"):
        Mondrian(2, ())(table)
    with pytest.raises(BadParameter, match="'columns' must be strings"):
        Mondrian(2, (1, 2))
    with pytest.raises(BadParameter, match=r"'age'.*inf"):
        Mondrian(2)({"age": [1.0, float("inf")]})
    assert list(Mondrian(2)({"age": [1.0, float("nan")]}).table["age"]) == ["1.0 or missing"] * 2


def test_constant_missing_long_and_large_cells():
    table = {
        "same": [1, 1, 1, 1],
        "none": [None] * 4,
        "long": ["x" * 10_000, "y" * 10_000, "z", "z"],
        "large": [1.7e308, -1.7e308, 0.0, 0.0],
    }
    release = Mondrian(2)(table)
    assert list(release.table["same"]) == [1] * 4
    assert list(release.table["none"]) == [None] * 4
    assert release.measured["classes"] == 2
    assert max(len(str(x)) for x in release.table["long"]) >= 10_000
    assert 0 <= release.measured[PENALTY] <= 1
