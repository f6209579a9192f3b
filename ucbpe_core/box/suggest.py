"""The next points of a box, given all values so far: for `minimize` and Optuna's sampler."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.box.decide import decide
from ucbpe_core.box.search import Search
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.posterior import Posterior

if TYPE_CHECKING:
    from ucbpe_core.box.exclusion import Exclusion
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.space import Space
    from ucbpe_core.validation import Floats, Repeats

# Of the variance of y, where values have no noise: it keeps a fit stable.
_NEGLIGIBLE_NOISE = 1e-6


def fitted(
    space: Space,
    X: Floats,
    y: Floats,
    seed: int,
    gp: GaussianProcess | None = None,
    *,
    exact: bool = False,
) -> GaussianProcess:
    """The prior fitted to values y (n,) at coordinates X (n, D) of the space.

    Parameters
    ----------
    gp : where the fit starts; default the prior on the scale of the data
    exact : values have no noise: its variance is then fixed at 1e-6 of that of y
    """
    gp = GaussianProcess.from_data(X, y, domain=space.domain) if gp is None else gp
    if exact:
        gp = replace(gp, noise_variance=_NEGLIGIBLE_NOISE * (float(np.var(y)) or 1.0))
    if np.ptp(y) == 0:
        return gp
    fixed = ("noise_variance",) if exact else ()
    return fit_hyperparameters(gp, X, y, seed, fixed=fixed, domain=space.domain).gp


def suggest(
    gp: GaussianProcess,
    space: Space,
    X: Floats,
    y: Floats,
    policy: Policy,
    beta: BetaSchedule,
    t: int,
    *,
    stream: tuple[int, int],
    samples: int,
    starts: int,
    failed: Floats | None = None,
    pending: Floats | None = None,
    exclusion: Exclusion | None = None,
    repeats: Repeats = "allow",
) -> Floats:
    """The points (K, D) of batch t, for f to be maximised over the space.

    Parameters
    ----------
    gp : the prior of f
    X, y : coordinates (n, D) at which f was measured, and the values (n,)
    stream : seed and key of the random numbers of the search (`streams.box_search`)
    samples, starts : of the search, as in `BoxBandit`
    failed : coordinates (m, D) that gave no value; they count as the median value, so that the
        search moves on
    pending : coordinates (p, D) that are being measured: hallucinated
    exclusion, repeats : what is not picked, as in `decide`

    Raises
    ------
    NothingLeftError
        If the search finds no point that can be picked.
    """
    posterior = Posterior.prior(gp, space.box.mean(axis=1)[None]).observe_points(X, y)
    if failed is not None:
        posterior = posterior.observe_points(failed, np.full(len(failed), np.median(y)))
    if pending is not None:
        posterior = posterior.hallucinate_points(pending)
    search = Search.covering(space, space.unit(X), samples, starts, stream)
    betas = policy.betas(posterior, t, beta, samples, np.ptp(space.box, axis=1))
    indices = range(policy.batch_size)
    return decide(policy, posterior, search, t, betas, indices, exclusion, repeats).points
