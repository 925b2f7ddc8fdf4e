"""Planted walk: an active attack with sybils (Backstrom, Dwork & Kleinberg 2007; robust form: Mauw et al. 2019).

Sybils are accounts of the attacker. They are linked to each other at random and along a path, so that their pattern is
almost surely unique. Each target is linked to its own set of sybils, its fingerprint. When the data are published under
fresh names, the attacker searches for the pattern; a vertex with a fingerprint is a target.

n is the number of vertices, s that of the sybils.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import ceil, log2
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.base import (
    DRAWN,
    FEWEST_REPEATS,
    MEANS,
    Attack,
    Outcome,
    Rate,
    Trial,
    describe_sampled,
    explain_missing_interval,
)
from shoal.data.arrays import Bools, Ints
from shoal.data.dataset import Dataset, as_graph, refuse_ties
from shoal.data.graph import Graph
from shoal.errors import BadParameter, Notice, must, whole
from shoal.knowledge.view import Pair
from shoal.limits import Pace
from shoal.methods.base import Method
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.parts import option
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release
from shoal.seeds import AnySeed, parse_seed

SYBILS, TARGETS, NONE = "sybils found", "targets found", "no match"
MEANINGS = {
    TARGETS: "The chance that the vertex with the best-fitting links to the sybils is the target.",
    SYBILS: "Sybils that are identified correctly.",
    NONE: "Runs in which the sybils fit nowhere, within the allowed errors.",
}
TOGETHER = (
    "An interval is for the mean over other sybils, targets and seeds of the method: Student's t over the repeats, "
    "since the targets of one run are found or missed together."
)
FEWEST = 5
"""The least number of sybils."""
GRAPHS = {
    "release": "The release that the method makes of the network with sybils.",
    "only renamed": "The network with sybils, with only the names changed: the most that the attack can reach.",
    "random edits": "The same after as many random removals and additions: the effect of damage alone.",
    "guessing": MEANS["guessing"],
}


@dataclass(frozen=True)
class PlantedWalk(Attack):
    """Plants sybils before the network is anonymized, finds them by their links, and then the targets.

    Each of `repeats` runs draws new sybils, targets and seeds, and runs the method on the network with the sybils. The
    attacker searches the sybils along their path and takes the match with the fewest errors, ties at random. A target
    is the vertex whose links to the sybils differ least from its fingerprint; ties are guessed evenly.

    Parameters
    ----------
    sybils
        The number of planted vertices; None: 2 log2 n, at least five.
    targets
        The number of people linked to sybils.
    repeats
        The number of runs; 10 or more give intervals.
    tolerance
        The allowed errors, as a share of the links at sybils: missing and excess links among sybils, and differences of
        degrees. 0 is the exact form.
    method
        The method that makes the release; None: the method of the release itself.

    Examples
    --------
    >>> import shoal
    >>> club = shoal.examples.karate()
    >>> outcome = shoal.attack(club, shoal.methods.EqualizeRows(k=2)(club), by=PlantedWalk(targets=3, repeats=2))
    >>> outcome["only renamed"].rates["targets found"].rate
    1.0

    References
    ----------
    L. Backstrom, C. Dwork, J. Kleinberg: Wherefore art thou R3579X? Anonymized social networks, hidden patterns, and
    structural steganography. WWW 2007.
    S. Mauw, Y. Ramirez-Cruz, R. Trujillo-Rasua: Robust active attacks on social graphs. Data Mining and Knowledge
    Discovery 2019.
    """

    sybils: int | None = option(None, "Accounts that the attacker plants.", metavar="N")
    targets: int = option(10, "People linked to planted accounts.", metavar="N")
    repeats: int = option(10, "Number of repeats; 10 or more give intervals.", metavar="N")
    tolerance: float = option(0.5, "Errors allowed, as a share of the links at planted accounts.", metavar="SHARE")
    method: Method | None = option(
        None, "Method that made the release, as equalize-rows:k=2.", metavar="NAME:OPTION=VALUE,..."
    )

    shell: ClassVar[str] = "planted-walk"
    title: ClassVar[str] = "accounts planted before the release (walk-based)"
    means: ClassVar[str] = "Plants accounts before the release. Finds their pattern in it, and then the targets."
    success: ClassVar[str] = "identifies {} of the targets"
    source: ClassVar[str] = "Backstrom, Dwork & Kleinberg 2007; Mauw et al. 2019"
    main: ClassVar[str] = TARGETS

    def __post_init__(self) -> None:
        if self.sybils is not None:
            object.__setattr__(self, "sybils", whole(self.sybils, "PlantedWalk", "sybils", least=2))
        for what in ("targets", "repeats"):
            object.__setattr__(self, what, whole(getattr(self, what), "PlantedWalk", what, least=1))
        number = not isinstance(self.tolerance, bool | str) and 0 <= self.tolerance <= 1
        must(number, "PlantedWalk", "tolerance", "a share from 0 to 1", self.tolerance)
        must(self.method is None or isinstance(self.method, Method), "PlantedWalk", "method", "a method", self.method)

    @classmethod
    def explain_omission(cls, original: Dataset) -> str | None:
        """Return that it takes long."""
        return "It plants accounts and runs the method again many times, which may take long. Name it to try it."

    def __call__(self, pair: Pair, release: Release | None, seed: AnySeed) -> Outcome:
        """Plant, anonymize and search, in each repeat."""
        seed = parse_seed(seed, "PlantedWalk")
        method, original = self._find_method(release), _check_simple(as_graph(pair.original))
        must(
            self.targets <= original.n,
            "PlantedWalk",
            "targets",
            f"at most {original.n:,}, the number of vertices",
            self.targets,
        )
        s = max(FEWEST, ceil(2 * log2(original.n))) if self.sybils is None else self.sybils
        must(self.targets < 2**s, "PlantedWalk", "sybils", f"enough for {self.targets:,} fingerprints", s)
        hits: dict[str, list[dict[str, float]]] = {}
        pace = Pace()
        for i in range(self.repeats):
            track("planting sybils", i, self.repeats)
            rng = np.random.default_rng([seed, i])
            planted = PlantedNetwork.plant(original, s, self.targets, rng)
            for name, graph in _list_attacked(planted.graph, method, rng):
                hits.setdefault(name, []).append(planted.count_found(graph, self.tolerance, rng))
            if not pace.fits_another():
                break
        repeats = len(hits["release"])
        of = {TARGETS: self.targets, SYBILS: s, NONE: 1}
        trials = [
            Trial(
                name,
                GRAPHS[name],
                {rate: Rate.over_repeats([(one.get(rate, 0.0), of[rate]) for one in got]) for rate in MEANINGS},
            )
            for name, got in hits.items()
        ]
        many = self.targets * repeats
        guessed = {TARGETS: Rate(many / original.n, many)}
        return Outcome(
            self,
            self.shell,
            self.means,
            self.main,
            (*trials, Trial("guessing", GRAPHS["guessing"], guessed)),
            seed,
            self.settings() | {"sybils": s, "method": method.shell, "repeats": repeats},
            MEANINGS,
            None,
            _list_notes(method, repeats, drawn="random edits" not in hits),
            describe_sampled(repeats, self.repeats, "repeat"),
        )

    def _find_method(self, release: Release | None) -> Method:
        method = self.method if self.method is not None or release is None else release.method
        if not isinstance(method, Method):
            raise BadParameter(
                "PlantedWalk: 'method' must be given: sybils are planted before it runs. Got only the release. Pass "
                "method=, e.g. method=EqualizeRows(k=2) (--method equalize-rows:k=2)."
            )
        return method


def _check_simple(graph: Graph) -> Graph:
    refuse_ties(graph, "PlantedWalk")
    must(graph.multiplicity is None, "PlantedWalk", "original", "a simple graph (leave out multigraph)", graph)
    return graph


def _list_notes(method: Method, repeats: int, *, drawn: bool) -> tuple[str, ...]:
    """Return notes; the first says that the release itself was not attacked."""
    again = (
        f"Sybils are planted before a release: {method.shell} was run {repeats:,} times, each time on another network."
    )
    return (
        again,
        TOGETHER if repeats >= FEWEST_REPEATS else explain_missing_interval(repeats),
        *([DRAWN] if drawn else []),
    )


def _list_attacked(planted: Graph, method: Method, rng: np.random.Generator) -> Iterable[tuple[str, Graph]]:
    """Yield the release of the network with sybils, and its controls."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)  # the release already gave the notices of the method
        made = reseed_method(method, rng)(planted)
        pair = Pair.of(planted, made.data, who="attack")
    yield "release", as_graph(made.data)
    yield "only renamed", planted
    if not isinstance(made, DrawnRelease):
        added, removed = pair.edits
        yield "random edits", perturb_links(planted, min(added, count_missing(planted)), removed, rng)


