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
from ucbpe_app.pages.study.views.figure import StudyFigure
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
