"""GreedyUCB: the upper confidence bound, K times, std updated in between."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from ucbpe_core.policies.base import BatchContext, Policy, before_each, pick_upper
from ucbpe_core.policies.decision import Pick


@dataclass(frozen=True)
class GreedyUCB(Policy):
    """For k = 0 .. K-1: xk = argmax over X of mean + sqrt(beta_t) std after x0 .. x(k-1).

    Mean and beta_t are those of batch start. It exploits more than GP-UCB-PE and has no regret
    bound; the paper reports that it often does well (Contal et al. 2013, section 6).

    Parameters
    ----------
    batch_size : int, K >= 1

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GreedyUCB, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GreedyUCB(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().indices
    array([17,  0, 13])
    """

    name = "GreedyUCB"
    rules = MappingProxyType({"ucb": "argmax over X of μ + √βₜ σ, σ given the picks before"})
    confined = True
    batch_size: int = 10

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        chosen = list[Pick]()
        for posterior in before_each(context.posterior, chosen, self.batch_size):
            chosen.append(pick_upper(posterior, context.beta))
        return tuple(chosen)
