"""Pages are made beside the event loop, one after the other; who waits for one is told."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections import Counter
from collections.abc import Iterator
from pkgutil import resolve_name

import panel as pn
import pytest
from bokeh.protocol import Protocol
from panel.viewable import Viewable
from tornado.httpclient import AsyncHTTPClient, HTTPRequest, HTTPResponse
from tornado.websocket import websocket_connect

from benchmarks._visitors import Stepper, Visitor
from tests.app.serve.inside import SECONDS, Inside, inside
from tests.app.serve.serving import shut
from tests.app.waiting import run
from ucbpe_app.main import laboratory
from ucbpe_app.serve import building
from ucbpe_app.serve.building import AGAIN, AT_ONCE, MOST, Pages
from ucbpe_app.serve.content import OneWay
from ucbpe_app.serve.logs import LogLimits

ASKED = 10


class Workshop:
    """Makes pages when a test lets it: of `?slow` ones none before `go` is set."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.making = self.most = self.made = 0
        self._lock = threading.Lock()

    def page(self) -> Viewable:
        if "broken" in pn.state.session_args:
            raise ValueError("of the test <b>")
        if "slow" not in pn.state.session_args:
            return laboratory()
        with self._lock:
            self.making += 1
            self.most = max(self.most, self.making)
        assert self.go.wait(SECONDS)
        with self._lock:
            self.making -= 1
            self.made += 1
        return pn.pane.Str("made")


@pytest.fixture
def workshop() -> Workshop:
    return Workshop()


@pytest.fixture
def lab(workshop: Workshop) -> Iterator[Inside]:
    with inside(workshop.page) as lab:
        yield lab
        workshop.go.set()


async def opened(url: str, cookie: str = "") -> HTTPResponse:
    """The answer to a browser that asks for a page, perhaps again."""
    return await AsyncHTTPClient(force_instance=True).fetch(
        url, request_timeout=SECONDS, raise_error=False, headers={"Cookie": cookie}
    )


def test_others_step_while_pages_are_made(lab: Inside, workshop: Workshop) -> None:
    run(stepping_beside(lab, workshop))


async def stepping_beside(lab: Inside, workshop: Workshop) -> None:
    stepper = await Stepper.arrive(f"{lab.url}/")
    asked = [asyncio.create_task(opened(f"{lab.url}/?slow=1")) for _ in range(ASKED)]
    while sum(one.done() for one in asked) < ASKED - MOST:  # those who are told to wait
        await asyncio.sleep(0.01)
    for _ in range(5):
        await stepper.step()
    assert (workshop.made, workshop.making) == (0, AT_ONCE)
    assert sum(one.done() for one in asked) == ASKED - MOST
    workshop.go.set()
    answers = [await one for one in asked]
    assert Counter(answer.code for answer in answers) == {200: MOST, 503: ASKED - MOST}
    waiting = [answer for answer in answers if answer.code == 503]
    assert sorted(map(place_in, waiting)) == list(range(1, len(waiting) + 1))
    again = [await opened(f"{lab.url}/?slow=1", cookie_of(answer)) for answer in waiting]
    assert {answer.code for answer in again} == {200}
    assert (workshop.made, workshop.most) == (ASKED, AT_ONCE)
    shut(stepper.socket)


def cookie_of(answer: HTTPResponse) -> str:
    return answer.headers["Set-Cookie"].split(";")[0]


def place_in(answer: HTTPResponse) -> int:
    """What a page says to who waits; it asks again by itself."""
    text = answer.body.decode()
    assert answer.headers["Retry-After"] == str(AGAIN)
    assert f'<meta http-equiv="refresh" content="{AGAIN}">' in text
    found = re.search(r"Yours opens by itself: its place in the\s+queue is (\d+)", text)
    assert found
    return int(found[1])


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, for a test to change."""
    now = [0.0]
    monkeypatch.setattr(building, "monotonic", lambda: now[0])
    return now


class Busy(Pages):
    """As many pages are being made as there may be."""

    def __init__(self) -> None:
        super().__init__(laboratory)
        self.making = MOST


def test_who_asked_first_comes_first(now: list[float]) -> None:
    pages = Busy()
    assert [pages.place(name) for name in "abc"] == [1, 2, 3]
    assert pages.place("a") == 1
    pages.making = MOST - 1  # one of them may come
    assert [pages.place(name) for name in "cba"] == [3, 2, 0]
    pages.making = MOST
    assert [pages.place(name) for name in "cb"] == [2, 1]
    now[0] += 3 * AGAIN  # b and c have not asked again
    assert pages.place("d") == 1


def test_whoever_asks_is_let_in_when_no_page_is_made(now: list[float]) -> None:
    """A browser that keeps no cookie has a new name each time."""
    pages = Busy()
    assert [pages.place(str(name)) for name in range(50)][-1] == 50
    pages.making = 0
    assert pages.place("another") == 0


def test_a_page_that_fails_says_so_and_no_more(
    lab: Inside, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.handler.addFilter(LogLimits())
    for _ in range(3):
        answer = run(opened(f"{lab.url}/?broken=1"))
        text = answer.body.decode()
        assert answer.code == 500
        for secret in ("Traceback", ".py", "of the test"):
            assert secret not in text
        visitor = run(shown(f"{lab.url}/?broken=1"))
        assert "could not be made" in visitor
        assert "Traceback" not in visitor
        assert ".py" not in visitor
    assert "Traceback" not in "".join(capfd.readouterr())
    errors = [one.exc_text for one in caplog.records if "could not be made" in one.msg]
    assert len(errors) >= 6  # a session that ended before its browser came is made again
    assert all("  ValueError: of the test <b>" in error for error in errors if error)


async def shown(url: str) -> str:
    """The document of a page, as its browser gets it."""
    html = await opened(url)
    found = re.search(r'"token":\s*"([^"]+)"', html.body.decode())
    assert found
    request = HTTPRequest(f"{url.partition('?')[0].replace('http', 'ws')}ws")
    socket = await websocket_connect(request, subprotocols=["bokeh", found[1]])
    visitor = Visitor(socket)
    await visitor.receive("ACK")
    await visitor.write("PULL-DOC-REQ", {})
    text = await visitor.receive("PULL-DOC-REPLY")
    shut(socket)
    return text


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("", "widgets.session.decode"),
        ("page=theory&", "widgets.session.decode"),
        ("page=race&", "race.state.decode_race"),
    ],
)
def test_to_leave_while_a_run_is_computed_is_no_error(
    lab: Inside,
    query: str,
    read: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, left, done = (threading.Event() for _ in range(3))
    real = resolve_name(f"ucbpe_app.{read}")

    def slowly(link: str) -> object:
        begun.set()
        assert left.wait(SECONDS)
        done.set()
        return real(link)

    monkeypatch.setattr(f"ucbpe_app.{read}", slowly)
    run(leaving(f"{lab.url}/?{query}K=3&T=4", begun))
    lab.wait_until_left()
    left.set()
    assert done.wait(SECONDS)
    lab.settle()
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.ERROR] == []


async def leaving(url: str, begun: threading.Event) -> None:
    visitor = await Visitor.arrive(url)
    while not begun.is_set():
        await asyncio.sleep(0.01)
    shut(visitor.socket)


def test_a_message_after_the_end_of_its_session_is_no_error() -> None:
    class Connection:
        @property
        def session(self) -> object:
            raise AssertionError

    message = Protocol().create("PULL-DOC-REQ")
    assert run(OneWay().handle(message, Connection())) is None  # type: ignore[arg-type]
