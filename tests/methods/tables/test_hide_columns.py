"""HideColumns: every combination of up to l columns is frequent, checked by counting all of them."""

import warnings
from collections import Counter
from itertools import combinations
from math import inf, nan

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import shoal
from messages import tells
from shoal import Hierarchy, Table
from shoal.data.column import Column
from shoal.data.table import exact
from shoal.errors import BadParameter, CannotPromise, Notice, UnknownColumn
from shoal.methods import HideColumns
from shoal.methods.tables import hide_columns
from shoal.methods.tables.hide_columns import suppression
from shoal.methods.tables.hide_columns.suppression import SuppressionTaste, count_missing_cells, suppress_cells
from shoal.methods.tables.ladders import Rungs, list_recodings
from shoal.progress import watching
from shoal.release.guarantee import Promise

VALUES = [1, 2, 3, 7.5, None, "1", "x", True, nan]
NUMBERS = [1, 2, 3, 40, 41, 1000, None]


def rarest(columns, size):
    """The definition: the count of the rarest occurring combination of `size` columns."""
    rows = [tuple(None if cell is None else exact(cell) for cell in row) for row in zip(*columns, strict=True)]
    return min(
        min(Counter(tuple(row[c] for c in S) for row in rows).values()) for S in combinations(range(len(columns)), size)
    )


def cells(release, names):
    return [list(release.table[name]) for name in names]


def quietly(method, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return method(data)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 14))
    names = ["p", "q", "r", "s"][: draw(st.integers(1, 4))]
    kinds = [draw(st.sampled_from([VALUES, NUMBERS, ["a", "b"]])) for _ in names]
    return {c: [draw(st.sampled_from(kind)) for _ in range(n)] for c, kind in zip(names, kinds, strict=True)}


@pytest.mark.slow
@settings(max_examples=300)
@given(tables(), st.data())
@example({"p": [1, 2, 3], "q": ["a", "b", None]}, None)
def test_no_combination_of_up_to_l_columns_is_rare(table, data):
    n = len(table["p"])
    k = n if data is None else data.draw(st.integers(1, n))
    l = 2 if data is None else data.draw(st.integers(1, len(table)))
    before = {c: list(map(repr, column)) for c, column in table.items()}
    release = HideColumns(k, l)(table)
    for size in range(1, l + 1):
        assert rarest(cells(release, table), size) >= k
    assert release.promises == (Promise(shoal.knowledge.SomeColumns(l, *table), k),)
    assert {c: list(map(repr, column)) for c, column in table.items()} == before
    assert release.measured["cells suppressed"] == sum(
        round(share * n) for share in release.measured["share suppressed"].values()
    )
    assert 0 <= release.measured["loss"] <= 1


@pytest.mark.slow
@settings(max_examples=150)
@given(tables(), st.lists(st.none() | st.integers(1, 6), min_size=1, max_size=4))
def test_each_size_has_its_own_threshold(table, thresholds):
    n, width = len(table["p"]), len(table)
    thresholds = [None if k is None else min(k, n) for k in thresholds]
    if not any(thresholds):
        with pytest.raises(BadParameter, match="a threshold for some size"):
            HideColumns(thresholds)
        return
    method = HideColumns(thresholds)
    assert (method.k, method.l) == (tuple(thresholds), len(thresholds))
    release = quietly(method, table)
    for size, k in enumerate(thresholds, 1):
        if k is not None:
            assert rarest(cells(release, table), min(size, width)) >= k
    assert {promise.k for promise in release.promises} <= {k for k in thresholds if k is not None}


@pytest.mark.slow
@settings(max_examples=100)
@given(tables(), st.integers(1, 4), st.integers(1, 3))
def test_frequent_combinations_do_not_change(table, k, l):
    often = {c: column * k for c, column in table.items()}
    l = min(l, len(table))
    release = HideColumns(k, l)(often)
    assert release.measured["loss"] == 0
    assert release.measured["cells suppressed"] == 0
    assert all(release.table[c].alike(Column.of(often[c])) for c in table)


