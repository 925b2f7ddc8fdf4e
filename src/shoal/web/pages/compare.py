"""The page "Compare": two releases of the session next to each other."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.errors import parse_whole
from shoal.web.page import describe_progress, find_opened, find_workspace, go, show
from shoal.web.pages.protect import describe_cost, describe_round
from shoal.web.pages.release import list_metrics
from shoal.web.trials import Trial, find_trial, list_trials, start_look
from shoal.web.workspace import Opened


async def show_compare(request: Request) -> Response:
    """Show the page, and begin to compare both releases with the original."""
    opened = find_opened(request)
    found = find_pair(opened, request)
    if found is None:
        return go(request, f"/data/{opened.key}/protect")
    for trial in found:
        start_look(find_workspace(request), opened, trial)
    made = [one for one in list_trials(opened) if one.release is not None]
    return show(request, "compare.html", opened=opened, step="protect", made=made, **describe(opened, found))


async def show_state(request: Request) -> Response:
    """Show the part that changes while it is made."""
    opened = find_opened(request)
    found = find_pair(opened, request)
    if found is None:
        return go(request, f"/data/{opened.key}/protect")
    return show(request, "compare_state.html", opened=opened, **describe(opened, found))


def find_pair(opened: Opened, request: Request) -> tuple[Trial, Trial] | None:
    """Return the two releases of an address; by default the first two; None where there are not two."""
    made = [one for one in list_trials(opened) if one.release is not None]
    asked = [find_trial(opened, parse_whole(request.query_params.get(name, ""))) for name in ("one", "other")]
    one = asked[0] if asked[0] in made else None
    other = asked[1] if asked[1] in made else None
    left = [trial for trial in made if trial not in (one, other)]
    first = one or (left.pop(0) if left else None)
    second = other or (left.pop(0) if left else None)
    return None if first is None or second is None else (first, second)


TITLES = {
    "verdict": "verdict",
    "below": "people at risk",
    "links": "links changed",
    "people": "people left out",
    "cells": "cells changed",
    "seconds": "time",
}


def describe(opened: Opened, pair: tuple[Trial, Trial]) -> dict[str, Any]:
    """Return what the page shows: the numbers of both releases, row by row."""
    costs = [describe_cost(one) for one in pair]
    rows = [(TITLES[name], *(cost[name] for cost in costs)) for name in TITLES]
    rounds = {trial.number: one for one in opened.rounds for trial in one.trials}
    rows.insert(0, ("tried for", *(describe_round(opened, rounds[one.number]) for one in pair)))
    looks = [one.look for one in pair]
    metrics = [{} if look is None or look.utility is None else dict_metrics(look.utility) for look in looks]
    names = list(dict.fromkeys(name for found in metrics for name in found))
    jobs = [opened.jobs.get(f"look {one.number}") for one in pair]
    busy = next((job for job in jobs if job is not None and not job.ended), None)
    return {
        "pair": pair,
        "rows": rows,
        "metrics": [
            (
                name,
                next(found[name][0] for found in metrics if name in found),
                *(found.get(name, ("", "–"))[1] for found in metrics),
            )
            for name in names
        ],
        "pictures": [() if look is None else look.degrees for look in looks[: len(set(pair))]],
        "progress": "" if busy is None else describe_progress(busy),
    }


def dict_metrics(utility: Any) -> dict[str, tuple[str, str]]:
    """Return the numbers before and after, by the name of the metric."""
    return {name: (before, after) for name, before, after in list_metrics(utility)}


ROUTES = [
    Route("/data/{key}/compare", show_compare),
    Route("/data/{key}/compare/state", show_state),
]
