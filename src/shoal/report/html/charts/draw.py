"""Charts as SVG markup for pages and as picture files, drawn by vl-convert in a separate process.

vl-convert ends its process if memory is short; a separate process protects this one. It starts with the first chart,
draws all later ones, and ends with this process (:mod:`shoal.report.html.charts.drawing_process`).

The policy of a page forbids inline styles, and a page has a light, a dark and a print style. So a chart is drawn in
stand-in colors, which become variables of the style sheet. Only attributes that load and run nothing are kept.
"""

from __future__ import annotations

import atexit
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any
from xml.etree import ElementTree

from shoal.errors import BadParameter, MissingLibrary, MissingResource, cut, describe_exit, load, notice
from shoal.io.atomic import replace_file

# The drawing process.

PROCESS = Path(__file__).with_name("drawing_process.py")
START = "import runpy, sys; sys.path[:] = sys.argv[2:]; runpy.run_path(sys.argv[1], run_name='__main__')"
"""The code of the process: it has the search path of its parent and imports nothing of shoal."""
PATIENCE = 10
"""Seconds for a process that closed its output to end."""
LIBRARY = "vl_convert"


def draw_chart(chart: str, ending: str, purpose: str = "Drawing", extra: str = "plots") -> bytes:
    """Render a Vega-Lite chart, given as JSON, as svg or png, without any network.

    Raises
    ------
    MissingLibrary
        vl-convert is not installed.
    MissingResource
        The drawing process did not start, or ended early: usually there is too little memory.
    """
    if find_spec(LIBRARY) is None:
        raise MissingLibrary(f"{purpose} needs the library '{LIBRARY}'. Install it with: pip install 'shoal[{extra}]'")
    with _lock:
        return _get_draftsman().draw(chart, ending)


class Draftsman:
    """A process that draws charts, one at a time."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-c", START, str(PROCESS), *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=os.name == "posix",  # an interrupt from the keyboard is for the parent alone
            )
        except OSError as error:
            raise MissingResource(f"{FAILED} its process could not be started ({cut(error.strerror)}).") from error

    @property
    def is_there(self) -> bool:
        """Whether it runs and belongs to this process, not to the parent of a fork."""
        return self.owner == os.getpid() and self.process.poll() is None

    def draw(self, chart: str, ending: str) -> bytes:
        """Return a chart as a file. An interrupt ends the process: its late answer would be taken for the next."""
        try:
            answer = self._ask({"chart": chart, "ending": ending})
        except BaseException:
            self.end()
            raise
        if "page" not in answer:
            raise RuntimeError(f"The chart is refused: {cut(answer['refused'])}")
        return base64.b64decode(answer["page"])

    def end(self) -> None:
        """Stop it at once; only the process that started it does so."""
        if self.owner != os.getpid():
            return
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]

    def _ask(self, request: dict[str, str]) -> dict[str, Any]:
        with suppress(OSError):  # a dead process is detected below
            self.process.stdin.write(json.dumps(request).encode() + b"\n")  # type: ignore[union-attr]
            self.process.stdin.flush()  # type: ignore[union-attr]
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line.endswith(b"\n"):
            raise MissingResource(f"{FAILED} its process ended ({self._describe_end()}). {ADVICE}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _describe_end(self) -> str:
        """Say how the process ended."""
        try:
            return describe_exit(self.process.wait(PATIENCE))
        except subprocess.TimeoutExpired:
            return "it closed its output"


FAILED = "a chart could not be drawn:"
ADVICE = (
    "Drawing reserves more than 6 GB of address space: raise the limit (ulimit -v), or go without charts (a .json "
    "report, no --plot)."
)

_lock = Lock()
_draftsmen: list[Draftsman] = []


def _get_draftsman() -> Draftsman:
    """Return the drawing process; start a new one if the last has ended."""
    if not (_draftsmen and _draftsmen[-1].is_there):
        _end_all()
        _draftsmen.append(Draftsman())
    return _draftsmen[-1]


def _end_all() -> None:
    while _draftsmen:
        _draftsmen.pop().end()


atexit.register(_end_all)


# A chart as markup for a page.


KEPT = {
    *("viewBox", "d", "x", "y", "x1", "y1", "x2", "y2", "dx", "dy", "cx", "cy", "r", "width", "height", "transform"),
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "fill-opacity", "opacity"),
    *("stroke-miterlimit", "text-anchor", "font-size", "font-weight", "clip-path", "id", "pointer-events"),
}
"""Attributes that are kept."""
DROPPED = ("metadata", "script", "foreignObject", "style", "image", "a")


def render_svg(chart: str, colors: Mapping[str, str], name: str, title: str, description: str, **how: bool) -> str:
    """Draw a Vega-Lite chart, given as JSON; see :func:`clean_svg` and :func:`frame_svg`.

    If the drawing process ends early, the picture is empty and a notice says so.
    """
    try:
        svg = draw_chart(chart, "svg", "A report", extra="report").decode()
    except MissingResource as error:
        notice(f"the page is written without a picture: {error}")
        return ""
    return frame_svg(clean_svg(svg, colors, name, **how), name, title, description)


def clean_svg(svg: str, colors: Mapping[str, str], name: str, *, hover: bool = False) -> str:
    """Return a picture with variables for stand-in colors, unique ids, and labels on marks only.

    With `hover`, the label of a mark is shown without a script.

    >>> clean_svg('<svg viewBox="0 0 1 1"><path id="clip1" style="x" fill="#010101"/></svg>', {"#010101": "ink"}, "a")
    '<svg viewBox="0 0 1 1"><path fill="var(--ink)" id="a-clip1" /></svg>'
    """
    root = ElementTree.fromstring(svg)
    _clean(root, colors, name, hover)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element, colors: Mapping[str, str], name: str, hover: bool) -> None:
    element.tag = element.tag.rpartition("}")[2]
    for child in list(element):
        if child.tag.rpartition("}")[2] in DROPPED or _is_unseen(child):
            element.remove(child)
        else:
            _clean(child, colors, name, hover)
    told = element.attrib.get("aria-label") if element.tag in (("path", "line") if hover else ("path",)) else None
    kept = {key: replace_color(value, colors) for key, value in sorted(element.attrib.items()) if key in KEPT}
    kept |= {key: _prefix_id(kept[key], name) for key in ("id", "clip-path") if key in kept}
    element.attrib.clear()
    element.attrib.update(kept)
    if told and hover:
        ElementTree.SubElement(element, "title").text = told
    elif told:
        element.set("aria-label", told)
        element.set("role", "img")  # a path without a role must have no label


def _is_unseen(element: ElementTree.Element) -> bool:
    return element.attrib.get("d") == "" or element.attrib.get("display") == "none"


def replace_color(value: str, colors: Mapping[str, str]) -> str:
    """Return the variable of a stand-in color; any other value unchanged."""
    return f"var(--{colors[value]})" if value in colors else value


def _prefix_id(value: str, name: str) -> str:
    """Return an id, or a reference to one, that is unique on the page."""
    return re.sub(r"^(url\(['\"]?#)?", lambda found: f"{found.group(0)}{name}-", value)


def frame_svg(svg: str, name: str, title: str, description: str) -> str:
    """Return a picture with a title and a description for screen readers."""
    box = re.search(r'viewBox="([^"]+)"', svg)
    assert box is not None
    inside = svg[svg.index(">") + 1 : svg.rindex("</svg>")]
    told = f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(description)}</desc>'
    head = f'<svg viewBox="{box[1]}" role="img" aria-labelledby="{name}-title {name}-desc" class="chart">'
    return f"{head}{told}{inside}</svg>"


# Pages: one file each. The policy allows only the page's own style and script, by their digests.

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
</body>
</html>
"""


