"""Scenarios: presets, files, weaknesses, and the judgment against a count by hand."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import graphs
from messages import tells
from shoal import Scenario
from shoal.errors import BadFile, BadParameter
from shoal.risk.scenario import (
    KEYS,
    PRESETS,
    as_scenario,
    combine_decisions,
    count_required_candidates,
    find_people,
    judge_risks,
    record_judgment,
    record_policy,
)
from shoal.shares import parse_share, spell_share


def test_the_presets_are_as_declared():
    numbers = {name: (one.k, one.allow) for name, one in PRESETS.items()}
    assert numbers == {"public": (12, 0), "agreement": (5, Fraction(1, 50)), "internal": (3, Fraction(1, 20))}
    usual = {"degree", "neighbors:1", "quasi-identifiers", "degree+quasi-identifiers"}
    assert set(PRESETS["internal"].knows) == set(PRESETS["agreement"].knows) == usual
    assert set(PRESETS["public"].knows) == usual | {"counts:1", "degrees:1", "refinement:2"}
    assert as_scenario(None) is PRESETS["agreement"]
    assert all(one.list_weaknesses() == () for one in PRESETS.values())


@pytest.mark.parametrize("scenario", [*PRESETS.values(), Scenario("a", ["orbit"], 2, "1/3", decided_by="b")])
def test_a_scenario_is_what_its_repr_says(scenario):
    assert eval(repr(scenario), {"Scenario": Scenario}) == scenario


def test_a_threshold_is_another_way_to_write_k():
    for k in range(2, 200):
        assert count_required_candidates(Fraction(1, k)) == k
    assert [count_required_candidates(risk) for risk in (0.09, "0.09", 0.2, 0.33, "9%")] == [12, 12, 5, 4, 12]
    for wrong in (0, 1, 1.5, -0.1, "low", True):
        with pytest.raises(BadParameter):
            count_required_candidates(wrong)


@given(st.fractions(min_value=0, max_value=1).filter(lambda share: share < 1))
def test_a_share_survives_its_spelling(share):
    if len(spell_share(share)) <= 40:
        assert parse_share(spell_share(share), "test", "share") == share


@pytest.mark.parametrize(
    "wrong", ["2 percent", "-1%", "100%", 1, -0.1, "", "nan", "1/0", True, None, "9" * 100, "1e-999999999"]
)
def test_a_wrong_share_is_refused(wrong):
    with pytest.raises(BadParameter, match="share"):
        parse_share(wrong, "check", "allow")


def judge_by_hand(data, specs, k, allow, original=None):
    """Count each person once, as the definition says."""
    risks = [shoal.assess(data, spec, original=original) for spec in specs]
    sizes = [[int(risk.sizes[v]) for risk in risks] for v in range(len(risks[0].sizes))]
    there = [v for v in range(len(sizes)) if original is None or risks[0].names[v] in data.names]
    below = [v for v in there if any(0 < size < k for size in sizes[v])]
    misled = [v for v in there if v not in below and 0 in sizes[v]]
    share = Fraction(len(below), len(there))
    gone = all(size == 0 for v in there for size in sizes[v])
    verdict = "fail" if share > allow else "cannot tell" if gone else "pass"
    return len(there), len(below), len(misled), verdict


@settings(max_examples=60)
@given(graphs(least=2, most=8), st.integers(1, 5), st.sampled_from([0, Fraction(1, 8), Fraction(1, 4), Fraction(1, 2)]))
def test_the_judgment_is_the_count_by_hand(g, k, allow):
    specs = ["degree", "neighbors:1", "refinement:2"]
    graph = shoal.as_graph(g)
    found = judge_risks([shoal.assess(graph, spec) for spec in specs], Scenario("hand", specs, k, allow))
    assert (found.people, found.below, found.misled, found.verdict) == judge_by_hand(graph, specs, k, allow)
    assert found.unproved == 0
    less = nx.Graph(g)
    less.remove_edges_from(list(g.edges)[:1])
    specs, release = ["degree", "neighbors:1"], shoal.as_graph(less)
    risks = [shoal.assess(release, spec, original=graph) for spec in specs]
    found = judge_risks(risks, Scenario("hand", specs, k, allow))
    assert (found.people, found.below, found.misled, found.verdict) == judge_by_hand(release, specs, k, allow, graph)


def test_shares_are_compared_exactly():
    star = shoal.as_graph(nx.star_graph(49))  # 50 vertices, the center is unique
    risks = [shoal.assess(star, "degree")]
    verdicts = [judge_risks(risks, Scenario("s", ["degree"], 2, allow)).verdict for allow in ("2%", "1.9999%")]
    assert verdicts == ["pass", "fail"]


def test_a_search_that_was_cut_short_cannot_pass(monkeypatch):
    ring, scenario = nx.cycle_graph(12), Scenario("s", ["subgraph:3"], 12)
    assert judge_risks([shoal.assess(ring, "subgraph:3")], scenario).verdict == "pass"
    monkeypatch.setattr("shoal.knowledge.subgraph.SEARCH_STEPS", 1)
    risk = shoal.assess(ring, "subgraph:3")
    found = judge_risks([risk], scenario)
    assert (found.below, found.unproved, found.verdict) == (0, 12, "cannot tell")
    assert judge_risks([risk], Scenario("s", ["subgraph:3"], 13)).verdict == "fail"
    assert judge_risks([risk], scenario, proved=["subgraph:3"]).verdict == "pass"


def test_whom_nobody_fits_is_misled_and_whose_number_is_a_bound_is_not_proved():
    """Also a single candidate, where k is 1."""
    risk = shoal.assess(nx.path_graph(4), "degree")
    cut = replace(risk, sizes=np.array([0, 1, 2, 3]), exact_sizes=np.zeros(4, dtype=np.bool_))
    for k, expected in ((1, ([], [1, 2, 3], [0])), (3, ([1, 2], [3], [0]))):
        assert tuple(np.flatnonzero(who).tolist() for who in find_people([cut], k)) == expected


def test_people_left_out_of_the_release_do_not_count():
    path = shoal.as_graph(nx.path_graph(5))
    part = shoal.as_graph(nx.path_graph(4))
    with pytest.warns(shoal.Notice):
        found = judge_risks([shoal.assess(part, "degree", original=path)], Scenario("s", ["degree"], 2))
    assert found.people == 4


def test_decisions_combine():
    assert combine_decisions(["pass", "pass"]) == "pass"
    assert combine_decisions(["pass", "fail", "cannot tell"]) == "fail"
    assert combine_decisions(["pass", "cannot tell"]) == combine_decisions([]) == "cannot tell"


def test_quasi_identifiers_stand_for_the_named_columns():
    village = shoal.examples.village()
    kinds = PRESETS["agreement"].choose_kinds(village, ["age", "sex"])
    assert [kind.spec for kind in kinds.values()] == [
        *("degree", "neighbors:1", "columns:age,sex", "degree+columns:age,sex")
    ]
    assert list(PRESETS["agreement"].choose_kinds(village)) == ["degree", "neighbors:1"]
    table = village.attributes.only(["age", "income"])
    assert [kind.spec for kind in PRESETS["public"].choose_kinds(table, (), ["income"]).values()] == ["columns:age"]
    with pytest.raises(BadParameter, match="no kind of knowledge"):
        Scenario("links", ["degree"], 2).choose_kinds(table)


def test_a_weaker_scenario_says_in_what():
    weak = Scenario("weak", ["neighbors:1"], 3, "5%")
    assert tells(" ".join(weak.list_weaknesses()), "k is 3", "5 %", "degree", "quasi-identifiers")
    finer = Scenario("finer", ["adjacency", "degree+quasi-identifiers"], 5, "2%")
    assert finer.list_weaknesses() == ()  # all neighbors tell the number of links and any neighbor
    assert PRESETS["agreement"].with_k(3).list_weaknesses() == ("k is 3; agreement has 5",)
    assert PRESETS["agreement"].with_k(5) is PRESETS["agreement"]
    assert PRESETS["agreement"].with_k(7).list_weaknesses() == ()


FILE = """
base = "internal"
k = 4
allow = "3%"
decided_by = "The data committee"

