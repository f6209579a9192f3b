"""Batch Gaussian-process bandits: GP-UCB-PE (Contal et al., ECML 2013) and its relatives."""

from ucbpe_core import problems, regret, theory
from ucbpe_core.bandit import Bandit
from ucbpe_core.confidence import BetaSchedule, CompactBeta, ConstantBeta, FiniteBeta
from ucbpe_core.errors import IllConditionedError, InputError, UCBPEError
from ucbpe_core.gp import ConditionedProcess, GaussianProcess, Prediction
from ucbpe_core.kernels import RBF, Kernel, Matern, Polynomial
from ucbpe_core.policies import (
    GPUCB,
    GPUCBPE,
    Decision,
    GreedyUCB,
    Policy,
    PureExploration,
    RandomSearch,
)
from ucbpe_core.posterior import Posterior
from ucbpe_core.simulation import simulate
from ucbpe_core.trace import Iteration, Trace

__all__ = [
    "GPUCB",
    "GPUCBPE",
    "RBF",
    "Bandit",
    "BetaSchedule",
    "CompactBeta",
    "ConditionedProcess",
    "ConstantBeta",
    "Decision",
    "FiniteBeta",
    "GaussianProcess",
    "GreedyUCB",
    "IllConditionedError",
    "InputError",
    "Iteration",
    "Kernel",
    "Matern",
    "Policy",
    "Polynomial",
    "Posterior",
    "Prediction",
    "PureExploration",
    "RandomSearch",
    "Trace",
    "UCBPEError",
    "problems",
    "regret",
    "simulate",
    "theory",
]
