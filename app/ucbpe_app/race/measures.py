"""A race by its regrets: the numbers, who leads, and what compares; and the same in words."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.race.setup import TICKS, Unit
from ucbpe_app.run.sentences import number
from ucbpe_app.widgets.comparing import Measure, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ucbpe_app.race.race import Race, RaceRun


def comparable(measure: Measure, progress: list[tuple[int, int]]) -> bool:
    """Whether a lower regret is a better one after these (batches, evaluations) of each run.

    Sums over batches can be compared after equally many batches, sums over picks after equally many
    picks.
    """
    if measure is Measure.CUMULATIVE:
        return len({batches for batches, _ in progress}) == 1
    if measure is Measure.EVERY:
        return len({evaluations for _, evaluations in progress}) == 1
    return True


@dataclass(frozen=True)
class Row:
    """What a run has reached, for a table and for the verdict.

    Attributes
    ----------
    name : of the run
    best, last, cumulative : the least regret of all that was measured so far, that of the last
        batch, and the sum R_T^K; None before the first batch, a sum also where sums do not compare
    below : the batch from which the best regret is below each of `levels`, None if not yet
    """

    name: str
    best: float | None = None
    last: float | None = None
    cumulative: float | None = None
    below: tuple[int | None, ...] = ()


def rows(race: Race, i: int) -> tuple[Row, ...]:
    """A row of each run at place i, in the order of the race."""
    table, limits = [], levels(race)
    sums = len({race.done(runner, i) for runner in race.runners}) == 1
    for runner in race.runners:
        scene, done = runner.scene, race.done(runner, i)
        if not done:
            table.append(Row(runner.label, below=(None,) * len(limits)))
            continue
        first = (np.flatnonzero(scene.running[:done] < limit) for limit in limits)
        reached = tuple(int(places[0]) + 1 if len(places) else None for places in first)
        best, last, total = (
            float(y[done - 1]) for y in (scene.running, scene.simple, scene.batch_cumulative)
        )
        table.append(Row(runner.label, best, last, total if sums else None, reached))
    return tuple(table)


def ranked(rows: Sequence[Row]) -> tuple[int, ...]:
    """The places of rows, the least best regret first; those without one last."""
    key = [(row.best is None, row.best or 0.0, i) for i, row in enumerate(rows)]
    return tuple(i for _, _, i in sorted(key))


def levels(race: Race) -> tuple[float, ...]:
    """A tenth and a fortieth of the largest regret of a first batch, as 1, 2 or 5 times 10^n."""
    start = max(float(runner.scene.running[0]) for runner in race.runners)
    return tuple(_round(start / part) for part in (10, 40)) if start > 0 else ()


def verdict(
    rows: Sequence[Row],
    where: str,
    start: float | None = None,
    short_of: str = "below",
    extreme: str = "maximum",
) -> str:
    """Who leads by the best so far and, where that is another, by the cumulative regret.

    Parameters
    ----------
    where : as "after batch 9"
    start : the regret of the best initial point, which all runs have; None without any
    short_of, extreme : where f is, and of what, as far as a regret says
    """
    best = {row.name: row.best for row in rows if row.best is not None}
    if not best:
        return "Before the first batch: all runs have the same initial points."
    first = _least(best)
    least = best[first[0]]
    away = f"{number(least)} {short_of} the {extreme}" if least else f"at the {extreme}"
    if len(best) == 1 < len(rows):
        return f"Only {first[0]} has results {where}: {away}."
    message = f"{_lead(first, len(rows), ahead=start is None or least < start)} {where}, {away}."
    sums = {row.name: row.cumulative for row in rows if row.cumulative is not None}
    if len(sums) < len(rows) or (others := _least(sums)) == first:
        return message
    return f"{message} By cumulative regret it is {listed(others)}, {number(sums[others[0]])}."


def _lead(first: Sequence[str], runs: int, *, ahead: bool) -> str:
    if not ahead:
        return "No policy is better than the initial points"
    if len(first) == runs:
        return "All are equal"
    return f"{listed(first)} lead{'s' if len(first) == 1 else ''}"


def where(race: Race, i: int) -> str:
    """The place in words."""
    if race.setup.unit is Unit.ITERATIONS:
        return f"after batch {race.places[i]}"
    if race.setup.unit is Unit.TIME:
        return f"at time {number(race.places[i] / TICKS)}"
    return f"after {race.places[i]} evaluations"


def leaders(race: Race, i: int, measure: Measure) -> tuple[RaceRun, ...]:
    """The runs of least regret at place i; none where the regrets do not compare."""
    reached = _reached(race, i, measure)
    batches = {runner: race.done(runner, i) for runner in reached}
    progress = [(done, int(runner.evaluations[done])) for runner, done in batches.items()]
    if not comparable(measure, progress):
        return ()
    least = min(reached.values(), default=0.0)
    return tuple(runner for runner, value in reached.items() if value == least)


def advice(race: Race, measure: Measure) -> str:
    """What to choose instead, where the curves of a measure do not compare; empty if they do."""
    last = len(race.places) - 1
    done = {runner: race.done(runner, last) for runner in race.runners}
    progress = [(batches, int(runner.evaluations[batches])) for runner, batches in done.items()]
    if comparable(measure, progress):
        return ""
    if measure is Measure.CUMULATIVE:
        return (
            "Sums over different numbers of batches cannot be compared: "
            "compare at equal iterations, or choose every pick."
        )
    return (
        "Sums over different numbers of picks cannot be compared: "
        "compare at equal evaluations, or choose the best of each batch."
    )


def _reached(race: Race, i: int, measure: Measure) -> dict[RaceRun, float]:
    """The regret of each run that has completed a batch."""
    return {
        runner: float(race.curve(runner, measure)[1][done - 1])
        for runner in race.runners
        if (done := race.done(runner, i))
    }


def _least(values: Mapping[str, float]) -> list[str]:
    """The names of the least value, in order."""
    least = min(values.values())
    return [name for name, value in values.items() if value == least]


def _round(value: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten, by ratio."""
    power = 10.0 ** floor(log10(value))
    return min((m * power for m in (1, 2, 5, 10)), key=lambda level: abs(log10(level / value)))
