"""The densities whose product a fit maximises: of the data, and of hyperparameters.

The log marginal likelihood and its gradient; prior densities, fixed values and bounds, all by the
names of hyperparameters.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotri

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels.base import STEP, short_name
from ucbpe_core.gp.kernels.scales import scales_within
from ucbpe_core.gp.linalg import jittered_cholesky
from ucbpe_core.support.validation import noise_variances, points, values, varied

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Booleans, Floats, Noise

T = TypeVar("T")


def log_marginal_likelihood(
    gp: GaussianProcess, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None
) -> float:
    """log N(y; mean, C) of values y (n,) at points X (n, d), C = k(X, X) + D, in nats.

    D is diagonal: the known `noise_variance` of each value, a number or (n,), in squared units of
    y, or the variance of `gp` where it is None. Rasmussen and Williams 2006, eq. (2.30).

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, infinities, or a negative noise variance.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import log_marginal_likelihood
    >>> round(log_marginal_likelihood(GaussianProcess(RBF()), [0.0, 1.0], [0.3, 0.1]), 3)
    -1.674
    """
    X = points(X, "X")
    residual = values(y, "y", len(X)) - gp.mean
    L = jittered_cholesky(gp.noisy_gram(X, noise_variances(noise_variance, len(X))))
    return _log_density(L, residual, cho_solve((L, True), residual))


def log_marginal_likelihood_gradient(
    gp: GaussianProcess, X: Floats, y: Floats, noise_variance: Noise = None
) -> tuple[float, Floats]:
    """The log marginal likelihood and its gradient in (kernel.log_parameters, log noise_variance).

    d/d theta = 1/2 tr((alpha alpha' - C^-1) dC/d theta), alpha = C^-1 (y - mean): GPML eq. (5.9).
    Shapes: X (n, d), y (n,), noise variances (n,); the gradient is (p + 1,).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import log_marginal_likelihood_gradient
    >>> X, y = np.array([[0.0], [1.0]]), np.array([0.3, 0.1])
    >>> value, gradient = log_marginal_likelihood_gradient(GaussianProcess(RBF()), X, y)
    >>> round(value, 3), gradient.round(3)
    (-1.674, array([ 0.536, -0.936, -0.015]))
    """
    fixed = fixed_noises(noise_variance, len(X))
    _, value, gradient = likelihood_and_gradient(gp, X, y, fixed, fit_mean=False)
    return value, gradient


def fixed_noises(noise_variance: Noise, size: int) -> Floats:
    """The fixed noise variance of each value, NaN where it is that of the process, (size,)."""
    given = noise_variances(noise_variance, size)
    return np.array([np.nan if fixed is None else fixed for fixed in given])


def likelihood_and_gradient(
    gp: GaussianProcess, X: Floats, y: Floats, fixed_noise: Floats, *, fit_mean: bool
) -> tuple[GaussianProcess, float, Floats]:
    """`gp`, with the best mean if asked, its likelihood and gradient, all from one factor of C."""
    C, contract = gp.kernel.gram_and_contraction(X)
    fitted = np.isnan(fixed_noise)
    C[np.diag_indices_from(C)] += np.where(fitted, gp.noise_variance, fixed_noise)
    L = jittered_cholesky(C)
    if fit_mean:
        gp = replace(gp, mean=_least_squares_mean(L, y)[0])
    residual = y - gp.mean
    alpha = cho_solve((L, True), residual)
    weights = np.outer(alpha, alpha)
    weights -= _inverse(L)
    weights *= 0.5
    by_noise = gp.noise_variance * np.diag(weights)[fitted].sum()
    return gp, _log_density(L, residual, alpha), np.append(contract(weights), by_noise)


def least_squares_mean(
    gp: GaussianProcess, X: Floats, y: Floats, fixed_noise: Floats
) -> tuple[float, float]:
    """1'C^-1 y / 1'C^-1 1, the best mean, and the denominator: its precision."""
    C = gp.kernel.gram(X)
    C[np.diag_indices_from(C)] += np.where(np.isnan(fixed_noise), gp.noise_variance, fixed_noise)
    return _least_squares_mean(jittered_cholesky(C), y)


def _least_squares_mean(L: Floats, y: Floats) -> tuple[float, float]:
    """As `least_squares_mean`, with C = L L'."""
    weights = cho_solve((L, True), np.ones(len(y)))
    return float(weights @ y / weights.sum()), float(weights.sum())


def _inverse(L: Floats) -> Floats:
    """(L L')^-1, in a third of the operations of solving for the n columns of I."""
    if len(L) == 0:
        return L  # LAPACK refuses it
    half, _ = dpotri(L, lower=True)  # the lower triangle; above it stay the zeros of L
    diagonal = half.diagonal().copy()
    half += half.T
    np.fill_diagonal(half, diagonal)
    return half


def _log_density(L: Floats, residual: Floats, alpha: Floats) -> float:
    n = len(residual)
    log_determinant = 2 * np.log(np.diag(L)).sum()
    return float(-0.5 * (residual @ alpha + log_determinant + n * np.log(2 * np.pi)))


class Hyperprior(Protocol):
    """A density of one positive hyperparameter; every frozen distribution of `scipy.stats` is one.

    Both use its natural scale and the units of the data: ``lognorm(s=0.5, scale=20.0)`` on a
    lengthscale has its median at 20 in the units of x.

    Examples
    --------
    >>> from scipy.stats import lognorm
    >>> from ucbpe_core.gp.fitting import Hyperprior
    >>> prior: Hyperprior = lognorm(s=0.5, scale=20.0)
    >>> prior.logpdf([10.0, 20.0]).round(3)
    array([-3.489, -3.222])
    """

    def logpdf(self, x: Floats, /) -> Floats:
        """Natural logarithm of the density at x (k,), shape (k,)."""


@dataclass(frozen=True)
class LogNormal:
    """log x ~ N(mu, sigma^2), as ``scipy.stats.lognorm(sigma, scale=exp(mu))``, which is slower.

    Examples
    --------
    >>> from ucbpe_core.gp.fitting import LogNormal
    >>> LogNormal(3.0, 0.5).logpdf([10.0, 20.0]).round(3)
    array([-3.501, -3.222])
    """

    mu: float
    sigma: float

    def logpdf(self, x: Floats, /) -> Floats:
        """Natural logarithm of the density at x (k,); -inf at 0."""
        x = np.asarray(x, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(x)
            z = (log - self.mu) / self.sigma
            density = -0.5 * z**2 - log - np.log(self.sigma * np.sqrt(2 * np.pi))
        return np.where(x > 0, density, -np.inf)


@dataclass(frozen=True)
class Gamma:
    """The Gamma density, as ``scipy.stats.gamma(shape, scale=scale)``, which is slower.

    Examples
    --------
    >>> from ucbpe_core.gp.fitting import Gamma
    >>> Gamma(1.1, 0.5).logpdf([0.1, 1.0]).round(3)
    array([ 0.382, -1.188])
    """

    shape: float
    scale: float

    def logpdf(self, x: Floats, /) -> Floats:
        """Natural logarithm of the density at x (k,); -inf at 0 and below."""
        x = np.asarray(x, dtype=float)
        with np.errstate(divide="ignore", invalid="ignore"):
            density = (self.shape - 1) * np.log(x / self.scale) - x / self.scale
        constant = math.lgamma(self.shape) + math.log(self.scale)
        return np.where(x > 0, density - constant, -np.inf)


def default_priors(
    gp: GaussianProcess, X: Floats, y: Floats, domain: Floats
) -> dict[str, Hyperprior]:
    """The densities that `fit_hyperparameters` uses by default, in the units of the data.

    What a hyperparameter is follows from its unit and its name (`Parametrised`). With s^2 the
    variance of y, e_i the extents of `domain` (m, d) and d the number of inputs in which it has
    any: a lengthscale, or another length, l_i / e_i ~ LogNormal(sqrt 2 + log(d) / 2, sqrt 3),
    greatest at 0.2 sqrt d; noise variance / s^2 ~ LogNormal(-4, 1), greatest at 0.007. A length
    that all inputs share has the mean of e_i for e_i. These are the priors of BoTorch (Hvarfner,
    Hellsten and Nardi 2024, arXiv 2402.02229). A period p_i / e_i ~ LogNormal(-1, 1), which is
    below 1 with probability 0.84: of a longer one the data show no repetition. The variance of a
    kernel, which BoTorch keeps at s^2, is fitted without a prior, and so are the mean and
    hyperparameters without a unit, or with the unit x^2.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Matern
    >>> from ucbpe_core.gp.fitting import default_priors
    >>> X, y = np.array([[0.0], [10.0]]), np.array([-2.0, 2.0])
    >>> default_priors(GaussianProcess(Matern()), X, y, domain=X)["noise_variance"].sigma
    1.0
    """
    variance, d = float(np.var(varied(y))), max(1, int(np.count_nonzero(np.ptp(domain, axis=0))))
    scales = scales_within(gp.kernel, X, variance, domain)
    priors: dict[str, Hyperprior] = {"noise_variance": LogNormal(math.log(variance) - 4.0, 1.0)}
    kernel = gp.kernel
    names, units, logs = kernel.parameter_names, kernel.parameter_units, scales.logs.tolist()
    for name, unit, log in zip(names, units, logs, strict=True):
        if unit == "x" and short_name(name) == "period":
            priors[name] = LogNormal(log - 1, 1.0)
        elif unit == "x":
            priors[name] = LogNormal(log + math.sqrt(2) + math.log(d) / 2, math.sqrt(3))
    return priors


def densities_of(
    gp: GaussianProcess, priors: Mapping[str, Hyperprior] | None
) -> tuple[Hyperprior | None, ...]:
    """The prior of each log parameter and of the log noise variance, (p + 1,)."""
    chosen = each_named(gp, priors, "priors")
    for name, prior in (priors or {}).items():
        if not callable(getattr(prior, "logpdf", None)):
            remedy = "pass a frozen distribution: scipy.stats.lognorm(0.5), for example"
            raise InputError(f"a prior of {name} with logpdf", repr(prior), remedy)
    return chosen


def log_prior(densities: tuple[Hyperprior | None, ...], logs: Floats) -> tuple[float, Floats]:
    """Sum of the log densities at exp(logs), and its derivative by each log, shape (p + 1,)."""
    value, slopes = 0.0, np.zeros(len(logs))
    for i, density in enumerate(densities):
        if density is not None:
            at = np.exp(logs[i] + np.array([-STEP, 0.0, STEP]))
            below, middle, above = density.logpdf(at)
            value += float(middle)
            slopes[i] = (above - below) / (2 * STEP) if np.isfinite(middle) else 0.0
    return value, slopes


def log_hyperparameters(gp: GaussianProcess) -> Floats:
    """Log parameters of the kernel, then the log noise variance (-inf for none), (p + 1,)."""
    noise = np.log(gp.noise_variance) if gp.noise_variance > 0 else -np.inf
    return np.append(gp.kernel.log_parameters, noise)


def each_named(
    gp: GaussianProcess, given: Mapping[str, T] | None, what: str
) -> tuple[T | None, ...]:
    """What is given for each log parameter and for the log noise variance, (p + 1,).

    Names are `kernel.parameter_names` and "noise_variance"; "lengthscale" stands for all
    lengthscales, and so on. A full name comes before a short one.

    Raises
    ------
    InputError
        For another name, or for something that is not a mapping.
    """
    full = (*gp.kernel.parameter_names, "noise_variance")
    given = {} if given is None else given
    if not isinstance(given, Mapping):
        raise InputError(f"{what} by name", repr(given), 'write {"lengthscale": ..}')
    _check(tuple(given), full, what)
    return tuple(given.get(name, given.get(short_name(name))) for name in full)


def fixed_ones(gp: GaussianProcess, fixed: Collection[str]) -> tuple[Booleans, bool]:
    """Which log parameters and log noise variance are fixed (p + 1,), and whether the mean is.

    Raises
    ------
    InputError
        For a name that is unknown.
    """
    if not isinstance(fixed, Collection):
        raise InputError("fixed of names", repr(fixed), 'write ["noise_variance"]')
    names = (fixed,) if isinstance(fixed, str) else tuple(fixed)
    full = (*gp.kernel.parameter_names, "noise_variance")
    _check(names, (*full, "mean"), "fixed")
    kept = np.array([name in names or short_name(name) in names for name in full], dtype=bool)
    return kept, "mean" in names


def log_bounds(gp: GaussianProcess, bounds: Mapping[str, tuple[float, float]] | None) -> Floats:
    """Logs of the least and greatest value, (2, p + 1); -inf and inf where none is given.

    Raises
    ------
    InputError
        For a name that is unknown, or bounds without 0 <= low <= high, high > 0.
    """
    logs = np.empty((2, len(gp.kernel.parameter_names) + 1))
    for i, pair in enumerate(each_named(gp, bounds, "bounds")):
        low, high = (0.0, np.inf) if pair is None else _pair(pair)
        logs[:, i] = (np.log(low) if low > 0 else -np.inf), np.log(high)
    return logs


def _pair(pair: tuple[float, float]) -> tuple[float, float]:
    try:
        low, high = map(float, pair)
    except (TypeError, ValueError):
        low, high = np.nan, np.nan
    if not (0 <= low <= high and high > 0 and low < np.inf):
        remedy = 'write bounds={"lengthscale": (0.1, 2.0)}'
        raise InputError("bounds with 0 <= low <= high, high above 0", repr(pair), remedy)
    return low, high


def _check(names: tuple[str, ...], full: tuple[str, ...], what: str) -> None:
    known = dict.fromkeys((*full, *map(short_name, full)))
    for name in names:
        if name not in known:
            got = repr(name)
            raise InputError(f"{what} of {', '.join(known)}", got, "name one of these")
