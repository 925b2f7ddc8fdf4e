"""Subgraph queries where links have directions, kinds or multiplicities: a known pair is known with all its links."""

from functools import partial
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

import shoal
import ties_oracle as ties
from draws import draw_cases
from laws import assert_agrees
from shoal.data.graph import Graph
from shoal.knowledge import Subgraph, describe_facts, subgraph
from shoal.knowledge.subgraph import KnownLinks, Pattern, label_pairs, place_patterns, plan_search


def test_direction_distinguishes_the_ends():
    g = Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    assert shoal.assess(g.to_undirected(), Subgraph(1)).sizes.tolist() == [2, 3, 2]
    assert shoal.assess(g, Subgraph(1)).sizes.tolist() == [1, 2, 1]


def test_multiplicities_are_known_in_a_multigraph():
    g = Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], multigraph=True)
    assert shoal.assess(g, Subgraph(1)).sizes.tolist() == [1, 2, 1]


def test_the_fact_has_the_links_of_each_pair():
    g = Graph.from_pairs(
        "abc", [0, 1, 0, 0], [1, 2, 1, 1], directed=[True, False, True, True], kinds="xyxz", multigraph=True
    )
    fact = shoal.assess(g, Subgraph(1)).witness("c").knows[0]
    assert fact.value["edges"] == [("c", "b", [[1, {"kind": "y", "direction": "both"}]])]
    assert "c–b (y)" in describe_facts([fact])
    told = describe_facts([shoal.assess(g, Subgraph(2)).witness("a").knows[0]])
    assert "a→b (x, 2 times)" in told
    assert "a→b (z)" in told
    multi = Graph.from_pairs("ab", [0, 0], [1, 1], multigraph=True)
    assert "a–b (2 links)" in describe_facts([shoal.assess(multi, Subgraph(1)).witness("a").knows[0]])


def test_simple_facts_are_pairs():
    g = Graph.from_pairs("ab", [0], [1])
    assert shoal.assess(g, Subgraph(1)).witness("a").knows[0].value["edges"] == [("a", "b")]


def test_labels_of_two_graphs_correspond():
    one = Graph.from_pairs("ab", [0], [1], directed=True, kinds=["x"])
    other = Graph.from_pairs("abc", [0, 1], [1, 2], directed=True, kinds=["a", "x"])
    first, second = label_pairs(one, other, 1)
    assert first.labels.tolist() == second.labels.tolist()[2:]
    alone, both = label_pairs(
        Graph.from_pairs("ab", [0], [1]), Graph.from_pairs("ab", [0, 0], [1, 1], multigraph=True), 1
    )
    assert (alone.labels.tolist(), both.labels.tolist()) == ([1, 1], [2, 2])
    empty = Graph.from_pairs("ab", [], [], directed=True)
    assert [len(links.labels) for links in label_pairs(one.without_kinds(), empty, 1)] == [2, 0]


def test_a_vertex_with_many_neighbors_is_explored_once_per_class():
    """Only the number of links with each label matters, up to the budget."""
    arcs = [(0, w) for w in range(2, 12)] + [(1, w) for w in range(2, 8)] + [(12, 1)]
    g = Graph.from_pairs(range(13), *zip(*arcs, strict=True), directed=True)
    stars = label_pairs(g, g, 2)[0].stars
    assert stars[0] != stars[1]
    assert (stars[2:] == -1).all()
    assert label_pairs(g.to_undirected(), g.to_undirected(), 2)[0].stars[:2].tolist() == [0, 0]
    links = KnownLinks(g, 1, g.ties.codes)
    assert sorted(len(some) for _, some in links.begin_row(1)) == [1, 3]
    assert (links.sorts_row(1), links.sorts_row(2)) == (False, True)


