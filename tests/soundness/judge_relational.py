"""Judge what a database counts: sizes and levels of every vertex, and releases, against memory and the oracle."""

import warnings
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import shoal
from shoal import relational
from soundness import oracle
from soundness.draw import SPECS, as_graph, draw_net, list_once
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, make_world

CLASSES = ("degree", "degree:total", "columns", "some-columns", "adjacency", "refinement")
COUNTED: dict[str, Any] = {
    **{name: SPECS[name] for name in (*CLASSES, "hubs", "hubs open")},
    "neighbors": lambda rng: rng.choice(("neighbors:1", "neighbors:1", "neighbors:2")),
    "counts": lambda rng: "counts:1",
    "degrees": lambda rng: "degrees:1",
}
"""What an engine counts, with the arguments that are drawn."""
JOINED = (*(name for name in CLASSES if name != "some-columns"), "counts", "degrees")
"""What can be joined with +, also with neighbors:1."""


def draw_network(rng: Random) -> Net:
    """Draw a network that Parquet can hold: its links all have a direction, or none has."""
    return draw_net(rng, rng.choice(("simple", "multi", "directed", "kinds")), least=2, most=8, columns=("a", "b"))


def draw_counts(rng: Random) -> dict[str, Any]:
    net = draw_network(rng)
    specs = [COUNTED[name](rng).replace(":a,b,c", ":a,b").replace("b,c", "b") for name in rng.sample(list(COUNTED), 3)]
    joined = [COUNTED[name](rng).replace(":a,b,c", ":a,b").replace("b,c", "b") for name in rng.sample(JOINED, 2)]
    joined += ["neighbors:1"] if rng.random() < 0.5 else []
    specs = [spec for spec in (*specs, "+".join(joined)) if ":c" not in spec]
    return {"net": net, "specs": specs, "k": rng.randint(1, len(net.names))}


def write_network(net: Net, folder: str) -> tuple[Path, dict[str, Any]]:
    """Write a network as Parquet; return the links and how they are read."""
    links, people = Path(folder, "links.parquet"), Path(folder, "people.parquet")
    shoal.write(as_graph(net), links, attributes=people)
    how: dict[str, Any] = {"ends": ("source", "target"), "vertices": people}
    how |= {"directed": True} if any(directed for *_, directed in net.links) else {}
    how |= {"kind": "kind"} if any(kind is not None for *_, kind, _ in net.links) else {}
    how |= {"multigraph": True} if len(list_once(net).links) < len(net.links) else {}
    return links, how


def rename(net: Net) -> Net:
    """Return the network with its names as texts, as a file has them."""
    return Net(tuple(map(str, net.names)), tuple((str(a), str(b), *rest) for a, b, *rest in net.links), net.columns)


def judge_counts(case: dict[str, Any], found: Findings) -> None:
    """Compare the sizes of every vertex, in the database, in memory and by definition."""
    need_engine(case["net"])
    net, k = rename(case["net"]), case["k"]
    with TemporaryDirectory(prefix="soundness-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        links, how = write_network(case["net"], folder)
        with relational.open_network(links, **how) as network:
            for spec in case["specs"]:
                expected = oracle.count(spec, make_world(net))
                risk = relational.assess(network, spec)
                rows = {str(name): (size, exact) for name, size, exact in risk.sizes.collect()}
                found.equal(f"{spec} in the engine", rows, {v: (size, True) for v, size in expected.items()})
                sizes = list(expected.values())
                found.equal(f"k of {spec}", (risk.k, risk.exact), (min(sizes), True))
                found.equal(f"histogram of {spec}", risk.histogram(), {s: sizes.count(s) for s in sorted(set(sizes))})
                found.near(f"rate of {spec}", risk.rate(k), sum(size < k for size in sizes) / len(sizes))
                memory = shoal.assess(as_graph(case["net"]), spec)
                same = dict(zip(map(str, memory.names), memory.sizes.tolist(), strict=True))
                found.equal(f"{spec} in memory", same, expected)
            levels = relational.levels(network, k)
            true = {v: min(2, oracle.find_level(net, "neighbors", k, v)) for v in net.names}
            rows = {str(name): (l, exact) for name, l, exact in levels.levels.collect()}
            found.equal("levels", rows, {v: (l, l < 2) for v, l in true.items()})


def need_engine(net: Net) -> None:
    if find_spec("duckdb") is None:
        raise Refused("duckdb is not installed")
    if not net.links:
        raise Refused("an empty file has no types")


def draw_suppression(rng: Random) -> dict[str, Any]:
    return {
        "net": list_once(draw_net(rng, rng.choice(("simple", "directed")), least=3, most=9, columns=())),
        "knowledge": rng.choice(("degree", "neighbors:1", "refinement:2", "counts:1")),
        "k": rng.randint(2, 4),
        "allow": rng.choice((0, 0, 1)),
        "cap": rng.choice((None, None, 2)),
    }


def judge_suppression(case: dict[str, Any], found: Findings) -> None:
    """Make a release in the database, read the files, and count who has k candidates in them."""
    need_engine(case["net"])
    net, knowledge, k = rename(case["net"]), case["knowledge"], case["k"]
    with TemporaryDirectory(prefix="soundness-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        links, how = write_network(case["net"], folder)
        how.pop("vertices")
        safe, secret = Path(folder, "safe.parquet"), Path(folder, "secret.csv")
        try:
            if case["cap"] is None:
                release = relational.suppress(links, knowledge, k, allow=case["allow"], keep_at_least=0, **how)
            else:
                release = relational.thin(links, cap_degree=case["cap"], seed=1, **how)
            with release:
                release.save(safe, mapping=secret)
        except shoal.ShoalError as error:
            raise Refused(str(error)) from None
        columns = ("src", "dst") if "src" in shoal.read_table(safe).columns else ("source", "target")
        read = shoal.read_graph(safe, columns=columns, directed="directed" in how)
        mapping = shoal.read_mapping(secret)
    back = {str(u): v for v, u in mapping.items()}
    pairs = [
        (back[str(read.names[a])], back[str(read.names[b])], None, relation.direction != "both")
        for a, b, relation in read.each_link()
    ]
    released = Net(tuple(back.values()), tuple(pairs))
    people = set(back.values())
    kept = set(map(repr_link, net.links))
    found.check({repr_link(pair) for pair in pairs} <= kept, "the release has a link that the original lacks")
    if case["cap"] is None:
        below = oracle.count_at_risk([knowledge], make_world(released), k)
        found.check(len(below) <= case["allow"], f"{sorted(below)} have fewer than {k} candidates in the files")
        whole = {text for text, link in zip(map(repr_link, net.links), net.links, strict=True) if {*link[:2]} <= people}
        found.equal("links among the people left", {repr_link(pair) for pair in pairs}, whole)
    else:
        degrees = [len(near) for near in oracle.find_neighbors(released).values()]
        found.check(max(degrees) <= case["cap"], f"somebody has {max(degrees)} neighbors with a cap of {case['cap']}")


def repr_link(link: tuple) -> str:
    a, b, _, directed = link
    return repr((a, b) if directed else tuple(sorted((a, b))))


add_kind("relational/counts and levels", draw_counts, judge_counts, "an engine that counts too many")
add_kind("relational/releases", draw_suppression, judge_suppression, "a mapping mixed up")
