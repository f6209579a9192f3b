"""Compact axis names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import BasicTicker, Title

from ucbpe_app.pictures.scales import stepped

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

__all__ = ["name_axes", "stepped"]


def name_axes(plot: Figure, x: str = "", y: str = "") -> tuple[Title, Title]:
    """Give a figure few ticks, and axis names whose `text` can change.

    The page's theme keeps axis labels 12 px off their ticks, too much beside small squares, and
    leaves the distance of titles alone.
    """
    plot.axis.ticker = BasicTicker(desired_num_ticks=4, num_minor_ticks=0)
    below, left = (Title(text=name, align="center", standoff=0) for name in (x, y))
    plot.add_layout(below, "below")
    plot.add_layout(left, "left")
    return below, left
