"""MatchDegrees: the oracle checks that every degree occurs k times; brute force checks the dynamic programs."""

import warnings
from collections import Counter
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
from shoal.data.graph import Graph
from shoal.errors import BadGraph, BadParameter, Notice
from shoal.methods import MatchDegrees
from shoal.methods.links.match_degrees import DEGREES_ONLY, NEW_VERTICES, REALIZE
from shoal.methods.links.match_degrees.arcs import ArcEdits
from shoal.methods.links.match_degrees.bounds import (
    bound_additions,
    bound_edits,
    bound_hubs,
    bound_moves,
    bound_shared,
    induce_first_places,
)
from shoal.methods.links.match_degrees.groups import (
    find_even_groups,
    find_greedy_groups,
    find_least_deficient_groups,
    find_optimal_groups,
    sort_degrees,
)
from shoal.methods.links.match_degrees.realization import DegreeEdits, count_new_vertices, link_near_regular
from shoal.methods.links.match_degrees.vectors import bound_vector_edits, find_cheapest_path
from shoal.release.verify import verify_release

WAYS = [
    {"edits": edits, "realize": realize, "degrees": degrees}
    for edits, names in REALIZE.items()
    for realize in (None, *names)
    for degrees in (("optimal", "greedy") if edits != "add-vertices" else ("optimal",))
]
ways = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way.values())))
sequences = st.lists(st.integers(0, 12), min_size=1, max_size=14)


