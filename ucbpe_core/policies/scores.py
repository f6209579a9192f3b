"""What a pick maximises, at any point: a function of the mean and standard deviation of f there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
import scipy

from ucbpe_core.support.frozen import Frozen

if TYPE_CHECKING:
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.support.validation import Floats

# From here on 1/z^2 stands for 1 - |z| sqrt(pi/2) erfcx(|z|/sqrt(2)): it is right to a relative
# 3/z^2, and the difference of two numbers near 1 to one of 1e-16 z^2. Both are about 1e-8.
_FAR = 1e4


class OverBox(Protocol):
    """A batch over a box in the making, as `Policy.role` and `Policy.score` see it."""

    @property
    def posterior(self) -> Posterior:
        """At batch start, without candidates."""

    @property
    def beta(self) -> float:
        """beta_t."""

    @property
    def places(self) -> Floats:
        """Coordinates of the picks so far, shape (k, D)."""

    @property
    def sampled(self) -> Posterior:
        """At batch start, over the points that cover the box as candidates."""

    @property
    def widest(self) -> Posterior:
        """At batch start, over the point of greatest standard deviation alone."""

    @property
    def top(self) -> float:
        """The greatest mean over the box at batch start."""


class Score(Frozen, ABC):
    """A function that a pick maximises.

    Attributes
    ----------
    explores : whether it is the standard deviation, to be reduced inside R+ by policies that use it
    at_start : whether mean and standard deviation are those of batch start, and not given the picks
        before
    slopes : (a, b) if it is a mean + b std, whose gradient is known; else None
    """

    explores: ClassVar[bool] = False
    at_start: ClassVar[bool] = False

    @property
    def slopes(self) -> tuple[float, float] | None:
        """See above."""
        return None

    @abstractmethod
    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        """At coordinates X (m, D), with mean and std (m,) of f there; shape (m,)."""

    def of(self, value: float) -> float:
        """The score of a pick, from the greatest of `values`, which can be its logarithm."""
        return value


@dataclass(frozen=True)
class Bound(Score):
    """a mean + b std: with (1, sqrt(beta)) the upper and with (1, -sqrt(beta)) the lower bound."""

    a: float
    b: float

    @property
    def slopes(self) -> tuple[float, float]:
        return self.a, self.b

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        return self.a * mean + self.b * std


class Exploration(Bound):
    """The standard deviation."""

    explores = True

    def __init__(self) -> None:
        super().__init__(0.0, 1.0)


@dataclass(frozen=True)
class LogImprovement(Score):
    """log E[max(f - best, 0)], by which `EIPE` ranks."""

    best: float

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        return log_expected_improvement(mean, std, self.best)

    def of(self, value: float) -> float:
        return float(np.exp(value))


@dataclass(frozen=True, eq=False)
class LogPenalised(Score):
    """log softplus(u) + sum of log phi(.; x_j), by which `LocalPenalization` ranks.

    Attributes
    ----------
    root : sqrt(beta), which gives the upper bound
    mean, unit : of the prior, and its standard deviation
    slope, top : L and the estimated maximum of f
    centres, means, stds : of the earlier picks of the batch, coordinates (k, D) and (k,)
    """

    at_start = True
    root: float
    mean: float
    unit: float
    slope: float
    top: float
    centres: Floats
    means: Floats
    stds: Floats

    def values(self, X: Floats, mean: Floats, std: Floats) -> Floats:
        distances = np.linalg.norm(X[:, None] - self.centres, axis=2)
        z = (self.slope * distances - self.top + self.means) / self.stds
        value = log_softplus((mean + self.root * std - self.mean) / self.unit)
        return value + scipy.special.log_ndtr(z).sum(axis=1)

    def of(self, value: float) -> float:
        return float(np.exp(value))


def log_expected_improvement(mean: Floats, std: Floats, best: float) -> Floats:
    """log E[max(f - best, 0)] for f ~ N(mean, std^2), shapes (M,); -inf where it is 0.

    E = (mean - best) Phi(z) + std phi(z) with z = (mean - best) / std, and max(mean - best, 0)
    where std = 0. For z < -1 the two terms nearly cancel; there
    E = std phi(z) (1 - |z| sqrt(pi/2) erfcx(|z| / sqrt(2))), which stays finite in logarithms.
    """
    gain = mean - best
    # Squares of z stay finite; a value this far from `best` is practically known.
    random = std > 1e-150 * np.abs(gain)
    z = np.divide(gain, std, out=np.zeros_like(gain), where=random)
    near, far = np.maximum(z, -1.0), np.maximum(-z, 1.0)
    body = np.log(near * scipy.special.ndtr(near) + np.exp(-0.5 * near**2) / np.sqrt(2 * np.pi))
    far_z = np.minimum(far, _FAR)
    ratio = np.sqrt(np.pi / 2) * far_z * scipy.special.erfcx(far_z / np.sqrt(2))
    shrink = np.where(far < _FAR, np.log1p(-ratio), -2 * np.log(far))
    factor = np.where(z > -1.0, body, shrink - 0.5 * far**2 - 0.5 * np.log(2 * np.pi))
    with np.errstate(divide="ignore"):
        return np.where(random, np.log(std) + factor, np.log(np.maximum(gain, 0.0)))


def log_softplus(u: Floats) -> Floats:
    """log log(1 + exp(u)); it is u itself, to rounding, below -40."""
    return np.where(u < -40, u, np.log(np.logaddexp(0.0, np.maximum(u, -40.0))))
