"""Who may talk to the server: every refusal, and the headers of every answer."""

import asyncio
import hmac
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from starlette.responses import Response
from starlette.routing import Mount, Route

from shoal.web import access as access_module
from shoal.web.access import Access, Guard
from web_site import HOST, ORIGIN, PORT, run_site

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
"""As the issue has it, and not as the source has it."""
WEB = Path(access_module.__file__).parent
OURS = [*WEB.glob("templates/*.html"), *WEB.glob("static/*.*")]


def check_headers(answer):
    assert answer.headers.get_list("content-security-policy") == [POLICY]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in answer.headers
    assert "server" not in answer.headers
    return answer


def check_refused(answer, status=403):
    """Check that a request was refused, and that the answer says nothing about data."""
    check_headers(answer)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/plain")
    assert "set-cookie" not in answer.headers
    assert "karate" not in answer.text
    return answer


@pytest.fixture(scope="module")
def opened(site):
    return site.open_example("karate")


# The token.


def test_a_token_gives_a_cookie_that_only_our_pages_use(site):
    answer = check_headers(site.enter())
    assert answer.status_code == 200
    name, _, rest = answer.headers["set-cookie"].partition("=")
    assert name == f"shoal-{PORT}"
    value, *flags = rest.split("; ")
    assert len(value) >= 43  # 256 bits
    assert {flag.lower() for flag in flags} == {"httponly", "path=/", "samesite=strict"}
    assert value not in answer.text
    assert site.get("/").status_code == 200


def test_a_token_works_once(site):
    token = site.access.issue_token()
    assert site.get(f"/enter?token={token}", own=False).status_code == 200
    check_refused(site.get(f"/enter?token={token}", own=False))


def test_a_new_token_makes_the_last_one_void(site):
    first, second = site.access.issue_token(), site.access.issue_token()
    check_refused(site.get(f"/enter?token={first}", own=False))
    assert site.get(f"/enter?token={second}", own=False).status_code == 200


@pytest.mark.parametrize(
    "asked", ["", "?token=", "?token=wrong", "?token=%00", "?token=%ED%A0%80", "?tok=1", "?" + "x" * 9_000]
)
def test_a_wrong_token_is_refused_and_leaves_the_right_one(site, asked):
    token = site.access.issue_token()
    check_refused(site.get(f"/enter{asked}", own=False))
    check_refused(site.get(f"/enter?token={token[:-1]}", own=False))
    assert site.get(f"/enter?token={token}", own=False).status_code == 200


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
def test_a_token_is_used_only_by_opening_its_address(site, method):
    token = site.access.issue_token()
    check_refused(site.ask(method, f"/enter?token={token}", own=False, headers={"origin": ORIGIN}), 405)
    assert site.get(f"/enter?token={token}", own=False).status_code == 200


def test_a_page_of_another_site_may_lead_here_with_the_token_only(site):
    token, foreign = site.access.issue_token(), {"sec-fetch-site": "cross-site"}  # as from the file that redirects
    check_refused(site.get("/", own=False, headers=foreign))
    assert site.get(f"/enter?token={token}", own=False, headers=foreign).status_code == 200


def test_entering_tells_the_server_once():
    calls, access = [], Access(PORT)
    access.entered = lambda: calls.append(1)
    assert access.exchange_token("wrong") is None
    assert not calls
    access.exchange_token(access.issue_token())
    assert calls == [1]


