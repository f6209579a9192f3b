"""Batch Gaussian-process bandits: GP-UCB-PE (Contal et al., ECML 2013) and its relatives.

Here are the names that most programs need; the others are one level down, such as
`ucbpe_core.policies.EIPE` or `ucbpe_core.errors.TooLargeError`. Each has an example in its
docstring. Modules that not every run needs are imported on first use.

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
    IllConditionedWarning,
    InputError,
    KnownValuesWarning,
    PriorWarning,
    RepeatsWarning,
    UCBPEError,
)
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.kernels import RBF, Kernel, Matern
from ucbpe_core.plugins import register, use_plugin
from ucbpe_core.policies import GPUCBPE, Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.schedules import BetaSchedule, ConstantBeta, FiniteBeta
from ucbpe_core.simulation import simulate
from ucbpe_core.trace import Trace

if TYPE_CHECKING:
    from ucbpe_core import experiment, problems, regret, study, theory
    from ucbpe_core.box import BoxBandit
    from ucbpe_core.experiment import Experiment
    from ucbpe_core.minimization import minimize

    __version__: str

__all__ = [
    "GPUCBPE",
    "RBF",
    "Bandit",
    "BetaSchedule",
    "BoxBandit",
    "ConstantBeta",
    "Experiment",
    "FiniteBeta",
    "GaussianProcess",
    "IllConditionedWarning",
    "InputError",
    "Kernel",
    "KnownValuesWarning",
    "Matern",
    "Policy",
    "Posterior",
    "PriorWarning",
    "RepeatsWarning",
    "Trace",
    "UCBPEError",
    "experiment",
    "fit_hyperparameters",
    "minimize",
    "problems",
    "register",
    "regret",
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
