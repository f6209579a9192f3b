"""What a chart is made of: lines, areas, images and levels, drawn by HoloViews.

Each is data and a pen; `element` makes the HoloViews element, inside `picture.style`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import holoviews as hv
import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ucbpe_app.line_styles import LineStyle

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from numpy.typing import ArrayLike

BAND_ALPHA = 0.16  # four bands on top of each other still show their edges


@dataclass(frozen=True, eq=False)
class Part(ABC):
    """One layer of a chart; what has no `label` is not in the legend."""

    label: str = field(default="", kw_only=True)
    pen: LineStyle = field(default_factory=LineStyle, kw_only=True)

    @abstractmethod
    def element(self) -> Any:
        """The HoloViews element."""

    def handle(self) -> Artist:
        """How the legend shows it."""
        return Line2D([], [], **self.pen.line)

    @abstractmethod
    def reach(self) -> tuple[list[Any], list[Any]]:
        """All x and all y that the axes must hold, as lists of arrays."""


@dataclass(frozen=True, eq=False)
class Line(Part):
    """A line through (x, y), shape (n,) each, broken at NaN.

    Attributes
    ----------
    step : whether each y stays to the next x
    dots : the size of the pen's markers on it, in typographic points; 0 for none
    """

    x: ArrayLike = field(repr=False)
    y: ArrayLike = field(repr=False)
    alpha: float = 1.0
    step: bool = False
    dots: float = 0.0

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], [self.y]

    def element(self) -> Any:
        look = {**self.pen.line, "alpha": self.alpha}
        look["interpolation"] = "steps-post" if self.step else "linear"
        if self.dots:
            look |= {"marker": self.pen.marker, "ms": self.dots}
        return hv.Curve((np.asarray(self.x), np.asarray(self.y)), "x", "y").opts(**look)


@dataclass(frozen=True, eq=False)
class Band(Part):
    """The area between low and high over x, shape (n,) each."""

    x: ArrayLike = field(repr=False)
    low: ArrayLike = field(repr=False)
    high: ArrayLike = field(repr=False)
    alpha: float = BAND_ALPHA

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], [self.low, self.high]

    def element(self) -> Any:
        data = (np.asarray(self.x), np.asarray(self.low), np.asarray(self.high))
        return hv.Area(data, "x", ["low", "high"]).opts(
            facecolor=self.pen.color, edgecolor="none", linewidth=0, alpha=self.alpha
        )

    def handle(self) -> Artist:
        return Patch(facecolor=self.pen.color, alpha=min(2 * self.alpha, 1.0), linewidth=0)


@dataclass(frozen=True, eq=False)
class Field(Part):
    """Values over a grid, shape (rows, columns) from the bottom up, as an image within `bounds`.

    Attributes
    ----------
    bounds : left, bottom, right and top edge of the outer cells
    colors : of the values from `low` to `high`
    """

    values: ArrayLike = field(repr=False)
    bounds: tuple[float, float, float, float]
    colors: Any = field(repr=False)
    low: float
    high: float

    def reach(self) -> tuple[list[Any], list[Any]]:
        left, bottom, right, top = self.bounds
        return [(left, right)], [(bottom, top)]

    def element(self) -> Any:
        image = hv.Image(np.asarray(self.values)[::-1], bounds=self.bounds)
        return image.opts(cmap=list(self.colors), clim=(self.low, self.high))


@dataclass(frozen=True, eq=False)
class Bars(Part):
    """Bars from `left` to `right`, shape (n,) each, between two heights."""

    left: ArrayLike = field(repr=False)
    right: ArrayLike = field(repr=False)
    low: float
    high: float
    alpha: float = 1.0
    hatch: str = ""

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.left, self.right], [(self.low, self.high)]

    def element(self) -> Any:
        ends = zip(np.asarray(self.left), np.asarray(self.right), strict=True)
        bars = hv.Rectangles([(left, self.low, right, self.high) for left, right in ends])
        fill = self.pen.color, self.alpha
        line = (
            {"linewidth": self.pen.width, "hatch": self.hatch} if self.hatch else {"linewidth": 0}
        )
        return bars.opts(facecolor=fill, edgecolor=self.pen.color, **line)


@dataclass(frozen=True, eq=False)
class Level(Part):
    """A horizontal line at y."""

    y: float

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [], [self.y]

    def element(self) -> Any:
        return hv.HLine(self.y).opts(**self.pen.line)


@dataclass(frozen=True, eq=False)
class Moment(Part):
    """A vertical line at x."""

    x: float

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], []

    def element(self) -> Any:
        return hv.VLine(self.x).opts(**self.pen.line)
