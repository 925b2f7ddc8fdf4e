"""shoal attack: try to re-identify the people of a file in its release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import click

from shoal.attacks import ATTACKS, attack, find_attack, name_attack
from shoal.attacks.base import Attack, Outcome
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
    time_limit_option,
)
from shoal.cli.output import SectionedCommand, make_section, print_json, print_text
from shoal.cli.part_options import PartName, build_method, collect_options, parse_value
from shoal.cli.part_options import split_pair as name_and_value
from shoal.errors import BadParameter, OutOfTime, did_you_mean, join_lines
from shoal.knowledge import Adversary
from shoal.limits import TimeLimit, count_ended, find_limit, limit_time
from shoal.report.text.outcomes import describe_outcome
from shoal.report.text.phrases import mark_partial

HOW = make_section("How an attack is run")
OPTIONS = collect_options(ATTACKS)
"""The options that attacks declare, by the names of the fields; any other field is set by --set."""
NO_TRUTH = (
    "An attack needs the original-to-released mapping to count its success: a saved release has fresh names. Got none. "
    "Pass --mapping FILE, which `shoal anonymize --mapping` wrote, or --same-names if nothing was renamed."
)

attack_options = stack_options(
    HOW("--trials", type=WHOLE, metavar="N", help="Number of targets (--knows).  [default: 10,000]"),
    HOW("-k", type=WHOLE, metavar="K", help="Count targets with 1 to K-1 candidates (--knows).  [default: 5]"),
    *(each.decorate(HOW) for each in OPTIONS.values()),
    HOW("--set", "extra", multiple=True, metavar="NAME=VALUE", help="Any other option of an attack. Repeatable."),
    HOW("--seed", type=WHOLE, default=0, show_default=True, help="Random seed; it need not be private."),
)

SCHEMA = 1


@click.command("attack", cls=SectionedCommand)
@click.argument("file")
@click.argument("released")
@knows_option("Knowledge about each target, e.g. neighbors:2. Repeatable.")
@click.option("--by", multiple=True, type=PartName(ATTACKS), help="Another attack. Repeatable.")
@matching_options
@time_limit_option
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
    """Attack a release and count the people identified.

    Each rate is compared with three controls: the original with only the names changed, the original after as many
    random edits, and guessing. A rate has an interval where something is drawn. An attack is one attacker, who may
    fail: a failed attack proves nothing. `shoal risk` counts the worst case and needs no mapping.

    \b
    Examples:
      shoal attack example:karate example:karate --same-names --knows neighbors:2
      shoal attack friends.csv safe.csv --mapping secret.csv --knows neighbors:1 --knows neighbors:2 --by cascade
    """
    refuse_unjudgeable(knows, by, mapping, same_names, released)
    counted = {name: came for name, came in (("trials", trials), ("k", k)) if came is not None}
    if counted and not knows:
        raise BadParameter(f"'{next(iter(counted))}' must come with --knows: it is about its targets. Got only --by.")
    attacks = choose_attacks(by, {name: given.pop(name) for name in OPTIONS}, extra)
    before = load_data(file, given)
    after = load_released(released, before, released_attributes, given)
    truth = {"mapping": mapping, "same_names": same_names, "seed": seed}
    asked: list[Adversary | Attack] = [*knows, *attacks]
    limit = find_limit()
    outcomes: list[Outcome] = []
    ended: list[tuple[str, str]] = []
    for at, one in enumerate(asked, 1):
        way = {"by": one} if isinstance(one, Attack) else {"knowledge": one, **counted}
        try:
            with limit_time(None if limit is None else limit.share(last=at == len(asked))):
                outcomes.append(attack(before, after, **way, **truth))  # type: ignore[arg-type]
        except OutOfTime as late:
            ended.append((name_attack(one), str(late)))
            continue
        if not as_json:
            head = "" if len(outcomes) > 1 else f"Original: {before!r}\nRelease: {after!r}\n"
            print_text(f"{head}\n{describe_outcome(outcomes[-1])}")
    show_ended(outcomes, ended, limit, as_json)


def show_ended(
    outcomes: Sequence[Outcome], ended: Sequence[tuple[str, str]], limit: TimeLimit | None, as_json: bool
) -> None:
    """Print the outcomes as JSON, and the attacks that the time limit ended; fail if it ended all of them."""
    if limit is not None and not outcomes:
        raise OutOfTime(" ".join(why for _, why in ended))
    count = count_ended(len(ended), len(ended) + len(outcomes), "attack")
    told = "" if limit is None else limit.describe_ended(count)
    if as_json:
        missing = [{"name": name, "why": why} for name, why in ended]
        data = {
            "schema": SCHEMA,
            "attacks": [outcome.data() for outcome in outcomes],
            "left out": missing,
            "partial": told,
        }
        print_json(data)
    elif told:
        print_text("\n" + join_lines([*mark_partial(told), *(why for _, why in ended)]))


def refuse_unjudgeable(
    knows: tuple[Adversary, ...], by: tuple[str, ...], mapping: Path | None, same_names: bool, released: str
) -> None:
    """Refuse a call without a mapping, or without an attack."""
    if mapping is None and not same_names:
        raise BadParameter(NO_TRUTH)
    refuse_both(mapping, same_names, released)
    if not knows and not by:
        raise BadParameter(
            f"'--knows SPEC' or '--by NAME' must say how to attack. Got neither. NAME: {', '.join(ATTACKS)}."
        )


def choose_attacks(by: tuple[str, ...], given: Mapping[str, Any], extra: tuple[str, ...]) -> list[Attack]:
    """Return the attacks, each with the options that it has; refuse an option that none of them has."""
    options = {name: came for name, came in given.items() if came is not None}
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
    """Return a message that no chosen attack has an option, with the options they have."""
    if not has:
        return f"{spell_attack_option(option)} is no option of --knows. Name an attack with --by."
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
    return OPTIONS[option].flag if option in OPTIONS else f"--set {option}=VALUE"
