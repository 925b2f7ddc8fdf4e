"""Text and picture of generalized graphs: a circle per class, a line where two classes are linked."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.generalized import Generalized
from shoal.errors import format_count, join_lines, load
from shoal.report.html.charts.draw import save_chart
from shoal.report.text.notebook import render_html_table
from shoal.report.text.phrases import format_share, render_table
from shoal.show import as_html, as_picture, as_text

DRAWN = 300
"""At most so many classes are drawn, the largest ones; the title says so."""
WIDTH = 640
HEAD = ["class size", "classes", "vertices", "share"]
BUCKETS = ((1, 1), (2, 4), (5, 10), (11, 100), (101, None))


@as_text.register
def describe_generalized(classes: Generalized) -> str:
    """Return what the classes reveal, and how many vertices are in classes of which size."""
    return join_lines([_describe_classes(classes), *render_table(HEAD, build_class_rows(classes))])


@as_html.register
def render_generalized(classes: Generalized) -> str:
    """Return the classes as an HTML table for notebooks."""
    return render_html_table(HEAD, build_class_rows(classes), _describe_classes(classes))


def _describe_classes(classes: Generalized) -> str:
    many = format_count(len(classes.sizes), "class", "classes")
    return f"{format_count(classes.n, 'vertex', 'vertices')} in {many}; {describe_loss(classes)}"


def build_class_rows(classes: Generalized) -> list[list[str]]:
    """Return a row per bucket of class sizes: classes, vertices in them, and their share."""
    rows = []
    for least, most in BUCKETS:
        chosen = (classes.sizes >= least) & (classes.sizes <= (most or classes.n))
        if chosen.any():
            inside = int(classes.sizes[chosen].sum())
            name = str(least) if least == most else f"{least}-{most}" if most else f">{least - 1}"
            rows.append([name, f"{int(chosen.sum()):,}", f"{inside:,}", format_share(inside, classes.n)])
    return rows


def describe_loss(classes: Generalized) -> str:
    """Say what the classes do not reveal.

    >>> import networkx as nx, shoal
    >>> describe_loss(Generalized.of(shoal.as_graph(nx.cycle_graph(4)), [0, 1, 0, 1]))
    'the graph is 2-anonymous. Its classes reveal everything except which member of a class is which person.'
    """
    if not classes.lossless:
        smallest = format_count(classes.k, "vertex", "vertices")
        return f"the smallest has {smallest}. Several graphs have these classes, so they reveal less than the graph."
    if classes.k > 1:
        told = "Its classes reveal everything except which member of a class is which person."
        return f"the graph is {classes.k:,}-anonymous. {told}"
    unique = int((classes.sizes == 1).sum())
    stand = "vertex is a class of its own" if unique == 1 else "vertices are classes of their own"
    return f"{unique:,} {stand}. The classes reveal the whole graph and hide only the names."


@as_picture.register
def save_generalized(classes: Generalized, path: Path, force: bool) -> None:
    """Draw the classes into a file."""
    save_chart(lambda: draw_generalized(classes), path, force)


def draw_generalized(classes: Generalized) -> Any:
    """Return an altair chart: the area of a circle is the size of a class, the width of a line the number of edges."""
    altair = load("altair", "Drawing", extra="plots")
    shown = np.sort(np.argsort(-classes.sizes, kind="stable")[:DRAWN])
    circles, lines = place_circles(classes, shown)
    c = len(classes.sizes)
    part = f"the {len(shown):,} largest of {c:,} classes" if len(shown) < c else format_count(c, "class", "classes")
    title = f"{part} of {format_count(classes.n, 'vertex', 'vertices')}: area is size, width the number of edges"
    axes = {axis: altair.Scale(domain=[-0.06, 1.06]) for axis in "xy"}
    x, y = (getattr(altair, axis.upper())(f"{axis}:Q", axis=None, scale=axes[axis]) for axis in "xy")
    widths = altair.Scale(
        domain=[0, int(classes.list_pairs()[1].max(initial=1))], range=[0.3, 5 if len(lines) < 100 else 2]
    )
    shares = "'edges: ' + datum.edges + ', share: ' + format(datum.share, '.2f')"
    base = altair.Chart(altair.Data(values=lines)).transform_calculate(told=shares)
    edges = base.mark_rule(color="#8a8f98", opacity=0.7).encode(
        x=x, y=y, x2="x2:Q", y2="y2:Q",
        strokeWidth=altair.StrokeWidth("edges:Q", scale=widths, legend=None),
        description="told:N", tooltip=["edges:Q", altair.Tooltip("share:Q", format=".2f")],
    )  # fmt: skip
    areas = altair.Scale(domain=[0, int(classes.sizes.max())], range=[0, compute_largest_area(len(shown))])
    sizes = "'size: ' + datum.size + ', edges inside: ' + datum.inside"
    base = altair.Chart(altair.Data(values=circles)).transform_calculate(told=sizes)
    discs = base.mark_circle(color="#4c78a8", opacity=1, stroke="white").encode(
        x=x, y=y, size=altair.Size("size:Q", scale=areas, legend=None), description="told:N",
        tooltip=["size:Q", "inside:Q"],
    )  # fmt: skip
    return altair.layer(edges, discs).properties(title=title, description=title, width=WIDTH, height=WIDTH)


def compute_largest_area(circles: int) -> float:
    """Return the area of the largest circle, such that the circles never cover the picture."""
    return min(4000.0, 0.25 * WIDTH * WIDTH / circles)


def place_circles(classes: Generalized, shown: Ints) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Return the circles with positions from 0 to 1, and the lines with their ends; deterministic."""
    rank = np.full(len(classes.sizes), -1)
    rank[shown] = np.arange(len(shown))
    pairs, between = classes.list_pairs()
    i, j = rank[pairs].T if len(pairs) else (rank[:0], rank[:0])
    there = (i >= 0) & (j >= 0)
    ends, many = np.stack([i[there], j[there]], axis=1), between[there]
    at, inside = lay_out_classes(len(shown), ends), classes.count_inside()
    circles = [
        {"x": x, "y": y, "size": size, "inside": inside}
        for (x, y), size, inside in zip(at, classes.sizes[shown].tolist(), inside[shown].tolist(), strict=True)
    ]
    full = classes.sizes[shown][ends].prod(axis=1) * classes.links_per_pair
    lines = [
        {"x": at[a][0], "y": at[a][1], "x2": at[b][0], "y2": at[b][1], "edges": q, "share": q / whole}
        for (a, b), q, whole in zip(ends.tolist(), many.tolist(), full.tolist(), strict=True)
    ]
    return circles, lines


def lay_out_classes(circles: int, ends: Ints) -> list[tuple[float, float]]:
    """Return positions in the unit square: the Kamada-Kawai layout, started from a circle; deterministic.

    >>> lay_out_classes(1, np.empty((0, 2), dtype=np.int64))
    [(0.5, 0.5)]
    """
    import igraph

    graph = igraph.Graph(circles, ends.tolist())
    at = np.array(graph.layout_kamada_kawai(seed=graph.layout_circle()).coords).reshape(-1, 2)
    span = float((at.max(axis=0) - at.min(axis=0)).max()) or sqrt(2)
    middle = (at.max(axis=0) + at.min(axis=0)) / 2
    return [(float(x), float(y)) for x, y in (at - middle) / span + 0.5]
