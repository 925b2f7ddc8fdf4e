"""The verdict of an audit: what is promised, what was not sought, and who is misled."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from audit_cases import KINDS, METHODS
from conftest import graphs


def covered(audit):
    """The attacker models that a recounted guarantee covers."""
    return {one.knows for one in audit.verdict.judgments if one.covered}


@pytest.mark.slow
def test_a_release_is_judged_by_the_worse_of_two_ways_to_know(people, matched):
    data = shoal.audit(people, matched, k=3, threshold=0.2)
    rows = data.after.release_facts, data.after.original_facts
    inside, facts = ({r.knows: r.verdict for r in group} for group in rows)
    for spec, verdict in inside.items():
        promised = spec in data.verdict.by_guarantee
        assert (spec in data.verdict.select("pass")) == (verdict == facts[spec] == "pass" or promised)
        assert (spec in data.verdict.select("fail")) == ("fail" in (verdict, facts[spec]))
    assert set(data.verdict.by_guarantee) <= {"degree"}


def test_who_is_misled_never_passes_unless_it_is_promised(people, released):
    data = shoal.audit(people, released, k=3, threshold=1 / 3, knowledge=KINDS, attacks=())
    facts = {r.knows: r for r in data.after.original_facts}
    assert any(r.misled and r.doubts == ("misled",) and r.k >= 3 for r in facts.values())
    assert all(r.verdict != "pass" for r in facts.values() if r.misled)
    assert {"degree", "neighbors:2", "adjacency", "orbit"} <= set(data.verdict.select("pass"))
    assert not {"subgraph:2", "hubs:3"} & covered(data)  # a piece may be another one in the release
    bare = shoal.audit(people, released.data, k=3, threshold=1 / 3, knowledge=KINDS, attacks=()).verdict
    assert bare.by_guarantee == ()
    assert all(not facts[spec].misled for spec in bare.select("pass"))


def test_a_promise_below_the_threshold_decides_nothing(people, released):
    data = shoal.audit(people, released, k=3, threshold=0.3, knowledge=KINDS, attacks=())
    assert not covered(data)
    assert data.verdict.by_guarantee == ()


@pytest.mark.slow
@settings(max_examples=25)
@given(graphs(least=4, most=8), st.sampled_from([shoal.methods.EqualizeRows, shoal.methods.MatchDegrees]))
def test_what_is_promised_never_fails_by_facts_of_the_original(g, method):
    """The argument behind the rule: facts of the original fit nobody, or as many as the promise says."""
    graph = shoal.as_graph(g)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)  # a few vertices may become very different
        try:
            release = method(k=2, seed=1)(graph)
        except shoal.ShoalError:
            return
    data = shoal.audit(graph, release, k=2, threshold=0.5, knowledge=KINDS[:-1], attacks=())
    facts = {r.knows: r for r in data.after.original_facts}
    for spec in covered(data):
        sizes = shoal.assess(release.data, spec, original=graph).sizes
        assert all(size == 0 or size >= 2 for size in sizes)
        assert facts[spec].verdict != "fail"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rows", "degrees", "edits", "drawn", "table"])
def test_less_that_is_looked_at_never_passes_more(name, people, tmp_path):
    data = people.attributes if name == "table" else people
    release = METHODS[name](data)
    how = {"k": 3, "threshold": 1 / 3, "columns": ["age"], "attacks": ()}
    inside, outside = (shoal.audit(data, release, external=e, **how).verdict for e in (False, True))
    alone = shoal.audit(data, release, same_names=False, **how).verdict
    for less in (outside, alone):
        assert set(less.select("pass")) <= set(inside.select("pass"))
        assert set(less.select("pass")) == set(less.by_guarantee)
        assert len(less.release_facts_only) == len(less.judgments)
    assert inside.release_facts_only == ()


def test_what_was_not_sought_is_said(people, released):
    for how in ({"same_names": False}, {"external": True}):
        found = shoal.audit(people, released, knowledge=["degree"], attacks=(), **how)
        assert "facts from the release alone" in repr(found)
    assert "facts from the release alone" not in repr(shoal.audit(people, released, knowledge=["degree"], attacks=()))
