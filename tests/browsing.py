"""A real browser, and the web app in it: what the tests and the benchmarks of pages share."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
"""Nothing but the page asks for anything, and WebGL is drawn without a graphics card."""
FOUND = os.environ.get("SHOAL_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
CLIPPED = """() => [...document.querySelectorAll('main *')]
    .filter(e => !e.closest('svg, pre, .wide, .hidden, #canvas, input, select')
    && getComputedStyle(e).display !== 'inline' && e.clientWidth && e.scrollWidth > e.clientWidth + 1)
    .map(e => e.tagName + ' ' + e.textContent.slice(0, 40))"""
"""Elements whose content is wider than they are; wide tables scroll."""
KINDS = ("HTMLElement", "HTMLDivElement", "HTMLFormElement", "HTMLButtonElement")
ABORTED = [f"htmx:{name}, [object {kind}]" for name in ("afterRequest", "sendAbort") for kind in KINDS]
"""What htmx says of a request that a newer one replaces, or that a new page ends."""
WAIT = 60_000
"""Milliseconds that a page may take to show something, on a busy machine."""


def launch(driver):
    """Start the browser."""
    return driver.chromium.launch(executable_path=FOUND, args=list(QUIET))


def is_wrong(message):
    """Return whether a message of the console is more than the end of a request."""
    return message.text not in ABORTED


def note_wrong(page, own):
    """List in `page.wrong` what goes wrong in a page, and each request for another address than `own`."""
    page.wrong = []
    page.on("console", lambda one: page.wrong.append(f"{one.text} {one.location['url']}") if is_wrong(one) else None)
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("dialog", lambda dialog: (page.wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: page.wrong.append(request.url) if not request.url.startswith(own) else None)
    page.add_init_script("addEventListener('securitypolicyviolation', e => console.error(e.violatedDirective))")
    return page


@pytest.fixture(scope="module")
def browser():
    driver = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'shoal[browser]'")
    if FOUND is None:
        pytest.skip(f"no browser: install one of {', '.join(BROWSERS)} (Debian: apt-get install chromium)")
    with driver.sync_playwright() as started:
        found = launch(started)
        yield found
        found.close()


class Site:
    """A running `shoal serve --no-open`: a process of its own."""

    def __init__(self, *arguments, folder: Path | None = None):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "shoal", "serve", "--no-open", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=folder,
            start_new_session=True,
        )
        self.link = self.read_link()
        self.home = self.link.partition("enter?")[0]
        """The address of the start page."""
        self.cookies = None

    def read_link(self) -> str:
        """Return the next link that the server prints."""
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if line.startswith("http://"):
                return line.strip()
        raise AssertionError(f"The server did not start: {''.join(said)}")

    def enter(self, browser, **how):
        """Return a browser window that may use the server; the link is used once, and its cookie kept."""
        window = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | how), storage_state=self.cookies)
        window.set_default_timeout(WAIT)
        if self.cookies is None:
            page = window.new_page()
            page.goto(self.link)
            page.wait_for_url(self.home)
            page.close()
            self.cookies = window.storage_state()
        return window

    def list_processes(self) -> list[int]:
        """Return the numbers of all processes of the server."""
        import psutil

        own = psutil.Process(self.process.pid)
        return [own.pid, *(child.pid for child in own.children(recursive=True))]

    def stop(self, number: int = signal.SIGINT) -> str:
        """End the server by a signal; return what it said."""
        assert self.process.stdout is not None
        if self.process.stdout.closed:
            return ""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=20)[0]
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
