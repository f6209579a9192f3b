"""The functions maximised over a box, with gradients, in coordinates of the unit cube."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.linalg import solve_lower, std_of

if TYPE_CHECKING:
    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.validation import Booleans, Floats


class Acquisition(NamedTuple):
    """The function u -> a mean(x) + b std(x) at x = low + (high - low) u, for a box (d, 2).

    (a, b) = (1, sqrt(beta)) is the upper and (1, -sqrt(beta)) the lower confidence bound, (0, 1)
    the standard deviation.
    """

    process: ConditionedProcess
    box: Floats
    a: float
    b: float

    def values(self, U: Floats) -> Floats:
        """At points U (m, d) of the unit cube, shape (m,)."""
        low, high = self.box.T
        prediction = self.process.predict(low + (high - low) * U)
        return self.a * prediction.mean + self.b * prediction.std

    def value_and_gradient(self, u: Floats) -> tuple[float, Floats]:
        """At one point u (d,), with its gradient in u (d,).

        With k = k(X, x) and alpha = C^-1 (y - m): the gradient of the mean is that of k'alpha, and
        that of the variance k(x, x) - k'C^-1 k. A covariance is symmetric, so the gradient of
        k(x, x) is twice that in one argument.
        """
        low, high = self.box.T
        gp, X, L, w = self.process.gp, self.process.X, self.process.L, self.process.w
        kernel, Z = gp.kernel, (low + (high - low) * u)[None]
        v = solve_lower(L, kernel.evaluate(X, Z))
        std = float(std_of(kernel.diagonal(Z) - v[:, 0] @ v[:, 0])[0])
        value = self.a * (gp.mean + float(w @ v[:, 0])) + self.b * std
        # One solve for both: alpha = L^-T w and C^-1 k = L^-T v.
        solved = solve_lower(L, np.column_stack([w, v[:, 0]]), transposed=True)
        slope = self.b / std if std else 0.0
        weights = self.a * solved[:, :1] - slope * solved[:, 1:]
        gradient = kernel.weighted_gradient(X, Z, weights)[0]
        gradient += slope * kernel.weighted_gradient(Z, Z, np.ones((1, 1)))[0]
        return value, (high - low) * gradient


class SuperlevelConstraint(NamedTuple):
    """The condition that an acquisition is at least `level`."""

    acquisition: Acquisition
    level: float

    def holds(self, U: Floats) -> Booleans:
        """At points U (m, d) of the unit cube, shape (m,)."""
        return self.acquisition.values(U) >= self.level
