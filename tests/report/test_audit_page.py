"""The page: what came from files is text, every number has its sentence, and nothing else is allowed in."""

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import shoal
from hostile_text import HOSTILE
from messages import tells
from shoal import Graph
from shoal.attacks.base import Rate
from shoal.auditing.findings import ImpliedBound
from shoal.auditing.model import Audit, Judgment, Verdict
from shoal.errors import MissingLibrary
from shoal.report.html.audit import build_attacks, list_sections, render_page
from shoal.report.html.audit_dossier import build_residual, format_amount
from shoal.report.html.audit_risk import build_panel_grid
from shoal.report.html.charts.audit import INKS
from shoal.report.html.charts.draw import clean_svg
from shoal.report.text.audit import count_required_candidates, list_headlines, list_sentences
from shoal.report.text.phrases import format_rate

FEW = ("degree", "neighbors:1")
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Tags(HTMLParser):
    """What is in a page: tags that are open, attributes, ids and scripts."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.ids, self.attributes, self.texts = [], Counter(), [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.seen[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture(scope="module")
def village():
    return shoal.examples.village(60)


@pytest.fixture(scope="module")
def data(village):
    release = shoal.methods.EqualizeRows(k=3, seed=918273645546, effort=20)(village)
    how = {"columns": ["age", "sex"], "sensitive": ["income"], "k": 3}
    return {
        "internal": shoal.audit(village, release, **how),
        "external": shoal.audit(village, release, external=True, **how),
        "original": shoal.audit(village, knowledge=FEW, **how),
        "table": shoal.audit(village.attributes, columns=["age", "sex"], sensitive=["income"]),
        "unmatched": shoal.audit(village, release.data, same_names=False, knowledge=FEW, **how),
    }


@pytest.fixture(scope="module")
def made(data):
    """Each form as its sections, which take a while, and as its page."""
    found = {name: list_sections(one) for name, one in data.items()}
    with pytest.MonkeyPatch.context() as patch:
        shown = {}
        for name, one in data.items():
            patch.setattr("shoal.report.html.audit.list_sections", lambda _, name=name: found[name])
            shown[name] = render_page(one)
    return found, shown


@pytest.fixture(scope="module")
def pages(made):
    return made[1]


FORMS = ("internal", "external", "original", "table", "unmatched")


@pytest.mark.parametrize("form", FORMS)
def test_a_page_is_whole_and_allows_only_what_is_ours(form, pages):
    text = pages[form]
    tags = Tags(text)
    assert tags.open == []
    assert len(set(tags.ids)) == len(tags.ids)
    assert tags.seen["script"] == tags.seen["style"] == 1
    assert not [a for a in tags.attributes if a[1] == "style" or a[1].startswith("on") or a[1] in ("src", "srcset")]
    assert all(value.startswith("#") for _, name, value in tags.attributes if name in ("href", "xlink:href"))
    policy = next(value for _, name, value in tags.attributes if name == "content" and "default-src" in value)
    assert "default-src 'none'" in policy
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, flags=re.S)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert len(text.encode()) < 1_000_000


@pytest.mark.parametrize("form", FORMS)
def test_every_chart_says_what_it_is(form, pages):
    for svg in re.findall(r"<svg.*?</svg>", pages[form], flags=re.S):
        assert 'role="img"' in svg
        titled = re.search(r'aria-labelledby="(\S+) (\S+)"', svg)
        assert re.search(rf'<title id="{titled[1]}">[^<]+</title>', svg)
        assert re.search(rf'<desc id="{titled[2]}">[^<]+</desc>', svg)
        assert not re.search(r"#0[0-9a-f]{5}\b", svg), "a color that the style sheet does not know"
    style = re.search(r"<style>(.*?)</style>", pages[form], flags=re.S)[1]
    assert all(f"--{ink}:" in style for ink in INKS)


@pytest.mark.parametrize("form", FORMS)
def test_every_number_has_its_sentence(form, made):
    found = made[0][form]
    assert [s.name for s in found][:2] == ["identification", "columns"]
    for section in found:
        assert section.blocks, section.name
        for block in section.blocks:
            if block.kind == "facts":
                assert all(len(means) > 10 for _, _, means in block.rows), section.name
            if block.kind == "grid":
                assert block.head[-1] == "what it means"
                assert all(len(row) == len(block.head) and len(row[-1]) > 10 for row in block.rows)
            if block.kind == "picture" and block.table:
                assert all(len(row) == len(block.table.head) for row in block.table.rows)


def test_the_order_is_that_of_a_dossier(made):
    names = [section.name for section in made[0]["internal"]]
    order = (
        "identification columns model thresholds before methods after utility attacks residual certificate reproduce"
    )
    assert [name for name in names if name != "groups"] == order.split()


def test_charts_are_there(made):
    pictures = {b.name for s in made[0]["internal"] for b in s.blocks if b.kind == "picture"}
    drawn = {f"network-{lens}-{when}" for lens in (0, 1) for when in ("before", "after")}
    assert pictures == {"bars", "curve", "degrees", "map", "attacks-chart"} | drawn


def test_everything_is_read_from_the_data(data, pages, tmp_path):
    (tmp_path / "a.json").write_text(data["original"].json())
    assert render_page(Audit.read(tmp_path / "a.json")) == pages["original"]


def test_outside_nothing_of_the_original_is_shown(pages, village):
    text = pages["external"]
    assert "918273645546" in pages["internal"]
    assert "918273645546" not in text
    assert not [name for name in village.names if str(name) in text]
    assert "network-" not in text
    assert tells(text, "External", "may be published")


@pytest.fixture(scope="module")
def hostile():
    n = len(HOSTILE)
    ring = Graph.from_pairs(
        HOSTILE,
        [*range(n), 0, 0],
        [*[(i + 1) % n for i in range(n)], 2, 3],
        attributes=shoal.Table.of({"<b>age</b>": list(range(n)), "</script>": HOSTILE}),
    )
    how = {"columns": ["<b>age</b>"], "sensitive": ["</script>"], "k": 2, "names": True}
    return shoal.audit(ring, purpose="<img src=x onerror=alert(1)>", threshold_set_by="</style><script>", **how)


@pytest.mark.slow
def test_hostile_names_are_text(hostile):
    text = render_page(hostile)
    tags = Tags(text)
    assert tags.open == []
    assert tags.seen["script"] == tags.seen["style"] == 1
    assert tags.seen["img"] == 0
    shown = "".join(tags.texts)
    assert "<img src=x onerror=alert(1)>" in shown
    assert "<script>alert(1)</script>" in shown
    assert "🐟👩‍👩‍👧" in shown
    assert "\u05d0\u05d1\u05d2" in shown
    assert "{{ 7*7 }}" in shown
    assert r"a\x00b" in shown
    assert r"\x1b[31mred" in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)  # a browser would drop a NUL
    assert "<b>age</b>" in shown


def test_colors_and_ids_of_charts_become_the_pages_own():
    group = '<g style="x" clip-path="url(#clip1)" aria-label="X-axis titled l">'
    svg = f'<svg viewBox="0 0 1 1">{group}<path id="clip1" stroke="#030303"/></g></svg>'
    assert clean_svg(svg, {color: ink for ink, color in INKS.items()}, "a") == (
        '<svg viewBox="0 0 1 1"><g clip-path="url(#a-clip1)"><path id="a-clip1" stroke="var(--grid)" /></g></svg>'
    )


def test_only_what_is_harmless_stays_in_a_chart():
    inside = '<script>x</script><a href="y"><text>z</text></a><path onclick="x" d="M0" aria-label="&lt;b&gt;"/>'
    text = '<text style="fill:red">style="kept" id="text"</text>'
    assert clean_svg(f'<svg viewBox="0 0 1 1">{inside}{text}</svg>', {}, "a") == (
        '<svg viewBox="0 0 1 1"><path d="M0" aria-label="&lt;b&gt;" /><text>style="kept" id="text"</text></svg>'
    )


def test_the_verdict_comes_first_then_the_facts(data):
    told = list_sentences(data["internal"])
    begins = ["Highest risk before", "Highest risk after", "Method", "Guarantee", "Attack", "Changed"]
    assert [line.split(":")[0] for line in told] == begins
    assert repr(data["internal"]).splitlines() == [*list_headlines(data["internal"]), *told]
    headline = list_headlines(data["original"])[0]
    assert headline == "FAIL. 2 of 2 attacker models leave some people with fewer than 12 candidates."


def judged(*words):
    return Verdict(tuple(Judgment("degree", word, False, False, True) for word in words))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["fail"], "FAIL. 1 of 1 attacker models leaves some people with fewer than 12 candidates."),
        (["pass", "fail", "cannot tell"], "FAIL. 1 of 3 attacker models leaves some people with fewer than 12 "),
        (["fail", "fail", "cannot tell"], "FAIL. 2 of 3 attacker models leave some people with fewer than 12 "),
        (["pass", "cannot tell"], "CANNOT TELL. 1 of 2 attacker models cannot be judged"),
        (["pass", "pass"], "PASS. 2 of 2 attacker models meet the threshold of 12 candidates for every person."),
        (["pass"], "PASS. 1 of 1 attacker models meets the threshold"),
        ([], "CANNOT TELL. No attacker model"),
    ],
)
def test_only_what_passes_everywhere_is_said_to_pass(data, words, says):
    assert list_headlines(replace(data["internal"], verdict=judged(*words)))[0].startswith(says)


def test_what_cannot_be_judged_is_said_beside_a_failure(data):
    told = list_headlines(replace(data["internal"], verdict=judged("fail", "cannot tell", "cannot tell")))[0]
    assert tells(told, "2 more cannot be judged: degree and degree (", ")")


@pytest.mark.parametrize("risk", [1.0, 0.5, 0.34, 1 / 3, 0.2, 0.1, 0.09, 0.05, 0.01, 1 / 49, 1e-3])
def test_the_fewest_candidates_of_a_risk(risk):
    k = count_required_candidates(risk)
    assert 1 / k <= risk
    assert k == 1 or 1 / (k - 1) > risk


def test_shares_never_round_to_nothing_or_all():
    assert format_rate(Rate(1, 10_000, (0.0, 0.99999))) == "<0.1 % (95 % interval 0 % to >99.9 %)"
    assert format_rate(Rate(1, 10_000)) == "<0.1 %"


def test_an_inexact_number_is_shown_as_a_bound(data):
    first, *others = data["original"].before
    bound = replace(first, exact=False, all_exact=False, k=40, highest=0.025, verdict="cannot tell")
    section = next(s for s in list_sections(replace(data["original"], before=(bound, *others))) if s.name == "before")
    row = next(b for b in section.blocks if b.kind == "grid").rows[0]
    assert row[1] == "<= 40"
    assert all(cell.startswith(">= ") for cell in row[2:6])
    assert row[6] == "cannot tell"
    assert "at most 40 candidates" in row[-1]
    told = list_sentences(replace(data["original"], before=(bound,)))[0]
    assert tells(told, "identify at least", ">= ", "At least")


def test_misled_people_are_counted_beside_those_for_whom_it_holds(data):
    rows = data["internal"].after.original_facts
    some = next(r for r in rows if r.misled and r.k)
    row = replace(some, verdict="cannot tell", doubts=("misled",))
    marks = build_panel_grid([row], 3, "x", attacked=True).rows[0]
    assert marks[-2] == f"holds for {row.people - row.misled:,} of {row.people:,}"
    assert marks[-3] == f"{row.misled:,}"
    assert "pass" not in marks[-2]
    assert "not make them safe" in marks[-1]


@pytest.mark.slow
@pytest.mark.parametrize("holds", [True, False])
def test_a_bound_that_does_not_hold_is_shouted(data, holds):
    attacks = data["internal"].attacks
    bound = ImpliedBound("No person is guessed.", holds, {"measured": 0.7})
    tried = (replace(attacks.tried[0], bound=bound), *attacks.tried[1:])
    found = replace(data["internal"], attacks=replace(attacks, tried=tried))
    told = next(b for b in build_attacks(found).blocks if b.kind == "text" and b.text.startswith(bound.means))
    assert ("It holds." in told.text) is holds
    assert ("DOES NOT HOLD" in told.text) is not holds
    assert (told.tone == "warning") is not holds
    left = build_residual(found).blocks[0]
    assert any("does not hold" in item for item in left.items) is not holds


WORN = re.compile(
    r"\b(whoever|nobody|somebody|everybody|anybody|who is who|looked at|singled out|give[ns]? away)\b", re.I
)


@pytest.mark.parametrize("form", FORMS)
def test_a_page_is_in_plain_words(form, made):
    """What this package writes; sentences of methods, metrics and attacks are theirs."""
    ours = ("identification", "columns", "thresholds", "groups", "before", "certificate", "reproduce")
    texts = [
        text
        for section in made[0][form]
        if section.name in ours
        for block in section.blocks
        for text in (getattr(block, "text", ""), getattr(block, "legend", "") or "", getattr(block, "title", ""))
        if isinstance(text, str)
    ]
    assert not [text for text in texts if WORN.search(text)]


@pytest.mark.parametrize("form", FORMS)
def test_column_heads_have_a_legend(form, made):
    grids = [b for s in made[0][form] for b in s.blocks if b.kind == "grid" and "unique" in b.head]
    assert grids
    for grid in grids:
        own = set(grid.head) - {"knows", "what it means", "highest risk", "average risk"}
        assert all(f"{head}:" in grid.legend for head in own)


def test_the_rule_and_the_reason_are_on_the_page(pages, data):
    assert "by guarantee" in pages["internal"]
    assert "safety in the literature" in pages["internal"]
    assert tells(pages["internal"], "Not tried", "planted-walk")
    assert "facts from the release alone" in pages["external"]
    assert "facts from the release alone" in pages["unmatched"]
    assert "facts from the release alone" not in pages["internal"]


def test_measured_shares_never_round_to_nothing_or_all():
    assert (format_amount(0.99999), format_amount(0.0), format_amount(1.0)) == (">0.999", "0", "1")


def test_without_its_libraries_a_report_says_what_to_install(data, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingLibrary, match=r"shoal\[report\]"):
        render_page(data["internal"])


def test_a_saved_page_is_the_page(data, pages, tmp_path):
    data["table"].save(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == pages["table"]
