"""The chart of a study: one quantity at a time, under tabs."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
import panel as pn

from ucbpe_app import theme
from ucbpe_app.components.tabs import TabbedChart
from ucbpe_app.line_styles import pens
from ucbpe_app.markup import Markup
from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import COMPARED, Line, compared
from ucbpe_app.render import legends
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_app.pages.study.picture import StudyChart, StudyCharts
    from ucbpe_app.pictures.picture import Picture
    from ucbpe_app.report.records import Curve
    from ucbpe_core.validation import Floats

_CSS = """
:host(.study-caption) {
  color: var(--mui-palette-text-secondary, #5f6368);
  font: 400 0.8125rem/1.5 var(--bokeh-base-font, system-ui, sans-serif);
}
p { max-width: 120ch; margin: 6px 0 0; }
"""
# Name of the tab, and title with the paper's symbol.
_QUANTITIES = {
    "running_minimum": ("best so far", "Regret, best so far"),
    "simple_regret": (
        "per batch", "Regret <i>r</i><sub>t</sub><sup>K</sup>, best of the batch"
    ),
    "batch_cumulative_regret": (
        "cumulative", "Cumulative regret <i>R</i><sub>t</sub><sup>K</sup>, best of each batch"
    ),
    "full_cumulative_regret": (
        "every pick", "Cumulative regret <i>R</i><sub>tK</sub>, every pick"
    ),
}  # fmt: skip
# Not the markers of the roles of picks: what is a star or a diamond is a pick.
_MARKERS = ("circle", "square", "triangle", "inverted_triangle", "hex", "plus", "x")
# A regret smaller than the largest mean by this factor is rounding, drawn as 0; as in a report.
_ROUNDING = 1e-8
# Between the intervals of two policies: of the axis, and of a batch for all of them together.
_APART, _WITHIN = 0.006, 0.8


class ChartsView(pn.viewable.Viewer):
    """One chart, of the quantity that the tab says, and what is said below it."""

    def __init__(self) -> None:
        super().__init__()
        self._picture: StudyCharts | None = None
        self._caption = Markup(
            "", css_classes=["study-caption"], stylesheets=[_CSS], margin=0,
            sizing_mode="stretch_width",
        )  # fmt: skip
        height, below = "clamp(260px, 100vh - 340px, 520px)", [self._caption]
        self.chart = TabbedChart(COMPARED, {}, height=height, below=below)
        self.tabs = self.chart.tabs
        self.tabs.param.watch(self._draw, "value")

    def __panel__(self) -> pn.Column:
        return self.chart.panel

    def load(self, picture: StudyCharts) -> None:
        """Draw a picture, of the quantity on screen if it has that."""
        self._picture = picture
        there = {chart.quantity for chart in picture.charts}
        offered = {name: one for one, (name, _) in _QUANTITIES.items() if one in there}
        chosen = self.tabs.value if self.tabs.value in there else next(iter(offered.values()), None)
        with pn.io.hold():
            self.tabs.param.update(options=offered, value=chosen)
            self._caption.object = f"<p>{escape(picture.caption)}</p>" if picture.caption else ""
            self._draw()

    def _draw(self, *_: object) -> None:
        picture, charts = self._picture, self._picture.charts if self._picture else ()
        chart = next((one for one in charts if one.quantity == self.tabs.value), None)
        if picture is None or chart is None:
            return
        minus = f": difference from {escape(chart.reference)}" if chart.reference else ""
        name = f"{_QUANTITIES[chart.quantity][1]}{minus}"
        self.chart.draw(name, means(chart, looks_of(picture)))


def looks_of(picture: StudyCharts) -> dict[str, theme.Mark]:
    """Colour and marker of each policy of the study: as in its report, whatever is drawn here."""
    return {
        policy: theme.Mark(pen.on_screen.color, marker=_MARKERS[i % len(_MARKERS)])
        for i, (policy, pen) in enumerate(pens(picture.policies).items())
    }


def swatch(look: theme.Mark) -> str:
    """A piece of a policy's line with its marker, as SVG."""
    return legends.swatch(
        legends.stroke(look.color) + legends.point(look.marker, look.color, line=look.color)
    )


def means(chart: StudyChart, looks: Mapping[str, theme.Mark]) -> Picture:
    """The means of a quantity with their intervals, or differences from a reference."""
    curves = chart.curves.values()
    every = np.concatenate([np.zeros(1), *(one.mean for one in curves)])
    ends = np.concatenate([every, *(one.low for one in curves), *(one.high for one in curves)])
    # A regret is never below 0, though the foot of its interval may be.
    least = -np.inf if chart.reference else 0.0
    if chart.log:
        least = _ROUNDING * float(every.max())

    def above(values: Floats) -> Floats:
        return np.where(values <= least, 0.0, values)

    values = Values.of(above(every[1:]), log=chart.log)
    last = max((int(one.t[-1]) for one in curves), default=1)
    y = values.axis(float(np.nanmax(ends)), float(np.nanmin(ends)) if chart.reference else 0.0)
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
                strong=policy == next(iter(looks)),
                tips=tuple(_tip(one, k) for k in range(len(one.t))),
                rings=(chart.marks[policy] + aside,) if policy in chart.marks else (),
            )
        )
    said = f"At the end: {', '.join(one.text for one in lines)}."
    return compared(lines, batches(last), values, y, said, zero=bool(chart.reference))


def _tip(curve: Curve, k: int) -> str:
    interval = "" if np.isnan(curve.low[k]) else (
        f" ({number(float(curve.low[k]))} to {number(float(curve.high[k]))})"
    )  # fmt: skip
    return f"{curve.policy}, t = {curve.t[k]}: {number(float(curve.mean[k]))}{interval}"
