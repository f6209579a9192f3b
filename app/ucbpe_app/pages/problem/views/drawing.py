"""A curve to draw: its figure, the table of its points, and what a browser keeps of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param
from bokeh.models import ColumnDataSource, CustomJS, PointDrawTool, Range1d

from ucbpe_app import theme
from ucbpe_app.figures.axes import name_axes
from ucbpe_app.figures.pane import pane
from ucbpe_app.pages.problem.drawing import FEWEST, HIGH, LEFT, LOW, MOST, RIGHT
from ucbpe_app.pages.problem.views.parts import points_of, source
from ucbpe_app.private.panel import Component

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.pages.problem.drawing import DrawnCurve, Point

_PAD = 0.04
_HEIGHT = "clamp(300px, 100vh - 330px, 620px)"
_CSS = f".lab-drawing {{ flex: none !important; height: {_HEIGHT} !important; }}"


class DrawingView:
    """Hands the points to `on_points` after each drag, click or removal.

    A drag that begins on a point moves it, any other draws with a free hand.
    """

    def __init__(self, on_points: Callable[[list[Point]], None]) -> None:
        self._on_points, self._loading = on_points, False
        self.line = ColumnDataSource({"x": [], "y": []})
        self.points = ColumnDataSource({"x": [], "y": []})
        across = _PAD * (RIGHT - LEFT)
        self.figure = theme.figure(
            x_range=Range1d(LEFT - across, RIGHT + across),
            y_range=Range1d(LOW, HIGH),
            css_classes=["lab-drawing"],
        )
        name_axes(self.figure, "x", "f")
        self.figure.line("x", "y", source=self.line, **theme.TRUTH.line(line_width=2.5))
        handles = self.figure.scatter("x", "y", source=self.points, **_handle())
        handles.nonselection_glyph = None
        self.tool = PointDrawTool(renderers=[handles], add=True, drag=True)
        self.figure.add_tools(self.tool)
        self.figure.toolbar.active_multi = self.tool
        self._follow_a_hand()
        self.points.on_change("data", self._accept)
        self.panel = pn.Column(
            pane(self.figure, margin=0),
            stylesheets=[_CSS],
            sizing_mode="stretch_width",
            margin=0,
        )

    def load(self, curve: DrawnCurve) -> None:
        """Show a curve."""
        x, y = curve.line
        self.line.data = {"x": x, "y": y}
        low, high = min(LOW, float(y.min())), max(HIGH, float(y.max()))
        pad = _PAD * (high - low)
        self.figure.y_range.update(start=low - pad, end=high + pad)
        self._loading = True
        try:
            self.points.data = {
                "x": [point[0] for point in curve.points],
                "y": [point[1] for point in curve.points],
            }
            self.points.selected.indices = []
        finally:
            self._loading = False

    def _follow_a_hand(self) -> None:
        """Have the browser draw while a point is dragged, or a curve with a free hand."""
        names = {"left": LEFT, "right": RIGHT, "fewest": FEWEST, "most": MOST}
        script = source("drawing.js")
        args = {"line": self.line, "points": self.points, "figure": self.figure}
        for event in ("panstart", "pan", "panend"):
            code = f"const limits = {json.dumps(names)}\n{script}"
            self.figure.js_on_event(event, CustomJS(args=args, code=code))

    def _accept(self, attribute: str, before: Any, data: dict[str, Sequence[float]]) -> None:
        if not self._loading:
            pairs = zip(data["x"], data["y"], strict=True)
            self._on_points([(float(x), float(y)) for x, y in pairs])


def _handle() -> dict[str, Any]:
    """Large enough for a finger."""
    return theme.MEAN.point(16, fill_alpha=0.75, line_width=2)


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
