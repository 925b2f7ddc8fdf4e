"""The page of an audit: one file that needs no network, no script to be read, and no help to be understood.

Everything on it is read from the data of the audit. Texts are escaped by the template; styles and the script are
allowed by their digests and nothing else is.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from shoal.auditing.run import Audit
from shoal.auditing.verdict import VERDICTS
from shoal.errors import BadFile, load
from shoal.report.html.blocks import Section, Text
from shoal.report.html.charts.draw import allow_only
from shoal.report.html.sections.change import attacks, utility
from shoal.report.html.sections.dossier import (
    certificate,
    columns,
    identification,
    methods,
    model,
    reproduce,
    residual,
    thresholds,
)
from shoal.report.html.sections.risk import after, before, grouped
from shoal.report.html.sections.verdict import headline, sentences
from shoal.report.phrases import title
from shoal.show import as_picture, as_text
from shoal.terminal import cut, join_lines, spell_controls

__all__ = ["page", "sections", "sentences"]


@as_text.register
def audit_text(audit: Audit) -> str:
    """Return the verdict: the answer, and three sentences."""
    return join_lines([headline(audit.data), *sentences(audit.data)])


@as_picture.register
def save_audit(audit: Audit, path: Path, force: bool) -> None:
    """Write an audit as a page."""
    try:
        text = page(audit.data)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        came = f"Got data that cannot be read: {cut(repr(error))}"
        raise BadFile(f"Audit.save: the data must be those of an audit. {came}. Make the audit again.") from error
    audit.write(path, text, force)


def page(data: dict[str, Any]) -> str:
    """Return the whole page."""
    jinja2 = load("jinja2", "A report", extra="report")
    style, script = _part("audit.css"), _part("audit.js")
    made = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    text: str = made.from_string(_part("audit.html")).render(
        heading="Report on a release" if data["output"] is not None else "Report on data before release",
        form=data["form"],
        headline=headline(data),
        verdict=sentences(data),
        kinds=data["verdict"]["kinds"],
        tally=[(name.replace(" ", "-"), name, _tallied(data["verdict"], name)) for name in VERDICTS],
        unsought=len(data["verdict"]["not sought"]),
        date=data["date"],
        shoal=data["shoal"],
        sections=sections(data),
        style=style,
        script=script,
        policy=allow_only(style, script, images="data:"),
    )
    return spell_controls(text)


def sections(data: dict[str, Any]) -> list[Section]:
    """Return what a dossier holds, in the order in which it is asked for."""
    k = next(int(one["value"]) for one in data["thresholds"] if one["what"] == "candidates")
    groups = Section(
        "groups", "Three questions", [Text("Authorities ask three questions; these numbers answer them:"), *grouped()]
    )
    return [
        identification(data),
        columns(data),
        model(data),
        thresholds(data),
        groups,
        before(data, k),
        methods(data),
        after(data, k),
        utility(data),
        attacks(data),
        residual(data),
        certificate(data),
        reproduce(data),
    ]


def _tallied(verdict: dict[str, Any], name: str) -> list[str]:
    """Return the kinds of knowledge with one verdict; what passes by a promise says so."""
    why = dict.fromkeys(verdict["by promise"], " (promised and verified)")
    return [f"{title(spec)}{why.get(spec, '')}" for spec in verdict[name]]


def _part(name: str) -> str:
    return files("shoal.report.html").joinpath("templates", name).read_text(encoding="utf-8")
