"""Judge evaluations of a release: the metrics of compare, the points and front of frontier, the verdict of an audit."""

import warnings
from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random
from statistics import mean
from typing import Any

import networkx as nx

import shoal
from soundness import oracle
from soundness.draw import FORMS, as_graph, as_net, change_net, draw_net, draw_release, draw_specs, list_once, list_one
from soundness.judging import Findings, add_kind
from soundness.oracle import Net, World, make_world

# Compare.


def draw_comparison(rng: Random) -> dict[str, Any]:
    original = draw_net(rng, least=2, most=9, columns=("a", "b"))
    published, mapping = draw_release(rng, original)
    return {
        "original": original,
        "published": published,
        "mapping": mapping,
        "limit": 60.0 if rng.random() < 0.03 else None,
    }


def judge_comparison(case: dict[str, Any], found: Findings) -> None:
    """Compare the metrics of the original, of the release and of the release without links."""
    original, published, mapping = case["original"], case["published"], case["mapping"]
    told = shoal.compare(as_graph(original), as_graph(published), mapping=mapping, repeats=1, time_limit=case["limit"])
    found.equal("matched", told.matched, "mapping")
    back = {u: v for v, u in mapping.items()}
    renamed = Net(
        tuple(back[u] for u in published.names),
        tuple((back[a], back[b], *rest) for a, b, *rest in published.links),
        published.columns,
    )
    sides = {"before": original, "after": renamed, "empty": original._replace(links=())}
    expected = {side: measure(original, net) for side, net in sides.items()}
    named = {row.metric.name for row in told} | {name for name, _ in told.left_out}
    found.check(set(ALWAYS) <= named, f"missing metrics: {set(ALWAYS) - named}")
    for row in told:
        for side, values in expected.items():
            came = getattr(row, side)
            if came is not None and row.metric.name in values:
                found.near(f"{row.metric.name}, {side}", came.value, float(values[row.metric.name]))


ALWAYS = ("vertices", "edges", "edges kept", "edges added", "edges removed", "transitivity", "degree distance")


def measure(original: Net, net: Net) -> dict[str, Any]:
    """Return the metrics of a network, and of its difference from the original. Parallel links count once."""
    links, first = (Counter(map(list_one, list_once(one).links)) for one in (net, original))
    graph, before = as_simple(net), as_simple(original)
    degrees, had = dict(graph.degree), dict(before.degree)
    cores, cores_before = nx.core_number(graph), nx.core_number(before)
    parts = [len(part) for part in nx.connected_components(graph)]
    largest = [part for part in nx.connected_components(graph) if len(part) == max(parts)]
    kept = (links & first).total()
    found: dict[str, Any] = {
        "vertices": len(net.names),
        "edges": links.total(),
        "edges kept": kept,
        "edges added": links.total() - kept,
        "edges removed": first.total() - kept,
        "without links": Fraction(sum(d == 0 for d in degrees.values()), len(degrees)),
        "degree distance": measure_distance(had.values(), degrees.values()),
        "largest degree": max(degrees.values()),
        "transitivity": nx.transitivity(graph),
        "local clustering": nx.average_clustering(graph),
        "4-cycles": count_squares(graph),
        "largest component": Fraction(max(parts), len(degrees)),
        "largest core": max(cores.values()),
        "core distance": measure_distance(cores_before.values(), cores.values()),
        "core number kept": Fraction(sum(cores.get(v) == c for v, c in cores_before.items()), len(cores_before)),
    }
    if first:
        found["edit ratio"] = Fraction(links.total() + first.total() - 2 * kept, first.total())
    if max(parts) > 1:
        distances = [d for part in largest for v in part for d in walk(graph.subgraph(part), v).values() if d]
        found["mean distance"] = mean(map(Fraction, distances))
    ends = [(degrees[a], degrees[b]) for a, b in graph.edges] + [(degrees[b], degrees[a]) for a, b in graph.edges]
    if len({x for x, _ in ends}) > 1:
        found["degree assortativity"] = correlate(ends)
    arcs, arcs_before = list_arcs(net), list_arcs(original)
    for name, at in (("in-degree distance", 1), ("out-degree distance", 0)):
        now, then = (Counter(arc[at] for arc in some) for some in (arcs, arcs_before))
        found[name] = measure_distance([then[v] for v in original.names], [now[v] for v in net.names])
    steps = {arc[:2] for arc in arcs}
    if steps:
        found["reciprocity"] = Fraction(sum((b, a) in steps for a, b in steps), len(steps))
    turned = nx.DiGraph(steps)
    turned.add_nodes_from(net.names)
    strong = max(map(len, nx.strongly_connected_components(turned)))
    found["largest strong component"] = Fraction(strong, len(net.names))
    kinds, kinds_before = (Counter(kind for *_, kind, _ in list_once(one).links) for one in (net, original))
    if kinds and kinds_before:
        apart = (share_of(kinds, x) - share_of(kinds_before, x) for x in kinds | kinds_before)
        found["kind distance"] = sum(map(abs, apart)) / 2
    for name, values in net.columns:
        missing = [value is None for value in values]
        found[f"{name}: missing"] = Fraction(sum(missing), len(values))
    numbers = [Fraction(x) for x in dict(net.columns)["a"] if x is not None]
    then = [Fraction(x) for x in dict(original.columns)["a"] if x is not None]
    if numbers and then:
        found["a: mean"] = mean(numbers)
        found["a: distance"] = measure_distance(then, numbers)
    values, old = (Counter(dict(one.columns)["b"]) for one in (net, original))
    found["b: distance"] = sum(abs(share_of(values, x) - share_of(old, x)) for x in values | old) / 2
    return found


