"""XML for GraphML and GEXF: elements in order, names without namespaces, exact texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat
from xml.sax.saxutils import escape

from shoal.data.graph import Graph
from shoal.data.spelling import check_xml, convert_values
from shoal.data.table import Table
from shoal.errors import BadFile, Place, cut, parse_whole

TYPES = {"bool": "boolean", "int": "long", "float": "double", "str": "string"}
"""The declared type of each kind of value."""
ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)[^;]{0,20};?")
"""A reference to an entity that XML does not define."""
ESCAPES = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}

PIECE = 1 << 14
"""Bytes of XML that are parsed at a time, at least."""
PARSERS: dict[str, Any] = {
    "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()],
    **dict.fromkeys(("int", "integer", "short", "byte", "long", "biginteger"), lambda text: _parse_whole(text.strip())),
    **dict.fromkeys(("float", "double", "bigdecimal"), lambda text: _parse_real(text.strip())),
}
"""The parser of each declared type; other types are text."""


def _parse_whole(text: str) -> int:
    number = parse_whole(text.removeprefix("+"))
    if number is None:
        raise ValueError(text)
    return number


def _parse_real(text: str) -> float:
    if "_" in text or not text.isascii():  # Python's float accepts these
        raise ValueError(text)
    return float(text)


def escape_markup(text: str) -> str:
    """Escape text for an attribute or an element, including line breaks and tabs.

    >>> escape_markup('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return escape(text, ESCAPES)


def read_elements(data: bytes, path: Path, root: str) -> Iterator[tuple[str, str, Any]]:
    """Yield ("start" or "end", local name, element) of XML whose root element is `root`."""
    first = True
    try:
        _check_doctype(data, path)
        for event, element in _parse_pieces(data):
            name = get_local_name(element)
            if first and name != root:
                raise BadFile(f"{path}: must be {root}. Got XML whose root is <{name}>.")
            first = False
            yield event, name, element
    except BadFile:
        raise
    except (LookupError, ValueError) as error:  # unknown or invalid encoding
        raise BadFile(f"{path}: must be XML in a known encoding. Got: {error}. Save it as UTF-8.") from error
    except ElementTree.ParseError as error:
        line, column = error.position
        reason = cut(re.sub(r": line \d+, column \d+$", "", str(error)))
        raise BadFile.at(
            Place(str(path), line), f"must be well-formed XML. Got: {reason}, at column {column}."
        ) from error


def _parse_pieces(data: bytes) -> Iterator[tuple[str, Any]]:
    """Yield the events of XML that is parsed piece by piece, so that elements can be freed.

    The parser begins anew at the start of a token, such as a name, that does not end within a piece. So pieces grow
    where nothing ends, else a token would take the square of its length.
    """
    parser: Any = ElementTree.XMLPullParser(("start", "end"))
    at, size = 0, PIECE
    while at < len(data):
        parser.feed(data[at : at + size])
        at, found = at + size, False
        for event in parser.read_events():
            found = True
            yield event
        size = PIECE if found else 2 * size
    parser.close()
    yield from parser.read_events()


class _Begun(Exception):
    """The root element has started, so no DOCTYPE can follow."""


def _check_doctype(data: bytes, path: Path) -> None:
    """Raise BadFile for a DOCTYPE with declarations, and for entities that a DOCTYPE could define."""

    def doctype(name: str, system: str | None, public: str | None, inside: bool) -> None:
        if inside:
            raise BadFile(f"{path}: XML must not declare anything in its DOCTYPE. Got <!DOCTYPE {name} [...]>.")
        if found := ENTITY.search(data.replace(b"\0", b"")):  # expat would drop it silently
            raise BadFile(
                f"{path}: XML must not use entities of its DOCTYPE. Got {found[0].decode(errors='replace')!r}."
            )

    def begin(name: str, attributes: dict[str, str]) -> None:
        raise _Begun

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler, parser.StartElementHandler = doctype, begin
    with suppress(_Begun, expat.ExpatError):  # parsing reports the error later
        parser.Parse(data, True)


def get_local_name(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag.rpartition("}")[2])


def parse_default(element: Any, kind: str, path: Path, where: str) -> Any:
    """Return the default value of a declaration; None if it has none."""
    default = next((child for child in element if get_local_name(child) == "default"), None)
    return None if default is None else parse_value(default.text, kind, path, where)


def parse_value(text: str | None, kind: str, path: Path, where: str) -> Any:
    """Parse a value of a declared type."""
    text = text or ""
    parse = PARSERS.get(kind.lower(), str)
    try:
        return parse(text)
    except (ValueError, KeyError) as error:
        raise BadFile(f"{path}: {where}: must be a value of type {kind}. Got {text!r:.60}.") from error


def read_id(element: Any, path: Path) -> str:
    """Return the id of a node."""
    name = element.get("id")
    if name is None:
        raise BadFile(f"{path}: each node must have an id. Got a node without one.")
    return str(name)


def spell_value(value: Any) -> tuple[str, str]:
    """Return the declared type of a value, and the value as text.

    >>> spell_value(True), spell_value(2.0)
    (('boolean', 'true'), ('double', '2.0'))
    """
    if isinstance(value, bool):
        return TYPES["bool"], str(value).lower()
    kind = "int" if isinstance(value, int) else "float" if isinstance(value, float) else "str"
    return TYPES[kind], repr(value) if kind == "float" else str(value)


def read_columns(graph: Graph, names: list[str], path: Path) -> tuple[Table, list[tuple[str, str]]]:
    """Return the attributes as values that XML can hold, and the declared types of each column."""
    table = convert_values(graph.attributes, TYPES, str(path))
    check_xml(names, str(path))
    return table, list(_declare_columns(table, path))


def spell_row(table: Table, v: int) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield ((column, declared type), escaped value) for each attribute of a vertex."""
    for column in table:
        value = table[column][v]
        if value is not None:
            kind, text = spell_value(value)
            yield (column, kind), escape_markup(text)


def _declare_columns(table: Table, path: Path) -> Iterator[tuple[str, str]]:
    """Yield each column with each of its declared types; raise BadParameter for text that XML cannot hold."""
    check_xml(table, str(path))
    for column in table:
        texts = [spell_value(value) for value in table[column].values]
        check_xml((text for _, text in texts), str(path))
        for kind in dict.fromkeys([kind for kind, _ in texts] or ["string"]):
            yield column, kind
