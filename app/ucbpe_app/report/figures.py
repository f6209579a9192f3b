"""The figures of a report: charts on a page, drawn by HoloViews, with title, legend and caption."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ucbpe_app.plots.chart import draw_parts, legend_above, page
from ucbpe_app.plots.elements import Band, Line, Part
from ucbpe_app.plots.markers import Points
from ucbpe_app.plots.picture import file_of, literal
from ucbpe_app.report.scales import caption, difference_scale, regret_scale
from ucbpe_core.records import files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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

    Within `ucbpe_app.plots.picture.style`, which selects the backend of HoloViews.
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


_OVERVIEW = ("simple_regret", "running_minimum")
_LEFT = 0.008  # of the width, where title and caption begin
_CAPTION_COLUMNS = 118  # characters of the caption that fit across


def curve_figure(curves: Sequence[Curve], key: Key) -> Figure:
    """Return the figure of one quantity on one problem."""
    figure = page(3.9)
    axes = figure.subplots()
    scale = draw(axes, curves, key)
    axes.set(xlabel=key.x_label, ylabel=y_label(curves[0]))
    _head(figure, curves[0].problem)
    _legend(figure, curves, key)
    _explain(figure, caption(curves, [scale], marked=_marked(curves, key)))
    return figure


def difference_figure(curves: Sequence[Curve], key: Key) -> Figure:
    """Return the paired differences of every quantity on one problem."""
    quantities = list(dict.fromkeys(curve.quantity for curve in curves))
    figure = page(5.8)
    grid = figure.subplots((len(quantities) + 1) // 2, 2, sharex=True, squeeze=False)
    scales = []
    for axes, quantity in zip(grid.flat, quantities, strict=False):
        members = [curve for curve in curves if curve.quantity == quantity]
        scales.append(draw(axes, members, key))
        axes.set(title=TITLES[quantity], ylabel=y_label(members[0]))
    for axes in grid[-1]:
        axes.set_xlabel(key.x_label)
    _head(figure, f"{curves[0].problem}: difference from {curves[0].reference}")
    _legend(figure, curves, key)
    _explain(figure, caption(curves, scales))
    return figure


def overview_figure(curves: Sequence[Curve], key: Key) -> Figure:
    """Return small multiples: a row for each problem, simple regret and running minimum."""
    problems = list(dict.fromkeys(curve.problem for curve in curves))
    figure = page(1.6 * len(problems) + 1.6)
    grid = figure.subplots(len(problems), len(_OVERVIEW), squeeze=False)
    shown, scales = [], []
    for row, problem in zip(grid, problems, strict=True):
        for axes, quantity in zip(row, _OVERVIEW, strict=True):
            members = [c for c in curves if (c.problem, c.quantity) == (problem, quantity)]
            scales.append(draw(axes, members, key))
            axes.set(ylabel=TITLES[quantity].lower())
            shown += members
        row[0].set_title(literal(problem), fontweight="bold")
    for axes in grid[-1]:
        axes.set_xlabel(key.x_label)
    _legend(figure, shown, key, above=True)
    _explain(figure, caption(shown, scales, marked=_marked(shown, key)))
    return figure


def save(figure: Figure, folder: Path, name: str) -> tuple[Path, Path]:
    """Write SVG and PNG, with neither date nor version: equal data give equal files."""
    svg, png = folder / f"{name}.svg", folder / f"{name}.png"
    files.write_bytes(svg, file_of(figure, "svg"))
    files.write_bytes(png, file_of(figure, "png"))
    return svg, png


def _head(figure: Figure, text: str) -> None:
    figure.suptitle(literal(text), x=_LEFT, ha="left", fontsize=11.5, fontweight="bold")


def _legend(figure: Figure, curves: Sequence[Curve], key: Key, *, above: bool = False) -> None:
    """List the policies that are drawn, in the order of the study, beside or above the charts."""
    drawn = {curve.policy for curve in curves}
    handles = {
        literal(policy): Line2D([], [], **pen.line)
        for policy, pen in key.pens.items()
        if policy in drawn
    }
    if above:
        legend_above(figure, handles)
    else:
        figure.legend(list(handles.values()), list(handles), loc="outside right upper")


def _explain(figure: Figure, text: str) -> None:
    lines = "\n".join(textwrap.wrap(literal(text), _CAPTION_COLUMNS))
    figure.supxlabel(lines, x=_LEFT, ha="left", fontsize=8, color="#555555", linespacing=1.35)


def _marked(curves: Sequence[Curve], key: Key) -> bool:
    return any(key.initialization.get((curve.problem, curve.policy)) for curve in curves)
