"""MatchNeighborhoods: the oracle checks that every neighborhood occurs k times; links are only added, and few."""

import warnings
from collections import Counter
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from shoal import Hierarchy
from shoal.errors import BadParameter, BrokenPromise, Notice, UnknownColumn
from shoal.methods import MatchNeighborhoods
from shoal.methods.links._kernels.neighborhoods import pair
from shoal.methods.links.match_neighborhoods import prune_links
from shoal.methods.links.match_neighborhoods.groups import LinkTaste, NeighborhoodGroup, Outsiders, TooDear
from shoal.methods.links.match_neighborhoods.orbits import (
    close_set,
    count_outside,
    find_orbits,
    list_missing,
    make_rows,
)
from shoal.methods.links.match_neighborhoods.plans import Rounds
from shoal.methods.links.match_neighborhoods.shapes import Labels, Shapes
from shoal.progress import watching
from shoal.release.verify import verify_release

pytestmark = pytest.mark.usefixtures("brief_searches")

EVEN = LinkTaste(1.0, 1.0)


def made(g, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return MatchNeighborhoods(**how)(g)


def sizes(g, labels=()):
    return oracle.size(oracle.neighborhood(g, radius=1, labels=labels))


def near_of(g):
    return [set(g[v]) for v in range(len(g))]


def shapes_of(g, k=2, label=None):
    return Shapes(near_of(g), list(label or [0] * len(g)), k)


# ---------------------------------------------------------------- the method


@pytest.mark.slow
@settings(max_examples=60)
@given(graphs(least=1, most=8), st.integers(1, 8), st.integers(0, 3))
def test_every_neighborhood_occurs_k_times_and_links_are_only_added(g, k, seed):
    data = shoal.as_graph(g)
    k = min(k, data.n)
    release = made(data, k=k, seed=seed)
    h = release.data.to_networkx()
    assert min(sizes(h).values()) >= k
    assert list(h) == list(g)
    assert not release.edits.removed
    assert {frozenset(e) for e in h.edges} == {frozenset(e) for e in (*g.edges, *release.edits.added)}
    assert data == shoal.as_graph(g)
    assert (release.data is data) == (min(sizes(g).values()) >= k)
    assert made(data, k=k, seed=seed).data == release.data
    assert release.measured["edges added"] == len(release.edits.added)
    assert release.measured["vertices below k before"] == sum(size < k for size in sizes(g).values())


@pytest.mark.slow
def test_all_small_graphs_for_two():
    for g in draw_cases(ATLAS[3:], 20):
        assert min(sizes(made(g, k=2).data.to_networkx()).values()) >= 2


@pytest.mark.slow
@settings(max_examples=30)
@given(graphs(least=2, most=7, attributed=True), st.integers(1, 4), st.booleans())
def test_labels_without_a_hierarchy_are_unchanged_or_suppressed(g, k, both):
    labels, k = ("a", "b") if both else ("a",), min(k, len(g))
    release = made(g, k=k, labels=labels)
    h = release.data.to_networkx()
    assert min(sizes(h, labels).values()) >= k
    before, after = release.original.attributes, release.data.attributes
    for name in before:
        suppressed = set(after[name]) == {"*"}
        assert after[name].alike(before[name]) or (suppressed and name in labels)
    assert not release.edits.removed


CITIES = {"Oslo": ("Norway", "*"), "Bergen": ("Norway", "*"), "Lund": ("Sweden", "*"), "Malmo": ("Sweden", "*")}


@pytest.mark.slow
@settings(max_examples=30)
@given(graphs(least=4, most=7), st.data())
def test_all_labels_of_a_column_have_one_level(g, data):
    for v in g:
        g.nodes[v]["city"] = data.draw(st.sampled_from([*CITIES, None]))
    release = made(g, k=2, labels=("city",), hierarchies={"city": CITIES})
    assert min(sizes(release.data.to_networkx(), ("city",)).values()) >= 2
    level = release.measured["levels"].get("city", 0)
    expected = Hierarchy.of(CITIES).recoded(release.original.attributes["city"], min(level, 2))
    assert list(release.data.attributes["city"]) == (list(expected) if level < 3 else ["*"] * len(g))


def test_labels_are_suppressed_if_the_hierarchy_has_no_single_top():
    g = nx.empty_graph(3)
    nx.set_node_attributes(g, {0: "x", 1: "y", 2: "z"}, "a")
    release = made(g, k=3, labels=("a",), hierarchies={"a": {"x": ("xy",), "y": ("xy",), "z": ("z",)}})
    assert list(release.data.attributes["a"]) == ["*"] * 3
    assert release.measured["label loss"] == 3
    assert release.measured["way"] == "labels"
    assert not release.edits.added


def test_alpha_decides_between_labels_and_links():
    g = nx.disjoint_union(nx.path_graph(6), nx.cycle_graph(6))
    nx.set_node_attributes(g, {v: "xy"[v in (0, 8)] for v in g}, "a")
    cheap, dear = (made(g, k=2, labels=("a",), alpha=alpha) for alpha in (0.0, 100.0))
    assert set(cheap.data.attributes["a"]) == {"*"}
    assert set(dear.data.attributes["a"]) == {"x", "y"}
    for release in (cheap, dear):
        assert min(sizes(release.data.to_networkx(), ("a",)).values()) >= 2


@pytest.mark.slow
def test_the_village_with_known_trades():
    trades = {"work": ["baker", "carpenter", "clerk", "doctor", "driver", "farmer", "nurse", "shopkeeper", "teacher"]}
    trades["work"] += ["weaver"]
    trades |= {"none": ["child", "pupil", "student", "retired"]}
    g = shoal.examples.village(40, seed=1)
    method = MatchNeighborhoods(2, labels=("sex", "occupation"), hierarchies={"occupation": trades})
    release = method(g)
    assert shoal.assess(release, shoal.knowledge.Neighborhood(1, ("sex", "occupation"))).k >= 2
    assert release.data.attributes["age"].alike(g.attributes["age"])
    assert any("Vertex attributes are not changed" in note for note in release.notes)


@pytest.mark.parametrize(
    ("g", "k", "links"),
    [
        (nx.empty_graph(5), 5, 0),
        (nx.complete_graph(5), 5, 0),
        (nx.cycle_graph(7), 7, 0),
        (nx.complete_bipartite_graph(2, 3), 2, 0),
        (nx.path_graph(2), 2, 0),
        (nx.path_graph(3), 3, 1),
        (nx.empty_graph(1), 1, 0),
    ],
)
def test_extremes(g, k, links):
    assert len(made(g, k=k).edits.added) == links


def test_a_star_for_all():
    release = made(nx.star_graph(6), k=7)
    assert min(sizes(release.data.to_networkx()).values()) == 7


def test_a_graph_that_keeps_the_guarantee_is_unchanged_with_a_note():
    release = MatchNeighborhoods(2)(nx.cycle_graph(5))
    assert release.data is release.original
    assert any("published unchanged" in note for note in release.notes)
    assert release.measured == {"edges added": 0, "way": "unchanged", "vertices below k before": 0}


def test_few_below_k_are_matched_in_groups_with_few_links():
    g = nx.disjoint_union_all([nx.path_graph(5)] * 30)
    g.add_edges_from([(0, 10), (0, 20), (0, 30), (40, 50)])
    release = made(g, k=2)
    assert release.measured["way"] == "groups"
    assert len(release.edits.added) <= 4
    assert shoal.assess(release, "neighborhood:1").k >= 2


@pytest.mark.parametrize("k", [2, 4])
def test_knots_are_repaired_locally(k):
    g = nx.disjoint_union_all(
        [nx.gnp_random_graph(7, 0.6, seed=3), *[nx.path_graph(3)] * 60, *[nx.cycle_graph(3)] * 20]
    )
    g.add_edges_from((v, 7 + 3 * v) for v in range(6))
    release = made(g, k=k)
    assert release.measured["way"] == "groups"
    assert shoal.assess(release, "neighborhood:1").k >= k
    assert len(release.edits.added) < 40 * k


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 5])
def test_dense_graphs_use_rows(k):
    g = nx.gnp_random_graph(30, 0.3, seed=k)
    release = made(g, k=k)
    assert release.measured["way"] == "rows"
    assert shoal.assess(release, "neighborhood:1").k >= k
    assert len(release.edits.added) <= (k - 1) * g.number_of_edges() + 30 * k


