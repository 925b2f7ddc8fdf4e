"""The demo of `make demo`: one case from risk to a release that passes a scenario, as a user would run it."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from pathlib import Path

import click

from shoal.cli.app import run_command
from shoal.data.examples import village
from shoal.risk.assess import assess

FOLDER = Path("demo")
FULL_RELEASE = f"{FOLDER}/full-protection/village.csv"
METHOD = ["--method", "hide-neighbors", "-k", "3", "-l", "1", "--effort", "20"]
VILLAGE, SCENARIO = "example:village", ["--scenario", "internal"]
NO_COLUMNS = ["--leave-out", "age,sex,household,occupation,income"]
SAFE, SECRET, REPORT = (f"{FOLDER}/{name}" for name in ("village.csv", "secret.csv", "report.html"))
CASE = (
    "A made-up village: 300 people and their links. Colleagues want to work with it, without names. The scenario "
    "“internal” assumes that an attacker knows how many links a person has, or one neighbor of the person (and "
    "columns, if some are named; here none are). The "
    "candidates of a person are all people who fit this. At most 5 % of the people may have fewer than 3. Does the "
    "village pass as it is?"
)


def list_steps() -> list[tuple[str, list[str]]]:
    """Return the commands, each with the question that it answers."""
    names = {spec: str(assess(village(), spec).at_risk(2)[0]) for spec in ("degree", "neighbors:1")}
    return [
        (CASE, ["risk", VILLAGE, *SCENARIO]),
        (
            "Why are people exposed? One has a rare number of links.",
            ["why", VILLAGE, names["degree"], "--knows=degree"],
        ),
        (
            "Another is the only person linked to a certain neighbor.",
            ["why", VILLAGE, names["neighbors:1"], "--knows=neighbors:1"],
        ),
        ("Which methods make a release that passes?", ["recommend", VILLAGE, *SCENARIO]),
        (
            "What does it cost to protect against an attacker who knows all neighbors? Most of the links.",
            ["anonymize", VILLAGE, *SCENARIO, "--method=equalize-rows", *NO_COLUMNS, "-o", FULL_RELEASE, "--force"],
        ),
        (
            "Run the command for hide-neighbors, and leave out the columns about people.",
            ["anonymize", VILLAGE, *SCENARIO, *METHOD, *NO_COLUMNS, "-o", SAFE, "--mapping", SECRET, "--force"],
        ),
        (
            "Anyone who has the published file can count again, by facts of the release.",
            ["check", SAFE, *SCENARIO],
        ),
        (
            "With the original, audit it also by facts of the original, attacks, and what is left of the network.",
            ["audit", VILLAGE, SAFE, "--mapping", SECRET, *SCENARIO, "-o", REPORT, "--force"],
        ),
    ]


def main() -> int:
    """Run the commands, show their output, and save it."""
    Path(FULL_RELEASE).parent.mkdir(parents=True, exist_ok=True)
    kept = []
    for question, arguments in list_steps():
        command = f"# {question}\n$ {shlex.join(['shoal', *arguments])}"
        click.echo(command)  # first, so that the notes on stderr follow it
        sys.stdout.flush()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = run_command(arguments)
        answer = f"{printed.getvalue()}[exit {code}]\n"
        click.echo(answer)
        sys.stdout.flush()
        kept.append(f"{command}\n{answer}")
        if code == 2:
            return 2
    page = FOLDER / "demo.txt"
    page.write_text("\n".join(kept), encoding="utf-8")
    click.echo(f"The report is {REPORT}. The description of the published file is {SAFE}.README.md.")
    click.echo(f"The output above is in {page}. To audit your own network: .venv/bin/shoal audit FILE -o report.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
