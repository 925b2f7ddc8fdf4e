"""A chart as vector graphics inside a page: without style attributes, with colors as variables, with a text beside it.

A page with a strict policy allows no inline style. What the renderer writes as presentation attributes stays, its
stand-in colors become classes that the page's own sheet fills, and nothing of the data is taken as markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from shoal.errors import load

SVG = "http://www.w3.org/2000/svg"
KEPT = {
    *("viewBox", "d", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "cx", "cy", "r", "width", "height", "transform"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity"),
    *("stroke-miterlimit", "text-anchor", "font-size", "font-weight", "clip-path", "id", "pointer-events"),
}
"""Attributes that may stay: none of them loads or runs anything."""
DROPPED = ("metadata", "script", "foreignObject", "style", "image", "a")


def inlined(chart: Mapping[str, Any], colors: Mapping[str, str], title: str, description: str, name: str) -> str:
    """Return a Vega-Lite chart as an <svg> element for a page.

    `colors` gives for each stand-in color the name of the variable that the page has in its place, and `name` makes the
    ids of this picture its own.
    """
    convert = load("vl_convert", "Drawing", extra="plots")
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(convert.vegalite_to_svg(json.dumps(chart)))
    _clean(root, colors, name)
    for unwanted in ("width", "height"):
        root.attrib.pop(unwanted, None)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-text")
    for tag, text in (("desc", description), ("title", title)):
        element = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{name}-{'text' if tag == 'desc' else 'title'}"})
        element.text = text
        root.insert(0, element)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, colors: Mapping[str, str], name: str) -> None:
    for child in list(element):
        if child.tag.rpartition("}")[2] in DROPPED:
            element.remove(child)
        else:
            _clean(child, colors, name)
    label = element.attrib.get("aria-label")
    kept = {key: value for key, value in element.attrib.items() if key in KEPT}
    classes = [_class(key, colors[kept[key]]) for key in ("fill", "stroke") if kept.get(key) in colors]
    element.attrib.clear()
    element.attrib.update(
        {key: _own(value, name) if key in ("id", "clip-path") else value for key, value in kept.items()}
    )
    for key in ("fill", "stroke"):
        if kept.get(key) in colors:
            del element.attrib[key]
    if classes:
        element.set("class", " ".join(classes))
    if label and element.tag == f"{{{SVG}}}path":
        hover = ElementTree.SubElement(element, f"{{{SVG}}}title")
        hover.text = label


def _class(key: str, color: str) -> str:
    return f"{key}-{color}"


def _own(value: str, name: str) -> str:
    """Give an id, or what refers to one, a name that no other picture of the page has."""
    return re.sub(r"^(url\(['\"]?#)?", lambda found: f"{found.group(0)}{name}-", value)


def sheet(colors: Mapping[str, str]) -> str:
    """Return the rules that fill the classes from the variables of the page.

    >>> print(sheet({"#000010": "ink"}))
    .fill-ink{fill:var(--ink)}.stroke-ink{stroke:var(--ink)}
    """
    return "".join(f".{_class(key, c)}{{{key}:var(--{c})}}" for c in colors.values() for key in ("fill", "stroke"))
