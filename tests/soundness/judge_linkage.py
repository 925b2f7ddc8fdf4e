"""Judge re-identification methods r(y, a) and their confusion, by enumeration in exact fractions."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import exp
from random import Random
from typing import Any

import shoal
from shoal import linkage
from soundness import oracle
from soundness.draw import SPECS, as_graph, as_table, change_net, draw_net
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, make_world

QUICK = ("degree", "degree~", "refinement", "counts", "degrees", "neighborhood", "adjacency", "columns", "hubs open")

# Confusion of drawn matrices.


def draw_matrices(rng: Random) -> dict[str, Any]:
    """Draw a row of probabilities for each record and each piece of information."""
    n, records, infos = rng.randint(1, 5), rng.randint(1, 4), rng.randint(1, 3)
    even = rng.random() < 0.3 and records == n
    rows = [[draw_row(rng, n) for _ in range(records)] for _ in range(infos)]
    if even:  # doubly stochastic: the mean of some permutations
        rows = [mix_permutations(rng, n) for _ in range(infos)]
    return {"rows": rows, "t": [Fraction(rng.randint(0, 6), 6), Fraction(1, rng.randint(1, 5))]}


def draw_row(rng: Random, n: int) -> list[Fraction]:
    weights = [rng.choice((0, 1, 1, 2, 3)) for _ in range(n)]
    weights = weights if any(weights) else [1] * n
    return [Fraction(w, sum(weights)) for w in weights]


def mix_permutations(rng: Random, n: int) -> list[list[Fraction]]:
    shares = draw_row(rng, rng.randint(1, 3))
    matrix = [[Fraction(0)] * n for _ in range(n)]
    for share in shares:
        for y, i in enumerate(rng.sample(range(n), n)):
            matrix[y][i] += share
    return matrix


def judge_confusion(case: dict[str, Any], found: Findings) -> None:
    """Compare all definitions of confusion of a drawn method."""
    rows, ys, infos = case["rows"], list(range(len(case["rows"][0]))), list(range(len(case["rows"])))
    n = len(rows[0][0])

    def ask(y: int, a: int) -> list:
        return rows[a][y]

    asked = [[row[y] for row in rows] for y in ys]
    for convention in ("per-a", "paper"):

        def count(t: Fraction, convention: str = convention) -> int:
            return min(count_reaching(some, t, n, convention) for some in asked)

        values = {p for some in asked for row in some for p in row} | {Fraction(1, i) for i in range(1, n + 1)}
        steps = sorted(values | {Fraction(0), Fraction(1)})
        every = sorted({*steps, *((low + high) / 2 for low, high in pairwise(steps))} - {0})
        for t in {*case["t"], *every}:
            found.equal(f"confusion({t}), {convention}", linkage.confusion(ask, ys, infos, t, convention), count(t))
        curve = linkage.confusion_curve(ask, ys, infos, convention)
        found.equal(f"curve, {convention}", [curve.at(t) for t in every], [count(t) for t in every])
        shown = {m: [t for t in every if t * m <= 1 and count(t) >= m] for m in range(1, n + 1)}
        most = max(m for m in shown if shown[m])
        told = linkage.n_confusion(ask, ys, infos, convention=convention)
        found.equal(f"n-confusion, {convention}", (told.n, told.t), (most, max(shown[most])))
        for m in range(1, n + 1):
            t = Fraction(1, m)
            held = linkage.provides_confusion(ask, ys, infos, m, t, convention)
            found.equal(f"({m},{t})-confusion, {convention}", bool(held), count(t) >= m)
    ties = min(row.count(max(row)) for some in asked for row in some)
    peak = max(p for some in asked for row in some for p in row)
    found.equal("ties", linkage.n_confusion(ask, ys, infos, definition="ties").n, ties)
    found.equal("peak", linkage.n_confusion(ask, ys, infos, definition="peak").n, int(1 / peak))
    sums = all(sum(rows[a][y][i] for y in ys) == 1 for a in infos for i in range(n))
    found.equal("calibrated", bool(linkage.is_calibrated(ask, ys, infos)), len(ys) == n and sums)


def count_reaching(rows: list, t: Fraction, n: int, convention: str) -> int:
    """Return M: how many individuals reach t, at the worst information; all if none does."""
    counts = [sum(p >= t for p in row) for row in rows]
    if convention == "per-a":
        return min(count or n for count in counts)
    return min(counts) or n


# Posteriors.


def draw_channel(rng: Random) -> dict[str, Any]:
    """Draw a mechanism that publishes one of some answers with whole-number weights, true answers, and a prior."""
    answers, n = rng.randint(2, 3), rng.randint(1, 5)
    return {
        "weights": [[rng.choice((0, 1, 2, 3)) for _ in range(answers)] for _ in range(answers)],
        "true": [rng.randrange(answers) for _ in range(n)],
        "prior": [rng.randint(0, 3) for _ in range(n)] if rng.random() < 0.5 else None,
    }


def judge_posterior(case: dict[str, Any], found: Findings) -> None:
    """Compare the posterior with a count over all worlds: who it is, and which of the equally likely coins falls."""
    weights, true = case["weights"], case["true"]
    prior = case["prior"] or [1] * len(true)
    if not sum(prior) or not all(map(sum, weights)):
        raise Refused("no world is possible")
    coins = 1
    for row in weights:
        coins *= sum(row)

    def likelihood(y: int, i: int, a: list) -> Fraction:
        return Fraction(weights[a[i]][y], sum(weights[a[i]]))

    shares = None if case["prior"] is None else tuple(Fraction(p, sum(prior)) for p in prior)
    r = linkage.Bayesian(likelihood, shares)
    for y in range(len(weights)):
        worlds = Counter(
            i
            for i, x in enumerate(true)
            for _ in range(prior[i])
            for answer, weight in enumerate(weights[x])
            for _ in range(weight * coins // sum(weights[x]))
            if answer == y
        )
        total = worlds.total()
        expected = [Fraction(worlds[i], total) if total else Fraction(1, len(true)) for i in range(len(true))]
        found.equal(f"posterior given {y}", list(r(y, true)), expected)
    if shares is not None:
        found.equal("without evidence", list(r(0, None)), list(shares))


# Linkage of records.


def draw_tables(rng: Random) -> dict[str, Any]:
    """Draw an original and a release of it, as tables."""
    net = draw_net(rng, "simple", least=1, most=7, columns=("a", "b"))._replace(links=())
    original = net._replace(names=tuple(range(len(net.names))))
    released = change_net(rng, original, 0)
    return {
        "original": original,
        "released": released,
        "columns": rng.choice((("a",), ("b",), ("a", "b"))),
        "scale": rng.choice(("range", None)),
        "k": rng.randint(1, len(original.names)),
    }


def ask_records(r: Any, released: Any, original: Any) -> list[list]:
    """Return the row of every record."""
    return [list(r(record, original)) for record in linkage.records_of(released)]


def judge_matching(case: dict[str, Any], found: Findings) -> None:
    """Compare exact matches and the nearest records, ties included."""
    original, released, columns, k = case["original"], case["released"], case["columns"], case["k"]
    tables = as_table(released), as_table(original)
    people = original.names

    def spread(chosen: list) -> list[Fraction]:
        chosen = chosen or list(people)
        return [Fraction(int(i in chosen), len(chosen)) for i in people]

    exact = [spread([i for i in people if original.cells(i, columns) == released.cells(y, columns)]) for y in people]
    found.equal("exact match", ask_records(linkage.ExactMatch(*columns), *tables), exact)
    if len({len({x for x in dict(net.columns)["a"] if x is not None}) > 0 for net in (original, released)}) > 1:
        return  # a column without any number is none of numbers
    far = [[measure_distance(case, y, i) for i in people] for y in people]
    nearest = [spread([i for i in people if row[i] <= sorted(row)[k - 1]]) for row in far]
    r = linkage.DistanceLinkage(columns, take="k-nearest", k=k, scale=case["scale"])
    found.equal(f"{k} nearest", ask_records(r, *tables), nearest)
    soft = linkage.DistanceLinkage(columns, take="softmax", temperature=0.7, scale=case["scale"])
    for y, row in zip(people, ask_records(soft, *tables), strict=True):
        weights = [exp(-float(d) / 0.7) for d in far[y]]
        for i in people:
            found.near(f"softmax of {y} and {i}", float(row[i]), weights[i] / sum(weights))


def measure_distance(case: dict[str, Any], y: int, i: int) -> Fraction:
    """Return the distance of a record from an individual: scaled differences, and 1 for other values that differ."""
    total = Fraction(0)
    for name in case["columns"]:
        one, other = dict(case["released"].columns)[name][y], dict(case["original"].columns)[name][i]
        numbers = [x for x in dict(case["original"].columns)[name] if x is not None]
        width = 0
        if name == "a":
            width = Fraction(max(numbers, default=0)) - Fraction(min(numbers, default=0)) if case["scale"] else 1
        if one is None or other is None or not width:
            total += oracle.comparable(one) != oracle.comparable(other)
        else:
            total += abs(Fraction(one) - Fraction(other)) / width
    return total


def draw_uniform(rng: Random) -> dict[str, Any]:
    original = draw_net(rng, least=2, most=6, columns=("a", "b", "c"))
    return {
        "original": original,
        "released": change_net(rng, original),
        "spec": SPECS[rng.choice(QUICK)](rng),
    }


def judge_uniform(case: dict[str, Any], found: Findings) -> None:
    """Compare the individuals that have each record as a candidate; and the confusion against this attacker."""
    original, released, spec = case["original"], case["released"], case["spec"]
    graphs = as_graph(released), as_graph(original)
    sets = oracle.answer(spec, make_world(released, original))
    expected = []
    for u in released.names:
        held = [v for v in original.names if u in next(iter(sets[v]))] or list(original.names)
        expected.append([Fraction(int(v in held), len(held)) for v in original.names])
    r = linkage.UniformOver(shoal.parse_knowledge(spec))
    found.equal(f"uniform over {spec}", ask_records(r, *graphs), expected)
    for t in (Fraction(1, 2), Fraction(1, 3), Fraction(1)):
        least = min(count_reaching([row], t, len(original.names), "per-a") for row in expected)
        found.equal(f"confusion({t})", linkage.confusion(r, *graphs, t), least)


def draw_pairs(rng: Random) -> dict[str, Any]:
    columns = rng.randint(1, 3)
    vectors = [[int(bit) for bit in f"{i:0{columns}b}"] for i in range(2**columns)]
    return {"vectors": vectors, "counts": [rng.randint(1, 40) for _ in vectors], "rounds": rng.randint(1, 6)}


def judge_fitting(case: dict[str, Any], found: Findings) -> None:
    """Compare the estimates of Fellegi and Sunter after some rounds of expectation-maximization."""
    pairs = [vector for vector, many in zip(case["vectors"], case["counts"], strict=True) for _ in range(many)]
    columns = range(len(pairs[0]))
    share, m, u = 0.1, [0.9] * len(columns), [0.1] * len(columns)
    for _ in range(case["rounds"]):
        same = []
        for pair in pairs:
            yes, no = share, 1 - share
            for j in columns:
                yes *= m[j] if pair[j] else 1 - m[j]
                no *= u[j] if pair[j] else 1 - u[j]
            same.append(yes / (yes + no))
        total = sum(same)
        m = [sum(p for p, pair in zip(same, pairs, strict=True) if pair[j]) / total for j in columns]
        u = [sum(1 - p for p, pair in zip(same, pairs, strict=True) if pair[j]) / (len(pairs) - total) for j in columns]
        share = total / len(pairs)
    told = linkage.fit_fellegi_sunter(case["vectors"], case["counts"], iterations=case["rounds"], tolerance=0)
    found.near("share", told.share, share)
    for j in columns:
        found.near(f"m of {j}", told.m[j, 1], m[j])
        found.near(f"u of {j}", told.u[j, 1], u[j])


def draw_swap(rng: Random) -> dict[str, Any]:
    n = rng.randint(4, 8)
    half = n // 2
    return {
        "net": Net(
            tuple(range(n)),
            (),
            (("a", tuple(rng.randint(0, 3) for _ in range(n))), ("b", ("x",) * half + ("y",) * (n - half))),
        ),
        "seed": rng.randrange(10**6),
    }


def judge_swap(case: dict[str, Any], found: Findings) -> None:
    """Enumerate who may own each record of a swap: every assignment of a class is equally likely."""
    net = case["net"]
    method = shoal.methods.SwapWithin(classes="b", columns=("a",), seed=case["seed"], allow_unique=True)
    release = method(as_table(net))
    classes = [set(some) for some in release.classes]
    values = dict(net.columns)["a"]
    for promise in release.promises:
        entries = [sum(values[i] == values[v] for i in some) for some in classes for v in some]
        owners = min(entries) if promise.of == "entries" else min(map(len, classes))
        found.check(promise.n <= owners, f"{promise.n}-confusion, but an entry has only {owners} owners")

    def likelihood(y: Any, i: int, a: Any) -> Fraction:
        some = next(part for part in classes if i in part)
        return Fraction(int(y.i in some), len(some))

    r = linkage.Bayesian(likelihood, (Fraction(1, len(net.names)),) * len(net.names))
    for record in linkage.records_of(release.data):
        some = next(part for part in classes if record.i in part)
        expected = [Fraction(int(i in some), len(some)) for i in net.names]
        found.equal(f"owners of record {record.i}", list(r(record, net)), expected)


add_kind("linkage/confusion", draw_matrices, judge_confusion, "confusion too large")
add_kind("linkage/posteriors", draw_channel, judge_posterior, "a posterior changed")
add_kind("linkage/exact and nearest", draw_tables, judge_matching, "a row changed")
add_kind("linkage/uniform over candidates", draw_uniform, judge_uniform, "confusion too large")
add_kind("linkage/Fellegi-Sunter", draw_pairs, judge_fitting, "a fit changed")
add_kind("linkage/swaps", draw_swap, judge_swap, "a posterior changed")
