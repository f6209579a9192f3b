"""What a page shows when the server cannot be reached, and how it comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import param

from ucbpe_app.private.panel import Component


class Connection(Component):
    """Says that the connection is lost, stops the page, and loads it again at the same moment.

    The moment is in the address, which follows the screen; see `CopyLink`. An element with the
    attribute ``data-offline`` works without the server. The event ``ucbpe-return`` of the window
    has a list as its detail: a promise of false that is put there keeps the page from being loaded
    again, and one of a text is what the page says once it is.
    """

    answered = param.Integer(0, doc="The last beat of the browser that was answered.")

    _esm = Path(__file__).with_name("connection.js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [
        Path(__file__).with_name("connection.css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"margin": 0, **params})

    def receive(self, data: Any) -> None:
        """Answer, so that the browser knows that the server is there."""
        self.answered = int(data["beat"])
