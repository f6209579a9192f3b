"""IRGP-UCB: GP-UCB with a random beta, which need not grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_core.policies.schedules import RandomizedBeta
from ucbpe_core.policies.simple import GreedyUCB

if TYPE_CHECKING:
    from ucbpe_core.policies.schedules import BetaSchedule


@dataclass(frozen=True)
class IRGPUCB(GreedyUCB):
    """For k = 0 .. K-1: xk = argmax over X of mean + sqrt(beta_t) std after x0 .. x(k-1), beta_t
    drawn for each batch by `RandomizedBeta`.

    For K = 1 it is the source's rule, whose expected regret over draws of the prior is O(sqrt(T
    gamma_T)), without the factor that a growing beta_t adds. For larger K it is `GreedyUCB` with
    that beta_t, a choice of this package. The schedule of the run gives the scale alone.

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Of beta_t. None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    References
    ----------
    Takeno, Inatsu and Karasuyama, ICML 2023; see `RandomizedBeta`.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import IRGPUCB
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), IRGPUCB(batch_size=1, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('ucb',)
    """

    name = "IRGP-UCB"
    seed: int | None = None

    def effective_schedule(self, schedule: BetaSchedule) -> BetaSchedule:
        """The random one, with the scale of that schedule."""
        return RandomizedBeta(schedule.scale, 0 if self.seed is None else self.seed)
