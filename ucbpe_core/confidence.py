"""Confidence: the schedules of beta_t, and the bands mean ± sqrt(beta_t) std.

beta sits under the root, as in the paper. Iterations start at t = 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.validation import count, fraction, non_negative, positive

if TYPE_CHECKING:
    from ucbpe_core.validation import Floats


class Belief(Protocol):
    """Anything with a mean and a deviation over M candidates: a `Posterior`, or a copy of one."""

    @property
    def mean(self) -> Floats:
        """Posterior mean, shape (M,)."""

    @property
    def std(self) -> Floats:
        """Standard deviation of the latent f, shape (M,)."""


class BetaSchedule(ABC):
    """beta_t as a function of t and of the domain; frozen.

    `scale` multiplies the theoretical value: the literature often divides it by 5 (scale 0.2).
    """

    scale: float

    @abstractmethod
    def unscaled(self, t: int, size: int, dimension: int) -> float:
        """The theoretical value at iteration t over `size` candidates in `dimension` dimensions."""

    def __call__(self, t: int, size: int, dimension: int) -> float:
        """beta_t = scale * unscaled, for t = 1, 2, ...

        Raises
        ------
        InputError
            For t, size or dimension below 1, or a value below 0 (a formula outside its range).
        """
        for value, name in ((t, "t"), (size, "size"), (dimension, "dimension")):
            count(value, name)
        beta = self.scale * self.unscaled(t, size, dimension)
        if not beta >= 0:
            raise InputError(
                "beta_t of at least 0", f"{beta:g} at t = {t}", "lower delta, or raise a, b and r"
            )
        return beta


@dataclass(frozen=True)
class FiniteBeta(BetaSchedule):
    """beta_t = 2 log(|X| t^2 pi^2 / (6 delta)), for a finite set X (Srinivas et al. 2010, Thm 1).

    With scale 1, f stays inside the band on all of X and at every t with probability at least
    1 - delta, if it is a draw of the prior in use.
    """

    delta: float = 0.1
    scale: float = 1.0

    def __post_init__(self) -> None:
        fraction(self.delta, "delta")
        positive(self.scale, "scale")

    def unscaled(self, t: int, size: int, dimension: int) -> float:
        return float(2 * np.log(size * t**2 * np.pi**2 / (6 * self.delta)))


@dataclass(frozen=True)
class CompactBeta(BetaSchedule):
    """For X in [0, r]^d: beta_t = 2 log(2 t^2 pi^2 / (3 delta))
    + 2 d log(t^2 d b r sqrt(log(4 d a / delta))) (Srinivas et al. 2010, Thm 2).

    Parameters
    ----------
    a, b : positive floats
        Of the assumption P(sup |df/dx_j| > L) <= a exp(-(L / b)^2). The paper leaves them open;
        1 is the default here.
    r : positive float
        Side of the cube that holds X, in the units of x.
    """

    delta: float = 0.1
    scale: float = 1.0
    a: float = 1.0
    b: float = 1.0
    r: float = 1.0

    def __post_init__(self) -> None:
        fraction(self.delta, "delta")
        for name in ("scale", "a", "b", "r"):
            positive(getattr(self, name), name)

    def unscaled(self, t: int, size: int, dimension: int) -> float:
        d, delta = dimension, self.delta
        inner = np.log(4 * d * self.a / delta)
        if inner <= 0:
            raise InputError("4 d a / delta above 1", f"{4 * d * self.a / delta:g}", "raise a")
        first = 2 * np.log(2 * t**2 * np.pi**2 / (3 * delta))
        second = 2 * d * np.log(t**2 * d * self.b * self.r * np.sqrt(inner))
        return float(first + second)


@dataclass(frozen=True)
class ConstantBeta(BetaSchedule):
    """beta_t = beta, at least 0, whatever t. No confidence statement goes with it."""

    beta: float = 4.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        non_negative(self.beta, "beta")
        positive(self.scale, "scale")

    def unscaled(self, t: int, size: int, dimension: int) -> float:
        return float(self.beta)


def upper(posterior: Belief, beta: float) -> Floats:
    """Upper confidence bound mean + sqrt(beta) std, shape (M,)."""
    return posterior.mean + np.sqrt(beta) * posterior.std


def lower(posterior: Belief, beta: float) -> Floats:
    """Lower confidence bound mean - sqrt(beta) std, shape (M,)."""
    return posterior.mean - np.sqrt(beta) * posterior.std
