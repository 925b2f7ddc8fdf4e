"""The page: a summary for a committee, then the appendix; what came from files is text, and nothing else is let in."""

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
from shoal.auditing.model import Audit
from shoal.errors import MissingLibrary
from shoal.report.html.charts.audit import INKS, draw_bar, draw_candidates
from shoal.report.html.charts.draw import clean_svg
from shoal.report.html.page import list_sections, render_page
from shoal.report.html.sections.dossier import build_limits, format_amount
from shoal.report.html.sections.evidence import build_attacks, build_risk, build_utility, list_cells
from shoal.report.html.sections.summary import build_summary
from shoal.report.text.audit import list_headlines, list_sentences
from shoal.report.text.phrases import format_rate

pytestmark = pytest.mark.usefixtures("brief_searches")

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
    links = shoal.Scenario("links", ["degree", "neighbors:1"], k=3, allow="10%", decided_by="the board")
    return {
        "internal": shoal.audit(village, release, **how),
        "passing": shoal.audit(village, release, scenario=links, attacks=["cascade"]),
        "external": shoal.audit(village, release, external=True, **how),
        "original": shoal.audit(village, knowledge=FEW, **how),
        "table": shoal.audit(village.attributes, columns=["age", "sex"], sensitive=["income"]),
        "unmatched": shoal.audit(village, release.data, same_names=False, scenario=links, knowledge=["degree"]),
    }


@pytest.fixture(scope="module")
def made(data):
    """Each form as its sections, which take a while, and as its page."""
    found = {name: list_sections(one) for name, one in data.items()}
    with pytest.MonkeyPatch.context() as patch:
        shown = {}
        for name, one in data.items():
            patch.setattr("shoal.report.html.page.list_sections", lambda _, name=name: found[name])
            shown[name] = render_page(one)
    return found, shown


@pytest.fixture(scope="module")
def pages(made):
    return made[1]


FORMS = ("internal", "passing", "external", "original", "table", "unmatched")


