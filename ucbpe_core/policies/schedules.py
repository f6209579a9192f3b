"""Schedules of beta_t; one line each in `SCHEDULES`.

Constant; by a union bound, for f that is a draw of the prior; and from the information gain, for a
fixed f of bounded norm in the space of the kernel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.kernels.scales import slope_bound
from ucbpe_core.support import streams
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.plugins import Registry, register
from ucbpe_core.support.validation import (
    Keyworded,
    count,
    fraction,
    non_negative,
    positive,
    set_checked,
    values,
)

if TYPE_CHECKING:
    from ucbpe_core.gp.kernels import Kernel
    from ucbpe_core.support.validation import Floats


# Digits to which a logarithm is computed before it is rounded to a float.
_PRECISION = Context(prec=30)


@lru_cache(maxsize=1024)
def rounded_log(x: float) -> float:
    """log x, the nearest float to it.

    beta_t is part of a run's digest, and the last bit of a library's logarithm depends on the
    library: NumPy's differs from this one for one number in ten thousand.
    """
    return float(Decimal(float(x)).ln(_PRECISION))


@dataclass(frozen=True, eq=False)
class RunState(Frozen):
    """What a schedule may know about a run when it computes beta_t; its parts are not checked.

    Attributes
    ----------
    t : iteration, from 1
    size : M, the number of candidates
    dimension : d, of the points
    gain : information gained about f by the points conditioned on when batch t is chosen, in nats
        (`theory.information_gain`). It is the same for beta_(t+1), which belongs to R+ of batch
        t, as the information of that batch is not known before its picks
    kernel : of the prior in use, for `slope`; None where there is none
    sides : of the inputs, shape (d,), in units of which the schedule's r is given; default 1 each

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta
    >>> from ucbpe_core.policies.schedules import RunState
    >>> round(FiniteBeta(delta=0.1).unscaled(RunState(t=1, size=500, dimension=2)), 3)
    18.03
    """

    t: int
    size: int
    dimension: int
    gain: float = 0.0
    kernel: Kernel | None = None
    sides: Floats | None = None

    @cached_property
    def slope(self) -> float:
        """b of the prior in use (`kernels.scales.slope_bound`); 1 where it is unknown."""
        if self.kernel is None:
            return 1.0
        return slope_bound(
            self.kernel, np.ones(self.dimension) if self.sides is None else self.sides
        )


class BetaSchedule(Keyworded, ABC):
    """beta_t as a function of the run so far: a frozen dataclass with a field `scale`.

    `scale` multiplies the theoretical value: the literature often divides it by 5 (scale 0.2).
    A custom schedule defines `unscaled`.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta
    >>> beta = FiniteBeta(delta=0.1, scale=0.2)
    >>> [round(beta(t, size=500, dimension=2), 3) for t in (1, 2, 3)]
    [3.606, 4.16, 4.485]
    """

    scale: float

    @abstractmethod
    def unscaled(self, run: RunState) -> float:
        """The theoretical value of beta_t for this state of the run."""

    def __call__(
        self,
        t: int,
        size: int,
        dimension: int,
        gain: float = 0.0,
        kernel: Kernel | None = None,
        sides: Floats | None = None,
    ) -> float:
        """beta_t = scale * unscaled, for t = 1, 2, ...; arguments as in `RunState`.

        Raises
        ------
        InputError
            For t, size or dimension below 1, a negative gain, sides that are not positive, or a
            value below 0 (a formula outside its range).
        """
        t, size, dimension = count(t, "t"), count(size, "size"), count(dimension, "dimension")
        gain = non_negative(gain, "gain")
        if sides is not None:
            sides = values(sides, "sides", dimension)
            positive(float(sides.min()), "the least of sides")
        return self.at(RunState(t, size, dimension, gain, kernel, sides))

    def at(self, run: RunState) -> float:
        """beta_t for this state of the run; `InputError` for a value below 0."""
        beta = self.scale * self.unscaled(run)
        if not beta >= 0:
            got = f"{beta:g} at t = {run.t}"
            raise InputError("beta_t of at least 0", got, "lower delta, or raise a, b and r")
        return float(beta)


@dataclass(frozen=True)
class ConstantBeta(BetaSchedule):
    """beta_t = beta, at least 0, for all t. It gives no confidence statement.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta
    >>> ConstantBeta(4.0)(t=1, size=500, dimension=2)
    4.0
    """

    beta: float = 4.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        set_checked(self, beta=non_negative, scale=positive)

    def unscaled(self, run: RunState) -> float:
        return self.beta


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
        leaves both open; here a is 10 by default.
    b : positive float or None
        In units of y over x. None, the default, takes it from the prior in use at each batch: twice
        the standard deviation of df/dx_j, 2 sqrt(v) / l for a Gaussian kernel of variance v and
        lengthscale l, as in `kernels.scales.slope_bound`. A smaller b breaks the assumption, a
        larger one does not: on a cube so small that the source's grid would have less than one
        point, b is the one for which it has one. For a kernel that is not stationary, None stands
        for 1.
    r : positive float
        Side of the cube that holds X, in the units of x.

    Notes
    -----
    With s the standard deviation of df/dx_j and m the mean of its supremum over the cube, the
    inequality of Borell and Tsirelson gives P(sup |df/dx_j| > L) <= exp(-(L - m)^2 / (2 s^2)), and
    that is at most exp(m^2 / (2 s^2)) exp(-(L / 2 s)^2) for every L. So b = 2 s holds if
    m <= s sqrt(2 log a), 2.15 s for a = 10. Above that the tail still has room: by simulation, the
    defaults hold on the unit interval for Gaussian kernels of lengthscale 0.05 and 0.2 and for
    Matern kernels of lengthscale 0.2 with nu = 5/2 and nu = 3/2, and on the unit square for
    Gaussian ones of lengthscale 0.1 and 0.2. For shorter lengthscales, and for nu <= 1, where f has
    no derivative, they are not known to.

    Examples
    --------
    >>> from ucbpe_core.policies.schedules import CompactBeta
    >>> round(CompactBeta(delta=0.1, r=10.0)(t=1, size=500, dimension=2), 3)
    24.156
    """

    delta: float = 0.1
    scale: float = 1.0
    a: float = 10.0
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


