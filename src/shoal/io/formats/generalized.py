"""Files of generalized graphs, in JSON and GraphML. They hold numbers only, never the members of a class.

Where links have directions or kinds, JSON has schema 2: a list of relations, for each class a list of the links inside
it by relation, and for each pair of classes [class, class, links, relation]. In GraphML an edge then says whether it is
directed and its kind, and links inside a class are an edge from the class to itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shoal.data.generalized import Generalized
from shoal.data.ties import MISSING_KIND, Relation
from shoal.errors import BadFile, BadGraph, cut
from shoal.io.atomic import replace_file
from shoal.io.files import check_count, decode_text, detect_format, read_bytes
from shoal.io.formats.markup import escape_markup, parse_value, read_elements
from shoal.io.strict_json import parse_json

SCHEMA, WITH_RELATIONS = 1, 2
KIND = "generalized graph"
FORMATS = ("json", "graphml")
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="size" for="node" attr.name="size" attr.type="long"/>
"""
INSIDE = '  <key id="inside" for="node" attr.name="inside" attr.type="long"/>\n'
EDGES = '  <key id="edges" for="edge" attr.name="edges" attr.type="long"/>\n'
KINDS = '  <key id="kind" for="edge" attr.name="kind" attr.type="string"/>\n'
NAMES = ("size", "inside", "edges", "kind")


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
    found = _parse_json_classes(data, path) if kind.format == "json" else _parse_graphml_classes(data, path)
    check_count(sum(found.sizes), len(data), str(path), "vertices")
    edges = sum(sum(row) for row in found.inside) + sum(row[2] for row in found.links)
    check_count(edges, len(data), str(path), "edges")
    try:
        return _build(found)
    except BadGraph as error:
        raise BadFile(f"{path}: {error}") from error
    except OverflowError as error:
        raise BadFile(f"{path}: numbers must be below 2^63. Got a larger one.") from error


class Found(NamedTuple):
    """The content of a file."""

    sizes: list[int]
    inside: list[list[int]]
    """For each class the edges inside by relation; one number without relations."""
    links: list[tuple[int, int, int, int]]
    """Class, class, edges between, relation."""
    relations: tuple[Relation, ...] = ()


def _build(found: Found) -> Generalized:
    """Return the generalized graph; pairs of classes and relations may come in any order."""
    order = sorted(range(len(found.relations)), key=lambda r: found.relations[r].order)
    rank = {r: at for at, r in enumerate(order)} or {0: 0}
    arrows = [one.direction == "out" for one in found.relations] or [False]
    rows = sorted((i, j, rank[r], q) if arrows[r] else (min(i, j), max(i, j), rank[r], q) for i, j, q, r in found.links)
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    sizes, inside = np.array(found.sizes, dtype=np.int64), np.array(found.inside, dtype=np.int64)
    if not found.relations:
        return Generalized(sizes, inside.reshape(-1), table[:, :2], table[:, 3])
    relations = tuple(found.relations[r] for r in order)
    inside = inside.reshape(len(sizes), -1)[:, order]
    return Generalized(sizes, inside, table[:, :3], table[:, 3], relations=relations)


def _spell_json(classes: Generalized) -> str:
    """Return JSON with one class or one pair of classes per line."""
    sizes, inside = classes.sizes.tolist(), classes.inside.tolist()
    rows = {"relations": [json.dumps(one._asdict()) for one in classes.relations]} if classes.relations else {}
    rows["classes"] = [json.dumps({"size": s, "inside": e}) for s, e in zip(sizes, inside, strict=True)]
    rows["links"] = [json.dumps([i, j, q, *r]) for (i, j, *r), q in _list_links(classes)]
    schema = WITH_RELATIONS if classes.relations else SCHEMA
    head = f'{{"schema": {schema}, "kind": "{KIND}", "vertices": {classes.n}, "edges": {classes.m},'
    lists = [f'"{name}": [\n{_join_rows(lines)}]' for name, lines in rows.items()]
    return f"{head}\n{_join_rows(lists)}}}\n"


def _join_rows(rows: list[str]) -> str:
    return ",\n".join(rows) + ("\n" if rows else "")


def _spell_graphml(classes: Generalized) -> str:
    """Return GraphML with a node per class and an edge per pair of classes and relation."""
    arrows = any(one.direction == "out" for one in classes.relations)
    kinds = any(one.kind is not None for one in classes.relations)
    lines = [HEAD, "" if classes.relations else INSIDE, EDGES, KINDS if kinds else ""]
    lines.append(f'  <graph edgedefault="{"directed" if arrows else "undirected"}">\n')
    links = _list_links(classes)
    for i, (size, inside) in enumerate(zip(classes.sizes.tolist(), classes.inside.tolist(), strict=True)):
        own = "" if classes.relations else f'<data key="inside">{inside}</data>'
        lines.append(f'    <node id="{i}"><data key="size">{size}</data>{own}</node>\n')
        links += [((i, i, r), q) for r, q in enumerate(inside) if q] if classes.relations else []
    for (i, j, *r), many in links:
        lines.append(_spell_edge(i, j, many, classes.relations[r[0]] if r else None))
    return "".join([*lines, "  </graph>\n</graphml>\n"])


def _spell_edge(i: int, j: int, many: int, relation: Relation | None) -> str:
    way = kind = ""
    if relation is not None:
        way = f' directed="{"true" if relation.direction == "out" else "false"}"'
        kind = "" if relation.kind is None else f'<data key="kind">{escape_markup(relation.kind)}</data>'
    return f'    <edge source="{i}" target="{j}"{way}><data key="edges">{many}</data>{kind}</edge>\n'


