"""The frontier of methods: nothing is beaten that should not be, nothing forgotten, and a stopped run goes on."""

import base64
import hashlib
import html
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from igraph import InternalError

import shoal
from messages import tells
from shoal import workers
from shoal.auditing.frontier import FILE, PointStore, trial
from shoal.auditing.frontier.points import (
    Plan,
    Point,
    PointRisk,
    is_surely_better,
    locate_point,
    plan_releases,
    select_unbeaten,
)
from shoal.auditing.frontier.trial import measure_loss
from shoal.comparison.compare import ComparisonRow
from shoal.core.edge_diff import find_edge_difference
from shoal.data.dataset import as_dataset
from shoal.errors import BadParameter, MissingResource, Notice
from shoal.limits import TimeLimit
from shoal.methods import METHODS, Method
from shoal.report.html.frontier import format_command, list_labels, render_frontier_page
from shoal.risk.scenario import judge_risks
from shoal.utility.base import Measurement, Metric

QUICK = ("match-degrees", "share-neighbors", "perturb")
HOSTILE = ["<script>alert(1)</script>", "\"'&", "\N{RIGHT-TO-LEFT OVERRIDE}evil", "=1+1", "\N{FISH}", "Ann"]


@pytest.fixture(scope="module")
def club():
    return shoal.examples.karate()


@pytest.fixture(scope="module")
def found(club):
    return shoal.frontier(club, "neighbors:2", k=(2, 5), methods=QUICK, jobs=1)


def point(below, unsure, lost, name="m", of=10):
    risk = PointRisk(of, 1, unsure == 0, {2: below}, {2: unsure})
    return Point(name, 2, risk=risk, lost={"changed": lost})


some_points = st.lists(
    st.builds(point, st.integers(0, 6), st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.2, 0.3])),
    min_size=1,
    max_size=9,
)


# the front


@given(some_points)
def test_the_front_is_what_brute_force_finds(points):
    def worst(p):
        return p.risk.below[2] + p.risk.unsure[2]

    def surely_better(p, q):
        no_worse = worst(p) <= q.risk.below[2] and p.lost["changed"] <= q.lost["changed"]
        return no_worse and (worst(p) < q.risk.below[2] or p.lost["changed"] < q.lost["changed"])

    front = select_unbeaten(points, 2, "changed")
    assert front
    assert sorted(map(id, front)) == sorted(id(q) for q in points if not any(surely_better(p, q) for p in points))
    for q in points:  # whoever is not on the front is beaten by one who is
        assert q in front or any(surely_better(p, q) for p in front)


@given(some_points)
def test_what_may_be_at_risk_helps_nobody_to_win(points):
    for p in points:
        closed = point(p.risk.below[2], 0, p.lost["changed"])
        for q in points:
            at = [locate_point(each, 2, "changed") for each in (p, q, closed)]
            if is_surely_better(at[0], at[1]):
                assert is_surely_better(at[2], at[1])  # an open search never wins where a finished one would not
            if p.risk.unsure[2] and p.risk.below[2] >= q.risk.below[2] and not q.risk.unsure[2]:
                assert not is_surely_better(at[0], at[1])


def test_an_open_search_that_looks_safe_does_not_beat_a_proved_one():
    promising, proved = point(0, 10, 0.0), point(3, 0, 0.5)
    assert select_unbeaten([promising, proved], 2, "changed") == (promising, proved)
    assert select_unbeaten([point(0, 0, 0.0), proved], 2, "changed") == (point(0, 0, 0.0),)


def test_ties_are_kept_and_points_without_numbers_are_not_on_the_front():
    twins = [point(3, 0, 0.1, "a"), point(3, 0, 0.1, "b")]
    refused = Point("c", 2, refused="no")
    assert select_unbeaten([*twins, refused, Point("d", risk=twins[0].risk)], 2, "changed") == tuple(twins)


def test_misled_people_are_not_counted_as_safe():
    path = shoal.as_graph(nx.path_graph(6))
    risk = shoal.assess(path, "degree", original=nx.star_graph(5))
    told = trial.count_at_risk([risk], (2,))
    assert told.misled == 1 == told.unsure[2]
    assert told.bounds(2) == (Fraction(0), Fraction(1, 6))


