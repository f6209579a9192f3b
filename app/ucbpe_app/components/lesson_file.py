"""The button that opens a custom lesson file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = Path(__file__)


class LessonFile(Component):
    """Asks for a file, and passes its text to `on_open`; hidden without one."""

    largest = param.Integer(default=1, bounds=(1, None), doc="Size of the largest file, in bytes.")

    _esm = _HERE.with_name("lesson_file.js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [
        _HERE.with_name("lesson_file.css").read_text(encoding="utf-8")
    ]

    def __init__(self, **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, "visible": False, **params})
        self._open: Callable[[str, int, str | None], None] | None = None

    def on_open(self, callback: Callable[[str, int, str | None], None]) -> None:
        """Call back with the name of the file, its size in bytes and its text.

        The text is None for a file of more than ``largest`` bytes, which the browser does not send,
        and for one that is not UTF-8.
        """
        self._open = callback
        self.offer()

    def offer(self, offered: bool = True) -> None:
        """Show or hide the button, and set who receives the text."""
        self.visible = offered and self._open is not None

    def receive(self, data: Any) -> None:
        text = data["text"]
        if self._open is not None:
            self._open(str(data["name"]), int(data["size"]), None if text is None else str(text))
