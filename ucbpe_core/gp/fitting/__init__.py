"""Fitting hyperparameters: a posteriori with priors on them, or by maximum likelihood.

densities        the log marginal likelihood, its gradient, priors and what is given by name
search           what is maximised, in standardised units; the local searches
hyperparameters  `fit_hyperparameters`, and `fit_to_optimise` with other priors
check            whether a process fits its data, and whether a prior can be right
warping          an increasing function of y, fitted before a prior
"""

from ucbpe_core.gp.fitting.check import Cause, LeaveOneOut, ModelCheck, check_model, leave_one_out
from ucbpe_core.gp.fitting.densities import (
    Gamma,
    Hyperprior,
    LogNormal,
    default_priors,
    log_marginal_likelihood,
    log_marginal_likelihood_gradient,
)
from ucbpe_core.gp.fitting.hyperparameters import (
    Fit,
    FitOptions,
    fit_hyperparameters,
    fit_to_optimise,
)
from ucbpe_core.gp.fitting.search import Start
from ucbpe_core.gp.fitting.warping import Warp

__all__ = [
    "Cause",
    "Fit",
    "FitOptions",
    "Gamma",
    "Hyperprior",
    "LeaveOneOut",
    "LogNormal",
    "ModelCheck",
    "Start",
    "Warp",
    "check_model",
    "default_priors",
    "fit_hyperparameters",
    "fit_to_optimise",
    "leave_one_out",
    "log_marginal_likelihood",
    "log_marginal_likelihood_gradient",
]
