"""What is done with a browser's messages: it may change values, and no markup, code or models.

Bokeh lets the browser set any property of any model, add models and replace the whole document.
A page needs a few of these: events, values of widgets, ranges, sizes. What becomes HTML, script or
style in a page is decided by the server alone; nothing that a browser sent can come back as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bokeh.protocol.exceptions import ProtocolError
from bokeh.server.protocol_handler import ProtocolHandler

if TYPE_CHECKING:
    from bokeh.protocol.message import Message
    from bokeh.server.connection import ServerConnection

# Properties, of any model, that are inserted in a page as HTML, run as script, or loaded as style.
_MARKUP = frozenset(
    {
        *("text", "object", "html", "content", "template", "title", "description"),
        *("code", "esm", "bundle", "importmap", "scripts"),
        *("stylesheets", "css_bundle", "css_classes", "styles", "sx"),
        *("cards", "rows"),  # of our own components: markup inside a list
    }
)


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
        one = waiting.pop()
        if isinstance(one, dict):
            if one.get("type") == "object":
                return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False
