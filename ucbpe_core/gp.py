"""The Gaussian process prior, and what data make of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import solve_triangular

from ucbpe_core import hyperparameters, streams
from ucbpe_core.errors import InputError
from ucbpe_core.kernels import Kernel
from ucbpe_core.linalg import jittered_cholesky
from ucbpe_core.validation import frozen_copy, non_negative, points, read_only, real, values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Prediction:
    """Mean and standard deviation at m points, each of shape (m,), in units of y."""

    mean: Floats
    std: Floats


@dataclass(frozen=True)
class GaussianProcess:
    """Prior f ~ GP(mean, kernel), seen through y = f(x) + e, e ~ N(0, noise_variance).

    Parameters
    ----------
    kernel : Kernel
    noise_variance : float, at least 0, in squared units of y
    mean : float, constant prior mean, in units of y

    Raises
    ------
    InputError
        For a kernel of another type, a negative noise variance or a mean that is not finite.
    """

    kernel: Kernel
    noise_variance: float = 0.01
    mean: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise InputError("a Kernel", type(self.kernel).__name__, "pass RBF(), say")
        noise_variance = non_negative(self.noise_variance, "noise_variance")
        object.__setattr__(self, "noise_variance", noise_variance)
        object.__setattr__(self, "mean", real(self.mean, "mean"))

    def condition(self, X: ArrayLike, y: ArrayLike) -> ConditionedProcess:
        """Condition on values y (n,) at points X (n, d), by one dense Cholesky factor.

        Raises
        ------
        InputError
            For shapes that do not agree, NaN or infinities.
        IllConditionedError
            When the covariance of the data stays singular after jitter.
        """
        X = points(X, "X")
        y = values(y, "y", len(X))
        L = jittered_cholesky(self.noisy_gram(X))
        w = solve_triangular(L, y - self.mean, lower=True)
        return ConditionedProcess(self, read_only(X), L, w)

    def noisy_gram(self, X: Floats) -> Floats:
        """C = k(X, X) + noise_variance I, shape (n, n)."""
        C = self.kernel.gram(X)
        C[np.diag_indices_from(C)] += self.noise_variance
        return C

    def sample(self, X: ArrayLike, rng: int | np.random.Generator = 0) -> Floats:
        """One draw of f at points X (n, d), shape (n,); costs a dense n x n factor."""
        X = points(X, "X")
        L = jittered_cholesky(self.kernel.gram(X))
        return self.mean + L @ streams.function(rng).standard_normal(len(X))

    def log_marginal_likelihood(self, X: ArrayLike, y: ArrayLike) -> float:
        """log N(y; mean, C) of values y (n,) at points X (n, d), in nats.

        Rasmussen and Williams 2006, eq. (2.30). Its gradient is
        `hyperparameters.log_marginal_likelihood_gradient`.
        """
        X = points(X, "X")
        return hyperparameters.log_marginal_likelihood(self, X, values(y, "y", len(X)))

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        rng: int | np.random.Generator = 0,
        *,
        starts: int = 5,
        fit_noise: bool = True,
        fit_mean: bool = True,
        workers: int = 1,
    ) -> hyperparameters.Fit:
        """Hyperparameters of greatest marginal likelihood; see `hyperparameters.fit`."""
        X = points(X, "X")
        y = values(y, "y", len(X))
        return hyperparameters.fit(
            self,
            X,
            y,
            rng,
            starts=starts,
            fit_noise=fit_noise,
            fit_mean=fit_mean,
            workers=workers,
        )


@dataclass(frozen=True, eq=False)
class ConditionedProcess:
    """A Gaussian process given n observations, kept as L and w = L^-1 (y - mean).

    Attributes
    ----------
    gp : the prior
    X : observed points, shape (n, d)
    L : lower Cholesky factor of C = k(X, X) + noise_variance I, shape (n, n)
    w : whitened residuals, shape (n,)
    """

    gp: GaussianProcess
    X: Floats
    L: Floats = field(repr=False)
    w: Floats = field(repr=False)

    def __post_init__(self) -> None:
        for name in ("X", "L", "w"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def predict(self, Z: ArrayLike, *, noisy: bool = False) -> Prediction:
        """Posterior at points Z (m, d), paper eqs (1) and (2).

        With V = L^-1 k(X, Z): mean + V' w and k(z, z) - sum V^2. The standard deviation is that
        of the latent f; with `noisy`, that of a new measurement (noise_variance added).
        """
        Z = points(Z, "Z", self.X.shape[1])
        V = solve_triangular(self.L, self.gp.kernel.cross(self.X, Z), lower=True)
        mean = self.gp.mean + self.w @ V
        variance = self.gp.kernel.diagonal(Z) - np.einsum("nm,nm->m", V, V)
        # The difference of two nearly equal numbers can end a rounding error below 0.
        variance = np.maximum(variance, 0.0) + (self.gp.noise_variance if noisy else 0.0)
        return Prediction(frozen_copy(mean), frozen_copy(np.sqrt(variance)))

    def sample(self, Z: ArrayLike, rng: int | np.random.Generator = 0) -> Floats:
        """One joint draw of the latent f at points Z (m, d), shape (m,)."""
        Z = points(Z, "Z", self.X.shape[1])
        V = solve_triangular(self.L, self.gp.kernel.cross(self.X, Z), lower=True)
        root = jittered_cholesky(self.gp.kernel.gram(Z) - V.T @ V)
        noise = streams.function(rng).standard_normal(len(Z))
        return self.gp.mean + self.w @ V + root @ noise
