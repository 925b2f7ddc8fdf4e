"""Pajek: numbered *Vertices, then *Edges or directed *Arcs between the numbers (Batagelj & Mrvar 1998).

A section may hold the links of one relation, with a number and a label: `*Arcs :2 "call"`. The label, or else the
number, is the attribute "kind" of its links.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, BinaryIO

from shoal.data.graph import Graph, Pairs
from shoal.data.ties import Relation
from shoal.errors import BadFile, BadParameter, Place, notice, parse_whole
from shoal.io.files import check_count, decode_text, read_bytes
from shoal.io.formats.builder import Builder

CELL = re.compile(r'"([^"]*)"|(\S+)')


def read(path: Path, compression: str, kind: str | None = None) -> Pairs:
    """Read the network of a Pajek file; partitions and vectors are not used."""
    found = Builder(path, kind)
    found.declared = "no section *Arcs"
    section, wanted = "", 0
    known: dict[str, Any] = {}
    named: dict[int, str] = {}
    links: list[tuple[list[str], str, int, dict[str, Any]]] = []
    data = read_bytes(path, compression)
    for line, text in enumerate(decode_text(data, path).split("\n"), 1):
        cells = [quoted or plain for quoted, plain in CELL.findall(text)] if '"' in text else text.split()
        if not cells or text.lstrip().startswith("%"):
            continue
        if text.lstrip().startswith("*"):
            section = cells[0].lower()
            _check_section(section, path, line)
            known = _read_relation(CELL.findall(text)) if section in LINKS else {}
            if section.startswith("*arcs"):
                found.directed, found.declared = True, "a section *Arcs"
            if section == "*vertices":
                wanted = _parse_size(cells, path, line)
                check_count(wanted, len(data), Place(str(path), line), "vertices")
        elif section == "*vertices":
            _add_name(named, CELL.findall(text), wanted, path, line)
        elif section in LINKS:
            links.append((cells, section, line, known))
        elif section not in SKIPPED:
            raise BadFile.at(Place(str(path), line), f"a section such as *Vertices must come first. Got {text!r:.60}.")
    for number in range(1, wanted + 1):
        found.add_vertex(named.get(number, str(number)))
    names = list(found.ids)
    for cells, section, line, known in links:
        _add_links(found, names, cells, section, line, known)
    return found.build_pairs()


def _read_relation(cells: list[tuple[str, str]]) -> dict[str, Any]:
    """Return the relation of a section as an attribute of its links.

    >>> _read_relation(CELL.findall('*Arcs :2 "call"')), _read_relation(CELL.findall("*Arcs :2"))
    ({'kind': 'call'}, {'kind': '2'})
    """
    if len(cells) < 2 or not cells[1][1].startswith(":"):
        return {}
    return {"kind": (cells[2][0] or cells[2][1]) if len(cells) > 2 else cells[1][1][1:]}


LINKS = ("*edges", "*arcs", "*edgeslist", "*arcslist")
SKIPPED = ("*network", "*partition", "*vector", "*cluster", "*permutation")


def _check_section(section: str, path: Path, line: int) -> None:
    if section in SKIPPED[1:]:
        notice(f"{path}, line {line:,}: the section {section} is not used.", f"section {section} not used")
    elif section not in ("*vertices", *LINKS, *SKIPPED):
        raise BadFile.at(
            Place(str(path), line),
            f"a section must be one of *Vertices, *Edges, *Arcs, *Edgeslist, *Arcslist. Got {section!r}.",
        )


def _parse_size(cells: list[str], path: Path, line: int) -> int:
    number = parse_whole(cells[1]) if len(cells) > 1 else None
    if number is None or number < 0:
        raise BadFile.at(Place(str(path), line), f"*Vertices must be followed by their number. Got {cells[1:]!r:.40}.")
    return number


def _add_name(named: dict[int, str], cells: list[tuple[str, str]], wanted: int, path: Path, line: int) -> None:
    number = _parse_number(cells[0][1], wanted, path, line)
    if number in named:
        raise BadFile.at(Place(str(path), line), f"each vertex must be listed once. Got number {number} again.")
    named[number] = cells[1][0] or cells[1][1] if len(cells) > 1 else str(number)


def _parse_number(text: str, wanted: int, path: Path, line: int) -> int:
    number = parse_whole(text)
    if number is None or not 1 <= number <= wanted:
        raise BadFile.at(Place(str(path), line), f"a vertex must be a number from 1 to {wanted:,}. Got {text!r:.40}.")
    return number


def _add_links(
    found: Builder, names: list[str], cells: list[str], section: str, line: int, known: dict[str, Any]
) -> None:
    listed = section.endswith("list")
    if len(cells) < 2:
        raise BadFile.at(Place(str(found.path), line), f"a link must have two ends. Got {cells!r:.60}.")
    ends = cells if listed else cells[:2]
    numbers = [_parse_number(cell.removeprefix("-"), len(names), found.path, line) for cell in ends]
    if len(cells) > 2 and not listed and cells[2] != "1":
        known = known | {"weight": cells[2]}
    for other in numbers[1:]:
        found.add_link(names[numbers[0] - 1], names[other - 1], known, section.startswith("*arcs"))


def write(graph: Graph, names: list[str], stream: BinaryIO, path: Path) -> None:
    """Write a graph as Pajek, which cannot hold quotes or line breaks in names."""
    for what, texts in (("a name", names), ("a kind of links", [kind for kind in graph.kinds if kind])):
        for text in texts:
            if not text or re.search(r'["\r\n\0]', text):
                raise BadParameter(
                    f"{path}: in Pajek {what} must be a text without quotes and line breaks. Got {text!r:.60}. "
                    "Write GraphML, or rename it."
                )
    stream.write(f"*Vertices {len(names)}\n".encode())
    for number, name in enumerate(names, 1):
        stream.write(f'{number} "{name}"\n'.encode())
    section: Relation | None = None
    if not graph.m:
        stream.write(b"*Arcs\n" if graph.directed else b"*Edges\n")
    for a, b, relation in sorted(graph.each_link(), key=lambda link: link[2].order):
        if relation != section:
            section = relation
            title = "*Edges" if relation.direction == "both" else "*Arcs"
            label = "" if relation.kind is None else f' :{graph.kinds.index(relation.kind) + 1} "{relation.kind}"'
            stream.write(f"{title}{label}\n".encode())
        stream.write(f"{a + 1} {b + 1}\n".encode())
