"""What a page can do: what it is allowed by the headers of every answer, and to change by messages.

Bokeh lets the browser set any property of any model, add models and replace the whole document.
A page needs a few of these: events, values of widgets, ranges, sizes. What becomes HTML, script or
style in a page is decided by the server alone; nothing that a browser sent can come back as such.
"""

from __future__ import annotations

import re
import secrets
from typing import TYPE_CHECKING, Any

from bokeh.protocol.exceptions import ProtocolError
from bokeh.server.protocol_handler import ProtocolHandler
from tornado.web import OutputTransform

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bokeh.protocol.message import Message
    from bokeh.server.connection import ServerConnection
    from tornado.httputil import HTTPHeaders, HTTPServerRequest
    from tornado.web import Application

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
        scripts = ""
        if headers.get("Content-Type", "").startswith("text/html"):
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
        """Bokeh's own answer to what is left of a message."""
        if message.msgtype == "PUSH-DOC":  # would replace the document
            return connection.error(message, "a page is made by the server")
        if message.msgtype == "PATCH-DOC":
            keep_values(message)
            if not message.content["events"]:
                return connection.ok(message)
        return await super().handle(message, connection)


def keep_values(message: Message[Any]) -> None:
    """Drop from a message of changes those that a browser has no business to make."""
    try:
        events = message.content["events"]
        message.content["events"] = [event for event in events if is_value(event)]
    except (TypeError, KeyError) as error:
        raise ProtocolError("expected a list of events") from error


def is_value(event: dict[str, Any]) -> bool:
    """Whether a change is an event of a model, or sets a plain value that is no markup."""
    if event["kind"] == "MessageSent":
        return True
    return (
        event["kind"] == "ModelChanged"
        and event["attr"] not in _MARKUP
        and not _has_model(event["new"])
    )


def _has_model(value: Any) -> bool:
    """Whether a value defines models (with attributes), besides referring to those there are."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if item.get("type") == "object":
                return True
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False
