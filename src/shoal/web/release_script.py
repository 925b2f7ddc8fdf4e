"""A release as a script: the commands and the Python code that make the same files, byte for byte.

The scripts hold the seed, which undoes the release. They write it into a file that only its owner can read, so that no
list of processes shows it.
"""

from __future__ import annotations

import json

from shoal.methods.passing import seed_method
from shoal.methods.spelling import spell_method
from shoal.parts import escape
from shoal.risk.scenario import PRESETS, Scenario
from shoal.shares import spell_share
from shoal.web.reading import write_command
from shoal.web.releasing import FileNames
from shoal.web.trials import Trial, name_files
from shoal.web.workspace import Opened

SECRET = "# Keep this script private: with its seed, the release can be undone."
NOT_REACHED = 1
"""The exit code of `shoal anonymize` for a release with more people at risk than its target; it is written."""


def write_release_shell(opened: Opened, trial: Trial) -> str:
    """Return the commands that make the files of a release, and both reports."""
    names, policy = name_files(opened, trial), trial.policy
    is_preset = policy.scenario.name in PRESETS
    file = write_command([names.scenario])
    named = [] if is_preset else [f"cat > {file} <<'END'", spell_scenario(policy.scenario), "END"]
    reading = opened.reading.list_words()
    scenario = ["--scenario", policy.scenario.name if is_preset else names.scenario]
    method = spell_method(trial.method, policy.scenario.k)
    known = ["--columns", ",".join(map(escape, policy.columns))] if policy.columns else []
    kept = ["--leave-out", ",".join(map(escape, policy.left_out))] if policy.left_out else []
    made = ["--seed-file", names.seed, "-o", names.release]
    made += [] if names.attributes is None else ["--attributes-output", names.attributes]
    first = write_command(["shoal", "anonymize", *reading, *scenario, *([] if "--columns" in method else known), *kept])
    secret = ["--sensitive", ",".join(map(escape, policy.sensitive))] if policy.sensitive else []
    audit = ["shoal", "audit", reading[0], names.release, *reading[1:], *scenario, *known, *secret]
    audit += [] if names.attributes is None else ["--released-attributes", names.attributes]
    audit += ["--mapping", names.mapping]
    return "\n".join(
        [
            "#!/bin/sh",
            SECRET,
            "set -e",
            "umask 077",
            *named,
            f"printf '%s\\n' {trial.seed} > {write_command([names.seed])}",
            f"{first} {method} {write_command([*made, '--mapping', names.mapping])} || [ $? -eq {NOT_REACHED} ]",
            write_command([*audit, "--external", "-o", names.external]),
            write_command([*audit, "-o", names.internal]),
            "",
        ]
    )


def spell_scenario(scenario: Scenario) -> str:
    """Return a scenario as TOML.

    >>> print(spell_scenario(Scenario("mine", ["degree"], k=3, allow="5%")))
    name = "mine"
    k = 3
    allow = "5%"
    base = "agreement"
    [[knows]]
    spec = "degree"
    """
    lines = [f"name = {json.dumps(scenario.name)}", f"k = {scenario.k}"]
    lines += [f"allow = {json.dumps(spell_share(scenario.allow))}"]
    lines += [] if scenario.base is None else [f"base = {json.dumps(scenario.base)}"]
    return "\n".join([*lines, *(f"[[knows]]\nspec = {json.dumps(spec)}" for spec in scenario.knows)])


def write_release_python(opened: Opened, trial: Trial) -> str:
    """Return the Python code that makes the same files."""
    names, policy = name_files(opened, trial), trial.policy
    judged = repr(policy.scenario.name) if policy.scenario.name in PRESETS else f"shoal.{policy.scenario!r}"
    kept = []
    if policy.left_out:
        kept = [
            f"kept = [name for name in data.attributes if name not in {list(policy.left_out)!r}]",
            "shown = data.with_attributes(data.attributes.only(kept))",
        ]
    return "\n".join(
        [
            SECRET,
            "import os",
            "",
            "import shoal",
            "from shoal.knowledge import *",
            "from shoal.methods import *",
            "from shoal.methods.passing import seed_method",
            "from shoal.release.read import read_release",
            "",
            "os.umask(0o077)",
            f"with open({names.seed!r}, 'x') as stream:",
            f"    stream.write('{trial.seed}\\n')",
            f"with open({names.seed!r}) as stream:",
            "    seed = int(stream.read())",
            f"data = {opened.reading.write_python()}",
            *(kept or ["shown = data"]),
            f"scenario = shoal.Scenario.preset({judged})" if judged.startswith("'") else f"scenario = {judged}",
            f"columns, sensitive = {list(policy.columns)!r}, {list(policy.sensitive)!r}",
            f"method = {seed_method(trial.method, 0)!r}",
            "release = seed_method(method, seed)(shown)",
            f"release.save({names.release!r}, {names.mapping!r}, attributes={names.attributes!r}, seed=seed,",
            f"             scenario=scenario, columns=columns, readme={names.beside[1]!r})",
            *_write_reports(opened, names),
            "",
        ]
    )


def _write_reports(opened: Opened, names: FileNames) -> list[str]:
    """Return the lines of Python that write both reports, as `shoal audit` does."""
    reading = opened.reading
    places = [reading.file, names.release, *([] if names.attributes is None else [names.attributes])]
    how = "{}" if reading.is_example else repr(reading.list_arguments())
    return [
        f"released = read_release({names.release!r}, data, {names.attributes!r}, {how})",
        f"for name, external in (({names.external!r}, True), ({names.internal!r}, False)):",
        f"    shoal.audit(data, released, mapping={names.mapping!r}, same_names=False, scenario=scenario,",
        "                columns=columns, sensitive=sensitive, external=external, advice=30,",
        f"                files={tuple(places)!r}).save(name)",
    ]
