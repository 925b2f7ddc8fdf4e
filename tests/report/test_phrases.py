"""Sentences are complete, and numbers in them never round towards safety."""

import networkx as nx
import pytest

import shoal
from members import ATTRIBUTED, MEMBERS, by_spec
from messages import tells
from shoal.knowledge import Fact, Witness
from shoal.report.text.phrases import describe_knowledge, describe_witness, title_knowledge
from shoal.report.text.risk import describe_verdict


@pytest.mark.parametrize("member", MEMBERS + ATTRIBUTED, ids=by_spec)
def test_every_kind_has_a_title_and_a_phrase(member):
    for text in (title_knowledge(member[0].spec), describe_knowledge(member[0].spec)):
        assert text
        assert "None" not in text
        assert not text.endswith(".")


@pytest.mark.parametrize("member", MEMBERS + ATTRIBUTED, ids=by_spec)
def test_every_witness_is_a_sentence(member):
    g = nx.disjoint_union_all([nx.path_graph(4), nx.star_graph(3), nx.cycle_graph(4), nx.empty_graph(2)])
    nx.set_node_attributes(g, {v: v % 2 for v in g}, "a")
    nx.set_node_attributes(g, dict.fromkeys(g), "b")
    risk = shoal.assess(g, member[0])
    for v in g:
        text = describe_witness(v, risk.witness(v))
        assert text.startswith((f"{v} ", f"Nothing is known about {v}."))
        assert text.endswith(".")
        assert "None" not in text
        assert (f"Only {v} fits." in text) == (risk.sizes[v] == 1)


def told(spec, name, graph=None):
    graph = graph or shoal.examples.florentine()
    return describe_witness(name, shoal.assess(graph, spec).witness(name))


def test_sentences_that_can_be_checked():
    assert told("degree", "Medici") == "Medici has 6 links. Only Medici fits."
    assert told("refinement:2", "Pazzi") == "Pazzi has 1 neighbor, which has 2 links. Only Pazzi fits."
    assert told("adjacency", "Pazzi") == "Pazzi is linked to Salviati and to no other vertex. Only Pazzi fits."
    assert told("hubs:1", "Pazzi").startswith("Pazzi is 2 steps from Medici. ")
    cut = Witness((Fact("degree", 1),), ("a", "b"), exact=False)
    assert describe_witness("a", cut) == "a has 1 link. At most 2 vertices fit: a and b."


def test_sentences_about_facts_of_the_original():
    original, released = nx.star_graph(3), nx.path_graph(4)
    risk = shoal.assess(released, "degree", original=original)
    assert (
        describe_witness(0, risk.witness(0), misled=True) == "0 has 3 links in the original. No released vertex fits."
    )
    lost = describe_witness(1, risk.witness(1), misled=True)
    assert lost == "1 has 1 link in the original. 2 released vertices fit: 0 and 3. None of them is 1."
    found = describe_witness(3, risk.witness(3), original=True)
    assert found.endswith("2 released vertices fit: 0 and 3. One of them is 3.")
    one = Witness((Fact("degree", 3),), ("x",))
    assert describe_witness(0, one, misled=True).endswith("Only x fits in the release, which is wrong.")
    assert describe_witness(0, one, original=True).endswith("Only x fits in the release, which is right.")


def test_columns_that_fit_no_record_may_be_recoded():
    none = Witness((Fact("columns", [("age", 41)]),), ())
    text = describe_witness(7, none, misled=True, noun="record")
    assert text == (
        "7 has age 41 in the original. No released record has exactly these values. They may have been recoded."
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
