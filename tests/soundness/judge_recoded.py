"""Judge audits of releases with recoded columns: exact values of the original are sought in released intervals.

An attacker who knows that somebody is 41 takes everybody released as 41, as 40-49 or as * for a candidate. No verdict
may say PASS where such an attacker finds too many people.
"""

import warnings
from fractions import Fraction
from random import Random
from typing import Any

import shoal
from soundness import oracle
from soundness.draw import as_graph, as_table, change_net, draw_net, list_once
from soundness.judge_evaluations import judge_people, judge_row
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, World, make_world

STAR = "*"
SPECS = (
    *("columns:a", "columns:a,b", "columns:b", "degree", "degree+columns:a", "degree+columns:a,b"),
    *("counts:1+columns:a", "neighbors:1+columns:a", "refinement:2+columns:a", "shared-neighbors:1+columns:a"),
)

# Recoding.


def recode_ranges(rng: Random, net: Net, k: int) -> dict:
    """Every value becomes the range that holds it."""
    width = rng.choice((5, 10, 20))
    return {v: label_range(x // width * width, x // width * width + width - 1) for v, x in read_numbers(net).items()}


def recode_rare(rng: Random, net: Net, k: int) -> dict:
    """Rare values become ranges, or *; the others stay."""
    numbers = read_numbers(net)
    held = list(numbers.values())
    wide = rng.random() < 0.5
    return {
        v: x if held.count(x) >= k else label_range(x // 10 * 10, x // 10 * 10 + 9) if wide else STAR
        for v, x in numbers.items()
    }


def recode_groups(rng: Random, net: Net, k: int) -> dict:
    """People in groups of k or more get the range of their group; equal values may become different ranges."""
    numbers = read_numbers(net)
    order = sorted(numbers, key=lambda v: (numbers[v], rng.random()) if rng.random() < 0.9 else (0, 0.0))
    many = max(1, len(order) // k)
    labels = {}
    for i in range(many):
        group = order[i * k : None if i == many - 1 else (i + 1) * k]
        low, high = min(numbers[v] for v in group), max(numbers[v] for v in group)
        labels |= dict.fromkeys(group, low if low == high else label_range(low, high))
    return labels


def recode_cells(rng: Random, net: Net, k: int) -> dict:
    """Some cells become *."""
    return {v: STAR if rng.random() < 0.4 else x for v, x in read_numbers(net).items()}


RECODINGS = (recode_ranges, recode_ranges, recode_rare, recode_groups, recode_groups, recode_cells)


def read_numbers(net: Net) -> dict:
    return dict(zip(net.names, dict(net.columns)["a"], strict=True))


def label_range(low: int, high: int) -> str:
    return f"{low}-{high}"


def fits(value: Any, label: Any) -> bool:
    """Return whether a released value may stand for an exact one: it is the same, a range with it, or *."""
    if oracle.comparable(value) == oracle.comparable(label) or label == STAR:
        return True
    if not isinstance(label, str) or not isinstance(value, int) or label.count("-") != 1:
        return False
    low, high = map(int, label.split("-"))
    return low <= value <= high


def count_fitting(spec: str, world: World) -> dict:
    """Return {v: the size of its smallest candidate set that is not empty}, where released values may stand for v's."""
    parts = spec.split("+")
    names = [name for part in parts if part.startswith("columns:") for name in part.partition(":")[2].split(",")]
    known, seen = dict(world.known.columns), dict(world.published.columns)
    answer = {
        v: {
            frozenset(
                u
                for j, u in enumerate(world.published.names)
                if all(fits(known[name][i], seen[name][j]) for name in names)
            )
        }
        for i, v in enumerate(world.known.names)
    }
    links = [oracle.answer_one(part, world) for part in parts if not part.startswith("columns:")]
    joined = oracle.join_answers([answer, *links])
    return {v: min((len(us) for us in sets if us), default=0) for v, sets in joined.items()}


# Audits.


def draw_recoded(rng: Random) -> dict[str, Any]:
    """Draw an original, a release with recoded columns and changed links, and a scenario."""
    table = rng.random() < 0.3
    net = draw_net(rng, rng.choice(("simple", "simple", "directed")), least=3, most=10, columns=("b",))
    few = rng.sample(range(10, 50), rng.randint(1, 6))
    numbers = tuple(rng.choice(few) for _ in net.names)
    original = Net(net.names, () if table else list_once(net).links, (("a", numbers), *net.columns))
    k = rng.randint(2, 3)
    labels = rng.choice(RECODINGS)(rng, original, k)
    changed = list_once(change_net(rng, original, rng.choice((0, 0, 1, 3)))) if original.links else original
    column = tuple(labels[v] for v in original.names)
    published = Net(original.names, changed.links, (("a", column), *original.columns[1:]))
    if rng.random() < 0.15 and len(net.names) > 3:
        published = published.only(set(rng.sample(published.names, len(net.names) - 1)))
    order = rng.sample(published.names, len(published.names))
    at = {v: i for i, v in enumerate(published.names)}
    mapping = {v: f"p{i}" for i, v in enumerate(order)}
    released = Net(
        tuple(mapping[v] for v in order),
        tuple((mapping[a], mapping[b], *rest) for a, b, *rest in published.links),
        tuple((name, tuple(values[at[v]] for v in order)) for name, values in published.columns),
    )
    with_links = [spec for spec in SPECS if original.links or spec.startswith("columns")]
    return {
        "original": original,
        "published": released,
        "mapping": mapping,
        "specs": rng.sample(with_links, rng.choice((1, 1, 2))),
        "k": k,
        "allow": rng.choice(("0%", "20%", "1/3", "50%")),
        "attacks": rng.random() < 0.6,
    }


def judge_recoded(case: dict[str, Any], found: Findings) -> None:
    """Count the people below k by facts of the release, by recoded and by exact ones, and check the verdict."""
    original, published, mapping, k = (case[name] for name in ("original", "published", "mapping", "k"))
    if bool(original.links) != bool(published.links):
        raise Refused("all links are gone, or there were none")
    scenario = shoal.Scenario("drawn", case["specs"], k, case["allow"])
    told = audit_recoded(case, scenario)
    verdict = told.verdict
    judge_people(verdict.before, case, make_world(original), set(original.names), "before", found)
    inside = judge_people(
        verdict.release_facts, case, make_world(published), set(published.names), "facts of the release", found
    )
    exact = make_world(published, original, mapping)
    people = set(exact.to)
    recoded = recode_columns(case)
    world = exact if recoded is None else make_world(published, recoded, mapping)
    for row in told.after.original_facts:
        if row.in_scenario:
            judge_row(row, row.knows, world, k, found)
    if recoded is not None and count_verdict(case, exact, people) == "fail" != count_verdict(case, world, people):
        world = exact
    facts = judge_facts(verdict.original_facts, case, world, found)
    decisions = {inside, facts}
    overall = "fail" if "fail" in decisions else "pass" if decisions == {"pass"} else "cannot tell"
    if overall == "pass" and verdict.original_facts.misled and not told.attacks.tried:
        overall = "cannot tell"
    found.equal("verdict", verdict.overall, overall)
    judge_by_containment(case, verdict.overall, found)


def audit_recoded(case: dict[str, Any], scenario: Any) -> Any:
    linked = bool(case["original"].links)
    make = as_graph if linked else as_table
    how: dict[str, Any] = {"mapping": case["mapping"]}
    if not linked:  # records are known by their place
        at = {v: i for i, v in enumerate(case["original"].names)}
        place = {u: i for i, u in enumerate(case["published"].names)}
        how = {"mapping": {at[v]: place[u] for v, u in case["mapping"].items() if u in place}}
    attack = "knows:degree" if linked else "knows:columns:b"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        return shoal.audit(
            make(case["original"]),
            make(case["published"]),
            scenario=scenario,
            knowledge=["columns:b"],
            attacks=[attack] if case["attacks"] else (),
            **how,
        )


def judge_facts(told: Any, case: dict[str, Any], world: World, found: Findings) -> str:
    """Count the people below k and misled again; return the verdict about them.

    Of the people whom nobody fits, those with links and recoded columns among the facts may be not proved instead.
    """
    allow = oracle.read_error(case["allow"])
    sizes = {spec: oracle.count(spec, world) for spec in case["specs"]}
    below = {v for v in world.to if any(0 < each[v] < case["k"] for each in sizes.values())}
    misled = {v for v in world.to if not all(each[v] for each in sizes.values())} - below
    hidden = {v for v in misled for spec, each in sizes.items() if "+" in spec and not each[v]}
    found.equal("facts of the original: people, below", (told.people, told.below), (len(world.to), len(below)))
    found.equal("facts of the original: unproved and misled", told.unproved + told.misled, len(misled))
    found.check(told.unproved in range(len(hidden) + 1), f"{told.unproved} are not proved, of {hidden}")
    if Fraction(len(below), len(world.to)) > allow:
        verdict = "fail"
    elif not any(each[v] for each in sizes.values() for v in world.to):
        verdict = "cannot tell"
    else:
        verdict = "pass" if Fraction(len(below) + told.unproved, len(world.to)) <= allow else "cannot tell"
    found.equal("facts of the original: verdict", told.verdict, verdict)
    return verdict


def count_verdict(case: dict[str, Any], world: World, people: set) -> str:
    """Return the verdict about these people by these facts."""
    sizes = [oracle.count(spec, world) for spec in case["specs"]]
    below = {v for v in people if any(0 < each[v] < case["k"] for each in sizes)}
    return "fail" if Fraction(len(below), len(people)) > oracle.read_error(case["allow"]) else "pass"


def recode_columns(case: dict[str, Any]) -> Net | None:
    """Return the original with the released columns, where they follow from the known values; else None.

    In a table the facts are then those of the release.
    """
    original, published, mapping = case["original"], case["published"], case["mapping"]
    names = [name for name in ("a", "b") if any(reads(spec, name) for spec in case["specs"])]
    if not original.links or not names or len(published.names) < len(original.names):
        return None
    became: dict = {}
    for v in original.names:
        became.setdefault(original.cells(v, names), set()).add(published.cells(mapping[v], names))
    if any(len(some) > 1 for some in became.values()) or all(some == {had} for had, some in became.items()):
        return None
    at = {u: i for i, u in enumerate(published.names)}
    now = {name: tuple(values[at[mapping[v]]] for v in original.names) for name, values in published.columns}
    return original._replace(columns=tuple((name, now[name] if name in names else x) for name, x in original.columns))


def reads(spec: str, name: str) -> bool:
    return any(part.startswith("columns:") and name in part.partition(":")[2].split(",") for part in spec.split("+"))


def judge_by_containment(case: dict[str, Any], verdict: str, found: Findings) -> None:
    """Check that a release that passes leaves few people below k to an attacker who understands intervals.

    Where each value became one other, the attacker knows which, and only * may stand for it too.
    """
    recoded = recode_columns(case)
    world = make_world(case["published"], case["original"] if recoded is None else recoded, case["mapping"])
    sizes = [count_fitting(spec, world) for spec in case["specs"]]
    below = {v for v in world.to if any(0 < each[v] < case["k"] for each in sizes)}
    few = Fraction(len(below), len(world.to)) <= oracle.read_error(case["allow"])
    found.check(
        few or verdict != "pass", f"PASS, but values in intervals leave {below} fewer than k candidates: {sizes}"
    )


add_kind("recoded columns/audits", draw_recoded, judge_recoded, "every audit passes")
