"""The posterior that follows from a history, with the rows of the one before where both agree."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.history.stepping import decided
from ucbpe_core.history.steps import Course
from ucbpe_core.support.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.history.history import History
    from ucbpe_core.history.plan import Plan
    from ucbpe_core.history.steps import Step, Trial
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.search.place import Place

    Progress = Callable[[int, int], None]


def prior(plan: Plan, candidates: ArrayLike) -> Posterior:
    """The prior of f or -f; 0 - mean, because -0.0 would be a different number."""
    gp = plan.gp
    signed = gp if sign_of(plan.direction) > 0 else replace(gp, mean=0.0 - gp.mean)
    return replace(plan, gp=signed).prior(candidates)


def updated(
    current: Posterior,
    before: History,
    history: History,
    place: Place,
    progress: Progress | None = None,
) -> Posterior:
    """The posterior of a history over a place, of f or -f, from that of the history `before`.

    Parameters
    ----------
    current : the posterior of `before`
    place : that of `history`, which has its own candidates where the table was changed
    progress : as in `Search.tell`
    """
    plan, data = history.plan, history.data
    kept = (before.plan.gp, before.plan.inducing, before.edits)
    if (plan.gp, plan.inducing, history.edits) != kept:
        start, same = prior(plan, place.start), 0
    else:
        start, same = current, _shared(before.data, data)
        if same < len(before.data):
            start = start.at(same)
        if plan.direction != before.plan.direction:
            start = start.signed(-1.0)
    return _told(start, data[same:], sign_of(plan.direction), place, progress)


def _told(
    posterior: Posterior,
    data: Sequence[Trial],
    sign: float,
    place: Place,
    progress: Progress | None,
) -> Posterior:
    """The posterior after more data, of f or -f."""
    for outside, group in groupby(data, lambda trial: trial.point is not None):
        part = list(group)
        y = sign * np.array([trial.y for trial in part], dtype=float)
        every = [trial.noise_variance for trial in part]
        noise = None if every.count(None) == len(every) else every
        if outside:
            X = place.coordinates(place.points(part))
            posterior = posterior.observe_points(X, y, noise)
        else:
            indices = np.array([trial.index for trial in part], dtype=np.intp)
            posterior = posterior.observe(indices, y, noise, progress)
    return posterior


def _shared(before: tuple[Trial, ...], data: tuple[Trial, ...]) -> int:
    """How many data at the beginning are the same for the posterior."""
    if data[: len(before)] == before:  # the usual case, by identity
        return len(before)
    pairs = zip(before, data, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].datum == pair[1].datum, pairs))


def decided_again(
    current: Posterior, history: History, steps: Iterable[Step], place: Place
) -> Decision:
    """The decision of the open batch, from the history in which it was asked.

    Picks, roles and standard deviations are those recorded; R and R+ follow from the posterior.
    """
    batch, picks = history.batches[-1], history.open_picks
    taken = reversed(Course(steps).done)
    asked = history.before(takewhile(lambda step: not step.batches, taken))
    earlier = [trial for trial in asked.outstanding if trial.t < batch.t]
    start = place.hallucinated(updated(current, history, asked, place), earlier)
    relevant = place.relevant(start, (batch.beta, batch.beta_next))
    points, policy = place.points(picks), asked.plan.policy
    return place.labelled(decided(batch, picks, points, relevant, policy, start))