def build_page(title: str, style: str, body: str, script: str | None = None, images: str = "") -> str:
    """Return a page around a body that is markup already; a script stands in the body, where it is run."""
    policy = build_policy(style, script, images)
    return PAGE.format(policy=escape(policy), title=escape(title), style=style, body=body)


def build_policy(style: str, script: str | None = None, images: str = "") -> str:
    """Return the content security policy of a page with one style sheet and perhaps one script.

    >>> build_policy("")
    "default-src 'none'; style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; base-uri 'none'; form-action
    'none'"
    """
    parts = ["default-src 'none'"]
    parts += [] if script is None else [f"script-src {compute_digest(script)}"]
    parts += [f"style-src {compute_digest(style)}", *([f"img-src {images}"] if images else [])]
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def compute_digest(text: str) -> str:
    """Return the digest of an inline text as a policy writes it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def load_template(name: str) -> Any:
    """Return a template for the body of a page, in which every text is escaped and every value must be there."""
    return build_templates(read_page_part).get_template(name)


def build_templates(read: Callable[[str], str | None]) -> Any:
    """Return an environment of templates, whose sources `read` returns by name."""
    jinja2 = load("jinja2", "A report", extra="report")
    strict = {"autoescape": True, "trim_blocks": True, "lstrip_blocks": True, "undefined": jinja2.StrictUndefined}
    return jinja2.Environment(loader=jinja2.FunctionLoader(read), **strict)


def read_page_part(name: str) -> str:
    """Return a template, a style sheet or a script as text."""
    return files("shoal.report.html").joinpath("templates", name).read_text(encoding="utf-8")


# Picture files.

FORMATS = ("png", "svg", "html")
STYLE = "body{margin:1em;background:#fff}svg{max-width:60em;width:100%;height:auto;font-family:sans-serif}"


def save_chart(make: Callable[[], Any], path: Path, force: bool) -> None:
    """Write a chart into a .png, .svg or .html file."""
    ending = path.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise BadParameter(f"A picture must be a .png, .svg or .html file. Got {path.name!r}.")
    chart: dict[str, Any] = make().to_dict()
    page = render_chart_page(chart).encode() if ending == "html" else draw_chart(json.dumps(chart), ending)
    with replace_file(path, force=force) as stream:
        stream.write(page)


def render_chart_page(chart: dict[str, Any]) -> str:
    """Return a page with one picture, without scripts or network access. Marks show their numbers.

    `chart` is a Vega-Lite chart with a title.
    """
    title = str(chart["title"])
    svg = frame_svg(
        clean_svg(draw_chart(json.dumps(chart), "svg").decode(), {}, "chart", hover=True), "chart", title, title
    )
    return build_page(title, STYLE, svg)
