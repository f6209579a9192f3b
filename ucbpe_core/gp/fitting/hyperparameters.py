"""Fitting hyperparameters: a posteriori with priors on them, or by maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np

from ucbpe_core.gp.fitting.densities import (
    Gamma,
    LogNormal,
    default_priors,
    densities_of,
    fixed_noises,
    fixed_ones,
    least_squares_mean,
    log_bounds,
    log_hyperparameters,
    log_marginal_likelihood,
    log_prior,
)
from ucbpe_core.gp.fitting.search import Objective, Units, rounded_mean, searched
from ucbpe_core.gp.kernels.scales import scales_within
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.limits import one_thread
from ucbpe_core.support.validation import all_equal, count, keyworded, points, values, varied

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.fitting.densities import Hyperprior
    from ucbpe_core.gp.fitting.search import Start
    from ucbpe_core.gp.kernels.scales import Scales
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Booleans, Floats, Noise

# Digits that any processor's exp and log agree on.
_DIGITS = 12
# Least noise variance, as a share of that of y and of the prior's, where an optimum is sought:
# values that differ by less than its root look alike, and the search would stop there.
_RESOLVED = 1e-9


@dataclass(frozen=True)
class Fit:
    """The outcome of `fit_hyperparameters`.

    The objective is the log marginal likelihood plus, with priors, the log of their density.

    Attributes
    ----------
    gp : the process with the hyperparameters found
    log_marginal_likelihood : for these, in nats
    log_prior : log density of the priors at these; 0 without priors
    given : the objective for the hyperparameters that were passed in; -inf outside the bounds
    winner : name of the best start: "data", from the extents of X and the variance of y, "random
        i", from around that, "little noise", or "given", from the values passed in; "unchanged" if
        no search improved on these. Of searches that end within 1e-3 nats the first counts as best
    starts : every search, in the order run

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, Matern
    >>> x = np.linspace(0, 1, 15)
    >>> fit = fit_hyperparameters(GaussianProcess(Matern()), x, np.sin(6 * x), starts=2)
    >>> fit.objective >= fit.given, len(fit.starts)
    (True, 3)
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


class FitOptions(TypedDict, total=False):
    """The options of a fit, as keyword arguments of `fit_hyperparameters` and of every `refit`.

    Examples
    --------
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, RBF
    >>> from ucbpe_core.gp.fitting import FitOptions
    >>> options: FitOptions = {"fixed": ("noise_variance",), "starts": 2}
    >>> fit = fit_hyperparameters(GaussianProcess(RBF()), range(6), [0, 2, 1, 3, 2, 5], **options)
    >>> fit.gp.noise_variance
    0.01
    """

    starts: int
    workers: int
    priors: Mapping[str, Hyperprior] | Literal["default"] | None
    fixed: Collection[str]
    bounds: Mapping[str, tuple[float, float]] | None


