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
from browsing import CLIPPED, WAIT, Site, note_wrong
from hostile_text import HOSTILE
from shoal.errors import tame

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
MEET = """() => { const canvas = document.getElementById("canvas"); window.met = [];
    canvas.addEventListener("mousemove", (event) => {
        if (canvas.classList.contains("over")) window.met.push([event.clientX, event.clientY]) }) }"""
"""Note where the mouse is over a person of the drawing."""


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
        site.stop(signal.SIGTERM)


def write_links(path, pairs):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([("from_name", "to_name"), *pairs])
    return path


@pytest.fixture
def florentine(tmp_path):
    return write_links(tmp_path / "florentine.csv", nx.florentine_families_graph().edges)


def wait_for(page, expression):
    """Wait until an expression holds in a page, whose policy allows no evaluation of texts; it may load again."""

    def holds():
        try:
            return page.evaluate(expression)
        except Exception as error:
            if "context was destroyed" in str(error):  # the page moves on: ask the next one
                return False
            raise

    wait_until(holds, WAIT / 1000)


def wait_until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


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
    wait_for(page, f"document.querySelector('#counts .panel thead').textContent.includes('below {k}')")


def find_person(page):
    """Move the mouse over the drawing until it is over a person; return the place."""
    page.locator("#canvas").scroll_into_view_if_needed()
    box = page.locator("#canvas").bounding_box()
    page.evaluate(MEET)
    for down in range(4, int(box["height"]), 6):
        page.mouse.move(box["x"] + 2, box["y"] + down)
        page.mouse.move(box["x"] + box["width"] - 2, box["y"] + down, steps=int(box["width"] / 4))
        for at in page.evaluate("window.met.splice(0)"):
            page.mouse.move(*at)
            if page.locator("#canvas.over").count():
                return at
    raise AssertionError("no person was found in the drawing")


# From a file to the report.


def test_from_a_dropped_file_to_the_report(page, florentine, tmp_path):
    drop(page, florentine, "#drop")
    page.wait_for_selector("text=See the risk")
    assert "15 people, 20 links" in page.locator("#understood").inner_text()
    page.wait_for_selector(".preview th.end")
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
    wait_for(page, "document.querySelector('[aria-label=\"Role of wealth\"]').value === 'sensitive'")
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
    wait_for(page, "document.readyState === 'complete'")  # no hand is quicker than the scripts
    page.locator("select[name=direction]").select_option("directed")
    page.locator("select[name=kind]").select_option("kind")  # while the first choice is sent: both count
    page.wait_for_selector("#understood:has-text('Kinds of links: a, b')")
    assert "directed links" in page.locator("#understood h2").inner_text()
    page.locator("select[name=what]").select_option("table")
    page.wait_for_selector("#understood:has-text('9 records')")
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
    wait_for(page, "document.querySelector('#list [role=status]').textContent.startsWith('15 ')")
    page.reload()
    assert page.locator("input[name=k]").input_value() == "6"
    assert page.wrong == []


def test_the_last_of_quick_choices_counts(at_risk):
    """Faster than the server answers, and while the page is refreshed: nothing is lost."""
    page = at_risk
    for k in (2, 9, 3, 7, 4, 6):
        page.locator("input[name=k]").fill(str(k))
    page.evaluate("['shoal:changed', 'shoal:changed'].forEach(name => document.body.dispatchEvent(new Event(name)))")
    page.evaluate("document.getElementById('sort-name').click()")
    wait_for(page, "document.querySelector('#counts .panel thead').textContent.includes('below 6')")
    wait_for(page, "document.querySelector('#list [role=status]').textContent.startsWith('15 ')")
    page.wait_for_selector("#list th[aria-sort]:has-text('name')")
    assert page.locator("input[name=k]").input_value() == page.locator("#k-shown").inner_text() == "6"
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
    wait_for(page, "!document.querySelector('#found button')")
    assert page.wrong == []


