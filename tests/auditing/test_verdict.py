"""The verdict of an audit: the judgment by the scenario, with facts from both sources."""

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from audit_cases import KINDS, METHODS
from conftest import graphs
from messages import tells
from shoal import Scenario
from shoal.methods.passing import Attempt, judge_release
from shoal.risk.scenario import judge_risks

LINKS = Scenario("links", ["degree", "neighbors:1"], 3, "10%")


@pytest.mark.slow
@settings(max_examples=30)
@given(graphs(least=2, most=8), st.integers(1, 4), st.sampled_from(["0%", "25%", "60%"]))
def test_the_verdict_is_that_of_both_facts(g, k, allow):
    graph = shoal.as_graph(g)
    less = nx.Graph(g)
    less.remove_edges_from(list(g.edges)[:1])
    release, scenario = shoal.as_graph(less), Scenario("s", ["degree", "neighbors:1"], k, allow)
    found = shoal.audit(graph, release, scenario=scenario, knowledge=["orbit"], attacks=()).verdict
    inside, facts = (
        judge_risks([shoal.assess(release, spec, **how) for spec in scenario.knows], scenario)
        for how in ({}, {"original": graph})
    )
    for record, judged in ((found.release_facts, inside), (found.original_facts, facts)):
        assert (record.below, record.misled, record.verdict) == (judged.below, judged.misled, judged.verdict)
    if "fail" in (inside.verdict, facts.verdict):
        assert found.overall == "fail"
    elif inside.verdict == facts.verdict == "pass":
        assert found.overall == ("cannot tell" if facts.misled else "pass")  # no attack was tried
        assert found.doubt == ("no attacks" if facts.misled else None)
    else:
        assert found.overall == "cannot tell"


def test_misled_people_pass_only_beside_attacks(people, released):
    scenario = Scenario("rows", ["adjacency", "degree"], 3)
    without = shoal.audit(people, released, scenario=scenario, knowledge=["degree"], attacks=())
    assert without.verdict.original_facts.misled
    assert (without.verdict.overall, without.verdict.doubt) == ("cannot tell", "no attacks")
    tried = shoal.audit(people, released, scenario=scenario, knowledge=["degree"], attacks=["cascade"])
    assert (tried.verdict.overall, tried.verdict.doubt) == ("pass", None)
    assert tells(repr(tried), "PASS", f"{tried.verdict.original_facts.misled:,} more people", "see the attacks")


def make_towns(ages, towns):
    """Return people with ages and towns, in a ring."""
    ring = nx.cycle_graph(len(ages))
    return shoal.as_graph(ring, attributes={"age": dict(enumerate(ages)), "town": dict(enumerate(towns))})


def test_exact_values_are_judged_beside_recoded_ones():
    """An age stays as it is in one town only. Who knows the age alone finds two people, and is wrong about ten."""
    towns = ["A"] * 10 + ["B"] * 2 + ["A"] * 10
    original = make_towns([25] * 12 + [30] * 10, towns)
    release = make_towns(["20-39"] * 10 + [25] * 2 + ["20-39"] * 10, towns)
    scenario = Scenario("s", ["columns:age", "columns:town"], 3, "20%")
    how = {"columns": ["age", "town"], "knowledge": ["degree"], "attacks": ["cascade"], "same_names": True}
    found = shoal.audit(original, release, scenario=scenario, **how).verdict
    assert found.release_facts.verdict == "pass"
    assert (found.original_facts.below, found.original_facts.misled) == (12, 10)
    assert found.overall == "fail"


@pytest.mark.parametrize(
    ("ages", "recoded", "allow", "unproved", "overall"),
    [
        # 1 and 5 are alone with two links and their range: who knows two links and an age of 41 finds one of them
        ([41] * 5 + [42], ["41-42", "40-41", "41-42", "41-42", "41-42", "42-43"], "25%", 6, "cannot tell"),
        ([41] * 5 + [42], ["41-42", "40-41", "41-42", "41-42", "41-42", "42-43"], "75%", 6, "pass"),
        # nobody is alone in the release, so nobody is alone by any facts
        ([41] * 5 + [42], ["41-42", "40-43", "41-42", "41-42", "41-42", "40-43"], "0%", 0, "pass"),
        # each age became one other, but * may stand for any
        ([41, 60, 41, 41, 41, 61], [41, "*", 41, 41, 41, "61"], "25%", 4, "cannot tell"),
    ],
)
def test_an_attacker_may_understand_ranges(ages, recoded, allow, unproved, overall):
    original, release = nx.cycle_graph(8), nx.Graph([(0, 1), (1, 2), (3, 4), (5, 6), (6, 7), (7, 5)])
    before, after = (
        shoal.as_graph(g, attributes={"age": dict(enumerate([*values, 50, 50]))})
        for g, values in ((original, ages), (release, recoded))
    )
    how = {"knowledge": ["degree"], "attacks": ["cascade"], "same_names": True}
    scenario = Scenario("s", ["degree+columns:age"], 2, allow)
    found = shoal.audit(before, after, scenario=scenario, **how).verdict
    assert found.release_facts.verdict == "pass"
    assert (found.original_facts.unproved, found.overall) == (unproved, overall)


