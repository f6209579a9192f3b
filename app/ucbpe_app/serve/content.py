"""What a page can do: what it is allowed by the headers of every answer, and to change by messages.

Bokeh lets the browser set any property of any model, add models and replace the whole document.
A page needs a few of these: events, values of widgets, ranges, sizes. What becomes HTML, script or
style in a page is decided by the server alone; nothing that a browser sent can come back as such.

Nor does a message take more time and memory than its size allows. Bokeh decompresses bytes and
makes arrays that a message holds, without a limit: 0.8 MB become 1.7 GB. No control of the
laboratory sends either: files come in parts, as text (`ucbpe_app.widgets.parts`). So a change
that holds one is dropped before anything is decoded.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from typing import TYPE_CHECKING, Any

from bokeh.protocol.exceptions import ProtocolError
from bokeh.server.protocol_handler import ProtocolHandler
from tornado.web import OutputTransform

from ucbpe_app.classroom.routes import SCRIPTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bokeh.protocol.message import Message
    from bokeh.server.connection import ServerConnection
    from tornado.httputil import HTTPHeaders, HTTPServerRequest
    from tornado.web import Application

_LOG = logging.getLogger(__name__)

MOST_BYTES = 1_000_000  # of a message; a part of a file takes 700 kB
_MOST_VALUES = 50_000  # in a change; the largest selection has 10,201 candidates
_MOST_LEVELS = 50  # of values in values
# What a value can be that JSON has no word for, of what a page of ours sends. Bokeh knows others,
# among them bytes, arrays, and objects, which define models.
_PLAIN = frozenset({"event", "map", "number", "ref", "set"})

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
# Panel's components are modules that the page makes itself (blob:), with styles in shadow roots.
# Bokeh compiles its callbacks by eval, which only a script that is let in can call.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'unsafe-eval' blob: {scripts}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' blob: {sockets}",
        "worker-src 'self' blob:",
        "frame-src 'self' blob:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "object-src 'none'",
        "frame-ancestors {frames}",
    )
)
_SCRIPT = re.compile(rb"<script(?=[\s>])", re.IGNORECASE)
# Properties, of any model, that are inserted in a page as HTML, run as script, or loaded as style.
_MARKUP = frozenset(
    {
        *("text", "object", "html", "content", "template", "title", "description"),
        *("code", "esm", "bundle", "importmap", "scripts"),
        *("stylesheets", "css_bundle", "css_classes", "styles", "sx"),
        # Of our own components, also inside a list.
        *("_html", "cards", "paragraphs", "rows", "swatch"),
    }
)


def protect(application: Application, frames: Iterable[str] = ()) -> None:
    """Have every answer of a server, not yet started, sent with these headers.

    Parameters
    ----------
    application
        Of the server.
    frames
        Origins, as ``https://course.example.org``, besides its own whose pages may frame it.
    """
    ancestors = " ".join(("'self'", *frames))

    class Transform(_Headers):
        allowed = ancestors

    application.add_transform(Transform)


class _Headers(OutputTransform):
    allowed = "'self'"

    def __init__(self, request: HTTPServerRequest) -> None:
        self._host = request.host

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        for name, value in _ALWAYS.items():
            headers[name] = value
        # A page that is always the same names the scripts that it has; it may be compressed.
        scripts = headers.pop(SCRIPTS, "")
        if headers.get("Content-Type", "").startswith("text/html") and not scripts:
            # A page's own scripts have a nonce that no other script can know.
            nonce = secrets.token_urlsafe(16)
            scripts = f"'nonce-{nonce}'"
            chunk = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode("ascii"), chunk)
            if "Content-Length" in headers:
                headers["Content-Length"] = str(len(chunk))
        headers["Content-Security-Policy"] = _POLICY.format(
            scripts=scripts,
            sockets=f"ws://{self._host} wss://{self._host}",
            frames=self.allowed,
        )
        return status_code, headers, chunk


class OneWay(ProtocolHandler):
    """Takes from a browser events and changes of plain values; the rest is dropped."""

    async def handle(self, message: Message[Any], connection: ServerConnection) -> Any:
        """Bokeh's own answer to what is left of a message; none once the session has ended."""
        await asyncio.sleep(0)  # who sends many at once lets others in between
        if message.msgtype == "PUSH-DOC":  # would replace the document
            return connection.error(message, "a page is made by the server")
        if message.msgtype == "PATCH-DOC":
            keep_values(message)
            if not message.content["events"]:
                return connection.ok(message)
        if session_has_ended(connection):
            return None
        answer = await super().handle(message, connection)
        if answer is not None and answer.msgtype == "ERROR":  # has a traceback, with paths
            return connection.error(message, "this failed; the server's log says why")
        return answer


def session_has_ended(connection: ServerConnection) -> bool:
    """Whether a visitor has left whose connection this was."""
    try:
        return connection.session.destroyed
    except AssertionError:  # how Bokeh says that there is no session
        return True


def keep_values(message: Message[Any]) -> None:
    """Drop from a message the changes that a browser has no business to make."""
    try:
        events = [by_reference(event) for event in message.content["events"]]
        kept = [event for event in events if is_value(event)]
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise ProtocolError("expected a list of events, as a page sends them") from error
    message.content = {"events": kept}  # whatever else there is would be decoded, too


def by_reference(event: dict[str, Any]) -> dict[str, Any]:
    """A change whose model is referred to.

    Bokeh sends models that it got since its last message whole, with all that they have.
    """
    if event["kind"] == "ModelChanged":
        return {**event, "model": _reference(event["model"])}
    if event["kind"] == "MessageSent":
        said = event["msg_data"]
        values = said.get("values", {})
        entries = [
            [name, _reference(value) if name == "model" else value]
            for name, value in values.get("entries", ())
        ]
        return {**event, "msg_data": {**said, "values": {**values, "entries": entries}}}
    return event


def _reference(model: dict[str, Any]) -> dict[str, Any]:
    return {"id": model["id"]} if model.get("type") == "object" else model


def is_value(event: dict[str, Any]) -> bool:
    """Whether a change is an event of a model, or sets a plain value that is no markup."""
    known = event["kind"] == "MessageSent" or (
        event["kind"] == "ModelChanged" and event["attr"] not in _MARKUP
    )
    foreign = foreign_in(event)
    if foreign and foreign != "object":  # Bokeh's own pages send objects
        _LOG.warning("a change from a browser was dropped: expected plain values, got %s", foreign)
    return known and not foreign


def foreign_in(value: Any) -> str:
    """What a value, not yet decoded, has that no page of ours sends; "" if nothing."""
    level, values = [value], 0
    for _ in range(_MOST_LEVELS):
        values += len(level)
        if values > _MOST_VALUES:
            return "too many values"
        types = {str(item["type"]) for item in level if isinstance(item, dict) and "type" in item}
        if foreign := types - _PLAIN:
            return min(foreign)
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return ""
    return "too many levels"


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
