"""Judge levels, their witnesses and their certificates; and certificates that were changed to claim something false."""

from copy import deepcopy
from math import inf
from random import Random
from typing import Any

import shoal
from soundness import oracle
from soundness.draw import as_graph, as_table, change_net, draw_net, draw_regular, is_simple
from soundness.forge import READINGS, change_certificate
from soundness.judging import Findings, add_kind
from soundness.oracle import Net, is_plain


def draw_levels(rng: Random, reading: str) -> dict[str, Any]:
    if hard := rng.random() < 0.4:
        net = draw_regular(rng)
    else:
        net = draw_net(rng, least=2, most=8 if "neighbors" in reading else 6, columns=())
    return {
        "net": net,
        "reading": reading,
        "k": rng.randint(2, 4) if hard else rng.randint(1, len(net.names)),
        "max_size": rng.choice((None, None, None, 1, 2, 3)),
    }


def ask_levels(case: dict[str, Any]) -> Any:
    """Return shoal's levels for a case."""
    reading = case["reading"]
    named = "neighbors" if reading == "exact-neighbors" else reading
    how = {"multiplicities": True} if reading == "exact-neighbors" else {}
    return shoal.levels(as_graph(case["net"]), named, k=case["k"], max_size=case.get("max_size"), **how)


def judge_levels(case: dict[str, Any], found: Findings) -> None:
    """Compare levels, witnesses, and what follows from the levels; and check each certificate."""
    net, reading, k, most = (case[name] for name in ("net", "reading", "k", "max_size"))
    levels = ask_levels(case)
    true = {v: oracle.find_level(net, reading, k, v) for v in net.names}
    searched = inf if most is None else most
    came = dict(zip(net.names, levels.per_vertex.tolist(), strict=True))
    exact = dict(zip(net.names, levels.exact.tolist(), strict=True))
    for v in net.names:
        if exact[v]:
            found.equal(f"level of {v!r}", came[v], true[v])
        else:
            found.check(searched <= came[v] <= true[v], f"level of {v!r}: at least {came[v]}, in truth {true[v]}")
        judge_exposing(levels.witness(v), v, case, came[v] if exact[v] else inf, found)
        certificate = levels.certificate(v)
        verdict = shoal.check_certificate(levels.graph, certificate).holds
        proved = certificate.get("none_smaller", {}).get("by") != "search"
        found.check(verdict is (True if proved else None), f"the certificate of {v!r} is {verdict}: {certificate}")
        found.check(
            is_true(certificate, net, proved=True), f"the certificate of {v!r} claims something false: {certificate}"
        )
    found.equal("l", levels.l, min(came.values()))
    found.equal("l_exact", levels.l_exact, any(exact[v] for v in came if came[v] == levels.l))
    for told, which in ((levels.histogram(), True), (levels.lower_bounds(), False)):
        some = [came[v] for v in came if exact[v] == which]
        found.equal("histogram", told, {l: some.count(l) for l in set(some)})
    for l in (1, 2):
        below = [exact[v] and came[v] < l for v in net.names]
        found.equal(f"exposed({l})", levels.exposed(l).tolist(), below)
    if is_simple(net):
        least = min(len(near) for near in oracle.find_neighbors(net).values())
        found.equal("capped", levels.capped.tolist(), [min(came[v], least) for v in net.names])


def judge_exposing(witness: Any, v: Any, case: dict[str, Any], level: float, found: Findings) -> None:
    """Compare a witness: so many true facts, which leave just its candidates, fewer than k."""
    found.equal(f"is there a witness of {v!r}", witness is not None, level < inf)
    if witness is None or level == inf:
        return
    known = [read_entry(*entry) for entry in witness.knows[0].value["known"]]
    found.equal(f"facts about {v!r}", len(set(known)), level + 1)
    found.check(may_be_known(case["net"], case["reading"], v, known), f"the facts about {v!r} are not true: {known}")
    left = oracle.leave(case["net"], case["reading"], v, [(w, r) for w, r, _ in known])
    found.equal(f"what the facts about {v!r} leave", frozenset(witness.candidates), left)
    found.check(len(left) < case["k"], f"the facts about {v!r} leave {len(left)} candidates")