class TestPage:
    """One file with its own style and script, and nothing else."""

    @pytest.mark.slow
    @pytest.mark.parametrize("form", FORMS)
    def test_a_page_is_whole_and_allows_only_what_is_ours(self, form, pages):
        text = pages[form]
        tags = Tags(text)
        assert tags.open == []
        assert len(set(tags.ids)) == len(tags.ids)
        assert tags.seen["script"] == tags.seen["style"] == 1
        assert not [a for a in tags.attributes if a[1] == "style" or a[1].startswith("on") or a[1] in ("src", "srcset")]
        assert all(value.startswith("#") for _, name, value in tags.attributes if name in ("href", "xlink:href"))
        assert {v[1:] for _, name, v in tags.attributes if name == "href"} <= set(tags.ids)
        policy = next(value for _, name, value in tags.attributes if name == "content" and "default-src" in value)
        assert "default-src 'none'" in policy
        for tag in ("script", "style"):
            inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, flags=re.S)[1]
            digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
        assert len(text.encode()) < 1_000_000

    @pytest.mark.parametrize("form", FORMS)
    def test_every_chart_says_what_it_is(self, form, pages):
        """A bar has its numbers beside it; every other picture has a title and a description."""
        for svg in re.findall(r"<svg.*?</svg>", pages[form], flags=re.S):
            assert not re.search(r"#0[0-9a-f]{5}\b", svg), "a color that the style sheet does not know"
            if svg.startswith('<svg class="bar" aria-hidden="true">'):
                continue
            assert 'role="img"' in svg
            titled = re.search(r'aria-labelledby="(\S+) (\S+)"', svg)
            assert re.search(rf'<title id="{titled[1]}">[^<]+</title>', svg)
            assert re.search(rf'<desc id="{titled[2]}">[^<]+</desc>', svg)
        style = re.search(r"<style>(.*?)</style>", pages[form], flags=re.S)[1]
        assert all(f"--{ink}:" in style for ink in INKS)

    @pytest.mark.parametrize("form", FORMS)
    def test_colors_are_never_alone(self, form, pages):
        """Each bar stands in a row with the word of its data and its number."""
        rows = re.findall(r"<tr>.*?</tr>", pages[form], flags=re.S)
        barred = [row for row in rows if "svg" in row]
        assert barred
        for row in barred:
            assert re.search(r'<th scope="row">[a-z][^<]+</th>', row)
            assert re.search(r"<td[^>]*>[^<]*[\d–]", row)

    def test_everything_is_read_from_the_data(self, data, pages, tmp_path):
        (tmp_path / "a.json").write_text(data["original"].json())
        assert render_page(Audit.read(tmp_path / "a.json")) == pages["original"]

    def test_a_saved_page_is_the_page(self, data, pages, tmp_path):
        data["table"].save(tmp_path / "a.html")
        assert (tmp_path / "a.html").read_text(encoding="utf-8") == pages["table"]

    def test_without_its_libraries_a_report_says_what_to_install(self, data, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(MissingLibrary, match=r"shoal\[report\]"):
            render_page(data["internal"])

    def test_no_line_ends_before_a_percent_sign(self, pages):
        body = pages["internal"].split("<body>")[1]
        assert re.search(r"\d\u00a0%", body)
        assert not re.search(r"\d %", body.split("<script>")[0])


class TestSummary:
    """The first screen: verdict, chart, what is left, attack, limits, next steps."""

    @pytest.mark.parametrize("form", FORMS)
    def test_its_parts_are_in_order_and_before_the_appendix(self, form, pages):
        parts = ["verdict", "subject", "chart", "left", "open", "next", "appendix"]
        places = [pages[form].index(f'id="{part}"') for part in parts]
        assert places == sorted(places)

    @pytest.mark.parametrize("form", FORMS)
    def test_the_verdict_and_its_numbers_come_first(self, form, data, pages):
        found = build_summary(data[form])
        assert pages[form].index(f"<strong>{found.word}</strong>") < pages[form].index('id="subject"')
        lines = list_headlines(data[form])
        (verdict,) = [line for line in lines if line.startswith(f"{found.word} for the knowledge of the scenario")]
        assert verdict.endswith(found.numbers.partition(": ")[2])
        assert all(one.after is None or one.after in verdict for one in data[form].scenario.kinds)
        assert data[form].scenario.name in found.numbers

    def test_a_weaker_scenario_and_a_broken_guarantee_are_alerts(self, data):
        assert tells(build_summary(data["passing"]).alerts[0], "WEAKER", "agreement", "3", "10 %")
        broken = replace(data["passing"].promises[0], holds=False, evidence="1 of 60 has 2.")
        found = build_summary(replace(data["passing"], promises=(broken,)))
        assert found.alerts[0].startswith("GUARANTEE BROKEN")
        assert "BROKEN" in dict(found.released)["Guarantee"]

    def test_a_partial_audit_says_so(self, data):
        found = build_summary(replace(data["passing"], partial="The time limit of 5m ended 1 of 3 attacks."))
        assert "PARTIAL. The time limit of 5m ended 1 of 3 attacks." in found.alerts

    def test_it_says_what_is_released_and_against_what(self, data):
        found = build_summary(data["passing"])
        assert "60 people" in dict(found.released)["Data"]
        assert dict(found.released)["Method"] == "equalize-rows"
        guarantee = dict(found.released)["Guarantee"]
        assert tells(guarantee, "an attacker who knows all neighbors".capitalize(), "at least 3 candidates", "Verified")
        assert "asks for" not in guarantee
        stricter = replace(data["passing"], scenario=replace(data["passing"].scenario, k=5))
        assert "scenario asks for 5" in dict(build_summary(stricter).released)["Guarantee"]
        assert found.against == ["the number of links of a person", "1 neighbor of a person"]
        assert tells(found.goal, "links", "10 %", "3 candidates", "the board")

    def test_the_chart_has_the_numbers_of_the_verdict_and_of_each_kind(self, data):
        audit = data["internal"]
        total, *kinds = build_summary(audit).chart.groups
        verdict = audit.verdict
        worse = max(verdict.release_facts.below, verdict.original_facts.below)
        assert [bar.number.split(" (")[0] for bar in total.bars] == [f"{verdict.before.below} of 60", f"{worse} of 60"]
        assert [kind.title for kind in kinds] == [
            "number of links",
            "1 known neighbor",
            "age and sex",
            "number of links + age and sex",
        ]
        for kind, spec in zip(
            kinds, ("degree", "neighbors:1", "columns:age,sex", "degree+columns:age,sex"), strict=True
        ):
            rows = [row for row in (*audit.after.release_facts, *audit.after.original_facts) if row.knows == spec]
            assert kind.bars[1].number.startswith(f"{max(row.below for row in rows)} of 60")
        assert tells(build_summary(audit).chart.told, "each row", "larger", "original", "release")

    def test_people_who_match_none_are_beside_the_bar_and_never_in_its_number(self, data):
        audit = data["internal"]
        judged = replace(audit.verdict.original_facts, below=0, unproved=2, misled=9)
        verdict = replace(audit.verdict, release_facts=None, original_facts=judged)
        total = build_summary(replace(audit, verdict=verdict)).chart.groups[0].bars[1]
        assert total.number == "0 of 60 (0 %)"
        assert total.also == "2 not proved; 9 unmatched"
        assert {"unproved", "unmatched"} <= set(re.findall(r'rect class="(\w+)"', total.svg))

    def test_bounds_are_marked(self, data):
        first, *others = data["original"].before
        found = build_summary(replace(data["original"], before=(replace(first, all_exact=False), *others)))
        assert found.chart.groups[1].bars[0].number.startswith(">= ")
        assert "(>= " in found.chart.groups[1].bars[0].number

    def test_without_a_release_the_chart_is_about_the_original(self, data):
        found = build_summary(data["original"])
        assert {bar.when for group in found.chart.groups for bar in group.bars} == {"before"}
        assert tells(found.about, "Verdict", "data before release")
        assert [one.name for one in found.drawings] == ["network"]

    def test_four_numbers_say_what_is_left(self, data):
        network = {label: number for number, label in build_summary(data["internal"]).left}
        changes = data["internal"].changes
        assert len(network) == 4
        assert network["false links added"] == f"{changes.added:,}"
        links = changes.kept + changes.removed
        assert network[f"of the {links} links kept"] == f"{100 * changes.kept / links:.1f} %"
        assert "columns released" in network
        assert len(build_summary(data["unmatched"]).left) == 4

    def test_a_table_counts_records_columns_and_cells(self, village):
        table = village.attributes
        release = shoal.methods.Mondrian(k=3, columns=("age", "sex"))(table)
        found = dict(reversed(pair) for pair in build_summary(shoal.audit(table, release, columns=["age", "sex"])).left)
        assert found["records left"] == "60 of 60"
        assert found["columns left"] == f"{len(table)} of {len(table)}"
        assert found["of the values changed"].endswith("%")

    def test_the_drawing_marks_removed_and_added_links(self, data):
        drawing = data["internal"].drawing
        before, after = build_summary(data["internal"]).drawings
        assert [one.name for one in (before, after)] == ["changes-before", "changes-after"]
        both = {tuple(sorted(link)) for link in drawing.links_before} & {tuple(sorted(l)) for l in drawing.links_after}
        for picture, links, ink in ((before, drawing.links_before, "removed"), (after, drawing.links_after, "added")):
            path = re.search(rf'class="links {ink}" d="([^"]*)"', picture.svg)[1]
            assert path.count("M") == len(links) - len(both)

    def test_the_best_attack_and_guessing_are_in_one_line(self, data):
        told = build_summary(data["passing"]).attack
        assert tells(told, "cascade", "knows the original", "identifies", "guesses", "verdict")
        assert build_summary(data["unmatched"]).attack.startswith("No attack was tried.")

    def test_what_is_not_covered(self, data):
        points = build_summary(data["internal"]).open_points
        assert tells(points[0], "identity", "link", "took part")
        after = data["internal"].after
        most = max(r.below for r in (*after.original_facts, *after.release_facts) if not r.in_scenario)
        assert tells(points[1], "Outside the scenario", f"({most} people)")
        assert any("household" in point and "NOT counted" in point for point in points)

    def test_what_to_do_next_has_commands(self, data):
        steps = build_summary(data["internal"]).steps
        assert steps[0] == (False, "Do not publish this release.")
        (command,) = [text for is_command, text in steps if is_command]
        assert tells(command, "shoal anonymize", "--method", "-k 3", "--mapping")
        assert all(text in steps[i][1] for i, text in enumerate(data["internal"].next_steps))
        assert "--mapping" in build_summary(data["unmatched"]).steps[1][1]


class TestAppendix:
    """Everything else that was counted."""

    @pytest.mark.parametrize("form", FORMS)
    def test_it_has_the_sections_of_a_dossier_folded(self, form, made, pages):
        names = ["scenario", "risk", "people", "attacks", "utility", "method", "data", "limits", "reproduce"]
        assert [section.name for section in made[0][form]] == names
        assert all(section.blocks for section in made[0][form])
        inside = pages[form][pages[form].index('id="appendix"') :]
        assert re.findall(r'<section class="folded">\n<details>', inside) == ['<section class="folded">\n<details>'] * 9
        assert not re.search(r"<details[^>]* open", pages[form])

    @pytest.mark.parametrize("form", FORMS)
    def test_rows_have_a_cell_for_each_head(self, form, made):
        for section in made[0][form]:
            for block in section.blocks:
                table = getattr(block, "table", None) or block
                if table.kind == "grid":
                    assert all(len(row) == len(table.head) for row in table.rows), section.name
                if table.kind == "panel":
                    lines = [line for _, lines in table.kinds for line in lines]
                    assert all(len(line.cells) + 2 == len(table.head) for line in lines)

    def test_two_groups_have_the_same_numbers(self, data):
        audit = data["internal"]
        note, inside, outside = build_risk(audit).blocks[:3]
        rows = (*audit.before, *audit.after.release_facts, *audit.after.original_facts)
        for table, is_inside in ((inside, True), (outside, False)):
            lines = [line for _, lines in table.kinds for line in lines]
            wanted = [list_cells(row) for row in rows if row.in_scenario is is_inside]
            assert sorted(map(tuple, wanted)) == sorted(tuple(line.cells) for line in lines)
        assert "outside" in outside.caption.lower()
        heads = set(inside.head) - {"data", "candidates"}
        assert all(f"{head}:" in note.text for head in heads)

    def test_charts_are_there(self, made):
        pictures = {b.name for s in made[0]["internal"] for b in s.blocks if b.kind == "picture"}
        drawn = {f"network-{lens}-{when}" for lens in (0, 1) for when in ("before", "after")}
        assert pictures == {"curve", "degrees", "map"} | drawn

    def test_an_inexact_number_is_shown_as_a_bound(self, data):
        first = data["original"].before[0]
        bound = replace(first, exact=False, all_exact=False, k=40, highest=0.025)
        cells = list_cells(bound)
        assert cells[0] == "<= 40"
        assert all(cell.startswith(">= ") for cell in cells[1:4])
        told = list_sentences(replace(data["original"], before=(bound,)))[0]
        assert tells(told, "identify at least", ">= ", "At least")

    def test_attacker_models_that_were_not_counted_are_named(self, data):
        left = shoal.auditing.findings.LeftOut("neighbors:2", "It takes too long.")
        found = replace(data["internal"], not_counted=(left,))
        assert any(tells(getattr(b, "text", ""), "neighbors:2", "too long") for b in build_risk(found).blocks)
        assert any("2 known neighbors" in point for point in build_summary(found).open_points)

    @pytest.mark.parametrize("holds", [True, False])
    def test_a_bound_that_does_not_hold_is_shouted(self, data, holds):
        attacks = data["internal"].attacks
        bound = ImpliedBound("No person is guessed.", holds, {"measured": 0.7})
        tried = (replace(attacks.tried[0], bound=bound), *attacks.tried[1:])
        found = replace(data["internal"], attacks=replace(attacks, tried=tried))
        texts = [b for b in build_attacks(found).blocks if b.kind == "text"]
        at = next(i for i, b in enumerate(texts) if b.text == bound.means)
        told = texts[at + 1]
        assert "0.700" in told.text
        assert ("It holds." in told.text) is holds
        assert ("DOES NOT HOLD" in told.text) is not holds
        assert (told.tone == "warning") is not holds
        left = build_limits(found).blocks[0]
        assert any("does not hold" in item for item in left.items) is not holds

    def test_attacks_have_their_controls_and_those_left_out_their_reasons(self, made):
        section = next(s for s in made[0]["internal"] if s.name == "attacks")
        rates = next(b for b in section.blocks if b.kind == "panel")
        assert all(lines[0].when == "release" and lines[-1].when == "guessing" for _, lines in rates.kinds)
        assert any(tells(getattr(b, "text", ""), "Not tried", "planted-walk") for b in section.blocks)

    def test_a_metric_of_columns_is_described_once(self, data):
        rows = next(b for b in build_utility(data["internal"]).blocks if b.kind == "grid").rows
        told = {row[0]: row[-1] for row in rows}
        assert tells(told["age: distance"], "age")
        assert told["income: distance"] == "as for age: distance"


class TestExternal:
    """What may be published: functions of the published files, and declared policy."""

    def test_nothing_of_the_original_is_shown(self, pages, village):
        text = pages["external"]
        assert "918273645546" in pages["internal"]
        assert "918273645546" not in text
        assert not [name for name in village.names if str(name) in text]
        assert "network-" not in text
        assert "changes-" not in text
        assert tells(text, "External", "may be published")

    def test_it_has_no_before_no_edits_and_no_rates(self, data, pages):
        shown = re.sub(r"<(style|script)>.*?</\1>", "", pages["external"], flags=re.S)
        assert not re.search(r"\bbefore\b", shown)
        assert not re.search(r"\b(edits|added|removed|kept|match none|unmatched|misled)\b", shown)
        assert data["external"].next_steps == ()
        assert data["external"].attacks is None
        assert {bar.when for g in build_summary(data["external"]).chart.groups for bar in g.bars} == {"release"}

    def test_its_verdict_is_about_the_published_files_alone(self, data):
        found = build_summary(data["external"])
        assert tells(found.about, "Verdict", "published files only")
        assert tells(found.lines[0], "published files alone", "does not show", "original")

    def test_its_next_steps_check_the_guarantee(self, data):
        assert [step for is_command, step in build_summary(data["external"]).steps if is_command] == list(
            data["external"].certificate.check_again
        )


@pytest.fixture(scope="module")
def hostile():
    n = len(HOSTILE)
    ring = Graph.from_pairs(
        HOSTILE,
        [*range(n), 0, 0],
        [*[(i + 1) % n for i in range(n)], 2, 3],
        attributes=shoal.Table.of({"<b>age</b>": list(range(n)), "</script>": HOSTILE}),
    )
    how = {"columns": ["<b>age</b>"], "sensitive": ["</script>"], "names": True}
    scenario = shoal.Scenario(
        "</strong><i>", ["degree", "quasi-identifiers"], k=2, decided_by="</style><script>", sentences=["<u>a", "{{b}}"]
    )
    return shoal.audit(ring, purpose="<img src=x onerror=alert(1)>", scenario=scenario, **how)


@pytest.mark.slow
def test_hostile_names_are_text(hostile):
    text = render_page(hostile)
    tags = Tags(text)
    assert tags.open == []
    assert tags.seen["script"] == tags.seen["style"] == 1
    assert tags.seen["img"] == tags.seen["u"] == 0
    shown = "".join(tags.texts)
    assert "<img src=x onerror=alert(1)>" in shown
    assert "<script>alert(1)</script>" in shown
    assert "</style><script>" in shown
    assert "</strong><i>" in shown
    assert "<u>a" in shown
    assert "{{b}}" in shown
    assert "🐟👩‍👩‍👧" in shown
    assert "\u05d0\u05d1\u05d2" in shown
    assert "{{ 7*7 }}" in shown
    assert r"a\x00b" in shown
    assert r"\x1b[31mred" in shown
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)  # a browser would drop a NUL
    assert "<b>age</b>" in shown


