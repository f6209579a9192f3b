"""Candidates as dots at (std, mean): markers if they are few, one small image if they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import ColumnDataSource, LinearColorMapper

from ucbpe_app import theme
from ucbpe_app.figures.sources import put

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.figures.plane.window import Box
    from ucbpe_core.validation import Booleans, Floats

MANY = 2_000
COLUMNS, ROWS = 160, 150  # cells of about 2 px, as large as a dot would be
NEUTRAL, OUTSIDE, INSIDE = 1, 2, 3
_ALPHA = {NEUTRAL: "B0", OUTSIDE: "78", INSIDE: "FF"}
_COLOR = {NEUTRAL: theme.INK, OUTSIDE: theme.INK, INSIDE: theme.REGION_PLUS.color}
PALETTE = ["#00000000", *(_COLOR[kind] + _ALPHA[kind] for kind in (NEUTRAL, OUTSIDE, INSIDE))]


class Dots:
    """One dot per candidate, coloured by whether it is in R+ once that is known.

    More than `many` are drawn as an image of `columns` times `rows` cells, each of which can hold
    several.
    """

    def __init__(self, many: int = MANY, columns: int = COLUMNS, rows: int = ROWS) -> None:
        self._many, self._columns, self._rows = many, columns, rows
        self.markers = ColumnDataSource({"x": [], "y": [], "kind": []})
        self.image = ColumnDataSource({"image": [], "x": [], "y": [], "dw": [], "dh": []})

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        sources = {"plane.dots": self.markers, "plane.picture": self.image}
        return {**sources, "plane.markers": self.renderer, "plane.image": self._image}

    def attach(self, plot: Figure) -> None:
        """Draw them in a figure."""
        mapper = LinearColorMapper(palette=PALETTE, low=-0.5, high=len(PALETTE) - 0.5)
        self._image = plot.image(
            "image", "x", "y", "dw", "dh", source=self.image, color_mapper=mapper
        )
        self.renderer = plot.scatter(
            "x",
            "y",
            source=self.markers,
            marker="circle",
            size=5,
            fill_color={"field": "kind", "transform": mapper},
            line_color=None,
        )

    def load(self, size: int) -> None:
        """Choose how another run of `size` candidates is drawn."""
        self._image.visible, self.renderer.visible = size > self._many, size <= self._many

    def draw(self, std: Floats, mean: Floats, region_plus: Booleans | None, box: Box) -> None:
        """Show every candidate; those in R+ lie on top. `box` is the figure's."""
        if self.renderer.visible:
            self._draw_markers(std, mean, region_plus)
        else:
            self._draw_image(std, mean, region_plus, box)

    def _draw_markers(self, std: Floats, mean: Floats, region_plus: Booleans | None) -> None:
        kind = np.full(len(std), NEUTRAL, dtype=np.uint8)
        order = np.arange(len(std))
        if region_plus is not None:
            kind = np.where(region_plus, INSIDE, OUTSIDE).astype(np.uint8)
            order = np.argsort(region_plus, kind="stable")
        put(self.markers, {"x": std[order], "y": mean[order], "kind": kind[order]})

    def _draw_image(
        self, std: Floats, mean: Floats, region_plus: Booleans | None, box: Box
    ) -> None:
        left, right, bottom, top = box
        across, up = self._columns, self._rows
        columns = np.floor((std - left) * (across / (right - left))).astype(np.int64)
        rows = np.floor((mean - bottom) * (up / (top - bottom))).astype(np.int64)
        shown = (columns >= 0) & (columns < across) & (rows >= 0) & (rows < up)
        cells = rows * across + columns
        picture = np.zeros(up * across, dtype=np.uint8)
        picture[cells[shown]] = NEUTRAL if region_plus is None else OUTSIDE
        if region_plus is not None:
            picture[cells[shown & region_plus]] = INSIDE
        self.image.data = {
            "image": [picture.reshape(up, across)],
            "x": [left],
            "y": [bottom],
            "dw": [right - left],
            "dh": [top - bottom],
        }
