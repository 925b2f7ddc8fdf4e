"""The start page: drop a file, choose an example, or go on with an open data set."""

from __future__ import annotations

from collections.abc import Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shoal.data.dataset import Dataset
from shoal.data.examples import PREFIX, SHELL
from shoal.errors import BadParameter, cut, find_by_name
from shoal.io.files import COMPRESSIONS, FORMATS
from shoal.web.jobs import format_bytes
from shoal.web.page import find_opened, find_workspace, go, read_form, show
from shoal.web.reading import Reading

ENDINGS = ",".join([*(suffix for suffixes in FORMATS.values() for suffix in suffixes), *COMPRESSIONS])

HELD = 4
"""All open files together may be so many times as large as one file."""
LONGEST = 255
"""The most bytes of the name of a file, as in most file systems."""


async def show_start(request: Request) -> Response:
    """Show the page."""
    return show(
        request,
        "start.html",
        opened=None,
        step="",
        all=list(find_workspace(request).opened.values()),
        examples={name: describe_example(made) for name, made in SHELL.items()},
        endings=ENDINGS,
        largest=format_bytes(request.app.state.largest),
    )


def describe_example(make: Callable[..., Dataset]) -> str:
    """Return the first sentence about an example.

    >>> from shoal import examples
    >>> describe_example(examples.florentine)
    'The marriages between 15 families of Florence in the fifteenth century.'
    """
    about = (make.__doc__ or "").split("\n")[0].removeprefix("Return ")
    return about[:1].upper() + about[1:]


async def upload(request: Request) -> Response:
    """Take a file as the raw body of a request, into memory, and open it."""
    name = clean_name(request.query_params.get("name", ""))
    body = await read_upload(request)
    opened = find_workspace(request).open(Reading(name), {name: body})
    return JSONResponse({"go": f"/data/{opened.key}/open"})


async def read_upload(request: Request) -> bytes:
    """Return the body of a request; refuse it as soon as it is too large."""
    largest: int = request.app.state.largest
    declared = request.headers.get("content-length", "")
    _check_size(request, int(declared) if declared.isdecimal() else 0)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > largest:
            break
    _check_size(request, len(body))
    return bytes(body)


def _check_size(request: Request, size: int) -> None:
    """Refuse a file that is too large, or too large beside the files that are open."""
    largest: int = request.app.state.largest
    if size > largest:
        raise HTTPException(
            413, f"This file is larger than {format_bytes(largest)}, the limit of this server. Use the command line."
        )
    held = sum(len(body) for one in find_workspace(request).opened.values() for body in one.material.files.values())
    if held + size > HELD * largest:
        raise HTTPException(
            413,
            f"All open files together must have at most {format_bytes(HELD * largest)}. Got {format_bytes(held)}, and "
            f"{format_bytes(size)} more. Close other data first.",
        )


def clean_name(name: str) -> str:
    r"""Return the name of an uploaded file without folders; refuse one that cannot be a file's name.

    >>> clean_name("C:\\data\\friends.csv")
    'friends.csv'
    """
    found = name.replace("\\", "/").rpartition("/")[2].strip()
    if not found or found in (".", "..") or "\0" in found or found.startswith(PREFIX) or len(found.encode()) > LONGEST:
        raise BadParameter(f"A file must have a name that ends in its format, such as friends.csv. Got {cut(name)!r}.")
    return found


async def open_example(request: Request) -> Response:
    """Open an example."""
    name = (await read_form(request)).get("name", "")
    find_by_name("example", name, SHELL)
    return go(request, f"/data/{find_workspace(request).open(Reading(f'{PREFIX}{name}'), {}).key}/open")


async def close_data(request: Request) -> Response:
    """Close a data set."""
    find_workspace(request).forget(find_opened(request))
    return go(request, "/")


async def close_session(request: Request) -> Response:
    """Forget all data and end the session."""
    from shoal.web.app import end_session

    answer = show(request, "closed.html", opened=None, step="")
    end_session(request.app)
    return answer


ROUTES = [
    Route("/", show_start),
    Route("/upload", upload, methods=["POST"]),
    Route("/example", open_example, methods=["POST"]),
    Route("/data/{key}/close", close_data, methods=["POST"]),
    Route("/close", close_session, methods=["POST"]),
]
