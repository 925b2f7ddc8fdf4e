"""Laws that hold for every method, and a check that no method is forgotten.

A method declares its exceptions itself: `keeps_vertices`, `redraws`, and `promises = "nothing"`.
"""

import json
import warnings
from contextlib import suppress
from dataclasses import FrozenInstanceError, fields

import networkx as nx
import numpy as np
import pytest

import shoal
from method_cases import ALL, CASES, case, quietly, released
from shoal.errors import BadParameter, CannotPromise, Notice, ShoalError
from shoal.methods import METHODS, Method, find_method
from shoal.release.manifest import describe_release
from shoal.release.verify import verify_release

pytestmark = pytest.mark.usefixtures("brief_searches")

every_method = pytest.mark.parametrize(("name", "i"), ALL, ids=str)


def test_no_method_is_forgotten():
    assert list(CASES) == list(METHODS)
    kinds = {kind for kind in every_kind(Method) if kind.__module__.startswith("shoal.") and "shell" in vars(kind)}
    assert {kind.shell for kind in kinds} - {"pipeline"} == set(METHODS)
    assert {kind.__name__ for kind in kinds} <= set(shoal.methods.__all__)


def every_kind(kind):
    for name in METHODS:
        find_method(name)
    return {kind, *(below for child in kind.__subclasses__() for below in every_kind(child))}


@every_method
def test_it_describes_itself(name, i):
    method, _ = case(name, i)
    assert method.shell == name
    for told_of in (method.changes, method.protects, method.promises, method.source):
        assert told_of
        assert not told_of.endswith(".")
    assert method.works_on in ("links", "tables", "both")
    assert type(method).__doc__.count("Examples")


@every_method
def test_it_is_frozen_and_its_repr_can_be_evaluated(name, i):
    method, _ = case(name, i)
    assert eval(repr(method), vars(shoal.methods) | vars(shoal.knowledge)) == method
    with pytest.raises(FrozenInstanceError):
        method.shell = "other"
    for field in fields(method):
        with pytest.raises(FrozenInstanceError):
            setattr(method, field.name, None)


@pytest.mark.slow
@every_method
def test_its_guarantee_holds_when_verified_again(name, i):
    release = released(name, i)
    method = release.method
    assert (method.promises == "nothing") == (release.promises == ())
    assert len(release.verification) == len(release.promises)
    assert verify_release(release).verification == release.verification


@pytest.mark.slow
@every_method
def test_the_input_is_untouched(name, i):
    method, data = case(name, i)
    before = repr(data) if isinstance(data, dict) else (sorted(data.edges), repr(dict(data.nodes(data=True))))
    quietly(method, data)
    after = repr(data) if isinstance(data, dict) else (sorted(data.edges), repr(dict(data.nodes(data=True))))
    assert before == after


@pytest.mark.slow
@every_method
def test_the_same_seed_gives_the_same_release(name, i):
    method, data = case(name, i)
    a, b = released(name, i), quietly(method, data)
    assert a.data == b.data
    assert a.promises == b.promises
    assert a.measured == b.measured
    assert all(x.alike(b.table[column]) for column, x in a.table.columns.items())


@pytest.mark.slow
@every_method
def test_edits_lead_from_the_original_to_the_release(name, i):
    """Unless all links are drawn again, the edits are the difference of the edge sets."""
    method, data = case(name, i)
    if isinstance(data, dict):
        return
    release = released(name, i)
    if method.redraws:
        assert release.edits is None
        return
    before, after = ({frozenset(e) for e in g.to_networkx().edges} for g in (release.original, release.data))
    assert {frozenset(e) for e in release.edits.added} == after - before
    assert {frozenset(e) for e in release.edits.removed} == before - after
    assert release.edits.ratio == pytest.approx((len(after - before) + len(before - after)) / len(before))


@pytest.mark.slow
@every_method
def test_vertices_are_kept_if_keeps_vertices_is_true(name, i):
    release = released(name, i)
    method = release.method
    if method.keeps_vertices:
        assert list(release.data.names) == list(release.original.names)
    else:
        assert list(release.data.names) != list(release.original.names)


@every_method
def test_the_public_page_contains_no_secret(name, i, tmp_path):
    release = released(name, i)
    method = release.method
    file = tmp_path / "x.csv"
    file.write_text("")
    page = describe_release(release, [file])
    assert '"seed"' not in json.dumps(page)
    assert set(page["measured"]) <= {name for name in release.measured if method.reason_to_publish(name)}
    assert set(method.secret) & set(page["method"]) <= {"classes"}  # a column that makes them may be named


@every_method
def test_the_saved_file_keeps_the_guarantee(name, i, tmp_path, shell):
    """The command line reads the saved file without knowing how it was made."""
    release = released(name, i)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        release.save(tmp_path / "safe.graphml" if release.data.m else tmp_path / "safe.csv", seed=2**70)
    counted = [p for p in release.promises if isinstance(p, shoal.release.Promise) and p.source == "release"]
    for promise in counted:
        if promise.vertices == "all":
            table = [] if release.data.m else ["--table"]
            where = tmp_path / ("safe.graphml" if release.data.m else "safe.csv")
            code, out, err = shell("check", where, *table, "--knows", promise.knowledge.spec, "--at-least", promise.k)
            assert code == 0, (out, err)


@every_method
def test_bad_data_is_refused_with_a_message(name, i):
    method, _ = case(name, i)
    for nothing in (nx.Graph(), [], {}):
        with pytest.raises(ShoalError):
            quietly(method, nothing)


@every_method
def test_more_candidates_than_individuals_are_refused(name, i):
    options, data = CASES[name][i]
    if "k" not in options:
        return
    many = find_method(name)(**options | {"k": 10_000})
    with pytest.raises(ShoalError, match=r"at most|must"):
        quietly(many, data())


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in METHODS if find_method(name).works_on == "links"])
@pytest.mark.parametrize("g", [nx.empty_graph(4), nx.complete_graph(5), nx.star_graph(4), nx.path_graph(2)], ids=str)
def test_extreme_networks_give_a_release_or_an_error(name, g):
    options, _ = CASES[name][0]
    with suppress(CannotPromise, BadParameter):
        release = quietly(find_method(name)(**options), g)
        assert len(release.verification) == len(release.promises)
        assert release.data.n or not release.promises


@pytest.mark.parametrize("name", [name for name in METHODS if find_method(name).works_on != "tables"])
def test_multigraphs_are_refused(name):
    options, data = CASES[name][0]
    g = nx.MultiGraph(data())
    g.add_edges_from([(a, b) for a, b, _ in g.edges][:2])
    graph = shoal.as_graph(g, multigraph=True)
    assert np.any(graph.multiplicity > 1)
    with pytest.raises(ShoalError):
        quietly(find_method(name)(**options), graph)
