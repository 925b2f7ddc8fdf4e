"""The demo of `make demo`: a village, from risk to a release that passes a scenario, and mails with direction and kind.

Every step is a command as a user would run it.
"""

from __future__ import annotations

import contextlib
import io
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import click

import shoal
from shoal.cli.app import run_command
from shoal.data.examples import office, village
from shoal.data.graph import Graph
from shoal.risk.assess import assess

FOLDER = Path("demo")
LINKS, PEOPLE, FULL, SAFE, SAFE_PEOPLE, SECRET, REPORT, MAILS, SAFE_MAILS = (
    f"{FOLDER}/{name}"
    for name in (
        "village.csv",
        "people.csv",
        "full-protection/village.csv",
        "safe.csv",
        "safe-people.csv",
        "secret.csv",
        "report.html",
        "mails.csv",
        "office/mails.csv",
    )
)
COLUMN = "age_group"
READ = [LINKS, "--attributes", PEOPLE, "--columns", COLUMN]
SCENARIO = ["--scenario", "internal"]
SEED = ["--set", "seed=7"]
"""The seed of the search, so that the demo always shows the same numbers. The order of the release stays secret."""
TYPED = ["--directed", "--kind", "kind"]
CHANGED = "Changed:"
CASE = (
    "A made-up village: 300 people, their links, and their age group (under 18, 18 to 64, 65 or older). Colleagues "
    "want to work with it, without names. The scenario “internal” assumes that an attacker knows the number of links "
    "of a person, also together with the age group; or one neighbor; or the age group. The candidates of a person are "
    "all people who fit this. At most 5 % of the people may have fewer than 3. Does the village pass as it is?"
)
OFFICE = (
    "Links may have a direction and a kind. A made-up office: 200 people, and mails about work, private ones and "
    "notices. How many people can be identified by their number of links, without direction and kind?"
)


def group_ages(people: Graph) -> Graph:
    """Return a network with the age group as its only column."""
    labels = {True: "under 18", False: "18 to 64"}
    ages = people.attributes["age"]
    groups = ["65 or older" if age >= 65 else labels[age < 18] for age in ages]
    return people.with_attributes(shoal.as_table({COLUMN: groups}).attributes)


@dataclass(frozen=True)
class Step:
    """A command of the demo, and the question that it answers."""

    question: str
    arguments: tuple[str, ...] = ()
    """Empty: the command that the step before recommends."""
    only: tuple[str, ...] = ()
    """The first words of the lines to show; empty: all lines."""


def list_steps(network: Graph, mails: Graph) -> list[Step]:
    """Return the steps. The release of the village is made by the recommended command."""
    exposed = str(assess(network, f"degree+columns:{COLUMN}").at_risk(2)[0])
    full = ("anonymize", LINKS, "--method=equalize-rows", "-k", "3", "-o", FULL, "--force", *SEED)
    audited = ("audit", LINKS, SAFE, *READ[1:], "--mapping", SECRET, *SCENARIO, "-o", REPORT, "--force")
    return [
        Step(CASE, ("risk", *READ, *SCENARIO)),
        Step(
            "Why is a person exposed? For example by a rare number of links in an age group.",
            ("why", LINKS, exposed, "--attributes", PEOPLE, f"--knows=degree+columns:{COLUMN}"),
        ),
        Step(
            "What would it cost to protect every person against an attacker who knows all neighbors?", full, (CHANGED,)
        ),
        Step(
            "We accept 5 % of the people at risk, and changes to 10 % of the links. Which commands achieve that?",
            ("recommend", *READ, *SCENARIO, "--most-edits", "10%", "--seed", "7"),
        ),
        Step("Run the first command."),
        Step(
            "Anyone who has the published files can count again, by facts of the release.",
            ("check", SAFE, "--attributes", SAFE_PEOPLE, "--columns", COLUMN, *SCENARIO),
        ),
        Step(
            "With the original, audit it also by facts of the original, attacks, and what is left of the network.",
            audited,
        ),
        *list_directed_steps(mails),
    ]


def list_directed_steps(mails: Graph) -> list[Step]:
    """Return the steps on a network whose links have directions and kinds."""
    exposed = str(assess(mails, "neighbors:1").at_risk(2)[0])
    made = ("anonymize", MAILS, *TYPED, "--method=match-degrees", "-k", "2", "-o", SAFE_MAILS, "--force", *SEED)
    return [
        Step(OFFICE, ("risk", MAILS, "--undirected", "--knows", "degree"), ("knows ", "degree ")),
        Step(
            "The attacker also knows directions and kinds: how many mails of each kind a person sends and gets.",
            ("risk", MAILS, *TYPED, "--knows", "degree"),
            ("knows ", "degree "),
        ),
        Step(
            "One known mail can be enough. Whom does it identify?",
            ("why", MAILS, exposed, *TYPED, "--knows=neighbors:1"),
        ),
        Step(
            "Change links so that no person is unique by these numbers. The release keeps directions and kinds.",
            made,
            ("Guarantee:", CHANGED),
        ),
    ]


def take_first_command(recommended: str) -> list[str]:
    """Return the first command that `shoal recommend` printed, with the files of the demo."""
    first = next(line for line in recommended.splitlines() if line.startswith("  shoal anonymize"))
    files = {"OUT.csv": SAFE, "PEOPLE.csv": SAFE_PEOPLE, "SECRET.csv": SECRET}
    return [*(files.get(word, word) for word in shlex.split(first)[1:]), *SEED, "--force"]


def run_step(step: Step, arguments: list[str]) -> tuple[int, str]:
    """Show a command and its output, or the lines of it that the step asks for."""
    shown = f" | grep -E {shlex.quote('^' + '|^'.join(step.only))}" if step.only else ""
    command = f"# {step.question}\n$ {shlex.join(['shoal', *arguments])}{shown}"
    click.echo(command)  # first, so that the notes on stderr follow it
    sys.stdout.flush()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO() if step.only else sys.stderr):
        code = run_command(arguments)
    lines = [line for line in printed.getvalue().splitlines() if not step.only or line.startswith(step.only)]
    answer = "\n".join([*lines, f"[exit {code}]\n"])
    click.echo(answer)
    sys.stdout.flush()
    return code, f"{command}\n{answer}"


def main() -> int:
    """Run the commands, show their output, and save it."""
    for place in (FULL, SAFE_MAILS):
        Path(place).parent.mkdir(parents=True, exist_ok=True)
    network, mails = group_ages(village()), office().without_attributes()
    shoal.write(network, LINKS, attributes=PEOPLE, force=True)
    shoal.write(mails, MAILS, force=True)
    kept: list[str] = []
    for step in list_steps(network, mails):
        code, shown = run_step(step, list(step.arguments) or take_first_command(kept[-1]))
        kept.append(shown)
        if code:
            return code
    page = FOLDER / "demo.txt"
    page.write_text("\n".join(kept), encoding="utf-8")
    click.echo(f"The release passes. Open the report, with pictures: {REPORT}")
    click.echo(f"The output above is in {page}. To audit your own network: .venv/bin/shoal audit FILE -o report.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
