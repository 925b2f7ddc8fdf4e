"""shoal audit: a report on data or on a release, for the decision to publish."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import shoal.report  # noqa: F401 - the report is written after a long count: what it cannot load must show before
from shoal.cli.options import (
    NAMES,
    WHOLE,
    knows_option,
    load_data,
    load_released,
    matching_options,
    reading_options,
    refuse_both,
    scenario_option,
    take_scenario,
    time_limit_option,
)
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_text, show_phase
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, notice, tame
from shoal.knowledge import Adversary
from shoal.limits import find_limit, limit_time
from shoal.risk.scenario import Scenario


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.argument("released", required=False)
@click.option("-o", "--output", required=True, type=TARGET, help="Report to write: .html or .json.")
@matching_options
@scenario_option("What the release is defended against: a preset or a .toml file.  [default: agreement]")
@click.option("-k", type=WHOLE, help="Number of candidates, instead of the scenario's.")
@click.option("--threshold", metavar="RISK", help="Another way to write -k: the largest risk, 1 / candidates.")
@knows_option("Attacker model besides the scenario. Repeat for more.  [default: standard panel]")
@click.option("--sensitive", type=NAMES, default=(), help="Sensitive columns, which must stay secret.")
@click.option("--purpose", metavar="TEXT", help="Why the data is released.")
@click.option(
    "--attacker-note", multiple=True, metavar="TEXT", help="A possible attacker, in your words. Repeat for more."
)
@click.option(
    "--attack", "attacks", multiple=True, metavar="NAME", help="Attack to try, e.g. korula-lattanzi. Repeat for more."
)
@click.option("--no-attacks", is_flag=True, help="Skip all attacks.")
@click.option("--names", is_flag=True, help="Name the people most at risk.")
@click.option("--external", is_flag=True, help="Write only what may be published.")
@click.option("--date", metavar="TEXT", help="Date of the report; no clock is read.")
@click.option(
    "--seed", type=WHOLE, default=0, show_default=True, help="Random seed of samples and attacks. It may be published."
)
@time_limit_option
@force_option
@reading_options
def audit(
    file: str,
    released: str | None,
    output: Path,
    mapping: Path | None,
    same_names: bool,
    released_attributes: Path | None,
    scenario: Scenario | None,
    k: int | None,
    threshold: str | None,
    knows: tuple[Adversary, ...],
    attacks: tuple[str, ...],
    no_attacks: bool,
    attacker_note: tuple[str, ...],
    force: bool,
    columns: tuple[str, ...] | None,
    **given: Any,
) -> None:
    """Write a report on risk, attacks, utility and guarantees.

    FILE is the original. RELEASED is a release of it; without it the report is about FILE alone. The .release.json
    beside RELEASED is read too. The verdict, PASS, FAIL or CANNOT TELL, is the judgment by the scenario. A report is
    internal and must stay private, unless --external.

    Without --mapping or --same-names, people are not matched: attacks and comparisons of people are left out.

    \b
    Examples:
      shoal audit example:florentine --scenario internal -o report.html
      shoal audit friends.csv safe.csv --mapping secret.csv -o report.html
      shoal audit friends.csv safe.csv --mapping secret.csv --external -o public.html
    """
    from shoal.auditing.attempts import check_attacks
    from shoal.auditing.run import audit as audited

    own = {key: given.pop(key) for key in OWN}
    check_attacks(attacks)
    _check_options(output, released, mapping, same_names, released_attributes, force)
    if own["external"] and released is None:
        raise BadParameter(
            "'--external' must come with RELEASED: an external report is about a release. Got only FILE. Name the "
            "release, or leave --external out."
        )
    data = _read_original(file, given | {"columns": columns})
    made = None if released is None else _read_released(released, released_attributes, data, given)
    with keep_time_for_writing():
        found = audited(
            data,
            made,
            mapping=mapping,
            same_names=same_names,
            advice=ADVICE,
            scenario=take_scenario(scenario, k, threshold),
            knowledge=knows or None,
            columns=columns or (),
            attacks=() if no_attacks else attacks or "standard",
            attacker_notes=attacker_note,
            files=(file, released, *([] if released_attributes is None else [released_attributes])),
            **own,
        )
    with show_phase("writing the report"):
        found.save(output, force=force)
    print_text(f"{found!r}\nWritten: {tame(output)}. {READERS[found.form]}")


WRITING = 0.1
"""The share of the time left that is kept for writing the report."""


@contextmanager
def keep_time_for_writing() -> Iterator[None]:
    """Inside the block, a time limit ends a little earlier."""
    limit = find_limit()
    with limit_time(None if limit is None else limit.cap((1 - WRITING) * limit.left)):
        yield


ADVICE = 30.0
"""Seconds for trying methods, where the data fails."""
OWN = ("sensitive", "purpose", "names", "external", "date", "seed")
"""Options that go to :func:`shoal.audit` unchanged."""
READERS = {"internal": "It is internal: keep it private.", "external": "It may be published."}


def _check_options(
    output: Path, released: str | None, mapping: Path | None, same_names: bool, about: Path | None, force: bool
) -> None:
    """Refuse contradictory options before the work begins."""
    if output.suffix.lower() not in (".html", ".json"):
        raise BadParameter(f"'--output' must end in .html or .json. Got {output.name!r}.")
    check_targets([output], force)
    options = {"--mapping": mapping, "--same-names": same_names or None, "--released-attributes": about}
    given = [name for name, value in options.items() if value is not None]
    if released is None and given:
        raise BadParameter(f"'{given[0]}' must come with RELEASED, the release of FILE. Got only FILE.")
    refuse_both(mapping, same_names, released)
    if released is not None and mapping is None and not same_names:
        notice(
            "people are not matched without --mapping (or --same-names): attacks and comparisons of people are left out"
        )


def _read_original(file: str, given: dict[str, Any]) -> Dataset:
    with show_phase("reading"):
        return load_data(file, given)


def _read_released(file: str, about: Path | None, original: Dataset, given: dict[str, Any]) -> Dataset:
    """Read the release, with a progress line."""
    with show_phase("reading"):
        return load_released(file, original, about, given)
