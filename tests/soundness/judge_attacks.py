"""Judge attacks: candidates and rates of known facts, who falls in a cascade, and what is planted before a release."""

import warnings
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import ceil, log2, sqrt
from random import Random
from typing import Any

import networkx as nx

import shoal
from soundness import oracle
from soundness.draw import (
    FORMS,
    SPECS,
    as_graph,
    as_net,
    draw_net,
    draw_release,
    is_simple,
    list_links,
    list_once,
)
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, World, make_world

NORMAL = 1.959963984540054
"""Half the width of the 95 % interval of a normal variable, in standard deviations."""


# Rates.


def judge_rate(what: str, rate: Any, low: Any, high: Any, of: int, found: Findings) -> None:
    """Compare the hits of a rate with the least and the most that they may be, and its tries."""
    found.equal(f"{what}: tries", rate.of, of)
    found.check(low - 1e-9 <= rate.hits <= high + 1e-9, f"{what}: shoal {rate.hits} hits, oracle {low} to {high}")
    found.near(f"{what}: share", rate.rate, rate.hits / of if of else 0.0)


def judge_wilson(what: str, rate: Any, found: Findings) -> None:
    """Check the ends of Wilson's interval: there the share is as far away as the normal quantile allows."""
    if rate.interval is None:
        found.check(right=False, told=f"{what} has no interval")
        return
    share = rate.hits / rate.of
    for end, inner in zip(rate.interval, (rate.hits > 0, rate.hits < rate.of), strict=True):
        found.near(
            f"{what}: distance of {end}",
            abs(share - end),
            NORMAL * sqrt(end * (1 - end) / rate.of) if inner else abs(share - end),
        )
    found.check(0 <= rate.interval[0] <= share <= rate.interval[1] <= 1, f"{what}: {rate.interval} around {share}")
    found.equal(
        f"{what}: ends of no hits, or of hits only",
        (rate.hits == 0, rate.hits == rate.of),
        (
            rate.interval[0] == 0,
            rate.interval[1] == 1,
        ),
    )


# Known facts.


METHODS = {
    "match-degrees": {},
    "equalize-rows": {"effort": 1},
    "hide-neighbors": {"effort": 1},
}
"""Methods whose release is attacked, and their options."""


def draw_informed(rng: Random) -> dict[str, Any]:
    """Draw an original, a release and what is known."""
    names = [name for name in SPECS if name != "degree:out/in"]
    specs = [SPECS[name](rng) for name in rng.sample(names, rng.choice((1, 1, 1, 2)))]
    slow = any(part.startswith(("subgraph", "orbit", "neighborhood", "relations")) for part in specs)
    most = 6 if slow or len(specs) > 1 else 8
    method = rng.choice([*METHODS]) if rng.random() < 0.3 else None
    form = "simple" if method else rng.choice(("simple", *FORMS))
    original = draw_net(rng, form, least=2, most=most, columns=("a", "b", "c"))
    published, mapping = draw_release(rng, original)
    n = len(original.names)
    return {
        "original": original,
        "published": None if method else published,
        "mapping": None if method else mapping,
        "method": method,
        "promised": min(n, rng.randint(2, 3)),
        "spec": "+".join(specs),
        "trials": rng.choice((10_000, 10_000, rng.randint(1, n))),
        "k": rng.choice((None, None, rng.randint(1, n))),
        "seed": rng.randrange(1000),
    }


def judge_informed(case: dict[str, Any], found: Findings) -> None:
    """Count the candidates of each target again, and what the rates may be."""
    original, spec = case["original"], case["spec"]
    release, published, mapping = make_published(case)
    world = make_world(published, original, mapping)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        told = shoal.attack(
            as_graph(original),
            release,
            spec,
            mapping=mapping,
            trials=case["trials"],
            k=clip_k(case["k"], published),
            seed=case["seed"],
        )
    targets = sorted(world.to, key=str)
    tried = min(case["trials"], len(targets))
    drawn = tried < len(targets) or has_choice(spec)
    promises = [p for p in getattr(release, "promises", ()) if shoal.covers(p, spec, simple=is_simple(published))]
    usual = max((p.k for p in promises), default=min(5, len(published.names)))
    k = usual if case["k"] is None else clip_k(case["k"], published)
    found.equal("settings", (told.settings["trials"], told.settings["k"]), (tried, k))
    renamed = World(original, original, {v: v for v in original.names}, False)
    families = {}
    for graph, here in (("release", world), ("only renamed", renamed)):
        families[graph] = list_outcomes(spec, here, set(targets))
        sizes = told.settings["candidates"][graph]
        judge_sizes(graph, sizes, families[graph], tried, found)
        judge_informed_rates(told[graph], families[graph], k, tried, drawn, found)
    judge_renamed(told, k, found)
    chance = told["guessing"].rates["found"]
    found.equal("guessing", (chance.hits, chance.of), (tried / len(published.names), tried))
    for trial in told.trials:
        for name, rate in trial.rates.items():
            found.check(0 <= rate.hits <= rate.of == tried, f"{trial.graph}: {name}: {rate}")
    judge_bound(told, promises, families["release"], drawn, found)


