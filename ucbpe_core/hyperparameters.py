"""Hyperparameters by maximum marginal likelihood (type II maximum likelihood)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from ucbpe_core import streams
from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.linalg import jittered_cholesky
from ucbpe_core.scales import Scales, Units, scales_of
from ucbpe_core.validation import count

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Floats

# Each hyperparameter may move by this factor either way from the scale that the data suggest
# (`_reference`); wide enough for any sensible answer, narrow enough for a factor to exist.
_SPAN = 1e3
# A noise variance below this share of var(y) is indistinguishable from none in double precision.
_LEAST_NOISE = 1e-6
# Bits after the point that the searches see of standardised values.
_BITS = 36
# How far the best search goes on: the likelihood is then within 1e-6 of its maximum.
_POLISH: dict[str, Any] = {"ftol": 1e-12, "gtol": 1e-6}


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
    winner : name of the start that won: "data" is from what the extents of X and the variance of
        y suggest, "random i" from around it, "given" from the values passed in; "unchanged" says
        that no search improved on these
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

    Searches start from what the data suggest and from seeded random places around it, so that
    the likelihood found does not depend on the units of X or y; from `gp` itself too if that is
    better than all they find. With one start alone it is from `gp`. Of the variances in a product
    of kernels one is fitted, and the others, which would do the same, stay. The mean,
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
    units = Units.of(gp, X, y)
    exact = X / units.x, y / units.y
    problem = _Likelihood(
        units.into(gp),
        _rounded(exact[0]),
        _rounded(exact[1]),
        fit_noise=fit_noise,
        fit_mean=fit_mean,
    )
    unit = len(y) * float(np.log(units.y))  # of a density in the units of y
    given = log_marginal_likelihood(gp, X, y)
    points = problem.starting_points(starts, streams.fit_starts(rng))
    with ThreadPoolExecutor(count(workers, "workers")) as pool:
        searches = list(pool.map(lambda point: problem.search(*point), points))
    best = max(searches, key=lambda one: one.reached)
    if starts > 1 and given + unit > best.reached:
        # What was given beats what the data suggest: it has to be near something better still.
        searches.append(problem.search("given", problem.given()))
        best = max(searches, key=lambda one: one.reached)
    # A search stops where a step changes little; the best one goes on to the top.
    for one in (problem, replace(problem, X=exact[0], y=exact[1])):
        if best.theta is not None:
            problem, polished = one, one.search(best.name, best.theta, **_POLISH)
            searches[searches.index(best)] = best = replace(polished, begin=best.begin)
    log = tuple(Start(one.name, one.begin - unit, one.end - unit) for one in searches)
    if best.theta is None or not best.end - unit > given:
        return Fit(gp, given, given, "unchanged", log)
    found = units.back(problem.evaluate(best.theta)[0])
    if not fit_noise:  # to the last bit, which units do not keep
        found = replace(found, noise_variance=gp.noise_variance)
    if not fit_mean:
        found = replace(found, mean=gp.mean)
    return Fit(found, best.end - unit, given, best.name, log)


def _rounded(values: Floats) -> Floats:
    """Standardised values without their last bits, in which units leave their rounding.

    Where the surface has ridges, a last bit can lead a search to another maximum.
    """
    return np.ldexp(np.round(np.ldexp(values, _BITS)), -_BITS)


def refit(gp: GaussianProcess, X: Floats, y: Floats) -> GaussianProcess:
    """One search from the hyperparameters in use: what a few more observations change is little.

    Noise variance and mean are fitted too. Shapes: X (n, d), y (n,).
    """
    return fit(gp, X, y, starts=1).gp


@dataclass(frozen=True, eq=False)
class _Search:
    """A local search: a `Start`, and where it ended, if anywhere."""

    name: str
    begin: float
    end: float
    theta: Floats | None

    @property
    def reached(self) -> float:
        return -np.inf if self.theta is None else self.end


@dataclass(frozen=True)
class _Likelihood:
    """The objective: theta = (free log parameters of the kernel, log noise variance if fitted)."""

    gp: GaussianProcess
    X: Floats
    y: Floats
    fit_noise: bool
    fit_mean: bool

    @cached_property
    def scales(self) -> Scales:
        """What the data suggest for the kernel, and which of its parameters are searched."""
        return scales_of(self.gp.kernel, self.X, float(np.var(self.y)))

    def evaluate(self, theta: Floats) -> tuple[GaussianProcess, float, Floats]:
        parameters, free = self.gp.kernel.log_parameters.copy(), self.scales.free
        p = int(free.sum())
        parameters[free] = theta[:p]
        noise = float(np.exp(theta[p])) if self.fit_noise else self.gp.noise_variance
        kernel = self.gp.kernel.with_log_parameters(parameters)
        gp = replace(self.gp, kernel=kernel, noise_variance=noise)
        gp, value, gradient = _evaluate(gp, self.X, self.y, fit_mean=self.fit_mean)
        return gp, value, np.append(gradient[:-1][free], gradient[-1])

    def descend(self, theta: Floats) -> tuple[float, Floats]:
        try:
            _, value, gradient = self.evaluate(theta)
        except IllConditionedError:
            return np.inf, np.zeros_like(theta)
        return -value, -gradient[: len(theta)]

    def search(self, name: str, theta: Floats, **options: Any) -> _Search:
        """One local search from theta."""
        begin = -self.descend(theta)[0]
        box = list(zip(*self.bounds(), strict=True))
        how: dict[str, Any] = {"method": "L-BFGS-B", "bounds": box, "options": options}
        result = minimize(self.descend, theta, jac=True, **how)
        if not np.isfinite(result.fun):
            return _Search(name, begin, float("nan"), None)
        return _Search(name, begin, -float(result.fun), result.x)

    def bounds(self) -> tuple[Floats, Floats]:
        reference = self.reference()
        lower, upper = reference - np.log(_SPAN), reference + np.log(_SPAN)
        if self.fit_noise:
            lower[-1] = np.log(_LEAST_NOISE * np.var(self.y))
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
        return np.where((lower <= given) & (given <= upper), given, self.middle())

    def starting_points(self, starts: int, rng: np.random.Generator) -> list[tuple[str, Floats]]:
        """One start is from what is given; several are from what the data suggest alone."""
        if starts == 1:
            return [("given", self.given())]
        lower, upper = self.bounds()
        # Random starts stay within a factor 10 of the reference: farther out the surface is flat.
        narrow, middle = np.log(10.0), self.reference() - np.log(3.0)
        drawn = [
            np.clip(middle + rng.uniform(-narrow, narrow, len(lower)), lower, upper)
            for _ in range(starts - 1)
        ]
        named = [(f"random {i + 1}", theta) for i, theta in enumerate(drawn)]
        return [("data", self.middle()), *named]


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
