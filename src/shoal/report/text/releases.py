"""Text of releases, promises and recommendations."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from typing import Any

from shoal.errors import join_lines
from shoal.knowledge import DEFAULT_KNOWLEDGE
from shoal.methods.recommend import Offer, Recommendation
from shoal.release.coverage import covers
from shoal.release.drawn import Estimates
from shoal.release.guarantee import ConfusionPromise, ExchangeabilityPromise, Ground, Promise, RadiusPromise
from shoal.release.release import Release, Utility
from shoal.report.text.wording import format_fraction, format_measured, format_number, format_share, render_table
from shoal.show import as_html, as_text
from shoal.wording import format_count, join_names

RESTS: dict[Ground, str] = {
    "equal records": "the members of a class are published alike",
    "secret permutation": "who in a class got which of its published values is a secret permutation",
    "exchangeable draw": "the values of a class are drawn alike for all its members",
}

UNITS = {"manhattan": "entries", "2-path": "neighbors"}
"""What a similarity counts."""


@singledispatch
def describe_promise(promise: Any, release: Release) -> str:
    """Say what a release promises."""
    raise TypeError(f"There are no words for a {type(promise).__name__}.")


@describe_promise.register
def _describe_candidates(promise: Promise, release: Release) -> str:
    who = (
        f"every {release.data.noun[0]}"
        if promise.vertices == "all"
        else f"each of {len(promise.vertices):,} protected ones"
    )
    where = " in the original" if promise.source == "original" else " in the release" if release.data.m else ""
    if promise.k == 1:
        return f"Nothing: k = 1 is kept by any data, whatever is known ({promise.knowledge.spec}{where})."
    return f"Whoever knows {promise.knowledge.spec}{where} is left with at least {promise.k:,} candidates for {who}."


@describe_promise.register
def _describe_confusion(promise: ConfusionPromise, release: Release) -> str:
    columns = f"the columns {join_names(promise.columns)} of the original and nothing else"
    told = f"To whoever knows {columns if release.uncovered else 'the whole original'}, every published"
    one = release.data.noun[0]
    what = f"{one} (though not each value)" if promise.of == "vertices" else one
    many = f"{what} could be any of {promise.n:,} or more, each with a probability of {promise.t} or more"
    return f"{told} {many}; {RESTS[promise.ground]}."


@describe_promise.register
def _describe_radius(promise: RadiusPromise, release: Release) -> str:
    like = "agree with its own in" if promise.similarity == "manhattan" else "share with it"
    what = format_count(
        promise.l, "entry" if promise.similarity == "manhattan" else "neighbor", UNITS[promise.similarity]
    )
    rows = f"For every vertex there are {promise.k:,} or more, itself included, whose rows {like} {what} or more"
    return f"{rows}: a similarity radius, which is not ({promise.k:,},{promise.l:,})-anonymity."


@describe_promise.register
def _describe_exchangeability(promise: ExchangeabilityPromise, release: Release) -> str:
    told = "Only how many edges are inside and between classes of vertices goes into the release, and chance. "
    who = f"Taking all graphs with these numbers as equally likely, the {promise.k:,} or more members of a class are"
    return f"{told}{who} equally likely answers to whatever is asked about the links of one; their rows are not equal."


@as_text.register
def describe_estimates(estimates: Estimates) -> str:
    """Return numbers about samples as a table, beside the original's where that is known."""
    known = any(row.original is not None for row in estimates.rows)
    head = [
        format_count(estimates.samples, "sample"),
        *(["original"] if known else []),
        "mean",
        "spread",
        "least",
        "most",
    ]
    rows = [
        [row.name, *([format_number(row.original)] if known else []), *map(format_number, row.numbers)]
        for row in estimates.rows
    ]
    return join_lines(render_table(head, rows))


@as_text.register
def describe_release(release: Release) -> str:
    """Return a release as a few lines: what made it, what it promises, how that was verified, what it cost."""
    utility = release.utility
    lines = [f"Release of {release.original!r} by {describe_method(release.method)}."]
    lines += [f"Promised: {describe_promise(promise, release)}" for promise in release.promises]
    lines += [] if release.promises else ["Promised: nothing."]
    lines += describe_unprotected(release)
    lines += [f"Verified: {told}" for told in release.verification]
    linked = release.original.m or release.data.m
    lines += describe_change(utility) if utility is not None and linked else []
    lines += describe_uncovered(release)
    if release.uncovered:
        lines.append(
            f"Not covered: {join_names(release.uncovered)}; whoever knows more than the promise says may tell more."
        )
    lines += [f"{name}: {format_measured(value)}" for name, value in release.measured.items()]
    return join_lines([*lines, *(f"Note: {note}" for note in release.notes)])


