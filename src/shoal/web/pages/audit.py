"""The page "Audit": the report on a release, in the page."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.report.html.charts.draw import read_page_part
from shoal.web.page import describe_progress, find_workspace, show
from shoal.web.pages.release import take_trial
from shoal.web.trials import Trial, start_audit
from shoal.web.workspace import Opened


async def show_audit(request: Request) -> Response:
    """Show the page, and begin the audit."""
    opened, trial = take_trial(request)
    if not was_stopped(opened, trial):
        start_audit(find_workspace(request), opened, trial)
    return show(request, "audit_page.html", opened=opened, step="protect", **describe(opened, trial))


async def show_state(request: Request) -> Response:
    """Show the sections, or how far they are; the audit begins when the files are made."""
    opened, trial = take_trial(request)
    if not was_stopped(opened, trial):
        start_audit(find_workspace(request), opened, trial)
    answer = show(request, "audit_state.html", opened=opened, **describe(opened, trial))
    if trial.audited is not None:
        answer.headers["hx-refresh"] = "true"  # the script of the report runs when the page is loaded
    return answer


def was_stopped(opened: Opened, trial: Trial) -> bool:
    """Return whether a person stopped the audit, or it failed."""
    jobs = [opened.jobs.get(f"{name} {trial.number}") for name in ("files", "audit")]
    return any(job is not None and job.state in ("failed", "canceled") for job in jobs)


def describe(opened: Opened, trial: Trial) -> dict[str, Any]:
    """Return what the page shows."""
    jobs = [job for name in ("files", "audit") if (job := opened.jobs.get(f"{name} {trial.number}")) is not None]
    busy = next((job for job in jobs if not job.ended), None)
    failed = next((job for job in jobs if job.state in ("failed", "canceled")), None)
    return {
        "trial": trial,
        "found": trial.audited,
        "next_clicks": list_clicks(opened, trial) if trial.audited else None,
        "progress": "" if busy is None else describe_progress(busy),
        "error": "" if failed is None or busy is not None else failed.error or "Canceled.",
    }


def list_clicks(opened: Opened, trial: Trial) -> dict[str, Any]:
    """Return what to do next in the app: a sentence, and links."""
    place = f"/data/{opened.key}"
    away = ("Take it away", f"{place}/release/{trial.number}/publish")
    methods = ("Back to the methods", f"{place}/protect")
    roles = ("Change the roles of columns", f"{place}/open")
    return {
        "pass": {"told": "Then take the release away, and keep the mapping private.", "links": [away, methods]},
        "fail": {
            "told": "Choose another method, accept more loss, or release fewer columns.",
            "links": [methods, roles],
        },
        "cannot tell": {
            "told": "Choose another method, or say which columns an attacker may know.",
            "links": [methods, roles],
        },
    }[trial.audited_verdict]


async def cancel_audit(request: Request) -> Response:
    """Stop the audit."""
    opened, trial = take_trial(request)
    for name in ("files", "audit"):
        if (job := opened.jobs.get(f"{name} {trial.number}")) is not None:
            find_workspace(request).jobs.cancel(job)
    return show(request, "audit_state.html", opened=opened, **describe(opened, trial))


async def resume_audit(request: Request) -> Response:
    """Begin the audit again."""
    opened, trial = take_trial(request)
    start_audit(find_workspace(request), opened, trial)
    return show(request, "audit_state.html", opened=opened, **describe(opened, trial))


async def show_audit_style(_: Request) -> Response:
    """Send the style sheet of the report."""
    return Response(read_page_part("audit.css"), media_type="text/css")


async def send_audit_script(_: Request) -> Response:
    """Send the script of the report."""
    return Response(read_page_part("audit.js"), media_type="text/javascript")


ROUTES = [
    Route("/data/{key}/release/{number}/audit", show_audit),
    Route("/data/{key}/release/{number}/audit/state", show_state),
    Route("/data/{key}/release/{number}/audit/cancel", cancel_audit, methods=["POST"]),
    Route("/data/{key}/release/{number}/audit/resume", resume_audit, methods=["POST"]),
    Route("/audit.css", show_audit_style),
    Route("/audit.js", send_audit_script),
]
