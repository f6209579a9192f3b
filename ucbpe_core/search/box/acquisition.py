"""What a search maximises, with gradients, and conditions on where: at points of the unit cube."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.gp.kernels.base import STEP
from ucbpe_core.gp.linalg import solve_lower, std_of
from ucbpe_core.support.frozen import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.gp.process import ConditionedProcess
    from ucbpe_core.policies.picking import Score
    from ucbpe_core.spaces.space import Space
    from ucbpe_core.support.validation import Booleans, Floats

    Condition = Callable[[Floats], Booleans]  # at points (m, d), shape (m,)

# Two points this close, in every coordinate and as a share of the side, are numerically one.
SAME = 1e-6
# A withdrawn setting and one closer than this are the same setting, however exactly results are
# matched to picks.
APART = 1e-3


@dataclass(frozen=True, eq=False)
class Acquisition(Frozen):
    """The function over the unit cube that is maximised: a score, given the posterior of f."""

    process: ConditionedProcess
    space: Space
    score: Score

    def values(self, U: Floats) -> Floats:
        """At points U (m, d), shape (m,)."""
        X = self.space.place(U)
        prediction = self.process.predict(X)
        return self.score.values(X, prediction.mean, prediction.std)

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        """At a point u (d,), with its gradient (d,), which is 0 where an input is snapped.

        Exact for a mean + b std; otherwise by central differences inside the cube.
        """
        slopes = self.score.slopes
        return self._by_differences(u) if slopes is None else self._exact(u, *slopes)

    def _by_differences(self, u: Floats) -> tuple[float, Floats]:
        steps = STEP * np.eye(len(u))
        ends = np.clip(np.concatenate([u + steps, u - steps]), 0, 1)
        values = self.values(np.concatenate([ends, u[None]]))
        up, down = values[:-1].reshape(2, -1)
        apart = (ends[: len(u)] - ends[len(u) :]).sum(axis=1)
        return float(values[-1]), self.space.free * (up - down) / apart

    def _exact(self, u: Floats, a: float, b: float) -> tuple[float, Floats]:
        """With k = k(X, x) and alpha = C^-1 (y - m): the gradient of the mean is that of k'alpha,
        and that of the variance k(x, x) - k'C^-1 k. A covariance is symmetric, so the gradient of
        k(x, x) is twice that in one argument.
        """
        gp, X, L, w = self.process.gp, self.process.X, self.process.L, self.process.w
        kernel, Z = gp.kernel, self.space.place(u[None])
        v = solve_lower(L, kernel.evaluate(X, Z))
        std = float(std_of(kernel.diagonal(Z) - v[:, 0] @ v[:, 0])[0])
        value = a * (gp.mean + float(w @ v[:, 0])) + b * std
        # One solve for both: alpha = L^-T w and C^-1 k = L^-T v.
        solved = solve_lower(L, np.column_stack([w, v[:, 0]]), transposed=True)
        slope = b / std if std else 0.0
        weights = a * solved[:, :1] - slope * solved[:, 1:]
        gradient = kernel.weighted_gradient(X, Z, weights)[0]
        gradient += slope * kernel.weighted_gradient(Z, Z, np.ones((1, 1)))[0]
        return value, self.space.slope(gradient, u)


class SuperlevelConstraint(NamedTuple):
    """The condition that an acquisition is at least `level`."""

    acquisition: Acquisition
    level: float

    def holds(self, U: Floats) -> Booleans:
        """At points U (m, d) of the unit cube, shape (m,)."""
        return self.acquisition.values(U) >= self.level


class Exclusion(NamedTuple):
    """Points of the unit cube that are left out of a search, whatever a score says.

    Attributes
    ----------
    space : what is set at a point
    centres, radii : points (e, d), and how near another one is the same, in every coordinate (e,)
    apart : how near another pick of the batch is the same, if they are to be distinct; else 0
    unknown : of the points (m, d), where a pick can still be made; None for all
    """

    space: Space
    centres: Floats
    radii: Floats
    apart: float = 0.0
    unknown: Condition | None = None

    def with_pick(self, u: Floats) -> Exclusion:
        """The same, and without the pick u (d,) if picks are to be distinct."""
        if not self.apart:
            return self
        centres = np.concatenate([self.centres, self.space.snap(u[None])])
        return self._replace(centres=centres, radii=np.append(self.radii, self.apart))

    def holds(self, U: Floats) -> Booleans:
        """Which points U (m, d) can be picked, shape (m,)."""
        V, free = self.space.snap(U), np.ones(len(U), dtype=bool)
        for centre, radius in zip(self.centres, self.radii, strict=True):
            free &= (np.abs(V - centre) > radius).any(axis=1)
        if self.unknown is not None and free.any():
            free[free] = self.unknown(V[free])
        return free


def knows(process: ConditionedProcess, space: Space, U: Floats) -> Booleans:
    """At which points U (m, d) of the unit cube f is known (`GaussianProcess.knows`), (m,)."""
    X = space.place(U)
    signal = float(process.gp.kernel.diagonal(X).max(initial=0.0))
    return process.gp.knows(process.predict(X).std, signal)


def together(*conditions: SuperlevelConstraint | Exclusion | Space | None) -> Condition:
    """All of these, but for None, as one; each is looked at where the ones before it hold."""
    parts = [condition.holds for condition in conditions if condition is not None]

    def holds(U: Floats) -> Booleans:
        free = np.ones(len(U), dtype=bool)
        for part in parts:
            free[free] = part(U[free])
        return free

    return holds
