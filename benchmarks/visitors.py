"""Visitors without a browser: each opens a session over its websocket and presses Next.

What a visitor waits for is the server's whole answer to a step, every array of it received. The
browser's own painting is not in it: it happens on the visitor's machine.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from typing import Any

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

_PATIENCE = 60  # s
_LARGEST = 1 << 28  # bytes of a message


class Visitor:
    """One session on its Step page, or on any page with a timeline."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self._socket = socket
        self._timeline = ""
        self._requests, self.index, self.total = 0, 0, 1

    @classmethod
    async def arrive(cls, address: str) -> Visitor:
        """Open a page, as a browser does: its HTML, its websocket, its document."""
        html = (await AsyncHTTPClient().fetch(address, request_timeout=_PATIENCE)).body.decode()
        token = re.search(r'"token":\s*"([^"]+)"', html)
        assert token is not None, "expected a page of a Bokeh server, got one without a token"
        where = re.sub(r"^http", "ws", address.partition("?")[0].rstrip("/")) + "/ws"
        socket = await websocket_connect(
            where, subprotocols=["bokeh", token[1]], max_message_size=_LARGEST
        )
        socket.protocol.stream.set_nodelay(True)  # as every browser does
        visitor = cls(socket)
        await visitor._receive("ACK")  # the session is there
        await visitor._pull()
        await visitor._send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": _READY})
        return visitor

    async def step(self) -> float:
        """Press Next (at the end: First) and return the seconds until all of the answer is here."""
        self.index = (self.index + 1) % self.total
        self._requests += 1
        asked = _map({"index": self.index, "request": self._requests})
        values = _map({"model": {"id": self._timeline}, "data": asked})
        event = {"type": "event", "name": "data_event", "values": values}
        start = time.perf_counter()
        await self._send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})
        wanted = re.compile(rf'"_answered"[^0-9]{{0,24}}{self._requests}\b')
        while not wanted.search(await self._receive("PATCH-DOC")):
            pass
        return time.perf_counter() - start

    def leave(self) -> None:
        """Close the session."""
        self._socket.close()

    async def _pull(self) -> None:
        await self._write("PULL-DOC-REQ", {})
        document = json.loads(await self._receive("PULL-DOC-REPLY"))
        for model in _models(document):
            attributes = model.get("attributes", {})
            if attributes.get("class_name") == "Timeline":
                self._timeline = model["id"]
                self.total = attributes["data"]["attributes"]["total"]
                self._requests = attributes["data"]["attributes"].get("_answered", 0)
        assert self._timeline, "expected a page with a timeline"

    async def _send(self, *events: dict[str, Any]) -> None:
        await self._write("PATCH-DOC", {"events": list(events)})

    async def _write(self, kind: str, content: dict[str, Any]) -> None:
        header = {"msgid": f"visitor-{time.perf_counter_ns()}", "msgtype": kind}
        for part in (header, {}, content):
            await self._socket.write_message(json.dumps(part))

    async def _receive(self, kind: str) -> str:
        """Content of the next message of a kind, when it has arrived with all its buffers."""
        while True:
            header = json.loads(await self._fragment())
            await self._fragment()  # metadata
            content = await self._fragment()
            for _ in range(2 * header.get("num_buffers", 0)):
                await self._fragment()
            if header["msgtype"] == kind:
                return content if isinstance(content, str) else content.decode()

    async def _fragment(self) -> str | bytes:
        fragment = await asyncio.wait_for(self._socket.read_message(), _PATIENCE)
        assert fragment is not None, "expected an answer, got the end of the connection"
        return fragment


def _map(entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": "map", "entries": list(entries.items())}


_READY = {"type": "event", "name": "document_ready", "values": _map({})}


def _models(tree: Any) -> list[dict[str, Any]]:
    """Every object of a document's JSON that has an id and attributes."""
    if isinstance(tree, list):
        return [model for one in tree for model in _models(one)]
    if not isinstance(tree, dict):
        return []
    own = [tree] if "id" in tree and "attributes" in tree else []
    return own + [model for one in tree.values() for model in _models(one)]
