"""The web app for every reader: axe finds nothing, a keyboard is enough, pages fit a phone, names are shown right."""

import importlib.util
import re
from pathlib import Path

import pytest

from browsing import Site, browser  # noqa: F401 - a fixture

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
HEAVY = ("serious", "critical")
NAMES = ("Jürgen Müßig", "Žofie Łoś", "ليلى العمري", "שרה כהן", "李小龍", "Zoë 🦈", "Ann\u202egnE")
"""Umlauts, accents, two scripts from right to left, Chinese, an emoji, and a mark that turns the direction."""
OUTSIDE = """() => [...document.querySelectorAll('body *')]
    .filter(e => !e.closest('svg, .wide, pre, .skip, .canvas, #canvas')
    && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""
"""Elements that are cut off at the right; wide tables scroll."""
UNMARKED = """() => {
    const one = document.activeElement, marked = [one, one.closest('label'), one.querySelector('circle')];
    const look = (e) => getComputedStyle(e);
    const shows = (e) => e && (look(e).outlineStyle !== 'none' || look(e).strokeWidth === '2px');
    return one === document.body || marked.some(shows) ? '' : one.outerHTML.slice(0, 120);
}"""
"""The focused element, if nothing shows that it has the focus."""


def load_walk():
    """Return the script that makes the pictures of the docs: both take the same walk."""
    spec = importlib.util.spec_from_file_location("web_pictures", ROOT / "docs" / "web_pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def axe():
    package = pytest.importorskip("axe_playwright_python", reason="no axe-core: pip install 'shoal[browser]'")
    return Path(package.__path__[0], "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def start(browser, tmp_path):  # noqa: F811
    """Start a server in an empty folder, and open its start page."""
    sites = []

    def open_site(*arguments):
        sites.append(site := Site(*arguments, folder=tmp_path))
        page = site.enter(browser, bypass_csp=True, reduced_motion="reduce").new_page()
        page.goto(site.home)
        return page

    yield open_site
    for site in sites:
        site.stop()


def list_problems(page, axe):
    """Return what axe finds in a page, in light, in dark, and on a phone; and what does not fit on the phone."""
    found = []
    page.wait_for_function("!document.querySelector('.htmx-request')")  # what is asked for again is paler meanwhile
    page.evaluate(axe)
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        told = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [
            f"{scheme} {width}: {one['id']}: {[node['target'] for node in one['nodes']][:3]}"
            for one in told["violations"]
            if one["impact"] in HEAVY
        ]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(f"390: wider than the window: {page.evaluate(OUTSIDE)}")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})
    return found


def test_axe_finds_nothing_on_any_page_of_the_walk(start, axe, tmp_path):
    walk = load_walk()
    walk.write_files(tmp_path)
    page, seen = start("friends.csv", "--attributes", "people.csv"), {}
    for name in walk.walk(page, page.url):
        seen[name] = list_problems(page, axe)
    assert set(walk.SHOWN) <= set(seen)
    assert {name: found for name, found in seen.items() if found} == {}


def test_axe_finds_nothing_where_something_is_wrong(start, axe, tmp_path):
    (tmp_path / "broken.csv").write_text("from,to\nAnn,Bob\nBob\nAnn,Cleo\n", encoding="utf-8")
    page = start("broken.csv")
    page.click("table a")
    page.wait_for_selector(".why")
    assert list_problems(page, axe) == []
    page.goto(re.sub("/data.*", "/nothing", page.url))
    assert list_problems(page, axe) == []


def test_a_keyboard_is_enough(start, tmp_path):
    """From the start page to a person and a release, with Tab, letters and Enter only."""
    page = start("example:florentine")

    def tab_to(selector):
        for _ in range(80):
            page.keyboard.press("Tab")
            assert page.evaluate(UNMARKED) == ""
            if page.evaluate("where => document.activeElement.matches(where)", selector):
                return
        raise AssertionError(f"{selector} is not reached")

    tab_to(".skip")
    page.keyboard.press("Enter")
    tab_to("input[type=file]")
    tab_to("main table a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#understood a.main, #list tbody button")
    if page.locator("#understood").count():  # the data were still being read
        tab_to("#understood a.main")
        page.keyboard.press("Enter")
    page.wait_for_selector("#list tbody button")
    tab_to("#name")
    page.keyboard.type("Medici")
    page.wait_for_selector("#found button")
    tab_to("#found button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#person .facts")
    tab_to("#list tbody button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#person .facts")
    tab_to("nav a[href$='/protect']")
    page.keyboard.press("Enter")
    page.wait_for_selector("button.main")
    tab_to("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("#losses a")
    page.wait_for_selector("#trials:not(:has(.busy))")
    tab_to("#losses a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/release/*")


def test_names_of_all_scripts_are_shown_right(start, tmp_path):
    rows = [f"{a},{b}" for at, a in enumerate(NAMES) for b in NAMES[:at]]
    (tmp_path / "größe 🦈.csv").write_text("\n".join(["from,to", *rows[:-2]]), encoding="utf-8")
    page = start("größe 🦈.csv")
    shown = [name.replace("\u202e", "\\u202e") for name in NAMES]
    assert page.locator("table bdi").all_inner_texts() == ["größe 🦈.csv"]
    page.click("table a")
    page.click("nav a:has-text('Open')")
    page.wait_for_selector(".preview td bdi")
    cells = page.locator(".preview td bdi").all_inner_texts()
    assert set(NAMES[:-1]) <= set(cells)
    page.wait_for_selector("text=See the risk")
    page.click("nav a:has-text('Risk')")
    page.wait_for_selector("#canvas[data-colored]")
    page.wait_for_selector(f"#list tbody tr:nth-child({len(NAMES)})")
    assert sorted(page.locator("#list tbody bdi").all_inner_texts()) == sorted(shown)
    for name in shown:
        page.locator("#list tbody button", has_text=name).click()
        page.locator("#person:has(.facts) h3", has_text=name).wait_for()
        assert name in page.locator("#person .facts").inner_text()
    page.click("nav a:has-text('Take away')")
    assert "größe 🦈" in page.locator("#shell").inner_text()
    assert page.locator(".subject").inner_text() == "größe 🦈.csv"