def test_secrets_are_compared_in_constant_time_and_only_digests_are_kept(monkeypatch):
    compared = []
    monkeypatch.setattr(hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
    access = Access(PORT)
    token = access.issue_token()
    cookie = access.exchange_token(token)
    assert access.knows_cookie(cookie)
    assert not access.knows_cookie("x")
    assert len(compared) == 3
    assert all(len(a) == len(b) == 32 for a, b in compared)  # so that the length of a secret does not show
    assert token.encode() not in repr(vars(access)).encode()
    assert cookie.encode() not in repr(vars(access)).encode()


# Host, Origin and cookie.

WRONG_HOSTS = [
    None,
    "",
    "evil.example",
    f"evil.example:{PORT}",
    "127.0.0.1",
    f"127.0.0.1:{PORT + 1}",
    "localhost",
    f"[::1]:{PORT}",
    f"127.0.0.1:{PORT}.evil.example",
    f"127.0.0.1:{PORT}@evil.example",
    f"0.0.0.0:{PORT}",
    f"127.1:{PORT}",
    f"2130706433:{PORT}",
    f"localhost.:{PORT}",
    [HOST, HOST],
    [HOST, "evil.example"],
    f"{HOST},evil.example",
]


@pytest.mark.parametrize("host", WRONG_HOSTS, ids=repr)
def test_a_request_for_another_host_is_refused(site, host):
    check_refused(site.get("/", headers={"host": host}), 421)
    token = site.access.issue_token()
    check_refused(site.get(f"/enter?token={token}", own=False, headers={"host": host}), 421)
    assert site.get(f"/enter?token={token}", own=False).status_code == 200


def test_both_names_of_this_machine_are_answered(site):
    local = f"localhost:{PORT}"
    assert site.get("/", headers={"host": local}).status_code == 200
    assert site.post("/example", {"name": "x"}, headers={"host": local, "origin": f"http://{local}"}).status_code == 400
    check_refused(site.post("/example", {"name": "karate"}, headers={"host": local}))  # a page of the other name


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1", f"{ORIGIN}/", [ORIGIN, "null"], None],
    ids=repr,
)
def test_a_post_of_another_site_is_refused(site, origin):
    before = set(site.workspace.opened)
    check_refused(site.post("/example", {"name": "karate"}, headers={"origin": origin}))
    assert set(site.workspace.opened) == before
    if origin is not None:  # without one, it is the plain request of an address
        check_refused(site.get("/", headers={"origin": origin}))


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("where", ["cross-site", "same-site", "other"])
def test_a_request_that_another_site_made_is_refused(site, method, where):
    check_refused(site.ask(method, "/", headers={"sec-fetch-site": where}))


@pytest.mark.parametrize("where", ["same-origin", "none", None])
def test_a_request_of_our_pages_is_answered(site, where):
    assert site.get("/", headers={"sec-fetch-site": where}).status_code == 200


def list_cookies(site):
    name = site.access.cookie
    return [
        None,
        "",
        f"{name}=",
        f"{name}=wrong",
        f"{name}={site.cookie[:-1]}",
        f"{name}={site.cookie}x",
        f"other={site.cookie}",
        f"{name[:-1]}={site.cookie}",
        site.cookie,
        '"',
    ]


def test_a_request_without_the_cookie_is_refused(site, opened):
    for cookie in list_cookies(site):
        for path in ("/", f"/data/{opened.key}/risk", "/events", "/static/web.js", "/nowhere"):
            check_refused(site.get(path, headers={"cookie": cookie}))


@pytest.mark.parametrize("other", ["a[b]=1", 'json={"a": "b;c"}', "=x", "shoal-8765=tossed", "\u00fc=\u00df", 'q="'])
def test_cookies_of_other_servers_on_this_machine_do_not_end_the_session(site, other):
    own = f"{site.access.cookie}={site.cookie}"
    for cookies in (f"{other}; {own}", f"{own}; {other}", [other, own]):
        sent = [one.encode() for one in (cookies if isinstance(cookies, list) else [cookies])]
        assert site.get("/", headers={"cookie": sent}).status_code == 200


def test_a_cookie_of_an_ended_session_is_void(site):
    with run_site(workers=1) as own:
        assert own.get("/").status_code == 200
        waiting = own.access.issue_token()
        assert own.post("/close").status_code == 200
        check_refused(own.get("/"))
        check_refused(own.get(f"/enter?token={waiting}", own=False))
        assert own.ends == 1
        own.enter()
        assert own.get("/").status_code == 200
    check_refused(site.get("/", headers={"cookie": f"{own.access.cookie}={own.cookie}"}))


def test_web_sockets_are_refused(site):
    said = []
    scope = {"type": "websocket", "path": "/events", "headers": [(b"host", HOST.encode())]}

    async def send(message):
        said.append(message)

    async def receive():
        return {"type": "websocket.connect"}

    site.run(site.app(scope, receive, send))
    assert [message["type"] for message in said] == ["websocket.close"]


# Headers.


