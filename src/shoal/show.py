"""Rendering of results as text, HTML, a chart or a file: one function each, dispatched by the type of the result.

Results are plain data in lower layers. :mod:`shoal.report`, a higher layer, registers their renderers. It loads when
the first result is rendered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any


def _find_renderer(show: Any, result: object) -> Callable[..., Any] | None:
    """Load the renderers and return the one for this result; None if there is none."""
    import_module("shoal.report")
    found: Callable[..., Any] = show.dispatch(type(result))
    return None if found is show.dispatch(object) else found


@singledispatch
def as_text(result: object) -> str:
    """Return a result as lines of text."""
    renderer = _find_renderer(as_text, result)
    return object.__repr__(result) if renderer is None else str(renderer(result))


@singledispatch
def as_html(result: object) -> str:
    """Return a result as a fragment of HTML, for notebooks."""
    renderer = _find_renderer(as_html, result)
    return f"<pre>{escape(as_text(result))}</pre>" if renderer is None else str(renderer(result))


@singledispatch
def as_chart(result: object) -> Any:
    """Return a result as an altair chart."""
    renderer = _find_renderer(as_chart, result)
    if renderer is None:
        raise TypeError(f"There is no chart of {type(result).__name__}.")
    return renderer(result)


@singledispatch
def as_picture(result: object, path: Path, force: bool) -> None:
    """Draw a result into a file."""
    renderer = _find_renderer(as_picture, result)
    if renderer is None:
        raise TypeError(f"There is no picture of {type(result).__name__}.")
    renderer(result, path, force)
