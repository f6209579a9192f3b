"""The posterior and the open decision that the entries of a journal lead to."""

from __future__ import annotations

from itertools import takewhile
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.policies.decision import Decision
from ucbpe_core.region import relevant_region
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from ucbpe_core.experiment.state import Known, Opening
    from ucbpe_core.posterior import Posterior


def condition(posterior: Posterior, before: Known, known: Known) -> Posterior:
    """The posterior given `known`, from that given `before`: rows that both need are shared."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, known)))  # noqa: B905
    return posterior.at(same).observe(*columns(known[same:]))


def decision(opening: Opening, posterior: Posterior) -> Decision:
    """The open batch as it was decided, from the posterior given what was known then.

    Picks, roles and standard deviations are those recorded; R and R+ follow from the posterior.
    """
    asked, start = opening.asked, posterior.hallucinate(list(opening.outstanding))
    maximised = start if opening.plan.direction == "maximize" else start.negated()
    relevant = relevant_region(maximised, asked.beta, asked.beta_next)
    chosen = frozen_copy(asked.candidates, np.intp)
    points, stds = start.candidates[chosen], frozen_copy([pick.std for pick in asked.picks])
    return Decision(
        t=asked.t,
        indices=chosen,
        points=frozen_copy(points),
        roles=tuple(pick.role for pick in asked.picks),
        stds=stds,
        scores=frozen_copy([nan if one.score is None else one.score for one in asked.picks]),
        beta=asked.beta,
        beta_next=asked.beta_next,
        y_dot=asked.y_dot,
        region=relevant.region,
        region_plus=relevant.region_plus,
        n=asked.n,
        known=posterior.gp.knows(points, stds),
    )


def columns(known: Known) -> tuple[list[int], list[float], list[float | None]]:
    """Candidates, values and noise variances."""
    return [one[0] for one in known], [one[1] for one in known], [one[2] for one in known]
