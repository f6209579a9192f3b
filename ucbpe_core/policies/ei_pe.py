"""EI-PE: one expected improvement pick, then pure exploration of R+."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.policies.base import Policy, sized
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.gp_ucb_pe import RegionExploration
from ucbpe_core.policies.picking import pick_largest, then_explore
from ucbpe_core.policies.scores import Exploration, LogImprovement, log_expected_improvement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.scores import OverBox, Score
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

    def beside(self, running: Sequence[str], size: int) -> Policy:
        """The other picks while the first is running, as for `GPUCBPE`."""
        return RegionExploration(size) if "ei" in running else sized(self, size)

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        first = most_improving(context.posterior, "ei")
        return then_explore(first, context, self.batch_size)

    def score(self, role: str, batch: OverBox) -> Score:
        return LogImprovement(best_mean(batch.posterior)) if role == "ei" else Exploration()


def most_improving(posterior: Posterior, role: str, mask: Booleans | None = None) -> Pick:
    """argmax over X, or the mask, of the expected improvement E[max(f - best, 0)].

    `best` is that of `best_mean`. Ranked by the logarithm; ties go to the lowest index.
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
