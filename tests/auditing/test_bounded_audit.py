"""An audit within a time limit: the scenario is counted to the end, and the rest is marked where it is missing."""

import json

import networkx as nx
import pytest

import shoal
from conftest import end_calls
from shoal.auditing import attempts
from shoal.errors import BadParameter
from shoal.workers import call_with

pytestmark = pytest.mark.usefixtures("brief_searches")

CLUB = shoal.examples.karate()
RELEASE = shoal.methods.Perturb(delete=4, seed=1)(CLUB)
TOO_LATE = 1e-6


def test_without_time_only_the_scenario_is_counted():
    found, whole = shoal.audit(CLUB, RELEASE, time_limit=TOO_LATE), shoal.audit(CLUB, RELEASE)
    for one, all_of_it in ((found.before, whole.before), (found.after.release_facts, whole.after.release_facts)):
        assert one == tuple(row for row in all_of_it if row.in_scenario)
    assert found.after.original_facts == tuple(row for row in whole.after.original_facts if row.in_scenario)
    judged = found.verdict
    assert (judged.release_facts, judged.original_facts, judged.before) == (
        whole.verdict.release_facts,
        whole.verdict.original_facts,
        whole.verdict.before,
    )
    assert not found.attacks.tried
    assert set(found.attacks.ended) >= {"korula-lattanzi", "cascade"}
    assert not found.utility.rows
    assert {one.why for one in found.not_counted} == {"It was not finished within the time limit of 0.000001s."}
    assert found.exposure_before is found.tradeoff is None


def test_what_is_missing_is_said_first_and_the_files_can_be_read(tmp_path):
    found = shoal.audit(CLUB, RELEASE, time_limit=TOO_LATE)
    for part in ("other attacker models", "5 of 6 attacks", "metrics", "an exposure curve", "the tradeoff", "scenario"):
        assert part in found.partial, part
    assert f"PARTIAL. {found.partial}" in repr(found).splitlines()
    found.save(tmp_path / "report.json")
    assert shoal.read_audit(tmp_path / "report.json") == found
    assert json.loads((tmp_path / "report.json").read_text())["partial"] == found.partial
    found.save(tmp_path / "report.html")
    assert "PARTIAL" in (tmp_path / "report.html").read_text()


def test_one_file_and_a_table():
    alone = shoal.audit(CLUB, time_limit=TOO_LATE)
    assert [row.knows for row in alone.before] == ["degree", "neighbors:1"]
    assert "other attacker models" in alone.partial
    table = shoal.examples.people()
    found = shoal.audit(table, columns=["age", "sex"], time_limit=TOO_LATE)
    assert all(row.in_scenario for row in found.before)


def test_an_external_audit_says_it_too():
    found = shoal.audit(CLUB, RELEASE, external=True, time_limit=TOO_LATE)
    assert "other attacker models" in found.partial
    assert "attacks" not in found.partial


@pytest.mark.slow
def test_with_enough_time_the_limit_changes_only_the_command_to_repeat_it():
    found, whole = shoal.audit(CLUB, RELEASE, time_limit=600), shoal.audit(CLUB, RELEASE)
    one, other = json.loads(found.json()), json.loads(whole.json())
    assert "--time-limit 10m" in one.pop("repeat")[0]
    assert "--time-limit" not in other.pop("repeat")[0]
    assert one == other
    assert one["partial"] == ""


@pytest.mark.slow
def test_an_endless_attack_does_not_stop_the_audit(monkeypatch):
    end_calls(lambda call, _: call.args and isinstance(call.args[0], shoal.attacks.Cascade), monkeypatch)
    found = shoal.audit(CLUB, RELEASE, knowledge=["orbit"], attacks=["cascade", "knows:degree"], time_limit=600)
    assert [one.attack for one in found.attacks.tried] == ["knows:degree"]
    assert found.attacks.ended == ("cascade",)
    assert [(one.name, "time limit of 10m" in one.why) for one in found.attacks.left_out] == [("cascade", True)]
    assert "1 of 2 attacks" in found.partial
    assert found.utility.rows


def test_an_endless_isomorphism_does_not_stop_the_audit(monkeypatch):
    """BLISS cannot poll: a large component is searched in a worker."""
    monkeypatch.setattr("shoal.core.orbits.LARGE", 1)
    end_calls(lambda call, _: call.func is call_with, monkeypatch)
    ring = shoal.as_graph(nx.cycle_graph(12))
    found = shoal.audit(ring, knowledge=["orbit", "adjacency"], time_limit=600)
    assert [one.name for one in found.not_counted] == ["orbit"]
    assert [row.knows for row in found.before] == ["degree", "neighbors:1", "adjacency"]


def test_the_scenario_is_counted_even_where_it_polls(monkeypatch):
    """A kind of the scenario may report progress long after the time is over."""
    slow = shoal.Scenario("balls", ["neighborhood:1"], k=2)
    found = shoal.audit(CLUB, scenario=slow, knowledge=["degree"], time_limit=TOO_LATE)
    assert [row.knows for row in found.before] == ["neighborhood:1"]


def test_large_networks_have_fewer_repeats(monkeypatch):
    monkeypatch.setattr(attempts, "LINKS", 3 * CLUB.m)
    found = shoal.audit(CLUB, RELEASE, knowledge=["degree"])
    tried = {one.attack: one for one in found.attacks.tried}
    assert tried["korula-lattanzi"].settings["repeats"] == 3
    assert any("3 draws" in note for note in found.utility.notes)
    named = shoal.audit(CLUB, RELEASE, knowledge=["degree"], attacks=["korula-lattanzi"])
    assert named.attacks.tried[0].settings["repeats"] == 10


def test_a_wrong_limit_is_refused(shell, tmp_path):
    with pytest.raises(BadParameter, match="audit: 'time_limit' must be a number of seconds above 0"):
        shoal.audit(CLUB, time_limit=-1)
    code, _, err = shell("audit", "example:karate", "--time-limit", "soon", "-o", tmp_path / "report.html")
    assert code == 2
    assert "--time-limit" in err
