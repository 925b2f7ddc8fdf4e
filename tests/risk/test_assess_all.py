"""The risk of every person under a panel of attacker models."""

import networkx as nx
import pytest
from hypothesis import given, settings

import shoal
from conftest import graphs
from shoal.risk.panel import assess_all


@settings(max_examples=30)
@given(graphs(least=2, most=7))
def test_each_column_is_what_assess_counts(g):
    graph = shoal.as_graph(g)
    found = assess_all(graph, "internal", knowledge=["orbit"])
    people = found.list_people()
    for spec in ("degree", "neighbors:1", "orbit"):
        sizes = dict(zip(graph.names, shoal.assess(graph, spec).sizes.tolist(), strict=True))
        assert dict(zip(people["name"], people[spec], strict=True)) == sizes
    fewest = [min(row) for row in zip(people["degree"], people["neighbors:1"], people["orbit"], strict=True)]
    assert people["fewest"] == fewest == sorted(fewest)
    assert set(people["upper bounds"]) == {""}


def test_the_reason_is_the_first_kind_with_the_fewest_candidates():
    people = assess_all(nx.star_graph(4), knowledge=["orbit"]).list_people()
    assert people["reason"][0] == "0 has 4 links: 1 candidate."
    assert people["reason"][1] == "1 has 1 link: 4 candidates."


def test_people_whom_less_knowledge_exposes_come_first():
    people = assess_all(shoal.examples.florentine(), "internal", knowledge=["orbit"]).list_people()
    assert people["name"][0] == "Medici"
    assert all(one == 1 for one in people["fewest"])


def test_misled_people_come_last_and_are_not_safe():
    before, after = nx.star_graph(4), nx.star_graph(4)
    after.remove_edge(0, 1)
    found = assess_all(after, shoal.Scenario("s", ["degree"], 2), knowledge=(), original=before)
    people = found.list_people()
    assert (people["name"][-1], people["fewest"][-1]) == (0, 0)
    assert "no published vertex fits" in people["reason"][-1]
    assert (found.facts, found.judgment.misled) == ("original", 1)


def test_a_bound_is_marked(monkeypatch):
    monkeypatch.setattr("shoal.knowledge.subgraph.SEARCH_STEPS", 1)
    people = assess_all(nx.cycle_graph(12), knowledge=["subgraph:3"]).list_people()
    assert set(people["upper bounds"]) == {"subgraph:3"}


def test_a_table_is_assessed_by_its_columns():
    found = assess_all({"age": [1, 1, 2], "sex": ["f", "f", "f"]}, sensitive=["sex"], knowledge=())
    assert [risk.adversary.spec for risk in found.risks] == ["columns:age"]
    assert found.list_people()["fewest"] == [1, 2, 2]


@pytest.mark.parametrize("spec", ["degree", "columns:age"])
def test_the_frame_has_one_row_per_person(spec):
    village = shoal.examples.village()
    frame = assess_all(village, knowledge=[spec], columns=["age"]).to_frame()
    assert len(frame) == village.n
    assert "PASS" in repr(assess_all(nx.complete_graph(30), knowledge=()))
