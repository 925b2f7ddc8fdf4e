"""Confuse: equal rows, then the table inside each class; n-confusion with n = k is checked by counting."""

import warnings
from itertools import permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import graphs
from shoal.errors import BadParameter, CannotPromise, Notice
from shoal.methods.base import ATTRIBUTES_STAY

pytestmark = pytest.mark.filterwarnings("ignore:EqualizeRows:shoal.errors.Notice")


@st.composite
def networks(draw, least=2, most=7):
    g = draw(graphs(least=least, most=most))
    for v in g:
        g.nodes[v]["age"] = draw(st.integers(20, 23))
        g.nodes[v]["sex"] = draw(st.sampled_from(["f", "m", None]))
    return g


@pytest.mark.slow
@settings(max_examples=120)
@given(g=graphs(most=7), data=st.data())
def test_equal_rows_by_the_oracle(g, data):
    k = data.draw(st.integers(1, len(g)))
    release = shoal.methods.EqualizeRows(k)(g)
    assert min(oracle.size(oracle.adjacency(release.data.to_networkx())).values()) >= k
    assert sorted(v for members in release.classes for v in members) == sorted(g)
    assert all(len(members) >= k for members in release.classes)
    assert release.original == shoal.as_graph(g)


def test_blocks_follow_the_strict_majority():
    """Two of four edges between two pairs are removed: no majority (E6). With three of four, the fourth is added."""
    from shoal.optimize.class_partition import fill_blocks

    codes = np.array([0, 0, 1, 1])
    tie = shoal.as_graph(nx.Graph([(0, 2), (1, 3)]))
    order = [tie.names.id(v) for v in (0, 1, 2, 3)]
    placed = np.empty(4, dtype=np.int64)
    placed[order] = codes
    assert fill_blocks(tie, placed).m == 0
    three = shoal.as_graph(nx.Graph([(0, 2), (0, 3), (1, 2)]))
    placed[[three.names.id(v) for v in (0, 1, 2, 3)]] = codes
    assert fill_blocks(three, placed).m == 4


def test_a_class_of_adjacent_vertices_loses_its_inner_edges():
    """K3 in one class: as printed, Algorithm 1 makes loops, or leaves rows unequal (E5)."""
    with pytest.warns(Notice, match="from 3 to 0"):
        release = shoal.methods.EqualizeRows(k=3)(nx.complete_graph(3))
    assert release.data.m == 0


def test_twins_do_not_change():
    release = shoal.methods.EqualizeRows(k=3)(nx.complete_bipartite_graph(3, 4))
    assert release.edits.ratio == 0


@pytest.mark.slow
@settings(max_examples=80)
@given(g=networks(), data=st.data())
def test_members_of_a_class_are_alike_in_links_and_columns(g, data):
    k = data.draw(st.integers(1, len(g)))
    release = shoal.methods.Confuse(k=k, seed=3)(g)
    both = shoal.knowledge.Adjacency() & shoal.knowledge.Columns("age", "sex")
    assert shoal.assess(release, both).k >= k
    assert shoal.as_graph(g) == release.original


@pytest.mark.slow
@settings(max_examples=60)
@given(g=networks(least=4), how=st.sampled_from(["swap-within", "perpendicular", "distort"]), data=st.data())
def test_other_methods_inside_a_class(g, how, data):
    k = data.draw(st.integers(2, len(g)))
    if how == "perpendicular":
        for v in g:
            g.nodes[v]["sex"] = v % 2
    try:
        release = shoal.methods.Confuse(k=k, attributes=how, seed=3)(g)
    except CannotPromise:
        assume(False)
    promise = release.promises[1]
    assert (promise.n, promise.columns) == (k, ("age", "sex"))
    assert [more.of for more in release.promises[2:]] in ([], ["entries"])
    assert promise.t * max(map(len, release.classes)) == 1
    assert shoal.assess(release, shoal.knowledge.Adjacency()).k >= k
    if how == "swap-within":
        for members in release.classes:
            for name in ("age", "sex"):
                before = sorted(repr(g.nodes[v][name]) for v in members)
                assert before == sorted(repr(release.table[name][release.data.names.id(v)]) for v in members)


