"""The points of a drawn curve as a table of fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.problem.views.parts import source
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable


class PointsView(Component):
    """Hands the texts of all rows to `on_rows` when one was changed; `on_add` asks for another."""

    rows = param.List([], doc="Texts of x and y, a list of each point.")
    fault = param.String("", doc="What is wrong with them.")

    _esm = source("dom.js", "points.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css", "points.css")]

    def __init__(
        self, on_rows: Callable[[list[tuple[str, str]]], None], on_add: Callable[[], None]
    ) -> None:
        super().__init__(sizing_mode="stretch_width")
        self._on_rows, self._on_add = on_rows, on_add

    def receive(self, data: Any) -> None:
        """Take the texts."""
        if "add" in data:
            self._on_add()
        else:
            self._on_rows([(str(x), str(y)) for x, y in data["rows"]])
