"""Where the prior of a replicate comes from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.files import tables
from ucbpe_core.gp.fitting import fit_hyperparameters
from ucbpe_core.gp.kernels import KERNELS, RBF, Kernel
from ucbpe_core.support.validation import MOST_POINTS, choice, count, non_negative

if TYPE_CHECKING:
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.support.validation import Floats

_MOST_STARTS = 10_000  # more searches would fill the memory


@dataclass(frozen=True)
class HyperparameterPlan:
    """Where the prior of a replicate comes from; all policies of a replicate share it.

    Parameters
    ----------
    method : "likelihood" or "suggested"
        Maximum marginal likelihood on data of the replicate, or the problem's own prior.
    kernel : the kernel, with the values where the search starts (one lengthscale, or several)
    points : number of observations that the likelihood uses
        0 for those that the policies start from. Otherwise this many random candidates (all, if
        there are fewer), drawn for each replicate from their own stream, measured with noise, and
        never shown to a policy.
    starts : local searches, at least 1
    least_noise : lower bound of the fitted noise variance, relative to var(y)
        Where the unbounded fit ends below it, the rest is fitted again at the bound.
    fit_noise : False keeps the noise variance of the problem
    fit_mean : False keeps a prior mean of 0
    refit_every : after every so many batches each policy fits these hyperparameters again to all
        that it has measured: one search from the values in use; default never

    Examples
    --------
    >>> from ucbpe_core import Matern
    >>> from ucbpe_core.study import HyperparameterPlan, ProblemPlan
    >>> fitted = HyperparameterPlan(kernel=Matern(nu=2.5), points=100)
    >>> ProblemPlan("Himmelblau", "himmelblau", hyperparameters=fitted).hyperparameters.method
    'likelihood'
    """

    method: str = "likelihood"
    kernel: Kernel = field(default_factory=RBF)
    points: int = 0
    starts: int = 5
    least_noise: float = 1e-4
    fit_noise: bool = True
    fit_mean: bool = True
    refit_every: int | None = None

    def __post_init__(self) -> None:
        choice(self.method, "method", "likelihood", "suggested")
        tables.to_table(KERNELS, self.kernel, "kernel")
        count(self.points, "points", minimum=0, maximum=MOST_POINTS)
        count(self.starts, "starts", maximum=_MOST_STARTS)
        non_negative(self.least_noise, "least_noise")
        if self.refit_every is not None:
            count(self.refit_every, "refit_every")
            if self.method == "suggested":
                wanted = 'method "likelihood" where refit_every is given'
                raise InputError(wanted, repr(self.method), "leave one of them out")
        for name in ("fit_noise", "fit_mean"):
            choice(getattr(self, name), name, True, False)

    def fit(
        self, start: GaussianProcess, X: Floats, y: Floats, rng: np.random.Generator | None = None
    ) -> GaussianProcess:
        """Maximum marginal likelihood, subject to noise_variance >= least_noise var(y).

        Without a generator, by one search from the data, and one from `start` if that is better.
        """
        search = partial(
            fit_hyperparameters,
            seed=0 if rng is None else rng,  # a single search draws nothing
            starts=1 if rng is None else self.starts,
            priors=None,
        )
        fixed = ("mean",) if not self.fit_mean else ()
        noise = ("noise_variance",)
        fit = search(start, X, y, fixed=fixed if self.fit_noise else (*fixed, *noise)).gp
        least = self.least_noise * float(np.var(y))
        if not self.fit_noise or fit.noise_variance >= least:
            return fit
        return search(replace(fit, noise_variance=least), X, y, fixed=(*fixed, *noise)).gp
