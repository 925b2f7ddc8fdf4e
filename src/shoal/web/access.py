"""Access: who may talk to the server. Every request is checked before any page sees it.

The server is reachable by every program on this machine, and by every web page that the browser shows. So a request
must name this server in its Host header (a page may point its own name at 127.0.0.1), must not come from another
site, and must have the cookie of the session. The cookie is given once, in exchange for a token that only the owner of
the server has seen.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",  # with no-referrer, a browser hides the origin of our own forms too
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Sent with every answer. Pages show names of people, so no cache keeps them."""
ENTER = "/enter"
"""Exchanges a token for the cookie."""
SAFE = ("GET", "HEAD")
NAVIGATED = ("same-origin", "none")
"""Values of Sec-Fetch-Site: a request of one of our pages, or one that the user typed."""

ENTERED = b"""<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/">
<title>shoal</title><p><a href="/">Open shoal</a></p></html>"""
"""The answer to a token. A redirect would still count as coming from another site, without the cookie; a page that
moves on by itself does not."""

BUG = "This is a bug in shoal. `shoal serve` has printed it. Please report it, without your data."


class Access:
    """The tokens and cookies of a server. Only their digests are kept."""

    def __init__(self, port: int) -> None:
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self.cookie = f"shoal-{port}"
        """Cookies are shared by all ports of a host, so its name has the port."""
        self.entered: Callable[[], None] = lambda: None
        """Called when a token was used."""
        self._tokens: set[bytes] = set()
        self._cookies: set[bytes] = set()

    def issue_token(self) -> str:
        """Return a new token for one use; earlier tokens are void."""
        token = secrets.token_urlsafe(32)
        self._tokens = {_digest(token)}
        return token

    def exchange_token(self, token: str) -> str | None:
        """Return a new cookie for a token, which is void afterwards; None for a wrong or used one."""
        found = _find(token, self._tokens)
        if found is None:
            return None
        self._tokens.discard(found)
        self.entered()
        cookie = secrets.token_urlsafe(32)
        self._cookies.add(_digest(cookie))
        return cookie

    def knows_cookie(self, cookie: str) -> bool:
        """Return whether a cookie was given by this server, and its session has not ended."""
        return _find(cookie, self._cookies) is not None

    @property
    def in_session(self) -> bool:
        """Whether a browser has entered, and its session has not ended."""
        return bool(self._cookies)

    def end_session(self) -> None:
        """Make all cookies and tokens void."""
        self._cookies.clear()
        self._tokens.clear()


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _find(secret: str, digests: set[bytes]) -> bytes | None:
    """Return the digest of a secret if it is among these, compared in constant time."""
    own = _digest(secret)
    return next((known for known in digests if hmac.compare_digest(known, own)), None)


class Guard:
    """Middleware that refuses foreign requests and adds the headers to every answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})  # there are no web sockets
            return
        refused = self._refuse(scope)
        app: Any = self.app if refused is None else refused
        if refused is None and scope["path"] == ENTER:
            app = self._enter(scope)
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        try:
            await app(scope, receive, send_with_headers)
        except ClientDisconnect:
            return  # the browser ended an upload
        except Exception:
            if not begun:
                await _say(500, BUG)(scope, receive, send_with_headers)
            raise  # the server prints it

    def _refuse(self, scope: Scope) -> Response | None:
        """Return the answer to a request that must not pass; None if it may."""
        headers, method = Headers(scope=scope), scope["method"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self.access.hosts:
            return _say(421, f"This server answers only requests for http://{self.access.hosts[0]}.")
        origins = headers.getlist("origin")
        if any(origin != f"http://{hosts[0]}" for origin in origins) or (method not in SAFE and not origins):
            return _say(403, "This request came from another site. Use the pages of shoal.")
        if scope["path"] == ENTER:
            return None if method == "GET" else _say(405, "Open this address in a browser.")
        if headers.get("sec-fetch-site", "none") not in NAVIGATED:
            return _say(403, "This request came from another site. Open shoal's own address.")
        if not any(map(self.access.knows_cookie, _list_cookies(headers, self.access.cookie))):
            return _say(403, "This session has ended, or was opened in another browser. Start `shoal serve` again.")
        return None

    def _enter(self, scope: Scope) -> Response:
        cookie = self.access.exchange_token(QueryParams(scope["query_string"]).get("token", ""))
        if cookie is None:
            return _say(
                403, "This link was used before, or is wrong. Each link works once. Start `shoal serve` again for one."
            )
        answer = Response(ENTERED, media_type="text/html")
        answer.set_cookie(self.access.cookie, cookie, path="/", httponly=True, samesite="strict")
        return answer


def _list_cookies(headers: Headers, name: str) -> list[str]:
    """Return the values of a cookie; other servers on this machine may set cookies of any form, and of this name."""
    pairs = (pair.partition("=") for line in headers.getlist("cookie") for pair in line.split(";"))
    return [value.strip() for own, _, value in pairs if own.strip() == name]


def _say(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status)
