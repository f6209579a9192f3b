"""The greatest value of a surface in a box: local maxima of many points, improved by gradient."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from ucbpe_core import streams
from ucbpe_core.box.population import clouds, evolved, maxima_first, sampled_inside
from ucbpe_core.box.surface import Surface

if TYPE_CHECKING:
    from ucbpe_core.validation import Booleans, Floats, Integers

# Up to so many dimensions all corners are looked at: 256 of them.
_CORNERS = 8
# A point is taken back to where the condition holds by halving the way this often.
_HALVINGS = 40
# How many local maxima are improved by random moves, in how many rounds.
_CLIMBERS, _ROUNDS = 80, 30
# How many points walk through a region, and how many steps each.
_WALKERS, _STEPS = 96, 20


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
    """Where to look in a box (d, 2): points (m, d) that cover it, and how many to improve.

    `seed` determines every random move, so that equal searches find equal points.
    """

    box: Floats
    points: Floats
    starts: int
    seed: tuple[int, int]

    @classmethod
    def covering(
        cls, box: Floats, samples: int, starts: int, seed: tuple[int, int], also: Floats
    ) -> Search:
        """`samples` scrambled Sobol points of the seed, a power of two, the points `also`, and
        half as many around these, where maxima can be narrower than samples resolve.

        The corners too, unless there are very many: uncertainty is often greatest there.
        """
        low, high = box.T
        sobol = scipy.stats.qmc.Sobol(len(box), rng=streams.box_search(*seed)).random(samples)
        covering = np.clip(low + (high - low) * sobol, low, high)
        around = clouds(also, box, samples // 2, streams.box_search(*seed, "clouds"))
        corners = np.array(list(product(*box))) if len(box) <= _CORNERS else np.empty((0, len(box)))
        return cls(box, np.concatenate([covering, also, around, corners]), starts, seed)

    def maximise(self, surface: Surface, level: Level | None = None) -> Peak:
        """The greatest value found, at a point where the level, if any, is reached.

        The local maxima among the points are improved by random moves, and the best of these by
        gradient: by L-BFGS-B, under a level by sequential quadratic programming. Under a level
        the points are those of `inside`.
        """
        values = surface.values(self.points)
        chosen = self._order(self.points, values)[:_CLIMBERS]
        ends, values = self._climbed(self.points[chosen], values[chosen], surface, level)
        best = Peak(ends[0], float(values[0]))
        tops: list[Floats] = []
        for start, value in zip(ends, values, strict=True):
            if len(tops) == self.starts:
                break
            # In many dimensions a start on the flank of a hill may lead to another, higher one:
            # half of the starts are the very best, whatever hill they are on.
            if 2 * len(tops) < self.starts or not _same_hill(start, value, tops, surface, level):
                found = self._improved(start, surface, level)
                best = max(best, found, key=lambda peak: peak.value)
                tops.append(found.point)
        return best

    def inside(self, level: Level, known: Floats) -> Search:
        """A search over the region where the level is reached: points in all of it that is found.

        These are the points `known` (k, d) to be in it, those of this search in it, and, for
        components smaller than the distance of samples, what is reached from the highest local
        maxima below the level: by random moves, or else by gradient. From there, and from the
        local maxima of the deviation, the region is sampled by hit-and-run.
        """
        heights = level.surface.values(self.points)
        order = self._order(self.points, heights)
        below = order[heights[order] < level.least][:_CLIMBERS]
        ends, values = self._climbed(self.points[below], heights[below], level.surface)
        near = ends[values < level.least][: self.starts]
        climbed = [self._improved(start, level.surface).point[None] for start in near]
        tried = np.concatenate([ends, *climbed])
        reached = np.concatenate([known, tried[level.holds(tried)]])
        found = np.concatenate([reached, self.points[heights >= level.least]])
        stds = Surface(level.surface.process, 0.0, 1.0).values(found)
        walkers = np.concatenate([reached, found[self._order(found, stds)[:_WALKERS]]])
        rng = streams.box_search(*self.seed, "walks")
        walked = sampled_inside(walkers, self.box, level.holds, _STEPS, rng)
        return Search(self.box, np.concatenate([found, walked]), self.starts, self.seed)

    def _climbed(
        self, points: Floats, values: Floats, surface: Surface, level: Level | None = None
    ) -> tuple[Floats, Floats]:
        """Where random moves lead from points (p, d) of these values (p,), the highest first."""
        rng, holds = streams.box_search(*self.seed, "climbs"), level.holds if level else None
        ends, values = evolved(points, values, self.box, surface.values, holds, _ROUNDS, rng)
        order = np.argsort(-values, kind="stable")
        return ends[order], values[order]

    def _order(self, points: Floats, values: Floats) -> Integers:
        """Local maxima first, whatever the units of x."""
        low, high = self.box.T
        return maxima_first((points - low) / (high - low), values)

    def _improved(self, start: Floats, surface: Surface, level: Level | None = None) -> Peak:
        low, high = self.box.T
        side = high - low

        def on_unit_cube(own: Surface, u: Floats) -> tuple[float, Floats]:
            value, gradient = own.value_and_gradient(low + side * u)
            return value, side * gradient

        def descend(u: Floats) -> tuple[float, Floats]:
            value, gradient = on_unit_cube(surface, u)
            return -value, -gradient

        minimize = scipy.optimize.minimize
        begin, cube = (start - low) / side, [(0.0, 1.0)] * len(side)
        if level is None:
            found = minimize(descend, begin, jac=True, method="L-BFGS-B", bounds=cube)
        else:
            reached = scipy.optimize.NonlinearConstraint(
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


def _same_hill(
    start: Floats, value: float, tops: list[Floats], surface: Surface, level: Level | None
) -> bool:
    """Whether no valley, nor a place where the level is missed, lies on the way to one of `tops`:
    then `start` would lead there too.
    """
    if not tops:
        return False
    shares = np.array([0.25, 0.5, 0.75])[:, None]
    ways = start + shares * (np.array(tops)[:, None] - start)
    flat = ways.reshape(-1, len(start))
    rising = surface.values(flat) >= value
    if level is not None:
        rising &= level.holds(flat)
    return bool(rising.reshape(len(tops), -1).all(axis=1).any())


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
