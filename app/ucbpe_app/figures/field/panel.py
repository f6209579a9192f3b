"""One square of the 2-D view: a field as an image, or as coloured dots off a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from bokeh.models import (
    BasicTicker,
    ColorBar,
    ColumnDataSource,
    CustomJS,
    LinearColorMapper,
    PanTool,
    WheelZoomTool,
)

from ucbpe_app import theme
from ucbpe_app.figures.axes import name_axes
from ucbpe_app.figures.field.outline import edges
from ucbpe_app.figures.field.region import dot_size
from ucbpe_app.figures.sources import put

if TYPE_CHECKING:
    from bokeh.models import Range1d

    from ucbpe_app.run.frames import Scene
    from ucbpe_core.validation import Floats

# Borders in px, wide enough for every label: the frame is square when the figure is
# WIDER_THAN_HIGH px wider than high, whatever the labels are.
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 56, 26, 42
WIDER_THAN_HIGH = _LEFT + _RIGHT - _TOP - _BOTTOM
_BARE = 8  # on the left and below, of a square without axes
BARE_WIDER_THAN_HIGH = _RIGHT - _TOP
# On a phone the squares fill the screen, where a finger must scroll the page and not a picture.
_SCROLLABLE = "@media (hover: none) { .bk-Canvas { pointer-events: none !important; } }"


class FieldPanel:
    """A titled square with its own colour scale; its ranges are shared with the others."""

    def __init__(self, x_range: Range1d, y_range: Range1d) -> None:
        self.mapper = LinearColorMapper(palette=theme.FIELD, low=0, high=1)
        self.image = ColumnDataSource({"value": [], "x": [], "y": [], "dw": [], "dh": []})
        self.dots = ColumnDataSource({"x": [], "y": [], "value": []})
        self.figure = theme.figure(
            title=" ",
            x_range=x_range,
            y_range=y_range,
            css_classes=["lab-field-square", "lab-at-field"],
            stylesheets=[_SCROLLABLE],
            min_border_left=_LEFT,
            min_border_right=_RIGHT,
            min_border_top=_TOP,
            min_border_bottom=_BOTTOM,
            frame_align=False,  # a column would give all its frames the widest left border
        )
        self._scene: Scene | None = None
        self._place = (0.0, 0.0, 0.0, 0.0)  # of the image
        self._image = self.figure.image(
            "value", "x", "y", "dw", "dh", source=self.image, color_mapper=self.mapper
        )
        self._dots = self.figure.scatter(
            "x",
            "y",
            source=self.dots,
            marker="circle",
            fill_color={"field": "value", "transform": self.mapper},
            line_color=None,
        )
        self._dress()
        self._add_tools(x_range, y_range)

    @property
    def named(self) -> tuple[tuple[str, object], ...]:
        """What a run sets here, by the names that a live lesson has for it."""
        sources = ("image", self.image), ("dots", self.dots)
        return (*sources, ("mapper", self.mapper), ("title", self.figure.title))

    def _dress(self) -> None:
        plot = self.figure
        plot.grid.visible = False
        plot.title.standoff = 6
        self._names = name_axes(plot)
        plot.add_layout(
            ColorBar(
                color_mapper=self.mapper,
                ticker=BasicTicker(desired_num_ticks=4, num_minor_ticks=0),
                width=8,
                padding=0,
                location=(8, 0),
                label_standoff=5,
                major_tick_line_color=None,
                bar_line_color=None,
                border_line_color=None,
                background_fill_alpha=0,
            ),
            "right",
        )

    def _add_tools(self, x_range: Range1d, y_range: Range1d) -> None:
        """Drag pans, Ctrl and the wheel zoom, a double click goes back; the bare wheel scrolls."""
        zoom = WheelZoomTool(modifiers="ctrl", visible=False)
        self.figure.add_tools(PanTool(visible=False), zoom)
        self.figure.toolbar.active_scroll = zoom
        reset = CustomJS(args={"x": x_range, "y": y_range}, code="x.reset(); y.reset()")
        self.figure.js_on_event("doubletap", reset)

    def load(self, scene: Scene, name: str) -> None:
        """Set axes and which of the two pictures is shown."""
        self._scene = scene
        self.figure.title.text = name
        for title, axis in zip(self._names, scene.axes[:2], strict=True):
            title.text = axis
        self._image.visible = bool(scene.grid)
        self._dots.visible = not scene.grid
        self._dots.glyph.size = dot_size(len(scene.candidates))

    def bare(self, *, on: bool) -> None:
        """Leave out the axes, which another square beside it has, or draw them again."""
        for one in (*self.figure.axis, *self._names):
            one.visible = not on
        left, bottom = (_BARE, _BARE) if on else (_LEFT, _BOTTOM)
        self.figure.update(min_border_left=left, min_border_bottom=bottom)

    def scale_to(self, low: float, high: float) -> None:
        """Set the ends of the colour scale."""
        self.mapper.update(low=low, high=high if high > low else low + 1)

    def draw(self, values: Floats) -> None:
        """Show values over the candidates, shape (M,)."""
        if self._scene is None:
            return
        candidates = self._scene.candidates
        if not self._scene.grid:
            put(self.dots, {"x": candidates[:, 0], "y": candidates[:, 1], "value": values})
            return
        nx, ny = self._scene.grid
        left, right = edges(candidates[::ny, 0])
        bottom, top = edges(candidates[:ny, 1])
        image = np.ascontiguousarray(values.reshape(nx, ny).T, dtype=np.float32)
        held, place = self.image.data["value"], (left, right, bottom, top)
        if len(held) and place == self._place and np.array_equal(held[0], image):
            return  # the truth, for another run of the same problem
        self._place = place
        self.image.data = {
            "value": [image],
            "x": [left],
            "y": [bottom],
            "dw": [right - left],
            "dh": [top - bottom],
        }
