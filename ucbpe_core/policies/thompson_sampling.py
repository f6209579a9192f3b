"""Policies that draw a function from the posterior: Thompson sampling and PIMS.

Each pick of Thompson sampling is the best point of a draw; PIMS takes the probability of
improvement over the maximum of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import scipy

from ucbpe_core.gp.linalg import solve_lower
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.gp.ties import DERIVED, first_best
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.local_penalization import LEAST_STD
from ucbpe_core.policies.picking import before_each, pick_largest
from ucbpe_core.support import streams
from ucbpe_core.support.limits import checkpoint

if TYPE_CHECKING:
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.support.validation import Floats, Integers


# Probability, per draw, that its maximiser lies where no draw is made.
_MISSED = 1e-9
# Below this share of the prior variance, the rest of a candidate's variance is drawn independently:
# a std of 1e-4 of the prior's, and no covariance is off by more than this share.
_TOLERANCE = 1e-8
# A remaining variance below this share of that is rounding error.
_RESIDUE = 1e-4
# Rows made at once, so that the work is matrix products, and among how many candidates their
# pivots are chosen: of 1, 2 and 4 blocks, 2 took the least time on grids of 2,500 and 10,201.
_BLOCK, _POOL = 128, 256


@dataclass(frozen=True)
class ThompsonSampling(Policy):
    """For k = 0 .. K-1, independently: draw f from the joint posterior; xk = argmax over X of f.

    A candidate is picked with the probability that it is the maximiser. The score of a pick is its
    draw's maximum. No pick depends on another; the std of a pick takes the earlier ones into
    account, as in every decision.

    Draws are exact up to two stated errors. They are made over the candidates that can be the
    maximiser, those whose band mean ± c std reaches the greatest lower bound: the others maximise f
    with a total probability below 1e-9. And covariances are accurate to 1e-8 of the largest prior
    variance, the variances themselves to rounding: the posterior covariance is factored by Cholesky
    rows, largest remaining variances first, until none is above that share, and the remainder is
    drawn independently.

    With m candidates left after n points and r rows, a batch costs O(r (r + n) m) time and at most
    (r + n) (m - r) numbers of memory. A smooth kernel needs few rows, whatever m: about 180 for an
    RBF on a square five lengthscales wide. A rough one on a fine grid needs r = m, the m^3 / 3
    operations of a full Cholesky factor in a quarter of its memory. Matérn 3/2 takes about half a
    second for m = 2,500 and ten for m = 10,000 on one core; m shrinks as data accumulate.

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    References
    ----------
    Thompson, Biometrika 25, 1933; for batches Kandasamy, Krishnamurthy, Schneider and Poczos,
    AISTATS 2018. Rows by largest pivot: Harbrecht, Peters and Schneider, Applied Numerical
    Mathematics 62, 2012.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import ThompsonSampling
    >>> policy = ThompsonSampling(batch_size=3, seed=0)
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), policy)
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('ts', 'ts', 'ts')
    """

    name = "Thompson sampling"
    rules = MappingProxyType({"ts": "argmax over X of fᵏ, a draw from the posterior"})
    batch_size: int = 10
    seed: int | None = None

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start = context.posterior
        indices, draws = self.draws(start, context.t)
        chosen = list[Pick]()
        before = before_each(start, chosen, self.batch_size)
        tolerance = max(start.tolerance, DERIVED * float(np.sqrt(start.state.rows.prior_variance)))
        for draw, posterior in zip(draws, before, strict=True):
            free = context.eligible.mask(posterior)
            best = first_best(draw, tolerance, None if free is None else free[indices])
            j = int(indices[best])
            chosen.append(Pick(j, "ts", float(posterior.std[j]), float(draw[best])))
        return tuple(chosen)

    def draws(self, posterior: Posterior, t: int) -> tuple[Integers, Floats]:
        """The functions that the picks of batch t are the best points of, given this posterior.

        Returns the candidates at which they are drawn, shape (m,), and their values, shape (K, m).
        """
        indices, rng = possible_maximisers(posterior), streams.policy(self.seed, t)
        return indices, joint_draws(posterior, indices, self.batch_size, rng)


def possible_maximisers(posterior: Posterior) -> Integers:
    """Candidates that include a maximiser of f with probability at least 1 - 1e-9, ascending.

    With c such that M two-sided tails beyond c standard deviations add up to 1e-9, f is inside mean
    ± c std everywhere except with that probability; then its maximiser is in the relevant region R
    of beta = c^2.
    """
    c = scipy.special.ndtri(_MISSED / (2 * len(posterior.candidates)))
    return np.flatnonzero(relevant_region(posterior, c**2, c**2).region)


def joint_draws(
    posterior: Posterior, indices: Integers, draws: int, rng: np.random.Generator
) -> Floats:
    """Independent draws of f at the candidates `indices` (m,), shape (draws, m).

    Covariances are accurate to 1e-8 of the largest prior variance, variances to rounding.
    """
    kernel, X = posterior.gp.kernel, posterior.candidates[indices]
    floor = _TOLERANCE * float(kernel.diagonal(X).max())
    # The posterior covariance is k(X, X) - V'V. Rows of its factor continue those of V, and a
    # column is dropped once its candidate is a pivot: every later row is 0 there.
    rows = posterior.state.rows.columns(indices, posterior.n)
    variance, live = np.maximum(posterior.state.raw_variance[indices], 0.0), np.arange(len(X))
    f = np.tile(posterior.mean[indices], (draws, 1))
    while len(live):
        checkpoint()
        pool = _pool(variance)
        inside = kernel.gram(X[live[pool]]) - rows[:, pool].T @ rows[:, pool]
        inside[np.diag_indices_from(inside)] = variance[pool]
        order, L = _pivoted_cholesky(inside, floor)
        if not len(order):
            break  # no variance is above the floor
        pivots = pool[order]
        new = kernel.evaluate(X[live[pivots]], X[live]) - rows[:, pivots].T @ rows
        new = solve_lower(L, new)
        f[:, live] += rng.standard_normal((draws, len(pivots))) @ new
        variance = np.maximum(variance - np.einsum("bm,bm->m", new, new), 0.0)
        kept = np.delete(np.arange(len(live)), pivots)
        rows = np.concatenate([rows[:, kept], new[:, kept]])
        variance, live = variance[kept], live[kept]
    # Rounding error is not drawn: equal candidates stay equal.
    variance[variance < _RESIDUE * floor] = 0.0
    f[:, live] += np.sqrt(variance) * rng.standard_normal((draws, len(live)))
    return f


def _pool(variance: Floats) -> Integers:
    """Where pivots are sought: the largest variance, and others in proportion to theirs.

    Neighbours have about equal variances, and one row removes that of all of them: the largest few
    alone would lie close together.
    """
    if len(variance) <= _POOL:
        return np.arange(len(variance))
    steps = (np.arange(_POOL) + 0.5) / _POOL
    cumulative = np.cumsum(variance)
    # A step that equals a partial sum stays below it, despite rounding of both.
    sought = np.searchsorted(cumulative, (1 - DERIVED) * steps * cumulative[-1])
    return np.unique(np.append(sought, first_best(variance, DERIVED * variance.max())))


def _pivoted_cholesky(matrix: Floats, floor: float) -> tuple[Integers, Floats]:
    """At most `_BLOCK` pivots by largest diagonal, while one is above `floor`; their factor L.

    With P the pivots (r,), L (r, r) is lower triangular and L L' = matrix[P, P]. LAPACK's dpstrf
    takes the largest diagonal too, and leaves it to rounding which of equal ones comes first.
    """
    diagonal, tie = np.diag(matrix).copy(), DERIVED * floor / _TOLERANCE
    rows, order = np.empty((min(_BLOCK, len(matrix)), len(matrix))), list[int]()
    for r, row in enumerate(rows):
        if diagonal.max() <= floor:
            break
        j = first_best(diagonal, tie)
        row[:] = (matrix[j] - rows[:r, j] @ rows[:r]) / np.sqrt(diagonal[j])
        diagonal -= row**2
        diagonal[j] = -np.inf
        order.append(j)
    return np.array(order, dtype=np.intp), rows[: len(order), order].T


@dataclass(frozen=True)
class PIMS(Policy):
    """For k = 0 .. K-1: xk = argmax over X of P(f(x) > g*), g* the maximum over X of a function
    drawn from the posterior at batch start.

    As P = Phi((mean - g*) / std), the pick is where g* is the fewest standard deviations away. It
    is an upper confidence bound whose width follows from the data: with sqrt(beta) the least such
    distance, argmax of mean + sqrt(beta) std. Unlike Thompson sampling, it uses only the
    maximum of the draw. For K > 1 each pick has its own draw and the std is that given the picks
    before, a choice of this package; the source has K = 1.

    Candidates are ranked by (mean - g*) / std, as probabilities underflow; a std below 3e-7 of the
    prior's counts as that. The score is the probability. Draws are as in `ThompsonSampling`.

    Parameters
    ----------
    batch_size : int, K >= 1
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    References
    ----------
    Takeno, Inatsu, Karasuyama and Takeuchi, Posterior sampling-based Bayesian optimization with
    tighter Bayesian regret bounds, ICML 2024, of which the abstract and introduction could be read.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import PIMS
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), PIMS(batch_size=2, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('pims', 'pims')
    """

    name = "PIMS"
    rules = MappingProxyType(
        {"pims": "argmax over X of P(f > max fᵏ), fᵏ a draw from the posterior"}
    )
    batch_size: int = 10
    seed: int | None = None

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start, chosen = context.posterior, list[Pick]()
        least = LEAST_STD * float(np.sqrt(start.prior_variance))
        heights = self.heights(context)
        for height, posterior in zip(
            heights, before_each(start, chosen, self.batch_size), strict=True
        ):
            std = np.maximum(posterior.std, least)
            distance = (posterior.mean - height) / std
            best = float(distance.max())
            # A mean and a std lower by their tolerances move a distance by this.
            moved = posterior.tolerance + abs(best) * posterior.std_tolerance()
            tolerance = DERIVED * abs(best) + moved / float(std[distance.argmax()])
            mask = context.eligible.mask(posterior)
            pick = pick_largest(distance, posterior, "pims", mask, tolerance)
            chance = float(scipy.special.ndtr(pick.score))
            chosen.append(Pick(pick.index, pick.role, pick.std, chance))
        return tuple(chosen)

    def heights(self, context: BatchContext) -> Floats:
        """g* of each pick of the batch, shape (K,)."""
        start = context.posterior
        rng = streams.policy(self.seed, context.t)
        drawn = joint_draws(start, possible_maximisers(start), self.batch_size, rng)
        return drawn.max(axis=1)
