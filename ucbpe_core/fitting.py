"""Fitting hyperparameters: by maximum marginal likelihood, or a posteriori with priors on them."""

from __future__ import annotations

from concurrent import futures
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import scipy
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotri

from ucbpe_core import streams
from ucbpe_core.errors import IllConditionedError, InputError
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.linalg import jittered_cholesky
from ucbpe_core.scales import Scales, Units, scales_of
from ucbpe_core.validation import count, noise_variances, points, values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats, Noise

# Each hyperparameter may move by this factor either way from the scale that the data suggest
# (`_Objective.reference`); wide enough for any sensible answer, narrow enough for a factor of C.
_SPAN = 1e3
# A noise variance below this share of var(y) is indistinguishable from none in double precision.
_LEAST_NOISE = 1e-6
# Bits after the point that the searches see of standardised values.
_BITS = 36
# Termination of the last search: the objective is then within 1e-6 of its maximum.
_POLISH: dict[str, Any] = {"ftol": 1e-12, "gtol": 1e-6}
# Step of the central difference of a prior's log density, by the log of its argument. The cube
# root of the rounding error balances it against the error of the difference.
_STEP = 6e-6


class Prior(Protocol):
    """A density of one positive hyperparameter; every frozen distribution of `scipy.stats` is one.

    Both use its natural scale and the units of the data: ``lognorm(s=0.5, scale=20.0)`` on a
    lengthscale has its median at 20 in the units of x.
    """

    def logpdf(self, x: Floats, /) -> Floats:
        """Natural logarithm of the density at x (k,), shape (k,)."""


@dataclass(frozen=True)
class Start:
    """One local search: values of the objective where it began and ended (-inf if it failed)."""

    name: str
    begin: float
    end: float
    theta: Floats | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Fit:
    """The outcome of `fit_hyperparameters`.

    ::

        fit = fit_hyperparameters(gp, X, y)
        fit.gp, fit.log_marginal_likelihood

    The objective is the log marginal likelihood plus, with priors, the log of their density.

    Attributes
    ----------
    gp : the process with the hyperparameters found
    log_marginal_likelihood : for these, in nats
    log_prior : log density of the priors at these; 0 without priors
    given : the objective for the hyperparameters that were passed in
    winner : name of the start that won: "data" is from what the extents of X and the variance of
        y suggest, "random i" from around it, "given" from the values passed in; "unchanged" says
        that no search improved on these
    starts : every search, in the order run
    """

    gp: GaussianProcess
    log_marginal_likelihood: float
    log_prior: float
    given: float
    winner: str
    starts: tuple[Start, ...]

    @property
    def objective(self) -> float:
        """What was maximised, for the hyperparameters found; never below `given`."""
        return self.log_marginal_likelihood + self.log_prior


def log_marginal_likelihood(
    gp: GaussianProcess, X: ArrayLike, y: ArrayLike, noise_variance: Noise = None
) -> float:
    """log N(y; mean, C) of values y (n,) at points X (n, d), C = k(X, X) + D, in nats.

    D is diagonal: the known `noise_variance` of each value, a number or (n,), in squared units of
    y, or that of `gp` where it is None. Rasmussen and Williams 2006, eq. (2.30)::

        log_marginal_likelihood(GaussianProcess(RBF()), [0.0, 1.0], [0.3, 0.1])

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, infinities, or a negative noise variance.
    """
    X = points(X, "X")
    residual = values(y, "y", len(X)) - gp.mean
    L = jittered_cholesky(gp.noisy_gram(X, noise_variances(noise_variance, len(X))))
    return _log_density(L, residual, cho_solve((L, True), residual))


