"""Microaggregate: compared with a literal MDAV, with counts, and with the paper's 30 points."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import isclose
from statistics import median

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import Table
from shoal.data.column import Column, exact
from shoal.errors import BadParameter, BrokenPromise, UnknownColumn
from shoal.methods import Microaggregate
from shoal.methods.classes import shuffle_classes
from shoal.methods.tables._kernels.records import nearest
from shoal.methods.tables.microaggregate import clustering
from shoal.methods.tables.microaggregate.clustering import cut_blocks, find_clusters, spread_points
from shoal.methods.tables.mixed import Mixed
from shoal.release.guarantee import ConfusionPromise, Promise
from shoal.release.verify import verify_release

LOSS = "information loss (SSE/SST)"
CELLS = {
    "numbers": st.one_of(st.none(), st.integers(-3, 9), st.floats(-5, 5).map(lambda x: round(x, 1))),
    "whole": st.integers(0, 20),
    "words": st.sampled_from(["a", "b", "c", None, "1", ""]),
    "both": st.sampled_from([1, "1", 2.5, None, True]),
}


@st.composite
def tables(draw, least=2, most=14, kinds=tuple(CELLS)):
    n = draw(st.integers(least, most))
    return Table.of({kind: draw(st.lists(CELLS[kind], min_size=n, max_size=n)) for kind in kinds})


def rows(table, names=None):
    return list(zip(*(map(exact, table[name]) for name in names or table), strict=True))


def members(release):
    found = {}
    for v, code in enumerate(release.codes.tolist()):
        found.setdefault(code, []).append(v)
    return found


# the published algorithm, slow and obvious


def apart(a, b, numeric):
    total = 0.0
    for x, y, number in zip(a, b, numeric, strict=True):
        if number and x is not None and y is not None:
            total += (x - y) ** 2
        else:
            total += exact(x) != exact(y)
    return total


def center(points, numeric):
    middle = []
    for j, number in enumerate(numeric):
        cells = [p[j] for p in points]
        there = [x for x in cells if x is not None]
        if number:
            middle.append(sum(there) / len(there) if there else None)
        else:
            middle.append(Counter(cells).most_common(1)[0][0])
    return middle


def mdav_word_for_word(points, k, numeric):
    """Domingo-Ferrer & Torra 2005, with lists."""
    left, classes = list(range(len(points))), []

    def take(seed):
        near = sorted(left, key=lambda v: (v != seed, apart(points[v], points[seed], numeric)))[:k]
        classes.append(frozenset(near))
        for v in near:
            left.remove(v)

    while len(left) >= 3 * k:
        middle = center([points[v] for v in left], numeric)
        first = max(left, key=lambda v: apart(points[v], middle, numeric))
        take(first)
        take(max(left, key=lambda v: apart(points[v], points[first], numeric)))
    if len(left) >= 2 * k:
        middle = center([points[v] for v in left], numeric)
        take(max(left, key=lambda v: apart(points[v], middle, numeric)))
    return {*classes, frozenset(left)}


@pytest.mark.parametrize("n", [4, 11, 30, 97])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("mixed", [False, True])
def test_mdav_is_the_published_algorithm(n, k, mixed):
    rng = np.random.default_rng(n * k)
    columns = {"x": rng.normal(size=n).tolist(), "y": rng.normal(3, 9, size=n).tolist()}
    if mixed:  # x and y keep distances apart, so that nothing is left to chance
        columns["z"] = [None if rng.random() < 0.3 else float(v) for v in rng.exponential(size=n)]
        columns["word"] = [["a", "b", None][i] for i in rng.choice(3, size=n, p=[0.5, 0.3, 0.2])]
    table = Table.of(columns)
    numeric = [name != "word" for name in columns]
    scaled = []
    for name, cells in columns.items():
        there = [x for x in cells if x is not None]
        deviation = 1 if name == "word" else float(np.std(there))
        scaled.append([x if x is None or name == "word" else x / deviation for x in cells])
    expected = mdav_word_for_word(list(zip(*scaled, strict=True)), k, numeric)
    codes = find_clusters(Mixed(table, tuple(table)), k, "mdav")
    assert {frozenset(np.flatnonzero(codes == c).tolist()) for c in set(codes.tolist())} == expected


def test_the_center_of_a_class_is_a_member_even_among_equal_records():
    chosen = np.empty(2, dtype=np.int64)
    nearest(np.zeros(5), 5, 4, chosen, 2)
    assert 4 in chosen


def test_frames_and_tables_give_the_same_release():
    cells = {"age": [20, 61, None, 60], "sex": ["f", "m", "f", None]}
    expected = Microaggregate(2)(Table.of(cells)).table
    for frame in (pd.DataFrame(cells), pl.DataFrame(cells)):
        found = Microaggregate(2)(frame).table
        assert [list(found[name]) for name in cells] == [list(expected[name]) for name in cells]


@pytest.mark.slow
@given(tables(), st.integers(1, 5), st.sampled_from(["mean", "median", "mode"]), st.data())
@settings(max_examples=150)
def test_laws(table, k, representative, data):
    k = min(k, table.n)
    names = data.draw(st.sampled_from([None, ("numbers", "words"), ("whole",), ("both", "numbers")]))
    before = {name: (column.codes.copy(), column.values) for name, column in table.columns.items()}
    method = Microaggregate(k, names, representative=representative)
    release = method(table)
    chosen = names or tuple(table)

    assert min(Counter(rows(release.table, chosen)).values()) >= k
    sizes = [len(v) for v in members(release).values()]
    assert all(k <= size <= 2 * k - 1 for size in sizes) or (sizes == [table.n] and table.n < 2 * k)
    for name in set(table) - set(chosen):
        assert release.table[name] is table[name]
    for name, (codes, values) in before.items():
        assert np.array_equal(table[name].codes, codes)
        assert table[name].values is values
    assert method(table).data == release.data
    assert eval(repr(method)) == method
    assert release.measured[LOSS] >= 0
    assert [type(p) for p in release.promises] == [Promise, ConfusionPromise]
    assert release.promises[1].t == Fraction(1, max(sizes))
    check_representatives(table, release, chosen, representative)


def check_representatives(table, release, names, representative):
    for part in members(release).values():
        for name in names:
            published = [release.table[name][v] for v in part]
            assert len(set(map(exact, published))) == 1
            there = [table[name][v] for v in part if table[name][v] is not None]
            if not there:
                assert published[0] is None
            elif {type(x) for x in table[name] if x is not None} <= {int, float} and representative != "mode":
                expected = float(sum(map(Fraction, there)) / len(there)) if representative == "mean" else median(there)
                assert isclose(published[0], expected, rel_tol=1e-12, abs_tol=1e-12)
                assert min(there) <= published[0] <= max(there)
            else:
                counts = Counter(map(exact, there))
                order = [exact(value) for value in table[name].values]
                best = min(counts, key=lambda value: (-counts[value], order.index(value)))
                assert exact(published[0]) == best


def test_means_that_are_whole_numbers_stay_ints():
    release = Microaggregate(2)({"age": [1, 3, 10, 11], "size": [1.0, 3.0, 10.0, 12.0]})
    assert [(x, type(x)) for x in release.table["age"]] == [(2, int), (2, int), (10.5, float), (10.5, float)]
    assert {type(x) for x in release.table["size"]} == {float}


def test_the_loss_of_numbers_is_sse_over_sst():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(200, 3)) * [1, 10, 100] + 7
    release = Microaggregate(4)({name: x[:, j] for j, name in enumerate("abc")})
    y = np.column_stack([list(release.table[name]) for name in "abc"])
    expected = (((x - y) / x.std(0)) ** 2).sum() / (((x - x.mean(0)) / x.std(0)) ** 2).sum()
    assert isclose(release.measured[LOSS], expected, rel_tol=1e-9)


def test_the_loss_counts_1_for_a_different_category_and_a_missing_value():
    ages, words = [10, 12, None, 50, 54, None], ["a", "b", "a", "c", "c", None]
    table, codes = Table.of({"age": ages, "word": words}), np.array([0, 0, 0, 1, 1, 1])
    found, measured = Microaggregate(3).inside(table, codes, np.random.default_rng(0))
    assert list(found["age"]) == [11, 11, 11, 52, 52, 52]
    assert list(found["word"]) == ["a", "a", "a", "c", "c", "c"]
    numbers = (1 + 1 + 2**2 + 2**2) / float(np.var([10, 12, 50, 54])) + 2
    categories = 2
    assert isclose(measured[LOSS], (numbers + categories) / ((4 + 2) + 4))  # 4 words are not the most frequent one


def test_constant_columns_cost_nothing():
    release = Microaggregate(3)({"same": [0.1] * 6, "word": ["x"] * 6, "none": [None] * 6})
    assert release.measured[LOSS] == 0.0
    assert [list(release.table[name]) for name in ("same", "word", "none")] == [[0.1] * 6, ["x"] * 6, [None] * 6]


def test_blocks_are_cut_in_half_along_the_widest_column():
    rng = np.random.default_rng(1)
    keys = rng.normal(size=(2, 1000)) * [[1.0], [9.0]]
    halves = cut_blocks(keys, 500)
    assert sorted(np.concatenate(halves).tolist()) == list(range(1000))
    assert keys[1, halves[0]].max() <= keys[1, halves[1]].min()
    assert {len(block) for block in cut_blocks(keys, 60)} == {62, 63}


@pytest.mark.parametrize("k", [2, 3, 7])
def test_blocks_give_classes_of_k_to_2k_minus_1(monkeypatch, k):
    monkeypatch.setattr(clustering, "BLOCK", 50)
    rng = np.random.default_rng(k)
    table = {
        "x": rng.normal(size=1501).tolist(),
        "y": [None if rng.random() < 0.1 else int(v) for v in rng.integers(0, 90, 1501)],
        "word": rng.choice(["a", "b", "c"], size=1501).tolist(),
    }
    in_blocks, at_once = Microaggregate(k, algorithm="blocks")(table), Microaggregate(k, algorithm="mdav")(table)
    sizes = np.bincount(in_blocks.codes)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert at_once.measured[LOSS] <= in_blocks.measured[LOSS] < 0.2


def test_auto_takes_blocks_above_its_limit(monkeypatch):
    table = {"x": np.random.default_rng(3).normal(size=400).tolist()}
    monkeypatch.setattr(clustering, "BLOCK", 50)
    assert Microaggregate(3)(table).data == Microaggregate(3, algorithm="mdav")(table).data
    monkeypatch.setattr(clustering, "MOST", 399)
    assert Microaggregate(3)(table).data == Microaggregate(3, algorithm="blocks")(table).data


# the paper's second alternative


def thirty_points():
    """10 classes of 3 points in space, far apart from each other."""
    rng = np.random.default_rng(30)
    places = [(i % 4, i // 4, i % 3) for i in range(10)]
    points = np.concatenate([np.array(place) * 100.0 + rng.normal(size=(3, 3)) for place in places])
    return {name: points[:, j] for j, name in enumerate("xyz")}, points


def published(release):
    return np.column_stack([list(release.table[name]) for name in release.table])


def test_thirty_points_around_their_means():
    table, points = thirty_points()
    release = Microaggregate(3, representative="perpendicular", seed=7)(table)
    assert sorted(map(sorted, members(release).values())) == [[i, i + 1, i + 2] for i in range(0, 30, 3)]
    after = published(release)
    for part in members(release).values():
        before, found = points[part], after[part]
        mean = before.mean(axis=0)
        away = found - mean
        lengths = np.sort(np.linalg.norm(away, axis=1))
        radius = np.linalg.norm(before - mean, axis=1).max()
        assert np.allclose(lengths, [0, radius / 2, radius / 2])
        assert np.allclose(away @ (before - before[0]).T, 0, atol=1e-9)
        assert np.allclose(found.mean(axis=0), mean)
    assert release.promises == (ConfusionPromise(3, Fraction(1, 3), ("x", "y", "z"), release.method),)
    assert release.notes == ()
    assert shoal.assess(release.data, shoal.knowledge.Columns("x", "y", "z")).k == 1
    means = Microaggregate(3)(table)
    assert shoal.assess(means.data, shoal.knowledge.Columns("x", "y", "z")).k == 3


def by_a_rule(points):
    """E29: within each class the points are assigned in the order of the first coordinate."""
    found = {}
    for i in range(0, 30, 3):
        spread = spread_points(points[i : i + 3]).points
        order = i + np.argsort(points[i : i + 3, 0])
        found.update(zip(map(tuple, spread.tolist()), order.tolist(), strict=True))
    return found


def test_e29_by_a_rule_all_are_reidentified_and_by_a_secret_permutation_a_third():
    table, points = thirty_points()
    known = by_a_rule(points)
    assert len(known) == 30
    release = {who: point for point, who in known.items()}
    assert sum(known[release[who]] == who for who in range(30)) == 30

    # the same points, but each of the permutations of a class is as likely as the others
    secret = Microaggregate(3, representative="perpendicular", seed=7)(table)
    for part in members(secret).values():
        shown = secret.method.unordered(secret.table, np.array(part))
        assert shown == tuple(sorted(point for point in known if known[point] in part))
        hits, owners = Counter(), Counter()
        for order in permutations(part):
            for point, who in zip(shown, order, strict=True):
                owners[point, who] += Fraction(1, 6)
                hits[point] += Fraction(known[point] == who, 6)
        assert set(owners.values()) == {Fraction(1, 3)}
        assert set(hits.values()) == {Fraction(1, 3)}


@pytest.mark.slow
def test_every_member_gets_each_point_equally_often():
    table = {"x": [0, 4, 1], "y": [0, 1, 5], "z": [0, 2, 2]}
    releases = (Microaggregate(3, representative="perpendicular", seed=seed)(table) for seed in range(600))
    seen = Counter(tuple(map(tuple, published(release).tolist())) for release in releases)
    assert len(seen) == 6
    assert len({point for order in seen for point in order}) == 3
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 20  # 5 degrees of freedom, 1 in 1,000


def test_all_orders_inside_classes_are_equally_likely():
    codes = np.array([0, 1, 0, 1, 0])
    seen = Counter(tuple(shuffle_classes(codes, np.random.default_rng(seed)).tolist()) for seed in range(6000))
    assert len(seen) == 12
    assert all(sorted(order[:3]) == [0, 2, 4] and sorted(order[3:]) == [1, 3] for order in seen)
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 31  # 11 degrees of freedom, 1 in 1,000


@given(
    st.integers(2, 4).flatmap(
        lambda d: st.lists(st.tuples(*[st.integers(-4, 4).map(lambda x: x / 3)] * d), min_size=1, max_size=8)
    ),
    st.randoms(use_true_random=False),
)
def test_points_do_not_depend_on_the_order_of_the_members(lines, random):
    first = spread_points(np.array(lines))
    random.shuffle(lines)
    again = spread_points(np.array(lines))
    assert first.points.tobytes() == again.points.tobytes()
    before = np.array(lines)
    mean = before.mean(axis=0)
    assert np.allclose(first.points.mean(axis=0), mean)
    assert np.allclose(first.points, (2 * mean - first.points)[::-1])
    assert (np.linalg.norm(first.points - mean, axis=1) <= first.radius + 1e-12).all()
    if first.perpendicular:
        assert np.allclose((first.points - mean) @ (before - mean).T, 0, atol=1e-9)


def test_collinear_points_take_a_perpendicular_and_equal_ones_stay():
    line = spread_points(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]), epsilon=0.5)
    away = line.points - 1
    assert line.perpendicular
    assert np.allclose(away @ np.ones(3), 0)
    assert np.allclose(np.linalg.norm(away, axis=1), [0.5, 0, 0.5])
    same = spread_points(np.full((3, 2), 0.1))
    assert (same.points == 0.1).all()
    assert same.radius == 0


def test_full_rank_and_different_units_give_notes():
    rng = np.random.default_rng(2)
    table = {"age": rng.integers(18, 90, 40), "income": rng.integers(10_000, 90_000, 40)}
    release = Microaggregate(4, representative="perpendicular", seed=1)(table)
    assert release.measured["classes spread along their direction of least variance"] == 10
    assert "full rank" in release.notes[0]
    assert "use standard deviations" in release.notes[1]
    ages = np.array(list(release.table["age"]), dtype=float)
    assert ages.min() > -50  # and not tens of thousands, as a perpendicular in the units of the columns would give
    assert ages.max() < 150


@pytest.mark.slow
@given(tables(least=4, most=12, kinds=("whole",)), st.integers(2, 4), st.integers(0, 5))
@settings(max_examples=50)
def test_laws_of_perpendicular_points(table, k, seed):
    k = min(k, table.n)
    table = table.with_columns({"other": Column.of([(7 * v) % 5 for v in range(table.n)])})
    method = Microaggregate(k, seed=seed, representative="perpendicular")
    release = method(table)
    assert eval(repr(method)) == method
    assert release.data == method(table).data
    assert release.seed == seed
    assert min(np.bincount(release.codes)) >= k
    assert len(release.promises) == 1
    for part in members(release).values():
        for name in table:
            assert isclose(
                sum(table[name][v] for v in part), sum(release.table[name][v] for v in part), rel_tol=1e-9, abs_tol=1e-9
            )


def test_a_secret_seed_is_drawn_by_default():
    table, _ = thirty_points()
    first, second = (Microaggregate(3, representative="perpendicular")(table) for _ in range(2))
    assert first.seed != second.seed
    assert replace(first.method, seed=first.seed)(table).data == first.data


# promises that do not hold


def test_a_release_with_a_wrong_class_is_refused():
    table = {"age": [20, 21, 40, 41, 60, 61]}
    release = Microaggregate(2)(table)
    for codes in ([0, 1, 1, 0, 2, 2], [0, 0, 1, 1, 2, 3], None):
        wrong = replace(release, codes=None if codes is None else np.array(codes))
        with pytest.raises(BrokenPromise):
            verify_release(wrong)
    cells = release.table.with_columns({"age": Column.of([20.5, 20.5, 40.5, 40.5, 60.5, 61])})
    with pytest.raises(BrokenPromise, match=r"guarantee.*2 candidates.*Got 1"):
        verify_release(replace(release, data=release.data.with_attributes(cells)))


def test_points_of_another_class_are_not_released():
    table, _ = thirty_points()
    release = Microaggregate(3, representative="perpendicular", seed=1)(table)
    wrong = release.codes.copy()
    wrong[[0, 3]] = wrong[[3, 0]]
    with pytest.raises(BrokenPromise, match="permutation"):
        verify_release(replace(release, codes=wrong))
    moved = release.table.with_columns(
        {"x": Column.of([x + 1e-9 * (v == 4) for v, x in enumerate(release.table["x"])])}
    )
    with pytest.raises(BrokenPromise, match="permutation"):
        verify_release(replace(release, data=release.data.with_attributes(moved)))


# networks


def club(sides=((0, 1, 2), (3, 4, 5))):
    g = nx.Graph((a, b) for a in sides[0] for b in sides[1])
    nx.set_node_attributes(g, {v: 20 + v + 30 * (v in sides[1]) for v in g}, "age")
    return g


def test_a_network_keeps_its_links_and_twins_are_confused():
    g = club()
    release = Microaggregate(3)(g)
    assert {frozenset(e) for e in release.data.to_networkx().edges} == {frozenset(e) for e in g.edges}
    ages = dict(zip(release.data.names, release.table["age"], strict=True))
    assert ages == {0: 21, 1: 21, 2: 21, 3: 54, 4: 54, 5: 54}
    assert [type(p) for p in release.promises] == [Promise, ConfusionPromise]


def test_no_confusion_is_guaranteed_if_links_distinguish_members():
    g = club()
    g.remove_edge(0, 3)
    release = Microaggregate(3)(g)
    assert [type(p) for p in release.promises] == [Promise]
    assert "links are not changed" in release.notes[0]


# bad input


@pytest.mark.parametrize("k", [0, -1, 2.0, "3", True, None])
def test_k_must_be_a_whole_number(k):
    with pytest.raises(BadParameter, match=r"'k'.*1"):
        Microaggregate(k)


def test_parameters_are_checked():
    with pytest.raises(BadParameter, match=r"'means'.*Did you mean 'mean'"):
        Microaggregate(2, representative="means")
    with pytest.raises(BadParameter, match="'algorithm'"):
        Microaggregate(2, algorithm="fast")
    with pytest.raises(BadParameter, match="'seed'"):
        Microaggregate(2, seed="secret")
    with pytest.raises(BadParameter, match=r"'epsilon'.*'perpendicular'"):
        Microaggregate(2, epsilon=1.0)
    for epsilon in (0, -1.0, float("nan"), float("inf"), True, "1"):
        with pytest.raises(BadParameter, match="'epsilon'"):
            Microaggregate(2, representative="perpendicular", epsilon=epsilon)


def test_k_above_the_number_of_records_is_refused():
    with pytest.raises(BadParameter, match="'k' must be at most"):
        Microaggregate(4)({"age": [1, 2, 3]})


def test_columns_must_exist_and_be_named_once():
    table = {"age": [1, 2, 3], "sex": ["f", "m", "f"]}
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        Microaggregate(2, columns=("agee",))(table)
    with pytest.raises(BadParameter, match="each column once"):
        Microaggregate(2, columns=("age", "age"))(table)
    with pytest.raises(BadParameter, match="'columns' must be strings"):
        Microaggregate(2, columns=(1,))


def test_infinities_are_refused_and_nan_is_missing():
    with pytest.raises(BadParameter, match=r"'age'.*inf"):
        Microaggregate(2)({"age": [1.0, float("inf"), 2.0]})
    release = Microaggregate(3)({"age": [1.0, float("nan"), 3.0]})
    assert list(release.table["age"]) == [2.0] * 3


def test_text_among_numbers_makes_categories_and_gives_a_note():
    release = Microaggregate(3)({"age": [1, 1, "unknown"]})
    assert list(release.table["age"]) == [1, 1, 1]
    assert "'age' holds numbers and other values" in release.notes[0]


def test_perpendicular_takes_numbers_only():
    method = Microaggregate(2, representative="perpendicular")
    with pytest.raises(BadParameter, match=r"'sex'.*'f'"):
        method({"age": [1, 2, 3], "sex": ["f", "m", "f"]})
    with pytest.raises(BadParameter, match=r"1 missing.*'mean'"):
        method({"age": [1, 2, 3], "size": [1, 2, None]})
    with pytest.raises(BadParameter, match="'perpendicular'"):
        method({"age": [1, 2, 3]})
    table, _ = thirty_points()
    with pytest.raises(BadParameter, match=r"'epsilon'.*radius"):
        replace(method, k=3, epsilon=50.0)(table)


def test_long_cells_and_large_numbers():
    long = ["x" * 10_000, "y" * 10_000, "x" * 10_000, "y" * 10_000]
    release = Microaggregate(2)({"word": long, "n": [1e308, -1e308, 1e308, -1e308]})
    assert list(release.table["word"]) == long
    assert list(release.table["n"]) == [1e308, -1e308, 1e308, -1e308]
    with pytest.raises(BadParameter, match="too large to compute"):
        Microaggregate(2, representative="perpendicular")({"a": [1.7e308, -1.7e308], "b": [1.7e308, -1.7e308]})


def test_the_published_loss_of_points_is_the_mean_over_all_assignments():
    rng = np.random.default_rng(4)
    lines = np.concatenate([rng.normal(0, 1, (3, 3)), rng.normal(20, 2, (4, 3))])
    release = Microaggregate(3, representative="perpendicular", seed=1)({c: lines[:, i] for i, c in enumerate("xyz")})
    published = np.column_stack([release.table[c].numbers(c) for c in "xyz"])
    scaled, points = lines / lines.std(axis=0), published / lines.std(axis=0)
    expected = 0.0
    for code in set(release.codes.tolist()):
        mine = np.flatnonzero(release.codes == code)
        ways = [((scaled[mine] - points[list(way)]) ** 2).sum() for way in permutations(mine.tolist())]
        expected += np.mean(ways)
    total = ((scaled - scaled.mean(axis=0)) ** 2).sum()
    assert release.measured["information loss (SSE/SST)"] == pytest.approx(expected / total)
