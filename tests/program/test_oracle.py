"""The oracle against facts counted by hand, the errata, and second readings of the same definitions.

Letters: P, C, K, S are path, cycle, clique and star; the paw is a triangle 0, 1, 2 with the tail 2-3.
"""

from collections import Counter
from itertools import pairwise, permutations
from math import inf, nan

import networkx
import pytest
from networkx import complete_graph as clique
from networkx import cycle_graph as cycle
from networkx import path_graph as path
from networkx.algorithms.isomorphism import categorical_node_match

import oracle

ATLAS = networkx.graph_atlas_g()[1:]
SMALL = [g for g in ATLAS if len(g) <= 5]
STAR = networkx.star_graph(3)
PAW = networkx.Graph([(0, 1), (0, 2), (1, 2), (2, 3)])
ALL4 = {0, 1, 2, 3}


def k(answer):
    return min(oracle.size(answer).values())


def multigraph(*edges):
    return networkx.MultiGraph(edges)


def cone(graph, apex):
    """Join a new vertex to all vertices of the graph."""
    joined = graph.copy()
    joined.add_edges_from((apex, x) for x in graph)
    return joined


def each(facts, *candidates):
    """Return a family in which all the facts have the same candidates."""
    return {fact: set(candidates) for fact in facts}


def explored(edges, **exact):
    """Write an exploration by hand: explored("01 12", _0=1) is two edges, with 0 exhausted at degree 1."""
    return oracle.Explored(
        frozenset(frozenset(map(int, edge)) for edge in edges.split()),
        frozenset((int(x[1:]), d) for x, d in exact.items()),
    )


# ---------------------------------------------------------------- one fact per vertex


def test_degree_counts_multiplicities():
    assert oracle.degree(path(4)) == {0: {0, 3}, 1: {1, 2}, 2: {1, 2}, 3: {0, 3}}
    assert oracle.degree(multigraph((0, 1), (0, 1), (1, 2)))[0] == {0}


def test_karate_has_six_unique_degrees():
    sizes = oracle.size(oracle.degree(networkx.karate_club_graph()))
    assert sorted(v for v in sizes if sizes[v] == 1) == [0, 1, 2, 11, 32, 33]


def test_facts_of_the_original_are_sought_in_the_release():
    assert oracle.degree(path(4), known=STAR) == {0: set(), 1: {0, 3}, 2: {0, 3}, 3: {0, 3}}


def test_refinement_by_rounds_on_a_path():
    assert k(oracle.refinement(path(5), rounds=0)) == 5
    assert oracle.refinement(path(5), rounds=1) == oracle.degree(path(5))
    assert oracle.refinement(path(5), rounds=2)[2] == {2}
    assert oracle.refinement(path(7), rounds=2)[2] == {2, 3, 4}
    assert oracle.refinement(path(7), rounds=None) == {v: {v, 6 - v} for v in range(7)}


def test_refinement_cannot_tell_a_hexagon_from_two_triangles_but_orbit_can():
    both = networkx.disjoint_union(cycle(6), networkx.disjoint_union(cycle(3), cycle(3)))
    assert k(oracle.refinement(both, rounds=None)) == 12
    assert oracle.orbit(both)[0] == set(range(6))
    assert oracle.orbit(both)[6] == set(range(6, 12))


def test_refinement_compares_colors_across_two_graphs():
    triangles = networkx.disjoint_union(cycle(3), cycle(3))
    assert oracle.refinement(triangles, known=cycle(6), rounds=None)[0] == set(range(6))
    assert oracle.refinement(path(5), known=path(4), rounds=1)[1] == {1, 2, 3}
    assert oracle.refinement(path(5), known=path(4), rounds=2)[1] == {1, 3}
    assert oracle.refinement(path(5), known=path(4), rounds=None)[1] == set()