def _list_links(classes: Generalized) -> list[tuple[tuple[int, ...], int]]:
    """Return the classes of each pair, its relation if there are relations, and its edges."""
    return [(tuple(row), q) for row, q in zip(classes.links.tolist(), classes.between.tolist(), strict=True)]


def _parse_json_classes(data: bytes, path: Path) -> Found:
    """Parse a JSON file."""
    said = parse_json(decode_text(data, path), str(path))
    try:
        related = said["schema"] == WITH_RELATIONS
        relations = tuple(_parse_relation(x) for x in said["relations"]) if related else ()
        inside = [tuple(x["inside"]) if related else (x["inside"],) for x in said["classes"]]
        sizes, rows = [x["size"] for x in said["classes"]], [tuple(x) for x in said["links"]]
        known = said["schema"] in (SCHEMA, WITH_RELATIONS) and said["kind"] == KIND and related == bool(relations)
        many = max(1, len(relations))
        shaped = all(len(row) == many for row in inside) and all(len(row) == 3 + related for row in rows)
        whole = all(type(x) is int for row in (sizes, *inside, *rows) for x in row)
        if not (known and shaped and whole):
            raise ValueError("values other than integers, or another schema")
        if len(set(relations)) < len(relations) or not all(0 <= r < many for _, _, _, *at in rows for r in at):
            raise ValueError("relations that are listed twice or not at all")
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(
            f"{path}: must be a generalized graph written by 'shoal classes'. Got: {cut(repr(error))}."
        ) from error
    return Found(sizes, [list(row) for row in inside], [row if related else (*row, 0) for row in rows], relations)


def _parse_relation(said: Any) -> Relation:
    """Return a relation of a JSON file."""
    kind, direction = said["kind"], said["direction"]
    if direction not in ("both", "out") or not (kind is None or isinstance(kind, str)):
        raise ValueError(f"the relation {said!r}")
    return Relation(kind, direction)


def _parse_graphml_classes(data: bytes, path: Path) -> Found:
    """Parse a GraphML file; nodes are numbered in file order."""
    keys: dict[str, tuple[str, str]] = {}
    ids: dict[str, int] = {}
    nodes: list[dict[str, Any]] = []
    ends: list[tuple[Any, Any, str | None, dict[str, Any]]] = []
    default = ""
    for event, name, element in read_elements(data, path, "graphml"):
        if name == "graph":
            default = element.get("edgedefault", "")
        elif event == "end" and name == "key":
            keys[element.get("id", "")] = (element.get("attr.name", ""), element.get("attr.type", "string"))
        elif event == "end" and name == "node":
            ids[element.get("id", "")] = len(ids)
            nodes.append(_read_values(element, keys, path))
        elif event == "end" and name == "edge":
            way = element.get("directed")
            ends.append((element.get("source"), element.get("target"), way, _read_values(element, keys, path)))
    if len(ids) != len(nodes):
        raise BadFile(f"{path}: node ids must be distinct. Got {len(nodes):,} nodes, {len(ids):,} ids.")
    for source, target, *_ in ends:
        if source not in ids or target not in ids:
            raise BadFile(f"{path}: an edge must join two nodes of the file. Got {source!r} and {target!r}.")
    sizes = [_take_whole(known, "size", "node", path) for known in nodes]
    links = [(ids[a], ids[b], _take_whole(known, "edges", "edge", path), 0) for a, b, _, known in ends]
    if default != "directed" and not any(name == "kind" for name, _ in keys.values()):
        return Found(sizes, [[_take_whole(known, "inside", "node", path)] for known in nodes], links)
    seen = [_name_relation(way or default, known.get("kind")) for *_, way, known in ends]
    relations = tuple(dict.fromkeys(seen)) or (
        _name_relation(default, None if default == "directed" else MISSING_KIND),
    )
    return _count_by_relation(sizes, links, seen, relations, path)


def _name_relation(way: str, kind: str | None) -> Relation:
    """Return the relation of an edge of a GraphML file."""
    return Relation(kind, "out" if way in ("true", "1", "directed") else "both")


def _count_by_relation(
    sizes: list[int],
    links: list[tuple[int, int, int, int]],
    seen: list[Relation],
    relations: tuple[Relation, ...],
    path: Path,
) -> Found:
    """Return classes with relations; an edge from a class to itself holds the links inside it."""
    at = {one: r for r, one in enumerate(relations)}
    inside, between = [[0] * len(relations) for _ in sizes], []
    for (i, j, q, _), one in zip(links, seen, strict=True):
        if i != j:
            between.append((i, j, q, at[one]))
        elif inside[i][at[one]] or q < 1:
            raise BadFile(f"{path}: links inside a class must be 1 or more, once per kind. Got {q:,} for class {i:,}.")
        else:
            inside[i][at[one]] = q
    return Found(sizes, inside, between, relations)


def _read_values(element: Any, keys: dict[str, tuple[str, str]], path: Path) -> dict[str, Any]:
    """Return the data of a node or an edge by name."""
    found: dict[str, Any] = {}
    for child in element:
        name, kind = keys.get(child.get("key", ""), ("", ""))
        if name in NAMES:
            found[name] = parse_value(child.text, kind, path, name)
    return found


def _take_whole(found: dict[str, Any], name: str, tag: str, path: Path) -> int:
    if type(found.get(name)) is not int:
        raise BadFile(f"{path}: each {tag} must have a whole number {name!r}. Got {found.get(name)!r}.")
    number: int = found[name]
    return number
