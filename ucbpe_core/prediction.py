"""A Gaussian process given data, and its predictions at any point."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import streams
from ucbpe_core.assignment import Frozen
from ucbpe_core.linalg import jittered_cholesky, resolved, rounding, solve_lower
from ucbpe_core.validation import count, frozen_copy, points, read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Prediction(Frozen):
    """Mean and standard deviation at m points, each of shape (m,), in units of y.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> prediction = GaussianProcess(RBF()).condition([0.0, 1.0], [0.2, 0.7]).predict([0.5, 9.0])
    >>> prediction.mean.round(3), prediction.std.round(3)
    (array([0.491, 0.   ]), array([0.191, 1.   ]))
    """

    mean: Floats
    std: Floats


@dataclass(frozen=True, eq=False)
class ConditionedProcess(Frozen):
    """A Gaussian process given n observations, kept as L and w = L^-1 (y - mean).

    Attributes
    ----------
    gp : the prior
    X, y : observed points, shape (n, d), and the values there, shape (n,); NaN if hallucinated
    L : lower Cholesky factor of C = k(X, X) + D, shape (n, n), D from `gp.effective_noise`
    w : whitened residuals, shape (n,)
    known_noise : the noise variance given for each value; None where that of `gp` holds
    noise_ratio : the largest prior variance over noise variance of the points, 0 for none

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> process = GaussianProcess(RBF()).condition([0.0, 1.0], [0.2, 0.7])
    >>> process.predict([0.5]).mean.round(3), process.sample([0.5, 2.0], size=100).shape
    (array([0.491]), (100, 2))
    """

    gp: GaussianProcess
    X: Floats
    y: Floats = field(repr=False)
    L: Floats = field(repr=False)
    w: Floats = field(repr=False)
    known_noise: tuple[float | None, ...] = field(repr=False)
    noise_ratio: float = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("X", "y", "L", "w"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def predict(self, Z: ArrayLike, *, noisy: bool = False) -> Prediction:
        """Posterior at points Z (m, d), paper eqs (1) and (2).

        With V = L^-1 k(X, Z): mean + V' w and k(z, z) - sum V^2. The standard deviation is that of
        the latent f; with `noisy`, that of a new measurement (noise_variance added). It is enlarged
        to cover rounding errors of the mean (`linalg.rounding`).
        """
        Z = points(Z, "Z", self.X.shape[1])
        V = solve_lower(self.L, self.gp.kernel.evaluate(self.X, Z))
        mean = self.gp.mean + self.w @ V
        prior = self.gp.kernel.diagonal(Z)
        variance = resolved(prior - np.einsum("nm,nm->m", V, V), prior, self.rounded)
        if noisy:
            variance = variance + self.gp.noise_variance
        return Prediction(frozen_copy(mean), frozen_copy(np.sqrt(variance)))

    def sample(
        self, Z: ArrayLike, rng: int | np.random.Generator = 0, *, size: int | None = None
    ) -> Floats:
        """A joint draw of the latent f at points Z (m, d), shape (m,), or `size` draws (size, m).

        Needs one dense m x m factor, for any number of draws.
        """
        Z = points(Z, "Z", self.X.shape[1])
        V = solve_lower(self.L, self.gp.kernel.evaluate(self.X, Z))
        return draw(self.gp.mean + self.w @ V, self.gp.kernel.gram(Z) - V.T @ V, rng, size)

    @cached_property
    def rounded(self) -> float:
        """How far rounding may move the mean, in units of std; see `linalg.rounding`."""
        return rounding(self.noise_ratio, self.w.tolist(), self.gp.kernel.rounding_units)


def draw(
    mean: Floats | float, covariance: Floats, rng: int | np.random.Generator, size: int | None
) -> Floats:
    """A joint draw from N(mean, covariance (m, m)), shape (m,), or `size` draws (size, m)."""
    root, stream = jittered_cholesky(covariance), streams.function(rng)
    if size is None:
        return mean + root @ stream.standard_normal(len(root))
    return mean + stream.standard_normal((count(size, "size"), len(root))) @ root.T