def read_entry(w: Any, q: int, relation: dict | None = None) -> tuple:
    """Return a known entry as (w, relation, q)."""
    return w, (None, "both") if relation is None else (relation["kind"], relation["direction"]), q


def may_be_known(net: Net, reading: str, v: Any, known: Any) -> bool:
    """Return whether entries (w, relation, q) may be known about v, and are true."""
    items, row = oracle.list_items(net, reading)[v], oracle.list_entries(net)[v]
    return all(
        (w, relation) in items and (q == 1 if reading == "neighbors" else row[w, relation] == q)
        for w, relation, q in known
    )


# Certificates.


def is_true(claim: Any, net: Net, *, proved: bool = False) -> bool:
    """Return whether all that a certificate claims is true. Names are compared with their types.

    proved: the certificate is shoal's own, so a bound may rest on a search.
    """
    v, k, reading, l = claim["vertex"], claim["k"], claim["reading"], claim["l"]
    names = {(type(x), x) for x in net.names}
    if (type(v), v) not in names or not 1 <= k <= len(net.names):
        return False
    true = oracle.find_level(net, reading, k, v)
    if l == "every":
        hidden = claim["hidden"]
        alike = all((type(u), u) in names and is_hidden(net, reading, v, u) for u in hidden)
        return true == inf and alike and v in hidden and len(set(hidden)) >= k
    if not (true == l if claim["exact"] else true >= l):
        return False
    if claim["exact"]:
        known = [read_entry(*entry) for entry in claim["exposes"]["known"]]
        found = claim["exposes"]["candidates"]
        if any((type(x), x) not in names for x in [*found, *(w for w, *_ in known)]):
            return False
        left = oracle.leave(net, reading, v, [(w, r) for w, r, _ in known])
        return may_be_known(net, reading, v, known) and left == frozenset(found) and len(left) < k
    return True


def is_hidden(net: Net, reading: str, v: Any, u: Any) -> bool:
    return not any(oracle.rules_out(net, reading, v, item, u) for item in oracle.list_items(net, reading)[v])


def draw_forgery(rng: Random, reading: str) -> dict[str, Any]:
    """Draw levels whose certificates will be changed, with the seed of the changes."""
    return {**draw_levels(rng, reading), "max_size": rng.choice((None, None, 2)), "forge": rng.randrange(10**9)}


def judge_forgeries(case: dict[str, Any], found: Findings) -> None:
    """Change certificates at random: what is confirmed must be true, and what is shoal's own must not be refuted."""
    rng, levels, net = Random(case["forge"]), ask_levels(case), case["net"]
    graph = levels.graph
    other = change_net(rng, net, 1)
    for v in net.names:
        genuine = levels.certificate(v)
        for _ in range(6):
            forged = deepcopy(genuine)
            told = [change_certificate(rng, forged, net) for _ in range(rng.choice((1, 1, 2, 3)))]
            verdict = shoal.check_certificate(graph, forged).holds
            true = verdict is not True or is_true(forged, net)
            found.check(true, f"confirmed, but it is false ({', '.join(told)}): {forged}")
        if is_plain(other) == is_plain(net):
            verdict = shoal.check_certificate(as_graph(other), genuine).holds
            true = verdict is not True or is_true(genuine, other)
            found.check(true, f"confirmed for another network, {other}, where it is false: {genuine}")


# Columns, curves and radii.


