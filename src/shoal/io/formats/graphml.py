"""GraphML: vertices and edges in XML, with typed attributes (Brandes et al. 2002).

The name of a vertex is its id. A column of mixed types is declared once per type. Each link has a direction or none:
edgedefault holds for links without an attribute "directed".
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from shoal.data.graph import Graph, Pairs
from shoal.data.spelling import check_xml
from shoal.errors import BadFile, notice
from shoal.io.files import read_bytes
from shoal.io.formats.builder import Builder
from shoal.io.formats.markup import (
    escape_markup,
    get_local_name,
    parse_default,
    parse_value,
    read_columns,
    read_elements,
    read_id,
    spell_row,
)

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


WAYS = {"directed": True, "undirected": False}
TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class DeclaredKey(NamedTuple):
    """A declared attribute."""

    scope: str
    name: str
    kind: str
    default: Any
    drawing: bool
    """Whether it holds XML of a drawing program and not a value."""


def read(path: Path, compression: str, kind: str | None = None) -> Pairs:
    """Read a GraphML file; `kind` is the attribute of links that is their kind."""
    found = Builder(path, kind)
    keys: dict[str, DeclaredKey] = {}
    graphs = 0
    links: list[Any] = []
    for event, name, element in read_elements(read_bytes(path, compression), path, "graphml"):
        if event == "start" and name == "graph":
            graphs += 1
            _check_one(path, graphs, element)
            default = element.get("edgedefault", "undirected")
            found.directed, found.declared = found.parse_direction(default, WAYS), f'edgedefault="{default}"'
        elif event == "end" and name == "key":
            keys[element.get("id", "")] = _read_key(element, path)
        elif event == "end" and name == "node":
            found.add_vertex(read_id(element, path), _read_known(element, keys, path))
        elif event == "end" and name == "edge":
            links.append(element)
        elif name == "hyperedge":
            raise BadFile(f"{path}: an edge must have two ends. Got a hyperedge.")
    _declare(found, keys)
    for element in links:
        _add_link(found, element, keys)
    return found.build_pairs()


def _check_one(path: Path, graphs: int, element: Any) -> None:
    if graphs > 1:
        raise BadFile(f"{path}: must hold one graph. Got a second one: {element.get('id')!r}. Keep one of them.")


def _read_key(element: Any, path: Path) -> DeclaredKey:
    name = element.get("attr.name")
    kind = element.get("attr.type", "string")
    value = parse_default(element, kind, path, f"key {name!r}")
    label = name if name is not None else element.get("id", "")
    return DeclaredKey(element.get("for", "all"), label, kind, value, any("yfiles" in key for key in element.attrib))


def _read_known(element: Any, keys: dict[str, DeclaredKey], path: Path) -> dict[str, Any]:
    known = {key.name: key.default for key in keys.values() if key.scope != "edge" and key.default is not None}
    for child in element:
        if get_local_name(child) != "data":
            continue
        key = keys.get(child.get("key", ""))
        if key is None:
            raise BadFile(f"{path}: data must belong to a declared key. Got {child.get('key')!r}.")
        if not key.drawing:
            known[key.name] = parse_value(child.text, key.kind, path, f"node {element.get('id')!r}")
    return known


def _declare(found: Builder, keys: dict[str, DeclaredKey]) -> None:
    columns = [key for key in keys.values() if key.scope in ("node", "all")]
    for key in columns:
        if not key.drawing and key.scope == "node":
            found.declare_column(key.name)
    if any(key.name == found.kind and key.scope == "edge" for key in keys.values()):
        found.declare_link_attribute(str(found.kind))
    if any(key.drawing for key in columns):
        notice(f"{found.path}: layout data of a drawing program (yfiles) is not used.", "layout data not used")


def _add_link(found: Builder, element: Any, keys: dict[str, DeclaredKey]) -> None:
    known = {key.name: key.default for key in keys.values() if key.name == found.kind and key.scope in ("edge", "all")}
    for child in element:
        key = keys.get(child.get("key", ""))
        if key is not None:
            where = f"edge {element.get('source')!r}, {element.get('target')!r}"
            is_kind = key.name == found.kind
            known[key.name] = parse_value(child.text, key.kind, found.path, where) if is_kind else None
    said = element.get("directed")
    directed = bool(found.directed) if said is None else found.parse_direction(said.strip(), TRUTHS)
    found.add_link(element.get("source"), element.get("target"), known, directed)


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write a graph as GraphML."""
    table, columns = read_columns(graph, names, path)
    keys = {declared: f"d{at}" for at, declared in enumerate(columns)}
    lines = [HEAD]
    for (column, kind), key in keys.items():
        lines.append(f'  <key id="{key}" for="node" attr.name="{escape_markup(column)}" attr.type="{kind}"/>\n')
    if graph.kinds:
        check_xml(graph.kinds, str(path))
        lines.append('  <key id="kind" for="edge" attr.name="kind" attr.type="string"/>\n')
    lines.append(f'  <graph edgedefault="{"directed" if graph.directed else "undirected"}">\n')
    stream.write("".join(lines).encode())
    for v, name in enumerate(names):
        stream.write(_spell_node(name, spell_row(table, v), keys).encode())
    for a, b, relation in graph.each_link():
        ends = f'source="{escape_markup(names[a])}" target="{escape_markup(names[b])}"'
        way = ' directed="false"' if graph.directed and relation.direction == "both" else ""
        kind = f'><data key="kind">{escape_markup(relation.kind)}</data></edge>' if relation.kind else "/>"
        stream.write(f"    <edge {ends}{way}{kind}\n".encode())
    stream.write(b"  </graph>\n</graphml>\n")


def _spell_node(name: str, known: Iterable[tuple[tuple[str, str], str]], keys: dict[tuple[str, str], str]) -> str:
    data = "".join(f'<data key="{keys[declared]}">{text}</data>' for declared, text in known)
    return f'    <node id="{escape_markup(name)}">{data}</node>\n'