def test_progress_says_how_many_are_below_k():
    told = []
    g = nx.disjoint_union_all([nx.path_graph(5)] * 30)
    g.add_edges_from([(0, 10), (0, 20), (0, 30)])
    with watching(lambda what, done, total: told.append((what, done, total))):
        made(g, k=3)
    found = [one for one in told if one[0].startswith("matching neighborhoods, ")]
    assert found
    assert all(0 <= done <= total for _, done, total in found)


@pytest.mark.slow
def test_an_interrupt_ends_the_method():
    def interrupt(what, done, total):
        if what == "turning rows":
            raise KeyboardInterrupt

    with watching(interrupt), pytest.raises(KeyboardInterrupt):
        made(nx.gnp_random_graph(30, 0.3, seed=1), k=3)


def test_a_broken_guarantee_is_not_released():
    release = made(nx.star_graph(4), k=2)
    with pytest.raises(BrokenPromise):
        verify_release(replace(release, data=release.original))


def test_other_knowledge_is_not_covered():
    g = nx.disjoint_union_all([nx.path_graph(5)] * 30)
    g.add_edges_from([(0, 10), (0, 20), (0, 30), (40, 50)])
    release = made(g, k=2)
    risks = [shoal.assess(release, knows).k for knows in ("degree", "neighborhood:1", "neighborhood:2", "neighbors:1")]
    assert min(risks[:2]) >= 2
    assert risks[2:] == [1, 1]


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, r"'k'.*1"),
        ({"k": 2, "seed": -1}, r"'seed'.*0"),
        ({"k": 2, "alpha": -1}, r"'alpha'.*0"),
        ({"k": 2, "beta": float("nan")}, r"'beta'.*0"),
        ({"k": 2, "gamma": True}, r"'gamma'.*0"),
        ({"k": 2, "labels": ("a", "a")}, "'labels'"),
        ({"k": 2, "labels": (1,)}, "must be strings"),
        ({"k": 2, "hierarchies": ["a"]}, "'hierarchies' must map columns"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        MatchNeighborhoods(**how)


def test_bad_data():
    with pytest.raises(BadParameter, match="at most the number of vertices"):
        MatchNeighborhoods(k=4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        MatchNeighborhoods(k=2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))
    with pytest.raises(UnknownColumn):
        MatchNeighborhoods(k=2, labels="clubb")(shoal.examples.karate())
    with pytest.raises(BadParameter, match="'hierarchies'"):
        MatchNeighborhoods(k=2, hierarchies={"club": {"x": "*"}})(shoal.examples.karate())


def test_eval_repr():
    method = MatchNeighborhoods(3, labels=("a",), hierarchies={"a": {"x": ("*",)}}, alpha=2, seed=9)
    assert eval(repr(method)) == method
    assert MatchNeighborhoods(2, labels="a").labels == ("a",)


# ---------------------------------------------------------------- shapes


def by_oracle(near, label):
    g = nx.Graph()
    g.add_nodes_from((v, {"l": one}) for v, one in enumerate(label))
    g.add_edges_from((v, w) for v, row in enumerate(near) for w in row)
    return oracle.neighborhood(g, radius=1, labels=("l",))


@settings(max_examples=60)
@given(graphs(least=2, most=7), st.data())
def test_shapes_follow_added_and_removed_links(g, data):
    label = data.draw(st.lists(st.integers(0, 1), min_size=len(g), max_size=len(g)))
    shapes = shapes_of(g, 3, label)
    rounds = Rounds(shapes, EVEN, 0)
    pairs = data.draw(st.lists(st.sampled_from(list(combinations(range(len(g)), 2))), max_size=6))
    cut = data.draw(st.integers(0, len(pairs)))
    before = [*shapes.shape], shapes.below, shapes.degree.tolist(), shapes.inner.tolist()
    for some in (pairs[:cut], pairs[cut:]):
        rounds.apply(some)
        judged = by_oracle(shapes.near, label)
        for v in range(len(g)):
            assert shapes.members[shapes.shape[v]] == judged[v]
            assert shapes.degree[v] == len(shapes.near[v])
            assert shapes.inner[v] == sum(b in shapes.near[a] for a, b in combinations(shapes.near[v], 2))
        assert shapes.below == sum(len(alike) < 3 for alike in judged.values()) == len(shapes.list_short())
    rounds.revert(0)
    assert ([*shapes.shape], shapes.below, shapes.degree.tolist(), shapes.inner.tolist()) == before
    assert shapes.near == near_of(g)


def test_a_link_is_seen_by_all_common_neighbors():
    shapes = shapes_of(nx.complete_bipartite_graph(2, 3))
    assert shapes.find_seers([(0, 1)]) == {0, 1, 2, 3, 4}
    before = shapes.shape[2]
    rounds = Rounds(shapes, EVEN, 0)
    rounds.apply([(0, 1)])
    assert shapes.shape[2] != before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)),
        (nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))),
        (nx.circulant_graph(8, [1, 2]), nx.circulant_graph(8, [1, 3])),
    ],
)
def test_graphs_that_refinement_cannot_distinguish_have_different_shapes(one, other):
    assert len(one) == len(other)
    assert one.number_of_edges() == other.number_of_edges()
    g = nx.disjoint_union_all([nx.disjoint_union(h, nx.empty_graph(1)) for h in (one, other)])
    size = len(one) + 1
    for start in (0, size):
        g.add_edges_from((start + size - 1, start + v) for v in range(size - 1))
    shapes = shapes_of(g)
    assert shapes.shape[size - 1] != shapes.shape[2 * size - 1]


