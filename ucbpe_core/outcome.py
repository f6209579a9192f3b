"""What a run measured: who made each pick and when, the values, and the regrets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.assignment import Frozen
from ucbpe_core.errors import InputError
from ucbpe_core.policies.decision import Decision
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import frozen_copy, read_only
from ucbpe_core.workers import BATCHES

if TYPE_CHECKING:
    from ucbpe_core.history import History
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.problems.base import Problem
    from ucbpe_core.validation import Floats
    from ucbpe_core.workers import Timetable, Workers


class Made(NamedTuple):
    """What the caller that ran a policy already has; otherwise it is derived from the history."""

    decisions: tuple[Decision, ...]
    posterior: Posterior


@dataclass(frozen=True, eq=False)
class Outcome(Frozen):
    """What a `Trace` has of its measurements, whose docstring says what each attribute is."""

    problem: Problem
    history: History = field(repr=False)
    seed: int
    made: Made | None = field(default=None, repr=False)
    hold_data: bool = False
    workers: Workers = BATCHES

    @property
    def policy(self) -> Policy:
        """The policy, which is that of all batches."""
        return self.history.plan.policy

    @property
    def initial(self) -> int:
        """Number of observations before batch 1."""
        return sum(trial.t == 0 for trial in self.history.trials)

    @cached_property
    def y(self) -> Floats:
        """Every measurement in order, shape (initial + T K,)."""
        return read_only(np.array([trial.y for trial in self.history.data], dtype=float))

    @cached_property
    def timetable(self) -> Timetable:
        """Who made each pick, from when to when."""
        picks, K = len(self.history.trials) - self.initial, self.policy.batch_size
        return self.workers.timetable(picks, K, self.seed)

    @property
    def one_by_one(self) -> bool:
        """Whether a decision was made while earlier picks were running."""
        return any(batch.size != self.policy.batch_size for batch in self.history.batches)

    @cached_property
    def values(self) -> Floats:
        """True f where each batch was measured, shape (T, K)."""
        self.require_batches("arrange its values by batch")
        return frozen_copy(self._values)

    def require_batches(self, purpose: str) -> None:
        """Raise InputError unless all results of a batch arrived together."""
        if self.one_by_one:
            remedy = "simulate it without workers"
            raise InputError(f"a run in batches, to {purpose}", "results one by one", remedy)

    def require_measured(self, purpose: str) -> None:
        """Raise InputError unless the measurements were made at the picks."""
        if self.hold_data:
            remedy = "use the run that was measured"
            raise InputError(
                f"a run measured at its own picks, to {purpose}",
                "measurements of another run",
                remedy,
            )

    @cached_property
    def simple_regret(self) -> Floats:
        """r_t^K, of the results that arrived after decision t alone, shape (T,)."""
        return read_only(np.array([regrets.min() for regrets in self._regrets]))

    @cached_property
    def running_minimum(self) -> Floats:
        """The least r_s^K for s <= t, shape (T,)."""
        return read_only(np.minimum.accumulate(self.simple_regret))

    @property
    def batch_cumulative_regret(self) -> Floats:
        """R_T^K, shape (T,)."""
        return np.cumsum(self.simple_regret)

    @property
    def full_cumulative_regret(self) -> Floats:
        """R_TK, shape (T,)."""
        return np.cumsum(self.total_regret)

    @property
    def total_regret(self) -> Floats:
        """The sum of the regrets of the results that arrived after each decision, shape (T,)."""
        return np.array([regrets.sum() for regrets in self._regrets])

    @property
    def _values(self) -> list[Floats]:
        """True f at the results that arrived after each decision, in order."""
        measured = [trial.index for trial in self.history.measured if trial.t > 0]
        ends = np.cumsum([len(turn.results) for turn in self.timetable.turns])
        return np.split(self.problem.values[measured], ends[:-1])

    @property
    def _regrets(self) -> list[Floats]:
        """The regret of each."""
        return [self.problem.regret(values) for values in self._values]
