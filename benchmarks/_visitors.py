"""Visitors without a browser: each opens a session over its websocket and presses Next.

What a visitor waits for is the server's whole answer to a step, every array of it received. The
browser's own painting is not in it: it happens on the visitor's machine.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from http import HTTPStatus
from typing import Any, Self

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect

_PATIENCE = 300  # s
_LARGEST = 1 << 28  # bytes of a message
_TOTAL = re.compile(r'"attr":"total","new":(\d+)')  # events of a run
_ENDED = re.compile(r">(Cancelled|Done|Ended early)\.<")  # what the status says


class Visitor:
    """One session on any page; `models` are those of its document when it came."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self.socket = socket
        self.models: list[dict[str, Any]] = []

    @classmethod
    async def arrive(cls, address: str) -> Self:
        """Open a page, as a browser does: its HTML, its websocket, its document."""
        html = await page_of(address)
        token = re.search(r'"token":\s*"([^"]+)"', html)
        assert token is not None, "expected a page of a Bokeh server, got one without a token"
        where = re.sub(r"^http", "ws", address.partition("?")[0].rstrip("/")) + "/ws"
        request = HTTPRequest(where, connect_timeout=_PATIENCE, request_timeout=_PATIENCE)
        socket = await websocket_connect(
            request, subprotocols=["bokeh", token[1]], max_message_size=_LARGEST
        )
        socket.protocol.stream.set_nodelay(True)  # as every browser does
        visitor = cls(socket)
        await visitor.receive("ACK")  # the session is there
        await visitor.write("PULL-DOC-REQ", {})
        visitor.models = models_in(json.loads(await visitor.receive("PULL-DOC-REPLY")))
        visitor.begin()
        await visitor.send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": _READY})
        return visitor

    def begin(self) -> None:
        """Find in `models` what is needed; called once they are there."""

    def leave(self) -> None:
        """Close the session."""
        self.socket.close()

    async def tell(self, name: str, model: str, **values: Any) -> None:
        """Send an event of a model."""
        event = {
            "type": "event",
            "name": name,
            "values": as_map({"model": {"id": model}, **values}),
        }
        await self.send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})

    async def send(self, *events: dict[str, Any]) -> None:
        """Send changes of the document."""
        await self.write("PATCH-DOC", {"events": list(events)})

    async def receive(self, kind: str) -> str:
        """Content of the next message of a kind, when it has arrived with all its buffers."""
        async with asyncio.timeout(_PATIENCE):
            while True:
                header = json.loads(await self._fragment())
                await self._fragment()  # metadata
                content = await self._fragment()
                for _ in range(2 * header.get("num_buffers", 0)):
                    await self._fragment()
                if header["msgtype"] == kind:
                    return content if isinstance(content, str) else content.decode()

    async def press(self, label: str) -> None:
        """Press a button."""
        for model in self.models:
            inside = model["attributes"].get("data")
            if isinstance(inside, dict) and inside.get("attributes", {}).get("label") == label:
                await self.tell("dom_event", model["id"], node="click", data=as_map({}))
                return
        raise AssertionError(f"expected a button {label!r}, got a page without")

    async def write(self, kind: str, content: dict[str, Any]) -> None:
        header = {"msgid": f"visitor-{time.perf_counter_ns()}", "msgtype": kind}
        for part in (header, {}, content):
            await self.socket.write_message(json.dumps(part))

    async def _fragment(self) -> str | bytes:
        fragment = await self.socket.read_message()
        assert fragment is not None, "expected an answer, got the end of the connection"
        return fragment


async def page_of(address: str) -> str:
    """The HTML of a page; where others come first, the browser asks again until it has it."""
    cookie = ""
    async with asyncio.timeout(_PATIENCE):
        while True:
            answer = await AsyncHTTPClient().fetch(
                address, headers={"Cookie": cookie}, request_timeout=_PATIENCE, raise_error=False
            )
            if answer.code != HTTPStatus.SERVICE_UNAVAILABLE:
                answer.rethrow()
                return answer.body.decode()
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            await asyncio.sleep(float(answer.headers["Retry-After"]))


class Stepper(Visitor):
    """A visitor of a page with a timeline."""

    @classmethod
    async def arrive(cls, address: str) -> Self:
        """Open a page; a link's run is drawn once the page is there."""
        visitor = await super().arrive(address)
        while visitor.total == 1:
            if found := _TOTAL.search(await visitor.receive("PATCH-DOC")):
                visitor.total = int(found[1])
        return visitor

    def begin(self) -> None:
        """Find the timeline."""
        self.index, self.total, self._timeline = 0, 1, ""
        for model in self.models:
            attributes = model["attributes"]
            if attributes.get("class_name") == "Timeline":
                self._timeline = model["id"]
                self.total = attributes["data"]["attributes"].get("total", 1)
                self._requests = attributes["data"]["attributes"].get("_answered", 0)
        assert self._timeline, "expected a page with a timeline"

    async def step(self) -> float:
        """Press Next (at the end: First) and return the seconds until all of the answer is here."""
        self.index = (self.index + 1) % self.total
        self._requests += 1
        asked = as_map({"index": self.index, "request": self._requests})
        start = time.perf_counter()
        await self.tell("data_event", self._timeline, data=asked)
        wanted = re.compile(rf'"_answered"[^0-9]{{0,24}}{self._requests}\b')
        while not wanted.search(await self.receive("PATCH-DOC")):
            pass
        return time.perf_counter() - start


class Student(Visitor):
    """A visitor of the Study page."""

    async def begin_study(self) -> None:
        """Press Run study."""
        await self.press("Run study")

    async def watch(self) -> None:
        """Take what the page is sent until the study has ended."""
        while not _ENDED.search(await self.receive("PATCH-DOC")):
            pass

    async def cancel(self) -> None:
        """Press Cancel."""
        await self.press("Cancel")


def as_map(entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": "map", "entries": list(entries.items())}


_READY = {"type": "event", "name": "document_ready", "values": as_map({})}


def models_in(tree: Any) -> list[dict[str, Any]]:
    """Every object of a document's JSON that has an id and attributes."""
    if isinstance(tree, list):
        return [model for one in tree for model in models_in(one)]
    if not isinstance(tree, dict):
        return []
    own = [tree] if "id" in tree and "attributes" in tree else []
    return own + [model for one in tree.values() for model in models_in(one)]
