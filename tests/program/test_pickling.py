"""Every result can be pickled and copied, and the copy says the same; no public class of results is forgotten."""

import copy
import inspect
import pickle
import types
import typing
from dataclasses import fields, is_dataclass
from functools import cache, cached_property
from multiprocessing import get_context
from unittest.mock import MagicMock

import duckdb
import networkx as nx
import numpy as np
import pytest

import shoal
from members import ATTRIBUTED, MEMBERS
from method_cases import ALL, released
from shoal import attacks, errors, linkage, methods, tables
from shoal import knowledge as kn
from shoal.methods.passing import recommend_for_scenario

pytestmark = [pytest.mark.usefixtures("brief_searches"), pytest.mark.filterwarnings("ignore::shoal.errors.Notice")]

SMALL = shoal.Scenario("links", ["degree"], k=2, allow="5%")
COPIES = {"pickle": lambda result: pickle.loads(pickle.dumps(result)), "copy": copy.deepcopy}


@cache
def club():
    return shoal.examples.karate()


@cache
def village():
    return shoal.examples.village(40)


@cache
def people():
    return shoal.examples.people(60)


@cache
def safe():
    return methods.EqualizeRows(k=2, effort=5)(village())


@cache
def levels(*how):
    return shoal.levels(club(), *how, k=2, max_size=3)


@cache
def ages():
    return shoal.assess(people(), "columns:age")


def labeled():
    g = nx.Graph(nx.krackhardt_kite_graph().edges)
    nx.set_node_attributes(g, {v: {"a": v % 2, "b": v % 3} for v in g})
    return shoal.as_graph(g)


def likelihood(y, i, a):
    return 0.75 if y == a[i] else 0.25


def compare_ages(columns=("age",)):
    return linkage.ExactMatch(*columns), people(), people()


def arcs():
    return shoal.Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3], directed=True)


def audit(**how):
    return shoal.audit(village(), safe(), knowledge=["degree", "neighbors:2"], k=2, **how)


def audit_release(release):
    return shoal.audit(release.original, release, knowledge=["degree"] if release.data.has_links else None, attacks=())


def attempt(name):
    return lambda: shoal.attack(village(), safe(), by=name)


