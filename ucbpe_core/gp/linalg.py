"""Cholesky factors, and how accurate double precision is where they are ill-conditioned."""

from __future__ import annotations

import math
from sys import float_info
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from ucbpe_core.errors import IllConditionedError, IllConditionedWarning, warn
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.support.validation import Floats

# Noise variance below this share of the largest prior variance is raised to it. With relative noise
# s, n points, N = n + 1 and machine epsilon u, rounding moves the posterior variance by about
# 3 N u / s of itself and the mean by about N u / s * ||w|| standard deviations (`rounding`): here
# 2e-6 N, so that noise-free data are interpolated to 1e-5 prior standard deviations and a hundred
# smooth points keep four digits.
NOISE_FLOOR = 1e-10
# Below this share of the prior variance a posterior variance is rounding error.
ROUNDING = 1e-13

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


def std_of(difference: Floats) -> Floats:
    """The standard deviation that k(x, x) - sum V^2 stands for, shape (M,), read-only.

    That of paper eq. (2): the root of the difference, which rounding can take below 0 and which is
    then 0.
    """
    return read_only(np.sqrt(np.maximum(difference, 0.0)))


def rounding(
    residuals: Sequence[float], noise_ratio: float, offset: float, kernel_units: float
) -> float:
    """An estimate of how far rounding moves the posterior mean, in standard deviations.

    N u (rho ||w|| + |m| / s), with u = 2^-52 and rho = v / s^2.

    An estimate, as errors seldom add up: the largest seen against 50-digit arithmetic was 0.73 of
    it. What can be proved, to first order in u, is a factor of n more::

        n N u (4 (rho + 1) ||w|| + sqrt(n) |m| / s) std + n u (|m| + sqrt(v) ||w||)

    with N the number of points plus 1 and `Kernel.rounding_units`, v the largest prior variance and
    s^2 the least noise variance. A factor in double precision is exact for C + E with |E_ij| <=
    N u sqrt(C_ii C_jj). With a = C^-1 k(X, x) and b = C^-1 (y - m), E moves the mean by a'E b, at
    most N u sum |a_i| sqrt(C_ii) sum |b_j| sqrt(C_jj) <= n N u (v + s^2) ||a|| ||b||; and noise
    bounds ||a|| <= std / s and ||b|| <= ||w|| / s. The errors of both triangular solves and of
    k(X, x) have the same bound. The prior mean is part of the n sums that each y is compared with:
    they are off by up to n u |m|, which a takes to the mean, ||a||_1 <= sqrt(n) std / s. The last
    term is the error of the sum m + V'w itself.

    Parameters
    ----------
    residuals : w = L^-1 (y - m), one for each point, 0 if it was hallucinated
    noise_ratio : rho, the largest of the points
    offset : m / s
    kernel_units : `Kernel.rounding_units`
    """
    N = len(residuals) - residuals.count(0.0) + 1 + kernel_units
    return N * float_info.epsilon * (noise_ratio * math.hypot(*residuals) + abs(offset))


def warn_if_rounded(error: float) -> None:
    """Warn if the mean may be wrong by more than the std, `error` being that of `rounding`."""
    if error > 1:
        warn(
            f"rounding could move the posterior mean by an estimated {error:.2g} standard "
            "deviations, which std does not count: the values are far from what the prior expects. "
            "Raise noise_variance, fit the variance and the lengthscale, or subtract a large mean "
            "from y",
            IllConditionedWarning,
        )
