"""Risk panel: the risk under each attacker model as plain data, and whether it passes a threshold.

The risk of a person is 1 / (number of candidates). A search that was cut short gives an upper bound of k, and so a
lower bound of the risk: it can fail a threshold and never pass one.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import comb, fsum
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import list_names, notice
from shoal.knowledge import DEFAULT_KNOWLEDGE, Adversary, Columns, Neighbors, SomeColumns
from shoal.progress import track
from shoal.risk.assess import Risk, assess
from shoal.risk.levels import Levels, levels

Names = Mapping[Hashable, Hashable] | str | Path | None
SETS = 1_000_000
"""More sets of columns than this are not counted unasked."""
Verdict = Literal["pass", "fail", "cannot tell"]


def build_graph_panel(graph: Dataset, columns: Sequence[str] | None = None) -> list[Adversary]:
    """Return the usual kinds of knowledge that make sense for a graph, and with its columns where they are named.

    >>> import shoal
    >>> [adversary.spec for adversary in build_graph_panel(shoal.examples.karate())][:3]
    ['degree', 'refinement:2', 'counts:1']
    """
    usual = [knows for knows in DEFAULT_KNOWLEDGE if knows.fits_size(graph)]
    known = [Columns(*columns), Columns(*columns) & Neighbors(2)] if columns else []
    return [*usual, *known]


def build_table_panel(table: Dataset, columns: Sequence[str]) -> list[Adversary]:
    """Return what may be known about a record: one, two, three of the columns, and all of them."""
    named = () if tuple(columns) == tuple(table.attributes) else columns
    sizes = range(1, min(4, len(columns)))
    counted = [l for l in sizes if comb(len(columns), l) <= SETS]
    _tell_uncounted(len(columns), [l for l in sizes if l not in counted])
    return [*(SomeColumns(l, *named) for l in counted), Columns(*columns)]


def _tell_uncounted(width: int, sizes: Sequence[int]) -> None:
    """Say which sets of columns are not counted, because there are too many."""
    if sizes:
        what = " and ".join(f"{comb(width, l):,} sets of {l}" for l in sizes)
        notice(
            f"not counted: {what} of the {width:,} columns. How many candidates they leave is not known. Name fewer "
            f"columns (--columns), or ask for --knows some-columns:{sizes[0]}, which may take long."
        )


def build_panel(
    data: Dataset, columns: Sequence[str], but: Sequence[str] = (), released: Dataset | None = None
) -> list[Adversary]:
    """Return the usual panel: of a table all columns that are not sensitive are taken for known.

    Where the release lacks some of these columns, those that it has are a panel of their own.
    """
    table = not data.has_links
    known = list(columns) or ([name for name in data.attributes if name not in but] if table else [])
    there = known if released is None else [name for name in known if name in released.attributes]
    makes = build_table_panel if table else build_graph_panel
    found = [makes(data, names) for names in ([known] if there in (known, []) else [known, there])]
    return list({adversary.spec: adversary for panel in found for adversary in panel}.values())


def assess_panel(
    data: Dataset, panel: Sequence[Adversary], what: str, original: Dataset | None = None, mapping: Names = None
) -> list[Risk]:
    """Count the candidates for every kind of knowledge."""
    found = []
    for done, adversary in enumerate(panel):
        track(f"{what}, {adversary.spec}", done, len(panel))
        found.append(assess(data, adversary, original=original, mapping=mapping))
    track(what, len(panel), len(panel))
    return found


def build_panel_row(risk: Risk, k: int, threshold: float) -> dict[str, Any]:
    """Return what one kind of knowledge does, as plain data."""
    sizes, kind = risk.sizes, type(risk.adversary)
    fitted = sizes[sizes > 0]
    return {
        "knows": risk.adversary.spec,
        "what": (kind.__doc__ or "").split("\n", maxsplit=1)[0],
        "notion": risk.adversary.notion,
        "assumes": risk.adversary.assumes,
        "k": risk.k,
        "exact": risk.exact,
        "all_exact": bool(risk.proved_sizes.all()),
        "vertices": len(sizes),
        "alone": int((sizes == 1).sum()),
        "below": int(((sizes > 0) & (sizes < k)).sum()),
        "rate": float(((sizes > 0) & (sizes < k)).mean()),
        "misled": int((sizes == 0).sum()),
        "recoded": list(risk.unmatched),
        "buckets": risk.buckets(),
        "highest": 1 / risk.k if risk.k else None,
        "average": _average_risk(fitted) if len(fitted) else None,
        "open": list_doubts(risk),
        "verdict": judge_risk(risk, threshold),
    }


def _average_risk(sizes: Ints) -> float:
    """Return the mean of 1 / size, the same in whatever order people come."""
    found, counts = np.unique(sizes, return_counts=True)
    return fsum((counts / found).tolist()) / len(sizes)


def judge_risk(risk: Risk, threshold: float) -> Verdict:
    """Tell whether the highest risk of a person is at most the threshold; nothing is known about whoever is misled.

    >>> import networkx as nx, shoal
    >>> [judge_risk(shoal.assess(nx.cycle_graph(n), "degree"), 0.09) for n in (11, 12)]
    ['fail', 'pass']
    """
    if risk.k == 0:
        return "cannot tell"
    if 1 / risk.k > threshold:
        return "fail"
    return "cannot tell" if list_doubts(risk) else "pass"


def list_doubts(risk: Risk) -> list[str]:
    """Return what keeps a count from being a pass: people misled, values recoded, a search cut short."""
    reasons = {
        "misled": bool((risk.sizes == 0).any()),
        "recoded": bool(risk.unmatched) or bool(risk.unfit.any()),
        "cut short": not risk.proved_sizes.all(),
    }
    return [reason for reason, holds in reasons.items() if holds]


def list_unaffordable(original: Dataset, panel: Sequence[Adversary]) -> dict[str, str]:
    """Return the kinds of knowledge that take too long to seek in a release, with the reason.

    Facts of the original are sought in the release set by set. That is quick but for sets of neighbors, of which a hub
    has very many.
    """
    return {adversary.spec: why for adversary in panel if (why := adversary.explain_slow_search(original))}


def list_unpublished(original: Dataset, released: Dataset, panel: Sequence[Adversary]) -> dict[str, str]:
    """Return the kinds of knowledge about columns that the release does not have, with the reason."""
    found = {}
    for adversary in panel:
        gone = [name for name in adversary.columns(original.attributes) if name not in released.attributes]
        if gone:
            found[adversary.spec] = (
                f"The release does not have {list_names(gone, spell=str)}: nobody is found by it there."
            )
    return found


def count_degrees(data: Dataset) -> list[list[int]] | None:
    """Return how many vertices have each number of links, as pairs; None for a table."""
    if not isinstance(data, Graph):
        return None
    counts = np.bincount(data.degree)
    return [[int(d), int(counts[d])] for d in np.flatnonzero(counts)]


# Exposure: the share of people whom l known neighbors (or columns) leave fewer than k candidates, for l = 0, 1, ...
#
# l is how much is known. Where a search was cut short somebody may be exposed without being counted: they are
# undecided.

MOST = 5
"""So many known neighbors are looked at, at most: a curve is flat soon, and the search grows."""
LARGE = 200_000
"""From so many links on only sets of two are looked at."""


def measure_exposure(data: Dataset, k: int, columns: Sequence[str], most: int | None = None) -> dict[str, Any] | None:
    """Return the curve as plain data; None where nothing can be known.

    >>> import shoal
    >>> curve = measure_exposure(shoal.examples.karate(), 2, ())
    >>> curve["of"], [step["exposed"] for step in curve["steps"]]
    ('neighbors', [0, 1, 16, 17, 17, 17])
    """
    table = not data.has_links
    names = [name for name in columns or data.attributes if name in data.attributes] if table else []
    if table and not names:
        return None
    limit = min(most or (MOST if data.m < LARGE else 2), len(names) if table else data.n)
    return {"of": "columns" if table else "neighbors", "k": k, "people": data.n} | {
        "steps": _expose_everybody(data.n, limit) if k > data.n else _count_levels(data, k, names, limit)
    }


def _expose_everybody(n: int, limit: int) -> list[dict[str, Any]]:
    """Return the curve where k is more than there are: all are exposed to whoever knows nothing."""
    return [{"l": l, "exposed": n, "share": 1.0, "undecided": 0} for l in range(limit + 1)]


def _count_levels(data: Dataset, k: int, names: Sequence[str], limit: int) -> list[dict[str, Any]]:
    table = not data.has_links
    return _list_steps(
        levels(data, k=k, columns=names, max_size=limit) if table else levels(data, k=k, max_size=limit), limit
    )


def _list_steps(found: Levels, limit: int) -> list[dict[str, Any]]:
    """Return for each l who is exposed, and about whom it is not known."""
    steps = []
    for l in range(limit + 1):
        exposed = found.exposed(l)
        open_ = ~found.exact & (found.per_vertex < l)
        many = int(exposed.sum())
        steps.append({"l": l, "exposed": many, "share": many / len(exposed), "undecided": int(open_.sum())})
    return steps
