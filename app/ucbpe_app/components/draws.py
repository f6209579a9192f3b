"""Over a picture with draws of f: a button that has them move, and tabs of the large map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = Path(__file__)


class DrawControls(Component):
    """`on_choose` is called with the number of the tab that a person chose.

    The browser moves the draws: what it sets is not sent to the server. Where a person prefers
    reduced motion, each press shows other draws instead.
    """

    target = param.String("", doc="Id of the source whose columns move; empty if there is none.")
    tabs = param.List([], item_type=str, doc="Names of what can be large; empty where all is seen.")
    chosen = param.Integer(0, doc="The number of the tab.")

    _esm = _HERE.with_suffix(".js").read_text(encoding="utf-8")
    _stylesheets: ClassVar[list[str]] = [_HERE.with_suffix(".css").read_text(encoding="utf-8")]

    def __init__(self, on_choose: Callable[[int], None], **params: Any) -> None:
        """Take any parameter above."""
        super().__init__(**{"margin": 0, "css_classes": ["lab-draws"], **params})
        self._on_choose = on_choose

    def receive(self, data: Any) -> None:
        self._on_choose(min(max(int(data), 0), len(self.tabs) - 1))
