"""The schedule for a compact cube."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.schedules.base import BetaSchedule, RunState, rounded_log
from ucbpe_core.validation import fraction, positive, set_checked


@dataclass(frozen=True)
class CompactBeta(BetaSchedule):
    """For X in [0, r]^d: beta_t = 2 log(2 t^2 pi^2 / (3 delta))
    + 2 d log(t^2 d b r sqrt(log(4 d a / delta))) (Srinivas et al. 2010, Thm 2).

    Parameters
    ----------
    a : positive float
        With b, constant of the assumption P(sup |df/dx_j| > L) <= a exp(-(L / b)^2). The paper
        leaves both open; here a is 1 by default.
    b : positive float or None
        In units of y over x. None, the default, takes it from the prior in use at each batch:
        sqrt(2 v) / l for a Gaussian kernel of variance v and lengthscale l, as in
        `kernels.scales.slope_bound`. A smaller b breaks the assumption, a larger one does not: on
        a cube so small that the source's grid would have less than one point, b is the one for
        which it has one. For a kernel that is not stationary, None stands for 1.
    r : positive float
        Side of the cube that holds X, in the units of x.

    Examples
    --------
    >>> from ucbpe_core import CompactBeta
    >>> round(CompactBeta(delta=0.1, r=10.0)(t=1, size=500, dimension=2), 3)
    23.311
    """

    delta: float = 0.1
    scale: float = 1.0
    a: float = 1.0
    b: float | None = None
    r: float = 1.0

    def __post_init__(self) -> None:
        set_checked(self, delta=fraction, scale=positive, a=positive, r=positive)
        if self.b is not None:
            set_checked(self, b=positive)

    def unscaled(self, run: RunState) -> float:
        t, d, delta = run.t, run.dimension, self.delta
        inner = rounded_log(4 * d * self.a / delta)
        if inner <= 0:
            raise InputError("4 d a / delta above 1", f"{4 * d * self.a / delta:g}", "raise a")
        first = 2 * rounded_log(2 * t**2 * np.pi**2 / (3 * delta))
        b = max(run.slope, 1 / (d * self.r * np.sqrt(inner))) if self.b is None else self.b
        second = 2 * d * rounded_log(t**2 * d * b * self.r * np.sqrt(inner))
        return float(first + second)
