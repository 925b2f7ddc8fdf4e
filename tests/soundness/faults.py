"""Planted faults: public functions of shoal that answer wrongly, so that each judge can be seen to fail."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from typing import Any

import shoal
from shoal import linkage, methods, relational

Change = Callable[[Any], Any]
"""Returns a wrong answer, given the right one."""


def enlarge_size(risk: Any) -> Any:
    """Let the first vertex have one candidate more."""
    sizes = risk.sizes.copy()
    sizes[0] += 1
    return replace(risk, sizes=sizes)


def understate_sizes(risk: Any) -> Any:
    """Let every vertex have one candidate fewer."""
    return replace(risk, sizes=risk.sizes - 1)


def raise_level(levels: Any) -> Any:
    """Let the first vertex that falls have a higher level; where none falls, let the first one fall."""
    values = levels.per_vertex.copy()
    at = next((i for i, l in enumerate(values.tolist()) if l < inf), 0)
    values[at] = values[at] + 1 if values[at] < inf else 0
    vars(levels)["per_vertex"] = values
    return levels


def raise_levels(curves: Any) -> Any:
    """Let the levels of each k be too high."""
    for levels in curves.levels.values():
        raise_level(levels)
    return curves


def confirm(verdict: Any) -> Any:
    return verdict._replace(holds=True)


def cover(covered: bool) -> bool:
    return True


def change_method(kind: Any) -> Any:
    """Let a method promise more than its release keeps, and miscount its edits."""

    def make(**options: Any) -> Any:
        return lambda data: overstate_release(kind(**options)(data))

    return make


def overstate_release(release: Any) -> Any:
    promises = []
    for promise in release.promises:
        field = next(name for name in ("protected", "l", "n", "k") if hasattr(promise, name))
        promises.append(replace(promise, **{field: getattr(promise, field) + 99}))
    measured = dict(release.measured)
    if "edits" in measured:
        measured["edits"] += 1
    return replace(release, promises=tuple(promises), measured=measured)


def change_pipeline(pipeline: Any) -> Any:
    """Let a pipeline promise more than its release keeps."""
    return lambda data: overstate_release(pipeline(data))


def change_metric(comparison: Any) -> Any:
    """Let the release have a vertex more."""
    first, *others = comparison.rows
    changed = replace(first, after=replace(first.after, value=first.after.value + 1))
    return replace(comparison, rows=(changed, *others))


def change_point(frontier: Any) -> Any:
    """Let the first release have a larger k."""
    first, *others = frontier.points
    changed = replace(first, risk=replace(first.risk, k=first.risk.k + 1))
    return replace(frontier, points=(changed, *others))


def change_verdict(audit: Any) -> Any:
    """Let one person more be below k."""
    before = replace(audit.verdict.before, below=audit.verdict.before.below + 1)
    return replace(audit, verdict=replace(audit.verdict, before=before))


def change_outcome(outcome: Any) -> Any:
    """Let the attack on the release have one hit more."""
    first, *others = outcome.trials
    rate = first.rates[outcome.main]
    changed = replace(first, rates={**first.rates, outcome.main: replace(rate, hits=rate.hits + 1)})
    return replace(outcome, trials=(changed, *others))


def recommend_last(recommendation: Any) -> Any:
    """Recommend the method that was the last choice, and let it cost a link more."""
    *others, last = recommendation.offers
    if last.release is None or last.release.edits is None:
        return replace(recommendation, offers=(last, *others))
    edits = replace(last.release.edits, added=(*last.release.edits.added, (0, 1)))
    release = replace(last.release)
    vars(release)["edits"] = edits
    return replace(recommendation, offers=(replace(last, release=release), *others))


def pass_everything(recommendation: Any) -> Any:
    """Let nobody be below k in any release that was tried."""
    attempts = [
        replace(one, judgments=tuple(replace(each, below=0, misled=0, all_misled=False) for each in one.judgments))
        for one in recommendation.attempts
    ]
    return replace(recommendation, attempts=tuple(attempts))


def reach_target(method: Any) -> Any:
    """Let the release of a method say that its target is reached."""

    def make(data: Any) -> Any:
        release = method(data)
        return replace(release, measured={**release.measured, "target reached": True})

    return make


def lower_points(tradeoff: Any) -> Any:
    """Let one person fewer be at risk in each release."""
    points = [replace(point, at_risk=max(0, point.at_risk - 1)) for point in tradeoff.points]
    return replace(tradeoff, points=tuple(points))


def pass_audit(audit: Any) -> Any:
    """Let every verdict say PASS."""
    return replace(audit, verdict=replace(audit.verdict, overall="pass"))


def increase(many: int) -> int:
    return many + 1


def turn_rows(made: Any) -> Any:
    """Let each individual have the probability of the next one."""

    def ask(y: Any, a: Any) -> list:
        first, *others = made(y, a)
        return [*others, first]

    return ask


def change_fit(fit: Any) -> Any:
    return fit._replace(share=fit.share + 0.01)


def enlarge_counted(risk: Any) -> Any:
    """Let every vertex have one candidate more in the sums of an engine."""
    return replace(risk, counted=[(size + 1, exact, many) for size, exact, many in risk.counted])


def turn_mapping(mapping: dict) -> dict:
    """Let each person be published as the next one."""
    first, *others = mapping.values()
    return dict(zip(mapping, [*others, first], strict=True))


FAULTS: dict[str, tuple[Any, str, Change]] = {
    "a size too large": (shoal, "assess", enlarge_size),
    "an unproved size too small": (shoal, "assess", understate_sizes),
    "a level too high": (shoal, "levels", raise_level),
    "a curve too high": (shoal, "level_curves", raise_levels),
    "every certificate confirmed": (shoal, "check_certificate", confirm),
    "everything covered": (shoal, "covers", cover),
    "a release that promises more": (methods, "find_method", change_method),
    "a pipeline that promises more": (methods, "Pipeline", change_pipeline),
    "a metric changed": (shoal, "compare", change_metric),
    "a point with a larger k": (shoal, "frontier", change_point),
    "a verdict changed": (shoal, "audit", change_verdict),
    "every audit passes": (shoal, "audit", pass_audit),
    "an attack that counts one more": (shoal, "attack", change_outcome),
    "a recommendation out of order": (shoal, "recommend", recommend_last),
    "everything recommended passes": (methods, "recommend_for_scenario", pass_everything),
    "a target called reached": (methods, "ReduceRisk", reach_target),
    "fewer people at risk": (shoal, "tradeoff", lower_points),
    "confusion too large": (linkage, "confusion", increase),
    "a posterior changed": (linkage, "Bayesian", turn_rows),
    "a row changed": (linkage, "ExactMatch", turn_rows),
    "a fit changed": (linkage, "fit_fellegi_sunter", change_fit),
    "an engine that counts too many": (relational, "assess", enlarge_counted),
    "a mapping mixed up": (shoal, "read_mapping", turn_mapping),
}
"""Each fault: where a public name is, the name, and how its answer changes."""


@contextmanager
def plant_fault(name: str | None) -> Iterator[None]:
    """Let shoal answer wrongly for a while; None plants nothing."""
    if name is None:
        yield
        return
    place, what, change = FAULTS[name]
    real = getattr(place, what)
    setattr(place, what, lambda *args, **how: change(real(*args, **how)))
    try:
        yield
    finally:
        setattr(place, what, real)
