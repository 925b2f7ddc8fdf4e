"""EqualizeRows: the oracle checks the guarantee; all partitions of small graphs check the edits."""

import warnings
from fractions import Fraction
from functools import cache
from itertools import count
from math import ceil
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs, interrupting
from draws import draw_cases
from messages import tells
from shoal.errors import BadParameter, CannotPromise, Notice, UnknownVertex
from shoal.methods.base import ATTRIBUTES_STAY
from shoal.methods.links.equalize_rows import EditProblem, bound_edits
from shoal.optimize import annealing
from shoal.optimize.class_partition import SIMILARITIES, count_blocks, fill_blocks, grow_classes
from shoal.progress import watching

pytestmark = pytest.mark.filterwarnings("ignore:EqualizeRows:shoal.errors.Notice")


def partitions(vertices, k, most):
    """Yield every way to put the vertices into sets of k to `most`."""
    if not vertices:
        yield []
        return
    first, rest = vertices[0], vertices[1:]
    for size in range(k, min(most, len(vertices)) + 1):
        for others in subsets(rest, size - 1):
            left = [v for v in rest if v not in others]
            for parts in partitions(left, k, most):
                yield [(first, *others), *parts]


def subsets(items, size):
    if size == 0:
        yield ()
        return
    for i, item in enumerate(items):
        for others in subsets(items[i + 1 :], size - 1):
            yield (item, *others)


