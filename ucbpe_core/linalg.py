"""Cholesky factors, and how accurate double precision is where they are ill-conditioned."""

from __future__ import annotations

import math
from sys import float_info
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from ucbpe_core.errors import IllConditionedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Floats

# Noise variance below this share of a point's prior variance is raised to it. With relative noise
# s, n points, N = n + 1 and machine epsilon u, rounding moves the posterior variance by at most
# 3 N u / s of itself and the mean by N u / s * ||w|| standard deviations (`rounding`): here 2e-6 N,
# so that noise-free data are interpolated to 1e-5 prior standard deviations and a hundred smooth
# points keep four digits.
NOISE_FLOOR = 1e-10
# Below this share of the prior variance a posterior variance is rounding error.
ROUNDING = 1e-13
# A mean that rounding moves by less than this share of the std counts as exact.
NEGLIGIBLE = 1e-3

_NOTHING_LEFT = 1e100  # standard deviations by which rounding moves the mean

# Jitter starts at this share of the mean diagonal and grows tenfold, `_TRIES` times at most:
# it ends at 1e-5, beyond which the matrix would no longer be the one the user asked for.
RELATIVE_JITTER = 1e-10
_TRIES = 6


def jittered_cholesky(matrix: Floats) -> Floats:
    """Lower L with L L' = matrix + jitter I, jitter 0 unless the plain factor fails.

    Raises
    ------
    IllConditionedError
        If the matrix, shape (n, n), is not positive definite even with the largest jitter, or not
        finite.
    """
    if len(matrix) == 0:
        return matrix
    jitters = np.mean(RELATIVE_JITTER * np.diag(matrix)) * 10.0 ** np.arange(_TRIES)
    for jitter in [0.0, *jitters]:
        jittered = matrix + jitter * np.eye(len(matrix)) if jitter else matrix
        _check_finite(jittered)
        try:
            return np.asarray(cholesky(jittered, lower=True, check_finite=False))
        except LinAlgError:
            continue
    raise IllConditionedError(
        "a positive definite covariance",
        f"one that fails with jitter {jitters[-1]:.1e} on its diagonal",
        "raise noise_variance, drop repeated points or shorten the lengthscale",
    )


def factor(matrix: Floats) -> Floats:
    """Lower L with L L' = matrix, shape (n, n), exactly the matrix given.

    Raises
    ------
    IllConditionedError
        If a pivot is not positive, or the matrix not finite.
    """
    _check_finite(matrix)
    try:
        return np.asarray(cholesky(matrix, lower=True, check_finite=False))
    except LinAlgError as error:
        raise not_positive_definite(str(error)) from error


def solve_lower(L: Floats, B: Floats, *, transposed: bool = False) -> Floats:
    """The x of L x = B, or of L'x = B, for a lower triangular L (n, n) and B (n,) or (n, m).

    Raises
    ------
    IllConditionedError
        If B is not finite: a covariance has overflowed.
    """
    _check_finite(B)
    x: Floats = solve_triangular(
        L, B, lower=True, trans="T" if transposed else "N", check_finite=False
    )
    return x


def _check_finite(covariance: Floats) -> None:
    if not np.isfinite(covariance).all():
        raise out_of_range("a covariance that overflows")


def out_of_range(got: str) -> IllConditionedError:
    """The error for results that overflow double precision or are NaN."""
    return IllConditionedError(
        "a posterior within the range of double precision",
        got,
        "bring x and y to the scale of the prior, e.g. with GaussianProcess.from_data",
    )


def not_positive_definite(got: str) -> IllConditionedError:
    """The error for a covariance with a pivot below 0."""
    return IllConditionedError(
        "a positive definite covariance",
        got,
        "raise noise_variance, shorten the lengthscale, or check that the kernel is a covariance",
    )


def rounding(noise_ratio: float, residuals: Sequence[float], kernel_units: float = 0.0) -> float:
    """How far rounding may move the posterior mean, in standard deviations.

    A factor in double precision is exact for C + E with |E_ij| <= N u sqrt(C_ii C_jj), N the number
    of points plus 1 and `Kernel.rounding_units`. With a = C^-1 k(X, x), E moves the mean by
    a'E C^-1 (y - m), and noise bounds both sides: ||a|| <= std / s and ||C^-1 (y - m)|| <= ||w|| /
    s, s^2 the noise variance. So the mean moves by at most N u (v / s^2) ||w|| std, u = 2^-52 and v
    the prior variance. E moves the variance by a'E a, at most N u (v / s^2) of itself; the errors
    of k(X, x) and of the sum k(x, x) - sum V^2 can each be as large. Against 50-digit arithmetic
    the largest errors seen are 0.73 of the bound on the mean and 0.77 of that on the variance.
    Hallucinated points have residual 0.

    Parameters
    ----------
    noise_ratio : the largest v / s^2 of the points
    residuals : w = L^-1 (y - m), one for each point
    kernel_units : `Kernel.rounding_units`
    """
    N = len(residuals) - residuals.count(0.0) + 1 + kernel_units
    return N * float_info.epsilon * noise_ratio * math.hypot(*residuals)


def resolved(difference: Floats, prior: Floats, rounded: float) -> Floats:
    """The posterior variance that double precision resolves, shape (M,).

    A difference of two nearly equal numbers is no more accurate than `ROUNDING` prior, and can end
    below 0. Where the mean is off by more than `NEGLIGIBLE` std the variance covers that:
    it is (1 + rounded^2) times what it would be.

    Parameters
    ----------
    difference : k(x, x) - sum V^2 as it was summed, shape (M,)
    prior : k(x, x), shape (M,)
    rounded : of `rounding`
    """
    variance = np.maximum(difference, ROUNDING * prior)
    # No pass over M numbers for a factor of 1: this is read at every pick.
    return variance if rounded < NEGLIGIBLE else enlargement(rounded) * variance


def enlargement(rounded: float) -> float:
    """1 + rounded^2, by which a variance covers rounding; 1 where that is negligible.

    Raises
    ------
    IllConditionedError
        If that overflows: the posterior then has no correct digit.
    """
    if rounded < NEGLIGIBLE:
        return 1.0
    if not rounded < _NOTHING_LEFT:
        raise out_of_range("a mean that is only rounding error")
    return 1.0 + rounded**2
