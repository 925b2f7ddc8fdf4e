"""Perturb: exact counts, uniform draws, switches that keep degrees; no guarantee, and measures of the risk."""

import json
import warnings
from collections import Counter
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from shoal.core.edge_diff import number_edges
from shoal.data.graph import Graph
from shoal.errors import BadParameter, Notice
from shoal.methods import Perturb
from shoal.methods.base import ATTRIBUTES_STAY
from shoal.methods.links._kernels.edits import fill, place, remove
from shoal.methods.links.perturb import (
    AS_THEY_WERE,
    DEGREES_STAY,
    GUESSABLE,
    NOTHING,
    find_by_degree,
    find_by_links,
    find_by_neighbor,
)
from shoal.methods.links.random_edits import count_missing, draw_absent, is_frozen, switch_links


def links(g):
    return frozenset(frozenset(edge) for edge in g.edges)


def switches(edges):
    """Return the graphs after one switch, each as often as pairs of links and directions lead to it."""
    ways = Counter()
    for (e, f), turned in product(product(sorted(map(sorted, edges)), repeat=2), (False, True)):
        (a, b), (c, d) = e, f[::-1] if turned else f
        fresh = {frozenset((a, d)), frozenset((c, b))}
        if len({a, b, c, d}) == 4 and not fresh & edges:
            ways[(edges - {frozenset(e), frozenset(f)}) | fresh] += 1
    return ways


@pytest.mark.slow
@settings(max_examples=80)
@given(graphs(least=2, most=9), st.data())
def test_the_requested_numbers_of_links_are_added_and_removed(g, data):
    graph = shoal.as_graph(g)
    add = data.draw(st.integers(0, count_missing(graph)))
    delete = data.draw(st.integers(0, graph.m))
    if add + delete == 0:
        return
    release = Perturb(add=add, delete=delete, seed=3)(graph)
    assert (len(release.edits.added), len(release.edits.removed)) == (add, delete)
    assert release.measured["edits"] == add + delete
    assert list(release.data.names) == list(graph.names)
    assert graph == shoal.as_graph(g)
    assert Perturb(add=add, delete=delete, seed=3)(graph).data == release.data
    assert (release.promises, release.verification, release.seed) == ((), (), 3)


@settings(max_examples=60)
@given(graphs(least=4, most=9), st.integers(1, 40))
def test_switches_keep_every_degree(g, many):
    graph = shoal.as_graph(g)
    if is_frozen(graph):
        assert not switches(links(g))
        with pytest.warns(Notice, match=f"0 of {many} switches were made"):
            release = Perturb(switch=many, seed=1)(graph)
        assert release.data == graph
        assert AS_THEY_WERE in release.notes
        return
    release = Perturb(switch=many, seed=1)(graph)
    assert release.measured["switches made"] == many
    assert release.data.degree.tolist() == graph.degree.tolist()
    assert Perturb(switch=many, seed=1)(graph).data == release.data
    assert release.measured["identified by degree"]["before"] == release.measured["identified by degree"]["after"]
    assert len(release.edits.added) == len(release.edits.removed) <= 2 * many


