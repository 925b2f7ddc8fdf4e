"""The panel: the attacker models that are assessed together, and the risk of every person under all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from pathlib import Path
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset, as_dataset
from shoal.data.frames import make_frame
from shoal.errors import format_count, notice, public
from shoal.knowledge import (
    DEFAULT_KNOWLEDGE,
    Adversary,
    Columns,
    Neighbors,
    SomeColumns,
    describe_facts,
    parse_knowledge,
)
from shoal.progress import track
from shoal.risk.assess import Risk, assess
from shoal.risk.scenario import Judgment, Scenario, as_scenario, judge_risks
from shoal.show import as_html, as_text

SETS = 1_000_000
"""More sets of columns than this are not counted by default."""


@public
def assess_all(
    data: Any,
    scenario: Scenario | str | Path | None = None,
    *,
    knowledge: Sequence[Adversary | str] | None = None,
    columns: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    original: Any = None,
    mapping: Mapping[Hashable, Hashable] | str | Path | None = None,
) -> PanelRisk:
    """Count the candidates of every person under each kind of knowledge of a scenario, and under the standard panel.

    Parameters
    ----------
    data
        The published data: a graph or a table, in any form that shoal accepts.
    scenario
        A :class:`shoal.Scenario`, the name of a preset, or a .toml file. None: "agreement".
    knowledge
        The kinds of knowledge outside the scenario; None for the standard panel, () for none.
    columns
        The quasi-identifiers. A table without named ones has all columns that are not sensitive.
    sensitive
        Columns that must stay secret.
    original, mapping
        As for :func:`shoal.assess`.

    Examples
    --------
    >>> import shoal
    >>> found = shoal.assess_all(shoal.examples.florentine(), "internal", knowledge=["orbit"])
    >>> [risk.adversary.spec for risk in found.risks], found.judgment.below
    (['degree', 'neighbors:1', 'orbit'], 8)
    >>> found.to_frame().iloc[0].to_dict()["reason"]
    'Medici has 6 links: 1 candidate.'
    """
    published, chosen = as_dataset(data), as_scenario(scenario)
    source = None if original is None else as_dataset(original)
    inside = list(chosen.choose_kinds(published, columns, sensitive).values())
    others = build_panel(published, columns, sensitive) if knowledge is None else map(parse_knowledge, knowledge)
    panel = [*inside, *(kind for kind in others if kind not in inside)]
    risks = []
    for done, kind in enumerate(panel):
        track(f"risk, {kind.spec}", done, len(panel))
        risks.append(assess(published, kind, original=source, mapping=mapping))
    track("risk", len(panel), len(panel))
    return PanelRisk(chosen, tuple(risks), len(inside))


@dataclass(frozen=True, eq=False, repr=False)
class PanelRisk:
    """The candidates of every person under several kinds of knowledge."""

    scenario: Scenario
    risks: tuple[Risk, ...]
    """One per kind of knowledge; those of the scenario come first."""
    inside: int
    """How many of them are in the scenario."""

    @property
    def facts(self) -> Literal["original", "release"]:
        """Where the attacker's facts are measured."""
        return "release" if self.risks[0].view.original is None else "original"

    @cached_property
    def judgment(self) -> Judgment:
        """The risks of the scenario, judged."""
        return judge_risks(self.risks[: self.inside], self.scenario)

    @cached_property
    def fewest(self) -> Ints:
        """For each person the fewest candidates under any kind; 0 if no published person fits under any."""
        sizes = np.array([risk.sizes for risk in self.risks])
        least: Ints = np.where(sizes > 0, sizes, np.iinfo(sizes.dtype).max).min(axis=0)
        return np.where((sizes > 0).any(axis=0), least, 0)

    @cached_property
    def order(self) -> Ints:
        """The people by risk: the fewest candidates first, then those whom less knowledge exposes; misled people last.

        Of the rest, the order of the data decides.
        """
        sizes = np.array([risk.sizes for risk in self.risks])
        exposing = (sizes == self.fewest).argmax(axis=0)
        fewest = np.where(self.fewest > 0, self.fewest, np.iinfo(np.int64).max)
        found: Ints = np.lexsort((exposing, fewest))
        return found

    def to_frame(self) -> Any:
        """Return one row per person, sorted by risk, as a pandas, polars or pyarrow frame (the first installed).

        Columns: `name`; `fewest`, the fewest candidates; `reason`, a sentence on the kind of knowledge that leaves so
        few; then the candidates under each kind (0: no published person fits). `upper bounds` names the kinds whose
        number is only an upper bound, because a search was cut short.
        """
        return make_frame(self.list_people())

    def list_people(self) -> dict[str, Any]:
        """Return the columns of :meth:`to_frame`, each as a list."""
        names, order = self.risks[0].names, self.order.tolist()
        bounds = [(risk.adversary.spec, ~risk.exact_sizes) for risk in self.risks]
        cut = [(spec, mask) for spec, mask in bounds if mask.any()]
        return {
            "name": [names[v] for v in order],
            "fewest": self.fewest[self.order].tolist(),
            "reason": [self.describe_reason(v) for v in order],
            **{risk.adversary.spec: risk.sizes[self.order].tolist() for risk in self.risks},
            "upper bounds": [" ".join(spec for spec, mask in cut if mask[v]) for v in order],
        }

    def describe_reason(self, v: int) -> str:
        """Say which facts leave a person the fewest candidates; of several kinds the first in the panel."""
        worst = next((risk for risk in self.risks if risk.sizes[v] == self.fewest[v]), self.risks[0])
        facts, name = describe_facts(worst.answer.facts(v)), worst.names[v]
        known = f"{name} {facts}" if facts else f"Nothing is known about {name}"
        if not self.fewest[v]:
            return f"{known}: no published {worst.graph.noun[0]} fits."
        least = "" if worst.exact_sizes[v] else "at most "
        return f"{known}: {least}{format_count(int(self.fewest[v]), 'candidate')}."

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def build_graph_panel(graph: Dataset, columns: Sequence[str] | None = None) -> list[Adversary]:
    """Return the standard attacker models for a graph, and two with its columns where they are named.

    >>> import shoal
    >>> [adversary.spec for adversary in build_graph_panel(shoal.examples.karate())][:3]
    ['degree', 'refinement:2', 'counts:1']
    """
    usual = [knows for knows in DEFAULT_KNOWLEDGE if knows.fits_size(graph)]
    known = [Columns(*columns), Columns(*columns) & Neighbors(2)] if columns else []
    return [*usual, *known]


