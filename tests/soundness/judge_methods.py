"""Judge releases: guarantees counted again, numbers of methods recounted, published files read back."""

import warnings
from collections import Counter
from fractions import Fraction
from math import comb, isclose, log
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx

import shoal
from soundness import oracle
from soundness.draw import (
    FORMS,
    as_graph,
    as_net,
    as_table,
    draw_net,
    draw_specs,
    is_simple,
    list_links,
    list_once,
    same_links,
)
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, make_world

MOSTLY_SIMPLE = ("simple",) * 6 + FORMS


def draw_small(rng: Random, n: int) -> int:
    """Draw a k that is often possible."""
    return min(n, rng.choice((2, 2, 3, 4, n)))


LINK_METHODS: dict[str, Any] = {
    "equalize-rows": lambda rng, n: {
        "k": draw_small(rng, n),
        "effort": rng.choice((0, 3)),
        **rng.choice(({}, {"similarity": "manhattan"}, {"similarity": "2-path"}, {"fill": "budget"}, {"closed": 1})),
    },
    "hide-neighbors": lambda rng, n: {
        "k": draw_small(rng, n),
        "l": rng.choice((1, 1, 2, 3)),
        "effort": 2,
        "add_only": rng.random() < 0.2,
    },
    "hide-relations": lambda rng, n: {
        "k": draw_small(rng, n),
        "l": rng.choice((1, 1, 2)),
        "effort": 2,
        "located": rng.random() < 0.3,
    },
    "match-degrees": lambda rng, n: {
        "k": draw_small(rng, n),
        **rng.choice(
            ({"edits": "add", "degrees": "greedy"}, *({"edits": e} for e in ("add", "add-delete", "add-vertices")))
        ),
    },
    "match-neighborhoods": lambda rng, n: {"k": draw_small(rng, n), "labels": rng.choice(((), (), ("b",)))},
    "generalize": lambda rng, n: {"k": draw_small(rng, n), "effort": 2},
    "raise-l": lambda rng, n: {
        "k": draw_small(rng, n),
        "similarity": rng.choice(("manhattan", "2-path")),
        "keep": rng.choice((None, "vertices")),
    },
    "share-neighbors": lambda rng, n: {
        "k": draw_small(rng, n),
        "l": rng.choice((1, 2)),
        "variant": rng.choice(("weak", "strong")),
    },
    "reduce-risk": lambda rng, n: {
        "knowledge": tuple(rng.sample(RISKS, rng.choice((1, 1, 2)))),
        "k": draw_small(rng, n),
        "budget": rng.choice((1, 2, 4, 0.3, None)),
        "edits": rng.choice(("delete", "add", "add-delete", "swap")),
        "suppress": rng.choice((0, 0, 1, 2)),
        "facts": rng.choice(("release", "both")),
        "effort": 2,
    },
    "perturb": lambda rng, n: rng.choice(({"add": 2, "delete": 1}, {"delete": 0.5}, {"switch": 2}, {"add": 1})),
    "confuse": lambda rng, n: {"k": draw_small(rng, n), "attributes": rng.choice((None, None, "swap-within"))},
}
"""The methods that change links, and their options, given the number of vertices."""
RISKS = (
    *("degree", "counts:1", "degrees:1", "refinement:2", "neighborhood:1", "neighbors:1", "neighbors:2", "hubs:1"),
    *("degree+columns:b", "neighbors:1+columns:a"),
)
"""What reduce-risk can protect against."""

TABLE_METHODS: dict[str, Any] = {
    "microaggregate": lambda rng, n: {"k": draw_small(rng, n), "columns": ("a", "b")},
    "mondrian": lambda rng, n: {"k": draw_small(rng, n), "columns": rng.choice((None, ("a",), ("a", "b")))},
    "recode": lambda rng, n: {"k": draw_small(rng, n), "suppress": rng.choice((0.0, 0.3)), "columns": ("a", "b")},
    "hide-columns": lambda rng, n: {"k": draw_small(rng, n), "l": rng.randint(1, 3), "columns": ("a", "b", "c")},
    "swap-within": lambda rng, n: {
        "classes": "b",
        **rng.choice(({"columns": ("a", "c"), "allow_unique": True}, {"columns": ("e",)})),
    },
    "distort": lambda rng, n: {
        "classes": "b",
        "columns": ("d",),
        "allow_determined": True,
        "preserve_means": rng.random() < 0.5,
    },
}
"""The methods that change tables, and their options, given the number of records."""
WITHOUT_SEED = ("raise-l", "mondrian", "recode")


