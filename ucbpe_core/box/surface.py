"""Linear combinations of the posterior mean and deviation anywhere, with their gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from ucbpe_core.kernels.gradient import weighted_gradient
from ucbpe_core.linalg import enlargement, resolved

if TYPE_CHECKING:
    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.validation import Floats


class Surface(NamedTuple):
    """The function z -> a mean(z) + b std(z) of a conditioned process.

    (1, sqrt(beta)) is the upper and (1, -sqrt(beta)) the lower confidence bound, (0, 1) the
    deviation.
    """

    process: ConditionedProcess
    a: float
    b: float

    def values(self, Z: Floats) -> Floats:
        """At points Z (m, d), shape (m,)."""
        prediction = self.process.predict(Z)
        return self.a * prediction.mean + self.b * prediction.std

    def value_and_gradient(self, z: Floats) -> tuple[float, Floats]:
        """At one point z (d,), with its gradient (d,).

        With k = k(X, z) and alpha = C^-1 (y - m): the gradient of the mean is that of k'alpha, and
        that of the variance k(z, z) - k'C^-1 k. A covariance is symmetric, so the gradient of
        k(z, z) is twice that in one argument.
        """
        gp, X, L, w = self.process.gp, self.process.X, self.process.L, self.process.w
        kernel, Z = gp.kernel, z[None]
        v = solve_triangular(L, kernel.cross(X, Z), lower=True)
        prior = kernel.diagonal(Z)
        std = np.sqrt(resolved(prior - v[:, 0] @ v[:, 0], prior, self.process.rounded))[0]
        value = self.a * (gp.mean + float(w @ v[:, 0])) + self.b * std
        # One solve for both: alpha = L^-T w and C^-1 k = L^-T v.
        pulled = solve_triangular(L, np.column_stack([w, v[:, 0]]), lower=True, trans="T")
        slope = self.b * enlargement(self.process.rounded) / std
        weights = self.a * pulled[:, :1] - slope * pulled[:, 1:]
        gradient = weighted_gradient(kernel, X, Z, weights)[0]
        gradient += slope * weighted_gradient(kernel, Z, Z, np.ones((1, 1)))[0]
        return value, gradient
