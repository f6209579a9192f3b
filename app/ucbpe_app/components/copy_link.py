"""The button that copies a link to what is on screen, and the run's digest beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable


class CopyLink(Component):
    """Copies the address of this page with a query, and keeps the address bar up to date.

    At a click the browser asks for the query of what is on screen then, which `write` makes; it
    lets a page copy for a few seconds after. The address is replaced: the browser's history gets no
    new entry. Call `follow` when something other than the place of the timeline has changed, from
    when on the moment of the address is on screen.
    """

    query = param.String(default="", doc="As last made, without the question mark.")
    digest = param.String(default="", doc="`Trace.digest` of the run on screen.")

    # Number of the last request answered, once everything requested before it has been done.
    _answered = param.Integer(default=0)

    _esm = "\n".join(
        Path(__file__).with_name(name).read_text(encoding="utf-8")
        for name in ("address.js", "copy_link.js")
    )
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_name(name).read_text(encoding="utf-8")
        for name in ("bar_button.css", "copy_link.css")
    ]

    def __init__(self, write: Callable[[], str], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})
        self._write = write

    def follow(self) -> None:
        """Make the address match what is on screen now."""
        self.query = self._write()

    def ask(self) -> str:
        """The query of what is on screen now."""
        self.query = self._write()
        return self.query

    def receive(self, data: Any) -> None:
        """Answer the browser, which waits for the query."""
        with pn.io.hold():
            self.ask()
            self._answered = int(data["request"])
