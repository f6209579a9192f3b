"""Schedules of beta_t: one file per schedule, one line per schedule in `SCHEDULES`."""

from ucbpe_core.plugins import Registry, register
from ucbpe_core.schedules.base import BetaSchedule, RunState
from ucbpe_core.schedules.compact import CompactBeta
from ucbpe_core.schedules.constant import ConstantBeta
from ucbpe_core.schedules.finite import FiniteBeta
from ucbpe_core.schedules.information_gain import InformationGainBeta

SCHEDULES: Registry[type[BetaSchedule]] = Registry("schedule", "ucbpe.schedules", BetaSchedule)
register("finite", FiniteBeta)
register("compact", CompactBeta)
register("constant", ConstantBeta)
register("information_gain", InformationGainBeta)

__all__ = [
    "SCHEDULES",
    "BetaSchedule",
    "CompactBeta",
    "ConstantBeta",
    "FiniteBeta",
    "InformationGainBeta",
    "RunState",
]