def test_frozen_graphs_are_those_without_a_switch():
    for g in draw_cases(ATLAS, len(ATLAS) // 2):
        assert is_frozen(shoal.as_graph(g)) == (not switches(links(g)))


def near(count, expected):
    """Return six standard deviations of a rare event: a wrong share lies outside, a right one inside."""
    return abs(count - expected) < 6 * expected**0.5


@pytest.mark.slow
@pytest.mark.parametrize("add", [1, 2, 5])
def test_missing_links_are_drawn_uniformly(add):
    graph, draws = shoal.as_graph(nx.path_graph(4) if add == 1 else nx.from_edgelist([(0, 1), (2, 3), (4, 5)])), 6000
    absent = [a * graph.n + b for a, b in combinations(range(graph.n), 2) if b not in graph.neighbors(a)]
    found = Counter(frozenset(draw_absent(graph, add, np.random.default_rng(i)).tolist()) for i in range(draws))
    possible = list(map(frozenset, combinations(absent, add)))
    assert set(found) <= set(possible)
    singles = Counter(key for keys, often in found.items() for key in keys for _ in range(often))
    assert all(near(singles[key], draws * add / len(absent)) for key in absent)
    if len(possible) < 100:
        assert all(near(found[keys], draws / len(possible)) for keys in possible)


@pytest.mark.slow
def test_links_to_delete_and_to_add_are_drawn_uniformly():
    path = shoal.as_graph(nx.path_graph(4))
    found = Counter()
    for seed in range(3000):
        release = Perturb(add=1, delete=1, seed=seed)(path)
        found[release.edits.added, release.edits.removed] += 1
    assert len(found) == 9
    assert all(near(often, 3000 / 9) for often in found.values())


@pytest.mark.slow
def test_one_switch_is_uniform_among_all():
    g = nx.from_edgelist([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2), (4, 5)])
    graph, ways, draws = shoal.as_graph(g), switches(links(g)), 5000
    found = Counter()
    for seed in range(draws):
        h, made = switch_links(graph, 1, np.random.default_rng(seed))
        assert made == 1
        found[links(h.to_networkx())] += 1
    assert set(found) == set(ways)
    assert all(near(found[h], draws * often / ways.total()) for h, often in ways.items())


def test_the_table_of_links_survives_many_changes():
    rng, keys, truth = np.random.default_rng(1), np.full(64, -1, dtype=np.int64), set()
    fill(np.arange(5), np.arange(1, 6), 100, keys)
    truth |= {i * 100 + i + 1 for i in range(5)}
    for _ in range(3000):
        key = int(rng.integers(200))
        if key in truth:
            remove(keys, key)
            truth.remove(key)
        elif len(truth) < 50:
            keys[place(keys, key)] = key
            truth.add(key)
        assert all((keys[place(keys, key)] == key) == (key in truth) for key in rng.integers(200, size=4).tolist())
    assert set(keys[keys >= 0].tolist()) == truth


def test_many_switches_leave_a_simple_graph():
    graph = shoal.as_graph(nx.barabasi_albert_graph(300, 4, seed=2))
    h, made = switch_links(graph, 20_000, np.random.default_rng(1))
    assert made == 20_000
    assert h.m == graph.m == len(np.unique(number_edges(h)))
    assert len(np.intersect1d(number_edges(h), number_edges(graph))) < 0.2 * graph.m


def test_fewer_switches_than_requested_give_a_notice():
    star = nx.star_graph(3000)
    star.add_edges_from([(1, 2), (3, 4)])
    with pytest.warns(Notice, match="1,000 switches"):
        release = Perturb(switch=1000, seed=1)(star)
    assert release.measured["switches made"] < 1000
    assert release.data.degree.tolist() == shoal.as_graph(star).degree.tolist()


def test_shares_are_of_the_links_and_rounded_up():
    g = nx.path_graph(101)
    release = Perturb(add=0.07, delete=0.101, seed=1)(g)
    assert (len(release.edits.added), len(release.edits.removed)) == (7, 11)
    assert Perturb(switch=0.29, seed=1)(g).measured["switches made"] == 29
    assert len(Perturb(delete=np.float64(0.5), seed=np.int64(1))(g).edits.removed) == 50


@settings(max_examples=60)
@given(graphs(least=3, most=8), st.integers(0, 5), st.data())
def test_the_risk_is_what_the_oracle_counts(g, seed, data):
    graph = shoal.as_graph(g)
    add = data.draw(st.integers(0, count_missing(graph)))
    delete = data.draw(st.integers(0, graph.m))
    if add + delete == 0:
        return
    release = Perturb(add=add, delete=delete, seed=seed)(graph)
    h, measured = release.data.to_networkx(), release.measured
    degree = oracle.degree(h, g)
    assert find_by_degree(graph, release.data).tolist() == [degree[v] == {v} for v in g]
    family = oracle.neighbors(h, g, l=1)
    named = [any(us == {v} for _, us in family[v]) for v in g]
    assert find_by_neighbor(graph, release.data).tolist() == named
    alone = [v for v, many in oracle.size(family).items() if many == 1]
    told = measured["identified by one neighbor"]
    assert (told["after"], told["identified wrongly"]) == (sum(named), len(alone) - sum(named))
    differ = {v: {u: len(set(g[v]) ^ set(h[u])) for u in h} for v in g}
    found = [all(differ[v][v] < differ[v][u] for u in g if u != v) for v in g]
    assert find_by_links(graph, release.data).tolist() == found
    if release.data.m:
        assert measured["share of released links that are true"] == (graph.m - delete) / release.data.m
    if count_missing(release.data):
        assert measured["share of missing links that are true"] == delete / count_missing(release.data)