@settings(max_examples=100)
@given(st.data())
def test_array_and_hash_table_give_the_same_suppression(data):
    width = data.draw(st.integers(1, 4))
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 3)] * width), min_size=1, max_size=30, unique=True))
    before = np.array(rows, dtype=np.int64)
    weight = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows))), dtype=np.int64)
    k = data.draw(st.integers(1, int(weight.sum())))
    needs = {data.draw(st.integers(1, width)): k}
    taste = data.draw(st.sampled_from(hide_columns.TASTES))
    found, _ = suppress_cells(before, weight, needs, np.arange(len(rows)), taste)
    direct = suppression.DIRECT
    try:
        suppression.DIRECT = 0
        assert (suppress_cells(before, weight, needs, np.arange(len(rows)), taste)[0] == found).all()
    finally:
        suppression.DIRECT = direct
    by_column = np.asfortranarray(before)  # cells that lie in memory column by column
    assert (suppress_cells(by_column, weight, needs, np.arange(len(rows)), taste)[0] == found).all()
    assert ((found == before) | (found == 0)).all()
    assert rarest(np.repeat(found, weight, axis=0).T.tolist(), max(needs)) >= k


def test_the_hash_table_grows(monkeypatch):
    rng = np.random.default_rng(2)
    before = np.unique(rng.integers(1, 60, (9_000, 5)), axis=0)
    weight, order = np.ones(len(before), dtype=np.int64), np.arange(len(before))
    expected, _ = suppress_cells(before, weight, {3: 4}, order, SuppressionTaste())
    monkeypatch.setattr(suppression, "DIRECT", 0)
    assert (suppress_cells(before, weight, {3: 4}, order, SuppressionTaste())[0] == expected).all()
    assert rarest(expected.T.tolist(), 3) >= 4


def test_more_combinations_than_can_be_counted_are_refused():
    wide = np.arange(1, 4_001).repeat(6).reshape(4_000, 6)
    with pytest.raises(CannotPromise, match="fewer columns, a smaller l, or hierarchies"):
        suppress_cells(wide, np.ones(4_000, dtype=np.int64), {6: 2}, np.arange(4_000), SuppressionTaste())