def test_refinement_sees_multiplicities():
    graph = multigraph((0, 1), (0, 1), (1, 2), (1, 2), (2, 3))
    assert oracle.refinement(graph, rounds=1)[0] == {0}
    assert oracle.refinement(multigraph((0, 1), (0, 1), (2, 3), (2, 3)), rounds=None)[0] == ALL4


def test_columns_compare_values_and_missing_is_a_value():
    values = [1, 1.0, "1", True, None, nan, False, 0]
    graph = networkx.Graph()
    graph.add_nodes_from((i, {"age": value}) for i, value in enumerate(values))
    graph.add_node(8)
    answer = oracle.columns(graph, names=["age"])
    assert answer[0] == answer[1] == {0, 1}
    assert [answer[i] for i in (2, 3, 6, 7)] == [{2}, {3}, {6}, {7}]
    assert answer[4] == answer[5] == answer[8] == {4, 5, 8}


def test_columns_ask_for_every_name():
    graph = networkx.Graph()
    graph.add_node("a", age=30, sex="f")
    graph.add_node("b", age=30, sex="m")
    assert oracle.columns(graph, names=["age"])["a"] == {"a", "b"}
    assert oracle.columns(graph, names=["age", "sex"])["a"] == {"a"}


# ---------------------------------------------------------------- hubs


def test_hubs_take_ties_in():
    assert sorted(oracle.highest(path(5), 1)) == [1, 2, 3]
    assert oracle.highest(STAR, 1) == [0]
    assert oracle.hubs(STAR, hubs=1) == {0: {0}, 1: {1, 2, 3}, 2: {1, 2, 3}, 3: {1, 2, 3}}


def test_absent_distances_in_closed_and_open_worlds():
    assert k(oracle.hubs(path(4), hubs=[0])) == 1
    assert oracle.hubs(path(4), hubs=[0], reach=1) == {0: {0}, 1: {1}, 2: {2, 3}, 3: {2, 3}}
    assert oracle.hubs(path(4), hubs=[0], reach=1, world="open") == {0: {0}, 1: {1}, 2: ALL4, 3: ALL4}
    apart = networkx.Graph([(0, 1), (2, 3)])
    assert oracle.hubs(apart, hubs=[0]) == {0: {0}, 1: {1}, 2: {2, 3}, 3: {2, 3}}


def test_hubs_are_chosen_in_the_original_and_found_by_the_mapping():
    published = path(4)
    assert oracle.hubs(published, known=STAR, mapping={0: 0}, hubs=1)[1] == {1}
    assert oracle.hubs(published, known=STAR, mapping={0: 1}, hubs=1)[1] == {0, 2}
    assert oracle.hubs(published, known=STAR, mapping={}, hubs=1)[1] == ALL4


# ---------------------------------------------------------------- balls


def test_counts_and_degrees_of_the_paw():
    assert oracle.counts(PAW) == {0: {0, 1}, 1: {0, 1}, 2: {2}, 3: {3}}
    assert oracle.degrees(PAW) == oracle.counts(PAW)
    assert k(oracle.counts(PAW, radius=2)) == 4  # the tail's ball is the whole paw too
    assert k(oracle.degrees(PAW, radius=2)) == 4  # for the center is not marked


def test_the_center_of_a_neighborhood_is_marked():
    assert oracle.neighborhood(PAW, radius=2) == {0: {0, 1}, 1: {0, 1}, 2: {2}, 3: {3}}
    assert k(oracle.neighborhood(PAW, radius=0)) == 4


def test_equal_counts_and_degrees_but_different_neighborhoods():
    a = cone(path(5), "a")
    b = cone(networkx.Graph([(10, 11), (11, 12), (10, 12), (13, 14)]), "b")
    graph = networkx.union(a, b)
    assert oracle.counts(graph)["a"] == oracle.degrees(graph)["a"] == {"a", "b"}
    assert oracle.neighborhood(graph)["a"] == {"a"}
    assert oracle.neighborhood(b, known=a)["a"] == set()


