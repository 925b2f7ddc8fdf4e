"""GML: keys and values in nested brackets (Himsolt 1996), text in ASCII with entities for all other characters.

The name of a vertex is its label if all labels are distinct, else its id. "directed 1" holds for all links but those
with "directed 0" of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html.entities import name2codepoint
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data.graph import Graph, Pairs
from shoal.data.spelling import check_distinct_values, convert_values
from shoal.data.table import Column, Table
from shoal.errors import DIGITS, BadFile, BadParameter, Place, notice, parse_whole
from shoal.io.files import read_text
from shoal.io.formats.builder import Builder

TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*) | (?P<open>\[) | (?P<close>\]) | "(?P<text>[^"]*)"
    | (?P<number>[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?(?![\w.]) | [+-]?(?:INF|NAN)\b)
    | (?P<key>[A-Za-z][\w.-]*)""",
    re.VERBOSE,
)
ENTITY = re.compile(r"&(?:#([0-9]+)|#[xX]([0-9a-fA-F]+)|(\w+));")
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

INF = float("inf")
WAYS = {0: False, 1: True}

Block = list[tuple[str, Any]]
Token = tuple[str, str, Callable[[], int]]


def read(path: Path, compression: str, kind: str | None = None) -> Pairs:
    """Read a GML file; `kind` is the attribute of links that is their kind."""
    said = _parse_text(read_text(path, compression), path)
    graphs = [block for key, block in said if key.lower() == "graph" and isinstance(block, list)]
    if len(graphs) != 1:
        raise BadFile(f"{path}: must hold one graph. Got {len(graphs)}.")
    nodes = [dict(_drop_nested(block, path)) for key, block in graphs[0] if key == "node"]
    names = _name_vertices(nodes, path)
    found = Builder(path, kind)
    default = dict(graphs[0]).get("directed", 0)
    found.directed, found.declared = found.parse_direction(default, WAYS), f"directed {default}"
    for node, name in zip(nodes, names, strict=True):
        found.add_vertex(name, {key: value for key, value in node.items() if key not in ("id", "label")})
    if any("label" in node for node in nodes) and names == [str(node["id"]) for node in nodes]:
        found.cells["label"] = {v: node["label"] for v, node in enumerate(nodes) if "label" in node}
    called = {node["id"]: name for node, name in zip(nodes, names, strict=True)}
    for key, block in graphs[0]:
        if key == "edge":
            edge = dict(_drop_nested(block, path))
            known = {key: value for key, value in edge.items() if key not in ("source", "target", "key", "directed")}
            a, b = (called.get(edge.get(end), _spell_end(edge.get(end))) for end in ("source", "target"))
            found.add_link(a, b, known, found.parse_direction(edge.get("directed", default), WAYS))
    return found.build_pairs()


def _spell_end(end: Any) -> str | None:
    return None if end is None else str(end)


def _name_vertices(nodes: list[dict[str, Any]], path: Path) -> list[str]:
    """Return the labels as names if every vertex has a distinct one, else the ids."""
    if any("id" not in node for node in nodes):
        raise BadFile(f"{path}: each node must have an id. Got a node without one.")
    labels = [str(node["label"]) for node in nodes if "label" in node]
    if len(labels) == len(nodes) == len(set(labels)):
        return labels
    if labels:
        notice(
            f"{path}: labels are missing or not distinct; vertices are named by their ids.",
            "vertices named by their ids",
        )
    return [str(node["id"]) for node in nodes]


def _drop_nested(block: Any, path: Path) -> Block:
    """Drop nested values, such as coordinates of a drawing."""
    if not isinstance(block, list):
        raise BadFile(f"{path}: a node or an edge must be a block in brackets. Got {block!r:.60}.")
    keys = [key for key, value in block if not isinstance(value, list)]
    if len(keys) != len(set(keys)):
        again = next(key for key in keys if keys.count(key) > 1)
        raise BadFile(f"{path}: a key must occur once in a block. Got {again!r} more than once.")
    return [(key, value) for key, value in block if not isinstance(value, list)]


def _parse_text(text: str, path: Path) -> Block:
    try:
        return _parse_block(_read_tokens(text, path), path, inside=False)
    except RecursionError as error:
        raise BadFile(f"{path}: brackets are nested too deep.") from error


