"""The regret of all configurations in one chart, as far as the race is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pages.comparing import REGRETS, Measure
from ucbpe_app.pages.race.measures import leaders
from ucbpe_app.pages.race.setup import Unit
from ucbpe_app.pictures.chart import Values, batches
from ucbpe_app.pictures.compared import Line, compared
from ucbpe_app.pictures.picture import Axis
from ucbpe_app.run.sentences import number

if TYPE_CHECKING:
    from ucbpe_app.pages.race.race import Race, RaceRun
    from ucbpe_app.pictures.picture import Picture

_LONGEST = 14  # letters of a name that has room beside the chart


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
        f"Regret, {REGRETS[measure].name}: {said}.",
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