@pytest.mark.parametrize("knows", ["some-columns:1", "columns:age,sex"])
def test_recoded_values_leave_open_who_is_safe(knows):
    people = {"age": [20, 21, 22, 40, 41, 42, 42, 42], "sex": list("ffffmmmm")}
    made = shoal.frontier(people, knows, k=3, methods=["mondrian"], facts="original", jobs=1)
    attacked = made["mondrian", 3].attacked
    assert attacked.recoded == ("age",)
    assert attacked.k == 0 or not attacked.exact
    assert attacked.below[3] + attacked.unsure[3] == attacked.people == 8
    assert made["no change", None].attacked.recoded == ()
    assert made["no change", None].attacked.exact
    text, page = repr(made), render_frontier_page(made)
    assert ">= 0 %" in text
    assert "Recoded: age, by mondrian." in text
    for told in (text, page):
        assert "no person is proved safe" in told
    assert "every person has" not in page
    assert tells(page, "3 candidates", "Undecided: mondrian, k = 3")
    assert "every person has at least 3 candidates" in render_frontier_page(made.along(facts="release"))


def test_columns_that_fit_nobody_together_leave_only_those_open():
    known = shoal.as_table({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2]})
    swapped = {"a": [1, 1, 2, 2], "b": [2, 2, 2, 1]}  # nobody has (1, 1) any more, and no value is lost
    risk = shoal.assess(swapped, "some-columns:2", original=known)
    told = trial.count_at_risk([risk], (1,))
    assert risk.unmatched == told.recoded == ()
    assert told.unsure[1] == risk.unfit.sum() == 2


# what is tried


@pytest.mark.parametrize("name", ["karate", "village", "people"])
@pytest.mark.parametrize("columns", [False, True])
def test_every_method_is_tried_or_has_a_reason(name, columns):
    data = as_dataset(getattr(shoal.examples, name)())
    data = data if columns or name == "people" else data.with_attributes(data.attributes.only([]))
    plans, left_out = plan_releases(data, (2, 3), None, [shoal.parse_knowledge("some-columns:2+neighbors:2")], 0)
    tried, reasons = {plan.name for plan in plans}, dict(left_out)
    assert set(METHODS) == (tried - {"no change", "empty"}) | set(reasons)
    assert not tried & set(reasons)
    assert all(reasons.values())
    for plan in plans:
        works_on = getattr(plan.method, "works_on", None)
        assert works_on != "links" or name != "people"
        assert plan.method is None or plan.k in (2, 3) or plan.name == "perturb"


def test_methods_get_as_many_known_facts_as_the_attacker_has(club):
    plans, _ = plan_releases(
        club, (2,), ["hide-neighbors", "share-neighbors"], [shoal.parse_knowledge("neighbors:3")], 7
    )
    assert [plan.method for plan in plans[2:]] == [
        shoal.methods.HideNeighbors(k=2, l=3, seed=7),
        shoal.methods.ShareNeighbors(k=2, l=1, seed=7),
    ]


def test_options_are_told_in_a_few_words():
    def told(method):
        return Plan(method).list_options(("age",))

    assert told(shoal.methods.Confuse(k=3, seed=1)) == {}
    assert told(shoal.methods.Confuse(k=3, attributes="swap-within"))["attributes"] == "swap-within"
    assert told(shoal.methods.Perturb(add=0.1, seed=4)) == {"add": 0.1}
    assert told(shoal.methods.EqualizeRows(k=3, sensitive=("Ann",), seed=9)) == {}  # neither names nor seeds
    assert told(shoal.methods.Mondrian(k=3, columns=("age",))) == {}
    assert told(shoal.methods.Mondrian(k=3, columns=("sex",))) == {"columns": ["sex"]}


def test_a_point_is_what_its_method_makes(club, found):
    release = shoal.methods.MatchDegrees(k=5, edits="add", seed=0)(club)
    made = found["match-degrees", 5]
    risk = shoal.assess(release, "neighbors:2")
    assert made.risk.below == {k: len(risk.at_risk(k)) for k in (2, 5)}
    assert made.lost["links changed"] == release.edits.ratio
    assert made.lost["degree distance"] == release.utility.degree_distance
    before, after = release.utility.transitivity
    assert made.lost["transitivity"] == abs(after - before)
    attacked = shoal.assess(release, "neighbors:2", original=club)
    assert made.attacked.below[5] == len(attacked.at_risk(5))
    assert not made.covered
    assert made.promise[0]["knows"] == "degree"