def reseed_method(method: Method, rng: np.random.Generator) -> Method:
    """Return the method, and those inside it, with other seeds.

    >>> from shoal.methods import EqualizeRows, Perturb
    >>> both = reseed_method(EqualizeRows(k=2) >> Perturb(add=1), np.random.default_rng(0))
    >>> [step.seed for step in both.steps]
    [1826701615, 1367864807]
    """

    def changed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(changed, value))
        return reseed_method(value, rng) if isinstance(value, Method) else value

    new = {f.name: changed(getattr(method, f.name)) for f in fields(method)}  # type: ignore[arg-type]
    if "seed" in new:
        new["seed"] = int(rng.integers(2**31))
    different = {name: value for name, value in new.items() if value is not getattr(method, name)}
    return replace(method, **different)  # type: ignore[type-var]


@dataclass(frozen=True, eq=False)
class PlantedNetwork:
    """A network with sybils, and what the attacker remembers."""

    graph: Graph
    targets: Ints
    """Their ids; the sybils have the last ids."""
    links: Bools
    """The links among sybils: s rows and columns."""
    prints: Bools
    """One row per target: its links to the sybils."""

    @classmethod
    def plant(cls, original: Graph, s: int, targets: int, rng: np.random.Generator) -> PlantedNetwork:
        """Plant s sybils, and link targets to them."""
        links = np.triu(rng.random((s, s)) < 0.5, 1)
        links[np.arange(s - 1), np.arange(1, s)] = True
        prints = draw_fingerprints(targets, s, rng)
        chosen = rng.permutation(original.n)[:targets]
        a, b, _ = original.edges()
        x, y = np.nonzero(links)
        t, z = np.nonzero(prints)
        people = original.attributes.take(np.concatenate([np.arange(original.n), rng.integers(original.n, size=s)]))
        graph = Graph.from_pairs(
            [*original.names, *_make_names(original, s)],
            np.concatenate([a, original.n + x, chosen[t]]),
            np.concatenate([b, original.n + y, original.n + z]),
            attributes=people,
        )
        return cls(graph, chosen, links | links.T, prints)

    def count_found(self, graph: Graph, tolerance: float, rng: np.random.Generator) -> dict[str, float]:
        """Search the sybils in a published graph, under a new order of names, and count the identified ones."""
        order = rng.permutation(graph.n)
        a, b, _ = graph.edges()
        hidden = Graph.from_pairs(range(graph.n), order[a], order[b])
        at = graph.names.find(self.graph.names)
        truth = np.where(at >= 0, order[at], -1)
        degrees = self.links.sum(axis=1) + self.prints.sum(axis=0)
        match = seek_sybils(hidden, self.links, degrees, tolerance, rng)
        if match is None:
            return {NONE: 1.0}
        right = float(np.count_nonzero(match == truth[-len(match) :]))
        return {SYBILS: right, TARGETS: read_targets(hidden, match, self.prints, truth[self.targets])}


