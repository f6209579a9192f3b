"""The posterior and the open decision that the entries of a journal lead to."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from ucbpe_core.policies.decision import Decision, Pick
from ucbpe_core.records.packing import score
from ucbpe_core.region import relevant_region

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
    relevant = relevant_region(start, asked.beta, asked.beta_next)
    return Decision.of(
        [Pick(one.candidate, one.role, one.std, score(one.score)) for one in asked.picks],
        start.candidates[list(asked.candidates)],
        posterior.gp,
        t=asked.t,
        n=asked.n,
        betas=(asked.beta, asked.beta_next),
        relevant=replace(relevant, y_dot=asked.y_dot),
    )


def columns(known: Known) -> tuple[list[int], list[float], list[float | None]]:
    """Candidates, values and noise variances."""
    return [one[0] for one in known], [one[1] for one in known], [one[2] for one in known]
