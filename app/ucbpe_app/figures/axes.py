"""Compact axis names, and scales that stay readable while a run closes in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import BasicTicker, Title

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

_STEP, _MOST_STEPS = 2**0.5, 30


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


def stepped(limit: float, needed: float) -> float:
    """`limit`, divided by sqrt(2) as often as `needed` still fits.

    Over a run the std can shrink by a factor of 100. With a scale fixed for the run, there would be
    one colour; a scale fitted to each batch would hide the shrinking. This scale changes rarely,
    and never within a batch.
    """
    for _ in range(_MOST_STEPS):
        if limit / _STEP < needed:
            break
        limit /= _STEP
    return limit