def test_the_two_ends(club, found):
    unchanged, empty = found.points[:2]
    assert (unchanged.kind, empty.kind) == ("end", "end")
    assert set(unchanged.lost.values()) == {0.0}
    assert unchanged.risk.below[5] == len(shoal.assess(club, "neighbors:2").at_risk(5))
    assert empty.risk.below == {2: 0, 5: 0}
    assert empty.lost["changed"] == 1.0


def test_tables_are_compared_by_their_cells():
    people = shoal.Table.of({"age": [30, 31, 40, 41], "sex": list("ffmm")})
    made = shoal.frontier(people, k=2, jobs=1, methods=["mondrian", "equalize-rows", "hide-columns", "swap-within"])
    assert made.kinds == (shoal.knowledge.Columns("age", "sex"),)
    assert made["mondrian", 2].risk.below == {2: 0}
    assert made["mondrian", 2].lost["changed"] == 0.5  # every age became a range
    assert made["mondrian", 2].covered
    assert made["empty", None].lost["cells changed"] == 1.0
    assert [name for name, _ in made.left_out] == ["equalize-rows", "hide-columns", "swap-within"]


@pytest.mark.slow
@given(st.data())
def test_the_edge_difference_is_the_symmetric_difference(data):
    pairs = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda e: e[0] < e[1]), unique=True)
    old, new = data.draw(pairs), data.draw(pairs)
    names = data.draw(st.permutations(range(6)))
    there = data.draw(st.integers(1, 6))  # the first so many are released, under other numbers
    moved = {(min(names[a], names[b]), max(names[a], names[b])) for a, b in old if a < there and b < there}
    kept = {e for e in new if all(end in names[:there] for end in e)} & moved
    who = [names[v] if v < there else -1 for v in range(6)]
    g, h = (shoal.Graph.from_pairs(range(6), [a for a, _ in e], [b for _, b in e]) for e in (old, new))
    assert find_edge_difference(g, h, np.array(who)).edits == len(old) + len(new) - 2 * len(kept)


def test_what_has_no_best_end_or_is_no_number_is_not_a_loss():
    def row(better, high, after, before=None):
        return ComparisonRow(
            Metric("m", "", "links", 0, high, better), before and Measurement(before), Measurement(after), None, None
        )

    assert measure_loss(row("higher", 1, 0.75)) == 0.25  # an overlap: all of it would be best
    assert measure_loss(row("closer", None, 3, before=5.0)) == 2
    assert measure_loss(row("lower", None, 3)) == 3
    assert measure_loss(row("higher", None, 3)) is None
    assert measure_loss(row("closer", 1, float("nan"), before=0.5)) is None


# refusals


class Broken(Method):
    shell, works_on = "broken", "links"

    def __call__(self, data):
        raise ZeroDivisionError(f"no way for {data.names[0]!r}")


def test_a_method_that_fails_or_is_refused_leaves_its_reason_and_the_others_go_on():
    star = shoal.as_graph(nx.relabel_nodes(nx.star_graph(5), dict(enumerate(HOSTILE))))
    question = trial.Question(star, (shoal.knowledge.Degree(),), (3,))
    broken = object.__new__(Broken)
    object.__setattr__(broken, "__dataclass_fields__", {})
    plans, _ = plan_releases(star, (3,), ["match-degrees", "match-neighborhoods"], [shoal.knowledge.Degree()], 0)
    failed = trial.try_plan(Plan(broken), question)
    assert failed.refused == "it failed: ZeroDivisionError: no way for '...'"
    assert failed.again
    others = [trial.try_plan(plan, question) for plan in plans]
    assert others[0].risk.below == {3: 1}


def test_reasons_name_nobody():
    graph = shoal.as_graph(nx.relabel_nodes(nx.star_graph(5), dict(enumerate(HOSTILE))))
    for name in HOSTILE:
        told = trial.hide_names(f"There is no {name!r} here, nor 'k'.", graph)
        assert told.endswith("nor 'k'.")
        assert name not in told
        assert "..." in told


NAMES = st.one_of(
    st.integers(0, 2000),
    st.tuples(st.integers(0, 9), st.text("XY", min_size=1)),
    st.floats(0, 1),
    st.text("ZX7 '\\\"\n", min_size=1, max_size=9).filter(lambda name: any(map(str.isalnum, name))),
    st.text("QJ", min_size=60, max_size=150),
)


