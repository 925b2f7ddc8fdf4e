"""Re-identification methods: each compared with a slow version, exact in ties, on tables and graphs."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import confusion_oracle as oracle
import shoal
from conftest import graphs
from shoal import Table
from shoal.errors import BadParameter, Notice, UnknownColumn
from shoal.knowledge import DEFAULT_KNOWLEDGE
from shoal.linkage import (
    FORMS,
    REGISTRY,
    Bayesian,
    DistanceLinkage,
    ExactMatch,
    FellegiSunter,
    Linkage,
    ProbabilisticLinkage,
    Record,
    Reidentifies,
    UniformOver,
    confusion,
    fit_fellegi_sunter,
    linked,
    n_confusion,
    parse_linkage,
    records_of,
    uniform,
)
from shoal.linkage.fellegi_sunter import compute_log_ratio
from shoal.linkage.rows import share_evenly

WHOLE = st.sampled_from([0, 1, 2, 3, 7, None])
DECIMAL = st.sampled_from([0.1, 0.2, 0.3, 0.30000000000000004, 0.7, 1e16, 1e16 + 2, 3, None])
THING = st.sampled_from(["x", "y", "1", 1, True, None])

METHODS = [
    UniformOver(shoal.knowledge.Columns("a")),
    ExactMatch(),
    ExactMatch("a", "b"),
    DistanceLinkage(),
    DistanceLinkage(("a",), take="k-nearest", k=3, scale="deviation"),
    DistanceLinkage(take="softmax", temperature=0.5, scale=None),
    ProbabilisticLinkage(),
    ProbabilisticLinkage(("a", "b"), agree={"a": (0.1, 0.5)}, iterations=20, tolerance=0.001),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=repr)


@st.composite
def sides(draw, *kinds):
    """Draw an original and a release with the same columns, one per kind of cell."""
    n, records = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    names = "abc"[: len(kinds)]
    return tuple(
        [{name: draw(kind) for name, kind in zip(names, kinds, strict=True)} for _ in range(size)]
        for size in (n, records)
    )


def as_table(rows):
    return Table.of({name: [row[name] for row in rows] for name in rows[0]})


def ask(method, original, release):
    """All answers, one call at a time; the notice about columns that are numeric on one side is given once."""
    known, published = as_table(original), as_table(release)
    return [list(method(record, known)) for record in records_of(published)]


def ignoring_notices(test):
    return pytest.mark.filterwarnings("ignore:Column .* is numeric only:shoal.errors.Notice")(test)


# distances


@pytest.mark.slow
@ignoring_notices
@pytest.mark.parametrize("how", ["range", None])
@pytest.mark.parametrize(
    "kinds", [(WHOLE, WHOLE), (DECIMAL, DECIMAL), (WHOLE, THING), (THING, THING), (DECIMAL, WHOLE, THING)]
)
@settings(max_examples=60)
@given(data=st.data())
def test_the_nearest_are_exactly_the_nearest(how, kinds, data):
    original, release = data.draw(sides(*kinds))
    k = data.draw(st.integers(1, len(original)))
    method = DistanceLinkage(take="k-nearest", k=k, scale=how)
    assert ask(method, original, release) == [oracle.nearest(y, original, release, how, k) for y in release]
    if k == 1:
        assert ask(DistanceLinkage(scale=how), original, release) == ask(method, original, release)
    soft = ask(DistanceLinkage(take="softmax", temperature=0.7, scale=how), original, release)
    for row, y in zip(soft, release, strict=True):
        if max(oracle.distance(y, person, original, release, how) for person in original) > 1e6:
            continue  # here the difference of two distances is beyond floats
        assert row == pytest.approx(oracle.softmax(y, original, release, how, 0.7), abs=1e-12)


def test_the_deviation_as_a_scale():
    original = Table.of({"a": [0.0, 10.0, 20.0], "b": [0.0, 0.1, 0.2]})
    release = Table.of({"a": [10.0], "b": [0.2]})
    deviations = [np.std(list(original[name])) for name in "ab"]
    far = [10 / deviations[0] + 0.2 / deviations[1], 0.1 / deviations[1], 10 / deviations[0]]
    row = DistanceLinkage(take="softmax", scale="deviation")(Record(release, 0), original)
    assert row == pytest.approx(np.exp(-np.array(far)) / np.exp(-np.array(far)).sum())
    # scaled by their deviations, a step of ten and a step of 0.1 are the same but for the last bit
    chosen = linked(DistanceLinkage(scale="deviation"), Record(release, 0), original)
    exact = [
        Fraction(10) / Fraction(float(deviations[0])),
        abs(Fraction(0.1) - Fraction(0.2)) / Fraction(float(deviations[1])),
    ]
    assert chosen == ({2} if exact[0] < exact[1] else {1} if exact[1] < exact[0] else {1, 2})


def test_rounding_does_not_merge_distances():
    # 1e16 + 1 is 1e16 in floats: the first is farther by 1
    original = Table.of({"a": [1e16, 1e16, 0.5], "b": [1.0, 0.0, 3e16]})
    release = Table.of({"a": [0.0], "b": [0.0]})
    assert linked(DistanceLinkage(scale=None), Record(release, 0), original) == {1}
    with_words = original.with_columns({"c": Table.of({"c": ["x"] * 3})["c"]})
    words = release.with_columns({"c": Table.of({"c": ["x"]})["c"]})
    assert linked(DistanceLinkage(scale=None), Record(words, 0), with_words) == {1}


def test_whole_numbers_too_large_for_a_common_unit():
    # the ranges have no divisor in common: 4503599627370449 and 4503599627370517
    big, bigger = 2**52 - 47, 2**52 + 21
    original = Table.of({"a": [0, big, 1, 0], "b": [0, bigger, 0, 1]})
    release = Table.of({"a": [0], "b": [0]})
    twice = DistanceLinkage(take="k-nearest", k=2)
    assert linked(DistanceLinkage(), Record(release, 0), original) == {0}
    # 1/bigger < 1/big, by less than a float can tell from the distance 1
    assert linked(twice, Record(release, 0), original) == {0, 3}


@pytest.mark.parametrize(
    ("columns", "record", "scale"),
    [
        # beyond 64 bits: 2**60 away, and 2**60 + 2048
        ({"a": [2.0**64 + 2.0**60, 2.0**64 - 2.0**60 - 2048]}, {"a": 2.0**64}, None),
        # whole numbers whose sums need more bits than a float has
        ({"a": [2.0**60, 2.0**60 + 1024, -(2.0**60)], "b": [2, 1, 0]}, {"a": 2.0**60 + 512, "b": 0}, None),
        ({"a": [2.0**60, 2.0**60 + 1024, 0], "b": [2, 1, 0]}, {"a": -(2.0**60), "b": 0}, "range"),
        # in units of 1 / 2**30 the two smallest distances are 2**63 - 1 and 2**63
        ({"a": [0, 1, 0], "b": [0, 2**30 - 1, 2**30]}, {"a": 2**33, "b": 0}, "range"),
        # 8 + 8 / 2**30 and 8 + 8 / (2**30 - 1): on either side of 2**63 in their unit
        (
            {"a": [8, 0, 2**30], "b": [0, 8, 2**30 - 1], **{f"c{i}": ["x"] * 3 for i in range(8)}},
            {"a": 0, "b": 0, **{f"c{i}": "y" for i in range(8)}},
            "range",
        ),
        # more ranges away than a float can hold
        ({"a": [0.0, 1e-300, 2e-300]}, {"a": 1e10}, "range"),
        ({"a": [0.0, 1e-300, 2e-300]}, {"a": -1e10}, "range"),
        ({"a": [0.0, 1e10, -1e10]}, {"a": 4e-300}, None),
    ],
)
def test_distances_beyond_machine_numbers_are_exact(columns, record, scale):
    original = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    for k in range(1, len(original) + 1):
        found = ask(DistanceLinkage(take="k-nearest", k=k, scale=scale), original, [record])
        assert found == [oracle.nearest(record, original, [record], scale, k)]


@pytest.mark.parametrize("scale", ["range", "deviation"])
@pytest.mark.parametrize("values", [[0, 5e-324], [-1.7e308, 1.7e308], [0, 1.7e308, 1.7e308]])
def test_a_scale_that_no_float_can_divide_by_is_refused(values, scale):
    table = Table.of({"a": [float(x) for x in values]})
    if scale == "range" and len(values) == 3:
        assert linked(DistanceLinkage(scale=scale), Record(table, 0), table) == {0}
        return
    with pytest.raises(BadParameter, match=rf"the {scale} of column 'a' must be finite and above 0"):
        DistanceLinkage(scale=scale)(Record(table, 0), table)


def test_a_range_that_no_float_can_hold_is_refused():
    """An infinite limit would let all numbers agree."""
    table = Table.of({"a": [-1.7e308, 1.7e308, 1.0], "b": ["x", "y", "x"]})
    with pytest.raises(BadParameter, match="'range of column a' must be finite"):
        list(ProbabilisticLinkage().rows(table, table))


def test_the_least_scale():
    least = np.finfo(float).tiny
    table = Table.of({"a": [0.0, np.nextafter(least, 1)]})
    assert [linked(DistanceLinkage(), y, table) for y in records_of(table)] == [{0}, {1}]
    table = Table.of({"a": [0.0, least]})
    with pytest.raises(BadParameter, match=r"the range of column 'a'"):
        DistanceLinkage()(Record(table, 0), table)


def test_rounding_does_not_split_ties():
    # 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in floats
    original = Table.of({"a": [0.1, 0.3, 9.0], "b": [0.2, 0.2, 9.0], "c": [0.3, 0.1, 9.0]})
    release = Table.of({"a": [0.0], "b": [0.0], "c": [0.0]})
    assert (0.1 + 0.2) + 0.3 != (0.3 + 0.2) + 0.1
    assert linked(DistanceLinkage(scale=None), Record(release, 0), original) == {0, 1}


def test_far_away_numbers_lose_nothing_in_the_tree():
    # scaled, these differ only in the last bits of large numbers
    original = Table.of({"a": [1e15, 1e15 + 1, 1e15 + 2, 1e15 + 9]})
    release = Table.of({"a": [1e15 + 1, 1e15 + 5]})
    r = DistanceLinkage()
    assert [linked(r, y, original) for y in records_of(release)] == [{1}, {2}]
    two = DistanceLinkage(take="k-nearest", k=2)
    assert [linked(two, y, original) for y in records_of(release)] == [{0, 1, 2}, {1, 2, 3}]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_near_numbers_far_from_zero_lose_nothing_beside_small_ones(k):
    # scaled by the range, neighbors differ by a few of the last bits of a float
    original = [{"a": float(x)} for x in [0, *(10**15 + x for x in (0, 1, 2, 3, 5, 7, 10, 13))]]
    release = [{"a": float(x)} for x in [0, *(10**15 + x / 2 for x in range(1, 27))]]
    rows = DistanceLinkage(take="k-nearest", k=k).rows(as_table(release), as_table(original))
    assert [row.values for row in rows] == [oracle.nearest(y, original, release, "range", k) for y in release]


@ignoring_notices
@settings(max_examples=40)
@given(data=st.data())
def test_the_tree_and_the_plain_search_agree(data):
    number = st.floats(-1e6, 1e6) | st.integers(-5, 5)
    original, release = data.draw(sides(number, number))
    k = data.draw(st.integers(1, len(original)))
    known, published = as_table(original), as_table(release)
    method = DistanceLinkage(take="k-nearest", k=k, scale=None)
    expected = [row.linked.tolist() for row in method.rows(published, known)]
    same = {"z": ["same"]}
    others = [t.with_columns({"z": Table.of({"z": same["z"] * t.n})["z"]}) for t in (published, known)]
    assert [row.linked.tolist() for row in method.rows(*others)] == expected


def test_missing_is_a_value_of_its_own():
    original = Table.of({"a": [0, 100, None], "b": ["x", None, "x"]})
    release = Table.of({"a": [None, 90], "b": ["x", None]})
    assert [linked(DistanceLinkage(), y, original) for y in records_of(release)] == [{2}, {1}]
    empty = Table.of({"a": [None, None], "b": [None, None]})
    assert [linked(DistanceLinkage(), y, original) for y in records_of(empty)] == [{1, 2}, {1, 2}]


def test_a_constant_column_is_compared_by_equal_values():
    original = Table.of({"a": [5, 5, 5], "b": [1, 2, 3]})
    release = Table.of({"a": [5, 900], "b": [3, 3]})
    assert [linked(DistanceLinkage(), y, original) for y in records_of(release)] == [{2}, {2}]
    assert linked(DistanceLinkage(("a",)), Record(release, 1), original) == {0, 1, 2}


def test_a_column_that_is_numeric_on_one_side_gives_a_notice():
    original, release = Table.of({"a": [30, 41]}), Table.of({"a": ["30-39"]})
    with pytest.warns(Notice, match="'a'"):
        assert linked(DistanceLinkage(), Record(release, 0), original) == {0, 1}


# exact match, and candidates of any knowledge


@settings(max_examples=80)
@given(drawn=sides(THING, WHOLE))
def test_exact_match_is_its_definition(drawn):
    original, release = drawn
    assert ask(ExactMatch(), original, release) == [oracle.exact_match(y, original, "ab") for y in release]
    assert ask(ExactMatch("b"), original, release) == [oracle.exact_match(y, original, "b") for y in release]


def holders(published, original, adversary, mapping=None):
    """Inverted: for each published vertex the individuals that have it as a candidate."""
    risk = shoal.assess(published, adversary, original=original, mapping=mapping)
    sets = [risk.candidates(name) for name in original.names]
    return [{v for v, held in enumerate(sets) if name in held} for name in published.names]


KINDS = [
    *(knows.spec for knows in DEFAULT_KNOWLEDGE),
    "hubs:2:2:open",
    "relations:2",
    "shared-neighbors:1",
    "degree+columns:club",
    "neighbors:1+columns:club",
]


@pytest.mark.parametrize("spec", KINDS)
def test_uniform_over_the_candidates_of_any_knowledge(spec, monkeypatch):
    g = nx.Graph(nx.karate_club_graph().edges)
    g.add_nodes_from(sorted(g))
    changed = g.copy()
    changed.remove_edges_from([(0, 1), (2, 3), (32, 33), (5, 16)])
    clubs = {"club": [f"club {v % 3}" for v in g]}
    original, published = (shoal.as_graph(h, attributes=clubs) for h in (g, changed))
    method = UniformOver(spec)
    expected = [held or set(range(34)) for held in holders(published, original, spec)]
    rows = list(method.rows(published, original))
    assert [set(row.linked.tolist()) for row in rows] == expected
    assert all(sum(row.values) == 1 for row in rows)
    monkeypatch.setattr(uniform, "AT_ONCE", 40)
    assert [row.linked.tolist() for row in method.rows(published, original)] == [r.linked.tolist() for r in rows]
    assert confusion(method, published, original, Fraction(1, 34)) == min(map(len, expected))


@settings(max_examples=30)
@given(g=graphs(least=2, most=6, attributed=True))
def test_candidates_by_columns_are_exact_matches(g):
    graph = shoal.as_graph(g)
    one, other = UniformOver(shoal.knowledge.Columns("a")), ExactMatch("a")
    for record in records_of(graph):
        assert list(one(record, graph)) == list(other(record, graph))
        assert record.i in linked(one, record, graph)


def test_uniform_with_a_mapping():
    path = nx.path_graph(3)
    renamed = nx.relabel_nodes(path, {0: "x", 1: "y", 2: "z"})
    method = UniformOver("degree", mapping={0: "x", 1: "y", 2: "z"})
    assert [set(row.linked.tolist()) for row in method.rows(renamed, path)] == [{0, 2}, {1}, {0, 2}]
    assert hash(method) == hash(UniformOver("degree", mapping={0: "x", 1: "y", 2: "z"}))
    with pytest.raises(BadParameter, match=r"in common"):
        list(UniformOver("degree").rows(renamed, path))


def test_a_method_that_reads_columns_reads_those_of_the_vertices():
    clubs = {"club": ["x", "x", "y", "y"], "age": [1, 2, 3, 4]}
    graph = shoal.as_graph(nx.path_graph(4), attributes=clubs)
    table = Table.of(clubs)
    for method in (ExactMatch("club"), DistanceLinkage(), ProbabilisticLinkage(), UniformOver("columns:club")):
        for one, other in ((graph, table), (table, graph), (graph, graph)):
            found = [list(method(record, other)) for record in records_of(one)]
            assert found == [list(method(record, table)) for record in records_of(table)]
    both = UniformOver("degree+columns:club")
    assert n_confusion(both, graph, graph).n == 1
    assert n_confusion([ExactMatch("club"), UniformOver("degree")], graph, graph).n == 2


def test_frames_and_mappings_are_tables():
    pandas = pytest.importorskip("pandas")
    original, release = {"age": [30, 41, 41]}, {"age": [41, 41, 30]}
    frames = pandas.DataFrame(original), pandas.DataFrame(release)
    assert confusion(ExactMatch("age"), release, original, 0.5) == confusion(ExactMatch("age"), *frames[::-1], 0.5) == 1


# Fellegi-Sunter


def drawn_pairs(seed, columns=4, pairs=4_000, share=0.2):
    """Pairs whose agreement is drawn from known m and u: comparison vectors, and how many have each."""
    rng = np.random.default_rng(seed)
    same = rng.random(pairs) < share
    m, u = rng.uniform(0.7, 0.95, columns), rng.uniform(0.05, 0.3, columns)
    agree = (rng.random((pairs, columns)) < np.where(same[:, None], m, u)).astype(int)
    counted = Counter(map(tuple, agree.tolist()))
    return agree, np.array(list(counted)), np.array(list(counted.values()))


@pytest.mark.parametrize("iterations", [1, 2, 40])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_em_over_counts_is_em_over_pairs(seed, iterations):
    agree, vectors, counts = drawn_pairs(seed, pairs=300)
    share, m, u = oracle.fellegi_sunter(agree.tolist(), 0.1, 0.9, 0.1, iterations=iterations)
    fit = fit_fellegi_sunter(vectors, counts, iterations=iterations, tolerance=0)
    assert fit.share == pytest.approx(share, abs=1e-10)
    assert fit.m[:, 1] == pytest.approx(m, abs=1e-10)
    assert fit.u[:, 1] == pytest.approx(u, abs=1e-10)
    assert fit.m.sum(axis=1) == pytest.approx(1)


def same_fit(one, other):
    return one.share == other.share and np.array_equal(one.m, other.m) and np.array_equal(one.u, other.u)


@pytest.mark.parametrize("stop", [1, 2, 5, 9])
def test_em_stops_after_the_first_step_that_changes_nothing_by_more_than_the_tolerance(stop):
    _, vectors, counts = drawn_pairs(6, pairs=300)
    steps = [fit_fellegi_sunter(vectors, counts, iterations=i, tolerance=0) for i in range(1, 14)]

    def measure_change(before, now):
        return max(float(np.abs(np.subtract(a, b)).max()) for a, b in zip(before, now, strict=True))

    changes = [measure_change(*pair) for pair in pairwise(steps)]
    tolerance = changes[stop]
    first = next(i for i, change in enumerate(changes) if change <= tolerance)
    assert same_fit(fit_fellegi_sunter(vectors, counts, tolerance=tolerance), steps[first + 1])
    below = np.nextafter(tolerance, 0)
    later = next(i for i, change in enumerate(changes) if change <= below)
    assert later > first
    assert same_fit(fit_fellegi_sunter(vectors, counts, tolerance=below), steps[later + 1])


def test_em_starts_with_the_rest_shared_by_the_levels_below_the_highest():
    vectors = [[0, 0, 0], [0, 1, 2], [0, 0, 1], [0, 1, 1]]
    counts = [20, 10, 5, 5]
    m = [[1, 0, 0], [0.25, 0.75, 0], [0.125, 0.125, 0.75]]
    u = [[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]
    for iterations in (1, 2):
        by_number, by_matrix = (
            fit_fellegi_sunter(vectors, counts, m=one, u=other, iterations=iterations, tolerance=0)
            for one, other in ((0.75, 0.5), (m, u))
        )
        assert same_fit(by_number, by_matrix)


def test_em_over_counts_does_not_depend_on_their_unit():
    _, vectors, counts = drawn_pairs(7, pairs=300)
    fit = fit_fellegi_sunter(vectors, counts, iterations=5, tolerance=0)
    shares = fit_fellegi_sunter(vectors, counts / (2 * counts.sum()), iterations=5, tolerance=0)
    unseen = fit_fellegi_sunter([*vectors, vectors[0]], [*counts, 0], iterations=5, tolerance=0)
    for other in (shares, unseen):
        for one, same in zip(fit, other, strict=True):
            assert same == pytest.approx(one, abs=1e-12)


def test_em_keeps_m_if_no_vector_can_be_a_match():
    m = np.array([[1.0, 0.0], [1.0, 0.0]])
    fit = fit_fellegi_sunter([[0, 1], [1, 0]], [1, 3], m=m, u=0.5)
    assert fit.share == 0
    assert fit.m.tolist() == m.tolist()
    assert fit.u.tolist() == [[0.25, 0.75], [0.75, 0.25]]


def test_em_keeps_the_share_for_a_vector_that_no_pair_can_have():
    fit = fit_fellegi_sunter([[0], [1]], [1, 3], share=0.25, m=1, u=1, iterations=1)
    assert fit.share == 0.25
    assert fit.m.tolist() == fit.u.tolist() == [[0.25, 0.75]]


@pytest.mark.parametrize("seed", [4, 5])
def test_em_agrees_with_recordlinkage(seed):
    recordlinkage = pytest.importorskip("recordlinkage")
    pandas = pytest.importorskip("pandas")
    agree, vectors, counts = drawn_pairs(seed)
    index = pandas.MultiIndex.from_arrays([range(len(agree)), range(len(agree))])
    # without atol it takes exactly so many steps; with one it stops by a relative 1e-5
    peer = recordlinkage.ECMClassifier(init="jaro", max_iter=400, atol=None)
    peer.fit(pandas.DataFrame(agree, columns=list("abcd"), index=index))
    fit = fit_fellegi_sunter(vectors, counts, share=0.1, m=0.9, u=0.1, iterations=400, tolerance=0)
    assert fit.share == pytest.approx(peer.p, abs=1e-8)
    assert fit.m[:, 1] == pytest.approx([peer.m_probs[name][1] for name in "abcd"], abs=1e-8)
    assert fit.u[:, 1] == pytest.approx([peer.u_probs[name][1] for name in "abcd"], abs=1e-8)


def test_em_over_levels_finds_what_the_pairs_were_drawn_from():
    rng = np.random.default_rng(8)
    m = np.array([[0.05, 0.15, 0.8], [0.1, 0.2, 0.7], [0.1, 0.9, 0]])
    u = np.array([[0.7, 0.2, 0.1], [0.8, 0.15, 0.05], [0.85, 0.15, 0]])
    same = rng.random(60_000) < 0.3
    levels = np.column_stack(
        [np.where(same, rng.choice(3, 60_000, p=m[j]), rng.choice(3, 60_000, p=u[j])) for j in range(3)]
    )
    vectors, counts = np.unique(levels, axis=0, return_counts=True)
    fit = fit_fellegi_sunter(vectors, counts)
    assert fit.share == pytest.approx(0.3, abs=0.03)
    assert fit.m == pytest.approx(m, abs=0.05)
    assert fit.u == pytest.approx(u, abs=0.05)


@pytest.mark.filterwarnings("ignore")
def test_em_agrees_with_splink():
    splink = pytest.importorskip("splink")
    pytest.importorskip("duckdb")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(9)
    base = pandas.DataFrame({name: rng.integers(0, 6, 150).astype(str) for name in "abcd"})
    noisy = base.copy()
    for name in "abcd":
        wrong = rng.random(150) < 0.15
        noisy.loc[wrong, name] = rng.integers(0, 6, wrong.sum()).astype(str)
    original, release = (
        Table.of({c: base[c].tolist() for c in "abcd"}),
        Table.of({c: noisy[c].tolist() for c in "abcd"}),
    )
    agree = np.array([[base[c][i] == noisy[c][j] for c in "abcd"] for i, j in product(range(150), repeat=2)]).astype(
        int
    )
    share, m, u = peer_splink(splink, base, noisy)
    vectors, counts = np.unique(agree, axis=0, return_counts=True)
    fit = fit_fellegi_sunter(vectors, counts, share=1 / 150, m=0.9, u=0.1, iterations=5_000, tolerance=1e-10)
    assert fit.share == pytest.approx(share, abs=1e-4)
    assert fit.m[:, 1] == pytest.approx(m, abs=1e-4)
    assert fit.u[:, 1] == pytest.approx(u, abs=1e-4)
    assert ProbabilisticLinkage().fit(release, original).share == pytest.approx(fit.share, abs=1e-5)


def peer_splink(splink, base, noisy):
    """The share, m and u that splink's expectation-maximization gives from the same pairs and the same start."""
    library = pytest.importorskip("splink.comparison_library")
    database = pytest.importorskip("splink.internals.duckdb.database_api").DuckDBAPI()
    levels = {"m_probabilities": [0.9, 0.1], "u_probabilities": [0.1, 0.9]}
    settings = splink.SettingsCreator(
        link_type="link_only",
        comparisons=[library.ExactMatch(c).configure(**levels) for c in "abcd"],
        probability_two_random_records_match=1 / 150,
        em_convergence=1e-8,
        max_iterations=5_000,
    )
    frames = [database.register(frame.assign(unique_id=range(150))) for frame in (base, noisy)]
    training = splink.Linker(frames, settings, log_level=50).training
    session = training.estimate_parameters_using_expectation_maximisation("1=1", fix_u_probabilities=False)
    model = session.core_model_settings
    agree = [next(x for x in c.comparison_levels if "Exact" in x.label_for_charts) for c in model.comparisons]
    share = model.probability_two_random_records_match
    return share, [x.m_probability for x in agree], [x.u_probability for x in agree]


