"""Pairs of known entries, counted for all vertices at once: the search for one vertex after the other agrees."""

import networkx as nx
import numpy as np
import pytest

import shoal
from draws import draw_cases
from shoal.core import exposing_sets, relation_pairs
from shoal.core._kernels.relation_sets import all_fewest
from shoal.core.exposing_sets import AT_LEAST, EVERY, EXACT, count_fewest, find_exposing_set, find_fewest_set
from shoal.core.incidence import Incidence
from shoal.data.graph import Graph

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")  # links that were drawn twice
READINGS = ("relations", "located-relations", "neighbors")


def draw_network(seed):
    """A random network, dense or sparse, with directions and kinds or without."""
    rng = np.random.default_rng(seed)
    n, many = int(rng.integers(2, 25)), int(rng.integers(1, 200))
    a = rng.integers(0, n, many)
    b = (a + rng.integers(1, n, many)) % n
    kinds = rng.choice(["call", "kin"], many).tolist() if rng.random() < 0.4 else None
    return Graph.from_pairs(range(n), a, b, directed=bool(rng.random() < 0.4), kinds=kinds)


def search(entries, l):
    """The fewest candidates by the search for each vertex alone."""
    n, code = entries.n, relation_pairs.CODES[entries.reading]
    sizes, exact, all_of = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_), np.arange(n)
    kinds = np.zeros(n, dtype=np.int64)
    all_fewest(0, n, all_of, entries.csr, kinds, l, code, exposing_sets.NODES, sizes, exact)
    assert exact.all()
    return sizes.tolist()


def count_left(entries, v, known):
    """How many agree with v on the known entries: by comparing rows."""
    rows = [set(entries.row(u).tolist()) for u in range(entries.n)]
    away = {entries.owner(x) for x in known} if entries.reading == "located-relations" else set()
    return sum(u not in away and all((x in rows[u]) == (x in rows[v]) for x in known) for u in range(entries.n))


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("steps", [relation_pairs.STEPS, 0])
def test_counting_agrees_with_the_search(reading, steps, monkeypatch):
    """Also where the pairs of missing entries take too long, and these vertices are searched."""
    monkeypatch.setattr(relation_pairs, "STEPS", steps)
    monkeypatch.setattr(relation_pairs, "ALL_STEPS", steps)
    for seed in draw_cases(range(10_000), 40):
        entries = Incidence.of(draw_network(seed), reading)
        for l in (1, 2):
            sizes, exact = count_fewest(entries, l)
            assert exact.all()
            assert sizes.tolist() == search(entries, l)
            for v in range(entries.n):
                known = find_fewest_set(entries, v, l)
                assert len(known) <= l
                assert count_left(entries, v, known.tolist()) == sizes[v]


@pytest.mark.parametrize("reading", ["relations", "located-relations"])
def test_levels_of_one_and_two_entries_are_found_by_both(reading, monkeypatch):
    for seed in draw_cases(range(10_000), 20):
        entries = Incidence.of(draw_network(seed), reading)
        for k in range(2, min(5, entries.n) + 1):
            for most in (1, 2, 99):
                counted = [find_exposing_set(entries, v, k, most) for v in range(entries.n)]
                found = exposing_sets.find_exposing_sizes(entries, k, most)
                with monkeypatch.context() as alone:
                    alone.setattr(exposing_sets, "_can_count", lambda *_: False)
                    searched = exposing_sets.find_exposing_sizes(entries, k, most)
                assert [one.tolist() for one in found] == [one.tolist() for one in searched]
                assert [(size, meaning) for size, meaning, _ in counted] == list(
                    zip(*(one.tolist() for one in searched), strict=True)
                )
                for v, (size, meaning, known) in enumerate(counted):
                    if meaning == EXACT:
                        assert len(known) == size
                        assert count_left(entries, v, known.tolist()) < k


def test_a_pair_is_found_among_entries_that_nearly_all_lack():
    """Two hubs that share no neighbors leave the fewest to an isolated vertex."""
    g = nx.disjoint_union_all([nx.star_graph(60), nx.star_graph(50), nx.star_graph(40), nx.empty_graph(1)])
    risk = shoal.assess(g, "relations:2")
    lonely = g.number_of_nodes() - 1
    assert risk.sizes[lonely] == len(g) - 60 - 50
    assert sorted(name for name, _ in risk.witness(lonely).knows[0].value["known"]) == [0, 61]


@pytest.mark.parametrize("k", [2, 3])
def test_thousands_of_leaves_are_compared_a_part_at_a_time(k):
    """Of a vertex without links, each hub must be known, and one leaf of each hub but k - 2."""
    stars, leaves = 3, 4_000
    g = nx.disjoint_union_all([*[nx.star_graph(leaves)] * stars, nx.empty_graph(1)])
    entries = Incidence.of(shoal.as_graph(g), "relations")
    sizes, meaning = exposing_sets.find_exposing_sizes(entries, k, 99)
    lonely = entries.n - 1
    assert (sizes[lonely], meaning[lonely]) == (2 * stars - (k - 2), EXACT)
    hubs = np.arange(stars) * (leaves + 1)
    assert (meaning == EVERY).sum() == stars * leaves
    assert sizes[hubs].tolist() == [1] * stars
    assert not (meaning == AT_LEAST).any()


@pytest.mark.parametrize("reading", ["relations", "located-relations"])
def test_what_was_counted_is_kept_where_time_runs_out(reading, monkeypatch):
    """Numbers are bounds then, and the sets leave as many as they say; who is exposed has a set that exposes."""
    for seed in draw_cases(range(10_000), 40):
        entries = Incidence.of(draw_network(seed), reading)
        n, true = entries.n, count_fewest(entries, 2)[0]
        with monkeypatch.context() as short:
            short.setattr(relation_pairs, "STEPS", 0)
            short.setattr(relation_pairs, "ALL_STEPS", 0)
            short.setattr(exposing_sets, "NODES", 1)
            counted, done = relation_pairs.lower_by_pairs(entries, relation_pairs.count_fewest_of_one(entries))
            sizes, exact = count_fewest(entries, 2)
            assert (sizes <= counted).all()
            assert (sizes >= true).all()
            assert (sizes[exact] == true[exact]).all()
            assert (exact >= done).all()
            for v in range(n):
                assert count_left(entries, v, find_fewest_set(entries, v, 2).tolist()) == sizes[v]
            for k in range(2, min(4, n) + 1):
                least, meaning = exposing_sets.find_exposing_sizes(entries, k, 99)
                for v in np.flatnonzero(meaning == EXACT).tolist():
                    size, found, known = find_exposing_set(entries, v, k, 99)
                    assert (size, found, len(known)) == (least[v], EXACT, least[v])
                    assert count_left(entries, v, known.tolist()) < k
                assert (least[(meaning == AT_LEAST) & (true >= k) & done] >= 3).all()
