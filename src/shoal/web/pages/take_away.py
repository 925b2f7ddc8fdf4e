"""The page "Take away": the report, the list of people, and the same as a script."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.web.page import describe_progress, find_opened, find_read, find_workspace, show
from shoal.web.script import write_python_script, write_shell_script
from shoal.web.trials import list_trials
from shoal.web.workspace import Opened, Workspace

MADE = {"report": "report.html", "people": "people-at-risk.csv"}
"""Files that are made by a job, by the name of the job."""
TYPES = {
    ".html": "text/html",
    ".csv": "text/csv",
    ".sh": "text/x-shellscript",
    ".py": "text/x-python",
    ".zip": "application/zip",
}


async def show_take_away(request: Request) -> Response:
    """Show the page."""
    opened, _ = find_read(request)
    made = [one for one in list_trials(opened) if one.release is not None]
    return show(request, "take_away.html", opened=opened, step="take-away", made=made, **describe(opened))


async def show_files(request: Request) -> Response:
    """Show the part with the files, which changes while they are made."""
    opened = find_opened(request)
    return show(request, "take_away_files.html", opened=opened, **describe(opened))


def describe(opened: Opened) -> dict[str, Any]:
    """Return what the page shows: for each file whether it is there, is made, or failed; and the scripts."""
    files = []
    for name, file in MADE.items():
        job, made = opened.jobs.get(name), opened.results.get(name)
        files.append(
            {
                "name": name,
                "file": name_file(opened, file),
                "ready": made is not None and made[0] == opened.policy,
                "busy": job is not None and not job.ended,
                "progress": "" if job is None or job.ended else describe_progress(job),
                "error": "" if job is None or job.state != "failed" else job.error,
            }
        )
    return {"files": files, "shell": write_shell_script(opened), "python": write_python_script(opened)}


async def make_file(request: Request) -> Response:
    """Begin to make a file."""
    opened, workspace = find_opened(request), find_workspace(request)
    makers = {"report": Workspace.write_report, "people": Workspace.list_people}
    if opened.data is not None and (make := makers.get(request.path_params["name"])):
        make(workspace, opened)
    return show(request, "take_away_files.html", opened=opened, **describe(opened))


async def cancel_file(request: Request) -> Response:
    """Stop making a file."""
    opened = find_opened(request)
    job = opened.jobs.get(request.path_params["name"])
    if job is not None and job.name in MADE:
        find_workspace(request).jobs.cancel(job)
    return show(request, "take_away_files.html", opened=opened, **describe(opened))


async def download(request: Request) -> Response:
    """Send a file that was made, or a script."""
    opened, name = find_opened(request), request.path_params["name"]
    if opened.data is None:
        raise HTTPException(404, "The data has not been read.")
    if name == "script.sh":
        return send_file(name_file(opened, name), write_shell_script(opened))
    if name == "script.py":
        return send_file(name_file(opened, name), write_python_script(opened))
    made = opened.results.get(name)
    if name not in MADE or made is None or made[0] != opened.policy:
        raise HTTPException(404, "This file has not been made.")
    return send_file(name_file(opened, MADE[name]), made[1])


def name_file(opened: Opened, ending: str) -> str:
    """Return the name of a download: that of the data, then what it is."""
    return f"{Path(opened.title.replace(':', '-')).name}.{ending}"


def send_file(name: str, text: str) -> Response:
    """Return a text as a download."""
    return send_bytes(name, text.encode("utf-8", "surrogateescape"))


def send_bytes(name: str, body: bytes) -> Response:
    """Return a file as a download."""
    spelled = quote(name.encode("utf-8", "replace"), safe="")
    headers = {"content-disposition": f"attachment; filename*=UTF-8''{spelled}"}
    return Response(body, media_type=TYPES[Path(name).suffix], headers=headers)


ROUTES = [
    Route("/data/{key}/take-away", show_take_away),
    Route("/data/{key}/take-away/files", show_files),
    Route("/data/{key}/take-away/make/{name}", make_file, methods=["POST"]),
    Route("/data/{key}/take-away/cancel/{name}", cancel_file, methods=["POST"]),
    Route("/data/{key}/take-away/download/{name}", download),
]
