"""The page of an audit: one file that needs no network, and no script to be read.

Everything on it is read from the data of the audit. Texts are escaped by the template; styles and the script are
allowed by their digests and nothing else is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.auditing.run import Audit
from shoal.auditing.verdict import VERDICTS
from shoal.errors import BadFile, cut, join_lines, spell_controls
from shoal.report.html.blocks import Paragraph, Section
from shoal.report.html.charts.draw import build_page, load_template, read_page_part
from shoal.report.html.sections.change import build_attacks, build_utility
from shoal.report.html.sections.dossier import (
    build_certificate,
    build_columns,
    build_identification,
    build_methods,
    build_model,
    build_reproduction,
    build_residual,
    build_thresholds,
)
from shoal.report.html.sections.risk import build_after, build_before, list_questions
from shoal.report.html.sections.verdict import describe_headline, list_sentences
from shoal.report.text.phrases import title_knowledge
from shoal.show import as_picture, as_text

__all__ = ["list_sections", "list_sentences", "render_page"]


@as_text.register
def describe_audit(audit: Audit) -> str:
    """Return the verdict: the answer, and three sentences."""
    return join_lines([describe_headline(audit.data), *list_sentences(audit.data)])


@as_picture.register
def save_audit(audit: Audit, path: Path, force: bool) -> None:
    """Write an audit as a page."""
    try:
        text = render_page(audit.data)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        came = f"Got data that cannot be read: {cut(repr(error))}"
        raise BadFile(f"Audit.save: the data must be those of an audit. {came}. Make the audit again.") from error
    audit.write(path, text, force)


def render_page(data: dict[str, Any]) -> str:
    """Return the whole page."""
    heading = "Report on a release" if data["output"] is not None else "Report on data before release"
    style, script = read_page_part("audit.css"), read_page_part("audit.js")
    body = load_template("audit.html").render(
        heading=heading,
        form=data["form"],
        headline=describe_headline(data),
        verdict=list_sentences(data),
        kinds=data["verdict"]["kinds"],
        tally=[(name.replace(" ", "-"), name, _list_tally(data["verdict"], name)) for name in VERDICTS],
        unsought=len(data["verdict"]["not sought"]),
        date=data["date"],
        shoal=data["shoal"],
        sections=list_sections(data),
        script=script,
    )
    return spell_controls(build_page(f"{heading} – shoal", style, body, script, images="data:"))


def list_sections(data: dict[str, Any]) -> list[Section]:
    """Return what a dossier holds, in the order in which it is asked for."""
    k = next(int(one["value"]) for one in data["thresholds"] if one["what"] == "candidates")
    groups = Section(
        "groups",
        "Three questions",
        [Paragraph("Authorities ask three questions; these numbers answer them:"), *list_questions()],
    )
    return [
        build_identification(data),
        build_columns(data),
        build_model(data),
        build_thresholds(data),
        groups,
        build_before(data, k),
        build_methods(data),
        build_after(data, k),
        build_utility(data),
        build_attacks(data),
        build_residual(data),
        build_certificate(data),
        build_reproduction(data),
    ]


def _list_tally(verdict: dict[str, Any], name: str) -> list[str]:
    """Return the kinds of knowledge with one verdict; what passes by a promise says so."""
    why = dict.fromkeys(verdict["by promise"], " (promised and verified)")
    return [f"{title_knowledge(spec)}{why.get(spec, '')}" for spec in verdict[name]]