def as_simple(net: Net) -> nx.Graph:
    """Return the undirected view: an edge per linked pair."""
    graph = nx.Graph([link[:2] for link in net.links])
    graph.add_nodes_from(net.names)
    return graph


def list_arcs(net: Net) -> list:
    """Return (source, target, kind) of every link, once; one without a direction leads both ways."""
    links = list_once(net).links
    return [(a, b, kind) for a, b, kind, _ in links] + [(b, a, kind) for a, b, kind, directed in links if not directed]


def share_of(counted: Counter, what: Any) -> Fraction:
    return Fraction(counted[what], counted.total())


def walk(graph: nx.Graph, v: Any) -> dict:
    return dict(nx.single_source_shortest_path_length(graph, v))


def measure_distance(first: Any, second: Any) -> Fraction:
    """Return the largest difference in the share of values that are at most x (Kolmogorov-Smirnov)."""
    first, second = list(first), list(second)

    def share(values: list, most: Any) -> Fraction:
        return Fraction(sum(x <= most for x in values), len(values))

    return max(abs(share(first, x) - share(second, x)) for x in first + second)


def correlate(pairs: list) -> float:
    """Return Pearson's correlation."""
    xs, ys = ([Fraction(pair[i]) for pair in pairs] for i in (0, 1))
    x, y = mean(xs), mean(ys)
    above = sum((a - x) * (b - y) for a, b in pairs)
    below = float(sum((a - x) ** 2 for a in xs) * sum((b - y) ** 2 for b in ys)) ** 0.5
    return float(above) / below