@keyworded
def fit_hyperparameters(
    gp: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    seed: int | np.random.Generator = 0,
    *,
    noise_variance: Noise = None,
    starts: int = 5,
    workers: int = 1,
    priors: Mapping[str, Hyperprior] | Literal["default"] | None = "default",
    fixed: Collection[str] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    domain: ArrayLike | None = None,
) -> Fit:
    """Hyperparameters of greatest posterior density, or marginal likelihood: `Fit.gp` has them.

    Multi-start L-BFGS-B on the log parameters, within bounds set by the data. Searches start from
    values suggested by the data and from random points around them, and also from `gp` if that is
    better than all they find. They work on standardised data, values divided by their standard
    deviation and points by the extents of the domain: changing the units of X, y, domain, priors
    and bounds together changes the units of the result and nothing else (for a kernel of your own,
    if the fields have units as `Kernel` says). Of the variances in a
    product of kernels only one is fitted, as the others are redundant. The mean, when fitted, is
    the generalised least squares one, mu = 1'C^-1 y / 1'C^-1 1, the maximiser for given
    hyperparameters; by the envelope theorem it does not change their gradient. The result is
    rounded to the digits that the objective determines: rounding lowers it by less than 1e-6 nats,
    and the result is the same for any BLAS kernel and number of threads.

    Parameters
    ----------
    X, y : points (n, d) and values (n,)
    seed : of the random starts
    noise_variance : known noise variance of each value, a number or (n,), in squared units of y. It
        is not fitted. The noise variance of `gp` is fitted for the values where this is None, and
        kept if there are no such values
    starts : number of searches, at least 1: one from the data, the others random; if these are any
        and the noise variance is fitted, one more begins with a noise variance of 1e-4 var(y)
    workers : number of concurrent searches, in threads; the result does not depend on it
    priors : density of hyperparameters by name, independent of each other; the sum of their logs,
        on the natural scale (no Jacobian of the logarithm), is added to the log likelihood. Names
        are `kernel.parameter_names`, such as "left.inner.lengthscale[1]", and "noise_variance";
        "lengthscale" stands for all lengthscales, and so on. A density is of a value in the units
        of the data; what is not named has none. "default": `default_priors`, which are scaled to
        the domain and to y: log l_i / e_i ~ N(sqrt 2 + log(d) / 2, 3) for extents e_i, log period_i
        / e_i ~ N(-1, 1), and log noise_variance / var(y) ~ N(-4, 1); the variance of the kernel and
        the mean are fitted without a prior. None: maximum likelihood, as in section 5 of Contal et
        al. 2013
    fixed : names of what keeps the value of `gp`: as for `priors`, and "mean"
    bounds : least and greatest value of hyperparameters by name, in the units of the data; 0 and
        infinity stand for those set by the data. A value of `gp` outside is not kept
    domain : points (m, d) whose extents set the scale of the lengthscales: the candidates, or two
        corners of the box they are in; default X

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, infinities, a negative noise variance, a name that is
        unknown, a prior that has no logpdf, bounds without 0 <= low <= high, or fewer than two
        distinct values in y: they do not determine a scale.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import lognorm
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, RBF
    >>> x, gp = np.linspace(0, 1, 15), GaussianProcess(RBF())
    >>> round(fit_hyperparameters(gp, x, np.sin(6 * x)).gp.kernel.lengthscale, 1)
    0.4
    >>> short = {"lengthscale": lognorm(s=0.1, scale=0.05)}
    >>> round(fit_hyperparameters(gp, x, np.sin(6 * x), priors=short).gp.kernel.lengthscale, 2)
    0.06
    >>> kept = fit_hyperparameters(gp, x, np.sin(6 * x), fixed=["lengthscale", "mean"]).gp
    >>> kept.kernel.lengthscale, kept.mean
    (1.0, 0.0)
    """
    X = points(X, "X")
    y = varied(values(y, "y", len(X)))
    starts, workers = count(starts, "starts"), count(workers, "workers")
    domain = X if domain is None else points(domain, "domain", X.shape[1])
    chosen = default_priors(gp, X, y, domain) if priors == "default" else priors
    problem = FitProblem.of(gp, X, y, noise_variance, domain, fixed, chosen, bounds)
    with one_thread(len(X)):
        return _fitted(problem, starts, workers, seed)


def _fitted(problem: FitProblem, starts: int, workers: int, seed: int | np.random.Generator) -> Fit:
    """The best of the local searches, or the process given if none is better."""
    gp = problem.gp
    likelihood, prior = problem.value(gp)
    given = likelihood + prior
    exact, constant = problem.objective(), problem.constant
    rng = streams.fit_starts(seed)
    searches, winner = searched(exact, starts, rng, workers, given + constant)
    log = [
        replace(search, begin=search.begin - constant, end=search.end - constant)
        for search in searches
    ]
    best = log[winner]
    if best.theta is not None:
        found = problem.found(exact, best.theta)
        parts = problem.value(found)
        log[winner] = replace(best, end=sum(parts))
        if sum(parts) > given:
            return Fit(found, *parts, given, best.name, tuple(log))
    return Fit(gp, likelihood, prior, given, "unchanged", tuple(log))


def fit_to_optimise(
    gp: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    seed: int,
    domain: ArrayLike,
    noise_variance: Noise = None,
) -> GaussianProcess:
    """The prior that an optimum is searched with: fitted to values y (n,) at X (n, d), as by
    `fit_hyperparameters`, with two other priors. Where all values are equal but for
    rounding, the kernel of `gp` on their scale (`GaussianProcess.from_data`).

    Noise variance / var(y) ~ Gamma(1.1, 1/30), the prior of Optuna's `GPSampler`. On the scale of
    its logarithm that density is almost flat below 0.01: from no noise at all, for a smooth
    function whose minimum is wanted to many digits, to a noise that stands for ripples, below which
    the fit has to see the trend. The default of a fit, LogNormal(-4, 1), is for values with noise,
    and leaves some where there is none. It can be as low as 1e-9 var(y), as values that differ by
    less than its root look alike.

    Each variance of the kernel / var(y) ~ LogNormal(0, 0.3): BoTorch keeps it at 1. Without a prior
    few values near each other can be explained by a variance a thousand times theirs, whose band
    leaves nothing to expect elsewhere, or by one far below theirs, where all else is noise.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Matern
    >>> from ucbpe_core.gp.fitting import fit_to_optimise
    >>> x = np.linspace(0, 1, 15)
    >>> gp = fit_to_optimise(GaussianProcess(Matern()), x, np.sin(6 * x), seed=0, domain=x)
    >>> gp.noise_variance < 1e-4
    True
    """
    X, y = points(X, "X"), values(y, "y", len(points(X, "X")))
    if all_equal(y):
        return GaussianProcess.from_data(X, y, gp.kernel, domain=domain)
    domain = points(domain, "domain", X.shape[1])
    priors = default_priors(gp, X, y, domain)
    variance = float(np.var(y))
    priors["noise_variance"] = Gamma(1.1, variance / 30.0)
    for name, unit in zip(gp.kernel.parameter_names, gp.kernel.parameter_units, strict=True):
        if unit == "y^2":
            priors[name] = LogNormal(float(np.log(variance)), 0.3)
    bounds = {"noise_variance": (_RESOLVED * variance, np.inf)}
    fit = fit_hyperparameters(
        gp, X, y, seed, noise_variance=noise_variance, starts=3, priors=priors, bounds=bounds,
        domain=domain,
    )  # fmt: skip
    least = _RESOLVED * float(fit.gp.kernel.diagonal(X).max())
    return replace(fit.gp, noise_variance=max(fit.gp.noise_variance, least))


