"""HideNeighbors for l > 1 and HideRelations: the oracle checks the guarantee; all small graphs check the edits."""

import warnings
from dataclasses import replace
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from shoal import Release
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, Notice
from shoal.methods import HideNeighbors, HideRelations
from shoal.methods.links._kernels import agreement
from shoal.methods.links.hide_neighbors.starts import Coloring
from shoal.methods.links.hide_neighbors.walk import READINGS, Aim, make_rows
from shoal.progress import watching
from shoal.release.guarantee import Promise
from shoal.release.manifest import describe_release
from shoal.release.verify import prove_by_classes

ORACLES = {
    "neighbors": oracle.neighbors,
    "relations": oracle.relations,
    "located-relations": oracle.located_relations,
}
SMALL = [g for g in ATLAS if len(g) <= 5]


def least(g, reading, l, known=None):
    """Return the fewest candidates that l known entries leave, by the definition."""
    return min(oracle.size(ORACLES[reading](g, known, l=l)).values())


def method(reading, k, l, **how):
    if reading == "neighbors":
        return HideNeighbors(k, l, **how)
    return HideRelations(k, l, located=reading == "located-relations", **how)


def made(g, reading, k, l, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return method(reading, k, l, **how)(g)


def pairs_of(g):
    return {frozenset(edge) for edge in g.edges}


def check(g, release, reading, k, l):
    """Check every property of a release by its definition."""
    h = release.data.to_networkx()
    assert least(h, reading, l) >= k
    assert list(h) == list(g)
    assert release.original == shoal.as_graph(g)
    added, removed = ({frozenset(edge) for edge in pairs} for pairs in (release.edits.added, release.edits.removed))
    assert pairs_of(h) == (pairs_of(g) - removed) | added
    assert not added & pairs_of(g)
    assert removed <= pairs_of(g)
    assert release.measured["lower bound on edits"] <= release.measured["edits"] == len(added) + len(removed)
    if release.method.add_only:
        assert not removed
        assert least(h, "neighbors", l, known=g) >= k


@cache
def leaves(n, reading, l):
    """Return every graph on n vertices as a set of pairs, with the fewest candidates that l known entries leave."""
    found = []
    free = [frozenset(pair) for pair in combinations(range(n), 2)]
    for chosen in range(2 ** len(free)):
        g = nx.empty_graph(n)
        g.add_edges_from(tuple(pair) for i, pair in enumerate(free) if chosen >> i & 1)
        found.append((pairs_of(g), least(g, reading, l)))
    return found


def optimum(g, reading, k, l, add_only):
    """Return the fewest edits of all graphs that keep the guarantee without a larger degree, or None."""
    mine, most = pairs_of(g), len(g) if add_only else max(k, *(d for _, d in g.degree))
    costs = [
        len(pairs ^ mine)
        for pairs, left in leaves(len(g), reading, l)
        if left >= k and not (add_only and mine - pairs) and all(sum(v in pair for pair in pairs) <= most for v in g)
    ]
    return min(costs, default=None)


# ---------------------------------------------------------------- the compiled loops


def rows(g, reading, k, l, *, start=None, add_only=False, seed=1):
    original = shoal.as_graph(g)
    return make_rows(original, shoal.as_graph(start or g), Aim(k, l, reading, add_only, "test"), seed)


def list_links(r):
    relation = np.zeros(r.degree.sum() // 2, dtype=np.int64)
    return zip(*agreement.listed(r.bits, len(relation), r.reversals, relation), strict=True)


@given(g=graphs(most=7), reading=st.sampled_from(READINGS), k=st.integers(1, 5), l=st.integers(1, 4))
def test_validity_agrees_with_the_oracle(g, reading, k, l):
    assume(k <= len(g))  # every method checks this first
    assert agreement.valid(rows(g, reading, k, l)) == (least(g, reading, l) >= k)


@given(g=graphs(most=7), reading=st.sampled_from(READINGS), k=st.integers(1, 5), l=st.integers(1, 4))
def test_found_violations_are_real(g, reading, k, l):
    r = rows(g, reading, k, l)
    matrix = nx.to_numpy_array(g, dtype=int)
    for u in g:
        size = agreement.row_violation(r, u, 0)
        if size:
            known = list(r.found[:size])
            agree = {x for x in g if (matrix[x, known] == matrix[u, known]).all()}
            agree -= set(known) if reading == "located-relations" else set()
            assert u in agree
            assert len(agree) < k
            assert size <= l
            assert reading != "neighbors" or matrix[u, known].all()


@pytest.mark.slow
@settings(max_examples=150)
@given(data=st.data(), reading=st.sampled_from(READINGS), k=st.integers(2, 3), l=st.integers(1, 3))
def test_a_change_is_made_exactly_if_the_graph_stays_valid(data, reading, k, l):
    g = data.draw(graphs(least=4, most=7))
    r = rows(g, reading, k, l)
    while agreement.remove(r, np.arange(len(g))):
        pass
    h = nx.from_edgelist(list_links(r))
    h.add_nodes_from(g)
    if least(h, reading, l) < k:  # no link is left to remove, so no vertex can be hidden
        assert not h.number_of_edges()
        return
    for _ in range(4):
        u = data.draw(st.integers(0, len(g) - 1))
        near = set(data.draw(st.lists(st.integers(0, len(g) - 1)))) - {u}
        after = h.copy()
        after.remove_edges_from([(u, w) for w in g])
        after.add_edges_from((u, w) for w in near)
        row = np.array([sum(1 << w for w in near)], dtype=np.uint64)
        stays = least(after, reading, l) >= k
        assert agreement.changed_to(r, u, row) == stays
        h = after if stays else h
        assert r.degree.tolist() == [h.degree(v) for v in range(len(g))]


@pytest.mark.slow
@given(g=graphs(least=3, most=8), reading=st.sampled_from(READINGS), seed=st.integers(0, 99), keep=st.booleans())
def test_the_walk_counts_its_edits_and_stays_valid(g, reading, seed, keep):
    complete = nx.complete_graph(len(g))
    start = complete if keep and reading != "relations" else nx.empty_graph(len(g))
    k, l = 2, 1
    if least(start, reading, l) < k or (keep and reading == "relations"):
        return
    r = rows(g, reading, k, l, start=start, add_only=keep, seed=seed)
    before = len(pairs_of(start) ^ pairs_of(g))
    more = agreement.walk(r, 500, 0.6, 0.1)
    h = nx.empty_graph(len(g))
    h.add_edges_from(list_links(r))
    assert before + more == len(pairs_of(h) ^ pairs_of(g))
    assert least(h, reading, l) >= k
    assert not keep or pairs_of(g) <= pairs_of(h)


# ---------------------------------------------------------------- the methods


@pytest.mark.slow
@pytest.mark.parametrize("add_only", [False, True])
@pytest.mark.parametrize("reading", READINGS)
def test_small_graphs_against_all_graphs(reading, add_only):
    """The guarantee holds, or no graph can keep it. In nearly all cases no graph has fewer edits."""
    hits, refused = [], 0
    for g in SMALL:
        for k in range(2, len(g) + 1):
            fewest = optimum(g, reading, k, 2, add_only)
            try:
                release = made(g, reading, k, 2, add_only=add_only, effort=200)
            except CannotPromise:
                assert fewest is None
                refused += 1
                continue
            check(g, release, reading, k, 2)
            hits.append(release.measured["edits"] <= fewest)
    assert np.mean(hits) >= 0.95
    assert (refused > 0) == (add_only or reading == "located-relations")


@pytest.mark.slow
@settings(max_examples=60)
@given(g=graphs(least=2, most=9), data=st.data())
def test_laws(g, data):
    reading, k, l = (
        data.draw(st.sampled_from(READINGS)),
        data.draw(st.integers(1, len(g))),
        data.draw(st.integers(1, 4)),
    )
    how = {
        "add_only": data.draw(st.booleans()),
        "effort": data.draw(st.sampled_from([0, 5, 60])),
        "seed": data.draw(st.integers(0, 3)),
    }
    try:
        release = made(g, reading, k, l, **how)
    except CannotPromise:
        assert how["add_only"] or len(g) - min(l, len(g) - 1) < k
        return
    check(g, release, reading, k, l)
    again = made(g, reading, k, l, **how)
    assert again.data == release.data
    assert again.measured == release.measured
    if least(g, reading, l) >= k:
        assert release.measured["edits"] == 0


@pytest.mark.slow
@settings(max_examples=25)
@given(g=graphs(least=5, most=5), k=st.integers(2, 3), l=st.integers(3, 4))
def test_refused_additions_are_impossible(g, k, l):
    """With n < k + l, classes of k or more without links inside are necessary: this is the proof behind the error."""
    if k + l <= len(g):
        return
    exists = optimum(g, "neighbors", k, l, add_only=True) is not None
    assert exists == (Coloring(shoal.as_graph(g), k).find_classes() is not None or not g.number_of_edges())


def colors_by_definition(g, size):
    """Return whether the vertices can be put into sets of at least `size` without an edge inside."""
    left = list(g)
    if not left:
        return True
    first, rest = left[0], left[1:]
    for many in range(size - 1, len(rest) + 1):
        for others in combinations(rest, many):
            part = (first, *others)
            if not g.subgraph(part).number_of_edges() and colors_by_definition(g.subgraph(set(g) - set(part)), size):
                return True
    return False


@settings(max_examples=80)
@given(g=graphs(least=1, most=8), size=st.integers(1, 4))
def test_classes_without_links_inside(g, size):
    coloring = Coloring(shoal.as_graph(g), size)
    codes = coloring.find_classes()
    assert coloring.proved
    assert (codes is not None) == colors_by_definition(g, size)
    if codes is not None:
        assert np.bincount(codes).min() >= size
        assert all(codes[u] != codes[v] for u, v in g.edges)


def test_large_graphs_are_colored_without_backtracking():
    g = nx.gnm_random_graph(400, 700, seed=1)
    codes = Coloring(shoal.as_graph(g), 5).find_classes()
    assert np.bincount(codes).min() >= 5
    assert all(codes[u] != codes[v] for u, v in g.edges)
    crowded = Coloring(shoal.as_graph(nx.disjoint_union(*[nx.complete_graph(155)] * 2)), 3)
    assert crowded.find_classes() is None
    assert not crowded.proved


@pytest.mark.slow
def test_fewer_edits_than_equal_rows_are_enough():
    """In a dense graph two neighbors have many common neighbors: few edits are enough; equal rows change a third."""
    g = nx.gnp_random_graph(40, 0.4, seed=1)
    release = made(g, "neighbors", 2, 2)
    check(g, release, "neighbors", 2, 2)
    assert release.measured["edits"] <= 4
    assert release.measured["edits"] * 10 < release.measured["edits starting from equal rows"]
    assert release.measured["best start"] in ("addition", "removal")


@pytest.mark.slow
@pytest.mark.parametrize(("k", "l", "edits"), [(2, 2, 32), (3, 3, 51)])
def test_the_best_known_of_the_club(k, l, edits):
    g = shoal.examples.karate()
    release = made(g, "neighbors", k, l)
    assert release.measured["edits"] <= edits
    assert release.measured["edits"] == min(
        v for name, v in release.measured.items() if name.startswith("edits starting from")
    )


def test_equal_rows_do_not_hide_located_relations():
    g = nx.complete_bipartite_graph(3, 3)
    assert shoal.assess(g, shoal.knowledge.Adjacency()).k == 3
    assert shoal.assess(g, shoal.knowledge.Relations(1, located=True)).k == 2
    release = made(g, "located-relations", 3, 1)
    assert release.measured["edits"] > 0
    check(g, release, "located-relations", 3, 1)
    large = nx.complete_bipartite_graph(4, 4)
    assert made(large, "located-relations", 3, 1).measured["edits"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("add_only", [False, True])
def test_large_graphs_use_classes_without_the_walk(reading, add_only, monkeypatch):
    monkeypatch.setattr("shoal.methods.links.hide_neighbors.walk.MOST", 10)
    g = nx.powerlaw_cluster_graph(24, 2, 0.5, seed=4)
    release = made(g, reading, 2, 2, add_only=add_only)
    check(g, release, reading, 2, 2)
    assert release.measured["best start"] in ("equal rows", "closed twins")
    assert release.measured["sweeps"] == 0


def test_the_search_only_improves():
    g = nx.powerlaw_cluster_graph(60, 4, 0.5, seed=2)
    at_once, later = (made(g, "neighbors", 3, 2, effort=effort).measured for effort in (0, 300))
    assert later["edits"] <= at_once["edits"]
    for name in ("removal", "closed twins", "equal rows"):
        assert later[f"edits starting from {name}"] <= at_once[f"edits starting from {name}"]
    assert later["edits starting from equal rows"] < at_once["edits starting from equal rows"]


@pytest.mark.usefixtures("steady")
def test_seconds_are_recorded_as_sweeps():
    g = nx.powerlaw_cluster_graph(60, 4, 0.5, seed=2)
    for reading in READINGS:
        timed = made(g, reading, 2, 2, effort="2s")
        assert timed.measured["sweeps"] == 20  # 20,000 proposals a second, shared by all starts
        again = made(g, reading, 2, 2, effort=timed.measured["sweeps"])
        assert again.data == timed.data
        assert again.measured == timed.measured


@pytest.mark.usefixtures("steady")
def test_seconds_are_recorded_as_sweeps_without_a_walk():
    g = nx.powerlaw_cluster_graph(60, 4, 0.5, seed=2)
    timed = made(g, "neighbors", 2, 4, effort="0.2s")
    assert timed.measured["sweeps"] == 83  # 50,000 proposals a second, in half of the time
    assert made(g, "neighbors", 2, 4, effort=timed.measured["sweeps"]).data == timed.data


class Interrupt:
    """Raise a number of interrupts when one kind of work is reported, after some reports."""

    def __init__(self, where, times=1, after=0):
        self.where, self.times, self.after = where, times, after

    def __call__(self, what, done, total):
        if self.where in what and self.times:
            self.after -= 1
            if self.after < 0:
                self.times -= 1
                raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("where", ["from addition", "removing links", "searching classes"])
def test_a_stopped_search_returns_a_verified_result(where):
    g = nx.gnp_random_graph(60, 0.3, seed=2)
    with watching(Interrupt(where)), pytest.warns(Notice, match=r"stopped.*best graph so far"):
        release = HideNeighbors(3, 2, effort=300)(g)
    check(g, release, "neighbors", 3, 2)
    assert release.measured["stopped early"]
    assert release.measured["sweeps"] <= 300
    assert "edits starting from equal rows" not in release.measured
    assert any("stopped by hand" in note for note in release.notes)


@pytest.mark.filterwarnings("ignore:HideNeighbors. stopped:shoal.errors.Notice")
@pytest.mark.parametrize(("where", "times"), [("adding links", 1), ("verifying", 2)])
def test_an_early_or_second_stop_returns_nothing(where, times):
    with watching(Interrupt(where, times)), pytest.raises(KeyboardInterrupt):
        HideNeighbors(3, 2, effort=300)(nx.gnp_random_graph(60, 0.3, seed=2))


@pytest.mark.parametrize(
    ("how", "g", "says"),
    [
        ({"k": 3, "l": 2, "located": True}, nx.path_graph(4), r"2 located.*2"),
        (
            {"k": 2, "add_only": True},
            nx.complete_graph(5),
            r"3 links.*0.*4",
        ),
        (
            {"k": 3, "add_only": True},
            nx.path_graph(5),
            r"3 links.*3 missing.*5 vertices",
        ),
        (
            {"k": 3, "l": 2, "add_only": True},
            nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4)),
            "2 known relations leave .* was found, which does not prove",
        ),
    ],
)
def test_refusals(how, g, says):
    with pytest.raises(CannotPromise, match=says):
        HideRelations(**how)(g)


@pytest.mark.slow
@settings(max_examples=60)
@given(g=graphs(least=2, most=6), k=st.integers(2, 3), located=st.booleans())
def test_one_known_relation_and_additions_only(g, k, located):
    """All graphs that contain the original are tried: the fewest added links, or none are enough."""
    n, mine = len(g), pairs_of(g)
    free = [pair for pair in combinations(range(n), 2) if frozenset(pair) not in mine]
    fewest = None
    for chosen in range(2 ** len(free)):
        degree = [g.degree(v) + sum(v in pair for i, pair in enumerate(free) if chosen >> i & 1) for v in g]
        fits = all(d == 0 or k <= d <= n - k - located or (located and d == n - 1 >= k) for d in degree)
        if fits and n - located >= k and (fewest is None or chosen.bit_count() < fewest):
            fewest = chosen.bit_count()
    try:
        release = made(g, "located-relations" if located else "relations", min(k, n), 1, add_only=True)
    except CannotPromise:
        assert fewest is None
        return
    if k <= n:
        assert release.measured["edits"] >= fewest


@pytest.mark.parametrize("k", [2, 3])
def test_refusals_on_small_graphs_are_proved(k):
    """With up to seven vertices all graphs are tried before the error says that none exists."""
    said = set()
    for g in draw_cases(ATLAS[208:], 12):
        try:
            check(g, made(g, "relations", k, 2, add_only=True, effort=20), "relations", k, 2)
        except CannotPromise as refusal:
            said.add("does not prove" in str(refusal))
    assert said == {False}


def test_a_degree_is_not_raised_too_far():
    """Degree repair exceeds n - k here, although three links are enough."""
    g = nx.Graph([(0, 1), (0, 3), (0, 4), (1, 3), (1, 4), (3, 6), (4, 5)])
    g.add_node(2)
    release = made(g, "relations", 3, 1, add_only=True)
    check(g, release, "relations", 3, 1)
    assert release.measured["edits"] == 3


def test_a_star_is_refused_without_a_search():
    coloring = Coloring(shoal.as_graph(nx.star_graph(300)), 5)
    assert coloring.find_classes() is None
    assert coloring.proved


def test_a_larger_l_than_n_means_all_entries():
    g = nx.path_graph(4)
    with pytest.raises(CannotPromise, match="leave k = 3 candidates exists"):
        HideNeighbors(3, 10**9, add_only=True)(g)


@given(g=graphs(most=7), reading=st.sampled_from(READINGS), k=st.integers(1, 4), l=st.integers(1, 3))
def test_classes_prove_a_guarantee_only_if_it_holds(g, reading, k, l):
    """The bound that replaces an unfinished search never exceeds the oracle's count."""
    graph = shoal.as_graph(g)
    located = shoal.knowledge.Relations(l, located=reading == "located-relations")
    knows = shoal.knowledge.Neighbors(l) if reading == "neighbors" else located
    release = Release(graph, graph, (Promise(knows, k),), None)
    try:
        said = prove_by_classes(release.promises[0], release.data)
    except BrokenPromise:
        return
    assert "linked alike" in said
    assert least(g, reading, l) >= k


@pytest.mark.parametrize(("graph", "k", "l"), [(nx.complete_bipartite_graph(4, 5), 4, 9), (nx.complete_graph(9), 4, 5)])
def test_classes_prove_guarantees_for_large_l(graph, k, l):
    data, knows = shoal.as_graph(graph), shoal.knowledge.Neighbors(l)
    assert "linked alike" in prove_by_classes(Promise(knows, k), data)
    with pytest.raises(BrokenPromise, match="cut short"):
        prove_by_classes(Promise(knows, k + 1), data)


def test_the_public_page_fits_every_original_that_is_possible(tmp_path):
    """One link was added to this graph. The exact original transitivity would reveal which."""
    g = nx.Graph([(0, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 5), (3, 5)])
    release = made(g, "neighbors", 2, 1, add_only=True)
    assert len(release.edits.added) == 1
    pages = []
    for edge in release.data.to_networkx().edges:
        before = release.data.to_networkx()
        before.remove_edge(*edge)
        release = replace(release, original=shoal.as_graph(before))
        pages.append(describe_release(release, []))
    assert all(page == pages[0] for page in pages)
    assert pages[0]["measured"] == {}
    assert not [name for name in pages[0]["utility"] if "edit" in name]


def test_no_vertex_is_linked_to_all_others():
    """k such vertices would be the cheapest way, and an attacker could undo it by removing them."""
    for g in (shoal.examples.karate().to_networkx(), nx.barabasi_albert_graph(80, 3, seed=1)):
        release = made(g, "neighbors", 2, 2, effort=100)
        assert release.data.degree.max() <= max(d for _, d in g.degree)
    with pytest.warns(Notice, match="more links"):
        HideNeighbors(2, 2, add_only=True, effort=50)(g)


def test_an_unchanged_graph_has_a_note():
    release = made(nx.cycle_graph(8), "neighbors", 2, 1)
    assert not release.edits.added + release.edits.removed
    assert "published unchanged" in release.notes[0]


def test_a_refusal_that_is_proved():
    with pytest.raises(CannotPromise, match=r"4.*9 candidates"):
        HideNeighbors(9, 4, add_only=True)(nx.complete_graph(10))


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, r"'k'.*1"),
        ({"k": 2, "l": 0}, r"'l'.*1"),
        ({"k": 2, "located": 1}, "'located'"),
        ({"k": 2, "effort": -1}, "'effort' must be"),
        ({"k": 2, "seed": -1}, r"'seed'.*0"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        HideRelations(**how)


def test_bad_data():
    with pytest.raises(BadParameter, match="at most the number of vertices"):
        HideRelations(4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        HideRelations(2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))


def test_eval_repr():
    method = HideRelations(k=3, l=2, located=True, seed=9)
    assert eval(repr(method)) == method
