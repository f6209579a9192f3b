"""The axis of regret in a figure: linear from zero, or of decades with a place for zero.

A live axis of Bokeh cannot become a logarithmic one. So the axis stays linear, and of decades it
holds the logarithms to base 10, whose ticks say what they stand for: one figure serves both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import BasicTicker, FixedTicker

from ucbpe_app.figures.regret.log_axis import LogAxis

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_core.validation import Floats


class ValueAxis:
    """The y axis of `plot`, with about `ticks` ticks while it is linear; `fit` comes first."""

    def __init__(self, plot: Figure, ticks: int) -> None:
        self._plot = plot
        self._linear = BasicTicker(desired_num_ticks=ticks, num_minor_ticks=0)
        self._fixed = FixedTicker()
        self._decades: LogAxis | None = None

    def fit(self, values: Floats, *, log: bool) -> None:
        """Be an axis for these values, all of them 0 or more."""
        self._decades = LogAxis.of(values) if log else None

    def place(self, values: Floats) -> Floats:
        """The values as they are drawn; nan stays nan."""
        return values if self._decades is None else np.log10(self._decades.place(values))

    def reach(self, top: float, foot: float = 0.0) -> None:
        """Set the range and the ticks, up to `top` at least; a linear one from `foot` on."""
        if self._decades is None:
            length = (top - foot) or 1.0
            self._plot.yaxis.update(ticker=self._linear, major_label_overrides={})
            self._plot.y_range.update(start=foot - 0.05 * length, end=foot + 1.06 * length)
            return
        axis = self._decades.reaching(top)
        labels = axis.exponents
        self._fixed.ticks = list(labels)
        self._plot.yaxis.update(ticker=self._fixed, major_label_overrides=labels)
        self._plot.y_range.update(start=float(np.log10(axis.start)), end=float(np.log10(axis.end)))