def likelihood_ratios(original, release, fit, columns):
    """r(y, a)[i] for binary agreement of texts: the product of m/u, normalized over i."""
    rows = []
    for y in release:
        ratios = []
        for person in original:
            ratio = 1.0
            for j, c in enumerate(columns):
                level = int(oracle.same(y[c], person[c]))
                ratio *= fit.m[j, level] / fit.u[j, level]
            ratios.append(ratio)
        rows.append([x / sum(ratios) for x in ratios])
    return rows


@pytest.mark.slow
def test_probabilistic_linkage_normalizes_likelihood_ratios(monkeypatch):
    rng = np.random.default_rng(2)
    original = [{c: str(rng.integers(0, 4)) for c in "abc"} for _ in range(30)]
    release = [{c: v if rng.random() < 0.8 else "?" for c, v in row.items()} for row in original]
    method = ProbabilisticLinkage()
    fit = method.fit(as_table(release), as_table(original))
    found = ask(method, original, release)
    assert np.array(found) == pytest.approx(np.array(likelihood_ratios(original, release, fit, "abc")), abs=1e-9)
    everybody = [list(row.values) for row in method.rows(as_table(release), as_table(original))]
    monkeypatch.setattr("shoal.linkage.columns.CELLS", 100)
    assert found == everybody == [list(row.values) for row in method.rows(as_table(release), as_table(original))]
    right = np.mean([np.argmax(row) == j for j, row in enumerate(found)])
    assert right > 0.3
    vectors = [tuple(int(oracle.same(y[c], x[c])) for c in "abc") for y in release for x in original]
    counted = Counter(vectors)
    n = len(original)
    overall = np.array([[sum(v[j] == level for v in vectors) for level in (0, 1)] for j in range(3)]) / n**2
    again = fit_fellegi_sunter(list(counted), list(counted.values()), share=1 / (n + 1), u=overall)
    assert again.m == pytest.approx(fit.m, abs=1e-9)
    assert again.share == pytest.approx(fit.share, abs=1e-9)


