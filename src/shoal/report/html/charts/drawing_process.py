"""The drawing process: it answers each line of its input with one line, until the input ends.

It is run by its path and imports vl-convert, nothing of shoal. If vl-convert crashes, this process ends without a core
file, which would hold the chart. If the parent is killed while a chart is drawn, this process ends at once.
"""

from __future__ import annotations

import base64
import json
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any


def serve() -> None:
    """Answer requests until the input ends."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # prints of a library must not mix with the answers
        for line in sys.stdin.buffer:
            with ending_with_parent():
                answer = draw_answer(json.loads(line))
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()


@contextmanager
def ending_with_parent() -> Iterator[None]:
    """Inside the block, this process ends when its input is closed, which the kernel signals.

    A thread of Python could not notice it: vl-convert lets no other thread run. The parent sends the next request after
    the answer, so that nothing else happens to the input. Where the system has no such signal, the chart is finished.
    """
    try:
        import fcntl

        flags = fcntl.fcntl(0, fcntl.F_GETFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_ASYNC)
    except (ImportError, AttributeError, OSError):
        yield
        return
    closed = select.poll()
    closed.register(0, 0)
    if closed.poll(0):  # the parent ended before the signal was asked for
        sys.exit()
    yield
    fcntl.fcntl(0, fcntl.F_SETFL, flags)


def draw_answer(request: dict[str, Any]) -> dict[str, str]:
    """Return the chart as a file, or why it is refused."""
    import vl_convert

    try:
        if request["ending"] == "png":
            page = bytes(vl_convert.vegalite_to_png(request["chart"], scale=2))
        else:
            page = vl_convert.vegalite_to_svg(request["chart"]).encode()
    except ValueError as error:
        return {"refused": str(error)}
    return {"page": base64.b64encode(page).decode()}


if __name__ == "__main__":
    serve()