def cost(g, parts, clique=None):
    """Return the edits: each pair of sets becomes complete or empty, the sets empty (or full, from `clique` on)."""
    total = 0
    for i, part in enumerate(parts):
        inside, size = g.subgraph(part).number_of_edges(), len(part)
        total += min(inside, size * (size - 1) // 2 - inside) if clique and size >= clique else inside
        for other in parts[:i]:
            there = sum(g.has_edge(u, v) for u in part for v in other)
            total += min(there, len(part) * len(other) - there)
    return total


def optimum(g, k, most=None):
    """Return the fewest edits of all partitions; sets of 2k or more never take fewer, which is tested below."""
    return min(cost(g, parts) for parts in partitions(list(g), k, most or 2 * k - 1))


@cache
def memberships(n, k):
    """Return every partition of n vertices into sets of k to 2k-1, as rows of members."""
    found = np.zeros((sum(1 for _ in partitions(list(range(n)), k, 2 * k - 1)), n // k, n), dtype=np.int16)
    for member, parts in zip(found, partitions(list(range(n)), k, 2 * k - 1), strict=True):
        for row, part in zip(member, parts, strict=False):
            row[list(part)] = 1
    return found


def fast_optimum(g, k):
    """The same by matrices of neighbors for all partitions at once, for twelve vertices."""
    member = memberships(len(g), k)
    there = member @ nx.to_numpy_array(g, dtype=np.int16) @ member.swapaxes(1, 2)
    sizes = member.sum(axis=2)
    costs = np.minimum(there, sizes[:, :, None] * sizes[:, None, :] - there)
    same = np.arange(costs.shape[1])
    costs[:, same, same] = there[:, same, same]
    return int(costs.sum(axis=(1, 2)).min()) // 2


def edges(graph):
    return {frozenset(edge) for edge in graph.edges}


def check(g, release, k):
    """Check every property of a release by its definition."""
    after = release.data.to_networkx()
    protected = list(g) if release.method.sensitive is None else release.method.sensitive
    closed = release.method.closed
    sizes = oracle.size(oracle.neighbors(after, l=closed) if closed else oracle.adjacency(after))
    assert min(sizes[v] for v in protected) >= k
    assert list(after) == list(g)
    assert release.original == shoal.as_graph(g)
    added, removed = ({frozenset(edge) for edge in pairs} for pairs in (release.edits.added, release.edits.removed))
    assert edges(after) == (edges(g) - removed) | added
    assert not added & edges(g)
    assert removed <= edges(g)
    assert release.measured["edits"] == len(added) + len(removed)
    assert release.measured.get("lower bound on edits", 0) <= release.measured["edits"]
    assert sorted(v for members in release.classes for v in members) == sorted(g)
    for members in release.classes:
        assert len(members) in range(k, 2 * (k + (closed or 0))) or (len(members) == 1 and members[0] not in protected)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_all_small_graphs(k):
    for g in draw_cases(ATLAS, 500):
        if len(g) >= k:
            release = shoal.methods.EqualizeRows(k, effort=60)(g)
            check(g, release, k)


@pytest.mark.slow
@settings(max_examples=150)
@given(g=graphs(most=9), data=st.data())
def test_laws(g, data):
    k = data.draw(st.integers(1, len(g)))
    method = shoal.methods.EqualizeRows(
        k,
        similarity=data.draw(st.sampled_from(SIMILARITIES)),
        fill=data.draw(st.sampled_from(["majority", "budget"])),
        closed=data.draw(st.none() | st.integers(1, 3)),
        sensitive=data.draw(st.none() | st.lists(st.sampled_from(list(g)), min_size=1, unique=True)),
        effort=data.draw(st.sampled_from([0, 1, 40, 200])),
        seed=data.draw(st.integers(0, 3)),
    )
    release = method(g)
    check(g, release, k)
    again = method(g)
    assert again.data == release.data
    assert again.classes == release.classes
    assert again.measured == release.measured
    if method.fill == "budget":
        assert release.data.m <= g.number_of_edges()


@pytest.mark.slow
@settings(max_examples=60)
@given(g=graphs(least=2, most=7), data=st.data())
def test_the_bound_is_below_every_partition_and_large_sets_never_help(g, data):
    k = data.draw(st.integers(2, len(g)))
    fewest = optimum(g, k, most=len(g))
    assert fewest == optimum(g, k) or len(g) < 2 * k
    everyone = np.ones(len(g), dtype=bool)
    assert bound_edits(shoal.as_graph(g), k, everyone) <= fewest
    assert shoal.methods.EqualizeRows(k)(g).measured["edits"] == fewest


def mean_distance(rows, i, k):
    """Return the mean number of entries in which the k-1 nearest rows differ from row i."""
    apart = sorted(int((rows[i] != row).sum()) for j, row in enumerate(rows) if j != i)
    return Fraction(sum(apart[: k - 1]), k - 1)


def nearest_by_definition(g, k, protected, clique=None):
    rows = nx.to_numpy_array(g, nodelist=list(g), dtype=int)
    closed, total = rows + np.eye(len(g), dtype=int), 0
    for i, v in enumerate(g):
        if v in protected:
            found = mean_distance(rows, i, k)
            total += min(found, mean_distance(closed, i, clique)) if clique else found
    return ceil(total / 4)


@pytest.mark.slow
@settings(max_examples=80)
@given(g=graphs(least=4, most=9), data=st.data())
def test_the_bound_by_its_definition(g, data):
    k = data.draw(st.integers(2, len(g) // 2))
    protected = data.draw(st.sets(st.sampled_from(list(g)), min_size=1))
    mask = np.array([v in protected for v in g])
    assert bound_edits(shoal.as_graph(g), k, mask) == nearest_by_definition(g, k, protected)
    clique = data.draw(st.integers(k + 1, len(g)))
    assert bound_edits(shoal.as_graph(g), k, mask, clique) == nearest_by_definition(g, k, protected, clique)


@pytest.mark.slow
@settings(max_examples=100)
@given(g=graphs(least=2, most=7), data=st.data())
def test_the_bound_with_cliques_is_below_every_partition(g, data):
    k = data.draw(st.integers(1, len(g)))
    clique = k + data.draw(st.integers(1, 3))
    fewest = min(cost(g, parts, clique) for parts in partitions(list(g), k, len(g)))
    assert bound_edits(shoal.as_graph(g), k, np.ones(len(g), dtype=bool), clique) <= (fewest if k > 1 else 0)


@pytest.mark.slow
@settings(max_examples=40)
@given(g=graphs(least=2, most=6), data=st.data())
def test_the_bound_for_sensitive_vertices_is_below_the_optimum(g, data):
    """All graphs on the same vertices are tried, so the test assumes no classes."""
    k = data.draw(st.integers(2, len(g)))
    protected = data.draw(st.lists(st.sampled_from(list(g)), min_size=1, unique=True))
    pairs = [(u, v) for u in g for v in g if u < v]
    if len(pairs) > 10:
        pairs, g = [(u, v) for u, v in pairs if v < 5], g.subgraph(range(5)).copy()
        protected = [v for v in protected if v in g] or [0]
        k = min(k, len(g))
    rows, fewest = {v: frozenset(g[v]) for v in g}, None
    for flips in range(2 ** len(pairs)):
        if fewest is not None and flips.bit_count() >= fewest:
            continue
        new = {v: set(rows[v]) for v in g}
        for i, (u, v) in enumerate(pairs):
            if flips >> i & 1:
                new[u] ^= {v}
                new[v] ^= {u}
        if all(sum(new[u] == new[v] for u in g) >= k for v in protected):
            fewest = flips.bit_count()
    release = shoal.methods.EqualizeRows(k, sensitive=protected)(g)
    assert release.measured["lower bound on edits"] <= fewest <= release.measured["edits"]


@pytest.mark.slow
def test_most_small_random_graphs_are_optimal():
    """Twelve vertices against all partitions; the issue asks for 95 %."""
    hits = []
    for k, number in ((3, 3), (4, 12)):
        for seed in range(number):
            g = nx.gnp_random_graph(12, 0.2 + 0.05 * (seed % 7), seed=seed)
            hits.append(shoal.methods.EqualizeRows(k)(g).measured["edits"] == fast_optimum(g, k))
    assert np.mean(hits) >= 0.95


@pytest.mark.slow
def test_cliques_are_found_where_they_are_allowed():
    """Small graphs against all partitions into open and closed classes."""
    hits = []
    for seed in range(20):
        g = nx.gnp_random_graph(8, 0.3 + 0.05 * (seed % 8), seed=seed)
        k, l = 2 + seed % 2, 1 + seed % 3 // 2
        fewest = min(cost(g, parts, k + l) for parts in partitions(list(g), k, len(g)))
        release = shoal.methods.EqualizeRows(k, closed=l)(g)
        check(g, release, k)
        assert release.measured["edits"] >= fewest
        hits.append(release.measured["edits"] == fewest)
    assert np.mean(hits) >= 0.95


def test_closed_keeps_triangles_and_has_the_weaker_guarantee():
    g = nx.disjoint_union_all([nx.complete_graph(5)] * 3)
    release = shoal.methods.EqualizeRows(3, closed=2)(g)
    assert release.edits.ratio == 0
    assert release.promises[0].knowledge == shoal.knowledge.Neighbors(2)
    assert release.measured["lower bound on edits"] == 0
    assert shoal.methods.EqualizeRows(3)(g).edits.ratio > 0.5


@pytest.mark.parametrize(
    ("graph", "k", "edits"),
    [("karate", 2, 34), ("karate", 5, 67), ("florentine", 2, 12), ("florentine", 3, 14), ("florentine", 5, 20)],
)
def test_the_best_known(graph, k, edits):
    assert shoal.methods.EqualizeRows(k)(getattr(shoal.examples, graph)()).measured["edits"] == edits


@pytest.mark.parametrize("n", [60, 2100])
def test_stored_and_counted_blocks_take_the_same_steps(n, monkeypatch):
    """The gains are the same numbers, so the same seed ends in the same classes."""
    g = nx.powerlaw_cluster_graph(n, 4, 0.5, seed=1)
    found = []
    monkeypatch.setattr("shoal.optimize.class_partition.FEW", 5)
    for stored in (0, 4096):
        monkeypatch.setattr("shoal.optimize.class_partition.STORED", stored)
        found.append(shoal.methods.EqualizeRows(2, effort=6, seed=5)(g).classes)
    assert found[0] == found[1]


@pytest.mark.parametrize("clique", [0, 6])
@pytest.mark.parametrize("some", [False, True])
def test_the_gain_of_the_search_equals_the_saved_edits(some, clique):
    """The sum of the gains of all steps accepted is the difference in edits, counted from the classes."""
    from shoal.optimize._kernels.partition import anneal

    graph = shoal.as_graph(nx.powerlaw_cluster_graph(80, 4, 0.6, seed=2))
    sensitive = np.arange(graph.n) % 3 == 0 if some else np.ones(graph.n, dtype=bool)
    for k in (2, 3, 5):
        start = grow_classes(graph, k, "jaccard", sensitive)
        state = EditProblem(graph, k, sensitive, 1, clique).begin(start, 0)
        gained = -anneal(state, 20_000, 2.0, 0.2, 0.0)
        before, after = (count_blocks(graph, codes, clique).cheapest for codes in (start, state.code))
        assert gained == before - after
        sizes = np.bincount(state.code, minlength=len(state.size))
        assert (sizes == state.size).all()
        assert (sizes[state.code[sensitive]] >= k).all()
        assert sizes.max() <= 2 * max(k, clique) - 1
        if len(state.blocks):
            rows = np.repeat(state.code, np.diff(graph.indptr))
            again = np.zeros_like(state.blocks)
            np.add.at(again, (rows, state.code[graph.indices]), 1)
            assert (again == state.blocks).all()


def test_search_only_improves():
    g = nx.powerlaw_cluster_graph(300, 5, 0.4, seed=3)
    edits = [shoal.methods.EqualizeRows(3, effort=effort)(g).measured["edits"] for effort in (0, 20, 400)]
    assert edits == sorted(edits, reverse=True)
    assert edits[2] < edits[0]


@pytest.mark.usefixtures("steady")
def test_seconds_are_recorded_as_sweeps():
    g = nx.powerlaw_cluster_graph(200, 3, 0.4, seed=3)
    timed = shoal.methods.EqualizeRows(2, effort="0.1s", seed=4)(g)
    assert timed.measured["sweeps"] == 25  # 50,000 proposals a second
    again = shoal.methods.EqualizeRows(2, effort=timed.measured["sweeps"], seed=4)(g)
    assert again.data == timed.data


@pytest.mark.parametrize("n", [60, 120])
@pytest.mark.parametrize("call", [1, 2, 7, 20])
def test_an_interrupt_ends_the_search_and_keeps_what_was_found(n, call):
    g, seen = nx.powerlaw_cluster_graph(n, 5, 0.4, seed=3), []
    with (
        watching(interrupting({call}, seen)),
        pytest.warns(Notice, match=r"EqualizeRows.*40 sweeps"),
    ):
        release = shoal.methods.EqualizeRows(3, effort=40)(g)
    check(g, release, 3)
    assert release.measured["stopped early"] is True
    assert release.measured["sweeps"] == min(39, 2 * call)  # of 20 steps
    assert any("stopped by hand" in note for note in release.notes)
    assert seen[call].startswith("stopping")
    assert release.measured["edits"] < shoal.methods.EqualizeRows(3, effort=0)(g).measured["edits"]


def test_an_interrupt_in_a_later_try_keeps_the_best_of_the_earlier_ones():
    g, seen = nx.powerlaw_cluster_graph(60, 4, 0.4, seed=3), []
    first = shoal.methods.EqualizeRows(2, effort=50)(g)
    with watching(interrupting({41}, seen)), pytest.warns(Notice, match="stopped after"):
        release = shoal.methods.EqualizeRows(2, effort=160)(g)
    check(g, release, 2)
    assert release.measured["edits"] <= first.measured["edits"] + 2
    assert release.measured["sweeps"] < 160


def test_an_interrupt_is_never_worse_than_the_start():
    for seed in range(8):
        g = nx.gnp_random_graph(30, 0.2, seed=seed)
        with watching(interrupting({1}, [])), pytest.warns(Notice, match="stopped after"):
            release = shoal.methods.EqualizeRows(4, effort=20, seed=seed)(g)
        check(g, release, 4)
        assert release.measured["edits"] <= shoal.methods.EqualizeRows(4, effort=0)(g).measured["edits"]


def test_a_second_interrupt_ends_the_program():
    g, seen = nx.powerlaw_cluster_graph(60, 4, 0.4, seed=3), []
    with watching(interrupting({3, 4}, seen)), pytest.raises(KeyboardInterrupt):
        shoal.methods.EqualizeRows(2, effort=40)(g)
    assert seen[3].startswith("stopping")


def test_a_finished_search_is_not_marked_as_stopped(monkeypatch):
    looks, seen = count(2), []  # every second look at the clock finds it advanced: counting edits takes no time
    monkeypatch.setattr(annealing, "time", SimpleNamespace(perf_counter=lambda: next(looks) // 2))
    with watching(interrupting(set(), seen)):
        release = shoal.methods.EqualizeRows(2, effort=40)(nx.powerlaw_cluster_graph(60, 4, 0.4, seed=3))
    assert "stopped early" not in release.measured
    assert release.notes == ()
    assert release.measured["sweeps"] == 40
    ratio = float(seen[-1].split()[2])
    assert ratio == pytest.approx(release.edits.ratio, abs=0.2)


def test_the_lists_of_similar_rows():
    """By definition: most shared neighbors over all neighbors first. A vertex that shares none has itself."""
    from shoal.optimize.class_partition import list_most_alike

    g = nx.disjoint_union(nx.gnp_random_graph(40, 0.12, seed=4), nx.empty_graph(2))
    lists = list_most_alike(shoal.as_graph(g))
    for v in g:
        near = {
            u: len(set(g[u]) & set(g[v])) / len(set(g[u]) | set(g[v])) for u in g if u != v and set(g[u]) & set(g[v])
        }
        best = sorted(near.values(), reverse=True)[: lists.shape[1]]
        got = lists[v][: max(1, len(best))]
        assert [near[u] for u in got.tolist()] == best if near else (lists[v] == v).all()
        assert len(set(got.tolist())) == len(got)
        assert set(lists[v].tolist()) == set(got.tolist())


def test_the_papers_own_algorithm():
    """Without a search, hubs with the same leaves form a class, and so do the leaves."""
    g = nx.complete_bipartite_graph(2, 3)
    for similarity in ("manhattan", "2-path"):
        release = shoal.methods.EqualizeRows(2, similarity=similarity, effort=0)(g)
        assert release.measured == {
            "edits": 0,
            "lower bound on edits": 0,
            "edits above the lower bound": 0,
            "sweeps": 0,
        }


def test_manhattan_prefers_unrelated_vertices_of_low_degree():
    """The row of vertex 0 differs in ten entries from a hub with a shared neighbor, in two from an isolated vertex."""
    g = nx.Graph([(0, 9), (1, 9), (0, 8), *((1, leaf) for leaf in range(20, 29))])
    g.add_nodes_from([50])
    data = shoal.as_graph(g)
    alone = np.array([v == 0 for v in data.names])
    codes = grow_classes(data, 2, "manhattan", alone)
    mate = [v for v in data.names if codes[data.names.id(v)] == codes[data.names.id(0)] and v != 0]
    assert mate != [1]


def test_budget_keeps_the_number_of_edges():
    g = nx.powerlaw_cluster_graph(200, 5, 0.6, seed=1)
    codes = grow_classes(shoal.as_graph(g), 2, "jaccard", np.ones(200, dtype=bool))
    by_majority, by_budget = (fill_blocks(shoal.as_graph(g), codes, fill).m for fill in ("majority", "budget"))
    assert by_majority < by_budget <= g.number_of_edges() < by_budget + 9


def test_budget_takes_the_fullest_blocks():
    g = nx.Graph([(0, 2), (0, 3), (1, 2), (1, 3), (4, 6), (4, 7), (8, 10)])
    g.add_nodes_from(range(12))
    data = shoal.as_graph(g)
    codes = np.array([v // 2 for v in data.names])
    after = fill_blocks(data, codes, "budget").to_networkx()
    assert edges(after) == {frozenset(e) for e in [(0, 2), (0, 3), (1, 2), (1, 3)]}


@pytest.mark.slow
def test_only_sensitive_vertices_have_a_guarantee():
    g = nx.powerlaw_cluster_graph(120, 4, 0.5, seed=7)
    everyone, some = shoal.methods.EqualizeRows(4)(g), shoal.methods.EqualizeRows(4, sensitive=[3, 50, 99, 3])(g)
    check(g, some, 4)
    assert some.promises[0].vertices == (3, 50, 99)
    assert some.measured["edits"] < everyone.measured["edits"] / 4
    assert "sensitive" not in some.method.public()
    assert tells(repr(some), "NOT PROTECTED", "117", "120")
    assert any("NOT PROTECTED" in note for note in some.notes)
    assert "NOT PROTECTED" not in repr(everyone)


@pytest.mark.slow
def test_the_report_says_that_other_vertices_are_not_protected():
    from shoal.report.html.page import render_page

    g = nx.powerlaw_cluster_graph(30, 3, 0.5, seed=7)
    release = shoal.methods.EqualizeRows(3, sensitive=[3, 5], effort=5)(g)
    for external in (False, True):
        found = shoal.audit(g, release, knowledge=["degree"], attacks=(), external=external)
        assert repr(found).startswith("NOT PROTECTED: only some people")
        assert render_page(found).count("NOT PROTECTED") >= 1
    whole = shoal.audit(g, shoal.methods.EqualizeRows(3, effort=5)(g), knowledge=["degree"], attacks=())
    assert "PROTECTED" not in repr(whole)


CLOSED = {0: [1, 2, 4, 5], 1: [2, 3, 4, 5], 2: [3, 5], 3: [4, 5], 4: [5]}


@pytest.mark.slow
def test_the_bound_of_closed_classes_is_labeled(tmp_path):
    """The graph keeps the guarantee without edits: the bound applies to classes, not to the guarantee."""
    from shoal.report.html.page import render_page

    g = shoal.as_graph([(a, b) for a, near in CLOSED.items() for b in near])
    release = shoal.methods.EqualizeRows(3, closed=1, seed=1)(g)
    assert shoal.assess(g, "neighbors:1").k >= 3
    assert release.measured["lower bound on edits"] > 0
    assert "closed classes only" in repr(release)
    release.save(tmp_path / "safe.csv")
    assert "closed classes only" in (tmp_path / "safe.csv.release.json").read_text()
    for external in (False, True):
        text = render_page(shoal.audit(g, release, knowledge=["degree"], attacks=(), external=external, k=3))
        assert ("no release of this kind (closed classes) has fewer edits" in text) is not external
    opened = shoal.methods.EqualizeRows(3, seed=1)(g)
    assert "lower bound applies to" not in opened.measured


def test_no_edge_remains_with_k_above_half():
    with pytest.warns(Notice, match=r"k = 4 .*100 %, from 7 to 0"):
        release = shoal.methods.EqualizeRows(4)(nx.cycle_graph(7))
    assert release.measured["lower bound on edits"] == release.measured["edits"] == 7
    with pytest.raises(CannotPromise, match=r"k > n/2.*n is 7"):
        shoal.methods.EqualizeRows(4, require_edges=True)(nx.cycle_graph(7))


@pytest.mark.slow
@settings(max_examples=80)
@given(g=graphs(least=2, most=8), data=st.data())
def test_required_edges_remain_unless_none_can(g, data):
    k = data.draw(st.integers(1, len(g)))
    try:
        release = shoal.methods.EqualizeRows(k, require_edges=True, effort=30)(g)
    except CannotPromise:
        assert 2 * k > len(g)
        assert g.number_of_edges()
        return
    check(g, release, k)
    assert release.data.m or not g.number_of_edges()


def test_shares_do_not_round_to_100_percent():
    """One square of 5,000 edges remains: that is a loss of less than 100 %."""
    before = shoal.as_graph(nx.random_regular_graph(10, 1000, seed=1))
    square = shoal.Graph.from_pairs(before.names, [0, 0, 1, 1], [2, 3, 2, 3])
    with pytest.warns(Notice, match=r"99\.9 %, from 5,000 to 4"):
        shoal.methods.EqualizeRows(2)._warn_of_losses(before, square)
    with pytest.warns(Notice, match=r" 100 %, from 5,000 to 0"):
        shoal.methods.EqualizeRows(2)._warn_of_losses(before, shoal.Graph.from_pairs(before.names, [], []))


def test_k_1_changes_nothing():
    g = nx.path_graph(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        release = shoal.methods.EqualizeRows(1)(g)
    assert release.data == shoal.as_graph(g)
    assert release.classes == ((0,), (1,), (2,), (3,), (4,))


def test_attributes_are_kept_with_a_note():
    g = nx.cycle_graph(4)
    nx.set_node_attributes(g, 30, "age")
    release = shoal.methods.EqualizeRows(2)(g)
    assert list(release.table["age"]) == [30] * 4
    assert release.notes == (ATTRIBUTES_STAY,)


def test_bad_parameters():
    g = nx.path_graph(4)
    with pytest.raises(BadParameter, match=r"'similarity'.*2"):
        shoal.methods.EqualizeRows(2, similarity="jacard")
    with pytest.raises(BadParameter, match="'fill'"):
        shoal.methods.EqualizeRows(2, fill="all")
    for effort in (-1, True, "60", "s", "-2s", 0.0, float("nan"), float("inf"), "infs", [3]):
        with pytest.raises(BadParameter, match="'effort' must be"):
            shoal.methods.EqualizeRows(2, effort=effort)
    for closed in (0, 1.5, True):
        with pytest.raises(BadParameter, match="'closed' must be"):
            shoal.methods.EqualizeRows(2, closed=closed)
    for sensitive in ("Ann", 7, []):
        with pytest.raises(BadParameter, match="'sensitive' must be"):
            shoal.methods.EqualizeRows(2, sensitive=sensitive)
    with pytest.raises(UnknownVertex):
        shoal.methods.EqualizeRows(2, sensitive=[9])(g)
    with pytest.raises(BadParameter, match="'require_edges'"):
        shoal.methods.EqualizeRows(2, require_edges=1)
    with pytest.raises(BadParameter, match="vertices, 4"):
        shoal.methods.EqualizeRows(5)(g)
    with pytest.raises(BadParameter, match="a simple graph"):
        shoal.methods.EqualizeRows(2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1)]), multigraph=True))


def test_repr_can_be_evaluated():
    method = shoal.methods.EqualizeRows(3, "2-path", "budget", 2, ["a", 2], effort="2s", require_edges=True, seed=9)
    assert eval(repr(method), {"EqualizeRows": shoal.methods.EqualizeRows}) == method
