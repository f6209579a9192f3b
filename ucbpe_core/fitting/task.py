"""What is fitted: the data, in standardised units too, what is fixed, the priors and the bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.fitting.likelihood import (
    Objective,
    fixed_noises,
    least_squares_mean,
    log_marginal_likelihood,
)
from ucbpe_core.fitting.priors import (
    densities_of,
    fixed_ones,
    log_bounds,
    log_hyperparameters,
    log_prior,
)
from ucbpe_core.fitting.search import rounded_mean
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels.scales import scales_of, scales_within

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ucbpe_core.fitting.priors import Hyperprior
    from ucbpe_core.kernels import Kernel
    from ucbpe_core.kernels.scales import Scales
    from ucbpe_core.validation import Booleans, Floats, Noise

# Digits that any processor's exp and log agree on.
_DIGITS = 12


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


@dataclass(frozen=True, eq=False)
class Task(Frozen):
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
    ) -> Task:
        """The task, with names resolved; what is fixed has no prior."""
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
