"""One trial of a frontier: make a release, and measure its risk and its loss of utility."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from string import punctuation, whitespace

import numpy as np

from shoal.auditing.frontier.points import UNCHANGED, Plan, Point, PointRisk
from shoal.comparison.compare import ComparisonRow, ComparisonRun, remove_links
from shoal.data.dataset import Dataset, as_graph
from shoal.data.table import Column
from shoal.errors import Notice, ShoalError, cut, lacks_memory
from shoal.knowledge import Adversary
from shoal.knowledge.view import Pair
from shoal.release.guarantee import covers
from shoal.release.manifest import describe_promise
from shoal.release.release import Release
from shoal.risk.assess import Risk, assess
from shoal.utility.base import Measurement
from shoal.utility.changes import measure_changes
from shoal.utility.registry import METRICS

LONG = 20
"""A longer name may be cut off in a message."""
HIDDEN = "\0"
SIGNS = frozenset(punctuation + whitespace)


@dataclass(frozen=True)
class Question:
    """What every release of a frontier is assessed for."""

    data: Dataset
    """The original, with the included columns."""
    kinds: tuple[Adversary, ...]
    ks: tuple[int, ...]


def try_plan(plan: Plan, question: Question) -> Point:
    """Make a release and measure it; if that fails, the point holds the reason.

    A search that the user stopped is not a result: the interrupt is raised again.
    """
    start = time.perf_counter()
    options = plan.list_options(tuple(question.data.attributes))
    point = Point(plan.name, plan.k, options, "end" if plan.method is None else "method")
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            point = _measure_release(point, plan, question)
    except Exception as error:  # a failure of one method must not stop the others
        refused = isinstance(error, ShoalError) and not lacks_memory(error)
        if not refused and isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None  # a compiled loop wraps an interrupt that came during its call
        point = replace(point, refused=_explain_failure(error, question.data), again=not refused)
    said = [str(each.message) for each in heard if issubclass(each.category, Notice)]
    notes = tuple(hide_names(text, question.data) for text in dict.fromkeys(said))
    return replace(point, notes=notes, seconds=time.perf_counter() - start)


def _explain_failure(error: Exception, data: Dataset) -> str:
    """Return why there is no release, without names: they are hidden before a long message is cut."""
    if lacks_memory(error):
        return "not enough memory"
    told = hide_names(str(error), data)
    return told if isinstance(error, ShoalError) else f"it failed: {type(error).__name__}: {cut(told)}"


def _measure_release(point: Point, plan: Plan, question: Question) -> Point:
    if plan.method is None:
        graph = question.data if plan.end == UNCHANGED else empty_data(question.data)
        return measure_point(point, Pair.of(question.data, graph), question)
    release = plan.method(question.data)
    if release.measured.get("stopped early"):
        raise KeyboardInterrupt
    found = measure_point(point, Pair.of(question.data, release.data, who="frontier"), question)
    return replace(
        found, promise=tuple(map(describe_promise, release.promises)), covered=_is_covered(release, question.kinds)
    )


def measure_point(point: Point, pair: Pair, question: Question) -> Point:
    """Return a point with the risk and the loss of a release."""
    risk = count_at_risk([assess(pair.released, kind) for kind in question.kinds], question.ks)
    return replace(point, risk=risk, attacked=_count_at_risk_by_original(pair, question), lost=measure_losses(pair))


def count_at_risk(risks: Sequence[Risk], ks: tuple[int, ...]) -> PointRisk:
    """Count, for each k, the people who have fewer candidates under one kind of knowledge, and those who may have.

    A size that is an upper bound may be smaller in truth. So may a size from comparing values as they are, where the
    release recoded them: "41" is not "40-49", but an attacker who understands that may find fewer candidates. If the
    release lacks values of a known column, no size is exact. If some known values together fit no released person, the
    size of the people with these values is not.
    """
    sizes = np.array([risk.sizes for risk in risks])
    may_be_fewer = np.array([~risk.exact_sizes | risk.unfit | bool(risk.unmatched) for risk in risks])
    below, unsure = {}, {}
    for k in ks:
        exposed = ((sizes > 0) & (sizes < k)).any(axis=0)
        open_ = ((may_be_fewer & (sizes >= k)) | (sizes == 0)).any(axis=0)
        below[k], unsure[k] = int(exposed.sum()), int((open_ & ~exposed).sum())
    exact = [risk.exact and (risk.k <= 1 or not (risk.unmatched or risk.unfit.any())) for risk in risks]
    least = min((risk.k for risk in risks if risk.k), default=0)
    sure = all(exact) or any(known and risk.k == 1 for risk, known in zip(risks, exact, strict=True))
    recoded = tuple(dict.fromkeys(name for risk in risks for name in risk.unmatched))
    return PointRisk(sizes.shape[1], least, sure, below, unsure, int((sizes == 0).all(axis=0).sum()), recoded)


def _count_at_risk_by_original(pair: Pair, question: Question) -> PointRisk | None:
    """Return the risk for an attacker who measures in the original; None without a mapping, or if it is refused."""
    if pair.counterpart is None:
        return None
    there = np.flatnonzero(pair.counterpart >= 0).tolist()
    mapping: Mapping[Hashable, Hashable] = {
        pair.original.names[v]: pair.released.names[int(pair.counterpart[v])] for v in there
    }
    try:
        risks = [assess(pair.released, kind, original=pair.original, mapping=mapping) for kind in question.kinds]
    except ShoalError:
        return None
    return count_at_risk(risks, question.ks)


def _is_covered(release: Release, kinds: Sequence[Adversary]) -> bool:
    """Return whether guarantees for all people, about the release, cover each kind of knowledge."""
    made = [
        promise
        for promise in release.promises
        if getattr(promise, "vertices", "all") == "all" and getattr(promise, "source", "release") == "release"
    ]
    simple = release.data.is_simple
    return all(any(covers(promise, kind, simple=simple) for promise in made) for kind in kinds)


def empty_data(data: Dataset) -> Dataset:
    """Return the same people without links, all values missing.

    >>> from shoal.data.graph import Graph
    >>> g = empty_data(Graph.from_pairs("ab", [0], [1]))
    >>> g.n, g.m
    (2, 0)
    """
    nothing = Column.of([None] * data.n)
    table = data.attributes.with_columns(dict.fromkeys(data.attributes, nothing))
    if not data.has_links:
        return data.with_attributes(table)
    return remove_links(as_graph(data).with_attributes(table))


def hide_names(text: str, data: Dataset) -> str:
    """Return a message without the names of people, because messages are shown and stored in a file.

    Every word that is spelled like a name is hidden, also inside quotes, whole or cut off after `LONG` characters or
    more. If a person is called 2, every 2 is hidden, even that of k = 2: better too much than a name. A name of
    punctuation only, such as ",", is hidden only inside quotes; elsewhere it cannot be distinguished from the text.

    >>> from shoal.data.graph import Graph
    >>> hide_names("There is no link of 'Ann' to 7, nor to 17.", Graph.from_pairs(["Ann", 7], [0], [1]))
    "There is no link of '...' to ..., nor to 17."
    """
    shown = list(text)
    for word in {word for name in data.names for word in _list_spellings(name, text)}:
        for found in re.finditer(f"(?={_compile_word(word)})", text):  # names may overlap, and each is hidden
            shown[found.start() : found.start() + len(word)] = [HIDDEN] * len(word)
    return re.sub(f"{HIDDEN}+", "...", "".join(shown))


def _list_spellings(name: Hashable, text: str) -> Iterator[str]:
    """Yield the spellings of a name that occur in a text, whole or cut off."""
    other = repr(name)[1:-1] if isinstance(name, str) else repr(name)
    for word in {str(name), other, f"{name:,}" if isinstance(name, int) else ""} - {""}:
        if word in text:
            yield word
        elif len(word) > LONG and word[:LONG] in text:
            yield next(word[:end] for end in range(len(word), 0, -1) if word[:end] in text)


def _compile_word(word: str) -> str:
    """Return a pattern for a word that is not a part of a longer one.

    >>> [re.sub(_compile_word(word), "...", "Ann, Annex, ','") for word in ("Ann", ",")]
    ["..., Annex, ','", "Ann, Annex, '...'"]
    """
    if len(word) >= LONG:
        return re.escape(word)  # so long a match is no coincidence, and it may be cut off inside a word
    if all(sign in SIGNS for sign in word):
        return rf"(?<=['\"]){re.escape(word)}(?=['\"])"
    before, after = (r"(?<!\w)" if word[0].isalnum() else ""), (r"(?!\w)" if word[-1].isalnum() else "")
    return before + re.escape(word) + after


# The loss of a release, the axis of a frontier: 0 is no difference.
#
# :func:`list_metric_rows` lists what is compared; :func:`measure_loss` turns each row into a distance.


def list_metric_rows(pair: Pair) -> Iterator[ComparisonRow]:
    """Yield one row per metric; metrics that need matched people only where a mapping is known."""
    if pair.counterpart is not None:
        for name, value in measure_changes(pair.original, pair.released, pair.counterpart).items():
            yield _build_metric_row(name, None, value)
    yield from ComparisonRun(pair, [pair.released], drawn=False, repeats=0, seed=0).run().rows


def measure_loss(row: ComparisonRow) -> float | None:
    """Return the distance of a row from the value before, or else from the best end of the range.

    None where that is undefined: no number, or no best end.

    >>> measure_loss(_build_metric_row("transitivity", 0.5, 0.25))
    0.25
    >>> measure_loss(_build_metric_row("links changed", None, 0.1))
    0.1
    """
    metric, after = row.metric, row.after.value
    if row.before is not None:
        best: float | None = row.before.value
    elif metric.better == "higher":
        best = metric.high
    else:
        best = metric.low
    return None if best is None or not isfinite(after - best) else abs(after - best)


def measure_losses(pair: Pair) -> dict[str, float]:
    """Return the loss by each metric that is defined."""
    return {row.metric.name: found for row in list_metric_rows(pair) if (found := measure_loss(row)) is not None}


def _build_metric_row(name: str, before: float | None, after: float) -> ComparisonRow:
    known = None if before is None else Measurement(before)
    return ComparisonRow(METRICS[name], known, Measurement(after), None, None)