RESULTS = {
    "graph": village,
    "place of an error": lambda: errors.Place("friends.csv", 7),
    "multigraph": lambda: shoal.as_graph(nx.MultiGraph([(1, 2), (1, 2), (2, 3)]), multigraph=True),
    "directed graph": lambda: shoal.as_graph(nx.DiGraph([(1, 2), (2, 1), (2, 3)])),
    "table": people,
    "hierarchy": lambda: shoal.Hierarchy.of({"a": ("x", "*"), "b": ("x", "*"), "c": ("y", "*")}),
    "levels of a hierarchy": lambda: shoal.Hierarchy.flat(people()["age"]).levels(people()["age"]),
    "risk of a table": ages,
    "risk by facts of the original": lambda: shoal.assess(safe(), "neighbors:2", original=village()),
    "scenario": lambda: shoal.Scenario.preset("public"),
    "risks of a panel": lambda: shoal.assess_all(village(), knowledge=["orbit"]),
    "judgment": lambda: shoal.assess_all(village(), knowledge=[]).judgment,
    "methods for a scenario": lambda: recommend_for_scenario(club(), SMALL),
    "the cost of a release": lambda: recommend_for_scenario(club(), SMALL).passing[0].cost,
    "levels": levels,
    "levels of relations": lambda: levels("located-relations"),
    "rounds of a suppression": lambda: shoal.relational.suppress(
        duckdb.sql("SELECT 0 AS src, range AS dst FROM range(1, 6)"), "degree", 3, dry_run=True
    ),
    "levels of columns": lambda: shoal.levels(people(), k=2),
    "level curves": lambda: shoal.level_curves(club(), k=[2, 3], max_size=3),
    "radius": lambda: shoal.similarity_radius(club(), 2),
    "witness": lambda: levels().witness(club().names[0]),
    "certificate": lambda: levels().certificate(club().names[0]),
    "check of a certificate": lambda: shoal.check_certificate(club(), levels().certificate(club().names[0])),
    "edits": lambda: safe().edits,
    "utility": lambda: safe().utility,
    "release by two methods": lambda: (methods.EqualizeRows(k=2, effort=5) >> methods.Perturb(add=1, seed=3))(club()),
    "recommendation": lambda: shoal.recommend(club(), "degree", 2),
    "generalized": lambda: released("generalize", 0).generalized,
    "samples": lambda: released("generalize", 0).samples(3),
    "estimates": lambda: released("generalize", 0).estimates(3),
    "comparison": lambda: shoal.compare(village(), safe(), repeats=2),
    "frontier": lambda: shoal.frontier(club(), "degree", k=[2, 3], methods=["match-degrees"], jobs=1),
    "tradeoff": lambda: shoal.tradeoff(club(), "counts:1", 2, budgets=["5%"], effort=2, draws=2, facts="both"),
    "audit": lambda: audit(columns=["age"], names=True),
    "external audit": lambda: audit(external=True),
    "audit of a table": lambda: shoal.audit(people(), columns=["age", "sex"], sensitive=["zip"], k=2),
    "audit of directed links": lambda: shoal.audit(arcs(), arcs(), knowledge=["degree"], k=2, attacks=()),
    "audit of links drawn anew": lambda: audit_release(released("generalize", 0)),
    "audit of swapped values": lambda: audit_release(released("swap-within", 0)),
    "audit of a radius": lambda: audit_release(released("raise-l", 0)),
    "audit of a partial guarantee": lambda: audit_release(released("reduce-risk", 0)),
    "uniques": lambda: tables.minimal_uniques(people()),
    "attackers": lambda: tables.attackers(ages()),
    "diversity": lambda: tables.diversity(ages(), "sex"),
    "n-confusion": lambda: linkage.n_confusion(*compare_ages()),
    "(n,t)-confusion": lambda: linkage.provides_confusion(*compare_ages(), n=60, t=1 / 60),
    "confusion curve": lambda: linkage.confusion_curve(*compare_ages()),
    "calibration": lambda: linkage.is_calibrated(*compare_ages()),
    "compatibility": lambda: linkage.is_compatible(*compare_ages()),
    "record": lambda: linkage.records_of(people())[0],
    "bayesian": lambda: linkage.Bayesian(likelihood),
    "uniform": lambda: linkage.UniformOver(kn.Columns("age")),
    "probabilistic": lambda: linkage.parse_linkage("probabilistic", columns=["age", "sex"]),
    "nearest": lambda: linkage.parse_linkage("nearest:2", columns=["age"]),
    "fellegi-sunter": lambda: linkage.fit_fellegi_sunter([[0, 0], [1, 1]], [90, 10]),
    "attack with knowledge": lambda: shoal.attack(village(), safe(), "neighbors:2"),
    **{f"attack by {name}": attempt(name) for name in attacks.ATTACKS},
    **{f"settings of {name}": attacks.find_attack(name) for name in attacks.ATTACKS},
    **{f"release by {name} {i}": (lambda name=name, i=i: released(name, i)) for name, i in ALL},
    **{f"knowledge {knows.spec}": (lambda knows=knows: knows) for knows, _ in [*MEMBERS, *ATTRIBUTED]},
    **{f"risk by {knows.spec}": (lambda knows=knows: shoal.assess(club(), knows)) for knows, _ in MEMBERS},
    **{f"risk by {knows.spec}": (lambda knows=knows: shoal.assess(labeled(), knows)) for knows, _ in ATTRIBUTED},
    **{
        f"error {name}": (lambda kind=kind: kind("No vertex is called 'Ridolfo'."))
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, Exception)
    },
}
make = cache(lambda name: RESULTS[name]())


