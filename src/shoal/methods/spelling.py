"""Methods as commands of the shell: the options that stand for a method, and a whole command that can be pasted."""

from __future__ import annotations

import shlex
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any

from shoal.knowledge import Adversary
from shoal.methods.base import Method
from shoal.methods.passing import Attempt, ScenarioRecommendation
from shoal.methods.pipeline import Pipeline
from shoal.parts import escape
from shoal.risk.scenario import PRESETS


@dataclass(frozen=True)
class Typed:
    """How the data and the scenario are named on the command line."""

    file: str = "FILE"
    reading: tuple[str, ...] = ()
    """Options about how the file is read, except --columns."""
    scenario: str | None = None
    """The preset or file; None: the name of the scenario, if it is a preset."""


def spell_command(found: ScenarioRecommendation, one: Attempt, typed: Typed = Typed()) -> str:
    """Return the command that makes a release: it can be pasted into a shell."""
    name = found.scenario.name.partition(" with k = ")[0]
    scenario = typed.scenario or (name if name in PRESETS else "SCENARIO.toml")
    options = spell_method(one.method, found.scenario.k)
    words = ["shoal", "anonymize", typed.file, *typed.reading, "--scenario", scenario]
    if found.columns and "--columns" not in options:
        words += ["--columns", ",".join(map(escape, found.columns))]
    people = " --attributes-output PEOPLE.csv" if found.columns and found.data.has_links else ""
    return f"{shlex.join(words)} {options} -o OUT.csv{people} --mapping SECRET.csv"


def spell_method(method: Method, k: int | None = None) -> str:
    """Return the options of `shoal anonymize` that stand for a method, without its seed, which is secret.

    With `k`, the number of a scenario, another number of the method is spelled so that the scenario keeps its own.

    >>> from shoal.methods import HideNeighbors, MatchDegrees, Mondrian, ReduceRisk
    >>> spell_method(MatchDegrees(k=3, edits="add-delete") >> HideNeighbors(k=3, l=1))
    '--method match-degrees -k 3 --edits add-delete --then hide-neighbors:l=1'
    >>> spell_method(Mondrian(k=50) >> ReduceRisk(["degree", "neighbors:1"], k=3), k=3)
    '--method mondrian --set k=50 --then reduce-risk:knows=degree,knows=neighbors:1,k=3'
    """
    first, *later = method.steps if isinstance(method, Pipeline) else (method,)
    words = [f"--method {first.shell}"]
    for field, value in _list_settings(first):
        plain = field.name in ("k", "l", "columns") or "option" in field.metadata
        plain = plain and not (field.name == "k" and k not in (None, value))
        flag = f"-{field.name}" if len(field.name) == 1 else f"--{_name_option(field).replace('_', '-')}"
        words += [
            f"{flag} {shlex.quote(text)}" if plain else f"--set {field.name}={shlex.quote(text)}"
            for text in _spell_values(field, value)
        ]
    for step in later:
        told = [
            f"{_name_option(field)}={_protect(text)}"
            for field, value in _list_settings(step)
            if field.name != "k" or value != getattr(first, "k", None)
            for text in _spell_values(field, value)
        ]
        words.append("--then " + shlex.quote(f"{step.shell}:{','.join(told)}" if told else step.shell))
    return " ".join(words)


def _name_option(field: Field[Any]) -> str:
    """Return the name of an option, which may differ from that of its field."""
    return str(field.metadata.get("option") or field.name)


def _protect(text: str) -> str:
    """Protect commas, which separate the options of a later step."""
    return text.replace("\\", "\\\\").replace(",", "\\,")


def _list_settings(method: Method) -> list[tuple[Field[Any], Any]]:
    """Return the fields of a method with values that are not the defaults; k and l are always said."""
    found = []
    for field in fields(method):  # type: ignore[arg-type]
        usual = field.default if field.default_factory is MISSING else field.default_factory()
        value = getattr(method, field.name)
        told = field.name != "seed" and not isinstance(value, Method) and value != usual
        if told or field.name in ("k", "l"):
            found.append((field, value))
    return found


def _spell_values(field: Field[Any], value: Any) -> list[str]:
    """Return a value as text; one text for each kind of knowledge."""
    if isinstance(value, tuple) and value and all(isinstance(one, Adversary) for one in value):
        return [one.spec for one in value]
    if field.name == "effort" and isinstance(value, float):
        return [f"{value:g}s"]
    if field.name == "columns":
        return [",".join(map(escape, value))]
    return ["none" if value is None else str(value)]
