"""The start page: files that are dropped, examples, and the end of data and sessions."""

import asyncio
from urllib.parse import quote

import psutil
import pytest

from hostile_text import HOSTILE
from shoal.data.examples import SHELL
from shoal.web.pages.start import HELD, LONGEST, clean_name
from web_site import HOST, ORIGIN, read_text, run_site

LINKS = b"x,y\ny,z\n"


def test_the_page_offers_every_example_and_says_the_limit(site):
    page = site.get("/").text
    for name in SHELL:
        assert f'value="{name}"' in page
    assert "At most 1 MB" in page


def test_a_file_is_opened_from_the_raw_body(site):
    opened = site.upload("friends.csv", LINKS)
    assert opened.data.n == 3
    assert opened.material.files == {"friends.csv": LINKS}
    page = read_text(site.get("/").text)
    assert "friends.csv" in page
    assert f'href="/data/{opened.key}/risk"' in site.get("/").text


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("/home/me/friends.csv", "friends.csv"),
        ("C:\\data\\friends.csv", "friends.csv"),
        ("../../etc/passwd", "passwd"),
        (" friends.csv ", "friends.csv"),
        ("a;b\r\nSet-Cookie: x=1.csv", "a;b\r\nSet-Cookie: x=1.csv"),
    ],
)
def test_a_name_is_kept_without_folders(name, kept):
    assert clean_name(name) == kept


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "/", "a/", "a/..", "\0", "a\0.csv", "example:karate", "x" * (LONGEST - 3) + ".csv", "\u00e9" * 128],
)
def test_a_name_that_no_file_has_is_refused(site, name):
    before = len(site.workspace.opened)
    answer = site.ask("POST", f"/upload?name={quote(name)}", body=LINKS)
    assert answer.status_code == 400
    assert "friends.csv" in answer.text
    assert len(answer.text) < 5_000
    assert len(site.workspace.opened) == before


@pytest.mark.parametrize(
    "name",
    [f"{text}.csv" for text in HOSTILE if "\0" not in text and "/" not in text] + ["a\r\nb: c.csv", '"; x=".csv'],
    ids=ascii,
)
def test_hostile_names_are_shown_as_text_and_sent_as_names(site, name):
    opened = site.upload(name, LINKS)
    assert opened.data is not None
    for path in ("/", f"/data/{opened.key}/open", f"/data/{opened.key}/take-away"):
        page = site.get(path).text
        assert "<script>alert" not in page
        assert "49.csv" not in page  # no template either
        assert "\x1b" not in page
    script = site.get(f"/data/{opened.key}/take-away/download/script.py")
    told = script.headers["content-disposition"]
    assert told == f"attachment; filename*=UTF-8''{quote(name.replace(':', '-') + '.script.py', safe='')}"
    assert repr(name) in script.text


def test_a_file_that_is_too_large_is_refused_by_its_length(site):
    answer = site.ask("POST", "/upload?name=a.csv", body=b"", headers={"content-length": "1000001"})
    assert answer.status_code == 413
    assert "1 MB" in answer.text
    part = site.ask("POST", "/upload?name=a.csv", headers={"content-length": "1000001", "hx-request": "true"})
    assert "<html" not in part.text


