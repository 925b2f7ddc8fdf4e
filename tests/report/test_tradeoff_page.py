"""The page of a trade-off: complete, without names, without network, and drawn for wide and narrow pages."""

import html
import json
import re
from itertools import pairwise

import networkx as nx
import pytest

import shoal
from shoal.auditing.tradeoff import SEARCH, WAYS
from shoal.report.html.tradeoff import (
    NARROW,
    WIDE,
    draw_panel,
    list_fact_panels,
    list_marks,
    list_utility_panels,
    place_labels,
    render_tradeoff_page,
    show_share,
)
from shoal.report.text.tradeoff import format_command, format_release

pytestmark = pytest.mark.usefixtures("brief_searches")

HOSTILE = ["<script>alert(1)</script>", "\"'&", "\N{RIGHT-TO-LEFT OVERRIDE}evil", "=1+1", "\N{FISH}", "Ann"]


def network():
    g = nx.Graph(nx.karate_club_graph().edges)
    names = {v: HOSTILE[v] if v < len(HOSTILE) else f"person-{v}" for v in g}
    nx.set_node_attributes(g, {v: {"<b>age": v % 2} for v in g})
    return shoal.as_graph(nx.relabel_nodes(g, names))


@pytest.fixture(scope="module")
def found(brief_searches):
    return shoal.tradeoff(network(), "counts:1", 2, budgets=["5%", 12], effort=5, draws=3, facts="both")


def test_every_curve_begins_at_the_original(found):
    rows = list_marks(found, show_share(found, *WIDE))
    for way in WAYS:
        curve = [row for row in rows if row["way"] == way]
        assert [row["at"] for row in curve] == [0, 1, 2]
        assert (curve[0]["changed"], curve[0]["value"]) == (0, float(found.start.share))
        assert all(row["low"] <= row["value"] <= row["high"] for row in curve[1:] if way != SEARCH)
    assert {panel.title.rpartition(" ")[2] for panel in list_fact_panels(found)} == {"release", "original"}
    assert len(list_utility_panels(found)) == 6


def test_labels_are_apart_and_inside(found):
    panel = show_share(found, *WIDE)
    labels = place_labels(list_marks(found, panel), panel, 1.0)
    heights = [label["y"] * panel.height for label in labels]
    assert all(b - a >= 14.9 for a, b in pairwise(heights))
    assert 0 < heights[0] < heights[-1] <= panel.height
    same = [{"way": way, "changed": 1.0, "value": 1.0} for way in WAYS]
    assert [round(label["y"], 3) for label in place_labels(same, panel, 1.0)] == [0.868, 0.912, 0.956, 1.0]


@pytest.mark.slow
def test_the_page_needs_no_network_and_shows_no_name(found):
    page = render_tradeoff_page(found)
    text = html.unescape(page)
    for name in (*HOSTILE, "person-7"):
        assert name not in (text if len(name) > 3 else "")
    assert "<script" not in page
    assert "https://" not in page.replace("http://www.w3.org", "")
    assert page.count('role="img"') == 2 + 2 + 6
    assert "Do not publish" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert not re.search(r"#0000[0-9a-f]{2}\b", page), "every stand-in color is a variable"


@pytest.mark.slow
def test_a_column_with_a_hostile_name_is_escaped():
    made = shoal.tradeoff(network(), "counts:1", 2, budgets=[2], columns="<b>age", effort=2, draws=1)
    page = render_tradeoff_page(made)
    assert "<b>age" not in page
    assert "&lt;b&gt;age" in page
    assert "<b>age" not in made._repr_html_()


@pytest.mark.slow
def test_a_tradeoff_is_a_chart_in_light_colors(found):
    chart = found.plot().to_dict()
    assert "links changed" in json.dumps(chart)
    assert not re.search(r"#0000[0-9a-f]{2}", json.dumps(chart))
    narrow = draw_panel(found, show_share(found, *NARROW))
    assert (narrow["width"], narrow["height"]) == NARROW


@pytest.mark.slow
def test_a_page_without_its_pictures_says_so(found, monkeypatch):
    monkeypatch.setattr("shoal.report.html.tradeoff.render_svg", lambda *_, **__: "")
    assert "could not be drawn" in render_tradeoff_page(found)


def test_commands_repeat_the_question(found):
    for command in (format_command(found), format_release(found)):
        assert "--knows counts:1 -k 2 --facts both --effort 5" in command
    assert "--budget 5%,12 --draws 3 --seed 0" in format_command(found)
    assert format_release(found).startswith("shoal anonymize FILE --method reduce-risk")
