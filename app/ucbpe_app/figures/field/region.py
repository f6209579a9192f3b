"""R and R+ over the panels: outlined, and the std veiled where no pick can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper

from ucbpe_app import theme
from ucbpe_app.figures.field.outline import edges, outline

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_core.validation import Booleans, Floats

    Lines = tuple[list[Floats], list[Floats]]

PLUS_DASH, REGION_DASH = "solid", "dashed"
VEIL = f"{theme.INK}A8"  # two thirds opaque: the field still shows through
_CASING, _LINE, _BOLDER = 4.0, 1.8, 3.0  # px
_CLEAR = "#00000000"
_LINES = ("xs", "ys", "dash", "color", "width")  # dark casings, then light lines


class RegionLayer:
    """The sources that every panel shares: lines on a grid, a veil over it or over dots."""

    def __init__(self) -> None:
        self.lines = ColumnDataSource({name: [] for name in _LINES})
        self.veil = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})
        self.faded = ColumnDataSource({"x": [], "y": [], "size": []})
        self._scene: Scene | None = None
        self._columns: Floats = np.empty(0)
        self._rows: Floats = np.empty(0)
        self._drawn: Booleans | None = None
        self._names: list[str] = []  # of each line, casings left out

    def attach(self, plot: Figure) -> None:
        """Outline the region in a figure; off a grid, fade the dots outside it."""
        plot.multi_line(
            "xs",
            "ys",
            source=self.lines,
            line_color="color",
            line_dash="dash",
            line_width="width",
            line_join="round",
        )
        plot.scatter(
            "x",
            "y",
            source=self.faded,
            marker="circle",
            size="size",
            fill_color=VEIL,
            line_color=None,
        )

    def attach_veil(self, plot: Figure) -> None:
        """Fade the field of a figure outside R+."""
        mapper = LinearColorMapper(palette=[VEIL, _CLEAR], low=0, high=1)
        plot.image("image", "x", "y", "dw", "dh", source=self.veil, color_mapper=mapper)

    def load(self, scene: Scene) -> None:
        """Take another run's candidates, without a region yet."""
        self._scene = scene
        if scene.grid:
            ny = scene.grid[1]
            self._columns = scene.candidates[::ny, 0]
            self._rows = scene.candidates[:ny, 1]
        self._clear()

    def draw(self, frame: Frame) -> None:
        """Show the frame's region; nothing is done while it stays the same."""
        if frame.region_plus is self._drawn:
            return
        if frame.region is None or frame.region_plus is None or frame.y_dot is None:
            self._clear()
            return
        if self._scene is not None and self._scene.grid:
            self._draw_lines(self._scene, frame, frame.region_plus)
        elif self._scene is not None:
            outside = self._scene.candidates[~frame.region_plus]
            size = np.full(len(outside), dot_size(len(self._scene.candidates)) + 1)
            self.faded.data = {"x": outside[:, 0], "y": outside[:, 1], "size": size}
        self._drawn = frame.region_plus

    def light(self, name: str) -> None:
        """Draw the outline of "region" or "region_plus" boldly, and the other as it was."""
        n, bold = len(self._names), [one == name for one in self._names]
        widths = [_CASING + _BOLDER * one for one in bold] + [_LINE + _BOLDER * one for one in bold]
        if n and list(self.lines.data["width"]) != widths:
            self.lines.patch({"width": [(slice(2 * n), widths)]})

    def _draw_lines(self, scene: Scene, frame: Frame, region_plus: Booleans) -> None:
        (plus_xs, plus_ys), (xs, ys) = outlines(scene, frame)
        dashes = [PLUS_DASH] * len(plus_xs) + [REGION_DASH] * len(xs)
        n = len(dashes)
        self._names = ["region_plus"] * len(plus_xs) + ["region"] * len(xs)
        self.lines.data = {
            "xs": (plus_xs + xs) * 2,
            "ys": (plus_ys + ys) * 2,
            "dash": ["solid"] * n + dashes,
            "color": [theme.OVER_FIELD_CASING] * n + [theme.OVER_FIELD] * n,
            "width": [_CASING] * n + [_LINE] * n,
        }
        shape = len(self._columns), len(self._rows)
        (left, right), (bottom, top) = edges(self._columns), edges(self._rows)
        self.veil.data = {
            "image": [np.ascontiguousarray(region_plus.reshape(shape).T, dtype=np.uint8)],
            "x": [left],
            "y": [bottom],
            "dw": [right - left],
            "dh": [top - bottom],
        }

    def _clear(self) -> None:
        for source in (self.lines, self.veil, self.faded):
            if len(next(iter(source.data.values()))):
                source.data = {name: [] for name in source.data}
        self._drawn = None


def outlines(scene: Scene, frame: Frame) -> tuple[Lines, Lines]:
    """Around R+ and around R on a grid: the zeros of their margins, by the std at batch start."""
    if frame.region is None or frame.region_plus is None or frame.y_dot is None:
        return ([], []), ([], [])
    ny = scene.grid[1]
    grid = scene.candidates[::ny, 0], scene.candidates[:ny, 1]
    above, wide = scene.sign * (frame.mean - frame.y_dot), 2 * np.sqrt(frame.beta_next)
    plus = outline(frame.region_plus, above + wide * frame.std, *grid)
    return plus, outline(frame.region, above + frame.sqrt_beta * frame.std, *grid)


def dot_size(count: int) -> float:
    """Diameter in px of one of `count` dots, which together fill much of a square."""
    return float(np.clip(240 / np.sqrt(count), 4, 14))
