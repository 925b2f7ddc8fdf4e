"""The picture of the page on choosing: `python docs/surveyed.py` writes docs/surveyed.svg, and the table beside it.

Every method that promises candidates, on one network, and how many of its people each attacker still finds.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path
from typing import Any

import shoal

FILE = Path(__file__).with_name("surveyed.svg")
K = 3
KNOWS = ("degree", "neighborhood:1", "refinement:2", "neighbors:1", "neighbors:2", "adjacency")
METHODS = {
    "as it is": None,
    "MatchDegrees": shoal.methods.MatchDegrees(K),
    "MatchNeighborhoods": shoal.methods.MatchNeighborhoods(K),
    "ShareNeighbors, l = 2": shoal.methods.ShareNeighbors(K, 2),
    "HideNeighbors, l = 1": shoal.methods.HideNeighbors(K),
    "MatchDegrees >> HideNeighbors": shoal.methods.MatchDegrees(K) >> shoal.methods.HideNeighbors(K),
    "HideNeighbors, l = 2": shoal.methods.HideNeighbors(K, 2),
    "EqualizeRows": shoal.methods.EqualizeRows(K),
    "Perturb, a tenth": shoal.methods.Perturb(add=0.05, delete=0.05, seed=1),
}


def measured() -> list[dict[str, Any]]:
    """Return for each method how many links it changes, and how many people each attacker leaves fewer than k."""
    novel, rows = shoal.examples.les_miserables(), []
    for name, method in METHODS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", shoal.Notice)
            release = None if method is None else method(novel)
        graph = novel if release is None else release.data
        found = {knows: int((shoal.assess(graph, knows).sizes < K).sum()) for knows in KNOWS}
        rows.append({"method": name, "edits": 0 if release is None else round(100 * release.edits.ratio), **found})
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """Return the numbers as a table of a page."""
    head = f"| of 77 people, fewer than {K} candidates by | links changed | {' | '.join(f'`{x}`' for x in KNOWS)} |"
    lines = [
        f"| {row['method']} | {row['edits']} % | {' | '.join(str(row[knows]) for knows in KNOWS)} |" for row in rows
    ]
    return "\n".join([head, "|---" * (len(KNOWS) + 2) + "|", *lines])


def digest(rows: list[dict[str, Any]]) -> str:
    """Return a digest, by which a picture that is out of date is known."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def picture(rows: list[dict[str, Any]]) -> Any:
    """Return the numbers as a heat map, with the links changed beside it, as an altair chart."""
    import altair

    order = list(METHODS)
    cells = [{"method": row["method"], "knows": knows, "people": row[knows]} for row in rows for knows in KNOWS]
    y = altair.Y("method:N", sort=order, title=None, axis=altair.Axis(labelLimit=220))
    x = altair.X("knows:N", sort=list(KNOWS), title="the attacker knows", axis=altair.Axis(labelAngle=-35))
    base = altair.Chart(altair.Data(values=cells)).encode(x=x, y=y)
    heat = base.mark_rect().encode(
        color=altair.Color("people:Q", scale=altair.Scale(scheme="reds", domain=[0, 77]), legend=None)
    )
    dark = altair.condition("datum.people > 40", altair.value("white"), altair.value("black"))
    text = base.mark_text().encode(text="people:Q", color=dark)
    found = altair.layer(heat, text).properties(
        width=420, height=300, title=f"People left with fewer than {K} candidates, of 77"
    )
    bars = altair.Chart(altair.Data(values=rows)).encode(
        y=altair.Y("method:N", sort=order, title=None, axis=None),
        x=altair.X("edits:Q", title="links changed, in percent"),
    )
    cost = altair.layer(
        bars.mark_bar(color="#8a8f98"), bars.mark_text(align="left", dx=3).encode(text="edits:Q")
    ).properties(width=160, height=300, title="What it costs")
    told = "Methods against attackers on one network: how many people are found, and how many links are changed"
    return altair.hconcat(found, cost).properties(description=told)


def main() -> None:
    """Write the picture and the table."""
    import vl_convert

    rows = measured()
    svg = vl_convert.vegalite_to_svg(picture(rows).to_json())
    FILE.write_text(f"{svg}\n<!-- {digest(rows)} -->\n", encoding="utf-8")
    page = Path(__file__).with_name("combining.md")
    mark = "<!-- made by docs/surveyed.py -->"
    before, _, after = page.read_text(encoding="utf-8").split(mark)
    page.write_text(f"{before}{mark}\n{table(rows)}\n{mark}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
