"""Undocumented features of Bokeh, Panel 1.9 and Tornado 6 about the messages of a browser."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import panel.io.document
from bokeh.document.callbacks import DocumentCallbackManager
from bokeh.events import ModelEvent
from bokeh.server.views.ws import WSHandler
from tornado.concurrent import chain_future
from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError, WebSocketProtocol13

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator, Sequence

    from bokeh.document import Document
    from bokeh.events import Event
    from bokeh.protocol.message import Message
    from bokeh.server.connection import ServerConnection
    from tornado.iostream import IOStream
    from tornado.websocket import WebSocketHandler

_write_list = panel.io.document._dispatch_msgs
_tell_all = DocumentCallbackManager.trigger_event
_TEXT, _BINARY = 0x1, 0x2  # opcodes of frames, RFC 6455
_PATCH = "PATCH-DOC"


def tell_only_its_model() -> None:
    """Have this process tell an event of a model to that model alone.

    Bokeh tells all models that follow events of that name, of which each then finds that it is not
    meant: some sixty for each step of a page, which is a sixth of a step's processor time.
    """
    setattr(DocumentCallbackManager, _tell_all.__name__, _tell_its_model)  # a method of theirs


def _tell_its_model(callbacks: DocumentCallbackManager, event: Event) -> None:
    if isinstance(event, ModelEvent) and event.model is not None:
        event.model._trigger_event(event)
    else:
        _tell_all(callbacks, event)


def write_every_change() -> None:
    """Have this process write every list of messages; to be called before it serves.

    While a message is being written, Panel puts later ones on a list and starts a task that writes
    the list. The task of the message before takes the mark away by which that one knows that there
    is a list. If it does so between its start and its first turn, the list stays unwritten: the
    page waits for a result that is there, until something else changes. It takes two busy cores, a
    click and a computation that ends just as the answer to the click has been written.
    """
    panel.io.document._dispatch_msgs = _write_marked


async def _write_marked(document: Document) -> None:
    """Write what is on the list of a document, whether or not its mark is still there."""
    if document in panel.io.document._WRITE_MSGS:
        panel.io.document._WRITE_BLOCK[document] = True
    await _write_list(document)


def write_in_one_piece() -> None:
    """Have a server, not yet started, write the frames of a message together.

    Each array of a message has two frames: a step in two inputs has up to eighty. Panel makes a
    system call and a task for each, which is a sixth of a step's processor time.
    """
    panel.io.document.dispatch_tornado = _dispatch


def _dispatch(
    conn: ServerConnection,
    events: list[Any] | None = None,
    msg: Message[Any] | None = None,
) -> Sequence[asyncio.Future[None]]:
    """As Panel's own, with one future for all frames."""
    if not (msg or events) or not is_open(conn._socket):
        return []
    return [asyncio.ensure_future(write(conn._socket, msg or conn.protocol.create(_PATCH, events)))]


def is_open(socket: WebSocketHandler) -> bool:
    """Whether a message can be written."""
    return socket.ws_connection is not None and not socket.ws_connection.is_closing()


def write(socket: WebSocketHandler, message: Message[Any]) -> Awaitable[None]:
    """Write a message of Bokeh's; what is returned ends when the browser's side has taken it.

    Awaiting it raises WebSocketClosedError if the browser has left.
    """
    connection = socket.ws_connection
    assert isinstance(connection, WebSocketProtocol13)
    with _gathered(connection.stream) as written:
        for text in (message.header_json, message.metadata_json, message.content_json):
            _frame(connection, _TEXT, text.encode())
        for buffer in message._buffers:
            _frame(connection, _TEXT, json.dumps(buffer.ref).encode())
            _frame(connection, _BINARY, buffer.to_bytes())
    return _closed_or(written)


def _frame(connection: WebSocketProtocol13, opcode: int, data: bytes) -> None:
    flags = 0
    if connection._compressor is not None:
        data, flags = connection._compressor.compress(data), connection.RSV1
    connection._write_frame(True, opcode, data, flags=flags)


async def _closed_or(written: asyncio.Future[None]) -> None:
    try:
        await written
    except StreamClosedError:
        raise WebSocketClosedError from None


class MessageHandler(WSHandler):
    """A websocket whose `answer` to a message can be overridden."""

    async def _handle(self, message: Message[Any]) -> Any | None:
        return await self.answer(message)

    async def answer(self, message: Message[Any]) -> Any | None:
        """Bokeh's own answer."""
        return await super()._handle(message)

    async def send_message(self, message: Message[Any]) -> None:
        """As Bokeh's own, but that all frames of a message are written together."""
        with suppress(WebSocketClosedError):  # the handler is told of that as well
            if is_open(self):
                await write(self, message)


@contextmanager
def _gathered(stream: IOStream) -> Iterator[asyncio.Future[None]]:
    """Write in the end, at once, what is written inside; the future is that of all of it."""
    pieces = list[bytes]()
    written: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def gather(data: bytes) -> asyncio.Future[None]:
        pieces.append(data)
        return written

    vars(stream)["write"] = gather  # in front of the method
    try:
        yield written
    finally:
        del vars(stream)["write"]
    try:
        chain_future(stream.write(b"".join(pieces)), written)
    except StreamClosedError as error:
        written.set_exception(error)
