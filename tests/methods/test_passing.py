"""Methods that pass a scenario: what passes really passes, within the edits that are accepted."""

import warnings

import networkx as nx
import pytest

import shoal
from shoal import Scenario
from shoal.errors import BadParameter
from shoal.knowledge.view import recode_known_columns
from shoal.methods import HideNeighbors, MatchDegrees, Mondrian, Pipeline, ReduceRisk, SwapWithin
from shoal.methods.passing import (
    EMPTY,
    FLAT,
    assess_release,
    judge_release,
    list_plans,
    recommend_for_scenario,
    seed_method,
    try_method,
)

pytestmark = pytest.mark.usefixtures("brief_searches")

CLUB = nx.Graph(nx.karate_club_graph().edges)


@pytest.mark.slow
def test_what_passes_is_below_the_allowed_share_by_both_facts():
    scenario = Scenario("ours", ["degree", "neighbors:1"], k=3, allow="10%")
    found = recommend_for_scenario(CLUB, scenario, seed=1)
    assert found.passing
    costs = [one.cost.rank for one in found.passing]
    assert costs == sorted(costs)
    for one in found.passing:
        assert [judged.facts for judged in one.judgments] == ["release", "original"]
        for original in (None, one.release.original):
            exposed = {
                v
                for spec in scenario.knows
                for v in shoal.assess(one.release.data, spec, original=original).at_risk(scenario.k)
            }
            assert len(exposed) <= 3  # 10 % of 34 people
    assert {one.verdict for one in found.attempts if one not in found.passing} <= {"fail", "cannot tell"}


def test_the_original_is_judged_too():
    original = shoal.as_graph(nx.cycle_graph(12))
    release = MatchDegrees(k=2, seed=1)(shoal.as_graph(nx.cycle_graph(12)))
    assert release.data == original
    inside, facts = judge_release(release, Scenario("s", ["degree"], 12), ())
    assert (inside.facts, facts.facts, inside.verdict, facts.verdict) == ("release", "original", "pass", "pass")


def test_data_that_pass_are_left_alone():
    found = recommend_for_scenario(nx.complete_graph(20), "public", time_limit=0.001)
    assert (found.unchanged[0].verdict, found.people) == ("pass", 20)


def test_a_large_network_is_not_tried():
    found = recommend_for_scenario(nx.gnm_random_graph(3000, 20_001, seed=1), "internal")
    assert (found.attempts, bool(found.untried)) == ((), True)


def test_time_is_up():
    found = recommend_for_scenario(CLUB, "internal", time_limit=1e-9)
    assert (found.attempts, "match-degrees" in found.untried) == ((), True)
    with pytest.raises(BadParameter):
        recommend_for_scenario(CLUB, "internal", time_limit=0)


def test_a_refusal_and_a_release_without_links_are_no_release():
    path, scenario = shoal.as_graph(nx.path_graph(3)), Scenario("s", ["neighbors:1"], 3)
    refused = try_method(MatchDegrees(k=50), path, scenario, ())
    assert (refused.release, bool(refused.refused), refused.verdict) == (None, True, "cannot tell")
    empty = try_method(HideNeighbors(k=3, l=1), path, scenario, ())
    assert (empty.release, empty.refused) == (None, EMPTY)