def test_balls_see_multiplicities():
    graph = multigraph((0, 1), (0, 1), (2, 3))
    for adversary in (oracle.counts, oracle.degrees, oracle.neighborhood, oracle.orbit):
        assert adversary(graph) == {0: {0, 1}, 1: {0, 1}, 2: {2, 3}, 3: {2, 3}}
    same_degrees = multigraph((0, 1), (0, 1), (2, 3), (2, 3), (0, 2), (1, 3), (4, 5), (4, 5), (4, 5))
    assert oracle.degree(same_degrees)[4] == {0, 1, 2, 3, 4, 5}
    assert oracle.orbit(same_degrees)[4] == {4, 5}


def test_neighborhood_keeps_named_labels_only():
    graph = path(4)
    networkx.set_node_attributes(graph, {0: "f", 1: "f", 2: "f", 3: "m"}, "sex")
    assert oracle.neighborhood(graph)[0] == {0, 3}
    assert oracle.neighborhood(graph, labels=["sex"])[0] == {0}
    assert oracle.neighborhood(graph, labels=["age"])[0] == {0, 3}  # missing equals missing


def test_orbit_of_two_graphs_asks_for_an_isomorphism():
    assert oracle.orbit(path(4), known=STAR)[1] == set()
    turned = networkx.relabel_nodes(PAW, {0: "c", 1: "d", 2: "a", 3: "b"})
    assert oracle.orbit(turned, known=PAW) == {0: {"c", "d"}, 1: {"c", "d"}, 2: {"a"}, 3: {"b"}}


def orbit_by_permutations(graph):
    """Read the definition once more: all permutations that keep the set of edges."""
    edges = {frozenset(edge) for edge in graph.edges}
    answer = {v: set() for v in graph}
    for images in permutations(graph):
        image = dict(zip(graph, images, strict=True))
        if {frozenset((image[x], image[y])) for x, y in graph.edges} == edges:
            for v in graph:
                answer[v].add(image[v])
    return answer


def test_orbit_is_what_all_permutations_say():
    for graph in SMALL:
        assert oracle.orbit(graph) == orbit_by_permutations(graph)


def test_neighborhood_is_what_networkx_says():
    marked = categorical_node_match("center", False)
    for graph in SMALL:
        around = {v: networkx.ego_graph(graph, v, radius=1) for v in graph}
        for v, inside in around.items():
            inside.nodes[v]["center"] = True
        for v, us in oracle.neighborhood(graph).items():
            assert us == {u for u in graph if networkx.is_isomorphic(around[v], around[u], node_match=marked)}


# ---------------------------------------------------------------- subgraph


def test_explorations_of_a_path():
    one = oracle.subgraph(path(4), edges=1)
    assert dict(one[0]) == {explored("01", _0=1): {0, 3}}
    assert dict(one[1]) == {explored("01"): ALL4, explored("12"): ALL4}
    two = oracle.subgraph(path(4), edges=2)
    assert dict(two[0]) == {explored("01 12", _0=1, _1=2): {0, 3}}
    assert dict(two[1]) == {explored("01 12", _0=1, _1=2): {1, 2}, explored("01 12", _1=2): {1, 2}}
    three = oracle.subgraph(path(4), edges=3)
    assert dict(three[1]) == {explored("01 12 23", _0=1, _1=2, _2=2, _3=1): {1, 2}}
    assert three == oracle.subgraph(path(4), edges=9)


def test_explorations_of_a_star():
    one = oracle.subgraph(STAR, edges=1)
    assert dict(one[0]) == each([explored("01"), explored("02"), explored("03")], *ALL4)
    assert dict(one[1]) == {explored("01", _1=1): {1, 2, 3}}
    two = oracle.subgraph(STAR, edges=2)
    assert dict(two[0]) == each([explored("01 02"), explored("01 03"), explored("02 03")], 0)
    assert dict(two[1]) == each([explored("01 02", _1=1), explored("01 03", _1=1)], 1, 2, 3)
    assert [us for _, us in oracle.subgraph(STAR, edges=3)[0]] == [{0}]


