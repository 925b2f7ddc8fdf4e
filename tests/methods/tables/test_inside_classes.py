"""SwapWithin and Distort: checked by counting, by all permutations, and by the parameters of each class."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import isclose

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
from shoal import Table
from shoal.data.column import Column, exact
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, UnknownColumn
from shoal.methods import Distort, Microaggregate, SwapWithin
from shoal.methods.tables.distort import DETERMINED, OFF
from shoal.methods.tables.swap import FEWEST, UNIQUE
from shoal.release.guarantee import ConfusionPromise
from shoal.release.verify import verify_release

METHODS = pytest.mark.parametrize("method", [SwapWithin, Distort])
FREE = {SwapWithin: {"allow_unique": True}, Distort: {"allow_determined": True}}
"""Options that allow unique and determined values."""


@st.composite
def classed(draw, most=12):
    """Draw a table with a column "team" in which each value occurs twice or more."""
    n = draw(st.integers(2, most))
    teams = draw(st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n))
    assume(min(Counter(teams).values()) >= 2)
    cells = {
        "age": st.one_of(st.none(), st.integers(0, 5)),
        "size": st.sampled_from([0.5, 1.25, -3.0, 1e9]),
        "word": st.sampled_from(["a", "b", None, "1", 1, True]),
        "whole": st.integers(-2, 2),
    }
    columns = {name: draw(st.lists(cell, min_size=n, max_size=n)) for name, cell in cells.items()}
    return Table.of({"team": teams, **columns})


def classes_of(table, column="team"):
    found = {}
    for v, label in enumerate(table[column]):
        found.setdefault(exact(label), []).append(v)
    return list(found.values())


def counted(table, name, part):
    return Counter(exact(table[name][v]) for v in part)


def untouched(table, before):
    return all(
        np.array_equal(table[name].codes, codes) and table[name].values is values
        for name, (codes, values) in before.items()
    )


def kept(table):
    return {name: (column.codes.copy(), column.values) for name, column in table.columns.items()}


@pytest.mark.slow
@METHODS
@given(table=classed(), names=st.sampled_from([None, ("age", "word"), ("size",)]), seed=st.integers(0, 9))
@settings(max_examples=80)
def test_laws_of_swapping_and_distortion(method, table, names, seed):
    before = kept(table)
    rho = method("team", names, seed, **FREE[method])
    release = rho(table)
    assert untouched(table, before)
    assert release.data == rho(table).data
    assert release.seed == seed
    assert eval(repr(rho)) == rho
    chosen = names or ("age", "size", "word", "whole")
    for name in set(table) - set(chosen):
        assert release.table[name] is table[name]
    sizes = [len(part) for part in classes_of(table)]
    n = min([*sizes, release.measured.get(FEWEST, max(sizes))])
    promise = ConfusionPromise(n, Fraction(1, max(sizes)), chosen, rho)
    assert release.promises == (() if n == 1 else (promise,))
    assert [len(part) for part in release.classes] == sizes
    assert (release.measured["smallest class"], release.measured["largest class"]) == (min(sizes), max(sizes))


@pytest.mark.slow
@given(classed(), st.integers(0, 9))
@settings(max_examples=80)
def test_swapped_columns_are_permutations_inside_each_class(table, seed):
    release = SwapWithin("team", seed=seed, allow_unique=True)(table)
    names = ("age", "size", "word", "whole")
    owners = []
    for part in classes_of(table):
        for name in names:
            before = counted(table, name, part)
            assert counted(release.table, name, part) == before
            owners += before.values()
    assert release.measured[UNIQUE] == owners.count(1)
    assert release.measured[FEWEST] == min(owners)
    assert any("still identif" in note for note in release.notes) == (1 in owners)
    if 1 in owners:
        with pytest.raises(CannotPromise, match="identifies its owner"):
            SwapWithin("team", seed=seed)(table)
    else:
        assert SwapWithin("team", seed=seed)(table).data == release.data


@pytest.mark.slow
def test_all_permutations_of_a_column_are_equally_likely():
    table = {"team": ["x"] * 3, "a": [1, 2, 3], "b": [1, 2, 3]}
    seen = Counter()
    for seed in range(3600):
        found = SwapWithin("team", seed=seed, allow_unique=True)(table).table
        seen[tuple(found["a"]), tuple(found["b"])] += 1
    assert len(seen) == 36
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 67  # 35 degrees of freedom, 1 in 1,000


def test_e30_a_unique_value_is_refused_with_its_column_and_class():
    table = {"team": ["x", "x", "y", "y", "y"], "sex": ["f", "f", "m", "m", "m"], "pay": [1, 1, 2, 7, 9]}
    with pytest.raises(CannotPromise, match=r"3.*'pay'.*'y'.*3"):
        SwapWithin("team")(table)
    with pytest.raises(CannotPromise, match=r"2.*'pay'.*1,.*2"):
        SwapWithin((0, 0, 0, 1, 1), columns="pay")({**table, "pay": [1, 1, 1, 7, None]})
    release = SwapWithin("team", allow_unique=True)(table)
    assert (release.measured[UNIQUE], release.measured[FEWEST]) == (3, 1)
    assert release.notes[0].startswith("3 values are unique in their class and still identify their owners")
    assert release.promises == ()


def test_e30_confusion_is_at_most_the_number_of_owners_of_a_value():
    """Two members are 20 and two are 30: a known age leaves two candidates, although the class has four."""
    table = {"team": ["x"] * 4, "age": [20, 20, 30, 30]}
    release = SwapWithin("team", seed=5)(table)
    assert [promise.n for promise in release.promises] == [2]
    assert shoal.linkage.confusion(shoal.linkage.ExactMatch("age"), release.table, table, Fraction(1, 4)) == 2
    with pytest.raises(BrokenPromise, match="Got one that fits 2"):
        verify_release(replace(release, promises=(replace(release.promises[0], n=3),)))


@METHODS
def test_classes_come_as_a_column_as_labels_or_as_a_release(method):
    table = {"team": list("xxxyyy"), "age": [1, 2, 3, 60, 61, 62]}
    free = FREE[method]
    by_column = method("team", seed=4, **free)(table)
    made = Microaggregate(3, columns=("age",))(table)
    from_release = method(made, columns=("age",), seed=4, **free)
    assert from_release.classes == (0, 0, 0, 1, 1, 1)
    assert eval(repr(from_release)) == from_release
    assert from_release(table).data == by_column.data
    assert method(np.array(list("xxxyyy")), "age", 4, **free)(table).data == by_column.data
    assert method([None, float("nan"), None, 1, 1, 1], "age", 4, **free)(table).data == by_column.data


@METHODS
def test_bad_classes_are_refused(method):
    who, table = method.__name__, {"team": list("xxy"), "age": [1, 2, 3]}
    with pytest.raises(CannotPromise, match=rf"{who}.*2.*1.*'y'"):
        method("team")(table)
    with pytest.raises(BadParameter, match=rf"{who}.*'classes'.*3 records.*2"):
        method((0, 0))(table)
    with pytest.raises(UnknownColumn, match="Did you mean 'team'"):
        method("teem")(table)
    with pytest.raises(BadParameter, match=rf"{who}.*'classes'"):
        method()(table)
    for classes in (7, {"a": 1}, {1, 2}):
        with pytest.raises(BadParameter, match=rf"{who}.*'classes'"):
            method(classes)
    without = replace(Microaggregate(3)(table), codes=None)
    with pytest.raises(BadParameter, match=rf"{who}.*'classes'"):
        method(without)


@METHODS
def test_bad_columns_and_options_are_refused(method):
    table = {"team": list("xxx"), "age": [1, 2, 3]}
    with pytest.raises(BadParameter, match="'team'"):
        method("team", columns=("age", "team"))(table)
    with pytest.raises(BadParameter, match="at least one column"):
        method("team")({"team": list("xxx")})
    with pytest.raises(BadParameter, match="each column once"):
        method("team", columns=("age", "age"))(table)
    with pytest.raises(UnknownColumn):
        method("team", columns=("ages",))(table)
    with pytest.raises(BadParameter, match="'seed'"):
        method("team", seed=-1)
    with pytest.raises(BadParameter, match="True or False"):
        method("team", **dict.fromkeys(FREE[method], 1))


@METHODS
def test_long_cells_and_all_missing(method):
    table = {"team": ["x"] * 4, "word": ["a" * 10_000, "b" * 10_000] * 2, "none": [None] * 4}
    release = method("team", seed=1, **FREE[method])(table)
    assert set(release.table["word"]) <= set(table["word"])
    assert list(release.table["none"]) == [None] * 4


@METHODS
def test_networks_keep_their_links_and_only_twins_are_confused(method):
    g = nx.complete_bipartite_graph(3, 3)
    for v in g:
        g.nodes[v].update(team="xy"[v // 3], age=20 + v * v if method is Distort else 30)
    release = method("team", seed=1, **FREE[method])(g)
    assert release.data.m == 9
    assert [p.n for p in release.promises] == [3]
    g.remove_edge(0, 3)
    release = method("team", seed=1, **FREE[method])(g)
    assert release.promises == ()
    assert "links are not changed" in release.notes[0]


# distortion


@pytest.mark.slow
@given(classed(), st.booleans(), st.integers(0, 9))
@settings(max_examples=80)
def test_distorted_values_follow_the_fit(table, preserve, seed):
    release = Distort("team", seed=seed, preserve_means=preserve, allow_determined=True)(table)
    for part in classes_of(table):
        assert set(counted(release.table, "word", part)) <= set(counted(table, "word", part))
        for name in ("age", "size", "whole"):
            before = [table[name][v] for v in part if table[name][v] is not None]
            after = [release.table[name][v] for v in part if release.table[name][v] is not None]
            assert len(before) == len(after)
            if len(set(before)) == 1:
                assert set(after) == set(before)
            if before and preserve:
                scale = max(1, *map(abs, before), *map(abs, after))
                assert isclose(sum(after) / len(after), sum(before) / len(before), abs_tol=1e-14 * scale, rel_tol=0)
    if preserve:
        assert release.measured[OFF] <= 1e-5  # sizes go up to a billion
    else:
        assert all(isinstance(x, int) for x in release.table["whole"])


@pytest.mark.slow
def test_missing_values_do_not_reveal_their_owner():
    table = {"team": ["x"] * 4, "age": [None, 1, 2, 4]}
    seen = Counter(list(Distort("team", seed=seed)(table).table["age"]).index(None) for seed in range(800))
    assert len(seen) == 4
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 16  # 3 degrees of freedom, 1 in 1,000


def determined(table, name, numeric):
    found = 0
    for part in classes_of(table):
        values = {exact(table[name][v]) for v in part}
        found += len(values - {exact(None)}) <= 2 if numeric else len(values) <= 1
    return found


@pytest.mark.slow
@given(classed())
@settings(max_examples=80)
def test_values_determined_by_the_fit_are_refused_or_counted(table):
    numeric = {"age": any(x is not None for x in table["age"]), "size": True, "whole": True, "word": False}
    if all(type(x) is int for x in table["word"] if x is not None):
        numeric["word"] = any(x is not None for x in table["word"])
    count = sum(determined(table, name, number) for name, number in numeric.items())
    assert Distort("team", seed=1, allow_determined=True)(table).measured[DETERMINED] == count
    if count:
        with pytest.raises(CannotPromise, match="determine its values"):
            Distort("team", seed=1)(table)
    else:
        assert Distort("team", seed=1)(table).notes == Distort("team", seed=2)(table).notes


def test_two_numbers_are_determined_by_mean_and_deviation():
    message = r"Got 2 distinct values in the column 'age' of the class 'x'.*: 1"
    with pytest.raises(CannotPromise, match=message):
        Distort("team", columns=("age",))({"team": ["x", "x", "x"], "age": [20, 20, 25]})
    release = Distort("team", seed=3)({"team": ["x"] * 3, "age": [20, 21, 25]})
    assert release.measured[DETERMINED] == 0


def test_large_classes_resemble_what_they_were_drawn_from():
    rng = np.random.default_rng(8)
    table = {
        "team": ["x"] * 20_000 + ["y"] * 20_000,
        "size": np.concatenate([rng.normal(5, 2, 20_000), rng.exponential(9, 20_000)]),
        "word": rng.choice(["a", "b", None], size=40_000, p=[0.6, 0.3, 0.1]).tolist(),
    }
    found = Distort("team", seed=5)(table).table
    before, after = np.array(table["size"]), np.array(list(found["size"]))
    for part in (slice(0, 20_000), slice(20_000, None)):
        deviation = before[part].std()
        assert abs(after[part].mean() - before[part].mean()) < 5 * deviation / 20_000**0.5
        assert abs(after[part].std() / deviation - 1) < 0.03
    shares = Counter(found["word"])
    assert all(abs(shares[word] / 40_000 - share) < 0.015 for word, share in [("a", 0.6), ("b", 0.3), (None, 0.1)])


def test_numbers_must_be_finite():
    with pytest.raises(BadParameter, match=r"'age'.*inf"):
        Distort("team")({"team": ["x"] * 3, "age": [1.0, 2.0, float("inf")]})


def test_numbers_that_overflow_are_refused():
    with pytest.raises(BadParameter, match="'age' are too large"):
        Distort("team", seed=1)({"team": ["x"] * 4, "age": [1.7e308, -1.7e308, 1.6e308, 0.0]})


def test_text_among_numbers_gives_a_note():
    release = Distort("team", seed=1)({"team": ["x"] * 3, "age": [1, 2, "unknown"]})
    assert set(map(exact, release.table["age"])) <= {exact(1), exact(2), exact("unknown")}
    assert "'age' holds numbers and other values" in release.notes[0]


# promises that do not hold


def test_a_swap_across_classes_is_not_released():
    table = {"team": list("xxyy"), "age": [1, 1, 2, 2]}
    release = SwapWithin("team", seed=1)(table)
    across = release.table.with_columns({"age": Column.of([1, 2, 1, 2])})
    with pytest.raises(BrokenPromise, match="permutation"):
        verify_release(replace(release, data=release.data.with_attributes(across)))
    alike = release.table.with_columns({"age": Column.of([1, "1", 2, 2])})
    with pytest.raises(BrokenPromise, match="permutation"):
        verify_release(replace(release, data=release.data.with_attributes(alike)))


@METHODS
def test_smaller_classes_than_guaranteed_are_not_released(method):
    ages = [1, 2, 3, 4, 5, 6] if method is Distort else [1, 1, 1, 2, 2, 2]
    release = method("team", seed=1, **FREE[method])({"team": list("xxxyyy"), "age": ages})
    with pytest.raises(BrokenPromise, match="confusion is guaranteed"):
        verify_release(replace(release, codes=np.array([0, 0, 0, 0, 1, 1])))


@METHODS
def test_a_summary_that_depends_on_the_order_of_members_is_not_released(method):
    class ByOrder(method):
        def summary(self, table, members):
            return tuple(members.tolist())

    with pytest.raises(BrokenPromise, match="depend on the order"):
        ByOrder("team", seed=1, **FREE[method])(
            {"team": list("xxx"), "age": [1, 2, 3] if method is Distort else [1] * 3}
        )


@METHODS
def test_a_table_that_the_seed_does_not_produce_is_not_released(method):
    """The original table has the right values in each class, but it is not a random permutation."""
    table = {"team": list("xxxxyyyy"), "age": [1, 1, 2, 2, 3, 3, 4, 4], "size": [1, 1, 2, 2, 3, 3, 4, 4]}
    release = method("team", seed=1, **FREE[method])(table)
    with pytest.raises(BrokenPromise, match="secret seed"):
        verify_release(replace(release, data=release.original))
    with pytest.raises(BrokenPromise, match="secret seed"):
        verify_release(replace(release, seed=None))
    with pytest.raises(BrokenPromise, match="team"):
        verify_release(replace(release, promises=(replace(release.promises[0], columns=("age", "team")),)))


class Trusted(SwapWithin):
    ground = "trust me"


def test_confusion_has_one_of_three_grounds():
    with pytest.raises(BrokenPromise, match="equal records"):
        Trusted("team", seed=1)({"team": ["x"] * 4, "age": [1, 1, 2, 2]})
