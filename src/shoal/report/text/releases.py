"""Text of releases, guarantees and recommendations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import singledispatch
from typing import Any

import numpy as np

from shoal.data.graph import Graph
from shoal.errors import format_count, join_lines, join_names
from shoal.knowledge import DEFAULT_KNOWLEDGE, Adversary
from shoal.methods.recommend import Offer, Recommendation
from shoal.methods.tables.microaggregate import LOSS
from shoal.methods.tables.mondrian import PENALTY
from shoal.release.drawn import Estimates
from shoal.release.guarantee import (
    ConfusionPromise,
    ExchangeabilityPromise,
    Ground,
    PartialPromise,
    Promise,
    RadiusPromise,
)
from shoal.release.release import Release, Utility
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import (
    capitalize,
    describe_knowledge,
    describe_partial,
    format_fraction,
    format_measured,
    format_number,
    format_share,
    label_knowledge,
    render_table,
    shorten_spec,
)
from shoal.report.text.risk import describe_known_ties
from shoal.show import as_html, as_text

RESTS: dict[Ground, str] = {
    "equal records": "all members of a class are published with the same values",
    "secret permutation": "a secret permutation decides which member of a class got which of its published values",
    "exchangeable draw": "the values of a class are drawn in the same way for all its members",
}

SPREAD = "spread: standard deviation over the samples. least, most: smallest and largest value."

SCALES = {
    PENALTY: "{} (0: no value is generalized; 1: every value covers its whole column)",
    LOSS: "{} (0: no value changed; 1: as if every record became the mean of all records)",
    "lower bound on edits": "with this method, every release has at least {}.",
    "smallest class": "{} members",
    "largest class": "{} members",
}
"""How a measured value is shown, where a number says too little."""

LABELS = {
    "lower bound on edits": "Fewest changes possible",
    "vertices isolated": "Vertices that lost all links",
    "sweeps": "Search steps done (--effort sets them)",
}
"""The heading of a measured value, where its name says too little."""
SAID = ("edits", "edits above the lower bound")
"""Measured values that the line of the changes already gives, or that follow from it."""

UNITS = {"manhattan": "entries", "2-path": "neighbors"}
"""What a similarity counts."""


@singledispatch
def describe_promise(promise: Any, release: Release) -> str:
    """Say what a release guarantees."""
    raise TypeError(f"There is no text for a {type(promise).__name__}.")


@describe_promise.register
def _describe_candidates(promise: Promise, release: Release) -> str:
    some = promise.vertices != "all"
    whom = f" for each of the {len(promise.vertices):,} protected {release.data.noun[1]}" if some else ""
    if promise.k == 1:
        return f"nothing. Any data leave at least 1 candidate, whatever an attacker knows ({promise.knowledge.spec})."
    knows = f"{promise.knowledge.phrase_in(promise.source)} ({shorten_spec(promise.knowledge.spec)})"
    return f"an attacker who knows {knows} still finds at least {promise.k:,} candidates{whom}."


@describe_promise.register
def _describe_partial(promise: PartialPromise, release: Release) -> str:
    specs = [shorten_spec(knows.spec) for knows in promise.knowledge]
    return f"{describe_partial(promise.protected, promise.of, promise.k, specs, release.data.noun[1])}."


@describe_promise.register
def _describe_confusion(promise: ConfusionPromise, release: Release) -> str:
    columns = f"the columns {join_names(promise.columns)} of the original, and nothing else"
    told = f"for an attacker who knows {columns if release.uncovered else 'the whole original'}, every published"
    one = release.data.noun[0]
    what = f"{one} (though not each value)" if promise.of == "vertices" else one
    many = f"{what} could be that of any of at least {promise.n:,} people ({promise.n:,}-confusion)"
    classes = f"the {release.data.noun[1]} are divided into classes of {_format_class_sizes(promise, release)} members"
    each = f"So each of these people is the owner with a probability of at least {promise.t}"
    return f"{told} {many}. Basis: {classes}, and {RESTS[promise.ground]}. {each}."


def _format_class_sizes(promise: ConfusionPromise, release: Release) -> str:
    if release.codes is None:
        return f"at most {int(1 / promise.t):,}"
    sizes = np.unique(release.codes, return_counts=True)[1]
    return f"{sizes.min():,}" if sizes.min() == sizes.max() else f"{sizes.min():,} to {sizes.max():,}"


@describe_promise.register
def _describe_radius(promise: RadiusPromise, release: Release) -> str:
    like = "agree with its own row in" if promise.similarity == "manhattan" else "share with it"
    what = format_count(
        promise.l, "entry" if promise.similarity == "manhattan" else "neighbor", UNITS[promise.similarity]
    )
    rows = f"for every vertex, the rows of at least {promise.k:,} vertices, itself included, {like} {what} or more"
    return f"{rows}. This is a similarity radius, not ({promise.k:,},{promise.l:,})-anonymity."


@describe_promise.register
def _describe_exchangeability(promise: ExchangeabilityPromise, release: Release) -> str:
    told = "the release depends on the links only through the numbers of edges inside and between classes, and chance. "
    who = f"If all graphs with these numbers are equally likely, the {promise.k:,} or more members of a class are"
    return f"{told}{who} equally likely answers to any question about the links of one of them. Rows are not equal."


@as_text.register
def describe_estimates(estimates: Estimates) -> str:
    """Return the statistics of samples as a table, beside those of the original where it is known."""
    return join_lines([*render_table(*build_estimate_rows(estimates)), SPREAD])


@as_html.register
def render_estimates(estimates: Estimates) -> str:
    """Return the statistics of samples as an HTML table for notebooks."""
    return render_html_table(*build_estimate_rows(estimates)) + render_paragraphs([SPREAD])


def build_estimate_rows(estimates: Estimates) -> tuple[list[str], list[list[str]]]:
    """Return the head of the table of samples and its rows."""
    known = any(row.original is not None for row in estimates.rows)
    first = [format_count(estimates.samples, "sample"), *(["original"] if known else [])]
    rows = [
        [row.name, *([format_number(row.original)] if known else []), *map(format_number, row.numbers)]
        for row in estimates.rows
    ]
    return [*first, "mean", "spread", "least", "most"], rows


@as_text.register
def describe_release(release: Release) -> str:
    """Return a release as a few lines: its method, guarantees, verification, costs and notes."""
    return join_lines([_describe_origin(release), *(f"{term}: {told}" for term, told in list_release_facts(release))])


@as_html.register
def render_release(release: Release) -> str:
    """Return a release as an HTML table for notebooks: one row per guarantee, cost and note."""
    return render_html_table(["release", ""], list_release_facts(release), _describe_origin(release), left=2)


def _describe_origin(release: Release) -> str:
    return f"Release of {release.original!r} by {describe_method(release.method)}."


def list_release_facts(release: Release) -> list[tuple[str, str]]:
    """Return the facts about a release, each with its heading, the guarantees first."""
    uncovered, utility, linked = list_uncovered(release), release.utility, release.original.m or release.data.m
    return [
        *(("Guarantee", describe_promise(promise, release)) for promise in release.promises),
        *([] if release.promises else [("Guarantee", "nothing.")]),
        *(("NOT PROTECTED", told) for told in list_unprotected(release)),
        *(("Verified", told) for told in release.verification),
        *(list_changes(utility, _name_ties(release)) if utility is not None and linked else []),
        *uncovered,
        *(
            (LABELS.get(name, name), describe_measured(name, value))
            for name, value in release.measured.items()
            if name not in SAID or utility is None or utility.added is None
        ),
        *(("Note", note) for note in (*_describe_ties(release), *release.notes)),
    ]


def _describe_ties(release: Release) -> list[str]:
    """Say that the attackers of the guarantees know links with direction and kind, where links have them."""
    knows = [
        knows
        for promise in release.promises
        if isinstance(promise, Promise | PartialPromise)
        for knows in ((promise.knowledge,) if isinstance(promise, Promise) else promise.knowledge)
    ]
    told = describe_known_ties(release.original, knows) or describe_known_ties(release.data, knows)
    return [told] if told else []


def describe_measured(name: str, value: Any) -> str:
    """Format a measured value, with its unit or its scale.

    >>> describe_measured("smallest class", 5), describe_measured("edits", 12)
    ('5 members', '12')
    """
    return SCALES.get(name, "{}").format(format_measured(value))


def list_unprotected(release: Release) -> list[str]:
    """Say how many vertices a guarantee leaves out, where it is about some vertices only."""
    some = [promise for promise in release.promises if isinstance(promise, Promise) and promise.vertices != "all"]
    n, many = release.data.n, release.data.noun[1]
    partial = [promise for promise in release.promises if isinstance(promise, PartialPromise)]
    return [
        f"{promise.of - promise.protected:,} of {promise.of:,} {many}. Anyone can see in the release which they are."
        for promise in partial
        if promise.protected < promise.of
    ] + [
        f"{n - len(promise.vertices):,} of {n:,} {many}. "
        f"An attacker who knows {describe_knowledge(promise.knowledge.spec)} ({shorten_spec(promise.knowledge.spec)}) "
        "may identify them."
        for promise in some
    ]


def list_uncovered(release: Release) -> list[tuple[str, str]]:
    """Return the attacker models of `shoal risk` and the columns that no guarantee covers."""
    left = release.uncovered_knowledge
    whom = ", even for the protected" if release.leaves_others_out else ""
    found = [(f"Not covered{whom}", _describe_uncovered(left))] if left else []
    if release.uncovered:
        noun, them = ("column", "it") if len(release.uncovered) == 1 else ("columns", "them")
        columns = f"{noun} {join_names(release.uncovered)}"
        found.append(("Not covered", f"{columns}. An attacker who also knows {them} may find fewer candidates."))
    if release.uncovered_kinds:
        kinds = join_names([kind or "(missing)" for kind in release.uncovered_kinds])
        found.append(("Not covered", f"kinds of links: {kinds}. An attacker who knows them may find fewer candidates."))
    return found


def _describe_uncovered(left: Sequence[Adversary]) -> str:
    many = len(DEFAULT_KNOWLEDGE)
    checked = f"This is {len(left)} of the {many} common kinds of knowledge that were checked. No others were checked."
    if len(left) == 1:
        return f"an attacker who knows {left[0].phrase_in('release')} ({left[0].spec}). {checked}"
    listed = "; ".join(label_knowledge(knows.spec) for knows in left)
    checked = checked.replace("This is", "These are")
    return f"an attacker who knows one of these facts of the release: {listed}. {checked}"


def _name_ties(release: Release) -> str:
    """Return "directions", "kinds" or both, as links of the original or the release have them; else an empty text."""
    graphs = [data for data in (release.original, release.data) if isinstance(data, Graph)]
    found = {"directions": any(g.directed for g in graphs), "kinds": any(g.kinds for g in graphs)}
    return " and ".join(name for name, there in found.items() if there)


def list_changes(change: Utility, ties: str = "") -> list[tuple[str, str]]:
    """Return what changed in the links, each with its heading; `ties` names what the numbers do not distinguish."""
    if change.added is None or change.removed is None:
        edits = f"all {format_count(change.edges[1], 'edge')} are drawn at random; none counts as added or removed."
    else:
        edits = _describe_edits(change.added, change.removed, change.edges[0])
    distance = format_fraction(change.degree_distance)
    degrees = f"Kolmogorov-Smirnov distance {distance} (0: equal distributions; 1: disjoint)"
    largest = f"largest degree {change.largest_degree[0]:,} before, {change.largest_degree[1]:,} after."
    before, after = (format_share(many, n) for many, n in zip(change.largest_component, change.vertices, strict=True))
    closed, still_closed = map(format_fraction, change.transitivity)
    together = f" Links of all {ties} are counted together." if ties else ""
    ignored = f" {capitalize(ties)} are ignored." if ties else ""
    return [
        ("Changed", edits),
        ("Degrees", f"{degrees}; {largest}{together}"),
        ("Largest component", f"{before} of the vertices before, {after} after.{ignored}"),
        ("Transitivity", f"{closed} before, {still_closed} after.{ignored}"),
    ]


def _describe_edits(added: int, removed: int, edges: int) -> str:
    if not edges:
        return f"{format_count(added, 'edge')} added. The original has none."
    share = format_edits(added + removed, edges).partition(" of ")[0]
    every = f"{format_count(added + removed, 'change')}, {share} of the original number of edges"
    return f"{format_count(added, 'edge')} added, {removed:,} of {edges:,} removed: {every}."


def format_edits(edits: int, edges: int) -> str:
    """Format a number of edits in percent of the original edges, never rounded to 0 or 100.

    >>> format_edits(13, 78), format_edits(1, 9000), format_edits(3, 2)
    ('16.7 % of 78 original edges', '<0.1 % of 9,000 original edges', '150.0 % of 2 original edges')
    """
    if not edges:
        return "the original has none"
    share = f"{100 * edits / edges:,.1f} %" if edits > edges else format_share(edits, edges)
    return f"{share} of {format_count(edges, 'original edge')}"


def describe_method(value: Any) -> str:
    """Format a method, and the methods inside it, without secrets and defaults; anything else by its repr.

    >>> from shoal.methods import Confuse, SwapWithin
    >>> print(describe_method(Confuse(k=2, attributes=SwapWithin(seed=7))))
    Confuse(k=2, structure=EqualizeRows(k=2), attributes=SwapWithin())
    """
    if isinstance(value, tuple) and value and all(hasattr(part, "public") for part in value):
        return f"({', '.join(map(describe_method, value))})"
    if not hasattr(value, "public"):
        return repr(value)
    usual = {f.name: f.default for f in fields(value)}
    told = {name: v for name, v in value.public().items() if name not in usual or v != usual[name]}
    return f"{type(value).__name__}({', '.join(f'{name}={describe_method(v)}' for name, v in told.items())})"


# Recommendations: which method, why its guarantee is enough, and what the others would change.


@as_text.register
def describe_recommendation(found: Recommendation) -> str:
    """Return why the first method is recommended, and a line for each of the others."""
    others = (f"Alternative: {name} guarantees {spec}: {cost}" for name, spec, cost in _list_alternatives(found))
    return join_lines([*_list_reasons(found), *others])


@as_html.register
def render_recommendation(found: Recommendation) -> str:
    """Return a recommendation as HTML for notebooks: the reasons, then a table of the alternatives."""
    rows = _list_alternatives(found)
    table = render_html_table(["alternative", "guarantee", "cost"], rows, left=3) if rows else ""
    return render_paragraphs([repr(found.method), *_list_reasons(found)]) + table


def _list_reasons(found: Recommendation) -> list[str]:
    first, *others = found.offers
    why = f"its guarantee for {first.promises.spec} covers {found.adversary.spec}, since {first.covers}"
    cost = f"It changes {format_cost(first, found.data.m)}." if first.release else _describe_untried(bool(others))
    return [f"{name_method(first)}: {why}.", cost]


def _describe_untried(others: bool) -> str:
    if not others:
        return "No other method has a guarantee that covers it."
    return (
        "No method was tried. Of the guarantees that cover it, this one is the weakest, which usually needs the fewest "
        "changes."
    )


def _list_alternatives(found: Recommendation) -> list[list[str]]:
    return [
        [name_method(offer), offer.promises.spec, _describe_cost(offer, found.data.m)] for offer in found.offers[1:]
    ]


def _describe_cost(offer: Offer, edges: int) -> str:
    return offer.refused or (f"changes {format_cost(offer, edges)}." if offer.release else "not tried.")


def format_cost(offer: Offer, edges: int) -> str:
    """Return how many edges a tried method adds and removes."""
    assert offer.release is not None
    many = offer.cost
    if not many:
        return "nothing"
    early = "; the search was stopped early" if offer.release.measured.get("stopped early") else ""
    return f"{format_count(many, 'edge')} ({format_edits(many, edges)}{early})"


def name_method(offer: Offer) -> str:
    """Return the name of a method, with the kind of edits where the method has a choice."""
    edits = getattr(offer.method, "edits", None)
    name = type(offer.method).__name__
    return f"{name}(edits={edits!r})" if isinstance(edits, str) else name