@pytest.mark.slow
@settings(max_examples=25)
@given(
    st.lists(st.integers(20, 29), min_size=12, max_size=30),
    st.integers(2, 4),
    st.sampled_from(["0%", "10%", "30%"]),
    st.sampled_from([["columns:age"], ["degree+quasi-identifiers"], ["degree", "columns:age", "columns:town"]]),
)
def test_an_audit_says_what_the_judgment_of_a_release_says(ages, k, allow, knows):
    data, scenario = make_towns(ages, ["AB"[age % 2] for age in ages]), Scenario("s", knows, k, allow)
    release = shoal.methods.Mondrian(k=2 * k, columns=("age",))(data)
    tried = Attempt(release.method, release, judge_release(release, scenario, ["age", "town"]))
    how = {"columns": ["age", "town"], "knowledge": ["degree"], "attacks": ["cascade"]}
    assert shoal.audit(data, release, scenario=scenario, **how).verdict.overall == tried.verdict


def test_a_release_that_is_not_matched_never_passes(people, released):
    found = shoal.audit(people, released, scenario=Scenario("s", ["degree"], 3), same_names=False, attacks=())
    assert found.verdict.release_facts.verdict == "pass"
    assert (found.verdict.overall, found.verdict.doubt) == ("cannot tell", "not matched")
    assert tells(repr(found), "CANNOT TELL", "--mapping")


def test_what_is_outside_the_scenario_decides_nothing(people, released):
    scenario = Scenario("s", ["degree"], 3, "10%")
    found = shoal.audit(people, released, scenario=scenario, knowledge=KINDS, attacks=["cascade"])
    rows = found.after.release_facts
    assert [row.knows for row in rows if row.in_scenario] == ["degree"]
    assert {row.knows for row in rows} == set(KINDS)
    assert any(row.below for row in rows if not row.in_scenario)
    assert found.verdict.overall == "pass"


def test_a_guarantee_proves_what_a_search_did_not(people, monkeypatch):
    links = people.without_attributes()
    release = shoal.methods.EqualizeRows(k=3, seed=1, effort=5)(links)
    how = {"scenario": Scenario("s", ["subgraph:4"], 3), "knowledge": ["degree"], "attacks": ()}
    monkeypatch.setattr("shoal.knowledge.subgraph.SEARCH_STEPS", 1)
    proved = shoal.audit(links, release, **how).verdict.release_facts
    assert (proved.unproved, proved.verdict) == (0, "pass")
    bare = shoal.audit(links, release.data, **how).verdict.release_facts
    assert (bare.unproved > 0, bare.verdict) == (True, "cannot tell")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows", "degrees", "edits", "drawn", "table"])
def test_an_external_report_judges_the_published_files_alone(name, people):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    how = {"scenario": Scenario("s", ["degree", "quasi-identifiers"], 3, "5%"), "columns": ["age"], "attacks": ()}
    inside, outside = (shoal.audit(data, release, external=e, **how).verdict for e in (False, True))
    assert outside.release_facts == inside.release_facts
    assert outside.overall == inside.release_facts.verdict
    assert (outside.original_facts, outside.before, outside.doubt) == (None, None, None)


def test_a_weaker_scenario_is_said_in_the_first_lines(people, released):
    first = repr(shoal.audit(people, released, scenario="agreement", k=2, attacks=())).splitlines()[:3]
    assert any(line.startswith("WEAKER than the scenario “agreement”: k is 2") for line in first)
    strong = repr(shoal.audit(people, released, scenario="public", attacks=()))
    assert "WEAKER" not in strong


def test_k_replaces_that_of_the_scenario_and_is_reported(people):
    found = shoal.audit(people, scenario="internal", k=4, attacks=()).scenario
    assert (found.k, found.base) == (4, "internal")
    assert "k = 4" in found.name


def test_who_decided_and_why_stay_private_unless_published(people, released):
    told = {"decided_by": "decider-zq", "sentences": ["sentence-zq"]}
    for publish in (False, True):
        scenario = Scenario("s", ["degree"], 3, publish_decider=publish, publish_sentences=publish, **told)
        inside, outside = (
            shoal.audit(people, released, scenario=scenario, external=e, attacks=()).json() for e in (False, True)
        )
        for word in ("decider-zq", "sentence-zq"):
            assert word in inside
            assert (word in outside) == publish


def test_a_graph_with_fewer_people_than_k_fails():
    found = shoal.audit(nx.complete_graph(4), scenario="public", attacks=())
    assert found.verdict.overall == "fail"
    assert found.verdict.before.below == 4


@pytest.mark.parametrize("k", [0, 100])
def test_a_k_that_is_no_number_of_people_is_refused(people, k):
    with pytest.raises(shoal.errors.BadParameter):
        shoal.audit(people, k=k)
