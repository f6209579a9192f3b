"""The slow reference: covariances by definition, every posterior by a dense solve.

Nothing here calls the library's kernels, posterior, regions or policies: it only reads the
numbers that a kernel or a process was made with.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import settings
from numpy.typing import NDArray
from scipy.special import gamma, kv
from scipy.stats import norm

from ucbpe_core import RBF, GaussianProcess, Kernel, Matern
from ucbpe_core.gp.kernels import (
    Active,
    Constant,
    Linear,
    Periodic,
    Polynomial,
    Product,
    RationalQuadratic,
    Sum,
    White,
)

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

DATA = Path(__file__).parents[1] / "data"


def examples(count: int) -> settings:
    """Hypothesis settings shared by all property tests: reproducible, without a deadline."""
    return settings(max_examples=count, deadline=None, derandomize=True)


def figure1_observations() -> Floats:
    """x and y of the four printed observations, shape (4, 2)."""
    return np.loadtxt(DATA / "figure1_observations.csv", delimiter=",", skiprows=1)


def matern(nu: float, r: Floats) -> Floats:
    """The Matérn correlation straight from its definition, 1 at r = 0."""
    s = np.sqrt(2 * nu) * np.where(r > 0, r, 1.0)
    return np.where(r > 0, 2 ** (1 - nu) / gamma(nu) * s**nu * kv(nu, s), 1.0)


def covariance(kernel: Kernel, X: Floats, Z: Floats) -> Floats:
    """k(x_i, z_j) by the formula of each kernel, shape (n, m)."""
    if isinstance(kernel, Sum):
        return covariance(kernel.left, X, Z) + covariance(kernel.right, X, Z)
    if isinstance(kernel, Product):
        return covariance(kernel.left, X, Z) * covariance(kernel.right, X, Z)
    if isinstance(kernel, Active):
        dims = list(kernel.dims)
        return covariance(kernel.inner, X[:, dims], Z[:, dims])
    if isinstance(kernel, Polynomial):
        inner = (X[:, None, :] * Z[None, :, :]).sum(axis=2)
        return kernel.variance * (inner + kernel.offset) ** kernel.degree
    apart = X[:, None, :] - Z[None, :, :]
    if isinstance(kernel, Linear | Constant | White):
        shape = {
            Linear: (X[:, None, :] * Z[None, :, :]).sum(axis=2),
            Constant: np.ones(apart.shape[:2]),
            White: np.all(apart == 0, axis=2),
        }
        return kernel.variance * shape[type(kernel)]
    if isinstance(kernel, Periodic):
        waves = np.sin(np.pi * apart / np.array(kernel.period)) ** 2
        return kernel.variance * np.exp(
            (-2 * waves / np.array(kernel.lengthscale) ** 2).sum(axis=2)
        )
    scaled = apart / np.array(kernel.lengthscale)
    r = np.sqrt((scaled**2).sum(axis=2))
    if isinstance(kernel, RBF):
        return kernel.variance * np.exp(-0.5 * r * r)
    if isinstance(kernel, RationalQuadratic):
        return kernel.variance * (1 + r * r / (2 * kernel.alpha)) ** -kernel.alpha
    assert isinstance(kernel, Matern)
    return kernel.variance * matern(kernel.nu, r)


def dense(
    gp: GaussianProcess, X: Floats, y: Floats, Z: Floats, noise: Floats | None = None
) -> tuple[Floats, Floats]:
    """Mean and covariance of f at Z given y at X, paper eqs (1) and (2), by a dense solve.

    `noise` (n,) are the noise variances of the values, where they are not the prior's.
    """
    own = np.full(len(X), gp.noise_variance) if noise is None else noise
    C = covariance(gp.kernel, X, X) + np.diag(own)
    k = covariance(gp.kernel, X, Z)
    mean = gp.mean + k.T @ np.linalg.solve(C, y - gp.mean)
    return mean, covariance(gp.kernel, Z, Z) - k.T @ np.linalg.solve(C, k)


def moments(gp: GaussianProcess, X: Floats, y: Floats, Z: Floats) -> tuple[Floats, Floats]:
    """Mean and deviation of f at Z given y at X."""
    mean, covariances = dense(gp, X, y, Z)
    return mean, np.sqrt(np.maximum(np.diag(covariances), 0.0))


def dense_std(gp: GaussianProcess, X: Floats, Z: Floats) -> Floats:
    """Deviation of f at Z after measurements at X, whatever they gave."""
    return moments(gp, X, np.zeros(len(X)), Z)[1]


def posterior_covariance(gp: GaussianProcess, X: Floats, members: list[int]) -> Floats:
    """Of f at X after measurements at some of them, (M, M)."""
    return dense(gp, X[members], np.zeros(len(members)), X)[1]


def improvement(mean: Floats, std: Floats, best: float) -> Floats:
    """E[max(f - best, 0)]: (mean - best) Phi(z) + std phi(z) where std > 0."""
    z = (mean - best) / np.where(std > 0, std, 1.0)
    random = (mean - best) * norm.cdf(z) + std * norm.pdf(z)
    return np.where(std > 0, random, np.maximum(mean - best, 0.0))


class NotACovariance(Kernel):
    """k(x, z) = 1 - 2 (x - z)^2: symmetric, and not positive definite."""

    def evaluate(self, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return 1.0 - 2.0 * (X - Z.T) ** 2
