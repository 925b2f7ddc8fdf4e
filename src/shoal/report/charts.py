"""Results as pictures: vector charts by altair, with a text alternative."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from shoal.data.atomic import replacing
from shoal.errors import BadParameter, load
from shoal.report.levels import relation
from shoal.risk.frontier import Frontier
from shoal.show import as_picture

FORMATS = ("png", "svg", "html")


@as_picture.register
def save_frontier(front: Frontier, path: Path, force: bool) -> None:
    """Draw the share of vertices singled out below k by 1, 2, ... known relations, a curve per k."""
    save_chart(lambda: frontier_chart(front), path, force)


def save_chart(draw: Callable[[], Any], path: Path, force: bool) -> None:
    """Write a chart into a .png, .svg or .html file, after its name was checked."""
    ending = path.suffix.lstrip(".").lower()
    if ending not in FORMATS:
        raise BadParameter(f"A picture must be a .png, .svg or .html file. Got {path.name!r}.")
    page = drawn(draw().to_json(), ending)
    with replacing(path, force=force) as stream:
        stream.write(page)


def drawn(spec: str, ending: str) -> bytes:
    """Render a chart without any network."""
    convert = load("vl_convert", "Drawing", extra="plots")
    if ending == "png":
        return bytes(convert.vegalite_to_png(spec, scale=2))
    text: str = convert.vegalite_to_svg(spec) if ending == "svg" else convert.vegalite_to_html(spec, bundle=True)
    return text.encode()


def frontier_chart(front: Frontier) -> Any:
    """Return the curves as an altair chart."""
    altair = load("altair", "Drawing", extra="plots")
    what = relation(next(iter(front.levels.values())).reading)
    last = max(len(curve) for curve in front.shares.values()) + 1
    rows = [
        {"k": f"k = {k}", "known": l, "share": share}
        for k, curve in front.shares.items()
        for l, share in enumerate([0.0, *curve, *[curve[-1]] * (last - len(curve))])
    ]
    n = next(iter(front.levels.values())).graph.n
    title = f"Who is left with fewer than k candidates by known {what}s ({n:,} vertices)"
    share = altair.Y(
        "share:Q", title="share of vertices", axis=altair.Axis(format="%"), scale=altair.Scale(domain=[0, 1])
    )
    known = altair.X("known:Q", title=f"known {what}s", axis=altair.Axis(values=ticks(last), format="d"))
    return (
        altair.Chart(altair.Data(values=rows), title=title, description=title, width=560, height=320)
        .mark_line(point=True)
        .encode(x=known, y=share, color=altair.Color("k:N", title=None, sort=[f"k = {k}" for k in front.shares]))
        .encode(tooltip=["k:N", "known:Q", altair.Tooltip("share:Q", format=".1%")])
    )


def ticks(last: int) -> list[int]:
    """Return whole numbers from 0 to `last`, at most a dozen of them.

    >>> ticks(3), ticks(30)
    ([0, 1, 2, 3], [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30])
    """
    return list(range(0, last + 1, -(-last // 12)))
