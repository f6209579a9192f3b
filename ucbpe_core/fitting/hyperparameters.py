"""Fitting hyperparameters: by maximum marginal likelihood, or a posteriori with priors on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np

from ucbpe_core import streams
from ucbpe_core.errors import InputError
from ucbpe_core.fitting.priors import default_priors
from ucbpe_core.fitting.search import searched
from ucbpe_core.fitting.task import Task
from ucbpe_core.validation import count, points, values

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import ArrayLike

    from ucbpe_core.fitting.priors import Prior
    from ucbpe_core.fitting.search import Start
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Noise


@dataclass(frozen=True)
class Fit:
    """The outcome of `fit_hyperparameters`.

    The objective is the log marginal likelihood plus, with priors, the log of their density.

    Attributes
    ----------
    gp : the process with the hyperparameters found
    log_marginal_likelihood : for these, in nats
    log_prior : log density of the priors at these; 0 without priors
    given : the objective for the hyperparameters that were passed in
    winner : name of the best start: "data", from the extents of X and the variance of y, "random
        i", from around that, or "given", from the values passed in; "unchanged" if no search
        improved on these
    starts : every search, in the order run

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, Matern
    >>> x = np.linspace(0, 1, 15)
    >>> fit = fit_hyperparameters(GaussianProcess(Matern()), x, np.sin(6 * x), starts=2)
    >>> fit.objective >= fit.given, len(fit.starts)
    (True, 2)
    """

    gp: GaussianProcess
    log_marginal_likelihood: float
    log_prior: float
    given: float
    winner: str
    starts: tuple[Start, ...]

    @property
    def objective(self) -> float:
        """What was maximised, for the hyperparameters found; never below `given`."""
        return self.log_marginal_likelihood + self.log_prior


class FitOptions(TypedDict, total=False):
    """The options of a fit, as keyword arguments of `fit_hyperparameters` and of every `refit`.

    Examples
    --------
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, RBF
    >>> from ucbpe_core.fitting import FitOptions
    >>> options: FitOptions = {"fixed": ("noise_variance",), "starts": 2}
    >>> fit = fit_hyperparameters(GaussianProcess(RBF()), range(6), [0, 2, 1, 3, 2, 5], **options)
    >>> fit.gp.noise_variance
    0.01
    """

    starts: int
    workers: int
    priors: Mapping[str, Prior] | Literal["default"] | None
    fixed: Collection[str]
    bounds: Mapping[str, tuple[float, float]] | None


def fit_hyperparameters(
    gp: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    seed: int | np.random.Generator = 0,
    *,
    noise_variance: Noise = None,
    starts: int = 5,
    workers: int = 1,
    priors: Mapping[str, Prior] | Literal["default"] | None = "default",
    fixed: Collection[str] = (),
    bounds: Mapping[str, tuple[float, float]] | None = None,
    domain: ArrayLike | None = None,
) -> Fit:
    """DOC
    """
    X = points(X, "X")
    y = _varied(values(y, "y", len(X)))
    starts, workers = count(starts, "starts"), count(workers, "workers")
    domain = X if domain is None else points(domain, "domain", X.shape[1])
    chosen = default_priors(gp, X, y, domain) if priors == "default" else priors or {}
    task = Task.of(gp, X, y, noise_variance, domain, fixed, chosen, bounds or {})
    likelihood, prior = task.value(gp)
    given = likelihood + prior
    exact, constant = task.objective(), task.constant
    rng = streams.fit_starts(seed)
    searches, winner = searched(exact, starts, rng, workers, given + constant)
    log = [replace(one, begin=one.begin - constant, end=one.end - constant) for one in searches]
    best = log[winner]
    if best.theta is not None:
        found = task.found(exact, best.theta)
        parts = task.value(found)
        log[winner] = replace(best, end=sum(parts))
        if sum(parts) > given:
            return Fit(found, *parts, given, best.name, tuple(log))
    return Fit(gp, likelihood, prior, given, "unchanged", tuple(log))


def _varied(y: Floats) -> Floats:
    if len(y) == 0 or np.ptp(y) == 0:
        got = f"{len(y)} equal to {y[0]:g}" if len(y) else "none"
        remedy = "observe more points, or keep the hyperparameters"
        raise InputError("at least two different values in y", got, remedy)
    return y
