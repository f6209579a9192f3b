"""A Gaussian process posterior in 50 digits, from its definition: nothing here rounds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import mpmath as mp
import numpy as np
import pytest

from ucbpe_core import RBF, GaussianProcess, IllConditionedWarning, Kernel, Matern, Posterior
from ucbpe_core.gp.linalg import NOISE_FLOOR, rounding

DIGITS = 50
EPSILON = np.finfo(float).eps


class Exact(NamedTuple):
    """Mean and standard deviation at m points, as 50-digit numbers."""

    mean: list[mp.mpf]
    std: list[mp.mpf]


def posterior(
    kernel: Kernel, noise: float, X: np.ndarray, y: np.ndarray, Z: np.ndarray, m: float = 0.0
) -> Exact:
    """Posterior at Z (m, d) given y (n,) at X (n, d), with prior mean `m`."""
    with mp.workdps(DIGITS):
        k = covariance_of(kernel)
        points = [[mp.mpf(float(entry)) for entry in x] for x in X]
        C = mp.matrix(len(X), len(X))
        for i, x in enumerate(points):
            for j, z in enumerate(points):
                C[i, j] = k(x, z) + (mp.mpf(noise) if i == j else 0)
        L = mp.cholesky(C)
        w = _forward(L, [mp.mpf(float(value)) - mp.mpf(m) for value in y])
        mean, std = [], []
        for z in Z:
            at = [mp.mpf(float(entry)) for entry in z]
            v = _forward(L, [k(x, at) for x in points])
            mean.append(mp.mpf(m) + mp.fdot(v, w))
            std.append(mp.sqrt(k(at, at) - mp.fdot(v, v)))
        return Exact(mean, std)


def check(gp: GaussianProcess, X: np.ndarray, members: np.ndarray, y: np.ndarray) -> float:
    """Compare mean and std over X (M, d), given y at `members` (n,), by rows and by a dense factor.

    The std is that of eq. (2) to 1.5 eta, eta as in `docs/developers.md`; the mean is off by no
    more than what `linalg.rounding` proves, and by no more than it estimates. Returns the largest
    error of the mean as a share of the estimate.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IllConditionedWarning)
        rows = Posterior.prior(gp, X).observe(members, y)
        dense = gp.condition(X[members], y).predict(X)
    n, v, units = len(members), float(gp.kernel.variance), gp.kernel.rounding_units
    noise = max(gp.noise_variance, NOISE_FLOOR * v)
    N, rho, m, s = n + 1 + units, v / noise, abs(gp.mean), np.sqrt(noise)
    truth = posterior(gp.kernel, noise, X[members], y, X, gp.mean)
    latent = np.array([float(std) for std in truth.std])
    w = rows.state.data.residuals
    size = float(np.linalg.norm(w))
    estimate = rounding(w, rho, m / s, units) * latent
    assert rows.state.rounding == pytest.approx(rounding(w, rho, m / s, units))
    proved = n * N * EPSILON * (4 * (rho + 1) * size + np.sqrt(n) * m / s) * latent
    proved += n * EPSILON * (m + np.sqrt(v) * size)
    most = 0.0
    for mean, std in ((rows.mean, rows.std), (dense.mean, dense.std)):
        assert np.isfinite(mean).all()
        np.testing.assert_allclose(std, latent, rtol=1.5 * N * EPSILON * rho + 4 * EPSILON)
        off = distance(truth.mean, mean)
        # Writing a number down rounds as well: 4 units in the last place of the largest.
        written = 4 * EPSILON * (np.abs(mean).max() + np.abs(y).max())
        assert (off <= proved + written).all()
        assert (off <= 1.01 * estimate + written).all()
        most = max(most, float((np.maximum(off - written, 0.0) / estimate).max()))
    return most


def distance(exact: list[mp.mpf], found: np.ndarray) -> np.ndarray:
    """|exact - found|, shape (m,)."""
    with mp.workdps(DIGITS):
        return np.array(
            [float(abs(a - mp.mpf(float(b)))) for a, b in zip(exact, found, strict=True)]
        )


def _forward(L: mp.matrix, b: list[mp.mpf]) -> list[mp.mpf]:
    """L^-1 b."""
    solved: list[mp.mpf] = []
    for i, value in enumerate(b):
        solved.append((value - mp.fdot((L[i, j], solved[j]) for j in range(i))) / L[i, i])
    return solved


def covariance_of(kernel: Kernel) -> Callable[[list[mp.mpf], list[mp.mpf]], mp.mpf]:
    assert isinstance(kernel, RBF | Matern)
    assert isinstance(kernel.lengthscale, float)
    variance, lengthscale = mp.mpf(kernel.variance), mp.mpf(kernel.lengthscale)
    profile = _RBF if isinstance(kernel, RBF) else _matern(kernel.nu)

    def k(x: list[mp.mpf], z: list[mp.mpf]) -> mp.mpf:
        r = mp.sqrt(mp.fsum((a - b) ** 2 for a, b in zip(x, z, strict=True))) / lengthscale
        return variance * profile(r)

    return k


def _RBF(r: mp.mpf) -> mp.mpf:
    return mp.exp(-(r**2) / 2)


def _matern(nu: float) -> Callable[[mp.mpf], mp.mpf]:
    """From Bessel's function, which rounds where the closed forms do not: they are taken first."""
    if nu in _MATERN:
        return _MATERN[nu]

    def profile(r: mp.mpf) -> mp.mpf:
        s = mp.sqrt(2 * mp.mpf(nu)) * r
        if s == 0:
            return mp.mpf(1)
        with mp.workdps(2 * DIGITS):
            return +(2 ** (1 - mp.mpf(nu)) / mp.gamma(nu) * s ** mp.mpf(nu) * mp.besselk(nu, s))

    return profile


_MATERN: dict[float, Callable[[mp.mpf], mp.mpf]] = {
    0.5: lambda r: mp.exp(-r),
    1.5: lambda r: (1 + mp.sqrt(3) * r) * mp.exp(-mp.sqrt(3) * r),
    2.5: lambda r: (1 + mp.sqrt(5) * r + 5 * r**2 / 3) * mp.exp(-mp.sqrt(5) * r),
}
