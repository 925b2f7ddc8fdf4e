"""A chart as markup for a page: rendered when the page is made, colored by the page, alone with its texts.

A page with a strict policy allows no inline style, and is read in the light, in the dark and on paper. So a chart is
drawn in stand-in colors, which become variables of the page's sheet; of what the renderer wrote, only attributes stay
that load and run nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from html import escape
from xml.etree import ElementTree

from shoal.errors import MissingResource, notice
from shoal.report.html.charts.draw import draw

KEPT = {
    *("viewBox", "d", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "cx", "cy", "r", "width", "height", "transform"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity"),
    *("stroke-miterlimit", "text-anchor", "font-size", "font-weight", "clip-path", "id", "pointer-events"),
}
"""Attributes that may stay."""
DROPPED = ("metadata", "script", "foreignObject", "style", "image", "a")


def rendered(chart: str, colors: Mapping[str, str], name: str, title: str, description: str, **how: bool) -> str:
    """Draw a Vega-Lite chart, given as JSON; see :func:`cleaned` and :func:`framed`.

    Where the process that draws ends, the picture is empty, which is said: the page stands without it.
    """
    try:
        svg = draw(chart, "svg", "A report", extra="report").decode()
    except MissingResource as error:
        notice(f"the page is written without a picture: {error}")
        return ""
    return framed(cleaned(svg, colors, name, **how), name, title, description)


def cleaned(svg: str, colors: Mapping[str, str], name: str, *, hover: bool = False) -> str:
    """Return a picture with variables for stand-in colors, ids of its own, and of its words only those of marks.

    With `hover` what is said of a mark is shown without a script.

    >>> cleaned('<svg viewBox="0 0 1 1"><path id="clip1" style="x" fill="#010101"/></svg>', {"#010101": "ink"}, "a")
    '<svg viewBox="0 0 1 1"><path fill="var(--ink)" id="a-clip1" /></svg>'
    """
    root = ElementTree.fromstring(svg)
    _clean(root, colors, name, hover)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, colors: Mapping[str, str], name: str, hover: bool) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for child in list(element):
        if child.tag.rpartition("}")[2] in DROPPED or _unseen(child):
            element.remove(child)
        else:
            _clean(child, colors, name, hover)
    told = element.attrib.get("aria-label") if element.tag in (("path", "line") if hover else ("path",)) else None
    kept = {key: colored(value, colors) for key, value in sorted(element.attrib.items()) if key in KEPT}
    kept |= {key: _own(kept[key], name) for key in ("id", "clip-path") if key in kept}
    element.attrib.clear()
    element.attrib.update(kept)
    if told and hover:
        ElementTree.SubElement(element, "title").text = told
    elif told:
        element.set("aria-label", told)


def _unseen(element: ElementTree.Element) -> bool:
    return element.attrib.get("d") == "" or element.attrib.get("display") == "none"


def colored(value: str, colors: Mapping[str, str]) -> str:
    """Return the variable that a stand-in color is for, and anything else as it is."""
    return f"var(--{colors[value]})" if value in colors else value


def _own(value: str, name: str) -> str:
    """Give an id, or what refers to one, a name that no other picture of the page has."""
    return re.sub(r"^(url\(['\"]?#)?", lambda found: f"{found.group(0)}{name}-", value)


def framed(svg: str, name: str, title: str, description: str) -> str:
    """Return a picture that says what it is to whoever cannot see it."""
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None
    inside = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    told = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    head = f'<svg viewBox="{box[1]}" role="img" aria-labelledby="{name}-title {name}-desc" class="chart">'
    return f"{head}{told}{inside}</svg>"


# What a page may do: show the style and run the script that came with it, by their digests, and nothing else.


def allow_only(style: str, script: str | None = None, images: str = "") -> str:
    """Return the content security policy of a page with one style sheet and perhaps one script.

    >>> allow_only("")
    "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; base-uri 'none'; form-action
    'none'"
    """
    parts = ["default-src 'none'"]
    parts += [] if script is None else [f"script-src {digest(script)}"]
    parts += [f"style-src {digest(style)}", *([f"img-src {images}"] if images else [])]
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def digest(text: str) -> str:
    """Return what a policy calls an inline text by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
