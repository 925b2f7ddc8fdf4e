"""The server: it listens on 127.0.0.1, opens the browser, and ends on Ctrl-C, with its workers and all data."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from contextlib import nullcontext, suppress
from html import escape
from pathlib import Path
from typing import Any

from shoal.data.examples import PREFIX
from shoal.errors import BadParameter, MissingResource, cut, load
from shoal.io.files import find_file
from shoal.io.folders import make_private_folder, sweep
from shoal.progress import searching, tell
from shoal.web.reading import Reading

HOST = "127.0.0.1"
FOLDER = "shoal-serve-"
"""How the temporary folder with the link begins."""
PURPOSE = "`shoal serve`"
SIGNALS = ("SIGINT", "SIGTERM", "SIGUSR1")
"""Signals that stop the server. The supervisor of the command line passes Ctrl-C on as SIGUSR1."""
PATIENCE = 1
"""Seconds that answers have to end after a signal."""
END = 3.0
"""Seconds after a signal until the supervisor of the command line kills a server that has not ended."""
LIBRARIES = ("starlette", "uvicorn", "jinja2", "psutil")


class Site:
    """A running server: its address, and the links into it."""

    def __init__(self, port: int, access: Any, say: Callable[[str], None], *, browse: bool) -> None:
        self.port, self.access, self.say, self.browse = port, access, say, browse
        self._folder: Path | None = None
        self._lock: int | None = None

    def invite(self) -> None:
        """Open the browser with a new link, or print the link."""
        link = f"http://{HOST}:{self.port}/enter?token={self.access.issue_token()}"
        if not self.browse:
            self._print_link(link)
            return
        self.say(
            f"shoal runs at http://{HOST}:{self.port} and opens in your browser. If no page opens, press Enter for a "
            "link. Ctrl-C stops the server."
        )
        place = self._write_link(link)
        threading.Thread(target=self._open_browser, args=(place, link), daemon=True).start()

    def _print_link(self, link: str) -> None:
        self.say(f"Open this link in a browser on this computer. It works once. Ctrl-C stops the server.\n{link}")

    def _write_link(self, link: str) -> Path:
        """Write a page that leads to a link, which only its owner can read: the list of processes shows its address."""
        self.forget_link()
        home = Path(tempfile.gettempdir())
        sweep(home, lambda name: name.startswith(FOLDER))
        self._folder, self._lock = make_private_folder(home, FOLDER)
        place = self._folder / "open.html"
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(
                f'<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
                f'<meta http-equiv="refresh" content="0; url={escape(link)}"><title>shoal</title>'
            )
        return place

    def _open_browser(self, place: Path, link: str) -> None:
        """Open the browser. This may take as long as the browser runs, so it has a thread of its own."""
        opened = False
        with suppress(OSError, webbrowser.Error):
            opened = webbrowser.open(place.as_uri())
        if not opened and place.exists():  # it was not used either
            self.forget_link()
            self._print_link(link)

    def forget_link(self) -> None:
        """Remove the file with the link."""
        (folder, lock), self._folder, self._lock = (self._folder, self._lock), None, None
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)
            tell("unstage", str(folder))


def serve(
    reading: Reading | None = None,
    *,
    port: int = 0,
    browse: bool = True,
    memory: int | None = None,
    largest: int | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Run the web app until it is interrupted.

    Parameters
    ----------
    reading
        A data set to open first.
    port
        The port; 0 for any free one.
    browse
        Whether to open the browser. Otherwise the link is printed.
    memory
        The most bytes that the workers may use together; None for half of the machine's memory.
    largest
        The most bytes of an uploaded file; None for a quarter of `memory`.
    say
        Called with messages for the person who started the server.
    """
    for library in LIBRARIES:
        load(library, PURPOSE, extra="web")
    import uvicorn

    from shoal.web.access import Access
    from shoal.web.app import build_app
    from shoal.web.workspace import Workspace

    files = {} if reading is None else read_files(reading)
    listening = bind(port)
    forbid_core_files()
    port = listening.getsockname()[1]
    access, workspace = Access(port), Workspace(memory=memory)
    site = Site(port, access, say, browse=browse)
    access.entered = site.forget_link
    try:
        app = build_app(
            workspace,
            access,
            largest=largest or workspace.jobs.memory // 4,
            first=None if reading is None else (reading, files),
            ended=site.invite,
        )
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                log_level="error",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                date_header=False,
                timeout_graceful_shutdown=PATIENCE,
                ws="none",
            )
        )
        _run(server, listening, app, site)
    finally:
        workspace.close()
        site.forget_link()
        listening.close()
    say("The server has stopped. All data is forgotten.")


def forbid_core_files() -> None:
    """Let no crash of this process or of a worker write its memory, and so the data, to disk."""
    with suppress(ImportError, OSError, ValueError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def read_files(reading: Reading) -> dict[str, bytes]:
    """Return the files of a data set that was named on the command line."""
    names = [] if reading.file.startswith(PREFIX) else [reading.file]
    return {name: find_file(name).read_bytes() for name in [*names, *([reading.people] if reading.people else [])]}


def bind(port: int) -> socket.socket:
    """Return a socket that listens on 127.0.0.1."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # elsewhere it would let another program take the port
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((HOST, port))
        found.listen()  # a browser that is quicker than the server waits
    except OverflowError as error:
        found.close()
        raise BadParameter(f"'--port' must be from 0 to 65535. Got {port}.") from error
    except OSError as error:
        found.close()
        raise MissingResource(f"Port {port} must be free. Got: {cut(error.strerror)}. Name another --port.") from error
    return found


def _run(server: Any, listening: socket.socket, app: Any, site: Site) -> None:
    """Run the server until a signal comes; streams of events end first, because they never end by themselves.

    A second signal does not wait for answers.
    """

    def stop(*_: object) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL + 1)  # answers that are broken off are no errors
        app.state.workspace.publish_from_outside({"what": "stop"})

    numbers = [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]
    handlers = {number: signal.signal(number, stop) for number in numbers}
    server.capture_signals = nullcontext  # uvicorn's handlers do not end the streams
    _listen_for_enter(site)
    site.invite()
    try:
        with searching(within=END):  # the first Ctrl-C ends the server in good order
            server.run(sockets=[listening])
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _listen_for_enter(site: Site) -> None:
    """Print a new link each time the person presses Enter: a closed browser forgets its cookie."""
    if not sys.stdin or not sys.stdin.isatty():
        return

    def read() -> None:
        with suppress(OSError, ValueError):
            for _ in sys.stdin:
                site.browse = False
                site.invite()

    threading.Thread(target=read, daemon=True).start()