def draw_release_case(rng: Random, name: str) -> dict[str, Any]:
    """Draw a method with options, and data for it."""
    if name in LINK_METHODS:
        simple_only = name in ("match-neighborhoods", "raise-l") and rng.random() < 0.95
        form = "simple" if simple_only else rng.choice(MOSTLY_SIMPLE)
        net = draw_net(rng, form, least=3, most=8, columns=("a", "b"))
        net = net if form == "multi" else list_once(net)
        options = LINK_METHODS[name](rng, len(net.names))
        if name == "confuse":
            net = net._replace(columns=(("d", tuple(rng.randint(0, 9) for _ in net.names)),))
    else:
        net = draw_net(rng, "simple", least=3, most=10, columns=("a", "b", "c"))._replace(links=())
        n = len(net.names)
        more = ("d", tuple(rng.randint(0, 9) for _ in range(n))), ("e", tuple(v // 4 % 2 for v in range(n)))
        net = Net(tuple(range(n)), (), (*net.columns, *more))
        options = TABLE_METHODS[name](rng, n)
        if name == "distort" or rng.random() < 0.7:  # fewer classes, so that they are large enough
            net = Net(
                net.names,
                (),
                tuple((c, tuple("xy"[v % 2] for v in net.names) if c == "b" else x) for c, x in net.columns),
            )
    if name not in WITHOUT_SEED:
        options["seed"] = rng.randrange(1000)
    return {"method": name, "options": options, "net": net, "save": rng.random() < 0.3}


def make_release(case: dict[str, Any], data: Any) -> Any:
    """Return the release of a case, or raise Refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        try:
            return shoal.methods.find_method(case["method"])(**case["options"])(data)
        except shoal.errors.BrokenPromise:
            raise  # a method must not try to hand over what does not hold
        except shoal.ShoalError as error:
            raise Refused(str(error)) from None


def judge_release(case: dict[str, Any], found: Findings) -> None:
    """Make a release, and count again all that it says."""
    net = case["net"]
    data = as_graph(net) if case["method"] in LINK_METHODS else as_table(net)
    before = as_net(data)
    release = make_release(case, data)
    after = as_net(release.data)
    found.equal("the input afterwards", as_net(data), before)
    if "seed" in case["options"] or case["method"] in WITHOUT_SEED:
        found.equal("the same release again", as_net(make_release(case, data).data), after)
    for promise in release.promises:
        judge_promise(promise, release, before, after, found)
    if case["method"] not in ("perturb", "swap-within") and after.names:
        found.check(bool(release.promises), "nothing is promised")
    judge_edits(release, before, after, found)
    judge_classes(release, after, found)
    judge_measured(case, release, before, after, found)
    if case["method"] in LINK_METHODS and is_simple(before) and is_simple(after):
        judge_utility(release.utility, before, after, found)
    if case["save"] and after.names:
        judge_saved(case, release, after, found)


def judge_promise(promise: Any, release: Any, before: Net, after: Net, found: Findings) -> None:
    """Count a guarantee again, by the definition."""
    kind = type(promise).__name__
    if kind == "Promise":
        world = make_world(after, None if promise.source == "release" else before)
        sizes = oracle.count(promise.knowledge.spec, world)
        some = sizes if promise.vertices == "all" else promise.vertices
        least = min(sizes[v] for v in some)
        found.check(least >= promise.k, f"{promise!r}: the oracle counts {least}")
    elif kind == "PartialPromise":
        specs = [knows.spec for knows in promise.knowledge]
        below = oracle.count_at_risk(specs, make_world(after), promise.k)
        found.equal(
            f"{specs}: protected and all",
            (promise.protected, promise.of),
            (len(after.names) - len(below), len(after.names)),
        )
    elif kind == "RadiusPromise":
        radius = measure_radius(after, promise.k, promise.similarity)
        found.check(radius >= promise.l, f"{promise!r}: the oracle measures {radius}")
    elif kind == "ConfusionPromise":
        judge_confusion(promise, release, before, after, found)
    elif kind == "ExchangeabilityPromise":
        judge_blocks(promise, release, before, after, found)
    else:
        found.check(right=False, told=f"there is no judge of {kind}")


def measure_radius(net: Net, k: int, similarity: str) -> int:
    """Return the least of the k-th largest similarities of a row with all rows, its own included."""
    near = oracle.find_neighbors(net)

    def alike(v: Any, u: Any) -> int:
        if similarity == "2-path":
            return len(near[v] & near[u])
        return sum((w in near[v]) == (w in near[u]) for w in net.names)

    return min(sorted((alike(v, u) for u in net.names), reverse=True)[k - 1] for v in net.names)


def judge_confusion(promise: Any, release: Any, before: Net, after: Net, found: Findings) -> None:
    """Check the classes of a guarantee of confusion: their sizes, their links, and their values."""
    sizes = [len(some) for some in release.classes]
    found.check(min(sizes) >= promise.n and promise.t * max(sizes) <= 1, f"classes of {sizes} for {promise!r}")
    rows = oracle.list_entries(after)
    columns = promise.columns
    for some in release.classes:
        found.check(all(rows[v] == rows[some[0]] for v in some), f"the links of {some} differ")
        now = Counter(after.cells(v, columns) for v in some)
        if promise.ground == "equal records":
            found.check(len(now) == 1, f"the values of {some} differ in {columns}")
        if promise.ground == "secret permutation":
            for column in columns:
                had, has = (Counter(net.cells(v, (column,)) for v in some) for net in (before, after))
                found.equal(f"values of {some} in {column}", has, had)


def judge_blocks(promise: Any, release: Any, before: Net, after: Net, found: Findings) -> None:
    """Check that the release has as many links inside and between classes as the original, and classes of k."""
    number = {v: i for i, some in enumerate(release.classes) for v in some}
    found.check(min(map(len, release.classes)) >= promise.k, f"classes smaller than {promise.k}")

    def count_blocks(net: Net) -> Counter:
        ends = Counter()
        for a, b, kind, directed in net.links:
            pair = (number[a], number[b]) if directed else tuple(sorted((number[a], number[b])))
            ends[pair, kind, directed] += 1
        return ends

    found.equal("links inside and between classes", count_blocks(after), count_blocks(before))
    if is_simple(before):
        blocks = count_blocks(after)
        sizes = [len(some) for some in release.classes]
        pairs = {
            (i, j): sizes[i] * (sizes[i] - 1) // 2 if i == j else sizes[i] * sizes[j]
            for j in range(len(sizes))
            for i in range(j + 1)
        }
        worlds = sum(log(comb(many, blocks[pair, None, False])) for pair, many in pairs.items())
        found.near("log of worlds", release.measured["log of the number of possible worlds"], worlds)


def judge_edits(release: Any, before: Net, after: Net, found: Findings) -> None:
    """Recount the links that were added and removed."""
    if release.edits is None or not hasattr(release.data, "each_link"):
        return
    had, has = Counter(list_links(before)), Counter(list_links(after))
    added, removed = (has - had).total(), (had - has).total()
    found.equal("links added and removed", (len(release.edits.added), len(release.edits.removed)), (added, removed))
    found.near("edit ratio", release.edits.ratio, (added + removed) / len(before.links) if before.links else 0.0)
    if "edits" in release.measured:
        found.equal("measured edits", release.measured["edits"], added + removed)
        found.check(release.measured.get("lower bound on edits", 0) <= added + removed, "edits below their lower bound")
    if "edges added" in release.measured:
        found.equal("edges added", (release.measured["edges added"], removed), (added, 0))


def judge_classes(release: Any, after: Net, found: Findings) -> None:
    """Recount the classes: each vertex is in one."""
    if release.codes is None:
        return
    members = [v for some in release.classes for v in some]
    found.equal("members of classes", Counter(members), Counter(after.names))
    sizes = [len(some) for some in release.classes]
    for name, value in (("classes", len(sizes)), ("smallest class", min(sizes)), ("largest class", max(sizes))):
        if name in release.measured:
            found.equal(name, release.measured[name], value)


def judge_measured(case: dict[str, Any], release: Any, before: Net, after: Net, found: Findings) -> None:
    """Recount the numbers that a method measured, as far as they follow from both networks."""
    told, options = release.measured, case["options"]
    known = {name: recount for name, recount in RECOUNTS.items() if name in told}
    for name, recount in known.items():
        expected = recount(case, before, after)
        right = isclose(told[name], expected) if isinstance(expected, float) else told[name] == expected
        found.check(right, f"{name!r}: shoal says {told[name]!r}, the oracle {expected!r}")
    if "cells suppressed" in told:
        judge_suppressed(case, told["cells suppressed"], before, after, found)
    if case["method"] == "reduce-risk":
        budget = options["budget"]
        if budget is not None:
            most = int(Fraction(str(budget)) * len(before.links)) if isinstance(budget, float) else budget
            found.check(told["edits"] <= most, f"{told['edits']} edits with a budget of {most}")
        found.check(told["people left out"] <= options["suppress"], "too many people were left out")


def judge_suppressed(case: dict[str, Any], told: int, before: Net, after: Net, found: Findings) -> None:
    """Compare the number of suppressed cells: they are missing in the release. Some may have been missing before."""
    cells = [(v, (name,)) for v in after.names for name in case["options"]["columns"]]
    gone = {cell for cell in cells if after.cells(*cell) == (("missing",),)}
    lost = sum(before.cells(*cell) != (("missing",),) for cell in gone)
    found.check(lost <= told <= len(gone), f"cells suppressed: shoal {told}, the oracle {lost} to {len(gone)}")


def count_risk(case: dict[str, Any], world: Any, people: Any) -> int:
    """Return how many of some people are at risk, by the knowledge of a case."""
    below = oracle.count_at_risk(case["options"]["knowledge"], world, case["options"]["k"])
    return len(below & set(people))


def count_misled(case: dict[str, Any], before: Net, after: Net) -> int:
    """Return how many released people no released person fits, under some kind of knowledge."""
    sizes = [oracle.count(spec, make_world(after, before)) for spec in case["options"]["knowledge"]]
    return sum(any(not each[v] for each in sizes) for v in after.names)


def count_true_links(before: Net, after: Net) -> int:
    return (Counter(list_links(before)) & Counter(list_links(after))).total()


def measure_missing(case: dict[str, Any], before: Net, after: Net) -> Any:
    """Return the share of pairs without a released link that are linked in truth; of simple networks."""
    n = len(after.names)
    if not is_simple(before) or not is_simple(after):
        return None
    missing = n * (n - 1) // 2 - len(after.links)
    return (len(before.links) - count_true_links(before, after)) / missing if missing else 0.0


def find_least_level(net: Net, k: int, similarity: str) -> Any:
    """Return the level of a network in the reading that a similarity is about, as raise-l states it."""
    reading = "relations" if similarity == "manhattan" else "neighbors"
    level = min(oracle.find_level(net, reading, k, v) for v in net.names)
    return "every" if level == float("inf") else int(level)


RECOUNTS: dict[str, Any] = {
    "people left out": lambda case, before, after: len(before.names) - len(after.names),
    "people at risk before": lambda case, before, after: count_risk(case, make_world(before), before.names),
    "people at risk by facts of the release": lambda case, before, after: count_risk(
        case, make_world(after), after.names
    ),
    "people at risk by facts of the original": lambda case, before, after: count_risk(
        case, make_world(after, before), after.names
    ),
    "people whose facts of the original match no released person": count_misled,
    "share of released links that are true": lambda case, before, after: (
        count_true_links(before, after) / len(after.links) if after.links else 0.0
    ),
    "vertices below k before": lambda case, before, after: len(
        oracle.count_at_risk(
            [":".join(["neighborhood:1", *[",".join(case["options"]["labels"])][: len(case["options"]["labels"])]])],
            make_world(before),
            case["options"]["k"],
        )
    ),
    "vertices added": lambda case, before, after: len(after.names) - len(before.names),
    "vertices removed": lambda case, before, after: len(before.names) - len(after.names),
    "similarity radius before": lambda case, before, after: measure_radius(
        before, case["options"]["k"], case["options"]["similarity"]
    ),
    "exact l before": lambda case, before, after: find_least_level(
        before, case["options"]["k"], case["options"]["similarity"]
    ),
}
"""Numbers that methods measure, and how they follow from the original and the release."""


def judge_utility(told: Any, before: Net, after: Net, found: Findings) -> None:
    """Recount the short summary of what changed, of simple networks."""
    graphs = []
    for net in (before, after):
        graph = nx.Graph([link[:2] for link in net.links])
        graph.add_nodes_from(net.names)
        graphs.append(graph)
    found.equal("vertices", told.vertices, tuple(map(len, graphs)))
    found.equal("edges", told.edges, tuple(g.number_of_edges() for g in graphs))
    found.equal("largest degree", told.largest_degree, tuple(max((d for _, d in g.degree), default=0) for g in graphs))
    parts = tuple(max(map(len, nx.connected_components(g)), default=0) for g in graphs)
    found.equal("largest component", told.largest_component, parts)
    for came, graph in zip(told.transitivity, graphs, strict=True):
        found.near("transitivity", came, nx.transitivity(graph))


def judge_saved(case: dict[str, Any], release: Any, after: Net, found: Findings) -> None:
    """Save a release, read the files, and count its guarantees in what was read."""
    linked = hasattr(release.data, "each_link")
    with TemporaryDirectory(prefix="soundness-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        path, secret = Path(folder, "safe.json" if linked else "safe.csv"), Path(folder, "secret.csv")
        try:
            release.save(path, mapping=secret)
        except shoal.ShoalError:
            return  # a csv file cannot hold 1 and '1' in one column
        kinds = {"kind": "kind"} if any(kind is not None for *_, kind, _ in after.links) else {}
        back = as_net(shoal.read_graph(path, **kinds) if linked else shoal.read_table(path))
        mapping = shoal.read_mapping(secret)
    back = back._replace(names=tuple(map(str, back.names)))
    back = back._replace(links=tuple((str(a), str(b), *rest) for a, b, *rest in back.links))
    added = len(after.names) - len(mapping)  # people whom a method made up have no original
    found.equal("people in the mapping", len(set(mapping.values()) & set(back.names)), len(mapping))
    found.equal("people in the release", len(back.names), len(after.names))
    found.check(added == 0 or case["method"] in ("match-degrees", "raise-l"), f"{added} people are not in the mapping")
    found.equal("links in the file", len(back.links), len(after.links))
    if linked and not added:
        mapped = tuple((mapping[str(a)], mapping[str(b)], *rest) for a, b, *rest in after.links)
        found.check(same_links(back, Net(back.names, mapped)), f"the file has other links than the release: {back}")
    for promise in release.promises:
        if getattr(promise, "source", "") == "release" and promise.vertices == "all":
            least = min(oracle.count(promise.knowledge.spec, make_world(back)).values())
            found.check(least >= promise.k, f"{promise!r}: the oracle counts {least} in the published file")
        if hasattr(promise, "protected"):
            below = oracle.count_at_risk([knows.spec for knows in promise.knowledge], make_world(back), promise.k)
            safe = len(back.names) - len(below)
            found.check(safe >= promise.protected, f"{promise!r}: {safe} are protected in the published file")


def draw_covered(rng: Random) -> dict[str, Any]:
    """Draw a network and two kinds of knowledge."""
    return {"net": draw_net(rng, least=3, most=7), "specs": draw_specs(rng, 2)}


def judge_covered(case: dict[str, Any], found: Findings) -> None:
    """If a guarantee about one kind of knowledge is said to cover another, its number must hold for that one."""
    net, specs = case["net"], case["specs"]
    if len(specs) < 2:
        raise Refused("one kind was drawn twice")
    for one, other in (specs, specs[::-1]):
        sizes, others = (oracle.count(spec, make_world(net)) for spec in (one, other))
        for k in {min(sizes.values()), 1}:
            promise = shoal.release.Promise(shoal.parse_knowledge(one), k)
            covered = shoal.covers(promise, other, simple=is_simple(net))
            holds = min(others.values()) >= k
            found.check(holds or not covered, f"{one} with k = {k} is said to cover {other}: {others}")
            if shoal.covers(promise, other, simple=is_simple(net)):
                finer = all(others[v] >= sizes[v] for v in net.names)
                found.check(finer, f"{one} is said to be finer than {other}: {sizes} and {others}")


for _name in (*LINK_METHODS, *TABLE_METHODS):
    add_kind(
        f"methods/{_name}",
        lambda rng, name=_name: draw_release_case(rng, name),
        judge_release,
        "a release that promises more",
    )
add_kind("methods/what a guarantee covers", draw_covered, judge_covered, "everything covered")
