"""Judge pipelines: what is guaranteed after the last step is counted again there, and in the published files.

Methods that are called one after another are judged too: only what the last one guarantees is said, and it holds.
"""

import json
import warnings
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import shoal
from soundness import oracle
from soundness.draw import as_graph, as_net, draw_net, is_simple, list_once
from soundness.judge_methods import LINK_METHODS, draw_small, judge_classes, judge_edits, judge_promise, judge_utility
from soundness.judging import Findings, Refused, add_kind
from soundness.oracle import Net, make_world

LINK_STEPS = (
    *(
        "equalize-rows",
        "hide-neighbors",
        "hide-relations",
        "match-degrees",
        "share-neighbors",
        "reduce-risk",
        "perturb",
    ),
    *("match-neighborhoods", "raise-l"),
)
"""Steps that change links, with the options of the judge of methods; the last two want links of one kind."""
COLUMN_STEPS: dict[str, Any] = {
    "mondrian": lambda rng, n: {"k": draw_small(rng, n), "columns": rng.choice((("a",), ("a", "b")))},
    "recode": lambda rng, n: {"k": draw_small(rng, n), "suppress": rng.choice((0.0, 0.3)), "columns": ("a", "b")},
    "hide-columns": lambda rng, n: {"k": draw_small(rng, n), "l": rng.randint(1, 2), "columns": ("a", "b")},
}
"""Steps that recode columns."""


def draw_steps(rng: Random, net: Net, many: int, *, columns: bool) -> list[tuple[str, dict[str, Any]]]:
    """Draw methods with options and seeds."""
    n = len(net.names)
    names = rng.sample(LINK_STEPS if is_simple(net) else LINK_STEPS[:-2], many)
    if columns:
        names[rng.randrange(many)] = rng.choice([*COLUMN_STEPS])
    steps = []
    for name in names:
        options = dict((COLUMN_STEPS if name in COLUMN_STEPS else LINK_METHODS)[name](rng, n))
        options |= {} if name in ("raise-l", "mondrian", "recode") else {"seed": rng.randrange(1000)}
        steps.append((name, options))
    return steps


def draw_pipeline(rng: Random) -> dict[str, Any]:
    form = rng.choice(("simple", "simple", "simple", "directed", "kinds"))
    net = list_once(draw_net(rng, form, least=3, most=8, columns=("a", "b")))
    return {
        "net": net,
        "steps": draw_steps(rng, net, rng.choice((2, 2, 3)), columns=rng.random() < 0.4),
        "together": rng.random() < 0.25,
        "rounds": rng.choice((1, 3, 10)),
        "save": rng.random() < 0.5,
    }


def build_steps(case: dict[str, Any]) -> list[Any]:
    return [shoal.methods.find_method(name)(**options) for name, options in case["steps"]]


