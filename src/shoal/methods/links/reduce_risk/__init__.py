"""As few people at risk as a budget of edits can buy: partial k-anonymity of networks (de Jong et al. 2024).

The base paper deletes links by heuristics. Here simulated annealing chooses the edits and the people to leave out.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any, ClassVar, Literal

import numpy as np

from shoal.core.layers import join_sides, replace_links
from shoal.data.arrays import Ints
from shoal.data.dataset import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, Notice, check_k, must, notice, parse_whole, show_value, whole
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.incremental import Incremental, Part
from shoal.methods.base import ATTRIBUTES_STAY, Method, WorksOn, check_choice, effort_option, parse_effort
from shoal.methods.links.raise_l import induce_subgraph
from shoal.methods.links.reduce_risk.search import (
    MODES,
    MOST_PAIRS,
    Aim,
    Edits,
    Found,
    RiskSearch,
    choose_sweeps,
    count_sweeps_within,
)
from shoal.optimize.annealing import STOPPED
from shoal.parts import option
from shoal.release.guarantee import PartialPromise, Reason
from shoal.release.release import Release
from shoal.release.verify import find_at_risk, find_at_risk_by_original, verify_release
from shoal.risk.assess import assess
from shoal.seeds import Seed
from shoal.shares import HUGE

SUPPORTED = (
    "degree, counts:1, degrees:1, refinement:2, neighborhood:1, neighbors:1, neighbors:2 and hubs:COUNT[:REACH], each "
    "also joined with columns"
)
WITH_TIES: frozenset[Part] = frozenset({"degree", "counts", "degrees", "refinement", "neighbors", "pairs"})
"""What is evaluated where links have directions or kinds."""
RISK_REMAINS = (
    "Anyone can see in the release which people have few candidates there. A person whom no released vertex fits was "
    "changed or left out."
)
REACHED = "target reached"
NOT_REACHED = "The target was not reached. This is the best release that the search found."


@dataclass(frozen=True)
class ReduceRisk(Method):
    """Edit links within a budget so that few people are at risk: partial k-anonymity.

    A person is at risk if an attacker with any one of the kinds of knowledge finds fewer than k candidates. Simulated
    annealing searches for edits that leave as few people at risk as it finds. It does not prove that fewer edits, or
    fewer people at risk, are impossible. The guarantee says how many people have at least k candidates; it is counted
    in the release. `release.measured` has the people at risk before and after.

    Parameters
    ----------
    knowledge
        What the attacker knows: one kind or several, as objects or specs. degree, counts:1, degrees:1, refinement:2,
        neighborhood:1, neighbors:1, neighbors:2 and hubs:COUNT[:REACH], each also joined with columns. Hubs are those
        of the release. neighborhood:1, neighbors:2 and hubs take longer. Where links have directions or kinds:
        degree (the number of links of each kind and direction), counts:1, degrees:1, refinement:2, neighbors:1 and
        neighbors:2, each also joined with columns.
    k
        The number of candidates that a person must have.
    budget
        The most links that may differ from the original: a share of the links (0.05 or "5%"), or a whole number of
        links. None: as few as the search finds until the share of people at risk is at most `target`.
    edits
        "delete" removes links. "add" adds links. "add-delete" starts from the result of "delete" and is never worse.
        "swap" replaces two links (a, b) and (c, d) by (a, d) and (c, b), which keeps every degree and counts as four
        edits.
    suppress
        The most people who may be left out: a whole number, or a share (0.03 or "3%"). Links that are lost with them
        count as edits, within the budget. With a budget of 0, only people without links can be left out.
    target
        The share of released people at risk that must be reached; the search ends there. None: as few as it finds, and
        0 without a budget.
    facts
        "release": people are at risk by facts of the release. "both": by facts of the original too, as an audit judges.
    effort
        How long to search: sweeps of each of 4 chains (a sweep proposes one edit per link), or seconds, such as 60.0 or
        "60s". None chooses by the number of links. Ctrl-C ends the search early with the best edits so far.
    seed
        Seed of the search.

    Examples
    --------
    In a path that begins with a triangle, some people are unique. Without one link no person is:

    >>> import networkx as nx, shoal
    >>> g = nx.path_graph(7)
    >>> g.add_edge(0, 2)
    >>> release = shoal.methods.ReduceRisk("counts:1", k=2, budget=1)(g)
    >>> release.promises[0].protected, release.promises[0].of, len(release.edits)
    (7, 7, 1)

    A cycle has no people at risk and does not change:

    >>> shoal.methods.ReduceRisk("counts:1", k=2)(nx.cycle_graph(5)).edits.ratio
    0.0

    References
    ----------
    R. G. de Jong, M. P. J. van der Loo, F. W. Takes: The anonymization problem in social networks. arXiv 2409.16163.
    """

    knowledge: tuple[Adversary, ...] = field(
        metadata={"help": "What the attacker knows. Repeatable.", "metavar": "KNOWLEDGE", "option": "knows"}
    )
    k: int
    budget: int | float | str | None = option(
        0.05,
        "Most links that may change, those of people left out included; none: as few as are found for the target.",
        metavar="N|SHARE|none",
    )
    edits: Edits = option("delete", "Kind of edits.", metavar="delete|add|add-delete|swap")
    suppress: int | float | str = option(0, "Most people (records) that may be left out.", metavar="N|SHARE")
    target: float | str | None = option(
        None,
        "Share of people at risk that must be reached; the search ends there. Without it: as few as are found.",
        metavar="SHARE",
    )
    facts: Literal["release", "both"] = option("release", "Facts by which people are at risk.")
    effort: int | float | str | None = effort_option()
    seed: Seed[int] = Seed(0)

    shell: ClassVar[str] = "reduce-risk"
    works_on: ClassVar[WorksOn] = "links"
    reads_ties: ClassVar[bool] = True
    changes: ClassVar[str] = "links: as many as a budget allows; may leave some people out"
    protects: ClassVar[str] = (
        "an attacker who knows the links around a vertex, one or two neighbors, or the distances to hubs; most people, "
        "not all"
    )
    promises: ClassVar[str] = "at least k candidates for a number of people that is counted in the release"
    source: ClassVar[str] = "de Jong, van der Loo & Takes 2024 (problem); the search is shoal's"
    public_measures: ClassVar[Mapping[str, Reason]] = {}

    def __post_init__(self) -> None:
        who = "ReduceRisk"
        given: Any = self.knowledge
        listed = (given,) if isinstance(given, str | Adversary) else tuple(given)
        must(listed, who, "knowledge", "at least one kind of knowledge", given)
        kinds = tuple(dict.fromkeys(map(parse_knowledge, listed)))
        object.__setattr__(self, "knowledge", kinds)
        object.__setattr__(self, "k", whole(self.k, who, "k", least=1))
        object.__setattr__(
            self, "budget", None if self.budget in (None, "none") else parse_amount(self.budget, "budget")
        )
        object.__setattr__(self, "suppress", parse_amount(self.suppress, "suppress"))
        if self.target is not None:
            object.__setattr__(self, "target", parse_share(self.target, "target"))
        check_choice(self.edits, tuple(MODES), who, "edits")
        check_choice(self.facts, ("release", "both"), who, "facts")
        parse_effort(self.effort, who)
        self._check_knowledge()

    def _check_knowledge(self) -> None:
        """Refuse knowledge that the search does not support, or that its edits cannot change."""
        for knows in self.knowledge:
            check_supported(knows)
        if self.edits == "swap" and all(kind.parts == {"degree"} for kind in self._kinds):
            specs = ", ".join(knows.spec for knows in self.knowledge)
            raise BadParameter(
                f"ReduceRisk: 'knowledge' must read more than the degree, which edits='swap' keeps. Got {specs}."
            )

    @property
    def _kinds(self) -> tuple[Incremental, ...]:
        return tuple(found for knows in self.knowledge if (found := knows.incremental()) is not None)

    @classmethod
    def list_variants(cls, wanted: Adversary) -> list[dict[str, Any]]:
        """Return the knowledge itself, or raise an error where the search does not support it."""
        return [{"knowledge": check_supported(wanted)}]

    def declare_policy(self) -> dict[str, Any]:
        """Return the knowledge, k, the target and the kind of edits; the budget stays private."""
        specs = [knows.spec for knows in self.knowledge]
        return {"knowledge": specs, "k": self.k, "edits": self.edits, "target": self._goal}

    @property
    def keeps_vertices(self) -> bool:
        """Whether no person may be left out."""
        return not self.suppress

    def __call__(self, data: Any) -> Release:
        """Return a graph with few people at risk."""
        original = as_graph(data)
        aim = self._aim(original)
        sweeps = choose_sweeps(aim) if self.effort is None else parse_effort(self.effort, "ReduceRisk")
        if isinstance(sweeps, float):
            sweeps = count_sweeps_within(sweeps, aim)
        found = RiskSearch(aim, sweeps, self.seed).run()
        if found.stopped:
            notice(f"ReduceRisk: stopped after {found.sweeps:,} sweeps. The best edits so far are used.")
        return self._make_release(original, build_graph(original, found), found, aim)

    def _aim(self, graph: Graph) -> Aim:
        """Return the limits of the search on this graph, or raise an error."""
        who = "ReduceRisk"
        check_k(who, self.k, graph)
        must(not graph.is_multigraph, who, "data", "a simple graph (leave out multigraph)", graph)
        if graph.ties is not None:
            self._check_ties()
        for kind in self._kinds:
            for name in kind.columns:
                graph.attributes[name]  # an unknown name raises an error that lists the columns
        people = count_amount(self.suppress, graph.n, "suppress")
        must(graph.n - people >= self.k, who, "suppress", f"few enough that k = {self.k:,} people remain", people)
        budget = None if self.budget is None else count_amount(self.budget, graph.m, "budget")
        target = floor(Fraction(str(self._goal)) * (graph.n - people))
        aim = Aim(graph, self._kinds, self.k, self.edits, budget, people, target, self.facts == "both")
        self._check_cost(aim)
        return aim

    def _check_ties(self) -> None:
        """Refuse knowledge that has no incremental evaluation where links have directions or kinds."""
        for knows in self.knowledge:
            if not is_supported(knows, ties=True):
                raise BadParameter(
                    "ReduceRisk: 'knowledge' must be of degree, counts:1, degrees:1, refinement:2, neighbors:1 or "
                    f"neighbors:2, each also with columns, for links with directions or kinds. Got {knows.spec}. For "
                    "neighborhood:1 and hubs, read the network with --undirected and no --kind."
                )

    def _check_cost(self, aim: Aim) -> None:
        """Refuse more hubs than there are people or than the search can follow, and too many pairs of neighbors."""
        degree, left = np.sort(aim.graph.degree), aim.graph.n - aim.people
        for knows, kind in zip(self.knowledge, aim.kinds, strict=True):
            many = kind.hubs[0] if kind.hubs else 0
            rule = f"of at most {left:,} hubs, as many as people remain"
            must(many <= left, "ReduceRisk", "knowledge", rule, knows.spec)
            tied = int(np.count_nonzero(degree >= degree[-many])) if many else 0
            if tied > aim.most_hubs:
                raise BadParameter(
                    f"ReduceRisk: 'knowledge' must be of at most {aim.most_hubs:,} hubs. Got {tied:,} with "
                    f"{knows.spec}: vertices of equal degree are all hubs."
                )
        pairs = aim.count_pairs()
        if pairs > MOST_PAIRS:
            raise BadParameter(
                f"ReduceRisk: 'data' must have at most {MOST_PAIRS:,} pairs of links at one person for neighbors:2. "
                f"Got {pairs:,}. Use neighbors:1 or a smaller network."
            )

    @property
    def _goal(self) -> float:
        """The share of people at risk at which the search ends."""
        return 0.0 if self.target is None else float(self.target)

    def _count_misled(self, original: Graph, graph: Graph) -> int:
        """Count the released people who have no candidate by facts of the original, under at least one knowledge."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)  # people may be left out on purpose
            sizes = [assess(graph, knows, original=original).sizes for knows in self.knowledge]
        return int(np.count_nonzero(np.any(np.array(sizes) == 0, axis=0)[original.names.find(graph.names)]))

    def _make_release(self, original: Graph, graph: Graph, found: Found, aim: Aim) -> Release:
        """Return the verified release, with its people at risk by facts of the release and of the original."""
        before = int(np.count_nonzero(find_at_risk(original, self.knowledge, self.k)))
        in_release = find_at_risk(graph, self.knowledge, self.k)
        by_original = find_at_risk_by_original(graph, original, self.knowledge, self.k)
        judged = in_release | by_original if self.facts == "both" else in_release
        reached = int(np.count_nonzero(judged)) <= Fraction(str(self._goal)) * graph.n
        asked = self.budget is None or self.target is not None
        measured: dict[str, Any] = {
            "edits": found.edits,
            "people left out": original.n - graph.n,
            "people at risk before": before,
            "people at risk by facts of the release": int(np.count_nonzero(in_release)),
            "people at risk by facts of the original": int(np.count_nonzero(by_original)),
            "people whose facts of the original match no released person": self._count_misled(original, graph),
            **({REACHED: reached} if asked else {}),
            "sweeps": found.sweeps,
            **({"stopped early": True} if found.stopped else {}),
        }
        if asked and not reached:
            many = int(np.count_nonzero(judged))
            notice(
                f"ReduceRisk: the target of {self._goal:.3g} is not reached. {many:,} of {graph.n:,} people are at "
                "risk in the best release found. Allow more edits, leave people out, or search longer."
            )
        covered = {name for kind in self._kinds for name in kind.columns}
        told = {
            RISK_REMAINS: graph.m or original.m,
            ATTRIBUTES_STAY: len(original.attributes) and not covered,
            NOT_REACHED: asked and not reached,
            STOPPED: found.stopped,
        }
        notes = tuple(note for note, applies in told.items() if applies)
        promise = PartialPromise(self.knowledge, self.k, graph.n - int(np.count_nonzero(in_release)), graph.n)
        return verify_release(
            Release(original, graph, (promise,), self, seed=self.seed, measured=measured, notes=notes)
        )


