"""A beta that does not change."""

from __future__ import annotations

from dataclasses import dataclass

from ucbpe_core.schedules.base import BetaSchedule, RunState
from ucbpe_core.validation import non_negative, positive


@dataclass(frozen=True)
class ConstantBeta(BetaSchedule):
    """beta_t = beta, at least 0, whatever t. No confidence statement goes with it.

    ::

        ConstantBeta(4.0)(t=1, size=500, dimension=2)
    """

    beta: float = 4.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", non_negative(self.beta, "beta"))
        object.__setattr__(self, "scale", positive(self.scale, "scale"))

    def unscaled(self, run: RunState) -> float:
        return self.beta
