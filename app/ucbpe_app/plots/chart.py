"""Charts on a page: `draw(Chart(...), Chart(...), words="...")` is a picture."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import holoviews as hv
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from ucbpe_app.line_styles import LineStyle, pen
from ucbpe_app.plots.picture import Picture, style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ucbpe_app.plots.elements import Part

WIDTH = 7.0  # inches: a page of A4 or letter between its margins
_ROOM = (0.02, 0.06)  # beyond the data along x and y, as a share of their extent
_HANDLE, _LETTER = 0.75, 0.078  # inches that an entry of the legend takes


@dataclass(frozen=True, eq=False)
class Chart:
    """Parts over one pair of axes; the first part is at the bottom.

    Attributes
    ----------
    parts : what is drawn
    x, y : names of the axes, with units where there are any
    title : above it, at the left
    x_scale, y_scale : linear or logarithmic
    x_limits, y_limits : (low, high); fitted to the data unless given
    grid : the axes that have lines at their ticks
    """

    parts: Sequence[Part]
    x: str = ""
    y: str = ""
    title: str = ""
    x_scale: Literal["linear", "log"] = "linear"
    y_scale: Literal["linear", "log"] = "linear"
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None
    grid: Literal["both", "x", "y", "none"] = "both"


def draw(
    *charts: Chart,
    words: str,
    columns: int | None = None,
    height: float = 2.5,
    share_x: bool = False,
    share_y: bool = False,
) -> Picture:
    """Charts in rows, under one legend.

    A part whose pen was left as it is gets one by its label: the same label, the same pen.

    Parameters
    ----------
    words : text alternative of the picture
    columns : charts in a row; all of them unless given
    height : of a row, in inches; the page is 7 wide
    share_x, share_y : whether charts share their limits, and only the outer ones their numbers
    """
    columns = columns or len(charts)
    rows = -(-len(charts) // columns)
    looks = _pens(charts)
    with style():
        figure = page(height * rows + 0.35)
        grid = figure.subplots(rows, columns, squeeze=False)
        for place, (axes, chart) in enumerate(zip(grid.flat, charts, strict=False)):
            fill(axes, replace(chart, parts=[_inked(part, looks) for part in chart.parts]))
            axes.set_xlim(chart.x_limits or _limits(charts if share_x else [chart], 0))
            axes.set_ylim(chart.y_limits or _limits(charts if share_y else [chart], 1))
            if share_y and place % columns:
                axes.set(ylabel="")
                axes.tick_params(labelleft=False)
            if share_x and place + columns < len(charts):
                axes.set(xlabel="")
                axes.tick_params(labelbottom=False)
        for axes in grid.flat[len(charts) :]:
            axes.set_visible(False)
        _legend(figure, [_inked(part, looks) for chart in charts for part in chart.parts])
        return Picture.of(figure, words)


def page(height: float) -> Figure:
    """A white page 7 inches wide, laid out by Matplotlib."""
    return Figure((WIDTH, height), layout="constrained", facecolor="white")


def _pens(charts: Sequence[Chart]) -> dict[str, LineStyle]:
    """A pen for each label that has none of its own, in order."""
    labels = [part.label for chart in charts for part in chart.parts if part.pen == LineStyle()]
    return {label: pen(rank) for rank, label in enumerate(dict.fromkeys(filter(None, labels)))}


def _inked(part: Part, looks: dict[str, LineStyle]) -> Part:
    return replace(part, pen=looks.get(part.label, part.pen)) if part.pen == LineStyle() else part


def fill(axes: Axes, chart: Chart) -> None:
    """Draw a chart on axes, whose limits are set to those that are given."""
    draw_parts(axes, chart.parts)
    axes.set(title=chart.title, xlabel=chart.x, ylabel=chart.y)
    axes.set(xscale=chart.x_scale, yscale=chart.y_scale)
    axes.grid(visible=chart.grid in ("both", "x"), axis="x")
    axes.grid(visible=chart.grid in ("both", "y"), axis="y")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_zorder(-1)  # the grid lies below what HoloViews draws, which begins at 0
    fitted = not (chart.x_limits or chart.y_limits)
    for points in axes.collections:
        if fitted and isinstance(points, PathCollection):
            points.set_clip_on(False)  # a marker at the edge is whole
    if chart.x_limits:
        axes.set_xlim(chart.x_limits)
    if chart.y_limits:
        axes.set_ylim(chart.y_limits)


def draw_parts(axes: Axes, parts: Sequence[Part]) -> None:
    """Have HoloViews draw parts on axes, the first at the bottom; names and grid are ours."""
    overlay = hv.Overlay([part.element() for part in parts]).opts(show_legend=False)
    # Without axes of its own HoloViews would draw on a pyplot figure, which is global.
    figure: Figure = axes.figure  # type: ignore[assignment]
    hv.renderer("matplotlib").get_plot(overlay, fig=figure, axis=axes)
    axes.set_aspect("auto")  # HoloViews draws squares
    axes.set(title="", xlabel="", ylabel="")


def _limits(charts: Sequence[Chart], axis: int) -> tuple[float, float]:
    """Limits along an axis (0 for x, 1 for y) that hold all that these charts show."""
    given = [
        np.ravel(one) for chart in charts for part in chart.parts for one in part.reach()[axis]
    ]
    values = np.concatenate(given).astype(float)
    values = values[np.isfinite(values)]
    if (charts[0].x_scale, charts[0].y_scale)[axis] == "log":
        low, high = np.log10(values[values > 0].min()), np.log10(values.max())
        room = _ROOM[axis] * (high - low or 1.0)
        return float(10 ** (low - room)), float(10 ** (high + room))
    low, high = values.min(), values.max()
    room = _ROOM[axis] * (high - low or 1.0)
    return float(low - room), float(high + room)


def _legend(figure: Figure, parts: Sequence[Part]) -> None:
    handles: dict[str, Any] = {}
    for part in parts:
        if part.label and part.label not in handles:
            handles[part.label] = part.handle()
    if handles:
        legend_above(figure, handles)


def legend_above(figure: Figure, handles: dict[str, Any]) -> None:
    """A legend above the charts, in as few lines as its labels need."""
    columns = _columns([_HANDLE + _LETTER * len(label) for label in handles])
    figure.legend(list(handles.values()), list(handles), loc="outside upper left", ncols=columns)


def _columns(widths: Sequence[float]) -> int:
    """The columns of the fewest lines in which entries of these widths fit, from the top down."""
    for lines in range(1, len(widths)):
        columns = -(-len(widths) // lines)
        shorter, taller = divmod(len(widths), columns)
        sizes = [shorter + (place < taller) for place in range(columns)]
        ends = np.cumsum(sizes)
        across = sum(max(widths[end - size : end]) for size, end in zip(sizes, ends, strict=True))
        if across <= WIDTH:
            return columns
    return 1
