"""Markers and texts at points of a chart, with casings where they lie over a field.

And a prior or posterior over one input as parts of a chart: band, mean, and what was measured.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.transforms import offset_copy

from ucbpe_app import theme
from ucbpe_app.line_styles import LineStyle
from ucbpe_app.plots.elements import Band, Line, Part

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from numpy.typing import ArrayLike

    from ucbpe_core.region import MeanAndStd


_MANY = 2_000  # markers; more are stored as an image, which opens faster


@dataclass(frozen=True, eq=False)
class Points(Part):
    """Markers at (x, y), shape (n,) each.

    Attributes
    ----------
    size : typographic points across
    fill : a colour, or "none"; the pen's unless given
    edge : width of the outline, in the pen's colour
    casing : so many points of black around it, which make it read over a field
    """

    x: ArrayLike = field(repr=False)
    y: ArrayLike = field(repr=False)
    size: float = 5.0
    fill: str = ""
    edge: float = 1.4
    casing: float = 0.0
    alpha: float | None = None

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], [self.y]

    def element(self) -> Any:
        data = (np.atleast_1d(self.x), np.atleast_1d(self.y))
        return hv.Scatter(data, "x", "y").opts(
            marker=self.pen.marker,
            facecolors=self.fill or self.pen.color,
            edgecolors=self.pen.color,
            s=self.size**2,
            linewidth=self.edge,
            alpha=self.alpha,
            hooks=[self._finish],
        )

    def handle(self) -> Artist:
        look: dict[str, Any] = {"marker": self.pen.marker, "color": self.pen.color}
        return Line2D([], [], linestyle="none", markersize=self.size, **look)

    def _finish(self, plot: Any, element: Any) -> None:
        artist = plot.handles["artist"]
        artist.set_rasterized(len(element) > _MANY)
        if self.casing:
            width = self.edge + 2 * self.casing
            artist.set_path_effects([withStroke(linewidth=width, foreground="black")])


@dataclass(frozen=True, eq=False)
class Dots(Points):
    """Points whose colour tells their values, shape (n,), from `low` to `high`."""

    values: ArrayLike = field(default=(), repr=False)
    colors: Any = field(default=(), repr=False)
    low: float = 0.0
    high: float = 1.0

    def element(self) -> Any:
        data = (np.asarray(self.x), np.asarray(self.y), np.asarray(self.values))
        return hv.Scatter(data, "x", ["y", "value"]).opts(
            marker=self.pen.marker, color="value", cmap=list(self.colors),
            clim=(self.low, self.high), s=self.size**2, linewidth=0, hooks=[self._finish],
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Texts(Part):
    """Short texts beside (x, y), shape (n,) each.

    Attributes
    ----------
    texts : one for each point
    offsets : (right, up) of each, in typographic points; a text is on that side of its point
    chips : colours behind each; white on a black outline unless given
    size : of the letters
    """

    x: ArrayLike = field(repr=False)
    y: ArrayLike = field(repr=False)
    texts: tuple[str, ...]
    offsets: tuple[tuple[float, float], ...] = field(repr=False)
    chips: tuple[str, ...] = ()
    size: float = 8.0

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], [self.y]

    def element(self) -> Any:
        data = (np.asarray(self.x), np.asarray(self.y), list(self.texts))
        return hv.Labels(data, ["x", "y"], "text").opts(
            size=self.size, weight="bold", hooks=[self._finish]
        )

    def _finish(self, plot: Any, element: Any) -> None:
        """Set each beside its point, which HoloViews can only in the units of the data."""
        for i, text in enumerate(plot.handles["artist"]):
            right, up = self.offsets[i]
            place = offset_copy(text.get_transform(), text.figure, right, up, units="points")
            upwards = "center_baseline" if not up else "bottom" if up > 0 else "top"
            text.set(transform=place, ha="left" if right > 0 else "right", va=upwards)
            if self.chips:
                chip = {"boxstyle": "round,pad=0.2,rounding_size=0.3", "linewidth": 0}
                text.set(color="black", bbox={**chip, "facecolor": self.chips[i]})
            else:
                text.set(color="white")
                text.set_path_effects([withStroke(linewidth=1.9, foreground="black")])


TRUTH, MEAN, BAND, DATA = (
    LineStyle.of(mark) for mark in (theme.TRUTH, theme.MEAN, theme.BAND, theme.DATA)
)


def belief_parts(
    x: ArrayLike,
    belief: MeanAndStd,
    multiplier: float = 2.0,
    *,
    truth: ArrayLike | None = None,
    data: tuple[ArrayLike, ArrayLike] | None = None,
    of: str = "",
) -> list[Part]:
    """Mean and band mean ± multiplier std over x; then f itself and the data, if given.

    Parameters
    ----------
    x : candidates, shape (M,) or (M, 1)
    belief : prior or posterior: anything with `mean` and `std`, shape (M,) each
    truth : f, shape (M,)
    data : places (n,) or (n, 1), and what was measured there (n,)
    of : what the band is of, for the legend, e.g. "a measurement"
    """
    along = np.ravel(x)
    reach = multiplier * belief.std
    what = f"mean ± {multiplier:.3g} std" + (f" of {of}" if of else "")
    parts: list[Part] = [
        Band(along, belief.mean - reach, belief.mean + reach, label=what, pen=BAND),
        Line(along, belief.mean, label="mean", pen=MEAN),
    ]
    if truth is not None:
        parts.append(Line(along, truth, label="f", pen=TRUTH))
    if data is not None:
        parts.append(Points(np.ravel(data[0]), data[1], label="data", pen=DATA))
    return parts
