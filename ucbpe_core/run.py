"""A run as a value: the history of a search on a known problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.outcome import Outcome
from ucbpe_core.policies.decision import Decision
from ucbpe_core.posterior import Posterior, passed
from ucbpe_core.region import relevant_region
from ucbpe_core.validation import frozen_copy, read_only, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.region import RelevantRegion
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.steps import Batch, Trial
    from ucbpe_core.validation import Floats


@dataclass(frozen=True, eq=False)
class Run(Outcome):
    """What a `Trace` has, whose docstring says what each attribute is; without files and tables."""

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The T decisions."""
        return tuple(self._decided()) if self.made is None else self.made.decisions

    @cached_property
    def posterior(self) -> Posterior:
        """After the last batch."""
        if self.made is None:
            return self._under(len(self.history.plans) - 1)
        return self.made.posterior

    @property
    def gp(self) -> GaussianProcess:
        """The prior of batch 1."""
        return self.history.plans[0].gp

    @property
    def beta(self) -> BetaSchedule:
        """The schedule of beta_t, which is that of all batches."""
        return self.history.plan.beta

    @property
    def refits(self) -> tuple[tuple[int, GaussianProcess], ...]:
        """(t, prior) for each time that the prior was fitted again."""
        return tuple((plan.since + 1, plan.gp) for plan in self.history.plans[1:])

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
        of the observations. If decisions were made while earlier picks were running, the number of
        picks of each and of its results, shape (2 T,), and the place of each pick among the
        measurements, shape (T K,), follow instead.
        """
        batches: Sequence[Batch | Decision] = self.history.batches
        indices = [trial.index for trial in self.history.data]
        if self.one_by_one:
            indices += [n for turn in self.timetable.turns for n in (turn.size, len(turn.results))]
            indices += [trial.place for trial in self.history.trials if trial.t > 0]
        if self.hold_data:
            batches = self.decisions
            indices += [j for decision in self.decisions for j in decision.indices]
        counts = (self.initial, len(batches), self.policy.batch_size)
        integers = np.array([*counts, *indices], dtype="<i8")
        betas = [batch.beta for batch in batches]
        floats = np.array([*self.y, *betas, *self._own_noise()], dtype="<f8")
        return sha256(integers.tobytes() + floats.tobytes()).hexdigest()

    def _own_noise(self) -> list[float]:
        """The noise variance of each measurement, -1 for the prior's; empty if it is for all."""
        priors = {plan.gp.noise_variance for plan in self.history.plans}
        given = [trial.noise_variance for trial in self.history.data]
        own = [-1.0 if noise is None or {noise} == priors else noise for noise in given]
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
        plans = self.history.plans
        earlier = [(plan.since + 1, self._under(i)) for i, plan in enumerate(plans[:-1])]
        return (*earlier, (plans[-1].since + 1, self.posterior))

    def _under(self, i: int) -> Posterior:
        """The posterior under the prior of plan i, after all batches that this prior chose."""
        history = self.history
        ends = [history.batches[plan.since].n for plan in history.plans[1:]]
        start = history.plans[i].prior(self.problem.candidates)
        return observed(start, history.data[: [*ends, len(history.data)][i]])

    def _decided(self) -> Iterator[Decision]:
        """The decisions that the history records; no more than one posterior is kept."""
        history, sign = self.history, sign_of(self.problem.direction)
        since = [*(plan.since for plan in history.plans), len(history.batches)]
        for i, (first, end) in enumerate(pairwise(since)):
            after = self.posterior if end == since[-1] else self._under(i)
            batches = history.batches[first:end]
            starts = self._starts(after, first, end)
            for batch, start in zip(batches, starts, strict=True):
                picks = history.trials[batch.n : batch.n + batch.size]
                points = self.problem.candidates[[pick.index for pick in picks]]
                start = start.signed(sign)
                relevant = relevant_region(start, batch.beta, batch.beta_next)
                yield decided(batch, picks, points, relevant, history.plans[i].policy, start)

    def measured_before(self, t: int) -> int:
        """Measurements told before decision t, initial ones included; for t = T + 1, all."""
        turns = self.timetable.turns
        if t > len(turns):
            return len(self.history.data)
        # Of another run's measurements some can be void.
        return self.decisions[t - 1].n if self.hold_data else self.initial + turns[t - 1].told

    @property
    def by_rows(self) -> bool:
        """Whether decision t was made from the first `n` rows of the posterior, which are in time.

        Not where earlier picks were running, measurements are another run's, or the posterior has
        no rows of points.
        """
        others = self.one_by_one or self.hold_data
        return not others and self.history.plan.inducing is None

    def before(self, t: int, k: int = 0) -> Posterior:
        """The posterior before pick k of decision t, the picks before it hallucinated.

        Those of earlier decisions that are running are, too; t = T + 1 is after the run.
        """
        batches = self.history.batches
        if t > len(batches):
            return self._start(t)
        if self.by_rows:
            return self.posterior_of(t).at(batches[t - 1].n + k)
        ahead = [] if self.hold_data else self._running(t)
        ahead += self.decisions[t - 1].indices[:k].tolist() if k else []
        start = self._start(t)
        return start.hallucinate(ahead) if ahead else start

    def _start(self, t: int) -> Posterior:
        """The posterior that decision t was made from, without picks that were running."""
        return self.posterior_of(t).at(self.measured_before(t))

    def starts(self) -> Iterator[Posterior]:
        """The posterior that each decision was made from, and the last one, T + 1 in all.

        In one pass over the rows. Running picks are hallucinated.
        """
        self.require_steppable("follow its posterior")
        T = len(self.history.batches)
        yield from self._starts(self.posterior, 0, T)
        yield self.before(T + 1)

    def _starts(self, after: Posterior, first: int, end: int) -> Iterator[Posterior]:
        """Those of decisions number `first` to `end` - 1, with the rows of `after`."""
        sizes = [self.measured_before(t) for t in range(first + 1, end + 1)]
        for t, start in enumerate(passed(after, sizes), start=first + 1):
            running = self._running(t)
            yield start.hallucinate(running) if running else start

    def _running(self, t: int) -> list[int]:
        """The candidates of the picks that were running at decision t."""
        picks, turn = self.history.trials[self.initial :], self.timetable.turns[t - 1]
        return [picks[i].index for i in turn.running]

    def require_steppable(self, purpose: str) -> None:
        """Raise InputError unless all batches have one prior, as stepping back requires."""
        if self.refits:
            times = f"one fitted again before batches {[t for t, _ in self.refits]}"
            remedy = "simulate it without refit_every"
            raise InputError(f"a run with one prior, to {purpose}", times, remedy)