def test_shapes_beside_a_new_center_are_exact():
    g = nx.gnp_random_graph(9, 0.3, seed=5)
    g.add_node(9)
    shapes = shapes_of(g)
    expected = shapes.shapes_beside((2, 4, 5), 0)
    assert len(shapes.near) == 10
    Rounds(shapes, EVEN, 0).apply([(9, 2), (9, 4), (9, 5)])
    assert tuple(shapes.shape[x] for x in (2, 4, 5)) == expected


# ---------------------------------------------------------------- groups, outsiders, knots


@settings(max_examples=60)
@given(graphs(least=4, most=9), st.data())
def test_a_closed_group_has_isomorphic_neighborhoods(g, data):
    members = data.draw(st.permutations(range(len(g))))[: data.draw(st.integers(2, 3))]
    shapes = shapes_of(g)
    outsiders = Outsiders(shapes)
    outsiders.begin(members)
    group = NeighborhoodGroup(outsiders, members[0], EVEN)
    try:
        for p in members[1:]:
            group.join(p)
        pairs = group.close(1000)
    except TooDear:
        pairs = None
    assert shapes.near == near_of(g)
    if pairs is not None:
        Rounds(shapes, EVEN, 0).apply(pairs)
        assert len({shapes.shape[m] for m in members}) == 1


