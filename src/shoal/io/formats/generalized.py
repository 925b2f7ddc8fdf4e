"""Files of generalized graphs, in JSON and GraphML. They hold numbers only, never the members of a class."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.generalized import Generalized
from shoal.errors import BadFile, BadGraph, cut
from shoal.io.atomic import replace_file
from shoal.io.files import check_count, decode_text, detect_format, read_bytes
from shoal.io.formats.markup import parse_value, read_elements
from shoal.io.strict_json import parse_json

SCHEMA = 1
KIND = "generalized graph"
FORMATS = ("json", "graphml")
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="size" for="node" attr.name="size" attr.type="long"/>
  <key id="inside" for="node" attr.name="inside" attr.type="long"/>
  <key id="edges" for="edge" attr.name="edges" attr.type="long"/>
  <graph edgedefault="undirected">
"""


def save(classes: Generalized, path: Path, format: str | None, force: bool) -> None:  # noqa: A002
    """Write a generalized graph atomically."""
    kind = detect_format(path, format, FORMATS)
    text = _spell_json(classes) if kind.format == "json" else _spell_graphml(classes)
    with replace_file(path, force=force, compression=kind.compression) as stream:
        stream.write(text.encode())


def read(path: Path, format: str | None) -> Generalized:  # noqa: A002
    """Read a generalized graph and check it."""
    kind = detect_format(path, format, FORMATS)
    data = read_bytes(path, kind.compression)
    sizes, inside, links = (
        _parse_json_classes(data, path) if kind.format == "json" else _parse_graphml_classes(data, path)
    )
    check_count(sum(sizes), len(data), str(path), "vertices")
    check_count(sum(inside) + sum(many for _, _, many in links), len(data), str(path), "edges")
    rows = sorted([min(i, j), max(i, j), q] for i, j, q in links)
    try:
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return Generalized(np.array(sizes, dtype=np.int64), np.array(inside, dtype=np.int64), table[:, :2], table[:, 2])
    except (BadGraph, OverflowError) as error:
        raise BadFile(f"{path}: {error}") from error


def _spell_json(classes: Generalized) -> str:
    """Return JSON with one class or one pair of classes per line."""
    nodes = [json.dumps({"size": s, "inside": e}) for s, e in zip(*_list_classes(classes), strict=True)]
    links = [json.dumps([i, j, q]) for i, j, q in _list_links(classes)]
    head = f'{{"schema": {SCHEMA}, "kind": "{KIND}", "vertices": {classes.n}, "edges": {classes.m},'
    rows = (f'"{name}": [\n{_join_rows(rows)}]' for name, rows in (("classes", nodes), ("links", links)))
    return f"{head}\n{_join_rows(list(rows))}}}\n"


def _join_rows(rows: list[str]) -> str:
    return ",\n".join(rows) + ("\n" if rows else "")


def _spell_graphml(classes: Generalized) -> str:
    """Return GraphML with a node per class and an edge per pair of classes."""
    lines = [HEAD]
    for i, (size, inside) in enumerate(zip(*_list_classes(classes), strict=True)):
        lines.append(f'    <node id="{i}"><data key="size">{size}</data><data key="inside">{inside}</data></node>\n')
    for i, j, many in _list_links(classes):
        lines.append(f'    <edge source="{i}" target="{j}"><data key="edges">{many}</data></edge>\n')
    return "".join([*lines, "  </graph>\n</graphml>\n"])


def _list_classes(classes: Generalized) -> tuple[list[int], list[int]]:
    return classes.sizes.tolist(), classes.inside.tolist()


def _list_links(classes: Generalized) -> list[tuple[int, int, int]]:
    return [(i, j, q) for (i, j), q in zip(classes.links.tolist(), classes.between.tolist(), strict=True)]


Found = tuple[list[int], list[int], list[tuple[int, int, int]]]
"""Sizes, edges inside, and (class, class, edges between)."""


def _parse_json_classes(data: bytes, path: Path) -> Found:
    """Parse a JSON file."""
    said = parse_json(decode_text(data, path), str(path))
    try:
        known = said["schema"] == SCHEMA and said["kind"] == KIND
        nodes, links = [(x["size"], x["inside"]) for x in said["classes"]], [tuple(x) for x in said["links"]]
        whole = all(type(x) is int for row in [*nodes, *links] for x in row)
        if not known or not whole or any(len(row) != 3 for row in links):
            raise ValueError("values other than integers, or another schema")
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(
            f"{path}: must be a generalized graph written by 'shoal classes'. Got: {cut(repr(error))}."
        ) from error
    sizes, inside = [size for size, _ in nodes], [edges for _, edges in nodes]
    return sizes, inside, links


def _parse_graphml_classes(data: bytes, path: Path) -> Found:
    """Parse a GraphML file; nodes are numbered in file order."""
    keys: dict[str, tuple[str, str]] = {}
    ids: dict[str, int] = {}
    nodes: list[dict[str, Any]] = []
    ends: list[tuple[Any, Any, dict[str, Any]]] = []
    for event, name, element in read_elements(data, path, "graphml"):
        if event == "end" and name == "key":
            keys[element.get("id", "")] = (element.get("attr.name", ""), element.get("attr.type", "string"))
        elif event == "end" and name == "node":
            ids[element.get("id", "")] = len(ids)
            nodes.append(_read_numbers(element, keys, path, "size", "inside"))
        elif event == "end" and name == "edge":
            ends.append((element.get("source"), element.get("target"), _read_numbers(element, keys, path, "edges")))
    if len(ids) != len(nodes):
        raise BadFile(f"{path}: node ids must be distinct. Got {len(nodes):,} nodes, {len(ids):,} ids.")
    for source, target, _ in ends:
        if source not in ids or target not in ids:
            raise BadFile(f"{path}: an edge must join two nodes of the file. Got {source!r} and {target!r}.")
    links = [(ids[source], ids[target], known["edges"]) for source, target, known in ends]
    return [known["size"] for known in nodes], [known["inside"] for known in nodes], links


def _read_numbers(element: Any, keys: dict[str, tuple[str, str]], path: Path, *wanted: str) -> dict[str, int]:
    found: dict[str, Any] = {}
    for child in element:
        name, kind = keys.get(child.get("key", ""), ("", ""))
        if name in wanted:
            found[name] = parse_value(child.text, kind, path, name)
    for name in wanted:
        if type(found.get(name)) is not int:
            tag = element.tag.rpartition("}")[2]
            raise BadFile(f"{path}: each {tag} must have a whole number {name!r}. Got {found.get(name)!r}.")
    return found
