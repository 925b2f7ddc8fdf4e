"""In a notebook every result is a real table: the HTML is well formed, and all text in it is escaped."""

import re
from html.parser import HTMLParser

import networkx as nx
import pytest

import shoal
from shoal.linkage.confusion import confusion_curve

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")

HOSTILE = "<script>alert(1)</script>"
VOID = {"br"}


class Page(HTMLParser):
    """The tags of a piece of HTML, each closed in order, with the rows of its tables."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.rows = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def people():
    rows = {"age": [30, 30, 41, 41, 52, 52], HOSTILE: list("aabbcc"), "ill": list("xyxyxx")}
    return shoal.as_table(rows)


def network():
    return shoal.as_graph(nx.Graph([(HOSTILE if a == 0 else str(a), str(b)) for a, b in nx.karate_club_graph().edges]))


RESULTS = {
    "risk": lambda: shoal.assess(people(), shoal.knowledge.Columns(HOSTILE)),
    "levels": lambda: shoal.levels(people(), "columns", k=2),
    "level curves": lambda: shoal.level_curves(network(), k=[2, 3]),
    "release of a table": lambda: shoal.methods.Mondrian(k=2, columns=("age", HOSTILE))(people()),
    "release of a network": lambda: shoal.methods.EqualizeRows(k=2, seed=1)(network()),
    "recommendation": lambda: shoal.recommend(network(), "degree", 2, seed=1),
    "comparison": lambda: shoal.compare(people(), people()),
    "comparison of networks": lambda: shoal.compare(network(), network()),
    "attack": lambda: shoal.attack(network(), network(), "degree"),
    "frontier": lambda: shoal.frontier(people(), f"columns:age,{HOSTILE}", 2, methods="mondrian", jobs=1),
    "tradeoff": lambda: shoal.tradeoff(network(), "degree", 2, budgets=[1], effort=2, draws=1),
    "minimal uniques": lambda: shoal.tables.minimal_uniques(people(), ["age", HOSTILE, "ill"]),
    "generalized": lambda: shoal.methods.Generalize(k=2, seed=1)(network()).generalized,
    "samples": lambda: shoal.methods.Generalize(k=2, seed=1)(network()).estimates(3),
    "confusion curve": lambda: confusion_curve(lambda y, a: [0.4, 0.3, 0.3], ["y"], None),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_table_in_a_notebook(name):
    text = RESULTS[name]()._repr_html_()
    page = Page(text)
    assert page.open == []
    assert "table" in page.seen
    assert not {"pre", "script"} & set(page.seen)
    assert len(page.rows) >= 2
    tables = [re.findall(r"<tr>", table) for table in text.split("<table>")[1:]]
    assert all(len(rows) >= 2 for rows in tables)
    assert all(row for row in page.rows)


@pytest.mark.parametrize("name", ["risk", "release of a table", "minimal uniques", "frontier"])
def test_names_are_escaped(name):
    text = RESULTS[name]()._repr_html_()
    assert HOSTILE not in text
    assert "&lt;script&gt;" in text


def test_rows_have_a_cell_for_each_head():
    page = Page(shoal.levels(network(), k=2)._repr_html_())
    assert {len(row) for row in page.rows} == {4}
    assert page.rows[0] == ["l", "exposed by", "vertices", "share"]


def test_the_guarantee_of_a_release_is_a_row():
    rows = Page(RESULTS["release of a network"]()._repr_html_()).rows
    assert [row[1] for row in rows if row[0] == "Guarantee"]
    assert [row[1] for row in rows if row[0] == "Verified"]
