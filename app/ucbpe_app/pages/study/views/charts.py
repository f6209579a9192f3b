"""The chart of a study: one quantity at a time, under tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import panel as pn

from ucbpe_app.components.tabs import TabbedChart
from ucbpe_app.pages.measures import REGRETS
from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import COMPARED, Line, compared
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.line_styles import PolicyLook
    from ucbpe_app.pages.study.results import StudyChart, StudyResults
    from ucbpe_app.pictures.picture import Picture
    from ucbpe_app.report.records import Curve
    from ucbpe_core.validation import Floats

# A regret smaller than the largest mean by this factor is rounding, drawn as 0; as in a report.
_ROUNDING = 1e-8
# Between the intervals of two policies: of the axis, and of a batch for all of them together.
_APART, _WITHIN = 0.006, 0.8


class ChartsView:
    """One chart, of the quantity that the tab says; lay out `chart.panel`."""

    def __init__(self) -> None:
        self._results: StudyResults | None = None
        self.chart = TabbedChart(COMPARED, {}, height="max(320px, 100vh - 250px)", names="11.25rem")
        self.tabs = self.chart.tabs
        self.tabs.param.watch(self._draw, "value")

    def load(self, results: StudyResults) -> None:
        """Draw results, of the quantity on screen if there is that."""
        self._results = results
        there = {chart.quantity for chart in results.charts}
        offered = {one.name: one.quantity for one in REGRETS.values() if one.quantity in there}
        chosen = self.tabs.value if self.tabs.value in there else next(iter(offered.values()), None)
        with pn.io.hold():
            self.tabs.param.update(options=offered, value=chosen)
            self._draw()

    def _draw(self, *_: object) -> None:
        results = self._results
        titles = {one.quantity: one.title for one in REGRETS.values()}
        for one in results.charts if results else ():
            if one.quantity == self.tabs.value:
                picture = means(one, results.looks, results.reference)
                self.chart.draw(titles[one.quantity], picture)


def means(chart: StudyChart, looks: Mapping[str, PolicyLook], reference: str) -> Picture:
    """The means of a quantity with their intervals, the reference thicker than the others."""
    curves = chart.curves.values()
    every = np.concatenate([np.zeros(1), *(one.mean for one in curves)])
    highs = [np.where(np.isnan(one.high), one.mean, one.high) for one in curves]
    # A regret is never below 0, though the foot of its interval may be.
    least = _ROUNDING * float(every.max()) if chart.log else 0.0

    def above(values: Floats) -> Floats:
        return np.where(values <= least, 0.0, values)

    values = Values.of(above(every[1:]), log=chart.log)
    last = max((int(one.t[-1]) for one in curves), default=1)
    drawn = [policy for policy in looks if policy in chart.curves]
    apart = min(_APART * last, _WITHIN / len(drawn)) if drawn else 0.0
    lines = []
    for i, policy in enumerate(drawn):
        one, aside = chart.curves[policy], apart * (i - (len(drawn) - 1) / 2)
        lines.append(
            Line(
                policy,
                looks[policy],
                one.t.astype(float) + aside,
                above(one.mean),
                low=above(one.low),
                high=above(one.high),
                text=f"{policy} {number(float(one.mean[-1]))}",
                strong=policy == reference,
                tips=tuple(_tip(one, k) for k in range(len(one.t))),
                rings=(chart.marks[policy] + aside,) if policy in chart.marks else (),
            )
        )
    lines.sort(key=lambda one: not one.strong)  # the first is on top
    said = f"At the end: {', '.join(one.text for one in lines)}."
    y = values.axis(max(float(one.max()) for one in (every, *highs)))
    return compared(lines, batches(last), values, y, said)


def _tip(curve: Curve, k: int) -> str:
    interval = "" if np.isnan(curve.low[k]) else (
        f" ({number(float(curve.low[k]))} to {number(float(curve.high[k]))})"
    )  # fmt: skip
    return f"{curve.policy}, t = {curve.t[k]}: {number(float(curve.mean[k]))}{interval}"
