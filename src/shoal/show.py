"""How results show themselves: plain data here; the report room, upstairs, registers how each is put into words."""

from __future__ import annotations

from functools import singledispatch
from html import escape


@singledispatch
def as_text(result: object) -> str:
    """Return a result as lines of text."""
    return object.__repr__(result)


@singledispatch
def as_html(result: object) -> str:
    """Return a result as a piece of a page, for notebooks."""
    return f"<pre>{escape(as_text(result))}</pre>"
