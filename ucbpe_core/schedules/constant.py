"""A beta that does not change."""

from __future__ import annotations

from dataclasses import dataclass

from ucbpe_core.schedules.base import BetaSchedule, RunState
from ucbpe_core.validation import non_negative, positive, set_checked


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
