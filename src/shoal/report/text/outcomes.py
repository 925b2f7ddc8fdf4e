"""Text of attack outcomes: a table of rates with their intervals, and the meaning of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.attacks.base import Outcome, Rate, Trial, does_law_hold, list_law_numbers
from shoal.errors import join_lines
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import format_percent, mark_partial, render_table
from shoal.show import as_html, as_text

HEAD = ["graph", "rate", "share", "95 % interval", "cases"]
LEAKS = "IT DOES NOT HOLD: the release leaks, or is not what it claims to be."
BY_CHANCE = "It holds: the expected rate is outside the 95 % interval, but the measured rate is not far above it."


@as_text.register
def describe_outcome(outcome: Outcome) -> str:
    """Return the outcome of an attack: the main rate in a sentence, a table, and the meaning of its entries."""
    lines = [*mark_partial(outcome.partial), f"{outcome.shell}: {outcome.means}", describe_headline(outcome), ""]
    return join_lines([*lines, *render_table(HEAD, build_rate_rows(outcome), left=2), "", *describe_terms(outcome)])


def describe_terms(outcome: Outcome) -> list[str]:
    """Return what the rates and graphs of the table mean, then the law and the notes."""
    shown = [name for name in outcome.meanings if any(name in trial.rates for trial in outcome.trials)]
    lines = ["graph: the attacked data. cases: the number of targets or guesses that the share refers to."]
    lines += [f"{name}: {outcome.meanings[name]}" for name in shown]
    lines += [f"{trial.graph}: {trial.means}" for trial in outcome.trials]
    lines += [] if outcome.law is None else [describe_law(outcome.law)]
    return [*lines, *(f"Note: {note}" for note in outcome.notes)]


def describe_headline(outcome: Outcome) -> str:
    """Say in one line how often the attack succeeds on the release, and how often guessing does."""
    rate = outcome.trials[0].rates[outcome.main]
    between = "" if rate.interval is None else f" (95 % interval {format_interval(rate)})"
    share = f"{_mark_lower_bound(outcome)}{format_percent(rate.rate)}{between}"
    told = f"On the release, the main rate ({outcome.main}) is {share}."
    guess = [trial.rates[outcome.main] for trial in outcome.trials if trial.graph == "guessing"]
    return f"{told} Random guesses reach {format_percent(guess[0].rate)}." if guess else told


def build_rate_rows(outcome: Outcome) -> list[list[str]]:
    """Return a row for each rate on each graph, the main rate first."""
    return [
        row for trial in outcome.trials for row in _list_trial_rows(trial, outcome.main, _mark_lower_bound(outcome))
    ]


def _mark_lower_bound(outcome: Outcome) -> str:
    """Mark a main rate that is a lower bound: recoded values were compared as they are."""
    return ">= " if outcome.settings.get("recoded") else ""


def _list_trial_rows(trial: Trial, main: str, least: str) -> list[list[str]]:
    names = sorted(trial.rates, key=lambda name: name != main)
    found = []
    for i, name in enumerate(names):
        rate = trial.rates[name]
        mark = least if trial.graph == "release" and name == main else ""
        found.append(
            [
                trial.graph if i == 0 else "",
                name,
                mark + format_percent(rate.rate),
                format_interval(rate),
                f"{rate.of:,}",
            ]
        )
    return found


def format_interval(rate: Rate) -> str:
    """Format an interval; empty where there is none, such as for guessing, whose rate is exact.

    >>> format_interval(Rate.of_targets(5, 10)), format_interval(Rate.of_targets(0, 10)), format_interval(Rate(5, 10))
    ('23.7 % to 76.3 %', '0 % to 27.8 %', '')
    """
    return "" if rate.interval is None else " to ".join(map(format_percent, rate.interval))


def describe_law(law: Mapping[str, Any]) -> str:
    """State a law, and whether it holds."""
    holds = LEAKS if not does_law_hold(law) else "It holds." if law["inside"] else BY_CHANCE
    numbers = [f"{name} {_format_law_number(name, value)}" for name, value in list_law_numbers(law).items()]
    return f"Law: {law['means']} {holds} In numbers: {', '.join(numbers)}."


def _format_law_number(name: str, value: float) -> str:
    """Format a number of a law: a count, a share, or a number of standard deviations.

    >>> _format_law_number("guaranteed k", 2), _format_law_number("bound", 0.5), _format_law_number("deviations", -0.61)
    ('2', '50.0 %', '-0.6')
    """
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.1f}" if name == "deviations" else format_percent(value)


@as_html.register
def render_outcome(outcome: Outcome) -> str:
    """Return an outcome as an HTML table for notebooks, with the meaning of its entries below."""
    caption = " ".join([*mark_partial(outcome.partial), outcome.means, describe_headline(outcome)])
    table = render_html_table(HEAD, build_rate_rows(outcome), caption, left=2)
    return table + render_paragraphs(describe_terms(outcome))
