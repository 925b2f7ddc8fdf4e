"""The panel of an audit: the risk under each attacker model, and how risk grows with the number of known facts."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from shoal.auditing.case import Case
from shoal.auditing.findings import DirectedDegrees, Disclosure, Exposure, ExposureStep, Inference, PanelRow
from shoal.data.arrays import Ints
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import OutOfTime, list_names
from shoal.knowledge import Adversary, Columns
from shoal.limits import find_limit, stop_after
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
    left_out: dict[str, str]
    """Attacker models that were not assessed with facts from the original, each with the reason."""
    not_counted: dict[str, str]
    """Attacker models outside the scenario that were not counted, each with the reason."""
    ended: tuple[str, ...]
    """Attacker models outside the scenario that the time limit ended."""
    exact: list[Risk] = field(default_factory=list)
    """The scenario with facts from the original as they are, where `attacked` has columns as they are released."""

    @classmethod
    def of(cls, case: Case, panel: Panel, seen: Assessments, *, all_of_it: bool) -> CountedRisks:
        """Count the whole panel, the scenario first and always to the end.

        Outside the scenario, leave out what takes too long: unless `all_of_it`, by an estimate, and by the time limit.
        """
        found = cls._count_scenario(case, panel, seen)
        limit, ended = find_limit(), []
        limit = None if limit is None else limit.share()
        for done, kind in enumerate(panel.outside):
            track(f"risk outside the scenario, {kind.spec}", done, len(panel.outside))
            why = None if all_of_it else explain_slow_count(case, kind)
            try:
                if why is None:
                    with stop_after(None if limit is None else limit.share(last=kind is panel.outside[-1])):
                        found._count_kind(case, kind, seen, all_of_it=all_of_it)
            except OutOfTime as late:
                why = f"It was {late}."
                ended.append(kind.spec)
            if why is not None:
                found.not_counted[kind.spec] = why
        track("risk outside the scenario", 1, 1)
        return replace(found, ended=tuple(ended))

    @classmethod
    def _count_scenario(cls, case: Case, panel: Panel, seen: Assessments) -> CountedRisks:
        """Count the kinds of knowledge of the scenario."""
        kinds = list(panel.after.values())
        before, inside, attacked, exact, left_out = [], [], [], [], {}
        if not case.outside:
            before = seen.count_panel(case.original, list(panel.before.values()), "risk before")
        if case.released is not None:
            inside = seen.count_panel(case.released, kinds, "risk after")
            reasons = {
                kind.spec: explain_unpublished(case.original, case.released, kind) for kind in panel.before.values()
            }
            left_out = {spec: why for spec, why in reasons.items() if why is not None}
        if case.released is not None and case.matched:
            known = case.find_known_data(kinds)
            attacked = seen.count_panel(
                case.released, kinds, "risk after, facts from the original", known, case.mapping
            )
            if known is not case.original:
                exact = seen.count_panel(case.released, kinds, "risk after, exact values", case.original, case.mapping)
        return cls(panel, before, inside, attacked, left_out, {}, (), exact)

    def _count_kind(self, case: Case, kind: Adversary, seen: Assessments, *, all_of_it: bool) -> None:
        """Count a kind of knowledge outside the scenario."""
        if not case.outside:
            self.before.append(seen.count(case.original, kind))
        if case.released is None:
            return
        if (why := explain_unpublished(case.original, case.released, kind)) is not None:
            self.left_out[kind.spec] = why
            return
        self.inside.append(seen.count(case.released, kind))
        if not case.matched:
            return
        if not all_of_it and (why := kind.explain_slow_search(case.original)) is not None:
            self.left_out[kind.spec] = why
            return
        known = case.find_known_data([kind])
        self.attacked.append(seen.count(case.released, kind, original=known, mapping=case.mapping))

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


def explain_slow_count(case: Case, kind: Adversary) -> str | None:
    """Return why a kind of knowledge takes too long to count in the original or the release; None where it does not."""
    counted = [data for data in (case.original, case.released) if data is not None]
    return next((why for data in counted if (why := kind.explain_slow_count(data))), None)


def explain_unpublished(original: Dataset, released: Dataset, kind: Adversary) -> str | None:
    """Return that a kind of knowledge has columns which the release does not have; None where it has all."""
    gone = [name for name in kind.columns(original.attributes) if name not in released.attributes]
    return (
        f"The release does not have {list_names(gone, spell=str)}, so no person can be found by it." if gone else None
    )


def count_degrees(data: Dataset) -> tuple[tuple[int, int], ...] | None:
    """Return how many vertices have each number of links, as pairs; None for a table."""
    return _count_each(data.degree) if isinstance(data, Graph) else None


def count_directed_degrees(data: Dataset) -> DirectedDegrees | None:
    """Return how many vertices have each number of outgoing and of incoming links; None without directions.

    >>> count_directed_degrees(Graph.from_pairs("abc", [0, 1], [2, 2], directed=True)).incoming
    ((0, 2), (2, 1))
    """
    if not isinstance(data, Graph) or not data.directed:
        return None
    links = data.to_scipy()
    return DirectedDegrees(*(_count_each(np.asarray(links.sum(axis=axis)).reshape(-1)) for axis in (1, 0)))


def _count_each(numbers: Ints) -> tuple[tuple[int, int], ...]:
    """Return how often each number occurs, as pairs."""
    counts = np.bincount(numbers)
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