def test_a_fixed_shape_does_not_grow():
    g = nx.disjoint_union(nx.star_graph(3), nx.star_graph(4))
    shapes = shapes_of(g)
    outsiders = Outsiders(shapes)
    assert NeighborhoodGroup(outsiders, 4, EVEN, fixed=True).cost(0, 4) == 2
    with pytest.raises(TooDear):
        NeighborhoodGroup(outsiders, 0, EVEN, fixed=True).join(4)


@settings(max_examples=40)
@given(graphs(least=3, most=9), st.integers(0, 8))
def test_added_sets_are_far_and_have_the_wanted_form(g, at):
    shapes = shapes_of(g)
    outsiders, m = Outsiders(shapes), at % len(g)
    for form in (shapes.components.clique([0]), shapes.components.clique([0, 0])):
        outsiders.begin([m])
        found = outsiders.take(m, form)
        if found is None:
            continue
        assert len(found) == shapes.components.sizes[form]
        assert all(x != m and not g.has_edge(x, m) and not set(g[x]) & set(g[m]) for x in found)
        assert all(g.has_edge(a, b) for a, b in combinations(found, 2))
        before = Counter(shapes.keys[shapes.shape[m]][1])
        rounds = Rounds(shapes, EVEN, 0)
        rounds.apply([(m, x) for x in found])
        assert Counter(shapes.keys[shapes.shape[m]][1]) == before + Counter([form])
        rounds.revert(0)