def observed(posterior: Posterior, data: Sequence[Trial]) -> Posterior:
    """The posterior after more measurements of candidates, each with its own noise variance."""
    return posterior.observe(
        np.array([trial.index for trial in data], dtype=np.intp),
        np.array([trial.y for trial in data], dtype=float),
        [trial.noise_variance for trial in data],
    )


def decided(
    batch: Batch,
    picks: Sequence[Trial],
    points: Floats,
    relevant: RelevantRegion,
    policy: Policy,
    start: Posterior,
) -> Decision:
    """The decision that a history records, of a batch and its picks at points (K, d).

    Masks are not recorded: `relevant` has R and R+, and the policy makes those of its own again
    from `start`, the posterior of what it maximised at batch start.
    """
    indices, roles = [pick.index for pick in picks], tuple(pick.role for pick in picks)
    return Decision(
        t=batch.t,
        indices=frozen_copy(indices, np.intp),
        points=frozen_copy(points),
        roles=roles,
        stds=read_only(np.array([pick.std for pick in picks], dtype=float)),
        scores=read_only(np.array([pick.score for pick in picks], dtype=float)),
        beta=batch.beta,
        beta_next=batch.beta_next,
        y_dot=batch.y_dot,
        region=relevant.region,
        region_plus=relevant.region_plus,
        n=batch.n,
        known=frozen_copy([pick.known for pick in picks], np.bool_),
        exhausted=batch.exhausted,
        explored=(
            policy.explored(start, batch.t, batch.beta, indices, roles)
            if len(relevant.region)
            else ()
        ),
    )
