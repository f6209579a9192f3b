"""What a fit maximises, in which units, and the searches: L-BFGS-B from several starts.

A search ends where its arithmetic ends, which differs with the processor's BLAS kernel and the
number of threads. Newton steps lead to the maximum itself, as closely as double precision allows,
and rounding removes the digits that still differ.
"""

from __future__ import annotations

from concurrent import futures
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from ucbpe_core.errors import IllConditionedError
from ucbpe_core.gp.fitting.densities import likelihood_and_gradient, log_hyperparameters, log_prior
from ucbpe_core.gp.kernels.scales import scales_of
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.gp.ties import first_best
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import read_only

if TYPE_CHECKING:
    from ucbpe_core.gp.fitting.densities import Hyperprior
    from ucbpe_core.gp.kernels import Kernel
    from ucbpe_core.gp.kernels.scales import Scales
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats

# Each hyperparameter may move by this factor either way from the scale that the data suggest
# (`Objective.reference`); wide enough for any sensible result, narrow enough that C can be
# factored.
_SPAN = 1e3
# A noise variance below this share of var(y) is indistinguishable from none in double precision.
_LEAST_NOISE = 1e-6
# And one below this share means that the values themselves are to be explained.
_LITTLE_NOISE = 1e-4
# Fractional bits of the standardised values that the searches use.
_BITS = 36
# Searches that end this close, in nats, count as equal, and the first of them wins: which of two
# that lead to the same maximum ends higher depends on rounding.
_SAME = 1e-3
# Relative change of the objective at which the first searches stop: they only have to distinguish
# maxima, since the best one continues.
_EXPLORE: dict[str, Any] = {"ftol": 1e-5}
# The same for the last search: the objective is then within 1e-6 of its maximum.
_POLISH: dict[str, Any] = {"ftol": 1e-12, "gtol": 1e-6}
# By how much rounding may lower the objective, in nats: the likelihood ratio is 1.000001.
_TELLS = 1e-6
# Greatest step of the grid of a log parameter, where the objective is flat.
_COARSEST = -5
_DIFFERENCE = 1e-4  # of a log parameter, for second derivatives
_NEWTON = 3  # each step leaves about 1e-4 of the distance


@dataclass(frozen=True, eq=False)
class Units(Frozen):
    """Scales by which points and values are divided for a fit, and the effect on a process.

    Attributes
    ----------
    x : mean extent of the points along the inputs in which they differ
    y : standard deviation of the values
    shift : by how much that changes the log parameters of the kernel, shape (p,)
    """

    x: float
    y: float
    shift: Floats

    @classmethod
    def of(cls, kernel: Kernel, X: Floats, y: Floats) -> Units:
        """The units of points X (n, d) and values y (n,).

        1 for a kernel that does not change with its units as `Parametrised` says: of two like
        kernels, each for points and values in its own units, the covariances must be alike.
        """
        extent = np.ptp(X, axis=0)
        x, scale = float(extent[extent > 0].mean()) if extent.any() else 1.0, float(np.std(y))
        # What the data suggest has the units of the data.
        there, here = scales_of(kernel, X, scale**2).logs, scales_of(kernel, X / x, 1.0).logs
        P = extent * np.modf(np.outer(np.arange(1, 6), np.sqrt(np.arange(2, len(extent) + 2))))[0]
        alike = kernel.with_log_parameters(here).gram(P / x) * scale**2
        if not np.allclose(kernel.with_log_parameters(there).gram(P), alike, 1e-6, equal_nan=True):
            return cls(1.0, 1.0, np.zeros(len(there)))
        return cls(x, scale, there - here)

    def into(self, gp: GaussianProcess) -> GaussianProcess:
        """The same process for X / x and y / y."""
        return self._changed(gp, -1)

    def back(self, gp: GaussianProcess) -> GaussianProcess:
        """The inverse of `into`."""
        return self._changed(gp, 1)

    def _changed(self, gp: GaussianProcess, sign: int) -> GaussianProcess:
        kernel = gp.kernel.with_log_parameters(gp.kernel.log_parameters + sign * self.shift)
        noise, scale = gp.noise_variance, self.y**sign
        return replace(gp, kernel=kernel, noise_variance=noise * scale**2, mean=gp.mean * scale)


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
        """What the data suggest, `starts` - 1 points around it, and one with little noise."""
        lower, upper = self.bounds()
        # Random starts stay within a factor 10 of the reference: farther out the surface is flat.
        narrow, middle = np.log(10.0), self.reference() - np.log(3.0)
        drawn = [
            np.clip(middle + rng.uniform(-narrow, narrow, len(lower)), lower, upper)
            for _ in range(starts - 1)
        ]
        begins = [("data", self.middle())]
        begins += [(f"random {i + 1}", theta) for i, theta in enumerate(drawn)]
        if self.fit_noise and starts > 1:
            # A few values are often explained in two ways: by noise around a trend, where most
            # starts lead, or by a shorter lengthscale and next to no noise.
            quiet = self.middle()
            quiet[-1] = np.clip(np.log(_LITTLE_NOISE * np.var(self.y)), lower[-1], upper[-1])
            begins.append(("little noise", quiet))
        return begins