def draw_fingerprints(targets: int, s: int, rng: np.random.Generator) -> Bools:
    """Draw distinct non-empty sets of sybils, each sybil with probability 1/2.

    >>> draw_fingerprints(3, 2, np.random.default_rng(0)).astype(int).tolist()
    [[0, 1], [1, 1], [1, 0]]
    """
    found: dict[bytes, Bools] = {}
    while len(found) < targets:
        row = rng.random(s) < 0.5
        if row.any():
            found.setdefault(row.tobytes(), row)
    return np.array(list(found.values()))


def _make_names(graph: Graph, s: int) -> list[str]:
    """Return names that no vertex has."""
    mark = "sybil"
    while f"{mark} 0" in graph.names:
        mark += "'"
    return [f"{mark} {i}" for i in range(s)]


# The search for sybils in a release by their links, with errors, and for targets by their links to the sybils.
#
# A match assigns a vertex to every sybil. Its cost is the number of missing and excess links among them, plus the
# differences of degrees. The search follows the path and keeps only the cheapest partial matches, ties at random.

WIDE, KEPT = 200_000, 4_000
"""The most partial matches that are kept: of up to three sybils, and of more."""
EXACT = 2_000_000
"""The same if no errors are allowed."""


def seek_sybils(graph: Graph, links: Bools, degrees: Ints, tolerance: float, rng: np.random.Generator) -> Ints | None:
    """Return a cheapest match, drawn if there are several; None if all cost too much."""
    allowed = int(tolerance * int(degrees.sum()))
    rooms = [EXACT if tolerance == 0 else WIDE if i < 3 else KEPT for i in range(len(degrees))]
    costs = np.abs(graph.degree - degrees[0])
    who = rng.permutation(graph.n)
    who = who[np.argsort(costs[who], kind="stable")][: rooms[0]]
    who = who[costs[who] <= allowed]
    matches, costs = np.zeros((len(who), len(degrees)), dtype=np.int32), costs[who].astype(np.int64)
    matches[:, 0] = who
    for i in range(1, len(degrees)):
        matches, costs = _extend_matches(graph, matches, costs, i, links[i], int(degrees[i]), allowed, rooms[i], rng)
        if not len(matches):
            return None
    best = np.flatnonzero(costs == costs.min(initial=allowed))
    found: Ints | None = matches[rng.choice(best)] if len(best) else None
    return found


