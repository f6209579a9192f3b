"""Four charts over one axis of t: the band, information, and the bounds on both regrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panel as pn
from bokeh.models import Range1d

from ucbpe_app import theme
from ucbpe_app.figures.regret.chart import (
    Curve,
    Symbol,
    TimeChart,
    heading,
    layout,
    source_of,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ucbpe_app.pages.theory.state import RunTheory
    from ucbpe_core.validation import Floats

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


class CurvesChart(TimeChart):
    """Curves on a linear axis from 0, or on a log axis; `source` has a column for each."""

    def __init__(
        self, title: str, label: str, curves: tuple[Curve, ...], x_range: Range1d, *,
        log: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(label, x_range)
        self._title, self._curves, self._log = title, curves, log
        self.source = source_of(curves)
        for curve in reversed(curves):  # the first is drawn last, on top
            self.draw(curve, self.source)

    def load(self, values: Mapping[str, Floats | None], batches: int) -> None:
        """Draw other curves, shape (T,) each; one that is None is left out."""
        given = {name: column for name, column in values.items() if column is not None}
        together = np.concatenate(list(given.values()))
        self.axis.fit(together, log=self._log)
        self.axis.reach(float(together.max()))
        missing = np.full(batches, np.nan)
        columns = {c.column: self.axis.place(given.get(c.column, missing)) for c in self._curves}
        self.source.data = {"t": np.arange(1, batches + 1), **columns}
        drawn = [curve for curve in self._curves if curve.column in given]
        self.heading.object = heading(self._title, drawn)
        self.mark(None)


class ChartsView(pn.viewable.Viewer):
    """Charts that share their axis of t, and a marked batch.

    ``on_select`` is called with the iteration nearest to where a chart was clicked.
    """

    def __init__(self, on_select: Callable[[int], None]) -> None:
        super().__init__()
        self.x_range = x_range = Range1d(0.5, 1.5)
        self.band = CurvesChart("Multiplier of the std", "times std", _BAND, x_range)
        self.gain = CurvesChart("Information about f", "nats", _GAIN, x_range)
        regret = "regret (units of f)"
        self.batch = CurvesChart(f"Bounds on {_R_BATCH}", regret, _BATCH, x_range, log=True)
        self.full = CurvesChart(f"Bounds on {_R_FULL}", regret, _FULL, x_range, log=True)
        self.hint = text("regret-hint", "")
        for chart in self.charts:
            chart.aim(on_select)
        self._panel = pn.Column(
            *(chart.panel for chart in self.charts), self.hint, **layout("regret")
        )

    def __panel__(self) -> pn.Column:
        return self._panel

    @property
    def charts(self) -> tuple[CurvesChart, ...]:
        """All of them, as they are laid out."""
        return (self.band, self.gain, self.batch, self.full)

    def load(self, run_theory: RunTheory) -> None:
        """Draw another run, no batch marked."""
        T = run_theory.batches
        self.x_range.end = T + 0.5
        self.band.load({"sqrt_beta": run_theory.sqrt_beta, "wide": run_theory.wide}, T)
        gain = run_theory.gain
        self.gain.panel.visible = gain is not None
        if gain is not None:
            self.gain.load({"run": gain.run, "greedy": gain.greedy, "bound": gain.bound}, T)
        for chart, bound in ((self.batch, run_theory.batch), (self.full, run_theory.full)):
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