def count_squares(graph: nx.Graph) -> int:
    """Count the cycles of length four: each has two pairs of opposite corners."""
    near = {v: set(graph[v]) for v in graph}
    shared = [len(near[a] & near[b]) for a, b in combinations(graph, 2)]
    return sum(many * (many - 1) // 2 for many in shared) // 2


# Frontier.


def draw_frontier(rng: Random) -> dict[str, Any]:
    original = list_once(draw_net(rng, rng.choice(("simple", "simple", *FORMS[2:])), least=3, most=7, columns=()))
    other = list_once(change_net(rng, original, rng.randint(0, 3)))
    n = len(original.names)
    return {
        "original": original,
        "releases": {"other": other, "half": original._replace(links=original.links[::2])},
        "specs": draw_specs(rng, rng.choice((1, 2))),
        "ks": sorted({rng.randint(1, n), rng.randint(1, n)}),
        "methods": rng.sample(("match-degrees", "equalize-rows", "share-neighbors", "hide-neighbors", "perturb"), 2),
        "facts": rng.choice(("release", "original")),
        "seed": rng.randrange(100),
    }


def judge_frontier(case: dict[str, Any], found: Findings) -> None:
    """Count the risk and the changes of each point again, and find the front."""
    original, specs, ks = case["original"], case["specs"], case["ks"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        told = shoal.frontier(
            as_graph(original),
            specs,
            ks,
            methods=case["methods"],
            also={name: as_graph(net) for name, net in case["releases"].items()},
            facts=case["facts"],
            seed=case["seed"],
            jobs=1,
        )
        releases = dict(case["releases"], **{"no change": original, "empty": original._replace(links=())})
        nets = {}
        for point in told.points:
            if point.kind == "method" and not point.refused:
                method = shoal.methods.find_method(point.method)
                options = dict(point.options, **({} if point.k is None else {"k": point.k}), seed=case["seed"])
                nets[point.called, point.k] = as_net(method(**options)(as_graph(original)).data)
            elif not point.refused:
                nets[point.called, point.k] = releases[point.method]
    found.check(
        {"no change", "empty", *case["releases"]} <= {name for name, _ in nets}, f"points are missing: {list(nets)}"
    )
    for point in told.points:
        if (point.called, point.k) in nets:
            judge_point(point, nets[point.called, point.k], case, found)
    for k in ks:
        placed = [point for point in told.points if point.get_risk(case["facts"]) and "changed" in point.lost]
        beaten = {point.called for point in placed if any(beats(other, point, k, case["facts"]) for other in placed)}
        front = [(point.called, point.k) for point in told.front(k)]
        expected = [(p.called, p.k) for p in placed if not any(beats(other, p, k, case["facts"]) for other in placed)]
        found.equal(f"front for k = {k} (beaten: {sorted(beaten)})", Counter(front), Counter(expected))


def judge_point(point: Any, net: Net, case: dict[str, Any], found: Findings) -> None:
    """Count the risk of one release again, by facts of both sources, and the links that changed."""
    original, specs, ks = case["original"], case["specs"], case["ks"]
    for risk, world in ((point.risk, make_world(net)), (point.attacked, make_world(net, original))):
        if risk is None:
            found.check(right=False, told=f"{point.called}: there is no risk")
            continue
        sizes = [oracle.count(spec, world) for spec in specs]
        people = world.known.names
        found.equal(f"{point.called}: people", risk.people, len(people))
        found.equal(f"{point.called}: k", risk.k, min((s for each in sizes for s in each.values() if s), default=0))
        found.equal(f"{point.called}: misled", risk.misled, sum(not any(each[v] for each in sizes) for v in people))
        for k in ks:
            below = {v for v in people if any(0 < each[v] < k for each in sizes)}
            unsure = {v for v in people if not all(each[v] for each in sizes)} - below
            came = (risk.below[k], risk.unsure[k])
            found.equal(f"{point.called}: below {k}, and unsure", came, (len(below), len(unsure)))
    links, first = (Counter(map(list_one, one.links)) for one in (net, original))
    changed = (links - first).total() + (first - links).total()
    found.near(f"{point.called}: changed", point.lost["changed"], changed / max(1, first.total()))


def beats(a: Any, b: Any, k: int, facts: str) -> bool:
    """Return whether point a is surely no worse than b in risk and loss, and better in one of them."""
    one, other = a.get_risk(facts), b.get_risk(facts)
    worst, best = Fraction(one.below[k] + one.unsure[k], one.people), Fraction(other.below[k], other.people)
    lost, more = a.lost["changed"], b.lost["changed"]
    return worst <= best and lost <= more and (worst < best or lost < more)


# Audits.


def draw_audit(rng: Random) -> dict[str, Any]:
    original = list_once(draw_net(rng, rng.choice(("simple", "simple", *FORMS[2:])), least=3, most=8, columns=()))
    published, mapping = draw_release(rng, original)
    n = len(published.names)
    return {
        "original": original,
        "published": list_once(published) if rng.random() < 0.9 else None,
        "mapping": mapping if rng.random() < 0.9 else None,
        "specs": draw_specs(rng, rng.choice((1, 2))),
        "outside": draw_specs(rng, 1),
        "k": rng.randint(1, n),
        "allow": rng.choice(("0%", "10%", "1/3", "50%", "90%")),
        "limit": 0.01 if rng.random() < 0.05 else None,
    }


def judge_audit(case: dict[str, Any], found: Findings) -> None:
    """Count the people below k again, before, after and by facts of the original, and judge them."""
    original, published, mapping, k = (case[name] for name in ("original", "published", "mapping", "k"))
    scenario = shoal.Scenario("drawn", case["specs"], k, case["allow"])
    how: dict[str, Any] = {
        "scenario": scenario,
        "knowledge": case["outside"],
        "attacks": (),
        "time_limit": case["limit"],
    }
    how |= {"mapping": mapping} if published and mapping else {"same_names": False} if published else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        told = shoal.audit(as_graph(original), None if published is None else as_graph(published), **how)
    verdict = told.verdict
    before = judge_people(verdict.before, case, make_world(original), set(original.names), "before", found)
    if published is None:
        found.equal("verdict", verdict.overall, before)
        return
    after = make_world(published)
    inside = judge_people(verdict.release_facts, case, after, set(published.names), "facts of the release", found)
    rows = {row.knows: row for row in told.after.release_facts}
    for spec in case["specs"]:
        judge_row(rows[shoal.parse_knowledge(spec).spec], spec, after, k, found)
    for row in told.before:
        judge_row(row, row.knows, make_world(original), k, found)
    if mapping is None:
        found.check(verdict.original_facts is None, "facts of the original were judged without a mapping")
        overall, doubt = ("cannot tell", "not matched") if inside == "pass" else (inside, None)
    else:
        world = make_world(published, original, mapping)
        there = {v for v in original.names if v in world.to}
        facts = judge_people(verdict.original_facts, case, world, there, "facts of the original", found)
        decisions = {inside, facts}
        overall = "fail" if "fail" in decisions else "pass" if decisions == {"pass"} else "cannot tell"
        doubt = None
        if overall == "pass" and verdict.original_facts.misled:
            overall, doubt = "cannot tell", "no attacks"
        for row in told.after.original_facts:
            judge_row(row, row.knows, world, k, found)
        if told.changes is not None and len(there) == len(original.names):
            back = {u: v for v, u in mapping.items()}
            links = Counter(map(list_one, [(back[a], back[b], *rest) for a, b, *rest in published.links]))
            first = Counter(map(list_one, original.links))
            expected = (links & first).total(), (links - first).total(), (first - links).total()
            found.equal("links", (told.changes.kept, told.changes.added, told.changes.removed), expected)
    found.equal("verdict and doubt", (verdict.overall, verdict.doubt), (overall, doubt))


def judge_people(told: Any, case: dict[str, Any], world: World, people: set, what: str, found: Findings) -> str:
    """Count the people below k and misled again; return the verdict about them."""
    k, allow = case["k"], oracle.read_error(case["allow"])
    sizes = [oracle.count(spec, world) for spec in case["specs"]]
    below = {v for v in people if any(0 < each[v] < k for each in sizes)}
    misled = {v for v in people if any(not each[v] for each in sizes)} - below
    all_misled = not any(each[v] for each in sizes for v in people)
    verdict = "fail" if Fraction(len(below), len(people)) > allow else "cannot tell" if all_misled else "pass"
    came = (told.people, told.below, told.unproved, told.misled, told.verdict)
    found.equal(f"{what}: people, below, unproved, misled", came, (len(people), len(below), 0, len(misled), verdict))
    return verdict


def judge_row(row: Any, spec: str, world: World, k: int, found: Findings) -> None:
    """Compare one row of the panel."""
    sizes = list(oracle.count(spec, world).values())
    least = min((size for size in sizes if size), default=0)
    expected = (least, len(sizes), sizes.count(1), sum(0 < size < k for size in sizes), sizes.count(0))
    found.equal(f"row of {spec}", (row.k, row.people, row.unique, row.below, row.misled), expected)


add_kind("evaluations/compare", draw_comparison, judge_comparison, "a metric changed")
add_kind("evaluations/frontier", draw_frontier, judge_frontier, "a point with a larger k")
add_kind("evaluations/audit", draw_audit, judge_audit, "a verdict changed")
