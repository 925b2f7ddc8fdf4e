"""Planted walk: an active attack with sybils (Backstrom, Dwork & Kleinberg 2007; robust form: Mauw et al. 2019).

Sybils are accounts of the attacker. They are linked at random among each other and along a path, so that their pattern
is hardly anywhere else; each target gets a link to a set of sybils of its own, its fingerprint. When the data is
published under fresh names, the attacker searches for the pattern; a vertex with a fingerprint is a target.

n is the number of vertices, s that of the sybils.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from math import ceil, log2
from typing import Any, ClassVar

import numpy as np

from shoal.attacks.base import DRAWN, FEWEST_REPEATS, MEANS, Attack, Outcome, Rate, Trial, explain_missing_interval
from shoal.core.threads import announce_compilation
from shoal.data.arrays import Bools, Ints
from shoal.data.convert import as_graph
from shoal.data.graph import Graph
from shoal.errors import BadParameter, Notice, must, whole
from shoal.knowledge.view import Pair
from shoal.methods.base import Method
from shoal.methods.links.random_edits import count_missing, perturb_links
from shoal.progress import track
from shoal.release.drawn import DrawnRelease
from shoal.release.release import Release

SYBILS, TARGETS, NONE = "sybils found", "targets found", "no match"
MEANINGS = {
    TARGETS: "The chance that the vertex whose links to the sybils fit a target best is that target.",
    SYBILS: "Sybils that are where they were sought.",
    NONE: "Runs in which no place was found where the sybils fit, as far as mistakes are allowed.",
}
TOGETHER = (
    "An interval is for the mean over other sybils, targets and seeds of the method: Student's t over the repeats, for "
    "the targets of a run are found or missed together."
)
FEWEST = 5
"""So many sybils there are at least."""
GRAPHS = {
    "release": "What the method makes of the network with the sybils in it.",
    "only renamed": "The network with the sybils in it, with nothing changed but the names: what the attack can do.",
    "random edits": "The same after as many random removals and additions: what damage alone does.",
    "guessing": MEANS["guessing"],
}


@dataclass(frozen=True)
class PlantedWalk(Attack):
    """Adds sybils to the network before it is anonymized, finds them again by their links, and by them the targets.

    The method is run anew, on the network with the sybils in it, for each of `repeats` runs with new sybils, targets
    and seeds. The sybils are sought along their path; the match with the fewest mistakes is taken. Who of several
    equally good ones is taken is drawn, and targets are read off by the smallest number of differing links to the
    sybils; where several are as near, each is guessed alike.

    Parameters
    ----------
    sybils
        How many vertices are planted; None for 2 log2 n, and five at least.
    targets
        How many people are linked to sybils.
    repeats
        How many runs; 10 or more for intervals.
    tolerance
        How many mistakes are allowed, as a share of the links at sybils: missing and excess links among them, and
        differences of degrees. 0 is the exact form.
    method
        What makes the release; None takes that of the release itself.

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

    sybils: int | None = None
    targets: int = 10
    repeats: int = 10
    tolerance: float = 0.5
    method: Method | None = None

    shell: ClassVar[str] = "planted-walk"
    means: ClassVar[str] = "Plants accounts before the release, finds their pattern in it, and by them the targets."
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

    def __call__(self, pair: Pair, release: Release | None, seed: int) -> Outcome:
        """Plant, anonymize, and seek, as often as asked for."""
        method, original = self._find_method(release), _check_simple(as_graph(pair.original))
        must(
            self.targets <= original.n, "PlantedWalk", "targets", f"at most {original.n:,}, all there are", self.targets
        )
        s = max(FEWEST, ceil(2 * log2(original.n))) if self.sybils is None else self.sybils
        must(self.targets < 2**s, "PlantedWalk", "sybils", f"enough for {self.targets:,} fingerprints", s)
        hits: dict[str, list[dict[str, float]]] = {}
        for i in range(self.repeats):
            track("planting sybils", i, self.repeats)
            rng = np.random.default_rng([seed, i])
            planted = PlantedNetwork.plant(original, s, self.targets, rng)
            for name, graph in _list_attacked(planted.graph, method, rng):
                hits.setdefault(name, []).append(planted.count_found(graph, self.tolerance, rng))
        of = {TARGETS: self.targets, SYBILS: s, NONE: 1}
        trials = [
            Trial(
                name,
                GRAPHS[name],
                {rate: Rate.over_repeats([(one.get(rate, 0.0), of[rate]) for one in got]) for rate in MEANINGS},
            )
            for name, got in hits.items()
        ]
        many = self.targets * self.repeats
        guessed = {TARGETS: Rate(many / original.n, many)}
        return Outcome(
            self,
            self.shell,
            self.means,
            self.main,
            (*trials, Trial("guessing", GRAPHS["guessing"], guessed)),
            seed,
            self.settings() | {"sybils": s, "method": method.shell},
            MEANINGS,
            None,
            _list_notes(method, self.repeats, drawn="random edits" not in hits),
        )

    def _find_method(self, release: Release | None) -> Method:
        method = self.method if self.method is not None or release is None else release.method
        if not isinstance(method, Method):
            raise BadParameter(
                "PlantedWalk: it must be known which method made the release, for sybils are planted before it is run. "
                "Got only what it made. Pass method=, e.g. method=EqualizeRows(k=2) (--method equalize-rows:k=2)."
            )
        return method