@dataclass(frozen=True)
class InformationGainBeta(BetaSchedule):
    """beta_t = (B + R sqrt(2 (gain + 1 + log(1 / delta))))^2 (Chowdhury and Gopalan 2017, Thm 2).

    For a fixed f in the RKHS of the kernel, not a draw of the prior. The source bounds the
    information gained so far by its maximum gamma_(t-1), and states the square root of this beta_t;
    here the gain is the information in the run's own points, 1/2 log det(I + K / noise_variance),
    which its proof (eq. 4, a self-normalised bound) needs and which is never larger. The source has
    the noise variance 1 + 2/T, for T points in all, instead of 1.

    Parameters
    ----------
    delta : probability, over the noise, that f leaves the band at any t or x
    scale : factor of the theoretical value
    B : at least 0, bound on the RKHS norm of f
    R : positive, constant of the sub-Gaussian noise in units of sqrt(noise_variance); 1 for
        normal noise of that variance

    Examples
    --------
    >>> from ucbpe_core.policies.schedules import InformationGainBeta
    >>> beta = InformationGainBeta(delta=0.1, B=2.0)
    >>> round(beta(t=5, size=500, dimension=2, gain=3.4), 3)
    32.05
    """

    delta: float = 0.1
    scale: float = 1.0
    B: float = 1.0
    R: float = 1.0

    def __post_init__(self) -> None:
        set_checked(self, delta=fraction, scale=positive, B=non_negative, R=positive)

    def unscaled(self, run: RunState) -> float:
        return float((self.B + self.R * np.sqrt(2 * (run.gain + 1 - np.log(self.delta)))) ** 2)


@dataclass(frozen=True)
class RealizedGainBeta(InformationGainBeta):
    """beta_t = (B + R sqrt(2 (gain + log(1 / delta))))^2, for a fixed f in the RKHS of the kernel.

    Below `InformationGainBeta` by the 1 under the root: the gain of the points of the run is the
    log determinant itself of the self-normalised bound, log(sqrt(det(I + K / noise_variance)) /
    delta), which holds for all t at once (Abbasi-Yadkori, Pal and Szepesvari 2011, Theorem 1).
    Whitehouse, Wu and Ramdas (NeurIPS 2023) use it in GP-UCB with a noise variance that grows with
    T, for a regret that is sublinear for every Matern kernel; here it is the process's noise
    variance. We could read only the abstract of the second text: the bound is as commonly stated,
    and Whitehouse et al. may have other constants.

    Examples
    --------
    >>> from ucbpe_core.policies.schedules import RealizedGainBeta
    >>> round(RealizedGainBeta(delta=0.1, B=2.0)(t=5, size=500, dimension=2, gain=3.4), 3)
    28.914
    """

    def unscaled(self, run: RunState) -> float:
        return float((self.B + self.R * np.sqrt(2 * (run.gain - np.log(self.delta)))) ** 2)


SCHEDULES: Registry[type[BetaSchedule]] = Registry("schedule", "ucbpe.schedules", BetaSchedule)
register("finite", FiniteBeta)
register("compact", CompactBeta)
register("constant", ConstantBeta)
register("information_gain", InformationGainBeta)
register("realized_gain", RealizedGainBeta)
register("randomized", RandomizedBeta)

__all__ = [
    "SCHEDULES",
    "BetaSchedule",
    "CompactBeta",
    "ConstantBeta",
    "FiniteBeta",
    "InformationGainBeta",
    "RandomizedBeta",
    "RealizedGainBeta",
    "RunState",
]
