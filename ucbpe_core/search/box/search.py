"""The maximum of an acquisition over the unit cube: local maxima of many points, improved.

Many points move at once: every step evaluates all of them in one call, so that it costs little
compared with improving one point by gradient.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from ucbpe_core.errors import InputError
from ucbpe_core.policies.picking import Exploration
from ucbpe_core.search.box.acquisition import together
from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.search.box.acquisition import (
        Acquisition,
        Condition,
        Exclusion,
        SuperlevelConstraint,
    )
    from ucbpe_core.spaces.space import Space
    from ucbpe_core.support.validation import Booleans, Floats, Integers

# Up to this many dimensions all corners, at most 256, are included.
_CORNERS = 8
# Bisections on the way back to where the constraint holds.
_HALVINGS = 40
# How many local maxima are improved by random moves, in how many rounds.
_EVOLVED, _ROUNDS = 80, 30
# How many points walk through a region, and how many steps each.
_WALKERS, _STEPS = 96, 20
# Standard deviation of a random step, as powers of ten of the side of the cube: from the scale that
# gradient steps resolve to a third of the side.
_FINEST, _COARSEST = -3.5, -0.5
# Moves tried per point in one round of `evolve`, by kind: see `_moves`.
_NEAR, _ALONG, _TO_FACE, _DIFFERENCE = 4, 2, 1, 1
# After this many misses of the region a point stays where it is.
_SHRINKS = 8


class Optimum(NamedTuple):
    """A point u (d,) of the unit cube, and the value there."""

    u: Floats
    value: float


@dataclass(frozen=True, eq=False)
class Cover(Frozen):
    """Points U (m, d) that cover the unit cube, or a region in it, and how many to improve.

    `samples` is how many were asked for.
    `seed` determines every random move, so that equal searches find equal points. No point is found
    that is not feasible in the space or that `exclusion` excludes. The first `even` points are
    spread evenly.
    """

    space: Space
    U: Floats
    even: int
    samples: int
    starts: int
    seed: tuple[int, int]
    exclusion: Exclusion | None = None

    @classmethod
    def of(
        cls, space: Space, also: Floats, samples: int, starts: int, seed: tuple[int, int]
    ) -> Cover:
        """`samples` scrambled Sobol points, a power of two, the points `also` (n, d), and half as
        many around these, where maxima can be narrower than samples resolve.

        The corners too, unless there are very many: uncertainty is often greatest there. Where
        there are no more than `samples` settings, it is all of these.

        Raises
        ------
        InputError
            If none of the points is feasible.
        """
        d, near = also.shape[1], np.empty((0, also.shape[1]))
        if space.size <= samples:
            even = space.every()
        else:
            even = scipy.stats.qmc.Sobol(d, rng=streams.box_search(*seed)).random(samples)
            around = clouds(also, samples // 2, streams.box_search(*seed, "clouds"))
            corners = list(product((0.0, 1.0), repeat=d)) if d <= _CORNERS else []
            near = np.concatenate([also, around, np.reshape(corners, (-1, d))])
        even, near = (part[space.holds(part)] for part in map(space.snap, (even, near)))
        if not len(even) + len(near):
            got, remedy = f"none of {samples} settings", "look at feasible, or give narrower bounds"
            raise InputError("a feasible setting", got, remedy)
        return cls(space, np.concatenate([even, near]), len(even), samples, starts, seed)

    def without(self, exclusion: Exclusion) -> Cover | None:
        """The same search over what is not excluded; None if it has no such point."""
        U = self.U[exclusion.holds(self.U)]
        return replace(self, U=U, exclusion=exclusion) if len(U) else None

    def maximise(
        self, acquisition: Acquisition, constraint: SuperlevelConstraint | None = None
    ) -> Optimum:
        """The greatest value found, at a point where the constraint, if any, holds.

        The local maxima among the points are improved by random moves, and the best of these by
        gradient: by L-BFGS-B, under a constraint by sequential quadratic programming. Under a
        constraint the points have to be those of `inside`.
        """
        values = acquisition.values(self.U)
        chosen = maxima_first(self.U, values)[:_EVOLVED]
        where = together(constraint, self.exclusion, self.space)
        ends, values = self._evolved(self.U[chosen], values[chosen], acquisition, where)
        best = Optimum(ends[0], float(values[0]))
        optima: list[Floats] = []
        for start, value in zip(ends, values, strict=True):
            if len(optima) == self.starts:
                break
            # In many dimensions a start on the slope of one peak may lead to a higher one: half of
            # the starts are simply the best points, whatever peak they are on.
            any_hill = 2 * len(optima) < self.starts
            if any_hill or not _same_hill(start, value, optima, acquisition, where):
                found = improved(start, acquisition, where, constraint)
                best = max(best, found, key=lambda optimum: optimum.value)
                optima.append(found.u)
        return best

    def inside(self, constraint: SuperlevelConstraint, known: Floats) -> Cover:
        """A search over the region where the constraint holds, as far as it is found.

        Its points are those `known` (k, d) to be in the region, those of this search that are, and,
        for components smaller than the sample spacing, those reached from the highest local maxima
        below the level by random moves or else by gradient. From these, and from the local maxima
        of the standard deviation, hit-and-run samples the region.
        """
        (acquisition, level), feasible = constraint, self.space.holds
        heights = acquisition.values(self.U)
        order = maxima_first(self.U, heights)
        below = order[heights[order] < level][:_EVOLVED]
        ends, values = self._evolved(self.U[below], heights[below], acquisition, feasible)
        near = ends[values < level][: self.starts]
        climbed = [improved(start, acquisition, feasible).u[None] for start in near]
        tried = np.concatenate([ends, *climbed])
        reached = np.concatenate([known, tried[constraint.holds(tried)]])
        found = np.concatenate([reached, self.U[heights >= level]])
        stds = replace(acquisition, score=Exploration()).values(found)
        walkers = np.concatenate([reached, found[maxima_first(found, stds)[:_WALKERS]]])
        rng = streams.box_search(*self.seed, "walks")
        walked = hit_and_run(walkers, together(constraint, self.space), _STEPS, rng)
        return replace(self, U=np.concatenate([found, walked]))

    def _evolved(
        self, points: Floats, values: Floats, acquisition: Acquisition, where: Condition
    ) -> tuple[Floats, Floats]:
        """Where random moves lead from points (p, d) of these values (p,), the highest first."""
        rng = streams.box_search(*self.seed, "climbs")
        ends, values = evolve(points, values, acquisition.values, where, _ROUNDS, rng)
        order = np.argsort(-values, kind="stable")
        return ends[order], values[order]


def improved(
    start: Floats,
    acquisition: Acquisition,
    where: Condition,
    constraint: SuperlevelConstraint | None = None,
) -> Optimum:
    """A local maximum, by gradient from one point u (d,) at which the constraint, if any, holds.

    Where the gradient leads to a point that fails the condition `where`, which includes the
    constraint, the last one on the way that does not.
    """

    def objective(u: Floats) -> tuple[float, Floats]:
        value, gradient = acquisition.value_and_gradient(u)
        return -value, -gradient

    how: dict[str, Any] = {"method": "L-BFGS-B"}
    if constraint is not None:
        height, level = constraint.acquisition.value_and_gradient, constraint.level
        above, slope = (lambda u: height(u)[0] - level), (lambda u: height(u)[1])
        reached = {"type": "ineq", "fun": above, "jac": slope}
        how = {"method": "SLSQP", "constraints": reached, "tol": 1e-9}
    cube = [(0, 1)] * len(start)
    end = np.clip(scipy.optimize.minimize(objective, start, jac=True, bounds=cube, **how).x, 0, 1)
    end = backtrack(start, end, where) if np.isfinite(end).all() else start
    return Optimum(end, float(acquisition.values(end[None])[0]))


def backtrack(start: Floats, end: Floats, where: Condition) -> Floats:
    """`end`, or the last point on the way there where the condition holds, as at `start`."""
    if where(end[None])[0]:
        return end
    reached, missed = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (reached + missed) / 2
        if where((start + middle * (end - start))[None])[0]:
            reached = middle
        else:
            missed = middle
    return start + reached * (end - start)


def _same_hill(
    start: Floats,
    value: float,
    optima: list[Floats],
    acquisition: Acquisition,
    where: Condition,
) -> bool:
    """Whether the way to one of `optima` crosses neither a valley nor a place where the condition
    fails: `start` would then lead there too.
    """
    shares = np.array([0.25, 0.5, 0.75])[:, None]
    ways = start + shares * (np.array(optima)[:, None] - start)
    flat = ways.reshape(-1, len(start))
    rising = (acquisition.values(flat) >= value) & where(flat)
    return bool(rising.reshape(len(optima), -1).all(axis=1).any())


def maxima_first(U: Floats, values: Floats) -> Integers:
    """Order of the points U (m, d): first those higher than their 2 d nearest neighbours, by
    falling value, then the others likewise.

    No fixed radius excludes lower points: the local density of the points decides how close two
    maxima may be.
    """
    m, d = U.shape
    if not m:
        return np.empty(0, dtype=np.intp)
    near = scipy.spatial.cKDTree(U).query(U, k=np.arange(1, min(m, 2 * d + 1) + 1))[1]
    return np.lexsort([-values, values < values[near].max(axis=1)])


def clouds(centres: Floats, count: int, rng: np.random.Generator) -> Floats:
    """`count` points around `centres` (n, d), in turn, at distances of all orders of magnitude.

    Maxima near measured points can be far narrower than the distance between samples.
    """
    if not len(centres):
        return centres
    return _steps(centres[np.arange(count) % len(centres)], rng)


def evolve(
    points: Floats,
    values: Floats,
    acquisition: Callable[[Floats], Floats],
    holds: Callable[[Floats], Booleans],
    rounds: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Points (p, d) and values (p,) of an acquisition after `rounds` of random moves.

    In a round each point tries eight moves, and takes the best if that is higher and the condition
    `holds` there: near it, along one axis, onto a face of the cube, and by the difference of two
    other points. Points do not compete with each other, so those on lower peaks, or in small
    components of a region, are kept.
    """
    p, d = points.shape
    if not p:
        return points, values
    for _ in range(rounds):
        tried = _moves(points, rng)
        reached = acquisition(tried.reshape(-1, d)).reshape(p, -1)
        rows, moves = np.nonzero(reached > values[:, None])
        if len(rows):
            held = holds(tried[rows, moves])
            rows, moves = rows[held], moves[held]
        higher = np.full(reached.shape, -np.inf)
        higher[rows, moves] = reached[rows, moves]
        best, most = higher.argmax(axis=1), higher.max(axis=1)
        better = most > values
        points = np.where(better[:, None], tried[np.arange(p), best], points)
        values = np.where(better, most, values)
    return points, values


