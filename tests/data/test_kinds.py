"""Kinds of links: labels, intervals, and bounds of quantiles that are no record's value."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messages import hear
from shoal import Hierarchy
from shoal.data.column import Column
from shoal.data.kinds import MOST, find_quantile_bounds, label_kinds
from shoal.data.ties import MISSING_KIND
from shoal.errors import BadGraph, BadParameter, Notice


def label(cells, bins=None):
    """Return the kind of each cell."""
    found, _ = hear(lambda: label_kinds(Column.of(cells), bins, "type", "x.csv"))
    return [found.labels[code] for code in found.codes.tolist()]


def test_categories_as_they_are():
    assert label(["call", " text", "call", "007"]) == ["call", " text", "call", "007"]


def test_missing_is_a_kind_of_its_own_and_counted():
    found, [told] = hear(lambda: label_kinds(Column.of(["a", None, "", float("nan")]), None, "type", "x.csv"))
    assert [found.labels[code] for code in found.codes.tolist()] == ["a", *[MISSING_KIND] * 3]
    assert "x.csv: 3 of 4 links have no kind in 'type'" in told


def test_whole_floats_and_integers_are_spelled_alike():
    assert label([2020.0, None, 2021.0]) == ["2020", "", "2021"]
    assert label([1, 1.5]) == ["1", "1.5"]


def test_values_that_are_spelled_alike_are_refused():
    with pytest.raises(BadGraph, match=r"differ as text.*'1'"):
        label([1, "1"])


def test_bounds_are_left_closed():
    assert label([-1, 0, 9.5, 10, 100, 101], [0, 10, 100]) == [
        "< 0",
        "[0, 10)",
        "[0, 10)",
        "[10, 100)",
        ">= 100",
        ">= 100",
    ]


def test_numbers_in_texts():
    assert label(["3", "12.50", "1e3"], "10,100") == ["< 10", "[10, 100)", ">= 100"]
    with pytest.raises(BadParameter, match=r"numbers or dates.*'007'"):
        label(["007", "3"], [5])
    with pytest.raises(BadParameter, match="numbers or dates"):
        label([True, False], [1])


@pytest.mark.parametrize("of", [date, datetime, lambda *day: str(date(*day))])
def test_dates(of):
    cells = [of(2023, 12, 31), of(2024, 1, 1), of(2024, 7, 4), None]
    assert label(cells, "2024-01-01,2024-07") == ["< 2024-01-01", "[2024-01-01, 2024-07-01)", ">= 2024-07-01", ""]
    assert label(cells, [date(2024, 1, 1)]) == ["< 2024-01-01", ">= 2024-01-01", ">= 2024-01-01", ""]
    with pytest.raises(BadParameter, match="dates such as"):
        label(cells, [1, 2])


def test_times_with_a_zone():
    times = [datetime(2024, 1, 1, 0, 30, tzinfo=UTC), datetime(2023, 12, 31, 23, 0, tzinfo=UTC)]
    assert label(times, "2024-01-01") == [">= 2024-01-01", "< 2024-01-01"]
    with pytest.raises(BadParameter, match="numbers or dates"):
        label([times[0], datetime(2024, 1, 1)], "2024-01-01")


def test_a_hierarchy_serves_its_first_level():
    tree = Hierarchy.of({"call": ("voice", "*"), "text": ("written", "*"), "mail": ("written", "*")})
    assert label(["mail", "call", None], tree) == ["written", "voice", ""]
    with pytest.raises(BadParameter, match="none for 'fax'"):
        label(["fax"], tree)


def test_too_many_kinds():
    assert len(set(label(list(range(MOST))))) == MOST
    with pytest.raises(BadGraph, match=r"1,000 kinds.*1,001.*--bins"):
        label(list(range(MOST + 1)))


def test_kinds_that_mostly_occur_once_are_said():
    with pytest.warns(Notice, match=r"19 of 20 kinds in the column 'amount' occur once.*--bins"):
        label_kinds(Column.of([*range(20), 0]), name="amount")
    label_kinds(Column.of([*range(20)] * 2), name="amount")
    label_kinds(Column.of([*"abcdefghi"]))


def test_fewer_intervals_than_asked_are_said():
    found, [told] = hear(lambda: label_kinds(Column.of([1] * 9 + [2]), "quantiles:5", "type", "x.csv"))
    assert sorted(found.labels) == ["< 1.5", ">= 1.5"]
    assert "2 intervals" in told
    assert set(label([3, 3], "quantiles:2")) == {"all"}


def parts(values, bounds):
    """Return how many values lie between each two bounds."""
    return [
        sum(low <= x < high for x in values)
        for low, high in zip([-float("inf"), *bounds], [*bounds, float("inf")], strict=True)
    ]


@given(
    st.lists(st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=1, max_size=60),
    st.integers(2, 6),
)
def test_bounds_of_quantiles_are_no_records_value(values, many):
    column = Column.of(values)
    counts = [values.count(value) for value in column.values]
    bounds = find_quantile_bounds(column.values, counts, many)
    assert bounds == sorted(set(bounds))
    assert not set(bounds) & set(values)
    assert len(bounds) < many
    assert all(part > 0 for part in parts(values, bounds))
    if len(set(values)) == len(values) and len(values) >= 12 * many:
        assert len(bounds) == many - 1
        assert min(parts(values, bounds)) >= len(values) / many / 2 - 1


@given(st.lists(st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1)), min_size=1, max_size=40), st.integers(2, 5))
def test_bounds_of_dates_are_no_records_value(values, many):
    bounds = find_quantile_bounds(list(set(values)), [values.count(value) for value in set(values)], many)
    assert bounds == sorted(set(bounds))
    assert not set(bounds) & set(values)
    assert all(min(values) < bound < max(values) for bound in bounds)


def test_bounds_are_round():
    days = [datetime(2023, 1, 1) + timedelta(days=day) for day in range(0, 700, 7)]
    [bound] = find_quantile_bounds(days, [1] * len(days), 2)
    assert bound.day == 1
    amounts = [round(17.13 * i, 2) for i in range(1, 400)]
    bounds = find_quantile_bounds(amounts, [1] * len(amounts), 4)
    assert all(re.fullmatch(r"[1-9]0*|[1-9]?[05]0*", str(bound)) for bound in bounds)


def test_every_day_taken_means_noon():
    days = [datetime(2023, 1, 2) + timedelta(days=day) for day in range(20)]
    [bound] = find_quantile_bounds(days, [1] * 20, 2)
    assert (bound.hour, bound.minute) == (12, 0)


def test_numbers_without_a_number_between_them_are_not_cut():
    for low, high in ((1.0, 1.0000000000000002), (1e15, 1e15 + 0.125), (10**400, 10**400 + 1)):
        assert find_quantile_bounds([low, high], [1, 1], 2) == []
    assert find_quantile_bounds([10**400, 10**400 + 2], [1, 1], 2) == [10**400 + 1]


def test_infinite_numbers_are_refused():
    with pytest.raises(BadParameter, match="numbers or dates"):
        label([1.0, float("inf")], [5])
    assert label([1, 10**400], [5]) == ["< 5", ">= 5"]
