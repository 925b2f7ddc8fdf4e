"""Promise: the web app paints in 300 ms, answers or shows work within 100 ms on 10^5 links, and draws 50,000 in 15 s.

Times are those of a real browser (`make test-browser` installs it), from an event of the hand to the next frame. Beside
them are times that say what the machine adds: of a frame and of a plain text file in the same browser, from the same
server, and the processor time of a drawing.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.measure import promise

REPEAT = 5
PAINT, CLICK, DRAW, CANCEL = 300, 100, 15, 1
"""Limits: milliseconds of the first paint and of a click, seconds of a drawing and of a cancellation."""
WATCH = """([target, act]) => new Promise((done) => {
    const place = document.querySelector(target), found = {};
    const note = (name) => requestAnimationFrame(() => { found[name] ??= performance.now() - began;
        if (name === "answered") { watch.disconnect(); done([found.shown ?? found.answered, found.answered]) } });
    const watch = new MutationObserver((changes) => changes.forEach((change) =>
        change.type === "childList" ? note("answered") : place.matches(".htmx-request") && note("shown")));
    watch.observe(place, { attributes: true, attributeFilter: ["class"], childList: true });
    setTimeout(() => done([NaN, NaN]), 30000);
    const began = performance.now();
    const [kind, selector, value] = act, element = document.querySelector(selector);
    if (kind === "click") element.click();
    else { element.value = value; element.dispatchEvent(new Event("input", { bubbles: true })) }
})"""
"""Act on an element; return the milliseconds until the target is marked as working or changed, and until it changed."""
CALM = """() => new Promise((done) => {
    const began = performance.now(); let last = began, calm = 0;
    const next = () => requestAnimationFrame(() => {
        const now = performance.now();
        calm = now - last < 50 ? calm + 1 : 0;
        last = now;
        if (calm >= 5 || now - began > 10000) done(); else next() });
    next() })"""
"""Wait until the browser has painted all that was asked of it: a person reads before the next click."""
FRAME = """() => new Promise((done) => {
    const began = performance.now();
    requestAnimationFrame(() => done(performance.now() - began)) })"""
"""Return the milliseconds until the next frame, when nothing was asked."""
TIMING = """() => [performance.getEntriesByType("navigation")[0].responseStart,
    performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0]"""


PLAIN = "static/vendor/htmx.LICENSE.txt"
"""A small file of the same server."""


def write_links(path, vertices, links, seed=7):
    """Write random pairs of named people."""
    ends = np.random.default_rng(seed).integers(0, vertices, (links, 2))
    with path.open("w", encoding="utf-8") as stream:
        stream.write("from_name,to_name\n")
        np.savetxt(stream, ends[ends[:, 0] != ends[:, 1]], fmt="person-%d", delimiter=",")
    return path


def open_file(page, site, path):
    """Choose a file on the start page; return the seconds until it is read."""
    page.goto(site.home)
    began = time.perf_counter()
    page.locator("#drop input[type=file]").set_input_files(path)
    page.wait_for_selector("#understood a.main", timeout=300_000)
    return time.perf_counter() - began


def measure_click(page, title, target, acts):
    """Print how long a kind of click takes; return whether it keeps the limit."""
    found, frames = [], []
    for act in acts:
        page.evaluate(CALM)
        frames.append(page.evaluate(FRAME))
        found.append(page.evaluate(WATCH, [target, act]))
        page.wait_for_timeout(400)
    shown, answered = (statistics.median(column) for column in zip(*found, strict=True))
    print(f"     {title}: answered after {answered:.0f} ms, at most {max(a for _, a in found):.0f} ms")
    print(f"     {title}: a frame takes {statistics.median(frames):.0f} ms when nothing is asked")
    return promise(f"{title}: ms until an answer or a sign of work", shown, CLICK, most=True)


def measure_work(site):
    """Return the seconds of processor time of each process of the server."""
    import psutil

    return {one: sum(psutil.Process(one).cpu_times()[:2]) for one in site.list_processes()}


def measure_pages(page, places):
    """Print how long it takes to another page; return whether its first byte keeps the limit."""
    kept = True
    for name, place in places.items():
        found, plain = [], []
        for _ in range(REPEAT):
            for address, own in ((places["start"] + PLAIN, plain), (place, found)):
                page.goto(address)
                page.wait_for_timeout(400)
                own.append(page.evaluate(TIMING))
        first, painted = (statistics.median(column) for column in zip(*found, strict=True))
        base, blank = (statistics.median(column) for column in zip(*plain, strict=True))
        print(f"     page {name}: first paint after {painted:.0f} ms; a plain text: {base:.0f} and {blank:.0f} ms")
        kept &= promise(f"page {name}: ms until the answer begins", first, CLICK, most=True)
        if name == "start":
            kept &= promise("start page: ms until the first paint", painted, PAINT, most=True)
    return kept


def measure_clicks(page, site, folder):
    """Measure clicks on a network of 10^5 links."""
    open_file(page, site, write_links(folder / "links.csv", 30_000, 100_000))
    home = page.url.removesuffix("/open")
    page.get_by_role("link", name="See the risk").click()
    page.wait_for_selector("#verdict-line.fail, #verdict-line.pass, #verdict-line.cannot-tell", timeout=300_000)
    page.wait_for_selector("#canvas[data-colored]", timeout=300_000)
    page.wait_for_timeout(1_000)
    kinds = page.locator("#list thead button").count()
    kept = measure_click(page, "slider", "#counts", [("input", "input[name=k]", k) for k in (6, 9, 12, 20, 3)])
    page.evaluate(WATCH, ["#counts", ("input", "input[name=k]", 30)])
    page.wait_for_timeout(1_000)
    sorts = [("click", f"#list thead th:nth-child({1 + at % kinds}) button") for at in range(REPEAT)]
    kept &= measure_click(page, "sort", "#list", sorts)
    kept &= measure_click(page, "page of the list", "#list", [("click", "#list nav button:last-child")] * REPEAT)
    people = [("click", f"#list tbody tr:nth-child({at}) button") for at in range(1, REPEAT + 1)]
    kept &= measure_click(page, "person", "#person", people)
    kept &= measure_click(
        page, "search", "#found", [("input", "#name", f"person-{at}7") for at in range(1, REPEAT + 1)]
    )
    kept &= measure_click(page, "filter", "#list", [("input", "#filter", f"person-{at}") for at in range(REPEAT)])
    places = {"start": site.home, **{name: f"{home}/{name}" for name in ("open", "risk", "take-away")}}
    kept &= measure_pages(page, places)
    page.goto(f"{home}/risk")
    with page.expect_navigation():
        page.locator("select[name=scenario]").select_option("internal")
    page.wait_for_timeout(500)
    return kept & promise("scenario: ms until the answer begins", page.evaluate(TIMING)[0], CLICK, most=True)


def measure_drawing(page, site, folder):
    """Measure the drawing of 50,000 people with 100,000 links."""
    draw = np.random.default_rng(7)
    path = folder / "drawn.csv"
    ends = np.column_stack([np.arange(1, 50_000), draw.integers(0, np.arange(1, 50_000))])
    more = draw.integers(0, 50_000, (50_000, 2))
    np.savetxt(path, np.vstack([ends, more[more[:, 0] != more[:, 1]]]), fmt="p%d", delimiter=",")
    open_file(page, site, path)
    before, began = measure_work(site), time.perf_counter()
    page.get_by_role("link", name="See the risk").click()
    page.wait_for_selector("#canvas[data-drawn='50000']", timeout=300_000)
    seconds = time.perf_counter() - began
    spent = sum(now - before.get(one, 0) for one, now in measure_work(site).items())
    busy = os.getloadavg()[0]
    print(f"     50,000 people: {spent:.1f} s of processor time of the server and its workers, load {busy:.1f}")
    kept = promise("seconds until 50,000 people are drawn", seconds, DRAW, most=True)
    return promise("seconds of processor time until 50,000 people are drawn", spent, DRAW, most=True) and kept


def measure_large(page, site, folder):
    """Measure the upload of 10^6 links, and how quickly its report is canceled."""
    seconds = open_file(page, site, write_links(folder / "many.csv", 200_000, 1_000_000))
    print(f"     10^6 links: read {seconds:.1f} s after the file was chosen")
    page.goto(page.url.replace("/open", "/take-away"))
    report = page.locator(".file", has_text="Risk report")
    report.get_by_role("button", name="Make it").click()
    page.wait_for_timeout(1_000)
    began = time.perf_counter()
    report.get_by_role("button", name="Cancel").click()
    report.get_by_role("button", name="Make it").wait_for()
    return promise("seconds until a report is canceled", time.perf_counter() - began, CANCEL, most=True)


def main(data=None):
    del data  # all networks are made here
    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("skip web: pip install 'shoal[browser]'")
        return True
    import browsing

    if browsing.FOUND is None:
        print(f"skip web: install one of {', '.join(browsing.BROWSERS)}")
        return True
    print(f"     load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    site, kept = browsing.Site(), True
    try:
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
            browser = browsing.launch(driver)
            for measure in (measure_clicks, measure_drawing, measure_large):
                page = site.enter(browser).new_page()
                kept &= measure(page, site, Path(folder))
                page.context.close()
            browser.close()
    finally:
        site.stop()
    return kept


if __name__ == "__main__":
    sys.exit(not main())
