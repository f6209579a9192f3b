"""The regret of all configurations in one plot: strong where they have been, faint ahead."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import panel as pn
from bokeh.events import Tap
from bokeh.models import AdaptiveTicker, ColumnDataSource, CrosshairTool, Range1d

from ucbpe_app import theme
from ucbpe_app.figures.pane import pane
from ucbpe_app.figures.regret.value_axis import ValueAxis
from ucbpe_app.markup import Markup
from ucbpe_app.pages.race.measures import WORDS, Measure, advice
from ucbpe_app.pages.race.setup import Unit
from ucbpe_app.pages.race.views import routes
from ucbpe_app.pages.race.views.base import RaceView
from ucbpe_app.pages.race.views.marks import SYMBOLS, swatch
from ucbpe_app.run.screen import Layers

if TYPE_CHECKING:
    from bokeh.plotting import figure as Figure

    from ucbpe_app.pages.race.race import Race

_CSS = Path(__file__).with_name("regret.css").read_text(encoding="utf-8")
_AHEAD = 0.35  # opacity of what is still ahead
_X_LABELS = {Unit.ITERATIONS: "iteration t (batches)", Unit.EVALUATIONS: "evaluations of f"}


class JointRegretView(RaceView):
    """One figure for every measure, unit and scale; a click in it sets `selected`.

    All lines are rows of one source, so that a race of four needs no more models than one of two.
    """

    def __init__(self) -> None:
        super().__init__()
        self._race: Race | None = None
        self._index, self._measure, self._layers = 0, Measure.BEST, Layers()
        self._given: tuple[routes.Route, ...] = ()
        self._drawn: tuple[routes.Route, ...] = ()
        self.ahead, self.done, self.points = (
            ColumnDataSource({name: [] for name in columns})
            for columns in (routes.LINES, routes.LINES, routes.POINTS)
        )
        self.now = ColumnDataSource({"x": []})
        self.figure = self._plot()
        self._axis = ValueAxis(self.figure, ticks=5)
        self._heading = Markup("", margin=0, **_layout("race-curves"))
        plot = pane(self.figure, margin=0)
        self._panel = pn.Column(self._heading, plot, **_layout("race-regret"))

    def load(self, race: Race) -> None:
        self._race, self._index = race, 0
        self.figure.xaxis.axis_label = _X_LABELS[race.setup.unit]
        end = race.places[-1]
        self.figure.x_range.update(start=-0.02 * end, end=1.03 * end)
        self._choose()

    def update(self, index: int) -> None:
        self._index = index
        if self._race is None:
            return
        value = self._race.places[index]
        self.now.data = {"x": [value]}
        self.done.data = routes.lines(self._drawn, value)
        self.points.data = routes.points(self._drawn, value)

    def measure(self, measure: Measure) -> None:
        self._measure = measure
        self._choose()

    def show(self, layers: Layers) -> None:
        self._layers = layers
        self._choose()
        self.update(self._index)

    def _plot(self) -> Figure:
        plot = theme.figure(
            _X_LABELS[Unit.ITERATIONS],
            "regret (units of f)",
            css_classes=["race-curve-plot"],
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            min_border_left=64,
        )
        plot.xaxis.ticker = AdaptiveTicker(desired_num_ticks=8, min_interval=1, num_minor_ticks=0)
        plot.axis.axis_label_standoff = 4
        now = theme.Mark(theme.INK, dash="dashed")
        plot.vspan("x", source=self.now, **now.line(line_width=1.5))
        for source, alpha in ((self.ahead, _AHEAD), (self.done, 1.0)):
            plot.multi_line(
                "xs",
                "ys",
                source=source,
                line_color="color",
                line_dash="dash",
                line_width=2.5,
                line_alpha=alpha,
            )
        look = {"marker": "marker", "size": "size", "fill_color": "color", "line_color": "color"}
        plot.scatter("x", "y", source=self.points, **look)
        plot.on_event(Tap, self._tapped)
        plot.add_tools(CrosshairTool(dimensions="height", line_color=theme.INK, line_alpha=0.6))
        return plot

    def _choose(self) -> None:
        """The curves of the measure on the axis chosen, as far as the place."""
        if self._race is None:
            return
        self._given = routes.routes_of(self._race, self._measure)
        values = np.concatenate([route.y for route in self._given])
        self._axis.fit(values, log=self._layers.log)
        self._axis.reach(float(values.max()) or 1.0)
        self._drawn = tuple(replace(one, y=self._axis.place(one.y)) for one in self._given)
        self.ahead.data = routes.lines(self._drawn, self._race.places[-1])
        self._heading.object = self._entries(self._race)

    def _entries(self, race: Race) -> str:
        """HTML of the title and of the legend."""
        words, symbol = WORDS[self._measure].sentence, SYMBOLS[self._measure]
        items = "".join(
            f"<li>{swatch(place)}<b>{runner.letter}</b> {escape(runner.label)}</li>"
            for place, runner in enumerate(race.runners)
        )
        title = f"{words[:1].upper()}{words[1:]} {symbol}"
        remark = advice(race, self._measure)
        note = f"<p>{escape(remark)}</p>" if remark else ""
        return f"<h3>{title}</h3><ul>{items}</ul>{note}"

    def _tapped(self, event: Tap) -> None:
        # A click beside the axes has no place in the data.
        if event.x is not None and isfinite(event.x):
            self.selected = event.x


def _layout(name: str) -> dict[str, object]:
    """Options of a component with one of the classes of regret.css."""
    return {"css_classes": [name], "stylesheets": [_CSS], "sizing_mode": "stretch_width"}
