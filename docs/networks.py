"""The picture of the page on links: `python docs/networks.py` writes docs/networks.svg."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

import shoal
from shoal.core.twins import find_equal_rows
from shoal.report.text.generalized import lay_out_classes

FILE = Path(__file__).with_name("networks.svg")
SIZE = 330
TONES = {"as before": "#8a8f98", "added": "#f58518"}


def drawn() -> dict[str, Any]:
    """Return what is drawn, without places: the links of the club, those of its release, and the classes."""
    club = shoal.examples.karate()
    release = shoal.methods.EqualizeRows(k=2)(club)
    classes = shoal.data.generalized.Generalized.of(release.data, find_equal_rows(release.data))
    before, after = (sorted(zip(*(x.tolist() for x in g.edges()[:2]), strict=True)) for g in (club, release.data))
    return {
        "before": before,
        "after": [[a, b, "as before" if (a, b) in set(before) else "added"] for a, b in after],
        "classes": classes.codes.tolist(),
        "between": [[*ends, many] for ends, many in zip(classes.links.tolist(), classes.between.tolist(), strict=True)],
    }


def digest(what: dict[str, Any]) -> str:
    """Return a digest, by which a picture that is out of date is known."""
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


def picture(what: dict[str, Any]) -> Any:
    """Return the club, its release and the classes of the release side by side, as an altair chart."""
    import altair

    sizes = np.bincount(what["classes"]).tolist()
    free = lay_out_classes(len(what["classes"]), np.array(what["before"]))
    apart = lay_out_classes(len(sizes), np.array(what["between"])[:, :2])
    people = [{"x": x, "y": y, "size": 1.5, "text": ""} for x, y in free]
    groups = [{"x": x, "y": y, "size": 2 + size, "text": size} for (x, y), size in zip(apart, sizes, strict=True)]
    edits = len({tuple(e[:2]) for e in what["after"]} ^ set(what["before"]))
    panels = [
        panel(f"The club: {len(what['before'])} links", people, [rule(free, a, b) for a, b in what["before"]]),
        panel(f"Its release, k = 2: {edits} edits", people, [rule(free, *edge) for edge in what["after"]]),
        panel("Its classes, and how many are in each", groups, [rule(apart, *ends, q) for *ends, q in what["between"]]),
    ]
    told = "A network, its 2-anonymous release, and the classes of the release"
    return altair.hconcat(*panels).properties(description=told)


def rule(at: Any, a: int, b: int, what: str | int = 1) -> dict[str, Any]:
    """Return a line as a row of a chart: an edge that was there or was added, or so many edges."""
    ends = {"x": at[a][0], "y": at[a][1], "x2": at[b][0], "y2": at[b][1]}
    return {**ends, "what": "added" if what == "added" else "as before", "edges": what if isinstance(what, int) else 1}


def panel(title: str, dots: list[dict[str, Any]], lines: list[dict[str, Any]]) -> Any:
    """Return one picture: lines, and dots with texts over them."""
    import altair

    x, y = (getattr(altair, a.upper())(f"{a}:Q", axis=None, scale=altair.Scale(domain=[-0.08, 1.08])) for a in "xy")
    color = altair.Color("what:N", legend=None, scale=altair.Scale(domain=list(TONES), range=list(TONES.values())))
    width = altair.StrokeWidth("edges:Q", legend=None, scale=altair.Scale(domain=[1, 24], range=[1, 7]))
    size = altair.Size("size:Q", legend=None, scale=altair.Scale(domain=[0, 14], range=[0, 900]))
    rules = altair.Chart(altair.Data(values=lines)).mark_rule(opacity=0.7)
    discs = altair.Chart(altair.Data(values=dots))
    layers = (
        rules.encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=color, strokeWidth=width),
        discs.mark_circle(color="#4c78a8", opacity=1, stroke="white").encode(x=x, y=y, size=size),
        discs.mark_text(color="white", fontWeight="bold").encode(x=x, y=y, text="text:N"),
    )
    return altair.layer(*layers).properties(title=title, width=SIZE, height=SIZE)


def main() -> None:
    """Write the picture, with the digest of what is drawn."""
    import vl_convert

    what = drawn()
    svg = vl_convert.vegalite_to_svg(picture(what).to_json())
    FILE.write_text(f"{svg}\n<!-- {digest(what)} -->\n", encoding="utf-8")


if __name__ == "__main__":
    main()