def test_explorations_of_the_paw():
    two = oracle.subgraph(PAW, edges=2)
    assert dict(two[0]) == {explored("01 02", _0=2): {0, 1}}
    assert dict(two[2]) == each([explored("02 12"), explored("02 23"), explored("12 23")], 0, 1, 2)
    assert dict(two[3]) == each([explored("23 02", _3=1), explored("23 12", _3=1)], 3)
    three = oracle.subgraph(PAW, edges=3)
    assert dict(three[0]) == {
        explored("01 02 12", _0=2, _1=2): {0, 1},
        explored("01 02 12", _0=2): {0, 1},
        explored("01 02 23", _0=2): {0, 1},
    }
    assert dict(three[2]) == {explored("02 12 23", _2=3, _3=1): {2}, explored("02 12 23", _2=3): {2}}


def explore_by_ranking(graph, v, b, ranking):
    """Explore once, always revealing the unknown edge at the head that comes first in the ranking."""
    queue, known, exhausted = [v], [], {}
    while queue:
        at_head = [edge for edge in ranking if queue[0] in edge and edge not in known]
        if at_head and len(known) == b:
            break
        if at_head:
            known.append(at_head[0])
            queue += [x for x in at_head[0] if x not in queue and x not in exhausted]
        else:
            head = queue.pop(0)
            exhausted[head] = graph.degree(head)
    return oracle.Explored(frozenset(known), frozenset(exhausted.items()))


def fits_by_permutations(graph, facts, v, u):
    """Try all injective maps of the known vertices."""
    known = sorted({v}.union(*facts.edges))
    images = (dict(zip(known, some, strict=True)) for some in permutations(graph, len(known)))
    return any(
        image[v] == u
        and all(graph.has_edge(*(image[x] for x in edge)) for edge in facts.edges)
        and all(graph.degree(image[x]) == d for x, d in facts.exhausted)
        for image in images
    )


@pytest.mark.parametrize("b", [0, 1, 2, 3, 4])
def test_subgraph_is_what_all_rankings_and_permutations_say(b):
    for graph in (g for g in SMALL if g.number_of_edges() <= 4):
        rankings = list(permutations(map(frozenset, graph.edges)))
        for v, sets in oracle.subgraph(graph, edges=b).items():
            found = {explore_by_ranking(graph, v, b, ranking) for ranking in rankings}
            assert found == {facts for facts, _ in sets}
            for facts, us in sets:
                assert us == {u for u in graph if fits_by_permutations(graph, facts, v, u)}


def test_without_exact_degrees_only_the_embedding_counts():
    answer = oracle.subgraph(path(4), edges=2, exact_degrees=False)
    assert dict(answer[0]) == {explored("01 12"): ALL4}
    assert dict(answer[1]) == {explored("01 12"): {1, 2}}


def test_an_embedding_uses_no_vertex_twice():
    assert oracle.worst(oracle.subgraph(clique(3), known=path(4), edges=3, exact_degrees=False))[0] == 0
    assert oracle.worst(oracle.subgraph(clique(4), known=path(4), edges=3, exact_degrees=False))[0] == 4


def test_an_embedding_need_not_be_induced():
    assert oracle.subgraph(clique(3), known=path(3), edges=2, exact_degrees=False)[0] == [
        (explored("01 12"), {0, 1, 2})
    ]


def test_an_isolated_vertex_is_exhausted_without_any_edge():
    graph = networkx.Graph([(0, 1)])
    graph.add_node(2)
    assert oracle.worst(oracle.subgraph(graph, edges=0)) == {0: 3, 1: 3, 2: 1}
    assert oracle.worst(oracle.subgraph(graph, edges=0, exact_degrees=False)) == {0: 3, 1: 3, 2: 3}


