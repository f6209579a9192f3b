"""What is fitted: the data, what is fixed, the priors and the bounds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.fitting.likelihood import (
    known_noises,
    least_squares_mean,
    log_marginal_likelihood,
)
from ucbpe_core.fitting.names import fixed_ones, log_bounds
from ucbpe_core.fitting.objective import Objective
from ucbpe_core.fitting.priors import densities_of, log_hyperparameters, log_prior
from ucbpe_core.fitting.rounding import rounded_mean, significant, tidied
from ucbpe_core.fitting.units import Units
from ucbpe_core.kernels.scales import scales_within

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ucbpe_core.fitting.priors import Prior
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.kernels.scales import Scales
    from ucbpe_core.validation import Booleans, Floats, Noise


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
    densities: tuple[Prior | None, ...]
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
        priors: Mapping[str, Prior],
        bounds: Mapping[str, tuple[float, float]],
    ) -> Task:
        """The task, with names resolved; what is fixed has no prior."""
        kept, mean = fixed_ones(gp, fixed)
        kept[-1] |= not np.isnan(known_noises(noise_variance, len(X))).any()
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
        known = known_noises(self.noise_variance, len(y)) / units.y**2
        scales: Scales = scales_within(gp.kernel, X, float(np.var(y)), self.domain / units.x)
        scales = replace(scales, free=scales.free & ~self.fixed[:-1])
        shift = np.append(units.shift, 2 * np.log(units.y))
        return Objective(
            gp, X, y, known, scales, not self.fixed[-1], not self.fixed_mean,
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
            best = least_squares_mean(gp, objective.X, objective.y, objective.known_noise)
            gp = replace(gp, mean=rounded_mean(*best))
        gp, given = self.units.back(gp), self.gp
        noise = given.noise_variance if self.fixed[-1] else significant(gp.noise_variance)
        return replace(
            gp,
            kernel=tidied(gp.kernel, given.kernel, self.fixed[:-1].tolist()),
            noise_variance=noise,
            mean=given.mean if self.fixed_mean else significant(gp.mean),
        )
