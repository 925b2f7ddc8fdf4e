"""The running server: its link, its end, and what is left of it, which is nothing."""

import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
import webbrowser
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psutil
import pytest

from shoal.cli.app import run_command
from shoal.errors import MissingResource
from shoal.web.access import Access
from shoal.web.reading import Reading
from shoal.web.server import Site, bind, read_files
from web_site import LIMIT

COUNT = b"a,b\n" + b"".join(b"%d,%d\n" % (i, (i * 7 + 1) % 2_000) for i in range(2_000))


class Running:
    """A server in a process of its own, and a browser that has entered it."""

    def __init__(self, folder, *start):
        self.folders = {name: folder / name for name in ("tmp", "home", "work")}
        for place in self.folders.values():
            place.mkdir(parents=True)
        changed = {
            "TMPDIR": str(self.folders["tmp"]),
            "HOME": str(self.folders["home"]),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.process = subprocess.Popen(
            [sys.executable, *(start or ("-m", "shoal")), "serve", "--no-open"],
            env=os.environ | changed,
            cwd=self.folders["work"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.said = [self.process.stdout.readline().decode() for _ in range(2)]
        self.link = urlsplit(self.said[1].strip())
        self.port = self.link.port
        self.family = [self.process_info, *self.process_info.children(recursive=True)]
        self.cookie = ""

    @property
    def process_info(self):
        return psutil.Process(self.process.pid)

    def ask(self, method, path, body=None, headers=None):
        """Return an answer, and its status and headers; a body is sent as a raw upload."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
        own = {"Cookie": self.cookie} | ({} if method == "GET" else {"Origin": f"http://127.0.0.1:{self.port}"})
        line.request(method, path, body=body, headers=own | (headers or {}))
        answer = line.getresponse()
        return line, answer

    def read(self, method, path, **more):
        line, answer = self.ask(method, path, **more)
        text = answer.read()
        line.close()
        return answer.status, text

    def send_raw(self, text):
        """Send bytes as they are, and return the whole answer."""
        with socket.create_connection(("127.0.0.1", self.port), LIMIT) as line:
            line.sendall(text)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65_536), b""))

    def enter(self):
        line, answer = self.ask("GET", f"{self.link.path}?{self.link.query}")
        assert answer.status == 200
        self.cookie = answer.getheader("set-cookie").split(";")[0]
        line.close()

    def list_files(self):
        return [path for folder in self.folders.values() for path in folder.rglob("*")]

    def end(self, number):
        """Send a signal; return the exit code and everything that was printed."""
        self.process.send_signal(number)
        said = self.process.communicate(timeout=LIMIT)
        gone, alive = psutil.wait_procs(self.family, timeout=LIMIT)
        assert not alive
        assert len(gone) == 4  # the command, its supervised child, and two workers
        return self.process.returncode, *(text.decode() for text in said)


@contextmanager
def run_server(folder, *start):
    found = Running(folder, *start)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
            found.process.communicate()


@pytest.mark.slow
def test_serve_prints_a_link_works_in_memory_and_ends_on_ctrl_c(tmp_path):
    with run_server(tmp_path) as server:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/enter\?token=[\w-]{43}\n", server.said[1])
        assert "once" in server.said[0]
        assert len(server.family) == 4
        assert not any("token" in " ".join(one.cmdline()) for one in server.family)
        listening = [one.laddr.ip for one in server.family[1].net_connections() if one.status == "LISTEN"]
        assert listening == ["127.0.0.1"]
        server.enter()
        status, text = server.read("POST", "/upload?name=friends.csv", body=COUNT)
        assert status == 200
        place = json.loads(text)["go"]
        stream, events = server.ask("GET", "/events")
        assert events.getheader("content-type").startswith("text/event-stream")
        assert events.getheader("content-security-policy").startswith("default-src 'none'")
        while b"2,000 people" not in server.read("GET", f"{place}/state")[1]:
            assert events.readline()  # each change is told, so this does not ask in vain
        check_raw_requests(server)
        assert server.list_files() == []
        for process in server.family[1:]:
            assert process.rlimit(psutil.RLIMIT_CORE)[0] == 0  # a crash writes no memory to disk
            assert [one.path for one in process.open_files() if one.mode != "r"] == []
        code, said, errors = server.end(signal.SIGINT)
        assert code == 0
        assert "stopped" in said
        assert errors == ""  # no access log, and no error
        rest = events.read()
        assert b'"stop"' in rest  # the page learns that the server ends
        stream.close()
        assert server.list_files() == []


def check_raw_requests(server):
    """Check requests that no browser sends."""
    cookie, host = server.cookie.encode(), b"127.0.0.1:%d" % server.port
    absolute = b"GET http://evil.example/ HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n" % (host, cookie)
    assert b"HTTP/1.1 404 " in server.send_raw(absolute)
    for lines in (
        b"GET / HTTP/1.1\r\nCookie: %s\r\n\r\n" % cookie,
        b"GET / HTTP/1.0\r\nCookie: %s\r\n\r\n" % cookie,
        b"GET / HTTP/1.1\r\nHost: %s\r\nHost: evil.example\r\nCookie: %s\r\n\r\n" % (host, cookie),
        b"GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: %s\r\nCookie: %s\r\n\r\n" % (host, cookie),
        b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % host,
        b"GET /events HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n" % host,
    ):
        answer = server.send_raw(lines)
        assert re.match(rb"HTTP/1.1 (400|403|421) ", answer), (lines, answer)
        assert b"friends.csv" not in answer
    head = server.send_raw(b"HEAD / HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\n\r\n" % (host, cookie))
    assert head.startswith(b"HTTP/1.1 200 ")
    assert head.endswith(b"\r\n\r\n")
    both = b"POST /example HTTP/1.1\r\nHost: %s\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" % host
    assert b" 200 " not in server.send_raw(both + b"0\r\n\r\n")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_killed_server_takes_its_workers_along(tmp_path, name):
    number = getattr(signal, name)
    with run_server(tmp_path) as server:
        server.enter()
        if name == "SIGKILL":  # in the middle of work
            assert server.read("POST", "/upload?name=friends.csv", body=COUNT)[0] == 200
        code, _, errors = server.end(number)
        assert code == (128 + number if name == "SIGTERM" else -number)
        assert "Traceback" not in errors
        assert server.list_files() == []


SECONDS = 10
"""A server ends within 3 seconds of Ctrl-C; a busy machine needs longer to start and end processes."""


def open_socket(server, head, *, small=False):
    """Begin a request and do not read the answer; a small buffer is full soon."""
    line = socket.socket()
    if small:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
    line.connect(("127.0.0.1", server.port))
    own = f"127.0.0.1:{server.port}"
    line.sendall(f"{head} HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nCookie: {server.cookie}\r\n".encode())
    return line


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_busy_server_ends_in_time(tmp_path, name):
    """Streams that are not read, idle connections, an upload that does not go on, and a job that runs."""
    with run_server(tmp_path) as server:
        server.enter()
        place = json.loads(server.read("POST", "/upload?name=friends.csv", body=COUNT)[1])["go"]
        lines = [open_socket(server, "GET /events", small=at % 2) for at in range(8)]
        lines += [open_socket(server, f"GET {place}/state", small=True) for _ in range(4)]
        for line in lines:
            line.sendall(b"\r\n")
        idle = [server.ask("GET", "/") for _ in range(2)]
        assert all(b"shoal" in answer.read() for _, answer in idle)
        upload = open_socket(server, "POST /upload?name=b.csv")
        upload.sendall(b"Content-Length: 9000000\r\n\r\na,b\n")
        began = time.monotonic()
        code, _, errors = server.end(getattr(signal, name))
        assert time.monotonic() - began < SECONDS
        assert code == (0 if name == "SIGINT" else 128 + signal.SIGTERM)
        assert "Traceback" not in errors
        for line in (*lines, upload, *(line for line, _ in idle)):
            line.close()


STUCK = """import sys, time
from shoal.cli import run
from shoal.web.pages import start
start.show = lambda *_, **__: time.sleep(600)
sys.argv = ["shoal", *sys.argv[1:]]
run()"""
"""The server, with a start page that holds up everything."""


@pytest.mark.slow
def test_a_server_that_is_stuck_ends_too(tmp_path):
    with run_server(tmp_path, "-c", STUCK) as server:
        server.enter()
        lines = [open_socket(server, place) for place in ("GET /events", "GET /")]
        for line in lines:
            line.settimeout(LIMIT)
        lines[0].sendall(b"\r\n")
        assert lines[0].recv(100)
        lines[1].sendall(b"\r\n")
        lines[1].settimeout(0.5)
        with pytest.raises(TimeoutError):
            lines[1].recv(1)
        began = time.monotonic()
        code, _, errors = server.end(signal.SIGINT)
        assert time.monotonic() - began < SECONDS
        assert code == 128 + signal.SIGINT
        assert "interrupted" in errors
        assert server.list_files() == []
        for line in lines:
            line.close()


# What is said instead of a start.


def test_a_busy_port_gives_one_sentence(capsys):
    with bind(0) as taken:
        port = taken.getsockname()[1]
        assert run_command(["serve", "--no-open", "--port", str(port)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert str(port) in said.err
    assert "--port" in said.err


def test_a_port_that_is_bound_but_does_not_yet_listen_is_busy():
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(MissingResource, match="--port"):
            bind(other.getsockname()[1])


@pytest.mark.parametrize("library", ["starlette", "uvicorn", "jinja2", "psutil"])
def test_a_missing_library_names_the_extra(capsys, monkeypatch, library):
    def import_others(name):
        if name == library:
            raise ImportError(name)
        return import_module(name)

    monkeypatch.setattr("shoal.errors.import_module", import_others)
    assert run_command(["serve", "--no-open"]) == 2
    assert "shoal[web]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.csv"], "nowhere.csv"),
        (["--port", "70000"], "--port"),
        (["--memory", "0"], "--memory"),
        (["--memory", "-1"], "--memory"),
        (["--attributes", "people.csv"], "--attributes"),
        (["example:karate", "--attributes", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_options_are_named(capsys, words, told):
    assert run_command(["serve", "--no-open", *words]) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert said.out == ""


def test_the_files_of_the_command_line_are_read_into_memory(tmp_path):
    place = tmp_path / "friends.csv"
    place.write_bytes(b"a,b\n")
    assert read_files(Reading(str(place))) == {str(place): b"a,b\n"}
    assert read_files(Reading("example:karate")) == {}


# The browser is opened through a file.


@pytest.fixture
def invited(tmp_path, monkeypatch):
    """A site whose browser does what the test says, and the addresses and messages that it was given."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    said, opened, done = [], [], threading.Event()

    def answer(address):
        opened.append(address)
        return True

    def open_page(address):
        found = answers[0](address)
        done.set()
        return found

    answers = [answer]
    monkeypatch.setattr(webbrowser, "open", open_page)
    access = Access(1234)
    site = Site(1234, access, said.append, browse=True)
    access.entered = site.forget_link
    return site, said, opened, done, answers


def test_the_browser_is_opened_through_a_private_file(invited, tmp_path):
    site, said, opened, done, _ = invited
    site.invite()
    assert done.wait(LIMIT)
    [address] = opened
    assert "token" not in address  # the list of processes shows it
    assert "token" not in " ".join(said)
    place = Path(unquote(urlsplit(address).path))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    token = re.search(r"url=http://127\.0\.0\.1:1234/enter\?token=([\w-]+)", place.read_text()).group(1)
    assert site.access.exchange_token("wrong") is None
    assert place.exists()
    assert site.access.exchange_token(token)
    assert list(tmp_path.iterdir()) == []  # removed after use


def test_a_second_invitation_removes_the_file_of_the_first(invited, tmp_path):
    site = invited[0]
    site.invite()
    site.invite()
    assert len(list(tmp_path.iterdir())) == 1
    site.forget_link()
    site.forget_link()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failure", [False, webbrowser.Error("none"), OSError("none")], ids=repr)
def test_a_link_is_printed_where_no_browser_opens(invited, tmp_path, failure):
    site, said, _, _, answers = invited
    told = threading.Event()
    site.say = lambda text: (said.append(text), "token" in text and told.set())

    def fail(_):
        if failure:
            raise failure
        return False

    answers[0] = fail
    site.invite()
    assert told.wait(LIMIT)
    token = said[-1].rpartition("token=")[2]
    assert site.access.exchange_token(token)
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_runs_in_the_terminal_does_not_hold_up_the_server(invited):
    site, _, _, done, answers = invited
    closed = threading.Event()
    answers[0] = lambda _: closed.wait(LIMIT)
    site.invite()  # returns although the browser has not
    assert not done.is_set()
    closed.set()
    assert done.wait(LIMIT)
    site.forget_link()