@pytest.mark.parametrize("iterations", [1, 3, 50])
def test_the_linkage_estimates_from_all_pairs_with_its_own_iterations(iterations):
    rng = np.random.default_rng(3)
    original = [{c: str(rng.integers(0, 3)) for c in "ab"} for _ in range(8)]
    release = original[:5]
    vectors = [tuple(int(oracle.same(y[c], x[c])) for c in "ab") for y in release for x in original]
    counted = Counter(vectors)
    overall = [[np.mean([v[j] == level for v in vectors]) for level in (0, 1)] for j in range(2)]
    expected = fit_fellegi_sunter(
        list(counted), list(counted.values()), share=1 / 9, u=overall, iterations=iterations, tolerance=0
    )
    fit = ProbabilisticLinkage(iterations=iterations, tolerance=0).fit(as_table(release), as_table(original))
    assert fit.share == pytest.approx(expected.share, abs=1e-12)
    assert fit.m == pytest.approx(expected.m, abs=1e-12)
    assert fit.u == pytest.approx(expected.u, abs=1e-12)


@pytest.mark.parametrize(
    ("given", "full"),
    [
        ({}, {"a": 0.05, "b": 0.05}),
        ({"a": 0.3}, {"a": 0.3, "b": 0.05}),
        ({"b": (0.1, 0.5)}, {"a": 0.05, "b": (0.1, 0.5)}),
    ],
)
def test_a_column_that_agree_does_not_name_agrees_within_a_twentieth_of_its_range(given, full):
    rng = np.random.default_rng(9)
    table = Table.of({name: rng.integers(0, 100, 20).tolist() for name in "ab"})
    rows = [[list(row.values) for row in ProbabilisticLinkage(agree=one).rows(table, table)] for one in (given, full)]
    assert rows[0] == rows[1]
    if not given:
        assert rows[0] == [list(row.values) for row in ProbabilisticLinkage().rows(table, table)]