def ask_in_pieces(site, path, pieces):
    """Send a body in pieces without its length; return the status, and how many pieces were taken."""
    taken, said = [], []
    waiting = iter(pieces)

    async def receive():
        taken.append(1)
        piece = next(waiting, None)
        return {"type": "http.request", "body": piece or b"", "more_body": piece is not None}

    async def send(message):
        said.append(message)

    cookie = f"{site.access.cookie}={site.cookie}"
    headers = {"host": HOST, "origin": ORIGIN, "cookie": cookie, "content-length": "10"}  # which is a lie
    scope = {
        "type": "http",
        "method": "POST",
        "path": path.partition("?")[0],
        "query_string": path.partition("?")[2].encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    site.run(site.app(scope, receive, send))
    return said[0]["status"], len(taken)


def test_a_file_that_is_too_large_is_refused_while_it_comes(site):
    assert ask_in_pieces(site, "/upload?name=a.csv", [b"x" * 100_000] * 100) == (413, 11)
    status, taken = ask_in_pieces(site, "/upload?name=a.csv", [LINKS[:5], LINKS[5:]])
    assert (status, taken) == (200, 3)


def test_a_form_that_is_too_large_is_refused(site):
    status, taken = ask_in_pieces(site, "/example", [b"x" * 500_000] * 10)
    assert (status, taken) == (413, 3)


def test_an_upload_that_the_browser_ends_is_forgotten(site):
    before = len(site.workspace.opened)

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        raise AssertionError(message)

    headers = {"host": HOST, "origin": ORIGIN, "cookie": f"{site.access.cookie}={site.cookie}"}
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/upload", "query_string": b"name=a.csv", "headers": pairs}
    site.run(site.app(scope, receive, send))  # and it is no error that the server prints
    assert len(site.workspace.opened) == before


def test_all_files_together_are_limited():
    with run_site(workers=1, largest=1_000) as own:
        for at in range(HELD):
            assert own.ask("POST", f"/upload?name={at}.csv", body=b"a,b\n" * 250).status_code == 200
        answer = own.ask("POST", "/upload?name=more.csv", body=b"a,b\n")
        assert answer.status_code == 413
        assert "Close" in answer.text
        own.post(f"/data/{next(iter(own.workspace.opened))}/close")
        assert own.ask("POST", "/upload?name=more.csv", body=b"a,b\n").status_code == 200


def test_an_example_is_opened(site):
    opened = site.open_example("florentine")
    assert opened.title == "example:florentine"
    assert opened.data.n == 15
    wrong = site.post("/example", {"name": "florentin"})
    assert wrong.status_code == 400
    assert "florentine" in wrong.text
    assert site.post("/example").status_code == 400


def test_closing_data_forgets_it_everywhere():
    with run_site(workers=1) as own:
        opened, other = own.upload("friends.csv", LINKS, wait=False), own.upload("others.csv", LINKS, wait=False)
        own.wait_until(lambda: any(job.state == "running" for job in opened.jobs.values()))
        [before] = own.workspace.jobs.list_processes()
        answer = own.post(f"/data/{opened.key}/close")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/"
        for path in ("open", "risk", "take-away", "take-away/download/script.sh", "risk/drawing.json"):
            gone = own.get(f"/data/{opened.key}/{path}")
            assert gone.status_code == 404
            assert "closed" in gone.text
            assert "friends.csv" not in gone.text
        for path in ("take-away/files", "risk/colors"):  # a part of a page that is still open: no error
            gone = own.get(f"/data/{opened.key}/{path}", headers={"sec-fetch-dest": "empty"})
            assert (gone.status_code, gone.headers["hx-redirect"], gone.content) == (204, "/", b"")
        assert "friends.csv" not in own.get("/").text
        assert not psutil.pid_exists(before)  # its memory is given back
        assert own.post(f"/data/{opened.key}/close").status_code == 404
        assert own.get(f"/data/{other.key}/open").status_code == 200
        assert own.post(f"/data/{other.key}/close", headers={"hx-request": "true"}).headers["hx-redirect"] == "/"


def test_closing_the_session_ends_everything():
    with run_site(workers=1) as own:
        opened = own.upload("friends.csv", LINKS, wait=False)
        own.wait_until(lambda: any(job.state == "running" for job in opened.jobs.values()))
        before = own.workspace.jobs.list_processes()
        queue = own.call(own.workspace.listen)
        answer = own.post("/close")
        assert answer.status_code == 200
        assert "forgotten" in answer.text
        assert own.workspace.opened == {}
        assert not any(map(psutil.pid_exists, before))
        assert own.ends == 1  # so that the server prints a new link
        assert own.get("/").status_code == 403
        events = [queue.get_nowait() for _ in range(queue.qsize())]
        assert {"what": "end"} in events  # other tabs learn it
        own.enter()
        assert "friends.csv" not in own.get("/").text


def test_the_stream_of_events_ends_with_the_session_and_is_forgotten_with_its_connection(site):
    with run_site(workers=1) as own:
        said = []

        async def watch():
            begun = asyncio.Event()

            async def receive():
                await asyncio.Event().wait()

            async def send(message):
                said.append(message)
                if message.get("body"):
                    begun.set()

            cookie = f"{own.access.cookie}={own.cookie}"
            pairs = [(b"host", HOST.encode()), (b"cookie", cookie.encode())]
            scope = {"type": "http", "method": "GET", "path": "/events", "query_string": b"", "headers": pairs}
            task = asyncio.create_task(own.app(scope, receive, send))
            await begun.wait()
            assert len(own.workspace._listeners) == 1
            own.workspace.publish({"data": "key", "what": "ended", "text": "a\n\ndata: x"})
            own.workspace.publish({"what": "end"})
            await task

        own.run(watch())
        text = b"".join(message.get("body", b"") for message in said).decode()
        assert text.count("\n\n") == 3  # a text cannot begin an event of its own
        assert '"end"' in text
        assert own.workspace._listeners == set()
