"""Levels: the exact l of every vertex, judged by all sets of known relations; witnesses, bounds and certificates."""

from dataclasses import replace
from itertools import combinations
from math import inf

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from messages import tells
from shoal.core import exposing_sets as search
from shoal.core.exposing_sets import AT_LEAST, EXACT
from shoal.errors import BadParameter

READINGS = {
    "neighbors": oracle.neighbors,
    "relations": oracle.relations,
    "located-relations": oracle.located_relations,
}
readings = pytest.mark.parametrize("reading", READINGS)


def smallest_exposing(family, k):
    """The definition: the size of the smallest set that leaves 1 to k-1 candidates, and the sets of that size."""
    sizes = [(len(known), known) for known, left in family if 1 <= len(left) < k]
    least = min((size for size, _ in sizes), default=inf)
    return least, [known for size, known in sizes if size == least]


@pytest.mark.slow
@readings
def test_every_atlas_graph_as_the_oracle_says(reading):
    for g in draw_cases(ATLAS, len(ATLAS) if reading == "neighbors" else 250):
        families = READINGS[reading](g, l=len(g))
        graph = shoal.as_graph(g)
        for k in range(1, min(4, len(g)) + 1):
            found = shoal.levels(graph, reading, k=k)
            expected = [smallest_exposing(families[v], k)[0] - 1 for v in g]
            assert found.per_vertex.tolist() == expected
            assert found.exact.all()
            assert found.l == min(expected)


@pytest.mark.slow
@readings
def test_witnesses_are_smallest_sets(reading):
    for g in draw_cases(ATLAS, 110):
        families = READINGS[reading](g, l=len(g))
        for k in (2, 3):
            if k > len(g):
                continue
            found = shoal.levels(g, reading, k=k)
            for v in g:
                least, sets = smallest_exposing(families[v], k)
                witness = found.witness(v)
                if least == inf:
                    assert witness is None
                    continue
                known = frozenset(name for name, _ in witness.knows[0].value["known"])
                assert known in {frozenset(s) for s in sets}
                assert 1 <= len(witness.candidates) < k
                assert v in witness.candidates


def by_bits(g, k, reading):
    """Brute force over index sets as bit masks: independent of both the engine and the oracle, and quick."""
    n = len(g)
    rows = [sum(1 << w for w in g[v]) for v in range(n)]
    full = (1 << n) - 1
    levels = []
    for v in range(n):
        columns = list(g[v]) if reading == "neighbors" else [x for x in range(n) if reading == "relations" or x != v]
        fits = {x: rows[x] if rows[v] >> x & 1 else full & ~rows[x] for x in columns}
        if reading == "located-relations":
            fits = {x: fit & ~(1 << x) for x, fit in fits.items()}
        levels.append(inf)
        for size in range(1, len(columns) + 1):
            if any(and_all(fits, known, full).bit_count() < k for known in combinations(columns, size)):
                levels[-1] = size - 1
                break
    return levels


def and_all(fits, known, full):
    for x in known:
        full &= fits[x]
    return full


@pytest.mark.slow
@readings
def test_thousands_of_random_graphs(reading):
    rng = np.random.default_rng(11)
    for _ in range(1_200):
        n = int(rng.integers(4, 10))
        g = nx.gnp_random_graph(n, float(rng.choice([0.25, 0.5, 0.75])), seed=int(rng.integers(2**31)))
        k = int(rng.integers(2, min(5, n) + 1))
        assert shoal.levels(g, reading, k=k).per_vertex.tolist() == by_bits(g, k, reading)


@pytest.mark.slow
@readings
@settings(max_examples=120)
@given(g=graphs(least=2, most=6, multi=True), data=st.data())
def test_multigraphs(reading, g, data):
    k = data.draw(st.integers(1, min(4, len(g))))
    families = READINGS[reading](g, l=len(g))
    found = shoal.levels(shoal.as_graph(g, multigraph=True), reading, k=k)
    assert found.per_vertex.tolist() == [smallest_exposing(families[v], k)[0] - 1 for v in g]


@pytest.mark.slow
@settings(max_examples=120)
@given(g=graphs(least=2, most=6, multi=True), data=st.data())
def test_neighbors_with_their_multiplicities(g, data):
    k, l = data.draw(st.integers(2, min(4, len(g)))), data.draw(st.integers(1, 3))
    graph = shoal.as_graph(g, multigraph=True)
    families = {
        v: [(s, left) for s, left in sets if s <= set(g[v])] for v, sets in oracle.relations(g, l=len(g)).items()
    }
    found = shoal.levels(graph, k=k, multiplicities=True)
    assert found.per_vertex.tolist() == [smallest_exposing(families[v], k)[0] - 1 for v in g]
    simple = shoal.as_graph(nx.Graph(g))
    one, other = (shoal.assess(simple, shoal.knowledge.Neighbors(l, multiplicities=m)).sizes for m in (True, False))
    assert one.tolist() == other.tolist()
    risk = shoal.assess(graph, shoal.knowledge.Neighbors(l, multiplicities=True))
    assert risk.sizes.tolist() == [min(len(left) for s, left in families[v] if len(s) <= l) for v in g]