def assert_same(a, b, where="result"):
    """Compare two results field by field; arrays also by whether they can be written."""
    assert type(a) is type(b), where
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, where
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), where
        assert a.flags.writeable == b.flags.writeable, where
    elif is_dataclass(a):
        for f in fields(a):
            assert_same(getattr(a, f.name), getattr(b, f.name), f"{where}.{f.name}")
    elif isinstance(a, dict):
        assert list(a) == list(b), where
        for name, value in a.items():
            assert_same(value, b[name], f"{where}[{name!r}]")
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), where
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{where}[{i}]")
    elif isinstance(a, Exception):
        assert (a.args, str(a)) == (b.args, str(b)), where
    else:
        assert a == b or str(a) == str(b) == "nan", where


@pytest.mark.slow
@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", RESULTS)
def test_a_copy_of_a_result_says_the_same(name, how):
    result = make(name)
    again = COPIES[how](result)
    assert_same(result, again)
    assert repr(again) == repr(result)
    if hasattr(result, "_repr_html_"):
        assert again._repr_html_() == result._repr_html_()
    assert_same(again, COPIES[how](again))


RISKS = [name for name in RESULTS if name.startswith("risk ")]


@pytest.mark.slow
@pytest.mark.parametrize("name", RISKS)
def test_a_copy_of_a_risk_finds_the_same_candidates_and_facts(name):
    risk = make(name)
    again = COPIES["pickle"](risk)
    for v in risk.names:
        assert again.candidates(v) == risk.candidates(v)
        assert_same(again.witness(v), risk.witness(v))
    assert_same(again.holds_truth, risk.holds_truth)
    assert (again.k, again.exact, again.misled, again.unmatched) == (risk.k, risk.exact, risk.misled, risk.unmatched)


def test_a_risk_is_counted_again_only_for_its_sets(monkeypatch):
    seen = []
    see = kn.Degree.see
    monkeypatch.setattr(kn.Degree, "see", lambda self, view: seen.append(view) or see(self, view))
    again = COPIES["pickle"](shoal.assess(club(), "degree"))
    assert (again.k, again.exact, len(again.at_risk(3)), again.rate(2)) == (1, True, 8, 6 / 34)
    assert len(seen) == 1
    again.candidates(club().names[0])
    again.witness(club().names[0])
    assert len(seen) == 2


@pytest.mark.parametrize("how", COPIES)
def test_arrays_that_cannot_be_changed_stay_so(how):
    graph = COPIES[how](make("multigraph"))
    classes = COPIES[how](make("generalized"))
    for array in (graph.indptr, graph.indices, graph.multiplicity, classes.sizes, classes.inside, classes.links):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_names_and_spellings_from_a_file_are_kept(tmp_path):
    (tmp_path / "a.csv").write_text("name,size\n7,50.600\n08, 5\n9,1e3\n")
    (tmp_path / "b.csv").write_text("source,target\n7,12\n12,3\n")
    table = shoal.read_table(tmp_path / "a.csv")
    again = COPIES["pickle"](table)
    assert again == table
    assert [str(cell) for cell in again["size"]] == [str(cell) for cell in table["size"]]
    graph = shoal.read_graph(tmp_path / "b.csv")
    safe = methods.MatchDegrees(k=2)(graph)
    safe.save(tmp_path / "safe.csv")
    fresh = shoal.read_graph(tmp_path / "safe.csv")
    for g in (graph, fresh):
        copied = COPIES["pickle"](g)
        assert copied == g
        assert (copied.names.fresh, copied.names.positions) == (g.names.fresh, g.names.positions)


def test_an_unpickled_method_makes_the_same_release():
    method = methods.Generalize(k=3, effort=5, seed=np.random.default_rng())
    assert COPIES["pickle"](method)(club()).data == method(club()).data


@pytest.mark.slow
def test_results_travel_between_processes():
    specs = ["degree", "neighbors:2", "orbit"]
    with get_context("spawn").Pool(2) as pool:
        found = pool.starmap(shoal.assess, [(club(), spec) for spec in specs])
        made = pool.apply(methods.EqualizeRows(k=2, effort=5), [club()])
        with pytest.raises(errors.BadParameter, match="'seed' must be"):
            pool.apply(shoal.compare, (club(), made), {"seed": 0.5})
    for risk, spec in zip(found, specs, strict=True):
        here = shoal.assess(club(), spec)
        assert_same(risk.sizes, here.sizes)
        assert risk.candidates(club().names[0]) == here.candidates(club().names[0])
    assert made.data == methods.EqualizeRows(k=2, effort=5)(club()).data