def test_the_list_is_sorted_and_filtered(at_risk):
    page, names = at_risk, at_risk.locator("#list tbody th")
    page.locator("#list thead").get_by_role("button", name="name").click()
    page.wait_for_selector("#list th[aria-sort]:has-text('name')")
    shown = names.all_inner_texts()
    assert shown == sorted(shown, key=str.casefold)
    page.locator("#filter").press_sequentially("al")
    wait_for(page, "[...document.querySelectorAll('#list tbody th')].every(e => /al/i.test(e.textContent))")
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
        page.keyboard.press("Space")
    chooser.value.set_files(florentine)
    page.wait_for_url("**/open")
    page.wait_for_selector("text=See the risk")
    tab_to("#understood a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#verdict-line.fail")
    page.wait_for_selector("#canvas[data-colored]")
    tab_to("input[name=k]")
    page.keyboard.press("ArrowRight")
    wait_for(page, "document.querySelector('#counts .panel thead').textContent.includes('below 6')")
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
    wait_for(page, f"document.querySelectorAll('#list tbody tr').length === {n}")
    shown = page.locator("#list").inner_text()
    assert [name for name in NAMES if tame(name) not in shown] == []
    for at in range(n):
        page.locator("#list tbody button").nth(at).click()
        wait_for(page, f"({SHOWS})({at})")
    page.locator("#name").fill("<script")
    page.wait_for_selector("#found button")
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


# Who may use the server.


def test_a_link_works_once_and_a_wrong_one_never(browser, own):
    site, window = own()
    stranger = browser.new_context()
    page = stranger.new_page()
    assert page.goto(site.home).status == 403
    assert page.goto(site.link).status == 403  # the window has used it
    assert page.goto(f"{site.home}enter?token={'A' * 43}").status == 403
    assert page.goto(f"{site.home}enter").status == 403
    assert stranger.cookies() == []
    [cookie] = window.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"
    assert window.new_page().goto(site.home).status == 200
    stranger.close()


def test_another_name_for_this_machine_is_refused(browser, site):
    window = browser.new_context(storage_state=site.cookies)
    page, port = window.new_page(), site.home.rpartition(":")[2]
    window.add_cookies([{**window.cookies()[0], "domain": "rebound.localhost"}])
    assert page.goto(f"http://rebound.localhost:{port}").status == 421
    window.close()


class Foreign(BaseHTTPRequestHandler):
    """A page of another site, on this machine too."""

    body = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


