"""Text of attack outcomes: a table of rates with their intervals, and what each of them means."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from shoal.attacks.base import Outcome, Rate, Trial
from shoal.errors import join_lines
from shoal.report.text.wording import format_percent, render_table
from shoal.show import as_html, as_text

HEAD = ["graph", "rate", "share", "95 % interval", "of"]
LEAKS = "IT DOES NOT HOLD: something tells people apart that should not."


@as_text.register
def describe_outcome(outcome: Outcome) -> str:
    """Return what an attack reached: the main rate in a sentence, a table, and what everything in it means."""
    lines = [
        f"{outcome.shell}: {outcome.means}",
        describe_headline(outcome),
        "",
        *render_table(HEAD, build_rate_rows(outcome), left=2),
        "",
    ]
    shown = [name for name in outcome.meanings if any(name in trial.rates for trial in outcome.trials)]
    lines += [f"{name}: {outcome.meanings[name]}" for name in shown]
    lines += [f"{trial.graph}: {trial.means}" for trial in outcome.trials]
    lines += [] if outcome.law is None else [describe_law(outcome.law)]
    return join_lines([*lines, *(f"Note: {note}" for note in outcome.notes)])


def describe_headline(outcome: Outcome) -> str:
    """Say in one sentence what was reached on the release, and what guessing would reach."""
    rate = outcome.trials[0].rates[outcome.main]
    between = "" if rate.interval is None else f" ({format_interval(rate)} at 95 %)"
    told = f"On the release: {outcome.main} {_mark_lower_bound(outcome)}{format_percent(rate.rate)}{between}"
    guess = [trial.rates[outcome.main] for trial in outcome.trials if trial.graph == "guessing"]
    return f"{told}; by guessing {format_percent(guess[0].rate)}." if guess else f"{told}."


def build_rate_rows(outcome: Outcome) -> list[list[str]]:
    """Return a row for each rate on each graph, the main rate first."""
    return [
        row for trial in outcome.trials for row in _list_trial_rows(trial, outcome.main, _mark_lower_bound(outcome))
    ]


def _mark_lower_bound(outcome: Outcome) -> str:
    """Mark a main rate that is a lower bound: values were compared as they are, and some were recoded."""
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
    """Write an interval; nothing where there is none, as of guessing, whose rate is calculated.

    >>> format_interval(Rate.of_targets(5, 10)), format_interval(Rate.of_targets(0, 10)), format_interval(Rate(5, 10))
    ('23.7 % to 76.3 %', '0 % to 27.8 %', '')
    """
    return "" if rate.interval is None else " to ".join(map(format_percent, rate.interval))


def describe_law(law: Mapping[str, Any]) -> str:
    """Say what must hold, and whether it does."""
    numbers = [f"{key} {_format_number(value)}" for key, value in law.items() if key not in ("means", "inside")]
    return f"Law: {law['means']} {'It holds' if law['inside'] else LEAKS} ({', '.join(numbers)})."


def _format_number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else format_percent(value) if isinstance(value, float) else str(value)


@as_html.register
def render_outcome(outcome: Outcome) -> str:
    """Return a table for notebooks, what everything means below it."""
    head = "".join(f"<th scope='col'>{escape(title)}</th>" for title in HEAD)
    body = "".join(
        f"<tr><th scope='row'>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in build_rate_rows(outcome)
    )
    caption = f"<caption style='text-align:left'>{escape(outcome.means)} {escape(describe_headline(outcome))}</caption>"
    told = describe_outcome(outcome).split("\n\n")[-1].split("\n")
    below = "".join(f"<p>{escape(line)}</p>" for line in told)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