def test_every_answer_has_the_headers(site, opened):
    risk = f"/data/{opened.key}"
    expected = {
        ("GET", "/"): 200,
        ("HEAD", "/"): 200,
        ("GET", f"{risk}/open"): 200,
        ("GET", f"{risk}/risk/colors"): 200,
        ("GET", f"{risk}/take-away/download/script.sh"): 200,
        ("GET", "/static/web.js"): 200,
        ("GET", "/static/vendor/htmx.min.js"): 200,
        ("GET", "/blocks.css"): 200,
        ("GET", "/nowhere"): 404,
        ("GET", "/data/none/risk"): 404,
        ("GET", "/static/none.js"): 404,
        ("GET", f"{risk}/risk/person/999"): 404,
        ("GET", "/upload"): 405,
        ("PUT", "/"): 405,
        ("OPTIONS", "/"): 405,
        ("TRACE", "/"): 405,
        ("POST", "/upload?name="): 400,
    }
    for (method, path), status in expected.items():
        answer = check_headers(site.ask(method, path))
        assert answer.status_code == status, (method, path, answer.text)
    large = check_headers(site.ask("POST", "/upload?name=a.csv", body=b"", headers={"content-length": "999999999"}))
    assert large.status_code == 413
    kept = site.get("/static/web.js").headers["etag"]
    assert check_headers(site.get("/static/web.js", headers={"if-none-match": kept})).status_code == 304


def test_a_head_request_has_no_body(site):
    assert site.ask("HEAD", "/").content == b""


def test_a_bug_is_answered_with_the_headers_and_without_its_text(site):
    async def fail(_scope, _receive, _send):
        raise RuntimeError("a name of a person")

    async def work():
        said = []

        async def send(message):
            said.append(message)

        async def receive():
            return {"type": "http.request", "body": b""}

        access = Access(PORT)
        cookie = f"{access.cookie}={access.exchange_token(access.issue_token())}".encode()
        headers = [(b"host", HOST.encode()), (b"cookie", cookie)]
        scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
        with pytest.raises(RuntimeError):
            await Guard(fail, access)(scope, receive, send)
        return said

    start, body = site.run(work())
    assert start["status"] == 500
    assert (b"content-security-policy", POLICY.encode()) in start["headers"]
    assert b"name of a person" not in body["body"]


def test_a_bug_in_a_page_is_answered_with_the_headers(site, monkeypatch):
    monkeypatch.setattr(type(site.workspace), "opened", property(lambda _: 1 / 0), raising=False)
    answer = check_headers(site.get("/data/none/risk"))
    assert answer.status_code == 500
    assert "division" not in answer.text


def test_files_outside_the_static_folder_are_not_sent(site):
    for path in (
        "/static/../access.py",
        "/static/..%2faccess.py",
        "/static/%2e%2e/access.py",
        "/static/vendor/../../access.py",
        "/static//etc/passwd",
        "/static/..%5caccess.py",
        "/static/",
        "/static",
        "/static/vendor",
        "/static/%00",
    ):
        answer = check_headers(site.get(path))
        assert answer.status_code in (404, 307), path
        assert "Access" not in answer.text


# Every route.


def list_routes(routes, before=""):
    for route in routes:
        if isinstance(route, Mount):
            yield f"{before}{route.path}/web.js", {"GET", "HEAD"}
        else:
            assert isinstance(route, Route)
            yield before + route.path, route.methods


def test_every_route_refuses_strangers(site, opened):
    seen = 0
    before = {key: (one.reading, one.scenario, one.k) for key, one in site.workspace.opened.items()}
    for path, methods in list_routes(site.app.routes):
        place = path.format(key=opened.key, name="report", who="0")
        for method in methods:
            seen += 1
            check_refused(site.ask(method, place, headers={"cookie": None}))
            check_refused(site.ask(method, place, headers={"origin": "http://evil.example"}))
            check_refused(site.ask(method, place, headers={"sec-fetch-site": "same-site"}))
            check_refused(site.ask(method, place, headers={"host": "evil.example"}), 421)
    assert seen > 40
    assert {key: (one.reading, one.scenario, one.k) for key, one in site.workspace.opened.items()} == before


def test_only_posts_change_data(site):
    for path, methods in list_routes(site.app.routes):
        assert methods in ({"GET", "HEAD"}, {"POST"}), path
        changes = re.search(
            r"/(upload|example|close|cancel|make|people|no-people|reading|roles|scenario|resume)\b", path
        )
        assert ("POST" in methods) == bool(changes), path


# Templates and static files.


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.found, self.texts, self._inside = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_endtag(self, tag):
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data):
        if self._inside and self._inside[-1] in ("script", "style") and data.strip():
            self.texts.append(data)


