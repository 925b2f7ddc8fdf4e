"""Text of risks, and a small table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from shoal.errors import join_lines, tame
from shoal.report.text.wording import (
    align_cells,
    format_bound,
    format_count,
    format_share,
    join_names,
    render_table,
    shorten_spec,
)
from shoal.risk.assess import Risk
from shoal.show import as_html, as_text


def describe_headline(risk: Risk) -> str:
    """Say in one sentence how the least protected vertices stand.

    >>> import shoal
    >>> describe_headline(shoal.assess(shoal.examples.florentine(), "degree"))
    'k = 1: 1 of 15 vertices stands alone.'
    """
    n, least = len(risk.sizes), int((risk.sizes == risk.k).sum())
    one, many = risk.graph.noun
    if risk.k == 0:
        return f"k = 0: nothing published fits any of the {n:,} {many}; all are misled."
    if risk.k == 1:
        return f"k = 1: {least:,} of {n:,} {many} {'stands' if least == 1 else 'stand'} alone."
    if not risk.exact:
        return f"k <= {risk.k:,}: a search was cut short, so the smallest candidate set may be smaller."
    sought = f"every {one}" if not risk.misled else f"each of the {n - len(risk.misled):,} {many} that something fits"
    return f"k = {risk.k:,}: {sought} could be {risk.k:,} {many} or more; {least:,} of {n:,} no more than that."


def describe_recoded(risk: Risk) -> str:
    """Say that some known values are not in the release as they were."""
    return (
        f"{join_names(risk.unmatched)} of the release lacks values that the original has. If they were recoded "
        "(a range, a list, *), comparing values says nothing about them."
    )


def build_bucket_rows(risk: Risk) -> list[tuple[str, int]]:
    """Return candidates and vertices, a row per bucket of Hay et al.; the misled last, where there are any."""
    misled = len(risk.misled)
    return [*risk.buckets().items(), *([("misled", misled)] if misled else [])]


@as_text.register
def describe_risk(risk: Risk) -> str:
    """Return a risk as a few lines."""
    n = len(risk.sizes)
    head = f"Risk for whoever knows {risk.adversary!r}, in {risk.graph!r}. {risk.adversary.assumes}".rstrip(". ")
    rows = [[name, f"{many:,}", format_share(many, n)] for name, many in build_bucket_rows(risk)]
    caution = [f"Caution: {describe_recoded(risk)}"] if risk.unmatched else []
    return join_lines(
        [head, describe_headline(risk), *caution, *render_table(["candidates", risk.graph.noun[1], "share"], rows)]
    )


@as_html.register
def render_risk(risk: Risk) -> str:
    """Return a risk as a table with bars."""
    rows = "".join(_render_bar_row(name, many, len(risk.sizes)) for name, many in build_bucket_rows(risk))
    head = "".join(f"<th scope='col'>{title}</th>" for title in ("candidates", risk.graph.noun[1], "share", ""))
    knows = f"Whoever knows <code>{escape(repr(risk.adversary))}</code> in {escape(repr(risk.graph))}."
    told = escape(f"{describe_headline(risk)} {risk.adversary.assumes}".rstrip())
    caption = f"<caption style='text-align:left'>{knows} {told}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _render_bar_row(name: str, many: int, n: int) -> str:
    bar = f"<div role='presentation' style='background:#4c78a8;height:.8em;width:{16 * many / n:.2f}em'></div>"
    numbers = f"<td>{many:,}</td><td>{escape(format_share(many, n))}</td>"
    cells = f"{numbers}<td style='text-align:left;min-width:16em'>{bar}</td>"
    return f"<tr><th scope='row'>{escape(name)}</th>{cells}</tr>"


@dataclass(frozen=True)
class RiskLines:
    """One line per kind of knowledge, to be printed as soon as it is known: widths do not depend on the results."""

    specs: Sequence[str]
    k: int
    n: int
    attacked: bool = False
    """Whether facts come from an original, so that some vertices may be misled."""

    def format_head(self) -> str:
        """Return the line above."""
        return self._format_line(
            ["knows", "k", "alone", f"below {self.k}", "share", *(["misled"] if self.attacked else []), "time"]
        )

    def format_row(self, row: dict[str, Any]) -> str:
        """Return the line of one kind of knowledge, given as plain data: k, alone, below k, and the seconds it took."""
        missed = [f"{row['misled']:,}"] if self.attacked else []
        return self._format_line([row["knows"], *_format_at_risk(row), *missed, f"{row['seconds']:.2f} s"])

    def _format_line(self, cells: list[str]) -> str:
        number = len(f"{self.n:,}")
        widths = [
            number + 1,
            max(5, number),
            max(6 + len(str(self.k)), number),
            7,
            *([max(6, number)] if self.attacked else []),
            8,
        ]
        first = max(len(tame(shorten_spec(spec))) for spec in ("knows", *self.specs))
        return align_cells([tame(shorten_spec(cells[0])), *cells[1:]], [first, *widths])


def _format_at_risk(row: dict[str, Any]) -> list[str]:
    if row["k"] == 0:
        return ["–"] * 4
    n, bound = row["vertices"], not row["all_exact"]
    many = [f"{'>= ' if bound and row[key] < n else ''}{row[key]:,}" for key in ("alone", "below")]
    return [format_bound(row["k"], row["exact"]), *many, format_share(row["below"], n, least=bound)]


def describe_verdict(risk: Risk, k: int) -> tuple[int, str]:
    """Return whether everybody has at least k candidates (0 yes, 1 no, 2 cannot tell), and a sentence about it."""
    code, text = _reach_verdict(risk, k)
    return code, tame(f"{text} {risk.adversary.assumes}".rstrip())


def _reach_verdict(risk: Risk, k: int) -> tuple[int, str]:
    spec, below, n = shorten_spec(risk.adversary.spec), risk.at_risk(k), len(risk.sizes)
    one, many = risk.graph.noun
    if below:
        least = "" if risk.proved_sizes.all() else "at least "
        people = f"{least}{format_count(len(below), one, many)} of {n:,} with fewer than {k:,} candidates"
        return 1, f"does not hold: {spec} leaves {people} (k {'=' if risk.exact else '<='} {risk.k:,})."
    if risk.unfit.any():
        many = f"of {int(risk.unfit.sum()):,} of {n:,} {many} some known columns fit nobody"
        return 2, f"cannot tell: {many}. If values were recoded or suppressed, comparing them says nothing."
    if risk.unmatched:
        return 2, f"cannot tell: {describe_recoded(risk)}"
    if risk.k == 0:
        return 2, f"cannot tell: nothing published fits what {spec} knows about any of the {n:,} {many}."
    if not risk.proved_sizes.all():
        return 2, f"cannot tell: the search for {spec} was cut short; k is at most {risk.k:,}."
    left = f"at least {format_count(k, 'candidate')} (k = {risk.k:,})"
    if not risk.misled:
        return 0, f"holds: {spec} leaves every {one} {left}."
    missed = f"for {len(risk.misled):,} of {n:,} nothing fits (misled), which is not safety"
    return (
        0,
        f"holds for the {n - len(risk.misled):,} {many} that something fits: {spec} leaves them {left}; {missed}.",
    )
