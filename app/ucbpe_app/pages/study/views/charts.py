"""The charts of a study, one per quantity, under one legend."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import panel as pn

from ucbpe_app.figures import legends
from ucbpe_app.figures.regret.chart import Symbol
from ucbpe_app.line_styles import pens
from ucbpe_app.markup import Markup
from ucbpe_app.pages.study.views.figure import Figure, build
from ucbpe_core.study.summarise import QUANTITIES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_app.line_styles import ScreenLineStyle
    from ucbpe_app.pages.study.picture import StudyChart, StudyCharts

_CSS = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
_TITLES = {
    "simple_regret": ("Best of the batch", Symbol("r", "K", "t")),
    "running_minimum": ("Best so far", f"min<sub>s ≤ t</sub> {Symbol('r', 'K', 's')}"),
    "batch_cumulative_regret": ("Cumulative, best of each batch", Symbol("R", "K", "t")),
    "full_cumulative_regret": ("Cumulative, every pick", Symbol("R", "", "tK")),
}


class ChartsView:
    """Up to four charts side by side.

    `prepare` is to be called in a thread, then `load` with what it returned.
    """

    def __init__(self) -> None:
        self._figures: tuple[Figure, ...] = ()
        self._legend = legends.text("", "study-legend")
        self._cells = [_Cell() for _ in QUANTITIES]
        grid = pn.Column(*(cell.panel for cell in self._cells), **_layout("study-charts"))
        self._caption = Markup("", margin=0, **_layout("study-caption"))
        self._panel = pn.Column(self._legend, grid, self._caption, **_layout("study-pictures"))

    @property
    def panel(self) -> pn.Column:
        """The Panel object to lay out; the same one every time."""
        return self._panel

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Those on screen."""
        return self._figures

    def prepare(self, picture: StudyCharts) -> tuple[Figure, ...]:
        """Figures for this picture, or those on screen if they suit it. Not on the event loop."""
        looks = _looks(picture)
        marked = {policy for chart in picture.charts for policy in chart.marks}
        there = self._figures
        if len(there) >= len(picture.charts) and all(one.suits(looks, marked) for one in there):
            return there
        return tuple(build(looks, marked) for _ in picture.charts)

    def load(self, picture: StudyCharts, figures: tuple[Figure, ...]) -> Iterator[None]:
        """Draw a picture with the figures prepared for it: one chart a turn.

        A chart that comes to the page takes some 50 ms, between which others can be answered.
        """
        self._figures = figures
        with pn.io.hold():
            self._legend.object = _legend(_looks(picture), picture.drawn)
            self._caption.object = f"<p>{escape(picture.caption)}</p>" if picture.caption else ""
        for place, cell in enumerate(self._cells):
            chart = picture.charts[place] if place < len(picture.charts) else None
            figure = figures[place] if place < len(figures) else None
            across = len(picture.charts) % 2 == 1 and place == len(picture.charts) - 1
            with pn.io.hold():
                if figure is not None and chart is not None:
                    figure.fill(chart)
                cell.take(figure)
                cell.say(chart, across=across)
            yield


class _Cell:
    """A chart with its title."""

    def __init__(self) -> None:
        self._title = Markup("", margin=0, **_layout("study-title"))
        self._pane = pn.pane.Bokeh(None, margin=0, **_layout("study-plot"))
        self.panel = pn.Column(self._title, self._pane, visible=False, **_layout("study-cell"))

    def take(self, figure: Figure | None) -> None:
        """Show this figure, or none."""
        plot = figure.plot if figure else None
        if self._pane.object is not plot:
            self._pane.object = plot

    def say(self, chart: StudyChart | None, *, across: bool) -> None:
        """Name what is drawn; without a chart the cell is not there."""
        self.panel.css_classes = ["study-cell", *(["study-across"] if across else [])]
        if chart is not None:
            words, sign = _TITLES[chart.quantity]
            what = f"<h3>{words} {sign}</h3>"
            if chart.reference:
                what = f"<h3>{words} {sign}: difference from {escape(chart.reference)}</h3>"
            self._title.object = what
        self.panel.visible = chart is not None


def _looks(picture: StudyCharts) -> dict[str, ScreenLineStyle]:
    """A pen for each policy of the study: as in its report, whatever is drawn here."""
    return {policy: pen.on_screen for policy, pen in pens(picture.policies).items()}


def _legend(looks: dict[str, ScreenLineStyle], drawn: tuple[str, ...]) -> str:
    return legends.entries((line(looks[policy]), policy) for policy in drawn)


def line(pen: ScreenLineStyle) -> legends.Shapes:
    """A piece of a policy's line, for a legend."""
    return legends.stroke(pen.color, pen.dash)


def _layout(name: str) -> dict[str, Any]:
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
