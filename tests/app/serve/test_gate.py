"""What the server answers to strangers, asked in its own process."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from bokeh.util.token import generate_jwt_token, get_token_payload
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from benchmarks._visitors import Visitor
from tests.app.serve.serving import SECONDS, Lab, serving, shut
from tests.app.waiting import run
from ucbpe_app.serve.content import is_value
from ucbpe_app.serve.gate import TOKEN_SECONDS, name_of

NAMED = "lab.example.org"
COMMANDS = {
    "ucbpe app": ("ucbpe_app.cli", "app", "--allow-websocket-origin", NAMED),
    "ucbpe app, two processes": (
        "ucbpe_app.cli", "app", "--allow-websocket-origin", NAMED, "--num-procs", "2",
    ),
    "panel serve app": ("panel", "serve", "app", "--allow-websocket-origin", NAMED),
}  # fmt: skip

SIGNED = {"BOKEH_SIGN_SESSIONS": "yes", "BOKEH_SECRET_KEY": "a key of these tests"}


class Served(Lab):
    """One of the three."""

    def __init__(self, lab: Lab, path: str) -> None:
        super().__init__(lab.port, lab.process)
        self.path = path

    @property
    def websocket(self) -> str:
        return f"{self.path.rstrip('/')}/ws"


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(command, id=name, marks=[pytest.mark.slow] if i else [])
        for i, (name, command) in enumerate(COMMANDS.items())
    ],
)
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    panel = "serve" in request.param
    command = (sys.executable, "-m", *request.param)
    with serving(command=command, **(SIGNED if panel else {})) as lab:
        yield Served(lab, "/app" if panel else "/")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "/components/unittest.__main__/x/y/z",
        "/components/this/x/_css/z",
        "/components/panel.config/panel_extension/_css/x",
        "/autoload.js?bokeh-autoload-element=x",
        "/metadata",
        "/rest/session_info",
        "/admin",
        "/liveness",
    ],
)
def test_routes_that_no_page_uses_are_not_served(served: Served, path: str) -> None:
    for _ in range(3):
        assert served.ask(path)[0] == 404
        under = f"{served.path.rstrip('/')}{path}"
        assert served.ask(under)[0] == 404
    assert served.process.poll() is None
    assert served.ask("/static/js/bokeh.min.js")[0] == 200


def test_an_unknown_address_has_a_page_that_leads_home(served: Served) -> None:
    status, headers, text = served.ask("/lab/nowhere?x=<b>")
    assert status == 404
    assert headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in str(headers["Content-Security-Policy"])
    assert '<a href="/">Open the laboratory</a>' in text
    assert "nowhere" not in text
    assert served.ask("/")[0] in (200, 302)


def test_a_session_from_outside_is_not_taken(served: Served) -> None:
    token = token_of(served)
    for query in ("bokeh-session-id=X", f"bokeh-token={token}", f"K=3&bokeh-token={token}"):
        status, _, text = served.ask(f"{served.path}?{query}")
        assert (status, "token" in text) == (403, False)
    status, _, text = served.ask(served.path, Bokeh_Session_Id="X")
    assert (status, "token" in text) == (403, False)


@pytest.mark.parametrize("path", ["/", "/static/js/bokeh.min.js", "/favicon.ico", "/nowhere"])
def test_another_name_is_refused_everywhere(served: Served, path: str) -> None:
    addresses = ("[::1]", f"[::1]:{served.port}", "[fe80::1%25evil.example]", "[::ffff:127.0.0.1]")
    names = ("evil.example", f"evil.example:{served.port}", "lab.example.org.evil.example")
    for host in (*names, *addresses):
        status, _, text = served.ask(path, host=host)
        assert status == 403
        assert "got '" in text
        assert "--allow-websocket-origin" in text


def test_own_names_and_numeric_addresses_are_welcome(served: Served) -> None:
    for name in ("localhost", "127.0.0.1", "192.168.1.7", "LOCALHOST", NAMED):
        for host in (name, f"{name}:{served.port}"):
            assert served.ask("/favicon.ico", host=host)[0] == 200


def test_a_page_elsewhere_gets_no_websocket(served: Served) -> None:
    """Of a name that resolves here (its Origin is its Host), or of another origin."""
    token = token_of(served)
    port = served.port
    for host, origin in [
        (f"evil.example:{port}", f"http://evil.example:{port}"),
        (f"127.0.0.1:{port}", "http://evil.example"),
        (f"127.0.0.1:{port}", "http://localhost:1"),
    ]:
        with pytest.raises(HTTPClientError, match="403"):
            run(opened(served, token, Host=host, Origin=origin))
    for host, origin in [
        (f"127.0.0.1:{port}", f"http://127.0.0.1:{port}"),
        (f"{NAMED}:{port}", f"http://{NAMED}:{port}"),
        (f"127.0.0.1:{port}", f"https://{NAMED}"),  # behind a proxy
    ]:
        assert run(opened(served, token, Host=host, Origin=origin))


def test_a_token_that_was_not_made_here_opens_nothing(served: Served) -> None:
    session = "X"
    for forged in (
        generate_jwt_token(session, signed=False),
        generate_jwt_token(session, secret_key=b"guess", signed=True),
        token_of(served).rpartition(".")[0],
        token_of(served)[:-1],
    ):
        assert not run(opened(served, forged))


def test_a_token_says_nothing_secret_and_is_good_for_minutes(served: Served) -> None:
    """It stands in the page, and in a header of its websocket that proxies may log."""
    *_, html = served.ask(
        f"{served.path}?K=3",
        Cookie="course_session=secret; ucbpe-theme=dark; user=secret",
        Authorization="Bearer secret",
        X_Secret="secret",
    )
    payload = get_token_payload(html.split('"token":')[1].split('"')[1])
    assert "secret" not in str(payload)
    assert payload["cookies"] == {"ucbpe-theme": "dark"}
    assert payload["headers"] == {}
    assert payload["arguments"] == {"K": [b"3"]}
    assert 0 < payload["session_expiry"] - time.time() <= TOKEN_SECONDS


def test_a_browser_sets_no_markup(served: Served) -> None:
    """Not even in its own page: nobody else could be shown it, whoever got the same session."""
    if "--num-procs" in str(served.process.args):
        pytest.skip("both connections must reach one process")
    run(no_markup(served))


async def no_markup(served: Served) -> None:
    visitor = await Visitor.arrive(f"http://127.0.0.1:{served.port}{served.path}")
    attack = "<img src=x onerror=alert(1)>"
    markup = [m for m in visitor.models if m["attributes"].get("class_name") == "Markup"]
    assert markup
    data = [m["attributes"]["data"] for m in markup]
    assert all("_html" in m["attributes"] for m in data)
    changes = [change(m, "_html", attack) for m in data]
    div = {"type": "object", "name": "Div", "id": "evil", "attributes": {"text": attack}}
    changes += [
        change(markup[0], "stylesheets", [attack]),
        change(markup[0], "tags", [div]),
        {"kind": "RootAdded", "model": div},
        {"kind": "TitleChanged", "title": attack},
    ]
    await visitor.send(*changes)
    await visitor.receive("OK")
    for one in changes:
        await visitor.send(one)
        await visitor.receive("OK")
    await visitor.write("PUSH-DOC", {"doc": {"version": "3.9", "title": attack, "roots": []}})
    await visitor.receive("ERROR")
    await visitor.write("PULL-DOC-REQ", {})
    assert attack not in await visitor.receive("PULL-DOC-REPLY")
    shut(visitor.socket)


def change(model: dict[str, Any], name: str, value: object) -> dict[str, Any]:
    where = {"id": model["id"]}
    return {"kind": "ModelChanged", "model": where, "attr": name, "new": value}


def test_values_and_events_are_taken() -> None:
    number = change({"id": "1"}, "value", {"type": "map", "entries": [["a", [1.5, {"id": "2"}]]]})
    assert is_value(number)
    assert is_value({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": {}})
    assert not is_value(change({"id": "1"}, "value", [{"a": {"type": "object", "name": "Div"}}]))
    assert not is_value({"kind": "RootRemoved", "model": {"id": "1"}})


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("Lab.Example.org:5006", "lab.example.org"),
        ("[::1]:5006", ""),
        ("::1", ""),
        ("127.0.0.1:5006:1", ""),
        ("localhost.", "localhost"),
        ("", ""),
        ("[", ""),
        ("user@localhost", ""),
        ("*.example.org:*", "*.example.org"),
    ],
)
def test_the_name_in_a_host(host: str, name: str) -> None:
    assert name_of(host) == name


def token_of(served: Served) -> str:
    *_, html = served.ask(served.path)
    token: str = html.split('"token":')[1].split('"')[1]
    json.loads(base64.urlsafe_b64decode(token.partition(".")[0] + "=="))
    return token


async def opened(served: Served, token: str, **headers: str) -> bool:
    """Whether a session answers at the websocket."""
    url = f"ws://127.0.0.1:{served.port}{served.websocket}"
    request = HTTPRequest(url, headers=headers, request_timeout=SECONDS)
    connection = await websocket_connect(request, subprotocols=["bokeh", token])
    try:
        message = await asyncio.wait_for(connection.read_message(), SECONDS)
        return message is not None and "ACK" in str(message)
    finally:
        shut(connection)
