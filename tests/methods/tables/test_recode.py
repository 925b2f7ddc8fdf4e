"""Recode: the optimum over all levels, compared with an exhaustive search on small tables."""

import warnings
from collections import Counter
from fractions import Fraction
from itertools import product
from math import floor, inf, nan

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import shoal
from shoal import Hierarchy, Table
from shoal.core.column_sets import Cells
from shoal.data.table import exact
from shoal.errors import BadFile, BadParameter, CannotPromise, Notice, UnknownColumn
from shoal.methods import Recode
from shoal.methods.tables import recode
from shoal.methods.tables.recode import lattice as lattices
from shoal.methods.tables.recode.lattice import Ladder, Lattice
from shoal.progress import watching
from shoal.release.guarantee import Promise

AGES = {20: ("20-29", "*"), 25: ("20-29", "*"), 31: ("30-39", "*"), 38: ("30-39", "*")}


def quietly(method, data):
    """Call a method and ignore its notice about missing hierarchies."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return method(data)


def published(value, level, hierarchy):
    """The definition: the value at a level; missing stays missing unless every value is '*'."""
    if level == 0:
        return value
    if value is None:
        return "*" if {labels[level - 1] for labels in hierarchy.values()} == {"*"} else None
    return hierarchy[value][level - 1]


def best_of_all(table, hierarchies, k, suppress):
    """Try every node: the smallest (loss, records suppressed, levels), or None if no node is allowed."""
    n = len(next(iter(table.values())))
    cap = floor(Fraction(str(suppress)) * n)
    found = []
    for levels in product(*(range(len(next(iter(hierarchies[c].values()))) + 1) for c in table)):
        columns = [[published(v, j, hierarchies[c]) for v in table[c]] for c, j in zip(table, levels, strict=True)]
        counts = Counter(zip(*columns, strict=True))
        small = [counts[row] < k for row in zip(*columns, strict=True)]
        if sum(small) and not k <= sum(small) <= cap:
            continue
        loss = Fraction(0)
        for c, cells in zip(table, columns, strict=True):
            alike = {}
            for value, cell in zip(table[c], cells, strict=True):
                alike.setdefault(cell, set()).add(value)
            most = max(1, len(set(table[c])) - 1)
            loss += sum(
                1 if hidden else Fraction(len(alike[cell]) - 1, most) for hidden, cell in zip(small, cells, strict=True)
            )
        found.append((loss / (n * len(table)), sum(small), levels))
    return min(found, default=None)


@st.composite
def hierarchies(draw, values):
    """Draw nested levels over the values; the last joins everything, or not."""
    paths = dict.fromkeys(values, ())
    groups = {value: value for value in values}
    for level in range(1, draw(st.integers(1, 3)) + 1):
        merged = {group: f"{level}:{draw(st.integers(0, 2))}" for group in dict.fromkeys(groups.values())}
        groups = {value: merged[group] for value, group in groups.items()}
        paths = {value: (*path, groups[value]) for value, path in paths.items()}
    top = draw(st.sampled_from([("*",), ("*",), ()]))
    return {value: path + top for value, path in paths.items()}


@st.composite
def cases(draw):
    values = ["a", "b", "c", "d", "e"]
    n = draw(st.integers(1, 12))
    names = ["p", "q", "r"][: draw(st.integers(1, 3))]
    table = {c: [draw(st.sampled_from([*values, None])) for _ in range(n)] for c in names}
    return table, {c: draw(hierarchies(values)) for c in names}, draw(st.integers(1, min(n, 4)))


@pytest.mark.slow
@settings(max_examples=400)
@given(cases(), st.sampled_from([0, 0.2, 0.3, 0.5, 1.0]))
@example(({"p": ["a", "a", "b"]}, {"p": dict.fromkeys("ab", ("*",))}, 2), 0.5)
def test_no_node_of_the_lattice_is_better(case, suppress):
    table, given_hierarchies, k = case
    expected = best_of_all(table, given_hierarchies, k, suppress)
    method = Recode(k, hierarchies=given_hierarchies, suppress=suppress)
    if expected is None:
        with pytest.raises(CannotPromise, match="single value"):
            quietly(method, table)
        return
    release = quietly(method, table)
    loss, suppressed, levels = expected
    assert release.measured["loss"] == float(loss)
    assert release.measured["records suppressed"] == suppressed
    assert tuple(release.measured["levels"].values()) == levels
    assert release.measured["combinations evaluated"] <= release.measured["combinations of levels"]


@pytest.mark.slow
@settings(max_examples=200)
@given(cases(), st.sampled_from([0, 0.5]))
def test_the_release_is_k_anonymous_and_nothing_else_changed(case, suppress):
    table, given_hierarchies, k = case
    before = {c: list(cells) for c, cells in table.items()}
    whole = Table.of({**table, "kept": range(len(table["p"]))})
    try:
        release = quietly(Recode(k, list(table), given_hierarchies, suppress), whole)
    except CannotPromise:
        return
    rows = list(zip(*(map(exact, release.table[c]) for c in table), strict=True))
    assert min(Counter(rows).values()) >= k
    assert release.promises == (Promise(shoal.knowledge.Columns(*table), k),)
    assert list(release.table["kept"]) == list(range(whole.n))
    assert {c: list(whole[c]) for c in table} == before
    levels = release.measured["levels"]
    recoded = zip(*([published(v, levels[c], given_hierarchies[c]) for v in table[c]] for c in table), strict=True)
    told = list(zip(*(release.table[c] for c in table), strict=True))
    changed = [i for i, (a, b) in enumerate(zip(told, recoded, strict=True)) if a != b]
    assert len(changed) <= release.measured["records suppressed"]
    assert {told[i] for i in changed} <= {("*",) * len(table)}
    same = [(release.codes[i] == release.codes[j], rows[i] == rows[j]) for i in range(len(rows)) for j in range(i)]
    assert all(a == b for a, b in same)


@pytest.mark.slow
def test_many_columns_agree_with_exhaustive_search(monkeypatch):
    rng = np.random.default_rng(3)
    names = [f"c{i}" for i in range(5)]
    table = {c: rng.integers(0, 6, 80).tolist() for c in names}
    given_hierarchies = {c: {v: (f"{v // 2}", f"{v // 4}", "*") for v in range(6)} for c in names}
    for suppress in (0, 0.1, 0.4):
        expected = best_of_all(table, given_hierarchies, 3, suppress)
        found = Recode(3, hierarchies=given_hierarchies, suppress=suppress)(table).measured
        assert (found["loss"], tuple(found["levels"].values())) == (float(expected[0]), expected[2])
        assert found["combinations of levels"] == 4**5
        assert found["combinations evaluated"] < 400
    monkeypatch.setattr(lattices, "KEPT", 0)
    again = Recode(3, hierarchies=given_hierarchies, suppress=0.4)(table).measured
    assert again["loss"] == found["loss"]


def test_classes_of_wide_rows_are_exact():
    rng = np.random.default_rng(5)
    columns = [rng.permutation(np.repeat(np.arange(300), 2)) for _ in range(12)]  # 300**12 is far above 2**62
    columns = [np.concatenate([column, column]) for column in columns]
    ladders = tuple(Ladder.of([np.arange(300), np.arange(300) // 2]) for _ in columns)
    lattice = Lattice(Cells.of(columns), ladders, 2, 0)
    rows = np.arange(len(lattice.cells.weight))
    for node in ((0,) * 12, (1,) * 12, (0, 1) * 6):
        which, first, total = lattice.classes(node, rows, lattice.cells.weight)
        lines = np.array([column // (j + 1) for column, j in zip(lattice.cells.codes, node, strict=True)])
        _, expected, counts = np.unique(lines, axis=1, return_inverse=True, return_counts=True)
        assert len(first) == len(counts)
        assert total.sum() == 1200
        assert len({*zip(which.tolist(), expected.reshape(-1).tolist(), strict=True)}) == len(counts)


def test_fewer_than_k_suppressed_records_are_not_allowed():
    table = {"p": ["a"] * 5 + ["b"]}
    flat = {"p": {"a": "*", "b": "*"}}
    with pytest.warns(Notice, match="at least k = 2 .* Got 1"):
        release = Recode(2, hierarchies=flat, suppress=0.2)(table)
    assert set(release.table["p"]) == {"*"}
    table["p"] += ["c"]
    flat["p"]["c"] = "*"
    release = Recode(2, hierarchies=flat, suppress=0.3)(table)
    assert list(release.table["p"]) == ["a"] * 5 + ["*"] * 2
    assert release.measured["records suppressed"] == 2


def test_a_share_is_an_exact_decimal():
    table = {"p": list("aaaaaaabcd")}
    flat = {"p": dict.fromkeys("abcd", "*")}
    assert Recode(3, hierarchies=flat, suppress=0.3)(table).measured["records suppressed"] == 3


def test_suppressed_records_join_equal_records():
    table = {"p": ["*", "*", "a", "a", "a", "b", "c"]}
    release = Recode(2, hierarchies={"p": {"*": "any", "a": "any", "b": "any", "c": "any"}}, suppress=0.5)(table)
    assert list(release.table["p"]) == ["*", "*", "a", "a", "a", "*", "*"]
    assert len(release.classes) == 2


def test_columns_without_a_hierarchy_get_one_with_a_notice():
    table = {"age": [20, 21, 33, 34], "sex": ["f", "f", "m", "m"]}
    with pytest.warns(Notice, match=r"'age'.*'sex'"):
        release = Recode(2)(table)
    ages = list(release.table["age"])
    assert ages[0] == ages[1] != ages[2] == ages[3]
    assert release.measured["levels"]["age"] > 0
    assert list(release.table["sex"]) == ["f", "f", "m", "m"]


def test_a_tree_a_file_and_a_hierarchy_are_equivalent(tmp_path):
    table = {"land": ["fr", "de", "jp", "cn"]}
    path = tmp_path / "land.csv"
    path.write_text("fr;Europe;*\nde;Europe;*\njp;Asia;*\ncn;Asia;*\n")
    rows = {"fr": ("Europe", "*"), "de": ("Europe", "*"), "jp": ("Asia", "*"), "cn": ("Asia", "*")}
    for given_one in ({"Europe": ["fr", "de"], "Asia": ["jp", "cn"]}, rows, path, str(path), Hierarchy.of(rows)):
        release = Recode(2, hierarchies={"land": given_one})(table)
        assert list(release.table["land"]) == ["Europe", "Europe", "Asia", "Asia"]


def test_a_leaf_higher_up_in_a_tree_keeps_its_value_longer():
    tree = {"Europe": {"west": ["fr", "be"], "east": ["pl", "cz"]}, "sea": ["x"]}
    release = Recode(2, hierarchies={"land": tree})({"land": ["fr", "be", "pl", "cz", "x", "x"]})
    assert list(release.table["land"]) == ["west", "west", "east", "east", "x", "x"]


def test_a_network_keeps_its_links():
    g = nx.path_graph(4)
    nx.set_node_attributes(g, dict(enumerate([20, 25, 31, 38])), "age")
    release = Recode(2, hierarchies={"age": AGES})(g)
    assert (release.data.m, release.edits.added, release.edits.removed) == (3, (), ())
    assert list(release.table["age"]) == ["20-29", "20-29", "30-39", "30-39"]
    assert list(release.data.names) == [0, 1, 2, 3]


def test_constant_and_missing_columns_need_no_change():
    table = {"one": ["x"] * 4, "none": [None] * 4, "nan": [nan] * 4, "age": [20, 25, 31, 38]}
    release = quietly(Recode(2, hierarchies={"age": AGES}), table)
    assert release.measured["levels"] == {"one": 0, "none": 0, "nan": 0, "age": 1}
    assert list(release.table["none"]) == [None] * 4
    assert release.measured["loss"] == float(Fraction(1, 3) / 4)


def test_missing_is_a_value():
    release = Recode(2, hierarchies={"age": AGES})({"age": [20, 20, None, None, 31]})
    assert list(release.table["age"]) == ["*"] * 5
    release = Recode(2, hierarchies={"age": AGES})({"age": [20, 20, None, None, 31, 31]})
    assert list(release.table["age"]) == [20, 20, None, None, 31, 31]


def test_infinities_and_long_cells_are_values_like_others():
    table = {"x": [inf, inf, -inf, -inf, 1.5, 1.5], "y": ["a" * 10_000] * 2 + ["b" * 10_000] * 2 + ["c"] * 2}
    release = quietly(Recode(2), table)
    assert {c: list(release.table[c]) for c in table} == table


def test_one_class_is_always_possible():
    release = quietly(Recode(3), {"x": [1.25, 700, -3], "y": ["a", "b", None]})
    assert [set(release.table[c]) for c in ("x", "y")] == [{"*"}, {"*"}]
    assert release.measured["loss"] == 1.0


def test_the_search_reports_progress():
    told = []
    with watching(lambda what, done, total: told.append((what, done, total))):
        Recode(2, hierarchies={"age": AGES})({"age": [20, 25, 31, 38]})
    assert {what for what, _, _ in told} >= {"recodings"}
    assert [done for what, done, _ in told if what == "recodings"][-1] == 3


def test_repr_can_be_evaluated():
    method = Recode(2, ["age"], {"age": AGES}, suppress=0.1)
    assert eval(repr(method)) == method
    assert method.columns == ("age",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, r"'k'.*1.*0"),
        ({"k": True}, "'k' must be a whole number"),
        ({"k": 2.5}, "'k' must be a whole number"),
        ({"k": 9}, r"'k'.*records, 4.*9"),
        ({"suppress": -0.1}, r"'suppress'.*0.*1"),
        ({"suppress": 2}, r"'suppress'.*0.*1"),
        ({"suppress": nan}, r"'suppress'.*0.*1"),
        ({"suppress": "1"}, r"'suppress'.*0.*1"),
        ({"columns": ("age", "age")}, "must name each column once"),
        ({"columns": ()}, "must name at least one column"),
        ({"columns": (1,)}, "'columns' must be strings"),
        ({"hierarchies": {"agee": AGES}}, "Did you mean 'age'?"),
        ({"hierarchies": [AGES]}, "must map columns to hierarchies. Got a list"),
        ({"hierarchies": {"age": 3}}, "Got 'age': a int"),
        (
            {"hierarchies": {"age": {20: ("20-29",)}}},
            r"'age'.*25.*2 others",
        ),
        ({"hierarchies": {"age": {"young": ("*",), "old": ("*",)}}}, r"'age'.*20"),
        ({"hierarchies": {"age": {"x": [20, 25], "y": [25, 31, 38]}}}, "25 twice"),
    ],
)
def test_invalid_parameters_are_refused(arguments, message):
    with pytest.raises(BadParameter, match=message):
        quietly(Recode(**{"k": 2, **arguments}), {"age": [20, 25, 31, 38]})


def test_unknown_columns_and_bad_files_are_refused(tmp_path):
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        Recode(2, "agee")({"age": [20, 25, 31, 38]})
    path = tmp_path / "age.csv"
    path.write_text("20;20-29;*\n25;20-29\n")
    with pytest.raises(BadFile, match="line 2"):
        Recode(2, hierarchies={"age": path})({"age": [20, 25]})


def test_a_hierarchy_without_a_single_top_may_make_k_impossible():
    apart = {20: ("young",), 25: ("young",), 31: ("old",)}
    with pytest.raises(CannotPromise, match=r"classes of 2.*0 suppressed.*'age'"):
        Recode(2, hierarchies={"age": apart})({"age": [20, 25, 31]})


def test_too_many_nodes_are_refused(monkeypatch):
    monkeypatch.setattr(recode, "NODES", 8)
    with pytest.raises(CannotPromise, match=r"8 combinations.*9"):
        Recode(2, hierarchies={"p": AGES, "q": AGES})({"p": [20, 25, 31, 38], "q": [20, 25, 31, 38]})


def test_a_hundred_columns_with_one_level():
    table = {f"c{i}": ["x", "x", "x"] for i in range(100)} | {"age": [20, 25, 31]}
    release = quietly(Recode(3), table)
    assert release.measured["levels"]["age"] > 0
