"""Batches that begin with the expected improvement: EI-PE and `Recommended`.

EI-PE goes on by pure exploration of R+. `Recommended`, the rule for results, goes on by the
expected improvement or, with noise, by upper bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.policies.base import Policy, sized
from ucbpe_core.policies.decision import BatchContext, Pick, both
from ucbpe_core.policies.gp_ucb_pe import RegionExploration
from ucbpe_core.policies.picking import (
    Bound,
    Exploration,
    LogImprovement,
    before_each,
    log_expected_improvement,
    not_awaited,
    not_measured,
    pick_largest,
    pick_upper,
    then_explore,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.picking import OverBox, Score
    from ucbpe_core.support.validation import Booleans


@dataclass(frozen=True)
class EIPE(Policy):
    """x0 = argmax over X of the expected improvement E[max(f - best, 0)]; then, for
    k = 1 .. K-1, xk = argmax over R+ of the std after hallucinating x0 .. x(k-1).

    `best` is the greatest posterior mean at a point conditioned on, candidate or not, and the prior
    mean where there is none: with noise the greatest measurement is biased upwards. An outstanding
    pick counts with its mean. R+ is fixed at batch start, with the schedule's beta. Candidates are
    ranked by the logarithm, because far from `best` the improvement underflows; the score of x0 is
    the improvement itself. Ties go to the lowest index.

    Contal et al. (2013) conjecture that expected improvement can take the place of the upper
    bound; no regret bound is known for it.

    Parameters
    ----------
    batch_size : int, K >= 1
        K = 1 is sequential expected improvement.

    References
    ----------
    Mockus, Tiesis and Zilinskas, Towards Global Optimisation 2, 1978; Jones, Schonlau and Welch,
    Journal of Global Optimization 13, 1998, eq. (15); Contal et al., ECML 2013.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import EIPE
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), EIPE(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> decision = bandit.ask()
    >>> decision.indices, decision.roles
    (array([14, 20,  0]), ('ei', 'pe', 'pe'))
    """

    name = "EI-PE"
    rules = MappingProxyType(
        {
            "ei": "argmax over X of E[max(f − μ⁺, 0)], μ⁺ the best μ at a measured point",
            "pe": "argmax over R⁺ of σ, given the picks before",
        }
    )
    uses_region = True
    batch_size: int = 10

    def with_pending(self, pending: Sequence[str], size: int) -> Policy:
        """The other picks while the first is running, as for `GPUCBPE`."""
        return RegionExploration(size) if "ei" in pending else sized(self, size)

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        first = most_improving(context.posterior, "ei")
        return then_explore(first, context, self.batch_size)

    def score(self, role: str, batch: OverBox) -> Score:
        return LogImprovement(best_mean(batch.posterior)) if role == "ei" else Exploration()


def most_improving(posterior: Posterior, role: str, mask: Booleans | None = None) -> Pick:
    """argmax over X, or the mask, of the expected improvement E[max(f - best, 0)].

    `best` comes from `best_mean`. The logarithm ranks the candidates; ties go to the lowest index.
    """
    best = best_mean(posterior)
    score = log_expected_improvement(posterior.mean, posterior.std, best)
    eligible = score if mask is None else np.where(mask, score, -np.inf)
    j = int(eligible.argmax())
    lowest = lowest_tied(posterior, posterior.mean[j], posterior.std[j], best)
    within = float(score[j]) - lowest if np.isfinite(lowest) else 0.0
    pick = pick_largest(score, posterior, role, mask, within)
    return replace(pick, score=float(np.exp(pick.score)))


def best_mean(posterior: Posterior) -> float:
    """The greatest posterior mean at a point conditioned on; the prior mean without any."""
    indices = np.array(posterior.conditioned_indices, dtype=np.intp)
    if len(indices) == 0:
        return posterior.gp.mean
    means = posterior.mean[indices[indices >= 0]]
    if (indices < 0).any():
        process = posterior.conditioned()
        means = np.append(means, process.predict(process.X[indices < 0]).mean)
    return float(means.max())


def lowest_tied(posterior: Posterior, mean: float, std: float, best: float) -> float:
    """The least score that ties with the best candidate's: with mean and std at their tolerances.

    Of log E[max(f - best, 0)] for that candidate's mean and std, each lower by as much as two of
    them may differ and still tie (`ties`).
    """
    lower = np.array([mean - posterior.tolerance])
    narrower = np.array([max(std - posterior.std_tolerance(std), 0.0)])
    return float(log_expected_improvement(lower, narrower, best)[0])


# Why it is what `minimize`, the sampler for Optuna and *Your problem* take by default, in one line.
REASON = "It came nearest to the optimum on most test problems; GP-UCB-PE has a regret bound."
# Of the upper bound mean + sqrt(BETA) std, and the share of the prior variance of f from which a
# noise variance is one. Both are from the study in docs/optimisers.md.
BETA = 4.0
LEAST_NOISE = 1e-3


@dataclass(frozen=True)
class Recommended(Policy):
    """x0 = argmax over X of E[max(f - best, 0)]; then the same or, with noise, an upper bound.

    For k = 1 .. K-1, given x0 .. x(k-1), which count as measured at their means, and s^2 the
    greatest prior variance of f:

    - noise variance < 1e-3 s^2: xk = argmax over X of E[max(f - best, 0)];
    - noise variance >= 1e-3 s^2: xk = argmax over X of mean + 2 std.

    `best` is the greatest posterior mean at a point measured, running or picked before. Without
    noise it is the rule of `KrigingBeliever` (Ginsbourger et al. 2010) with the std that every
    other policy uses, given the earlier picks; with noise it is the rule of `GreedyUCB` after the
    first pick. It does not use the schedule's beta, and no regret bound is known for it; GP-UCB-PE
    has one, and is the default wherever something is taught.

    A candidate that awaits a result (running, or picked before) is not picked while another is
    left: with noise its std stays above 0, and the best row of a table could be all K picks. On
    tables of 20 to 300 rows, drawn from the prior and measured with noise, this finds better rows.
    The best row can still be measured again in every batch; where all other picks of a batch of two
    or more have been measured before, the last one is a candidate that has not, while one is left.
    A search of a box (`BoxBandit`) follows the formulas alone.

    Both parts were chosen by runs on test functions (docs/optimisers.md). Without noise, expected
    improvement comes nearer to the minimum, to many digits where f is smooth. With noise it stays
    near the best mean, and the bounds find better points near it.

    Parameters
    ----------
    batch_size : int, K >= 1
        K = 1 is sequential expected improvement.

    References
    ----------
    Ginsbourger, Le Riche and Carraro, Kriging is well-suited to parallelize optimization, 2010: the
    definition in common use; their text was not read for this.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import Recommended
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), Recommended(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('ei', 'upper', 'upper')
    """

    name = "Recommended"
    rules = MappingProxyType(
        {
            "ei": "argmax over X of E[max(f − μ⁺, 0)], μ⁺ the best μ at a measured point",
            "believer": "argmax over X of E[max(f − μ⁺, 0)], the picks before at their means",
            "upper": "argmax over X of μ + 2 σ, σ given the picks before",
        }
    )
    batch_size: int = 10

    def with_pending(self, pending: Sequence[str], size: int) -> Policy:
        """While any pick is running, the others get the role of the later ones."""
        return _WithPending(size) if pending else sized(self, size)

    def role(self, k: int, batch: OverBox) -> str:
        return self._role(k, batch.posterior)

    def score(self, role: str, batch: OverBox) -> Score:
        if role == "upper":
            return Bound(1.0, BETA**0.5)
        best = best_mean(batch.posterior)
        if role == "believer" and len(batch.places):
            means = batch.posterior.conditioned().predict(batch.places).mean
            best = max(best, float(means.max()))
        return LogImprovement(best)

    def _role(self, k: int, posterior: Posterior) -> str:
        if k == 0:
            return "ei"
        noise = posterior.gp.noise_variance
        return "upper" if noise >= LEAST_NOISE * posterior.prior_variance else "believer"

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        chosen = list[Pick]()
        new = not_measured(context.posterior)
        before = before_each(context.posterior, chosen, self.batch_size)
        for k, posterior in enumerate(before):
            eligible = context.eligible.mask(posterior)
            masks = [both(eligible, not_awaited(posterior)), eligible]
            if 0 < k == self.batch_size - 1 and not new[[pick.index for pick in chosen]].any():
                masks.insert(0, both(masks[0], new))
            mask = next((mask for mask in masks if mask is None or mask.any()), None)
            role = self._role(k, posterior)
            if role == "upper":
                chosen.append(pick_upper(posterior, BETA, role, mask))
            else:
                chosen.append(most_improving(posterior, role, mask))
        return tuple(chosen)


class _WithPending(Recommended):
    """Picks while others are running."""

    def _role(self, k: int, posterior: Posterior) -> str:
        return super()._role(k + 1, posterior)