def test_harm_is_counted_over_the_whole_graph():
    g = nx.disjoint_union_all([nx.star_graph(3), *[nx.path_graph(2)] * 4, *[nx.path_graph(3)] * 3])
    shapes = shapes_of(g, 3)
    outsiders = Outsiders(shapes)
    (x,) = outsiders.take(0, shapes.components.clique([0]))
    assert g.degree(x) == 1
    rounds = Rounds(shapes, EVEN, 0)
    assert rounds.measure_worth([(0, x)]).repaired == 0


@settings(max_examples=40)
@given(graphs(least=2, most=10), st.data())
def test_outside_neighbors_of_a_closed_set_are_separate_components(g, data):
    start = set(data.draw(st.lists(st.sampled_from(range(len(g))), min_size=1, max_size=3)))
    shapes = shapes_of(g)
    own = close_set(shapes, start)
    assert start <= own
    assert all(len(shapes.near[x] & own) <= 1 for x in set(g) - own)
    for w in own:
        assert sum(shapes.components.sizes[f] * q for f, q in count_outside(shapes, w, own).items()) == len(
            set(g[w]) - own
        )


@settings(max_examples=40)
@given(graphs(least=2, most=9), st.integers(1, 4), st.data())
def test_rotating_rows_is_an_automorphism(g, k, data):
    k = min(k, len(g))
    label = [v % 2 for v in g] if len(g) >= 2 * k and data.draw(st.booleans()) else [0] * len(g)
    rows, orbits = find_orbits(near_of(g), label, [0] * len(g), k, seed=1)
    assert sorted(v for row in rows for v in row) == list(g)
    assert all(len(row) >= k and len({label[v] for v in row}) == 1 for row in rows)
    h = g.copy()
    h.add_edges_from(added := [pair for orbit in orbits for pair in orbit])
    assert h.number_of_edges() == g.number_of_edges() + len(added)
    turn = {row[i]: row[(i + 1) % len(row)] for row in rows for i in range(len(row))}
    assert all(h.has_edge(turn[a], turn[b]) for a, b in h.edges)
    assert list_missing([set(h[v]) for v in range(len(h))], rows) == []


def test_rows_are_as_even_as_they_can_be():
    assert [len(row) for row in make_rows([0] * 8, list(range(8)), 3)] == [3, 5]
    assert make_rows([0, 1, 0, 1], [0, 1, 2, 3], 2) == [[0, 2], [1, 3]]


def test_unneeded_links_are_removed():
    g = nx.disjoint_union(nx.cycle_graph(4), nx.empty_graph(4))
    g.add_edges_from(added := [(4, 5), (6, 7)])
    shapes = shapes_of(g, 2)
    assert prune_links(shapes, [added]) == []
    assert shapes.below == 0
    needed = nx.Graph([(0, 1), (2, 3)])
    needed.add_nodes_from(range(4))
    assert prune_links(shapes_of(needed, 4), [[(2, 3)]]) == [(2, 3)]