def test_of_numbers_that_must_be_equal_the_digits_do_not_matter():
    rng = np.random.default_rng(12)
    numbers = {name: rng.integers(0, 5, 15).tolist() for name in "ab"}
    words = {name: list(map(str, column)) for name, column in numbers.items()}
    rows = [
        np.array([row.values for row in ProbabilisticLinkage(agree=0).rows(one, one)])
        for one in map(Table.of, (numbers, words))
    ]
    assert rows[0] == pytest.approx(rows[1], abs=1e-9)


def test_a_record_that_agrees_with_nobody_among_certain_ones_shares_evenly():
    names = "abcdef"
    original = Table.of({c: [f"{c}{i}" for i in range(20)] for c in names})
    release = Table.of({c: [f"{c}{i}" for i in range(19)] + ["nobody"] for c in names})
    rows = [list(row.values) for row in ProbabilisticLinkage().rows(release, original)]
    assert rows[0] == [1.0] + [0.0] * 19
    assert rows[19] == pytest.approx([1 / 20] * 20)


def test_numbers_agree_by_levels_of_nearness():
    original = Table.of({"age": [0, 10, 50, 100, None]})
    release = Table.of({"age": [10, 14, None]})
    pairs = ProbabilisticLinkage(agree=(0.05, 0.4))._compare(shoal_data(release), shoal_data(original), np.arange(3))
    levels = [pairs.levels(codes)[:, 0].tolist() for codes in pairs.each(np.arange(pairs.size, dtype=np.int32))]
    by_value = [dict(zip(pairs.both.original.numbers[:, 0].tolist(), row, strict=True)) for row in levels]
    assert [by_value[0][float(x)] for x in (0, 10, 50, 100)] == [1, 2, 1, 0]
    assert [by_value[1][float(x)] for x in (0, 10, 50, 100)] == [1, 2, 1, 0]
    assert [row.tolist() for row in map(np.sort, levels)] == [[0, 0, 1, 1, 2], [0, 0, 1, 1, 2], [0, 0, 0, 0, 2]]


