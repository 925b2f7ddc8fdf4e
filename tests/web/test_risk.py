"""The page "Risk": the numbers of the library and of the command line, and lists that agree with a plain sort."""

import json
import re
from html import unescape
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest

import shoal
from hostile_text import HOSTILE
from shoal.auditing.network_drawing import find_buckets
from shoal.cli.app import run_command
from shoal.report.text.scenarios import describe_judgment
from shoal.risk.scenario import PRESETS
from shoal.web.pages.risk import FOUND, ROWS
from web_site import read_text

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")

EDGES = list(nx.gnm_random_graph(60, 130, seed=4).edges)
LINKS = "from,to\n" + "".join(f"P{a:02},P{b:02}\n" for a, b in EDGES)
PEOPLE = "name,age,town\n" + "".join(f"P{i:02},{20 + i % 5 * 10},{'ABC'[i % 3]}\n" for i in range(60))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("risk")
    (found / "links.csv").write_text(LINKS)
    (found / "people.csv").write_text(PEOPLE)
    return found


@pytest.fixture(scope="module")
def village(site):
    """A data set with a table about the people, counted and drawn."""
    opened = site.upload("links.csv", LINKS, people=("people.csv", PEOPLE))
    return site.count(opened)


@pytest.fixture(scope="module")
def counted(folder):
    data = shoal.read_graph(folder / "links.csv", attributes=folder / "people.csv")
    return shoal.assess_all(data, columns=["age", "town"], knowledge=())


@pytest.fixture
def ask(site, village):
    def get(path, status=200):
        answer = site.get(f"/data/{village.key}/risk{path}", headers={"hx-request": "true"})
        assert answer.status_code == status, answer.text
        return answer

    return get


