"""Attacks, utility and the tradeoff in an audit; what was left out has its reason."""

import networkx as nx
import pytest

import shoal
from audit_cases import SMALL, saved
from shoal import Graph
from shoal.attacks.base import DRAWN


def test_utility_lost_is_none_of_the_original_and_all_without_links(people, released):
    found = shoal.audit(people, released, knowledge=SMALL)
    lost = {point.name: point.lost for point in found.tradeoff.points}
    assert list(lost) == ["original", "release", "random edits", "no links"]
    assert (lost["original"], lost["no links"]) == (0.0, 1.0)
    assert shoal.audit(people, knowledge=SMALL).tradeoff is None


def test_an_attack_that_cannot_be_had_leaves_its_reason(people, released):
    """Sybils are planted before a method runs, and a graph alone does not say which method made it."""
    data = shoal.audit(people, released.data, knowledge=["degree"], attacks=["planted-walk", "cascade"]).attacks
    assert [one.attack for one in data.tried] == ["cascade"]
    assert [(one.name, "method=" in one.why) for one in data.left_out] == [("planted-walk", True)]


@pytest.mark.slow
def test_comparison_and_attacks_are_in_it(people, matched):
    from shoal.report.html.page import render_page

    found = shoal.audit(people, matched, knowledge=["degree"], attacks=["knows:neighbors:1", "korula-lattanzi"])
    assert [one.attack for one in found.attacks.tried] == ["knows:neighbors:1", "korula-lattanzi"]
    assert found.tradeoff.points[1].lost > 0
    assert "Korula &amp; Lattanzi" in render_page(found)


def test_random_edits_have_room_where_vertices_were_added():
    whole = shoal.as_graph(nx.complete_graph(5))
    more = shoal.as_graph(nx.complete_graph(8))
    found = shoal.audit(whole, more, k=2, knowledge=["degree"], attacks=())
    assert [p.name for p in found.tradeoff.points] == ["original", "release", "random edits", "no links"]


def test_no_links_are_a_risk_where_columns_are_known(people):
    names = [f"v{i}" for i in range(people.n)]
    g = Graph.from_pairs(people.names, *people.edges()[:2], attributes=shoal.Table.of({"who": names}))
    spec = "neighbors:1+columns:who"
    how = {"scenario": shoal.Scenario("s", [spec], 2), "knowledge": ["orbit"], "attacks": ()}
    found = shoal.audit(g, shoal.methods.Perturb(add=0.1, seed=1)(g), **how).tradeoff
    assert (found.points[-1].name, found.points[-1].lost, found.points[-1].risk[spec]) == ("no links", 1.0, 1.0)


def test_columns_can_be_attacked_in_tables(people):
    table = people.attributes.only(["age", "job"])
    release = shoal.methods.Microaggregate(k=3, columns=("age",))(table)
    found = shoal.audit(table, release, k=3, attacks=["knows:columns:age,job", "cascade"]).attacks
    assert [one.attack for one in found.tried] == ["knows:columns:age,job"]
    assert [(one.name, "links" in one.why) for one in found.left_out] == [("cascade", True)]
    usual = shoal.audit(table, release, k=3).attacks
    assert usual.tried == ()
    assert "knows:columns" in usual.left_out[0].why


@pytest.mark.slow
def test_files_of_links_drawn_anew_have_no_edits(people, tmp_path):
    file, secret, _ = saved(shoal.methods.Generalize(k=3, seed=2**80)(people), tmp_path)
    found = shoal.audit(people, file, mapping=secret, knowledge=["degree"], attacks=["korula-lattanzi"])
    assert found.changes is None
    assert "edges kept" not in [row.metric.name for row in found.utility.rows]
    assert [p.name for p in found.tradeoff.points] == ["original", "release", "no links"]
    attack = found.attacks.tried[0]
    assert {"release", "guessing"} <= {t.graph for t in attack.trials}
    assert not {"random edits", "surviving edges"} & {t.graph for t in attack.trials}
    assert DRAWN in attack.notes


def test_known_columns_are_an_attack_of_their_own(people, released):
    tried = shoal.audit(people, released, columns=["age", "job"], knowledge=["degree"]).attacks.tried
    assert tried[0].attack == "knows:columns:age,job"
