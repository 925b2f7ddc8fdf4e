"""The web app in a real browser, against a real server: from a dropped file to the report, and what must not happen."""

import csv
import io
import re
import signal
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import networkx as nx
import numpy as np
import pytest

import shoal
from browsing import CLIPPED, Site, note_wrong
from hostile_text import HOSTILE

pytestmark = pytest.mark.slow

NAMES = [
    *(name for name in HOSTILE if "\0" not in name),
    "</script><script>alert(2)</script>",
    "جبر",
    "Müller-Lüdenscheidt",
]
"""Names that a csv file can hold."""
SHOWS = """at => document.querySelector('#person .facts') && document.querySelector('#person h3').textContent
    === document.querySelectorAll('#list tbody button')[at].textContent"""
"""Whether the person of this row of the list is explained."""


@pytest.fixture(scope="module")
def site(browser):
    found = Site()
    yield found
    found.stop()


@pytest.fixture
def window(browser, site):
    """A browser window that has entered; its tabs share cookies and events."""
    found = site.enter(browser, accept_downloads=True)
    yield found
    found.close()


@pytest.fixture
def page(window, site):
    found = note_wrong(window.new_page(), site.home)
    found.goto(site.home)
    return found


@pytest.fixture
def own(browser):
    """Start a server for one test, and a window in it."""
    started = []

    def start(*arguments):
        started.append(Site(*arguments))
        return started[-1], started[-1].enter(browser)

    yield start
    for site in started:
        if site.process.poll() is None:
            site.stop(signal.SIGTERM)


def write_links(path, pairs):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("from_name", "to_name"), *pairs])
    return path


@pytest.fixture
def florentine(tmp_path):
    return write_links(tmp_path / "florentine.csv", nx.florentine_families_graph().edges)


def drop(page, path, selector):
    """Drop a file onto an element, as a hand with a mouse does."""
    page.locator(selector).scroll_into_view_if_needed()
    box = page.locator(selector).bounding_box()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 8}
    talk = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        talk.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


def choose(page, path, selector="#drop"):
    page.locator(f"{selector} input[type=file]").set_input_files(path)


def open_risk(page):
    """Go on to the risk, and wait until everything is counted and drawn."""
    page.get_by_role("link", name="See the risk").click()
    page.wait_for_selector("#canvas[data-colored]")
    page.wait_for_selector("#verdict-line.fail, #verdict-line.pass, #verdict-line.cannot-tell")


def read_counts(page):
    """Return the numbers of the table of kinds."""
    return page.locator("#counts .panel td:not(.chart)").all_inner_texts()


def move_slider(page, k):
    page.locator("input[name=k]").fill(str(k))
    page.wait_for_function(f"document.querySelector('#counts .panel thead').textContent.includes('below {k}')")


def find_person(page):
    """Move the mouse over the drawing until it is over a person; return the place."""
    page.locator("#canvas").scroll_into_view_if_needed()
    box = page.locator("#canvas").bounding_box()
    for down in range(4, int(box["height"]), 5):
        for right in range(4, int(box["width"]), 5):
            page.mouse.move(box["x"] + right, box["y"] + down)
            if page.locator("#canvas.over").count():
                return box["x"] + right, box["y"] + down
    raise AssertionError("no person was found in the drawing")


# From a file to the report.


def test_from_a_dropped_file_to_the_report(page, florentine, tmp_path):
    drop(page, florentine, "#drop")
    page.wait_for_selector("text=See the risk")
    assert "15 people, 20 links" in page.locator("#understood").inner_text()
    assert page.locator(".preview th.end").count() == 2
    open_risk(page)
    page.get_by_role("link", name="Take away").click()
    page.locator(".file", has_text="Risk report").get_by_role("button", name="Make it").click()
    link = page.locator(".file", has_text="Risk report").get_by_role("link")
    with page.expect_download() as found:
        link.click()
    text = found.value.path().read_text(encoding="utf-8")
    assert found.value.suggested_filename == "florentine.csv.report.html"
    assert "FAIL" in text
    assert "<h1" in text
    with page.expect_download() as found:
        page.locator("a[href$='script.sh']").click()
    script = found.value.path().read_text(encoding="utf-8")
    assert "shoal risk florentine.csv" in script
    page.locator(".file", has_text="List of all people").get_by_role("button", name="Make it").click()
    with page.expect_download() as found:
        page.locator(".file", has_text="List of all people").get_by_role("link").click()
    rows = list(csv.DictReader(io.StringIO(found.value.path().read_text(encoding="utf-8"))))
    assert len(rows) == 15
    assert page.wrong == []


