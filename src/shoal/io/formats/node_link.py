"""Node-link JSON: {"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}, as in d3 and networkx.

The key of the edges may also be "links". Every other key of a node is a column. "directed": true holds for all
links but those with "directed": false of their own.
"""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data.graph import Graph, Pairs
from shoal.data.spelling import convert_values
from shoal.data.ties import Relation
from shoal.errors import BadFile, BadParameter
from shoal.io.files import read_text
from shoal.io.formats.builder import Builder
from shoal.io.strict_json import parse_json

WAYS = {False: False, True: True}


def read(path: Path, compression: str, kind: str | None = None) -> Pairs:
    """Read a node-link file; `kind` is the attribute of links that is their kind."""
    said = parse_json(read_text(path, compression), str(path), nan=True)
    links = said.get("edges", said.get("links")) if isinstance(said, dict) else None
    if not isinstance(links, list) or not isinstance(said.get("nodes"), list):
        raise BadFile(f'{path}: must be node-link JSON with lists "nodes" and "edges" (or "links"). Got others.')
    found = Builder(path, kind)
    found.directed = found.parse_direction(said.get("directed", False), WAYS)
    found.declared = f'"directed": {json.dumps(found.directed)}'
    for node in said["nodes"]:
        known = dict(_check_item(node, path, "node", "id"))
        found.add_vertex(_check_id(known.pop("id"), path), known)
    for link in links:
        ends = _check_item(link, path, "edge", "source", "target")
        way = ends.get("directed")
        ours = ("source", "target", "key", *(["directed"] if isinstance(way, bool) else []))
        known = {key: value for key, value in ends.items() if key not in ours}
        a, b = (_check_id(ends[end], path) for end in ("source", "target"))
        found.add_link(a, b, known, way if isinstance(way, bool) else bool(found.directed))
    return found.build_pairs()


def _check_item(item: Any, path: Path, what: str, *keys: str) -> dict[str, Any]:
    if not isinstance(item, dict) or any(key not in item for key in keys):
        wanted = " and ".join(map(repr, keys))
        raise BadFile(f"{path}: each {what} must be an object with {wanted}. Got {item!r:.80}.")
    return item


def _check_id(value: Any, path: Path) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value in (inf, -inf) or value != value:  # noqa: PLR0124 - NaN
        raise BadFile(f"{path}: the id of a node must be text or a number. Got {value!r:.80}.")
    return str(value)


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write a graph as node-link JSON, one node or edge per line."""
    if "id" in graph.attributes:
        raise BadParameter(f"{path}: 'id' holds the ids of the nodes and must not be a column. Rename it.")
    table = convert_values(graph.attributes, ("bool", "int", "float", "str"), str(path), finite=True)
    head = f'"directed": {json.dumps(graph.directed)}, "multigraph": {json.dumps(graph.is_multigraph)}, "graph": {{}}'
    stream.write(f'{{{head},\n"nodes": [\n'.encode())
    known = [(column, list(table[column])) for column in table]
    nodes = (
        {"id": name} | {c: cells[v] for c, cells in known if cells[v] is not None or not table[c].values}
        for v, name in enumerate(names)
    )
    _write_items(stream, nodes)
    stream.write(b'\n],\n"edges": [\n')
    _write_items(stream, (_describe_link(graph, names, *link) for link in graph.each_link()))
    stream.write(b"\n]}\n")


def _describe_link(graph: Graph, names: list[str], a: int, b: int, relation: Relation) -> dict[str, Any]:
    link: dict[str, Any] = {"source": names[a], "target": names[b]}
    if graph.directed and relation.direction == "both":
        link["directed"] = False
    return link if relation.kind is None else link | {"kind": relation.kind or None}


def _write_items(stream: BinaryIO, rows: Any) -> None:
    for at, row in enumerate(rows):
        stream.write((",\n" if at else "").encode() + json.dumps(row, allow_nan=False).encode())