def make_published(case: dict[str, Any]) -> tuple[Any, Net, Any]:
    """Return what is attacked, as shoal takes it and as plain data, and the mapping."""
    if case["method"] is None:
        return as_graph(case["published"]), case["published"], case["mapping"]
    method = shoal.methods.find_method(case["method"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        try:
            release = method(k=case["promised"], seed=case["seed"], **METHODS[case["method"]])(
                as_graph(case["original"])
            )
        except shoal.ShoalError as error:
            raise Refused(str(error)) from None
    return release, as_net(release.data), None


def clip_k(k: int | None, published: Net) -> int | None:
    return None if k is None else min(k, len(published.names))


def has_choice(spec: str) -> bool:
    """Return whether one of several sets of facts is known."""
    return any(is_chosen(part) for part in spec.split("+"))


def is_chosen(part: str) -> bool:
    return part.startswith(("neighbors", "relations", "located-relations", "subgraph", "some-columns"))


def list_outcomes(spec: str, world: World, targets: set) -> dict:
    """Return {target: {(number of candidates, whether the target is one)}}, for all sets of facts that may be drawn.

    Drawn facts name only people who were released.
    """
    answers = []
    for part in spec.split("+"):
        place = world._replace(to={v: u for v, u in world.to.items() if v in targets}) if is_chosen(part) else world
        answers.append(oracle.answer_one(part, place, full=True))
    joined = oracle.join_answers(answers)
    return {v: {(len(some), world.to[v] in some) for some in joined[v]} for v in targets}


def judge_sizes(graph: str, told: dict[str, int], families: dict, tried: int, found: Findings) -> None:
    """Check that each target can have one of the numbers of candidates that were counted."""
    found.equal(f"{graph}: targets counted", sum(told.values()), tried)
    pairs = nx.Graph()
    slots = [("size", int(size), i) for size, many in told.items() for i in range(many)]
    pairs.add_nodes_from(slots)
    pairs.add_edges_from((s, ("target", v)) for s in slots for v, some in families.items() if s[1] in dict(some))
    full = len(nx.bipartite.maximum_matching(pairs, slots)) == 2 * len(slots)
    found.check(full, f"{graph}: candidates: shoal counts {told}, the oracle {families}")


RATES: dict[str, Any] = {
    "found": lambda size, holds, k: Fraction(holds, max(1, size)),
    "identified correctly": lambda size, holds, k: Fraction(size == 1 and holds),
    "identified wrongly": lambda size, holds, k: Fraction(size == 1 and not holds),
    "below k": lambda size, holds, k: Fraction(0 < size < k),
    "target excluded": lambda size, holds, k: Fraction(size > 0 and not holds),
    "misled": lambda size, holds, k: Fraction(size == 0),
}
"""What a target adds to each rate, given the number of candidates and whether it is one of them."""


def judge_informed_rates(trial: Any, families: dict, k: int, tried: int, drawn: bool, found: Findings) -> None:
    """Compare the rates with the least and the most that the targets can add."""
    found.equal(f"{trial.graph}: rates", set(trial.rates), set(RATES))
    for name, rate in trial.rates.items():
        adds = [[RATES[name](*one, k) for one in some] for some in families.values()]
        low = sum(sorted(map(min, adds))[:tried])
        high = sum(sorted(map(max, adds), reverse=True)[:tried])
        judge_rate(f"{trial.graph}: {name}", rate, low, high, tried, found)
        if drawn:
            judge_wilson(f"{trial.graph}: {name}", rate, found)
        else:
            found.equal(f"{trial.graph}: interval of {name}", rate.interval, None)


def judge_renamed(told: Any, k: int, found: Findings) -> None:
    """Check the attack on the original itself, where facts are true: each target is among its candidates."""
    rates = told["only renamed"].rates
    for name in ("identified wrongly", "target excluded", "misled"):
        found.equal(f"only renamed: {name}", rates[name].hits, 0)
    sizes = {int(size): many for size, many in told.settings["candidates"]["only renamed"].items()}
    expected = {
        "found": float(sum(Fraction(many, size) for size, many in sizes.items())),
        "identified correctly": sizes.get(1, 0),
        "below k": sum(many for size, many in sizes.items() if size < k),
    }
    for name, hits in expected.items():
        found.near(f"only renamed: {name}", rates[name].hits, hits)


def judge_bound(told: Any, promises: list, families: dict, drawn: bool, found: Findings) -> None:
    """Check the bound that a guarantee implies."""
    if told.law is None:
        return
    k = told.law["guaranteed k"]
    found.check(k in [p.k for p in promises], f"a bound by k = {k}, which is not promised: {promises}")
    chances = [[Fraction(holds, max(1, size)) for size, holds in some] for some in families.values()]
    low, high = max(map(min, chances)), max(map(max, chances))
    measured = told.law["measured"]
    found.check(measured <= high + 1e-9, f"measured chance {measured}, oracle up to {high}")
    found.check(drawn or abs(measured - low) < 1e-9, f"measured chance {measured}, oracle {low}")
    found.near("bound", told.law["bound"], 1 / k)
    found.equal("inside the bound", told.law["inside"], high <= Fraction(1, k) or measured <= 1 / k)
    found.check(high <= Fraction(1, k), f"k = {k} is promised, and a target is found with a chance of {high}")


# Cascades.


def draw_cascade(rng: Random) -> dict[str, Any]:
    starts = ("degree", "refinement:2", "counts:1", "columns:b", "degrees:1", "neighbors:1", "hubs:1")
    original = draw_net(rng, rng.choice(("simple", "simple", "directed", "kinds", "mixed")), least=2, most=10)
    published, mapping = draw_release(rng, list_once(original))
    return {
        "original": list_once(original),
        "published": list_once(published),
        "mapping": mapping,
        "start": rng.choice(starts),
        "then": rng.choice(("degree", "degree", "refinement:2", "counts:1", "columns:b", "degree+columns:b")),
        "exclude": rng.random() < 0.7,
        "limit": rng.choice((None, None, 0, 1)),
    }


def judge_cascade(case: dict[str, Any], found: Findings) -> None:
    """Follow the cascade again, on the release and on the original under other names."""
    original, published = case["original"], case["published"]
    how = {name: case[name] for name in ("start", "then", "exclude", "limit")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        told = shoal.attack(
            as_graph(original), as_graph(published), by=shoal.attacks.Cascade(**how), mapping=case["mapping"]
        )
    world = make_world(published, original, case["mapping"])
    people = set(world.to)
    renamed = World(original, original, {v: v for v in original.names}, False)
    for graph, here in (("release", world), ("only renamed", renamed)):
        levels, where = follow_cascade(here, case)
        named = {v: u for v, u in where.items() if v in people}
        right = sum(here.to[v] == u for v, u in named.items())
        expected = {
            "identified at first": len(levels[0] & people),
            "identified at the end": len(named),
            "identified correctly": right,
            "identified wrongly": len(named) - right,
        }
        for name, hits in expected.items():
            rate = told[graph].rates[name]
            found.equal(
                f"{graph}: {name}, tries and interval", (rate.hits, rate.of, rate.interval), (hits, len(people), None)
            )
        found.equal(f"{graph}: levels", told.settings["levels"][graph], [len(level & people) for level in levels])
    chance = told["guessing"].rates["identified correctly"]
    found.equal("guessing", (chance.hits, chance.of), (len(people) / len(published.names), len(people)))


def follow_cascade(world: World, case: dict[str, Any]) -> tuple[list[set], dict]:
    """Return who is identified at each level, and as whom.

    A claim says that y is w. Who is claimed to be two vertices, or shares the vertex with somebody else, is never
    identified, nor is that vertex.
    """
    sets = oracle.answer(case["start"], world)
    alone = {v: {us for us in sets[v] if len(us) == 1} for v in sets}
    if any(len(some) > 1 for some in alone.values()):
        raise Refused("other facts leave another single candidate, and nothing says which facts are known")
    only = {v: next(iter(*some)) for v, some in alone.items() if some}
    often = Counter(only.values())
    claims = {(v, u) for v, u in only.items() if often[u] == 1}
    facts = oracle.answer(case["then"], world)
    where: dict = {}
    levels: list[set] = []
    closed: set = set()
    shut: set = set()
    while True:
        new = settle_claims(claims, closed, shut)
        where |= new
        if levels and not new:
            break
        levels.append(set(new))
        if case["limit"] is not None and len(levels) > case["limit"]:
            break
        claims = set()
        for v, u in where.items():
            mine, theirs = (
                list_labels(net, x, set(done) if case["exclude"] else set())
                for net, x, done in ((world.known, v, where), (world.published, u, where.values()))
            )
            claims |= match_unique(mine, theirs, facts, world)
        claims = {
            (y, w)
            for y, w in claims
            if y not in where and w not in where.values() and y not in closed and w not in shut
        }
    return levels, where


def settle_claims(claims: set, closed: set, shut: set) -> dict:
    """Return the claims that nothing contradicts; `closed` and `shut` get those that are contradicted."""
    owners, places = Counter(w for _, w in claims), Counter(y for y, _ in claims)
    shut |= {w for w, many in owners.items() if many > 1}
    closed |= {y for y, many in places.items() if many > 1}
    closed |= {y for y, w in claims if w in shut}
    shut |= {w for y, w in claims if y in closed}
    return {y: w for y, w in claims if y not in closed and w not in shut}


def list_labels(net: Net, v: Any, done: set) -> dict:
    """Return {neighbor: everything that links v to it}, without those that are identified."""
    return {w: oracle.find_tie(net, v, w) for w in oracle.find_neighbors(net)[v] if w not in done}


def match_unique(mine: dict, theirs: dict, facts: dict, world: World) -> set:
    """Return the neighbors y and w that are alike by facts and ties, and have no other alike on either side."""
    look = {y: (next(iter(facts[y])), tie) for y, tie in mine.items()}
    often = Counter(look.values())
    claims = set()
    for y, (us, tie) in look.items():
        fitting = [w for w, other in theirs.items() if w in us and other == tie]
        if often[look[y]] == 1 and len(fitting) == 1:
            claims.add((y, fitting[0]))
    return claims


# Accounts planted before a release.


def draw_planted(rng: Random) -> dict[str, Any]:
    net = list_once(draw_net(rng, "simple", least=4, most=9, columns=("a",)))
    return {
        "net": net,
        "sybils": rng.choice((None, 4, 5)),
        "targets": rng.randint(1, 4),
        "repeats": rng.choice((1, 2)),
        "delete": rng.choice((0, 1, 2)),
        "seed": rng.randrange(1000),
    }


def judge_planted(case: dict[str, Any], found: Findings) -> None:
    """Check what is planted in each run, and the tries and limits of every rate."""
    net, s, targets, repeats = case["net"], case["sybils"], case["targets"], case["repeats"]
    seen: list[Net] = []

    class Noting(shoal.methods.Perturb):
        def __call__(self, data: Any) -> Any:
            seen.append(as_net(data))
            return super().__call__(data)

    if len(net.links) < case["delete"]:
        raise Refused("there are fewer links than may be deleted")
    by = shoal.attacks.PlantedWalk(s, targets, repeats, method=Noting(add=1, delete=case["delete"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        told = shoal.attack(as_graph(net), as_graph(net), by=by, seed=case["seed"])
    s = told.settings["sybils"]
    found.equal("sybils", s, max(5, ceil(2 * log2(len(net.names)))) if case["sybils"] is None else case["sybils"])
    found.equal("runs", len(seen), repeats)
    for planted in seen:
        sybils = [v for v in planted.names if v not in net.names]
        near = oracle.find_neighbors(planted)
        found.equal("people beside the sybils", planted.only(set(net.names)).names, net.names)
        found.equal("links of the people", list_links(planted.only(set(net.names))), list_links(net))
        found.equal("planted sybils", len(sybils), s)
        found.check(all(b in near[a] for a, b in pairwise(sybils)), "the sybils are not linked along a path")
        prints = [near[v] & set(sybils) for v in net.names if near[v] & set(sybils)]
        found.equal("targets, and their fingerprints", (len(prints), len(set(prints))), (targets, targets))
    tries = {"targets found": targets * repeats, "sybils found": s * repeats}
    for trial in told.trials:
        for name, rate in trial.rates.items():
            judge_rate(f"{trial.graph}: {name}", rate, 0, rate.of, tries.get(name, repeats), found)
            found.equal(f"{trial.graph}: interval of {name}", rate.interval, None)
    chance = told["guessing"].rates[told.main]
    found.near("guessing", chance.hits, targets * repeats / len(net.names))


add_kind("attacks/known facts", draw_informed, judge_informed, "an attack that counts one more")
add_kind("attacks/cascade", draw_cascade, judge_cascade, "an attack that counts one more")
add_kind("attacks/planted accounts", draw_planted, judge_planted, "an attack that counts one more")
