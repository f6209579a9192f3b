"""Where a person points in a figure: the nearest point, and clicks in a chart over batches."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from bokeh.events import DoubleTap, Tap
from bokeh.models import CrosshairTool

from ucbpe_app import theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from bokeh.plotting import figure as Figure

    from ucbpe_core.support.validation import Floats


@dataclass(frozen=True)
class Place:
    """A place in a figure, in the units of its axes, and how many of them a pixel is wide."""

    x: float
    y: float
    dx: float
    dy: float

    def nearest(self, x: Floats, y: Floats, reach: float = np.inf) -> int | None:
        """Index of the point (x, y), shape (M,), nearest on screen, if within `reach` px."""
        if len(x) == 0:
            return None
        squared = ((x - self.x) / self.dx) ** 2 + ((y - self.y) / self.dy) ** 2
        index = int(np.argmin(squared))
        return index if squared[index] <= reach**2 else None


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
