"""shoal audit: a report about data, or about a release, for the decision to publish."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from shoal.cli.options import (
    NAMES,
    WHOLE,
    knows_option,
    load_data,
    load_released,
    matching_options,
    reading_options,
    refuse_both,
)
from shoal.cli.output import TARGET, SectionedCommand, check_targets, force_option, print_text, show_phase
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, notice, tame
from shoal.knowledge import Adversary


@click.command(cls=SectionedCommand)
@click.argument("file")
@click.argument("released", required=False)
@click.option("-o", "--output", required=True, type=TARGET, help="Where it goes: .html or .json.")
@matching_options
@click.option("-k", type=WHOLE, help="Count the people with fewer candidates than this.  [default: 5]")
@knows_option("What is known. Repeat for more.  [default: the usual panel]")
@click.option("--sensitive", type=NAMES, default=(), help="Columns that must stay secret.")
@click.option(
    "--threshold", type=float, default=0.09, show_default=True, metavar="RISK", help="Largest risk that passes."
)
@click.option("--threshold-set-by", metavar="TEXT", help="Who decided on the thresholds.")
@click.option("--purpose", metavar="TEXT", help="Why the data are released.")
@click.option(
    "--attacker-note", multiple=True, metavar="TEXT", help="Who might attack, in your words. Repeat for more."
)
@click.option("--attack", "attacks", multiple=True, metavar="NAME", help="Try this one, e.g. korula-lattanzi. Repeat.")
@click.option("--no-attacks", is_flag=True, help="Try no attack.")
@click.option("--names", is_flag=True, help="Show by name who is most at risk.")
@click.option("--external", is_flag=True, help="Leave out everything that must not be published.")
@click.option("--date", metavar="TEXT", help="What the report is dated; the clock is not asked.")
@click.option("--seed", type=WHOLE, default=0, show_default=True, help="What samples and attacks are drawn from.")
@force_option
@reading_options
def audit(
    file: str,
    released: str | None,
    output: Path,
    mapping: Path | None,
    same_names: bool,
    released_attributes: Path | None,
    k: int | None,
    knows: tuple[Adversary, ...],
    attacks: tuple[str, ...],
    no_attacks: bool,
    attacker_note: tuple[str, ...],
    force: bool,
    columns: tuple[str, ...] | None,
    **given: Any,
) -> None:
    """Write a report on data, or on a release and its risk.

    Risk before and after for every kind of knowledge, with pass or fail; attacks; what became of the data; what is
    promised, and what is not. Without RELEASED: how much FILE itself would give away. What shoal wrote beside RELEASED
    is read too. A report is internal, for your eyes only, unless --external.

    Without --mapping or --same-names nobody is matched: attacks and what compares people are left out.

    \b
    Examples:
      shoal audit example:florentine -k 2 -o report.html
      shoal audit friends.csv safe.csv --mapping secret.csv -o report.html
      shoal audit friends.csv safe.csv --mapping secret.csv --external -o public.html
    """
    from shoal.auditing.attempts import check_attacks
    from shoal.auditing.run import audit as audited

    own = {key: given.pop(key) for key in OWN}
    _check_options(output, released, mapping, same_names, released_attributes, force)
    check_attacks(attacks)
    if own["external"] and released is None:
        raise BadParameter(
            "'--external' must come with RELEASED: an external report is about a release. Got only FILE. Name what "
            "was made of it, or leave --external out."
        )
    data = _read_original(file, given | {"columns": columns})
    made = None if released is None else _read_released(released, released_attributes, data, given)
    found = audited(
        data,
        made,
        mapping=mapping,
        same_names=same_names,
        knowledge=knows or None,
        k=min(5, data.n) if k is None else k,
        columns=columns or (),
        attacks=() if no_attacks else attacks or "standard",
        attacker_notes=attacker_note,
        files=(file, released, *([] if released_attributes is None else [released_attributes])),
        **own,
    )
    with show_phase("writing the report"):
        found.save(output, force=force)
    print_text(f"{found!r}\nThe report is in {tame(output)}{_describe_readers(found.data)}.")


OWN = ("sensitive", "threshold", "threshold_set_by", "purpose", "names", "external", "date", "seed")
"""Options that are passed on as they are."""


def _describe_readers(data: dict[str, Any]) -> str:
    return "; the report may be published" if data["form"] == "external" else "; it is internal, for your eyes only"


def _check_options(
    output: Path, released: str | None, mapping: Path | None, same_names: bool, about: Path | None, force: bool
) -> None:
    """Refuse before the work begins what cannot be meant."""
    if output.suffix.lower() not in (".html", ".json"):
        raise BadParameter(f"'--output' must end in .html or .json. Got {output.name!r}.")
    check_targets([output], force)
    options = {"--mapping": mapping, "--same-names": same_names or None, "--released-attributes": about}
    alone = [name for name, value in options.items() if value is not None]
    if released is None and alone:
        raise BadParameter(f"'{alone[0]}' must come with RELEASED, the data that were made of FILE. Got it alone.")
    refuse_both(mapping, same_names, released)
    if released is not None and mapping is None and not same_names:
        notice("nobody is matched without --mapping (or --same-names): attacks and what compares people are left out")


def _read_original(file: str, given: dict[str, Any]) -> Dataset:
    with show_phase("reading"):
        return load_data(file, given)


def _read_released(file: str, about: Path | None, original: Dataset, given: dict[str, Any]) -> Dataset:
    """Read what was released, saying so."""
    with show_phase("reading"):
        return load_released(file, original, about, given)