def is_supported(knows: Adversary, *, ties: bool = False) -> bool:
    """Return whether a kind of knowledge has an incremental evaluation and reads links.

    `ties` says whether links have directions or kinds.
    """
    found = knows.incremental()
    return found is not None and bool(found.parts) and (not ties or found.parts <= WITH_TIES)


def check_supported(knows: Adversary) -> Adversary:
    """Return a kind of knowledge, or raise an error if it has no incremental evaluation or reads no links."""
    if not is_supported(knows):
        raise BadParameter(f"ReduceRisk: 'knowledge' must be of {SUPPORTED}. Got {knows.spec}.")
    return knows


def build_graph(original: Graph, found: Found) -> Graph:
    """Return the original with the edits, without the people left out."""
    if not found.edits and not len(found.gone):
        return original
    a, b = found.links
    if original.ties is None:
        graph = Graph.from_pairs(original.names, a, b, attributes=original.attributes)
    else:
        graph = replace_links(original, join_sides(original, a.astype(np.int64), b.astype(np.int64)))
    stay: Ints = np.setdiff1d(np.arange(original.n), found.gone)
    return induce_subgraph(graph, stay) if len(found.gone) else graph


def parse_share(
    value: Any, what: str, rule: str = "a share from 0 to 1, or a percentage up to 100%", who: str = "ReduceRisk"
) -> float:
    """Return a share from 0 to 1, given as a number or in percent.

    >>> parse_share("5%", "budget"), parse_share(0.05, "budget")
    (0.05, 0.05)
    """
    try:
        text = str(value).strip()
        must(not HUGE.search(text), "ReduceRisk", what, rule, value)  # its exact fraction would take forever
        found = float(Fraction(text.removesuffix("%")) / 100) if text.endswith("%") else float(text)
    except (ValueError, ZeroDivisionError):
        found = -1.0
    if isinstance(value, bool) or not 0 <= found <= 1:
        raise BadParameter(f"{who}: '{what}' must be {rule}. Got {show_value(value)}.")
    return found


def parse_amount(value: Any, what: str, who: str = "ReduceRisk") -> int | float:
    """Return a whole number as an int, or a share from 0 to 1 as a float.

    >>> parse_amount("5%", "budget"), parse_amount("7", "budget"), parse_amount(0.05, "budget")
    (0.05, 7, 0.05)
    """
    number = parse_whole(value) if isinstance(value, str) else value
    if isinstance(number, int | np.integer) and not isinstance(number, bool) and number >= 0:
        return int(number)
    return parse_share(value, what, "a whole number, a share from 0 to 1, or a percentage up to 100%", who)


def count_amount(amount: Any, total: int, what: str) -> int:
    """Return a whole number, or the share of a total rounded down.

    >>> count_amount(0.29, 100, "budget"), count_amount(7, 100, "budget")
    (29, 7)
    """
    if isinstance(amount, float):
        return floor(Fraction(str(amount)) * total)
    rule = f"at most the number of {'people' if what == 'suppress' else 'links'}, {total:,}"
    must(amount <= total, "ReduceRisk", what, rule, amount)
    return int(amount)
