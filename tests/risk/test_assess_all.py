"""The risk of every person under a panel of attacker models."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import shoal
from conftest import graphs
from shoal.errors import Notice
from shoal.knowledge import DEFAULT_KNOWLEDGE, describe_facts
from shoal.risk.panel import assess_all, build_panel


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


def test_the_fewest_candidates_are_those_of_the_kinds_that_fit():
    """The hub loses all links but one: nobody has its degree, but its neighbor still knows it."""
    before = shoal.as_graph(nx.star_graph(4))
    after = shoal.as_graph([(0, 1), (2, 3), (3, 4)])
    found = assess_all(after, shoal.Scenario("s", ["degree", "neighbors:1"], 2), knowledge=(), original=before)
    rows = [risk.sizes.tolist() for risk in found.risks]
    expected = [min((size for size in sizes if size), default=0) for sizes in zip(*rows, strict=True)]
    assert found.fewest.tolist() == expected
    assert any(0 in sizes and max(sizes) > 0 for sizes in zip(*rows, strict=True))
    for v, fewest in enumerate(expected):
        first = next(risk for risk in found.risks if risk.sizes[v] == fewest)
        facts = describe_facts(first.answer.facts(v))
        assert found.describe_reason(v).startswith(f"{first.names[v]} {facts}: ")


def test_the_mapping_names_the_counterparts():
    before = nx.relabel_nodes(nx.star_graph(3), {0: "hub", 1: "a", 2: "b", 3: "c"})
    after = nx.relabel_nodes(nx.star_graph(3), {0: "p9", 1: "p1", 2: "p2", 3: "p3"})
    names = {"hub": "p9", "a": "p1", "b": "p2", "c": "p3"}
    found = assess_all(after, knowledge=(), original=before, mapping=names)
    assert [risk.holds_truth.all() for risk in found.risks] == [True] * len(found.risks)


def test_only_numbers_that_are_bounds_are_marked():
    found = assess_all(nx.star_graph(3), shoal.Scenario("s", ["degree"], 2), knowledge=["orbit"])
    first, *others = found.risks
    bound = replace(first, exact_sizes=np.array([True, True, False, True]))
    people = replace(found, risks=(bound, *others)).list_people()
    assert dict(zip(people["name"], people["upper bounds"], strict=True)) == {0: "", 1: "", 2: "degree", 3: ""}
    assert sum("at most" in reason for reason in people["reason"]) == 1


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


# The standard panel.


def list_specs(data, *more):
    return [knows.spec for knows in build_panel(shoal.data.dataset.as_dataset(data), *more)]


def test_the_panel_of_a_network_has_the_standard_kinds_and_two_with_columns():
    village = shoal.examples.village()
    usual = [knows.spec for knows in DEFAULT_KNOWLEDGE if knows.fits_size(village)]
    assert list_specs(village, ()) == usual
    assert list_specs(village, ("age",)) == [*usual, "columns:age", "columns:age+neighbors:2"]
    one = shoal.as_graph(nx.empty_graph(1))
    assert list_specs(one, ()) == [knows.spec for knows in DEFAULT_KNOWLEDGE if knows.fits_size(one)]


WIDE = {name: [1, 2, 2] for name in "abcde"}


@pytest.mark.parametrize(
    ("columns", "sizes", "rest"),
    [
        ("abcde", (1, 2, 3), ""),
        ("abcd", (1, 2, 3), ":a,b,c,d"),
        ("abc", (1, 2), ":a,b,c"),
        ("ab", (1,), ":a,b"),
        ("a", (), ""),
    ],
)
def test_the_panel_of_a_table_has_sets_of_up_to_three_columns_and_all(columns, sizes, rest):
    every = f"columns:{','.join(columns)}"
    assert list_specs(WIDE, tuple(columns)) == [*(f"some-columns:{l}{rest}" for l in sizes), every]


def test_all_columns_that_are_not_sensitive_may_be_known():
    assert list_specs(WIDE, (), ("e",)) == list_specs(WIDE, tuple("abcd"))
    assert list_specs(WIDE, ()) == list_specs(WIDE, tuple("abcde"))


def test_what_the_release_lacks_has_a_panel_of_its_own():
    released = shoal.as_table({name: WIDE[name] for name in "abc"})
    both = list_specs(WIDE, tuple("abcd"), (), released)
    assert both == [*list_specs(WIDE, tuple("abcd")), *list_specs(WIDE, tuple("abc"))]
    assert list_specs(WIDE, tuple("abc"), (), released) == list_specs(WIDE, tuple("abc"))
    assert list_specs(WIDE, tuple("de"), (), released) == list_specs(WIDE, tuple("de"))


def test_sets_of_columns_that_are_too_many_are_named(monkeypatch):
    monkeypatch.setattr("shoal.risk.panel.SETS", 10)  # five columns: 5 sets of one, 10 of two, 10 of three
    assert list_specs(WIDE, tuple("abcde")) == [
        "some-columns:1",
        "some-columns:2",
        "some-columns:3",
        "columns:a,b,c,d,e",
    ]
    monkeypatch.setattr("shoal.risk.panel.SETS", 9)
    with pytest.warns(Notice, match=r"10 sets of 2 and 10 sets of 3 of the 5 columns.*some-columns:2"):
        assert list_specs(WIDE, tuple("abcde")) == ["some-columns:1", "columns:a,b,c,d,e"]


def test_kinds_outside_the_scenario_follow_it_once():
    found = assess_all(shoal.examples.village(), "internal", knowledge=["degree", "orbit"])
    specs = [risk.adversary.spec for risk in found.risks]
    assert specs.count("degree") == 1
    assert specs[-1] == "orbit"
    assert (found.inside, found.facts) == (len(specs) - 1, "release")
    usual = assess_all(WIDE, shoal.Scenario("s", ["quasi-identifiers"], 2), sensitive=["e"])
    assert [risk.adversary.spec for risk in usual.risks] == [
        "columns:a,b,c,d",
        *(f"some-columns:{l}:a,b,c,d" for l in (1, 2, 3)),
    ]
    assert all(word in usual._repr_html_() for word in ("columns", "s"))
