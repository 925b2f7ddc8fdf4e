"""Methods that pass a scenario: what passes really passes, and its command means the same method."""

import shlex
import warnings

import networkx as nx
import pytest

import shoal
from shoal import Scenario
from shoal.cli.app import load_command
from shoal.cli.part_options import Choice
from shoal.errors import BadParameter
from shoal.knowledge import DEFAULT_KNOWLEDGE, parse_knowledge
from shoal.methods import METHODS, HideNeighbors, MatchDegrees, Mondrian
from shoal.methods.passing import EMPTY, judge_release, recommend_for_scenario, try_method
from shoal.methods.spelling import spell_method

CLUB = nx.Graph(nx.karate_club_graph().edges)
SPECS = ["degree", "neighbors:1", "neighbors:2", "relations:1", "shared-neighbors:2", "columns:age,home town"]
SPECS += ["some-columns:2:age,home town", "degree+columns:age", *(kind.spec for kind in DEFAULT_KNOWLEDGE)]


def proposed():
    """Return every method that is proposed against some knowledge, by its repr."""
    found = {}
    for name, part in METHODS.items():
        for kind in map(parse_knowledge, SPECS):
            for options, _ in part.propose(kind):
                effort = {"effort": 3.0} if hasattr(part, "effort") else {}
                method = part(**{"k": 3, **effort, **options})
                found[repr(method)] = (name, method)
    return list(found.values())


PROPOSED = proposed()


def parse_command(spelled):
    """Return the method that `shoal anonymize` makes of its options."""
    command = load_command("anonymize")
    given = command.make_context("anonymize", ["FILE", "-o", "OUT.csv", *shlex.split(spelled)]).params
    choice = Choice.of(given["method"], None, given["then"], False, given, None)
    return choice.steps


@pytest.mark.parametrize("method", [method for _, method in PROPOSED], ids=repr)
def test_the_options_of_a_method_mean_that_method(method):
    (found,) = parse_command(spell_method(method))
    assert _without_units(found) == _without_units(method)


def _without_units(method):
    """Return the settings of a method; an effort of 3 seconds may be the number or the text 3s."""
    return {
        name: f"{value:g}s" if name == "effort" and isinstance(value, float) else value
        for name, value in vars(method).items()
    } | {"method": type(method)}


def test_many_methods_are_proposed():
    assert {"match-degrees", "hide-neighbors", "hide-relations", "equalize-rows", "mondrian", "microaggregate"} <= {
        name for name, _ in PROPOSED
    }


def test_the_options_of_a_pipeline_mean_its_steps():
    steps = (MatchDegrees(k=4, edits="add-delete"), HideNeighbors(k=4, l=2))
    assert parse_command(spell_method(steps[0] >> steps[1])) == steps


@pytest.mark.parametrize("name", ["a,b", "a b", "$(rm)", "a+b:c", "'", 'x"y', "--set"])
def test_odd_columns_survive_the_shell(name):
    method = Mondrian(k=3, columns=("age", name))
    assert parse_command(spell_method(method)) == (method,)


def test_seeds_are_not_spelled():
    assert "12345" not in spell_method(MatchDegrees(k=3, seed=12345) >> HideNeighbors(k=3, l=1, seed=12345))


@pytest.mark.slow
def test_what_passes_is_below_the_allowed_share_by_both_facts():
    scenario = Scenario("ours", ["degree", "neighbors:1"], k=3, allow="10%")
    found = recommend_for_scenario(CLUB, scenario, seed=1)
    assert found.passing
    costs = [one.cost for one in found.passing]
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
