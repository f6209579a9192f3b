"""Which pictures of a session are drawn for a dark page, and how they are drawn again for another.

A picture is a value that knows no theme: the renderer asks here when it draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary, WeakSet

import panel as pn

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bokeh.document import Document

COLORS = frozenset({"color", "fill", "line"})  # columns that hold colours


class Drawn(Protocol):
    """What can be drawn again."""

    def redraw(self) -> None:
        """Draw the same picture as the page now is."""


_DRAWN: WeakKeyDictionary[Document, WeakSet[Drawn]] = WeakKeyDictionary()


def is_dark() -> bool:
    """Whether the page of this session is dark."""
    return bool(pn.config.theme == "dark")


def follow(picture: Drawn) -> None:
    """Have a picture drawn again when the page of this session gets another theme."""
    if pn.state.curdoc is not None:
        _DRAWN.setdefault(pn.state.curdoc, WeakSet()).add(picture)


def redraw(document: Document) -> None:
    """Draw all pictures of a session as its page now is, as one message to the browser."""
    with pn.io.hold():
        for picture in _DRAWN.get(document, WeakSet()):
            picture.redraw()


def in_dark(colors: Sequence[str]) -> list[str]:
    """Colours as a dark page has them."""
    return [theme.DARK.get(one, one) for one in colors]
