"""PIMS: the probability of improvement over the maximum of a draw from the posterior."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.gp.ties import DERIVED
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.local_penalization import LEAST_STD
from ucbpe_core.policies.picking import before_each, pick_largest
from ucbpe_core.policies.thompson_sampling import joint_draws, possible_maximisers
from ucbpe_core.support import streams

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats


@dataclass(frozen=True)
class PIMS(Policy):
    """For k = 0 .. K-1: xk = argmax over X of P(f(x) > g*), g* the maximum over X of a function
    drawn from the posterior at batch start.

    As P = Phi((mean - g*) / std), the pick is where g* is the fewest standard deviations away. It
    is an upper confidence bound whose width follows from the data: with sqrt(beta) the least such
    distance, argmax of mean + sqrt(beta) std. Unlike Thompson sampling, it uses only the
    maximum of the draw. For K > 1 each pick has its own draw and the std is that given the picks
    before, a choice of this package; the source has K = 1.

    Candidates are ranked by (mean - g*) / std, as probabilities underflow; a std below 3e-7 of the
    prior's counts as that. The score is the probability. Draws are as in `ThompsonSampling`.

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    References
    ----------
    Takeno, Inatsu, Karasuyama and Takeuchi, Posterior sampling-based Bayesian optimization with
    tighter Bayesian regret bounds, ICML 2024, of which the abstract and introduction could be read.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import PIMS
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), PIMS(batch_size=2, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('pims', 'pims')
    """

    name = "PIMS"
    rules = MappingProxyType(
        {"pims": "argmax over X of P(f > max fᵏ), fᵏ a draw from the posterior"}
    )
    batch_size: int = 10
    seed: int | None = None

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start, chosen = context.posterior, list[Pick]()
        least = LEAST_STD * float(np.sqrt(start.prior_variance))
        heights = self.heights(context)
        for height, posterior in zip(
            heights, before_each(start, chosen, self.batch_size), strict=True
        ):
            std = np.maximum(posterior.std, least)
            distance = (posterior.mean - height) / std
            best = float(distance.max())
            # A mean and a std lower by their tolerances move a distance by this.
            moved = posterior.tolerance + abs(best) * posterior.std_tolerance()
            tolerance = DERIVED * abs(best) + moved / float(std[distance.argmax()])
            mask = context.eligible.mask(posterior)
            pick = pick_largest(distance, posterior, "pims", mask, tolerance)
            chance = float(scipy.special.ndtr(pick.score))
            chosen.append(Pick(pick.index, pick.role, pick.std, chance))
        return tuple(chosen)

    def heights(self, context: BatchContext) -> Floats:
        """g* of each pick of the batch, shape (K,)."""
        start = context.posterior
        rng = streams.policy(self.seed, context.t)
        drawn = joint_draws(start, possible_maximisers(start), self.batch_size, rng)
        return drawn.max(axis=1)
