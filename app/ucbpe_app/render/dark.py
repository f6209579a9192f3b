"""Which pictures of a session are drawn for a dark page, and how they are drawn again for another.

A picture is a value that knows no theme: the renderer asks here when it draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from weakref import WeakMethod

import panel as pn
from bokeh.events import DocumentEvent

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bokeh.document import Document

COLORS = frozenset({"color", "fill", "line"})  # columns that hold colours


class ThemeChanged(DocumentEvent):
    """The page of a session has another theme."""

    event_name: ClassVar[str] = "lab_theme_changed"


def is_dark() -> bool:
    """Whether the page of this session is dark."""
    return bool(pn.config.theme == "dark")


def follow(redraw: Callable[[], None]) -> None:
    """Have a picture's method called when the page of this session gets another theme.

    The session's document holds what is called, and no picture longer than its page does.
    """
    if pn.state.curdoc is None:
        return
    held = WeakMethod(redraw)

    def draw(_: ThemeChanged) -> None:
        if (again := held()) is not None:
            again()

    pn.state.curdoc.on_event(ThemeChanged, draw)


def redraw(document: Document) -> None:
    """Draw all pictures of a session as its page now is, as one message to the browser."""
    with pn.io.hold():
        document.callbacks.trigger_event(ThemeChanged())


def in_dark(colors: Sequence[str]) -> list[str]:
    """Colours as a dark page has them; an opacity, the eighth and ninth digit, stays."""
    return [theme.DARK.get(color[:7], color[:7]) + color[7:] for color in colors]