def describe_unprotected(release: Release) -> list[str]:
    """Return how many are not protected, where a promise is about some only."""
    some = [promise for promise in release.promises if isinstance(promise, Promise) and promise.vertices != "all"]
    n, (one, many) = release.data.n, release.data.noun
    lines = []
    for promise in some:
        others = format_count(n - len(promise.vertices), f"other {one}", f"other {many}")
        lines.append(f"NOT PROTECTED: {others} of {n:,}. Whoever knows {promise.knowledge.spec} may single them out.")
    return lines


def describe_uncovered(release: Release) -> list[str]:
    """Return what is not covered, of the knowledge that `shoal risk` looks at, where a promise is about links."""
    about = [promise for promise in release.promises if isinstance(promise, Promise) and promise.knowledge.reads_links]
    left = [knows.spec for knows in DEFAULT_KNOWLEDGE if not any(covers(promise, knows) for promise in about)]
    whom = " even for the protected ones" if release.leaves_others_out else ""
    return [f"Not covered{whom}: whoever knows {join_names(left)}."] if about and left else []


def describe_change(change: Utility) -> list[str]:
    """Return what became of the links as a few lines."""
    if change.edit_ratio is None or change.added is None or change.removed is None:
        lines = [f"Drawn: {format_count(change.edges[1], 'edge')}, all anew; none counts as added or removed."]
    else:
        of = f"{100 * change.edit_ratio:.1f} % of {change.edges[0]:,}" if change.edges[0] else "there was none"
        added, removed = (format_count(many, "edge") for many in (change.added, change.removed))
        lines = [f"Changed: {added} added, {removed} removed ({of})."]
    degrees = f"Degrees: Kolmogorov-Smirnov distance {format_fraction(change.degree_distance)}; the largest"
    lines.append(f"{degrees} was {change.largest_degree[0]:,} and is {change.largest_degree[1]:,}.")
    before, after = (format_share(many, n) for many, n in zip(change.largest_component, change.vertices, strict=True))
    lines.append(f"Largest component: {before} of the vertices before, {after} after.")
    before, after = map(format_fraction, change.transitivity)
    return [*lines, f"Transitivity: {before} before, {after} after."]


def describe_method(value: Any) -> str:
    """Write a method without its secrets, and the methods inside it; anything else as Python writes it.

    >>> from shoal.methods import Confuse, SwapWithin
    >>> print(describe_method(Confuse(k=2, attributes=SwapWithin(seed=7))))
    Confuse(k=2, structure=EqualizeRows(...), attributes=SwapWithin(columns=None, allow_unique=False))
    """
    if isinstance(value, tuple) and value and all(hasattr(part, "public") for part in value):
        return f"({', '.join(map(describe_method, value))})"
    if not hasattr(value, "public"):
        return repr(value)
    return f"{type(value).__name__}({', '.join(f'{name}={describe_method(v)}' for name, v in value.public().items())})"


@as_html.register
def render_release(release: Release) -> str:
    """Return a release as a paragraph per line."""
    return "".join(f"<p>{escape(line)}</p>" for line in describe_release(release).split("\n"))


# Recommendations in words: which method, why its promise is enough, and what the others would change.


@as_text.register
def describe_recommendation(found: Recommendation) -> str:
    """Return why the first is recommended, and a line for each of the others."""
    first, *others = found.offers
    promise = f"its promise about {first.promises.spec} covers {found.adversary.spec}, since {first.covers}"
    lines = [f"{name_method(first)}: {promise}."]
    lines.append(
        f"It changes {format_cost(first, found.data.m)}." if first.release else _describe_untried(bool(others))
    )
    return join_lines([*lines, *(f"Instead: {_describe_other(offer, found.data.m)}" for offer in others)])


def _describe_untried(others: bool) -> str:
    if not others:
        return "No other method has a promise that covers it."
    return (
        "None was tried: of the promises that cover it, this one is the weakest, which mostly takes the fewest changes."
    )


def _describe_other(offer: Offer, edges: int) -> str:
    told = offer.refused or (f"changes {format_cost(offer, edges)}." if offer.release else "not tried.")
    return f"{name_method(offer)}, promises {offer.promises.spec}: {told}"


def format_cost(offer: Offer, edges: int) -> str:
    """Return how many edges a tried method changes."""
    assert offer.release is not None
    many = offer.cost
    if not many:
        return "nothing"
    early = " (it was stopped early)" if offer.release.measured.get("stopped early") else ""
    return f"as many edges as {format_share(many, edges)} of them{early}" if edges else f"{many:,} edges{early}"


def name_method(offer: Offer) -> str:
    """Return the name of a method, with how it edits where it has the choice."""
    edits = getattr(offer.method, "edits", None)
    name = type(offer.method).__name__
    return f"{name}(edits={edits!r})" if isinstance(edits, str) else name
