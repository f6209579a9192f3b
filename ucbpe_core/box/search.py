"""The maximum of an acquisition over the unit cube: local maxima of many points, improved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from ucbpe_core import streams
from ucbpe_core.assignment import Frozen
from ucbpe_core.box.acquisition import together
from ucbpe_core.box.population import clouds, evolve, hit_and_run, maxima_first
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from ucbpe_core.box.acquisition import Condition, Exclusion, Score, SuperlevelConstraint
    from ucbpe_core.space import Space
    from ucbpe_core.validation import Floats

# Up to this many dimensions all corners, at most 256, are included.
_CORNERS = 8
# Bisections on the way back to where the constraint holds.
_HALVINGS = 40
# How many local maxima are improved by random moves, in how many rounds.
_EVOLVED, _ROUNDS = 80, 30
# How many points walk through a region, and how many steps each.
_WALKERS, _STEPS = 96, 20


class Optimum(NamedTuple):
    """A point u (d,) of the unit cube, and the value there."""

    u: Floats
    value: float


@dataclass(frozen=True, eq=False)
class Search(Frozen):
    """Points U (m, d) that cover the unit cube, or a region in it, and how many to improve.

    `seed` determines every random move, so that equal searches find equal points. No point is found
    that is not feasible in the space or that `exclusion` excludes. The first `even` points are
    spread evenly.
    """

    space: Space
    U: Floats
    even: int
    starts: int
    seed: tuple[int, int]
    exclusion: Exclusion | None = None

    @classmethod
    def covering(
        cls, space: Space, also: Floats, samples: int, starts: int, seed: tuple[int, int]
    ) -> Search:
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
        return cls(space, np.concatenate([even, near]), len(even), starts, seed)

    def without(self, exclusion: Exclusion) -> Search | None:
        """The same search over what is not excluded; None if it has no such point."""
        U = self.U[exclusion.holds(self.U)]
        return replace(self, U=U, exclusion=exclusion) if len(U) else None

    def maximise(
        self, acquisition: Score, constraint: SuperlevelConstraint | None = None
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

    def inside(self, constraint: SuperlevelConstraint, known: Floats) -> Search:
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
        stds = replace(acquisition, a=0.0, b=1.0).values(found)
        walkers = np.concatenate([reached, found[maxima_first(found, stds)[:_WALKERS]]])
        rng = streams.box_search(*self.seed, "walks")
        walked = hit_and_run(walkers, together(constraint, self.space), _STEPS, rng)
        return replace(self, U=np.concatenate([found, walked]))

    def _evolved(
        self, points: Floats, values: Floats, acquisition: Score, where: Condition
    ) -> tuple[Floats, Floats]:
        """Where random moves lead from points (p, d) of these values (p,), the highest first."""
        rng = streams.box_search(*self.seed, "climbs")
        ends, values = evolve(points, values, acquisition.values, where, _ROUNDS, rng)
        order = np.argsort(-values, kind="stable")
        return ends[order], values[order]


def improved(
    start: Floats,
    acquisition: Score,
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
    acquisition: Score,
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
