"""Pipelines: all guarantees hold at the end, or the pipeline fails."""

import warnings

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from shoal.errors import BadParameter, CannotPromise
from shoal.methods import EqualizeRows, HideNeighbors, MatchDegrees, Pipeline
from shoal.report.text.releases import describe_method

BOTH = MatchDegrees(2) >> HideNeighbors(2)


def quietly(method, data):
    """Call a method without its notices, such as that many links changed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        return method(data)


def diamond():
    g = nx.complete_graph(4)
    g.remove_edge(0, 1)
    return g


@pytest.mark.slow
@settings(max_examples=60)
@given(
    g=graphs(least=3, most=9), k=st.integers(1, 3), turned=st.booleans(), edits=st.sampled_from(["add", "add-delete"])
)
def test_every_guarantee_holds_at_the_end_or_the_pipeline_fails(g, k, turned, edits):
    steps = (MatchDegrees(k, edits=edits), HideNeighbors(k))
    try:
        release = quietly(Pipeline(steps[::-1] if turned else steps), g)
    except CannotPromise:
        return
    degrees = [d for _, d in release.data.to_networkx().degree]
    assert all(degrees.count(d) >= k and (d == 0 or d >= k) for d in degrees)  # both promises, without shoal
    assert {p.knowledge.spec for p in release.promises} == {"degree", "neighbors:1"}
    assert release.original == shoal.as_graph(g)


def test_most_pipelines_of_the_papers_kind_succeed():
    """The law above allows failures; this test shows that they are rare."""
    networks = [shoal.examples.karate(), shoal.examples.les_miserables(), shoal.examples.florentine()]
    for k in (2, 3, 5):
        for g in networks:
            release = quietly(MatchDegrees(k) >> HideNeighbors(k), g)
            assert shoal.assess(release, "degree").k >= k <= shoal.assess(release, "neighbors:1").k


def test_a_broken_guarantee_of_an_earlier_step_starts_another_round():
    g = nx.barabasi_albert_graph(60, 1, seed=4)
    once = HideNeighbors(4)(MatchDegrees(4)(g).data)
    assert shoal.assess(once, "degree").k < 4
    release = (MatchDegrees(4) >> HideNeighbors(4))(g)
    assert release.measured["rounds"] > 1
    assert shoal.assess(release, "degree").k >= 4


def test_both_guarantees_do_not_imply_their_combination():
    release = BOTH(diamond())
    assert release.edits.ratio == 0
    assert release.measured["k against degree+neighbors:1"] == 1
    assert all(promise.knowledge.spec != "degree+neighbors:1" for promise in release.promises)


def test_the_combination_is_guaranteed_only_if_it_holds():
    with pytest.raises(CannotPromise, match=r"degree\+neighbors:1.*1"):
        Pipeline((MatchDegrees(2), HideNeighbors(2)), together=True)(diamond())
    ring = Pipeline((MatchDegrees(2), HideNeighbors(2)), together=True)(nx.cycle_graph(6))
    assert ring.promises[-1].knowledge.spec == "degree+neighbors:1"
    assert len(ring.verification) == 3


def test_a_guarantee_about_the_original_refers_to_the_first_graph():
    """Additions only, after a step that removes edges: a neighbor known by a removed edge leads to wrong candidates."""
    steps = (HideNeighbors(2, add_only=True) >> MatchDegrees(2))(nx.path_graph(6))
    told = [p for p in steps.promises if p.source == "original"]
    assert len(told) == 1
    assert shoal.assess(steps.data, "neighbors:1", original=steps.original).k >= 2


def test_a_partial_guarantee_is_counted_after_the_last_step():
    """A number that only the release in the middle has would tell something about it."""
    few = shoal.methods.ReduceRisk("counts:1", k=3, budget=0)
    release = quietly(few >> EqualizeRows(3, seed=1), shoal.examples.karate())
    protected, of = next((p.protected, p.of) for p in release.promises if hasattr(p, "protected"))
    assert few(shoal.examples.karate()).promises[0].protected < protected
    assert protected == of - len(shoal.assess(release, "counts:1").at_risk(3)) == 34


def test_steps_that_undo_each_other_end_in_an_error():
    class Cut(shoal.methods.MatchDegrees):
        def __call__(self, data):
            g = nx.star_graph(5)
            return super().__call__(g) if False else shoal.Release(shoal.as_graph(data), shoal.as_graph(g), (), self)

    with pytest.raises(CannotPromise, match=r"2 rounds.*2"):
        (MatchDegrees(2) >> Cut(2))(nx.star_graph(5))


def test_together_is_refused_if_guarantees_cannot_be_combined():
    some = EqualizeRows(2, sensitive=(0, 33))
    with pytest.raises(CannotPromise, match="'together' must combine"):
        quietly(Pipeline((some, MatchDegrees(2)), together=True), shoal.examples.karate())


def test_noise_is_made_once_and_its_seed_is_kept(tmp_path):
    club = shoal.examples.karate().without_attributes()
    noisy = (MatchDegrees(3, seed=7) >> shoal.methods.Perturb(add=3) >> MatchDegrees(3, seed=7))(club)
    assert noisy.seed[0] == noisy.seed[2] == 7
    assert noisy.seed[1] > 2**64
    with pytest.warns(shoal.Notice, match="can be guessed"):
        noisy.save(tmp_path / "safe.csv", tmp_path / "secret.csv", seed=1)
    assert str(noisy.seed[1]) in (tmp_path / "secret.csv").read_text()
    assert str(noisy.seed[1]) not in (tmp_path / "safe.csv.release.json").read_text()
    given = (shoal.methods.Perturb(add=5, seed=1) >> MatchDegrees(2))(club)
    assert any("guesses the seed" in note for note in given.notes)
    assert not any("NOTHING IS GUARANTEED" in note for note in given.notes)
    broken = quietly(MatchDegrees(2) >> shoal.methods.Perturb(add=3, seed=4), club)
    assert broken.measured["rounds"] > 1
    assert len(set(broken.data.to_networkx().edges) - set(club.to_networkx().edges)) < 12


def test_notes_that_hold_for_a_single_method_only_are_dropped():
    """With a second guarantee, a note that only degrees or only shared neighbors are hidden is not true."""
    for first in (MatchDegrees(3), shoal.methods.ShareNeighbors(3, 1)):
        assert set(first.alone) & set(first(shoal.examples.les_miserables()).notes)
        both = quietly(first >> HideNeighbors(3), shoal.examples.les_miserables())
        assert not set(first.alone) & set(both.notes)
        below = (shoal.assess(both, f"{both.promises[0].knowledge.spec}+neighbors:1").sizes < 3).any()
        assert any("knows both facts at once" in note for note in both.notes) == below


def test_notes_of_every_step_are_kept():
    new = quietly(MatchDegrees(3, edits="add-vertices") >> HideNeighbors(3), shoal.examples.karate())
    assert any("no real person" in note for note in new.notes)


def test_nested_pipelines_are_flattened():
    three = BOTH >> EqualizeRows(2)
    assert len(three.steps) == 3
    assert three == MatchDegrees(2) >> (HideNeighbors(2) >> EqualizeRows(2))
    assert eval(repr(three), vars(shoal.methods)) == three


def test_secrets_of_the_steps_are_not_shown(tmp_path):
    release = (MatchDegrees(2, seed=7) >> HideNeighbors(2, seed=8))(nx.path_graph(6))
    assert "seed" not in describe_method(release.method)
    release.save(tmp_path / "safe.csv", seed=2**70)
    page = (tmp_path / "safe.csv.release.json").read_text()
    assert "seed" not in page
    assert '"match-degrees"' in page


@pytest.mark.parametrize(
    "step",
    [shoal.methods.Microaggregate(2), shoal.methods.Confuse(2), shoal.methods.Generalize(2)],
    ids=lambda s: s.shell,
)
def test_only_methods_that_edit_links_or_recode_columns_can_be_steps(step):
    with pytest.raises(BadParameter, match=f"Got {type(step).__name__}"):
        MatchDegrees(2) >> step


def test_steps_must_be_methods():
    with pytest.raises(TypeError):
        MatchDegrees(2) >> 3
    with pytest.raises(BadParameter, match="two methods or more"):
        Pipeline((MatchDegrees(2),))
    with pytest.raises(BadParameter, match="methods, such as"):
        Pipeline((MatchDegrees(2), "hide-neighbors"))


def test_in_the_shell(shell, tmp_path):
    out = tmp_path / "safe.csv"
    steps = ["--method", "match-degrees", "-k", 3, "--then", "hide-neighbors:l=1"]
    code, text, err = shell("anonymize", "example:karate", *steps, "-o", out)
    assert code == 0, err
    assert "k against degree+neighbors:1: " in text
    for spec in ("degree", "neighbors:1"):
        assert shell("check", out, "--knows", spec, "--at-least", 3)[0] == 0
    code, _, err = shell("anonymize", "example:karate", *steps, "--together", "-o", tmp_path / "b.csv")
    assert code == 2
    assert "degree+neighbors:1" in err
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--method", "match-degrees", "-k", "2", "--then", "hide-nieghbors"], "Did you mean 'hide-neighbors'"),
        (["--method", "match-degrees", "-k", "2", "--then", "hide-neighbors:x=1"], "has no option"),
        (["--method", "match-degrees", "-k", "2", "--together"], "must come with '--then'"),
        (["--protect", "degree", "-k", "2", "--then", "hide-neighbors"], "must follow '--method'"),
        (["--protect", "degree", "--method", "match-degrees", "-k", "2"], "Got both"),
        (["-k", "2"], "Got neither"),
        (["--protect", "degree"], "needs -k"),
        (["--protect", "degre", "-k", "2"], "Did you mean 'degree'"),
        (["--protect", "hubs:2", "-k", "2"], "no method has a guarantee against hubs:2"),
    ],
)
def test_invalid_parameters_are_refused(shell, tmp_path, options, told):
    code, _, err = shell("anonymize", "example:karate", *options, "-o", tmp_path / "safe.csv")
    assert code == 2
    assert told in err
    assert list(tmp_path.iterdir()) == []


# Columns are recoded before links are edited.


def test_columns_are_recoded_once_and_all_guarantees_hold():
    club = shoal.as_graph(list(nx.karate_club_graph().edges), attributes={"age": {v: 20 + v for v in range(34)}})
    steps = (shoal.methods.Mondrian(k=8, columns=("age",)), MatchDegrees(2), HideNeighbors(2))
    release = quietly(Pipeline(steps), club)
    assert {p.knowledge.spec for p in release.promises} == {"columns:age", "degree", "neighbors:1"}
    assert [shoal.assess(release, spec).k >= k for spec, k in (("columns:age", 8), ("degree", 2), ("neighbors:1", 2))]
    assert list(release.table["age"]) == list(steps[0](club).table["age"])
    assert not any("not changed" in note for note in release.notes)
    assert release.original == club