def draw_column_levels(rng: Random) -> dict[str, Any]:
    net = draw_net(rng, "simple", least=2, most=9, columns=("a", "b", "c"))._replace(links=())
    n = len(net.names)
    k = rng.randint(1, n) if rng.random() < 0.6 else [rng.choice((None, rng.randint(1, n))) for _ in range(3)]
    k = k if isinstance(k, int) or any(k) else 1
    columns = rng.choice((["a", "b"], ["a", "b", "c"]))
    if rng.random() < 0.3:  # many columns of few values: a search
        more = tuple((f"q{i}", tuple(int(rng.random() < 0.3) for _ in range(n))) for i in range(rng.randint(5, 8)))
        net, columns = net._replace(columns=more), [name for name, _ in more]
    return {"net": net._replace(names=tuple(range(n))), "k": k, "columns": columns}


def judge_column_levels(case: dict[str, Any], found: Findings) -> None:
    """Compare the levels of records, and the columns that expose them."""
    net, k, columns = case["net"], case["k"], tuple(case["columns"])
    levels = shoal.levels(as_table(net), k=k, columns=columns)
    for v, came, exact in zip(net.names, levels.per_vertex.tolist(), levels.exact.tolist(), strict=True):
        true = oracle.find_column_level(net, k, columns, v)
        found.check(
            came == true if exact else came <= true, f"level of {v}: shoal {came} (exact: {exact}), oracle {true}"
        )
        searched = isinstance(k, int) or len(k) >= len(columns)  # larger sets have no threshold, and are not searched
        found.check(exact or not searched, f"the level of {v} is not exact")
        witness = levels.witness(v)
        found.equal(f"is there a witness of {v}", witness is not None, exact and true < inf)
        if witness is not None and true < inf:
            names = [name for name, _ in witness.knows[0].value]
            least = k if isinstance(k, int) else k[len(names) - 1]
            left = {u for u in net.names if net.cells(u, names) == net.cells(v, names)}
            found.equal(f"columns known about {v}", len(set(names) & set(columns)), true + 1)
            found.equal(f"records left beside {v}", set(witness.candidates), left)
            found.check(least is not None and len(left) < least, f"{names} leave {len(left)} records beside {v}")


def draw_curves(rng: Random) -> dict[str, Any]:
    net = draw_net(rng, "simple", least=3, most=7, columns=())
    return {"net": net, "reading": rng.choice(("neighbors", "relations", "located-relations"))}


def judge_curves(case: dict[str, Any], found: Findings) -> None:
    """Compare the levels for several k, and the similarity radii of the paper's algorithms."""
    net, n = case["net"], len(case["net"].names)
    graph, ks = as_graph(net), sorted({1, 2, 3, n})
    curves = shoal.level_curves(graph, case["reading"], k=ks)
    for k in ks:
        levels = [oracle.find_level(net, case["reading"], k, v) for v in net.names]
        shares = [sum(level < l for level in levels) / n for l in range(1, len(curves.shares[k]) + 1)]
        found.equal(f"shares for k = {k}", curves.shares[k], shares)
        found.equal(f"least level for k = {k}", curves.levels[k].l, min(levels))
        for similarity, alike in (("manhattan", agree), ("2-path", share)):
            radius = min(sorted((alike(net, v, u) for u in net.names), reverse=True)[k - 1] for v in net.names)
            found.equal(f"{similarity} radius for k = {k}", shoal.similarity_radius(graph, k, similarity).l, radius)


def agree(net: Net, v: Any, u: Any) -> int:
    """Return in how many entries two rows of the adjacency matrix agree."""
    near = oracle.find_neighbors(net)
    return sum((w in near[v]) == (w in near[u]) for w in net.names)


def share(net: Net, v: Any, u: Any) -> int:
    """Return how many neighbors two vertices share."""
    near = oracle.find_neighbors(net)
    return len(near[v] & near[u])


for _reading in READINGS:
    add_kind(f"levels/{_reading}", lambda rng, r=_reading: draw_levels(rng, r), judge_levels, "a level too high")
    add_kind(
        f"forged certificates/{_reading}",
        lambda rng, r=_reading: draw_forgery(rng, r),
        judge_forgeries,
        "every certificate confirmed",
    )
add_kind("levels/columns", draw_column_levels, judge_column_levels, "a level too high")
add_kind("levels/curves and radii", draw_curves, judge_curves, "a curve too high")
