"""Schedules for f that is a draw of the prior: by a union bound over X, or over a grid of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.policies.schedules.base import BetaSchedule, rounded_log
from ucbpe_core.support import streams
from ucbpe_core.support.validation import count, fraction, positive, set_checked

if TYPE_CHECKING:
    from ucbpe_core.policies.schedules.base import RunState


@dataclass(frozen=True)
class FiniteBeta(BetaSchedule):
    """beta_t = 2 log(|X| t^2 pi^2 / (6 delta)), for a finite set X (Srinivas et al. 2010, Thm 1).

    With scale 1, f stays inside the band on all of X and at every t with probability at least
    1 - delta, if it is a draw of the prior in use.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta
    >>> round(FiniteBeta(delta=0.1)(t=1, size=500, dimension=2), 3)
    18.03
    """

    delta: float = 0.1
    scale: float = 1.0

    def __post_init__(self) -> None:
        set_checked(self, delta=fraction, scale=positive)

    def unscaled(self, run: RunState) -> float:
        return float(2 * rounded_log(run.size * run.t**2 * np.pi**2 / (6 * self.delta)))


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
    >>> from ucbpe_core.policies.schedules import CompactBeta
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


@dataclass(frozen=True)
class RandomizedBeta(BetaSchedule):
    """beta_t = 2 log(|X| / 2) + 2 E_t, E_t exponential with mean 1, and at least 0.

    The shifted exponential distribution of IRGP-UCB, for a finite set X. It does not grow with t.
    Its law follows from the proof: P(beta_t >= z) = min(1, |X| / 2 exp(-z / 2)) is the union bound
    over X on the probability that f leaves the upper bound mean + sqrt(z) std anywhere. So beta_t
    is what the greatest (f - mean) / std over X is below in law, and max f is at most the greatest
    upper bound in expectation, for a draw of the prior. A single beta_t gives no confidence
    statement.

    E_t is drawn from the stream (seed, t): asking again gives the same beta_t, and batch t + 1
    uses the beta_(t+1) that R+ of batch t had. Runs of a study with the same seed have the same
    draws; the policy `IRGPUCB` takes its seed from the run.

    References
    ----------
    Takeno, Inatsu and Karasuyama, Randomized Gaussian process upper confidence bound with tighter
    Bayesian regret bounds, ICML 2023. The abstract could be read, and the law derived as above.

    Examples
    --------
    >>> from ucbpe_core.policies.schedules import RandomizedBeta
    >>> [round(RandomizedBeta(seed=1)(t, size=500, dimension=2), 2) for t in (1, 2, 1)]
    [12.83, 11.88, 12.83]
    """

    scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        set_checked(self, scale=positive, seed=partial(count, minimum=0))

    def unscaled(self, run: RunState) -> float:
        uniform = 1.0 - streams.beta(self.seed, run.t).random()
        return max(2 * rounded_log(run.size / 2) - 2 * rounded_log(uniform), 0.0)
