"""The y axis of a chart: linear, or logarithmic with a place for exact zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.figures.regret.log_axis import LogAxis

if TYPE_CHECKING:
    from bokeh.models import BasicTicker, FixedTicker
    from bokeh.plotting import figure as bokeh_figure

    from ucbpe_app.pages.study.picture import StudyChart
    from ucbpe_core.validation import Floats

# Below the largest mean by this factor a regret is rounding, and drawn as 0 is; as in a report.
_ROUNDING = 1e-8


class Scale:
    """The y axis of a chart. On a log axis logarithms are drawn, and the ticks say of what.

    Bokeh cannot make a live axis logarithmic, and neither can show a regret of exactly 0.
    """

    def __init__(self, chart: StudyChart) -> None:
        self._chart = chart
        curves = tuple(chart.curves.values())
        means = np.concatenate([np.zeros(1), *(curve.mean for curve in curves)])
        tops, feet = (
            np.concatenate([[0.0], *(np.where(np.isnan(x), c.mean, x) for c, x in pairs)])
            for pairs in ([(c, c.high) for c in curves], [(c, c.low) for c in curves])
        )
        self._top, self._foot = float(tops.max()), float(feet.min())
        positive = means[1:]
        self._least = _ROUNDING * float(means.max())
        self._axis = LogAxis.of(np.where(positive > self._least, positive, 0.0))
        self._axis = self._axis.reaching(self._top)

    def place(self, values: Floats) -> Floats:
        """Where values are drawn. On a log axis nothing lies below the place of 0."""
        if not self._chart.log:
            # A band may reach below a regret's least value, 0.
            return values if self._chart.reference else np.maximum(values, 0.0)
        values = np.where(values > self._least, values, 0.0)
        placed = np.maximum(self._axis.place(values), self._axis.start)
        logs: Floats = np.log10(placed)
        return logs

    def apply(self, plot: bokeh_figure, linear: BasicTicker, log: FixedTicker) -> None:
        """Set range and ticks."""
        labels, ticker = dict[float, str](), linear
        if self._chart.log:
            labels = self._axis.exponents
            log.ticks, ticker = list(labels), log
            start, end = np.log10([self._axis.start, self._axis.end]).tolist()
        else:
            room = 0.06 * ((self._top - self._foot) or 1.0)
            start = self._foot - room if self._chart.reference else 0.0
            end = self._top + room
        plot.yaxis.ticker = plot.ygrid.ticker = ticker
        plot.yaxis.major_label_overrides = labels
        plot.y_range.update(start=start, end=end)
