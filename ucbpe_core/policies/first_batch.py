"""The first batch of a search whose prior is fitted: points spread over X, as no value is known."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.picking import before_each, candidates_at
from ucbpe_core.support import streams


@dataclass(frozen=True)
class FirstBatch(Policy):
    """xk: the free candidate nearest to point k of a Sobol sequence over the extents of X.

    It needs no prior. Points that are outstanding count as the first ones of the sequence, so that
    more picks continue it. A candidate is not picked twice while another is free.

    Parameters
    ----------
    batch_size : int, K >= 1

    References
    ----------
    Sobol', USSR Computational Mathematics and Mathematical Physics 7, 1967; Owen's scrambling, by
    `scipy.stats.qmc.Sobol`.

    Examples
    --------
    >>> from ucbpe_core import FiniteBeta, GaussianProcess, Posterior, RBF
    >>> from ucbpe_core.policies.first_batch import FirstBatch
    >>> posterior = Posterior.prior(GaussianProcess(RBF(1e-6)), range(100))
    >>> FirstBatch(4).decide(posterior, t=1, schedule=FiniteBeta()).indices
    array([89, 46,  2, 58])
    """

    name = "First batch"
    rules = MappingProxyType({"first": "spread over X, before any result"})
    batch_size: int = 4

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        from scipy.stats import qmc  # takes a while, and only a fitted search needs it

        start = context.posterior
        X, n = start.candidates, start.n
        extent = np.ptp(X, axis=0)
        U = (X - X.min(axis=0)) / np.where(extent > 0, extent, 1.0)
        last = n + self.batch_size
        sobol = qmc.Sobol(X.shape[1], rng=streams.first_batch())
        sequence = sobol.random_base2((last - 1).bit_length())[n:]
        used = candidates_at(start, np.ones(n, dtype=bool))
        chosen = list[Pick]()
        before = before_each(start, chosen, self.batch_size)
        for u, posterior in zip(sequence, before, strict=False):
            free = context.eligible.mask(posterior)
            free = np.ones(len(X), dtype=bool) if free is None else free
            if (free & ~used).any():
                free = free & ~used
            distance = np.where(free, ((U - u) ** 2).sum(axis=1), np.inf)
            j = int(distance.argmin())
            used[j] = True
            chosen.append(Pick(j, "first", float(posterior.std[j]), float("nan")))
        return tuple(chosen)
