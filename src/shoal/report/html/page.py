"""The page of an audit: one file that needs no network, and no script to be read.

The first screen, and the first two printed pages, are a summary for a committee. The rest is an appendix: folded on a
screen, complete on paper. The page is a function of the audit. The template escapes all texts; the policy of the page
allows its own style sheet and script, by their digests, and nothing else.
"""

from __future__ import annotations

import re
from pathlib import Path

from shoal.auditing.model import Audit
from shoal.errors import spell_controls
from shoal.report.html.blocks import Section
from shoal.report.html.charts.draw import build_page, load_template, read_page_part
from shoal.report.html.sections.dossier import (
    build_data,
    build_limits,
    build_method,
    build_reproduction,
    build_scenario,
)
from shoal.report.html.sections.evidence import (
    build_attacks,
    build_people,
    build_risk,
    build_utility,
    list_bucket_legend,
)
from shoal.report.html.sections.summary import build_summary
from shoal.show import as_picture

STYLES = ("theme.css", "blocks.css", "audit.css")
"""The style of the page: colors, then blocks that other pages have too, then its own layout."""


@as_picture.register
def save_audit(audit: Audit, path: Path, force: bool) -> None:
    """Write an audit as a page."""
    audit.write(path, render_page(audit), force)


def render_page(audit: Audit) -> str:
    """Return the whole page."""
    heading = "Report on a release" if audit.output is not None else "Report on data before release"
    style, script = "".join(map(read_page_part, STYLES)), read_page_part("audit.js")
    body = load_template("audit.html").render(
        heading=heading,
        form=audit.form,
        date=audit.date,
        shoal=audit.versions.shoal,
        summary=build_summary(audit),
        sections=list_sections(audit),
        buckets=list_bucket_legend(audit),
        script=script,
    )
    body = re.sub(r"(?<=\d) %", "\u00a0%", body)  # no line ends before a percent sign
    return spell_controls(build_page(f"{heading} – shoal", style, body, script, images="data:"))


def list_sections(audit: Audit) -> list[Section]:
    """Return the sections of the appendix."""
    return [
        build_scenario(audit),
        build_risk(audit),
        build_people(audit),
        build_attacks(audit),
        build_utility(audit),
        build_method(audit),
        build_data(audit),
        build_limits(audit),
        build_reproduction(audit),
    ]
