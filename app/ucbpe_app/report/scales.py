"""The y axis of regrets: linear, logarithmic, or logarithmic with a place for exact zeros."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from ucbpe_app.report.records import Curve
    from ucbpe_core.validation import Floats

_DECADES = 2  # means that span more are drawn on a logarithmic axis
_MOST_DECADES = 8  # below the largest mean a regret is rounding, and drawn as 0 is
# Sums keep growing: their slope matters, and a logarithmic axis would bend it.
_LINEAR = ("batch_cumulative_regret", "full_cumulative_regret")


@dataclass(frozen=True)
class Scale:
    """A y axis from `low` to `high`; one with zeros is linear below `threshold`."""

    kind: Literal["linear", "log", "symlog"]
    low: float | None = None
    high: float | None = None
    threshold: float = 0.0

    def apply(self, axes: Axes) -> None:
        """Set the axis, and tint the strip below `threshold`."""
        if self.kind == "symlog":
            axes.set_yscale("symlog", linthresh=self.threshold, linscale=0.5)
            axes.axhspan(0.0, self.threshold, color="#F1F1F1", linewidth=0, zorder=0)
        else:
            axes.set_yscale(self.kind)
        axes.set_ylim(self.low, self.high)

    def clip(self, values: Floats) -> Floats:
        """Return `values` cut to the axis: a band may reach below a regret's least value, 0."""
        return values if self.low is None else np.maximum(values, self.low)


def difference_scale() -> Scale:
    """Return the scale of differences, whose sign matters."""
    return Scale("linear")


def regret_scale(curves: Iterable[Curve]) -> Scale:
    """Return the scale for mean regrets of one quantity."""
    curves = tuple(curves)
    means = np.concatenate([curve.mean for curve in curves])
    tops = np.concatenate([np.where(np.isnan(c.high), c.mean, c.high) for c in curves])
    largest = float(means.max())
    shown = means[means > largest * 10.0**-_MOST_DECADES]
    linear = any(curve.quantity in _LINEAR for curve in curves)
    if linear or largest <= 0 or largest <= shown.min() * 10.0**_DECADES:
        return Scale("linear", low=0.0)
    if len(shown) < len(means):
        threshold = 10.0 ** np.floor(np.log10(shown.min()))
        return Scale("symlog", 0.0, 1.3 * float(tops.max()), float(threshold))
    return Scale("log", 0.7 * float(shown.min()), 1.3 * float(tops.max()))
