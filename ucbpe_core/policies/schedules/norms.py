"""Schedules for a fixed f of bounded norm in the space of the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.policies.schedules.base import BetaSchedule
from ucbpe_core.support.validation import fraction, non_negative, positive, set_checked

if TYPE_CHECKING:
    from ucbpe_core.policies.schedules.base import RunState


@dataclass(frozen=True)
class InformationGainBeta(BetaSchedule):
    """beta_t = (B + R sqrt(2 (gain + 1 + log(1 / delta))))^2 (Chowdhury and Gopalan 2017, Thm 2).

    For a fixed f in the RKHS of the kernel, not a draw of the prior. The source bounds the
    information gained so far by its maximum gamma_(t-1), and states the square root of this beta_t;
    here the gain is that of the points of the run itself, 1/2 log det(I + K / noise_variance),
    which its proof (eq. 4, a self-normalised bound) needs and which is never larger. The source
    has the noise variance 1 + 2/T, for T points in all, instead of 1.

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
    T, for a regret that is sublinear for every Matern kernel; here it is that of the process.
    Of the texts the abstract of the second could be read: the bound is as commonly stated, and
    Whitehouse et al. may have other constants.

    Examples
    --------
    >>> from ucbpe_core.policies.schedules import RealizedGainBeta
    >>> round(RealizedGainBeta(delta=0.1, B=2.0)(t=5, size=500, dimension=2, gain=3.4), 3)
    28.914
    """

    def unscaled(self, run: RunState) -> float:
        return float((self.B + self.R * np.sqrt(2 * (run.gain - np.log(self.delta)))) ** 2)
