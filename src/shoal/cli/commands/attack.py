"""shoal attack: run attacks that seek the people of a file in its release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click

from shoal.attacks import ATTACKS, attack, find_attack
from shoal.attacks.base import Attack, Outcome
from shoal.cli.commands.risk import SCHEMA
from shoal.cli.method_options import build_method, parse_value
from shoal.cli.method_options import split_pair as name_and_value
from shoal.cli.options import (
    WHOLE,
    json_option,
    knows_option,
    load_data,
    load_released,
    matching_options,
    reading_options,
    refuse_both,
    stack_options,
)
from shoal.cli.output import SectionedCommand, make_section, print_json, print_text
from shoal.errors import BadParameter, did_you_mean
from shoal.knowledge import Adversary
from shoal.report.text.outcomes import describe_outcome

HOW = make_section("How an attack is run")
OPTIONS = {
    "auxiliary": "auxiliary",
    "known_seeds": "seeds",
    "threshold": "threshold",
    "repeats": "repeats",
    "start": "start",
    "then": "then",
    "sybils": "sybils",
    "targets": "targets",
    "tolerance": "tolerance",
    "method": "method",
}
"""Options of the command, and the field of an attack that each is; any other field goes through --set."""
NO_TRUTH = (
    "An attack needs the truth: success is judged by who is who, and a saved release has fresh names that mean "
    "nothing. Got neither. Pass --mapping FILE, which `shoal anonymize --mapping` wrote, or --same-names where nothing "
    "was renamed."
)


class AttackName(click.Choice[str]):
    """The shell name of an attack, with a suggestion for one that is misspelled."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or refuse it."""
        try:
            return find_attack(value).shell
        except BadParameter as error:
            self.fail(str(error), param, ctx)


attack_options = stack_options(
    HOW("--trials", type=WHOLE, metavar="N", help="Targets that are drawn (--knows).  [default: 10,000]"),
    HOW("-k", type=WHOLE, metavar="K", help="Count targets with 1 to K-1 candidates (--knows).  [default: 5]"),
    HOW("--auxiliary", type=float, metavar="SHARE", help="Links of the original that the attacker has (matching)."),
    HOW("--known-seeds", type=float, metavar="SHARE", help="People whom the attacker has found before (matching)."),
    HOW("--threshold", type=WHOLE, metavar="N", help="Common neighbors that a match needs (korula-lattanzi)."),
    HOW(
        "--repeats",
        type=WHOLE,
        metavar="N",
        help="How often it is tried anew; 10 or more for intervals (matching, planted-walk).",
    ),
    HOW("--start", metavar="SPEC", help="What is known to begin with (cascade)."),
    HOW("--then", metavar="SPEC", help="What tells neighbors apart (cascade)."),
    HOW("--sybils", type=WHOLE, metavar="N", help="Vertices that are planted (planted-walk)."),
    HOW("--targets", type=WHOLE, metavar="N", help="People who are linked to sybils (planted-walk)."),
    HOW("--tolerance", type=float, metavar="SHARE", help="Mistakes allowed, per link at sybils (planted-walk)."),
    HOW(
        "--method", metavar="NAME:OPTION=VALUE,...", help="What made the release, as equalize-rows:k=2 (planted-walk)."
    ),
    HOW("--set", "extra", multiple=True, metavar="NAME=VALUE", help="Any other option of an attack. Repeat for more."),
    HOW("--seed", type=WHOLE, default=0, show_default=True, help="What every random choice is drawn from; no secret."),
)