def test_a_double_edge_is_one_edge_fact():
    graph = multigraph((0, 1), (0, 1), (1, 2))
    assert oracle.subgraph(graph, edges=1)[0] == [(explored("01", _0=1), {0})]


def test_prefixes_change_no_minimum_without_an_original():
    for graph in SMALL:
        for b in range(4):
            full = oracle.worst(oracle.subgraph(graph, edges=b))
            assert full == oracle.worst(oracle.subgraph(graph, edges=b, prefixes=True))


def test_prefixes_matter_where_a_full_exploration_fits_nobody():
    published = networkx.Graph([(0, 1), (2, 3)])
    assert oracle.worst(oracle.subgraph(published, known=path(4), edges=2))[0] == 0
    assert oracle.worst(oracle.subgraph(published, known=path(4), edges=2, prefixes=True))[0] == 4


# ---------------------------------------------------------------- rows and parts of rows


def test_shared_neighbors_and_the_convention():
    assert oracle.shared_neighbors(path(4), l=1) == {0: {0, 2}, 1: {1, 3}, 2: {0, 2}, 3: {1, 3}}
    assert oracle.shared_neighbors(path(4), l=2) == {0: {0}, 1: {1}, 2: {2}, 3: {3}}


def test_shared_neighbors_of_the_original():
    empty = networkx.empty_graph(4)
    assert oracle.shared_neighbors(empty, known=path(4), l=2) == {0: {0}, 1: set(), 2: set(), 3: {3}}
    assert oracle.shared_neighbors(empty, known=path(4), mapping={}, l=2)[0] == set()
    assert oracle.shared_neighbors(clique(4), known=path(4), l=2)[1] == {1, 3}


def test_adjacency_is_equality_of_rows():
    assert oracle.adjacency(cycle(4)) == {0: {0, 2}, 1: {1, 3}, 2: {0, 2}, 3: {1, 3}}  # E18
    assert k(oracle.adjacency(networkx.empty_graph(2))) == 2  # E10
    assert k(oracle.adjacency(clique(3))) == 1  # E4: equal rows are never adjacent
    assert oracle.adjacency(multigraph((0, 1), (0, 1), (1, 2)))[0] == {0}


def test_adjacency_leaves_out_columns_without_counterpart():
    published = networkx.Graph([(0, 1), (0, 9)])
    published.add_node(2)
    known = path(4)
    assert oracle.adjacency(published, known=known) == {0: {0}, 1: set(), 2: {0}, 3: set()}
    published.add_edge(2, 1)
    published.add_edge(2, 9)
    assert oracle.adjacency(published, known=known) == {0: {0, 2}, 1: {1, 9}, 2: {0, 2}, 3: set()}


def test_adjacency_follows_the_mapping():
    turned = networkx.relabel_nodes(PAW, {0: "c", 1: "d", 2: "a", 3: "b"})
    answer = oracle.adjacency(turned, known=PAW, mapping={0: "c", 1: "d", 2: "a", 3: "b"})
    assert answer == {0: {"c"}, 1: {"d"}, 2: {"a"}, 3: {"b"}}
    with pytest.raises(ValueError, match="counterpart of its own"):
        oracle.adjacency(turned, known=PAW, mapping={0: "c", 1: "c"})


def test_definition_two_is_the_common_neighbors():
    assert dict(oracle.neighbors(path(4), l=1)[1]) == {
        frozenset(): ALL4,
        frozenset({0}): {1},
        frozenset({2}): {1, 3},
    }
    assert k(oracle.neighbors(path(4), l=1)) == 1  # E2
    assert [k(oracle.neighbors(clique(4), l=some)) for some in (1, 2, 3)] == [3, 2, 1]  # E13


