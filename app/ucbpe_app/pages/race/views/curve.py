"""A configuration over one input: mean, band, truth, data, and the picks where they measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import ColumnDataSource, Range1d

from ucbpe_app import theme
from ucbpe_app.figures.axes import name_axes
from ucbpe_app.figures.curve import geometry
from ucbpe_app.figures.curve.legend import point
from ucbpe_app.figures.legends import area, stroke
from ucbpe_app.figures.marks import mark_of
from ucbpe_app.run.sentences import number, percentage

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.figures.legends import Entry
    from ucbpe_app.pages.race.race import RaceRun, RunState
    from ucbpe_app.run.frames import Frame, Scene
    from ucbpe_app.run.screen import Layers
    from ucbpe_core.validation import Integers

_X_PAD, _Y_PAD = 0.02, 0.06
_BAND_ALPHA = 0.3
_WIDEST = 2.0  # times the narrowest band's multiplier
_STRIP, _STRIP_ALPHA = 0.045, 0.35  # height, as a share of the frame's
_SIZES = {"star": 15, "diamond": 13}
_PICK_SIZE = 11


class CurvePicture:
    """One small figure; its ranges are those of all configurations, so that bands compare."""

    def __init__(self, x_range: Range1d, y_range: Range1d) -> None:
        self.figure: Figure = theme.figure(x_range=x_range, y_range=y_range, min_border=4)
        self.figure.xgrid.visible = False
        self._names = name_axes(self.figure)
        self.truth = ColumnDataSource({"x": [], "y": []})
        self.posterior = ColumnDataSource({"x": [], "mean": [], "lower": [], "upper": []})
        self.data = ColumnDataSource({"x": [], "y": []})
        self.picks = ColumnDataSource({"x": [], "y": [], "marker": [], "size": [], "color": []})
        self._order: Integers = np.empty(0, np.intp)
        self._candidates = self._x = np.empty(0)
        self._drawn: Frame | None = None
        self.region = ColumnDataSource({"left": [], "right": []})
        self._draw()

    def load(self, runner: RaceRun) -> None:
        """Take a run: its axes and the truth."""
        scene, self._drawn = runner.scene, None
        self._candidates = scene.candidates[:, 0]
        self._order = np.argsort(self._candidates, kind="stable")
        self._x = self._candidates[self._order]
        for title, axis in zip(self._names, scene.axes, strict=True):
            title.text = axis
        self.truth.data = {"x": self._x, "y": scene.truth[self._order]}

    def update(self, state: RunState) -> None:
        """Draw the run after its last completed batch, unless it is there already."""
        frame = state.frame
        if frame is self._drawn:
            return
        self._drawn = frame
        curves = {"mean": frame.mean, "lower": frame.lower, "upper": frame.upper}
        curves = {name: values[self._order] for name, values in curves.items()}
        self.posterior.data = {"x": self._x, **curves}
        old = len(frame.observed) - frame.fresh
        measured = self._candidates[frame.observed]
        self.data.data = {"x": measured[:old], "y": frame.observed_y[:old]}
        self.picks.data = _picks(frame)
        plus = state.decision.region_plus
        edges = geometry.cell_edges(self._x)
        none = {"left": [], "right": []}
        self.region.data = none if plus is None else geometry.intervals(edges, plus[self._order])

    def show(self, layers: Layers) -> None:
        """Show or hide the truth."""
        self._truth.visible = layers.truth

    def note(self, state: RunState) -> str:
        """How wide the band is and how large the region, in a heading."""
        wide, plus = f"√β = {number(state.frame.sqrt_beta)}", state.decision.region_plus
        return wide if plus is None else f"{wide} · R⁺ {percentage(plus)} of X"

    def _draw(self) -> None:
        plot = self.figure
        fill = {k: v for k, v in theme.BAND.fill(_BAND_ALPHA).items() if k.startswith("fill")}
        plot.varea("x", "lower", "upper", source=self.posterior, **fill)
        self._truth = plot.line("x", "y", source=self.truth, **theme.TRUTH.line())
        plot.line("x", "mean", source=self.posterior, **theme.MEAN.line(line_width=2.5))
        plot.scatter("x", "y", source=self.data, **theme.DATA.point(8))
        # A strip along the lower edge, whatever the range of f.
        plot.extra_y_ranges = {"strip": Range1d(0, 1)}
        strip = {"bottom": 0, "top": _STRIP, "source": self.region, "y_range_name": "strip"}
        plot.quad(left="left", right="right", **strip, **_region_look())
        plot.scatter(
            "x",
            "y",
            source=self.picks,
            marker="marker",
            size="size",
            fill_color="color",
            line_color="color",
        )


def ranges(scene: Scene, frames: list[Frame]) -> tuple[tuple[float, float], ...]:
    """Ranges over x and over f for every configuration at one place.

    They hold the truth, the measurements and the bands. Of a band more than twice as many
    stds wide as the narrowest, only so much: GP-BUCB's would press the others flat.
    """
    widest = _WIDEST * min(frame.sqrt_beta for frame in frames)
    low, high = float(scene.truth.min()), float(scene.truth.max())
    for frame in frames:
        half = min(frame.sqrt_beta, widest) * frame.std
        low = min(low, float((frame.mean - half).min()), *frame.observed_y)
        high = max(high, float((frame.mean + half).max()), *frame.observed_y)
    x = scene.candidates[:, 0]
    across = geometry.padded(float(x.min()), float(x.max()), _X_PAD)
    return across, geometry.padded(low, high, _Y_PAD)


def entries(layers: Layers, *, region: bool = False) -> list[Entry]:
    """Swatches and texts of what every picture shows beside its picks, and of the region."""
    mean, truth = theme.MEAN, theme.TRUTH
    shown = [(stroke(truth.color, truth.dash), "truth")] if layers.truth else []
    return [
        (stroke(mean.color, mean.dash, 2.5), "mean"),
        (area(theme.BAND.color, _BAND_ALPHA), "mean ± √β std"),
        *shown,
        (point(theme.DATA), "earlier data"),
        *(
            [(area(theme.REGION_PLUS.color, _STRIP_ALPHA), "R⁺ of the last batch")]
            if region
            else []
        ),
    ]


def _region_look() -> dict[str, Any]:
    """How the strip of R+ is drawn."""
    plus = theme.REGION_PLUS
    return plus.fill(_STRIP_ALPHA, line_color=plus.color, line_width=1.5)


def _picks(frame: Frame) -> dict[str, list[Any]]:
    """The picks of the last batch, where they have measured."""
    marks = [mark_of(pick.role) for pick in frame.picks]
    return {
        "x": [float(pick.x[0]) for pick in frame.picks],
        "y": frame.observed_y[len(frame.observed_y) - len(marks) :].tolist(),
        "marker": [mark.marker for mark in marks],
        "size": [_SIZES.get(mark.marker, _PICK_SIZE) for mark in marks],
        "color": [mark.color for mark in marks],
    }