@pytest.mark.slow
@given(st.lists(NAMES, min_size=2, max_size=5, unique=True))
def test_reasons_name_nobody_whatever_they_are_called(names):
    data = shoal.Graph.from_pairs(names, [0], [1])
    for name in names:
        for shown in (f"{name!r}", f"{name}", f"{name!r:.80}", f"{name}"[:50]):
            told = trial.hide_names(f"the first, {shown}, is refused ({shown}).", data)
            assert not re.search("[A-Z0-9]", told)
            assert told.startswith("the first, ")


def test_whoever_is_named_by_a_number_or_a_tuple_is_shown_nowhere(tmp_path):
    names = {v: (70 + v, "x") if v % 2 else 987_654_321_000 + v for v in range(8)}
    refusing = [
        shoal.methods.HideRelations(k=4, l=2, add_only=True),
        shoal.methods.ShareNeighbors(k=4, l=4, variant="strong"),
    ]
    made = shoal.frontier(
        nx.relabel_nodes(nx.wheel_graph(8), names), k=4, methods=refusing, jobs=1, folder=tmp_path / "run"
    )
    made.save(tmp_path / "page.html")
    assert "Got ... with 7." in made.points[2].refused
    assert "the first is ... with 3." in made.points[3].refused
    kept = [html.unescape((tmp_path / name).read_text()) for name in (f"run/{FILE}", "page.html")]
    for text in (*kept, repr(made), json.dumps(made.data())):
        assert not [name for name in names.values() if str(name) in text]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"k": ()}, "at least one"),
        ({"k": 35}, "at most"),
        ({"utility": "beauty"}, "transitivity"),
        ({"facts": "rumor"}, "release or original"),
        ({"time_limit": 0}, "above 0"),
        ({"jobs": 0}, "jobs"),
        ({"methods": "match-degree"}, "Did you mean 'match-degrees'"),
        ({"columns": "clubs"}, "club"),
        ({"folder": "/no/such/place"}, "folder"),
    ],
)
def test_bad_input_is_refused_before_anything_is_made(club, wrong, told):
    with pytest.raises(shoal.ShoalError, match=re.escape(told)):
        shoal.frontier(club, **{"k": 2, "jobs": 1, "methods": QUICK} | wrong)


# the same again


