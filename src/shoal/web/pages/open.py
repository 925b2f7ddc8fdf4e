"""The page "Open": the first rows, how they are understood, and the roles of columns. Each choice can be changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.data.graph import Graph
from shoal.errors import BadParameter, find_place, parse_whole
from shoal.io.preview import Preview
from shoal.web.jobs import Job
from shoal.web.page import describe_progress, find_opened, find_workspace, go, publish_choice, read_form, show
from shoal.web.pages.start import clean_name, read_upload
from shoal.web.reading import Reading
from shoal.web.workspace import ROLES, ROWS_AROUND, Opened, has_unique_values

SEPARATORS = ("comma", "semicolon", "tab", "pipe", "space")
ENCODINGS = ("utf-8", "cp1252", "utf-16", "latin-1")
HEADERS = {"yes": True, "no": False}


async def show_open(request: Request) -> Response:
    """Show the page."""
    opened = find_opened(request)
    return show(request, "open.html", opened=opened, step="open", **describe(opened))


async def show_state(request: Request) -> Response:
    """Show the part that changes while the data is read."""
    opened = find_opened(request)
    return show(request, "open_state.html", opened=opened, **describe(opened))


def describe(opened: Opened) -> dict[str, Any]:
    """Return what the page shows."""
    read = opened.jobs.get("read")
    seen, people = find_preview(opened, "preview"), find_preview(opened, "preview people")
    return {
        "seen": seen,
        "people": people,
        "broken": describe_broken(opened, read),
        "reading": opened.reading,
        "roles": ROLES,
        "unique": [
            name
            for name, role in opened.roles.items()
            if role != "identifier" and opened.data is not None and has_unique_values(opened.data, name)
        ],
        "progress": "" if read is None or read.ended else describe_progress(read),
        "canceled": read is not None and read.state == "canceled",
        "separators": SEPARATORS,
        "encodings": ENCODINGS,
        "is_text": seen is not None and seen.format in ("csv", "tsv", "text"),
        "directed": bool(getattr(opened.data, "directed", False)),
        "is_network": isinstance(opened.data, Graph),
    }


def find_preview(opened: Opened, name: str) -> Preview | None:
    """Return the preview of a file, if it has been made; the last good one otherwise."""
    job = opened.jobs.get(name)
    found: Preview | None = job.result if job is not None else None
    return found


def describe_broken(opened: Opened, read: Job | None) -> dict[str, Any] | None:
    """Return the error of reading with the row that it is about; None if there is none."""
    failed = next(
        (job for job in (read, opened.jobs.get("preview")) if job is not None and job.state == "failed"), None
    )
    if failed is None:
        return None
    place = None if failed.cause is None else find_place(failed.cause)
    rows = opened.jobs.get(ROWS_AROUND)
    seen: Preview | None = None if rows is None else rows.result
    return {
        "text": failed.error,
        "line": None if place is None else place[1],
        "rows": () if seen is None else seen.rows,
    }


async def change_reading(request: Request) -> Response:
    """Read the data in the way that the form says."""
    form, opened = await read_form(request), find_opened(request)
    chosen = parse_reading(opened.reading, form)
    read = opened.jobs.get("read")
    if chosen != opened.reading or (read is not None and read.state == "canceled"):
        find_workspace(request).reread(opened, chosen)
    return show(request, "open_state.html", opened=opened, **describe(opened))


def parse_reading(now: Reading, form: dict[str, str]) -> Reading:
    """Return the choices of the form; a field that it does not have keeps its value."""
    fields: dict[str, Any] = {name: form[name].strip() or None for name in TEXTS if name in form}
    if "first" in form and "second" in form:
        ends = (parse_whole(form["first"]), parse_whole(form["second"]))
        fields["ends"] = None if None in ends else ends
        if fields["ends"] is not None and ends[0] == ends[1]:
            raise BadParameter("The two ends of a link must be two different columns. Choose another one.")
    if "header" in form:
        fields["header"] = HEADERS.get(form["header"])
    if "what" in form:
        fields["table"] = form["what"] == "table"
    if "direction" in form:
        fields |= {way: form["direction"] == way for way in ("directed", "undirected")}
    if "sent" in form:  # a box that is not ticked is not sent
        fields["drop_loops"] = "drop_loops" in form
    chosen = replace(now, **fields)
    if chosen.table != now.table:  # what was chosen for links means nothing in a table, and the reverse
        return Reading(
            now.file,
            table=chosen.table,
            separator=chosen.separator,
            encoding=chosen.encoding,
            sheet=chosen.sheet,
        )
    return chosen if chosen.kind is not None else replace(chosen, bins=None)


TEXTS = ("separator", "encoding", "sheet", "kind", "bins", "key")
"""Fields that are texts; an empty one means that the library chooses."""


async def upload_people(request: Request) -> Response:
    """Take a table about the people, and join it by name."""
    name = clean_name(request.query_params.get("name", ""))
    body = await read_upload(request)
    opened = find_opened(request)  # it may have been closed during a long upload
    if name == opened.reading.file:
        raise BadParameter(f"The table about the people must be another file than the network. Got {name!r} twice.")
    if opened.reading.is_example:
        raise BadParameter("An example is complete. Open a network of your own to add a table.")
    files = {opened.reading.file: opened.material.files[opened.reading.file], name: body}
    find_workspace(request).reread(opened, replace(opened.reading, people=name, key=None), files)
    return JSONResponse({"go": f"/data/{opened.key}/open"})


async def remove_people(request: Request) -> Response:
    """Read the network without the table about the people."""
    opened = find_opened(request)
    files = {name: body for name, body in opened.material.files.items() if name == opened.reading.file}
    find_workspace(request).reread(opened, replace(opened.reading, people=None, key=None), files)
    return show(request, "open_state.html", opened=opened, **describe(opened))


async def choose_roles(request: Request) -> Response:
    """Set the roles of columns."""
    form, opened = await read_form(request), find_opened(request)
    columns = list(opened.roles)
    for field, role in form.items():
        at = parse_whole(field.removeprefix("role-"))
        if at is not None and at < len(columns) and role in ROLES:
            opened.roles[columns[at]] = role
    publish_choice(request, opened)
    return show(request, "open_state.html", opened=opened, **describe(opened))


async def step_back(request: Request) -> Response:
    """Return to an earlier way of reading, with all that was counted and made then."""
    opened, place = find_opened(request), parse_whole(request.path_params["place"])
    find_workspace(request).step_back(opened, -1 if place is None else place)
    return go(request, f"/data/{opened.key}/open")


async def cancel_reading(request: Request) -> Response:
    """Stop reading; the first rows, which come soon, are still shown."""
    opened = find_opened(request)
    if (read := opened.jobs.get("read")) is not None:
        find_workspace(request).jobs.cancel(read)
    return show(request, "open_state.html", opened=opened, **describe(opened))


ROUTES = [
    Route("/data/{key}/open", show_open),
    Route("/data/{key}/open/state", show_state),
    Route("/data/{key}/open/reading", change_reading, methods=["POST"]),
    Route("/data/{key}/open/people", upload_people, methods=["POST"]),
    Route("/data/{key}/open/no-people", remove_people, methods=["POST"]),
    Route("/data/{key}/open/roles", choose_roles, methods=["POST"]),
    Route("/data/{key}/open/cancel", cancel_reading, methods=["POST"]),
    Route("/data/{key}/open/back/{place}", step_back, methods=["POST"]),
]
