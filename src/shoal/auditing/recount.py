"""Recount of promises: each is verified again, and one that holds decides where facts of the original cannot.

A promise of k candidates bounds everybody's chance of being found by 1/k, whatever the facts of an attacker are: either
they do not fit the target, and nobody finds it by them, or they are true of it in the release, and k others fit too
(:mod:`shoal.attacks.informed`, which says for which knowledge that is so).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from shoal.auditing.case import Case
from shoal.auditing.panel import Verdict
from shoal.data.convert import as_graph
from shoal.data.dataset import Dataset
from shoal.errors import BrokenPromise, ShoalError
from shoal.knowledge import (
    DEFAULT_KNOWLEDGE,
    Adversary,
    parse_knowledge,
)
from shoal.release.coverage import covers
from shoal.release.guarantee import AnyPromise, Promise, RadiusPromise
from shoal.release.verify import check_promise, check_radius, prove_by_classes
from shoal.risk.assess import Risk, assess

Found = tuple[bool | None, str]
NOT_HERE = "It cannot be counted from what is at hand."


@dataclass(frozen=True)
class Recount:
    """A promise, and what counting it again came to."""

    promise: AnyPromise | None
    """None where the file says too little to rebuild it."""
    holds: bool | None
    """None: it was not counted here."""
    told: str
    """What was counted, or why it was not."""

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"holds": self.holds, "told": self.told}


def recount_promises(case: Case, inside: Sequence[Risk]) -> list[Recount]:
    """Count each promise again, `inside` being what was counted in the release already."""
    known = {risk.adversary.spec: risk for risk in inside}
    return [Recount(promise, *_try_recount(case, promise, known)) for promise in rebuild_promises(case)]


def rebuild_promises(case: Case) -> list[AnyPromise | None]:
    """Return the promises of a release, or those of its file as far as they can be rebuilt."""
    if case.release is not None:
        return list(case.release.promises)
    return [] if case.about is None else [_rebuild_promise(told) for told in case.about["promise"]]


def add_promised_knowledge(panel: Sequence[Adversary], case: Case) -> list[Adversary]:
    """Return a panel with the knowledge that is promised about, where it is not in it and the data have its columns."""
    about = [promise.knowledge for promise in rebuild_promises(case) if isinstance(promise, Promise)]
    there = {
        knows.spec: knows
        for knows in about
        if _has_columns(case.original, knows) and not _explain_uncounted(case, knows)
    }
    return list(({adversary.spec: adversary for adversary in panel} | there).values())


def _has_columns(data: Dataset, knows: Adversary) -> bool:
    return all(name in data.attributes for name in knows.columns(data.attributes))


def _explain_uncounted(case: Case, knows: Adversary) -> str | None:
    """Say why knowledge is not counted in one of the data, where it is not."""
    assert case.released is not None
    return explain_beyond_budget(knows, case.released) or explain_beyond_budget(knows, case.original)


def _rebuild_promise(told: Mapping[str, Any]) -> AnyPromise | None:
    if told["kind"] == "candidates" and told["for"] == "all":
        return Promise(parse_knowledge(told["knows"]), told["k"], source=told["source"])
    if told["kind"] == "radius":
        return RadiusPromise(told["k"], told["l"], told["similarity"])
    return None


def _try_recount(case: Case, promise: AnyPromise | None, known: Mapping[str, Risk]) -> Found:
    try:
        return _count_promise(case, promise, known)
    except BrokenPromise as broken:
        return False, str(broken)
    except ShoalError as error:  # a column that the file does not have, say
        return None, f"It could not be counted: {error}"


def _count_promise(case: Case, promise: AnyPromise | None, known: Mapping[str, Risk]) -> Found:
    """Count in what is published alone where that is enough, else with the original at hand."""
    assert case.released is not None
    if isinstance(promise, RadiusPromise):
        return True, check_radius(promise, as_graph(case.released))
    if isinstance(promise, Promise) and promise.vertices == "all" and (promise.source == "release" or case.matched):
        return _count_candidates(case, promise, known)
    if promise is not None and case.release is not None and not case.outside:
        return True, check_promise(promise, case.release)
    return None, NOT_HERE


def _count_candidates(case: Case, promise: Promise, known: Mapping[str, Risk]) -> Found:
    inside, spec = promise.source == "release", promise.knowledge.spec
    assert case.released is not None
    facts = {} if inside else {"original": case.original, "mapping": case.mapping}
    risk = known.get(spec) if inside else None
    if risk is None and (why := _explain_uncounted(case, promise.knowledge)):
        return None, why
    risk = assess(case.released, promise.knowledge, **facts) if risk is None else risk
    fewest = int(risk.sizes.min())
    if fewest < promise.k:
        return False, f"{spec}: at least {promise.k:,} candidates were promised. Got {fewest:,}."
    if not risk.proved_sizes.all():
        return _prove_by_classes(case, promise)
    told = f"the candidates of all {len(risk.sizes):,} were counted; the fewest are {fewest:,}"
    return True, f"{spec}{'' if inside else ' from the original'}: {told}."


def _prove_by_classes(case: Case, promise: Promise) -> Found:
    """Ask for a proof by classes, which needs no search, where one was cut short."""
    assert case.released is not None
    try:
        return True, prove_by_classes(promise, case.released)
    except BrokenPromise as unproved:
        return None, str(unproved)


def is_covered(case: Case, found: Sequence[Recount], spec: str, threshold: float, *, sought: bool) -> bool:
    """Tell whether a promise that holds bounds everybody's risk by the threshold, whatever is known of the original.

    Where facts of the original were not sought, columns may have been recoded without anybody noticing: such knowledge
    is covered by nothing then.
    """
    knows = parse_knowledge(spec)
    if case.released is None or case.released.is_multigraph or not (sought or not _reads_columns(knows, case.original)):
        return False  # what covers what is proved for simple graphs
    sure = all(part.stays_true for part in knows.parts)
    return any(
        isinstance(p, Promise) and p.vertices == "all" and 1 / p.k <= threshold and covers(p, knows)
        and (sure or p.source == "original")
        for p in (one.promise for one in found if one.holds)
    )  # fmt: skip


def _reads_columns(knows: Adversary, data: Dataset) -> bool:
    return any(not part.reads_links or part.columns(data.attributes) for part in knows.parts)


def combine_verdicts(itself: Mapping[str, Any], facts: Mapping[str, Any] | None, promised: bool) -> Verdict:
    """Return the verdict on a kind of knowledge by both tables of risk, `facts` being None where it was not sought.

    >>> row = {"verdict": "pass", "open": []}
    >>> some = {"verdict": "cannot tell", "open": ["misled"]}
    >>> combine_verdicts(row, row, False), combine_verdicts(row, some, False)
    ('pass', 'cannot tell')
    >>> combine_verdicts(row, some, True), combine_verdicts(row, None, False)
    ('pass', 'cannot tell')
    """
    rows = [itself, *([] if facts is None else [facts])]
    if any(row["verdict"] == "fail" for row in rows):
        return "fail"
    if itself["verdict"] != "pass":
        return "cannot tell"
    if facts is not None and facts["verdict"] == "pass":
        return "pass"
    recoded = facts is not None and "recoded" in facts["open"]
    return "pass" if promised and not recoded else "cannot tell"


# Budget: how many steps the recount of a promise may take. A file may promise what takes longer than anyone waits.
#
# The estimate depends on the data and the knowledge alone, never on a clock: the same audit gives the same answer.

STEPS = 100_000_000
"""The most steps of a recount; a set of known facts that is looked at is one."""


def explain_beyond_budget(knows: Adversary, data: Dataset) -> str | None:
    """Say why the candidates are not counted unasked; None where they are."""
    steps = estimate_steps(knows, data)
    if steps <= STEPS:
        return None
    return (
        f"It was not counted: that takes about {steps:.1e} steps, and an audit takes at most {STEPS:.0e}. "
        f"To count it: shoal check RELEASED --knows {knows.spec} --at-least K"
    )


def estimate_steps(knows: Adversary, data: Dataset) -> int:
    """Return about how many steps it takes to count the candidates of all vertices; 0 for what is always counted.

    >>> import shoal
    >>> [estimate_steps(shoal.parse_knowledge(spec), shoal.examples.karate()) for spec in ("orbit", "subgraph:30")]
    [0, 3650722201600]
    """
    if knows in DEFAULT_KNOWLEDGE:
        return 0
    steps = [part.estimate_steps(data) for part in knows.parts]
    return prod(max(1, many) for many in steps) if any(steps) else 0