EVERY = inf
ERRATA = {
    ("karate", "relations"): {0: 1, 1: 16, 2: 7, 3: 2, 5: 1, EVERY: 7},
    ("karate", "neighbors"): {0: 1, 1: 15, 2: 1, EVERY: 17},
    ("les_miserables", "relations"): {0: 7, 1: 41, 2: 12, 3: 2, 5: 1, EVERY: 14},
    ("les_miserables", "neighbors"): {0: 7, 1: 15, 2: 4, 3: 1, 4: 3, 5: 6, 6: 9, 8: 3, EVERY: 29},
    ("florentine", "relations"): {0: 4, 1: 9, 2: 1, 4: 1},
    ("florentine", "neighbors"): {0: 4, 1: 7, EVERY: 4},
}


@pytest.mark.parametrize("case", ERRATA, ids=" ".join)
def test_exact_values_of_well_known_networks(case):
    name, reading = case
    assert shoal.levels(getattr(shoal.examples, name)(), reading, k=2).histogram() == ERRATA[case]


@pytest.mark.parametrize("name", ["karate", "les_miserables", "davis", "village"])
def test_readings_are_ordered_and_more_candidates_are_harder(name):
    graph = getattr(shoal.examples, name)()
    before = None
    for k in (2, 3, 5):
        two, one, located = (shoal.levels(graph, reading, k=k).per_vertex for reading in READINGS)
        assert (one <= two).all()
        assert (located <= two).all()
        assert np.isfinite(located).all()
        if before is not None:
            assert (two <= before).all()
        before = two


@readings
@settings(max_examples=40)
@given(g=graphs(least=3, most=8), data=st.data())
def test_relabeling_changes_nothing(reading, g, data):
    order = data.draw(st.permutations(list(g)))
    renamed = nx.Graph()
    renamed.add_nodes_from(f"new {v}" for v in order)
    renamed.add_edges_from((f"new {a}", f"new {b}") for a, b in g.edges)
    before, after = shoal.levels(g, reading, k=2).per_vertex, shoal.levels(renamed, reading, k=2).per_vertex
    assert [before[list(g).index(v)] for v in order] == after.tolist()


def test_levels_and_sizes_agree():
    graph = shoal.examples.les_miserables()
    for l in (1, 2, 3):
        for reading, adversary in (
            ("neighbors", shoal.knowledge.Neighbors(l)),
            ("relations", shoal.knowledge.Relations(l)),
            ("located-relations", shoal.knowledge.Relations(l, located=True)),
        ):
            sizes = shoal.assess(graph, adversary).sizes
            for k in (2, 4, 7):
                assert (shoal.levels(graph, reading, k=k).exposed(l) == (sizes < k)).all()


def test_k_one_is_legal_and_others_are_not():
    path = nx.path_graph(3)
    assert shoal.levels(path, k=1).per_vertex.tolist() == [inf, inf, inf]
    assert shoal.levels(path, "relations", k=3).l == 0
    for k, message in ((0, "1 or more"), (4, "at most the number of vertices, 3. Got 4"), (1.5, "whole number")):
        with pytest.raises(BadParameter, match=message):
            shoal.levels(path, k=k)
    with pytest.raises(BadParameter, match=r"'knowledge'.*located-relations"):
        shoal.levels(path, "friends", k=2)
    with pytest.raises(BadParameter, match=r"'multiplicities'.*'neighbors'"):
        shoal.levels(path, "relations", k=2, multiplicities=True)


@readings
def test_a_limit_gives_a_lower_bound(reading):
    graph = shoal.examples.les_miserables()
    exact = shoal.levels(graph, reading, k=2).per_vertex
    cut = shoal.levels(graph, reading, k=2, max_size=2)
    assert (cut.per_vertex <= exact).all()
    assert cut.exact.tolist() == [l < 2 or l == inf for l in exact]
    assert min(cut.lower_bounds()) == 2
    assert ">= 2" in repr(cut)
    assert cut.witness(graph.names[int(np.flatnonzero(~cut.exact)[0])]) is None


