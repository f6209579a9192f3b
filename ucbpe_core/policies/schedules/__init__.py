"""Schedules of beta_t; one line each in `SCHEDULES`."""

from ucbpe_core.policies.schedules.base import BetaSchedule, ConstantBeta, RunState
from ucbpe_core.policies.schedules.draws import CompactBeta, FiniteBeta, RandomizedBeta
from ucbpe_core.policies.schedules.norms import InformationGainBeta, RealizedGainBeta
from ucbpe_core.support.plugins import Registry, register

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