def build_table_panel(table: Dataset, columns: Sequence[str]) -> list[Adversary]:
    """Return the attacker models for a table: any one, two or three of the columns, and all of them."""
    named = () if tuple(columns) == tuple(table.attributes) else columns
    sizes = range(1, min(4, len(columns)))
    counted = [l for l in sizes if comb(len(columns), l) <= SETS]
    _tell_uncounted(len(columns), [l for l in sizes if l not in counted])
    return [*(SomeColumns(l, *named) for l in counted), Columns(*columns)]


def _tell_uncounted(width: int, sizes: Sequence[int]) -> None:
    """Notify the user of sets of columns that are not counted, because there are too many."""
    if sizes:
        what = " and ".join(f"{comb(width, l):,} sets of {l}" for l in sizes)
        notice(
            f"not counted: {what} of the {width:,} columns, so their risk is unknown. Name fewer columns (--columns), "
            f"or ask for --knows some-columns:{sizes[0]}, which may take long."
        )


def build_panel(
    data: Dataset, columns: Sequence[str], but: Sequence[str] = (), released: Dataset | None = None
) -> list[Adversary]:
    """Return the standard panel. In a table, all columns that are not sensitive (`but`) count as known.

    Where the release lacks some of these columns, a second panel has those that it holds.
    """
    table = not data.has_links
    known = list(columns) or ([name for name in data.attributes if name not in but] if table else [])
    there = known if released is None else [name for name in known if name in released.attributes]
    makes = build_table_panel if table else build_graph_panel
    found = [makes(data, names) for names in ([known] if there in (known, []) else [known, there])]
    return list({adversary.spec: adversary for panel in found for adversary in panel}.values())
