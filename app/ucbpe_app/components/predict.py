"""Predict, then reveal: what to guess, the button that shows the pick, and the score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = Path(__file__)


class PredictBar(Component):
    """What to do next, what came of the last guess, and the score. `on_do` is called with "reveal"
    or "reset".
    """

    prompt = param.String("", doc="What to do next.")
    verdict = param.String("", doc="What came of the last guess; empty if none is on screen.")
    score = param.String("", doc="The score in words.")
    ready = param.Boolean(False, doc="Whether there is a guess to reveal.")

    _esm = _HERE.with_suffix(".js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [_HERE.with_suffix(".css").read_text(encoding="utf-8")]

    def __init__(self, on_do: Callable[[str], None], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"sizing_mode": "stretch_width", "margin": 0, **params})
        self._on_do = on_do

    def receive(self, data: Any) -> None:
        with pn.io.hold():
            self._on_do(str(data["do"]))
