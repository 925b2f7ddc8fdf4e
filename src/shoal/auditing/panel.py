"""The panel of an audit: the risk under each attacker model, and how risk grows with the number of known facts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from shoal.auditing.case import Case
from shoal.auditing.findings import Disclosure, Exposure, ExposureStep, Inference, LeftOut, PanelRow
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import list_names
from shoal.knowledge import Adversary, Columns
from shoal.progress import track
from shoal.risk.assess import Risk, assess
from shoal.risk.levels import Levels, levels
from shoal.risk.scenario import Scenario
from shoal.tables.diversity import diversity

Names = Mapping[Hashable, Hashable] | str | Path | None


@dataclass(frozen=True, eq=False)
class Panel:
    """The attacker models of an audit: those of the scenario, by their spec there, and others."""

    before: dict[str, Adversary]
    """Kinds of the scenario in the original."""
    after: dict[str, Adversary]
    """Kinds of the scenario in the release, which may lack columns."""
    outside: list[Adversary]

    @classmethod
    def of(cls, case: Case, scenario: Scenario, columns: Sequence[str], others: Sequence[Adversary]) -> Panel:
        """Build a panel. `columns` are the quasi-identifiers, and `others` the models outside the scenario."""
        before = scenario.list_kinds(case.original, columns)
        after = {} if case.released is None else scenario.list_kinds(case.released, columns)
        inside = {kind.spec for kind in (*before.values(), *after.values())}
        return cls(before, after, [kind for kind in others if kind.spec not in inside])

    @property
    def specs(self) -> set[str]:
        """The specs of the scenario, in the original and in the release."""
        return {kind.spec for kind in (*self.before.values(), *self.after.values())}

    def list_before(self) -> list[Adversary]:
        """Return the models that are counted in the original, those of the scenario first."""
        return [*self.before.values(), *self.outside]

    def list_after(self) -> list[Adversary]:
        """Return the models that are counted in the release, those of the scenario first."""
        return [*self.after.values(), *self.outside]


@dataclass(frozen=True, eq=False)
class Assessments:
    """The risks counted in one audit, each once."""

    counted: dict[tuple[int, str, int, int], Risk] = field(default_factory=dict)

    def count(
        self, data: Dataset, knowledge: Adversary, *, original: Dataset | None = None, mapping: Names = None
    ) -> Risk:
        """Return the risk, counted now or before; a drop-in for :func:`shoal.assess`."""
        key = (id(data), knowledge.spec, id(original), id(mapping))
        if key not in self.counted:
            self.counted[key] = assess(data, knowledge, original=original, mapping=mapping)
        return self.counted[key]

    def has(self, data: Dataset, knowledge: Adversary, original: Dataset | None) -> bool:
        """Tell whether a risk was counted before."""
        return any(key[:3] == (id(data), knowledge.spec, id(original)) for key in self.counted)

    def count_panel(
        self,
        data: Dataset,
        panel: Sequence[Adversary],
        what: str,
        original: Dataset | None = None,
        mapping: Names = None,
    ) -> list[Risk]:
        """Count the candidates under every attacker model, with progress."""
        found = []
        for done, adversary in enumerate(panel):
            track(f"{what}, {adversary.spec}", done, len(panel))
            found.append(self.count(data, adversary, original=original, mapping=mapping))
        track(what, len(panel), len(panel))
        return found


@dataclass(frozen=True, eq=False)
class CountedRisks:
    """The risk under each attacker model: before, in the release itself, and with facts from the original."""

    panel: Panel
    before: list[Risk]
    inside: list[Risk]
    attacked: list[Risk]
    left_out: tuple[LeftOut, ...]
    """Attacker models that were not assessed with facts from the original."""

    @classmethod
    def of(cls, case: Case, panel: Panel, seen: Assessments, *, all_of_it: bool) -> CountedRisks:
        """Count the whole panel. Outside the scenario, unless `all_of_it`, leave out what takes too long."""
        before = [] if case.outside else seen.count_panel(case.original, panel.list_before(), "risk before")
        if case.released is None:
            return cls(panel, before, [], [], ())
        reasons = list_unpublished(case.original, case.released, panel.outside)
        there = [adversary for adversary in panel.list_after() if adversary.spec not in reasons]
        inside = seen.count_panel(case.released, there, "risk after")
        attacked = []
        if case.matched:
            reasons |= {} if all_of_it else list_unaffordable(case.original, panel.outside)
            searched = [adversary for adversary in there if adversary.spec not in reasons]
            attacked = seen.count_panel(
                case.released, searched, "risk after, facts from the original", case.original, case.mapping
            )
        return cls(panel, before, inside, attacked, tuple(LeftOut(spec, why) for spec, why in reasons.items()))

    def select(self, group: Sequence[Risk]) -> list[Risk]:
        """Return the risks of one group under the kinds of knowledge of the scenario."""
        specs = self.panel.specs
        return [risk for risk in group if risk.adversary.spec in specs]


def list_doubts(risk: Risk) -> tuple[str, ...]:
    """Return why counts are not the whole truth: people are misled, values were recoded, or a search was cut short."""
    reasons = {
        "misled": bool((risk.sizes == 0).any()),
        "recoded": bool(risk.unmatched) or bool(risk.unfit.any()),
        "cut short": not risk.exact_sizes.all(),
    }
    return tuple(reason for reason, holds in reasons.items() if holds)


def build_panel_row(risk: Risk, k: int, in_scenario: bool) -> PanelRow:
    """Return the risk under one attacker model as a row."""
    sizes = risk.sizes
    fitted = sizes[sizes > 0]
    return PanelRow(
        knows=risk.adversary.spec,
        notion=risk.adversary.notion,
        assumes=risk.adversary.assumes,
        in_scenario=in_scenario,
        k=risk.k,
        exact=risk.exact,
        all_exact=bool(risk.exact_sizes.all()),
        people=len(sizes),
        unique=int((sizes == 1).sum()),
        below=int(((sizes > 0) & (sizes < k)).sum()),
        misled=int((sizes == 0).sum()),
        recoded=tuple(risk.unmatched),
        buckets=risk.buckets(),
        highest=1 / risk.k if risk.k else None,
        average=_average_risk(fitted) if len(fitted) else None,
        doubts=list_doubts(risk),  # type: ignore[arg-type]
    )


def _average_risk(sizes: Ints) -> float:
    """Return the mean of 1 / size, the same for every order of people."""
    found, counts = np.unique(sizes, return_counts=True)
    return fsum((counts / found).tolist()) / len(sizes)


def list_unaffordable(original: Dataset, panel: Sequence[Adversary]) -> dict[str, str]:
    """Return the attacker models whose facts from the original take too long to search, with the reason.

    Facts are searched set by set. That is quick except for sets of neighbors, of which a hub has very many.
    """
    return {adversary.spec: why for adversary in panel if (why := adversary.explain_slow_search(original))}


def list_unpublished(original: Dataset, released: Dataset, panel: Sequence[Adversary]) -> dict[str, str]:
    """Return the attacker models that know columns which the release does not have, with the reason."""
    found = {}
    for adversary in panel:
        gone = [name for name in adversary.columns(original.attributes) if name not in released.attributes]
        if gone:
            found[adversary.spec] = (
                f"The release does not have {list_names(gone, spell=str)}, so no person can be found by it."
            )
    return found


def count_degrees(data: Dataset) -> tuple[tuple[int, int], ...] | None:
    """Return how many vertices have each number of links, as pairs; None for a table."""
    if not isinstance(data, Graph):
        return None
    counts = np.bincount(data.degree)
    return tuple((int(d), int(counts[d])) for d in np.flatnonzero(counts))


def measure_inference(case: Case, seen: Assessments, known: Sequence[str], sensitive: Sequence[str]) -> Inference:
    """Measure what the classes of the known columns disclose about sensitive columns."""
    return Inference(
        tuple(sensitive),
        () if case.outside else _measure_disclosure(case.original, seen, known, sensitive),
        () if case.released is None else _measure_disclosure(case.released, seen, known, sensitive),
    )


def _measure_disclosure(
    data: Dataset, seen: Assessments, known: Sequence[str], sensitive: Sequence[str]
) -> tuple[Disclosure, ...]:
    if not sensitive or not known or not all(name in data.attributes for name in (*known, *sensitive)):
        return ()
    risk = seen.count(data, Columns(*known))
    return tuple(Disclosure(**vars(one)) for one in diversity(risk, list(sensitive)))


# Exposure: the share of people that l known neighbors (or columns) leave fewer than k candidates, for l = 0, 1, ...
#
# Where a search was cut short, people may be exposed without being counted: they are undecided.

MOST = 5
"""The largest number of known neighbors: the curve is flat soon, and the search grows."""
LARGE = 200_000
"""Networks with this many links are searched for sets of two only."""


def measure_exposure(data: Dataset, k: int, columns: Sequence[str], most: int | None = None) -> Exposure | None:
    """Return the curve; None for a table without known columns.

    >>> import shoal
    >>> curve = measure_exposure(shoal.examples.karate(), 2, ())
    >>> curve.of, [step.exposed for step in curve.steps]
    ('neighbors', [0, 1, 16, 17, 17, 17])
    """
    table = not data.has_links
    names = [name for name in columns or data.attributes if name in data.attributes] if table else []
    if table and not names:
        return None
    limit = min(most or (MOST if data.m < LARGE else 2), len(names) if table else data.n)
    if k > data.n:  # every person is exposed to an attacker who knows nothing
        steps = tuple(ExposureStep(l, data.n, 0) for l in range(limit + 1))
    else:
        how: dict[str, Any] = {"columns": names} if table else {}
        steps = _list_steps(levels(data, k=k, max_size=limit, **how), limit)
    return Exposure("columns" if table else "neighbors", k, data.n, steps)


def _list_steps(found: Levels, limit: int) -> tuple[ExposureStep, ...]:
    """Return for each l how many people are exposed, and how many are undecided."""
    return tuple(
        ExposureStep(l, int(found.exposed(l).sum()), int((~found.exact & (found.per_vertex < l)).sum()))
        for l in range(limit + 1)
    )