@dataclass(frozen=True)
class Start(Frozen):
    """One local search: values of the objective where it began and ended (-inf if it failed).

    Examples
    --------
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, RBF
    >>> fit = fit_hyperparameters(GaussianProcess(RBF()), range(6), [0, 2, 1, 3, 2, 5], starts=3)
    >>> [(start.name, start.end >= start.begin) for start in fit.starts]
    [('data', True), ('random 1', True), ('random 2', True), ('little noise', True)]
    """

    name: str
    begin: float
    end: float
    theta: Floats | None = field(default=None, repr=False, compare=False)


def searched(
    exact: Objective, starts: int, rng: np.random.Generator, workers: int, given: float
) -> tuple[list[Start], int]:
    """All searches, and the index of the best, refined and rounded (`rounded`)."""
    objective = replace(exact, X=_without_last_bits(exact.X), y=_without_last_bits(exact.y))
    begins = objective.starting_points(starts, rng)
    with futures.ThreadPoolExecutor(workers) as pool:
        searches = list(pool.map(lambda start: _run_lbfgs(objective, *start, **_EXPLORE), begins))
    if given > max(search.end for search in searches):
        # The values given beat what the data suggest, so a better maximum is near them.
        searches.append(_run_lbfgs(objective, "given", objective.given(), **_EXPLORE))
    winner = first_best(np.array([search.end for search in searches]), _SAME)
    best = searches[winner]
    if best.theta is not None:
        polished = _run_lbfgs(objective, best.name, best.theta, **_POLISH)
        if polished.theta is not None:
            theta = read_only(rounded(objective, polished.theta))
            searches[winner] = replace(polished, begin=best.begin, theta=theta)
    return searches, winner


def _without_last_bits(values: Floats) -> Floats:
    """Standardised values without their last bits, which hold rounding by the units.

    Where the surface has ridges, a last bit can lead a search to another maximum.
    """
    return np.ldexp(np.round(np.ldexp(values, _BITS)), -_BITS)


def _run_lbfgs(objective: Objective, name: str, theta: Floats, **options: Any) -> Start:
    """One local search from theta."""
    begin = -objective(theta)[0]
    box = list(zip(*objective.bounds(), strict=True))
    how: dict[str, Any] = {"method": "L-BFGS-B", "bounds": box, "options": options}
    if not len(theta):  # only the mean is fitted
        return Start(name, begin, begin, theta)
    result = scipy.optimize.minimize(objective, theta, jac=True, **how)
    if not np.isfinite(result.fun):
        return Start(name, begin, -np.inf)
    return Start(name, begin, -float(result.fun), read_only(result.x))


def rounded(objective: Objective, theta: Floats) -> Floats:
    """The maximum nearest to theta (q,), each log parameter a multiple of a power of two.

    With curvatures H_ii of the objective, a step of at most 2/q sqrt(2e-6 / H_ii) lowers it by at
    most 1e-6. A parameter on a bound stays on it.
    """
    lower, upper = objective.bounds()
    slope = -objective(theta)[1]
    pinned = ((theta <= lower) & (slope <= 0)) | ((theta >= upper) & (slope >= 0))
    inside = np.flatnonzero(~pinned)
    if not len(inside):
        return theta
    curvature = _curvature(objective, theta, inside)
    theta = _newton(objective, theta, inside, curvature)
    step = 2 / len(inside) * np.sqrt(2 * _TELLS / np.maximum(np.diag(curvature), 1e-12))
    grid = 2.0 ** np.minimum(np.floor(np.log2(step)), _COARSEST)
    theta = theta.copy()
    theta[inside] = np.round(theta[inside] / grid) * grid
    return np.clip(theta, lower, upper)


def rounded_mean(mean: float, information: float) -> float:
    """The least-squares mean, whose precision is `information`, on a grid as in `rounded`."""
    step = np.sqrt(2 * _TELLS / information) if information > 0 else 0.0
    if not (np.isfinite(step) and step > 0):
        return mean
    grid = 2.0 ** np.floor(np.log2(step))
    return float(np.round(mean / grid) * grid)


def _curvature(objective: Objective, theta: Floats, inside: Any) -> Floats:
    """Minus the second derivatives by theta[inside], from differences of the gradient."""
    rows = []
    for i in inside:
        step = _DIFFERENCE * (np.arange(len(theta)) == i)
        rows.append((objective(theta + step)[1] - objective(theta - step)[1])[inside])
    matrix = np.array(rows) / (2 * _DIFFERENCE)
    return 0.5 * (matrix + matrix.T)


def _newton(objective: Objective, theta: Floats, inside: Any, curvature: Floats) -> Floats:
    """A few Newton steps with one matrix of second derivatives, while they lead uphill."""
    try:
        np.linalg.cholesky(curvature)
    except np.linalg.LinAlgError:
        return theta  # flat, or not a maximum in some direction
    value, gradient = objective(theta)
    lower, upper = objective.bounds()
    for _ in range(_NEWTON):
        move = np.zeros_like(theta)
        move[inside] = np.linalg.solve(curvature, gradient[inside])
        moved = np.clip(theta - move, lower, upper)
        if np.abs(move).max() > 0.1:
            break
        after, slope = objective(moved)
        if after > value + 1e-8 * (1 + abs(value)):
            break
        theta, value, gradient = moved, after, slope
    return theta
