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

from ucbpe_core.errors import (
    FewerPicksWarning,
    IllConditionedWarning,
    InputError,
    KnownValuesWarning,
    PriorWarning,
    RepeatsWarning,
    UCBPEError,
)
from ucbpe_core.gp.fitting import fit_hyperparameters
from ucbpe_core.gp.kernels import RBF, Kernel, Matern
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.history.trace import Trace
from ucbpe_core.policies import GPUCBPE, Policy
from ucbpe_core.policies.schedules import BetaSchedule, ConstantBeta, FiniteBeta
from ucbpe_core.search.bandit import Bandit
from ucbpe_core.search.simulation import simulate
from ucbpe_core.support.plugins import register, use_plugin

if TYPE_CHECKING:
    from ucbpe_core import foreign, problems, study, theory
    from ucbpe_core.foreign.retrace import retrace
    from ucbpe_core.history import regret
    from ucbpe_core.search import experiment
    from ucbpe_core.search.box import BoxBandit
    from ucbpe_core.search.experiment import Experiment
    from ucbpe_core.search.minimization import minimize
    from ucbpe_core.tables.table import Table

    __version__: str

__all__ = [
    "GPUCBPE",
    "RBF",
    "Bandit",
    "BetaSchedule",
    "BoxBandit",
    "ConstantBeta",
    "Experiment",
    "FewerPicksWarning",
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
    "Table",
    "Trace",
    "UCBPEError",
    "experiment",
    "fit_hyperparameters",
    "foreign",
    "minimize",
    "problems",
    "register",
    "regret",
    "retrace",
    "simulate",
    "study",
    "theory",
    "use_plugin",
]

# What is imported on first use: modules, and members by module.
_MODULES = {
    "experiment": "search.experiment",
    "foreign": "foreign",
    "problems": "problems",
    "regret": "history.regret",
    "study": "study",
    "theory": "theory",
}
_MEMBERS = {
    "BoxBandit": "search.box",
    "Experiment": "search.experiment",
    "Table": "tables.table",
    "minimize": "search.minimization",
    "retrace": "foreign.retrace",
}


if not TYPE_CHECKING:  # a checker is to know the names that there are

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f"{__name__}.{_MODULES[name]}")
        if name == "__version__":
            from importlib.metadata import version

            return version("ucbpe")
        if name in _MEMBERS:
            return getattr(import_module(f"{__name__}.{_MEMBERS[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