def shoal_data(table):
    return records_of(table)[0].data


def test_certain_and_impossible_vectors():
    fit = FellegiSunter(0.5, np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    assert compute_log_ratio(fit, np.array([[1, 0], [0, 0], [0, 1]])).tolist() == [np.inf, -np.inf, -np.inf]
    twins = Table.of({"a": ["x", "x"], "b": ["y", "y"]})
    assert list(ProbabilisticLinkage()(Record(twins, 0), twins)) == [0.5, 0.5]
    alone = Table.of({"a": ["x"], "b": [4]})
    assert list(ProbabilisticLinkage()(Record(alone, 0), alone)) == [1.0]


def test_fellegi_sunter_refuses_invalid_vectors():
    for vectors, counts, message in (
        ([[0.5]], [1], "'vectors' must be a matrix of whole numbers"),
        ([0, 1], [1, 1], "'vectors' must be a matrix of whole numbers"),
        ([[0], [-1]], [1, 1], "'vectors' must be a matrix of whole numbers"),
        ([[0], [1]], [1], "'counts' must be one number of pairs for each of the 2 vectors"),
        ([[0], [1]], [0, 0], "'counts' must be one number of pairs"),
        ([[0], [1]], [1, float("nan")], "'counts' must be one number of pairs"),
        ([[0], [1]], [1, "x"], "'counts' must be one number of pairs"),
        ([[0], [1, 0]], [1, 1], "'vectors' must be a matrix of whole numbers"),
    ):
        with pytest.raises(BadParameter, match=message):
            fit_fellegi_sunter(vectors, counts)
    wide = Table.of({f"c{i}": ["x", "y"] for i in range(21)})
    with pytest.raises(BadParameter, match=r"'columns'.*20.*21"):
        ProbabilisticLinkage()(Record(wide, 0), wide)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *(({"share": share}, r"'share' must be between 0 and 1") for share in (0, 1, "x", float("nan"))),
        *(({"tolerance": most}, r"'tolerance' must be 0 or more") for most in (-1e-9, "x", float("nan"))),
        *(({"iterations": steps}, r"'iterations' must be a whole number") for steps in (0, 2.5)),
        *(
            ({name: start}, r"'m and u' must be 1 x 2")
            for name in ("m", "u")
            for start in (-0.1, 1.5, "x", None, float("nan"), np.ones((2, 2)), [0.5, 0.5], [[2, 0.5]], [[-1, 0.5]])
        ),
    ],
)
def test_fellegi_sunter_refuses_invalid_start_values(given, message):
    with pytest.raises(BadParameter, match=rf"^fit_fellegi_sunter: {message}"):
        fit_fellegi_sunter([[0], [1]], [1, 1], **given)


