"""Baselines of ReduceRisk: the edits are of the kind and number asked for, and the heuristics delete what they say."""

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.core.edge_diff import find_edge_difference, number_edges
from shoal.methods.links.random_edits import count_missing
from shoal.methods.links.reduce_risk.baselines import (
    ALL,
    COMMON,
    ENDS,
    HEURISTICS,
    delete_in_rounds,
    edit_randomly,
    find_reach,
    score_affected,
    score_at_risk,
)

KINDS = ["degree", "counts:1", "degrees:1", "refinement:2", "neighbors:1"]
EDITS = ["delete", "add", "add-delete", "swap"]


def club():
    return shoal.as_graph(nx.Graph(nx.karate_club_graph().edges))


def draw(seed=1):
    return np.random.default_rng(seed)


def parse(*specs):
    return [shoal.parse_knowledge(spec) for spec in specs]


@pytest.mark.parametrize("edits", EDITS)
def test_random_edits_are_of_one_kind_and_keep_the_budget(edits):
    graph = club()
    for budget in (0, 1, 9, 40):
        found = edit_randomly(graph, budget, edits, draw())
        changes = find_edge_difference(graph, found)
        added, removed = len(changes.added[0]), len(changes.removed[0])
        if edits == "swap":
            assert found.degree.tolist() == graph.degree.tolist()
            assert changes.edits <= budget
        else:
            assert added == {"delete": 0, "add": budget, "add-delete": budget // 2}[edits]
            assert removed == {"delete": budget, "add": 0, "add-delete": budget - budget // 2}[edits]
    assert number_edges(edit_randomly(graph, 0, edits, draw())).tolist() == number_edges(graph).tolist()


def test_there_are_no_more_additions_than_unlinked_pairs():
    almost = shoal.as_graph(nx.Graph([e for e in nx.complete_graph(6).edges if e != (0, 1)]))
    assert count_missing(almost) == 1
    assert edit_randomly(almost, 9, "add", draw()).m == 15


@pytest.mark.parametrize("name", HEURISTICS)
@pytest.mark.parametrize("spec", KINDS)
def test_a_heuristic_deletes_exactly_the_budget(name, spec):
    graph = club()
    for budget in (0, 1, 7, 25, 78):
        found = delete_in_rounds(graph, budget, HEURISTICS[name], parse(spec), 2, draw())
        changes = find_edge_difference(graph, found)
        assert len(changes.removed[0]) == budget == changes.edits


@pytest.mark.parametrize("spec", KINDS)
def test_the_score_counts_the_people_at_risk_whom_a_link_can_change(spec):
    """Brute force: a deleted link changes no other vertex's neighborhood than those that the reach names."""
    graph = club()
    network = graph.to_networkx()
    (knows,) = parse(spec)
    risky = shoal.assess(graph, knows).sizes < 2
    reach = find_reach(knows)
    for edge, score in zip(graph.each_edge(), score_affected(graph, risky, reach).tolist(), strict=True):
        a, b = (graph.names[v] for v in edge)
        near = [{v, *network[v]} for v in (a, b)]
        whom = {ENDS: {a, b}, COMMON: {a, b} | near[0] & near[1], ALL: near[0] | near[1]}[reach]
        assert score == sum(bool(risky[graph.names.id(v)]) for v in whom)


@pytest.mark.parametrize("spec", ["degree", "counts:1", "degrees:1", "refinement:2"])
def test_a_deleted_link_changes_the_facts_only_within_reach(spec):
    graph = club()
    (knows,) = parse(spec)
    everyone = np.ones(graph.n, dtype=np.bool_)
    within = score_affected(graph, everyone, find_reach(knows))
    for i, (a, b) in enumerate(list(graph.each_edge())[:20]):
        kept = [e for e in graph.each_edge() if e != (a, b)]
        without = shoal.Graph.from_pairs(graph.names, *map(list, zip(*kept, strict=True)))
        attacked = shoal.assess(without, knows, original=graph)
        assert np.count_nonzero(~attacked.holds_truth) <= within[i]


def test_links_of_people_at_risk_come_first():
    graph = club()
    risky = shoal.assess(graph, "counts:1").sizes < 2
    a, b, _ = graph.edges()
    assert score_at_risk(graph, risky, COMMON).tolist() == (risky[a] | risky[b]).tolist()
    found = delete_in_rounds(graph, 1, score_at_risk, parse("counts:1"), 2, draw())
    gone = find_edge_difference(graph, found).removed
    assert risky[gone[0][0]] or risky[gone[1][0]]


def test_the_most_affected_link_is_deleted_first():
    graph = club()
    risky = shoal.assess(graph, "counts:1").sizes < 2
    scores = score_affected(graph, risky, COMMON)
    found = delete_in_rounds(graph, 1, score_affected, parse("counts:1"), 2, draw())
    (a,), (b,), _ = find_edge_difference(graph, found).removed
    assert scores[list(graph.each_edge()).index((a, b))] == scores.max()


def test_several_kinds_have_the_widest_reach():
    assert [find_reach(knows) for knows in parse(*KINDS, "counts:1+degree")] == [ENDS, COMMON, COMMON, ALL, ALL, COMMON]


def test_the_same_seed_deletes_the_same_links():
    graph = club()
    for score in HEURISTICS.values():
        one, two, other = (delete_in_rounds(graph, 20, score, parse("counts:1"), 2, draw(s)) for s in (1, 1, 2))
        assert number_edges(one).tolist() == number_edges(two).tolist() != number_edges(other).tolist()
