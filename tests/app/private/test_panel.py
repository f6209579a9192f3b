"""Every change is written, which Panel alone does not; a message waits until its page is loaded."""

from __future__ import annotations

import asyncio
from functools import partial
from types import SimpleNamespace
from typing import Any

import panel as pn
import panel.io.document
import param
import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc
from panel.models.esm import DataEvent

from tests.app.waiting import run
from ucbpe_app.private.panel import Component, write_every_change


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


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Panel as it is, to which messages of these connections are written."""
    monkeypatch.setattr(panel.io.document, "_dispatch_msgs", panel.io.document._dispatch_msgs)
    monkeypatch.setitem(panel.io.document.extra_socket_handlers, Socket, write)


@pytest.mark.usefixtures("panels")
def test_changes_that_come_as_one_has_been_written() -> None:
    write_every_change()
    assert run(written_in_the_end()) == [["busy"], ["result"], ["no longer busy"]]


@pytest.mark.usefixtures("panels")
def test_panel_needs_it() -> None:
    """When this fails, Panel writes every change itself: `write_every_change` can go."""
    assert run(written_in_the_end()) == [["busy"]]


class Lamp(Component):
    """A value that a message sets."""

    level = param.Integer(0)
    _esm = "export function render() {}"

    def receive(self, data: Any) -> None:
        self.level = data


def levels(lamp: Any) -> list[int]:
    """What the browser has after a message before its page is loaded, then, and after another."""
    document = Document()
    with set_curdoc(document):
        lamp.server_doc(document)
    ((model, _),) = lamp._models.values()
    document._session_context = object  # type: ignore[assignment, method-assign]
    found = list[int]()
    for act in (
        lambda: lamp._process_bokeh_event(document, DataEvent(model, 5)),
        lambda: pn.state._on_load(document),
        lambda: lamp._process_bokeh_event(document, DataEvent(model, 6)),
    ):
        act()
        found.append(model.data.level)
    return found


def test_a_message_before_the_page_is_loaded_waits() -> None:
    assert levels(Lamp()) == [0, 5, 6]
