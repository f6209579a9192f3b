"""The greatest value of a surface in a box: the best of many points, improved by gradient."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, minimize
from scipy.stats import qmc

from ucbpe_core import streams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ucbpe_core.box.surface import Surface
    from ucbpe_core.validation import Booleans, Floats

# Up to so many dimensions all corners are looked at: 256 of them.
_CORNERS = 8
# A point is taken back to where the condition holds by halving the way this often.
_HALVINGS = 40


class Level(NamedTuple):
    """The condition that a surface is at least so high."""

    surface: Surface
    least: float

    def holds(self, Z: Floats) -> Booleans:
        return self.surface.values(Z) >= self.least


class Peak(NamedTuple):
    """A point (d,) and the value there."""

    point: Floats
    value: float


@dataclass(frozen=True, eq=False)
class Search:
    """Where to look in a box (d, 2): points (m, d) that cover it, and how many to improve."""

    box: Floats
    points: Floats
    starts: int

    @classmethod
    def covering(
        cls, box: Floats, samples: int, starts: int, seed: tuple[int, int], also: Floats
    ) -> Search:
        """`samples` scrambled Sobol points of the seed, a power of two, and the points `also`.

        The corners too, unless there are very many: uncertainty is often greatest there.
        """
        low, high = box.T
        if len(box) <= _CORNERS:
            also = np.concatenate([also, np.array(list(product(*box)))])
        sobol = qmc.Sobol(len(box), rng=streams.box_search(*seed)).random(samples)
        return cls(box, np.concatenate([low + (high - low) * sobol, also]), starts)

    def maximise(self, surface: Surface, level: Level | None = None) -> Peak:
        """The greatest value found, at a point where the level, if any, is reached.

        The best points of all, none too near to a better one, are each improved inside the box:
        by L-BFGS-B, under a level by sequential quadratic programming. The level has to be
        reached at one of the points at least.
        """
        allowed = self.points if level is None else self.points[level.holds(self.points)]
        values = surface.values(allowed)
        best = Peak(allowed[int(np.argmax(values))], float(values.max()))
        for start in self._apart(allowed, values):
            found = self._improved(start, surface, level)
            best = max(best, found, key=lambda peak: peak.value)
        return best

    def _apart(self, points: Floats, values: Floats) -> Iterator[Floats]:
        """The best points, each outside the cell of the ones before."""
        low, high = self.box.T
        scaled = (points - low) / (high - low)
        cell = len(self.points) ** (-1 / len(self.box))
        left = np.ones(len(points), dtype=bool)
        for _ in range(self.starts):
            if not left.any():
                return
            i = int(np.argmax(np.where(left, values, -np.inf)))
            left &= np.abs(scaled - scaled[i]).max(axis=1) > cell
            yield points[i]

    def _improved(self, start: Floats, surface: Surface, level: Level | None) -> Peak:
        low, high = self.box.T
        side = high - low

        def on_unit_cube(own: Surface, u: Floats) -> tuple[float, Floats]:
            value, gradient = own.value_and_gradient(low + side * u)
            return value, side * gradient

        def descend(u: Floats) -> tuple[float, Floats]:
            value, gradient = on_unit_cube(surface, u)
            return -value, -gradient

        begin, cube = (start - low) / side, Bounds(np.zeros(len(side)), np.ones(len(side)))
        if level is None:
            found = minimize(descend, begin, jac=True, method="L-BFGS-B", bounds=cube)
        else:
            reached = NonlinearConstraint(
                lambda u: np.array([on_unit_cube(level.surface, u)[0]]),
                level.least,
                np.inf,
                jac=lambda u: on_unit_cube(level.surface, u)[1][None],
            )
            found = minimize(
                descend, begin, jac=True, method="SLSQP", bounds=cube, constraints=reached, tol=1e-9
            )
        end = np.clip(low + side * np.clip(found.x, 0.0, 1.0), low, high)
        if not np.isfinite(end).all():
            return Peak(start, float(surface.values(start[None])[0]))
        if level is not None:
            end = _taken_back(start, end, level)
        return Peak(end, float(surface.values(end[None])[0]))


def _taken_back(start: Floats, end: Floats, level: Level) -> Floats:
    """`end`, or the last point on the way there at which the level is reached, as at `start`."""
    if level.holds(end[None])[0]:
        return end
    reached, missed = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (reached + missed) / 2
        if level.holds((start + middle * (end - start))[None])[0]:
            reached = middle
        else:
            missed = middle
    return start + reached * (end - start)