def _parse_block(tokens: Iterator[Token], path: Path, *, inside: bool) -> Block:
    """Return keys and values in order; a nested block is a list of the same form."""
    block: Block = []
    for kind, said, where in tokens:
        if kind == ("close" if inside else "end"):
            return block
        if kind != "key":
            raise BadFile.at(Place(str(path), where()), f"a key is expected here. Got {said!r:.40}.")
        kind, value, where = next(tokens)  # noqa: PLW2901 - a value follows its key
        if kind == "open":
            block.append((said, _parse_block(tokens, path, inside=True)))
        elif kind in ("text", "number"):
            block.append((said, _unescape_text(value) if kind == "text" else _parse_number(value, path, where)))
        else:
            raise BadFile.at(Place(str(path), where()), f"the key {said!r} must have a value. Got {value!r:.40}.")
    return block


def _read_tokens(text: str, path: Path) -> Iterator[Token]:
    """Yield the kind and the text of each token and a function for its line number; then an end token."""
    at = 0

    def line() -> int:
        return 1 + text.count("\n", 0, at)

    while (found := TOKEN.match(text, at)) and found.lastgroup is not None:
        if found.lastgroup != "space":
            yield found.lastgroup, found[found.lastgroup], line
        at = found.end()
    if at != len(text):
        raise BadFile.at(Place(str(path), line()), f"must be GML. Got {text[at : at + 20]!r}.")
    yield "end", "the end of the file", line


def _parse_number(text: str, path: Path, where: Callable[[], int]) -> int | float:
    digits = text.removeprefix("+")
    if not digits.removeprefix("-").isdecimal():
        return float(text)
    number = parse_whole(digits)
    if number is None:
        raise BadFile.at(Place(str(path), where()), f"a number must have at most {DIGITS:,} digits. Got {text!r:.40}.")
    return number


def _unescape_text(text: str) -> str:
    """Replace entities by the characters with exactly these code points.

    >>> _unescape_text("&#233;t&eacute; &amp; &unknown;")
    'été & &unknown;'
    """

    def character(found: re.Match[str]) -> str:
        decimal, hexadecimal, name = found.groups()
        if name:
            return chr(name2codepoint[name]) if name in name2codepoint else found[0]
        code = parse_whole(decimal) if decimal else int(hexadecimal, 16)
        if code is None or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:  # the last range is surrogates
            return found[0]
        return chr(code)

    return ENTITY.sub(character, text) if "&" in text else text


def _escape_text(text: str) -> str:
    """Return quoted ASCII text, with entities for characters that GML cannot hold.

    >>> _escape_text('été & "x"')
    '"&#233;t&#233; &amp; &quot;x&quot;"'
    """
    safe = text.replace("&", "&amp;").replace('"', "&quot;")
    return '"' + re.sub("[^ -~]", lambda found: f"&#{ord(found[0])};", safe) + '"'


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write a graph as GML."""
    table = _check_columns(graph.attributes, path)
    columns = [(column, list(table[column])) for column in table]
    stream.write(f"graph [\n  directed {int(graph.directed)}\n".encode())
    for v, name in enumerate(names):
        known = "".join(f" {column} {_spell_value(cells[v])}" for column, cells in columns if cells[v] is not None)
        stream.write(f"  node [ id {v} label {_escape_text(name)}{known} ]\n".encode())
    for a, b, relation in graph.each_link():
        way = " directed 0" if graph.directed and relation.direction == "both" else ""
        kind = "" if relation.kind is None else f" kind {_escape_text(relation.kind)}"
        stream.write(f"  edge [ source {a} target {b}{way}{kind} ]\n".encode())
    stream.write(b"]\n")


def _check_columns(table: Table, path: Path) -> Table:
    for column in table:
        if not KEY.fullmatch(column) or column in ("id", "label"):
            raise BadParameter(
                f"{path}: in GML a column name must have only letters, digits and '_', and not be 'id' or 'label'. "
                f"Got {column!r}. Rename it, or write GraphML."
            )
    columns = {name: _number_truths(name, column, path) for name, column in table.columns.items()}
    return convert_values(Table(table.n, columns), ("int", "float", "str"), str(path))


def _number_truths(name: str, column: Column, path: Path) -> Column:
    """Convert booleans to 1 and 0, as GML does; raise BadParameter if the column also holds these numbers."""
    if not any(isinstance(value, bool) for value in column.values):
        return column
    notice(f"{path}: the column {name!r} holds booleans, which GML stores as 1 and 0.")
    numbers = tuple(int(value) if isinstance(value, bool) else value for value in column.values)
    return Column(column.codes, check_distinct_values(name, numbers, str(path)))


def _spell_value(value: Any) -> str:
    if isinstance(value, str):
        return _escape_text(value)
    return repr(value).upper() if isinstance(value, float) and value in (INF, -INF) else repr(value)
