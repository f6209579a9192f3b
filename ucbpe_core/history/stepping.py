"""What a history records of batches and measurements, as decisions and a posterior."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.policies.decision import Decision
from ucbpe_core.support.validation import frozen_copy, read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.region import RelevantRegion
    from ucbpe_core.history.steps import Batch, Trial
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.support.validation import Floats


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