def draw_links(seed, n=7, many=14):
    """Return a random network with arcs, links without direction and two kinds."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(n, size=(2, many))
    apart = a != b
    arrows, kinds = rng.integers(2, size=many).astype(bool), rng.choice(["call", "mail"], size=many)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return Graph.from_pairs(range(n), a[apart], b[apart], directed=arrows[apart], kinds=kinds[apart].tolist())


def count_each_relation(graph):
    return Counter(relation for _, _, relation in graph.each_link())


def entries_of(graph, v):
    """Return the entries (neighbor, relation) of a vertex."""
    there = {(b, relation) for a, b, relation in graph.each_link() if a == v}
    return there | {(a, relation.reverse) for a, b, relation in graph.each_link() if b == v}


@pytest.mark.parametrize("seed", range(12))
def test_links_with_directions_and_kinds_are_added_and_removed(seed):
    graph = draw_links(seed)
    release = Perturb(add=6, delete=5, seed=3)(graph)
    before, after = set(graph.each_link()), set(release.data.each_link())
    assert (len(after - before), len(before - after)) == (6, 5)
    assert release.measured["edits"] == 11
    assert {relation for *_, relation in after} <= {relation for *_, relation in before}
    assert all(a < b or relation.direction == "out" for a, b, relation in after)
    added = Counter(relation for *_, relation in after - before)
    assert all(abs(added[r] - 6 * many / graph.m) < 1 for r, many in count_each_relation(graph).items())


@pytest.mark.parametrize("seed", range(12))
def test_switches_keep_the_number_of_links_of_each_kind_and_direction(seed):
    graph = draw_links(seed, n=9, many=30)
    release = Perturb(switch=40, seed=seed)(graph)
    assert release.measured["switches made"] == 40
    assert set(release.data.each_link()) != set(graph.each_link())
    assert count_each_relation(release.data) == count_each_relation(graph)
    for v in range(graph.n):
        one, other = (Counter(relation for _, relation in entries_of(g, v)) for g in (graph, release.data))
        assert one == other
    told = release.measured["identified by degree"]
    assert told["before"] == told["after"]


@pytest.mark.slow
def test_one_switch_of_arcs_is_uniform_among_all():
    arcs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)]
    graph = Graph.from_pairs(range(4), *zip(*arcs, strict=True), directed=True)
    ways = Counter()
    for (a, b), (c, d) in product(arcs, repeat=2):
        if a not in (c, d) and b not in (c, d) and not {(a, d), (c, b)} & set(arcs):
            ways[frozenset(set(arcs) - {(a, b), (c, d)} | {(a, d), (c, b)})] += 1
    found = Counter()
    for seed in range(2000):
        h, made = switch_links(graph, 1, np.random.default_rng(seed))
        assert made == 1
        found[frozenset((a, b) for a, b, _ in h.each_link())] += 1
    assert set(found) == set(ways)
    assert all(near(found[h], 2000 * often / ways.total()) for h, often in ways.items())


@pytest.mark.parametrize("seed", range(12))
def test_the_risk_of_links_with_directions_and_kinds(seed):
    graph = draw_links(seed)
    release = Perturb(add=3, delete=3, seed=seed)(graph)
    known, shown = ([entries_of(g, v) for v in range(g.n)] for g in (graph, release.data))
    degrees = [[Counter(relation for _, relation in entries) for entries in rows] for rows in (known, shown)]
    fitting = [[u for u in range(graph.n) if degrees[1][u] == degrees[0][v]] for v in range(graph.n)]
    assert find_by_degree(graph, release.data).tolist() == [fitting[v] == [v] for v in range(graph.n)]
    holders = Counter(entry for entries in shown for entry in entries)
    named = [any(holders[entry] == 1 for entry in known[v] & shown[v]) for v in range(graph.n)]
    assert find_by_neighbor(graph, release.data).tolist() == named
    apart = [[len(known[v] ^ shown[u]) for u in range(graph.n)] for v in range(graph.n)]
    found = [all(apart[v][v] < apart[v][u] for u in range(graph.n) if u != v) for v in range(graph.n)]
    assert find_by_links(graph, release.data).tolist() == found
    possible = sum(42 if relation.direction == "out" else 21 for relation in count_each_relation(graph))
    assert count_missing(graph) == possible - graph.m


def test_a_network_without_links_keeps_its_form():
    graph = Graph.from_pairs("abcd", [0, 1], [1, 2], directed=True, kinds=["call", "mail"])
    release = Perturb(delete=2, seed=1)(graph)
    assert (release.data.m, release.data.ties.relations) == (0, graph.ties.relations)


def test_a_secret_seed_is_drawn_by_default():
    club = shoal.examples.karate()
    one, other = Perturb(add=0.3, delete=0.3)(club), Perturb(add=0.3, delete=0.3)(club)
    assert one.seed != other.seed
    assert one.data != other.data
    assert Perturb(add=0.3, delete=0.3, seed=one.seed)(club).data == one.data


def test_notes_say_that_nothing_is_guaranteed():
    club = shoal.examples.karate()
    assert Perturb(add=3, seed=1)(club).notes == (NOTHING, GUESSABLE, ATTRIBUTES_STAY)
    assert Perturb(switch=3, seed=2**70)(club).notes == (NOTHING, DEGREES_STAY, ATTRIBUTES_STAY)
    text = str(Perturb(switch=3, seed=1)(club))
    assert "Guarantee: nothing." in text
    assert "NOTHING IS GUARANTEED" in text
    assert Perturb.promises == "nothing"


def test_the_public_page_contains_no_exact_number_and_no_seed(tmp_path):
    release = Perturb(add=0.1, delete=0.1)(nx.gnm_random_graph(30, 60, seed=1))
    release.save(tmp_path / "safe.csv")
    page = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert (page["promise"], page["measured"]) == ([], {})
    assert page["method"] == {"name": "perturb", "edits": ["add", "delete"]}
    assert str(release.seed) not in json.dumps(page)


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({}, r"'add'.*'delete'.*'switch'.*0"),
        ({"add": 1, "switch": 1}, r"'switch'.*'add'.*'delete'.*add=1.*delete=0.*switch=1"),
        ({"delete": 0.1, "switch": 0.1}, "'switch' must be used without"),
        ({"add": 1.5}, r"'add'.*0.*1.*1.5"),
        ({"delete": float("nan")}, r"'delete'.*0.*1"),
        ({"add": -1}, r"'add'.*0.*-1"),
        ({"switch": True}, r"'switch'.*0"),
        ({"add": "10"}, "'add'"),
        ({"add": 1, "seed": -1}, r"'seed'.*0"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        Perturb(**how)


def test_bad_data():
    with pytest.raises(BadParameter, match=r"'delete'.*links, 2.*3"):
        Perturb(delete=3)(nx.path_graph(3))
    with pytest.raises(BadParameter, match=r"'add'.*links, 1.*2"):
        Perturb(add=2)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        Perturb(add=1)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))


def test_graphs_without_links():
    release = Perturb(add=3, seed=1)(nx.empty_graph(4))
    assert release.data.m == 3
    assert release.measured["share of released links that are true"] == 0
    with pytest.warns(Notice, match="0 of 2 switches"):
        assert Perturb(switch=2, seed=1)(nx.empty_graph(4)).data.m == 0
    with pytest.warns(Notice, match="0 of 1 switches"):
        alone = Perturb(switch=1, seed=1)(nx.empty_graph(1))
    assert alone.measured["identified by one neighbor"]["after"] == 1


def test_eval_repr():
    for method in (Perturb(add=0.1, delete=3, seed=9), Perturb(switch=7)):
        assert eval(repr(method)) == method
