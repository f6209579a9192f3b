"""One chart over t: a heading that is the legend, and a fixed figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.models import (
    AdaptiveTicker,
    BasicTicker,
    ColumnDataSource,
    CrosshairTool,
    FixedTicker,
    Range1d,
)

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.regret.chart import layout, text
from ucbpe_app.figures.regret.log_axis import LogAxis

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.figures.regret.chart import Curve
    from ucbpe_core.validation import Floats

_AIM = {"line_color": theme.INK, "line_alpha": 0.6}  # as in the regret plots: a click goes there
_NOW = theme.Mark(theme.INK, dash="dashed")


class TimeChart:
    """Curves over t = 1 .. T, on a linear axis from 0 or on a log axis.

    Attributes
    ----------
    source : column `t` and one for each curve; a curve that is not given is NaN
    now : the batch that is marked, if any
    """

    def __init__(
        self, title: str, label: str, curves: tuple[Curve, ...], x_range: Range1d,
        *, scale: str = "linear",
    ) -> None:  # fmt: skip
        self._title, self._curves, self._log = title, curves, scale == "log"
        self.source = ColumnDataSource({name: [] for name in ("t", *(c.column for c in curves))})
        self.now = ColumnDataSource({"t": []})
        self.figure = self._figure(label, x_range, scale)
        self.heading = text("regret-heading", "")
        self.panel = pn.Column(
            self.heading,
            pane(self.figure),
            **layout("regret-chart"),
        )

    def load(self, values: Mapping[str, Floats | None], batches: int) -> None:
        """Draw other curves, shape (T,) each; one that is None is left out."""
        given = {name: column for name, column in values.items() if column is not None}
        missing = np.full(batches, np.nan)
        placed = self._fit(given)
        columns = {c.column: placed.get(c.column, missing) for c in self._curves}
        self.source.data = {"t": np.arange(1, batches + 1), **columns}
        self.heading.object = heading(
            self._title, [curve for curve in self._curves if curve.column in given]
        )
        self.mark(None)

    def mark(self, t: int | None) -> None:
        """Mark a batch, or none."""
        marked = [] if t is None else [t]
        if list(self.now.data["t"]) != marked:
            self.now.data = {"t": marked}

    def _figure(self, label: str, x_range: Range1d, scale: str) -> Any:
        plot = theme.figure(
            "iteration t", label, height=190, css_classes=["regret-plot"], x_range=x_range,
            y_range=Range1d(0.1, 1), y_axis_type=scale, min_border_left=74,
        )  # fmt: skip
        plot.xaxis.ticker = AdaptiveTicker(desired_num_ticks=8, min_interval=1, num_minor_ticks=0)
        plot.yaxis.ticker = FixedTicker() if self._log else BasicTicker(desired_num_ticks=4)
        plot.axis.axis_label_standoff = 4
        plot.add_tools(CrosshairTool(dimensions="height", **_AIM))
        plot.vspan("t", source=self.now, **_NOW.line(line_width=1.5, name="now"))
        for curve in reversed(self._curves):  # the first is drawn last, on top
            self._draw(plot, curve)
        return plot

    def _draw(self, plot: Any, curve: Curve) -> None:
        plot.line("t", curve.column, source=self.source, **curve.mark.line())
        if curve.dots:
            look = curve.mark.point(6, line_width=1)
            plot.scatter("t", curve.column, source=self.source, **look)

    def _fit(self, given: Mapping[str, Floats]) -> dict[str, Floats]:
        """Fit the axis to the curves; they are returned as they are drawn."""
        together = np.concatenate(list(given.values()))
        if not self._log:
            top = float(together.max()) or 1.0
            self.figure.y_range.update(start=0, end=1.06 * top)
            return dict(given)
        axis = LogAxis.of(together)
        self.figure.y_range.update(start=axis.start, end=axis.end)
        self.figure.yaxis.ticker.ticks = list(axis.labels)
        self.figure.yaxis.major_label_overrides = axis.labels
        return {name: axis.place(column) for name, column in given.items()}


def heading(title: str, curves: list[Curve]) -> str:
    """A title, and the curves as they are drawn."""
    entries = "".join(
        f"<li>{legends.swatch(curve.shapes)}<span>{curve.words} {curve.symbol}</span></li>"
        for curve in curves
    )
    return f"<h3>{title}</h3><ul>{entries}</ul>"