@click.command("attack", cls=SectionedCommand)
@click.argument("file")
@click.argument("released")
@knows_option("What is known of each target, e.g. neighbors:2. Repeatable.")
@click.option("--by", multiple=True, type=AttackName(list(ATTACKS)), help="Another attack. Repeat for more.")
@matching_options
@json_option
@attack_options
@reading_options
def attack_command(
    file: str,
    released: str,
    knows: tuple[Adversary, ...],
    by: tuple[str, ...],
    mapping: Path | None,
    same_names: bool,
    released_attributes: Path | None,
    trials: int | None,
    k: int | None,
    extra: tuple[str, ...],
    seed: int,
    as_json: bool,
    **given: Any,
) -> None:
    """Try to find the people of FILE in RELEASED, and count how often that goes right.

    Each rate has an interval where something is drawn, and stands beside what the attack reaches where nothing but the
    names was changed, after as many random edits, and by guessing. An attack is one attacker who may fail; `shoal risk`
    counts the worst that can be known, and needs no truth. A failed attack proves nothing.

    \b
    Examples:
      shoal attack example:karate example:karate --same-names --knows neighbors:2
      shoal attack friends.csv safe.csv --mapping secret.csv --knows neighbors:1 --knows neighbors:2 --by cascade
    """
    refuse_unjudgeable(knows, by, mapping, same_names, released)
    counted = {name: came for name, came in (("trials", trials), ("k", k)) if came is not None}
    if counted and not knows:
        raise BadParameter(f"'{next(iter(counted))}' must come with --knows, whose targets it counts. Got only --by.")
    attacks = choose_attacks(by, {name: given.pop(name) for name in OPTIONS}, extra)
    before = load_data(file, given)
    after = load_released(released, before, released_attributes, given)
    truth = {"mapping": mapping, "same_names": same_names, "seed": seed}
    outcomes: list[Outcome] = []
    for one in [*knows, *attacks]:
        way = {"by": one} if isinstance(one, Attack) else {"knowledge": one, **counted}
        outcomes.append(attack(before, after, **way, **truth))  # type: ignore[arg-type]
        if not as_json:
            print_text(
                f"{'' if len(outcomes) > 1 else f'{before!r}, released as {after!r}'}\n{describe_outcome(outcomes[-1])}"
            )
    if as_json:
        data = {"schema": SCHEMA, "attacks": [outcome.data() for outcome in outcomes]}
        print_json(data)


def refuse_unjudgeable(
    knows: tuple[Adversary, ...], by: tuple[str, ...], mapping: Path | None, same_names: bool, released: str
) -> None:
    """Refuse what cannot be judged, or is no attack."""
    if mapping is None and not same_names:
        raise BadParameter(NO_TRUTH)
    refuse_both(mapping, same_names, released)
    if not knows and not by:
        raise BadParameter(
            f"'--knows SPEC' or '--by NAME' must say how to attack. Got neither. NAME: {', '.join(ATTACKS)}."
        )


def choose_attacks(by: tuple[str, ...], given: Mapping[str, Any], extra: tuple[str, ...]) -> list[Attack]:
    """Return the attacks, each with those options that it has; one that none of them has is refused."""
    options = {OPTIONS[name]: came for name, came in given.items() if came is not None}
    for name, text in (name_and_value(text, "--set") for text in extra):
        if name in options:
            raise BadParameter(f"'{name}' must be given once. Got it again by --set {name}={text}.")
        options[name] = parse_value(text)
    if isinstance(options.get("method"), str):
        options["method"] = parse_method(options["method"])
    has = {name: {f.name: f for f in fields(find_attack(name))} for name in by}  # type: ignore[arg-type]
    for option in options:
        if not any(option in known for known in has.values()):
            raise BadParameter(describe_lacking_option(option, {name: list(known) for name, known in has.items()}))
    for name, known in has.items():
        for option, f in known.items():
            if f.default is MISSING and f.default_factory is MISSING and option not in options:
                raise BadParameter(f"{name} needs {spell_attack_option(option)}. Got none.")
    return [find_attack(name)(**{o: options[o] for o in known if o in options}) for name, known in has.items()]


def parse_method(text: str) -> Any:
    """Return the method that --method names, with its options."""
    name, _, options = text.partition(":")
    pairs = [name_and_value(option, "--method NAME:OPTION=VALUE") for option in options.split(",") if option]
    return build_method(name, {option: parse_value(part) for option, part in pairs})


def describe_lacking_option(option: str, has: Mapping[str, list[str]]) -> str:
    """Say that no chosen attack has an option, and what they have."""
    if not has:
        return f"{spell_attack_option(option)} is an option of other attacks than --knows. Name one with --by."
    told = "; ".join(
        f"{name} takes {', '.join(map(spell_attack_option, known)) or 'none'}" for name, known in has.items()
    )
    known = [name for names in has.values() for name in names]
    return f"no chosen attack has an option {spell_attack_option(option)}: {told}.{did_you_mean(option, known)}"


def spell_attack_option(option: str) -> str:
    """Return how an option of an attack is written in the shell.

    >>> spell_attack_option("seeds"), spell_attack_option("repeats"), spell_attack_option("twins")
    ('--known-seeds', '--repeats', '--set twins=VALUE')
    """
    written = {field: f"--{name.replace('_', '-')}" for name, field in OPTIONS.items()}
    return written.get(option, f"--set {option}=VALUE")
