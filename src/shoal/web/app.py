"""The web app: its pages, its static files, and the stream of events."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from shoal.errors import ShoalError
from shoal.report.html.charts.draw import read_page_part
from shoal.web.access import Access, Guard
from shoal.web.page import STATIC, Closed, NotRead, go, show_error
from shoal.web.pages import audit, compare, protect, publish, release, risk, start, take_away
from shoal.web.pages import open as open_page
from shoal.web.reading import Reading
from shoal.web.workspace import Workspace

STYLES = ("theme.css", "blocks.css")
"""Style sheets of the report that the pages have too."""
IDLE = 8 * 3600
"""Seconds without a request after which the session ends."""
BEAT = 15
"""Seconds between two signs of life in the stream of events, so that a closed connection is noticed."""
UNKNOWN = {"Not Found": "There is no such page.", "Method Not Allowed": "This page cannot be used in this way."}
"""What Starlette says about an address, and what we say."""


def build_app(
    workspace: Workspace,
    access: Access,
    *,
    largest: int,
    first: tuple[Reading, dict[str, bytes]] | None = None,
    ended: Callable[[], None] = lambda: None,
) -> Starlette:
    """Return the app.

    Parameters
    ----------
    workspace
        The open data sets.
    access
        The tokens and cookies.
    largest
        The most bytes of an uploaded file.
    first
        A data set that is open from the start: how it is read, and its files.
    ended
        Called when the session has ended, by its button or because it was idle.
    """
    style = "".join(map(read_page_part, STYLES))

    @asynccontextmanager
    async def live(app: Starlette) -> AsyncIterator[None]:
        workspace.start()
        if first is not None:
            workspace.open(*first)
        watch = asyncio.create_task(end_idle_sessions(app))
        try:
            yield
        finally:
            watch.cancel()
            workspace.close()

    async def show_style(_: Request) -> Response:
        return Response(style, media_type="text/css")

    app = Starlette(
        routes=[
            *start.ROUTES,
            *open_page.ROUTES,
            *risk.ROUTES,
            *protect.ROUTES,
            *release.ROUTES,
            *audit.ROUTES,
            *publish.ROUTES,
            *compare.ROUTES,
            *take_away.ROUTES,
            Route("/events", stream_events),
            Route("/blocks.css", show_style),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, access=access)],
        exception_handlers={ShoalError: answer_error, NotRead: answer_not_read, HTTPException: answer_refusal},
        lifespan=live,
    )
    app.state.workspace, app.state.access, app.state.largest = workspace, access, largest
    app.state.ended = ended
    return app


async def answer_error(request: Request, error: Exception) -> Response:
    """Show an error of shoal as a page, in its own words."""
    return show_error(request, str(error), 400)


async def answer_refusal(request: Request, error: Exception) -> Response:
    """Show why there is no answer: data that was closed, or an address that does not exist.

    A page of closed data may ask for a part of it once more. It is sent to the start without an error.
    """
    assert isinstance(error, HTTPException)
    if isinstance(error, Closed) and request.method == "GET" and request.headers.get("sec-fetch-dest") == "empty":
        return Response(status_code=204, headers={"hx-redirect": "/"})
    answer = show_error(request, UNKNOWN.get(error.detail, error.detail), error.status_code)
    answer.headers.update(error.headers or {})
    return answer


async def answer_not_read(request: Request, error: Exception) -> Response:
    """Send the browser to the page that shows how the data is read."""
    assert isinstance(error, NotRead)
    return go(request, f"/data/{error.key}/open")


async def stream_events(request: Request) -> Response:
    """Send what changes, as server-sent events."""
    workspace: Workspace = request.app.state.workspace
    queue = workspace.listen()

    async def list_events() -> AsyncIterator[bytes]:
        try:
            yield b"retry: 1000\n\n"
            while True:
                try:
                    event = await asyncio.wait_for(queue.get(), BEAT)
                    yield f"data: {json.dumps(event)}\n\n".encode()
                    if event["what"] in ("end", "stop"):
                        return
                except TimeoutError:
                    yield b": alive\n\n"
        finally:
            workspace.ignore(queue)

    return StreamingResponse(list_events(), media_type="text/event-stream")


async def end_idle_sessions(app: Starlette) -> None:
    """End the session after hours without a request; work that still runs counts as use."""
    workspace: Workspace = app.state.workspace
    while True:
        await asyncio.sleep(min(60, IDLE / 10))
        if any(not job.ended for opened in workspace.opened.values() for job in opened.jobs.values()):
            workspace.used = time.monotonic()
        if time.monotonic() - workspace.used > IDLE and app.state.access.in_session:
            end_session(app)


def end_session(app: Any) -> None:
    """Forget all data and make the cookie void."""
    workspace: Workspace = app.state.workspace
    workspace.publish({"what": "end"})
    for opened in list(workspace.opened.values()):
        workspace.forget(opened)
    app.state.access.end_session()
    app.state.ended()
