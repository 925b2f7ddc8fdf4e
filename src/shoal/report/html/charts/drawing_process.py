"""The drawing process: it answers each line of its input with one line, until the input ends.

It is run by its path and imports vl-convert, nothing of shoal. If vl-convert crashes, this process ends without a core
file, which would hold the chart.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from contextlib import suppress
from typing import Any


def serve() -> None:
    """Answer requests until the input ends."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # prints of a library must not mix with the answers
        for line in sys.stdin.buffer:
            answers.write(json.dumps(draw_answer(json.loads(line))).encode() + b"\n")
            answers.flush()


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