def test_large_multiplicities_are_labels_like_others():
    """Labels far apart are sorted, not counted; only whether they are equal matters."""
    random = Random(7)
    pairs = [(a, b, random.choice([1, 2])) for a in range(12) for b in range(a) if random.random() < 0.3]
    a, b, times = zip(*pairs, strict=True)
    small, large = (
        Graph.from_pairs(range(12), a, b, counts=[{1: 1, 2: two}[q] for q in times], multigraph=True)
        for two in (2, 10**9)
    )
    assert shoal.assess(small, "subgraph:3").sizes.tolist() == shoal.assess(large, "subgraph:3").sizes.tolist()


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5])
def test_cliques_of_arcs_are_found_where_they_are(share):
    """A vertex of a pattern with several earlier neighbors is in the runs of all of them."""
    linked = np.triu(np.random.default_rng(5).random((40, 40)) < share, 1)
    a, b = np.nonzero(linked)
    turned = (a + b) % 2 == 0
    g = Graph.from_pairs(range(40), np.where(turned, b, a), np.where(turned, a, b), directed=True)
    links, _ = label_pairs(g, g, 6)
    to = np.zeros((2, 40, 40), dtype=np.int64)
    to[links.labels, np.repeat(np.arange(40), np.diff(g.indptr)), g.indices] = 1
    for labels in product(range(2), repeat=6):
        joined = [(i, j, label, 1 - label) for (i, j), label in zip(combinations(range(4), 2), labels, strict=True)]
        clique = np.einsum("ab,ac,ad,bc,bd,cd->a", *[to[label] for label in labels], optimize=True) > 0
        triangle = np.einsum("ab,ac,bc->a", *[to[joined[e][2]] for e in (0, 1, 3)]) > 0
        patterns = [
            Pattern(tuple(joined), (False,) * 4),
            Pattern(tuple(joined[e] for e in (0, 1, 3)), (False,) * 3),
        ]
        (found,) = place_patterns(links, patterns, exact_degrees=False)
        assert found.tolist() == [clique.tolist(), triangle.tolist()]


def test_leaves_of_one_vertex_need_not_be_placed():
    """The number of entries of that vertex says that they find different places."""
    chain = ((0, 1), (1, 2), (1, 3))
    sizes = {
        (chain, (False,) * 4): 2,
        (((0, 1), (0, 2), (0, 3)), (True, False, False, False)): 1,
        (((0, 1), (0, 2), (1, 3)), (False,) * 4): 4,  # 2 and 3 may stand in each other's way
        (chain, (False, False, True, False)): 3,  # one is placed by its own degree
    }
    assert {key: plan_search(*key, True)[0].size for key in sizes} == sizes


@pytest.mark.slow
@pytest.mark.parametrize("exact", [True, False])
def test_larger_budgets_as_the_oracle_says(exact):
    random = Random(20)
    for _ in range(40):
        n, kinds = random.randint(4, 6), random.choice([[None], ["x", "y"]])
        links = tuple(
            (a, b, random.random() < 0.7, random.choice(kinds))
            for a, b in (random.sample(range(n), 2) for _ in range(random.randint(2, 2 * n)))
        )
        net = ties.Net(tuple(range(n)), links)
        oracle = partial(ties.subgraph, edges=4, exact_degrees=exact)
        assert_agrees(shoal.assess(ties.as_graph(net), Subgraph(4, exact_degrees=exact)), oracle(net))


def test_one_drawn_exploration_is_found_in_a_graph_with_other_labels():
    original = Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3], directed=True, kinds=["x", "x", "y"])
    released = Graph.from_pairs("abcde", [0, 1, 2, 3], [1, 2, 3, 4], directed=True, kinds=["x", "x", "y", "a"])
    facts = Subgraph(2, exact_degrees=False).draw_facts(original, np.ones(4, dtype=bool))
    with pytest.warns(shoal.errors.Notice, match="only the release has: 'a'"):
        view = shoal.knowledge.view.View.of(released, original, None)
    search, rng = facts.seek(view), np.random.default_rng(1)
    assert search(0, facts.draw(0, rng)).ids.tolist() == [0]


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")  # links that were drawn twice
@pytest.mark.parametrize("spec", ["subgraph:3", "subgraph:4", "subgraph:3:atleast"])
def test_patterns_with_a_center_fit_alike_many_at_a_time_and_one_by_one(spec, monkeypatch):
    for seed in draw_cases(range(10_000), 25):
        rng = Random(seed)
        graph = ties.as_graph(ties.draw_net(rng, rng.randint(3, 14)), multigraph=rng.random() < 0.5)
        counted = []
        for many in (1, 10**9):
            monkeypatch.setattr(subgraph, "MANY", many)
            risk = shoal.assess(graph, spec)
            assert risk.exact_sizes.all()
            counted.append(risk.sizes.tolist())
        assert counted[0] == counted[1]
