"""Random search: the baseline that learns nothing."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ucbpe_core import streams
from ucbpe_core.policies.base import BatchContext, Policy, before_each
from ucbpe_core.policies.decision import Pick


@dataclass(frozen=True)
class RandomSearch(Policy):
    """K candidates drawn uniformly with replacement (Bergstra and Bengio, JMLR 2012).

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern, RandomSearch
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), RandomSearch(batch_size=3, seed=0))
    >>> bandit.ask().indices
    array([10, 18, 20])
    """

    name = "Random search"
    rules = MappingProxyType({"random": "uniform on X"})
    batch_size: int = 10
    seed: int | None = None

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        rng = streams.policy(self.seed, context.t)
        drawn = rng.integers(len(context.posterior.candidates), size=self.batch_size).tolist()
        chosen = list[Pick]()
        before = before_each(context.posterior, chosen, self.batch_size)
        for j, posterior in zip(drawn, before, strict=True):
            free = context.unknown(posterior)
            if free is not None and free.any() and not free[j]:
                j = int(rng.choice(np.flatnonzero(free)))
            chosen.append(Pick(j, "random", float(posterior.std[j]), float("nan")))
        return tuple(chosen)