class TestCharts:
    """Markup of charts: what is drawn by shoal, and what is kept of what vl-convert draws."""

    def test_a_part_that_is_not_nothing_stays_visible(self):
        assert 'width="0.6%"' in draw_bar([(0.00001, "before")])
        assert "rect" not in draw_bar([(0.0, "before")])
        assert 'x="100%"' not in draw_bar([(1.0, "before"), (0.5, "unmatched")])
        assert 'x1="2%"' in draw_bar([], 0.02)

    def test_a_bar_of_candidates_has_all_people(self, data):
        for row in data["internal"].after.original_facts:
            widths = [float(w) for w in re.findall(r'width="([\d.]+)%"', draw_candidates(row))]
            assert sum(widths) == pytest.approx(100, abs=3)

    def test_colors_and_ids_of_charts_become_the_pages_own(self):
        group = '<g style="x" clip-path="url(#clip1)" aria-label="X-axis titled l">'
        svg = f'<svg viewBox="0 0 1 1">{group}<path id="clip1" stroke="#030303"/></g></svg>'
        assert clean_svg(svg, {color: ink for ink, color in INKS.items()}, "a") == (
            '<svg viewBox="0 0 1 1"><g clip-path="url(#a-clip1)"><path id="a-clip1" stroke="var(--grid)" /></g></svg>'
        )

    def test_only_what_is_harmless_stays_in_a_chart(self):
        inside = '<script>x</script><a href="y"><text>z</text></a><path onclick="x" d="M0" aria-label="&lt;b&gt;"/>'
        text = '<text style="fill:red">style="kept" id="text"</text>'
        assert clean_svg(f'<svg viewBox="0 0 1 1">{inside}{text}</svg>', {}, "a") == (
            '<svg viewBox="0 0 1 1"><path d="M0" aria-label="&lt;b&gt;" role="img" />'
            '<text>style="kept" id="text"</text></svg>'
        )


def test_the_text_has_the_verdict_first_then_the_facts(data):
    told = list_sentences(data["internal"])
    begins = ["Highest risk before, within the scenario", "Highest risk after, within the scenario"]
    begins += ["Highest risk after, outside the scenario", "Method", "Guarantee", "Attack", "Changed"]
    assert [line.split(":")[0].partition(" (")[0] for line in told] == begins
    assert repr(data["internal"]).splitlines() == [*list_headlines(data["internal"]), *told]


def test_shares_never_round_to_nothing_or_all():
    assert format_rate(Rate(1, 10_000, (0.0, 0.99999))) == "<0.1 % (95 % interval 0 % to >99.9 %)"
    assert format_rate(Rate(1, 10_000)) == "<0.1 %"
    assert (format_amount(0.99999), format_amount(0.0), format_amount(1.0)) == (">0.999", "0", "1")


WORN = re.compile(
    r"\b(whoever|nobody|somebody|everybody|anybody|who is who|looked at|singled out|give[ns]? away)\b", re.I
)


@pytest.mark.parametrize("form", FORMS)
def test_a_page_is_in_plain_words(form, pages):
    assert not WORN.search(" ".join(Tags(pages[form]).texts))