def test_definition_one_and_its_located_reading():
    assert k(oracle.relations(clique(3), l=1)) == 1  # E13: the own column separates v
    assert [k(oracle.located_relations(clique(4), l=some)) for some in (1, 2, 3)] == [3, 2, 1]  # E15
    assert k(oracle.relations(cycle(4), l=4)) == 2  # E11
    assert k(oracle.located_relations(cycle(4), l=1)) == 1  # E15: the known vertex is no candidate
    assert dict(oracle.located_relations(path(3), l=1)[0]) == {
        frozenset(): {0, 1, 2},
        frozenset({1}): {0, 2},
        frozenset({2}): {0},
    }


def test_relations_compare_multiplicities_and_neighbors_do_not():
    graph = multigraph((0, 1), (0, 1), (1, 2))
    assert oracle.worst(oracle.relations(graph, l=1))[0] == 1
    assert oracle.worst(oracle.neighbors(graph, l=1))[0] == 2


def test_sets_that_leave_nobody_do_not_count_with_an_original():
    published = networkx.Graph([(0, 1), (2, 3)])
    assert oracle.worst(oracle.neighbors(published, known=path(4), l=2)) == {0: 1, 1: 1, 2: 1, 3: 1}
    assert (frozenset({0, 2}), frozenset()) in oracle.neighbors(published, known=path(4), l=2)[1]
    assert oracle.worst({"v": [("fact", frozenset())]}) == {"v": 0}


def test_an_asymmetric_graph_that_is_2_1_anonymous():
    graph = networkx.Graph([(0, 1), (0, 5), (1, 2), (2, 3), (2, 4), (2, 5), (3, 4), (4, 5)])  # E17
    assert set(oracle.size(oracle.orbit(graph)).values()) == {1}
    assert k(oracle.neighbors(graph, l=1)) == 2


