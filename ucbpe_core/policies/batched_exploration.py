"""Batches of exploration alone.

Batched pure exploration: phases of growing length, and elimination between them. And the first
batch of a search whose prior is fitted: points spread over X, as no value is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache, partial
from math import ceil, isqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp import region, ties
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Explored, Pick
from ucbpe_core.policies.picking import before_each, candidates_at, explore, picked
from ucbpe_core.support import streams
from ucbpe_core.support.validation import MOST_POINTS, count, read_only, set_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Booleans, Floats


@dataclass(frozen=True)
class BatchedPureExploration(Policy):
    """In phase i, N_i times xk = argmax over M_i of the std given the phase's own points alone;
    then M_(i+1) = {x in M_i : mean + sqrt(beta) std >= max over M_i of mean - sqrt(beta) std}.

    M_1 = X, N_0 = 1 and N_i = ceil(sqrt(T N_(i-1))), until T points are used. The std does not
    depend on the values, so a phase consists of batches of K, with the same picks as one batch of
    N_i. Here N_i is rounded up to a multiple of K, as K is the same in every batch. After the last
    phase the policy continues in the same way.

    It is the region R without R+ and without an upper confidence bound: mean and std at the end of
    a phase use only the phase's own points, which were chosen without their values. Therefore its
    regret is O*(sqrt(T gamma_T)) with O(log log T) phases.

    The mask M_i is `Decision.explored`; it has no level (-inf), because other posteriors ruled the
    candidates out. R and R+ come from all data, and the policy does not use them.

    Parameters
    ----------
    batch_size : int, K >= 1
    horizon : int, T >= 1
        Total number of points, not counting the initial ones.

    Notes
    -----
    Read in the source: the abstract, and public code of the algorithm for N_i and M_i. The
    source's beta, for a bounded norm in the kernel's space, could not be read: the schedule of
    the run is used, at the number of the phase in place of t, for all eliminations up to that
    phase. As a schedule does not fall, M_i is at least what each phase's own beta would keep.
    Points measured before the first batch count to the first phase. Which points belong to which
    phase follows from their order and K; where picks are withdrawn or fail, earlier points move
    into a phase. Ma, Chen and Scarlett (arXiv:2603.12627) prove that the number of phases is the
    right one to a factor 1 + o(1), with other lengths, which could not be read.

    References
    ----------
    Li and Scarlett, Gaussian process bandit optimization with few batches, AISTATS 2022.

    Examples
    --------
    >>> from ucbpe_core.policies import BatchedPureExploration
    >>> BatchedPureExploration(batch_size=10, horizon=1000).phases  # 32, 179, 424, 365 points
    (4, 18, 43, 37)
    """

    name = "Batched pure exploration"
    rules = MappingProxyType(
        {"phase pe": "argmax over Mᵢ of σ, given the phase's own points alone"}
    )
    whole = True  # a phase is made of batches
    batch_size: int = 10
    horizon: int = field(
        default=1000, metadata={"label": "points in all, T", "bounds": (1, MOST_POINTS)}
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, horizon=partial(count, maximum=MOST_POINTS))

    @property
    def phases(self) -> tuple[int, ...]:
        """How many batches each phase has."""
        length, used, found = 1, 0, list[int]()
        while used < self.horizon:
            square = self.horizon * length
            root = isqrt(square)
            length = min(root + (root * root < square), self.horizon - used)
            used += length
            found.append(ceil(length / self.batch_size))
        return tuple(found)

    def starts(self, t: int) -> tuple[int, ...]:
        """The first batch of each phase up to that of batch t."""
        firsts = (1 + np.cumsum((0, *self.phases[:-1]))).tolist()
        return tuple(first for first in firsts if first <= t)

    def betas(
        self,
        posterior: Posterior,
        t: int,
        schedule: BetaSchedule,
        size: int | None = None,
        sides: Floats | None = None,
    ) -> tuple[float, float]:
        """beta of the phases of batch t and of batch t + 1."""
        first = super().betas(posterior, len(self.starts(t)), schedule, size, sides)
        after = super().betas(posterior, len(self.starts(t + 1)), schedule, size, sides)
        return first[0], after[0]

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        mask, phase = _left(self, context.posterior, context.t, context.beta)
        found = explore(phase, mask, self.batch_size, role="phase pe")
        indices, scores = [pick.index for pick in found], [pick.score for pick in found]
        return picked(context.posterior, indices, "phase pe", scores)

    def explored(
        self,
        posterior: Posterior,
        t: int,
        beta: float,
        indices: Sequence[int],
        roles: Sequence[str],
    ) -> tuple[Explored | None, ...]:
        mask, _ = _left(self, posterior, t, beta)
        return (Explored(-np.inf, 0.0, np.inf, mask),) * len(indices)


# A decision calls this twice: for its picks and for the candidates they were chosen from.
@lru_cache(maxsize=1)
def _left(
    policy: BatchedPureExploration, posterior: Posterior, t: int, beta: float
) -> tuple[Booleans, Posterior]:
    """The candidates left in the phase of batch t, and the posterior given its own points."""
    starts = policy.starts(t)
    before = [max(posterior.n - policy.batch_size * (t - first), 0) for first in starts]
    ends = [0, *before[1:], posterior.n]
    mask = np.ones(len(posterior.candidates), dtype=bool)
    for i in range(len(starts) - 1):
        own = posterior.given(ends[i], ends[i + 1])
        level = float(region.lower(own, beta)[mask].max())
        mask &= region.upper(own, beta) >= level - 2 * ties.of_bound(own, beta)
    return read_only(mask), posterior.given(ends[-2], ends[-1])


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
    >>> from ucbpe_core.policies.batched_exploration import FirstBatch
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
