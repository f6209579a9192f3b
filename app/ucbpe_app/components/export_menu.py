"""The button that opens the dialog of exports, and the dialog itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable


class ExportDialog(Component):
    """Asks for a file, shows how far it is, and saves it.

    `ask` is called with ``{"do": "make", "kind": .., "view": ..}`` or ``{"do": "stop"}``. While
    `share` is a number, a file is being made, and no other is asked for.
    """

    views = param.List(default=[], item_type=dict, doc="Pictures: dicts with `name` and `label`.")
    events = param.Integer(default=0, doc="Of the run: as many as a film would have pictures.")
    most = param.Integer(default=0, doc="Events that a film can have.")
    share = param.Number(default=None, allow_None=True, doc="Of the file being made, or None.")
    error = param.String(default="", doc="Why the last file could not be made.")

    _esm = Path(__file__).with_suffix(".js")
    _stylesheets: ClassVar[list[str]] = [
        ":host { flex: none; }",
        *(
            Path(__file__).with_name(name).read_text(encoding="utf-8")
            for name in ("bar_button.css", "export_menu.css")
        ),
    ]

    def __init__(self, ask: Callable[[dict[str, Any]], None], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})
        self._ask = ask

    def deliver(self, name: str, media: str, data: bytes) -> None:
        """Have the browser save a file."""
        self._send_msg({"name": name, "media": media, "data": data})

    def receive(self, data: Any) -> None:
        self._ask(dict(data))
