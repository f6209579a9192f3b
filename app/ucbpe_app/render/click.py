"""Clicks in a chart over batches."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from bokeh.events import DoubleTap, Tap
from bokeh.models import CrosshairTool

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.plotting import figure as Figure

_AIM = {"line_color": theme.INK, "line_alpha": 0.6}  # under the pointer: a click goes there


def aim(figure: Figure, on_select: Callable[[float], None]) -> None:
    """Have a click tell its x; a line under the pointer announces it."""

    def tapped(event: Tap | DoubleTap) -> None:
        # A click beside the axes has no place in the data.
        if event.x is not None and isfinite(event.x):
            on_select(event.x)

    # A second click within 300 ms, wherever it is, is a double click.
    figure.on_event(Tap, tapped)
    figure.on_event(DoubleTap, tapped)
    # Bokeh leaves no other say over the cursor.
    figure.add_tools(CrosshairTool(dimensions="height", **_AIM))
