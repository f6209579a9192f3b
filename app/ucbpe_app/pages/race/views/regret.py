"""The regret of all configurations in one chart, as far as the race is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.components.tabs import TabbedChart
from ucbpe_app.pages.race.measures import NAMES, Measure, advice, leaders
from ucbpe_app.pages.race.setup import Unit
from ucbpe_app.pages.race.views.base import RaceView
from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import COMPARED, Line, compared
from ucbpe_app.pictures.picture import Axis
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from ucbpe_app.pages.race.race import Race, RaceRun
    from ucbpe_app.pictures.picture import Picture

_TITLES = {
    Measure.BEST: "Regret, best so far; faint: each batch",
    Measure.BATCH: "Regret <i>r</i><sub>t</sub><sup>K</sup>, best of the batch",
    Measure.CUMULATIVE: "Cumulative <i>R</i><sub>T</sub><sup>K</sup>, best of each batch",
    Measure.EVERY: "Cumulative <i>R</i><sub>TK</sub>, every pick",
}
_LONGEST = 14  # letters of a name that has room beside the chart


class JointRegretView(RaceView):
    """One chart for every measure, unit and scale; a click in it sets `selected`."""

    def __init__(self) -> None:
        super().__init__()
        self._race: Race | None = None
        self._index = 0
        options = {name: one for one, name in NAMES.items()}
        self.chart = TabbedChart(
            COMPARED,
            options,
            height="max(320px, 100vh - 298px)",
            on_select=lambda x: self.param.update(selected=x),
        )
        self.tabs, self._panel = self.chart.tabs, self.chart.panel

    def load(self, race: Race) -> None:
        self._race, self._index = race, 0

    def update(self, index: int) -> None:
        self._index = index
        self._draw()

    def measure(self, measure: Measure) -> None:
        self.tabs.value = measure
        self._draw()

    def _draw(self) -> None:
        if self._race is not None:
            measure = self.tabs.value
            picture = regrets(self._race, self._index, measure)
            self.chart.draw(_TITLES[measure], picture, advice(self._race, measure))


def regrets(race: Race, index: int, measure: Measure) -> Picture:
    """The picture of a race at one of its places."""
    place, first = race.places[index], leaders(race, index, measure)
    curves = [race.curve(runner, measure) for runner in race.runners]
    each = [race.curve(runner, Measure.BATCH)[1] for runner in race.runners]
    every = [y for _, y in curves] + (each if measure is Measure.BEST else [])
    # Of sums the slope matters, which an axis of decades would bend.
    log = measure in (Measure.BEST, Measure.BATCH)
    values = Values.of(np.concatenate(every), log=log)
    lines = []
    for i, (runner, (x, y)) in enumerate(zip(race.runners, curves, strict=True)):
        done, held = race.done(runner, index), measure is Measure.BEST
        lines.append(
            Line(
                runner.label,
                race.looks[i],
                x[:done].astype(float),
                y[:done],
                held=held,
                until=float(place) if held else None,
                faint=each[i][:done] if held else None,
                text=f"{_name(runner)} {number(float(y[done - 1]))}" if done else "",
                strong=runner in first,
            )
        )
    step = race.step
    said = ", ".join(one.text for one in lines if one.text) or "Before the first batch"
    return compared(
        lines,
        _across(race),
        values,
        values.axis(max(float(one.max()) for one in every)),
        f"Regret, {NAMES[measure]}: {said}.",
        now=(place - step / 2, place + step / 2),
    )


def _across(race: Race) -> Axis:
    """The axis of batches or of evaluations."""
    end = race.places[-1]
    if race.setup.unit is Unit.ITERATIONS:
        return batches(end)
    return Axis(race.step / 2, end + race.step / 2)


def _name(runner: RaceRun) -> str:
    return runner.label if len(runner.label) <= _LONGEST else runner.letter