def log_marginal_likelihood_gradient(
    gp: GaussianProcess, X: Floats, y: Floats, noise_variance: Noise = None
) -> tuple[float, Floats]:
    """The log marginal likelihood and its gradient by (kernel.log_parameters, log noise_variance).

    d/d theta = 1/2 tr((alpha alpha' - C^-1) dC/d theta), alpha = C^-1 (y - mean): GPML eq. (5.9).
    Shapes: X (n, d), y (n,), known noise variances (n,); the gradient is (p + 1,).
    """
    known = _known_noise(noise_variance, len(X))
    _, value, gradient = _evaluate(gp, X, y, known, fit_mean=False)
    return value, gradient


def fit_hyperparameters(
    gp: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    seed: int | np.random.Generator = 0,
    *,
    noise_variance: Noise = None,
    starts: int = 5,
    fit_noise: bool = True,
    fit_mean: bool = True,
    workers: int = 1,
    priors: Mapping[str, Prior] | None = None,
) -> Fit:
    """Hyperparameters of greatest marginal likelihood, or posterior density: `Fit.gp` has them.

    ::

        fit_hyperparameters(gp, X, y).gp
        fit_hyperparameters(gp, X, y, priors={"lengthscale": scipy.stats.lognorm(0.5, scale=20)})

    Multi-start L-BFGS-B on the log parameters, within bounds set by the data. Searches start from
    what the data suggest and from seeded random places around it, and from `gp` itself too if
    that is better than all they find; with one start, from `gp` alone. They work on standardised
    data: a change of the units of X and y, and of the priors with them, changes the units of the
    hyperparameters found and nothing else. Of the variances in a product of kernels one is
    fitted, and the others, which would do the same, stay. The mean, when fitted, is the
    generalised least squares one, mu = 1'C^-1 y / 1'C^-1 1, the maximiser for given
    hyperparameters; by the envelope theorem it leaves their gradient as it is.

    Parameters
    ----------
    X, y : points (n, d) and values (n,)
    seed : of the random starts
    noise_variance : known noise variance of each value, a number or (n,), in squared units of y.
        It stays as it is; the noise variance of `gp`, which is fitted, is that of the values
        where it is None, and is kept if there are none
    starts : number of searches, at least 1
    fit_noise, fit_mean : whether noise_variance and mean are fitted or kept
    workers : number of searches at the same time, in threads; the outcome is the same
    priors : density of hyperparameters by name, independent of each other; the sum of their logs,
        on the natural scale (no Jacobian of the logarithm), is added to the log likelihood. Names
        are those of `kernel.parameter_names` and "noise_variance"; "lengthscale" stands for all
        lengthscales, and so on

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, infinities, a negative noise variance, a prior whose
        name is not known or that has no logpdf, or fewer than two distinct values in y: the
        likelihood then has no finite maximiser.
    """
    X = points(X, "X")
    y = _varied(values(y, "y", len(X)))
    starts, workers = count(starts, "starts"), count(workers, "workers")
    known, densities = _known_noise(noise_variance, len(X)), _densities(gp, priors or {})
    fit_noise = fit_noise and bool(np.isnan(known).any())
    units = Units.of(gp.kernel, X, y)
    data = X / units.x, y / units.y, known / units.y**2
    shift = np.append(units.shift, 2 * np.log(units.y))
    exact = _Objective(units.into(gp), *data, fit_noise, fit_mean, densities, shift)
    constant = len(y) * float(np.log(units.y))  # of a density in the units of y
    prior = _log_prior(densities, _logs(gp))[0]
    given = log_marginal_likelihood(gp, X, y, noise_variance) + prior
    rng = streams.fit_starts(seed)
    searches, winner, objective = _searched(exact, starts, rng, workers, given + constant)
    log = tuple(
        replace(one, begin=one.begin - constant, end=one.end - constant) for one in searches
    )
    best = log[winner]
    if best.theta is None or not best.end > given:
        return Fit(gp, given - prior, prior, given, "unchanged", log)
    found = units.back(objective.evaluate(best.theta)[0])
    if not fit_noise:  # to the last bit, which units do not keep
        found = replace(found, noise_variance=gp.noise_variance)
    if not fit_mean:
        found = replace(found, mean=gp.mean)
    prior = _log_prior(densities, _logs(found))[0]
    return Fit(found, best.end - prior, prior, given, best.name, log)


