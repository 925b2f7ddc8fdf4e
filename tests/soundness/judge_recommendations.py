"""Judge recommendations: each offered release is counted again, and so are targets, losses, the order and trade-offs.

Nothing that misses its target may be called as passing.
"""

import warnings
from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import shoal
from soundness import oracle
from soundness.draw import as_graph, as_net, as_table, draw_net, list_links, list_once
from soundness.judge_methods import draw_small, judge_promise
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, World, make_world


def ask(function: Any, *what: Any, **how: Any) -> Any:
    """Return an answer of shoal, or raise Refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        try:
            return function(*what, **how)
        except shoal.errors.BrokenPromise:
            raise  # what does not hold must not be handed over
        except shoal.ShoalError as error:
            raise Refused(str(error)) from None


def count_changed(before: Net, after: Net) -> int:
    """Return how many links were added and removed."""
    had, has = Counter(list_links(before)), Counter(list_links(after))
    return (has - had).total() + (had - has).total()


# One attacker.

WANTED = (
    *("degree", "degree", "neighbors:1", "neighbors:2", "relations:1", "refinement", "refinement:2", "adjacency"),
    *("orbit", "counts:1", "degrees:1", "neighborhood:1", "hubs:1", "shared-neighbors:1", "columns:b", "columns:a,b"),
    *("some-columns:1:a,b", "degree+neighbors:1"),
)
"""What the attacker knows."""


def draw_wanted(rng: Random) -> dict[str, Any]:
    form = rng.choice(("simple", "simple", "simple", "directed", "kinds", "mixed"))
    net = list_once(draw_net(rng, form, least=3, most=8, columns=("a", "b")))
    return {
        "net": net,
        "knowledge": rng.choice(WANTED),
        "k": draw_small(rng, len(net.names)),
        "most_edits": rng.choice((None, None, 0, 3, "30%")),
        "measure": rng.choice((None, None, None, False)),
        "seed": rng.randrange(1000),
    }


def judge_wanted(case: dict[str, Any], found: Findings) -> None:
    """Count the candidates in every offered release again, and what it costs; the cheapest comes first."""
    net, spec, k, most = case["net"], case["knowledge"], case["k"], case["most_edits"]
    how = {"measure": case["measure"], "effort": 1, "seed": case["seed"]}
    graph = as_graph(net)
    try:
        told = ask(shoal.recommend, graph, spec, k, most_edits=most, **how)
    except Refused:
        if most is None or case["measure"] is False:
            raise
        told = ask(shoal.recommend, graph, spec, k, **how)
        if told.offers[0].cost is None:
            raise
        found.check(told.offers[0].cost > count_most(most, net), "a method within the limit was refused")
        most = None
    found.equal("recommended method", told.method, told.offers[0].method)
    releases = {offer.method: offer.release for offer in told.offers if offer.release is not None}
    releases[told.method] = ask(lambda: told.release)
    for method, release in releases.items():
        after = as_net(release.data)
        sizes = oracle.count(spec, make_world(after))
        found.check(min(sizes.values()) >= k, f"{method!r} leaves {min(sizes.values())} candidates against {spec}")
        for promise in release.promises:
            judge_promise(promise, release, net, after, found)
    for offer in told.offers:
        found.check(not (offer.refused and offer.release), f"{offer.method!r} was refused and has a release")
        if offer.cost is not None:
            found.equal(f"cost of {offer.method!r}", offer.cost, count_changed(net, as_net(offer.release.data)))
    tried = [offer for offer in told.offers if offer.release is not None]
    costs = [offer.cost or 0 for offer in tried]
    found.equal("order of costs", costs, sorted(costs))
    refused = [bool(offer.refused) for offer in told.offers]
    found.equal("refused ones come last", refused, sorted(refused))
    if most is not None and costs:
        found.check(costs[0] <= count_most(most, net), f"{costs[0]} links change, and {most} are accepted")


def count_most(most: Any, net: Net) -> int:
    return int(oracle.read_error(most) * len(net.links)) if isinstance(most, str) else most


# A scenario.


def draw_scenario(rng: Random) -> dict[str, Any]:
    """Draw a network or a table, what it must be defended against, and what may change."""
    table = rng.random() < 0.2
    net = draw_net(rng, rng.choice(("simple", "simple", "directed")), least=4, most=8, columns=("a", "b"))
    net = Net(tuple(range(len(net.names))), (), net.columns) if table else list_once(net)
    few = ["degree", "neighbors:1", "refinement:2", "counts:1", "neighbors:2"]
    quasi = ["quasi-identifiers"] if table else ["quasi-identifiers", "degree+quasi-identifiers"]
    knows = (
        rng.sample(quasi, 1) if table else rng.sample(few, rng.choice((1, 2))) + rng.sample(quasi, rng.choice((0, 1)))
    )
    return {
        "net": net,
        "knows": knows,
        "k": rng.randint(2, 3),
        "allow": rng.choice(("0%", "10%", "1/3", "50%")),
        "columns": rng.choice((["a"], ["b"], ["a", "b"])) if rng.random() < 0.7 or "quasi" in str(knows) else [],
        "most_edits": None if table else rng.choice((None, None, 2, "30%")),
        "seed": rng.randrange(1000),
    }


def judge_scenario(case: dict[str, Any], found: Findings) -> None:
    """Count the people below k in every release again, by all facts, and judge who passes in which order."""
    net = case["net"]
    data = as_graph(net) if net.links else as_table(net)
    scenario = shoal.Scenario("drawn", case["knows"], case["k"], case["allow"])
    how = {"columns": case["columns"], "most_edits": case["most_edits"], "time_limit": 2.0, "seed": case["seed"]}
    told = ask(shoal.methods.recommend_for_scenario, data, scenario, **how)
    judge_counts(told.unchanged[0], "unchanged", case, make_world(net), found)
    verdicts = {}
    for one in told.attempts:
        if one.release is None:
            found.check(one not in told.passing, f"{one.method!r} was refused and passes")
            continue
        after = as_net(one.release.data)
        for promise in one.release.promises:
            judge_promise(promise, one.release, net, after, found)
        verdicts[one.method] = judge_attempt(one, case, net, after, found)
        judge_cost(one, net, after, found)
        passes = verdicts[one.method] == "pass" and accepts(case, net, after, one)
        found.equal(f"{one.method!r} passes", one in told.passing, passes)
    judge_order(told, verdicts, found)


def list_worlds(case: dict[str, Any], before: Net, after: Net) -> dict[str, World]:
    """Return the worlds by the facts that an attacker may have: of the release, of the original, and recoded ones."""
    worlds = {"release": make_world(after), "original": make_world(after, before)}
    names = [name for name in case["columns"] if uses_columns(case)]
    recoded = recode_columns(before, after, names)
    return worlds | ({} if recoded is None else {"recoded": make_world(after, recoded)})


def uses_columns(case: dict[str, Any]) -> bool:
    return any("quasi-identifiers" in spec for spec in case["knows"])


def recode_columns(before: Net, after: Net, names: list[str]) -> Net | None:
    """Return the original with the released columns, where they follow from its own; else None.

    In a table these are the facts of the release. Where people were left out, nothing is known to follow.
    """
    if not before.links or set(before.names) != set(after.names) or not names:
        return None
    became: dict = {}
    for v in before.names:
        became.setdefault(before.cells(v, names), set()).add(after.cells(v, names))
    if any(len(some) > 1 for some in became.values()) or all(some == {had} for had, some in became.items()):
        return None
    at = {v: i for i, v in enumerate(after.names)}
    now = dict(after.columns)
    columns = {name: tuple(now[name][at[v]] for v in before.names) for name in names}
    return before._replace(columns=tuple((name, columns.get(name, values)) for name, values in before.columns))


def list_specs(case: dict[str, Any]) -> list[str]:
    """Return the specs of a case, with the names of its columns."""
    quasi = "columns:" + ",".join(case["columns"])
    return [
        spec.replace("quasi-identifiers", quasi) for spec in case["knows"] if case["columns"] or "quasi" not in spec
    ]


def count_people(case: dict[str, Any], world: World) -> dict[str, Any]:
    """Return how many people there are, are below k, and are misled; and the verdict about them."""
    there = [v for v in world.known.names if v in world.to]
    sizes = [oracle.count(spec, world) for spec in dict.fromkeys(list_specs(case))]
    below = {v for v in there if any(0 < each[v] < case["k"] for each in sizes)}
    misled = {v for v in there if not all(each[v] for each in sizes)} - below
    all_misled = not any(each[v] for each in sizes for v in there)
    passes = Fraction(len(below), len(there)) <= oracle.read_error(case["allow"])
    verdict = ("cannot tell" if all_misled else "pass") if passes else "fail"
    return {"people": len(there), "below": len(below), "misled": len(misled), "verdict": verdict, "all": all_misled}


def judge_counts(told: Any, what: str, case: dict[str, Any], world: World, found: Findings) -> dict[str, Any]:
    """Compare a judgment with the people counted again, and return them.

    People whom nobody fits may be not proved instead, where links and recoded columns are known together.
    """
    expected = count_people(case, world)
    if any("+" in spec for spec in list_specs(case)) and told.unproved and not world.own:
        expected["misled"] -= told.unproved
        few = Fraction(expected["below"] + told.unproved, expected["people"]) <= oracle.read_error(case["allow"])
        expected["verdict"] = "cannot tell" if expected["verdict"] == "pass" and not few else expected["verdict"]
    else:
        found.equal(f"{what}: unproved", told.unproved, 0)
    came = {name: getattr(told, name) for name in ("people", "below", "misled", "verdict")}
    found.equal(what, came, {name: expected[name] for name in came})
    return expected


def judge_attempt(one: Any, case: dict[str, Any], before: Net, after: Net, found: Findings) -> str:
    """Compare the judgments of a release; return the verdict that follows."""
    worlds = list_worlds(case, before, after)
    found.equal(f"facts about {one.method!r}", [each.facts for each in one.judgments], list(worlds))
    counted = {
        each.facts: judge_counts(each, f"{one.method!r} by facts of {each.facts}", case, worlds[each.facts], found)
        for each in one.judgments
    }
    found.equal(f"below by {one.method!r}", one.below, max(each["below"] for each in counted.values()))
    deciding = [
        each["verdict"]
        for facts, each in counted.items()
        if not (facts == "original" and "recoded" in counted and each["all"])
    ]
    verdict = "fail" if "fail" in deciding else "pass" if set(deciding) == {"pass"} else "cannot tell"
    found.equal(f"verdict of {one.method!r}", one.verdict, verdict)
    return verdict


def judge_cost(one: Any, before: Net, after: Net, found: Findings) -> None:
    """Compare what a release changes."""
    cost, gone = one.cost, len(before.names) - len(after.names)
    links = len(before.links) if one.redraws else count_changed(before, after)
    found.equal(f"cost of {one.method!r}", (cost.links, cost.left_out), (links, gone))
    found.near(f"share of links that {one.method!r} changes", cost.share, links / max(1, len(before.links)))
    if not gone:
        names = [name for name, _ in before.columns]
        changed = sum(
            any(
                name not in dict(after.columns) or before.cells(v, [name]) != after.cells(v, [name])
                for v in after.names
            )
            for name in names
        )
        found.equal(f"columns that {one.method!r} changes", cost.columns, changed)


def accepts(case: dict[str, Any], before: Net, after: Net, one: Any) -> bool:
    most = case["most_edits"]
    links = len(before.links) if one.redraws else count_changed(before, after)
    return most is None or links <= count_most(most, before)


def judge_order(told: Any, verdicts: dict[Any, str], found: Findings) -> None:
    """Check that those that pass come first, the cheapest first; then the fewest people below k."""
    rank = {"pass": 0, "cannot tell": 1, "fail": 2}

    def place(one: Any) -> tuple:
        if one.release is None:
            return (3,)
        cost = one.cost
        price = cost.links / max(1, cost.m) + cost.left_out / max(1, cost.people), cost.columns
        verdict = verdicts[one.method]
        return (0, *price, one.below) if verdict == "pass" else (rank[verdict], one.below, *price)

    places = [place(one) for one in told.attempts]
    found.equal("order of attempts", places, sorted(places))


# Targets of reduce-risk.


def draw_target(rng: Random) -> dict[str, Any]:
    form = rng.choice(("simple", "simple", "directed", "kinds"))
    net = list_once(draw_net(rng, form, least=4, most=9, columns=("a", "b")))
    knows = ["degree", "counts:1", "refinement:2", "neighbors:1", "neighbors:2", "degrees:1", "degree+columns:b"]
    return {
        "net": net,
        "knowledge": rng.sample(knows, rng.choice((1, 2))),
        "k": rng.randint(2, 4),
        "target": rng.choice((0.0, 0.1, "25%", 0.5, 0.3)),
        "budget": rng.choice((None, 2, 0.3)),
        "edits": rng.choice(("delete", "add", "add-delete")),
        "suppress": rng.choice((0, 0, 1, "25%")),
        "facts": rng.choice(("release", "both")),
        "seed": rng.randrange(1000),
    }


def judge_target(case: dict[str, Any], found: Findings) -> None:
    """Count the people at risk again: a target is reached only if they are few enough."""
    net, specs, k = case["net"], case["knowledge"], case["k"]
    options = {
        name: case[name] for name in ("knowledge", "k", "target", "budget", "edits", "suppress", "facts", "seed")
    }
    release = ask(shoal.methods.ReduceRisk(effort=2, **options), as_graph(net))
    after = as_net(release.data)
    below = oracle.count_at_risk(specs, make_world(after), k)
    if case["facts"] == "both":
        below |= oracle.count_at_risk(specs, make_world(after, net), k) & set(after.names)
    goal = oracle.read_error(str(case["target"]))
    reached = Fraction(len(below), len(after.names)) <= goal
    found.equal(
        f"target {goal} with {len(below)} of {len(after.names)} at risk", release.measured["target reached"], reached
    )
    (promise,) = release.promises
    judge_promise(promise, release, net, after, found)
    most = count_amount(case["suppress"], len(net.names))
    found.check(len(net.names) - len(after.names) <= most, "too many people were left out")
    if case["budget"] is not None:
        changed, budget = count_changed(net, after), count_amount(case["budget"], len(net.links))
        found.check(changed <= budget, f"{changed} links changed with a budget of {budget}")


def count_amount(amount: Any, of: int) -> int:
    return amount if isinstance(amount, int) else int(oracle.read_error(str(amount)) * of)


# Trade-offs.


def draw_tradeoff(rng: Random) -> dict[str, Any]:
    form = rng.choice(("simple", "simple", "simple", "directed", "kinds"))
    net = list_once(draw_net(rng, form, least=4, most=8, columns=("a", "b")))
    return {
        "net": net,
        "knowledge": rng.sample(("degree", "counts:1", "neighbors:1", "refinement:2", "degrees:1"), rng.choice((1, 2))),
        "k": rng.randint(2, 3),
        "budgets": rng.sample((0, 1, 2, 3, 0.25, "50%", 1.0), rng.randint(1, 3)),
        "edits": rng.choice(("delete", "delete", "add", "add-delete")),
        "suppress": rng.choice((0, 0, 1)),
        "facts": rng.choice(("release", "both")),
        "columns": rng.choice(((), (), ("b",))),
        "draws": rng.choice((1, 3)),
        "seed": rng.randrange(1000),
    }


def judge_tradeoff(case: dict[str, Any], found: Findings) -> None:
    """Make the release of each budget again and count its people at risk; the curve never rises."""
    net = case["net"]
    if not net.links:
        raise Refused("there are no links")
    names = ("budgets", "edits", "suppress", "facts", "columns", "draws", "seed")
    told = ask(shoal.tradeoff, as_graph(net), case["knowledge"], case["k"], effort=1, **{n: case[n] for n in names})
    judge_tradeoff_point(told.start, net, case, found)
    found.equal("links changed at the start", told.start.edits, 0)
    asked = {count_amount(budget, len(net.links)) for budget in case["budgets"]}
    found.equal("budgets", [links for _, links in told.budgets], sorted(asked))
    best = None
    for point in told.curve()[1:]:
        own = make_reduced(case, point.budget)
        key = measure_point(own, net, case)
        if best is not None and best[0] < key:
            found.check(bool(point.reused), f"{point.asked}: a smaller budget has a better release")
            own, key = best[1], best[0]
        else:
            found.equal(f"{point.asked}: reused", point.reused, "")
        best = key, own
        judge_tradeoff_point(point, own, case, found)
        found.check(point.edits <= point.budget, f"{point.asked}: {point.edits} links changed")
    shares = [point.share for point in told.curve()[1:]]
    found.equal("the curve never rises", shares, sorted(shares, reverse=True))
    for point in told.points:
        if point.way != "reduce-risk":
            judge_baseline(point, told, case, found)


def join_columns(case: dict[str, Any]) -> list[str]:
    more = f"+columns:{','.join(case['columns'])}" if case["columns"] else ""
    return [spec + more for spec in case["knowledge"]]


def make_reduced(case: dict[str, Any], budget: int) -> Net:
    """Return the release of the method with this budget."""
    options = {name: case[name] for name in ("k", "edits", "suppress", "facts", "seed")}
    method = shoal.methods.ReduceRisk(join_columns(case), budget=budget, effort=1, **options)
    return as_net(ask(method, as_graph(case["net"])).data)


def count_tradeoff(after: Net, case: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers of one release."""
    net, specs = case["net"], join_columns(case)
    by_release = oracle.count_at_risk(specs, make_world(after), case["k"])
    counted: dict[str, Any] = {"by_release": len(by_release), "by_original": None, "misled": None}
    below = by_release
    if case["facts"] == "both":
        world = make_world(after, net)
        by_original = oracle.count_at_risk(specs, world, case["k"]) & set(after.names)
        sizes = [oracle.count(spec, world) for spec in specs]
        below = by_release | by_original
        counted |= {
            "by_original": len(by_original),
            "misled": sum(not any(each[v] for each in sizes) for v in after.names),
        }
    return counted | {"at_risk": len(below), "people": len(after.names), "edits": count_changed(net, after)}


