"""Drawing in a process of its own: where memory is short, the library that draws ends its process and no other.

The process is started with the first chart, draws all that come after it, and ends with this one. It imports the
library alone (:mod:`shoal.report.html.charts.drawing_process`).
"""

from __future__ import annotations

import atexit
import base64
import json
import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from shoal.errors import MissingLibrary, MissingResource, describe_exit
from shoal.terminal import cut

PROCESS = Path(__file__).with_name("drawing_process.py")
START = "import runpy, sys; sys.path[:] = sys.argv[2:]; runpy.run_path(sys.argv[1], run_name='__main__')"
"""What the process runs: it finds the library where its parent does, and nothing of shoal."""
PATIENCE = 10
"""Seconds for a process that closed its output to end."""
LIBRARY = "vl_convert"


def draw(chart: str, ending: str, purpose: str = "Drawing", extra: str = "plots") -> bytes:
    """Render a Vega-Lite chart, given as JSON, as svg or png, without any network.

    Raises
    ------
    MissingLibrary
        The library that draws is not installed.
    MissingResource
        The process that draws could not be started, or ended: most often the machine has too little memory.
    """
    if find_spec(LIBRARY) is None:
        raise MissingLibrary(f"{purpose} needs the library '{LIBRARY}'. Install it with: pip install 'shoal[{extra}]'")
    with _lock:
        return _current().draw(chart, ending)


class Draftsman:
    """A process that draws one chart after the other."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, str(PROCESS), *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=os.name == "posix",  # an interrupt from the keyboard is for the parent alone
            )
        except OSError as error:
            raise MissingResource(f"{FAILED} its process could not be started ({cut(error.strerror)}).") from error

    @property
    def is_there(self) -> bool:
        """Whether it can be asked: it runs, and was not started by the process that this one is a fork of."""
        return self.owner == os.getpid() and self.process.poll() is None

    def draw(self, chart: str, ending: str) -> bytes:
        """Return a chart as a file; an interrupt ends the process, whose late answer would be taken for another."""
        try:
            answer = self._ask({"chart": chart, "ending": ending})
        except BaseException:
            self.end()
            raise
        if "page" not in answer:
            raise RuntimeError(f"The chart is refused: {cut(answer['refused'])}")
        return base64.b64decode(answer["page"])

    def end(self) -> None:
        """Stop it at once; a fork leaves it to the process that started it."""
        if self.owner != os.getpid():
            return
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _ask(self, request: dict[str, str]) -> dict[str, Any]:
        with suppress(OSError):  # it is dead, and its output says so too
            self.process.stdin.write(json.dumps(request).encode() + b"\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line.endswith(b"\n"):
            raise MissingResource(f"{FAILED} its process ended ({self._how()}). {ADVICE}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _how(self) -> str:
        """Say how the process ended."""
        try:
            return describe_exit(self.process.wait(PATIENCE))
        except subprocess.TimeoutExpired:
            return "it closed its output"


FAILED = "a chart could not be drawn:"
ADVICE = (
    "Drawing reserves more than 6 GB of address space: raise the limit (ulimit -v), or go without charts (a .json "
    "report, no --plot)."
)

_lock = Lock()
_draftsmen: list[Draftsman] = []


def _current() -> Draftsman:
    """Return the process that draws, a new one where the last has ended."""
    if not (_draftsmen and _draftsmen[-1].is_there):
        _end_all()
        _draftsmen.append(Draftsman())
    return _draftsmen[-1]


def _end_all() -> None:
    while _draftsmen:
        _draftsmen.pop().end()


atexit.register(_end_all)