def fit_from_current(
    gp: GaussianProcess, X: Floats, y: Floats, noise_variance: Noise = None
) -> GaussianProcess:
    """One search from the hyperparameters in use, which a few more observations change little.

    The default of `Bandit.refit`. Noise variance and mean are fitted too. Shapes: X (n, d), y (n,),
    known noise variances (n,).
    """
    return fit_hyperparameters(gp, X, y, noise_variance=noise_variance, starts=1).gp


def _varied(y: Floats) -> Floats:
    if len(y) == 0 or np.ptp(y) == 0:
        got = f"{len(y)} equal to {y[0]:g}" if len(y) else "none"
        remedy = "observe more points, or keep the hyperparameters"
        raise InputError("at least two different values in y", got, remedy)
    return y


def _known_noise(noise_variance: Noise, size: int) -> Floats:
    """The known noise variance of each value, NaN where it is that of the process, (size,)."""
    given = noise_variances(noise_variance, size)
    return np.array([np.nan if one is None else one for one in given])


def _searched(
    exact: _Objective, starts: int, rng: np.random.Generator, workers: int, given: float
) -> tuple[list[Start], int, _Objective]:
    """Every search, the number of the best, and the objective that it ended on."""
    objective = replace(exact, X=_rounded(exact.X), y=_rounded(exact.y))
    begins = objective.starting_points(starts, rng)
    with futures.ThreadPoolExecutor(workers) as pool:
        searches = list(pool.map(lambda begin: objective.run_lbfgs(*begin), begins))
    best = max(searches, key=lambda one: one.end)
    if starts > 1 and given > best.end:
        # What was given beats what the data suggest: it has to be near something better still.
        searches.append(objective.run_lbfgs("given", objective.given()))
        best = max(searches, key=lambda one: one.end)
    winner = searches.index(best)
    # A search stops where a step changes little; the best one goes on to the top.
    for one in (objective, exact):
        if best.theta is not None:
            objective, polished = one, one.run_lbfgs(best.name, best.theta, **_POLISH)
            searches[winner] = best = replace(polished, begin=best.begin)
    return searches, winner, objective


def _rounded(values: Floats) -> Floats:
    """Standardised values without their last bits, in which units leave their rounding.

    Where the surface has ridges, a last bit can lead a search to another maximum.
    """
    return np.ldexp(np.round(np.ldexp(values, _BITS)), -_BITS)