# ---------------------------------------------------------------- pairing and labels


def counted(held, base, pp, pq, qq, ours, theirs, lone_p, lone_q):
    """Return the cost of a pairing, by checking every pair of vertices on both sides."""
    b = base.shape[1]
    side = [("both", i, j) if j >= 0 else ("own", i, i) for i, j in enumerate(held)]
    side += [("drawn", j, j) for j in range(b) if j not in held]
    alone = {"own": lone_p, "drawn": lone_q}
    total = sum(base[i, j] if kind == "both" else alone[kind] for kind, i, j in side)

    def here(x, y):  # for the newcomer: a drawn vertex is the one that fills the slot elsewhere
        if "drawn" in (x[0], y[0]):
            return None if x[0] == y[0] else pq[(y if x[0] == "drawn" else x)[1], (x if x[0] == "drawn" else y)[1]]
        return pp[x[1], y[1]]

    def there(x, y):  # for the others: a vertex in a slot of its own is itself
        if "own" in (x[0], y[0]):
            return None if x[0] == y[0] else pq[(x if x[0] == "own" else y)[1], (y if x[0] == "own" else x)[2]]
        return qq[x[2], y[2]]

    for x, y in combinations(side, 2):
        if x[0] == "both" or y[0] == "both":
            p, q = here(x, y), there(x, y)
            total += 0 if p == q else theirs if p else ours
    return total


@settings(max_examples=60)
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 1000))
def test_the_cost_of_a_pairing_is_what_is_missing(a, b, seed):
    draw = np.random.default_rng(seed)
    pp, qq = (np.triu(draw.random((n, n)) < 0.5, 1) for n in (a, b))
    pp, qq, pq = pp | pp.T, qq | qq.T, draw.random((a, b)) < 0.3
    base = draw.integers(0, 3, (a, b)).astype(float)
    rest = pp, pq, qq, 1.0, 2.0, 4.0, 2.0
    held, cost = pair(base, *rest, 4)
    assert len({j for j in held if j >= 0}) == sum(j >= 0 for j in held)
    assert cost == counted(held.tolist(), base, *rest)
    assert cost <= counted([-1] * a, base, *rest)


def test_the_same_graph_is_paired_without_a_link():
    g = nx.petersen_graph()
    linked = nx.to_numpy_array(g, dtype=bool)
    none = np.zeros((10, 10), dtype=bool)
    held, cost = pair(np.zeros((10, 10)), linked, none, linked, 1.0, 1.0, 2.0, 2.0, 4)
    assert cost == counted(held.tolist(), np.zeros((10, 10)), linked, none, linked, 1.0, 1.0, 2.0, 2.0)
    path = nx.to_numpy_array(nx.path_graph(6), dtype=bool)
    assert pair(np.zeros((6, 6)), path, none[:6, :6], path, 1.0, 1.0, 2.0, 2.0, 4)[1] == 0


def test_loss_of_levels():
    table = {"city": ["Oslo", "Bergen", "Lund", "Lund", None], "sex": ["f", "f", "m", "m", "f"]}
    g = nx.empty_graph(5)
    for name, cells in table.items():
        nx.set_node_attributes(g, dict(enumerate(cells)), name)
    labels = Labels.of(shoal.as_graph(g), ("city", "sex"), {"city": CITIES}, "test")
    assert (0, 0) in labels.choices()
    assert labels.loss((0, 0)) == 0
    assert labels.loss((1, 0)) == pytest.approx(2 / 3)  # four values with missing; Oslo and Bergen are together
    assert labels.loss((2, 1)) == labels.loss((3, 2)) == 10
    assert list(labels.table((1, 1))["city"]) == ["Norway", "Norway", "Sweden", "Sweden", None]
    assert labels.codes((3, 2)).tolist() == [0] * 5
