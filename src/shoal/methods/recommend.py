"""Recommend the cheapest method that protects against an attacker.

A method qualifies if its guarantee covers what the attacker knows (:func:`shoal.covers`). In a small network
all qualifying methods run, and the one that changes the fewest links wins. In a large network that takes too long.
There the method with the weakest sufficient guarantee is chosen, because a weaker guarantee usually needs fewer
changes. The answer then says that no method was tried.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from shoal.data.dataset import Dataset, as_dataset, as_graph, refuse_ties
from shoal.errors import BadGraph, BadParameter, BrokenPromise, CannotPromise, check_k, public, warn_caller
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.base import explain_finer
from shoal.methods.base import METHODS, Method, find_method
from shoal.methods.links.reduce_risk import count_amount, parse_amount
from shoal.progress import track
from shoal.release.guarantee import covers
from shoal.release.release import Release
from shoal.seeds import AnySeed, parse_seed
from shoal.show import as_html, as_text

LARGE = 20_000
"""With more edges the methods are not tried, unless the caller asks for it."""


@dataclass(frozen=True)
class Offer:
    """A method whose guarantee covers what the attacker knows."""

    method: Method
    promises: Adversary
    """The knowledge that its guarantee is about."""
    covers: str
    """Why that covers what the attacker knows."""
    release: Release | None = None
    """The release, if the method was tried."""
    refused: str = ""
    """The reason, if the method cannot give its guarantee for these data."""

    @property
    def cost(self) -> int | None:
        """The number of changed edges, or None if the method was not tried."""
        return None if self.release is None or self.release.edits is None else len(self.release.edits)


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation:
    """The recommended method, and why."""

    data: Dataset
    adversary: Adversary
    k: int
    offers: tuple[Offer, ...]
    """All methods that qualify, the recommended one first."""

    @property
    def method(self) -> Method:
        """The recommended method."""
        return self.offers[0].method

    @property
    def why(self) -> str:
        """Why this method, and what the others cost."""
        return as_text(self)

    @cached_property
    def release(self) -> Release:
        """The release of the recommended method, made on first use if the method was not tried."""
        return self.offers[0].release or make_release(self.method, self.data, self.adversary)

    def __repr__(self) -> str:
        return f"{self.method!r}\n{self.why}"

    def _repr_html_(self) -> str:
        return as_html(self)


@public
def recommend(
    data: Any,
    knowledge: Adversary | str,
    k: int,
    *,
    measure: bool | None = None,
    most_edits: int | float | str | None = None,
    effort: int | float | str | None = None,
    seed: AnySeed | None = None,
) -> Recommendation:
    """Return the cheapest method whose guarantee covers an adversary, and why.

    Parameters
    ----------
    data
        A graph or a table, in any form that shoal accepts.
    knowledge
        What the attacker knows: an adversary or its spec.
    k
        The number of candidates that the attacker must still find.
    measure
        Whether to run the methods and compare how many links each changes. None does so for networks of up to 20,000
        edges.
    most_edits
        The most links that may change: a share of the links (0.1 or "10%"), or a whole number of links. The methods are
        run, and one that changes more is not recommended. To accept that some people stay at risk, use
        :func:`shoal.methods.recommend_for_scenario`.
    effort, seed
        Settings for the methods that have them; the seed is an int or a numpy Generator. Other settings change the
        guarantee; to use them, call the method.

    Examples
    --------
    >>> import shoal
    >>> club = shoal.examples.karate()
    >>> shoal.recommend(club, "degree", 2).method
    MatchDegrees(k=2, edits='add-delete', ...)
    >>> shoal.recommend(club, "refinement:2", 2).method
    EqualizeRows(k=2, ...)

    No method guarantees anything against an attacker who knows distances to hubs:

    >>> shoal.recommend(club, "hubs:2", 2)
    Traceback (most recent call last):
    ...
    shoal.errors.CannotPromise: recommend: no method has a guarantee against hubs:2. ...
    """
    wanted = parse_knowledge(knowledge)
    graph = as_graph(data) if wanted.reads_links else as_dataset(data)
    check_k("recommend", k, graph)
    for name in wanted.columns(graph.attributes):
        graph.attributes[name]  # an unknown name raises an error that lists the columns
    drawn = None if seed is None else parse_seed(seed, "recommend")
    settings = {name: given for name, given in (("effort", effort), ("seed", drawn)) if given is not None}
    offered = (
        (method, about, explain_finer(about, wanted, simple=graph.is_simple))
        for method, about in _list_offers(k, wanted, settings)
    )
    found, refusing = _leave_out_refusing(graph, [Offer(method, about, why) for method, about, why in offered if why])
    if refusing and not found:
        raise CannotPromise(f"recommend: no method can give this guarantee for this data. {refusing[0].refused}")
    if not found:
        raise CannotPromise(
            f"recommend: no method has a guarantee against {wanted.spec}. "
            "`shoal methods` lists the guarantee of each method. Generalize and Confuse bound probabilities, not "
            "numbers of candidates."
        )
    most = None if most_edits is None else count_most_edits(most_edits, graph, "recommend")
    tried = wanted.reads_links and (graph.m <= LARGE if measure is None else measure)
    if most is not None and not tried:
        raise BadParameter(
            "recommend: 'most_edits' must come with methods that are run. Got a network that is too large for that, or "
            "measure=False. Use measure=True, or leave 'most_edits' out."
        )
    offers = _order_by_cost(graph, found, wanted) if tried and (len(found) > 1 or most is not None) else found
    if most is not None and offers[0].cost is not None and offers[0].cost > most:
        raise CannotPromise(
            f"recommend: no method has this guarantee with at most {most:,} changed links. The cheapest, "
            f"{type(offers[0].method).__name__}, changes {offers[0].cost:,}. Accept more, or that some people stay at "
            "risk: see shoal.methods.recommend_for_scenario."
        )
    return Recommendation(graph, wanted, k, (*offers, *refusing))


def _leave_out_refusing(data: Dataset, offers: list[Offer]) -> tuple[list[Offer], list[Offer]]:
    """Return the offers of methods that handle the links of the data, and those of the others, with the reason."""
    taken, refusing = [], []
    for offer in offers:
        try:
            if not offer.method.reads_ties:
                refuse_ties(data, type(offer.method).__name__)
            taken.append(offer)
        except BadGraph as error:
            refusing.append(replace(offer, refused=str(error)))
    return taken, refusing


def count_most_edits(most_edits: Any, data: Dataset, who: str) -> int:
    """Return the most links that may change, from a whole number or a share of the links.

    >>> import shoal
    >>> count_most_edits("10%", shoal.examples.karate(), "recommend")  # of 78 links
    7
    """
    amount = parse_amount(most_edits, "most_edits", who)
    if not data.has_links:
        raise BadParameter(f"{who}: 'most_edits' counts links, and a table has none. Leave it out.")
    return min(amount, data.m) if isinstance(amount, int) else count_amount(amount, data.m, "most_edits")


def make_release(method: Method, data: Any, wanted: Adversary) -> Release:
    """Return the release of a method, if its guarantee covers the wanted knowledge for all vertices."""
    release = method(data)
    for promise in release.promises:
        for_all = getattr(promise, "vertices", "all") == "all" and getattr(promise, "source", "release") == "release"
        if for_all and covers(promise, wanted, simple=release.data.is_simple):
            return release
    raise BrokenPromise(f"recommend: the release of {type(method).__name__} has no guarantee against {wanted.spec}.")


def list_covering(wanted: Adversary) -> Iterator[tuple[str, str]]:
    """Yield the names of the methods whose guarantee covers this knowledge in every graph, and why.

    The weakest guarantee comes first.

    >>> from shoal.knowledge import Refinement
    >>> list(list_covering(Refinement(2)))
    [('equalize-rows', 'vertices with the same neighbors can change places, ...')]
    """
    for name, _, about in _list_known(wanted):
        why = explain_finer(about, wanted, simple=False)
        if why:
            yield name, why


def _list_offers(k: int, wanted: Adversary, settings: dict[str, Any]) -> Iterator[tuple[Method, Adversary]]:
    """Yield methods and the knowledge that they guarantee against, weakest guarantee first.

    A method gets the settings that it has a field for.
    """
    for name, fitting, about in _list_known(wanted):
        kind = find_method(name)
        has = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        yield kind(k=k, **fitting, **{o: v for o, v in settings.items() if o in has}), about  # type: ignore[call-arg]


def _list_known(wanted: Adversary) -> list[tuple[str, dict[str, Any], Adversary]]:
    """Return methods with options that suit this knowledge, and what they then protect; the weakest guarantee first.

    A guarantee is stronger the more of the other guarantees it covers.
    """
    found = [(name, options, about) for name, kind in METHODS.items() for options, about in kind.propose(wanted)]
    abouts = dict.fromkeys(about for _, _, about in found)
    strength = {
        about: sum(explain_finer(about, other, simple=False) is not None for other in abouts) for about in abouts
    }
    return sorted(found, key=lambda one: (strength[one[2]], METHODS[one[0]].rank))


def _order_by_cost(graph: Dataset, offers: list[Offer], wanted: Adversary) -> list[Offer]:
    """Run the offered methods. Return the offers with their releases, fewest changed links first."""
    tried, said = [], {}
    for done, offer in enumerate(offers):
        track(f"trying methods, {offer.method.shell}", done, len(offers))
        with warnings.catch_warnings(record=True) as heard:  # notices of methods that are not chosen would confuse
            warnings.simplefilter("always")
            tried.append(_try_offer(offer, graph, wanted))
        said[offer.method] = heard
    if all(offer.refused for offer in tried):
        raise CannotPromise(f"recommend: no method can give this guarantee for this data. {tried[0].refused}")
    found = sorted(tried, key=lambda offer: (bool(offer.refused), offer.cost or 0))
    for told in said[found[0].method]:
        warn_caller(told.message, told.category)
    return found


def _try_offer(offer: Offer, graph: Dataset, wanted: Adversary) -> Offer:
    """Return an offer with its release, or with the reason why there is none."""
    try:
        return replace(offer, release=make_release(offer.method, graph, wanted))
    except (BadGraph, CannotPromise) as error:
        return replace(offer, refused=str(error))
