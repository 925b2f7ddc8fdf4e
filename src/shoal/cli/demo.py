"""The demo of `make demo`: commands on example data, as a user would run them, ending in an audit."""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from pathlib import Path

import click

from shoal.cli.app import run_command
from shoal.data.examples import village
from shoal.knowledge import DEFAULT_KNOWLEDGE
from shoal.risk.assess import assess

FOLDER = Path("demo")
TO_PEOPLE = ["--columns", "age,sex,education", "-o", f"{FOLDER}/people.csv", "--force"]
SAFE, PEOPLE, SECRET = (f"{FOLDER}/{name}" for name in ("village.csv", "villagers.csv", "secret.csv"))
TO_VILLAGE = ["-o", SAFE, "--attributes-output", PEOPLE, "--mapping", SECRET, "--force"]
RELEASED = ["example:village", SAFE, "--released-attributes", PEOPLE, "--mapping", SECRET]
REPORT = f"{FOLDER}/report.html"
DECIDED = ["--threshold", "0.34", "--threshold-set-by", "the authors of this demo", "-k", "3"]
KNOWLEDGE = [
    *(knows.spec for knows in DEFAULT_KNOWLEDGE),
    "shared-neighbors:2",
    "columns:age,sex",
    "degree+columns:age,sex",
]


def list_commands() -> list[list[str]]:
    """Return the commands: risk, explanations and levels; a table; releases; their utility, attacks and an audit."""
    knows = [part for spec in KNOWLEDGE for part in ("--knows", spec)]
    unique = [str(name) for name in assess(village(), "degree").at_risk(2)[:2]]
    return [
        ["risk", "example:village", "-k", "5", *knows],
        *(["why", "example:village", name, "--knows", "degree"] for name in unique),
        ["why", "example:village", unique[0], "--knows", "columns:age,sex"],
        ["why", "example:village", unique[0], "--knows", "degree+columns:age,sex"],
        ["why", "example:village", unique[0], "-k", "2"],
        ["levels", "example:village", "-k", "5"],
        ["check", "example:village", "--knows", "degree", "--at-least", "5"],
        ["risk", "example:people", "--columns", "age,sex,education", "--sensitive", "income"],
        ["minimal-uniques", "example:people", "--columns", "age,sex,education,marital"],
        ["anonymize", "example:people", "--method", "mondrian", "-k", "5", *TO_PEOPLE],
        ["anonymize", "example:village", "--method", "confuse", "-k", "3", *TO_VILLAGE],
        ["check", SAFE, "--knows", "adjacency", "--at-least", "3"],
        ["compare", *RELEASED, "--columns", "age,sex"],
        ["attack", *RELEASED, "--knows", "neighbors:2"],
        ["audit", *RELEASED, "--columns", "age,sex", "--sensitive", "income", *DECIDED, "-o", REPORT, "--force"],
    ]


def main() -> int:
    """Run the commands, show their output, and save it."""
    FOLDER.mkdir(exist_ok=True)
    kept = []
    for arguments in list_commands():
        command = f"$ {shlex.join(['shoal', *arguments])}"
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
    click.echo(f"The report on the village and its release is {REPORT}. The output above is in {page}.")
    click.echo("To audit your own network, run: .venv/bin/shoal audit FILE -o report.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
