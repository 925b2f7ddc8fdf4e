"""The page in a real browser: nothing is refused, nothing is fetched, and it can be read in every light and width."""

from pathlib import Path

import pytest

import shoal
from browsing import CLIPPED, note_wrong
from hostile_text import HOSTILE
from shoal import Graph

pytestmark = pytest.mark.slow

CHARTS = ("curve", "degrees", "map", "network-0-before", "network-0-after")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with everything in it."""
    village = shoal.examples.village(60)
    release = shoal.methods.EqualizeRows(k=3, seed=7, effort=20)(village)
    place = tmp_path_factory.mktemp("page") / "report.html"
    shoal.audit(village, release, columns=["age", "sex"], sensitive=["income"], k=3).save(place)
    return place


@pytest.fixture
def opened(browser):
    """Open a page and note everything that goes wrong or out."""
    contexts = []

    def show(path: Path, **how):
        context = browser.new_context(**({"viewport": {"width": 1100, "height": 900}} | how))
        contexts.append(context)
        page = note_wrong(context.new_page(), path.as_uri())
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


def test_nothing_is_refused_and_nothing_is_fetched(opened, report):
    page = opened(report)
    page.locator("#unfold").click()
    for name in CHARTS:
        box = page.locator(f"figure#{name} svg").bounding_box()
        assert box["width"] > 250, name
        assert box["height"] > 60, name
    assert page.wrong == []


@pytest.mark.parametrize("part", ["verdict", "subject", "chart", "left", "open", "next"])
def test_the_summary_is_the_first_screen(part, opened, report):
    page = opened(report, viewport={"width": 1280, "height": 800})
    heading = page.locator(f"#{part} h2").first.bounding_box()
    assert heading["y"] + heading["height"] < 700
    box = page.locator(f"#{part}").bounding_box()
    assert box["y"] + box["height"] < 900


def test_the_appendix_is_folded_and_unfolds(opened, report):
    page = opened(report)
    assert not page.locator("#limits").is_visible()
    page.locator("summary", has_text="Residual risk").click()
    assert page.locator("#limits").is_visible()
    assert not page.locator("#risk").is_visible()
    page.locator("#unfold").click()
    assert page.locator("#risk").is_visible()


def test_hovering_tells_what_a_mark_is(opened, report):
    page = opened(report)
    page.locator("#unfold").click()
    assert not page.locator("#hint").is_visible()
    mark = page.locator("figure#curve svg [aria-label]").last  # on top of the others
    mark.scroll_into_view_if_needed()
    mark.hover()
    assert page.locator("#hint").is_visible()
    assert page.locator("#hint").inner_text() == mark.get_attribute("aria-label")
    assert "people" in page.locator("#hint").inner_text()
    page.mouse.move(2, 2)
    assert not page.locator("#hint").is_visible()


@pytest.mark.parametrize("figure", ["map", "network-0-before"])
def test_pictures_can_be_looked_at_more_closely(figure, opened, report):
    page = opened(report)
    page.locator("#unfold").click()
    svg = page.locator(f"figure#{figure} svg")
    whole = svg.get_attribute("viewBox")
    page.locator(f"figure#{figure} button", has_text="+").click()
    closer = [float(x) for x in svg.get_attribute("viewBox").split()]
    assert closer[2] < float(whole.split()[2])
    page.locator(f"figure#{figure}").get_by_label("Reset zoom").click()
    assert [float(x) for x in svg.get_attribute("viewBox").split()] == [float(x) for x in whole.split()]
    assert page.wrong == []


def test_light_and_dark_differ_and_both_can_be_read(opened, report):
    colors = {}
    for scheme in ("light", "dark"):
        page = opened(report, color_scheme=scheme)
        ask = "e => { const s = getComputedStyle(e); return [s.color, s.backgroundColor] }"
        colors[scheme] = page.locator("body").evaluate(ask)
        text = page.locator("figure#curve svg text").first.evaluate("e => getComputedStyle(e).fill")
        assert text == colors[scheme][0]
    assert colors["light"] == colors["dark"][::-1] or colors["light"] != colors["dark"]
    assert colors["light"][1] != colors["dark"][1]


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_is_clipped_and_nothing_scrolls_sideways(width, opened, report):
    page = opened(report, viewport={"width": width, "height": 800})
    page.locator("#unfold").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure#curve svg").bounding_box()["width"] <= width
    assert page.evaluate(CLIPPED) == []


def test_paper_shows_everything(opened, report, tmp_path):
    """Without a script, too: the appendix is complete, and begins on a page of its own."""
    page = opened(report, color_scheme="dark", java_script_enabled=False)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("#limits").bounding_box()["height"] > 20
    assert page.locator("figure#degrees details table").bounding_box()["height"] > 20
    assert page.locator("#unfold").is_hidden()
    page.pdf(path=tmp_path / "a.pdf", format="A4")
    assert (tmp_path / "a.pdf").stat().st_size > 50_000
    page = opened(report, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#appendix").evaluate("e => getComputedStyle(e).breakBefore") == "page"


def test_the_summary_has_at_most_two_printed_pages(opened, report):
    high = 2 * 269 / 25.4 * 96  # two pages of A4 without their margins, in pixels
    page = opened(report, viewport={"width": round(184 / 25.4 * 96), "height": 1000})
    page.emulate_media(media="print")
    assert page.locator("#summary").bounding_box()["height"] < high


def test_without_scripts_it_is_all_there(opened, report):
    page = opened(report, java_script_enabled=False)
    assert page.locator("section").count() == 6 + 9
    assert page.locator("#chart svg.bar").count() == 10
    assert page.locator("#unfold").is_hidden()
    page.locator("summary", has_text="Risk by kind").click()
    assert page.locator("figure#curve svg").bounding_box()["width"] > 250
    assert page.locator(".zoom").count() == 0
    page.locator("figure#curve summary").click()
    assert page.locator("figure#curve details table").is_visible()


def test_hostile_names_are_text(opened, tmp_path):
    n = len(HOSTILE)
    ring = Graph.from_pairs(HOSTILE, [*range(n), 0, 0], [*[(i + 1) % n for i in range(n)], 2, 3])
    shoal.audit(ring, k=2, names=True, purpose=HOSTILE[0]).save(tmp_path / "a.html")
    page = opened(tmp_path / "a.html")
    page.locator("#unfold").click()
    shown = page.locator("main").inner_text()
    assert HOSTILE[0] in shown
    assert HOSTILE[2] in shown
    assert page.locator("main script").count() == 0
    assert page.wrong == []
