"""From a race and a place to the columns of the joint regret plot. Pure functions."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_app.pages.race.measures import Measure
from ucbpe_app.pages.race.views.marks import CONFIGURATIONS

if TYPE_CHECKING:
    from ucbpe_app.pages.race.race import Race
    from ucbpe_core.validation import Floats, Integers

_MOST_POINTS = 12  # markers on a line: more would hide the dash
_POINT = 6  # px
_NOW = (19, 15, 12, 10)  # by configuration: where several are level, all of them show
LINES = ("xs", "ys", "color", "dash")
POINTS = ("x", "y", "marker", "size", "color")


@dataclass(frozen=True, eq=False)
class Route:
    """The regret of one configuration: batch by batch (T,), drawn from `start`.

    `held` says that a value stays in force until the next batch: it is drawn as steps.
    """

    x: Integers
    y: Floats
    held: bool

    def until(self, value: int) -> tuple[Floats, Floats]:
        """The line over the batches completed at `value`; a held one reaches it."""
        done = int(np.searchsorted(self.x, value, side="right"))
        x, y = self.x[:done].astype(float), self.y[:done]
        if not self.held or not done:
            return x, y
        return np.append(np.repeat(x, 2)[1:], value), np.repeat(y, 2)

    def points(self, value: int) -> tuple[Floats, Floats]:
        """Some of the batches completed at `value`, spread evenly, and the last of them."""
        done = int(np.searchsorted(self.x, value, side="right"))
        every = ceil(len(self.x) / _MOST_POINTS)
        chosen = [*range(every - 1, max(done - 1, 0), every), *([done - 1] if done else [])]
        return self.x[chosen].astype(float), self.y[chosen]


def routes_of(race: Race, measure: Measure) -> tuple[Route, ...]:
    """The regret of each configuration, over the units of the race."""
    return tuple(
        Route(*race.curve(runner, measure), held=measure is Measure.BEST) for runner in race.runners
    )


def lines(routes: tuple[Route, ...], value: int) -> dict[str, list[object]]:
    """Columns of the lines until `value`."""
    until = [route.until(value) for route in routes]
    marks = CONFIGURATIONS[: len(routes)]
    return {
        "xs": [x for x, _ in until],
        "ys": [y for _, y in until],
        "color": [mark.color for mark in marks],
        "dash": [mark.dash for mark in marks],
    }


def points(routes: tuple[Route, ...], value: int) -> dict[str, list[object]]:
    """Columns of the markers until `value`; where a configuration is now, it is large."""
    columns: dict[str, list[object]] = {name: [] for name in POINTS}
    for route, mark, now in zip(routes, CONFIGURATIONS, _NOW, strict=False):
        x, y = route.points(value)
        columns["x"].extend(x)
        columns["y"].extend(y)
        columns["marker"].extend([mark.marker] * len(x))
        columns["size"].extend([*[_POINT] * (len(x) - 1), now][: len(x)])
        columns["color"].extend([mark.color] * len(x))
    return columns
