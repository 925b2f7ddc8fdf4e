"""The trade-off of budgets: counts are those of `assess`, the curve never rises, and a budget stands for itself."""

import json
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import shoal
from conftest import end_calls
from shoal import settings
from shoal.auditing.tradeoff import SEARCH, UTILITY, WAYS, TradeoffPoint, _never_rise, measure_search
from shoal.errors import BadParameter, UnknownColumn
from shoal.methods import ReduceRisk

pytestmark = pytest.mark.usefixtures("brief_searches")

HOW = {"effort": 20, "draws": 3}


def club():
    g = nx.Graph(nx.karate_club_graph().edges)
    nx.set_node_attributes(g, {v: {"age": 20 + v % 3} for v in g})
    return shoal.as_graph(g)


@pytest.fixture(scope="module")
def found(brief_searches):
    return shoal.tradeoff(club(), "counts:1", 2, budgets=[0, "2%", "5%", 0.1, 12], **HOW)


def count(data, spec, k=2, **facts):
    sizes = shoal.assess(data, spec, **facts).sizes
    return int(((sizes > 0) & (sizes < k)).sum())


# laws


def test_a_point_is_what_the_method_makes(found):
    graph = club()
    assert (found.start.at_risk, found.start.people, found.start.edits) == (count(graph, "counts:1"), 34, 0)
    for asked, links in found.budgets:
        release = ReduceRisk("counts:1", 2, links, effort=HOW["effort"], seed=0)(graph)
        point = found[SEARCH, asked]
        assert not point.reused
        assert (point.at_risk, point.people) == (count(release.data, "counts:1"), release.data.n)
        assert point.edits == len(release.edits) <= links
        assert point.utility["degree distance"] == release.utility.degree_distance
        assert point.utility["transitivity"] == release.utility.transitivity[1]


def test_without_a_budget_every_way_is_the_original(found):
    for way in WAYS:
        point = found[way, 0]
        assert (point.edits, point.at_risk, point.people) == (0, found.start.at_risk, found.start.people)
        assert set(point.draws) <= {point.at_risk}
        metrics = {m.name for m in UTILITY} - {"community NMI"}  # whose search is random
        assert {name: point.utility[name] for name in metrics} == {name: found.start.utility[name] for name in metrics}


def test_shares_are_counts_of_released_people(found):
    for point in (found.start, *found.points):
        assert point.share == Fraction(point.at_risk, point.people)
        assert point.edits <= point.budget
        assert point.at_risk == point.by_release
        assert point.by_original is point.misled is None
        assert list(point.draws) == sorted(point.draws)
        assert not point.draws or point.at_risk == point.draws[1]


def test_the_curve_never_rises(found):
    shares = [point.share for point in found.curve()]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < shares[0]


def test_a_larger_budget_shows_the_release_of_a_smaller_one_if_it_is_better():
    few, more, most = (
        TradeoffPoint(SEARCH, asked, links, edits, 10, at_risk)
        for asked, links, edits, at_risk in (("1%", 3, 3, 4), ("2%", 6, 6, 5), ("5%", 9, 9, 2))
    )
    random = TradeoffPoint("random", "2%", 6, 6, 10, 9)
    late = replace(more, asked="3%", budget=7, edits=7)
    shown = _never_rise([few, more, random, late, most])
    assert shown[0] == few
    assert shown[1] == replace(few, asked="2%", budget=6, reused="1%")
    assert shown[2] == random
    assert shown[3] == replace(few, asked="3%", budget=7, reused="1%")
    assert shown[4] == most
    ended = replace(few, ended="not finished")
    assert _never_rise([ended, more]) == (ended, more)


def test_a_budget_does_not_depend_on_the_others(found):
    alone = shoal.tradeoff(club(), "counts:1", 2, budgets="5%", **HOW)
    for way in WAYS:
        assert alone[way, "5%"] == found[way, "5%"]
    assert alone.start == found.start


@pytest.mark.slow
def test_one_and_two_threads_find_the_same(found, monkeypatch):
    for threads in (1, 2):
        monkeypatch.setattr(settings, "threads", threads)
        again = shoal.tradeoff(club(), "counts:1", 2, budgets=[0, "2%", "5%", 0.1, 12], **HOW)
        assert (again.start, again.points) == (found.start, found.points)


@pytest.mark.parametrize("edits", ["add", "add-delete", "swap"])
def test_other_edits(edits):
    made = shoal.tradeoff(club(), "counts:1", 2, budgets=[8], edits=edits, effort=5, draws=1)
    assert made[SEARCH, 8].at_risk <= made.start.at_risk
    for way in WAYS:
        assert made[way, 8].edits <= 8


def test_both_sources_of_facts_and_people_left_out():
    graph = club()
    made = shoal.tradeoff(graph, ["counts:1", "degree"], 3, budgets=["10%"], facts="both", suppress=3, **HOW)
    how = {"facts": "both", "suppress": 3, "effort": HOW["effort"], "seed": 0}
    release = ReduceRisk(["counts:1", "degree"], 3, "10%", **how)(graph)
    point = made[SEARCH, "10%"]
    assert point.people == release.data.n
    assert point.by_release == release.measured["people at risk by facts of the release"]
    assert point.by_original == release.measured["people at risk by facts of the original"]
    assert max(point.by_release, point.by_original) <= point.at_risk <= point.by_release + point.by_original
    for way in WAYS[1:]:
        assert made[way, "10%"].people == graph.n
    random = made["random", "10%"]
    assert random.misled >= 0


