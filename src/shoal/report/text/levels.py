"""Text of levels, level curves and similarity radii."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal

import numpy as np

from shoal.core.incidence import Reading
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import format_count, join_lines, join_names
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import format_share, render_table
from shoal.risk.curves import LevelCurves
from shoal.risk.levels import Levels
from shoal.risk.similarity import SimilarityRadius
from shoal.show import as_html, as_text

ASSUMED: dict[Any, str] = {
    "neighbors": "The attacker knows neighbors, and is assumed never to know that two people are not linked "
    "(Definition II of Stokes & Torra 2012).",
    "exact-neighbors": "The attacker knows neighbors and the multiplicities of their links, and is assumed never to "
    "know that two people are not linked (Definition II of Stokes & Torra 2012, with multiplicities).",
    "relations": "The attacker knows links and missing links (Definition I of Stokes & Torra 2012).",
    "located-relations": "The attacker knows links and missing links to located vertices, which are not candidates "
    "(Definition I of Stokes & Torra 2012, located).",
    "columns": "The attacker knows values of columns. A missing value counts as a value.",
}
"""What each reading assumes about the attacker; shown beside every result."""


def name_relation(reading: Reading | Literal["columns"], data: Dataset) -> str:
    """Return the noun for one known fact.

    >>> import shoal
    >>> name_relation("neighbors", shoal.examples.karate())
    'neighbor'
    """
    if reading in ("columns", "relations", "located-relations"):
        return "column" if reading == "columns" else "relation"
    return "link" if isinstance(data, Graph) and data.ties is not None else "neighbor"


def describe_assumption(reading: Reading | Literal["columns"], data: Dataset) -> str:
    """Return what a reading assumes about the attacker."""
    if not isinstance(data, Graph) or data.ties is None or reading == "columns":
        return ASSUMED[reading]
    parts = [*(["direction"] if data.directed else []), *(["kind"] if data.kinds else [])]
    return f"{ASSUMED[reading]} Each known link comes with its {join_names(parts)}."


def format_level(l: float, exact: bool = True) -> str:
    """Format a level l, marked where it is only a lower bound.

    >>> format_level(2.0), format_level(2.0, exact=False), format_level(inf)
    ('2', '>= 2', 'every l')
    """
    return "every l" if l == inf else f"{'' if exact else '>= '}{int(l)}"


def describe_summary(found: Levels) -> str:
    """Say how many known facts leave how many vertices with fewer than k candidates.

    >>> import shoal
    >>> print(describe_summary(shoal.levels(shoal.examples.karate(), k=2)))
    The smallest level is 0. 17 of 34 vertices keep at least k candidates, whichever neighbors are known.
    For 1 vertex, 1 known neighbor can leave fewer than k candidates; for 15, it takes 2; for 1, it takes 3.
    """
    n, what, histogram = found.graph.n, name_relation(found.reading, found.graph), found.histogram()
    one, many_of = found.graph.noun
    level = f"The smallest level is {'' if found.l_exact else 'at least '}"
    parts = ["Safe for every l." if found.l == inf else f"{level}{int(found.l)}."]
    hidden = histogram.pop(inf, 0)
    if hidden:
        keep = f"{'keeps' if hidden == 1 else 'keep'} at least k candidates"
        parts.append(f"{hidden:,} of {n:,} {many_of} {keep}, whichever {what}s are known.")
    falls = [f"for {many:,}, it takes {int(l) + 1}" for l, many in histogram.items()]
    if falls:
        l, many = next(iter(histogram.items()))
        known = format_count(int(l) + 1, f"known {what}")
        falls[0] = f"For {format_count(many, one, many_of)}, {known} can leave fewer than k candidates"
        parts.append(f"{'; '.join(falls)}.")
    cut = sum(found.lower_bounds().values())
    if cut:
        parts.append(f"The search was cut short for {cut:,} {one if cut == 1 else many_of}: l is a lower bound there.")
    return " ".join(parts)


def build_level_rows(found: Levels) -> list[list[str]]:
    """Return a row per l: how many known facts leave fewer than k candidates, for how many vertices."""
    n, what = found.graph.n, name_relation(found.reading, found.graph)
    rows = [
        [
            format_level(l),
            "never" if l == inf else format_count(int(l) + 1, f"known {what}"),
            f"{many:,}",
            format_share(many, n),
        ]
        for l, many in found.histogram().items()
    ]
    for l, many in found.lower_bounds().items():
        rows.append([format_level(l, exact=False), "search cut short", f"{many:,}", format_share(many, n)])
    return rows


@as_text.register
def describe_levels(found: Levels) -> str:
    """Return levels as a few lines."""
    table = render_table(_list_titles(found), build_level_rows(found), left=2)
    return join_lines([*_list_levels_head(found), *table, _describe_columns(found)])


@as_html.register
def render_levels(found: Levels) -> str:
    """Return levels as an HTML table for notebooks."""
    caption = " ".join(_list_levels_head(found))
    table = render_html_table(_list_titles(found), build_level_rows(found), caption, left=2)
    return table + render_paragraphs([_describe_columns(found)])


def _list_levels_head(found: Levels) -> list[str]:
    what, one = name_relation(found.reading, found.graph), found.graph.noun[0]
    return [
        f"Levels of {found.graph!r} for k = {format_k(found.k)}. {describe_assumption(found.reading, found.graph)}",
        f"The level of a {one} is the largest l such that any l known {what}s leave at least k candidates.",
        describe_summary(found),
    ]


def _list_titles(found: Levels) -> list[str]:
    return ["l", "exposed by", found.graph.noun[1], "share"]


def _describe_columns(found: Levels) -> str:
    what = name_relation(found.reading, found.graph)
    every = (
        f" every l: at least k candidates remain even if all {what}s are known."
        if np.isinf(found.per_vertex).any()
        else ""
    )
    return f"l: the level.{every} exposed by: the fewest known {what}s that can leave fewer than k candidates."


def format_k(k: int | Sequence[int | None]) -> str:
    """Format k, or one number per size of the known set.

    >>> format_k(5), format_k((None, 1000, 100))
    ('5', '- for 1, 1,000 for 2, 100 for 3')
    """
    if isinstance(k, int):
        return f"{k:,}"
    return ", ".join(f"{'-' if least is None else f'{least:,}'} for {s}" for s, least in enumerate(k, 1))


@as_text.register
def describe_level_curves(front: LevelCurves) -> str:
    """Return level curves as a table: a row per k, a column per number of known facts."""
    return join_lines([*_list_curves_head(front), *render_table(*build_curve_rows(front))])


@as_html.register
def render_level_curves(front: LevelCurves) -> str:
    """Return level curves as an HTML table for notebooks."""
    return render_html_table(*build_curve_rows(front), " ".join(_list_curves_head(front)))


def _list_curves_head(front: LevelCurves) -> list[str]:
    first = next(iter(front.levels.values()))
    (_, many), what = first.graph.noun, name_relation(first.reading, first.graph)
    told = f"Share of {many} with fewer than k candidates, by the number of known {what}s, in {first.graph!r}."
    return [told, describe_assumption(first.reading, first.graph)]


def build_curve_rows(front: LevelCurves) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table of level curves and its rows."""
    first = next(iter(front.levels.values()))
    most = min(8, max(len(curve) for curve in front.shares.values()))
    rows = []
    for k, found in front.levels.items():
        cut = not found.exact.all()
        cells = [format_share(int(found.exposed(l).sum()), first.graph.n, least=bool(cut)) for l in range(1, most + 1)]
        rows.append([str(k), *cells])
    return ["k", *(format_count(l, name_relation(first.reading, first.graph)) for l in range(1, most + 1))], rows


@as_text.register
def describe_radius(radius: SimilarityRadius) -> str:
    """Return a similarity radius, labeled as an upper bound."""
    algorithm, similarity = (
        ("3", "the neighbors that v shares with every vertex, v included (2-path similarity)")
        if radius.similarity == "2-path"
        else ("2", "the entries in which the row of v agrees with every row, its own included (Manhattan similarity)")
    )
    return (
        f"For comparison: Algorithm {algorithm} of Stokes & Torra (2012) says l = {radius.l} for k = {radius.k} in "
        f"{radius.graph!r}. For each vertex v it counts {similarity}, and takes the k-th largest count. "
        "l is the smallest of these over all v. This checks one set of known facts per vertex, not all sets. "
        "So the number for v is only an upper bound on the level of v, and only if v can have fewer than k candidates."
    )


def describe_claim(found: Levels, radius: SimilarityRadius) -> str:
    """Say what the paper's algorithm claims, and for how many vertices it claims too much."""
    fall = found.exact & (found.per_vertex < inf)
    over = int((radius.per_vertex > found.per_vertex)[fall].sum())
    told = f"Vertex by vertex, the bound is above the level for {over:,} of these {int(fall.sum()):,} vertices."
    return f"{describe_radius(radius)} {told}"
