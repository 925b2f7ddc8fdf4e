"""Pictures of the web app: `make screenshots` writes docs/pictures/web-*.png. It needs a browser.

The tests take the same walk through the pages, and look at each of them.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import shoal

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).with_name("pictures")
WIDE, HIGH = 1280, 900
"""The window, in pixels."""
COLORS = 256
"""Colors of a picture, its most frequent ones, so that its file is small."""
SHOWN = {
    "start": "The page Start: an area to drop a file, and a list of examples",
    "open": "The page Open: how the file is understood, its first rows, and the roles of the columns",
    "risk": "The page Risk: people at risk under each kind of knowledge, and the network colored by candidates",
    "person": "One person explained: the facts that leave few candidates, and the candidates in the drawing",
    "protect": "The page Protect: methods side by side, as points of risk against loss and as a table",
    "release": "A release: before and after next to each other",
    "audit": "The audit of a release: verdict, risk before and after, what is left of the data, the best attack",
    "publish": "The page Take away: the release as a zip file, and private files behind a warning",
}
"""Steps of the walk that are shown in the docs, and what a picture shows."""
SETTLE = 300
"""Milliseconds until a part of a page that has just been replaced takes choices."""
ROLES = ("quasi-identifier", "quasi-identifier", "other", "other", "sensitive")
"""Roles of age, sex, household, occupation and income."""


def write_files(folder: Path) -> None:
    """Write friends.csv and people.csv, a network and a table about its people."""
    shoal.write(shoal.examples.village(), folder / "friends.csv", attributes=folder / "people.csv")


def walk(page: Any, home: str) -> Iterator[str]:
    """Go through all pages, from friends.csv to a release; yield the name of each step when it can be looked at."""
    page.goto(home)
    yield "start"
    page.click("table a:has-text('friends.csv')")
    page.click("nav a:has-text('Open')")
    page.wait_for_selector("#understood:not(:has(.busy)) ~ section select[name=role-0]")
    for at, role in enumerate(ROLES):
        page.wait_for_timeout(SETTLE)
        with page.expect_response("**/open/roles"):
            page.select_option(f"select[name=role-{at}]", role)
    yield "open"
    page.click("nav a:has-text('Risk')")
    page.wait_for_selector("#canvas[data-colored]")
    with page.expect_navigation():
        page.select_option("select[name=scenario]", "internal")
    page.wait_for_selector("#canvas[data-colored]")
    page.wait_for_selector("#counts:not(:has(.waiting))")
    yield "risk"
    page.locator("#list tbody button").first.click()
    page.wait_for_selector("#person .facts")
    yield "person"
    page.click("nav a:has-text('Protect')")
    yield "choose"
    page.click("text=Try the methods")
    page.wait_for_selector("#trials .busy")
    yield "trying"
    page.wait_for_selector("#losses")
    page.wait_for_selector("#trials:not(:has(.busy))")
    yield "protect"
    page.locator("a:has-text('Look')").first.click()
    page.wait_for_selector("#canvas-after[data-drawn]")
    page.wait_for_selector("#state figure svg")
    yield "release"
    place = page.url
    page.click("text=Audit this release")
    page.wait_for_selector("#state .busy, #summary")
    yield "auditing"
    page.wait_for_selector("#summary")
    yield "audit"
    page.click("main a:has-text('Take it away')")
    page.wait_for_selector("text=Download the release")
    yield "publish"
    page.goto(f"{place.partition('/release')[0]}/compare")
    page.wait_for_selector("#state figure svg >> nth=1")
    yield "compare"
    page.click("nav a:has-text('Take away')")
    yield "take-away"


def take_picture(page: Any) -> bytes:
    """Return the window as a png file with few colors."""
    from PIL import Image
    from scipy.spatial.distance import cdist

    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)  # the drawing is colored
    whole = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    colors, place, times = np.unique(whole.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    kept = colors[np.argsort(-times, kind="stable")[:COLORS]]
    nearest = cdist(colors, kept).argmin(axis=1).astype(np.uint8)
    small = Image.fromarray(nearest[place.ravel()].reshape(whole.shape[:2]), "P")
    small.putpalette(kept.tobytes())
    file = io.BytesIO()
    small.save(file, "PNG", optimize=True)
    return file.getvalue()


def main() -> None:
    """Write all pictures."""
    sys.path.insert(0, str(ROOT / "tests"))
    from playwright.sync_api import sync_playwright

    from browsing import FOUND, Site, launch

    if FOUND is None:
        sys.exit("No browser was found. Install chromium, or name another one: SHOAL_BROWSER=/path/to/it")
    with TemporaryDirectory() as folder, sync_playwright() as started:
        write_files(Path(folder))
        site = Site("friends.csv", "--attributes", "people.csv", folder=Path(folder))
        try:
            window = site.enter(launch(started), viewport={"width": WIDE, "height": HIGH})
            page = window.new_page()
            for name in walk(page, site.home):
                if name in SHOWN:
                    (FOLDER / f"web-{name}.png").write_bytes(take_picture(page))
        finally:
            site.stop()


if __name__ == "__main__":
    main()
