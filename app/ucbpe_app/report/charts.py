"""One axes of a report: the curves of one problem and quantity, drawn by HoloViews."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from ucbpe_app.plots.chart import draw_elements
from ucbpe_app.plots.elements import Band, Line
from ucbpe_app.plots.markers import Points
from ucbpe_app.report.scales import difference_scale, regret_scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from ucbpe_app.line_styles import LineStyle
    from ucbpe_app.report.records import Curve
    from ucbpe_app.report.scales import Scale

TITLES = {
    "simple_regret": "Simple regret",
    "running_minimum": "Running minimum",
    "batch_cumulative_regret": "Batch cumulative regret",
    "full_cumulative_regret": "Full cumulative regret",
}
SYMBOLS = {
    "simple_regret": r"$r_t^K$",
    "running_minimum": r"$\min_{s \leq t}\, r_s^K$",
    "batch_cumulative_regret": r"$R_t^K$",
    "full_cumulative_regret": r"$R_{tK}$",
}


@dataclass(frozen=True)
class Key:
    """What all charts of a study share.

    Attributes
    ----------
    pens : by policy, in the order of the study
    x_label : of the iterations
    initialization : by problem and policy, the mean last batch of an initialisation, where one is
    """

    pens: Mapping[str, LineStyle]
    x_label: str
    initialization: Mapping[tuple[str, str], float]


def y_label(curve: Curve) -> str:
    """Return what the y axis of this curve means."""
    what = "difference of" if curve.reference else TITLES[curve.quantity].lower()
    return f"{what} {SYMBOLS[curve.quantity]}"


def draw(axes: Axes, curves: Sequence[Curve], key: Key) -> Scale:
    """Draw mean and band of each policy, the first of the study on top; return the y axis.

    Within `ucbpe_app.plots.style.style`, which selects the backend of HoloViews.
    """
    scale = difference_scale() if curves[0].reference else regret_scale(curves)
    draw_elements(axes, _elements(curves, key, scale))
    if curves[0].reference:
        axes.axhline(0.0, color=key.pens[curves[0].reference].color, linewidth=1.0, zorder=1)
    scale.apply(axes)
    last = max(int(curve.t[-1]) for curve in curves)
    axes.set_xlim(1, max(last, 2))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=2))
    axes.grid(visible=True, which="major")
    return scale


def _elements(curves: Sequence[Curve], key: Key, scale: Scale) -> list[Any]:
    rank = {policy: place for place, policy in enumerate(key.pens)}
    ordered = sorted(curves, key=lambda curve: rank[curve.policy], reverse=True)
    bands = [_band(curve, key, scale) for curve in ordered if not np.isnan(curve.low).any()]
    marks = [_mark(curve, key) for curve in ordered if _initialization(curve, key)]
    return [*bands, *(_line(curve, key) for curve in ordered), *marks]


def _line(curve: Curve, key: Key) -> Any:
    return Line(curve.t, curve.mean, pen=key.pens[curve.policy]).element()


def _band(curve: Curve, key: Key, scale: Scale) -> Any:
    low, high = scale.clip(curve.low), scale.clip(curve.high)
    return Band(curve.t, low, high, pen=key.pens[curve.policy]).element()


def _mark(curve: Curve, key: Key) -> Any:
    t = _initialization(curve, key)
    y = float(np.interp(t, curve.t, curve.mean))
    return Points(t, y, fill="white", pen=key.pens[curve.policy]).element()


def _initialization(curve: Curve, key: Key) -> float:
    """The t of the mark on this curve, or 0 for none."""
    return 0.0 if curve.reference else key.initialization.get((curve.problem, curve.policy), 0.0)
