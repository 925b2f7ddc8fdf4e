"""Intervals as labels of kinds: parsed, sorted by their bounds, and compared."""

import pytest

import shoal
from shoal.data.column import Column
from shoal.data.graph import Graph
from shoal.data.intervals import find_clash, list_bounds, order_kind, parse_interval
from shoal.data.kinds import label_kinds
from shoal.errors import BadParameter, Notice


@pytest.mark.parametrize(
    ("values", "bins"),
    [
        (list(range(0, 200, 7)), [5, 10.5, 100]),
        ([-5, 0.5, 3, 1e20], [-1, 2.5, 1e16]),
        (["2024-01-01", "2024-02-03", "2024-05-01"], ["2024-02-01", "2024-03-01"]),
        (["2024-01-01 10:00", "2024-01-01 11:00", "2024-01-02 10:00"], ["2024-01-01 10:30", "2024-01-02"]),
    ],
)
def test_every_label_of_bins_is_an_interval_and_bounds_are_found_again(values, bins):
    cells = Column.of(values)
    labels = label_kinds(cells, bins).labels
    assert all(map(parse_interval, labels))
    assert sorted(labels, key=order_kind) == [*dict.fromkeys(label_kinds(Column.of(values), bins).labels)]
    assert label_kinds(cells, ",".join(list_bounds(labels))).labels == labels
    assert find_clash(labels, labels) is None


@pytest.mark.parametrize("label", ["call", "", "< ", "[5)", "[x, y)", "< soon", "[5, 2024-01-01)", ">= nobody"])
def test_other_kinds_are_no_intervals(label):
    assert parse_interval(label) is None
    assert list_bounds([label]) == []


def test_kinds_that_are_intervals_are_sorted_by_their_bounds():
    kinds = ["[5, 20)", "< 5", ">= 100", "[20, 100)", ""]
    g = Graph.from_pairs("abcdef", [0, 1, 2, 3, 4], [1, 2, 3, 4, 5], kinds=kinds)
    assert g.kinds == ("", "< 5", "[5, 20)", "[20, 100)", ">= 100")
    assert [*g.count_kinds()] == [*g.kinds]


def ring(kinds):
    return Graph.from_pairs("abcd", [0, 1, 2, 3], [1, 2, 3, 0], kinds=kinds)


def test_intervals_with_other_bounds_are_refused():
    original = ring(["< 5", "< 5", ">= 5", ">= 5"])
    for other in (["< 6", "< 6", ">= 6", ">= 6"], ["[0, 5)", "[0, 5)", ">= 5", ">= 5"]):
        with pytest.raises(BadParameter, match=r"same bounds.*'< 5'.*--bins"):
            shoal.assess(ring(other), "neighbors:1", original=original)
    apart = ring(["[5, 10)", ">= 10", "< 5", "< 5"])
    assert shoal.assess(ring(["< 5"] * 4), "neighbors:1", original=apart).k == 2


def test_kinds_that_do_not_correspond_are_told():
    original = ring(["call", "text", "call", "text"])
    with pytest.raises(BadParameter, match=r"'call' and 'text' in the original and 'phone' in the release"):
        shoal.compare(original, ring(["phone"] * 4))
    with pytest.warns(Notice, match="only the release has: 'phone'"):
        shoal.assess(ring(["call", "phone", "call", "phone"]), "neighbors:1", original=original)