def _check_simple(graph: Graph) -> Graph:
    must(graph.multiplicity is None, "PlantedWalk", "original", "a simple graph (leave out multigraph)", graph)
    return graph


def _list_notes(method: Method, repeats: int, *, drawn: bool) -> tuple[str, ...]:
    """Return what must be known: that the release at hand is not what was attacked."""
    again = (
        f"Sybils can only be planted before: {method.shell} was run {repeats:,} times, each time on another network."
    )
    return (
        again,
        TOGETHER if repeats >= FEWEST_REPEATS else explain_missing_interval(repeats),
        *([DRAWN] if drawn else []),
    )


def _list_attacked(planted: Graph, method: Method, rng: np.random.Generator) -> Iterable[tuple[str, Graph]]:
    """Yield what is published of the network with sybils, and what that must be compared with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)  # what there is to say of the method was said of the release
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
    """A network with sybils in it, and what the attacker remembers."""

    graph: Graph
    targets: Ints
    """Their ids; those of the sybils are the last ones."""
    links: Bools
    """Which sybils are linked: s rows and columns."""
    prints: Bools
    """For each target a row: which sybils it is linked to."""

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
        """Seek the sybils in what was published, under a new order of names, and count who is found."""
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
    """Draw different sets of sybils, none empty, each sybil in or out alike.

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
    """Return names that nobody bears."""
    mark = "sybil"
    while f"{mark} 0" in graph.names:
        mark += "'"
    return [f"{mark} {i}" for i in range(s)]


# Sybils sought in a release by their links, mistakes allowed; and targets read off by their links to the sybils.
#
# A match gives every sybil a vertex. It costs one for each link among them that is missing or too many, and one for
# each link by which a degree differs. Vertices are found along the path, and only so many of the cheapest partial
# matches are kept; which of those that cost the same is drawn.

WIDE, KEPT = 200_000, 4_000
"""Partial matches that are kept: of the first three sybils, of which there may be many, and of more."""
EXACT = 2_000_000
"""So many are kept where no mistake is allowed."""


def seek_sybils(graph: Graph, links: Bools, degrees: Ints, tolerance: float, rng: np.random.Generator) -> Ints | None:
    """Return a cheapest match that was found, drawn where there are several; None where all cost too much."""
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
    """Extend all matches by one vertex, and keep as many of the cheapest as there is room for."""
    announce_compilation()
    from shoal.attacks._kernels.matching import extend

    counts = np.zeros(allowed + 1, dtype=np.int64)
    work = tuple(np.zeros(graph.n, dtype=np.int64) for _ in range(3))
    seed = int(rng.integers(2**62))
    given = graph.indptr, graph.indices, matches, costs, i, linked, degree, allowed
    extend(*given, 0, 0.0, seed, work, counts, matches[:0].copy(), costs[:0].copy())
    before = np.concatenate([[0], np.cumsum(counts)])
    least = int(np.searchsorted(before, room, side="right")) - 1  # all that cost less have room
    share = (room - before[least]) / counts[least] if least <= allowed else 0.0
    most = int(min(room, before[-1]))
    out, out_costs = np.zeros((most, matches.shape[1]), dtype=np.int32), np.zeros(most, dtype=np.int64)
    filled = extend(*given, least, float(share), seed, work, counts, out, out_costs)
    return out[:filled], out_costs[:filled]


def read_targets(graph: Graph, match: Ints, prints: Bools, truth: Ints) -> float:
    """Return how many targets are expected to be found, each guessed among those whose links fit it best."""
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