@pytest.fixture
def foreign():
    """Serve a page from another port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Foreign)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def test_pages_of_other_sites_can_do_nothing(window, site, foreign):
    """Another port counts as the same site for cookies, so they are sent."""
    Foreign.body = f"""<form method="post" action="{site.home}example"><input name="name" value="karate">
        <button>go</button></form><iframe src="{site.home}"></iframe>""".encode()
    page = window.new_page()
    page.goto(foreign)
    frame = page.frames[1]
    assert "shoal" not in frame.content() or "re-identified" not in frame.content()
    ask = """async ([url, how]) => { try { const a = await fetch(url, how); return [a.type, a.status] }
        catch (error) { return ["refused", 0] } }"""
    posted = {"method": "POST", "body": "name=karate", "mode": "no-cors", "credentials": "include"}
    assert page.evaluate(ask, [f"{site.home}example", posted])[1] == 0  # an answer that cannot be read
    assert page.evaluate(ask, [site.home, {"credentials": "include"}]) == ["refused", 0]
    assert page.evaluate(ask, [f"{site.home}upload?name=a.csv", posted])[1] == 0
    with page.expect_navigation() as moved:
        page.get_by_role("button").click()
    assert moved.value.status == 403
    home = window.new_page()
    home.goto(site.home)
    titles = home.locator("section", has_text="Open data").locator("tbody th").all_inner_texts()
    assert "example:karate" not in titles
    assert "a.csv" not in titles


# Tabs, work, and the end.


def test_a_million_links_are_read_counted_sampled_and_canceled(page, tmp_path):
    ends = np.random.default_rng(7).integers(0, 200_000, (1_000_000, 2))
    path = tmp_path / "million.csv"
    np.savetxt(path, ends[ends[:, 0] != ends[:, 1]], fmt="p%d", delimiter=",")
    choose(page, path)
    page.wait_for_url("**/open")
    page.wait_for_selector(".busy, a.main")
    page.wait_for_selector("a.main", timeout=3 * WAIT)
    people, links = (
        int(text.replace(",", "")) for text in re.findall(r"[\d,]*\d", page.locator("h2").first.inner_text())
    )
    assert people == len(np.unique(ends[ends[:, 0] != ends[:, 1]]))
    assert links > 990_000
    page.get_by_role("link", name="See the risk").click()
    page.locator("input[name=k]").fill("9")  # the page answers while work runs
    wait_for(page, "document.querySelector('#k-shown').textContent === '9'")
    page.wait_for_selector("#verdict-line.fail", timeout=3 * WAIT)
    page.locator("#name").fill("p77")
    page.wait_for_selector("#found button")
    page.wait_for_selector("#canvas[data-drawn='50000']", timeout=4 * WAIT)
    assert f"50,000 of {people:,}" in page.locator("#drawn").inner_text()
    page.get_by_role("link", name="Take away").click()
    report = page.locator(".file", has_text="Risk report")
    report.get_by_role("button", name="Make it").click()
    report.locator(".busy").wait_for()
    page.reload()  # the same state
    report.get_by_role("button", name="Cancel").click()
    report.get_by_role("button", name="Make it").wait_for()
    page.get_by_role("button", name="Close this data").click()
    page.wait_for_selector("#begin")
    assert page.wrong == []


def test_two_tabs_show_the_same_and_follow_each_other(window, site, page, florentine):
    choose(page, florentine)
    open_risk(page)
    other = note_wrong(window.new_page(), site.home)
    other.goto(page.url)
    other.wait_for_selector("#canvas[data-colored]")
    assert read_counts(other) == read_counts(page)
    move_slider(page, 7)
    wait_for(other, "document.querySelector('#counts .panel thead').textContent.includes('below 7')")
    wait_for(other, "document.querySelector('input[name=k]').value === '7'")
    other.locator("select[name=scenario]").select_option("internal")
    wait_for(page, "document.querySelector('select[name=scenario]').value === 'internal'")
    page.get_by_role("button", name="Close this data").click()
    other.wait_for_url(site.home)
    assert page.wrong == other.wrong == []


def test_twenty_data_sets_in_twenty_tabs(window, site, florentine, tmp_path):
    tabs = [note_wrong(window.new_page(), site.home) for _ in range(20)]
    for at, tab in enumerate(tabs):
        tab.goto(site.home)
        choose(tab, write_links(tmp_path / f"ring-{at}.csv", nx.cycle_graph(10 + at).edges))
    for at, tab in enumerate(tabs):
        tab.wait_for_selector("text=See the risk")
        assert f"{10 + at} people" in tab.locator("#understood").inner_text()
    tabs.pop(0).close()  # the tab that listened for all
    for at, tab in enumerate(tabs):
        tab.get_by_role("link", name="See the risk").click()
        tab.wait_for_selector("#verdict-line.fail")
        assert str(11 + at) in tab.locator("#counts .panel td").first.inner_text()
    for tab in tabs:
        assert tab.wrong == []
        tab.get_by_role("button", name="Close this data").click()
        tab.wait_for_selector("#begin")


def list_alive(numbers):
    import psutil

    return [number for number in numbers if psutil.pid_exists(number)]


def test_a_killed_server_is_noticed(own):
    site, window = own("example:karate")
    page = window.new_page()
    page.goto(site.home)
    page.locator("table a").click()
    page.wait_for_selector("main section")
    processes = site.list_processes()
    site.process.kill()
    page.wait_for_selector("#lost:not([hidden])")
    assert "shoal serve" in page.locator("#lost").inner_text()
    wait_until(lambda: not list_alive(processes[1:]) if site.process.poll() is not None else False)


def test_ctrl_c_ends_the_server_its_workers_and_its_files(own, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    site, window = own("example:village")
    page = window.new_page()
    page.goto(site.home)
    page.locator("table a").click()
    page.wait_for_selector("main section")
    processes = site.list_processes()
    assert "stopped" in site.stop()
    assert site.process.returncode == 0
    page.wait_for_selector("#lost:not([hidden])")
    wait_until(lambda: not list_alive(processes))
    assert list(tmp_path.iterdir()) == []


def test_the_end_of_the_session_is_the_end(own):
    site, window = own("example:karate")
    page, other = window.new_page(), window.new_page()
    page.goto(site.home)
    page.locator("table a").click()
    other.goto(site.home)
    other.get_by_role("button", name="End the session").click()
    other.wait_for_selector("text=The session has ended")
    assert window.new_page().goto(site.home).status == 403
    fresh = site.read_link()
    third = window.new_page()
    third.goto(fresh)
    third.wait_for_url(site.home)
    assert third.locator("text=Open data").count() == 0


# Large drawings.


def test_fifty_thousand_people_are_drawn(page, tmp_path):
    ends = nx.barabasi_albert_graph(50_000, 2, seed=7).edges
    choose(page, write_links(tmp_path / "large.csv", ends))
    page.wait_for_selector("text=See the risk", timeout=2 * WAIT)
    page.get_by_role("link", name="See the risk").click()
    page.wait_for_selector("#drawn .busy")
    page.wait_for_selector("#canvas[data-drawn='50000']", timeout=3 * WAIT)
    assert "sample" not in page.locator("#drawn").inner_text()
    page.get_by_role("button", name="Close this data").click()
    page.wait_for_selector("#begin")
    assert page.wrong == []
