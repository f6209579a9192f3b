"""Hyperparameters by maximum marginal likelihood (type II maximum likelihood)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from ucbpe_core import streams
from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.linalg import jittered_cholesky
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Floats

# Each hyperparameter may move by this factor either way from the scale that the data suggest
# (`_reference`); wide enough for any sensible answer, narrow enough for a factor to exist.
_SPAN = 1e3
# A noise variance below this share of var(y) is indistinguishable from none in double precision.
_LEAST_NOISE = 1e-6


@dataclass(frozen=True)
class Start:
    """One local search: where it began and what it reached (nan if it broke down)."""

    name: str
    begin: float
    end: float


@dataclass(frozen=True)
class Fit:
    """The outcome of `fit`.

    Attributes
    ----------
    gp : the process with the winning hyperparameters
    log_marginal_likelihood : its value in nats, never below `given`
    given : the value for the hyperparameters that were passed in
    winner : name of the start that won; "given" is the search from the values passed in,
        "unchanged" says that no search improved on them
    starts : every search, in the order run
    """

    gp: GaussianProcess
    log_marginal_likelihood: float
    given: float
    winner: str
    starts: tuple[Start, ...]


def log_marginal_likelihood(gp: GaussianProcess, X: Floats, y: Floats) -> float:
    """log N(y; mean, C), C = k(X, X) + noise_variance I: GPML eq. (2.30), in nats."""
    L = jittered_cholesky(gp.noisy_gram(X))
    residual = y - gp.mean
    return _log_density(L, residual, cho_solve((L, True), residual))


def log_marginal_likelihood_gradient(
    gp: GaussianProcess, X: Floats, y: Floats
) -> tuple[float, Floats]:
    """The log marginal likelihood and its gradient by (kernel.log_parameters, log noise_variance).

    d/d theta = 1/2 tr((alpha alpha' - C^-1) dC/d theta), alpha = C^-1 (y - mean): GPML eq. (5.9).
    Shapes: X (n, d), y (n,); the gradient is (p + 1,).
    """
    _, value, gradient = _evaluate(gp, X, y, fit_mean=False)
    return value, gradient


def fit(
    gp: GaussianProcess,
    X: Floats,
    y: Floats,
    rng: int | np.random.Generator = 0,
    *,
    starts: int = 5,
    fit_noise: bool = True,
    fit_mean: bool = True,
    workers: int = 1,
) -> Fit:
    """Multi-start L-BFGS-B on the log parameters, within bounds set by the data.

    The first search starts from `gp` itself, the others from seeded random places. The mean,
    when fitted, is the generalised least squares one, mu = 1'C^-1 y / 1'C^-1 1, the maximiser
    for given hyperparameters; by the envelope theorem it leaves their gradient as it is.

    Parameters
    ----------
    X, y : points (n, d) and values (n,)
    rng : seed or generator of the random starts
    starts : number of searches, at least 1
    fit_noise, fit_mean : whether noise_variance and mean are fitted or kept
    workers : number of searches at the same time, in threads; the outcome is the same

    Raises
    ------
    InputError
        For fewer than two distinct values in y: the likelihood then has no finite maximiser.
    """
    starts = count(starts, "starts")
    if len(y) == 0 or np.ptp(y) == 0:
        raise InputError(
            "at least two different values in y",
            f"{len(y)} equal to {y[0]:g}" if len(y) else "none",
            "observe more points, or keep the hyperparameters",
        )
    problem = _Likelihood(gp, X, y, fit_noise=fit_noise, fit_mean=fit_mean)
    given = log_marginal_likelihood(gp, X, y)
    best, winner, reached, log = gp, "unchanged", given, []
    names, thetas = zip(*problem.starting_points(starts, streams.fit_starts(rng)), strict=True)
    with ThreadPoolExecutor(count(workers, "workers")) as pool:
        searches = list(pool.map(problem.climb, thetas))
    for name, (begin, end, candidate) in zip(names, searches, strict=True):
        log.append(Start(name, begin, end))
        if candidate is not None and end > reached:
            best, winner, reached = candidate, name, end
    return Fit(best, reached, given, winner, tuple(log))


def refit(gp: GaussianProcess, X: Floats, y: Floats) -> GaussianProcess:
    """One search from the hyperparameters in use: what a few more observations change is little.

    Noise variance and mean are fitted too. Shapes: X (n, d), y (n,).
    """
    return fit(gp, X, y, starts=1).gp


@dataclass(frozen=True)
class _Likelihood:
    """The objective: theta = (kernel log parameters, log noise variance if it is fitted)."""

    gp: GaussianProcess
    X: Floats
    y: Floats
    fit_noise: bool
    fit_mean: bool

    def evaluate(self, theta: Floats) -> tuple[GaussianProcess, float, Floats]:
        p = len(self.gp.kernel.log_parameters)
        noise = float(np.exp(theta[p])) if self.fit_noise else self.gp.noise_variance
        kernel = self.gp.kernel.with_log_parameters(theta[:p])
        gp = replace(self.gp, kernel=kernel, noise_variance=noise)
        return _evaluate(gp, self.X, self.y, fit_mean=self.fit_mean)

    def descend(self, theta: Floats) -> tuple[float, Floats]:
        try:
            _, value, gradient = self.evaluate(theta)
        except IllConditionedError:
            return np.inf, np.zeros_like(theta)
        return -value, -gradient[: len(theta)]

    def climb(self, theta: Floats) -> tuple[float, float, GaussianProcess | None]:
        """Values at the start and at the end of one local search, and the process it found."""
        begin = -self.descend(theta)[0]
        box = list(zip(*self.bounds(), strict=True))
        result = minimize(self.descend, theta, jac=True, method="L-BFGS-B", bounds=box)
        if not np.isfinite(result.fun):
            return begin, float("nan"), None
        return begin, -float(result.fun), self.evaluate(result.x)[0]

    def bounds(self) -> tuple[Floats, Floats]:
        reference = self.reference()
        lower, upper = reference - np.log(_SPAN), reference + np.log(_SPAN)
        if self.fit_noise:
            lower[-1] = np.log(_LEAST_NOISE * np.var(self.y))
        return lower, upper

    def reference(self) -> Floats:
        """Log scales that the data suggest: extents of X for lengthscales, var(y) for variances."""
        extent = np.ptp(self.X, axis=0)
        extent = np.where(extent > 0, extent, 1.0)
        scales = [
            _scale(name, extent, float(np.var(self.y))) for name in self.gp.kernel.parameter_names
        ]
        return np.log(np.array([*scales, np.var(self.y)] if self.fit_noise else scales))

    def starting_points(self, starts: int, rng: np.random.Generator) -> list[tuple[str, Floats]]:
        lower, upper = self.bounds()
        given = self.gp.kernel.log_parameters
        if self.fit_noise:
            given = np.append(given, np.log(max(self.gp.noise_variance, np.exp(lower[-1]))))
        # Random starts stay within a factor 10 of the reference: farther out the surface is flat.
        narrow = np.log(10.0)
        middle = self.reference() - np.log(3.0)
        drawn = [
            np.clip(middle + rng.uniform(-narrow, narrow, len(lower)), lower, upper)
            for _ in range(starts - 1)
        ]
        named = [(f"random {i + 1}", theta) for i, theta in enumerate(drawn)]
        return [("given", np.clip(given, lower, upper)), *named]


def _scale(parameter: str, extent: Floats, variance: float) -> float:
    leaf = parameter.rsplit(".", 1)[-1]
    if leaf == "variance":
        return variance
    if leaf.startswith("lengthscale["):
        return float(extent[int(leaf[len("lengthscale[") : -1])])
    return float(np.mean(extent)) if leaf == "lengthscale" else 1.0


def _evaluate(
    gp: GaussianProcess, X: Floats, y: Floats, *, fit_mean: bool
) -> tuple[GaussianProcess, float, Floats]:
    """`gp`, with the best mean if asked, its likelihood and gradient, all from one factor of C."""
    C, contract = gp.kernel.gram_and_contraction(X)
    C[np.diag_indices_from(C)] += gp.noise_variance
    L = jittered_cholesky(C)
    if fit_mean:
        gp = replace(gp, mean=_least_squares_mean(L, y))
    residual = y - gp.mean
    alpha = cho_solve((L, True), residual)
    weights = 0.5 * (np.outer(alpha, alpha) - _inverse(L))
    by_noise = gp.noise_variance * np.trace(weights)
    return gp, _log_density(L, residual, alpha), np.append(contract(weights), by_noise)


def _least_squares_mean(L: Floats, y: Floats) -> float:
    """1'C^-1 y / 1'C^-1 1 with C = L L'."""
    weights = cho_solve((L, True), np.ones(len(y)))
    return float(weights @ y / weights.sum())


def _inverse(L: Floats) -> Floats:
    """(L L')^-1, in a third of the operations of solving for the n columns of I."""
    if len(L) == 0:
        return L  # LAPACK refuses it
    half, _ = dpotri(L, lower=True)  # the lower triangle; above it stay the zeros of L
    inverse = half + half.T
    inverse[np.diag_indices_from(inverse)] /= 2
    return inverse


def _log_density(L: Floats, residual: Floats, alpha: Floats) -> float:
    n = len(residual)
    log_determinant = 2 * np.log(np.diag(L)).sum()
    return float(-0.5 * (residual @ alpha + log_determinant + n * np.log(2 * np.pi)))
