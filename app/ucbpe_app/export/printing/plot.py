"""A Bokeh figure of the dashboard on Matplotlib axes: ranges, ticks, names, glyphs and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh import models
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from ucbpe_app.export.printing import glyphs
from ucbpe_app.export.printing.style import INK, QUIET, literal

if TYPE_CHECKING:
    from bokeh.models import Model
    from bokeh.plotting import figure as Plot
    from matplotlib.axes import Axes

_TICKS = 5


def draw(axes: Axes, plot: Plot) -> None:
    """Draw all that `plot` shows; its place and its legend are the caller's."""
    factors = tuple(plot.y_range.factors) if isinstance(plot.y_range, models.FactorRange) else ()
    _set_scales(axes, plot, factors)
    beneath = [line for line in plot.center if isinstance(line, models.Slope | models.Span)]
    for zorder, line in enumerate(beneath):
        _annotate(axes, line, 2 + zorder / 100)
    for zorder, renderer in enumerate(plot.renderers):
        glyphs.draw(axes, renderer, 3 + zorder / 100, factors)
    _write(axes, plot)


def bar(axes: Axes, place: Axes, plot: Plot) -> None:
    """Draw the colour bar of a field, beside it."""
    for part in plot.right:
        if isinstance(part, models.ColorBar):
            mapper = part.color_mapper
            scale = ScalarMappable(
                Normalize(mapper.low, mapper.high), ListedColormap(mapper.palette)
            )
            drawn = axes.figure.colorbar(scale, cax=place, ticks=MaxNLocator(_TICKS))
            drawn.outline.set_visible(False)
            place.tick_params(length=0, pad=2)


def _set_scales(axes: Axes, plot: Plot, factors: tuple[str, ...]) -> None:
    axes.set_xlim(plot.x_range.start, plot.x_range.end)
    _set_ticks(axes.xaxis, plot.xaxis[0])
    if factors:
        axes.set_ylim(0, len(factors))
        axes.set_yticks([i + 0.5 for i in range(len(factors))], labels=list(factors))
        axes.tick_params(axis="y", length=0)
    else:
        axes.set_ylim(plot.y_range.start, plot.y_range.end)
        _set_ticks(axes.yaxis, plot.yaxis[0])
    axes.grid(visible=_is_drawn(plot.xgrid[0]), axis="x")
    axes.grid(visible=_is_drawn(plot.ygrid[0]), axis="y")


def _is_drawn(grid: Model) -> bool:
    return grid.visible and grid.grid_line_color is not None


def _set_ticks(axis: Any, own: Model) -> None:
    axis.set_visible(own.visible)
    axis.set_minor_locator(NullLocator())
    if isinstance(own.ticker, models.FixedTicker):
        ticks = list(own.ticker.ticks)
        labels = [own.major_label_overrides.get(tick, f"{tick:g}") for tick in ticks]
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_ticklabels(labels)
    else:
        whole = getattr(own.ticker, "min_interval", 0) == 1
        wanted = own.ticker.desired_num_ticks + 2
        axis.set_major_locator(MaxNLocator(nbins=wanted, integer=whole, steps=[1, 2, 5, 10]))


def _annotate(axes: Axes, line: Model, zorder: float) -> None:
    if not line.visible:
        return
    dash = line.line_dash if isinstance(line.line_dash, str) else tuple(line.line_dash)
    look = {**glyphs.pen(line.line_width, dash), "color": line.line_color, "zorder": zorder}
    look["alpha"] = line.line_alpha
    if isinstance(line, models.Span):
        axes.axvline(line.location, **look)
        return
    ends = np.array(axes.get_xlim())
    heights = line.y_intercept + line.gradient * ends
    axes.plot(ends, heights, **look)
    if line.above_fill_color is not None:
        top = np.full(2, max(axes.get_ylim()[1], heights.max()))
        shade = {"color": line.above_fill_color, "alpha": line.above_fill_alpha, "linewidth": 0}
        axes.fill_between(ends, heights, top, zorder=zorder - 1, **shade)


def _write(axes: Axes, plot: Plot) -> None:
    """Title and names of the axes, and what is named beside the frame."""
    if plot.title is not None and plot.title.text.strip():
        axes.set_title(literal(plot.title.text))
    axes.set_xlabel(literal(_name(plot.xaxis[0], plot.below)))
    axes.set_ylabel(literal(_name(plot.yaxis[0], plot.left)))
    for label in plot.right:
        if isinstance(label, models.Label) and label.y >= plot.y_range.start:
            axes.annotate(
                label.text, (1, label.y), xycoords=("axes fraction", "data"), color=QUIET,
                xytext=(3, 0), textcoords="offset points", va="center",
            )  # fmt: skip
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_color(INK)


def _name(axis: Model, beside: list[Model]) -> str:
    titles = [part.text for part in beside if isinstance(part, models.Title)]
    return str(axis.axis_label or (titles[0] if titles else ""))
