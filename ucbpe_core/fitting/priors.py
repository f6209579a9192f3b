"""Prior densities of hyperparameters, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ucbpe_core.errors import InputError

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


def densities_of(gp: GaussianProcess, priors: Mapping[str, Prior]) -> tuple[Prior | None, ...]:
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


def log_prior(densities: tuple[Prior | None, ...], logs: Floats) -> tuple[float, Floats]:
    """Sum of the log densities at exp(logs), and its derivative by each log, shape (p + 1,)."""
    value, slopes = 0.0, np.zeros(len(logs))
    for i, density in enumerate(densities):
        # For noise variance 0 its logarithm has no density.
        if density is not None and np.isfinite(logs[i]):
            at = np.exp(logs[i] + np.array([-_STEP, 0.0, _STEP]))
            below, middle, above = density.logpdf(at)
            value += float(middle)
            slopes[i] = (above - below) / (2 * _STEP) if np.isfinite(middle) else 0.0
    return value, slopes


def log_hyperparameters(gp: GaussianProcess) -> Floats:
    """Log parameters of the kernel, then the log noise variance (-inf for none), (p + 1,)."""
    noise = np.log(gp.noise_variance) if gp.noise_variance > 0 else -np.inf
    return np.append(gp.kernel.log_parameters, noise)
