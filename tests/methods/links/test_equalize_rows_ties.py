"""EqualizeRows where links have directions and kinds: rows are sets of entries (neighbor, relation)."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.core.edge_diff import count_edits
from shoal.data.graph import Graph
from shoal.errors import BadParameter
from shoal.methods import EqualizeRows
from shoal.methods.links.equalize_rows import EditProblem, bound_edits
from shoal.methods.links.generalize import WorldProblem
from shoal.optimize._kernels.partition import anneal
from shoal.optimize.class_partition import complete_blocks, count_blocks, fill_blocks, grow_classes

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
KINDS = (None, ("call", "mail"))
FORMS = [(True, None), (True, KINDS[1]), (False, KINDS[1]), ("mixed", None), ("mixed", KINDS[1])]


def draw(n, m, seed, directed=True, kinds=None):
    """Return a random graph with directions or kinds, with hubs and with several links between some pairs."""
    rng = np.random.default_rng(seed)
    skewed = (n * rng.random((2, 3 * m)) ** 2).astype(int)
    a, b = rng.permuted(skewed[:, skewed[0] != skewed[1]], axis=0)[:, :m]
    a, b = a[a != b], b[a != b]
    arrows = rng.random(len(a)) < 0.5 if directed == "mixed" else directed
    labels = None if kinds is None else [kinds[i] for i in rng.integers(0, len(kinds), len(a)).tolist()]
    return Graph.from_pairs(range(n), a, b, directed=arrows, kinds=labels)


def list_rows(graph):
    """Return the set of entries (neighbor, relation) of each vertex, from the list of links."""
    rows = [set() for _ in range(graph.n)]
    for a, b, relation in graph.each_link():
        rows[a].add((b, relation))
        rows[b].add((a, relation.reverse))
    return rows


def list_partitions(items, k):
    """List all partitions into classes of k or more."""
    if not items:
        return [[]]
    found = []
    for others in range(1 << (len(items) - 1)):
        part = [items[0], *(x for i, x in enumerate(items[1:]) if others >> i & 1)]
        rest = [x for x in items if x not in part]
        if len(part) >= k and (not rest or len(rest) >= k):
            found += [[part, *more] for more in list_partitions(rest, k)]
    return found


def fewest_by_definition(graph, k):
    """Return the fewest edits of any graph with equal rows in classes of k or more, over all partitions."""
    rows, least = list_rows(graph), graph.m
    relations = {relation for row in rows for _, relation in row}
    for classes in list_partitions(list(range(graph.n)), k):
        ends = 0
        for one in classes:
            for other, relation in product(classes, relations):
                filled = sum((w, relation) in rows[v] for v in one for w in other)
                ends += filled if one is other else min(filled, len(one) * len(other) - filled)
        least = min(least, ends // 2)  # each link is an entry of two rows
    return least


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("form", FORMS, ids=str)
def test_small_graphs_against_all_partitions(form, seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 8)), int(rng.integers(2, 4))
    graph = draw(n, int(rng.integers(3, 14)), seed, *form)
    if graph.ties is None:
        return
    fewest = fewest_by_definition(graph, k)
    release = EqualizeRows(k, seed=seed)(graph)
    assert shoal.assess(release, "adjacency").k >= k
    rows = list_rows(release.data)
    assert min(sum(row == other for other in rows) for row in rows) >= k
    edits = release.measured["edits"]
    assert edits == count_edits(graph, release.data) == len(set(graph.each_link()) ^ set(release.data.each_link()))
    assert bound_edits(graph, k, np.ones(n, dtype=bool)) == release.measured["lower bound on edits"] <= fewest <= edits
    assert edits == fewest


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("k", [2, 5])
def test_larger_graphs(form, k):
    graph = draw(60, 250, k, *form)
    before = list(graph.each_link())
    release, again = (EqualizeRows(k, effort=60, seed=3)(graph) for _ in range(2))
    assert list(graph.each_link()) == before
    assert release.data == again.data
    assert (release.codes == again.codes).all()
    assert shoal.assess(release, "adjacency").k >= k
    assert np.bincount(release.codes).min() >= k
    assert release.measured["lower bound on edits"] <= release.measured["edits"]
    assert set(release.data.ties.relations) <= set(graph.ties.relations)


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("stored", [0, 4096])
@pytest.mark.parametrize("clique", [0, 6])
@pytest.mark.parametrize("some", [False, True])
def test_the_gain_of_the_search_equals_the_saved_edits(form, some, clique, stored, monkeypatch):
    monkeypatch.setattr("shoal.optimize.class_partition.STORED", stored)
    graph = draw(80, 400, 2, *form)
    sensitive = np.arange(graph.n) % 3 == 0 if some else np.ones(graph.n, dtype=bool)
    for k in (2, 3, 5):
        start = grow_classes(graph, k, "jaccard", sensitive)
        state = EditProblem(graph, k, sensitive, 1, clique).begin(start, 0)
        gained = -anneal(state, 20_000, 2.0, 0.2, 0.0)
        before, after = (count_blocks(graph, codes, clique).cheapest for codes in (start, state.code))
        assert gained == before - after
        check_counts(graph, state)


def check_counts(graph, state):
    """Compare sizes, columns and stored blocks with the classes."""
    relations = graph.ties.relations
    assert (np.bincount(state.code, minlength=len(state.size)) == state.size).all()
    assert (state.width == np.repeat(state.size, len(relations))).all()
    again = np.zeros((len(state.size), len(state.size) * len(relations)), dtype=int)
    for v, row in enumerate(list_rows(graph)):
        for w, relation in row:
            again[state.code[v], state.code[w] * len(relations) + relations.index(relation)] += 1
    assert not len(state.blocks) or (state.blocks == again).all()
    assert not state.here.any()
    assert not state.there.any()
    assert not state.shift.any()


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("stored", [0, 4096])
def test_the_gain_of_the_search_equals_the_lost_worlds(form, stored, monkeypatch):
    monkeypatch.setattr("shoal.optimize.class_partition.STORED", stored)
    graph, everyone = draw(80, 400, 3, *form), np.ones(80, dtype=bool)
    start = grow_classes(graph, 3, "jaccard", everyone)
    problem = WorldProblem(graph, 3, everyone, 1, weight=0.5)
    state = problem.begin(start, 0)
    more = anneal(state, 20_000, 2.0, 0.2, 0.0)
    assert more == pytest.approx(problem.cost(state.code.astype(np.int64)) - problem.cost(start))
    check_counts(graph, state)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_stored_and_counted_blocks_take_the_same_steps(form, monkeypatch):
    found = []
    monkeypatch.setattr("shoal.optimize.class_partition.FEW", 5)
    for stored in (0, 4096):
        monkeypatch.setattr("shoal.optimize.class_partition.STORED", stored)
        found.append(EqualizeRows(2, effort=20, seed=5)(draw(60, 250, 1, *form)).classes)
    assert found[0] == found[1]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("fill", ["majority", "budget"])
def test_filled_blocks_against_the_definition(form, fill):
    """Between two classes all links of a relation exist or none; "majority" makes the fewest edits."""
    graph = draw(20, 160, 7, *form)
    codes = np.arange(20) // 3 - (np.arange(20) == 19)
    rows, filled = list_rows(graph), list_rows(fill_blocks(graph, codes, fill))
    completed = list_rows(complete_blocks(graph, codes, 0))
    for (i, j), relation in product(product(range(6), repeat=2), graph.ties.relations):
        pairs = [(v, (w, relation)) for v, w in product(np.flatnonzero(codes == i), np.flatnonzero(codes == j))]
        was, now, all_of_them = (sum(x in r[v] for v, x in pairs) for r in (rows, filled, completed))
        assert now in (0, 0 if i == j else len(pairs))
        assert all_of_them == (len(pairs) if i != j and was else 0)
        if fill == "majority" and i != j:
            assert (now > 0) == (2 * was > len(pairs))
    assert fill == "majority" or fill_blocks(graph, codes, fill).m <= graph.m


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("l", [1, 2])
def test_cliques_guarantee_known_links(form, l):
    """Two groups of nine people with all links inside, both ways: cliques keep them."""
    directed, kinds = form
    a, b = np.array([(g + i, g + j) for g in (0, 9) for i in range(9) for j in range(9) if i != j]).T
    arrows = a % 2 == 0 if directed == "mixed" else directed
    labels = None if kinds is None else [kinds[i % 2] for i in a.tolist()]
    graph = Graph.from_pairs(range(18), a, b, directed=arrows, kinds=labels)
    release = EqualizeRows(3, closed=l, seed=1)(graph)
    assert shoal.assess(release, f"neighbors:{l}").k >= 3
    bound = release.measured["lower bound on edits"]
    assert bound == bound_edits(graph, 3, np.ones(18, dtype=bool), 3 + l) <= release.measured["edits"]
    everything = kinds is None and directed is True
    assert not everything or (release.data == graph and bound == 0)


@pytest.mark.parametrize("seed", range(20))
def test_the_bound_with_cliques_against_all_partitions(seed):
    """No partition of 4 vertices into classes of 2, or cliques of 3 or more, needs fewer edits than the bound."""
    graph = draw(4, 7, seed)
    k, clique, links = 2, 3, set(graph.each_link())
    relation = graph.ties.relations[0]
    least = graph.m
    for classes in list_partitions(list(range(4)), k):
        edits = 0
        for one, other in product(classes, classes):
            filled = sum((v, w, relation) in links for v in one for w in other)
            space = len(one) * (len(one) - 1) if one is other else len(one) * len(other)
            edits += filled if one is other and len(one) < clique else min(filled, space - filled)
        least = min(least, edits)
    assert bound_edits(graph, k, np.ones(4, dtype=bool), clique) <= least


@pytest.mark.parametrize("k", [2, 5])
def test_a_symmetric_digraph_gets_the_classes_of_the_undirected_graph_or_better(k):
    """Each edge as two arcs: equal rows of the undirected graph are equal rows of the digraph, with twice the edits."""
    plain = shoal.examples.karate().without_attributes()
    a, b, _ = plain.edges()
    arcs = Graph.from_pairs(plain.names, np.append(a, b), np.append(b, a), directed=True)
    codes = EqualizeRows(k)(plain).codes
    assert count_blocks(arcs, codes).cheapest == 2 * count_blocks(plain, codes).cheapest
    assert fill_blocks(arcs, codes).to_undirected() == fill_blocks(plain, codes)
    everyone = np.ones(plain.n, dtype=bool)
    assert 2 * bound_edits(plain, k, everyone) - 1 <= bound_edits(arcs, k, everyone)


def test_only_some_are_sensitive():
    graph = draw(40, 200, 5)
    release = EqualizeRows(3, sensitive=(1, 2, 3), effort=100)(graph)
    assert shoal.assess(release, "adjacency").sizes[[1, 2, 3]].min() >= 3


def test_no_link_is_left():
    """A directed graph stays one, also without links."""
    arcs = Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    release = EqualizeRows(2)(arcs)
    assert (release.data.m, release.data.directed, release.measured["edits"]) == (0, True, 2)
    kinds = Graph.from_pairs("abcd", [0, 1, 0, 1, 2], [2, 2, 3, 3, 3], kinds=["x", "x", "x", "x", "y"])
    assert EqualizeRows(2)(kinds).data.kinds == ("x",)


def test_multiplicities_are_refused():
    twice = Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], directed=True, multigraph=True)
    with pytest.raises(BadParameter, match="multigraph"):
        EqualizeRows(2)(twice)


@pytest.mark.parametrize("similarity", ["manhattan", "2-path"])
def test_the_algorithm_of_the_paper(similarity):
    graph = shoal.as_graph(nx.gn_graph(30, seed=2))
    release = EqualizeRows(3, similarity=similarity, effort=0)(graph)
    assert shoal.assess(release, "adjacency").k >= 3
