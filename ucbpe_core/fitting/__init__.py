"""Fitting hyperparameters: a posteriori with priors on them, or by maximum likelihood.

priors           fixed values, bounds and prior densities, by name
likelihood       the log marginal likelihood, its gradient, what is maximised
search           the local searches, and the digits of what they find
task             data, in standardised units, priors and bounds of a fit
hyperparameters  `fit_hyperparameters`
"""

from ucbpe_core.fitting.hyperparameters import Fit, FitOptions, fit_hyperparameters
from ucbpe_core.fitting.likelihood import log_marginal_likelihood, log_marginal_likelihood_gradient
from ucbpe_core.fitting.priors import Hyperprior, LogNormal, default_priors
from ucbpe_core.fitting.search import Start

__all__ = [
    "Fit",
    "FitOptions",
    "Hyperprior",
    "LogNormal",
    "Start",
    "default_priors",
    "fit_hyperparameters",
    "log_marginal_likelihood",
    "log_marginal_likelihood_gradient",
]
