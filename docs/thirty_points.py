"""The picture of the 30-point page: `python docs/thirty_points.py` writes docs/thirty-points.svg."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import shoal

COLUMNS = ("x", "y", "z")
TURN, TILT = np.radians(35), np.radians(22)
"""From where the cube is looked at."""


def points() -> np.ndarray[Any, Any]:
    """Return 30 points in ten groups of three, the same as on the page."""
    rng = np.random.default_rng(30)
    return np.repeat(rng.uniform(0, 100, (10, 3)), 3, axis=0) + rng.normal(0, 5, (30, 3))


def seen(cube: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return where points of the cube are on paper, and how near they are: a parallel projection."""
    x, y, z = (cube - 50).T
    near = x * np.sin(TURN) - y * np.cos(TURN)
    return np.column_stack([x * np.cos(TURN) + y * np.sin(TURN), z * np.cos(TILT) - near * np.sin(TILT), near])


def lines(pairs: list[tuple[Any, Any]], what: str) -> list[dict[str, Any]]:
    """Return line segments as rows of a chart."""
    ends = [(seen(np.array([a])), seen(np.array([b]))) for a, b in pairs]
    return [
        {"h": float(a[0, 0]), "v": float(a[0, 1]), "h2": float(b[0, 0]), "v2": float(b[0, 1]), "what": what}
        for a, b in ends
    ]


def dots(cube: np.ndarray[Any, Any], what: str, codes: Any) -> list[dict[str, Any]]:
    """Return points as rows of a chart."""
    return [
        {"h": float(h), "v": float(v), "what": what, "class": int(code) + 1}
        for (h, v, _), code in zip(seen(cube), codes, strict=True)
    ]


def picture() -> Any:
    """Return the clusters, their means and the perpendicular points as an altair chart."""
    import altair

    cube = points()
    table = {name: cube[:, i] for i, name in enumerate(COLUMNS)}
    release = shoal.methods.Microaggregate(k=3, columns=COLUMNS, representative="perpendicular", seed=30)(table)
    codes = release.codes
    published = np.column_stack([release.table[name].numbers(name) for name in COLUMNS])
    means = np.array([cube[codes == code].mean(axis=0) for code in range(10)])
    corners = np.array([[a, b, c] for a in (0, 100) for b in (0, 100) for c in (0, 100)])
    frame = [(p, q) for i, p in enumerate(corners) for q in corners[i + 1 :] if (p != q).sum() == 1]
    sides = [(cube[v], means[codes[v]]) for v in range(30)]
    across = spans(published, codes)
    rows = [*dots(cube, "original", codes), *dots(means, "mean", range(10)), *dots(published, "published", codes)]
    strokes = [*lines(frame, "cube"), *lines(sides, "class"), *lines(across, "direction")]
    axes = {"h": altair.X("h:Q", axis=None), "v": altair.Y("v:Q", axis=None)}
    title = "30 points in ten classes of three: original, mean, and published along the perpendicular"
    kinds = ["original", "mean", "published"]
    color = altair.Color(
        "what:N", title=None, scale=altair.Scale(domain=kinds, range=["#4c78a8", "#000000", "#f58518"])
    )
    tone = altair.Scale(domain=["cube", "class", "direction"], range=["#cccccc", "#9ecae9", "#f58518"])
    base = altair.Chart(altair.Data(values=strokes), title=title, description=title, width=620, height=480)
    strokes_drawn = base.mark_rule().encode(
        x=axes["h"], y=axes["v"], x2="h2:Q", y2="v2:Q", color=altair.Color("what:N", scale=tone, legend=None)
    )
    dots_drawn = (
        altair.Chart(altair.Data(values=rows))
        .mark_point(filled=True, opacity=0.9, size=45)
        .encode(
            x=axes["h"],
            y=axes["v"],
            color=color,
            shape=altair.Shape("what:N", legend=None, scale=altair.Scale(domain=kinds)),
            tooltip=["what:N", "class:Q"],
        )
    )
    return altair.layer(strokes_drawn, dots_drawn).resolve_scale(color="independent")


def spans(published: np.ndarray[Any, Any], codes: Any) -> list[tuple[Any, Any]]:
    """Return the two outer points of each class."""
    found = []
    for code in range(int(max(codes)) + 1):
        mine = published[codes == code]
        away = np.linalg.norm(mine - mine.mean(axis=0), axis=1)
        first = mine[np.argmax(away)]
        found.append((first, mine[np.argmax(np.linalg.norm(mine - first, axis=1))]))
    return found


def main() -> None:
    """Write the picture."""
    import vl_convert

    svg = vl_convert.vegalite_to_svg(picture().to_json())
    Path(__file__).with_name("thirty-points.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
