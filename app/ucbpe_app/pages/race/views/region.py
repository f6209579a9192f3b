"""R+ over a field, outlined: what the picks of the last batch could be made in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import ColumnDataSource

from ucbpe_app.figures import legends
from ucbpe_app.figures.field.outline import outline
from ucbpe_app.figures.marks import DARK, LIGHT

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Floats

_COLUMNS = ("xs", "ys", "color", "width")
_WIDTHS = (4.0, 1.8)  # of the dark casing and of the light line


class RegionPlus:
    """The outline of R+ alone; R, and the candidates off a grid, are for the Step page."""

    def __init__(self) -> None:
        self.lines = ColumnDataSource({name: [] for name in _COLUMNS})
        self._grid: tuple[Floats, Floats] | None = None

    def attach(self, plot: Figure) -> None:
        """Draw it in a figure."""
        plot.multi_line(
            "xs",
            "ys",
            source=self.lines,
            line_color="color",
            line_width="width",
            line_join="round",
        )

    def load(self, scene: Scene) -> None:
        """Take another run's candidates."""
        self._grid = None
        if scene.grid:
            ny = scene.grid[1]
            self._grid = scene.candidates[::ny, 0], scene.candidates[:ny, 1]

    def draw(self, frame: Frame) -> None:
        """Show the region of a frame, or none."""
        xs: list[Floats] = []
        ys: list[Floats] = []
        if self._grid and frame.region_plus is not None and frame.y_dot is not None:
            # The margin of the region, from the std at batch start.
            margin = frame.mean - frame.y_dot + 2 * np.sqrt(frame.beta_next) * frame.std
            xs, ys = outline(frame.region_plus, margin, *self._grid)
        self.lines.data = {
            "xs": xs * 2,
            "ys": ys * 2,
            "color": [color for color in (DARK, LIGHT) for _ in xs],
            "width": [width for width in _WIDTHS for _ in xs],
        }


def entry() -> legends.Entry:
    """Swatch and text for a legend."""
    dark, light = (
        legends.stroke(color, width=width)
        for color, width in zip((DARK, LIGHT), _WIDTHS, strict=True)
    )
    return dark + light, "R⁺ of the last batch"
