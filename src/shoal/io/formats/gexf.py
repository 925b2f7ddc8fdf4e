"""GEXF: vertices and edges in XML, the format of Gephi (version 1.3).

The name of a vertex is its id. Labels that differ from the ids become a column "label". Each edge has a type: directed,
or undirected (or mutual), which is a link without direction. Kinds are written to the attribute "kind" of the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

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
<gexf xmlns="http://gexf.net/1.3" version="1.3">
  <graph defaultedgetype="{}" mode="static">
"""
WAYS = {"directed": True, "undirected": False, "mutual": False}


def read(path: Path, compression: str, kind: str | None = None) -> Pairs:
    """Read a GEXF file; `kind` is the attribute of links that is their kind."""
    found = Builder(path, kind)
    described: dict[str, tuple[str, str, Any]] = {}
    declared: dict[str, tuple[str, str, Any]] = {}
    labels: list[str | None] = []
    links: list[Any] = []
    default, scope = "undirected", ""
    for event, name, element in read_elements(read_bytes(path, compression), path, "gexf"):
        if event == "start" and name == "graph":
            default = element.get("defaultedgetype", "undirected")
            found.directed, found.declared = found.parse_direction(default, WAYS), f'defaultedgetype="{default}"'
            _warn_of_time(path, element)
        elif event == "start" and name == "attributes":
            scope = element.get("class", "node")
        elif event == "end" and name == "attribute" and scope == "node":
            declared[element.get("id", "")] = _read_declaration(element, path)
        elif event == "end" and name == "attribute" and scope == "edge":
            described[element.get("id", "")] = _read_declaration(element, path)
        elif event == "end" and name == "node":
            found.add_vertex(read_id(element, path), _read_known(element, declared, path))
            labels.append(element.get("label"))
        elif event == "end" and name == "edge":
            links.append(element)
    for title, _, _ in declared.values():
        found.declare_column(title)
    for title, _, _ in described.values():
        found.declare_link_attribute(title)
    _add_labels(found, labels)
    for element in links:
        _add_link(found, element, default, described)
    return found.build_pairs()


def _warn_of_time(path: Path, element: Any) -> None:
    if element.get("mode") == "dynamic":
        notice(
            f"{path}: the graph is dynamic. Times are not used: all vertices and edges are read as one graph.",
            "times not used",
        )


def _read_declaration(element: Any, path: Path) -> tuple[str, str, Any]:
    kind = element.get("type", "string")
    title = element.get("title", element.get("id", ""))
    return title, kind, parse_default(element, kind, path, f"attribute {title!r}")


def _read_known(element: Any, declared: dict[str, tuple[str, str, Any]], path: Path) -> dict[str, Any]:
    known = {title: default for title, _, default in declared.values() if default is not None}
    for child in _find_values(element):
        key = child.get("for", child.get("id", ""))
        if key not in declared:
            raise BadFile(f"{path}: a value must belong to a declared attribute. Got {key!r}.")
        title, kind, _ = declared[key]
        known[title] = parse_value(child.get("value"), kind, path, f"{get_local_name(element)} {element.get('id')!r}")
    return known


def _find_values(element: Any) -> Iterator[Any]:
    """Yield the values of a node, without those of nested nodes."""
    for child in element:
        name = get_local_name(child)
        if name == "attvalues":
            yield from (value for value in child if get_local_name(value) == "attvalue")
        elif name == "attvalue":
            yield child


def _add_labels(found: Builder, labels: list[str | None]) -> None:
    if "label" not in found.cells and any(map(_differs, labels, found.ids)):
        found.cells["label"] = {v: label for v, label in enumerate(labels) if label is not None}


def _differs(label: str | None, name: str) -> bool:
    return label is not None and label != name


def _add_link(found: Builder, element: Any, default: str, described: dict[str, tuple[str, str, Any]]) -> None:
    known = {key: element.get(key) for key in ("weight", "label", "kind") if element.get(key) is not None}
    if any(title == found.kind for title, _, _ in described.values()):
        known |= _read_known(element, described, found.path)
    directed = found.parse_direction(element.get("type", default), WAYS)
    found.add_link(element.get("source"), element.get("target"), known, directed)


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write a graph as GEXF."""
    table, columns = read_columns(graph, names, path)
    keys = {declared: at for at, declared in enumerate(columns)}
    check_xml(graph.kinds, str(path))
    head = HEAD.format("directed" if graph.directed else "undirected")
    stream.write((head + _declare_attributes(keys) + "    <nodes>\n").encode())
    for v, name in enumerate(names):
        stream.write(_spell_node(name, spell_row(table, v), keys).encode())
    stream.write(b"    </nodes>\n    <edges>\n")
    for at, (a, b, relation) in enumerate(graph.each_link()):
        ends = f'source="{escape_markup(names[a])}" target="{escape_markup(names[b])}"'
        way = ' type="undirected"' if graph.directed and relation.direction == "both" else ""
        kind = "" if relation.kind is None else f' kind="{escape_markup(relation.kind)}"'
        stream.write(f'      <edge id="{at}" {ends}{way}{kind}/>\n'.encode())
    stream.write(b"    </edges>\n  </graph>\n</gexf>\n")


def _declare_attributes(keys: dict[tuple[str, str], int]) -> str:
    rows = "".join(
        f'      <attribute id="{key}" title="{escape_markup(column)}" type="{kind}"/>\n'
        for (column, kind), key in keys.items()
    )
    return f'    <attributes class="node">\n{rows}    </attributes>\n' if rows else ""


def _spell_node(name: str, known: Iterable[tuple[tuple[str, str], str]], keys: dict[tuple[str, str], int]) -> str:
    values = "".join(f'<attvalue for="{keys[declared]}" value="{text}"/>' for declared, text in known)
    inside = f"<attvalues>{values}</attvalues>" if values else ""
    return f'      <node id="{escape_markup(name)}" label="{escape_markup(name)}">{inside}</node>\n'
