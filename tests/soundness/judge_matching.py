"""Judge matching attacks: the guesses, the right ones, and the rates and intervals that follow.

A matching attack is asked through a subclass that notes what it is given and what it guesses. Links have a kind of
their own, so that the judge reads from their kinds who is who under fresh names.
"""

import warnings
from collections import Counter
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any, NamedTuple

import shoal
from soundness import oracle
from soundness.draw import as_graph, as_net, draw_links, draw_names, draw_release, list_links
from soundness.judge_attacks import judge_rate
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net

STUDENT = 2.2621571627409915
"""The same of Student's t with nine degrees of freedom."""
REPEATS = 10
"""The repeats that give intervals."""


class Seen(NamedTuple):
    """What a matching attack was given in one run, and what it guessed."""

    auxiliary: Net
    released: Net
    seeds: list
    guess: list


def draw_matching(rng: Random) -> dict[str, Any]:
    """Draw a network whose links all have kinds of their own, a release of it, and an attack."""
    n = rng.randint(5, 12)
    names = draw_names(rng, n)
    directed = rng.random() < 0.5
    links = draw_links(rng, names, "simple")
    original = Net(names, tuple((a, b, f"r{i}", directed) for i, (a, b, *_) in enumerate(links)))
    twins = rng.random() < 0.3
    if twins:
        original = double_vertices(original)
        kept, mapping = original.links, {v: f"p{i}" for i, v in enumerate(original.names)}
    else:
        published, mapping = draw_release(rng, original._replace(links=original.links))
        fresh: set = set()
        back = {u: v for v, u in mapping.items()}
        links = [(back[a], back[b], kind, way) for a, b, kind, way in published.links]
        kept = []
        for link in links:  # a kind stands for one link, so that everybody can be recognized
            if link[2] not in fresh:
                fresh.add(link[2])
                kept.append(link)
    people = list(mapping)
    released = Net(
        tuple(mapping[v] for v in rng.sample(people, len(people))),
        tuple((mapping[a], mapping[b], kind, way) for a, b, kind, way in kept),
    )
    return {
        "original": original,
        "published": released,
        "mapping": mapping,
        "attack": rng.choice(("KorulaLattanzi", "NarayananShmatikov", "Grampa")),
        "auxiliary": rng.choice((1.0, 0.8, 0.5)),
        "false_links": rng.choice((0.0, 0.0, 0.2)),
        "seeds": rng.randint(0, len(mapping) - 1),
        "repeats": rng.choice((1, 3, REPEATS)),
        "seed": rng.randrange(1000),
    }


def double_vertices(net: Net) -> Net:
    """Return the network with a twin of each vertex: all four links have the kind of the one between the originals."""
    names = tuple((v, i) for v in net.names for i in (0, 1))
    ends = [((a, i), (b, j), kind, way) for a, b, kind, way in net.links for i in (0, 1) for j in (0, 1)]
    return Net(tuple(map(str, names)), tuple((str(a), str(b), kind, way) for a, b, kind, way in ends))