def _extend_matches(
    graph: Graph,
    matches: Ints,
    costs: Ints,
    i: int,
    linked: Bools,
    degree: int,
    allowed: int,
    room: int,
    rng: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Extend all matches by one vertex, and keep the cheapest ones."""
    from shoal.attacks._kernels.matching import extend

    counts = np.zeros(allowed + 1, dtype=np.int64)
    work = tuple(np.zeros(graph.n, dtype=np.int64) for _ in range(3))
    seed = int(rng.integers(2**62))
    given = graph.indptr, graph.indices, matches, costs, i, linked, degree, allowed
    extend(*given, 0, 0.0, seed, work, counts, matches[:0].copy(), costs[:0].copy())
    before = np.concatenate([[0], np.cumsum(counts)])
    least = int(np.searchsorted(before, room, side="right")) - 1  # all cheaper ones are kept
    share = (room - before[least]) / counts[least] if least <= allowed else 0.0
    most = int(min(room, before[-1]))
    out, out_costs = np.zeros((most, matches.shape[1]), dtype=np.int32), np.zeros(most, dtype=np.int64)
    filled = extend(*given, least, float(share), seed, work, counts, out, out_costs)
    return out[:filled], out_costs[:filled]


def read_targets(graph: Graph, match: Ints, prints: Bools, truth: Ints) -> float:
    """Return the expected number of identified targets, each guessed among the best-fitting vertices."""
    ids = np.setdiff1d(np.concatenate([graph.neighbors(int(y)) for y in match]), match)
    if not len(ids):
        return 0.0
    seen = np.stack([np.isin(ids, graph.neighbors(int(y)), assume_unique=True) for y in match], axis=1)
    total = 0.0
    for fingerprint, target in zip(prints, truth.tolist(), strict=True):
        apart = np.count_nonzero(seen != fingerprint, axis=1)
        best = ids[apart == apart.min()]
        total += float(np.isin(target, best)) / len(best)
    return total
