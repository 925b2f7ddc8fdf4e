"""The panel of an audit: rows, verdicts and curves say what the counters say."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from audit_cases import SMALL
from conftest import graphs
from messages import tells
from shoal import Graph
from shoal.risk.panel import build_panel


@pytest.mark.slow
@settings(max_examples=30)
@given(graphs(least=2, most=7), st.integers(1, 4))
def test_rows_say_what_the_counters_say(g, k):
    graph, k = shoal.as_graph(g), min(k, len(g))
    panel = shoal.audit(graph, knowledge=SMALL, k=k, attacks=()).before
    assert [found.knows for found in panel] == ["degree", "neighbors:1", "refinement:2", "neighbors:2", "adjacency"]
    assert [found.in_scenario for found in panel] == [True, True, False, False, False]
    for found in panel:
        sizes = shoal.assess(graph, found.knows).sizes.tolist()
        assert found.k == min(sizes)
        assert found.unique == sizes.count(1)
        assert found.below == sum(size < k for size in sizes)
        assert found.average == pytest.approx(float(sum(Fraction(1, s) for s in sizes) / len(sizes)))
        assert sum(found.buckets.values()) + found.misled == len(sizes)


@pytest.mark.parametrize(("fewest", "exact", "cut"), [(13, "fail", "fail"), (12, "pass", "cannot tell")])
def test_an_inexact_k_never_passes(fewest, exact, cut, monkeypatch):
    """Each of the twelve on a ring has twelve candidates, which a search that is cut short finds without a proof."""

    def judged():
        found = shoal.audit(nx.cycle_graph(12), scenario=shoal.Scenario("s", ["subgraph:3"], fewest), knowledge=())
        row = next(row for row in found.before if row.knows == "subgraph:3")
        return row.k, row.doubts, found.verdict.overall

    assert judged() == (12, (), exact)
    monkeypatch.setattr("shoal.knowledge.subgraph.SEARCH_STEPS", 1)
    assert judged() == (12, ("cut short",), cut)


def test_recoded_values_never_pass():
    known = shoal.Table.of({"age": [40, 41, 50, 51], "sex": ["f", "f", "m", "m"]})
    decades = shoal.Table.of({"age": ["40-49", "40-49", "50-59", "50-59"], "sex": ["f", "f", "m", "m"]})
    scenario = shoal.Scenario("s", ["some-columns:1"], 2)
    data = shoal.audit(known, decades, scenario=scenario, knowledge=(), same_names=True, attacks=())
    attacked = data.after.original_facts[0]
    assert (attacked.k, attacked.misled, attacked.recoded) == (2, 0, ("age",))
    assert data.verdict.release_facts.verdict == "pass"
    assert (data.verdict.original_facts.verdict, data.verdict.original_facts.unproved) == ("cannot tell", 4)
    assert data.verdict.overall == "cannot tell"


@settings(max_examples=25)
@given(graphs(least=2, most=7), st.integers(2, 3))
def test_the_curve_is_what_known_neighbors_leave(g, k):
    graph, k = shoal.as_graph(g), min(k, len(g))
    curve = shoal.audit(graph, knowledge=["degree"], k=k).exposure_before
    assert curve.people == graph.n
    for step in curve.steps[1:]:
        sizes = shoal.assess(graph, f"neighbors:{step.l}").sizes
        assert step.undecided == 0
        assert step.exposed == int((sizes < k).sum())


def test_a_table_has_a_curve_of_columns():
    table = shoal.audit(shoal.Table.of({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}), k=2)
    curve = table.exposure_before
    assert (curve.of, [step.exposed for step in curve.steps]) == ("columns", [0, 0, 4])
    assert [r.knows for r in table.before] == ["columns:a,b", "some-columns:1"]
    assert table.drawing is None
    assert (table.input.kind, table.input.people, table.input.edges) == ("table", 4, None)


def test_other_names_give_the_same_numbers(people):
    order = np.random.default_rng(0).permutation(people.n)
    rank = np.argsort(order)
    a, b, _ = people.edges()
    other = Graph.from_pairs(range(people.n), rank[a], rank[b])
    rows = [shoal.audit(g, knowledge=SMALL).before for g in (people, other)]
    assert rows[0] == rows[1]


def test_misled_people_are_counted_apart_and_not_as_safe(people, released):
    rows = shoal.audit(people, released, k=3).after.original_facts
    lost_all = next(r for r in rows if r.knows == "orbit")
    assert lost_all.misled == people.n
    assert lost_all.highest is None


def test_columns_that_were_not_released_are_left_out(people, released):
    bare = released.data.without_attributes()
    data = shoal.audit(people, bare, knowledge=["degree", "columns:age"], columns=["age"])
    assert [r.knows for r in data.after.release_facts] == ["degree", "neighbors:1"]
    assert "does not have age" in data.after.left_out[0].why


def test_too_many_pairs_of_neighbors_are_not_sought_unasked():
    star, small = shoal.as_graph(nx.star_graph(5000)), shoal.as_graph(nx.star_graph(40))
    assert [kind.spec for kind in build_panel(star, ()) if kind.explain_slow_search(star)] == ["neighbors:2"]
    assert not any(kind.explain_slow_search(small) for kind in build_panel(star, ()))


def test_slow_kinds_are_not_counted_unasked_in_large_networks(monkeypatch):
    karate = shoal.examples.karate()
    for kind in (shoal.knowledge.Orbit, shoal.knowledge.Neighborhood, shoal.knowledge.Subgraph):
        assert kind.most_links == 1_000_000
        monkeypatch.setattr(kind, "most_links", 77)
    found = shoal.audit(karate, karate)
    slow = ["neighborhood:1", "subgraph:3", "orbit"]
    assert [one.name for one in found.not_counted] == slow
    assert all("78 links" in one.why for one in found.not_counted)
    assert not {row.knows for row in (*found.before, *found.after.release_facts)} & set(slow)
    assert "neighborhood:1, subgraph:3 and orbit" in repr(found)
    asked = shoal.audit(karate, karate, knowledge=["orbit"])
    assert not asked.not_counted
    assert "orbit" in {row.knows for row in asked.before}
    assert found.partial == ""


def test_inference_is_measured_where_a_column_is_sensitive(people, released):
    data = shoal.audit(people, released, columns=["age", "job"], sensitive=["ill"], knowledge=["degree"]).inference
    risk = shoal.assess(people, shoal.knowledge.Columns("age", "job"))
    assert data.before[0].known == shoal.tables.diversity(risk, "ill")[0].known


def test_a_release_of_fewer_than_k_hides_nobody():
    ring = Graph.from_pairs(list(shoal.examples.karate().names)[:4], [0, 1, 2, 3], [1, 2, 3, 0])
    club = shoal.examples.karate()
    with pytest.warns(shoal.Notice, match="published graph"):
        data = shoal.audit(club, ring, k=5, attacks=(), knowledge=["degree", "orbit"])
    below = {r.knows: (r.k, r.below) for r in data.after.release_facts}
    assert (below["degree"], below["orbit"]) == ((4, 4), (4, 4))
    assert [step.exposed for step in data.exposure_after.steps] == [4] * 5
    risks = {p.name: p.risk["degree"] for p in data.tradeoff.points}
    assert risks["release"] == 1.0


@pytest.mark.parametrize("columns", [(), ("age", "ill")])
def test_a_table_that_lacks_a_column_is_audited_without(lacking, columns):
    whole, part = lacking
    data = shoal.audit(whole, part, k=3, columns=columns, same_names=True)
    known = ["age", "job"] if not columns else ["age"]
    assert f"columns:{','.join(known)}" in [r.knows for r in data.after.release_facts]
    assert all("does not have ill" in one.why for one in data.after.left_out)
    assert data.after.left_out
    assert data.exposure_after.steps
    assert {r.knows for r in data.after.original_facts} == {r.knows for r in data.after.release_facts}


def test_a_table_that_lacks_all_columns_cannot_be_judged(lacking, tmp_path):
    whole, _ = lacking
    found = shoal.audit(whole, shoal.Table.of({"zzz": [1] * whole.n}), k=3)
    assert found.verdict.overall == "cannot tell"
    assert tells(repr(found), "CANNOT TELL", "none of the columns")
    found.save(tmp_path / "a.html")


def test_what_is_promised_is_counted_too(people):
    links = people.without_attributes()
    found = shoal.audit(links, shoal.methods.HideNeighbors(k=2, l=1, effort=5)(links), attacks=()).after
    assert {"neighbors:1", "neighbors:2"} <= {row.knows for row in found.release_facts}


def test_columns_that_nobody_counted_are_told_at_once(people, released):
    found = repr(shoal.audit(people, released, columns=["age"], knowledge=["degree"], attacks=()))
    assert tells(found, "2 columns", "NOT counted", "job and ill")
    counted = repr(
        shoal.audit(people, released, columns=["age", "job"], sensitive=["ill"], knowledge="degree", attacks=())
    )
    assert "NOT counted" not in counted


def test_one_kind_of_knowledge_needs_no_list(people):
    assert [row.knows for row in shoal.audit(people, knowledge="orbit").before][-1] == "orbit"


def test_facts_of_the_original_follow_recoded_columns():
    """An attacker who knows an age of 31 finds the range 30-39; before, everybody counted as misled."""
    ring = nx.cycle_graph(12)
    nx.set_node_attributes(ring, {v: 30 + v % 6 for v in ring}, "age")
    original = shoal.as_graph(ring)
    released = shoal.methods.Mondrian(k=4, columns=("age",))(original)
    scenario = shoal.Scenario("age and links", ["degree+quasi-identifiers"], k=4)
    found = shoal.audit(original, released, scenario=scenario, columns=["age"], attacks=())
    assert len(set(released.table["age"])) > 1
    row = next(row for row in found.after.original_facts if row.in_scenario)
    assert (row.misled, row.below, row.k) == (0, 0, 6)
    assert found.verdict.original_facts.misled == 0
