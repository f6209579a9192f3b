"""A pinned run behind the posterior: its mean, the edges of its band, and its picks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import ColumnDataSource

from ucbpe_app import theme
from ucbpe_app.figures.curve.geometry import height
from ucbpe_app.figures.marks import mark_of

if TYPE_CHECKING:
    from bokeh.models import GlyphRenderer
    from bokeh.plotting import figure as Figure

    from ucbpe_app.run.frames import Frame
    from ucbpe_core.validation import Floats

LOOK = theme.PINNED.line(line_width=1.2)
_SIZE = 11


class PinnedCurve:
    """Grey lines and marks below all others. Its models are in the figure only while it is."""

    def __init__(self, plot: Figure) -> None:
        self._plot = plot
        self.curves = ColumnDataSource({"xs": [], "ys": []})
        self.picks = ColumnDataSource({"x": [], "y": [], "marker": []})
        self._drawn: list[GlyphRenderer] = []

    def draw(self, frame: Frame | None, x: Floats, order: np.ndarray) -> None:
        """Show an event of the pinned run over the candidates `x` sorted by `order`, or nothing."""
        if frame is None:
            self._remove()
            return
        curves = (frame.mean, frame.lower, frame.upper)
        self.curves.data = {"xs": [x] * 3, "ys": [curve[order] for curve in curves]}
        self.picks.data = {
            "x": [float(pick.x[0]) for pick in frame.picks],
            "y": _heights(frame),
            "marker": [mark_of(pick.role).marker for pick in frame.picks],
        }
        self._add()

    def _add(self) -> None:
        if self._drawn:
            return
        plot = self._plot
        marks = {"size": _SIZE, "fill_color": None, "line_color": theme.PINNED.color}
        self._drawn = [
            plot.multi_line("xs", "ys", source=self.curves, level="underlay", **LOOK),
            plot.scatter(
                "x",
                "y",
                marker="marker",
                source=self.picks,
                level="underlay",
                line_width=1.5,
                **marks,
            ),
        ]

    def _remove(self) -> None:
        if self._drawn:
            self._plot.renderers = [one for one in self._plot.renderers if one not in self._drawn]
            self._drawn = []


def _heights(frame: Frame) -> list[float]:
    """Where its picks are: as those of the run on screen, and at their values once measured."""
    if frame.fresh and frame.picks:
        return [float(y) for y in frame.observed_y[-frame.fresh :]]
    return [height(frame, pick) for pick in frame.picks]
