"""Fitting hyperparameters: a posteriori with priors on them, or by maximum likelihood.

likelihood       the log marginal likelihood, its gradient, the least-squares mean
priors           densities of hyperparameters, by name
units            data and process in standardised units
names            what is fixed, and the bounds, by name
task             data, priors and bounds of a fit
objective        what is maximised, its bounds and starting points
search           the local searches
rounding         the digits of what they find
hyperparameters  `fit_hyperparameters`
"""

from ucbpe_core.fitting.hyperparameters import Fit, FitOptions, fit_hyperparameters
from ucbpe_core.fitting.likelihood import log_marginal_likelihood, log_marginal_likelihood_gradient
from ucbpe_core.fitting.priors import LogNormal, Prior, default_priors
from ucbpe_core.fitting.search import Start

__all__ = [
    "Fit",
    "FitOptions",
    "LogNormal",
    "Prior",
    "Start",
    "default_priors",
    "fit_hyperparameters",
    "log_marginal_likelihood",
    "log_marginal_likelihood_gradient",
]
