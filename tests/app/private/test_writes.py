"""An event reaches its model; every change is written, and each message in one piece."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import panel.io.document
import pytest
from bokeh.document import Document
from bokeh.document.callbacks import DocumentCallbackManager
from bokeh.events import ButtonClick, DocumentReady, ModelEvent
from bokeh.model import Model
from bokeh.models import Button, ColumnDataSource
from bokeh.protocol import Protocol
from bokeh.server.views.ws import WSHandler
from tornado.iostream import StreamClosedError
from tornado.websocket import (
    WebSocketClosedError,
    WebSocketHandler,
    WebSocketProtocol13,
    _WebSocketParams,
)

from tests.app.waiting import run
from ucbpe_app.private.writes import (
    MessageHandler,
    tell_only_its_model,
    write_every_change,
    write_in_one_piece,
)

PANELS = panel.io.document.dispatch_tornado


class Socket:
    """Where messages are written; each write is done when its future is."""

    def __init__(self) -> None:
        self.written: list[list[str] | None] = []
        self.futures: list[asyncio.Future[None]] = []


class Connection:
    """One whose messages are lists of words."""

    def __init__(self) -> None:
        self._socket = self.socket = Socket()
        self.protocol = SimpleNamespace(create=lambda _, events: list(events))


def write(
    connection: Connection, _: object = None, msg: list[str] | None = None
) -> list[asyncio.Future[None]]:
    connection.socket.written.append(msg)
    connection.socket.futures.append(asyncio.get_running_loop().create_future())
    return connection.socket.futures[-1:]


async def written_in_the_end() -> list[list[str] | None]:
    """What is written of changes that come just as the one before has been written."""
    document, connection = Document(), Connection()
    send = partial(panel.io.document.schedule_write_events, document, [connection])
    send(["busy"])
    while not connection.socket.futures:
        await asyncio.sleep(0)
    connection.socket.futures[0].set_result(None)
    send(["result"])
    send(["no longer busy"])
    for _ in range(10):
        await asyncio.sleep(0)
    return connection.socket.written


def test_changes_that_come_as_one_has_been_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel.io.document, "_dispatch_msgs", panel.io.document._dispatch_msgs)
    monkeypatch.setitem(panel.io.document.extra_socket_handlers, Socket, write)
    write_every_change()
    assert run(written_in_the_end()) == [["busy"], ["result"], ["no longer busy"]]


class Stream:
    """What a socket's frames are written to; once closed, nothing can be."""

    def __init__(self, *, closed: bool = False) -> None:
        self.pieces: list[bytes] = []
        self.is_closed = closed

    def closed(self) -> bool:
        return False  # not noticed yet

    def write(self, data: bytes) -> asyncio.Future[None]:
        if self.is_closed:
            raise StreamClosedError
        self.pieces.append(data)
        written = asyncio.get_running_loop().create_future()
        written.set_result(None)
        return written


class Browser(WSHandler):
    """A websocket without a server."""

    def __init__(self, stream: Stream, compression: dict[str, Any] | None) -> None:
        parameters = _WebSocketParams(compression_options=compression)
        self.ws_connection = WebSocketProtocol13(self, False, parameters)
        self.ws_connection.stream = stream
        if compression is not None:
            self.ws_connection._create_compressors("server", {}, compression)

    write_message = WebSocketHandler.write_message


async def frames(
    *dispatches: Callable[..., Any], compression: dict[str, Any] | None = None
) -> list[list[bytes]]:
    """What each writes of a change of arrays, short and long."""
    document = Document()
    sources = [ColumnDataSource({"x": np.arange(length)}) for length in (3.0, 70_000.0)]
    for source in sources:
        document.add_root(source)
    document.models.flush_synced()
    events: list[Any] = []
    document.on_change(events.append)
    for source in sources:
        source.data = {"x": source.data["x"] + 1}
    message = Protocol().create("PATCH-DOC", events)
    pieces = []
    for dispatch in dispatches:
        browser = Browser(stream := Stream(), compression)
        for written in dispatch(SimpleNamespace(_socket=browser), msg=message):
            await written
        pieces.append(stream.pieces)
    return pieces


@pytest.fixture
def ours(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr(panel.io.document, "dispatch_tornado", PANELS)
    write_in_one_piece()
    return panel.io.document.dispatch_tornado


def test_a_message_is_written_in_one_piece_of_the_same_bytes(ours: Callable[..., Any]) -> None:
    apart, together = run(frames(PANELS, ours))
    assert len(apart) == 3 + 2 * 2
    assert together == [b"".join(apart)]


def test_frames_that_are_compressed_are_the_same(ours: Callable[..., Any]) -> None:
    apart, together = run(frames(PANELS, ours, compression={}))
    assert together == [b"".join(apart)]


async def closed() -> None:
    browser = Browser(Stream(closed=True), None)
    message = Protocol().create("OK", "1")
    connection = SimpleNamespace(_socket=browser, protocol=Protocol())
    (written,) = panel.io.document.dispatch_tornado(connection, msg=message)
    with pytest.raises(WebSocketClosedError):
        await written
    await MessageHandler.send_message(browser, message)
    browser.ws_connection = None
    await MessageHandler.send_message(browser, message)
    assert panel.io.document.dispatch_tornado(connection, msg=message) == []


@pytest.mark.usefixtures("ours")
def test_a_browser_that_has_left() -> None:
    run(closed())


def test_an_event_is_told_to_its_model_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tell = DocumentCallbackManager.trigger_event
    monkeypatch.setattr(DocumentCallbackManager, "trigger_event", tell)
    document, one, other, seen = Document(), Button(), Button(), list[str]()
    one.on_event(ButtonClick, lambda event: seen.append(f"one {event.model is one}"))
    other.on_event(ButtonClick, lambda: seen.append("other"))
    document.add_root(one)
    document.add_root(other)
    document.on_event(DocumentReady, lambda _: seen.append("ready"))
    told, trigger = list[Model](), Button._trigger_event

    def note(button: Button, event: ModelEvent) -> None:
        told.append(button)
        trigger(button, event)

    monkeypatch.setattr(Button, "_trigger_event", note)
    for alone in (False, True):
        if alone:
            tell_only_its_model()
        seen.clear()
        told.clear()
        for event in (ButtonClick(one), DocumentReady()):
            document.callbacks.trigger_event(event)
        assert seen == ["one True", "ready"]
        assert set(told) == ({one} if alone else {one, other})
