"""One axes of a report: the curves of one problem and quantity, drawn by HoloViews."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from ucbpe_app.plots.chart import draw_parts
from ucbpe_app.plots.elements import Band, Line, Part
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
    draw_parts(axes, _parts(curves, key, scale))
    if curves[0].reference:
        axes.axhline(0.0, color=key.pens[curves[0].reference].color, linewidth=1.0, zorder=1)
    scale.apply(axes)
    last = max(int(curve.t[-1]) for curve in curves)
    axes.set_xlim(1, max(last, 2))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=2))
    axes.grid(visible=True, which="major")
    return scale


def _parts(curves: Sequence[Curve], key: Key, scale: Scale) -> list[Part]:
    """Bands below lines below marks; in each, the first policy of the study on top."""
    rank = {policy: place for place, policy in enumerate(key.pens)}
    bands, lines, marks = list[Part](), list[Part](), list[Part]()
    for curve in sorted(curves, key=lambda curve: rank[curve.policy], reverse=True):
        pen = key.pens[curve.policy]
        lines.append(Line(curve.t, curve.mean, pen=pen))
        if not np.isnan(curve.low).any():
            low, high = scale.clip(curve.low), scale.clip(curve.high)
            bands.append(Band(curve.t, low, high, pen=pen))
        if t := _initialization(curve, key):
            y = float(np.interp(t, curve.t, curve.mean))
            marks.append(Points(t, y, fill="white", pen=pen))
    return [*bands, *lines, *marks]


def _initialization(curve: Curve, key: Key) -> float:
    """The t of the mark on this curve, or 0 for none."""
    return 0.0 if curve.reference else key.initialization.get((curve.problem, curve.policy), 0.0)