def ask(function: Any, *what: Any) -> Any:
    """Return an answer of shoal, or raise Refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        try:
            return function(*what)
        except shoal.errors.BrokenPromise:
            raise  # what does not hold must not be handed over
        except shoal.ShoalError as error:
            raise Refused(str(error)) from None


def judge_pipeline(case: dict[str, Any], found: Findings) -> None:
    """Count every guarantee again after the last step; compare seeds, numbers and the published files."""
    net = case["net"]
    graph = as_graph(net)
    pipeline = ask(lambda: shoal.methods.Pipeline(build_steps(case), case["together"], case["rounds"]))
    release = ask(pipeline, graph)
    before, after = as_net(graph), as_net(release.data)
    found.equal("the input afterwards", before, as_net(as_graph(net)))
    found.equal("the same release again", as_net(ask(pipeline, graph).data), after)
    for promise in release.promises:
        judge_promise(promise, release, before, after, found)
    judge_steps(case, release, found)
    judge_together(case, release, after, found)
    judge_edits(release, before, after, found)
    judge_classes(release, after, found)
    if is_simple(before) and is_simple(after):
        judge_utility(release.utility, before, after, found)
    if case["save"] and after.names:
        judge_files(case, release, after, found)


def judge_steps(case: dict[str, Any], release: Any, found: Findings) -> None:
    """Check that each step has its guarantee with its own k, and its seed; and that nothing else is guaranteed."""
    steps = case["steps"]
    expected = {options["k"] for name, options in steps if name != "perturb"}
    found.equal("k of the guarantees", {p.k for p in release.promises if not is_joined(p)}, expected)
    alone, data = [], as_graph(case["net"])
    for step in build_steps(case):
        made = ask(step, data)
        alone, data = [*alone, *made.promises], made.data
    asked = [*dict.fromkeys(map(name_promise, alone))]
    extra = [name_promise(p) for p in release.promises if is_joined(p)] if case["together"] else []
    found.equal("guarantees", [*dict.fromkeys(map(name_promise, release.promises))], asked + extra)
    found.equal("seeds", [s for s in release.seed if s is not None], [o["seed"] for _, o in steps if "seed" in o])
    found.check(release.measured["rounds"] <= case["rounds"], f"{release.measured['rounds']} rounds")


def name_promise(promise: Any) -> str:
    """Return a guarantee without the numbers that are counted in the last release."""
    kind = type(promise).__name__
    if kind in ("PartialPromise", "RadiusPromise"):
        return f"{kind} {getattr(promise, 'knowledge', '')} {promise.k}"
    return repr(promise)


def is_joined(promise: Any) -> bool:
    """Return whether a guarantee is about facts of several kinds that are known at once."""
    return type(promise).__name__ == "Promise" and "+" in promise.knowledge.spec


def judge_together(case: dict[str, Any], release: Any, after: Net, found: Findings) -> None:
    """Count k against an attacker who knows the facts of all steps; it is guaranteed only on request."""
    told = {name: value for name, value in release.measured.items() if name.startswith("k against ")}
    for name, value in told.items():
        least = min(oracle.count(name.removeprefix("k against "), make_world(after)).values())
        found.equal(name, value, least)
    joined = [promise for promise in release.promises if is_joined(promise)]
    found.equal("a guarantee against all facts at once", len(joined), int(case["together"]))
    counted = {
        promise.knowledge.spec
        for promise in release.promises
        if type(promise).__name__ == "Promise" and not is_joined(promise)
    }
    found.equal("facts known at once are measured", bool(told), len(counted) > 1)


def judge_files(case: dict[str, Any], release: Any, after: Net, found: Findings) -> None:
    """Save a release, read what is published, and count there what the manifest says."""
    with TemporaryDirectory(prefix="soundness-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        path, secret = Path(folder, "safe.json"), Path(folder, "secret.csv")
        release.save(path, mapping=secret)
        text = Path(f"{path}.release.json").read_text(encoding="utf-8")
        kinds = {"kind": "kind"} if any(kind is not None for *_, kind, _ in after.links) else {}
        published = as_net(shoal.read_graph(path, **kinds))
        mapping = secret.read_text(encoding="utf-8")
    manifest = json.loads(text)
    judge_manifest(manifest["promise"], len(release.promises), published, found)
    steps = manifest["method"]["steps"]
    found.equal("steps in the manifest", [one["name"] for one in steps], [name for name, _ in case["steps"]])
    for one, (_, options) in zip(steps, case["steps"], strict=True):
        found.equal(f"k of {one['name']} in the manifest", one.get("k"), options.get("k"))
    found.check('"seed"' not in text, "the manifest has a seed")
    for _, options in case["steps"]:
        found.check("seed" not in options or str(options["seed"]) in mapping, "a seed is not beside the mapping")
    for name, value in manifest["measured"].items():
        if name.startswith("k against "):
            least = min(oracle.count(name.removeprefix("k against "), make_world(published)).values())
            found.equal(f"{name} in the manifest", value, least)


def judge_manifest(promises: list[dict[str, Any]], many: int, published: Net, found: Findings) -> None:
    """Count in the published network what a manifest guarantees."""
    found.equal("guarantees in the manifest", len(promises), many)
    for told in promises:
        if told["kind"] == "candidates" and (told["for"], told["source"]) == ("all", "release"):
            least = min(oracle.count(told["knows"], make_world(published)).values())
            found.check(least >= told["k"], f"the manifest says {told}, and {least} are left in the file")
        elif told["kind"] == "partial":
            below = oracle.count_at_risk(told["knows"], make_world(published), told["k"])
            safe = len(published.names) - len(below)
            found.equal("protected in the file", (told["protected"], told["of"]), (safe, len(published.names)))


# One after another, by hand.


def draw_chain(rng: Random) -> dict[str, Any]:
    form = rng.choice(("simple", "simple", "directed", "kinds"))
    net = list_once(draw_net(rng, form, least=3, most=8, columns=("a", "b")))
    return {
        "net": net,
        "steps": draw_steps(rng, net, 2, columns=rng.random() < 0.3),
        "save": rng.random() < 0.5,
    }


def judge_chain(case: dict[str, Any], found: Findings) -> None:
    """Run a method on the release of another: what the last release says must hold in it."""
    first, last = ask(build_steps, case)
    middle = ask(first, as_graph(case["net"]))
    if not middle.data.n:
        raise Refused("nobody is left")
    release = ask(last, middle.data)
    before, after = as_net(middle.data), as_net(release.data)
    found.equal("the release in the middle", as_net(release.original), before)
    alone = ask(last, as_graph(before))
    found.equal("guarantees of the last method", [*map(repr, release.promises)], [*map(repr, alone.promises)])
    for promise in release.promises:
        judge_promise(promise, release, before, after, found)
    judge_edits(release, before, after, found)
    if case["save"] and after.names:
        with TemporaryDirectory(prefix="soundness-") as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore", shoal.Notice)
            path = Path(folder, "safe.json")
            release.save(path, mapping=Path(folder, "secret.csv"))
            manifest = json.loads(Path(f"{path}.release.json").read_text(encoding="utf-8"))
            kinds = {"kind": "kind"} if any(kind is not None for *_, kind, _ in after.links) else {}
            published = as_net(shoal.read_graph(path, **kinds))
        judge_manifest(manifest["promise"], len(release.promises), published, found)
        found.equal("method in the manifest", manifest["method"]["name"], case["steps"][1][0])


add_kind("pipelines/steps", draw_pipeline, judge_pipeline, "a pipeline that promises more")
add_kind("pipelines/one after another", draw_chain, judge_chain, "a release that promises more")
