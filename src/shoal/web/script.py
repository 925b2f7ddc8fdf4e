"""The same as a script: the commands and the Python code that repeat what was done in the browser.

The scripts stand next to the data files. They hold names of files and columns, and no data. They hold no secret seed:
counting needs none.
"""

from __future__ import annotations

from shoal.parts import escape
from shoal.risk.scenario import PRESETS
from shoal.web.reading import write_command
from shoal.web.workspace import Opened

REPORT, PEOPLE = "report.html", "people-at-risk.csv"
KEEP = "# The files that this writes name people. Keep them private."


def list_policy_words(opened: Opened) -> list[str]:
    """Return the options about the scenario and the columns."""
    scenario, policy = opened.scenario, opened.policy
    words = ["--scenario", scenario.name] if scenario.name in PRESETS else []
    words += ["-k", str(policy.scenario.k)] if policy.scenario.k != scenario.k else []
    for option, names in (("--columns", policy.columns), ("--sensitive", policy.sensitive)):
        words += [option, ",".join(map(escape, names))] if names else []
    return words


def write_shell_script(opened: Opened) -> str:
    """Return the commands that count the risk and write the report and the list of people."""
    words = [*opened.reading.list_words(), *list_policy_words(opened)]
    return "\n".join(
        [
            "#!/bin/sh",
            KEEP,
            "set -e",
            "umask 077",
            write_command(["shoal", "risk", *words, "--csv", PEOPLE]),
            write_command(["shoal", "audit", *words, "-o", REPORT]),
            "",
        ]
    )


def write_python_script(opened: Opened) -> str:
    """Return the Python code that does the same."""
    scenario, policy = opened.scenario, opened.policy
    judged = repr(scenario.name) if scenario.name in PRESETS else f"shoal.{scenario!r}"
    if policy.scenario.k != scenario.k:
        named = f"shoal.Scenario.preset({judged})" if scenario.name in PRESETS else judged
        judged = f"{named}.with_k({policy.scenario.k})"
    chosen = "".join(
        f", {name}={list(columns)!r}"
        for name, columns in (("columns", policy.columns), ("sensitive", policy.sensitive))
        if columns
    )
    about = f"files=({opened.reading.file!r}, None), advice=30"
    return "\n".join(
        [
            KEEP,
            "import csv",
            "import os",
            "",
            "import shoal",
            "",
            "os.umask(0o077)",
            f"data = {opened.reading.write_python()}",
            f"scenario = {judged}",
            f"risk = shoal.assess_all(data, scenario{chosen})",
            "print(risk)",
            "rows = risk.list_people()",
            "lines = [list(map(str, line)) for line in [rows, *zip(*rows.values())]]",
            "returns = any('\\r' in cell for line in lines for cell in line)",
            "quoting = csv.QUOTE_ALL if returns else csv.QUOTE_MINIMAL",
            f"with open({PEOPLE!r}, 'x', encoding='utf-8', newline='') as stream:",
            "    csv.writer(stream, lineterminator='\\n', quoting=quoting).writerows(lines)",
            f"shoal.audit(data, scenario=scenario{chosen}, {about}).save({REPORT!r})",
            "",
        ]
    )
