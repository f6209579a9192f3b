"""Your problem, drawn: a curve by its points, dragged or typed."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
import param

from ucbpe_app import theme
from ucbpe_app.pages.numbers import typed
from ucbpe_app.pages.problem.drawing import FEWEST, LEFT, MOST, RIGHT, Drawing
from ucbpe_app.pages.problem.layout import actions, button, column, heading, live, run
from ucbpe_app.pages.problem.views import texts
from ucbpe_app.pages.problem.views.drawing import DrawingView, PointsView, SavedCurves
from ucbpe_app.run.errors import sentences
from ucbpe_core import UCBPEError
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from panel.viewable import Viewable

    from ucbpe_app.pages.problem.drawing import Point

_HELP = (
    "Drag a point, or drag beside the points to draw freehand. Click to add a point. To "
    "remove one, click on it and press Backspace, or use the table, which also takes numbers.",
    f"The curve is defined from {LEFT:g} to {RIGHT:g}, never overshoots its points, and stays "
    f"level beyond the first and the last. {FEWEST} to {MOST} points.",
    "A policy sees only what it measures: draw a thin peak, or two of nearly equal height, and "
    "watch how long it takes to find the higher one.",
)


class DrawSection(pn.viewable.Viewer):
    """A drawn curve; `simulate` is what its button does."""

    drawing = param.ClassSelector(
        default=Drawing.begin(), class_=Drawing, allow_None=False, doc="On screen."
    )

    def __init__(self, simulate: Callable[[], Coroutine[Any, Any, None]]) -> None:
        super().__init__()
        self.view = DrawingView(self._draw)
        self.points = PointsView(self._type, self._add)
        # As a task, once the browser has the page: it would not be told of what changes before.
        self.saved = SavedCurves(
            lambda points: pn.state.onload(partial(run, partial(self._restore, points)))
        )
        self.fault, self.status = texts.card(), live()
        self.undo = button("Undo", partial(self._change, Drawing.undo))
        self.redo = button("Redo", partial(self._change, Drawing.redo))
        self.simulate = button("Simulate this curve", simulate, main=True)
        self._panel = theme.columns(
            column(heading("Points"), self.points),
            column(self.fault, heading("Draw a curve"), self.view.panel, self.saved),
            actions(self.status, self.undo, self.redo, self.simulate),
            theme.styled("lab-card", texts.card(text=texts.paragraphs("How to draw", _HELP))),
        )
        self.param.watch(self._show, "drawing")
        self._show()

    def __panel__(self) -> Viewable:
        return self._panel

    def _draw(self, points: Iterable[Point]) -> None:
        """Take other points; if they make no curve, say why and keep this one."""
        try:
            self.drawing = self.drawing.draw(points)
        except UCBPEError as error:
            self._show_error(error)
        else:
            self._show()  # also where nothing changed: a refused point goes back to its place

    def _restore(self, points: Iterable[Point]) -> None:
        """Go on from the curve that the browser has kept, unless another one is drawn already."""
        if not self.drawing.earlier:
            # What an earlier version has kept may be no curve any more.
            with suppress(UCBPEError):
                self.drawing = self.drawing.draw(points)

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
        curve = self.drawing.curve
        places = [LEFT, *(x for x, _ in curve.points), RIGHT]
        left, right = max(pairwise(places), key=lambda gap: gap[1] - gap[0])
        x = (left + right) / 2
        y = float(curve.values(np.array([x]))[0])
        self._draw([*curve.points, (round(x, 4), round(y, 4))])

    def _change(self, change: Callable[[Drawing], Drawing]) -> None:
        self.drawing = change(self.drawing)

    def _show_error(self, error: UCBPEError) -> None:
        with pn.io.hold():
            self._show()
            self.fault.object = texts.fault(error)

    def _show(self, *_: param.parameterized.Event) -> None:
        drawing = self.drawing
        with pn.io.hold():
            self.fault.object = ""
            self.view.load(drawing.curve)
            rows = [[f"{x:.6g}", f"{y:.6g}"] for x, y in drawing.curve.points]
            self.points.param.update(fault="", rows=rows)
            if drawing.earlier or drawing.later:
                self.saved.points = [list(point) for point in drawing.curve.points]
            self.undo.disabled, self.redo.disabled = not drawing.earlier, not drawing.later
            said = f"{len(drawing.curve.points)} points. Simulate to watch a policy find the top."
            self.status.object = texts.paragraphs("", [said])
