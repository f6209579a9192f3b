"""Bars of buttons: to explore with, and to predict and reveal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = Path(__file__)


class ExploreBar(Component):
    """A row of buttons. `on_do` is called with the name of one: "undo" or "redo".

    Ctrl+Z and Ctrl+Shift+Z undo and redo too, unless a text field has the focus. `on_word` is
    called with the mark of the term under the pointer, wherever on the page; "" for none.
    """

    earlier = param.String("", doc="The change that undo takes back; empty if there is none.")
    later = param.String("", doc="The change that redo makes again; empty if there is none.")
    settable = param.Boolean(True, doc="Whether settings may be changed here.")

    _esm = _HERE.with_name("explore.js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [_HERE.with_name("explore.css").read_text(encoding="utf-8")]

    def __init__(
        self, on_do: Callable[[str], None], on_word: Callable[[str], None], **params: Any
    ) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, **params})
        self._on_do, self._on_word = on_do, on_word

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            if data["do"] == "light":
                self._on_word(str(data["mark"]))
            else:
                self._on_do(str(data["do"]))


class PredictBar(Component):
    """What to do next, what came of the last guess, and the score. `on_do` is called with "reveal"
    or "reset".
    """

    prompt = param.String("", doc="What to do next.")
    verdict = param.String("", doc="What came of the last guess; empty if none is on screen.")
    score = param.String("", doc="The score in words.")
    ready = param.Boolean(False, doc="Whether there is a guess to reveal.")

    _esm = _HERE.with_name("predict.js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [_HERE.with_name("predict.css").read_text(encoding="utf-8")]

    def __init__(self, on_do: Callable[[str], None], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_do = on_do

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            self._on_do(str(data["do"]))
