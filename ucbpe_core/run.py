"""A run as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import regret
from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import InputError
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import frozen_copy, read_only

if TYPE_CHECKING:
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Iteration(Frozen):
    """Batch t of a run.

    Attributes
    ----------
    decision : the picks, and what explains them
    y : measured there (unless `Trace.hold_data`), shape (K,)
    values : true f where they were measured, shape (K,)

    Examples
    --------
    >>> from ucbpe_core import GPUCBPE, problems, simulate
    >>> trace = simulate(problems.multimodal(), GPUCBPE(3), batches=2, initial=4)
    >>> trace.iterations[0].decision.roles, trace.iterations[0].y.shape
    (('ucb', 'pe', 'pe'), (3,))
    """

    decision: Decision
    y: Floats
    values: Floats


@dataclass(frozen=True, eq=False)
class Run(Frozen):
    """What a `Trace` has, whose docstring says what each attribute is; without files and tables."""

    problem: Problem
    gp: GaussianProcess
    policy: Policy
    schedule: BetaSchedule
    seed: int
    initial: int
    y: Floats = field(repr=False)
    iterations: tuple[Iteration, ...] = field(repr=False)
    posterior: Posterior = field(repr=False)
    refits: tuple[tuple[int, GaussianProcess], ...] = ()
    hold_data: bool = False

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was chosen and measured, 64 hexadecimal digits.

        Two runs have the same digest only if every pick, every measurement and every beta_t are the
        same to the last bit, initial observations included; the settings do not enter. Hashed in
        this order, little-endian: the counts (initial, T, K), the candidate index of each
        observation (-1 for a point outside the set), shape (initial + T K,), as 64-bit integers;
        `y`, shape (initial + T K,), and beta_t, shape (T,), as 64-bit floats. If any measurement
        has a noise variance of its own, not equal to that of every prior, one for each follows,
        shape (initial + T K,), as 64-bit floats: -1 where that of the prior holds. If the
        measurements are those of another run, the indices of the picks, shape (T K,), follow those
        of the observations.
        """
        counts = (self.initial, len(self.iterations), self.policy.batch_size)
        indices = [*self.posterior.conditioned_indices]
        if self.hold_data:
            indices += [j for iteration in self.iterations for j in iteration.decision.indices]
        integers = np.array([*counts, *indices], dtype="<i8")
        betas = [iteration.decision.beta for iteration in self.iterations]
        floats = np.array([*self.y, *betas, *self._own_noise()], dtype="<f8")
        return sha256(integers.tobytes() + floats.tobytes()).hexdigest()

    def _own_noise(self) -> list[float]:
        """The noise variance of each measurement, -1 for the prior's; empty if it is for all."""
        priors = {gp.noise_variance for gp in (self.gp, *(gp for _, gp in self.refits))}
        fixed = self.posterior.known_noise
        own = [-1.0 if noise is None or {noise} == priors else noise for noise in fixed]
        return own if any(noise >= 0 for noise in own) else []

    def posterior_of(self, t: int) -> Posterior:
        """The posterior under the prior of batch t, after all batches that this prior chose.

        `posterior_of(t).at(decision.n)` is the posterior that batch t was chosen from, to rounding
        if the prior was fitted again; without refits `posterior_of(t)` is `posterior` itself.
        """
        return next(after for first, after in reversed(self._posteriors) if first <= t)

    @cached_property
    def _posteriors(self) -> tuple[tuple[int, Posterior], ...]:
        """For each prior, the batch from which it holds, and the posterior after its last one."""
        priors = ((1, self.gp), *self.refits)
        posterior, indices = self.posterior, self.posterior.conditioned_indices
        earlier = []
        for (first, gp), (end, _) in pairwise(priors):
            n = self.iterations[end - 1].decision.n
            start = Posterior.prior(gp, posterior.candidates)
            noise = self.posterior.known_noise[:n]
            earlier.append((first, start.observe(indices[:n], self.y[:n], noise)))
        return (*earlier, (priors[-1][0], posterior))

    def require_steppable(self, purpose: str) -> None:
        """Raise InputError unless all batches have one prior, as stepping back requires."""
        if self.refits:
            times = f"one fitted again before batches {[t for t, _ in self.refits]}"
            remedy = "simulate it without refit_every"
            raise InputError(f"a run with one prior, to {purpose}", times, remedy)

    def require_measured(self, purpose: str) -> None:
        """Raise InputError unless the measurements were made at the picks."""
        if self.hold_data:
            remedy = "use the run that was measured"
            raise InputError(
                f"a run measured at its own picks, to {purpose}",
                "measurements of another run",
                remedy,
            )

    @property
    def values(self) -> Floats:
        """True f where each batch was measured, shape (T, K)."""
        return frozen_copy(np.stack([iteration.values for iteration in self.iterations]))

    @cached_property
    def simple_regret(self) -> Floats:
        """r_t^K, shape (T,)."""
        return read_only(regret.simple(-self._regrets, 0.0))

    @cached_property
    def running_minimum(self) -> Floats:
        """The least r_s^K for s <= t, shape (T,)."""
        return read_only(regret.running_minimum(-self._regrets, 0.0))

    @property
    def batch_cumulative_regret(self) -> Floats:
        """R_T^K, shape (T,)."""
        return regret.batch_cumulative(-self._regrets, 0.0)

    @property
    def full_cumulative_regret(self) -> Floats:
        """R_TK, shape (T,)."""
        return regret.full_cumulative(-self._regrets, 0.0)

    @property
    def _regrets(self) -> Floats:
        """r_t^(k), shape (T, K)."""
        return self.problem.regret(self.values)