def test_all_assignments_are_equally_likely_so_confusion_is_k():
    """Two pairs of twins whose ages are swapped: every assignment inside the pairs is drawn."""
    g = nx.cycle_graph(4)
    nx.set_node_attributes(g, {0: 20, 2: 40, 1: 30, 3: 50}, "age")
    method = shoal.methods.SwapWithin(allow_unique=True)
    seen = {tuple(shoal.methods.Confuse(k=2, attributes=method, seed=seed)(g).table["age"]) for seed in range(40)}
    assert seen == {(a, b, c, d) for a, c in permutations((20, 40)) for b, d in permutations((30, 50))}


def test_the_strongest_linkage_is_right_for_one_in_k_at_most():
    rng = np.random.default_rng(1)
    g = nx.complete_bipartite_graph(6, 6)
    nx.set_node_attributes(g, {v: int(age) for v, age in enumerate(rng.integers(20, 60, 12))}, "age")
    release = shoal.methods.Confuse(k=3, seed=1)(g)
    (told,) = [note for note in release.notes if note.startswith("The strongest linkage attack tried is ")]
    assert 0 <= float(told.split(" links ")[1].split(" %")[0]) <= 33.4


def test_invalid_parameters_are_refused():
    g = nx.cycle_graph(4)
    with pytest.raises(BadParameter, match="must have attributes"):
        shoal.methods.Confuse(k=2)(g)
    nx.set_node_attributes(g, {0: 20, 2: 40, 1: 30, 3: 50}, "age")
    nx.set_node_attributes(g, "f", "sex")
    with pytest.raises(BadParameter, match="Not protected: sex"):
        shoal.methods.Confuse(k=2, attributes=shoal.methods.Microaggregate(2, columns="age"))(g)
    with pytest.raises(BadParameter, match="Not protected: sex"):
        shoal.methods.Confuse(k=2, attributes=shoal.methods.SwapWithin("sex"))(g)
    with pytest.raises(BadParameter, match="vertices, 4"):
        shoal.methods.Confuse(k=5)(g)
    with pytest.raises(BadParameter, match="'attributes'"):
        shoal.methods.Confuse(k=2, attributes="mondrian")
    with pytest.raises(BadParameter, match="classes of at least 2"):
        shoal.methods.Confuse(k=2, structure=shoal.methods.EqualizeRows(1))(with_age(nx.path_graph(4)))


def with_age(g):
    nx.set_node_attributes(g, 30, "age")
    return g


def test_repr_can_be_evaluated():
    for method in (
        shoal.methods.EqualizeRows(3, seed=4),
        shoal.methods.Confuse(3, attributes="distort", seed=7),
        shoal.methods.Confuse(2),
    ):
        assert eval(repr(method), vars(shoal.methods)) == method


def test_no_note_says_that_attributes_do_not_change():
    release = shoal.methods.Confuse(k=2, seed=1)(with_age(nx.cycle_graph(4)))
    assert ATTRIBUTES_STAY not in release.notes


@pytest.mark.parametrize("kinds", [None, ["call", "mail"] * 20])
def test_links_with_direction_and_kind(kinds):
    rng = np.random.default_rng(4)
    a, b = rng.permuted(np.array([(i, j) for i in range(12) for j in range(12) if i != j]), axis=0)[:40].T
    ages = shoal.as_table({"age": [30, 30, 41, 41] * 3})
    apart = a != b
    labels = None if kinds is None else [kind for kind, kept in zip(kinds, apart, strict=True) if kept]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        graph = shoal.Graph.from_pairs(range(12), a[apart], b[apart], directed=True, kinds=labels, attributes=ages)
        release, again = (shoal.methods.Confuse(k=3, seed=7)(graph) for _ in range(2))
    assert release.data == again.data
    assert release.data.directed
    assert shoal.assess(release, "adjacency").k >= 3
    assert {promise.k for promise in release.promises if hasattr(promise, "knowledge")} == {3}
    assert any("linkage attack" in note for note in release.notes)
