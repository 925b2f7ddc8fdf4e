"""The page "Protect": choose the accepted loss, run the methods that fit side by side, and compare their releases."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import format_count, parse_whole
from shoal.limits import format_duration
from shoal.methods.base import Method
from shoal.methods.pipeline import Pipeline
from shoal.report.html.blocks import Picture
from shoal.report.html.charts.losses import LossPoint, draw_losses
from shoal.report.text.phrases import format_percent, format_share
from shoal.report.text.scenarios import WORDS
from shoal.risk.assess import Risk
from shoal.risk.scenario import PRESETS
from shoal.web.page import describe_progress, find_opened, find_read, find_workspace, go, read_form, show
from shoal.web.releasing import Loss
from shoal.web.trials import CHOOSE, Round, Trial, estimate_seconds, find_trial, start_round, start_trial
from shoal.web.workspace import Opened


async def show_protect(request: Request) -> Response:
    """Show the page."""
    opened, _ = find_read(request)
    chosen = find_round(opened, request)
    return show(
        request,
        "protect.html",
        opened=opened,
        step="protect",
        scenarios=PRESETS,
        audiences=AUDIENCES,
        **describe(opened, chosen),
    )


async def show_trials(request: Request) -> Response:
    """Show the part that changes while methods run."""
    opened = find_opened(request)
    return show(request, "protect_trials.html", opened=opened, **describe(opened, find_round(opened, request)))


def find_round(opened: Opened, request: Request) -> Round | None:
    """Return the round of an address, or the last one."""
    number = parse_whole(request.query_params.get("round", ""))
    found = next((one for one in opened.rounds if one.number == number), None)
    return found or (opened.rounds[-1] if opened.rounds else None)


def describe(opened: Opened, chosen: Round | None) -> dict[str, Any]:
    """Return what the page shows."""
    values: dict[str, Any] = {"round": chosen, "loss": opened.loss, "k": opened.policy.scenario.k, "words": WORDS}
    values |= {"rounds": [(one, describe_round(opened, one)) for one in opened.rounds]}
    if chosen is None:
        return values | {"rows": [], "chart": None, "busy": "", "told": "", "advice": [], "done": 0, "stale": False}
    job = opened.jobs.get(f"{CHOOSE} {chosen.number}")
    return values | {
        "rows": [describe_trial(opened, one) for one in chosen.ranked],
        "chart": draw_round(opened, chosen),
        "busy": "" if job is None or job.ended else describe_progress(job),
        "told": describe_round(opened, chosen),
        "done": sum(one.tried is not None for one in chosen.trials),
        "advice": advise(opened, chosen),
        "stale": chosen.policy != opened.policy,
    }


def advise(opened: Opened, chosen: Round) -> list[str]:
    """Say what is best, or what may help where no release passes with the accepted loss; nothing while methods run."""
    if not chosen.trials or any(opened.is_busy(one.job) for one in chosen.trials):
        return []
    best = chosen.ranked[0]
    if best.verdict == "pass" and best.is_accepted:
        return recommend(chosen)
    told = ["No release passes with the accepted loss."]
    if best.verdict == "pass":
        told += [f"{best.number}. {best.title} passes with more: {describe_loss(best)}."]
    if chosen.policy == opened.policy:
        told += _blame(chosen, opened.list_counted())
    if chosen.loss.left_out and not any(one.left_out for one in chosen.trials if one.release is not None):
        told += ["No method leaves people out for this data."]
    return [*told, "Accept more loss, or choose a scenario for fewer readers."]


def recommend(chosen: Round) -> list[str]:
    """Name the release that passes with the least loss; if it leaves people at risk, also the best without any."""
    passing = [one for one in chosen.ranked if one.verdict == "pass" and one.is_accepted]
    best, whole = passing[0], next((one for one in passing if not one.at_risk and not is_least(one)), None)
    least = "fewest links changed" if best.release is not None and best.release.original.has_links else "least loss"
    told = [f"{best.number}. {best.title} passes with the {least}."]
    if best is not whole:
        told = [f"{told[0][:-1]}; people at risk: {describe_cost(best)['below']}, which the scenario allows."]
        if whole is not None:
            told.append(f"{whole.number}. {whole.title} leaves no person at risk.")
    return told


def _blame(chosen: Round, risks: Sequence[Risk]) -> list[str]:
    """Say how many people the known columns alone put at risk, and the links alone, by the worst kind of each."""
    told = []
    for what, own, advice in (
        ("known columns", [risk for risk in risks if not risk.adversary.reads_links], [COARSER]),
        ("links", [risk for risk in risks if not risk.adversary.columns(risk.graph.attributes)], []),
    ):
        below = max((int((risk.sizes < chosen.policy.scenario.k).sum()) for risk in own), default=0)
        if below:
            told += [f"The {what} alone put {format_count(below, 'person', 'people')} at risk.", *advice]
    return told


COARSER = "Leave a column out (page “Open”), or give it coarser values in the file, such as age groups."


def describe_loss(one: Trial) -> str:
    """Say what a release changes, beside what is accepted."""
    assert one.release is not None
    links = one.release.original.has_links
    told = [f"{describe_cost(one)['links']} of the links changed, at most {one.loss.edits} % accepted"] if links else []
    if one.left_out or one.loss.left_out:
        told += [f"{describe_cost(one)['people']} of the people left out, at most {one.loss.left_out} % accepted"]
    return "; ".join(told)


AUDIENCES = {
    "public": "anyone",
    "agreement": "signed an agreement",
    "internal": "your own team",
}
"""For whom a scenario is meant, in a few words."""


def describe_round(opened: Opened, one: Round) -> str:
    """Say what a round is about."""
    links = opened.data is not None and opened.data.has_links
    told = [f"at most {one.loss.edits} % of the links changed"] if links else []
    told += [f"at most {one.loss.left_out} % of the people left out" if one.loss.left_out else "no person left out"]
    known = f"; known columns: {', '.join(one.policy.columns)}" if one.policy.columns else ""
    return f"“{one.policy.scenario.name}”: {', '.join(told)}{known}"


def describe_trial(opened: Opened, one: Trial) -> dict[str, Any]:
    """Return the row of a method."""
    job = opened.jobs.get(one.job)
    row = {
        "trial": one,
        "about": describe_steps(one.method),
        "busy": job is not None and not job.ended,
        "progress": "" if job is None or job.ended else describe_progress(job),
        "left": "",
        "error": "" if job is None else job.error or ("Canceled." if job.state == "canceled" else ""),
    }
    if job is not None and (seconds := estimate_seconds(job)) is not None:
        row["left"] = f"about {format_duration(max(1, round(seconds)))} left in this step"
    if one.tried is not None and one.release is None:
        row["error"] = one.tried.attempt.refused
    if one.tried is not None and one.release is not None:
        row |= describe_cost(one)
    return row


def describe_steps(method: Method) -> list[str]:
    """Say what a method changes and against whom that protects, in a sentence for each of its steps.

    >>> from shoal.methods import MatchDegrees
    >>> print(*describe_steps(MatchDegrees(k=3)))
    Changes links: adds (or also removes) a few, ... an attacker who knows the number of links of a person.
    """
    steps = method.steps if isinstance(method, Pipeline) else (method,)
    told = [f"Changes {step.changes}. {_describe_protection(step)}." for step in steps]
    return [text.replace("vertices", "people").replace("vertex", "person") for text in told]


def _describe_protection(step: Method) -> str:
    told = f"Protects against {step.protects}"
    return told if step.promises != "nothing" else "It protects as far as the verdict says"


def describe_cost(one: Trial) -> dict[str, str]:
    """Return the numbers of a release: people at risk, links changed, people left out, cells changed."""
    assert one.tried is not None
    attempt, cost = one.tried.attempt, one.tried.attempt.cost
    return {
        "verdict": WORDS[attempt.verdict],
        "below": f"{'>= ' if is_least(one) else ''}{attempt.below:,} ({format_share(attempt.below, attempt.people)})",
        "links": f"{cost.links:,} ({format_share(cost.links, cost.m)})" if cost.m else "–",
        "people": f"{cost.left_out:,} ({format_share(cost.left_out, cost.people)})",
        "cells": "–" if one.tried.cells is None else format_percent(one.tried.cells),
        "seconds": format_duration(max(1, round(one.tried.seconds))),
    }


def is_least(one: Trial) -> bool:
    """Return whether more people than counted may be at risk: for some, the number of candidates is not proved."""
    assert one.tried is not None
    return any(judged.unproved for judged in one.tried.attempt.judgments)


def draw_round(opened: Opened, chosen: Round) -> Picture | None:
    """Draw the risk against the loss of every finished release of a round, and of the data as it is."""
    what = "links" if opened.data is not None and opened.data.has_links else "cells"
    points = [
        LossPoint(
            str(one.number),
            f"{one.number}. {one.title}: {WORDS[one.tried.attempt.verdict]}, {_tell_share(one.at_risk, is_least(one))} "
            f"at risk, {_tell_share(one.changed)} of the {what} changed",
            one.changed,
            one.at_risk,
            one.verdict.replace(" ", "-"),
            f"/data/{opened.key}/release/{one.number}",
        )
        for one in chosen.trials
        if one.tried is not None and one.release is not None
    ]
    before = opened.judge() if chosen.policy == opened.policy else None
    if before is not None:
        judged = before.judgment
        risk = Fraction(judged.below, max(1, judged.people))
        told = f"the data as it is: {WORDS[judged.verdict]}, {_tell_share(risk, bool(judged.unproved))} at risk"
        points.append(LossPoint("unchanged", told, Fraction(0), risk, judged.verdict.replace(" ", "-")))
    if not points:
        return None
    accepted = Fraction(chosen.loss.edits, 100) if what == "links" else None
    svg = draw_losses(points, accepted=accepted, allowed=chosen.policy.scenario.allow, loss=f"{what} changed")
    legend = LEGEND if accepted is not None else tuple(one for one in LEGEND if one[0] != "beyond")
    return Picture("losses", "Risk against loss", ABOUT, svg, legend=legend)


def _tell_share(share: Fraction, least: bool = False) -> str:
    return format_share(share.numerator, share.denominator, least=least)


ABOUT = (
    "Each point is a release. Click one to see it. Further down: fewer people at risk. Further left: less is changed."
)
LEGEND = (
    ("pass", "PASS"),
    ("fail", "FAIL"),
    ("cannot-tell", "CANNOT TELL"),
    ("front", "best releases"),
    ("allowed", "people at risk that the scenario allows"),
    ("beyond", "more than the accepted loss"),
)


async def try_methods(request: Request) -> Response:
    """Begin a round with the loss of the form."""
    (opened, _), form, workspace = find_read(request), await read_form(request), find_workspace(request)
    edits, left_out = (parse_whole(form.get(name, "")) for name in ("edits", "left_out"))
    opened.loss = Loss(max(0, min(edits or 0, 100)), max(0, min(left_out or 0, 50)))
    if form.get("scenario", "") in PRESETS and PRESETS[form["scenario"]] is not opened.scenario:
        opened.scenario, opened.k = PRESETS[form["scenario"]], 0
    workspace.count(opened)  # the chart shows the data as it is too
    chosen = start_round(workspace, opened, opened.loss)
    return go(request, f"/data/{opened.key}/protect?round={chosen.number}")


async def return_to_round(request: Request) -> Response:
    """Step back to an earlier round: its scenario, columns and accepted loss are chosen again."""
    opened = find_opened(request)
    number = parse_whole(request.path_params["round"])
    chosen = next((one for one in opened.rounds if one.number == number), None)
    if chosen is None:
        raise HTTPException(404, "There is no such round.")
    policy = chosen.policy
    base = policy.scenario.base if policy.scenario.name not in PRESETS else policy.scenario.name
    opened.scenario = PRESETS.get(base or "", policy.scenario)
    opened.k = 0 if opened.scenario.k == policy.scenario.k else policy.scenario.k
    opened.loss = chosen.loss
    groups = {"quasi-identifier": policy.columns, "sensitive": policy.sensitive, "identifier": policy.left_out}
    opened.roles = {
        name: next((role for role, names in groups.items() if name in names), "other") for name in opened.roles
    }
    return go(request, f"/data/{opened.key}/protect?round={chosen.number}")


async def cancel_trial(request: Request) -> Response:
    """Stop one method."""
    opened, workspace = find_opened(request), find_workspace(request)
    trial = find_trial(opened, parse_whole(request.path_params["number"]))
    if trial is not None and trial.job in opened.jobs:
        workspace.jobs.cancel(opened.jobs[trial.job])
    return await show_trials(request)


async def resume_trial(request: Request) -> Response:
    """Run one method again that was canceled or failed."""
    opened, workspace = find_opened(request), find_workspace(request)
    trial = find_trial(opened, parse_whole(request.path_params["number"]))
    if trial is not None:
        start_trial(workspace, opened, trial)
    return await show_trials(request)


ROUTES = [
    Route("/data/{key}/protect", show_protect),
    Route("/data/{key}/protect/trials", show_trials),
    Route("/data/{key}/protect/try", try_methods, methods=["POST"]),
    Route("/data/{key}/protect/round/{round}", return_to_round, methods=["POST"]),
    Route("/data/{key}/protect/cancel/{number}", cancel_trial, methods=["POST"]),
    Route("/data/{key}/protect/resume/{number}", resume_trial, methods=["POST"]),
]