def test_misled_people_are_counted_beside():
    graph = club()
    made = shoal.tradeoff(graph, "degrees:1", 2, budgets=[20], facts="both", effort=5, draws=1)
    point = made[SEARCH, 20]
    release = ReduceRisk("degrees:1", 2, 20, facts="both", effort=5, seed=0)(graph)
    assert point.misled == len(shoal.assess(release.data, "degrees:1", original=graph).misled) > 0


def test_columns_are_joined_with_each_kind():
    made = shoal.tradeoff(club(), ["counts:1", "degree"], 2, budgets=[4], columns="age", effort=5, draws=1)
    assert [kind.spec for kind in made.kinds] == ["counts:1+columns:age", "degree+columns:age"]
    either = [shoal.assess(club(), kind).sizes < 2 for kind in made.kinds]
    assert made.start.at_risk == np.logical_or(*either).sum()


# results as data


def test_rows_frame_and_json(found):
    rows = found.rows()
    assert len(rows) == 1 + len(found.points) == 1 + 5 * len(WAYS)
    assert rows[0]["way"] == "no change"
    assert found.to_frame().shape[0] == len(rows)
    told = json.loads(json.dumps(found.data()))
    assert told["points"][0]["way"] == SEARCH
    assert (told["k"], told["knows"], told["edits"]) == (2, ["counts:1"], "delete")
    assert told["points"][0]["share"] == float(found.points[0].share)
    assert [asked for asked, _ in found.budgets] == ["0", "2%", "5%", "10%", "12"]


def test_points_are_found_by_budget(found):
    assert found[SEARCH, "5%"] is found[SEARCH, 3]
    with pytest.raises(BadParameter, match="20%"):
        found[SEARCH, "20%"]
    with pytest.raises(BadParameter, match="most affected"):
        found.curve("most afected")


# bad input


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"budgets": []}, "budgets"),
        ({"budgets": None}, "budgets"),
        ({"budgets": ["5%", "none"]}, "none"),
        ({"budgets": 1.5}, "1.5"),
        ({"budgets": "120%"}, "120%"),
        ({"budgets": "1e-999999999%"}, "1e-999999999%"),
        ({"budgets": 79}, "78"),
        ({"budgets": -1}, "-1"),
        ({"budgets": True}, "True"),
        ({"k": 35}, "34"),
        ({"k": 0}, "k"),
        ({"edits": "jump"}, "jump"),
        ({"facts": "original"}, "original"),
        ({"suppress": 40}, "34"),
        ({"knowledge": []}, "knowledge"),
        ({"knowledge": "orbit"}, "orbit"),
        ({"knowledge": "columns:age"}, "columns:age"),
        ({"knowledge": "degree", "edits": "swap"}, "swap"),
        ({"draws": 0}, "draws"),
        ({"effort": "fast"}, "fast"),
        ({"time_limit": 0}, "time_limit"),
        ({"seed": -1}, "seed"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(wrong, told):
    given = {"knowledge": "counts:1", "k": 2, **HOW} | wrong
    with pytest.raises(BadParameter, match=told) as error:
        shoal.tradeoff(club(), **given)
    assert "\n" not in str(error.value)


def test_data_without_links_or_columns_is_refused():
    with pytest.raises(BadParameter, match="link"):
        shoal.tradeoff(nx.empty_graph(5), "counts:1", 2)
    double = shoal.as_graph(nx.MultiGraph([(1, 2), (1, 2), (2, 3)]), multigraph=True)
    with pytest.raises(BadParameter, match="simple"):
        shoal.tradeoff(double, "degree", 2)
    with pytest.raises(shoal.ShoalError, match="links"):
        shoal.tradeoff(shoal.examples.people(20), "counts:1", 2)
    with pytest.raises(UnknownColumn, match="sex"):
        shoal.tradeoff(club(), "counts:1+columns:sex", 2, **HOW)


# time and interrupts


@pytest.mark.slow
def test_a_time_limit_ends_with_the_releases_made_so_far(monkeypatch):
    end_calls(lambda call, _: getattr(call, "func", None) is measure_search, monkeypatch)
    made = shoal.tradeoff(club(), "counts:1", 2, time_limit=600, budgets=[8], draws=1)
    assert "10m" in made[SEARCH, 8].ended
    assert made.partial.endswith("ended 1 of 4 releases.")
    assert made["random", 8].people == 34
    assert len(made.curve()) == 1
    assert repr(made).startswith("PARTIAL")
    assert made.rows()[1]["share"] is None


@pytest.fixture
def stopped(monkeypatch):
    """Every search with a budget of 4 is stopped by the user."""
    search = ReduceRisk.__call__

    def stop(method, data):
        release = search(method, data)
        return replace(release, measured={**release.measured, "stopped early": method.budget == 4})

    monkeypatch.setattr(ReduceRisk, "__call__", stop)


def test_a_stopped_search_ends_the_run_with_what_there_is(stopped):
    made = shoal.tradeoff(club(), "counts:1", 2, budgets=[2, 4, 8], effort=2, draws=1)
    assert [point.way for point in made.curve()] == ["no change", SEARCH, SEARCH]
    assert made[SEARCH, 4].stopped
    assert not made[SEARCH, 2].stopped
    assert made[SEARCH, 8].ended == made["random", 4].ended == "stopped by Ctrl-C"
    assert made.partial == "Ctrl-C ended 7 of 12 releases."
    assert repr(made).startswith("PARTIAL. Ctrl-C")
    assert "4: the search was stopped." in repr(made)
    assert "--budget 4 " in repr(made)


def test_ctrl_c_elsewhere_says_what_is_lost(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.auditing.tradeoff.edit_randomly", interrupt)
    with pytest.raises(KeyboardInterrupt, match="1 of 4 releases"):
        shoal.tradeoff(club(), "counts:1", 2, budgets=[4], effort=2, draws=1)