def measure_point(after: Net, net: Net, case: dict[str, Any]) -> tuple:
    counted = count_tradeoff(after, case)
    return Fraction(counted["at_risk"], counted["people"]), counted["edits"]


def judge_tradeoff_point(point: Any, after: Net, case: dict[str, Any], found: Findings) -> None:
    """Compare the numbers of one point."""
    expected = count_tradeoff(after, case)
    came = {name: getattr(point, name) for name in expected}
    found.equal(f"{point.way}, {point.asked}", came, expected)
    found.equal(f"{point.way}, {point.asked}: share", point.share, Fraction(expected["at_risk"], expected["people"]))


def judge_baseline(point: Any, told: Any, case: dict[str, Any], found: Findings) -> None:
    """Check what holds for every draw of a baseline; nothing is drawn where all links go, or none does."""
    net, what = case["net"], f"{point.way}, {point.asked}"
    found.equal(f"{what}: people", point.people, len(net.names))
    found.check(point.edits <= max(point.budget, 0), f"{what}: {point.edits} links changed")
    draws = list(point.draws)
    found.equal(f"{what}: draws", (len(draws), draws), (case["draws"], sorted(draws)))
    found.equal(f"{what}: the median draw", point.at_risk, draws[(len(draws) - 1) // 2])
    found.check(point.by_release <= point.at_risk <= point.people, f"{what}: {point}")
    if not point.edits:
        found.equal(f"{what}: nothing changed", point.at_risk, told.start.at_risk)
    if point.way != "random":
        found.equal(f"{what}: links deleted", point.edits, min(point.budget, len(net.links)))
    if point.edits == len(net.links) and (point.way != "random" or case["edits"] == "delete"):
        judge_tradeoff_point(point, net._replace(links=()), case, found)


add_kind("recommendations/one attacker", draw_wanted, judge_wanted, "a recommendation out of order")
add_kind("recommendations/a scenario", draw_scenario, judge_scenario, "everything recommended passes")
add_kind("recommendations/targets", draw_target, judge_target, "a target called reached")
add_kind("recommendations/trade-offs", draw_tradeoff, judge_tradeoff, "fewer people at risk")
