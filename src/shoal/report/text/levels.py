"""Text of levels, level curves and similarity radii."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal

from shoal.core.types import Reading
from shoal.errors import join_lines
from shoal.report.text.wording import format_count, format_share, render_table
from shoal.risk.curves import LevelCurves
from shoal.risk.levels import Levels
from shoal.risk.similarity import SimilarityRadius
from shoal.show import as_text

ASSUMED: dict[Any, str] = {
    "neighbors": "Definition II: neighbors are known, non-neighbors are assumed unknown.",
    "exact-neighbors": "Definition II with multiplicities: non-neighbors are assumed unknown.",
    "relations": "Definition I: links and missing links are known.",
    "located-relations": "Definition I, located: whose links are known is no candidate.",
    "columns": "Values of columns are known; a missing value is a value.",
}
"""What each reading takes for granted; stands beside every result."""


def name_relation(reading: Reading | Literal["columns"]) -> str:
    """Return what one known relation is called.

    >>> name_relation("located-relations")
    'relation'
    """
    return "column" if reading == "columns" else "neighbor" if "neighbors" in reading else "relation"


def format_level(l: float, exact: bool = True) -> str:
    """Write an l, or that it is only a lower bound.

    >>> format_level(2.0), format_level(2.0, exact=False), format_level(inf)
    ('2', '>= 2', 'every l')
    """
    return "every l" if l == inf else f"{'' if exact else '>= '}{int(l)}"


def describe_summary(found: Levels) -> str:
    """Say in one sentence how much must be known.

    >>> import shoal
    >>> describe_summary(shoal.levels(shoal.examples.karate(), k=2))
    'l = 0; 17 of 34 vertices stay hidden whichever neighbors are known; 1 falls to 1 known neighbor, 15 to 2, 1 to 3.'
    """
    n, what, histogram = found.graph.n, name_relation(found.reading), found.histogram()
    many_of = found.graph.noun[1]
    sign = "=" if found.l_exact else ">="
    parts = ["safe for every l" if found.l == inf else f"l {sign} {int(found.l)}"]
    hidden = histogram.pop(inf, 0)
    if hidden:
        stay = "stays" if hidden == 1 else "stay"
        parts.append(f"{hidden:,} of {n:,} {many_of} {stay} hidden whichever {what}s are known")
    falls = [f"{many:,} to {int(l) + 1}" for l, many in histogram.items()]
    if falls:
        many, _, size = falls[0].partition(" to ")
        falls[0] = f"{many} {'falls' if many == '1' else 'fall'} to {format_count(int(size), f'known {what}')}"
        parts.append(", ".join(falls))
    cut = sum(found.lower_bounds().values())
    if cut:
        parts.append(f"for {cut:,} the search was cut short")
    return "; ".join(parts) + "."


def build_level_rows(found: Levels) -> list[list[str]]:
    """Return l, how many relations must be known, vertices and share: a row per l."""
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
    head = f"Levels for k = {format_k(found.k)} in {found.graph!r}. {ASSUMED[found.reading]}"
    titles = ["l", "falls to", found.graph.noun[1], "share"]
    return join_lines([head, describe_summary(found), *render_table(titles, build_level_rows(found), left=2)])


def format_k(k: int | Sequence[int | None]) -> str:
    """Write k, or one number per size of the set.

    >>> format_k(5), format_k((None, 1000, 100))
    ('5', '- for 1, 1,000 for 2, 100 for 3')
    """
    if isinstance(k, int):
        return f"{k:,}"
    return ", ".join(f"{'-' if least is None else f'{least:,}'} for {s}" for s, least in enumerate(k, 1))


@as_text.register
def describe_level_curves(front: LevelCurves) -> str:
    """Return a frontier as a table: a row per k, a column per number of known relations."""
    first = next(iter(front.levels.values()))
    most = min(8, max(len(curve) for curve in front.shares.values()))
    n, what = first.graph.n, name_relation(first.reading)
    rows = []
    for k, found in front.levels.items():
        cut = not found.exact.all()
        cells = [format_share(int(found.exposed(l).sum()), n, least=bool(cut)) for l in range(1, most + 1)]
        rows.append([str(k), *cells])
    head = f"Share of vertices left with fewer than k candidates by known {what}s, in {first.graph!r}"
    lines = render_table(["k", *(format_count(l, what) for l in range(1, most + 1))], rows)
    return join_lines([head, ASSUMED[first.reading], *lines])


@as_text.register
def describe_radius(radius: SimilarityRadius) -> str:
    """Return a similarity radius, labeled as what it is."""
    algorithm = "3 (2-path similarity)" if radius.similarity == "2-path" else "2 (Manhattan similarity)"
    return (
        f"Algorithm {algorithm} says l = {radius.l} for k = {radius.k} in {radius.graph!r}: "
        "only an upper bound, for vertices that fall at all."
    )


def describe_claim(found: Levels, radius: SimilarityRadius) -> str:
    """Say what the paper's algorithm would have claimed beside the exact levels."""
    fall = found.exact & (found.per_vertex < inf)
    over = int((radius.per_vertex > found.per_vertex)[fall].sum())
    return (
        f"{describe_radius(radius)} Vertex by vertex it overstates l for {over:,} of the {int(fall.sum()):,} that do."
    )
