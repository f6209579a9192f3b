"""What is given by the names of hyperparameters: fixed ones, bounds, and prior densities."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.kernels.parameters import short_name
from ucbpe_core.kernels.scales import scales_within

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Booleans, Floats

T = TypeVar("T")

# Step of the central difference of a prior's log density, in the log of its argument. The cube
# root of the rounding error balances it against the error of the difference.
_STEP = 6e-6


class Hyperprior(Protocol):
    """A density of one positive hyperparameter; every frozen distribution of `scipy.stats` is one.

    Both use its natural scale and the units of the data: ``lognorm(s=0.5, scale=20.0)`` on a
    lengthscale has its median at 20 in the units of x.

    Examples
    --------
    >>> from scipy.stats import lognorm
    >>> from ucbpe_core.fitting import Hyperprior
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
    >>> from ucbpe_core.fitting import LogNormal
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
    kernel, which BoTorch keeps at s^2, is fitted and has no prior, and so have the mean and
    hyperparameters without a unit, or with that of x^2.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, Matern
    >>> from ucbpe_core.fitting import default_priors
    >>> X, y = np.array([[0.0], [10.0]]), np.array([-2.0, 2.0])
    >>> default_priors(GaussianProcess(Matern()), X, y, domain=X)["noise_variance"].sigma
    1.0
    """
    variance, d = float(np.var(y)), max(1, int(np.count_nonzero(np.ptp(domain, axis=0))))
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
            at = np.exp(logs[i] + np.array([-_STEP, 0.0, _STEP]))
            below, middle, above = density.logpdf(at)
            value += float(middle)
            slopes[i] = (above - below) / (2 * _STEP) if np.isfinite(middle) else 0.0
    return value, slopes


def log_hyperparameters(gp: GaussianProcess) -> Floats:
    """Log parameters of the kernel, then the log noise variance (-inf for none), (p + 1,)."""
    noise = np.log(gp.noise_variance) if gp.noise_variance > 0 else -np.inf
    return np.append(gp.kernel.log_parameters, noise)


def each_named(
    gp: GaussianProcess, given: Mapping[str, T] | None, what: str
) -> tuple[T | None, ...]:
    """What is given for each log parameter and for the log noise variance, (p + 1,).

    Names are those of `kernel.parameter_names` and "noise_variance"; "lengthscale" stands for all
    lengthscales, and so on. A full name comes before a short one.

    Raises
    ------
    InputError
        For a name that is none of these, or what is no mapping.
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
