"""How results show themselves: plain data here; the report room, upstairs, registers how each is put into words."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from pathlib import Path


@singledispatch
def as_text(result: object) -> str:
    """Return a result as lines of text."""
    return object.__repr__(result)


@singledispatch
def as_html(result: object) -> str:
    """Return a result as a piece of a page, for notebooks."""
    return f"<pre>{escape(as_text(result))}</pre>"


@singledispatch
def as_picture(result: object, path: Path, force: bool) -> None:
    """Draw a result into a file."""
    raise TypeError(f"There is no picture of {type(result).__name__}.")
