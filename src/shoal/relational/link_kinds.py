"""Kinds of links in an engine: labels are those of memory, and links refer to them by a code."""

from __future__ import annotations

import numpy as np

from shoal.data.column import Column
from shoal.data.kinds import ADVICE, MOST, label_kinds
from shoal.data.ties import MISSING_KIND
from shoal.errors import BadFile, BadGraph, format_count, notice
from shoal.relational.source import Source

KIND = "the kind of a link (kind=, --kind)"
UNLABELED = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ", "TIMESTAMP_NS")
"""Types whose values are not all different in Python, or need a further library; so they cannot be labels."""
TABLES = ("kinds_found", "kinds_numbered", "kind_codes", "kinds")
"""The tables that are kept for the kinds."""


def label_links(links: Source, column: str, where: str) -> list[str]:
    """Keep a code for each kind of link: kinds(kind, code). Return the labels; a missing kind is the last code.

    Parameters
    ----------
    links
        The links.
    column
        Their column of kinds.
    where
        The condition for rows that are links.
    """
    engine = links.engine
    cell = links.cell(column, KIND)
    if links.types[column].startswith(UNLABELED):
        raise BadFile(
            f"{links.place}: {KIND} must hold numbers, texts, dates or truth values. Got "
            f"{links.types[column]} in the column {column!r}. Convert it to text."
        )
    text = links.types[column] == "VARCHAR" or links.types[column].startswith("ENUM")
    empty = "kind IS NULL OR kind = ''" if text else "kind IS NULL"
    engine.keep(
        "kinds_found",
        f"SELECT kind, count(*) AS links FROM (SELECT {cell} AS kind FROM {links.table}{where}) GROUP BY kind",
        "kinds",
    )
    ((missing,),) = engine.collect(f"SELECT sum(links) FROM kinds_found WHERE {empty}", "kinds")
    ((many,),) = engine.collect(f"SELECT count(*) FROM kinds_found WHERE NOT ({empty})", "kinds")
    if many > MOST:
        raise BadGraph(f"{links.place}: the column {column!r} must have at most {MOST:,} kinds. Got {many:,}. {ADVICE}")
    found = engine.collect(f"SELECT kind, links FROM kinds_found WHERE NOT ({empty}) ORDER BY kind", "kinds")
    cells = Column.of([kind for kind, _ in found])
    if len(set(cells.codes.tolist())) < len(found):  # an infinite date is the last one in Python
        raise BadFile(f"{links.place}: some different kinds in the column {column!r} look equal. Convert it to text.")
    twice = np.repeat(cells.codes, [min(2, links) for _, links in found])  # whether it occurs once is all that counts
    labeled = label_kinds(Column(twice, cells.values), name=column, who=links.place)
    labels = [*labeled.labels]
    first = dict(zip(twice.tolist(), labeled.codes.tolist(), strict=True))
    engine.keep(
        "kinds_numbered",
        f"SELECT kind, row_number() OVER (ORDER BY kind) - 1 AS number FROM kinds_found WHERE NOT ({empty})",
        "kinds",
    )
    engine.fill(
        "kind_codes",
        ("number BIGINT", "code INTEGER"),
        [(number, first[code]) for number, code in enumerate(cells.codes.tolist())],
    )
    engine.keep("kinds", "SELECT kind, code FROM kinds_numbered n JOIN kind_codes c ON c.number = n.number", "kinds")
    if missing:
        told = f"{format_count(missing, 'link has', 'links have')} no kind in {column!r}"
        notice(f"{links.place}: {told}. Missing is a kind of its own.", told)
        labels.append(MISSING_KIND)
    return labels or [MISSING_KIND]
