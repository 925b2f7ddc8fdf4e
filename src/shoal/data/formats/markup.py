"""XML, as far as GraphML and GEXF need it: elements in order, names without their namespaces, exact texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from shoal.data.files import contents
from shoal.errors import BadFile
from shoal.terminal import cut

ESCAPES = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}

PARSERS: dict[str, Any] = {
    "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()],
    "int": int,
    "integer": int,
    "short": int,
    "byte": int,
    "long": int,
    "biginteger": int,
    "float": float,
    "double": float,
    "bigdecimal": float,
}
"""How a value is read by its declared type; text otherwise."""


def quoted(text: str) -> str:
    """Return text as it stands between quotes or tags; line breaks and tabs survive.

    >>> quoted('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return escape(text, ESCAPES)


def elements(path: Path, compression: str, root: str) -> Iterator[tuple[str, str, Any]]:
    """Yield "start" or "end", the local name and the element, of a file whose root is called `root`."""
    stream = BytesIO(contents(path, compression))
    first = True
    try:
        for event, element in ElementTree.iterparse(stream, events=("start", "end")):
            name = element.tag.rpartition("}")[2]
            if first and name != root:
                raise BadFile(f"{path}: must be {root}. Got XML whose root is <{name}>.")
            first = False
            yield event, name, element
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = cut(re.sub(r": line \d+, column \d+$", "", str(error)))
        raise BadFile(f"{path}, line {line:,}: must be well-formed XML. Got: {reason}, at column {column}.") from error


def parsed(text: str | None, kind: str, path: Path, where: str) -> Any:
    """Return a value by its declared type."""
    text = text or ""
    parse = PARSERS.get(kind.lower(), str)
    try:
        return parse(text)
    except (ValueError, KeyError) as error:
        raise BadFile(f"{path}: {where}: a value of type {kind} must be one. Got {text!r:.60}.") from error


def typed(value: Any, types: dict[str, str]) -> tuple[str, str]:
    """Return the declared type of a value, and the value as text."""
    if isinstance(value, bool):
        return types["bool"], str(value).lower()
    kind = "int" if isinstance(value, int) else "float" if isinstance(value, float) else "str"
    return types[kind], repr(value) if kind == "float" else str(value)