def test_a_chosen_file_with_a_table_about_the_people(page, florentine, tmp_path):
    people = sorted(nx.florentine_families_graph())
    table = tmp_path / "people.csv"
    table.write_text("name,town,wealth\n" + "".join(f"{p},{'AB'[i % 2]},{i}\n" for i, p in enumerate(people)))
    choose(page, florentine)
    page.wait_for_selector("text=See the risk")
    drop(page, table, ".drop.small")
    page.wait_for_selector("text=Roles of the columns")
    assert page.locator("select[name^=role-]").count() == 2
    page.get_by_label("Role of wealth").select_option("sensitive")
    page.wait_for_function("document.querySelector('[aria-label=\"Role of wealth\"]').value === 'sensitive'")
    page.reload()
    assert page.get_by_label("Role of wealth").input_value() == "sensitive"
    open_risk(page)
    assert "columns:town" in page.locator("#counts").inner_text()
    assert "wealth" not in page.locator("#counts .panel").inner_text()
    assert page.wrong == []


def test_a_bad_row_is_explained_beside_it(page, tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("a,b\nb,c\nc\nd,e\n")
    choose(page, path)
    page.wait_for_selector("tr.bad")
    assert page.locator("tr.bad td.number").inner_text() == "3"
    assert "3" in page.locator("tr.why").inner_text()
    assert page.locator("text=See the risk").count() == 0
    assert page.wrong == []


def test_how_a_file_is_understood_can_be_changed(page, tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text("from,to,kind\n" + "".join(f"p{i},p{(i * i + 1) % 9},{'ab'[i % 2]}\n" for i in range(9)))
    choose(page, path)
    page.wait_for_selector("select[name=direction]")
    page.locator("select[name=direction]").select_option("directed")
    page.wait_for_selector("#understood:has-text('directed links')")
    page.locator("select[name=kind]").select_option("kind")
    page.wait_for_selector("#understood:has-text('Kinds of links: a, b')")
    page.locator("select[name=what]").select_option("table")
    page.wait_for_selector("#understood:has-text('9 rows')")
    assert page.wrong == []


# The risk.


@pytest.fixture
def at_risk(page, florentine):
    """The page about the risk of the marriages of Florence."""
    choose(page, florentine)
    open_risk(page)
    return page


def test_the_slider_moves_the_table_and_the_list(at_risk):
    page = at_risk
    counted = shoal.assess(shoal.as_graph(nx.florentine_families_graph()), "degree").sizes
    for k in (2, 6):
        move_slider(page, k)
        assert int(read_counts(page)[2].split()[0]) == int(np.count_nonzero(counted < k))
        assert page.locator("#k-shown").inner_text() == str(k)
    page.wait_for_function("document.querySelector('#list [role=status]').textContent.startsWith('15 ')")
    page.reload()
    assert page.locator("input[name=k]").input_value() == "6"
    assert page.wrong == []


def test_a_person_of_the_drawing(at_risk):
    page, canvas = at_risk, at_risk.locator("#canvas")
    page.mouse.move(2, 2)
    plain = canvas.screenshot()
    at = find_person(page)
    page.mouse.click(*at)
    page.wait_for_selector("#person .facts")
    name = page.locator("#person h3").inner_text()
    assert name in nx.florentine_families_graph()
    assert any(f"{name} " in text for text in page.locator("#person .facts li").all_inner_texts())
    page.mouse.move(2, 2)
    page.wait_for_timeout(300)
    assert canvas.screenshot() != plain
    assert page.wrong == []


def test_a_person_of_the_list_and_the_search(at_risk):
    page = at_risk
    page.locator("#list tbody").get_by_role("button", name="Medici").click()
    page.wait_for_selector("#person .facts")
    assert page.locator("#person h3").inner_text() == "Medici"
    assert "Only Medici fits" in page.locator("#person .facts li.one").first.inner_text()
    assert page.locator("#person [data-own]").get_attribute("data-own") != ""
    page.locator("#name").fill("rid")
    page.locator("#found").get_by_role("button", name="Ridolfi").click()
    page.wait_for_selector("#person h3:has-text('Ridolfi')")
    page.wait_for_selector("#person .facts")
    assert "Ridolfi" in page.locator("#person .facts").inner_text()
    page.locator("#name").fill("nobody here")
    page.wait_for_function("!document.querySelector('#found button')")
    assert page.wrong == []


def test_the_list_is_sorted_and_filtered(at_risk):
    page, names = at_risk, at_risk.locator("#list tbody th")
    page.locator("#list thead").get_by_role("button", name="name").click()
    page.wait_for_selector("#list th[aria-sort]:has-text('name')")
    shown = names.all_inner_texts()
    assert shown == sorted(shown, key=str.casefold)
    page.locator("#filter").press_sequentially("al")
    page.wait_for_function("[...document.querySelectorAll('#list tbody th')].every(e => /al/i.test(e.textContent))")
    assert set(names.all_inner_texts()) == {name for name in shown if "al" in name.casefold()}
    assert page.locator("#filter").evaluate("e => e === document.activeElement")
    page.locator("#list thead").get_by_role("button", name="number of links").click()
    page.wait_for_selector("#list th[aria-sort]:has-text('number of links')")
    assert page.locator("#filter").input_value() == "al"
    assert page.wrong == []


def test_the_keyboard_is_enough(page, florentine):
    def tab_to(selector):
        for _ in range(80):
            page.keyboard.press("Tab")
            if page.evaluate("s => document.activeElement.matches(s)", selector):
                return
        raise AssertionError(f"no key leads to {selector}")

    tab_to("#drop input")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(florentine)
    page.wait_for_url("**/open")
    page.wait_for_selector("text=See the risk")
    tab_to("#understood a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#verdict-line.fail")
    page.wait_for_selector("#canvas[data-colored]")
    tab_to("input[name=k]")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('#counts .panel thead').textContent.includes('below 6')")
    tab_to("#name")
    page.keyboard.type("Medici")
    page.wait_for_selector("#found button")
    tab_to("#found button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#person .facts")
    tab_to("#list thead button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#list th[aria-sort]:has-text('name')")
    assert page.wrong == []


# Texts that are not harmless.


def test_hostile_names_are_text_everywhere(page, tmp_path):
    n = len(NAMES)
    pairs = [*((NAMES[i], NAMES[(i + 1) % n]) for i in range(n)), (NAMES[0], NAMES[2]), (NAMES[0], NAMES[5])]
    path = write_links(tmp_path / "a'<img src=x onerror=alert(3)>&.csv", pairs)
    table = tmp_path / "p.csv"
    with table.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(
            [["name", NAMES[0], "{{ 7*7 }}"], *([name, name, i % 3] for i, name in enumerate(NAMES))]
        )
    choose(page, path)
    page.wait_for_selector("text=See the risk")
    assert NAMES[0] in page.locator(".preview").inner_text()
    choose(page, table, ".drop.small")
    page.wait_for_selector("text=Roles of the columns")
    assert NAMES[0] in page.locator("main").inner_text()
    open_risk(page)
    move_slider(page, n)
    page.wait_for_function(f"document.querySelectorAll('#list tbody tr').length === {n}")
    shown = page.locator("#list").inner_text()
    for name in NAMES:
        assert name.replace("\x1b", r"\x1b") in shown or re.sub(r"[\u202e\x1b]", "", name) in shown.replace(
            r"\x1b", ""
        ), name
    for at in range(n):
        page.locator("#list tbody button").nth(at).click()
        page.wait_for_function(SHOWS, arg=at)
    page.locator("#name").fill("<script")
    page.wait_for_selector("#found button")
    find_person(page)
    page.goto(page.url.replace("/risk", "/take-away"))
    page.locator(".file", has_text="Risk report").get_by_role("button", name="Make it").click()
    page.wait_for_selector("a[download]")
    assert "onerror" in page.locator("#shell").inner_text()
    assert page.locator("main script, main img").count() == 0
    assert page.wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_pages_fit_their_width(width, scheme, browser, site, florentine):
    window = site.enter(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = note_wrong(window.new_page(), site.home)
    page.goto(site.home)
    choose(page, florentine)
    page.wait_for_selector("text=See the risk")
    places = [site.home, page.url]
    open_risk(page)
    page.locator("#list tbody button").first.click()
    page.wait_for_selector("#person .facts")
    for place in ["", *places, page.url.replace("/risk", "/take-away")]:
        if place:
            page.goto(place)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place
        assert page.evaluate(CLIPPED) == [], place
    assert page.wrong == []
    window.close()
