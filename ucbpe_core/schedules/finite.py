"""The schedule for a finite set."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ucbpe_core.schedules.base import BetaSchedule, RunState, rounded_log
from ucbpe_core.validation import fraction, positive, set_checked


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
