"""Pure exploration: the most uncertain points, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ucbpe_core.policies.base import BatchContext, Policy, explore
from ucbpe_core.policies.decision import Pick


@dataclass(frozen=True)
class PureExploration(Policy):
    """For k = 0 .. K-1: xk = argmax over X of the std after x0 .. x(k-1).

    Greedy maximisation of the information gain, within a factor 1 - 1/e of the best set of K
    points (Krause and Guestrin, UAI 2005). It does not use the values.

    Parameters
    ----------
    batch_size : int, K >= 1

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern, PureExploration
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), PureExploration(batch_size=3))
    >>> bandit.tell([10], [0.7])
    >>> bandit.ask().indices
    array([ 0, 20,  5])
    """

    name = "Pure exploration"
    rules = MappingProxyType({"pe": "argmax over X of σ, given the picks before"})
    batch_size: int = 10

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        everywhere = np.ones(len(context.posterior.candidates), dtype=bool)
        return explore(context.posterior, everywhere, self.batch_size)