def test_a_table_is_recommended_for():
    people = {"age": [20 + i % 37 for i in range(60)], "sex": ["f", "m"] * 30, "wage": list(range(60))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = recommend_for_scenario(people, "internal", columns=["age", "sex"], seed=1)
    assert all(one.method.works_on == "tables" for one in found.attempts)
    assert "anonymize FILE --scenario internal" in repr(found)


# The edits that are accepted.

FRIENDS = Scenario("friends", ["degree", "neighbors:1"], k=2, allow="10%")


def exposed(one, scenario):
    """Return how many people are below k by facts of the release, and by facts of the original."""
    return [
        len(
            {
                v
                for spec in scenario.knows
                for v in shoal.assess(one.release.data, spec, original=original).at_risk(scenario.k)
            }
        )
        for original in (None, one.release.original)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("most", ["10%", 0.1, 7])
def test_what_passes_changes_no_more_links_than_accepted(most):
    found = recommend_for_scenario(CLUB, FRIENDS, most_edits=most, seed=1)
    assert found.most_edits == 7  # of 78 links
    assert found.passing
    for one in found.passing:
        assert one.cost.links == len(one.release.edits) <= 7
        assert (max(exposed(one, FRIENDS)), one.below <= 3) == (one.below, True)  # 10 % of 34 people
    assert any(isinstance(one.method, ReduceRisk) for one in found.passing)
    assert all(one.cost.links > 7 for one in found.too_costly)


@pytest.mark.slow
def test_what_does_not_pass_is_never_called_passing():
    found = recommend_for_scenario(CLUB, "internal", most_edits=1, seed=1)
    assert found.passing == ()
    assert found.closest
    counts = [one.below for one in found.closest]
    assert counts == sorted(counts)
    assert all(one.cost.links <= 1 and one.verdict != "pass" for one in found.closest)
    assert any(one.cost.left_out == 0 and isinstance(one.method, ReduceRisk) for one in found.closest)
    assert any(getattr(one.method, "suppress", 0) for one in found.attempts)
    assert "None of the" in repr(found)
    assert "at most 1 changed link." in repr(found)


@pytest.mark.parametrize("wrong", [-1, 1.5, "x", True, "200%"])
def test_edits_that_make_no_sense(wrong):
    with pytest.raises(BadParameter, match="most_edits"):
        recommend_for_scenario(CLUB, "internal", most_edits=wrong)
    with pytest.raises(BadParameter, match="most_edits"):
        shoal.recommend(CLUB, "degree", 2, most_edits=wrong)


def test_a_table_has_no_links_to_edit():
    with pytest.raises(BadParameter, match=r"most_edits.*table"):
        recommend_for_scenario({"age": [1, 2, 3, 4]}, "internal", most_edits=1)


# Recoded columns.


def town():
    """Return a network of 80 people with their age; each age is that of two people."""
    network = nx.watts_strogatz_graph(80, 4, 0.1, seed=3)
    return shoal.as_graph(network, attributes={"age": {v: 20 + v // 2 for v in network}})


@pytest.mark.slow
def test_recoded_columns_and_few_edits_pass_where_columns_expose_people():
    data = town()
    found = recommend_for_scenario(data, "internal", columns=["age"], most_edits="10%", seed=1)
    best = found.passing[0]
    assert isinstance(best.method, Pipeline)
    assert [type(step).__name__ for step in best.method.steps] == ["Mondrian", "ReduceRisk"]
    assert [judged.facts for judged in best.judgments] == ["release", "original", "recoded"]
    assert (best.cost.links <= 16, best.cost.columns) == (True, 1)
    assert 1 < len(set(best.release.table["age"])) < 9


def recode(release, *columns):
    place = release.data.names.find(release.original.names)
    return recode_known_columns(release.original, release.data, place, columns)


def test_an_attacker_who_knows_a_value_knows_its_range():
    data = town()
    release = Mondrian(k=20, columns=("age",))(data)
    known = recode(release, "age")
    assert list(known.attributes["age"]) == list(release.table["age"])
    assert known.m == data.m
    inside, facts, recoded = judge_release(release, Scenario("s", ["degree+quasi-identifiers"], 3), ["age"])
    assert (facts.misled, facts.below, facts.verdict) == (80, 0, "cannot tell")  # no released age is a single year
    assert (recoded.facts, recoded.misled, recoded.below) == ("recoded", 0, inside.below)
    assert (inside.below > 0, recoded.verdict) == (True, "fail")


def test_values_that_do_not_follow_from_the_original_are_not_recoded():
    data = town()
    swapped = SwapWithin(classes=[0] * 80, columns=("age",), seed=1, allow_unique=True)(data)
    assert recode(swapped, "age") is None
    assert recode(MatchDegrees(k=2, seed=1)(data), "age") is None


def test_columns_of_a_single_value_are_no_release():
    made = try_method(Mondrian(k=80, columns=("age",)), town(), Scenario("s", ["degree"], 2), ["age"])
    assert (made.release, made.refused) == (None, FLAT)


# All methods that may pass, for a person who chooses.


def test_plans_are_the_methods_that_a_recommendation_tries():
    data, weak = shoal.as_graph(nx.path_graph(8)), Scenario("s", ["degree", "neighbors:1"], 2, allow="10%")
    plans = list_plans(data, weak, (), most_edits=3, left_out=0.02)
    assert len(set(map(repr, plans))) == len(plans)
    found = recommend_for_scenario(data, weak, most_edits=3, seed=1)
    tried = {repr(seed_method(one.method, 0)) for one in found.attempts}
    assert tried <= {repr(seed_method(one, 0)) for one in plans}
    assert all(getattr(one, "k", 2) >= 2 for one in plans)


def test_limits_are_passed_on():
    data = town()
    plans = list_plans(data, Scenario("s", ["degree"], 3, allow="5%"), (), most_edits=11, left_out=0.07)
    reduced = [one for one in plans if isinstance(one, ReduceRisk)]
    assert {one.budget for one in reduced} == {11}
    assert sorted({one.suppress for one in reduced}) == [0, 0.07]
    assert {one.target for one in reduced} == {0.05}
    none = list_plans(data, Scenario("s", ["degree"], 3), (), most_edits=None, left_out=0)
    assert {one.suppress for one in none if isinstance(one, ReduceRisk)} == {0}


def test_a_table_has_only_methods_for_tables():
    people = shoal.Table.of({"age": [20 + i % 7 for i in range(30)], "sex": ["f", "m"] * 15})
    plans = list_plans(people, Scenario.preset("internal"), ["age", "sex"], most_edits=None, left_out=0.1)
    assert plans
    assert {one.works_on for one in plans} == {"tables"}


def test_a_scenario_that_fits_nothing_is_refused():
    people = shoal.Table.of({"age": [1, 2, 3]})
    with pytest.raises(BadParameter, match="knowledge"):
        list_plans(people, Scenario("s", ["degree"], 2), (), most_edits=None, left_out=0)


def test_a_seed_reaches_every_step_that_has_one():
    steps = Mondrian(k=2, columns=("age",)) >> MatchDegrees(k=2, seed=1) >> HideNeighbors(k=2)
    seeded = seed_method(steps, 9)
    assert [getattr(step, "seed", None) for step in seeded.steps] == [None, 9, 9]
    assert seed_method(seeded, 9) == seeded
    assert steps.steps[1].seed == 1  # the method itself is unchanged
    data = town()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert seeded(data).data == seed_method(steps, 9)(data).data


def test_counts_by_the_source_of_facts():
    data, scenario = town(), Scenario("s", ["degree", "degree+quasi-identifiers"], 3)
    release = Mondrian(k=20, columns=("age",))(data)
    found = assess_release(release, scenario, ["age"])
    assert list(found) == ["release", "original", "recoded"]
    kinds = list(scenario.choose_kinds(data, ["age"]).values())
    for at, kind in enumerate(kinds):
        assert found["release"][at].sizes.tolist() == shoal.assess(release.data, kind).sizes.tolist()
        assert found["original"][at].sizes.tolist() == shoal.assess(release.data, kind, original=data).sizes.tolist()
        recoded = shoal.assess(release.data, kind, original=recode(release, "age"))
        assert found["recoded"][at].sizes.tolist() == recoded.sizes.tolist()
    judged = judge_release(release, scenario, ["age"])
    assert [one.facts for one in judged] == list(found)
    for one, risks in zip(judged, found.values(), strict=True):
        below = {v for risk in risks for v in risk.at_risk(3)}
        assert one.below == len(below)
    assert assess_release(release, Scenario("t", ["quasi-identifiers"], 3), ()) == {}
