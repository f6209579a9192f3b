"""The objective of a fit, with the starting points and bounds of its searches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import IllConditionedError
from ucbpe_core.fitting.likelihood import likelihood_and_gradient
from ucbpe_core.fitting.priors import log_hyperparameters, log_prior

if TYPE_CHECKING:
    from ucbpe_core.fitting.priors import Prior
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.kernels.scales import Scales
    from ucbpe_core.validation import Floats

# Each hyperparameter may move by this factor either way from the scale that the data suggest
# (`Objective.reference`); wide enough for any sensible result, narrow enough that C can be
# factored.
_SPAN = 1e3
# A noise variance below this share of var(y) is indistinguishable from none in double precision.
_LEAST_NOISE = 1e-6


@dataclass(frozen=True)
class Objective(Frozen):
    """Log likelihood and log prior of theta = (free log parameters, log noise if fitted).

    `known_noise` (n,) is NaN where the noise variance is that of `gp`. `scales` are what the data
    suggest for the kernel, and which of its parameters are searched. `densities` are priors by
    the log parameters and the log noise variance, which exceed those of `gp`, in standardised
    units, by `shift`; both have p + 1 entries. `limits` (2, p + 1) are the bounds asked for, in
    standardised units, infinite where there are none.
    """

    gp: GaussianProcess
    X: Floats
    y: Floats
    known_noise: Floats
    scales: Scales
    fit_noise: bool
    fit_mean: bool
    densities: tuple[Prior | None, ...]
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
            gp, self.X, self.y, self.known_noise, fit_mean=self.fit_mean
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
        return np.where((lower <= given) & (given <= upper), given, self.middle())

    def starting_points(self, starts: int, rng: np.random.Generator) -> list[tuple[str, Floats]]:
        """What the data suggest, and `starts` - 1 points around it."""
        lower, upper = self.bounds()
        # Random starts stay within a factor 10 of the reference: farther out the surface is flat.
        narrow, middle = np.log(10.0), self.reference() - np.log(3.0)
        drawn = [
            np.clip(middle + rng.uniform(-narrow, narrow, len(lower)), lower, upper)
            for _ in range(starts - 1)
        ]
        named = [(f"random {i + 1}", theta) for i, theta in enumerate(drawn)]
        return [("data", self.middle()), *named]
