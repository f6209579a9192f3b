"""Signing in elsewhere: a whole OAuth exchange, with a provider of the test's own."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import pytest
from cryptography.fernet import Fernet

from tests.app.serve.serving import Lab, free_port, serving

CODE, TOKEN, SECRET = "code-of-ada", "token-of-ada", "only-the-server-and-the-provider-know"

pytestmark = pytest.mark.slow


class Provider(BaseHTTPRequestHandler):
    """Lets Ada in: a token for her code, to who knows the secret, and her name for the token."""

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        known = form.get("code") == [CODE] and form.get("client_secret") == [SECRET]
        self._answer(200 if known else 400, {"access_token": TOKEN} if known else {})

    def do_GET(self) -> None:
        known = self.headers["Authorization"] == f"Bearer {TOKEN}"
        self._answer(200 if known else 401, {"email": "ada@example.org"} if known else {})

    def _answer(self, status: int, content: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(content).encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as provider:
        threading.Thread(target=provider.serve_forever, daemon=True).start()
        url, port = f"http://127.0.0.1:{provider.server_port}", free_port()
        environment = {
            "PANEL_OAUTH_KEY": "the-laboratory",
            "PANEL_OAUTH_SECRET": SECRET,
            "PANEL_OAUTH_REDIRECT_URI": f"http://127.0.0.1:{port}/login",
            "PANEL_OAUTH_ENCRYPTION": Fernet.generate_key().decode(),
            "PANEL_OAUTH_AUTHORIZE_URL": f"{url}/authorize",
            "PANEL_OAUTH_TOKEN_URL": f"{url}/token",
            "PANEL_OAUTH_USER_URL": f"{url}/user",
        }
        with serving("--oauth-provider", "generic", port=port, **environment) as one:
            yield one
        provider.shutdown()


def asked(lab: Lab) -> tuple[str, str]:
    """The state that the provider is sent, and the cookies of who asked."""
    status, headers, page = lab.ask("/")
    assert (status, "token" in page) == (302, False)
    status, headers, _ = lab.ask(urljoin("/", headers["Location"]))
    assert status == 302
    sent = parse_qs(urlsplit(headers["Location"]).query)
    assert sent["client_id"] == ["the-laboratory"]
    assert SECRET not in headers["Location"]
    return sent["state"][0], kept(headers.get_all("Set-Cookie") or [])


def kept(cookies: list[str]) -> str:
    return "; ".join(cookie.split(";")[0] for cookie in cookies)


def back(lab: Lab, state: str, code: str, cookies: str) -> tuple[int, str]:
    """The status of coming back from the provider, and the cookies then."""
    query = urlencode({"code": code, "state": state})
    status, headers, _ = lab.ask(f"/login?{query}", Cookie=cookies)
    return status, kept(headers.get_all("Set-Cookie") or [])


def test_who_has_signed_in_there_is_let_in(lab: Lab) -> None:
    state, cookies = asked(lab)
    status, given = back(lab, state, CODE, cookies)
    assert status == 302
    assert TOKEN not in given  # it is encrypted
    status, _, page = lab.ask("/", Cookie=given)
    assert (status, '"token"' in page) == (200, True)
