"""Schedules of beta_t; one line each in `SCHEDULES`."""

from ucbpe_core.plugins import Registry, register
from ucbpe_core.schedules.base import BetaSchedule, ConstantBeta, RunState
from ucbpe_core.schedules.draws import CompactBeta, FiniteBeta, RandomizedBeta
from ucbpe_core.schedules.norms import InformationGainBeta, RealizedGainBeta

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
