"""The charts of a study, one for each quantity, under one legend."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn
from bokeh.models import AdaptiveTicker, ColumnDataSource, HoverTool, Line, Range1d, Scatter, VArea

from ucbpe_app import theme
from ucbpe_app.figures import legends
from ucbpe_app.figures.pane import lighten
from ucbpe_app.figures.regret.chart import Symbol
from ucbpe_app.figures.regret.value_axis import ValueAxis
from ucbpe_app.line_styles import pens
from ucbpe_app.markup import Markup
from ucbpe_core.study.summarise import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bokeh.models import GlyphRenderer

    from ucbpe_app.line_styles import ScreenLineStyle
    from ucbpe_app.pages.study.picture import StudyChart, StudyCharts
    from ucbpe_app.report.records import Curve
    from ucbpe_core.validation import Floats


_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_TITLES = {
    "simple_regret": ("Best of the batch", Symbol("r", "K", "t")),
    "running_minimum": ("Best so far", f"min<sub>s ≤ t</sub> {Symbol('r', 'K', 's')}"),
    "batch_cumulative_regret": ("Cumulative, best of each batch", Symbol("R", "K", "t")),
    "full_cumulative_regret": ("Cumulative, every pick", Symbol("R", "", "tK")),
}


class ChartsView(pn.viewable.Viewer):
    """Up to four charts side by side."""

    def __init__(self) -> None:
        super().__init__()
        self.legend = legends.text("", "study-legend")
        self.cells = [_Cell() for _ in QUANTITIES]
        self._caption = Markup("", margin=0, **_layout("study-caption"))
        grid = pn.Column(*(cell.panel for cell in self.cells), **_layout("study-charts"))
        self._panel = pn.Column(self.legend, grid, self._caption, **_layout("study-pictures"))

    def __panel__(self) -> pn.Column:
        return self._panel

    @property
    def figures(self) -> tuple[StudyFigure, ...]:
        """Those on screen."""
        return tuple(cell.figure for cell in self.cells if cell.figure and cell.panel.visible)

    def prepare(self, picture: StudyCharts) -> None:
        """Build the figures that a picture needs, some 50 ms each; in any thread."""
        looks = looks_of(picture)
        for cell, _ in zip(self.cells, picture.charts, strict=False):
            cell.prepared = cell.suitable(looks)

    def load(self, picture: StudyCharts) -> Iterator[None]:
        """Draw a picture, a turn at a time: others can be answered in between.

        A new chart takes some 50 ms to send.
        """
        looks = looks_of(picture)
        with pn.io.hold():
            self.legend.object = legends.entries((line(looks[one]), one) for one in picture.drawn)
            self._caption.object = f"<p>{escape(picture.caption)}</p>" if picture.caption else ""
        count = len(picture.charts)
        for place, (cell, chart) in enumerate(zip(self.cells, picture.charts, strict=False)):
            figure = cell.suitable(looks)
            yield
            with pn.io.hold():
                cell.load(chart, figure, across=place == count - 1 and count % 2 == 1)
            yield
        with pn.io.hold():
            for cell in self.cells[count:]:
                cell.panel.visible = False


class _Cell:
    """A chart with its title; there while it has something to draw."""

    def __init__(self) -> None:
        self.figure: StudyFigure | None = None
        self.prepared: StudyFigure | None = None
        self._title = Markup("", margin=0, **_layout("study-title"))
        self._pane = pn.pane.Bokeh(None, margin=0, **_layout("study-plot"))
        self.panel = pn.Column(self._title, self._pane, visible=False, **_layout("study-cell"))

    def suitable(self, looks: dict[str, ScreenLineStyle]) -> StudyFigure:
        """A figure for policies in these looks: the one on screen if it has just those."""
        for figure in (self.figure, self.prepared):
            if figure is not None and list(figure.looks.items()) == list(looks.items()):
                return figure
        return StudyFigure(looks)

    def load(self, chart: StudyChart, figure: StudyFigure, *, across: bool) -> None:
        """Draw this chart in this figure."""
        words, sign = _TITLES[chart.quantity]
        minus = f": difference from {escape(chart.reference)}" if chart.reference else ""
        self._title.object = f"<h3>{words} {sign}{minus}</h3>"
        figure.update(chart)
        if figure is not self.figure:
            self.figure, self._pane.object = figure, figure.plot
        classes = ["study-cell", *(["study-across"] if across else [])]
        self.panel.param.update(css_classes=classes, visible=True)


def looks_of(picture: StudyCharts) -> dict[str, ScreenLineStyle]:
    """A pen for each policy of the study: as in its report, whatever is drawn here."""
    return {policy: pen.on_screen for policy, pen in pens(picture.policies).items()}


def line(pen: ScreenLineStyle) -> legends.Shapes:
    """A piece of a policy's line, for a legend."""
    return legends.stroke(pen.color, pen.dash)


def _layout(name: str) -> dict[str, Any]:
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}


