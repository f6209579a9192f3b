"""The button that makes a link of what is on screen, and the run's digest beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param

from app.views.component import Component


class CopyLink(Component):
    """Copies the address of this page with `query`, and puts it into the address bar.

    The query follows what is on screen; at a click the browser only makes sure that it has the last
    one, because it lets a page copy for a few seconds after. The address is replaced: the browser's
    history gets no new entry.
    """

    query = param.String(default="", doc="Of the link, without the question mark.")
    digest = param.String(default="", doc="`Trace.digest` of the run on screen.")

    # Number of the last request answered, when everything asked before it has been done.
    _answered = param.Integer(default=0)

    _esm = Path(__file__).with_name("copy_link.js")
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_name("copy_link.css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})

    def _handle_msg(self, data: Any) -> None:
        """Answer the browser, which waits to have the last query."""
        self._answered = int(data["request"])