def read_rows(page):
    """Return the cells of the table of kinds of knowledge: k, unique and below of each."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.DOTALL)
    cells = [
        [
            unescape(re.sub(r"<[^>]*>", "", cell)).strip()
            for cell in re.findall(r"<td(?! class=.none)[^>]*>(.*?)</td>", row, re.DOTALL)
        ]
        for row in rows
    ]
    return [row[:4] for row in cells if len(row) > 3]


def read_people(page):
    """Return the names and cells of the list of people."""
    found = re.findall(r'<tr><th scope="row">.*?<bdi>(.*?)</bdi>.*?</th>(.*?)</tr>', page, re.DOTALL)
    return [(unescape(name), [int(cell) for cell in re.findall(r"<td>([\d,]+)</td>", cells)]) for name, cells in found]


# Numbers.


def test_the_numbers_are_those_of_the_library(village, counted):
    assert [risk.adversary.spec for risk in village.list_counted()] == [risk.adversary.spec for risk in counted.risks]
    for risk in counted.risks:
        own = village.risks[risk.adversary.spec]
        assert own.adversary == risk.adversary
        assert own.sizes.tolist() == risk.sizes.tolist()
        assert own.exact_sizes.tolist() == risk.exact_sizes.tolist()
    assert village.judge().judgment == counted.judgment


def test_the_page_shows_the_numbers_of_the_command_line(ask, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert run_command(["risk", "links.csv", "--attributes", "people.csv", "--columns", "age,town", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    inside = [row for row in told["risks"] if row["in_scenario"]]
    page = ask("").text
    shown = read_rows(ask("/counts").text)
    assert all(cell in page for cells in shown for cell in cells)
    assert len(shown) == len(inside) == 4
    for cells, row in zip(shown, inside, strict=True):
        assert [cells[0], cells[1], cells[2].split()[0]] == [str(row["k"]), str(row["unique"]), str(row["below"])]
    assert told["judgment"]["verdict"].upper() in page
    assert "<svg" in page


def test_the_slider_changes_the_table_the_verdict_and_every_tab(ask, village, counted):
    for k in (2, 7, 30):
        page = ask(f"/counts?k={k}").text
        judged = shoal.assess_all(
            counted.risks[0].graph, counted.scenario.with_k(k), columns=["age", "town"], knowledge=()
        )
        assert describe_judgment(judged.judgment, titles=True) in unescape(page)
        assert f"below {k}" in page
        assert [cells[2].split()[0] for cells in read_rows(page)] == [
            str(int((risk.sizes < k).sum())) for risk in counted.risks
        ]
        assert f'value="{k}"' in ask("").text  # as a reload shows it
    for wrong in ("1", "-5", "x", "", "9" * 5_000):
        ask(f"/counts?k={wrong}")
        assert 2 <= village.k <= 60
    ask("/counts?k=5")


def test_another_scenario_counts_only_what_is_new(site, village, ask):
    before = dict(village.risks)
    ask("/counts?k=9")
    answer = site.post(f"/data/{village.key}/risk/scenario", {"scenario": "internal"})
    assert answer.headers["location"] == f"/data/{village.key}/risk"
    assert village.policy.scenario is PRESETS["internal"]
    assert village.k == 0
    page = read_text(site.get(f"/data/{village.key}/risk").text)
    assert f"fewer than {PRESETS['internal'].k} candidates" in page
    site.count(village)
    assert all(village.risks[spec] is risk for spec, risk in before.items())
    assert len(read_rows(ask("/counts").text)) == len(village.list_kinds())
    for wrong in ("nonsense", ""):
        assert site.post(f"/data/{village.key}/risk/scenario", {"scenario": wrong}).status_code == 400
    site.post(f"/data/{village.key}/risk/scenario", {"scenario": "agreement"})
    site.count(village)


def test_a_count_that_ends_after_the_scenario_changed_is_kept(site):
    opened = site.upload("links.csv", LINKS)
    site.get(f"/data/{opened.key}/risk")
    site.post(f"/data/{opened.key}/risk/scenario", {"scenario": "public"})
    site.finish(opened)
    agreed = {kind.spec for kind in PRESETS["agreement"].choose_kinds(opened.data).values()}
    assert agreed <= set(opened.risks)


def test_roles_decide_what_an_attacker_knows(site):
    opened = site.upload("links.csv", LINKS, people=("people.csv", PEOPLE))
    site.post(f"/data/{opened.key}/open/roles", {"role-0": "other", "role-1": "sensitive"})
    site.count(opened)
    assert not any("columns" in spec for spec in opened.risks)
    site.post(f"/data/{opened.key}/open/roles", {"role-0": "quasi-identifier"})
    site.count(opened)
    assert {"columns:age", "degree+columns:age"} <= set(opened.risks)


def test_a_table_is_counted_and_not_drawn(site):
    opened = site.upload("people.csv", PEOPLE)
    site.post(f"/data/{opened.key}/open/reading", {"what": "table"})
    site.finish(opened)
    site.post(f"/data/{opened.key}/open/roles", {"role-0": "identifier"})
    site.count(opened)
    assert [risk.adversary.spec for risk in opened.judge().risks] == ["columns:age,town"]
    assert int(opened.risks["columns:age,town"].k) == 4
    page = site.get(f"/data/{opened.key}/risk/drawing").text
    assert "no links to draw" in page
    assert opened.drawing is None
    assert site.get(f"/data/{opened.key}/risk/drawing.json").status_code == 404
    told = read_text(explain(site, opened, 3))
    assert "has age 50 and town A. 4 records fit" in told


def test_a_scenario_without_knowledge_for_the_data_says_so(site):
    opened = site.upload("people.csv", PEOPLE)
    site.post(f"/data/{opened.key}/open/reading", {"what": "table"})
    site.finish(opened)
    site.post(f"/data/{opened.key}/open/roles", {f"role-{i}": "sensitive" for i in range(3)})
    answer = site.get(f"/data/{opened.key}/risk")
    assert answer.status_code == 200
    assert "no kind of knowledge" in answer.text
    for path in ("counts", "list", "person/0"):
        answer = site.get(f"/data/{opened.key}/risk/{path}")
        assert answer.status_code == 400
        assert "no kind of knowledge" in answer.text
    assert site.post(f"/data/{opened.key}/risk/resume").status_code == 400
    assert site.get(f"/data/{opened.key}/take-away").status_code == 200


def test_counting_can_be_canceled_and_resumed(site):
    opened = site.upload("links.csv", LINKS)
    with site.hold():
        assert "Counting" in site.get(f"/data/{opened.key}/risk").text
        page = site.post(f"/data/{opened.key}/risk/cancel").text
    counts = [job for name, job in opened.jobs.items() if name.startswith("count ")]
    assert [job.state for job in counts] == ["canceled", "canceled"]
    assert "Count the rest" in page
    assert not re.search("PASS|FAIL", page)
    assert opened.judge() is None
    site.get(f"/data/{opened.key}/risk/counts")
    site.post(f"/data/{opened.key}/risk/resume")
    site.finish(opened)
    assert opened.judge() is not None
    assert re.search("PASS|FAIL", site.get(f"/data/{opened.key}/risk/counts").text)


def test_what_is_counted_so_far_is_shown_without_a_verdict(site):
    opened = site.upload("links.csv", LINKS)
    with site.hold():
        site.get(f"/data/{opened.key}/risk")
        site.workspace.jobs.cancel(opened.jobs["count degree"])
    site.finish(opened)
    page = site.get(f"/data/{opened.key}/risk").text  # counts what is missing
    assert len(read_rows(page.partition('id="list"')[0])) == 1
    assert not re.search("PASS|FAIL", page)
    site.finish(opened)
    assert re.search("PASS|FAIL", site.get(f"/data/{opened.key}/risk").text)


# The list of people.


def list_expected(counted, sort="", wanted="", k=5):
    sizes = {risk.adversary.spec: risk.sizes for risk in counted.risks}
    names = [f"P{i:02}" for i in range(60)]
    at = {name: v for v, name in enumerate(counted.risks[0].names)}
    below = [name for name in names if counted.fewest[at[name]] < k and wanted.casefold() in name.casefold()]
    keys = {"": counted.fewest, "name": None, **sizes}[sort]
    if keys is None:
        return sorted(below)
    first = sorted(below, key=lambda name: keys[at[name]])
    return first, [int(keys[at[name]]) for name in first]


def collect(ask, query=""):
    """Return the rows of all pages of the list."""
    found, page = [], 0
    while True:
        text = ask(f"/list?page={page}{query}").text
        rows = read_people(text)
        assert len(rows) <= ROWS
        found += rows
        if "disabled>Next" in text or "Next" not in text:
            return found
        page += 1


def test_the_list_agrees_with_a_plain_sort(ask, counted):
    rows = collect(ask)
    names, fewest = list_expected(counted)
    assert sorted(name for name, _ in rows) == sorted(names)
    assert [cells[0] for _, cells in rows] == fewest
    assert len(rows) > ROWS
    at = {name: v for v, name in enumerate(counted.risks[0].names)}
    for name, cells in rows:
        assert cells == [int(counted.fewest[at[name]]), *(int(risk.sizes[at[name]]) for risk in counted.risks)]


def test_the_list_is_sorted_by_any_column_and_by_name(ask, counted):
    assert [name for name, _ in collect(ask, "&sort=name")] == list_expected(counted, "name")
    for column, risk in enumerate(counted.risks, start=1):
        rows = collect(ask, f"&sort={risk.adversary.spec.replace('+', '%2B')}")
        assert [cells[column] for _, cells in rows] == list_expected(counted, risk.adversary.spec)[1]
    assert collect(ask, "&sort=nonsense") == collect(ask)


def test_the_list_is_filtered(ask, counted):
    rows = collect(ask, "&filter=p1")
    assert sorted(name for name, _ in rows) == sorted(list_expected(counted, wanted="p1")[0])
    assert "No person at risk has a name with this text" in ask("/list?filter=%3Cscript%3E").text
    assert "<script>" not in ask("/list?filter=%3Cscript%3E").text
    assert read_people(ask("/list?page=99").text) == collect(ask)[-len(read_people(ask("/list?page=99").text)) :]
    for wrong in ("-1", "x", "9" * 5_000):
        assert read_people(ask(f"/list?page={wrong}").text)


# One person.


def explain(site, opened, who):
    site.get(f"/data/{opened.key}/risk/person/{who}")
    site.finish(opened)
    return site.get(f"/data/{opened.key}/risk/person/{who}").text


def test_search_offers_exact_names_first(site):
    names = ["Ann", *(f"Anna{i:02}" for i in range(20)), "Joanna", "ann", "<b>Ann"]
    rows = [*pairwise(names)]
    opened = site.upload("names.csv", "".join(f"{a},{b}\n" for a, b in rows[::-1]))

    def search(text):
        page = site.get(f"/data/{opened.key}/risk/search?name={text}").text
        return [unescape(name) for name in re.findall(r"<bdi>(.*?)</bdi>", page)]

    found = search("ann")
    assert set(found[:2]) == {"Ann", "ann"}
    assert len(found) == FOUND
    assert all(name.startswith("Anna") for name in found[2:])
    assert set(search("anna0")) == {f"Anna{i:02}" for i in range(10)}
    assert search("joanna") == search("JOAN") == ["Joanna"]
    assert search("%3Cb%3E") == ["<b>Ann"]
    assert search("") == search("%20") == search("nobody") == []


def test_the_explanation_is_that_of_the_command_line(site, village, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    names = list(village.data.names)
    worst = names.index(collect_worst(village))
    page = read_text(explain(site, village, worst))
    for spec in village.risks:
        arguments = ["why", "links.csv", names[worst], "--attributes", "people.csv", "--knows", spec]
        assert run_command(arguments) == 0
        sentence = capsys.readouterr().out.splitlines()[0].partition(" The attacker is assumed")[0]
        sentence = sentence.replace("vertices fit", "people fit")  # the pages speak of people, as reports do
        assert sentence in page, (sentence, page)


def collect_worst(village):
    judged = village.judge()
    return village.data.names[int(judged.order[0])]


def test_the_candidates_are_marked_in_the_drawing(site, village, counted):
    for who in (0, 17, 59):
        page = explain(site, village, who)
        own, marked = re.search(r'data-own="([\d,]*)" data-candidates="([\d,]*)"', page).groups()
        assert [village.drawing.chosen[int(own)]] == [who]
        name = village.data.names[who]
        fewest = min(
            counted.risks,
            key=lambda risk: risk.sizes[
                risk.names.index(name) if isinstance(risk.names, list) else list(risk.names).index(name)
            ],
        )
        candidates = {str(one) for one in fewest.candidates(name)}
        assert {village.data.names[int(village.drawing.chosen[int(at)])] for at in marked.split(",")} == candidates


def test_a_person_that_does_not_exist_is_not_explained(ask):
    for who in ("60", "-1", "x", "9" * 400, "%00"):
        ask(f"/person/{who}", 404)


# The drawing.


def test_the_drawing_has_all_people_and_links(ask, village):
    found = ask("/drawing.json").json()
    assert found["names"] == [str(name) for name in village.data.names]
    assert found["ids"] == list(range(60))
    assert len(found["x"]) == len(found["y"]) == 60
    assert np.isfinite(found["x"] + found["y"]).all()
    pairs = {frozenset(pair) for pair in zip(found["links"][::2], found["links"][1::2], strict=True)}
    names = found["names"]
    assert {frozenset(names[at] for at in pair) for pair in pairs} == {
        frozenset((f"P{a:02}", f"P{b:02}")) for a, b in EDGES
    }
    assert not found["directed"]
    assert 'id="canvas"' in ask("/drawing").text


def test_the_colors_are_the_buckets_of_the_report(ask, counted):
    for risk in counted.risks:
        spec = risk.adversary.spec.replace("+", "%2B")
        assert ask(f"/colors?knows={spec}").json()["buckets"] == "".join(map(str, find_buckets(risk.sizes)))
    assert ask("/colors").json()["buckets"] == "".join(map(str, find_buckets(counted.fewest)))
    assert ask("/colors?knows=nonsense").json() == ask("/colors").json()


def test_a_large_network_is_drawn_as_a_sample(site, monkeypatch):
    from shoal.web.pages import risk as risk_page
    from shoal.web.tasks import DrawNetwork, Material

    opened = site.upload("links.csv", LINKS)
    monkeypatch.setattr("shoal.web.tasks.DRAWN", 20)
    drawing = DrawNetwork()(Material({}, opened.data))
    assert drawing.sampled
    assert len(drawing.chosen) == 20
    opened.drawing = drawing
    told = risk_page.describe_drawing(opened)["sampled"]
    assert "20 of 60 people" in told
    packed = risk_page.pack_drawing(opened)
    names = list(map(str, opened.data.names))
    assert packed["names"] == [names[v] for v in drawing.chosen]
    inside = {
        frozenset(pair) for pair in ((f"P{a:02}", f"P{b:02}") for a, b in EDGES) if set(pair) <= set(packed["names"])
    }
    pairs = zip(packed["links"][::2], packed["links"][1::2], strict=True)
    assert {frozenset((packed["names"][a], packed["names"][b])) for a, b in pairs} == inside


# Hostile names.


def test_hostile_names_are_text_everywhere(site):
    names = [*HOSTILE, "=cmd()", "a\nb", "x" * 3_000, "' onmouseover='x", "&lt;b&gt;"]
    nodes = [{"id": name, "<script>": name, "town": name} for name in names]
    links = [{"source": a, "target": b, "kind": b} for a, b in pairwise(names)]
    data = {"directed": False, "multigraph": False, "graph": {}, "nodes": nodes, "links": links}
    opened = site.upload("<script>alert(0)</script>.json".replace("/", "\u2215"), json.dumps(data))
    assert opened.data is not None, opened.jobs["read"].error
    assert opened.data.n == len(names)
    site.count(opened)
    pages = [
        "open",
        "risk",
        "risk/list",
        "risk/list?sort=name",
        "risk/counts",
        "risk/drawing",
        "risk/search?name=s",
        "take-away",
    ]
    texts = [site.get(f"/data/{opened.key}/{path}") for path in pages]
    texts += [site.get("/"), *(site.get(f"/data/{opened.key}/risk/person/{who}") for who in range(len(names)))]
    site.finish(opened)
    texts += [site.get(f"/data/{opened.key}/risk/person/{who}") for who in range(len(names))]
    for answer in texts:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert not re.search(r"<script(?! src=\"/static/)", answer.text)
        assert "<b>" not in answer.text.replace("<b>Drop a file here</b>", "")
        assert not re.search(r"<[^>]* onmouseover=", re.sub(r'"[^"]*"', "", answer.text))
        assert "</svg></title>" not in answer.text
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", answer.text)
    assert any("{{ 7*7 }}" in answer.text for answer in texts)  # no template
    drawn = site.get(f"/data/{opened.key}/risk/drawing.json")
    assert drawn.headers["content-type"] == "application/json"
    assert len(set(drawn.json()["names"])) == len(names)
