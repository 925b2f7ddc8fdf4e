"""Guarantees of a release: as recorded, recounted, and as a certificate that others can check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from shoal.auditing.case import Case, list_reading_options, name_file
from shoal.auditing.model import (
    CandidatesGuarantee,
    Certificate,
    ConfusionGuarantee,
    ExchangeabilityGuarantee,
    Guarantee,
    PartialGuarantee,
    PromiseCheck,
    RadiusGuarantee,
    ResidualRisk,
)
from shoal.auditing.panel import Assessments
from shoal.data.dataset import Dataset, as_graph
from shoal.errors import BrokenPromise, ShoalError
from shoal.knowledge import (
    DEFAULT_KNOWLEDGE,
    Adversary,
    parse_knowledge,
)
from shoal.release.guarantee import AnyPromise, PartialPromise, Promise, RadiusPromise, covers
from shoal.release.manifest import describe_promise
from shoal.release.verify import check_counts, check_partial, check_promise, check_radius, prove_by_classes

Found = tuple[bool | None, str]
NOT_HERE = "It cannot be counted from the files at hand."


def recount_promises(case: Case, seen: Assessments) -> list[tuple[AnyPromise | None, PromiseCheck]]:
    """Recount each guarantee; the promise is None where the manifest says too little to rebuild it."""
    records, promises = list_guarantees(case), rebuild_promises(case)
    stated = [] if case.about is None else list(case.about["verification"])
    texts = stated if len(stated) == len(records) else [None] * len(records)
    return [
        (promise, PromiseCheck(record, *_try_recount(case, promise, seen), text))
        for record, promise, text in zip(records, promises, texts, strict=True)
    ]


def list_guarantees(case: Case) -> list[Guarantee]:
    """Return the guarantees of a release, or those that its manifest states."""
    if case.release is not None:
        return [record_promise(describe_promise(promise)) for promise in case.release.promises]
    return [] if case.about is None else [record_promise(told) for told in case.about["promise"]]


def record_promise(told: Mapping[str, Any]) -> Guarantee:
    """Return a promise of a manifest as a record; a manifest of another version may say more."""
    match told["kind"]:
        case "candidates":
            return CandidatesGuarantee(told["knows"], told["k"], told["for"], told["source"])
        case "partial":
            return PartialGuarantee(tuple(told["knows"]), told["k"], told["protected"], told["of"])
        case "confusion":
            return ConfusionGuarantee(told["n"], told["ground"])
        case "radius":
            return RadiusGuarantee(told["similarity"], told["k"], told["l"])
    return ExchangeabilityGuarantee(told["k"])


def rebuild_promises(case: Case) -> list[AnyPromise | None]:
    """Return the promises of a release, or those of its manifest as far as they can be rebuilt."""
    if case.release is not None:
        return list(case.release.promises)
    return [_rebuild_promise(record) for record in list_guarantees(case)]


def _rebuild_promise(record: Guarantee) -> AnyPromise | None:
    if isinstance(record, CandidatesGuarantee) and record.protects == "all":
        return Promise(parse_knowledge(record.knows), record.k, source=record.source)
    if isinstance(record, PartialGuarantee):
        return PartialPromise(tuple(map(parse_knowledge, record.knows)), record.k, record.protected, record.of)
    if isinstance(record, RadiusGuarantee):
        return RadiusPromise(record.k, record.l, record.similarity)
    return None


def add_promised_knowledge(panel: Sequence[Adversary], case: Case) -> list[Adversary]:
    """Return a panel with the knowledge of each guarantee, where the data has its columns and counting is quick."""
    promises = rebuild_promises(case)
    about = [promise.knowledge for promise in promises if isinstance(promise, Promise)]
    about += [knows for promise in promises if isinstance(promise, PartialPromise) for knows in promise.knowledge]
    there = {
        knows.spec: knows
        for knows in about
        if _has_columns(case.original, knows) and not _explain_uncounted(case, knows)
    }
    return list(({adversary.spec: adversary for adversary in panel} | there).values())


def _has_columns(data: Dataset, knows: Adversary) -> bool:
    return all(name in data.attributes for name in knows.columns(data.attributes))


def _explain_uncounted(case: Case, knows: Adversary) -> str | None:
    """Return why candidates are not counted in the release or the original; None where they are."""
    assert case.released is not None
    return explain_beyond_budget(knows, case.released) or explain_beyond_budget(knows, case.original)


def _try_recount(case: Case, promise: AnyPromise | None, seen: Assessments) -> Found:
    try:
        return _count_promise(case, promise, seen)
    except BrokenPromise as broken:
        return False, str(broken)
    except ShoalError as error:  # e.g. a column that the file does not have
        return None, f"It could not be counted: {error}"


def _count_promise(case: Case, promise: AnyPromise | None, seen: Assessments) -> Found:
    """Count in the published files alone where that is enough, else with the original."""
    assert case.released is not None
    if isinstance(promise, RadiusPromise):
        return True, check_radius(promise, as_graph(case.released))
    if isinstance(promise, PartialPromise):
        slow = [why for knows in promise.knowledge if (why := _explain_uncounted(case, knows))]
        return (None, slow[0]) if slow else (True, check_partial(promise, case.released, seen.count))
    if isinstance(promise, Promise) and promise.vertices == "all" and (promise.source == "release" or case.matched):
        return _count_candidates(case, promise, seen)
    if promise is not None and case.release is not None and not case.outside:
        return True, check_promise(promise, case.release, seen.count)
    return None, NOT_HERE


def _count_candidates(case: Case, promise: Promise, seen: Assessments) -> Found:
    assert case.released is not None
    facts = {} if promise.source == "release" else {"original": case.original, "mapping": case.mapping}
    is_counted = seen.has(case.released, promise.knowledge, facts.get("original"))
    if not is_counted and (why := _explain_uncounted(case, promise.knowledge)):
        return None, why
    risk = seen.count(case.released, promise.knowledge, **facts)
    verified = check_counts(promise, risk)
    return (True, verified) if risk.exact_sizes.all() else _prove_by_classes(case, promise)


def _prove_by_classes(case: Case, promise: Promise) -> Found:
    """Prove a guarantee by classes, without a search, where the search was cut short."""
    assert case.released is not None
    try:
        return True, prove_by_classes(promise, case.released)
    except BrokenPromise as cut_short:
        return None, str(cut_short)


# What the guarantees leave open, and what others can check.


def list_residual_risks(case: Case) -> ResidualRisk:
    """Return the attacker models of the standard panel, the columns and the kinds of links that no guarantee covers."""
    columns = () if case.about is None else tuple(case.about["columns in no promise"])
    kinds = () if case.about is None else tuple(case.about.get("kinds in no promise", ()))
    notes = () if case.release is None else tuple(case.release.notes)
    return ResidualRisk(_list_not_covered(case), columns, kinds, notes)


def _list_not_covered(case: Case) -> tuple[str, ...]:
    if case.is_table:
        return ()
    about = [p for p in rebuild_promises(case) if isinstance(p, Promise) and p.vertices == "all"]
    simple = case.released is not None and case.released.is_simple
    return tuple(
        knows.spec for knows in DEFAULT_KNOWLEDGE if not any(covers(promise, knows, simple=simple) for promise in about)
    )


def build_certificate(case: Case) -> Certificate | None:
    """Return the published files and the commands that check each guarantee again; None without a guarantee."""
    made = list_guarantees(case)
    if not made or case.about is None:
        return None
    name, table = name_file(case.files[1], "RELEASED"), " --table" if case.is_table else ""
    table += "".join(f" {word}" for word in list_reading_options(case.released, case.files[1], "kind"))
    again = tuple(
        f"shoal check {name}{table} --knows {one.knows} --at-least {one.k}"
        for one in made
        if isinstance(one, CandidatesGuarantee) and one.protects == "all" and one.source == "release"
    )
    again += tuple(
        f"shoal risk {name}{table} -k {one.k} {' '.join(f'--knows {spec}' for spec in one.knows)}"
        for one in made
        if isinstance(one, PartialGuarantee)
    )
    return Certificate({file: found["sha256"] for file, found in case.about["files"].items()}, again)


# Budget: how many steps a recount may take. A manifest may state a guarantee that takes years to count.
#
# The estimate depends on the data and the knowledge, never on a clock: the same audit gives the same answer.

STEPS = 100_000_000
"""The most steps of a recount. Checking one set of known facts is one step."""


def explain_beyond_budget(knows: Adversary, data: Dataset) -> str | None:
    """Return why candidates are not counted by default; None where they are."""
    steps = estimate_steps(knows, data)
    if steps <= STEPS:
        return None
    return (
        f"It was not counted: counting takes about {steps:.1e} steps, and an audit takes at most {STEPS:.0e}. "
        f"To count it, run: shoal check RELEASED --knows {knows.spec} --at-least K"
    )


def estimate_steps(knows: Adversary, data: Dataset) -> int:
    """Estimate the steps to count the candidates of all vertices; 0 for knowledge that is always counted.

    >>> import shoal
    >>> [estimate_steps(shoal.parse_knowledge(spec), shoal.examples.karate()) for spec in ("orbit", "subgraph:30")]
    [0, 3650722201600]
    """
    if knows in DEFAULT_KNOWLEDGE:
        return 0
    steps = [part.estimate_steps(data) for part in knows.parts]
    return prod(max(1, many) for many in steps) if any(steps) else 0
