"""Write the pages of the reference: every public name once, under its notion. Part of `make docs`; a test compares."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import shoal
from shoal.auditing.findings import AttackResult, PanelRow, RiskAfter, Verdict
from shoal.auditing.model import Audit, PromiseCheck
from shoal.auditing.tradeoff import TradeoffPoint
from shoal.comparison.compare import Comparison
from shoal.knowledge import REGISTRY
from shoal.methods import METHODS, find_method
from shoal.risk.assess import Risk
from shoal.risk.check_certificate import CertificateCheck
from shoal.risk.curves import LevelCurves
from shoal.risk.levels import ColumnLevels, Levels
from shoal.risk.panel import PanelRisk
from shoal.risk.scenario import Judgment
from shoal.risk.similarity import SimilarityRadius

HERE = Path(__file__).parent
MADE = "<!-- made by docs/api/build.py -->"


class Page(NamedTuple):
    """A page of the reference."""

    name: str
    title: str
    says: str
    names: tuple[str, ...] = ()
    """Names at top level."""
    namespaces: tuple[str, ...] = ()
    """Namespaces of shoal whose names are on the page."""
    results: tuple[type, ...] = ()
    """What the functions of the page return."""


PAGES = (
    Page(
        "data", "Data", "Networks and tables, read, converted and written.",
        ("read_graph", "read_table", "read_hierarchy", "read_mapping", "as_graph", "as_table", "write",
         "Graph", "Table", "Hierarchy"),
        ("examples",),
    ),
    Page("knowledge", "Knowledge", "What an attacker knows.", ("parse_knowledge", "Adversary"), ("knowledge",)),
    Page(
        "risk", "Risk", "How many candidates an attacker is left with: a worst case, no truth needed.",
        ("assess", "assess_all", "levels", "level_curves", "similarity_radius", "check_certificate", "Scenario"), (),
        (Risk, PanelRisk, Judgment, Levels, ColumnLevels, LevelCurves, SimilarityRadius, CertificateCheck),
    ),
    Page("relational", "Relational", "The same counts in a database.", (), ("relational",)),
    Page("tables", "Tables", "Uniques, diversity and attacker models of tables.", (), ("tables",)),
    Page("linkage", "Linkage", "Re-identification methods, and the confusion they leave.", ("Linkage",), ("linkage",)),
    Page("methods", "Methods", "They change data and return a release.", ("recommend", "Method"), ("methods",)),
    Page("release", "Releases", "What a method made, and what it promises.", ("covers", "Release"), ("release",)),
    Page("attacks", "Attacks", "Re-identification, tried against a known truth.", ("attack", "Attack"), ("attacks",)),
    Page(
        "audit", "Evaluation", "What a release costs, what it leaves at risk, and the report about both.",
        ("compare", "frontier", "tradeoff", "audit", "read_audit", "Frontier", "Tradeoff"), (),
        (Comparison, TradeoffPoint, Audit, PanelRow, RiskAfter, AttackResult, PromiseCheck, Verdict),
    ),
    Page("settings", "Settings", "What can be set.", (), ("settings",)),
    Page("errors", "Errors", "Every way to say no.", ("ShoalError", "Notice"), ("errors",)),
)  # fmt: skip

SETTINGS = ("threads", "count_threads")
"""The names of shoal.settings that users may read or set."""


TOLD = {
    "knowledge": ("kinds, in [this table](../knowledge.md)", tuple(REGISTRY.values())),
    "methods": ("methods, in [this table](../methods.md)", tuple(map(find_method, METHODS))),
}
"""Classes that a table on another page describes: how the index says so."""

SAYS = {"shoal.methods.METHODS": "Every method by its name on the command line."}


class Entry(NamedTuple):
    """A public name: where it is documented, and what it is."""

    path: str
    found: Any


def entries(page: Page) -> list[Entry]:
    """Return the public names of a page: functions first, then what they take and return.

    >>> [entry.path for entry in entries(PAGES[4])][:2]
    ['shoal.tables.attackers', 'shoal.tables.diversity']
    """
    found = {f"shoal.{name}": getattr(shoal, name) for name in page.names}
    shown = set(map(id, found.values()))
    for namespace in page.namespaces:
        module = getattr(shoal, namespace)
        for name in _members(module):
            if id(getattr(module, name)) not in shown:
                found[f"shoal.{namespace}.{name}"] = getattr(module, name)
    found |= {f"{kind.__module__}.{kind.__name__}": kind for kind in page.results}
    order = sorted(found.items(), key=lambda item: (isinstance(item[1], type), item[0]))
    return [Entry(*item) for item in order]


def _members(module: ModuleType) -> list[str]:
    """Return what is public in a namespace: its `__all__`, its settings, or its errors."""
    if module is shoal.settings:
        return list(SETTINGS)
    errors = [name for name, found in vars(module).items() if isinstance(found, type) and issubclass(found, Exception)]
    top = {id(getattr(shoal, name)) for name in shoal.__all__}
    return [name for name in getattr(module, "__all__", errors) if id(getattr(module, name)) not in top]


def directive(entry: Entry) -> str:
    """Return the directive that writes the reference of a name.

    >>> print(directive(Entry("shoal.assess", shoal.assess)))
    .. autofunction:: shoal.assess
    """
    if entry.path in SAYS:  # data that is defined in another module, where Sphinx does not find what is said of it
        return f".. py:data:: {entry.path}\n\n   {SAYS[entry.path]}"
    if not isinstance(entry.found, type):
        kind = "autofunction" if callable(entry.found) else "autodata"
        return f".. {kind}:: {entry.path}"
    if issubclass(entry.found, Exception):
        return f".. autoexception:: {entry.path}"
    annotations = [vars(kind).get("__annotations__", {}) for kind in entry.found.__mro__]
    same = {field for told in annotations for field, kind in told.items() if str(kind).startswith("ClassVar")}
    left_out = f"\n   :exclude-members: {', '.join(sorted(same))}" if same else ""
    return f".. autoclass:: {entry.path}\n   :members:{left_out}"


def write_page(page: Page) -> str:
    """Return the text of a page."""
    body = "\n\n".join(map(directive, entries(page)))
    return f"# {page.title}\n\n{MADE}\n\n{page.says}\n\n```{{eval-rst}}\n{body}\n```\n"


def summarize(entry: Entry) -> str:
    """Return the first sentence of a docstring; of data there is none."""
    if not callable(entry.found):
        return ""
    words = (entry.found.__doc__ or "").strip().split("\n\n")[0].split()
    return re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", " ".join(words))


def write_index() -> str:
    """Return the page that lists all names; kinds that another page describes, and results, by name only."""
    says = f"Everything that is public. `shoal.__version__` is the version, here {shoal.__version__}."
    parts = ["# Reference of the Python API", MADE, f"{says} The shell has [its own](../commands.md)."]
    for page in PAGES:
        told, kinds = TOLD.get(page.name, ("results", page.results))
        brief = [link(entry) for entry in entries(page) if entry.found in kinds]
        lines = [describe(entry) for entry in entries(page) if entry.found not in kinds]
        lines += [f"* {told}: {', '.join(brief)}"] if brief else []
        parts.append("\n".join([f"## [{page.title}]({page.name}.md)\n", *lines]))
    toc = "\n".join(["```{toctree}", ":hidden:", "", *(page.name for page in PAGES), "```"])
    return "\n\n".join([*parts, toc]) + "\n"


def describe(entry: Entry) -> str:
    """Return the line of the index about a name."""
    return f"* {link(entry)}: {summarize(entry)}".removesuffix(": ")


def link(entry: Entry) -> str:
    """Return a link to the reference of a name."""
    return f"{{py:obj}}`~{entry.path}`"


def find_missing() -> list[str]:
    """Return the names at top level that no page has."""
    there = {name for page in PAGES for name in (*page.names, *page.namespaces)}
    return sorted(set(shoal.__all__) - there)


def pages() -> dict[Path, str]:
    """Return every page of the reference, with its text."""
    if missing := find_missing():
        raise ValueError(f"docs/api/build.py: no page has {', '.join(missing)}. Add it to PAGES.")
    return {HERE / "index.md": write_index(), **{HERE / f"{page.name}.md": write_page(page) for page in PAGES}}


def main() -> int:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote docs/api/{path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
