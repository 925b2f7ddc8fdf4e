"""Recommendations: the guarantee of the recommended method covers the knowledge, and no offered method is cheaper."""

import json
import warnings

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, Notice, ShoalError
from shoal.knowledge import parse_knowledge
from shoal.methods import METHODS

pytestmark = pytest.mark.usefixtures("brief_searches")

COVERED = [
    "degree", "refinement:2", "counts:1", "degrees:1", "neighborhood:1", "subgraph:2", "neighbors:1", "neighbors:2",
    "relations:1", "located-relations:1", "shared-neighbors:1", "adjacency", "orbit", "degree+neighbors:1",
]  # fmt: skip
NOT_COVERED = ["hubs:1", "degree+hubs:1", "adjacency+columns:age"]


def quietly(*asked, **how):
    """Recommend without the notices of the chosen method, such as that few links are left."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        found = shoal.recommend(*asked, **how)
        assert found.release
        return found


@pytest.mark.slow
@settings(max_examples=8)
@given(g=graphs(least=4, most=8), k=st.integers(2, 3))
@pytest.mark.parametrize("spec", COVERED)
def test_the_recommended_method_protects(spec, g, k):
    try:
        found = quietly(g, spec, k)
    except CannotPromise:
        return
    assert shoal.assess(found.release, spec).k >= k
    assert any(shoal.covers(promise, spec) for promise in found.release.promises)
    assert all(o.cost >= found.offers[0].cost for o in found.offers if o.cost is not None)


@pytest.mark.parametrize("spec", NOT_COVERED)
def test_knowledge_without_a_method_is_refused(spec):
    with pytest.raises(CannotPromise, match="no method has a guarantee"):
        shoal.recommend(shoal.examples.village(), spec, 2)


def test_the_weakest_guarantee_is_chosen_without_trials():
    g = nx.gnm_random_graph(2_000, 21_000, seed=1)
    found = shoal.recommend(g, "degree", 2)
    assert found.method.shell == "match-degrees"
    assert all(offer.release is None for offer in found.offers)
    assert "No method was tried" in found.why
    assert shoal.recommend(g, "neighbors:1", 2).method.shell == "hide-neighbors"
    assert shoal.recommend(g, "refinement:2", 2).method.shell == "equalize-rows"


@pytest.mark.slow
def test_methods_are_tried_on_small_graphs():
    found = shoal.recommend(shoal.examples.karate(), "degree", 3)
    costs = {type(offer.method).__name__: offer.cost for offer in found.offers}
    assert set(costs) == {"MatchDegrees", "MatchNeighborhoods", "EqualizeRows"}
    assert found.offers[0].cost == min(offer.cost for offer in found.offers)
    assert found.release is found.offers[0].release
    assert "Alternative: EqualizeRows" in found.why


def test_only_notices_of_the_chosen_method_are_shown():
    """Equal rows of a path would give a notice about lost links; matching degrees gives none."""
    found = shoal.recommend(nx.path_graph(20), "degree", 5)
    assert found.method.shell == "match-degrees"
    with pytest.warns(Notice, match="EqualizeRows: with k = 5"):
        shoal.recommend(nx.path_graph(20), "orbit", 5).release  # noqa: B018 - made when it is looked at


def test_settings_reach_the_methods_that_have_them():
    found = shoal.recommend(shoal.examples.karate(), "refinement:2", 2, effort=3, seed=5)
    assert (found.method.effort, found.method.seed) == (3, 5)
    with pytest.raises(BadParameter, match="vertices, 34"):
        shoal.recommend(shoal.examples.karate(), "degree", 35)


def test_settings_that_change_a_guarantee_are_refused(shell, tmp_path):
    """With closed classes the guarantee of equal rows is weaker and does not cover the wanted knowledge."""
    for option in (["--closed", "1"], ["--edits", "add"], ["-l", "1"], ["--set", "closed=1"]):
        out = tmp_path / "safe.csv"
        code, _, err = shell("anonymize", "example:karate", "--protect", "relations:2", "-k", 2, *option, "-o", out)
        assert code == 2
        assert "may change the guarantee" in err
        assert not out.exists()


def test_a_release_without_the_wanted_guarantee_is_refused():
    from shoal.methods.recommend import make_release

    club = shoal.examples.karate()
    for method in (
        shoal.methods.EqualizeRows(2, closed=1),
        shoal.methods.EqualizeRows(2, sensitive=(0, 33)),
        shoal.methods.MatchDegrees(2),
    ):
        with pytest.raises(BrokenPromise, match="no guarantee against relations:2"):
            make_release(method, club, parse_knowledge("relations:2"))


def test_tables():
    people = shoal.examples.people(200)
    found = shoal.recommend(people, "columns:age,sex", 3)
    assert found.method == shoal.methods.Mondrian(3, columns=("age", "sex"))
    assert shoal.assess(found.release, "columns:age,sex").k >= 3
    some = shoal.recommend(people, "some-columns:2:age,sex,zip", 3)
    assert some.method.shell == "hide-columns"
    assert any(shoal.covers(promise, "some-columns:2:age,sex,zip") for promise in some.release.promises)


@pytest.mark.slow
def test_in_the_shell(shell, tmp_path):
    out = tmp_path / "safe.csv"
    code, text, err = shell(
        "anonymize", "example:karate", "--protect", "neighbors:2", "-k", 2, "--effort", 20, "-o", out
    )
    assert code == 0, err
    assert text.startswith("HideNeighbors: its guarantee for neighbors:2 covers neighbors:2, since ")
    assert shell("check", out, "--knows", "neighbors:2", "--at-least", 2)[0] == 0
    code, text, _ = shell(
        "anonymize", "example:karate", "--protect", "degree", "-k", 2, "--json", "-o", tmp_path / "b.csv"
    )
    assert code == 0
    assert json.loads(text)["why"].startswith("MatchDegrees")


def test_methods_are_listed(shell, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, text, _ = shell("methods")
    assert code == 0
    assert all(name in text for name in METHODS)
    code, text, _ = shell("methods", "--protect", "neighbors:2", "--json")
    assert [row["method"] for row in json.loads(text)] == ["equalize-rows", "hide-neighbors", "hide-relations"]
    code, text, _ = shell("methods", "--protect", "hubs:3")
    assert code == 0
    assert "No method protects against hubs:3" in text


@pytest.mark.parametrize("width", [60, 100, 113, 160])
@pytest.mark.parametrize("only", [(), ("--protect", "relations:2")])
def test_the_list_of_methods_fits_and_wraps_no_word(shell, monkeypatch, width, only):
    monkeypatch.setenv("COLUMNS", str(width))
    _, text, _ = shell("methods", *only)
    rows = json.loads(shell("methods", *only, "--json")[1])
    assert {word for row in rows for cell in row.values() for word in cell.split()} <= set(text.split())
    assert all(f"  {head}" in text for head in ("works on", "protects against", "guarantees", "changes", "source"))
    if width >= 100:
        assert max(map(len, text.splitlines()[:-1])) <= width  # the last line says how to run one


@pytest.mark.slow
def test_every_covered_kind_has_a_reason():
    for spec in COVERED:
        found = quietly(shoal.examples.florentine(), spec, 2)
        assert found.adversary == parse_knowledge(spec)
        assert found.offers[0].covers in found.why


def test_a_second_attacker_is_not_ignored(shell, tmp_path):
    for command in (["anonymize", "example:karate", "-k", "2", "-o", tmp_path / "safe.csv"], ["methods"]):
        code, _, err = shell(*command, "--protect", "degree", "--protect", "neighbors:1")
        assert code == 2
        assert "--protect degree+neighbors:1" in err
    assert list(tmp_path.iterdir()) == []


def test_notes_are_in_the_json(shell, tmp_path):
    out = tmp_path / "noisy.csv"
    code, text, _ = shell("anonymize", "example:florentine", "--method", "perturb", "--add", "0.1", "--json", "-o", out)
    assert code == 0
    said = json.loads(text)
    assert said["nothing is promised"] is True
    assert any("NOTHING IS GUARANTEED" in note for note in said["private"]["notes"])
    public = json.loads((tmp_path / "noisy.csv.release.json").read_text())
    assert "private" not in public
    assert public["nothing is promised"] is True


def test_a_release_without_a_guarantee_is_refused():
    with pytest.raises(BadParameter, match="a promise or a release"):
        shoal.covers("adjacency", "degree")
    release = shoal.methods.MatchDegrees(2)(nx.path_graph(6))
    assert shoal.covers(release, "degree")
    assert not shoal.covers(release, "neighbors:1")


def test_unknown_columns_are_refused():
    with pytest.raises(ShoalError, match="age"):
        shoal.recommend(nx.path_graph(6), "columns:age", 2)


def test_a_misspelled_method_is_suggested(shell, tmp_path):
    code, _, err = shell("anonymize", "example:karate", "--method", "match-degree", "-k", 2, "-o", tmp_path / "x.csv")
    assert code == 2
    assert "Did you mean 'match-degrees'" in err


@pytest.mark.slow
def test_a_method_that_changes_more_links_than_accepted_is_not_recommended():
    club = shoal.examples.florentine()
    cheapest = shoal.recommend(club, "degree", 3, seed=1)
    many = cheapest.offers[0].cost
    assert shoal.recommend(club, "degree", 3, most_edits=many, seed=1).method == cheapest.method
    with pytest.raises(CannotPromise, match=rf"at most {many - 1:,} .* {many:,}"):
        shoal.recommend(club, "degree", 3, most_edits=many - 1, seed=1)
    with pytest.raises(BadParameter, match="most_edits"):
        shoal.recommend(club, "degree", 3, most_edits=many, measure=False)
