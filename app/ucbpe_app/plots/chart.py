"""Charts on a page: `draw(Chart(...) + Chart(...), words="...")` is a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import holoviews as hv
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from ucbpe_app.pictures.looks import LineStyle, pens
from ucbpe_app.plots.elements import BAND_ALPHA, options
from ucbpe_app.plots.prints import Print, style

if TYPE_CHECKING:
    from ucbpe_core import Trace


if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    Scale = Literal["linear", "log"]

WIDTH = 7.0  # inches: a page of A4 or letter between its margins
_ROOM = (0.02, 0.06)  # beyond the data along x and y, as a share of their extent
_HANDLE, _LETTER = 0.75, 0.078  # inches that an entry of the legend takes
_MANY = 2_000  # markers; more are stored as an image, which opens faster


def Chart(
    parts: hv.Element | Iterable[hv.Element],
    x: str = "",
    y: str = "",
    title: str = "",
    *,
    x_scale: Scale = "linear",
    y_scale: Scale = "linear",
    x_limits: tuple[float, float] | None = None,
    y_limits: tuple[float, float] | None = None,
) -> hv.Overlay:
    """Elements over one pair of axes; the first is at the bottom.

    Parameters
    ----------
    parts : elements, as a list or composed by ``*``
    x, y : names of the axes, with units where there are any
    title : above it, at the left
    x_scale, y_scale : linear or logarithmic
    x_limits, y_limits : (low, high); fitted to the data unless given
    """
    elements = [parts] if isinstance(parts, hv.Element) else list(parts)
    limits = {"xlim": x_limits, "ylim": y_limits}
    return options(
        hv.Overlay(elements), xlabel=x, ylabel=y, title=title, logx=x_scale == "log",
        logy=y_scale == "log", padding=_ROOM, aspect=None, show_legend=False,
        **{name: limit for name, limit in limits.items() if limit is not None},
    )  # fmt: skip


def draw(
    *charts: hv.Overlay | hv.Layout,
    words: str,
    columns: int | None = None,
    height: float = 2.5,
    share_x: bool = False,
    share_y: bool = False,
) -> Print:
    """Charts in rows, under one legend.

    Parameters
    ----------
    charts : of `Chart`, one by one or composed by ``+``
    words : text alternative of the picture
    columns : charts in a row; all of them unless given
    height : of a row, in inches; the page is 7 wide
    share_x, share_y : whether charts share their limits, and only the outer ones their numbers
    """
    flat = [
        chart for group in charts for chart in (group if isinstance(group, hv.Layout) else [group])
    ]
    columns = columns or len(flat)
    rows = -(-len(flat) // columns)
    styles = _label_styles(flat)
    with style():
        figure = page(height * rows + 0.35)
        grid = figure.subplots(rows, columns, squeeze=False)
        axes, others = list(grid.flat[: len(flat)]), grid.flat[len(flat) :]
        handles: dict[str, Artist] = {}
        for ax, chart in zip(axes, flat, strict=True):
            handles |= {name: artist for name, artist in fill(ax, chart, styles).items() if name}
        if share_x:
            _share(axes, "x", columns)
        if share_y:
            _share(axes, "y", columns)
        for ax in others:
            ax.set_visible(False)
        if handles:
            legend_above(figure, handles)
        return Print.of(figure, words)


def page(height: float) -> Figure:
    """A white page 7 inches wide, laid out by Matplotlib."""
    return Figure((WIDTH, height), layout="constrained", facecolor="white")


def fill(
    axes: Axes, chart: hv.Overlay, styles: Mapping[str, LineStyle] | None = None
) -> dict[str, Artist]:
    """Have HoloViews draw a chart on axes; return what it drew, by label, for a legend.

    Without axes of its own HoloViews would draw on a pyplot figure, which is global.

    Parameters
    ----------
    styles : by label, of lines without one of their own
    """
    figure: Figure = axes.figure  # type: ignore[assignment]
    first = figure.axes[0]
    names = first.get_xlabel(), first.get_ylabel()
    plot = hv.renderer("matplotlib").get_plot(chart, fig=figure, axis=axes)
    first.set(xlabel=names[0], ylabel=names[1])  # HoloViews names it, whatever axes `Level` is on
    axes.set_aspect("auto")  # HoloViews draws squares
    look = hv.Store.lookup_options("matplotlib", chart, "plot").kwargs
    drawn: dict[str, Artist] = {}
    for level, (element, subplot) in enumerate(zip(chart, plot.subplots.values(), strict=True)):
        handle = subplot.handles.get("annotations") or subplot.handles["artist"]
        artists = handle if isinstance(handle, list) else [handle]
        for artist in artists:
            artist.set_zorder(level)
            if _is_free(element):
                artist.set(**(styles or {}).get(element.label, LineStyle()).line)
            if isinstance(artist, PathCollection):
                artist.set_rasterized(len(element) > _MANY)
                artist.set_clip_on("xlim" in look or "ylim" in look)  # or whole at the edge
        drawn.setdefault(element.label, artists[0])
    axes.set(xlabel=look.get("xlabel", ""), ylabel=look.get("ylabel", ""))
    axes.grid(visible=True)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_zorder(-1)  # the grid lies below what HoloViews draws, which begins at 0
    return drawn


def _is_free(element: hv.Element) -> bool:
    """Whether a line has the colour that HoloViews gives to one without."""
    look = hv.Store.lookup_options("matplotlib", element, "style").kwargs
    return type(element) is hv.Curve and isinstance(look.get("color", hv.Cycle()), hv.Cycle)


def _label_styles(charts: Sequence[hv.Overlay]) -> dict[str, LineStyle]:
    """A style for each label that has none of its own, in order."""
    free = [part.label for chart in charts for part in chart if part.label and _is_free(part)]
    return pens(list(dict.fromkeys(free)))


def _share(axes: Sequence[Axes], name: Literal["x", "y"], columns: int) -> None:
    """Give charts the limits that suit all, and numbers to those at the edge alone."""
    limits = np.array([getattr(ax, f"get_{name}lim")() for ax in axes])
    for place, ax in enumerate(axes):
        getattr(ax, f"set_{name}lim")(limits[:, 0].min(), limits[:, 1].max())
        if place + columns < len(axes) if name == "x" else place % columns:
            ax.set(**{f"{name}label": ""})
            ax.tick_params(axis=name, labelbottom=False, labelleft=False)


def legend_above(figure: Figure, handles: dict[str, Any]) -> None:
    """A legend above the charts, in as few lines as its labels need."""
    columns = _columns([_HANDLE + _LETTER * len(label) for label in handles])
    legend = figure.legend(
        list(handles.values()), list(handles), loc="outside upper left", ncols=columns
    )
    for handle in legend.legend_handles:
        if isinstance(handle, Patch):
            handle.set_alpha(2 * BAND_ALPHA)  # a small sample is stronger than the band


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


def regrets(trace: Trace) -> Any:
    """r_t^K and the smallest so far, over the batches."""
    t = np.arange(1, len(trace.decisions) + 1)
    curves = {"of the batch": trace.simple_regret, "least so far": trace.running_minimum}
    lines = [
        hv.Curve((t, curve), "batch t", f"regret of {trace.problem.axes[-1]}", label=label)
        for label, curve in curves.items()
    ]
    return hv.Overlay(lines).relabel(f"{trace.problem.name}: {trace.policy.name}")
