"""Judge searches that are cut short on purpose: what is not proved must be a true bound, what is called exact true.

No public option limits the steps of these searches, so the limits are set in the loaded modules for one case.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from random import Random
from typing import Any

import shoal
from soundness import oracle
from soundness.draw import SPECS, as_graph, as_table, draw_net, draw_regular, draw_release
from soundness.forge import READINGS
from soundness.judge_levels import ask_levels, draw_column_levels, draw_levels, is_true
from soundness.judging import Findings, add_kind
from soundness.oracle import Net, make_world

LIMITS = {
    "SEARCH_STEPS": "shoal.knowledge.subgraph",
    "EXPLORATIONS": "shoal.knowledge.subgraph",
    "NODES": "shoal.core.exposing_sets",
    "EASY": "shoal.core.exposing_sets",
    "SETS": "shoal.core.exposing_sets",
    "ENTRIES": "shoal.core.approximate",
    "NODES of columns": "shoal.core.column_sets",
    "WORTH": "shoal.core.column_sets",
    "TRIED": "shoal.core.column_sets",
}
"""How much a search may cost, and the module that says so."""
CUT = ("subgraph", "subgraph atleast", "neighbors", "neighbors~", "relations", "located-relations")


@contextmanager
def limit_searches(limits: dict[str, int]) -> Iterator[None]:
    """Let searches end after so many steps."""
    places = [(import_module(LIMITS[name]), name.split(" ", maxsplit=1)[0], many) for name, many in limits.items()]
    before = [getattr(module, name) for module, name, _ in places]
    try:
        for module, name, many in places:
            setattr(module, name, many)
        yield
    finally:
        for (module, name, _), many in zip(places, before, strict=True):
            setattr(module, name, many)


def draw_limits(rng: Random) -> dict[str, int]:
    return {name: rng.choice((1, 1, 1, 2, 8)) for name in LIMITS}


def draw_cut(rng: Random) -> dict[str, Any]:
    if rng.random() < 0.2:
        spec = rng.choice(("neighbors:3", "neighbors:4", "relations:3", "located-relations:3", "neighbors:4~1"))
        return {"spec": spec, "published": draw_regular(rng), "limits": draw_limits(rng)}
    specs = [SPECS[name](rng) for name in rng.sample(CUT, rng.choice((1, 1, 2)))]
    other = rng.choice(("degree", "columns", "refinement", "counts~", "hubs open", "some-columns"))
    specs += [SPECS[other](rng)] if rng.random() < 0.4 else []
    original = draw_net(rng, least=2, most=7, columns=("a", "b", "c"))
    case = {"spec": "+".join(specs), "published": original, "limits": draw_limits(rng)}
    if rng.random() < 0.5:
        case["original"] = original
        case["published"], case["mapping"] = draw_release(rng, original)
    return case


def judge_cut(case: dict[str, Any], found: Findings) -> None:
    """Compare sizes: never below the truth, and equal to it where they are called exact."""
    world = make_world(case["published"], case.get("original"), case.get("mapping"))
    how = {"original": as_graph(case["original"]), "mapping": case["mapping"]} if "original" in case else {}
    with limit_searches(case["limits"]):
        risk = shoal.assess(as_graph(case["published"]), case["spec"], **how)
        sizes, sure = risk.sizes.tolist(), risk.exact_sizes.tolist()
        listed = [len(risk.candidates(v)) for v in risk.names]
    true = oracle.count(case["spec"], world)
    for v, size, exact, many in zip(risk.names, sizes, sure, listed, strict=True):
        right = size == true[v] if exact else size >= true[v]
        found.check(right, f"size of {v!r}: shoal {size} (exact: {exact}), oracle {true[v]}")
        found.equal(f"candidates of {v!r}", many, size)
    least = min((size for size in true.values() if size), default=0)
    found.check(
        risk.k == least if risk.exact else risk.k >= least, f"k: {risk.k} (exact: {risk.exact}), oracle {least}"
    )
    found.check(set(risk.misled) <= {v for v in true if not true[v]}, f"misled: {risk.misled}")
    for k in range(1, len(world.published.names) + 1):
        below = {v for v in true if 0 < true[v] < k}
        found.check(set(risk.at_risk(k)) <= below, f"at risk below {k}: {risk.at_risk(k)}, oracle {below}")
        found.check(risk.rate(k) <= len(below) / len(true), f"rate({k}) is no lower bound")


def draw_cut_levels(rng: Random) -> dict[str, Any]:
    """Draw networks whose levels need a search."""
    case = {**draw_levels(rng, rng.choice((*READINGS, *READINGS[:2]))), "limits": draw_limits(rng)}
    if rng.random() < 0.8:
        case |= {"net": draw_regular(rng), "k": rng.randint(2, 5), "max_size": None}
    return case


def judge_cut_levels(case: dict[str, Any], found: Findings) -> None:
    """Compare levels: never above the truth, and equal to it where they are called exact."""
    net = case["net"]
    true = {v: oracle.find_level(net, case["reading"], case["k"], v) for v in net.names}
    with limit_searches(case["limits"]):
        levels = ask_levels(case)
        certificates = [levels.certificate(v) for v in net.names]
    for v, came, exact, claim in zip(
        net.names, levels.per_vertex.tolist(), levels.exact.tolist(), certificates, strict=True
    ):
        right = came == true[v] if exact else came <= true[v]
        found.check(right, f"level of {v!r}: shoal {came} (exact: {exact}), oracle {true[v]}")
        found.check(is_true(claim, net), f"the certificate of {v!r} claims something false: {claim}")
        found.check(shoal.check_certificate(levels.graph, claim).holds is not False, f"refuted: {claim}")
    for l in (1, 2, 3):
        wrong = [v for v, out in zip(net.names, levels.exposed(l).tolist(), strict=True) if out and true[v] >= l]
        found.check(not wrong, f"exposed by {l}, though they are not: {wrong}")
    found.check(levels.l <= min(true.values()), f"l = {levels.l}, oracle {min(true.values())}")
    found.check(not levels.l_exact or levels.l == min(true.values()), f"l = {levels.l} is not exact")


def draw_cut_columns(rng: Random) -> dict[str, Any]:
    """Draw records with many columns of few values, whose levels need a search."""
    if rng.random() < 0.7:
        n = rng.randint(6, 14)
        columns = tuple((f"q{i}", tuple(int(rng.random() < 0.3) for _ in range(n))) for i in range(rng.randint(6, 9)))
        names = [name for name, _ in columns]
        net = Net(tuple(range(n)), (), columns)
        return {"net": net, "k": rng.randint(2, 3), "columns": names, "limits": draw_limits(rng)}
    return {**draw_column_levels(rng), "limits": draw_limits(rng)}


def judge_cut_columns(case: dict[str, Any], found: Findings) -> None:
    """Compare levels of records in the same way."""
    net, k, columns = case["net"], case["k"], tuple(case["columns"])
    with limit_searches(case["limits"]):
        levels = shoal.levels(as_table(net), k=k, columns=columns)
    for v, came, exact in zip(net.names, levels.per_vertex.tolist(), levels.exact.tolist(), strict=True):
        true = oracle.find_column_level(net, k, columns, v)
        found.check(
            came == true if exact else came <= true, f"level of {v}: shoal {came} (exact: {exact}), oracle {true}"
        )


add_kind("cut short/sizes", draw_cut, judge_cut, "an unproved size too small")
add_kind("cut short/levels", draw_cut_levels, judge_cut_levels, "a level too high")
add_kind("cut short/levels of columns", draw_cut_columns, judge_cut_columns, "a level too high")
