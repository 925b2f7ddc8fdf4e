"""The page of one release: before and after next to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.auditing.network_drawing import find_buckets, list_links_among
from shoal.data.graph import Graph
from shoal.errors import join_names, parse_whole
from shoal.methods.passing import list_deciding
from shoal.release.release import Utility
from shoal.report.html.sections.evidence import BUCKET_LEGEND
from shoal.report.text.phrases import format_fraction, format_share
from shoal.report.text.releases import list_release_facts
from shoal.report.text.scenarios import FACTS, WORDS, describe_judgment
from shoal.risk.panel import PanelRisk
from shoal.web.page import describe_progress, find_opened, find_workspace, show
from shoal.web.pages.protect import describe_cost, describe_loss, describe_steps
from shoal.web.trials import Trial, find_trial, list_trials, start_look
from shoal.web.workspace import Opened


def take_trial(request: Request) -> tuple[Opened, Trial]:
    """Return the data set and the release of an address."""
    opened = find_opened(request)
    trial = find_trial(opened, parse_whole(request.path_params["number"]))
    if trial is None or trial.release is None:
        raise HTTPException(404, "There is no such release.")
    return opened, trial


async def show_release(request: Request) -> Response:
    """Show the page, and begin to compare and draw."""
    opened, trial = take_trial(request)
    workspace = find_workspace(request)
    start_look(workspace, opened, trial)
    if opened.data is not None and opened.data.has_links:
        workspace.draw(opened)
    others = sorted((one for one in list_trials(opened) if one.release and one is not trial), key=lambda one: one.rank)
    return show(request, "release.html", opened=opened, step="protect", others=others, **describe(opened, trial))


async def show_state(request: Request) -> Response:
    """Show the part that changes while it is made."""
    opened, trial = take_trial(request)
    return show(request, "release_state.html", opened=opened, **describe(opened, trial))


def describe(opened: Opened, trial: Trial) -> dict[str, Any]:
    """Return what the page shows."""
    assert trial.tried is not None
    assert trial.release is not None
    job, draw = opened.jobs.get(f"look {trial.number}"), opened.jobs.get("draw")
    look, judgments = trial.look, list_deciding(trial.tried.attempt.judgments)
    return {
        "trial": trial,
        "word": WORDS[trial.tried.attempt.verdict],
        "judgments": [
            (describe_judgment(one, FACTS[one.facts], titles=True), join_names(one.kinds)) for one in judgments
        ],
        "facts": list_release_facts(trial.release),
        "about": describe_steps(trial.method),
        "cost": describe_cost(trial),
        "beyond": "" if trial.is_accepted else describe_loss(trial),
        "metrics": [] if look is None or look.utility is None else list_metrics(look.utility),
        "degrees": () if look is None else look.degrees,
        "progress": "" if job is None or job.ended else describe_progress(job),
        "error": "" if job is None else job.error,
        "has_links": trial.release.original.has_links,
        "drawn": opened.drawing is not None,
        "drawing": "" if draw is None or draw.ended else describe_progress(draw),
        "legend": BUCKET_LEGEND,
    }


def list_metrics(found: Utility) -> list[tuple[str, str, str]]:
    """Return a few numbers about the links, before and after."""
    component = [format_share(many, n) for many, n in zip(found.largest_component, found.vertices, strict=True)]
    pairs = {
        "people": [f"{many:,}" for many in found.vertices],
        "links": [f"{many:,}" for many in found.edges],
        "most links of a person": [f"{many:,}" for many in found.largest_degree],
        "people in the largest component": component,
        "transitivity": [format_fraction(share) for share in found.transitivity],
        "distance of the degree distributions, 0 to 1": ["", format_fraction(found.degree_distance)],
    }
    return [(name, before, after) for name, (before, after) in pairs.items()]


async def send_pictures(request: Request) -> Response:
    """Send links and colors before and after, for the places of the drawing."""
    opened, trial = take_trial(request)
    if opened.drawing is None:
        raise HTTPException(404, "The network has not been drawn.")
    return JSONResponse(await run_in_threadpool(pack_pictures, opened, trial))


def pack_pictures(opened: Opened, trial: Trial) -> dict[str, Any]:
    """Return both drawings as plain data: links that stay, go and come, and the bucket of each person.

    A person that was left out has no color after.
    """
    assert opened.drawing is not None
    assert opened.data is not None
    assert trial.release is not None
    assert trial.tried is not None
    chosen, after = opened.drawing.chosen, trial.release.data
    assert isinstance(after, Graph)
    own = after.names.find(opened.data.names)
    before_links = _number_pairs(opened.drawing.links, len(chosen))
    after_links = _number_pairs(list_links_among(after, own[chosen]), len(chosen))
    before = count_before(opened, trial)
    return {
        "kept": _split_pairs(np.intersect1d(before_links, after_links), len(chosen)),
        "removed": _split_pairs(np.setdiff1d(before_links, after_links), len(chosen)),
        "added": _split_pairs(np.setdiff1d(after_links, before_links), len(chosen)),
        "before": "" if before is None else _spell_buckets(before[chosen]),
        "after": "" if trial.tried.fewest is None else _spell_buckets(trial.tried.fewest[chosen]),
        "released": "".join("1" if place >= 0 else "0" for place in own[chosen].tolist()),
    }


def count_before(opened: Opened, trial: Trial) -> Any:
    """Return the fewest candidates of each person in the original; None while a kind of knowledge is not counted."""
    assert opened.data is not None
    policy = trial.policy
    kinds = policy.scenario.choose_kinds(opened.data, policy.columns, policy.sensitive).values()
    risks = [opened.risks[kind.spec] for kind in kinds if kind.spec in opened.risks]
    return PanelRisk(policy.scenario, tuple(risks), len(risks)).fewest if len(risks) == len(kinds) else None


def _number_pairs(links: Any, n: int) -> Any:
    low, high = links.min(axis=1, initial=n), links.max(axis=1, initial=-1)
    return np.unique(low.astype(np.int64) * n + high)


def _split_pairs(numbers: Any, n: int) -> list[int]:
    found: list[int] = np.stack([numbers // n, numbers % n], axis=1).ravel().tolist()
    return found


def _spell_buckets(sizes: Any) -> str:
    return "".join(map(str, find_buckets(sizes).tolist()))


ROUTES = [
    Route("/data/{key}/release/{number}", show_release),
    Route("/data/{key}/release/{number}/state", show_state),
    Route("/data/{key}/release/{number}/pictures.json", send_pictures),
]
