"""Batch Gaussian-process bandits: GP-UCB-PE (Contal et al., ECML 2013) and its relatives.

`__all__` lists the public names; each has an example in its docstring. Modules that not every run
needs are imported on first use.

Examples
--------
>>> import numpy as np
>>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
>>> x = np.linspace(0, 1, 101)
>>> bandit = Bandit(x, GaussianProcess(Matern(lengthscale=0.2)), GPUCBPE(batch_size=4))
>>> decision = bandit.ask()
>>> bandit.tell(decision.indices, np.sin(5 * x[decision.indices]))
>>> round(float(bandit.best().point[0]), 2)
0.27
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ucbpe_core.bandit import Bandit
from ucbpe_core.errors import (
    IllConditionedError,
    IllConditionedWarning,
    InputError,
    KnownValuesWarning,
    NothingLeftError,
    PriorWarning,
    TooLargeError,
    UCBPEError,
)
from ucbpe_core.fitting import Fit, fit_hyperparameters, log_marginal_likelihood
from ucbpe_core.gp import ConditionedProcess, GaussianProcess, Prediction
from ucbpe_core.kernels import RBF, Kernel, Matern, Polynomial
from ucbpe_core.plugins import register, use_plugin
from ucbpe_core.policies import (
    EIPE,
    GPBUCB,
    GPUCB,
    GPUCBPE,
    Decision,
    GreedyUCB,
    LocalPenalization,
    Policy,
    PureExploration,
    RandomSearch,
    SimulationMatching,
    ThompsonSampling,
)
from ucbpe_core.posterior import Posterior
from ucbpe_core.schedules import (
    BetaSchedule,
    CompactBeta,
    ConstantBeta,
    FiniteBeta,
    InformationGainBeta,
    RunState,
)
from ucbpe_core.simulation import replay_decisions, simulate
from ucbpe_core.trace import Iteration, Trace

if TYPE_CHECKING:
    from ucbpe_core import experiment, problems, regret, study, theory
    from ucbpe_core.box import BoxBandit
    from ucbpe_core.experiment import Experiment
    from ucbpe_core.minimization import minimize

    __version__: str

__all__ = [
    "EIPE",
    "GPBUCB",
    "GPUCB",
    "GPUCBPE",
    "RBF",
    "Bandit",
    "BetaSchedule",
    "BoxBandit",
    "CompactBeta",
    "ConditionedProcess",
    "ConstantBeta",
    "Decision",
    "Experiment",
    "FiniteBeta",
    "Fit",
    "GaussianProcess",
    "GreedyUCB",
    "IllConditionedError",
    "IllConditionedWarning",
    "InformationGainBeta",
    "InputError",
    "Iteration",
    "Kernel",
    "KnownValuesWarning",
    "LocalPenalization",
    "Matern",
    "NothingLeftError",
    "Policy",
    "Polynomial",
    "Posterior",
    "Prediction",
    "PriorWarning",
    "PureExploration",
    "RandomSearch",
    "RunState",
    "SimulationMatching",
    "ThompsonSampling",
    "TooLargeError",
    "Trace",
    "UCBPEError",
    "experiment",
    "fit_hyperparameters",
    "log_marginal_likelihood",
    "minimize",
    "problems",
    "register",
    "regret",
    "replay_decisions",
    "simulate",
    "study",
    "theory",
    "use_plugin",
]

_SUBPACKAGES = ("experiment", "problems", "regret", "study", "theory")
_MEMBERS = {
    "BoxBandit": "box",
    "Experiment": "experiment",
    "minimize": "minimization",
}  # by module


if not TYPE_CHECKING:  # a checker is to know the names that there are

    def __getattr__(name: str) -> Any:
        if name in _SUBPACKAGES:
            return import_module(f"{__name__}.{name}")
        if name == "__version__":
            from importlib.metadata import version

            return version("ucbpe")
        if name in _MEMBERS:
            return getattr(import_module(f"{__name__}.{_MEMBERS[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