def people(n, seed=1):
    """A table with skewed, correlated columns."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(40, 14, n).astype(int), 17, 90)
    job = np.minimum(rng.geometric(0.2, n), 14) + age // 30
    land = np.minimum(rng.geometric(0.6, n), 30)
    place = np.minimum(rng.zipf(1.7, n), 60)
    sex, wed = rng.integers(0, 2, n), (age > rng.integers(18, 60, n)).astype(int)
    columns = {"age": age, "job": job, "land": land, "place": place, "sex": sex, "wed": wed}
    texts = {c: [f"{c}{v}" for v in columns[c].tolist()] for c in ("job", "land", "place", "sex", "wed")}
    return {"age": age.tolist(), **texts}


@pytest.mark.slow
def test_fewer_cells_are_suppressed_than_by_clearing_records_at_risk():
    table = people(3_000)
    release = HideColumns(5, 3)(table)
    assert rarest(cells(release, table), 3) >= 5
    at_risk = shoal.assess(table, shoal.knowledge.SomeColumns(3)).rate(5)
    assert release.measured["loss"] < at_risk / 3
    assert release.measured["cells suppressed"] / (3_000 * 6) < at_risk / 6


@pytest.mark.slow
def test_recoding_loses_less_than_suppression_alone():
    table = people(2_000)
    rows = [{value: code + 1 for code, value in enumerate(dict.fromkeys(column))} for column in table.values()]
    coded = np.array([[look[v] for v in column] for look, column in zip(rows, table.values(), strict=True)]).T
    before, weight = np.unique(coded, axis=0, return_counts=True)
    found, _ = suppress_cells(before, weight, {3: 5}, np.arange(len(before)), SuppressionTaste())
    alone = count_missing_cells(before, found, weight).sum()
    assert HideColumns(5, 3)(table).measured["loss"] < alone / coded.size


@pytest.mark.slow
def test_the_same_seed_gives_the_same_release():
    table = people(400)
    releases = [HideColumns(3, 2, seed=seed)(table) for seed in (None, None, 4, 4)]
    found = [cells(release, table) for release in releases]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert [release.seed for release in releases] == [None, None, 4, 4]


def test_rare_values_are_generalized():
    towns = {"Oslo": ("Norway", "*"), "Bergen": ("Norway", "*"), "Lund": ("Sweden", "*"), "Kiruna": ("Sweden", "*")}
    table = {"town": ["Oslo"] * 5 + ["Lund"] * 2 + ["Kiruna"] * 2}
    release = HideColumns(4, 1, hierarchies={"town": towns})(table)
    assert list(release.table["town"]) == ["Oslo"] * 5 + ["Sweden"] * 4
    assert release.measured["share recoded"] == {"town": 4 / 9}
    assert release.notes == ()


def test_rare_categories_become_other_and_rare_numbers_intervals():
    table = {"land": ["no"] * 6 + ["se", "dk", "fi"], "age": [30] * 5 + [51, 52, 53, 54]}
    release = HideColumns(3, 1)(table)
    assert list(release.table["land"]) == ["no"] * 6 + ["other"] * 3
    assert list(release.table["age"])[:5] == [30] * 5
    assert len(set(list(release.table["age"])[5:])) == 1
    assert tells(release.notes[0], "'land'", "'age'")


def test_the_label_other_avoids_existing_values():
    release = HideColumns(2, 1)({"land": ["other"] * 4 + ["se", "dk"]})
    assert list(release.table["land"]) == ["other"] * 4 + ["others"] * 2


def test_a_label_that_equals_a_value_is_counted_with_it():
    towns = {"Oslo": ("Lund", "*"), "Bergen": ("Lund", "*"), "Lund": ("Sweden", "*")}
    table = {"town": ["Lund"] * 3 + ["Oslo", "Bergen", "Oslo"]}
    release = HideColumns(3, 1, hierarchies={"town": towns})(table)
    assert list(release.table["town"]) == ["Lund"] * 6
    assert len(release.table["town"].values) == 1


def test_nothing_of_a_suppressed_value_is_left_in_the_column():
    release = HideColumns(2, 1)({"name": ["Ann", "Ann", "Bo"], "x": [1, 1, 1]})
    assert "Bo" not in release.table["name"].values
    assert release.measured["loss"] > 0


def test_rare_missing_values_are_hidden_too():
    release = HideColumns(3, 1)({"x": ["a"] * 5 + ["b", "c", None]})
    assert list(release.table["x"]) == ["a"] * 5 + ["other"] * 3
    release = HideColumns(2, 1)({"x": [1] * 6 + [None]})
    assert rarest(cells(release, ["x"]), 1) >= 2


def test_ways_to_publish_a_column():
    column = Column.of([1] * 6 + [2, 3] + [30] * 6 + [None])
    rungs = Rungs.of(column, Hierarchy.intervals(column, widths=[10]))
    for way in list_recodings(rungs, 2):
        told = np.array([None, *way.labels], dtype=object)[way.codes]
        for place, label in enumerate(told):
            allowed = {None if rungs.levels[j][place] is None else rungs.levels[j][place] for j in range(3)} | {"*"}
            assert label in allowed
        assert way.loss == pytest.approx(
            sum(
                (sum(told == label) - 1) / (len(told) - 1) * often
                for label, often in zip(told, rungs.often, strict=True)
            )
        )
        assert sorted(set(way.codes.tolist()) - {0}) == list(range(1, len(way.labels) + 1))


def test_other_columns_and_links_stay():
    g = nx.path_graph(6)
    nx.set_node_attributes(g, dict(enumerate(["a", "a", "a", "b", "b", "c"])), "x")
    nx.set_node_attributes(g, dict(enumerate(range(6))), "id")
    release = HideColumns(2, 1, "x")(g)
    assert (release.data.m, release.edits.added) == (5, ())
    assert list(release.table["id"]) == list(range(6))
    assert rarest([list(release.table["x"])], 1) >= 2
    assert release.promises == (Promise(shoal.knowledge.SomeColumns(1, "x"), 2),)


def test_a_larger_l_than_columns_means_all_columns():
    with pytest.warns(Notice, match=r"2 columns.*5.*2"):
        release = HideColumns(2, 5)({"x": [1, 1, 2], "y": [1, 1, 1]})
    assert release.promises == (Promise(shoal.knowledge.SomeColumns(2, "x", "y"), 2),)


def test_thresholds_beyond_the_columns_hold_for_all_columns():
    table = {"x": [1, 1, 1, 2, 2, 2], "y": list("aabbab")}
    with pytest.warns(Notice, match="the same as l = 2"):
        release = HideColumns((None, None, 4))(table)
    assert release.promises == (Promise(shoal.knowledge.SomeColumns(2, "x", "y"), 4),)
    assert rarest(cells(release, table), 2) >= 4


def test_constant_missing_infinite_and_long_cells():
    table = {
        "one": ["x"] * 6,
        "none": [None] * 6,
        "wild": [inf, inf, -inf, -inf, nan, nan],
        "long": ["a" * 10_000] * 4 + ["b" * 10_000] * 2,
    }
    release = HideColumns(2, 4)(table)
    assert release.measured["loss"] == 0
    assert list(release.table["wild"])[:4] == table["wild"][:4]
    assert rarest(cells(HideColumns(3, 4)(table), table), 4) >= 3


def test_all_cells_are_suppressed_if_k_is_n_and_all_records_differ():
    table = {"x": [1.5, 22, -300, 4], "y": list("abcd"), "z": [None, 1, "1", True]}
    release = HideColumns(4, 3)(table)
    assert all(len(set(column)) == 1 for column in cells(release, table))


def test_the_search_reports_progress():
    told = []
    with watching(lambda what, done, total: told.append((what, done, total))):
        HideColumns(2, 2)({"x": [1, 2, 3, 4, 50], "y": list("aabbc")})
    assert any(what == "trials of recodings" and 0 < done <= total for what, done, total in told)


def test_repr_can_be_evaluated():
    for method in (HideColumns(2, 3, ["x"], {"x": {1: ("*",)}}, seed=3), HideColumns((None, 1000, 100))):
        assert eval(repr(method)) == method


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, r"'k'.*1.*0"),
        ({"k": "5"}, "'k' must be a whole number"),
        ({"k": nan}, "'k' must be a whole number"),
        ({"k": 6}, r"'k'.*records, 4.*6"),
        ({"k": (2, 9), "l": None}, r"'k'.*records, 4.*9"),
        ({"k": (2, 0), "l": None}, r"'k'.*1.*0"),
        ({"k": (), "l": None}, "a threshold for some size"),
        ({"k": (2, 2), "l": 3}, r"'l'.*2,.*left out.*3"),
        ({"l": 0}, r"'l'.*1.*0"),
        ({"l": None}, r"'l'.*1"),
        ({"columns": ()}, "must name at least one column"),
        ({"columns": ("x", "x")}, "must name each column once"),
        ({"hierarchies": {"xx": {1: ("*",)}}}, "must be for the columns"),
        ({"hierarchies": {"x": {"one": ("*",)}}}, "'x'"),
        ({"seed": -1}, r"'seed'.*0.*-1"),
    ],
)
def test_invalid_parameters_are_refused(arguments, message):
    with pytest.raises(BadParameter, match=message):
        HideColumns(**{"k": 2, "l": 2, **arguments})({"x": [1, 2, 3, 4], "y": [1, 1, 2, 2]})


def test_unknown_columns_and_tables_without_columns_are_refused():
    with pytest.raises(UnknownColumn, match="There is no column 'z'"):
        HideColumns(2, 1, "z")({"x": [1, 2]})
    with pytest.raises(BadParameter, match="Got a table without columns"):
        HideColumns(2, 1)(nx.path_graph(3))


def test_a_table_is_not_changed():
    table = Table.of(people(200))
    codes = {c: (table[c].codes.copy(), table[c].values) for c in table}
    HideColumns(4, 2)(table)
    assert all((table[c].codes == codes[c][0]).all() and table[c].values == codes[c][1] for c in table)
