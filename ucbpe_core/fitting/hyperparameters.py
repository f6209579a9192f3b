"""Fitting hyperparameters: by maximum marginal likelihood, or a posteriori with priors on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import streams
from ucbpe_core.errors import InputError
from ucbpe_core.fitting.likelihood import known_noises, log_marginal_likelihood
from ucbpe_core.fitting.objective import Objective
from ucbpe_core.fitting.priors import densities_of, log_hyperparameters, log_prior
from ucbpe_core.fitting.search import searched
from ucbpe_core.fitting.units import Units
from ucbpe_core.validation import count, points, values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from ucbpe_core.fitting.priors import Prior
    from ucbpe_core.fitting.search import Start
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.validation import Floats, Noise


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


def fit_hyperparameters(
    gp: GaussianProcess,
    X: ArrayLike,
    y: ArrayLike,
    seed: int | np.random.Generator = 0,
    *,
    noise_variance: Noise = None,
    starts: int = 5,
    fit_noise: bool = True,
    fit_mean: bool = True,
    workers: int = 1,
    priors: Mapping[str, Prior] | None = None,
) -> Fit:
    """Hyperparameters of greatest marginal likelihood, or posterior density: `Fit.gp` has them.

    Multi-start L-BFGS-B on the log parameters, within bounds set by the data. Searches start from
    values suggested by the data and from random points around them, and also from `gp` if that is
    better than all they find; with one start, only from `gp`. They work on standardised data:
    changing the units of X, y and the priors together changes the units of the result and nothing
    else. Of the variances in a product of kernels only one is fitted, as the others are redundant.
    The mean, when fitted, is the generalised least squares one, mu = 1'C^-1 y / 1'C^-1 1, the
    maximiser for given hyperparameters; by the envelope theorem it does not change their gradient.

    Parameters
    ----------
    X, y : points (n, d) and values (n,)
    seed : of the random starts
    noise_variance : known noise variance of each value, a number or (n,), in squared units of y. It
        is not fitted; that of `gp` is, for the values where this is None, and is kept if there are
        none
    starts : number of searches, at least 1
    fit_noise, fit_mean : whether noise_variance and mean are fitted or kept
    workers : number of concurrent searches, in threads; the result does not depend on it
    priors : density of hyperparameters by name, independent of each other; the sum of their logs,
        on the natural scale (no Jacobian of the logarithm), is added to the log likelihood. Names
        are those of `kernel.parameter_names` and "noise_variance"; "lengthscale" stands for all
        lengthscales, and so on

    Raises
    ------
    InputError
        For shapes that do not agree, NaN, infinities, a negative noise variance, a prior whose name
        is unknown or that has no logpdf, or fewer than two distinct values in y: the likelihood
        then has no finite maximiser.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import lognorm
    >>> from ucbpe_core import fit_hyperparameters, GaussianProcess, RBF
    >>> x, gp = np.linspace(0, 1, 15), GaussianProcess(RBF())
    >>> round(fit_hyperparameters(gp, x, np.sin(6 * x)).gp.kernel.lengthscale, 1)
    0.4
    >>> short = {"lengthscale": lognorm(s=0.1, scale=0.05)}
    >>> round(fit_hyperparameters(gp, x, np.sin(6 * x), priors=short).gp.kernel.lengthscale, 2)
    0.06
    """
    X = points(X, "X")
    y = _varied(values(y, "y", len(X)))
    starts, workers = count(starts, "starts"), count(workers, "workers")
    known, densities = known_noises(noise_variance, len(X)), densities_of(gp, priors or {})
    fit_noise = fit_noise and bool(np.isnan(known).any())
    units = Units.of(gp.kernel, X, y)
    data = X / units.x, y / units.y, known / units.y**2
    shift = np.append(units.shift, 2 * np.log(units.y))
    exact = Objective(units.into(gp), *data, fit_noise, fit_mean, densities, shift)
    constant = len(y) * float(np.log(units.y))  # density in the units of y
    prior = log_prior(densities, log_hyperparameters(gp))[0]
    given = log_marginal_likelihood(gp, X, y, noise_variance) + prior
    rng = streams.fit_starts(seed)
    searches, winner = searched(exact, starts, rng, workers, given + constant)
    log = tuple(
        replace(one, begin=one.begin - constant, end=one.end - constant) for one in searches
    )
    best = log[winner]
    if best.theta is None or not best.end > given:
        return Fit(gp, given - prior, prior, given, "unchanged", log)
    found = units.back(exact.evaluate(best.theta)[0])
    if not fit_noise:  # exactly: the change of units rounds
        found = replace(found, noise_variance=gp.noise_variance)
    if not fit_mean:
        found = replace(found, mean=gp.mean)
    prior = log_prior(densities, log_hyperparameters(found))[0]
    return Fit(found, best.end - prior, prior, given, best.name, log)


def fit_from_current(
    gp: GaussianProcess, X: Floats, y: Floats, noise_variance: Noise = None
) -> GaussianProcess:
    """One search from the hyperparameters in use, which a few more observations change little.

    The default of `Bandit.refit`. Noise variance and mean are fitted too. Shapes: X (n, d), y (n,),
    known noise variances (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import GaussianProcess, log_marginal_likelihood, Matern
    >>> from ucbpe_core.fitting import fit_from_current
    >>> X = np.linspace(0, 1, 15)[:, None]
    >>> y, gp = np.sin(6 * X[:, 0]), GaussianProcess(Matern(), noise_variance=0.1)
    >>> fitted = fit_from_current(gp, X, y)
    >>> log_marginal_likelihood(fitted, X, y) > log_marginal_likelihood(gp, X, y)
    True
    """
    return fit_hyperparameters(gp, X, y, noise_variance=noise_variance, starts=1).gp


def _varied(y: Floats) -> Floats:
    if len(y) == 0 or np.ptp(y) == 0:
        got = f"{len(y)} equal to {y[0]:g}" if len(y) else "none"
        remedy = "observe more points, or keep the hyperparameters"
        raise InputError("at least two different values in y", got, remedy)
    return y