@readings
def test_a_search_cut_short_never_overstates(reading, monkeypatch):
    graph = shoal.as_graph(nx.powerlaw_cluster_graph(120, 8, 0.7, seed=3))
    exact = {k: shoal.levels(graph, reading, k=k) for k in (2, 5)}
    sizes = shoal.assess(graph, shoal.knowledge.Relations(3)).sizes
    monkeypatch.setattr(search, "NODES", 1)
    for k, whole in exact.items():
        assert whole.exact.all()
        cut = shoal.levels(graph, reading, k=k)
        assert (cut.per_vertex <= whole.per_vertex).all()
        assert (cut.per_vertex[cut.exact] == whole.per_vertex[cut.exact]).all()
    less = shoal.assess(graph, shoal.knowledge.Relations(3))
    assert (less.sizes >= sizes).all()
    assert (less.sizes[less.exact_sizes] == sizes[less.exact_sizes]).all()


def test_the_smallest_level_is_exact_if_it_is_that_of_some_vertex():
    found = shoal.levels(nx.path_graph(4), k=2)
    for sizes, meaning, exact in (
        ([2, 2, 3, 3], [AT_LEAST, EXACT, AT_LEAST, AT_LEAST], True),
        ([2, 2, 3, 3], [AT_LEAST, AT_LEAST, EXACT, EXACT], False),
        ([2, 2, 3, 3], [EXACT, EXACT, AT_LEAST, AT_LEAST], True),
    ):
        assert replace(found, sizes=np.array(sizes), meaning=np.array(meaning)).l_exact is exact
    assert shoal.levels(nx.cycle_graph(4), "relations", k=2).l_exact


def test_text_frame_and_capped():
    found = shoal.levels(shoal.examples.karate(), k=2)
    assert tells(repr(found), "17 of 34 vertices keep", "For 1 vertex, 1 known neighbor can", "for 15, it takes 2")
    assert "assumed never to know that two people are not linked" in repr(found)
    assert "&quot;" not in found._repr_html_()
    assert list(found.to_frame().columns) == ["name", "l", "exact"]
    assert (found.capped <= 1).all()
    triangle_and_one = nx.Graph([(0, 1), (1, 2), (2, 0)])
    triangle_and_one.add_node(3)
    assert shoal.levels(triangle_and_one, k=2).per_vertex.tolist() == [1, 1, 1, inf]
    assert shoal.levels(triangle_and_one, k=2).capped.tolist() == [0, 0, 0, 0]


def test_k_beyond_the_rows_at_hand_never_gives_a_negative_level():
    g = nx.gnp_random_graph(400, 0.02, seed=1)
    search_rows = shoal.levels(g, "relations", k=390, max_size=2)
    assert (search_rows.per_vertex >= 0).all()


def read_bars(found):
    chart = found.plot().to_dict()
    return {row["level"]: row["count"] for row in chart["data"]["values"]}, chart


def test_a_chart_counts_vertices_by_their_level():
    bars, chart = read_bars(shoal.levels(shoal.examples.karate(), k=2))
    assert bars == {"0": 1, "1": 15, "2": 1, "every l": 17}
    assert tells(" ".join(chart["title"]["text"]), "34 vertices", "k = 2", "known neighbors")
    assert "assumed never to know" in " ".join(chart["title"]["subtitle"])
    encoding = chart["layer"][0]["encoding"]
    assert (encoding["y"]["title"], encoding["x"]["title"]) == ("level", "number of vertices")


def test_a_chart_of_levels_says_where_a_search_was_cut_short():
    bars, chart = read_bars(shoal.levels(shoal.examples.karate(), k=2, max_size=1))
    assert bars == {"0": 1, ">= 1": 16, "every l": 17}
    labels = {row["level"]: row["label"] for row in chart["data"]["values"]}
    assert [level for level, label in labels.items() if "cut short" in label] == [">= 1"]


def test_a_chart_of_many_levels_joins_the_highest():
    few = shoal.levels(shoal.examples.karate(), k=2)
    many = replace(few, sizes=np.arange(1, 35), meaning=np.full(34, EXACT))
    bars = read_bars(many)[0]
    assert len(bars) == 20
    assert bars["19 to 33"] == 15


@pytest.mark.parametrize("k", ["23", (None, None), None, 2.5])
def test_k_is_a_number_or_one_per_size(k):
    with pytest.raises(BadParameter, match="'k'"):
        shoal.levels({"a": [1, 1, 2], "b": [1, 2, 2]}, "columns", k=k)


def test_columns_that_may_be_known_are_different_ones_of_the_data():
    table = {"a": [1, 1, 2], "b": [1, 2, 2]}
    for columns in ((), ("a", "a")):
        with pytest.raises(BadParameter, match=r"columns of a table\."):
            shoal.levels(table, k=2, columns=columns)
    with pytest.raises(BadParameter, match=r"a graph whose vertices have attributes\."):
        shoal.levels(nx.path_graph(3), "columns", k=2)
