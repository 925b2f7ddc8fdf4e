"""Outcomes of attacks in words: one table of rates with their intervals, and what each of them means."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from shoal.attacks.base import Outcome, Rate, Trial
from shoal.report.wording import share, table
from shoal.show import as_html, as_text
from shoal.terminal import join_lines

HEAD = ["graph", "rate", "share", "95 % interval", "of"]
LEAKS = "IT DOES NOT HOLD: something tells people apart that should not."


@as_text.register
def outcome_text(outcome: Outcome) -> str:
    """Return what an attack reached: the main rate in a sentence, a table, and what everything in it means."""
    lines = [f"{outcome.shell}: {outcome.means}", headline(outcome), "", *table(HEAD, rows(outcome), left=2), ""]
    shown = [name for name in outcome.meanings if any(name in trial.rates for trial in outcome.trials)]
    lines += [f"{name}: {outcome.meanings[name]}" for name in shown]
    lines += [f"{trial.graph}: {trial.means}" for trial in outcome.trials]
    lines += [] if outcome.law is None else [law_text(outcome.law)]
    return join_lines([*lines, *(f"Note: {note}" for note in outcome.notes)])


def headline(outcome: Outcome) -> str:
    """Say in one sentence what was reached on the release, and what guessing would reach."""
    rate = outcome.trials[0].rates[outcome.main]
    between = "" if rate.interval is None else f" ({interval(rate)} at 95 %)"
    told = f"On the release: {outcome.main} {_least(outcome)}{percent(rate.rate)}{between}"
    guess = [trial.rates[outcome.main] for trial in outcome.trials if trial.graph == "guessing"]
    return f"{told}; by guessing {percent(guess[0].rate)}." if guess else f"{told}."


def rows(outcome: Outcome) -> list[list[str]]:
    """Return a row for each rate on each graph, the main rate first."""
    return [row for trial in outcome.trials for row in _of_trial(trial, outcome.main, _least(outcome))]


def _least(outcome: Outcome) -> str:
    """Mark a main rate that is a lower bound: values were compared as they are, and some were recoded."""
    return ">= " if outcome.settings.get("recoded") else ""


def _of_trial(trial: Trial, main: str, least: str) -> list[list[str]]:
    names = sorted(trial.rates, key=lambda name: name != main)
    found = []
    for i, name in enumerate(names):
        rate = trial.rates[name]
        mark = least if trial.graph == "release" and name == main else ""
        found.append([trial.graph if i == 0 else "", name, mark + percent(rate.rate), interval(rate), f"{rate.of:,}"])
    return found


def percent(part: float) -> str:
    """Write a share in percent; some is never 0, and not all is never 100.

    >>> percent(0.5), percent(0.0), percent(1e-9), percent(1.0)
    ('50.0 %', '0 %', '<0.1 %', '100 %')
    """
    return share(part, 1)  # type: ignore[arg-type]


def interval(rate: Rate) -> str:
    """Write an interval; nothing where there is none, as of guessing, whose rate is calculated.

    >>> interval(Rate.of_targets(5, 10)), interval(Rate.of_targets(0, 10)), interval(Rate(5, 10))
    ('23.7 % to 76.3 %', '0 % to 27.8 %', '')
    """
    return "" if rate.interval is None else " to ".join(map(percent, rate.interval))


def law_text(law: Mapping[str, Any]) -> str:
    """Say what must hold, and whether it does."""
    numbers = [f"{key} {_written(value)}" for key, value in law.items() if key not in ("means", "inside")]
    return f"Law: {law['means']} {'It holds' if law['inside'] else LEAKS} ({', '.join(numbers)})."


def _written(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else percent(value) if isinstance(value, float) else str(value)


@as_html.register
def outcome_page(outcome: Outcome) -> str:
    """Return a table for notebooks, what everything means below it."""
    head = "".join(f"<th scope='col'>{escape(title)}</th>" for title in HEAD)
    body = "".join(
        f"<tr><th scope='row'>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in rest)}</tr>"
        for first, *rest in rows(outcome)
    )
    caption = f"<caption style='text-align:left'>{escape(outcome.means)} {escape(headline(outcome))}</caption>"
    told = outcome_text(outcome).split("\n\n")[-1].split("\n")
    below = "".join(f"<p>{escape(line)}</p>" for line in told)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
