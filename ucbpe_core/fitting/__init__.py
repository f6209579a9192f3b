"""Fitting hyperparameters: by maximum marginal likelihood, or a posteriori with priors on them.

likelihood       the log marginal likelihood, its gradient, the least-squares mean
priors           densities of hyperparameters, by name
units            data and process in standardised units
objective        what is maximised, its bounds and starting points
search           the local searches
hyperparameters  `fit_hyperparameters`
"""

from ucbpe_core.fitting.hyperparameters import Fit, fit_from_current, fit_hyperparameters
from ucbpe_core.fitting.likelihood import log_marginal_likelihood, log_marginal_likelihood_gradient
from ucbpe_core.fitting.priors import Prior
from ucbpe_core.fitting.search import Start

__all__ = [
    "Fit",
    "Prior",
    "Start",
    "fit_from_current",
    "fit_hyperparameters",
    "log_marginal_likelihood",
    "log_marginal_likelihood_gradient",
]