@dataclass(frozen=True)
class _Objective:
    """Log likelihood and log prior of theta = (free log parameters, log noise if fitted).

    `known_noise` (n,) is NaN where the noise variance is that of `gp`. `densities` are priors by
    the log parameters and the log noise variance, which exceed those of `gp`, in standardised
    units, by `shift`; both have p + 1 entries.
    """

    gp: GaussianProcess
    X: Floats
    y: Floats
    known_noise: Floats
    fit_noise: bool
    fit_mean: bool
    densities: tuple[Prior | None, ...]
    shift: Floats

    @cached_property
    def scales(self) -> Scales:
        """What the data suggest for the kernel, and which of its parameters are searched."""
        return scales_of(self.gp.kernel, self.X, float(np.var(self.y)))

    def evaluate(self, theta: Floats) -> tuple[GaussianProcess, float, Floats]:
        """The process of theta, with the best mean if that is fitted, the value, the gradient."""
        parameters, free = self.gp.kernel.log_parameters.copy(), self.scales.free
        p = int(free.sum())
        parameters[free] = theta[:p]
        noise = float(np.exp(theta[p])) if self.fit_noise else self.gp.noise_variance
        kernel = self.gp.kernel.with_log_parameters(parameters)
        gp = replace(self.gp, kernel=kernel, noise_variance=noise)
        gp, value, gradient = _evaluate(
            gp, self.X, self.y, self.known_noise, fit_mean=self.fit_mean
        )
        prior, slope = _log_prior(self.densities, _logs(gp) + self.shift)
        gradient = gradient + slope
        return gp, value + prior, np.append(gradient[:-1][free], gradient[-1])[: len(theta)]

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """The negative value and its gradient, for a minimiser."""
        try:
            _, value, gradient = self.evaluate(theta)
        except IllConditionedError:
            value, gradient = -np.inf, theta
        return (-value, -gradient) if np.isfinite(value) else (np.inf, np.zeros_like(theta))

    def run_lbfgs(self, name: str, theta: Floats, **options: Any) -> Start:
        """One local search from theta."""
        begin = -self(theta)[0]
        box = list(zip(*self.bounds(), strict=True))
        how: dict[str, Any] = {"method": "L-BFGS-B", "bounds": box, "options": options}
        result = scipy.optimize.minimize(self, theta, jac=True, **how)
        if not np.isfinite(result.fun):
            return Start(name, begin, -np.inf)
        return Start(name, begin, -float(result.fun), result.x)

    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest theta of a search."""
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


def _densities(gp: GaussianProcess, priors: Mapping[str, Prior]) -> tuple[Prior | None, ...]:
    """The prior of each log parameter and of the log noise variance, (p + 1,)."""
    full = (*gp.kernel.parameter_names, "noise_variance")
    short = [name.rsplit(".", 1)[-1].partition("[")[0] for name in full]
    for name, prior in priors.items():
        if name not in full and name not in short:
            known = ", ".join(dict.fromkeys((*full, *short)))
            raise InputError(f"priors of {known}", repr(name), "name one of these")
        if not callable(getattr(prior, "logpdf", None)):
            remedy = "pass a frozen distribution: scipy.stats.lognorm(0.5), for example"
            raise InputError(f"a prior of {name} with logpdf", repr(prior), remedy)
    return tuple(priors.get(name, priors.get(kind)) for name, kind in zip(full, short, strict=True))


def _log_prior(densities: tuple[Prior | None, ...], logs: Floats) -> tuple[float, Floats]:
    """Sum of the log densities at exp(logs), and its derivative by each log, shape (p + 1,)."""
    value, slopes = 0.0, np.zeros(len(logs))
    for i, density in enumerate(densities):
        # Without a noise variance there is no density of its logarithm to speak of.
        if density is not None and np.isfinite(logs[i]):
            at = np.exp(logs[i] + np.array([-_STEP, 0.0, _STEP]))
            below, middle, above = density.logpdf(at)
            value += float(middle)
            slopes[i] = (above - below) / (2 * _STEP) if np.isfinite(middle) else 0.0
    return value, slopes


def _logs(gp: GaussianProcess) -> Floats:
    """Log parameters of the kernel, then the log noise variance (-inf for none), (p + 1,)."""
    noise = np.log(gp.noise_variance) if gp.noise_variance > 0 else -np.inf
    return np.append(gp.kernel.log_parameters, noise)


def _evaluate(
    gp: GaussianProcess, X: Floats, y: Floats, known_noise: Floats, *, fit_mean: bool
) -> tuple[GaussianProcess, float, Floats]:
    """`gp`, with the best mean if asked, its likelihood and gradient, all from one factor of C."""
    C, contract = gp.kernel.gram_and_contraction(X)
    fitted = np.isnan(known_noise)
    C[np.diag_indices_from(C)] += np.where(fitted, gp.noise_variance, known_noise)
    L = jittered_cholesky(C)
    if fit_mean:
        gp = replace(gp, mean=_least_squares_mean(L, y))
    residual = y - gp.mean
    alpha = cho_solve((L, True), residual)
    weights = 0.5 * (np.outer(alpha, alpha) - _inverse(L))
    by_noise = gp.noise_variance * np.diag(weights)[fitted].sum()
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