[[knows]]
spec = "degree"
sentence = "Friends count friends."

[[knows]]
spec = "quasi-identifiers+neighbors:1"
"""


def test_a_file_declares_a_scenario(tmp_path):
    file = tmp_path / "ours.toml"
    file.write_text(FILE)
    found = as_scenario(str(file))
    assert found == Scenario(
        "ours",
        ["degree", "quasi-identifiers+neighbors:1"],
        4,
        "3%",
        base="internal",
        decided_by="The data committee",
        sentences=["Friends count friends.", ""],
    )
    file.write_text('name = "as the base"\nthreshold = 0.09')
    same = Scenario.read(file)
    assert (same.name, same.k, same.allow, same.knows) == ("as the base", 12, Fraction(1, 50), found_base().knows)


def found_base():
    return PRESETS["agreement"]


def test_the_file_in_the_docs_has_every_key(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    text = re.findall(r"^```toml\n(.*?)^```", page, flags=re.M | re.S)[0]
    assert all(re.search(rf"\b{key}\b", text) for key in (*KEYS, "spec", "sentence"))
    file = tmp_path / "school.toml"
    file.write_text(text, encoding="utf-8")
    found = Scenario.read(file)
    assert (found.name, found.k, found.allow, found.base) == ("school survey", 4, Fraction(3, 100), "agreement")
    assert found.knows == ("degree", "neighbors:1+quasi-identifiers")
    weak = " ".join(found.list_weaknesses())
    assert tells(weak, "k is 4", "3 %")


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("knows = 3", ["knows", "3"]),
        ('base = "agrement"', ["agrement", "agreement"]),
        ("kk = 3", ["kk", "Did you mean 'k'"]),
        ("k = true", ["k", "True"]),
        ("k = 0", ["k", "0"]),
        ('knows = ["degree"]', ["[[knows]]", "'degree'"]),
        ('k = "3"', ["k", "'3'"]),
        ("k = 3\nthreshold = 0.3", ["threshold", "both"]),
        ("allow = 2", ["allow", "2"]),
        ("threshold = 0.0", ["threshold"]),
        ("publish_decider = 1", ["publish_decider", "true or false"]),
        ("[[knows]]\nsentence = 'x'", ["spec"]),
        ("[[knows]]\nspec = 'degree'\nwhy = 'x'", ["why"]),
        ("[[knows]]\nspec = 'degre'", ["degre", "degree"]),
        ("[[knows]]\nspec = 'degree'\n[[knows]]\nspec = 'degree'", ["twice"]),
        ("k = ", ["TOML"]),
        ("k = " + "9" * 5_000, ["TOML"]),
        ("k = " + "[" * 20_000, ["nested levels"]),
        ("a." * 20_000 + "a = 1", ["100 dots"]),
        ("#" * 1_000_001, ["1,000,000 characters"]),
    ],
)
def test_a_wrong_file_is_refused(text, facts, tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(text)
    with pytest.raises(BadFile) as caught:
        Scenario.read(file)
    assert tells(str(caught.value), "wrong.toml", *facts)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(shoal.ShoalError, match=r"gone\.toml"):
        as_scenario(tmp_path / "gone.toml")
    (tmp_path / "latin.toml").write_bytes(b'name = "\xff"')
    with pytest.raises(BadFile):
        as_scenario(tmp_path / "latin.toml")


def test_what_may_be_published_of_a_scenario():
    full = Scenario("s", ["degree"], 3, "2%", decided_by="board", sentences=["known"], publish_decider=True)
    rule = {"name": "s", "knows": ["degree"], "k": 3, "allow": "2%"}
    assert record_policy(full) == rule | {"decided by": "board"}
    told = Scenario("s", ["degree"], 3, "2%", decided_by="board", sentences=["known"], publish_sentences=True)
    assert record_policy(told) == rule | {"sentences": ["known"]}
    silent = Scenario("s", ["degree"], 3, "2%", decided_by="board", sentences=["known"])
    assert record_policy(silent) == rule
    assert record_policy(Scenario("s", ["degree"], 3, "2%", publish_decider=True, publish_sentences=True)) == rule
    assert (silent.publish_decider, silent.publish_sentences, silent.base) == (False, False, "agreement")


def test_other_knowledge_changes_the_name():
    agreed = PRESETS["agreement"]
    kinds = [shoal.parse_knowledge(spec) for spec in ("orbit", "degree")]
    other = agreed.with_kinds(kinds)
    assert (other.knows, other.base, other.k) == (("orbit", "degree"), "agreement", 5)
    assert other.name == "agreement with other knowledge"
    assert other.with_kinds(kinds) is other
    own = Scenario("own", ["degree"], 3, base="internal", sentences=["known"])
    changed = own.with_kinds(kinds)
    assert (changed.base, changed.sentences, changed.k) == ("internal", (), 3)
    more = own.with_k(4)
    assert (more.base, more.sentences, more.name) == ("internal", ("known",), "own with k = 4")
    assert agreed.with_k(4).base == "agreement"
    assert agreed.with_k(5) is agreed


def test_a_scenario_without_kinds_for_the_data_is_refused():
    columns = Scenario("s", ["quasi-identifiers"], 2)
    with pytest.raises(BadParameter, match=r"'s' has no kind of knowledge for this network\."):
        columns.choose_kinds(shoal.examples.karate())
    links = Scenario("s", ["degree"], 2)
    table = shoal.as_table({"a": [1, 1]})
    with pytest.raises(BadParameter, match=r"for this table\."):
        links.choose_kinds(table)
    assert list(columns.choose_kinds(table)) == ["quasi-identifiers"]
    assert list(columns.choose_kinds(table, ("a", "b")).values()) == [shoal.knowledge.Columns("a")]
    with pytest.raises(BadParameter):
        columns.choose_kinds(table, (), ["a"])
    both = Scenario("s", ["columns:a", "quasi-identifiers"], 2)
    assert list(both.choose_kinds(table, ("a",))) == ["columns:a"]  # the same kind counts once


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"name": " "}, "'name'"),
        ({"knows": ()}, "'knows'"),
        ({"knows": [3]}, "'knows'.*Got 3"),
        ({"sentences": ["a", "b"]}, "'sentences'"),
        ({"knows": ["nothing"]}, "nothing"),
        ({"k": 0}, "'k' must be"),
        ({"allow": 1}, "'allow'"),
        ({"base": "agrement"}, "agreement"),
        ({"name": "public"}, "another name"),
    ],
)
def test_a_wrong_scenario_is_refused(wrong, says):
    with pytest.raises(BadParameter, match=says):
        Scenario(**({"name": "s", "knows": ["degree"], "k": 2} | wrong))
    one = Scenario("s", "degree", 2)
    assert one.knows == Scenario("s", shoal.knowledge.Degree(), 2).knows == ("degree",)
    assert Scenario("s", ["degree", "degree"], 2).knows == ("degree",)


def test_a_judgment_as_plain_data():
    ring = shoal.as_graph(nx.cycle_graph(5))
    found = judge_risks([shoal.assess(ring, "degree")], Scenario("s", ["degree"], 5))
    plain = {"facts": "release", "verdict": "pass", "people": 5, "below": 0, "unproved": 0, "misled": 0}
    assert record_judgment(found) == plain
    assert "PASS" in found._repr_html_().upper()
    assert judge_risks([shoal.assess(ring, "degree", original=ring)], Scenario("s", ["degree"], 5)).facts == "original"