@pytest.mark.slow
def test_several_processes_find_the_same_in_a_script_without_a_guard(club, found, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import shoal, json\n"
        f"how = dict(k=(2, 5), methods={QUICK!r}, jobs=2, time_limit=300)\n"
        "found = shoal.frontier(shoal.examples.karate(), 'neighbors:2', **how)\n"
        "print(json.dumps([p.data() for p in found.points]))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert [Point.from_data(told) for told in json.loads(done.stdout)] == list(found.points)


def test_data_that_travel_to_a_process_stay_read_only(club):
    sent = pickle.loads(pickle.dumps(trial.Question(club, (shoal.knowledge.Degree(),), (2,))))
    assert not sent.data.indices.flags.writeable
    assert sent.data == club


def test_points_survive_being_written(found):
    for each in found.points:
        assert Point.from_data(json.loads(json.dumps(each.data()))) == each


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_stopped(club, found, tmp_path, monkeypatch):
    made, real = [], trial.try_plan

    def stopped(plan, question):
        if len(made) == 4:
            raise KeyboardInterrupt
        made.append(plan)
        return real(plan, question)

    monkeypatch.setattr(trial, "try_plan", stopped)
    again = {"methods": QUICK, "jobs": 1, "folder": tmp_path / "run"}
    with pytest.raises(KeyboardInterrupt, match=r"4 of 12 points.*kept in"):
        shoal.frontier(club, "neighbors:2", k=(2, 5), **again)
    state = tmp_path / "run" / FILE
    assert state.stat().st_mode & 0o077 == 0
    state.write_text(state.read_text() + '{"key": "cut o')  # a kill in the middle of a line
    seen = []
    monkeypatch.setattr(trial, "try_plan", lambda plan, question: seen.append(plan) or real(plan, question))
    with pytest.warns(shoal.Notice, match=r"4 of 12 points.*already"):
        finished = shoal.frontier(club, "neighbors:2", k=(2, 5), **again)
    assert len(seen) == 8
    assert not {repr(plan) for plan in seen} & {repr(plan) for plan in made}
    assert finished.points == found.points
    assert len(state.read_text().splitlines()) == 13
    with pytest.warns(shoal.Notice, match="12 of 12"):
        assert shoal.frontier(club, "neighbors:2", k=(2, 5), **again).points == found.points
    assert len(seen) == 8


def test_other_data_begin_anew_and_another_attacker_is_kept_beside(club, tmp_path):
    again = {"methods": "match-degrees", "jobs": 1, "folder": tmp_path / "run"}
    shoal.frontier(club, "degree", k=2, **again)
    before = (tmp_path / "run" / FILE).read_text()
    shoal.frontier(club, "adjacency", k=2, **again)
    assert (tmp_path / "run" / FILE).read_text().startswith(before)
    with pytest.warns(shoal.Notice, match="other data.*made anew"):
        shoal.frontier(shoal.examples.florentine(), "degree", k=2, **again)
    assert "Medici" not in (tmp_path / "run" / FILE).read_text()


ENDLESS = 10**9
"""Sweeps that no machine makes while a test runs."""


@pytest.mark.slow
def test_the_time_limit_ends_the_run_and_the_result_says_so(club, tmp_path, shell, monkeypatch):
    slow = shoal.methods.EqualizeRows(k=2, effort=ENDLESS)
    folder, added, add = tmp_path / "run", [], PointStore.add
    monkeypatch.setattr(PointStore, "add", lambda self, key, point: added.append(key) or add(self, key, point))
    with monkeypatch.context() as patch:
        patch.setattr(TimeLimit, "left", property(lambda _: 0.0 if len(added) >= 2 else 60.0))
        made = shoal.frontier(club, k=2, methods=slow, jobs=1, time_limit=600, folder=folder)
    lost = made[f"equalize-rows effort={ENDLESS}", 2]
    assert lost.refused == "not finished within the time limit of 10m"
    assert lost.limit > 0
    assert made.partial == made.data()["partial"] == "The time limit of 10m ended 1 of 3 releases."
    assert repr(made).startswith("PARTIAL. The time limit of 10m")
    assert lost not in made.front(2)
    kept = (folder / FILE).read_text()
    with pytest.warns(shoal.Notice, match="3 of 3 points are already"):
        shoal.frontier(club, k=2, methods=slow, jobs=1, time_limit=1e-9, folder=folder)
    assert (folder / FILE).read_text() == kept
    page = tmp_path / "page.html"
    code, out, err = shell(
        "frontier", "example:karate", "-k", "2", "--methods", "perturb", "--time-limit", "0.001s", "-o", page
    )
    assert (code, out.splitlines()[0]) == (0, "PARTIAL. The time limit of 0.001s ended 6 of 6 releases."), err
    assert "PARTIAL" in page.read_text()


@pytest.mark.slow
def test_an_endless_release_does_not_use_up_the_time_of_the_others(club, monkeypatch):
    shares = iter([600, 600, 0.1])  # both ends, then the slow release
    monkeypatch.setattr(TimeLimit, "share", lambda self: self.cap(next(shares, 600)))
    slow = shoal.methods.EqualizeRows(k=2, effort=ENDLESS)
    made = shoal.frontier(club, "degree", k=2, methods=[slow, "match-degrees"], jobs=1, time_limit=600)
    assert [point.method for point in made.points if point.refused] == ["equalize-rows"]


def test_a_run_without_a_limit_is_complete(found):
    assert found.partial == found.data()["partial"] == ""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(tmp_path):
    page = tmp_path / "page.html"
    slow = ["frontier", "example:karate", "-k", "2", "--methods", "perturb", "--jobs", "2", "-o", page]
    slow += ["--methods", f"equalize-rows:effort={ENDLESS}"]
    run = subprocess.Popen([sys.executable, "-m", "shoal", *map(str, slow)], stderr=subprocess.PIPE, text=True)
    state = tmp_path / "page.html.points" / FILE
    while run.poll() is None and not (state.exists() and state.read_text().count("\n") >= 6):
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    said = run.communicate()[1]
    assert run.returncode == 130
    kept = state.read_text().count("\n") - 1
    assert kept >= 5
    # A point whose writing the stop interrupts is in the file, but not counted.
    assert any(tells(said, f"{many} of 7 points", "kept") for many in (kept, kept - 1))
    assert not page.exists()


# what is shown


@pytest.mark.slow
def test_an_existing_release_stands_beside(club, tmp_path, shell):
    release = shoal.methods.EqualizeRows(k=2)(club)
    made = shoal.frontier(club, k=2, methods=[], jobs=1, also={"mine": release})
    assert made["mine", None].risk.below == {2: 0}
    assert made["mine", None].lost["links changed"] == release.edits.ratio
    with pytest.warns(shoal.Notice):  # of the column, which is in no promise and not in the file
        release.save(tmp_path / "safe.csv", mapping=tmp_path / "secret.csv")
    shoal.write(club.with_attributes(club.attributes.only([])), tmp_path / "club.csv")
    asked = ["frontier", tmp_path / "club.csv", "-k", "2", "--methods", "share-neighbors", "--jobs", "1", "--json"]
    code, out, _ = shell(*asked, "--also", tmp_path / "safe.csv", "--mapping", tmp_path / "secret.csv")
    assert code == 0
    matched = json.loads(out)["points"][-1]
    assert matched["lost"]["links changed"] == release.edits.ratio
    assert matched["attacked"] is not None
    code, out, err = shell(*asked, "--also", tmp_path / "safe.csv")
    alone = json.loads(out)["points"][-1]
    assert tells(err, "without a mapping", "left out")
    assert {"degree distance", "largest component", "transitivity"} <= set(alone["lost"])
    assert not {"changed", "links changed", "edit ratio", "core number kept", "community NMI"} & set(alone["lost"])
    assert alone["attacked"] is None
    assert alone["risk"] == matched["risk"]


def test_the_page_shows_no_names_and_takes_nothing_as_markup(tmp_path):
    star = nx.relabel_nodes(nx.star_graph(5), dict(enumerate(HOSTILE)))
    nx.set_node_attributes(star, {v: i % 2 for i, v in enumerate(star)}, "<b>age</b>")
    made = shoal.frontier(star, k=2, methods=["match-degrees", "mondrian"], jobs=1, columns=["<b>age</b>"])
    made.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for text in (page, repr(made), json.dumps(made.data(), ensure_ascii=False)):
        assert not [name for name in HOSTILE if name in text]
    assert "<b>" not in page
    assert "&lt;b&gt;age&lt;/b&gt;" in page


def test_the_page_needs_nothing_from_outside_and_allows_no_script(found):
    page = html.unescape(render_frontier_page(found))
    assert "default-src 'none'" in page
    assert not re.findall(r"<script|\sstyle=|\son\w+=|<a\s|<img|<iframe|url\((?!['\"]?#)|@import", page)
    assert not set(re.findall(r"https?://[^\s\"'<]+", page)) - {"http://www.w3.org/2000/svg"}
    assert page.count('role="img"') == page.count("</desc>") == 2
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert not re.findall(r"#0000[01]", page.split("</style>")[1])  # every stand-in color was replaced
    style = page.split("<style>")[1].split("</style>")[0]
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in page


@pytest.mark.slow
def test_the_table_marks_the_front_and_the_page_says_the_same(found):
    text, page = repr(found), render_frontier_page(found)
    stars = {k: [p.called for p in found.front(k)] for k in found.ks}
    assert text.split("\n\n")[1].count("*") == sum(map(len, stars.values()))
    for each in found.points:
        assert each.called in text
        assert each.called in page
    assert "<title>no change: " in page


@pytest.mark.slow
def test_other_axes(found):
    other = found.along("transitivity", "original")
    assert other.points is found.points
    assert (other.utility, other.facts) == ("transitivity", "original")
    assert "lost       transitivity: " in repr(other)
    assert render_frontier_page(other)
    with pytest.raises(shoal.ShoalError, match="Did you mean 'transitivity'"):
        found.along("transitvity")
    assert found.to_frame().shape[0] == len(found.points)


@pytest.mark.slow
def test_the_command_writes_a_page_and_refuses_to_overwrite(tmp_path, shell):
    page = tmp_path / "page.html"
    asked = [
        "frontier",
        "example:karate",
        "-k",
        "2",
        "--methods",
        "match-degrees:edits=add-delete,seed=3",
        "--jobs",
        "1",
    ]
    code, out, err = shell(*asked, "-o", page)
    assert (code, err) == (0, "")
    assert "match-degrees edits=add-delete" in out
    assert f"Written: {page}" in out
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    code, _, err = shell(*asked, "-o", page)
    assert code == 2
    assert "--force" in err
    code, _, err = shell(*asked, "-o", page, "--force")
    assert code == 0
    assert tells(err, "3 of 3 points", "already")
    assert shell(*asked, "--mapping", "x.csv")[0] == 2
    assert shell("frontier", "example:karate", "-k", "two")[0] == 2


@pytest.mark.parametrize("name", ["page.pdf", "page.txt", "page"])
def test_another_ending_is_refused_before_anything_is_made(tmp_path, shell, name):
    code, out, err = shell("frontier", "example:karate", "-k", "2", "--jobs", "1", "-o", tmp_path / name)
    assert (code, out) == (2, "")
    assert ".html, .svg or .json" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["page.html", "page.json", "page.svg"])
