"""A run step by step: the decisions and posteriors that its history records, and its digest."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.policies.decision import Decision
from ucbpe_core.posterior import passed
from ucbpe_core.region import relevant_region
from ucbpe_core.validation import frozen_copy, read_only, sign_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.policies.base import Policy
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.region import RelevantRegion
    from ucbpe_core.steps import Batch, Trial
    from ucbpe_core.trace import Trace
    from ucbpe_core.validation import Floats


def decisions(trace: Trace) -> Iterator[Decision]:
    """The decisions that the history records; no more than one posterior is kept."""
    history, sign = trace.history, sign_of(trace.problem.direction)
    since = [*(plan.since for plan in history.plans), len(history.batches)]
    for i, (first, end) in enumerate(pairwise(since)):
        after = trace.posterior if end == since[-1] else trace.posterior_of_plan(i)
        batches = history.batches[first:end]
        starts = starts_of(trace, after, first, end)
        for batch, start in zip(batches, starts, strict=True):
            picks = history.trials[batch.n : batch.n + batch.size]
            points = trace.problem.candidates[[pick.index for pick in picks]]
            start = start.signed(sign)
            relevant = relevant_region(start, batch.beta, batch.beta_next)
            yield decided(batch, picks, points, relevant, history.plans[i].policy, start)


def starts_of(trace: Trace, after: Posterior, first: int, end: int) -> Iterator[Posterior]:
    """The posterior that each decision from number `first` up to `end` was made from.

    `after` has their rows.
    """
    sizes = [trace.measured_before(t) for t in range(first + 1, end + 1)]
    for t, start in enumerate(passed(after, sizes), start=first + 1):
        running = trace.running(t)
        yield start.hallucinate(running) if running else start


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


def digest(trace: Trace) -> str:
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
    batches: Sequence[Batch | Decision] = trace.history.batches
    indices = [trial.index for trial in trace.history.data]
    if trace.one_by_one:
        indices += [n for turn in trace.timetable.turns for n in (turn.size, len(turn.results))]
        indices += [trial.place for trial in trace.history.trials if trial.t > 0]
    if trace.hold_data:
        batches = trace.decisions
        indices += [j for decision in trace.decisions for j in decision.indices]
    counts = (trace.initial, len(batches), trace.policy.batch_size)
    integers = np.array([*counts, *indices], dtype="<i8")
    betas = [batch.beta for batch in batches]
    floats = np.array([*trace.y, *betas, *_own_noise(trace)], dtype="<f8")
    return sha256(integers.tobytes() + floats.tobytes()).hexdigest()


def _own_noise(trace: Trace) -> list[float]:
    """The noise variance of each measurement, -1 for the prior's; empty if it is for all."""
    priors = {plan.gp.noise_variance for plan in trace.history.plans}
    given = [trial.noise_variance for trial in trace.history.data]
    own = [-1.0 if noise is None or {noise} == priors else noise for noise in given]
    return own if any(noise >= 0 for noise in own) else []
