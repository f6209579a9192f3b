"""A curve to draw: its points can be dragged, added and removed in the figure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import panel as pn
from bokeh.models import ColumnDataSource, CustomJS, PointDrawTool, Range1d

from ucbpe_app import theme
from ucbpe_app.figures.axes import name_axes
from ucbpe_app.figures.pane import pane
from ucbpe_app.pages.problem.drawing import FEWEST, HIGH, LEFT, LOW, MOST, RIGHT
from ucbpe_app.pages.problem.views.parts import source

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