def test_what_is_saved_is_for_its_owner(found, tmp_path, name):
    found.save(tmp_path / name)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    with pytest.raises(shoal.ShoalError):
        found.save(tmp_path / name)
    found.save(tmp_path / name, force=True)
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.slow
def test_the_command_to_repeat_it_is_complete(club):
    mine = shoal.methods.MatchDegrees(k=2, edits="add-delete")
    made = shoal.frontier(
        club,
        k=2,
        methods=["share-neighbors", mine],
        also={"my release.csv": club},
        jobs=1,
        time_limit=90,
        facts="original",
    )
    assert format_command(made) == (
        "shoal frontier FILE -k 2 --methods share-neighbors --methods match-degrees:edits=add-delete "
        "--knows degree --knows neighbors:1 --facts original --also 'my release.csv' --mapping MAPPING "
        "--time-limit 90s --seed 0 -o FILE.html"
    )
    assert "--methods" not in format_command(replace(made, methods=None))


def test_a_file_is_not_taken_for_a_table():
    with pytest.raises(BadParameter, match="Read it first"):
        shoal.frontier("friends.csv", k=2)


def test_named_columns_are_taken_for_known():
    village = shoal.examples.village(40)
    found = shoal.frontier(village, k=2, columns=["sex"], methods=["share-neighbors"], jobs=1)
    assert [kind.spec for kind in found.kinds] == ["degree", "neighbors:1", "columns:sex", "degree+columns:sex"]


