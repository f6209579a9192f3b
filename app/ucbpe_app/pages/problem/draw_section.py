"""Your problem, drawn: a curve by its points, dragged or typed, and kept by the browser."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import panel as pn
import param
from bokeh.models import BasicTicker, ColumnDataSource, CustomJS, PointDrawTool, Range1d

from ucbpe_app import theme
from ucbpe_app.pages.numbers import typed
from ucbpe_app.pages.problem.drawing import FEWEST, HIGH, LEFT, LOW, MOST, RIGHT, DrawnCurve
from ucbpe_app.pages.problem.layout import actions, button, column, heading, link, run
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.parts import points_of, source
from ucbpe_app.private.panel import Component
from ucbpe_app.render.sending import pane
from ucbpe_app.run.notation import sentences
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.drawing import Point

_PAD = 0.04
_HEIGHT = "clamp(300px, 100vh - 330px, 620px)"
_CSS = f".lab-drawing {{ flex: none !important; height: {_HEIGHT} !important; }}"


class DrawingView:
    """Hands the points to `on_points` after each drag, click or removal.

    A drag that begins on a point moves it, any other draws with a free hand. The latter is not
    Bokeh's FreehandDrawTool: that cannot be active together with the tool that moves points.
    """

    def __init__(self, on_points: Callable[[list[Point]], None]) -> None:
        self._on_points, self._curve = on_points, DrawnCurve()
        self.line = ColumnDataSource({"x": [], "y": []})
        self.points = ColumnDataSource({"x": [], "y": []})
        across = _PAD * (RIGHT - LEFT)
        self.figure = theme.figure(
            "x", "f",
            x_range=Range1d(LEFT - across, RIGHT + across),
            y_range=Range1d(LOW, HIGH),
            css_classes=["lab-drawing"],
        )  # fmt: skip
        self.figure.axis.ticker = BasicTicker(desired_num_ticks=4, num_minor_ticks=0)
        self.figure.line("x", "y", source=self.line, **theme.TRUTH.line(line_width=2.5))
        # Large enough for a finger.
        handle = theme.MEAN.point(16, fill_alpha=0.75, line_width=2)
        handles = self.figure.scatter("x", "y", source=self.points, **handle)
        self.tool = PointDrawTool(renderers=[handles], add=True, drag=True)
        self.figure.add_tools(self.tool)
        self.figure.toolbar.active_multi = self.tool
        self._follow_a_hand()
        self.points.on_change("data", self._accept)
        self.panel = pn.Column(
            pane(self.figure, margin=0), stylesheets=[_CSS], sizing_mode="stretch_width", margin=0
        )

    def load(self, curve: DrawnCurve) -> None:
        """Show a curve."""
        self._curve, (x, y) = curve, curve.line
        self.line.data = {"x": x, "y": y}
        low, high = min(LOW, float(y.min())), max(HIGH, float(y.max()))
        pad = _PAD * (high - low)
        self.figure.y_range.update(start=low - pad, end=high + pad)
        across, up = zip(*curve.points, strict=True)
        self.points.data = {"x": list(across), "y": list(up)}
        self.points.selected.indices = []

    def _follow_a_hand(self) -> None:
        """Have the browser draw while a point is dragged, or a curve with a free hand."""
        names = {"left": LEFT, "right": RIGHT, "fewest": FEWEST, "most": MOST}
        args = {"line": self.line, "points": self.points, "figure": self.figure, "limits": names}
        script = CustomJS(args=args, code=source("drawing.js"))
        for event in ("panstart", "pan", "panend", "press", "mousemove", "pressup"):
            self.figure.js_on_event(event, script)

    def _accept(self, attribute: str, before: Any, data: dict[str, Sequence[float]]) -> None:
        points = [(float(x), float(y)) for x, y in zip(data["x"], data["y"], strict=True)]
        if tuple(points) != self._curve.points:  # else they are those that `load` shows
            self._on_points(points)


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

    points = param.List([], doc="Points [x, y] of the curve; empty while nothing is drawn.")

    _esm = source("dom.js", "database.js", "curves.js")
    _stylesheets: ClassVar[list[str]] = [source("controls.css")]

    def __init__(self, on_restore: Callable[[list[Point]], None]) -> None:
        super().__init__()
        self._on_restore = on_restore

    def receive(self, data: Any) -> None:
        """Take the points that the browser has kept."""
        self._on_restore(points_of(data))


_HELP = (
    "Drag a point, or drag beside the points to draw freehand. Click to add a point. To "
    "remove one, click on it and press Backspace, or use the table, which also takes numbers.",
    f"The curve is defined from {LEFT:g} to {RIGHT:g}, never overshoots its points, and stays "
    f"level beyond the first and the last. {FEWEST} to {MOST} points.",
    "A policy sees only what it measures: draw a thin peak, or two of nearly equal height, and "
    "watch how long it takes to find the higher one.",
)


class DrawSection(pn.viewable.Viewer):
    """A drawn curve; `simulate` is a link to run policies on it."""

    curve = param.ClassSelector(
        default=DrawnCurve(), class_=DrawnCurve, allow_None=False, doc="On screen."
    )

    def __init__(self) -> None:
        super().__init__()
        self._drawn, self._at = [self.curve], 0  # to undo and redo; and where in that it is
        self.view = DrawingView(self._draw)
        self.points = PointsView(self._type, self._add)
        # As a task, once the browser has the page: it would not be told of what changes before.
        self.saved = SavedCurves(
            lambda points: pn.state.onload(partial(run, partial(self._restore, points)))
        )
        self.fault, self.status = texts.card(), texts.card()
        self.undo = button("Undo", partial(self._turn, -1))
        self.redo = button("Redo", partial(self._turn, 1))
        self.simulate = link("Simulate this curve", main=True)
        self._panel = theme.columns(
            column(self.fault, heading("Draw a curve"), self.view.panel, self.saved),
            actions(self.status, self.undo, self.redo, self.simulate),
            column(heading("Points"), self.points, margin=(0, 0, 16, 0)),
            theme.styled("lab-card", texts.card(texts.paragraphs("How to draw", _HELP))),
        )
        self._show()

    def __panel__(self) -> Viewable:
        return self._panel

    def _draw(self, points: Iterable[Point]) -> None:
        """Take other points; if they make no curve, say why and keep this one."""
        try:
            self._take(DrawnCurve(tuple(points)))
        except UCBPEError as error:
            self._show(error)  # a refused point goes back to its place

    def _take(self, curve: DrawnCurve) -> None:
        if curve != self.curve:
            self._drawn[self._at + 1 :] = [curve]
            self._at += 1
        self._turn(0)

    def _turn(self, steps: int) -> None:
        """Show the curve so many steps later."""
        self._at = min(max(self._at + steps, 0), len(self._drawn) - 1)
        self.curve = self._drawn[self._at]
        self._show()

    def _restore(self, points: Iterable[Point]) -> None:
        """Go on from the curve that the browser has kept, unless another one is drawn already."""
        if len(self._drawn) == 1:
            # What an earlier version has kept may be no curve any more.
            with suppress(UCBPEError):
                self._take(DrawnCurve(tuple(points)))

    def _type(self, rows: list[tuple[str, str]]) -> None:
        try:
            points = [
                (typed(x, f"x of point {i}"), typed(y, f"f of point {i}"))
                for i, (x, y) in enumerate(rows, start=1)
            ]
        except InputError as error:
            # The texts stay, so that they can be corrected.
            self.points.fault = sentences(error)
            return
        self._draw(points)

    def _add(self) -> None:
        """A point in the middle of the widest gap, on the curve."""
        places = [LEFT, *(x for x, _ in self.curve.points), RIGHT]
        left, right = max(pairwise(places), key=lambda gap: gap[1] - gap[0])
        x = (left + right) / 2
        y = float(self.curve.values(np.array([x]))[0])
        self._draw([*self.curve.points, (round(x, 4), round(y, 4))])

    def _show(self, error: UCBPEError | None = None) -> None:
        points = self.curve.points
        with pn.io.hold():
            self.fault.object = texts.fault(error)
            self.view.load(self.curve)
            self.points.param.update(fault="", rows=[[f"{x:.6g}", f"{y:.6g}"] for x, y in points])
            if len(self._drawn) > 1:
                self.saved.points = [list(point) for point in points]
            self.undo.disabled, self.redo.disabled = not self._at, self.curve is self._drawn[-1]
            hint = f"{len(points)} points. Simulate to watch a policy find the top."
            self.status.object = texts.status(hint)
