"""The log marginal likelihood of a process, its gradient, and the objective of a fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotri

from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.fitting.priors import log_hyperparameters, log_prior
from ucbpe_core.linalg import jittered_cholesky
from ucbpe_core.validation import noise_variances, points, values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.fitting.priors import Hyperprior
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.kernels.scales import Scales
    from ucbpe_core.validation import Floats, Noise

# Each hyperparameter may move by this factor either way from the scale that the data suggest
# (`Objective.reference`); wide enough for any sensible result, narrow enough that C can be
# factored.
_SPAN = 1e3
# A noise variance below this share of var(y) is indistinguishable from none in double precision.
_LEAST_NOISE = 1e-6


def log_marginal_likelihood(
    gp: GaussianProcess, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None
) -> float:
    """log N(y; mean, C) of values y (n,) at points X (n, d), C = k(X, X) + D, in nats.

    D is diagonal: the known `noise_variance` of each value, a number or (n,), in squared units of
    y, or that of `gp` where it is None. Rasmussen and Williams 2006, eq. (2.30).

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, infinities, or a negative noise variance.

    Examples
    --------
    >>> from ucbpe_core import GaussianProcess, RBF
    >>> from ucbpe_core.fitting import log_marginal_likelihood
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
    >>> from ucbpe_core.fitting import log_marginal_likelihood_gradient
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


@dataclass(frozen=True)
class Objective(Frozen):
    """Log likelihood and log prior of theta = (free log parameters, log noise if fitted).

    `fixed_noise` (n,) is NaN where the noise variance is that of `gp`. `scales` are what the data
    suggest for the kernel, and which of its parameters are searched. `densities` are priors by
    the log parameters and the log noise variance, which exceed those of `gp`, in standardised
    units, by `shift`; both have p + 1 entries. `limits` (2, p + 1) are the bounds asked for, in
    standardised units, infinite where there are none.
    """

    gp: GaussianProcess
    X: Floats
    y: Floats
    fixed_noise: Floats
    scales: Scales
    fit_noise: bool
    fit_mean: bool
    densities: tuple[Hyperprior | None, ...]
    shift: Floats
    limits: Floats

    def evaluate(self, theta: Floats) -> tuple[GaussianProcess, float, Floats]:
        """The process for theta, with the best mean if that is fitted; the value; the gradient."""
        parameters, free = self.gp.kernel.log_parameters.copy(), self.scales.free
        p = int(free.sum())
        parameters[free] = theta[:p]
        noise = float(np.exp(theta[p])) if self.fit_noise else self.gp.noise_variance
        kernel = self.gp.kernel.with_log_parameters(parameters)
        gp = replace(self.gp, kernel=kernel, noise_variance=noise)
        gp, value, gradient = likelihood_and_gradient(
            gp, self.X, self.y, self.fixed_noise, fit_mean=self.fit_mean
        )
        prior, slope = log_prior(self.densities, log_hyperparameters(gp) + self.shift)
        gradient = gradient + slope
        return gp, value + prior, np.append(gradient[:-1][free], gradient[-1])[: len(theta)]

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """The negative value and its gradient, for a minimiser."""
        try:
            _, value, gradient = self.evaluate(theta)
        except IllConditionedError:
            value, gradient = -np.inf, theta
        return (-value, -gradient) if np.isfinite(value) else (np.inf, np.zeros_like(theta))

    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest theta of a search."""
        reference = self.reference()
        lower, upper = reference - np.log(_SPAN), reference + np.log(_SPAN)
        if self.fit_noise:
            lower[-1] = np.log(_LEAST_NOISE * np.var(self.y))
        least, greatest = self.limits[:, np.append(self.scales.free, self.fit_noise)]
        # What was asked for comes first, also beyond what the data suggest.
        lower = np.where(np.isfinite(least), least, np.minimum(lower, greatest))
        upper = np.where(np.isfinite(greatest), greatest, np.maximum(upper, least))
        return lower, upper

    def reference(self) -> Floats:
        """Log scales that the data suggest, var(y) for the noise variance."""
        kernel = self.scales.logs[self.scales.free]
        return np.append(kernel, np.log(np.var(self.y))) if self.fit_noise else kernel

    def middle(self) -> Floats:
        """Where random starts are centred: within the scales of the data."""
        return np.clip(self.reference() - np.log(3.0), *self.bounds())

    def given(self) -> Floats:
        """The values passed in; the middle for one beyond the bounds, where the surface is flat."""
        (lower, upper), given = self.bounds(), self.gp.kernel.log_parameters[self.scales.free]
        if self.fit_noise:
            given = np.append(given, np.log(max(self.gp.noise_variance, np.exp(lower[-1]))))
        return np.where(np.clip(given, lower, upper) == given, given, self.middle())

    def starting_points(self, starts: int, rng: np.random.Generator) -> list[tuple[str, Floats]]:
        """What the data suggest, and `starts` - 1 points around it."""
        lower, upper = self.bounds()
        # Random starts stay within a factor 10 of the reference: farther out the surface is flat.
        narrow, middle = np.log(10.0), self.reference() - np.log(3.0)
        drawn = [
            np.clip(middle + rng.uniform(-narrow, narrow, len(lower)), lower, upper)
            for _ in range(starts - 1)
        ]
        named = [(f"random {i + 1}", theta) for i, theta in enumerate(drawn)]
        return [("data", self.middle()), *named]