# processes that end


def starting(first, monkeypatch, tmp_path, others="pass"):
    """Let the first process that is started for a frontier run some code, and the others something else."""
    flag = tmp_path / "started"
    once = f"import os, sys\ntry:\n    new = open({str(flag)!r}, 'x')\nexcept FileExistsError:\n    new = None"
    code = f"{once}\nif new:\n    {first}\nelse:\n    {others}\n{workers.START}"
    monkeypatch.setattr(workers, "START", code)


KILL = "os.kill(os.getpid(), 9)"
KILLED_AT_WORK = f"""sys.path[:] = sys.argv[1:]
    import shoal.auditing.frontier.trial as trial
    trial.try_plan = lambda *_: (open(GONE, 'x'), {KILL})"""
BEGINS_LATER = """import time
    while not os.path.exists(GONE): time.sleep(.01)"""
"""Without it, the other process may do all the work before the first one begins."""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no signals")
def test_a_process_that_is_killed_takes_only_its_own_release_with_it(club, monkeypatch, tmp_path):
    first, others = (code.replace("GONE", repr(str(tmp_path / "gone"))) for code in (KILLED_AT_WORK, BEGINS_LATER))
    starting(first, monkeypatch, tmp_path, others)
    made = shoal.frontier(club, "degree", k=2, methods=["match-degrees"], jobs=2)
    lost = [point for point in made.points if point.refused]
    assert len(lost) == 1
    assert "SIGKILL" in lost[0].refused
    assert lost[0].again
    assert len(made.points) == 4


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there are no signals")
def test_a_process_that_is_killed_as_it_begins_is_done_without(club, monkeypatch, tmp_path):
    starting(KILL, monkeypatch, tmp_path)
    with pytest.warns(Notice, match="SIGKILL"):
        made = shoal.frontier(club, "degree", k=2, methods=["match-degrees"], jobs=2)
    assert [point.refused for point in made.points] == [""] * 4


@pytest.mark.skipif(os.name != "posix", reason="there are no signals")
def test_where_every_process_is_killed_the_frontier_ends_and_says_so(club, monkeypatch):
    monkeypatch.setattr(workers, "START", f"import os; {KILL}")
    with pytest.warns(Notice), pytest.raises(MissingResource, match=r"SIGKILL.*--jobs 1"):
        shoal.frontier(club, "degree", k=2, methods=["match-degrees"], jobs=2)


