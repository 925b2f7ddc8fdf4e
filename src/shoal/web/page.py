"""What all pages share: templates, forms, the open data set of an address, and the answer to an error."""

from __future__ import annotations

import time
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

import shoal
from shoal.data.dataset import Dataset
from shoal.errors import spell_controls
from shoal.report.html.charts.draw import build_templates, read_page_part
from shoal.web.jobs import Job
from shoal.web.workspace import Opened, Workspace

STATIC = Path(str(files("shoal.web").joinpath("static")))
FORM = 1_000_000
"""The most bytes of a form."""
STEPS = {"open": "1 Open", "risk": "2 Risk", "protect": "3 Protect", "take-away": "4 Take away"}
"""The pages of a data set, in the order of their use."""


@cache
def _load_templates() -> Any:
    own = files("shoal.web").joinpath("templates")

    def read(name: str) -> str:
        place = own.joinpath(name)
        return place.read_text(encoding="utf-8") if place.is_file() else read_page_part(name)

    return build_templates(read)


def render(template: str, **values: Any) -> str:
    """Return a filled-in template. All texts are escaped."""
    page: str = _load_templates().get_template(template).render(steps=STEPS, version=shoal.__version__, **values)
    return spell_controls(page)


def show(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page or a part of one."""
    find_workspace(request).used = time.monotonic()
    return HTMLResponse(render(template, **values).encode("utf-8", "backslashreplace"), status)


def show_error(request: Request, text: str, status: int) -> Response:
    """Return an error: as a part of the page where one was asked for, else as a page."""
    template = "error_part.html" if request.headers.get("hx-request") else "error.html"
    return show(request, template, status, text=text, opened=None, step="")


def go(request: Request, place: str) -> Response:
    """Send the browser to another page."""
    if request.headers.get("hx-request"):
        return Response(headers={"hx-redirect": place})
    return RedirectResponse(place, 303)


def find_workspace(request: Request) -> Workspace:
    """Return the workspace of the server."""
    found: Workspace = request.app.state.workspace
    return found


def find_opened(request: Request) -> Opened:
    """Return the data set of an address."""
    found = find_workspace(request).opened.get(request.path_params["key"])
    if found is None:
        raise Closed(404, "This data set was closed.")
    return found


class Closed(HTTPException):
    """Raised where data is asked for that was closed."""


class NotRead(Exception):
    """Raised where data is asked for that has not been read, or is being read again."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def find_read(request: Request) -> tuple[Opened, Dataset]:
    """Return the data set of an address, and its data; raise NotRead without data."""
    opened = find_opened(request)
    if opened.data is None:
        raise NotRead(opened.key)
    return opened, opened.data


def publish_choice(request: Request, opened: Opened) -> None:
    """Tell the other tabs that a choice was changed; the tab that changed it shows it already."""
    find_workspace(request).publish({"data": opened.key, "what": "chosen", "tab": request.headers.get("x-tab", "")})


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > FORM:
            raise HTTPException(413, "This form is too large.")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def describe_progress(job: Job) -> str:
    """Say how far a job is.

    >>> job = Job("a", "draw", "draw the network", print, state="running", progress=("layout", 3, 10))
    >>> describe_progress(job)
    'layout: 30 %'
    """
    what, done, total = job.progress
    if job.state == "waiting":
        return "waiting for a free worker"
    if not what:
        return job.told
    return f"{what}: {min(99, 100 * done // total)} %" if total else what
