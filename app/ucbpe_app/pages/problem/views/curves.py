"""What a browser keeps of drawn curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import param

from ucbpe_app.pages.problem.views.parts import points_of, source
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.problem.drawing import Point


class SavedCurves(Component):
    """Keeps the points of a drawn curve in the browser, and says so once they are kept.

    Hands those that it has kept to `on_restore` when the page is opened.
    """

    points = param.List([], doc="Of the curve, [x, y] each; empty while nothing is drawn.")

    _esm = source("database.js", "curves.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css")]

    def __init__(self, on_restore: Callable[[list[Point]], None]) -> None:
        super().__init__()
        self._on_restore = on_restore

    def receive(self, data: Any) -> None:
        """Take the points that the browser has kept."""
        self._on_restore(points_of(data))
