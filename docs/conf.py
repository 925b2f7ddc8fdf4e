"""How the site is built: `make docs`. Pages are plain Markdown; the reference comes from the docstrings."""

from __future__ import annotations

import re
from typing import Any

import shoal

project = "shoal"
author = "The shoal developers"
project_copyright = author
version = release = shoal.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_static"]
default_role = "literal"  # one backtick means code, as in Markdown
nitpicky = True
nitpick_ignore_regex = [("py:class", ".*")]  # types in signatures: most are not public

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
napoleon_google_docstring = False
napoleon_use_rtype = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"shoal {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # it would fetch pages, which a browser refuses to do for files on disk
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c7d", "color-brand-content": "#0b5c7d"},
    "dark_css_variables": {"color-brand-primary": "#7cc4e0", "color-brand-content": "#7cc4e0"},
}


REFERENCE = re.compile(r":(?:class|func|meth|mod|data|obj):`~?([^`]+)`")
BAR = re.compile(r"(?<=[\s/])\|(?=\S)|(?<=\S)\|(?=[\s,.])")  # as in 1/|J|: to Sphinx the name of a substitution
NESTED = {"knowledge": "knowledge/*", "methods": "methods/*"}
"""Pages that are chapters: below each in the table of contents stand those that fit the pattern."""


def public(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Let docstrings name public things by their public names, and the rest as code."""

    def linked(match: re.Match[str]) -> str:
        last = match[1].rsplit(".", 1)[-1]
        return f":py:obj:`~shoal.{last}`" if last in shoal.__all__ else f"``{match[1]}``"

    code = False
    for at, line in enumerate(lines):
        code = bool(line.strip()) and (code or line.lstrip().startswith(">>>"))
        if not code:
            lines[at] = BAR.sub(r"\\|", REFERENCE.sub(linked, line))
    if what in ("attribute", "property", "data"):
        lines.insert(0, "\\ ")  # shows nothing; else napoleon takes words before a colon in the first line for a type


def contents(app: Any, name: str, source: list[str]) -> None:
    """Add the pages of a chapter below it in the table of contents."""
    if name in NESTED:
        source[0] += f"\n\n```{{toctree}}\n:hidden:\n:glob:\n\n{NESTED[name]}\n```\n"


def setup(app: Any) -> None:
    """Listen to Sphinx."""
    app.connect("autodoc-process-docstring", public, priority=400)
    app.connect("source-read", contents)
