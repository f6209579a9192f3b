"""Four charts over one axis of t: the band, information, and the bounds on both regrets."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import panel as pn
from bokeh.events import Tap
from bokeh.models import Range1d

from ucbpe_app import theme
from ucbpe_app.figures.regret.chart import Curve, Symbol, layout, text
from ucbpe_app.pages.theory.views.chart import TimeChart

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.theory import RunTheory

_OWN, _EVERY = theme.Mark(theme.BLUE), theme.Mark(theme.ORANGE, marker="square")
_PRINTED, _PROVED = theme.Mark(theme.INK, dash="dashed"), theme.Mark(theme.INK, dash="dotted")
_TRIVIAL = theme.Mark(theme.PURPLE, dash="dotdash")
_BAND = (
    Curve("sqrt_beta", "of the band", "√βₜ", theme.BAND, dots=True),
    Curve("wide", "of R⁺", "2√βₜ₊₁", theme.Mark(theme.ORANGE, "dashed", "square"), dots=True),
)
_GAIN = (
    Curve("run", "the run's picks", "", _OWN, dots=True),
    Curve("greedy", "greedy choice", "", theme.Mark(theme.GREEN, dash="dashed")),
    Curve("bound", "upper bound on", Symbol("γ", "", "TK"), _PROVED),
)


def _bounds(own: Curve, trivial: str) -> tuple[Curve, ...]:
    return (
        own,
        Curve("printed", "as printed", "", _PRINTED),
        Curve("proved", "as proved", "", _PROVED),
        Curve("trivial", trivial, "", _TRIVIAL),
    )


_R_BATCH, _R_FULL = Symbol("R", "K", "T"), Symbol("R", "", "TK")
_BATCH = _bounds(Curve("own", "the run's", _R_BATCH, _OWN, dots=True), "T (max f − min f)")
_FULL = _bounds(Curve("own", "the run's", _R_FULL, _EVERY, dots=True), "TK (max f − min f)")


class ChartsView:
    """Charts that share their axis of t, and a marked batch.

    ``on_select`` is called with the iteration nearest to where a chart was clicked.
    """

    def __init__(self, on_select: Callable[[int], None]) -> None:
        self._on_select, self._batches = on_select, 1
        self.x_range = x_range = Range1d(0.5, 1.5)
        self.band = TimeChart("Multiplier of the deviation", "times std", _BAND, x_range)
        self.gain = TimeChart("Information about f", "nats", _GAIN, x_range)
        regret = "regret (units of f)"
        self.batch = TimeChart(f"Bounds on {_R_BATCH}", regret, _BATCH, x_range, scale="log")
        self.full = TimeChart(f"Bounds on {_R_FULL}", regret, _FULL, x_range, scale="log")
        self.hint = text("regret-hint", "")
        for chart in self.charts:
            chart.figure.on_event(Tap, self._tapped)
        self.panel = pn.Column(
            *(chart.panel for chart in self.charts), self.hint, **layout("regret")
        )

    @property
    def charts(self) -> tuple[TimeChart, ...]:
        """All of them, as they are laid out."""
        return (self.band, self.gain, self.batch, self.full)

    def load(self, evidence: RunTheory) -> None:
        """Draw another run, no batch marked."""
        T = self._batches = evidence.batches
        self.x_range.end = T + 0.5
        self.band.load({"sqrt_beta": evidence.sqrt_beta, "wide": evidence.wide}, T)
        gain = evidence.gain
        self.gain.panel.visible = gain is not None
        if gain is not None:
            self.gain.load({"run": gain.run, "greedy": gain.greedy, "bound": gain.bound}, T)
        for chart, bound in ((self.batch, evidence.batch), (self.full, evidence.full)):
            names = ("own", "printed", "proved", "trivial")
            chart.load({name: getattr(bound, name) for name in names}, T)
        self.hint.object = (
            "<p>Regrets are on log axes. Click in a chart, or in the grid, to mark a batch in "
            "all of them.</p>"
        )

    def mark(self, t: int | None) -> None:
        """Mark a batch in every chart."""
        for chart in self.charts:
            chart.mark(t)

    def _tapped(self, event: Tap) -> None:
        # A click beside the axes has no place in the data.
        if event.x is not None and isfinite(event.x):
            self._on_select(min(max(round(event.x), 1), self._batches))