@pytest.mark.slow
def test_results_travel_through_joblib():
    joblib = pytest.importorskip("joblib")
    asked = [joblib.delayed(shoal.levels)(club(), k=k, max_size=2) for k in (2, 3)]
    for found, k in zip(joblib.Parallel(n_jobs=2)(asked), (2, 3), strict=True):
        assert_same(found, shoal.levels(club(), k=k, max_size=2))


# The registry: every class of a result that a user can get is met in RESULTS.

INTERNAL = {
    *("View", "Candidates", "Row", "Steps", "Metric", "Measurement", "Dataset", "Maker", "ClassProtection"),
    *("KnownEntries", "Incidence"),
    *("Network", "Engine", "DuckDBEngine", "SparkEngine", "EngineTable"),
    *("RelationalRisk", "RelationalLevels", "RelationalRelease"),
}
"""Parts of results that users do not read on their own, protocols, and what lives in an open engine."""


UNLOADED = dict.fromkeys(("os", "networkx", "igraph", "scipy"), MagicMock())
"""Modules that are imported for type checkers only."""


def list_spaces():
    return [shoal, *(space for name in shoal.__all__ if isinstance(space := getattr(shoal, name), types.ModuleType))]


def find_classes(hint):
    """Return the classes of shoal in an annotation."""
    if isinstance(hint, type) and not typing.get_origin(hint):
        return {hint} if hint.__module__.startswith("shoal.") else set()
    return set().union(*map(find_classes, typing.get_args(hint)))


def find_returned(function):
    function = inspect.unwrap(getattr(function, "__func__", function))
    return find_classes(typing.get_type_hints(function, localns=UNLOADED).get("return"))


def find_parts(kind):
    """Return the classes of the public fields, properties and methods of a result."""
    found = find_classes(tuple[*typing.get_type_hints(kind).values()]) if is_dataclass(kind) else set()
    for name, member in inspect.getmembers(kind):
        getter = member.fget if isinstance(member, property) else member
        getter = getter.func if isinstance(getter, cached_property) else getter
        if not name.startswith("_") and (inspect.isfunction(getter) or inspect.ismethod(getter)):
            found |= find_returned(getter)
    return found


def list_result_classes():
    names = [(space, name) for space in list_spaces() for name in getattr(space, "__all__", vars(space))]
    public = [getattr(space, name) for space, name in names if not name.startswith("_")]
    public = [each for each in public if getattr(each, "__module__", "").startswith("shoal")]
    results = set().union(*(find_returned(each) for each in public if inspect.isfunction(each)))
    todo, parts = list(results), (kn.Adversary, methods.Method, attacks.Attack, linkage.Reidentifies)
    while todo:
        kind = todo.pop()
        if kind.__name__ not in INTERNAL and not issubclass(kind, parts):
            new = find_parts(kind) - results
            results |= new
            todo += new
    classes = {each for each in public if isinstance(each, type) and not issubclass(each, errors.PublicCall)}
    registries = (kn.REGISTRY, methods.METHODS, attacks.ATTACKS, linkage.REGISTRY)
    return results | classes | {part for registry in registries for part in registry.values()}


def list_types(result, met):
    """Collect the types of a result and of its parts."""
    met.add(type(result))
    inside = [getattr(result, f.name) for f in fields(result)] if is_dataclass(result) else []
    inside += list(result.values()) if isinstance(result, dict) else []
    inside += list(result) if isinstance(result, list | tuple) else []
    for part in inside:
        if is_dataclass(part) or isinstance(part, list | tuple | dict):
            list_types(part, met)
        else:
            met.add(type(part))


@pytest.mark.slow
def test_no_public_result_is_forgotten():
    met = set()
    for name in RESULTS:
        list_types(make(name), met)
    wanted = {kind for kind in list_result_classes() if kind.__name__ not in INTERNAL}
    assert len(wanted) > 100
    assert {kind.__name__ for kind in wanted if not any(issubclass(each, kind) for each in met)} == set()
