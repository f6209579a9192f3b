"""What happened: a run as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import regret
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.confidence import BetaSchedule
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.base import Decision, Policy
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Iteration:
    """Batch t: the decision, what was measured (K,) and the true values there (K,)."""

    decision: Decision
    y: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class Trace:
    """A finished run of `policy` on `problem`.

    Attributes
    ----------
    problem, gp, policy, schedule, seed : what was run; `gp` is the prior of the policy's belief
    initial : number of observations before batch 1
    y : every measurement in order, shape (initial + T K,)
    iterations : the T batches
    posterior : the belief after the last batch; `posterior.at(n)` is that after n observations
    """

    problem: Problem
    gp: GaussianProcess
    policy: Policy
    schedule: BetaSchedule
    seed: int
    initial: int
    y: Floats = field(repr=False)
    iterations: tuple[Iteration, ...] = field(repr=False)
    posterior: Posterior = field(repr=False)

    @property
    def values(self) -> Floats:
        """True values at the picks, shape (T, K)."""
        return frozen_copy(np.stack([iteration.values for iteration in self.iterations]))

    @property
    def simple_regret(self) -> Floats:
        """r_t^K, shape (T,)."""
        return regret.simple(self.values, self.problem.optimum)

    @property
    def running_minimum(self) -> Floats:
        """The least r_s^K for s <= t, shape (T,)."""
        return regret.running_minimum(self.values, self.problem.optimum)

    @property
    def batch_cumulative_regret(self) -> Floats:
        """R_T^K, shape (T,)."""
        return regret.batch_cumulative(self.values, self.problem.optimum)

    @property
    def full_cumulative_regret(self) -> Floats:
        """R_TK, shape (T,)."""
        return regret.full_cumulative(self.values, self.problem.optimum)
