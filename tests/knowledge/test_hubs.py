"""Distances to hubs where links have a direction: two numbers a hub, each may be absent."""

import networkx as nx
import numpy as np
import pytest

import shoal
import ties_oracle as ties
from laws import assert_agrees
from shoal.core.grouping import group_columns
from shoal.data.graph import Graph
from shoal.knowledge import Hubs, describe_facts
from shoal.knowledge.hubs import (
    AHEAD,
    BACK,
    BOTH,
    _count_by_masks,
    _count_by_pairs,
    _count_open_world,
    find_tie_steps,
)

PATH = Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3], directed=True)
"""a -> b -> c -> d."""


def tell(graph, knows, name):
    return shoal.assess(graph, knows).witness(name).knows[0]


def test_steps_follow_the_direction():
    fact = tell(PATH, Hubs(["c"]), "a")
    assert fact.value == {"to": [("c", 2)], "from": [("c", None)], "reach": None, "world": "closed"}
    assert describe_facts([fact]) == "has 2 steps to c and no path from c"
    assert "1 step from c" in describe_facts([tell(PATH, Hubs(["c"]), "d")])
    assert "more than 1 step to c" in describe_facts([tell(PATH, Hubs(["c"], reach=1), "a")])
    assert describe_facts([tell(PATH, Hubs(["c"], world="open"), "a")]) == "has 2 steps to c"


def test_links_without_direction_are_walked_either_way_and_kinds_are_ignored():
    mixed = Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False], kinds=["pay", "kin"])
    assert tell(mixed, Hubs(["a"]), "c").value["from"] == [("a", 2)]
    assert tell(mixed, Hubs(["c"]), "a").value["to"] == [("c", 2)]
    kin = Graph.from_pairs("abc", [0, 1], [1, 2], kinds=["x", "y"])
    assert tell(kin, Hubs(["a"]), "c").value["distances"] == [("a", 2)]


def test_hubs_are_chosen_by_all_their_links():
    """b has one link in and one out, a has two out: all are hubs by the number of links of any direction."""
    g = Graph.from_pairs("abcd", [0, 0, 1], [1, 2, 3], directed=True)
    assert [name for name, _ in tell(g, Hubs(1), "d").value["to"]] == ["a", "b"]


def test_which_ways_a_neighbor_is_joined():
    g = Graph.from_pairs("abc", [0, 1, 1], [1, 0, 2], directed=[True, True, True])
    assert find_tie_steps(g.ties)[g.ties.codes].tolist() == [BOTH, BOTH, AHEAD, BACK]


STARS = {
    "arcs out": [(0, i, True, None) for i in range(1, 6)],
    "arcs in": [(i, 0, True, None) for i in range(1, 6)],
    "half and half": [(0, i, True, None) if i % 2 else (i, 0, True, None) for i in range(1, 7)],
    "both ways": [arc for i in range(1, 5) for arc in ((0, i, True, None), (i, 0, True, None))],
    "clique": [(a, b, True, None) for a in range(5) for b in range(5) if a != b],
    "tournament": [(a, b, True, None) for a in range(5) for b in range(a)],
    "clique without direction": [(a, b, False, None) for a in range(4) for b in range(a)] + [(0, 9, True, None)],
}


@pytest.mark.parametrize("links", STARS.values(), ids=STARS)
@pytest.mark.parametrize("spec", ["hubs:1", "hubs:2", "hubs:1:1", "hubs:1:*:open", "hubs:1:2:open"])
def test_many_hubs_that_are_twins(links, spec):
    net = ties.Net(tuple(dict.fromkeys(v for a, b, *_ in links for v in (a, b))), tuple(links))
    assert_agrees(shoal.assess(ties.as_graph(net), spec), ties.ORACLES[spec](net))


def test_an_undirected_graph_keeps_one_distance():
    fact = tell(shoal.as_graph(nx.path_graph(3)), Hubs([0]), 2)
    assert fact.value["distances"] == [(0, 2)]
    assert describe_facts([fact]) == "is 2 steps from 0"


def test_open_worlds_are_compared_alike_in_pairs_and_by_present_hubs():
    """Fingerprints of more than one word, of which the known ones need not be seen."""
    rng = np.random.default_rng(20)
    for hubs in (1, 3, 40):
        known, seen = (rng.integers(-1, 3, (hubs, size)) for size in (9, 12))
        seen[:, :5] = np.where(rng.random((hubs, 5)) < 0.9, known[:, :5], seen[:, :5])
        fits = ((known[:, :, None] < 0) | (known[:, :, None] == seen[:, None, :])).all(axis=0)
        masks, times = group_columns([*(known >= 0)]), np.arange(1, 13)
        for count in (_count_by_pairs, _count_by_masks):
            assert count(known, masks, seen, times).tolist() == (fits @ times).tolist()
        assert _count_open_world(known, seen).tolist() == fits.sum(axis=1).tolist()
