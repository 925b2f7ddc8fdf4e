"""Sentences are complete, and numbers in them never round towards safety."""

import networkx as nx
import pytest

import shoal
from members import ATTRIBUTED, MEMBERS, by_spec
from messages import tells
from shoal.knowledge import SPELLINGS
from shoal.report.text.phrases import PHRASES, describe_witness
from shoal.report.text.risk import describe_verdict


def test_every_kind_of_fact_has_a_phrase():
    assert set(PHRASES) == set(SPELLINGS)


@pytest.mark.parametrize("member", MEMBERS + ATTRIBUTED, ids=by_spec)
def test_every_witness_is_a_sentence(member):
    g = nx.disjoint_union_all([nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(4), nx.empty_graph(2)])
    nx.set_node_attributes(g, {v: v % 2 for v in g}, "a")
    nx.set_node_attributes(g, dict.fromkeys(g), "b")
    risk = shoal.assess(g, member[0])
    for v in g:
        text = describe_witness(v, risk.witness(v))
        assert text.startswith("Whoever knows ")
        assert text.endswith(".")
        assert "None" not in text
        assert ("knows it is" in text) == (risk.sizes[v] == 1)


def told(spec, name, graph=None):
    graph = graph or shoal.examples.florentine()
    return describe_witness(name, shoal.assess(graph, spec).witness(name))


def test_sentences_that_can_be_checked():
    assert told("degree", "Medici") == "Whoever knows a vertex with 6 links knows it is Medici."
    assert told("refinement:2", "Pazzi") == "Whoever knows a vertex with 1 neighbor that has 2 links knows it is Pazzi."
    assert (
        told("adjacency", "Pazzi") == "Whoever knows a vertex linked to Salviati and to nobody else knows it is Pazzi."
    )
    assert told("hubs:1", "Pazzi").startswith("Whoever knows a vertex 2 steps from Medici is left with ")
    cut = shoal.knowledge.Witness((shoal.knowledge.Fact("degree", 1),), ("a", "b"), proved=False)
    assert (
        describe_witness("a", cut) == "Whoever knows a vertex with 1 link is left with at most 2 candidates: a and b."
    )


def test_sentences_about_the_misled():
    original, released = nx.star_graph(3), nx.path_graph(4)
    risk = shoal.assess(released, "degree", original=original)
    assert describe_witness(0, risk.witness(0), misled=True).endswith("finds nobody: the release misleads about 0.")
    assert describe_witness(1, risk.witness(1), misled=True).endswith(
        "candidates: 0 and 3. But it is 1, who is not among them."
    )


def test_a_verdict_never_takes_a_bound_for_a_promise(monkeypatch):
    from shoal.knowledge import subgraph

    g = nx.cycle_graph(12)
    assert describe_verdict(shoal.assess(g, "subgraph:4"), 12)[0] == 0
    monkeypatch.setattr(subgraph, "EXPLORATIONS", 1)
    cut = shoal.assess(g, "subgraph:4")
    code, text = describe_verdict(cut, 12)
    assert code == 2
    assert tells(text, "CANNOT TELL. ", "cut short", "at most 12", "(subgraph:4)")
    assert repr(cut).splitlines()[1].startswith("k <= 12: a search was cut short")
    path = shoal.assess(nx.path_graph(12), "subgraph:4")
    assert describe_verdict(path, 12)[0] == 1