_BAND = 0.16  # opacity, as in a report: four bands on top of each other still show their edges
# A regret smaller than the largest mean by this factor is rounding, drawn as 0; as in a report.
_ROUNDING = 1e-8
_COLUMNS = ("t", "y", "bottom", "top", "mean", "low", "high")
_TOOLTIPS = [
    ("policy", "$name"),
    ("t", "@t"),
    ("mean", "@mean{%.3g}"),
    ("interval", "@low{%.3g} to @high{%.3g}"),
]


class StudyFigure:
    """A Bokeh figure with a line and a band for each policy, the first on top.

    Attributes
    ----------
    looks : by policy
    plot : the figure
    lines, bands : by policy, the renderers, which share a source
    marks : where initialisations end
    zero : the line at 0 below differences
    """

    def __init__(self, looks: Mapping[str, ScreenLineStyle]) -> None:
        self.looks = dict(looks)
        self.plot = theme.figure(
            "iteration t", min_border_left=64, sizing_mode="stretch_both", height=None,
            min_height=180, css_classes=["study-plot"],
            x_range=Range1d(1, 2), y_range=Range1d(0, 1),
        )  # fmt: skip
        iterations = AdaptiveTicker(desired_num_ticks=7, min_interval=1, num_minor_ticks=0)
        self.plot.xaxis.ticker = iterations
        self._axis = ValueAxis(self.plot, ticks=5)
        self.lines: dict[str, GlyphRenderer] = {}
        self.bands: dict[str, GlyphRenderer] = {}
        self.zero = self.plot.hspan([0.0], line_color=theme.INK)
        self._draw()
        self.marks = ColumnDataSource({"t": [], "y": [], "color": []})
        circle = Scatter(x="t", y="y", size=10, fill_alpha=0, line_color="color", line_width=2)
        self.plot.add_glyph(self.marks, circle)
        formats = {f"@{name}": "printf" for name in ("mean", "low", "high")}
        lines = list(self.lines.values())
        self.plot.add_tools(HoverTool(renderers=lines, tooltips=_TOOLTIPS, formatters=formats))
        lighten(self.plot)

    def update(self, chart: StudyChart) -> None:
        """Draw this chart in the place of the last one."""
        curves = chart.curves
        self._fit(chart)
        for policy, line in self.lines.items():
            curve = curves.get(policy)
            line.data_source.data = self._columns(curve)
            # A single replicate has no interval.
            self.bands[policy].visible = curve is not None and not np.isnan(curve.low).any()
        marked = [policy for policy in self.looks if policy in chart.marks and policy in curves]
        self.marks.data = {
            "t": [chart.marks[policy] for policy in marked],
            "y": [self._height(curves[policy], chart.marks[policy]) for policy in marked],
            "color": [self.looks[policy].color for policy in marked],
        }
        self.zero.visible = bool(chart.reference)
        what = "difference" if chart.reference else "regret"
        self.plot.yaxis.axis_label = f"{what} (units of f)"
        last = max((int(one.t[-1]) for one in curves.values()), default=1)
        self.plot.x_range.update(start=1, end=max(last, 2))

    def _draw(self) -> None:
        """Bands below all lines, the first policy on top.

        By `add_glyph`: `plot.line` also makes the glyphs of a selection, in three times the time.
        """
        looks = list(self.looks.items())[::-1]
        sources = {policy: ColumnDataSource({name: [] for name in _COLUMNS}) for policy, _ in looks}
        for policy, pen in looks:
            band = VArea(x="t", y1="bottom", y2="top", fill_color=pen.color, fill_alpha=_BAND)
            self.bands[policy] = self.plot.add_glyph(sources[policy], band)
        for policy, pen in looks:
            line = Line(x="t", y="y", line_color=pen.color, line_dash=list(pen.dash), line_width=2)
            self.lines[policy] = self.plot.add_glyph(sources[policy], line, name=policy)

    def _fit(self, chart: StudyChart) -> None:
        """Fit the y axis to means and limits."""
        curves = chart.curves.values()
        means = np.concatenate([np.zeros(1), *(one.mean for one in curves)])
        ends = np.concatenate([means, *(one.low for one in curves), *(one.high for one in curves)])
        # A regret is never below 0, though the foot of its band may be.
        self._least = -np.inf if chart.reference else 0.0
        if chart.log:
            self._least = _ROUNDING * float(means.max())
        self._axis.fit(self._above(means[1:]), log=chart.log)
        foot = float(np.nanmin(ends)) if chart.reference else 0.0
        self._axis.reach(float(np.nanmax(ends)), foot)

    def _above(self, values: Floats) -> Floats:
        """The values, but 0 for those that no regret has or that are rounding."""
        return np.where(values <= self._least, 0.0, values)

    def _place(self, values: Floats) -> Floats:
        return self._axis.place(self._above(values))

    def _columns(self, curve: Curve | None) -> dict[str, Any]:
        if curve is None:
            return {name: [] for name in _COLUMNS}
        places = self._place(curve.mean), self._place(curve.low), self._place(curve.high)
        return dict(
            zip(_COLUMNS, (curve.t, *places, curve.mean, curve.low, curve.high), strict=True)
        )

    def _height(self, curve: Curve, t: float) -> float:
        """Where the line of this curve is at t, which may lie between iterations."""
        return float(np.interp(t, curve.t, self._place(curve.mean)))
