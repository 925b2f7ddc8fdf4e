"""Text of levels, level curves and similarity radii."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal

from shoal.core.types import Reading
from shoal.errors import join_lines
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.wording import format_share, render_table
from shoal.risk.curves import LevelCurves
from shoal.risk.levels import Levels
from shoal.risk.similarity import SimilarityRadius
from shoal.show import as_html, as_text
from shoal.wording import format_count

ASSUMED: dict[Any, str] = {
    "neighbors": "Definition II: the attacker knows neighbors; non-neighbors are assumed unknown.",
    "exact-neighbors": "Definition II with multiplicities: the attacker knows neighbors and how often each is linked; "
    "non-neighbors are assumed unknown.",
    "relations": "Definition I: the attacker knows links and missing links.",
    "located-relations": "Definition I, located: a vertex named in a known relation is not a candidate.",
    "columns": "The attacker knows values of columns; a missing value is a value.",
}
"""What each reading assumes about the attacker; shown beside every result."""


def name_relation(reading: Reading | Literal["columns"]) -> str:
    """Return the noun for one known fact.

    >>> name_relation("located-relations")
    'relation'
    """
    return "column" if reading == "columns" else "neighbor" if "neighbors" in reading else "relation"


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
    l = 0. 17 of 34 vertices keep at least k candidates, whichever neighbors are known. 1 has fewer than k with
    1 known neighbor, 15 with 2, 1 with 3.
    """
    n, what, histogram = found.graph.n, name_relation(found.reading), found.histogram()
    many_of = found.graph.noun[1]
    parts = ["Safe for every l." if found.l == inf else f"l {'=' if found.l_exact else '>='} {int(found.l)}."]
    hidden = histogram.pop(inf, 0)
    if hidden:
        keep = f"{'keeps' if hidden == 1 else 'keep'} at least k candidates"
        parts.append(f"{hidden:,} of {n:,} {many_of} {keep}, whichever {what}s are known.")
    falls = [f"{many:,} with {int(l) + 1}" for l, many in histogram.items()]
    if falls:
        many, _, size = falls[0].partition(" with ")
        have = "has" if many == "1" else "have"
        falls[0] = f"{many} {have} fewer than k with {format_count(int(size), f'known {what}')}"
        parts.append(f"{', '.join(falls)}.")
    cut = sum(found.lower_bounds().values())
    if cut:
        parts.append(f"The search was cut short for {cut:,}: their l is a lower bound.")
    return " ".join(parts)


def build_level_rows(found: Levels) -> list[list[str]]:
    """Return a row per l: how many known facts leave fewer than k candidates, for how many vertices."""
    n, what = found.graph.n, name_relation(found.reading)
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
        rows.append([format_level(l, exact=False), "cut short", f"{many:,}", format_share(many, n)])
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
    return [f"Levels of {found.graph!r} for k = {format_k(found.k)}. {ASSUMED[found.reading]}", describe_summary(found)]


def _list_titles(found: Levels) -> list[str]:
    return ["l", "below k with", found.graph.noun[1], "share"]


def _describe_columns(found: Levels) -> str:
    what = name_relation(found.reading)
    return (
        f"l: any l known {what}s leave at least k candidates. "
        f"below k with: the fewest known {what}s that leave fewer than k."
    )


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
    (_, many), what = first.graph.noun, name_relation(first.reading)
    told = f"Share of {many} with fewer than k candidates, by the number of known {what}s, in {first.graph!r}."
    return [told, ASSUMED[first.reading]]


def build_curve_rows(front: LevelCurves) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table of level curves and its rows."""
    first = next(iter(front.levels.values()))
    most = min(8, max(len(curve) for curve in front.shares.values()))
    rows = []
    for k, found in front.levels.items():
        cut = not found.exact.all()
        cells = [format_share(int(found.exposed(l).sum()), first.graph.n, least=bool(cut)) for l in range(1, most + 1)]
        rows.append([str(k), *cells])
    return ["k", *(format_count(l, name_relation(first.reading)) for l in range(1, most + 1))], rows


@as_text.register
def describe_radius(radius: SimilarityRadius) -> str:
    """Return a similarity radius, labeled as an upper bound."""
    algorithm = "3 (2-path similarity)" if radius.similarity == "2-path" else "2 (Manhattan similarity)"
    return (
        f"Stokes & Torra's Algorithm {algorithm} says l = {radius.l} for k = {radius.k} in {radius.graph!r}. "
        "This is only an upper bound, and only for vertices that can have fewer than k candidates."
    )


def describe_claim(found: Levels, radius: SimilarityRadius) -> str:
    """Say what the paper's algorithm claims, and for how many vertices it claims too much."""
    fall = found.exact & (found.per_vertex < inf)
    over = int((radius.per_vertex > found.per_vertex)[fall].sum())
    told = f"Vertex by vertex, it overstates l for {over:,} of these {int(fall.sum()):,} vertices."
    return f"{describe_radius(radius)} {told}"