def feder_counterexample(k, l, m):
    """Build F(k,l,m) of the errata: clique vertices are numbers, ring vertices ("u", i)."""
    size = max(k + l, 3 * l)
    parts = [range(j * l, (j + 1) * l) for j in range(3)]
    graph = clique(size)
    for i in range(m):
        graph.add_edge(("u", i), ("u", (i + 1) % m))
        graph.add_edges_from((("u", i), w) for w in parts[2 if i >= m - 2 else i // 2 % 2])
    return graph


@pytest.mark.parametrize(("k_", "l", "m"), [(1, 1, 5), (2, 2, 5), (3, 2, 6)])
def test_feder_anonymous_yet_each_ring_vertex_is_named_by_its_ring_neighbors(k_, l, m):
    graph = feder_counterexample(k_, l, m)
    assert k(oracle.shared_neighbors(graph, l=l)) - 1 >= k_
    sizes = oracle.worst(oracle.neighbors(graph, l=2))
    assert all(sizes["u", i] == 1 for i in range(m))


@pytest.mark.slow
def test_when_one_known_fact_leaves_k_candidates():
    for graph in ATLAS:
        degrees, n = [d for _, d in graph.degree()], len(graph)
        two, one = k(oracle.neighbors(graph, l=1)), k(oracle.relations(graph, l=1))
        for k_ in range(1, n + 1):
            assert (two >= k_) == all(d == 0 or d >= k_ for d in degrees)
            assert (one >= k_) == (two >= k_ and (max(degrees) <= n - k_))


def levels(adversary, graph, limit):
    """Count the vertices by the largest l that leaves two candidates; inf where it is at least the limit."""
    at_risk = [oracle.worst(adversary(graph, l=some)) for some in range(1, limit + 1)]
    return Counter(next((l for l, sizes in enumerate(at_risk) if sizes[v] < 2), inf) for v in graph)


@pytest.mark.slow
def test_levels_of_the_florentine_families():
    graph = networkx.florentine_families_graph()
    assert levels(oracle.relations, graph, 5) == {0: 4, 1: 9, 2: 1, 4: 1}
    assert levels(oracle.neighbors, graph, 6) == {0: 4, 1: 7, inf: 4}


def test_levels_of_karate_by_definition_two():
    assert levels(oracle.neighbors, networkx.karate_club_graph(), 3) == {0: 1, 1: 15, 2: 1, inf: 17}


# ---------------------------------------------------------------- both, and laws


def test_both_intersects():
    assert oracle.both(oracle.degree(path(4)), oracle.adjacency(path(4)))[1] == {1}
    graph = path(5)
    two = oracle.worst(oracle.both(oracle.neighbors(graph, l=1), oracle.neighbors(graph, l=1)))
    assert two == oracle.worst(oracle.neighbors(graph, l=2))
    mixed = oracle.both(oracle.degree(PAW), oracle.neighbors(PAW, l=1))
    assert ((None, frozenset({2})), frozenset({0, 1})) in mixed[0]
    assert oracle.size(mixed) == {0: 1, 1: 1, 2: 1, 3: 1}


ADVERSARIES = {
    "degree": oracle.degree,
    "refinement:2": lambda *graphs: oracle.refinement(*graphs, rounds=2),
    "refinement": lambda *graphs: oracle.refinement(*graphs, rounds=None),
    "hubs:1": lambda *graphs: oracle.hubs(*graphs, hubs=1),
    "hubs:1:1:open": lambda *graphs: oracle.hubs(*graphs, hubs=1, reach=1, world="open"),
    "subgraph:3": lambda *graphs: oracle.subgraph(*graphs, edges=3),
    "subgraph:3:atleast": lambda *graphs: oracle.subgraph(*graphs, edges=3, exact_degrees=False),
    "counts:1": oracle.counts,
    "degrees:1": oracle.degrees,
    "neighborhood:1": oracle.neighborhood,
    "neighborhood:2": lambda *graphs: oracle.neighborhood(*graphs, radius=2),
    "shared-neighbors:2": lambda *graphs: oracle.shared_neighbors(*graphs, l=2),
    "neighbors:2": lambda *graphs: oracle.neighbors(*graphs, l=2),
    "relations:2": lambda *graphs: oracle.relations(*graphs, l=2),
    "located-relations:2": lambda *graphs: oracle.located_relations(*graphs, l=2),
    "adjacency": oracle.adjacency,
    "orbit": oracle.orbit,
    "columns": lambda *graphs: oracle.columns(*graphs, names=["age"]),
}


@pytest.mark.parametrize("name", ADVERSARIES)
def test_every_vertex_is_its_own_candidate(name):
    for graph in SMALL:
        family = oracle.as_family(ADVERSARIES[name](graph))
        assert all(v in us for v, sets in family.items() for _, us in sets)


@pytest.mark.parametrize("name", ADVERSARIES)
def test_a_renamed_release_changes_nothing_but_names(name):
    for graph in SMALL:
        mapping = {v: f"vertex {-v}" for v in graph}
        plain = oracle.as_family(ADVERSARIES[name](graph))
        renamed = oracle.as_family(ADVERSARIES[name](networkx.relabel_nodes(graph, mapping), graph, mapping))
        for v, sets in plain.items():
            assert [(fact, {mapping[u] for u in us}) for fact, us in sets] == renamed[v]


WEAKER_FIRST = [
    ("degree", "counts:1", "degrees:1", "neighborhood:1", "neighborhood:2", "orbit", "adjacency"),
    ("degree", "refinement:2", "refinement", "orbit"),
    ("neighbors:2", "relations:2"),
    ("subgraph:3:atleast", "subgraph:3", "orbit"),
]


@pytest.mark.parametrize("chain", WEAKER_FIRST)
def test_more_knowledge_never_gives_more_candidates(chain):
    for graph in SMALL:
        sizes = [oracle.size(ADVERSARIES[name](graph)) for name in chain]
        for weaker, stronger in pairwise(sizes):
            assert all(stronger[v] <= weaker[v] for v in graph)
