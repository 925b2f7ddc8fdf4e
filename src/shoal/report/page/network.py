"""The network as a picture: everybody where they were put, colored by how well they are hidden, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.report.page.blocks import Grid, Picture
from shoal.report.page.knowledge import known, title
from shoal.report.svg import framed

SHADES = ("singled out", "2 to 4", "5 to 10", "11 to 20", "more than 20", "misled: nothing fits")
MARGIN = 3.0
RADIUS = 1.05


def network(found: dict[str, Any], lens: dict[str, Any], when: str, name: str) -> Picture:
    """Draw the network, everybody colored by the number of candidates that one kind of knowledge leaves them."""
    at, links, shades = found["at"], found["links"][when], lens[when]
    data = "original" if when == "before" else "release"
    heading = f"The {data}; known: {title(lens['knows'])}"
    many = [shades.count(shade) for shade in range(len(SHADES))]
    sampled = (
        f"{found['drawn']:,} of {found['of']:,} people are drawn"
        if found["drawn"] < found["of"]
        else "Everybody is drawn"
    )
    described = (
        f"{sampled}, with {len(links):,} links among them. Known is {known(lens['knows'])}. People by candidates: "
        + "; ".join(f"{SHADES[shade]}: {number:,}" for shade, number in enumerate(many) if number)
        + "."
    )
    high = max(y for _, y in at)
    box = f"{-MARGIN} {-MARGIN} {100 + 2 * MARGIN} {round(high + 2 * MARGIN, 1)}"
    svg = f'<svg viewBox="{box}">{_strokes(at, links)}{_dots(at, shades)}</svg>'
    table = Grid(heading, ["candidates", "people drawn"], [[SHADES[s], f"{n:,}"] for s, n in enumerate(many)])
    legend = [
        (f"risk-{shade}" if shade < 5 else "misled", SHADES[shade]) for shade in range(len(SHADES)) if many[shade]
    ]
    return Picture(
        name, heading, described, framed(svg, name, heading, described), table, zoom=True, legend=legend, half=True
    )


def _strokes(at: Sequence[Sequence[float]], links: Sequence[Sequence[int]]) -> str:
    """Return all links as one path: thousands of elements would make a page slow."""
    path = "".join(f"M{at[a][0]} {at[a][1]}L{at[b][0]} {at[b][1]}" for a, b in links)
    return f'<path class="links" d="{path}"/>' if path else ""


def _dots(at: Sequence[Sequence[float]], shades: Sequence[int]) -> str:
    """Return everybody as a dot, those who are hidden worst last, so that nobody is drawn over them."""
    order = sorted(range(len(at)), key=lambda v: -shades[v])
    return "".join(
        f'<circle cx="{at[v][0]}" cy="{at[v][1]}" r="{RADIUS}" class="dot-{shades[v]}" aria-label="somebody: '
        f'{SHADES[shades[v]]}"/>'
        for v in order
    )