def hit_and_run(
    points: Floats, holds: Callable[[Floats], Booleans], rounds: int, rng: np.random.Generator
) -> Floats:
    """Points of a region, from points (p, d) in it, by hit-and-run: up to p * rounds of them.

    Each moves, in a random direction, to a uniformly drawn point of the line through the cube;
    while that is outside the region, the line is shortened to it (slice sampling, Neal 2003,
    section 4).
    """
    found = [points]
    for i in range(rounds):
        along = _directions(points.shape, rng, one_axis=i % 2 == 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([-points / along, (1 - points) / along])
        ends = np.where(along == 0, [[[-np.inf]], [[np.inf]]], ends)
        back, forth = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
        left = np.ones(len(points), dtype=bool)
        for _ in range(_SHRINKS):
            step = back + (forth - back) * rng.random(len(points))
            place = np.clip(points + step[:, None] * along, 0, 1)
            reached = np.zeros_like(left)
            reached[left] = holds(place[left])
            points = np.where(reached[:, None], place, points)
            left &= ~reached
            if not left.any():
                break
            back, forth = np.where(step < 0, step, back), np.where(step < 0, forth, step)
        found.append(points)
    return np.unique(np.concatenate(found), axis=0)


def _directions(shape: tuple[int, ...], rng: np.random.Generator, *, one_axis: bool) -> Floats:
    """Of the unit sphere, or along one axis."""
    if one_axis:
        return np.eye(shape[1])[rng.integers(shape[1], size=shape[0])]
    direction = rng.standard_normal(shape)
    return direction / np.linalg.norm(direction, axis=1, keepdims=True)


def _steps(points: Floats, rng: np.random.Generator) -> Floats:
    """Gaussian steps of all orders of magnitude from points (..., d), inside the cube."""
    size = 10 ** rng.uniform(_FINEST, _COARSEST, (*points.shape[:-1], 1))
    return np.clip(points + size * rng.standard_normal(points.shape), 0, 1)


def _moves(points: Floats, rng: np.random.Generator) -> Floats:
    """Eight moves of each of the points (p, d), shape (p, 8, d)."""
    p, d = points.shape
    near = _steps(np.repeat(points[:, None], _NEAR, axis=1), rng)
    along = np.repeat(points[:, None], _ALONG + _TO_FACE, axis=1)
    place = rng.random((p, _ALONG + _TO_FACE))
    place[:, _ALONG:] = np.round(place[:, _ALONG:])
    axis = rng.integers(d, size=place.shape)
    np.put_along_axis(along, axis[..., None], place[..., None], axis=2)
    first, second = rng.integers(p, size=(2, p, _DIFFERENCE))
    apart = rng.random((p, _DIFFERENCE, 1)) * (points[first] - points[second])
    return np.concatenate([near, along, np.clip(points[:, None] + apart, 0, 1)], axis=1)
