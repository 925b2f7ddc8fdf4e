"""What to do next: rules from the verdict to sentences and commands."""

from dataclasses import replace

import pytest

import shoal
from messages import tells
from shoal.auditing.next_steps import COMMANDS
from shoal.data.graph import Graph
from shoal.methods.base import find_method

pytestmark = pytest.mark.usefixtures("brief_searches")

LINKS = shoal.Scenario("links", ["degree", "neighbors:1"], k=3, allow="10%")


def list_commands(found):
    return [step for step in found.next_steps if step.startswith(COMMANDS)]


def test_data_that_fails_gets_a_method_that_covers_the_scenario():
    found = shoal.audit(shoal.examples.karate(), scenario=LINKS)
    assert tells(found.next_steps[0], "Do not publish", "as it is")
    assert tells(found.next_steps[2], "equalize-rows", "2 of 2")
    (command,) = list_commands(found)
    assert tells(command, "shoal anonymize ORIGINAL", "--method equalize-rows", "-k 3", "--mapping")


def test_knowledge_that_no_method_covers_is_said():
    village = shoal.examples.village(60)
    found = shoal.audit(village, columns=["age", "sex"])
    assert any("No method has a guarantee" in step for step in found.next_steps)
    assert tells(list_commands(found)[0], "-k 5", "--attributes-output")


@pytest.mark.slow
@pytest.mark.parametrize("advice", [None, 5])
def test_a_network_with_directions_is_protected_by_a_method_that_reads_them(advice):
    karate = shoal.examples.karate()
    a, b, _ = karate.edges()
    kinds = ["call", "mail"] * (len(a) // 2)
    found = shoal.audit(Graph.from_pairs(karate.names, a, b, directed=True, kinds=kinds), scenario=LINKS, advice=advice)
    command = list_commands(found)[0]
    assert tells(command, "--directed --kind KIND")
    assert find_method(command.split("--method ")[1].split()[0]).reads_ties
    assert (found.input.directed, found.input.kinds) == (True, ("call", "mail"))
    assert "--directed --kind KIND" in found.repeat[0]


def test_a_directed_example_needs_no_options():
    found = shoal.audit(shoal.examples.office(40), scenario=LINKS, files=("example:office", None))
    assert "--directed" not in list_commands(found)[0]


def test_a_table_gets_its_columns():
    found = shoal.audit(shoal.examples.people(200), columns=["age", "sex"])
    assert tells(list_commands(found)[0], "mondrian", "--columns age,sex")


@pytest.fixture(scope="module")
def made():
    club = shoal.examples.karate()
    return club, shoal.methods.EqualizeRows(k=3, seed=7)(club)


def test_a_release_that_passes_says_what_to_keep_private(made):
    found = shoal.audit(*made, scenario=LINKS, attacks=["cascade"])
    assert found.verdict.overall == "pass"
    assert any(tells(step, "its audience may get") for step in found.next_steps)
    assert any(tells(step, "private", "mapping", "report") for step in found.next_steps)
    assert tells(list_commands(found)[0], "shoal audit", "--same-names", "--scenario SCENARIO.toml --external")


def test_an_attack_beyond_the_allowed_share_is_to_be_read_first(made):
    club, release = made
    same = replace(release, data=club, promises=())
    lenient = shoal.Scenario("lenient", ["degree"], k=2, allow="60%", base=None)
    found = shoal.audit(club, same, scenario=lenient, attacks=["cascade"])
    assert found.verdict.overall == "pass"
    assert tells(found.next_steps[0], "attacks first", "larger share")


def test_what_cannot_be_told_says_what_is_missing(made):
    club, release = made
    unmatched = shoal.audit(club, release.data, same_names=False, scenario=LINKS)
    assert unmatched.verdict.doubt == "not matched"
    assert "--mapping" in list_commands(unmatched)[0]
    untried = shoal.audit(club, release, scenario=LINKS, attacks=())
    assert untried.verdict.doubt == "no attacks"
    assert "--no-attacks" in untried.next_steps[0]


def test_a_broken_guarantee_comes_first(made):
    club, release = made
    false = replace(release, data=club)
    found = shoal.audit(club, false, scenario=LINKS, attacks=())
    assert tells(found.next_steps[0], "Do not publish", "guarantee is broken")


def test_outside_nothing_is_said_about_the_original(made):
    assert shoal.audit(*made, scenario=LINKS, external=True).next_steps == ()


@pytest.mark.slow
def test_data_that_fails_gets_a_command_that_passed_when_it_was_tried():
    found = shoal.audit(shoal.examples.karate(), scenario=LINKS, advice=60.0)
    (command,) = list_commands(found)
    assert tells(command, "shoal anonymize ORIGINAL", "--method reduce-risk", "--knows degree --knows neighbors:1")
    assert any(
        tells(step, "passed", "links, for 78 in the original", "of 34 people stay below 3") for step in found.next_steps
    )


@pytest.mark.slow
def test_a_method_that_does_not_pass_is_called_the_closest():
    strict = shoal.Scenario("strict", ["degree", "hubs:2"], k=5, allow=0, base=None)
    found = shoal.audit(shoal.examples.karate(), scenario=strict, knowledge=["degree"], advice=60.0)
    assert any(tells(step, "no release passed", "closest does not pass") for step in found.next_steps)
    assert not any("and its release passed" in step for step in found.next_steps)


def test_the_description_of_a_release_may_be_published(made, tmp_path):
    club = made[0].without_attributes()
    release = shoal.methods.EqualizeRows(k=3, seed=7)(club)
    release.save(tmp_path / "safe.csv", mapping=tmp_path / "secret.csv", readme=tmp_path / "safe.csv.README.md")
    how = {"scenario": LINKS, "mapping": tmp_path / "secret.csv", "attacks": ["cascade"]}
    found = shoal.audit(club, tmp_path / "safe.csv", **how)
    assert any(tells(step, "safe.csv", "safe.csv.release.json", "safe.csv.README.md") for step in found.next_steps)
    (tmp_path / "safe.csv.README.md").unlink()
    found = shoal.audit(club, tmp_path / "safe.csv", **how)
    assert not any("README" in step for step in found.next_steps)


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_the_command_of_a_public_report_names_scenario_and_mapping(tmp_path):
    """It makes the same verdict as the report that prints it."""
    released = shoal.methods.EqualizeRows(k=5, seed=1)(shoal.examples.karate())
    place = tmp_path / "safe.csv"
    released.save(place, tmp_path / "hidden names.csv")
    found = shoal.audit(
        shoal.examples.karate(), place, mapping=tmp_path / "hidden names.csv", scenario="internal", seed=1
    )
    assert found.verdict.overall == "pass"
    command = next(step for step in found.next_steps if "--external" in step)
    assert "--scenario internal" in command
    assert "'hidden names.csv'" in command