def find_inline(text):
    """Return what the policy would block in a page: scripts, styles, handlers, and addresses of other servers."""
    tags, found = Tags(text), []
    for tag, attributes in tags.found:
        if tag in ("style", "iframe", "object", "embed", "base") or (tag == "script" and "src" not in attributes):
            found.append(tag)
        found += [
            name
            for name in attributes
            if name.startswith(("on", "hx-on", "hx-vals", "hx-vars", "data-hx-on")) or name == "style"
        ]
        addresses = [attributes.get(name) or "" for name in ("src", "href", "action", "hx-get", "hx-post")]
        found += [place for place in addresses if re.match(r"\s*(javascript|data|https?|//)", place)]
        found += [value for name, value in attributes.items() if name == "hx-trigger" and "[" in (value or "")]
    return found + tags.texts


def test_find_inline_finds_what_it_looks_for():
    for bad in (
        "<script>1</script>",
        "<style>a{}</style>",
        "<p style='x'>",
        "<p onclick=x>",
        "<p hx-on:click=x>",
        "<a href='javascript:x'>",
        "<script src='https://evil.example/x.js'></script>",
        "<p hx-trigger='click[x]'>",
    ):
        assert find_inline(bad), bad
    assert not find_inline("<script src='/static/web.js' defer></script><p class=style>on</p>")


@pytest.mark.parametrize("place", [path for path in OURS if path.suffix == ".html"], ids=lambda path: path.name)
def test_templates_have_no_inline_script_or_style(place):
    text = place.read_text(encoding="utf-8")
    assert find_inline(re.sub(r"\{[%#].*?[%#]\}", "", text, flags=re.DOTALL)) == []
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", text)


def test_pages_have_no_inline_script_or_style(site, opened):
    site.count(opened)
    for path in ("open", "risk", "take-away", "risk/drawing", "risk/counts", "risk/list", "risk/person/0"):
        assert find_inline(site.get(f"/data/{opened.key}/{path}").text) == [], path
    for path in ("/", "/nowhere"):
        assert find_inline(site.get(path).text) == [], path


@pytest.mark.parametrize("place", [path for path in OURS if path.suffix != ".html"], ids=lambda path: path.name)
def test_static_files_evaluate_nothing_and_load_nothing_from_elsewhere(place):
    text = place.read_text(encoding="utf-8")
    assert not re.search(r"\beval\b|new Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write", text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|//cdn|@import|url\(", text)
    assert not re.search(r"set(?:Timeout|Interval)\(\s*[\"'`]", text)
    if place.suffix == ".svg":
        assert find_inline(text) == []


def test_htmx_evaluates_nothing(site):
    [config] = [found["content"] for tag, found in Tags(site.get("/").text).found if found.get("name") == "htmx-config"]
    chosen = json.loads(config)
    assert chosen["allowEval"] is False
    assert chosen["includeIndicatorStyles"] is False
    assert chosen["allowScriptTags"] is False
    assert chosen["historyCacheSize"] == 0  # otherwise pages with names would stay in the browser
    assert chosen["selfRequestsOnly"] is True


def test_vendored_files_have_their_licenses_and_are_in_the_wheel():
    import fnmatch
    import tomllib

    root = Path(__file__).parents[2]
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["*"]
    found = [path for path in WEB.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert len(found) > 20
    for path in found:
        assert any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns), path
    vendored = list(WEB.glob("static/vendor/*.js"))
    assert {path.name for path in vendored} == {"htmx.min.js", "graphology.min.js", "sigma.min.js"}
    for path in vendored:
        license_file = path.with_name(path.name.replace(".min.js", ".LICENSE.txt"))
        assert len(license_file.read_text()) > 200
        assert "sourceMappingURL" not in path.read_text(encoding="utf-8")


# The end of idle sessions.


def test_an_idle_session_ends_also_without_data(monkeypatch):
    from shoal.web import app as app_module

    with run_site(workers=1) as own:
        monkeypatch.setattr(app_module, "IDLE", 0.01)

        async def watch():
            own.workspace.used = 0
            task = asyncio.create_task(app_module.end_idle_sessions(own.app))
            while not own.ends:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.02)
            task.cancel()

        own.run(watch())
        check_refused(own.get("/"))
        assert own.ends == 1  # it ends once


def test_responses_of_the_guard_are_plain():
    assert isinstance(Guard(None, Access(PORT))._refuse({"headers": [], "method": "GET", "path": "/"}), Response)