def made(g, k, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return MatchDegrees(k, **how)(g)


def edge_set(g):
    return {frozenset(edge) for edge in g.edges}


def holds(g, k):
    return min(oracle.size(oracle.degree(g)).values()) >= k


def groupings(d, k):
    """Yield all ways to cut a sequence into runs of k or more."""
    if len(d) < k:
        return
    yield [d]
    for cut in range(k, len(d) - k + 1):
        for rest in groupings(d[cut:], k):
            yield [d[:cut], *rest]


def raised(run):
    return sum(run[0] - x for x in run)


def deviation(run):
    return min(sum(abs(c - x) for x in run) for c in range(max(run) + 1))


def judged(d, k, cost, join=sum):
    """Return the cost of the best groups by a plain dynamic program over where the last group begins, of any size."""
    best = [0, *[float("inf")] * len(d)]
    for i in range(k, len(d) + 1):
        best[i] = min(join((best[j], cost(d[j:i]))) for j in range(i - k + 1))
    return best[len(d)]


@pytest.mark.slow
@given(sequences, st.integers(1, 6))
def test_the_dynamic_programs_are_optimal_by_brute_force(degrees, k):
    d = sorted(degrees, reverse=True)
    k = min(k, len(d))
    for down, cost in ((False, raised), (True, deviation)):
        found = find_optimal_groups(np.array(d), k, down=down)
        assert found.cost == min(sum(map(cost, runs)) for runs in groupings(d, k))
        assert np.bincount(found.moved)[found.moved].min() >= k
        assert down or (found.moved >= found.degrees).all()
        assert find_greedy_groups(np.array(d), k, down=down).cost >= found.cost


@settings(max_examples=60)
@given(st.lists(st.integers(0, 60), min_size=2, max_size=80), st.integers(2, 9))
def test_the_dynamic_programs_agree_with_a_plain_one(degrees, k):
    d = sorted(degrees, reverse=True)
    k = min(k, len(d))
    assert find_optimal_groups(np.array(d), k, down=False).cost == judged(d, k, raised)
    assert find_optimal_groups(np.array(d), k, down=True).cost == judged(d, k, deviation)


@given(sequences, st.integers(1, 6))
def test_the_smallest_largest_increase_with_the_least_sum(degrees, k):
    d = sorted(degrees, reverse=True)
    k = min(k, len(d))
    found = find_least_deficient_groups(np.array(d), k)
    least = min((max(run[0] - run[-1] for run in runs), sum(map(raised, runs))) for runs in groupings(d, k))
    assert (int((found.moved - found.degrees).max()), found.cost) == least


@settings(max_examples=40)
@given(st.lists(st.integers(0, 60), min_size=2, max_size=80), st.integers(2, 9))
def test_the_largest_increase_is_the_least_possible(degrees, k):
    d = sorted(degrees, reverse=True)
    k = min(k, len(d))
    found = find_least_deficient_groups(np.array(d), k)
    assert (found.moved - found.degrees).max() == judged(d, k, lambda run: run[0] - run[-1], join=max)


@given(sequences, st.integers(1, 6), st.booleans())
def test_even_costs_are_even_and_hardly_more(degrees, k, down):
    d = sort_degrees(np.array(degrees).clip(0, len(degrees) - 1))
    k = min(k, len(d))
    found, best = find_even_groups(d, k, down=down), find_optimal_groups(d, k, down=down)
    if found is None:  # one group of even size: its parity is that of the degrees, which are those of no graph
        assert best.cost % 2
        return
    assert found.cost % 2 == 0
    assert np.bincount(found.moved)[found.moved].min() >= k
    assert found.moved.max() < len(d)
    assert found.cost == best.cost if best.cost % 2 == 0 else found.cost > best.cost


@pytest.mark.parametrize(("k", "adding", "by_greed", "moving"), [(2, 7, 7, 5), (5, 25, 25, 17), (10, 86, 96, 44)])
def test_known_values_on_karate(k, adding, by_greed, moving):
    d = sort_degrees(shoal.examples.karate().degree)
    assert (find_optimal_groups(d, k, down=False).cost, find_optimal_groups(d, k, down=True).cost) == (adding, moving)
    assert find_greedy_groups(d, k, down=False).cost == by_greed


def anonymous(n, k):
    """Return all graphs of n vertices that hold, a bit for each pair."""
    graphs = np.arange(2 ** (n * (n - 1) // 2))
    degrees = np.zeros((n, len(graphs)), dtype=np.int64)
    for i, pair in enumerate(combinations(range(n), 2)):
        degrees[list(pair)] += graphs >> i & 1
    return graphs[[min(map(row.count, row)) >= k for row in degrees.T.tolist()]]


def fewest_by_brute_force(g, among, delete):
    """Return the fewest edits from g to any of these graphs; with additions only, to those that have all its edges."""
    own = sum(1 << i for i, pair in enumerate(combinations(sorted(g), 2)) if g.has_edge(*pair))
    others = among if delete else among[among & own == own]
    return min((other ^ own).bit_count() for other in others.tolist())


SMALL = [(n, k, anonymous(n, k)) for n in (2, 3, 4, 5) for k in range(2, n + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("delete", [False, True])
def test_bounds_are_below_the_fewest_edits_and_few_more_are_made(delete):
    tried = optimum = 0
    for n, k, among in SMALL:
        for g in [g for g in ATLAS if len(g) == n]:
            fewest = fewest_by_brute_force(g, among, delete)
            data = shoal.as_graph(g)
            edits = made(data, k, edits="add-delete" if delete else "add").measured["edits"]
            assert bound_edits(data, k, delete=delete) <= fewest <= edits
            tried += 1
            optimum += edits == fewest
    assert optimum >= tried - 2


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 4])
def test_every_way_to_share_the_edits_is_below_the_fewest(k):
    among, tight = anonymous(6, k), 0
    six = [g for g in ATLAS if len(g) == 6]
    for g in draw_cases(six, 50):
        fewest = fewest_by_brute_force(g, among, delete=True)
        data = shoal.as_graph(g)
        d, links = sort_degrees(data.degree), induce_first_places(data, 6)
        ways = [(q, p, z) for q in range(7) for p in range(7) for z in ((0, 1, 2) if p else (0,))]
        most = max(-(-bound_shared(data, d, k, links, *way) // 4) for way in ways)
        assert bound_hubs(data, d, k) <= most <= fewest
        assert bound_moves(d, k) <= fewest
        assert bound_additions(data, d, k) <= fewest_by_brute_force(g, among, delete=False)
        tight += most == fewest
    assert tight > 12


def fewest_by_a_solver(g, k):
    """Return the fewest edits: x toggles a pair, y says that v has degree t, z that some vertex has degree t."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    n, pairs = len(g), list(combinations(g, 2))
    m = len(pairs)
    y, z = m + np.arange(n * n).reshape(n, n), m + n * n + np.arange(n)
    rows, low, high = [], [], []

    def demand(terms, least, most):
        row = np.zeros(m + n * n + n)
        for i, c in terms:
            row[i] += c
        rows.append(row), low.append(least), high.append(most)

    for v in g:
        demand([(y[v, t], 1) for t in range(n)], 1, 1)
        moves = [(i, -1 if g.has_edge(*pair) else 1) for i, pair in enumerate(pairs) if v in pair]
        demand([*moves, *((y[v, t], -t) for t in range(n))], -g.degree(v), -g.degree(v))
    for t in range(n):
        demand([*((y[v, t], 1) for v in g), (z[t], -k)], 0, np.inf)
        for v in g:
            demand([(z[t], 1), (y[v, t], -1)], 0, np.inf)
    cost = np.arange(len(rows[0])) < m
    found = milp(cost, constraints=LinearConstraint(np.array(rows), low, high), integrality=1, bounds=Bounds(0, 1))
    assert found.success
    return round(found.fun)


@pytest.mark.parametrize(
    ("hubs", "leaves", "k"),
    [
        ([(0, 1)], (5, 3), 2),
        ([], (5, 3), 2),
        ([(0, 1), (1, 2), (0, 2)], (4, 3, 1), 3),
        ([(0, 1), (1, 2)], (6, 1, 0), 2),
    ],
)
def test_bounds_where_hubs_have_leaves(hubs, leaves, k):
    g = nx.Graph(hubs)
    g.add_nodes_from(range(len(leaves)))
    for hub, many in enumerate(leaves):
        g.add_edges_from([(hub, len(g) + i) for i in range(many)])
    data = shoal.as_graph(g)
    assert 0 < bound_edits(data, k, delete=True) <= fewest_by_a_solver(g, k)


def test_bounds_exceed_half_of_the_sum_if_hubs_have_no_partners():
    g = shoal.as_graph(nx.disjoint_union(nx.star_graph(40), nx.disjoint_union(nx.star_graph(15), nx.cycle_graph(50))))
    d = sort_degrees(g.degree)
    assert bound_additions(g, d, 2) == 25 > find_optimal_groups(d, 2, down=False).cost / 2 + 10
    assert bound_moves(d, 2) == 25
    assert made(g, 2).measured["edits"] == 25


def test_hubs_that_must_lose_links_pay_for_them():
    g = nx.disjoint_union(
        nx.star_graph(60), nx.disjoint_union(nx.star_graph(50), nx.gnm_random_graph(100, 300, seed=1))
    )
    g = shoal.as_graph(g)
    d = sort_degrees(g.degree)
    assert find_optimal_groups(d, 20, down=True).cost / 2 == 68
    assert bound_moves(d, 20) == 86
    assert bound_hubs(g, d, 20) == 114
    assert made(g, 20, edits="add-delete").measured["edits"] <= 116


def test_the_links_among_hubs_count():
    # the same degrees: linked hubs can lose a link that serves both, but get none
    alone = nx.Graph([(a, 6 + 30 * a + i) for a in range(6) for i in range(20 + a)])
    linked = nx.Graph([(a, 6 + 30 * a + i) for a in range(6) for i in range(15 + a)])
    linked.add_edges_from(combinations(range(6), 2))
    linked.add_edges_from((1000 + i, 2000 + i) for i in range(15))
    found = {}
    for name, g in (("alone", shoal.as_graph(alone)), ("linked", shoal.as_graph(linked))):
        d = sort_degrees(g.degree)
        found[name] = [d.tolist(), bound_hubs(g, d, 4), bound_hubs(g, d, 8)]
    assert found["alone"][0] == found["linked"][0]
    assert (found["alone"][1:], found["linked"][1:]) == ([6, 42], [7, 39])


@pytest.mark.slow
@ways
@settings(max_examples=40)
@given(graphs(most=8), st.integers(1, 8), st.integers(0, 2))
def test_the_promise_holds_by_the_oracle(way, g, k, seed):
    k = min(k, len(g))
    data = shoal.as_graph(g)
    release = made(data, k, seed=seed, **way)
    h = release.data.to_networkx()
    assert holds(h, k)
    assert data == shoal.as_graph(g)
    assert made(data, k, seed=seed, **way).data == release.data
    if holds(g, k):
        assert release.data is data
        assert release.measured == {"edits": 0}
    if way["edits"] == "add":
        assert edge_set(g) <= edge_set(h)
    if way["edits"] != "add-vertices":
        assert list(release.data.names) == list(data.names)
        assert len(edge_set(g) ^ edge_set(h)) == release.measured["edits"]
    else:
        assert list(release.data.names)[: len(g)] == list(data.names)
        assert edge_set(h.subgraph(g)) == edge_set(g)
        real = [h.degree(v) for v in g]
        assert min(map(real.count, real)) >= k


@ways
@pytest.mark.parametrize("k", [3, 10, 40])
def test_larger_graphs(way, k):
    for g in (nx.barabasi_albert_graph(150, 3, seed=1), nx.gnm_random_graph(120, 200, seed=2)):
        release = made(g, k, **way)
        often = np.bincount(release.data.degree)
        assert often[often > 0].min() >= k
        if way["edits"] == "add":
            assert not release.edits.removed
        if way["edits"] != "add-vertices":
            assert release.measured["lower bound on edits"] <= release.measured["edits"]
            assert release.measured["least sum of degree changes"] <= release.measured["sum of degree changes"]
            assert release.measured["sum of degree changes"] <= 2 * release.measured["edits"]


@pytest.mark.parametrize("k", [2, 5, 10])
def test_few_edits_more_than_are_proved_to_be_needed(k):
    g = nx.barabasi_albert_graph(400, 4, seed=3)
    measured = made(g, k).measured
    assert measured["edits"] <= 1.2 * measured["lower bound on edits"] + 2
    fewer = made(g, k, edits="add-delete").measured
    assert fewer["edits"] <= 1.5 * fewer["lower bound on edits"] + 1
    assert fewer["edits"] <= measured["edits"]


@pytest.mark.parametrize("way", [{"edits": "add"}, {"edits": "add-delete"}, {"edits": "add", "realize": "umga"}])
def test_extremes(way):
    for g in (nx.empty_graph(5), nx.complete_graph(6), nx.cycle_graph(7)):
        assert made(g, len(g), **way).edits.ratio == 0
    assert made(nx.empty_graph(1), 1, **way).data.n == 1
    for n in (5, 6, 9):  # n odd: a regular graph has an even degree
        for g in (
            nx.star_graph(n - 1),
            nx.path_graph(n),
            nx.disjoint_union(nx.complete_graph(2), nx.empty_graph(n - 2)),
        ):
            degree = made(g, n, **way).data.degree
            assert degree.min() == degree.max()
            assert degree[0] * n % 2 == 0
    assert made(nx.star_graph(5), 6).data.m == 15


def test_every_unit_is_served_even_without_spare_partners():
    g = nx.complete_bipartite_graph(3, 4)
    release = made(g, 7)
    assert release.data.degree.tolist() == [4] * 7
    assert holds(release.data.to_networkx(), 7)


def test_alternating_walks_serve_units_without_a_pair():
    # 0 and 1 lack a link each and are linked; 2 and 3 were linked a moment ago
    g = shoal.as_graph(nx.Graph([(0, 1), (2, 4), (3, 5)]))
    edits = DegreeEdits(g, 1, np.random.default_rng(0), near=False)
    edits.aim_at(np.array([1, 1, 2, 2, 1, 1]))
    edits.pair(1)
    edits.aim_at(np.array([2, 2, 2, 2, 1, 1]))
    edits.pair(1)
    assert edits.left == 0
    assert edits.make_graph(g).degree.tolist() == [2, 2, 2, 2, 1, 1]
    assert edge_set(g.to_networkx()) <= edge_set(edits.make_graph(g).to_networkx())
    assert len(edits.list_toggled()[0]) == 2


def test_a_class_that_moves_as_a_whole_serves_a_hub():
    g = nx.disjoint_union(nx.star_graph(9), nx.star_graph(5))
    release = made(g, 2)
    assert not release.edits.removed
    assert release.measured["edits"] == 4


@pytest.mark.parametrize("realize", ["priority", "greedy-swap"])
def test_constructed_graphs_are_near_the_original(realize):
    g = nx.barabasi_albert_graph(200, 3, seed=5)
    release = made(g, 5, edits="add-delete", realize=realize)
    assert len(release.edits.removed) < g.number_of_edges() / 4


def test_new_vertices_have_names_attributes_and_a_note():
    g = nx.star_graph(5)
    nx.set_node_attributes(g, {v: "abcdef"[v] for v in g}, "color")
    g = nx.relabel_nodes(g, {5: "new vertex 1"})
    with pytest.warns(Notice, match="no real person"):
        release = MatchDegrees(2, edits="add-vertices")(g)
    assert not MatchDegrees(2, edits="add-vertices").keeps_vertices
    assert MatchDegrees(2).keeps_vertices
    fresh = list(release.data.names)[6:]
    assert len(fresh) == release.measured["vertices added"] >= release.measured["largest degree increase"] == 4
    assert fresh[0] == "new vertex 1'"
    assert set(release.data.attributes["color"].values) <= set("abcdef")
    assert NEW_VERTICES in release.notes
    assert verify_release(release).verification


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12))
def test_new_vertices_have_one_degree_that_others_have(rows):
    """A degree that only new vertices have would expose them."""
    had, lack = np.array([d for d, _ in rows]), np.array([more for _, more in rows])
    assume(had.sum() % 2 == 0)  # as the degrees of any graph
    assume(lack.any())
    many, degree = count_new_vertices(lack, had + lack)
    assert many >= lack.max()
    assert degree in had + lack
    inner = np.array([degree - sum(1 for i in range(sum(lack)) if i % many == v) for v in range(many)])
    a, b = link_near_regular(inner)
    assert (np.bincount(np.concatenate([a, b]), minlength=many) == inner).all()
    assert len(set(map(frozenset, zip(a.tolist(), b.tolist(), strict=True)))) == len(a)


def test_text_and_json_output():
    for way in WAYS:
        method = MatchDegrees(3, **way, seed=4)
        assert eval(repr(method)) == method
        assert "seed" not in method.public()
    release = made(nx.path_graph(5), 2)
    assert DEGREES_ONLY in release.notes
    assert not any(map(MatchDegrees.reason_to_publish, release.measured))
    with pytest.warns(Notice, match="links changed"):
        MatchDegrees(6)(nx.star_graph(5))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"k": 0}, r"'k'.*1"),
        ({"k": 2, "edits": "ad"}, "Did you mean 'add'"),
        ({"k": 2, "degrees": "best"}, "'degrees'"),
        ({"k": 2, "realize": "umgah"}, "Did you mean 'umga'"),
        ({"k": 2, "realize": "priority"}, r"edits=.*'add-delete'"),
        ({"k": 2, "realize": "supergraph", "edits": "add-delete"}, "works with edits='add'"),
        ({"k": 2, "realize": "umga", "edits": "add-vertices"}, r"edits=.*'add-vertices'"),
        ({"k": 2, "degrees": "greedy", "edits": "add-vertices"}, "'optimal'"),
        ({"k": 2, "seed": -1}, "'seed'"),
    ],
)
def test_invalid_parameters_are_refused(how, words):
    with pytest.raises(BadParameter, match=words):
        MatchDegrees(**how)


def test_data_that_cannot_be_matched_is_refused():
    with pytest.raises(BadParameter, match="k"):
        MatchDegrees(4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        MatchDegrees(2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))


def draw_ties(seed, n, links, kinds):
    """Return a random network with arcs, links without direction (if there are several kinds) and kinds."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(n, size=(2, links))
    apart = a != b
    labels = rng.choice(list(kinds), size=links)[apart].tolist() if kinds else None
    arrows = rng.random(links)[apart] < 0.7 if kinds else True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return Graph.from_pairs(range(n), a[apart], b[apart], directed=arrows, kinds=labels)


def count_vectors(graph):
    """Return how often each degree vector occurs: for each relation the number of links, from the list of links."""
    degrees = [Counter() for _ in range(graph.n)]
    for a, b, relation in graph.each_link():
        degrees[a][relation] += 1
        degrees[b][relation.reverse] += 1
    return Counter(frozenset(degree.items()) for degree in degrees)


@pytest.mark.parametrize("edits", ["add", "add-delete"])
@pytest.mark.parametrize("seed", range(40))
def test_each_degree_vector_occurs_k_times(seed, edits):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    graph = draw_ties(seed, n, int(rng.integers(1, 4 * n)), ["", "x", "xy", "xyz"][seed % 4])
    k = int(rng.integers(2, min(n, 7) + 1))
    if graph.ties is None or len(graph.ties.relations) > 8:
        return
    release = made(graph, k, edits=edits)
    assert min(count_vectors(release.data).values()) >= k
    before, after = set(graph.each_link()), set(release.data.each_link())
    assert release.measured["edits"] == len(before ^ after)
    assert edits == "add-delete" or before <= after
    assert {relation for *_, relation in after} <= {relation for *_, relation in before}
    assert release.measured.get("lower bound on edits", 0) <= release.measured["edits"]
    assert [promise.knowledge.spec for promise in release.promises] == ["degree"]


ARCS = [(a, b) for a in range(3) for b in range(3) if a != b]


def list_digraphs():
    """Return all digraphs on three vertices, as sets of arcs."""
    return [frozenset(arcs) for many in range(len(ARCS) + 1) for arcs in combinations(ARCS, many)]


def has_equal_vectors(arcs, k):
    degrees = Counter((sum(a == v for a, _ in arcs), sum(b == v for _, b in arcs)) for v in range(3))
    return min(degrees.values()) >= k


@pytest.mark.parametrize("delete", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_the_bound_for_vectors_is_below_the_fewest_edits(k, delete):
    every = list_digraphs()
    fitting = [arcs for arcs in every if has_equal_vectors(arcs, k)]
    for arcs in every:
        if not arcs:
            continue
        least = min(len(arcs ^ other) for other in fitting if delete or arcs <= other)
        graph = Graph.from_pairs(range(3), *zip(*sorted(arcs), strict=True), directed=True)
        assert bound_vector_edits(graph, k, delete=delete) <= least
        release = made(graph, k, edits="add-delete" if delete else "add")
        assert has_equal_vectors({(a, b) for a, b, _ in release.data.each_link()}, k)
        assert release.measured["edits"] >= least


def test_directed_degrees_that_occur_often_enough_stay():
    ring = Graph.from_pairs(range(6), range(6), [1, 2, 3, 4, 5, 0], directed=True)
    assert made(ring, 6).data is not None
    assert made(ring, 6).measured["edits"] == 0


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"edits": "add-vertices"}, "'edits'.*'add-vertices'"),
        ({"realize": "umga"}, "'realize'"),
        ({"degrees": "greedy"}, "'degrees'"),
    ],
)
def test_options_that_do_not_work_with_directions(how, words):
    with pytest.raises(BadParameter, match=words):
        MatchDegrees(2, **how)(draw_ties(1, 9, 20, ""))


def test_too_many_relations_are_refused():
    graph = draw_ties(1, 30, 200, "abcde")
    assert len(graph.ties.relations) > 8
    with pytest.raises(BadGraph, match=r"at most 8 relations.*--undirected"):
        MatchDegrees(2)(graph)


def test_paths_serve_units_that_no_pair_serves():
    out = [{1}, {0}, {3}, {2}]
    edits = ArcEdits([set(row) for row in out], [{1}, {0}, {3}, {2}], [-1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 2, 3], True)
    edits.serve()
    assert edits.left == 0
    assert [len(row) for row in edits.out] == [0, 1, 1, 1]
    assert [len(row) for row in edits.into] == [1, 1, 0, 1]
    assert not any(v in row for v, row in enumerate(edits.out))


@settings(max_examples=60)
@given(st.integers(-30, 30).filter(bool), st.integers(2, 9), st.integers(2, 9))
def test_steps_of_two_sizes_reach_every_possible_sum(excess, one, other):
    path = find_cheapest_path(excess, {sign * size: 1 for sign in (1, -1) for size in (one, other)}, 2)
    assert (path is None) == (excess % np.gcd(one, other) != 0)
    assert path is None or sum(path) == -excess
