"""Local penalization: the upper confidence bound, reduced around the earlier picks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.gp import region, ties
from ucbpe_core.gp.linalg import solve_lower
from ucbpe_core.gp.ties import DERIVED
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.picking import (
    Bound,
    LogPenalised,
    before_each,
    log_softplus,
    pick_largest,
    pick_upper,
)

if TYPE_CHECKING:
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.policies.picking import OverBox, Score
    from ucbpe_core.support.validation import Booleans, Floats

# A std below this fraction of the prior's is rounding error (1e-13 of a variance). This
# keeps the penalty of a known point finite in logarithms, and so still in order.
LEAST_STD = 3e-7


@dataclass(frozen=True)
class LocalPenalization(Policy):
    """x0 = argmax over X of mean + sqrt(beta_t) std; then, for k = 1 .. K-1,
    xk = argmax over X of softplus(u) phi(.; x0) .. phi(.; x(k-1)), u the upper bound in prior
    standard deviations from the prior mean.

    phi(x; xj) = erfc(-z) / 2, z = (L |x - xj| - top + mean(xj)) / sqrt(2 variance(xj)), is the
    probability that x is outside the ball around xj in which f, which changes by at most L per unit
    of distance, cannot reach its maximum, estimated as `top`. Mean, std, beta_t, L and top do not
    change within a batch. Candidates are ranked by the logarithm, as products of penalties
    underflow; the score of a pick after the first is the penalised bound itself.

    It does not use the std after the earlier picks, so it costs one batch of
    GP-UCB, and the gradient of the mean at each candidate once: O(n M d). It has no regret bound.

    Parameters
    ----------
    batch_size : int, K >= 1
        K = 1 is GP-UCB.

    Notes
    -----
    Choices that the source leaves open: the maximum of the mean over X estimates the maximum of f
    (the source also allows the best measurement, which noise biases upwards). L is the largest norm
    of the gradient of the mean over the M candidates instead of a continuous domain, and at least
    one prior standard deviation across the diagonal of the candidates' bounding box: otherwise a
    flat mean would penalise nothing. The source makes an acquisition positive by softplus, log(1 +
    exp(u)), which depends on the unit of u: prior standard deviations make the batch the same
    whatever the unit and the origin of y. Distances are Euclidean in the coordinates of the
    candidates. In a continuous domain no batch repeats a point, as the penalty has a kink there and
    the bound has none; so here none does while there are other points, and then other candidates.

    References
    ----------
    Gonzalez, Dai, Hennig and Lawrence, AISTATS 2016, section 2 and Algorithm 1.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import LocalPenalization
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), LocalPenalization(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> decision = bandit.ask()
    >>> decision.indices, decision.roles
    (array([17,  0, 20]), ('ucb', 'lp', 'lp'))
    """

    name = "Local penalization"
    rules = MappingProxyType(
        {
            "ucb": "argmax over X of μ + √βₜ σ",
            "lp": "argmax over X of softplus((μ − m + √βₜ σ) / s) ∏ φ(x; xʲ), j < k; "
            "m, s the mean and std of the prior",
        }
    )
    repeats = False
    batch_size: int = 10

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start = context.posterior
        chosen = [pick_upper(start, context.beta)]
        if self.batch_size == 1:
            return tuple(chosen)
        unit, slope, top = prior_std(start), lipschitz_constant(start), float(start.mean.max())
        upper = region.upper(start, context.beta)
        log_value = log_softplus((upper - start.gp.mean) / unit)
        # log softplus(u) moves by at most as much as u.
        tolerance = ties.of_bound(start, context.beta) / unit
        apart, free = np.ones((2, len(upper)), dtype=bool)
        for posterior in before_each(start, chosen, self.batch_size):
            j = chosen[-1].index
            distance = np.linalg.norm(start.candidates - start.candidates[j], axis=1)
            std = max(float(start.std[j]), LEAST_STD * unit)
            log_value = log_value + scipy.special.log_ndtr(
                (slope * distance - top + start.mean[j]) / std
            )
            apart &= distance > 0
            free[j] = False
            pick = _pick(log_value, posterior, tolerance, apart if apart.any() else free)
            chosen.append(replace(pick, score=float(np.exp(pick.score))))
        return tuple(chosen)

    def score(self, role: str, batch: OverBox) -> Score:
        start, root = batch.posterior, math.sqrt(batch.beta)
        if role == "ucb":
            return Bound(1.0, root)
        unit, slope = prior_std(batch.sampled), lipschitz_constant(batch.sampled)
        there = start.conditioned().predict(batch.places)
        stds = np.maximum(there.std, LEAST_STD * unit)
        at = batch.places, there.mean, stds
        return LogPenalised(root, start.gp.mean, unit, slope, batch.top, *at)


def _pick(log_value: Floats, posterior: Posterior, tolerance: float, mask: Booleans) -> Pick:
    """The largest; sums of log phi, down to -1e13, have an error relative to their size."""
    largest = float(log_value[mask].max())
    return pick_largest(log_value, posterior, "lp", mask, tolerance + DERIVED * abs(largest))


def prior_std(posterior: Posterior) -> float:
    """Root mean square prior standard deviation over the candidates, in units of y."""
    return float(np.sqrt(posterior.gp.kernel.diagonal(posterior.candidates).mean()))


def lipschitz_constant(posterior: Posterior) -> float:
    """L: the greatest gradient norm of the mean over the candidates, in units of y over x.

    At least one prior standard deviation over the diagonal of the candidates' bounding box, where
    this has a length.
    """
    steepest = float(np.linalg.norm(mean_gradient(posterior), axis=1).max())
    diagonal = float(np.linalg.norm(np.ptp(posterior.candidates, axis=0)))
    return max(steepest, prior_std(posterior) / diagonal) if diagonal else steepest


def mean_gradient(posterior: Posterior) -> Floats:
    """Gradient of the posterior mean at each candidate, shape (M, d).

    The mean is m + sum over i of a_i k(x_i, .) with a = C^-1 (y - m) = L^-T w.
    """
    process, X = posterior.conditioned(), posterior.candidates
    a = solve_lower(process.L, process.w, transposed=True)
    weights = np.broadcast_to(a[:, None], (len(a), len(X)))
    return process.gp.kernel.weighted_gradient(process.X, X, weights)