# Bayes


@settings(max_examples=60)
@given(data=st.data())
def test_the_posterior_is_bayes_rule(data):
    n = data.draw(st.integers(1, 5))
    weights = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    prior = data.draw(weights.filter(any))
    prior = tuple(Fraction(p, sum(prior)) for p in prior)
    likely = [Fraction(x, 3) for x in data.draw(weights)]
    joint = [p * q for p, q in zip(prior, likely, strict=True)]
    expected = [x / sum(joint) for x in joint] if sum(joint) else [Fraction(1, n)] * n
    assert list(Bayesian(lambda y, i, a: likely[i], prior)("y", "a")) == expected
    assert list(Bayesian(lambda y, i, a: likely[i], prior)("y", None)) == list(prior)
    inexact = [
        Bayesian(lambda y, i, a: float(likely[i]), prior)("y", "a"),
        Bayesian(lambda y, i, a: likely[i], tuple(map(float, prior)))("y", "a"),
    ]
    for found in inexact:
        assert found == pytest.approx([float(x) for x in expected])
        assert not any(isinstance(p, Fraction) for p in found)


@pytest.mark.parametrize("build", [list, np.array, iter])
def test_a_prior_may_be_any_sequence(build):
    def likelihood(y, i, a):
        return 1 if i else 3

    prior = (0.25, 0.25, 0.5)
    method = Bayesian(likelihood, build(prior))
    assert method == Bayesian(likelihood, prior)
    assert hash(method) == hash(Bayesian(likelihood, prior))
    assert method("y", "a") == pytest.approx([1 / 2, 1 / 6, 1 / 3])


