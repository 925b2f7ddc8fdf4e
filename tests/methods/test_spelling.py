"""Methods as commands of the shell: the options mean the same method again."""

import shlex

import pytest

from shoal.cli.app import load_command, main
from shoal.cli.part_options import Choice
from shoal.knowledge import DEFAULT_KNOWLEDGE, parse_knowledge
from shoal.methods import METHODS, HideNeighbors, MatchDegrees, Mondrian, ReduceRisk
from shoal.methods.spelling import spell_method
from shoal.risk.scenario import PRESETS

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
    given = command.make_context(
        "anonymize", ["FILE", "-o", "OUT.csv", *shlex.split(spelled)], **main.context_settings
    ).params
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


RISKY = ReduceRisk(["degree", r"degree+columns:home\,town,age"], k=3, budget=None, target=0.05, facts="both", effort=9)


@pytest.mark.parametrize(
    "steps", [(RISKY,), (Mondrian(k=40, columns=("age", "home,town")), RISKY), (MatchDegrees(k=3), RISKY)], ids=len
)
def test_several_kinds_of_knowledge_survive_the_shell(steps):
    method = steps[0] if len(steps) == 1 else steps[0] >> steps[1]
    assert parse_command(spell_method(method)) == steps


def test_a_method_with_another_k_leaves_that_of_the_scenario():
    spelled = spell_method(Mondrian(k=40) >> RISKY, k=3)
    words = ["FILE", "-o", "OUT.csv", "--scenario", "internal", *shlex.split(spelled)]
    given = load_command("anonymize").make_context("anonymize", words, **main.context_settings).params
    choice = Choice.of(given["method"], None, given["then"], False, given, PRESETS["internal"])
    assert [step.k for step in choice.steps] == [40, 3]
    assert (choice.scenario.name, choice.scenario.k) == ("internal", 3)
    assert "-k 40" in spell_method(Mondrian(k=40), k=40)
