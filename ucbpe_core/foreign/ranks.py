"""What each rule says of a choice that somebody else made, and what kind of choice it was."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from ucbpe_core.gp import ties
from ucbpe_core.gp.region import relevant_region, upper
from ucbpe_core.policies.expected_improvement import BETA, LEAST_NOISE, best_mean
from ucbpe_core.policies.picking import log_expected_improvement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.region import RelevantRegion
    from ucbpe_core.support.validation import Booleans, Floats

Kind = Literal["failed", "no model", "repeated", "exploited", "explored", "neither"]
Rule = Literal["std", "exploration", "improvement", "recommended", "upper", "mean"]
KINDS: tuple[Kind, ...] = ("explored", "exploited", "repeated", "neither", "no model", "failed")

PLACES = 100  # a rank is one of so many
# Shares of the places, and of the prior std, by which choices are named.
EXPLOITED, EXPLORED, REPEATED = 10, 33, 0.15
_LOG_TIE = 1e-6  # of log expected improvements


class Score(NamedTuple):
    """What a rule maximises at all candidates (M,), and within what two of them tie."""

    values: Floats
    tied: float

    def rank(self, own: int, places: int) -> int:
        """Of candidate `own` among the first `places`, of 100."""
        values, mine = self.values[:places], self.values[own]
        better = values > mine + self.tied if np.isfinite(mine) else np.isfinite(values)
        return 1 + min(floor(PLACES * float(better.mean())), PLACES - 1)


class Scored(NamedTuple):
    """The scores by rule, R and R+, and the posterior once the largest upper bound is taken."""

    by: Mapping[Rule, Score]
    relevant: RelevantRegion
    after: Posterior

    def picks(self, places: int, free: Booleans | None) -> dict[Rule, int]:
        """By rule, which of the places is best; `Recommended` takes none that is running."""
        every = np.arange(len(self.after.std)) < places
        left = every if free is None or not (every & free).any() else every & free
        masks = {"recommended": left}
        return {
            rule: ties.first_best(score.values, score.tied, masks.get(rule, every))
            for rule, score in self.by.items()
        }


def scored(posterior: Posterior, beta: float) -> Scored:
    """What the rules maximise given a posterior, of which the last points are those running.

    The std; the std in R+ once the largest upper bound is taken, by which GP-UCB-PE goes on; the
    log expected improvement; what `Recommended` maximises, which while points are running, and with
    noise, is mean + 2 std; the upper bound mean + sqrt(beta) std; and the mean.
    """
    mean, std = posterior.mean, posterior.std
    relevant = relevant_region(posterior, beta, beta)
    bound = Score(upper(posterior, beta), ties.of_bound(posterior, beta))
    after = posterior.hallucinate([ties.first_best(*bound)])
    best = best_mean(posterior)
    improvement = Score(log_expected_improvement(mean, std, best), _LOG_TIE)
    noisy = posterior.gp.noise_variance >= LEAST_NOISE * posterior.prior_variance
    by_bound = noisy and bool(np.isnan(posterior.y).any())
    own = Score(upper(posterior, BETA), ties.of_bound(posterior, BETA)) if by_bound else improvement
    inside = np.where(relevant.region_plus, after.std, -np.inf)
    by: dict[Rule, Score] = {
        "std": Score(std, posterior.std_tolerance()),
        "exploration": Score(inside, after.std_tolerance()),
        "improvement": improvement,
        "recommended": own,
        "upper": bound,
        "mean": Score(mean, posterior.tolerance),
    }
    return Scored(by, relevant, after)


def kind_of(ranks: Mapping[Rule, int], std: float) -> Kind:
    """What a choice did, from its ranks and its std as a share of the prior's."""
    if std < REPEATED:
        return "repeated"
    if ranks["mean"] <= EXPLOITED:
        return "exploited"
    return "explored" if ranks["std"] <= EXPLORED else "neither"
