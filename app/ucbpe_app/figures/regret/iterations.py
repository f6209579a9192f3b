"""A chart over the iterations: strong where measured, faint ahead, on a linear or a log axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.figures.regret.chart import TimeChart, heading, source_of
from ucbpe_app.figures.regret.pinned import PinnedCurves
from ucbpe_app.figures.sources import put
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.figures.regret.chart import Curve
    from ucbpe_core.validation import Floats

AHEAD = 0.35  # opacity of what is still ahead
_FLAT = 4  # a curve this many times lower than the axis lies flat at its bottom


class IterationChart(TimeChart):
    """Curves that are measured batch by batch.

    Attributes
    ----------
    ahead, done : the whole run, and its measured part, at their places on the axis
    references : curves that do not depend on the step, as those
    """

    def __init__(
        self, title: str, curves: tuple[Curve, ...], references: tuple[Curve, ...] = ()
    ) -> None:
        super().__init__("regret")
        self._title, self._curves, self._references = title, curves, references
        self._values: dict[str, Floats] = {}
        self._given: dict[str, Floats] = {}
        self._pinned: tuple[dict[str, Floats], str] = ({}, "")
        self._layers, self._held = Layers(), False
        self._tops = [0.0]
        self.ahead, self.done = source_of(curves), source_of(curves)
        self.references = source_of(references)
        self._reference_lines = {
            curve.column: self.draw(curve, self.references) for curve in references
        }
        for source, alpha in ((self.ahead, AHEAD), (self.done, 1.0)):
            for curve in reversed(curves):  # the first is drawn last, on top
                self.draw(curve, source, alpha)
        self._drawn_ahead = [one for one in self.figure.renderers if one.data_source is self.ahead]
        self.pinned = PinnedCurves(self.figure, curves)
        self._arrange()

    @property
    def named(self) -> dict[str, object]:
        """What a run sets here, by the names that a live lesson has for it."""
        y_axis = self.figure.yaxis[0]
        sources = {"ahead": self.ahead, "done": self.done, "now": self.now}
        axes = {"axis": y_axis, "ticks": y_axis.ticker, "y_range": self.figure.y_range}
        return {**sources, **axes, "heading": self.heading}

    @property
    def plain_heading(self) -> str:
        """HTML of the heading without references."""
        return heading(self._title, self._curves)

    def load(self, values: Mapping[str, Floats]) -> None:
        """Draw other curves, shape (T,) each; the references are gone, and `update` is next."""
        self._values, self._given = dict(values), {}
        # As many batches of another run may be measured: some columns of theirs would be sent, and
        # then `update` replaces all. In one message Bokeh writes both as they are at its end, and
        # the first one's columns do not fit those that the browser still has.
        put(self.done, {name: [] for name in self.done.data})
        self._fit()
        self.figure.x_range.end = len(self.ahead.data["t"]) + 0.5

    def clear(self) -> None:
        """Delay drawing what is pinned or chosen until `load`, which draws it all once."""
        self._values = {}

    def pin(self, values: Mapping[str, Floats], label: str) -> None:
        """Draw the curves of a pinned run behind, shape (T',) each, or none."""
        before, self._pinned = self._pinned, (dict(values), label)
        if self._values and (values or before[0]):
            self._fit()

    def update(self, t: int, done: int) -> None:
        """Draw the first `done` batches strong, and mark batch t."""
        if len(self.done.data["t"]) != done:
            self._draw_done(done)
        self.mark(t)

    def refer(self, given: Mapping[str, Floats]) -> None:
        """Draw these references, shape (T,) each, and no others."""
        self._given = dict(given)
        self._refer()
        self._arrange()

    def show(self, layers: Layers) -> None:
        """Choose the axis, and whether what is ahead and the references are shown."""
        before, self._layers = self._layers, layers
        for one in self._drawn_ahead:
            one.visible = not layers.predict
        if not self._values:
            return
        if layers.log != before.log:
            self._fit()
        elif layers.bounds != before.bounds:
            self._arrange()

    def hold(self, *, on: bool) -> None:
        """Keep the axis of values as it is, or have it follow again."""
        self._held = on

    def _fit(self) -> None:
        """Draw all curves, those of a pinned run too, on an axis that holds them."""
        behind = self._pinned[0]
        columns = [*self._values.values(), *behind.values()]
        if not self._held:
            self.axis.fit(np.concatenate(columns), log=self._layers.log)
        self._tops = [float(column.max()) for column in columns]
        done = len(self.done.data["t"])
        put(self.ahead, self._columns(self._values))
        self._draw_done(done)
        self._refer()
        self.pinned.draw(self._columns(behind) if behind else None)
        self._arrange()

    def _draw_done(self, done: int) -> None:
        put(self.done, {name: column[:done] for name, column in self.ahead.data.items()})

    def _refer(self) -> None:
        missing = np.full(len(self.ahead.data["t"]), np.nan)
        names = [curve.column for curve in self._references]
        put(self.references, self._columns({n: self._given.get(n, missing) for n in names}))

    def _columns(self, values: Mapping[str, Floats]) -> dict[str, Any]:
        t = np.arange(1, len(next(iter(values.values()), ())) + 1)
        return {"t": t, **{name: self.axis.place(column) for name, column in values.items()}}

    def _arrange(self) -> None:
        """Fit axes and heading to what is shown."""
        shown = [c for c in self._references if self._layers.bounds and c.column in self._given]
        for name, line in self._reference_lines.items():
            line.visible = name in {curve.column for curve in shown}
        bound = max((float(self._given[curve.column].max()) for curve in shown), default=0.0)
        top = max(*self._tops, bound) or 1.0
        if not self._held:
            self.axis.reach(top)
        flat = bool(shown) and not self._layers.log and top > _FLAT * min(self._tops)
        pinned = self._pinned[1] if self._pinned[0] else ""
        curves = (*self._curves, *shown)
        self.heading.object = heading(self._title, curves, flat=flat, pinned=pinned)
