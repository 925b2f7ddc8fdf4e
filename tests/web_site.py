"""The web app without a browser: it runs in a thread of its own, and a client asks it as one signed-in browser does."""

import asyncio
import re
import threading
from contextlib import contextmanager
from html import unescape

import pytest

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"
LIMIT = 120
"""Seconds that a test waits at most, on a machine that has much else to do."""


class Site:
    """A running app, and one browser that has entered it."""

    def __init__(self, *, largest=1_000_000, **workspace):
        from shoal.web.access import Access
        from shoal.web.app import build_app
        from shoal.web.workspace import Workspace

        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.access, self.workspace, self.ends = Access(PORT), Workspace(**workspace), 0
        self.app = build_app(self.workspace, self.access, largest=largest, ended=self._note_end)
        self._life = self.app.router.lifespan_context(self.app)
        self.run(self._life.__aenter__())
        self.cookie = ""
        self.enter()

    def _note_end(self):
        self.ends += 1

    def run(self, work):
        """Return the result of work in the thread of the app."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(LIMIT)

    def call(self, function, *arguments):
        """Call a function in the thread of the app."""

        async def work():
            return function(*arguments)

        return self.run(work())

    def close(self):
        self.run(self._life.__aexit__(None, None, None))
        self.run(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(LIMIT)
        self.loop.close()

    # Requests.

    def ask(self, method, path, *, headers=None, body=b"", own=True, **more):
        """Return the answer to a request; `own`: with the headers that our pages send. None removes a header."""
        import httpx

        sent = {"host": HOST}
        if own:
            sent |= {"cookie": f"{self.access.cookie}={self.cookie}", "sec-fetch-site": "same-origin"}
            sent |= {} if method in ("GET", "HEAD") else {"origin": ORIGIN}
        sent |= headers or {}
        pairs = [(name, one) for name, value in sent.items() if value is not None for one in _as_list(value)]

        async def work():
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            request = httpx.Request(method, f"{ORIGIN}{path}", content=body, **more)
            kept = [(name, value) for name, value in request.headers.multi_items() if name.startswith("content-")]
            request.headers = httpx.Headers([*pairs, *kept])
            answer = await transport.handle_async_request(request)
            answer.request = request
            await answer.aread()
            return answer

        return self.run(work())

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, form=None, **more):
        from urllib.parse import urlencode

        return self.ask("POST", path, body=urlencode(form or {}).encode(), **more)

    def enter(self):
        """Use a new token, as the browser does that is opened first."""
        answer = self.get(f"/enter?token={self.access.issue_token()}", own=False)
        self.cookie = re.search(rf"{self.access.cookie}=([^;]+)", answer.headers["set-cookie"]).group(1)
        return answer

    # Data sets.

    def upload(self, name, body, people=None, *, wait=True):
        """Open a file, perhaps with a table about the people; return the open data set, when it has been read."""
        from urllib.parse import quote

        answer = self.ask("POST", f"/upload?name={quote(name)}", body=_as_bytes(body))
        assert answer.status_code == 200, answer.text
        opened = self.find(answer.json()["go"])
        if people is not None:
            self.finish(opened)  # a worker that is stopped would have to start again
            answer = self.ask(
                "POST", f"/data/{opened.key}/open/people?name={quote(people[0])}", body=_as_bytes(people[1])
            )
            assert answer.status_code == 200, answer.text
        return self.finish(opened) if wait else opened

    def open_example(self, name):
        answer = self.post("/example", {"name": name})
        return self.finish(self.find(answer.headers["location"]))

    def find(self, place):
        return self.workspace.opened[place.split("/")[2]]

    @contextmanager
    def hold(self):
        """Inside the block no job begins."""
        jobs = self.workspace.jobs
        jobs._hand_out = lambda: None
        try:
            yield
        finally:
            del jobs._hand_out

    def wait_until(self, is_so):
        """Wait for the changes that the pages hear of, until something is so."""

        async def listen():
            queue = self.workspace.listen()
            while not is_so():
                await asyncio.wait_for(queue.get(), LIMIT)
            self.workspace.ignore(queue)

        self.run(listen())

    def finish(self, opened):
        """Wait until all work on a data set has ended, also work that begins meanwhile."""
        while busy := [job for job in list(opened.jobs.values()) if not job.ended or job.key in self.workspace._ends]:
            assert self.run(self.workspace.wait(busy[0], LIMIT)), busy[0].name
        return opened

    def count(self, opened):
        """Open the page "Risk" and wait until everything is counted and drawn."""
        assert self.get(f"/data/{opened.key}/risk").status_code == 200
        return self.finish(opened)


def _as_list(value):
    return value if isinstance(value, list) else [value]


def _as_bytes(body):
    return body if isinstance(body, bytes) else body.encode()


def read_text(page):
    """Return the text of a page without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", page)))


@contextmanager
def run_site(**options):
    found = Site(**options)
    try:
        yield found
    finally:
        found.close()


@pytest.fixture(scope="session")
def site():
    """A site that all tests of the pages share: its workers start once."""
    with run_site() as found:
        yield found
