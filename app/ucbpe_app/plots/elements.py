"""What a chart is made of: lines, bands, points and levels, drawn by HoloViews.

Each is data and a pen; `element` makes the HoloViews element, inside `ucbpe_app.plots.style.style`.
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

    @abstractmethod
    def handle(self) -> Artist:
        """How the legend shows it."""

    @abstractmethod
    def reach(self) -> tuple[list[Any], list[Any]]:
        """All x and all y that the axes must hold, as lists of arrays."""


@dataclass(frozen=True, eq=False)
class Line(Part):
    """A line through (x, y), shape (n,) each."""

    x: ArrayLike = field(repr=False)
    y: ArrayLike = field(repr=False)

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], [self.y]

    def element(self) -> Any:
        return hv.Curve((np.asarray(self.x), np.asarray(self.y)), "x", "y").opts(**self.pen.line)

    def handle(self) -> Artist:
        return Line2D([], [], **self.pen.line)


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
class Points(Part):
    """Markers at (x, y), shape (n,) each."""

    x: ArrayLike = field(repr=False)
    y: ArrayLike = field(repr=False)
    size: float = 5.0  # typographic points across

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], [self.y]

    def element(self) -> Any:
        data = (np.atleast_1d(self.x), np.atleast_1d(self.y))
        look: dict[str, Any] = {"marker": self.pen.marker, "color": self.pen.color}
        look["edgecolor"] = "face"
        return hv.Scatter(data, "x", "y").opts(s=self.size**2, linewidth=1.4, **look)

    def handle(self) -> Artist:
        look: dict[str, Any] = {"marker": self.pen.marker, "color": self.pen.color}
        return Line2D([], [], linestyle="none", markersize=self.size, **look)


@dataclass(frozen=True, eq=False)
class Level(Part):
    """A horizontal line at y."""

    y: float

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [], [self.y]

    def element(self) -> Any:
        return hv.HLine(self.y).opts(**self.pen.line)

    def handle(self) -> Artist:
        return Line2D([], [], **self.pen.line)


@dataclass(frozen=True, eq=False)
class Moment(Part):
    """A vertical line at x."""

    x: float

    def reach(self) -> tuple[list[Any], list[Any]]:
        return [self.x], []

    def element(self) -> Any:
        return hv.VLine(self.x).opts(**self.pen.line)

    def handle(self) -> Artist:
        return Line2D([], [], **self.pen.line)
