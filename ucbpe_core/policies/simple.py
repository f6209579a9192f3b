"""Policies of a line or two: the upper confidence bound, exploration, and random picks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp import region, ties
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.picking import (
    Bound,
    Exploration,
    before_each,
    explore,
    pick_largest,
    pick_upper,
    without_pending,
)
from ucbpe_core.policies.schedules import RandomizedBeta
from ucbpe_core.support import streams

if TYPE_CHECKING:
    from ucbpe_core.policies.picking import OverBox, Score
    from ucbpe_core.policies.schedules import BetaSchedule


@dataclass(frozen=True)
class GPUCB(Policy):
    """x_t = argmax over X of mean + sqrt(beta_t) std, one point at a time (K = 1).

    References
    ----------
    Srinivas, Krause, Kakade and Seeger, ICML 2010, Algorithm 1.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import GPUCB
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCB())
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().indices
    array([17])
    """

    name = "GP-UCB"
    rules = MappingProxyType({"ucb": "argmax over X of μ + √βₜ σ"})
    batch_size: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.batch_size != 1:
            raise InputError(
                "batch_size 1", str(self.batch_size), "use GreedyUCB or GPUCBPE for batches"
            )

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        return (pick_upper(context.posterior, context.beta),)

    def score(self, role: str, batch: OverBox) -> Score:
        return Bound(1.0, math.sqrt(batch.beta))


@dataclass(frozen=True)
class GreedyUCB(Policy):
    """For k = 0 .. K-1: xk = argmax over X of mean + sqrt(beta_t) std after x0 .. x(k-1).

    Mean and beta_t stay as at the start of the batch. It exploits more than GP-UCB-PE, without a
    regret bound; the paper reports that it often does well (Contal et al. 2013, section 6).

    Parameters
    ----------
    batch_size : int, K >= 1

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import GreedyUCB
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GreedyUCB(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().indices
    array([17,  0, 13])
    """

    name = "GreedyUCB"
    rules = MappingProxyType({"ucb": "argmax over X of μ + √βₜ σ, σ given the picks before"})
    batch_size: int = 10

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        chosen = list[Pick]()
        for posterior in before_each(context.posterior, chosen, self.batch_size):
            chosen.append(pick_upper(posterior, context.beta))
        return tuple(chosen)

    def score(self, role: str, batch: OverBox) -> Score:
        return Bound(1.0, math.sqrt(batch.beta))


@dataclass(frozen=True)
class PlainUCB(Policy):
    """For k = 0 .. K-1: argmax over X of mean + sqrt(beta_t) std, given the measurements alone.

    Nothing is hallucinated, so a batch is K times the same point: what GP-UCB-PE and the other
    rules avoid. Where results come one by one, each pick follows a new result, which moves it.
    Riegler et al. (2026) find that this suffices there, from experiments and from a regret bound
    that is essentially the one of sequential Thompson sampling, and that rules that avoid running
    picks can explore too much (only their abstract was read). The std of a pick is the one after
    the earlier picks, as in every decision; its score is the bound.

    Parameters
    ----------
    batch_size : int, K >= 1

    References
    ----------
    Riegler, Odgers and Fortuin, Standard acquisition is sufficient for asynchronous Bayesian
    optimization, arXiv:2603.13501, 2026.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import PlainUCB
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), PlainUCB(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().indices
    array([17, 17, 17])
    """

    name = "Plain UCB"
    rules = MappingProxyType({"plain ucb": "argmax over X of μ + √βₜ σ, given what is measured"})
    batch_size: int = 10

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        measured, chosen = without_pending(context.posterior), list[Pick]()
        bound = ties.of_bound(measured, context.beta)
        score = region.upper(measured, context.beta)
        for posterior in before_each(context.posterior, chosen, self.batch_size):
            mask = context.eligible.mask(posterior)
            chosen.append(pick_largest(score, posterior, "plain ucb", mask, bound))
        return tuple(chosen)


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
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import PureExploration
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

    def score(self, role: str, batch: OverBox) -> Score:
        return Exploration()


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
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import RandomSearch
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), RandomSearch(batch_size=3, seed=0))
    >>> bandit.ask().indices
    array([10, 18, 20])
    """

    name = "Random search"
    rules = MappingProxyType({"random": "uniform on X"})
    evenly = True
    batch_size: int = 10
    seed: int | None = None

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        rng = streams.policy(self.seed, context.t)
        drawn = rng.integers(len(context.posterior.candidates), size=self.batch_size).tolist()
        chosen = list[Pick]()
        before = before_each(context.posterior, chosen, self.batch_size)
        for j, posterior in zip(drawn, before, strict=True):
            free = context.eligible.mask(posterior)
            if free is not None and free.any() and not free[j]:
                j = int(rng.choice(np.flatnonzero(free)))
            chosen.append(Pick(j, "random", float(posterior.std[j]), float("nan")))
        return tuple(chosen)


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
