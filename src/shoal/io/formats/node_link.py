"""Node-link JSON: {"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}, as in d3 and networkx.

The key of the edges may also be "links". Every other key of a node is a column.
"""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data.graph import Graph, Pairs
from shoal.data.spelling import convert_values
from shoal.errors import BadFile, BadParameter
from shoal.io.files import read_text
from shoal.io.formats.builder import Builder
from shoal.io.strict_json import parse_json


def read(path: Path, compression: str) -> Pairs:
    """Read a node-link file."""
    said = parse_json(read_text(path, compression), str(path), nan=True)
    links = said.get("edges", said.get("links")) if isinstance(said, dict) else None
    if not isinstance(links, list) or not isinstance(said.get("nodes"), list):
        raise BadFile(f'{path}: must be node-link JSON with lists "nodes" and "edges" (or "links"). Got others.')
    found = Builder(path)
    for node in said["nodes"]:
        known = dict(_check_item(node, path, "node", "id"))
        found.add_vertex(_check_id(known.pop("id"), path), known)
    for link in links:
        ends = _check_item(link, path, "edge", "source", "target")
        found.unused.update(dict.fromkeys(key for key in ends if key not in ("source", "target", "key")))
        found.add_link(_check_id(ends["source"], path), _check_id(ends["target"], path))
    found.directed = '"directed": true' if said.get("directed") else ""
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
    kind = json.dumps(graph.multiplicity is not None)
    stream.write(f'{{"directed": false, "multigraph": {kind}, "graph": {{}},\n"nodes": [\n'.encode())
    known = [(column, list(table[column])) for column in table]
    nodes = (
        {"id": name} | {c: cells[v] for c, cells in known if cells[v] is not None or not table[c].values}
        for v, name in enumerate(names)
    )
    _write_items(stream, nodes)
    stream.write(b'\n],\n"edges": [\n')
    _write_items(stream, ({"source": names[a], "target": names[b]} for a, b in graph.each_edge()))
    stream.write(b"\n]}\n")


def _write_items(stream: BinaryIO, rows: Any) -> None:
    for at, row in enumerate(rows):
        stream.write((",\n" if at else "").encode() + json.dumps(row, allow_nan=False).encode())
