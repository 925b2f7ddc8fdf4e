"""The page in a real browser: nothing is refused, nothing is fetched, and it can be read in every light and width."""

import os
import shutil
from pathlib import Path

import pytest

import shoal
from hostile_text import HOSTILE
from shoal import Graph

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
FOUND = os.environ.get("SHOAL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
CHARTS = ("bars", "curve", "degrees", "map", "attacks-chart", "network-0-before", "network-0-after")


@pytest.fixture(scope="module")
def browser():
    driver = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'shoal[browser]'")
    if FOUND is None:
        pytest.skip(f"no browser: install one of {', '.join(BROWSERS)} (Debian: apt-get install chromium)")
    with driver.sync_playwright() as started:
        found = started.chromium.launch(executable_path=FOUND, args=list(QUIET))
        yield found
        found.close()


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
        page = context.new_page()
        page.wrong = []
        page.on("console", lambda message: page.wrong.append(message.text))
        page.on("pageerror", lambda error: page.wrong.append(str(error)))
        page.on("request", lambda request: page.wrong.append(request.url) if request.url != path.as_uri() else None)
        page.add_init_script("addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))")
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


def test_nothing_is_refused_and_nothing_is_fetched(opened, report):
    page = opened(report)
    for name in CHARTS:
        box = page.locator(f"figure#{name} svg").bounding_box()
        assert box["width"] > 250, name
        assert box["height"] > 60, name
    assert page.wrong == []


def test_hovering_tells_what_a_mark_is(opened, report):
    page = opened(report)
    assert not page.locator("#hint").is_visible()
    mark = page.locator("figure#bars svg [aria-label]").first
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


@pytest.mark.parametrize("width", [320, 390, 768])
def test_a_phone_needs_no_sideways_scrolling(width, opened, report):
    page = opened(report, viewport={"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("figure#bars svg").bounding_box()["width"] <= width


def test_paper_shows_everything(opened, report, tmp_path):
    page = opened(report, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("body").evaluate("e => getComputedStyle(e).backgroundColor") == "rgb(255, 255, 255)"
    page.pdf(path=tmp_path / "a.pdf", format="A4")
    assert (tmp_path / "a.pdf").stat().st_size > 50_000


def test_without_scripts_it_is_all_there(opened, report):
    page = opened(report, java_script_enabled=False)
    assert page.locator("section").count() == 14
    assert page.locator("figure#bars svg").bounding_box()["width"] > 250
    assert page.locator(".zoom").count() == 0
    page.locator("figure#bars summary").click()
    assert page.locator("figure#bars details table").is_visible()


def test_hostile_names_are_text(opened, tmp_path):
    n = len(HOSTILE)
    ring = Graph.from_pairs(HOSTILE, [*range(n), 0, 0], [*[(i + 1) % n for i in range(n)], 2, 3])
    shoal.audit(ring, k=2, names=True, purpose=HOSTILE[0]).save(tmp_path / "a.html")
    page = opened(tmp_path / "a.html")
    page.on("dialog", lambda dialog: page.wrong.append(dialog.message))
    shown = page.locator("main").inner_text()
    assert HOSTILE[0] in shown
    assert HOSTILE[2] in shown
    assert page.locator("main script").count() == 0
    assert page.wrong == []
