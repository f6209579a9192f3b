"""Prior densities of hyperparameters, by their names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.fitting.names import each_named
from ucbpe_core.kernels.scales import scales_within, short_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Floats

# Step of the central difference of a prior's log density, in the log of its argument. The cube
# root of the rounding error balances it against the error of the difference.
_STEP = 6e-6


class Prior(Protocol):
    """A density of one positive hyperparameter; every frozen distribution of `scipy.stats` is one.

    Both use its natural scale and the units of the data: ``lognorm(s=0.5, scale=20.0)`` on a
    lengthscale has its median at 20 in the units of x.

    Examples
    --------
    >>> from scipy.stats import lognorm
    >>> from ucbpe_core.fitting import Prior
    >>> prior: Prior = lognorm(s=0.5, scale=20.0)
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


def default_priors(gp: GaussianProcess, X: Floats, y: Floats, domain: Floats) -> dict[str, Prior]:
    """The densities that `fit_hyperparameters` uses by default, in the units of the data.

    With s^2 the variance of y, e_i the extents of `domain` (m, d) and d the number of inputs in
    which it has any: l_i / e_i ~ LogNormal(sqrt 2 + log(d) / 2, sqrt 3), greatest at 0.2 sqrt d;
    noise variance / s^2 ~ LogNormal(-4, 1), greatest at 0.007. A lengthscale that all inputs share
    has the mean of e_i for e_i. These are the priors of BoTorch (Hvarfner, Hellsten and Nardi 2024,
    arXiv 2402.02229). The variance of a kernel, which BoTorch keeps at s^2, is fitted and has no
    prior, and so have a polynomial's offset, the mean, and hyperparameters of other names.

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
    priors: dict[str, Prior] = {"noise_variance": LogNormal(math.log(variance) - 4.0, 1.0)}
    for name, log in zip(gp.kernel.parameter_names, scales.logs.tolist(), strict=True):
        if short_name(name) == "lengthscale":
            priors[name] = LogNormal(log + math.sqrt(2) + math.log(d) / 2, math.sqrt(3))
    return priors


def densities_of(gp: GaussianProcess, priors: Mapping[str, Prior]) -> tuple[Prior | None, ...]:
    """The prior of each log parameter and of the log noise variance, (p + 1,)."""
    chosen = each_named(gp, priors, "priors")
    for name, prior in priors.items():
        if not callable(getattr(prior, "logpdf", None)):
            remedy = "pass a frozen distribution: scipy.stats.lognorm(0.5), for example"
            raise InputError(f"a prior of {name} with logpdf", repr(prior), remedy)
    return chosen


def log_prior(densities: tuple[Prior | None, ...], logs: Floats) -> tuple[float, Floats]:
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