@dataclass(frozen=True, eq=False)
class FitProblem(Frozen):
    """A fit of `gp` to values y (n,) at X (n, d), in the units of the data.

    `fixed` has an entry for each log parameter and one for the noise variance, (p + 1,); `limits`
    are the logs of the bounds, (2, p + 1), infinite where there are none.
    """

    gp: GaussianProcess
    X: Floats
    y: Floats
    noise_variance: Noise
    domain: Floats
    fixed: Booleans
    fixed_mean: bool
    densities: tuple[Hyperprior | None, ...]
    limits: Floats

    @classmethod
    def of(
        cls,
        gp: GaussianProcess,
        X: Floats,
        y: Floats,
        noise_variance: Noise,
        domain: Floats,
        fixed: Collection[str],
        priors: Mapping[str, Hyperprior] | None,
        bounds: Mapping[str, tuple[float, float]] | None,
    ) -> FitProblem:
        """The problem, with names resolved; what is fixed has no prior."""
        kept, mean = fixed_ones(gp, fixed)
        kept[-1] |= not np.isnan(fixed_noises(noise_variance, len(X))).any()
        densities = tuple(
            None if still else density
            for still, density in zip(kept, densities_of(gp, priors), strict=True)
        )
        limits = log_bounds(gp, bounds)
        return cls(gp, X, y, noise_variance, domain, kept, mean, densities, limits)

    @cached_property
    def units(self) -> Units:
        """In which the searches work."""
        return Units.of(self.gp.kernel, self.domain, self.y)

    @property
    def constant(self) -> float:
        """By how much a log density of y / units.y exceeds that of y."""
        return len(self.y) * float(np.log(self.units.y))

    def objective(self) -> Objective:
        """What is maximised, in standardised units."""
        units, gp = self.units, self.units.into(self.gp)
        X, y = self.X / units.x, self.y / units.y
        fixed_noise = fixed_noises(self.noise_variance, len(y)) / units.y**2
        scales: Scales = scales_within(gp.kernel, X, float(np.var(y)), self.domain / units.x)
        scales = replace(scales, free=scales.free & ~self.fixed[:-1])
        shift = np.append(units.shift, 2 * np.log(units.y))
        return Objective(
            gp, X, y, fixed_noise, scales, not self.fixed[-1], not self.fixed_mean,
            self.densities, shift, self.limits - shift,
        )  # fmt: skip

    def value(self, gp: GaussianProcess) -> tuple[float, float]:
        """Log likelihood and log prior of a process; a bound that it breaks has no density."""
        logs = log_hyperparameters(gp)
        slack = 1e-9  # rounding of the change of units
        outside = (logs < self.limits[0] - slack) | (logs > self.limits[1] + slack)
        prior = log_prior(self.densities, logs)[0]
        broken = bool((outside & ~self.fixed).any())
        likelihood = log_marginal_likelihood(gp, self.X, self.y, self.noise_variance)
        return likelihood, -np.inf if broken else prior

    def found(self, objective: Objective, theta: Floats) -> GaussianProcess:
        """The process for theta in the units of the data; what is fixed is exactly as given."""
        gp = objective.evaluate(theta)[0]
        if not self.fixed_mean:
            best = least_squares_mean(gp, objective.X, objective.y, objective.fixed_noise)
            gp = replace(gp, mean=rounded_mean(*best))
        gp, given = self.units.back(gp), self.gp
        noise = given.noise_variance if self.fixed[-1] else significant(gp.noise_variance)
        every = zip(gp.kernel.parameters, given.kernel.parameters, self.fixed[:-1], strict=True)
        kernel = gp.kernel.with_parameters(
            before if still else significant(now) for now, before, still in every
        )
        mean = given.mean if self.fixed_mean else significant(gp.mean)
        return GaussianProcess(kernel, noise, mean)


def significant(value: float) -> float:
    """`value` to twelve significant digits."""
    return float(f"{value:.{_DIGITS - 1}e}")