def test_a_secret_permutation_leaves_a_third_each():
    # E29: three points per cluster; who got which is drawn evenly, or given by the order
    def secret(y, i, a):
        return Fraction(1, 3) if y[0] == i // 3 else 0

    def by_rule(y, i, a):
        return int(y == (i // 3, i % 3))

    people = range(30)
    records = [(i // 3, i % 3) for i in people]
    assert n_confusion(Bayesian(secret), records, [people]).n == 3
    assert n_confusion(Bayesian(secret), records, [people]).t == Fraction(1, 3)
    assert all(list(Bayesian(by_rule)(records[i], people)).index(1) == i for i in people)


def test_bayes_needs_the_number_of_individuals():
    table = Table.of({"age": [30, 41]})
    even = Bayesian(lambda y, i, a: 1)
    assert list(even("y", table)) == [Fraction(1, 2)] * 2
    assert list(even(Record(table, 0), None)) == [Fraction(1, 2)] * 2
    with pytest.raises(BadParameter, match=r"'prior' must be given"):
        even("y", None)
    with pytest.raises(BadParameter, match=r"likelihood.*-1"):
        Bayesian(lambda y, i, a: -1)("y", [1, 2])
    with pytest.raises(BadParameter, match=r"'prior' must be a distribution"):
        Bayesian(lambda y, i, a: 1, (0.5, 0.6))
    with pytest.raises(BadParameter, match=r"'likelihood' must be a function"):
        Bayesian(0.5)


# what all share


@every_method
def test_repr_is_the_call_that_builds_it(method):
    names = {kind.__name__: kind for kind in (UniformOver, ExactMatch, DistanceLinkage, ProbabilisticLinkage)}
    assert eval(repr(method), {**names, "Columns": shoal.knowledge.Columns}) == method
    assert isinstance(method, Reidentifies)
    assert hash(method) == hash(eval(repr(method), {**names, "Columns": shoal.knowledge.Columns}))


@pytest.mark.slow
@every_method
@settings(max_examples=25)
@given(data=st.data())
def test_every_answer_is_a_distribution_and_equal_records_get_equal_ones(method, data):
    """Each side has a number in the column "a", for a method that takes it for a column of numbers."""
    original, release = data.draw(
        sides(WHOLE, WHOLE).filter(
            lambda both: len(both[0]) >= 3 and all(any(row["a"] is not None for row in side) for side in both)
        )
    )
    release = [*release, release[0]]
    published, known = as_table(release), as_table(original)
    if isinstance(method, UniformOver):  # who is not published is told once more each time
        known = known.take(np.arange(min(known.n, published.n)))
    rows = [row.values for row in method.rows(published, known)]
    assert len(rows) == published.n
    assert all(len(row) == known.n and min(row) >= 0 for row in rows)
    assert all(abs(sum(row) - 1) < 1e-9 for row in rows)
    assert list(rows[0]) == list(rows[-1])
    assert [list(method(y, known)) for y in records_of(published)] == [list(row) for row in rows]
    assert list(method(Record(published, 0), None)) == [Fraction(1, published.n)] * published.n


@every_method
def test_blocks_change_nothing(method, monkeypatch):
    rng = np.random.default_rng(4)
    table = Table.of({"a": rng.integers(0, 9, 50).tolist(), "b": rng.normal(size=50).tolist()})
    release = table.take(rng.permutation(50))
    before = [list(row.values) for row in method.rows(release, table)]
    monkeypatch.setattr("shoal.linkage.columns.CELLS", 120)
    assert [list(row.values) for row in method.rows(release, table)] == before
    some = np.array([7, 3, 3])
    assert [list(row.values) for row in method.rows(release, table, some)] == [before[i] for i in (7, 3, 3)]


@every_method
def test_pieces_of_the_work_may_end_in_any_order(method, monkeypatch):
    rng = np.random.default_rng(6)
    table = Table.of({"a": rng.normal(size=20).tolist(), "b": rng.integers(0, 9, 20).tolist(), "c": ["x", "y"] * 10})
    release = table.take(rng.permutation(20))
    before = [list(row.values) for row in method.rows(release, table)]

    def run_backwards(loop, total, what, piece=None):
        for first in reversed(range(0, total, 3)):
            loop(first, min(first + 3, total))

    for module in ("columns", "fellegi_sunter"):
        monkeypatch.setattr(f"shoal.linkage.{module}.run_in_pieces", run_backwards)
    assert [list(row.values) for row in method.rows(release, table)] == before


WRONG_WORDS = {
    "uniform": "uniform:KNOWLEDGE",
    "exact:age": "exact",
    "distance:2": "distance",
    "nearest:3:4": "nearest:K",
    "softmax:1:2": "softmax:T",
    "probabilistic:age": "probabilistic",
}


@pytest.mark.parametrize("spec", WRONG_WORDS)
def test_a_shell_name_with_too_many_or_too_few_words_is_told_its_form(spec):
    assert tuple(WRONG_WORDS.values()) == FORMS
    with pytest.raises(BadParameter, match=rf"must be spelled {WRONG_WORDS[spec]}[.,] "):
        parse_linkage(spec)


def test_a_method_of_ones_own_gets_a_shell_name(monkeypatch):
    class Nobody(Linkage):
        shell = form = "nobody"

        def link(self, release, original, which):
            return (share_evenly(original.n) for _ in which)

    monkeypatch.setitem(REGISTRY, "nobody", Nobody)
    table = Table.of({"age": [30, 41]})
    assert list(parse_linkage("nobody")(Record(table, 0), table)) == [Fraction(1, 2)] * 2
    with pytest.raises(BadParameter, match=r"'nobody' must be spelled nobody\."):
        parse_linkage("nobody:1")


def test_every_shell_name_is_read():
    assert [form.split(":")[0] for form in FORMS] == list(REGISTRY)
    assert all(REGISTRY[kind.shell] is kind for kind in REGISTRY.values())
    assert parse_linkage("nearest") == DistanceLinkage(take="k-nearest", k=1)
    assert parse_linkage("softmax") == DistanceLinkage(take="softmax", temperature=1.0)
    assert {type(parse_linkage(spec)) for spec in ("uniform:degree", "exact", "distance", "probabilistic")} == set(
        REGISTRY.values()
    )
    assert parse_linkage("uniform:degree+columns:a") == UniformOver(
        shoal.knowledge.Degree() & shoal.knowledge.Columns("a")
    )
    assert parse_linkage(" nearest:3", ["a"]) == DistanceLinkage(("a",), take="k-nearest", k=3)
    assert parse_linkage("softmax:0.5") == DistanceLinkage(take="softmax", temperature=0.5)
    assert parse_linkage("distance", ("a",)) == DistanceLinkage(("a",))
    assert parse_linkage("exact", ("a", "b")) == ExactMatch("a", "b")
    assert parse_linkage("probabilistic", ("a",)) == ProbabilisticLinkage(("a",))
    assert parse_linkage(ExactMatch()) == ExactMatch()
    assert all(issubclass(kind, Linkage) for kind in REGISTRY.values())
    for spec, message in {
        "nearst:3": "There is no re-identification method 'nearst'.*Did you mean 'nearest'",
        "nearest:x": "'nearest' must be spelled nearest:K. Got 'x'",
        "nearest:0": "'k' must be a whole number of 1 or more",
        "softmax:cold": "'softmax' must be spelled softmax:T",
        "softmax:0": "'temperature' must be a number above 0",
        "uniform": "'uniform' must be spelled uniform:KNOWLEDGE",
        "uniform:degre": "no kind of knowledge 'degre'",
        "exact:age": "'exact' must be spelled exact",
        7: "must be a Linkage or its shell name",
    }.items():
        with pytest.raises(BadParameter, match=message):
            parse_linkage(spec)
    with pytest.raises(BadParameter, match=r"Got columns a"):
        parse_linkage("uniform:degree", ["a"])


@pytest.mark.parametrize("kind", [DistanceLinkage, ProbabilisticLinkage])
def test_columns_may_be_any_sequence(kind):
    assert kind(["a", "b"]) == kind(("a", "b"))
    assert hash(kind(["a", "b"])) == hash(kind(("a", "b")))


def test_invalid_parameters_are_refused():
    for build, message in (
        (lambda: DistanceLinkage("age"), "'columns' must be a list of different names"),
        (lambda: DistanceLinkage(("a", "a")), "'columns' must be a list of different names"),
        (lambda: ExactMatch("a", 3), "'columns' must be a list of different names"),
        (lambda: DistanceLinkage(take="farthest"), "'take' must be one of nearest, k-nearest, softmax"),
        (lambda: DistanceLinkage(k=3), "'k' must be used with take='k-nearest'"),
        (lambda: DistanceLinkage(take="softmax", temperature=float("nan")), "'temperature' must be a number above 0"),
        (lambda: DistanceLinkage(scale="median"), "'scale' must be 'range', 'deviation' or None"),
        (lambda: ProbabilisticLinkage(agree=-1), "'agree' must be a share of the range"),
        (lambda: ProbabilisticLinkage(agree=()), "'agree' must be a share of the range"),
        (lambda: ProbabilisticLinkage(agree={"a": "near"}), "'agree' must be a share of the range"),
        (lambda: ProbabilisticLinkage(iterations=0), "'iterations' must be a whole number"),
        (lambda: ProbabilisticLinkage(tolerance=float("inf")), "'tolerance' must be 0 or more"),
        (lambda: UniformOver("degre"), "no kind of knowledge 'degre'"),
    ):
        with pytest.raises(BadParameter, match=message):
            build()


def test_data_that_cannot_be_compared():
    original, release = Table.of({"age": [30, 41]}), Table.of({"size": [1, 2]})
    for method in (ExactMatch(), DistanceLinkage(), ProbabilisticLinkage()):
        with pytest.raises(BadParameter, match=rf"^{type(method).__name__}: .*in common.*size.*age"):
            method(Record(release, 0), original)
    with pytest.raises(UnknownColumn, match=r"Did you mean 'age'"):
        ExactMatch("agee")(Record(original, 0), original)
    with pytest.raises(BadParameter, match=r"'k'.*individuals, 2.*3"):
        DistanceLinkage(take="k-nearest", k=3)(Record(original, 0), original)
    with pytest.raises(BadParameter, match=r"'y'.*0"):
        ExactMatch()(0, original)
    with pytest.raises(BadParameter, match=r"'i'.*records, 2.*2"):
        Record(original, 2)
    with pytest.raises(BadParameter, match=r"'i'.*0"):
        Record(original, -1)
    with pytest.raises(BadParameter, match=r"'agree'.*'size'"):
        ProbabilisticLinkage(agree={"size": 0.1})(Record(original, 0), original)
    wide = Table.of({"a": [-1.7e308, 1.7e308]})
    with pytest.raises(BadParameter, match="'a'"):
        DistanceLinkage()(Record(wide, 0), wide)
    large = Table.of({"a": [2**53 + 1, 1]})
    with pytest.raises(BadParameter, match=r"beyond 2"):
        DistanceLinkage()(Record(large, 0), large)


def test_differences_of_whole_numbers_are_exact_where_they_need_more_bits_than_a_float_has():
    """The three distances are 2**54 - 5, - 4 and - 3, which are one float."""
    original = Table.of({"a": [4 - 2**53, 3 - 2**53, 2 - 2**53]})
    release = Table.of({"a": [2**53 - 1]})
    assert list(DistanceLinkage(scale=None)(Record(release, 0), original)) == [1, 0, 0]


def test_records_are_equal_by_their_entries():
    table = Table.of({"a": [1, 1.0, True, None, None], "b": ["x", "x", "x", "x", "x"]})
    records = records_of(table)
    assert records[0] == records[1] != records[2]
    assert records[3] == records[4] != records[0]
    assert len(set(records)) == 3
    assert records[0] != 7
    assert repr(records[1]) == "Record(Table(5 rows; columns: a, b), 1)"
    assert Record({"a": [1, 2], "b": ["x", "x"]}, 0) == records[0]
    square = shoal.as_graph(nx.cycle_graph(4))
    corners = records_of(square)
    assert corners[0] == corners[2] != corners[1]
    double = shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (2, 1)]), multigraph=True)
    assert records_of(double)[0] != records_of(double)[2]


def test_records_differ_by_the_direction_and_kind_of_their_links():
    def compare(i, j, **form):
        graph = shoal.Graph.from_pairs("abcd", [0, 1, 2], [3, 3, 3], **form)
        return Record(graph, i) == Record(graph, j)

    assert compare(0, 1, directed=True)
    assert not compare(0, 1, directed=[True, False, True])
    assert compare(0, 2, directed=[True, False, True])
    assert not compare(0, 1, kinds=["x", "y", "x"])
    assert compare(0, 2, kinds=["x", "y", "x"])
