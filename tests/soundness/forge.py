"""Certificates of levels that are changed at random, so that they claim something else."""

from random import Random
from typing import Any

from soundness.oracle import Net

READINGS = ("neighbors", "exact-neighbors", "relations", "located-relations")
Certificate = dict[str, Any]
COUNTED = ("nothing", "degrees", "pairs")
"""Evidence that a checker counts by itself."""


def change_certificate(rng: Random, c: Certificate, net: Net) -> str:
    """Change a certificate in place; return what was changed."""
    ways = ["vertex", "k", "reading", "level", "exactness"]
    ways += ["hidden"] if "hidden" in c else ["size", "evidence"]
    ways += ["number instead of every"] if "hidden" in c else []
    ways += ["known", "fact", "candidates"] if "exposes" in c else []
    ways += ["weight", "bound", "alike"] if c.get("none_smaller", {}).get("by") == "weights" else []
    way = rng.choice(ways)
    WAYS[way](rng, c, net)
    return way


def change_vertex(rng: Random, c: Certificate, net: Net) -> None:
    c["vertex"] = rng.choice(net.names)


def change_k(rng: Random, c: Certificate, net: Net) -> None:
    c["k"] += draw_step(rng)


def change_reading(rng: Random, c: Certificate, net: Net) -> None:
    c["reading"] = rng.choice(READINGS)


def change_level(rng: Random, c: Certificate, net: Net) -> None:
    """Claim another level, and perhaps evidence for it."""
    if c["l"] == "every":
        c["l"] = 0
    elif rng.random() < 0.3:
        for name in ("exposes", "none_smaller"):
            c.pop(name, None)
        hidden = rng.sample(net.names, min(len(net.names), max(1, c["k"])))
        c |= {"l": "every", "exact": True, "hidden": list(hidden)}
    else:
        c["l"] += draw_step(rng)
        if "none_smaller" in c and rng.random() < 0.5:
            c["none_smaller"]["size"] = c["l"]


def claim_number(rng: Random, c: Certificate, net: Net) -> None:
    """Claim that a vertex that no facts expose has at least some level."""
    c.pop("hidden")
    l = rng.randint(0, 3)
    c |= {"l": l, "exact": False, "none_smaller": {"size": l, "by": rng.choice(COUNTED)}}


def change_exactness(rng: Random, c: Certificate, net: Net) -> None:
    c["exact"] = not c["exact"]
    c.pop("exposes", None)


def change_hidden(rng: Random, c: Certificate, net: Net) -> None:
    change_names(rng, c["hidden"], net)


def change_alike(rng: Random, c: Certificate, net: Net) -> None:
    change_names(rng, c["none_smaller"]["alike"], net)


def change_candidates(rng: Random, c: Certificate, net: Net) -> None:
    change_names(rng, c["exposes"]["candidates"], net)


def change_names(rng: Random, names: list, net: Net) -> None:
    """Add a name to a list, or remove one, or replace one."""
    way = rng.choice(("add", "remove", "replace"))
    if way != "add" and names:
        names.remove(rng.choice(names))
    if way != "remove":
        names.append(rng.choice(net.names))


def change_known(rng: Random, c: Certificate, net: Net) -> None:
    """Add a known fact, perhaps about one that is there, or remove one."""
    known = c["exposes"]["known"]
    if known and rng.random() < 0.5:
        known.remove(rng.choice(known))
        return
    relation = [dict(rng.choice(known)[2])] if known and len(known[0]) > 2 else []
    w = rng.choice(known)[0] if known and rng.random() < 0.3 else rng.choice(net.names)
    known.insert(rng.randint(0, len(known)), [w, rng.randint(0, 2), *relation])


def change_fact(rng: Random, c: Certificate, net: Net) -> None:
    """Change whom a known fact is about, or how often, or its direction."""
    if not c["exposes"]["known"]:
        return
    entry = rng.choice(c["exposes"]["known"])
    at = rng.randrange(len(entry))
    if at == 2:
        entry[2] = {**entry[2], "direction": rng.choice(("both", "out", "in"))}
    else:
        entry[at] = (rng.choice(net.names), rng.randint(0, 2))[at]


def change_size(rng: Random, c: Certificate, net: Net) -> None:
    c["none_smaller"]["size"] += draw_step(rng)
    c["l"] = c["none_smaller"]["size"] if rng.random() < 0.5 else c["l"]


def change_evidence(rng: Random, c: Certificate, net: Net) -> None:
    c["none_smaller"] = {"size": c["none_smaller"]["size"], "by": rng.choice(COUNTED)}


def change_weight(rng: Random, c: Certificate, net: Net) -> None:
    """Change a weight or who has it, or add one, or list one twice."""
    weighed = c["none_smaller"]["weights"]
    rng.choice(weighed)[0 if rng.random() < 0.3 else 1] = rng.choice((*net.names, rng.randint(0, 10**6)))
    weighed.extend([list(weighed[0])] if rng.random() < 0.2 else [])
    weighed.extend([[rng.choice(net.names), rng.randint(0, 10**6)]] if rng.random() < 0.3 else [])


def change_bound(rng: Random, c: Certificate, net: Net) -> None:
    what = rng.choice(("cap", "unit"))
    c["none_smaller"][what] = rng.choice((0, 1, c["none_smaller"][what] * 2, c["none_smaller"][what] // 2))


def draw_step(rng: Random) -> int:
    return rng.choice((-1, 1, 1, 2))


WAYS = {
    "vertex": change_vertex,
    "k": change_k,
    "reading": change_reading,
    "level": change_level,
    "number instead of every": claim_number,
    "exactness": change_exactness,
    "hidden": change_hidden,
    "alike": change_alike,
    "candidates": change_candidates,
    "known": change_known,
    "fact": change_fact,
    "size": change_size,
    "evidence": change_evidence,
    "weight": change_weight,
    "bound": change_bound,
}
"""How a certificate can be changed."""