@pytest.mark.slow
@pytest.mark.parametrize("there", [0, 1])
def test_processes_that_cannot_be_started_are_done_without(club, monkeypatch, there):
    begun, real = [], workers.subprocess.Popen

    def refuse(*args, **kwargs):
        if len(begun) == there:
            raise OSError(12, "Cannot allocate memory")
        begun.append(real(*args, **kwargs))
        return begun[-1]

    monkeypatch.setattr(workers.subprocess, "Popen", refuse)
    ask = {"knowledge": "degree", "methods": ["match-degrees"], "jobs": 3}
    if there == 0:
        with pytest.raises(MissingResource, match="memory"):
            shoal.frontier(club, k=2, **ask)
        return
    with pytest.warns(Notice, match="fewer worker processes than requested: 1"):
        made = shoal.frontier(club, k=2, **ask)
    assert [point.refused for point in made.points] == [""] * 4
    assert all(process.poll() is not None for process in begun)


@pytest.mark.slow
def test_a_method_that_cannot_travel_to_a_process_does_not_stop_the_others(club):
    @dataclass(frozen=True)
    class Mine(shoal.methods.MatchDegrees):
        """A class that no other process knows."""

    made = shoal.frontier(club, "degree", k=2, methods=["match-degrees", Mine(k=2)], jobs=2)
    lost = [point.refused for point in made.points if point.refused]
    assert 0 < len(lost) < len(made.points)
    assert all("another process" in told for told in lost)


@pytest.mark.parametrize("error", [MemoryError(), InternalError("-- Out of memory")], ids=["Python", "igraph"])
def test_a_release_without_memory_says_only_that(club, monkeypatch, error):
    def broken(*_):
        raise error

    monkeypatch.setattr(shoal.methods.MatchDegrees, "__call__", broken)
    made = shoal.frontier(club, "degree", k=2, methods=["match-degrees"], jobs=1)
    lost = {(point.refused, point.again) for point in made.points if point.refused}
    assert lost == {("not enough memory", True)}


@pytest.mark.slow
def test_a_frontier_is_a_chart_for_one_k():
    found = shoal.frontier(shoal.examples.karate(), "degree", k=[2, 3], methods=["match-degrees"], jobs=1)
    last, first = found.plot().to_dict(), found.plot(k=2).to_dict()
    assert tells(last["title"]["text"], "fewer than 3 candidates")
    assert tells(first["title"]["text"], "fewer than 2 candidates")
    assert "the number of links" in last["title"]["subtitle"][0]
    assert last["config"]["legend"]["orient"] == "bottom"
    assert not re.search(r"#0000[0-9a-f]{2}", json.dumps(last)), "colors of the page are replaced"
    with pytest.raises(BadParameter, match="one of 2, 3"):
        found.plot(k=4)


def test_labels_of_a_frontier_do_not_cover_each_other():
    marks = [
        {"label": "5", "lost": 0.5, "risk": 0.5, "end": False, "front": -1},
        {"label": "2", "lost": 0.505, "risk": 0.5, "end": False, "front": 0},
        {"label": "10", "lost": 0.9, "risk": 0.5, "end": False, "front": -1},
        {"label": "empty", "lost": 1.0, "risk": 0.0, "end": True, "front": 1},
    ]
    assert [label["label"] for label in list_labels(marks, 1.05)] == ["empty", "2", "10"]


def test_several_kinds_count_each_person_once(club):
    kinds = ["degree", "neighbors:1"]
    found = shoal.frontier(club, kinds, k=3, methods=["match-degrees"], jobs=1)
    release = shoal.methods.MatchDegrees(k=3, edits="add-delete", seed=0)(club)
    for facts, how in (("release", {}), ("original", {"original": club})):
        risks = [shoal.assess(release, kind, **how) for kind in kinds]
        judged = judge_risks(risks, shoal.Scenario("s", kinds, 3))
        measured = found["match-degrees edits=add-delete", 3].get_risk(facts)
        assert (measured.below[3], measured.people) == (judged.below, judged.people)
        assert measured.unsure[3] == judged.misled + judged.unproved
    assert [kind.spec for kind in shoal.frontier(club, methods=["match-degrees"], jobs=1).kinds] == kinds
