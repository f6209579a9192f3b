"""One input: the posterior, R and R+, and the standard deviation, above each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from ucbpe_app import theme
from ucbpe_app.export.printing.sheet import PrintedPage
from ucbpe_app.export.printing.style import PT, QUIET
from ucbpe_app.figures.curve import geometry
from ucbpe_app.figures.curve.badges import badges
from ucbpe_app.figures.curve.figures import BAND_ALPHA, FADED, GHOST
from ucbpe_app.figures.curve.legend import (
    POSTERIOR,
    STD,
    listed,
    posterior_labels,
    std_labels,
)
from ucbpe_app.plots import Band, Bars, Chart, Level, Line, LineStyle, Moment, Points, Texts

if TYPE_CHECKING:
    from ucbpe_app.export.printing import FigureRequest
    from ucbpe_app.plots import Part
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.validation import Floats, Integers

_LEFT, _WIDTH = 1.9, 14.4  # cm: what stands left of a frame are numbers and the name of the axis
_STACK = ((3.0, 5.5), (8.65, 0.95), (9.75, 2.9))  # cm: the top of each frame, and its height
_STRONG, _THIN = 2.5 * PT, PT
_STRIP = 0.31  # half the height of a strip, where rows are 1 apart


def curve(request: FigureRequest) -> PrintedPage:
    """The page of an event."""
    scene, frame, layers = request.replay.scene, request.frame, request.layers
    parts = _Parts(scene, frame, layers)
    across = geometry.input_range(parts.edges)
    noise = scene.noise_variance if layers.noisy else 0.0
    upwards = geometry.value_range([frame], noise)
    posterior = [*parts.posterior, *parts.choices(across, upwards)]
    charts = (
        Chart(posterior, "", scene.axes[-1], x_limits=across, y_limits=upwards, grid="y"),
        Chart(parts.strips, x_limits=across, y_limits=(-0.5, 1.5), grid="none"),
        Chart(
            parts.std, scene.axes[0], "std σ", x_limits=across,
            y_limits=geometry.std_range([frame]), grid="y",
        ),
    )  # fmt: skip
    page = PrintedPage(request, height=15.1)
    labels = posterior_labels(frame, layers, scene.sign)
    page.legend(listed(POSTERIOR, labels), _LEFT, 1.45, _WIDTH)
    page.legend(listed(STD, std_labels(frame)), _LEFT, 13.6, _WIDTH)
    above, strips, below = (
        page.chart(chart, _LEFT, top, _WIDTH, height)
        for chart, (top, height) in zip(charts, _STACK, strict=True)
    )
    for axes in (above, strips):
        axes.tick_params(axis="x", length=0, labelbottom=False)
    strips.set_yticks([0, 1], labels=["R⁺", "R"])
    strips.tick_params(axis="y", length=0)
    strips.spines["bottom"].set_visible(False)
    above.yaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    below.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    if frame.y_dot is not None:
        above.annotate(
            "y•", (1, frame.y_dot), xycoords=("axes fraction", "data"), color=QUIET,
            xytext=(3, 0), textcoords="offset points", va="center",
        )  # fmt: skip
    return page


@dataclass(frozen=True)
class _Parts:
    """What the three charts hold, the first of each at the bottom."""

    scene: Scene
    frame: Frame
    layers: Layers

    @cached_property
    def order(self) -> Integers:
        return np.argsort(self.scene.candidates[:, 0], kind="stable")

    @cached_property
    def x(self) -> Floats:
        return self.scene.candidates[self.order, 0]

    @cached_property
    def edges(self) -> Floats:
        return geometry.cell_edges(self.x)

    @property
    def posterior(self) -> list[Part]:
        """Band, further bounds, truth and mean."""
        frame = self.frame
        band = LineStyle.of(theme.BAND)
        lower, upper = frame.lower[self.order], frame.upper[self.order]
        parts: list[Part] = [Band(self.x, lower, upper, BAND_ALPHA, pen=band)]
        if self.layers.noisy:
            half = frame.sqrt_beta * np.sqrt(frame.std**2 + self.scene.noise_variance)
            parts += self._bounds(half, LineStyle.of(theme.BAND, _THIN))
        if geometry.is_updated(frame):
            half = frame.sqrt_beta * frame.std_now
            parts += self._bounds(half, LineStyle.of(theme.UPDATED_BAND, 2 * PT))
        if self.layers.truth:
            parts.append(self._line(self.scene.truth, LineStyle.of(theme.TRUTH, 2 * PT)))
        return [*parts, self._line(frame.mean, LineStyle.of(theme.MEAN, _STRONG))]

    def choices(self, across: tuple[float, float], upwards: tuple[float, float]) -> list[Part]:
        """y•, the place of the pick being made, names of picks, data and picks."""
        frame = self.frame
        pen = LineStyle.of(theme.Y_DOT, _STRONG)
        parts: list[Part] = [] if frame.y_dot is None else [Level(frame.y_dot, pen=pen)]
        parts += self._guide
        names = badges(frame, across, upwards)
        if names["text"]:
            offsets = tuple(zip(names["dx"], (-dy for dy in names["dy"]), strict=True))
            parts.append(
                Texts(
                    names["x"], names["y"], tuple(names["text"]),
                    tuple((PT * dx, PT * dy) for dx, dy in offsets), tuple(names["color"]),
                )
            )  # fmt: skip
        return [*parts, *self._data, *self._picks("y")]

    @property
    def strips(self) -> list[Part]:
        """The runs of R+ and of R, in rows at 0 and at 1."""
        region, plus = LineStyle.of(theme.REGION), LineStyle.of(theme.REGION_PLUS, 1.5 * PT)
        masks = self.frame.region_plus, self.frame.region
        rows = ((0, masks[0], plus, 0.2, "/"), (1, masks[1], region, 0.9, ""))
        parts: list[Part] = []
        for row, mask, pen, alpha, hatch in rows:
            if mask is not None and mask.any():
                runs = geometry.intervals(self.edges, mask[self.order])
                low, high = row - _STRIP, row + _STRIP
                bars = Bars(runs["left"], runs["right"], low, high, alpha, 5 * hatch, pen=pen)
                parts.append(bars)
        # A chart is never empty: before there is a region, it is an invisible line.
        return [*parts, *self._guide] or [Level(-1)]

    @property
    def std(self) -> list[Part]:
        """Before this pick, now, and strong where a pick can be made."""
        frame, inside = self.frame, self.frame.region_plus
        now = frame.std_now if inside is None else np.where(inside, frame.std_now, np.nan)
        pen = LineStyle.of(theme.MEAN, _STRONG)
        parts: list[Part] = [*self._guide]
        if frame.std_before is not None:
            parts.append(self._line(frame.std_before, LineStyle.of(GHOST, 2 * PT)))
        faded = replace(self._line(frame.std_now, LineStyle.of(theme.MEAN, 2 * PT)), alpha=FADED)
        parts.append(faded)
        return [*parts, self._line(now, pen), *self._picks("std")]

    @property
    def _guide(self) -> list[Part]:
        pen = LineStyle.of(theme.Mark(theme.INK), _THIN)
        return [Moment(float(pick.x[0]), pen=pen) for pick in self.frame.picks if pick.current]

    @property
    def _data(self) -> list[Part]:
        frame, pen = self.frame, LineStyle.of(theme.DATA)
        x, y = self.scene.candidates[frame.observed, 0], frame.observed_y
        old = len(x) - frame.fresh
        parts: list[Part] = []
        if old:
            parts.append(Points(x[:old], y[:old], 9 * PT, edge=2 * PT, pen=pen))
        if frame.fresh:
            ring = LineStyle(theme.DATA.color)
            parts.append(Points(x[old:], y[old:], 12 * PT, edge=3 * PT, pen=pen))
            parts.append(Points(x[old:], y[old:], 20 * PT, "none", PT, pen=ring))
        return parts

    def _picks(self, height: str) -> list[Part]:
        """Marks by role, at their values or their standard deviations; the current one filled."""
        parts: list[Part] = []
        for name, mark in geometry.FAMILIES.items():
            columns, pen = geometry.picks(self.frame, name), LineStyle.of(mark)
            x, y, size, alpha = (np.array(columns[one]) for one in ("x", height, "size", "alpha"))
            for current, fill in ((False, "none"), (True, "")):
                shown = np.isfinite(y) & (alpha == current)
                if shown.any():
                    across = float(size[shown][0]) * PT
                    parts.append(Points(x[shown], y[shown], across, fill, 2 * PT, pen=pen))
        return parts

    def _bounds(self, half: Floats, pen: LineStyle) -> list[Part]:
        return [self._line(self.frame.mean + sign * half, pen) for sign in (-1, 1)]

    def _line(self, values: Floats, pen: LineStyle) -> Line:
        return Line(self.x, values[self.order], pen=pen)
