"""The functions maximised over a box, with gradients, at points of the unit cube."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import scipy

from ucbpe_core.linalg import solve_lower, std_of
from ucbpe_core.policies.ei_pe import log_expected_improvement
from ucbpe_core.policies.local_penalization import log_softplus

if TYPE_CHECKING:
    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.space import Space
    from ucbpe_core.validation import Booleans, Floats


# The cube root of the rounding error balances it against the error of a central difference.
_STEP = 6e-6


class Score(Protocol):
    """A function over the unit cube that is maximised."""

    def values(self, U: Floats) -> Floats:
        """At points U (m, d), shape (m,)."""

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        """At a point u (d,), with its gradient (d,)."""


class Acquisition(NamedTuple):
    """The function u -> a mean(x) + b std(x) at the coordinates x that u stands for.

    (a, b) = (1, sqrt(beta)) is the upper and (1, -sqrt(beta)) the lower confidence bound, (0, 1)
    the standard deviation.
    """

    process: ConditionedProcess
    space: Space
    a: float
    b: float

    def values(self, U: Floats) -> Floats:
        prediction = self.process.predict(self.space.place(U))
        return self.a * prediction.mean + self.b * prediction.std

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        """At one point u (d,), with its gradient in u (d,): 0 where an input is snapped.

        With k = k(X, x) and alpha = C^-1 (y - m): the gradient of the mean is that of k'alpha, and
        that of the variance k(x, x) - k'C^-1 k. A covariance is symmetric, so the gradient of
        k(x, x) is twice that in one argument.
        """
        gp, X, L, w = self.process.gp, self.process.X, self.process.L, self.process.w
        kernel, Z = gp.kernel, self.space.place(u[None])
        v = solve_lower(L, kernel.evaluate(X, Z))
        std = float(std_of(kernel.diagonal(Z) - v[:, 0] @ v[:, 0])[0])
        value = self.a * (gp.mean + float(w @ v[:, 0])) + self.b * std
        # One solve for both: alpha = L^-T w and C^-1 k = L^-T v.
        solved = solve_lower(L, np.column_stack([w, v[:, 0]]), transposed=True)
        slope = self.b / std if std else 0.0
        weights = self.a * solved[:, :1] - slope * solved[:, 1:]
        gradient = kernel.weighted_gradient(X, Z, weights)[0]
        gradient += slope * kernel.weighted_gradient(Z, Z, np.ones((1, 1)))[0]
        return value, self.space.slope(gradient)


class SuperlevelConstraint(NamedTuple):
    """The condition that an acquisition is at least `level`."""

    acquisition: Acquisition
    level: float

    def holds(self, U: Floats) -> Booleans:
        """At points U (m, d) of the unit cube, shape (m,)."""
        return self.acquisition.values(U) >= self.level


class Improvement(NamedTuple):
    """log E[max(f - best, 0)], as `policies.EIPE` ranks candidates."""

    process: ConditionedProcess
    space: Space
    best: float

    def values(self, U: Floats) -> Floats:
        prediction = self.process.predict(self.space.place(U))
        return log_expected_improvement(prediction.mean, prediction.std, self.best)

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        return by_differences(self, u, self.space.free)


class PenalizedBound(NamedTuple):
    """log softplus(u) + sum of log phi(.; x_j), as `policies.LocalPenalization` ranks candidates.

    Attributes
    ----------
    upper : the upper bound at batch start, of a prior with standard deviation `unit`
    centres, means, stds : of the earlier picks of the batch, coordinates (k, D) and (k,)
    slope, top : L and the estimated maximum of f
    """

    upper: Acquisition
    unit: float
    slope: float
    top: float
    centres: Floats
    means: Floats
    stds: Floats

    def values(self, U: Floats) -> Floats:
        gp, X = self.upper.process.gp, self.upper.space.place(U)
        distances = np.linalg.norm(X[:, None] - self.centres, axis=2)
        z = (self.slope * distances - self.top + self.means) / self.stds
        value = log_softplus((self.upper.values(U) - gp.mean) / self.unit)
        return value + scipy.special.log_ndtr(z).sum(axis=1)

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        return by_differences(self, u, self.upper.space.free)


def by_differences(score: Score, u: Floats, free: Floats) -> tuple[float, Floats]:
    """The value at u (d,), and the gradient (d,) by central differences inside the cube.

    `free` (d,) is 0 where an input is snapped, and else 1.
    """
    steps = _STEP * np.eye(len(u))
    ends = np.clip(np.concatenate([u + steps, u - steps]), 0, 1)
    values = score.values(np.concatenate([ends, u[None]]))
    up, down = values[:-1].reshape(2, -1)
    return float(values[-1]), free * (up - down) / (ends[: len(u)] - ends[len(u) :]).sum(axis=1)
