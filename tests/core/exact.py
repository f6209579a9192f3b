"""A Gaussian process posterior in 50 digits, from its definition: nothing here rounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import mpmath as mp
import numpy as np

from ucbpe_core import RBF, Kernel, Matern

DIGITS = 50


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