def judge_matching(case: dict[str, Any], found: Findings) -> None:
    """Count guesses, right ones and rates again, from what the attack was given and guessed."""
    original, published, mapping = case["original"], case["published"], case["mapping"]
    if not original.links or not published.links:
        raise Refused("there is nothing to recognize")
    seen: list[Seen] = []
    kind = note_guesses(getattr(shoal.attacks, case["attack"]), seen)
    options = {name: case[name] for name in ("auxiliary", "false_links", "repeats")}
    options |= {} if case["attack"] == "Grampa" else {"seeds": case["seeds"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        try:
            told = shoal.attack(
                as_graph(original), as_graph(published), by=kind(**options), mapping=mapping, seed=case["seed"]
            )
        except shoal.errors.BadParameter as error:
            raise Refused(str(error)) from None
    arenas = [trial.graph for trial in told.trials if trial.graph != "guessing"]
    found.equal("arenas", arenas, ["release", "only renamed", "random edits", "surviving edges"])
    found.equal("runs", len(seen), case["repeats"] * len(arenas))
    to = {v: u for v, u in mapping.items() if u in published.names}
    back = {u: v for v, u in to.items()}
    before = Net(published.names, tuple((back[a], back[b], *rest) for a, b, *rest in published.links))
    survived = tuple(link for link in original.links if list_links(Net((), (link,)))[0] in list_links(before))
    graphs = {
        "release": (published, to),
        "only renamed": (original, {v: v for v in to}),
        "surviving edges": (original._replace(links=survived), {v: v for v in to}),
    }
    many = 0 if case["attack"] == "Grampa" else case["seeds"]
    for at, name in enumerate(arenas):
        runs = seen[at :: len(arenas)]
        for run in runs:
            judge_means(name, run, case, many, found)
        if name in graphs:
            counts = [count_guesses(run, original, *graphs[name], many) for run in runs]
            for run in runs:
                judge_arena(name, run, graphs[name][0], found)
            judge_guesses(told, name, counts, found)
        else:
            added = len(published.links) - len(survived)
            for run in runs:
                found.equal(f"{name}: links", len(run.released.links), len(survived) + added)
    judge_chance(
        told["guessing"].rates, len(original.names), len(published.names), len(to), many, len(seen) // 4, found
    )


def note_guesses(kind: Any, seen: list[Seen]) -> Any:
    """Return an attack that notes what it is given and what it guesses."""

    class Noting(kind):
        def match(self, auxiliary: Any, released: Any, seeds: Any, rng: Any) -> Any:
            guess = super().match(auxiliary, released, seeds, rng)
            graph = auxiliary[0] if isinstance(auxiliary, tuple) else auxiliary
            pairs = list(zip(*(side.tolist() for side in seeds), strict=True))
            seen.append(Seen(as_net(graph), as_net(released), pairs, guess.tolist()))
            return guess

    return Noting


def judge_means(name: str, run: Seen, case: dict[str, Any], seeds: int, found: Findings) -> None:
    """Check what the attacker is given: a share of the links, false ones, people known beforehand; and its guesses."""
    original = case["original"]
    numbered = {v: i for i, v in enumerate(original.names)}
    true = Counter(list_links(Net((), tuple((numbered[a], numbered[b], *rest) for a, b, *rest in original.links))))
    has = Counter(list_links(run.auxiliary))
    kept, false = round(case["auxiliary"] * true.total()), round(case["false_links"] * true.total())
    came = (has & true).total(), (has - true).total()
    found.equal(f"{name}: links of the attacker, and false ones", came, (kept, false))
    found.equal(f"{name}: people known", len({u for u, _ in run.seeds}), seeds)
    guessed = [w for w in run.guess if w >= 0]
    found.equal(f"{name}: vertices guessed twice", len(guessed) - len(set(guessed)), 0)


def judge_arena(name: str, run: Seen, net: Net, found: Findings) -> None:
    """Check that the attacked graph is this network under fresh names."""
    signs, own = (Counter(list_signs(some).values()) for some in (run.released, net))
    found.check(signs == own, f"{name}: the attacked graph is another network")


def list_signs(net: Net) -> dict:
    """Return {v: how often it has a link of each kind and direction}."""
    return {v: frozenset(links.items()) for v, links in oracle.count_links(net).items()}


def count_guesses(run: Seen, original: Net, net: Net, to: dict, seeds: int) -> dict[str, Any]:
    """Return the numbers of people, of people with a guess, of guesses, of right ones and of those of the right class.

    Who is who follows from the kinds of links. Where vertices have the same kinds, a right guess is one of them.
    """
    here, there = list_signs(net), list_signs(run.released)
    alike = Counter(there.values())
    known = {u for u, _ in run.seeds}
    people = [i for i, v in enumerate(original.names) if v in to and i not in known]
    sign = {i: here[to[original.names[i]]] for i in people}
    guesses = {i: w for i, w in enumerate(run.guess) if w >= 0 and i not in known}
    fitting = [i for i in people if i in guesses and there[guesses[i]] == sign[i]]
    taken = Counter(there[w] for _, w in run.seeds)
    return {
        "people": len(people),
        "mapped": sum(i in guesses for i in people),
        "guesses": len(guesses),
        "sure": sum(alike[sign[i]] == 1 for i in fitting),
        "fitting": len(fitting),
        "free": [alike[sign[i]] - taken[sign[i]] for i in fitting],
        "classes": len(set(there.values()))
        == len({frozenset(row) for row in oracle.list_entries(run.released).values()}),
        "seeds": all(there[w] == here[to[original.names[u]]] for u, w in run.seeds),
    }


def judge_guesses(told: Any, name: str, counts: list[dict[str, Any]], found: Findings) -> None:
    """Compare rates with the pooled counts of all repeats."""
    trial, twins = told[name], told.law is not None
    found.check(all(one["seeds"] for one in counts), f"{name}: a person known beforehand is another one")
    total = {what: sum(one[what] for one in counts) for what in ("people", "mapped", "guesses", "sure", "fitting")}
    judge_rate(f"{name}: mapped", trial.rates["mapped"], total["mapped"], total["mapped"], total["people"], found)
    for what, of in (("precision", "guesses"), ("recall", "people")):
        judge_rate(f"{name}: {what}", trial.rates[what], total["sure"], total["fitting"], total[of], found)
    found.equal(f"{name}: right ones", trial.rates["precision"].hits, trial.rates["recall"].hits)
    found.equal(f"{name}: right class", "right class" in trial.rates, twins)
    if twins and name == "release" and all(one["classes"] for one in counts):
        right = trial.rates["right class"]
        judge_rate(f"{name}: right class", right, total["fitting"], total["fitting"], total["guesses"], found)
        expected = sum(Fraction(1, many) for one in counts for many in one["free"])
        share = expected / total["guesses"] if total["guesses"] else 0
        found.near("precision that twins allow", told.law["expected precision"], float(share))
        found.near("measured precision", told.law["measured"], trial.rates["precision"].rate)
        found.check(not told.law["leak"], f"a leak through names: {told.law}")
    judge_repeats(f"{name}: mapped", trial.rates["mapped"], [(one["mapped"], one["people"]) for one in counts], found)
    if total["sure"] == total["fitting"]:
        for what, of in (("precision", "guesses"), ("recall", "people")):
            judge_repeats(f"{name}: {what}", trial.rates[what], [(one["sure"], one[of]) for one in counts], found)


def judge_repeats(what: str, rate: Any, counts: list[tuple[int, int]], found: Findings) -> None:
    """Compute the interval of a ratio of means again, for ten repeats."""
    tried = [(hits, of) for hits, of in counts if of]
    if len(tried) < REPEATS:
        found.equal(f"{what}: interval of {len(tried)} repeats", rate.interval, None)
        return
    hits, of = (sum(side) for side in zip(*tried, strict=True))
    share = hits / of
    if len({Fraction(*one) for one in tried}) == 1:
        margin = 1 - 0.05 ** (1 / REPEATS)
    else:
        spread = sum((one - share * many) ** 2 for one, many in tried) / (REPEATS - 1)
        margin = STUDENT * sqrt(spread / REPEATS) / (of / REPEATS)
    if rate.interval is None:
        found.check(right=False, told=f"{what} has no interval")
        return
    for came, expected in zip(rate.interval, (max(0, share - margin), min(1, share + margin)), strict=True):
        found.near(f"{what}: an end of the interval", came, expected)


def judge_chance(rates: Any, n: int, many: int, people: int, seeds: int, repeats: int, found: Findings) -> None:
    """Compare the rates of a random assignment of the others, none twice: each pair has the same chance."""
    asked, offered, others = n - seeds, many - seeds, (people - seeds) * repeats
    guesses = min(asked, offered) * repeats
    right = others / max(asked, offered)
    expected = {
        "mapped": (others * min(asked, offered) / asked, others),
        "precision": (right, guesses),
        "recall": (right, others),
    }
    for name, (hits, of) in expected.items():
        found.near(f"guessing: {name}", rates[name].hits, hits)
        found.equal(f"guessing: tries of {name}", rates[name].of, of)


add_kind("attacks/matching", draw_matching, judge_matching, "an attack that counts one more")
