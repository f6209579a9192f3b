"""Simulation matching: the batch that best represents what sequential GP-UCB would do.

Many runs of sequential GP-UCB are simulated from one posterior, all together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy

from ucbpe_core.gp import region, ties
from ucbpe_core.gp.linalg import ROUNDING
from ucbpe_core.gp.rows import COLUMNS
from ucbpe_core.gp.ties import DERIVED, TIE
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.picking import before_each, pick_upper
from ucbpe_core.support import streams
from ucbpe_core.support.limits import checkpoint
from ucbpe_core.support.validation import MOST_POINTS, count, set_checked

if TYPE_CHECKING:
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.support.validation import Booleans, Floats, Integers

# An eigenvalue below this fraction of the largest is rounding error.
_RESIDUE = 1e-12


@dataclass(frozen=True)
class SimulationMatching(Policy):
    """The K points that best match n simulated runs of K steps of sequential GP-UCB.

    1. Draw n trajectories: K times visit argmax over X of the trajectory's own mean +
       sqrt(beta_t) std, draw y there from the noisy predictive, and condition on it.
    2. Weight each visited point by the probability that it is the maximiser of f among the
       points of its own trajectory, under the joint posterior at batch start.
    3. Choose K of all visited points that make the weighted sum of squared distances from each
       visited point to its nearest chosen one small, by backward greedy deletion.

    The score of a pick is its fraction of the weight: the weight of the visited points nearest to
    it, divided by n. Picks are in order of decreasing fraction; a pick's std takes the earlier
    picks into account. If the trajectories visit fewer than K candidates, all of these are picked
    and the batch is filled as in `GreedyUCB`: argmax of mean + sqrt(beta_t) std after the earlier
    picks.

    Parameters
    ----------
    batch_size : int, K >= 1
        K = 1 is GP-UCB.
    trajectories : int, n >= 1
        The cost is proportional to n; with more, the batch depends less on the seed.
    samples : int, at least 1
        Joint draws of f at a trajectory's points that estimate its weights: each weight has a
        standard error of at most 1/2 / sqrt(samples), and a fraction one sqrt(n) times smaller.
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    Notes
    -----
    Choices that the source leaves open: n and the number of samples are parameters; beta_t stays
    constant inside a trajectory, as t counts batches; distances are Euclidean in the coordinates of
    the candidates, so rescale these if their units differ; repeated visits of one candidate are one
    point, with the sum of their weights; of points that cost the same the one of smaller weight is
    deleted first, then the one visited less often, then the one of higher index.

    References
    ----------
    Azimi, Fern and Fern, Batch Bayesian optimization via simulation matching, NIPS 2010.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import SimulationMatching
    >>> policy = SimulationMatching(batch_size=3, trajectories=10, seed=0)
    >>> decision = Bandit(range(21), GaussianProcess(Matern(4.0)), policy).ask()
    >>> len(set(decision.indices)), set(decision.roles)
    (3, {'match'})
    """

    name = "SM-UCB"
    rules = MappingProxyType(
        {
            "match": "one of the K points nearest to what simulated GP-UCB runs visit",
            "fill": "argmax over X of μ + √βₜ σ, σ given the picks before (too few points visited)",
        }
    )
    batch_size: int = 10
    trajectories: int = 20
    samples: int = 256
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        most = partial(count, maximum=MOST_POINTS)
        set_checked(self, trajectories=most, samples=most)

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        matched, fractions = self._match(context)
        chosen = list[Pick]()
        for k, posterior in enumerate(before_each(context.posterior, chosen, self.batch_size)):
            if k < len(matched):
                j = int(matched[k])
                chosen.append(Pick(j, "match", float(posterior.std[j]), float(fractions[k])))
            else:
                chosen.append(pick_upper(posterior, context.beta, "fill"))
        return tuple(chosen)

    def _match(self, context: BatchContext) -> tuple[Integers, Floats]:
        """At most K candidates by decreasing fraction, and their fractions."""
        n, K, posterior = self.trajectories, self.batch_size, context.posterior
        rng = streams.policy(self.seed, context.t)
        drawn = draw_trajectories(posterior, context.beta, rng.standard_normal((n, K)))
        probabilities = maximiser_probabilities(
            posterior.mean[drawn.visits],
            drawn.covariance,
            rng.standard_normal((n, K, self.samples)),
        )
        visited, which, visits = np.unique(drawn.visits, return_inverse=True, return_counts=True)
        weights = np.bincount(which.ravel(), probabilities.ravel()) / n
        # The matching prefers points that come first: here the most visited, then the lowest.
        order = np.argsort(-visits, kind="stable")
        chosen, fractions = backward_greedy(
            posterior.candidates[visited[order]], weights[order], self.batch_size
        )
        return visited[order][chosen], fractions


def maximiser_probabilities(mean: Floats, covariance: Floats, normals: Floats) -> Floats:
    """P(f_k is the largest of f_1 .. f_K) under N(mean, covariance), by Monte Carlo.

    For n distributions at once: mean (n, K), covariance (n, K, K), whose lower triangle is
    read, and S standard normal draws for each, (n, K, S). Returns shape (n, K), rows of sum 1.
    """
    n, K, samples = normals.shape
    # Repeated visits make the covariance singular and a Cholesky factor fail. The symmetric root
    # always exists and is unique, so rounding cannot flip the signs of the draws.
    values, vectors = np.linalg.eigh(covariance)
    # The root of the rounding error of an eigenvalue 0 would be 1e-8 and differ between machines.
    values[values < _RESIDUE * values[:, -1:]] = 0.0
    root = (vectors * np.sqrt(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
    f = mean[:, :, None] + root @ normals
    tie = DERIVED * np.sqrt(np.einsum("nkk->nk", covariance).max(axis=1))[:, None, None]
    largest = (f >= f.max(axis=1, keepdims=True) - tie).argmax(axis=1)
    flat = (largest + K * np.arange(n)[:, None]).ravel()
    return np.bincount(flat, minlength=n * K).reshape(n, K) / samples


def backward_greedy(X: Floats, weights: Floats, size: int) -> tuple[Integers, Floats]:
    """`size` of the m points X (m, d), chosen to make the sum over i of
    weights_i min over chosen j of |x_i - x_j|^2 small.

    Start with all points; delete the point that raises the sum least, until `size` are left.
    If losses are equal, delete the point of smaller weight, then the later one in X.

    Returns
    -------
    chosen : positions in X, by decreasing fraction; shape (min(size, m),)
    fractions : weight of all points nearest to each of them, same shape

    References
    ----------
    Azimi, Fern and Fern, NIPS 2010, the greedy weighted k-medoid algorithm.
    """
    # A power of two, so that nothing is rounded: squares of the distances must not overflow.
    X = np.ldexp(X, -np.frexp(np.abs(X).max(initial=1.0))[1])
    order = np.argsort(-weights, kind="stable")
    # A chosen point of weight 0 represents nothing: all of these are deleted first.
    weighty = order[: max(size, np.count_nonzero(weights))]
    kept = weighty[_survivors(_squares(X[weighty], X[weighty]), weights[weighty], size)]
    apart = _squares(X, X[kept])
    tie = TIE * apart.max(initial=0.0)
    nearest = (apart <= apart.min(axis=1, keepdims=True) + tie).argmax(axis=1)
    fractions = np.zeros(len(kept))
    np.add.at(fractions, nearest, weights)
    ranked = np.argsort(-fractions.round(12), kind="stable")
    return kept[ranked], fractions[ranked]


def _survivors(apart: Floats, weights: Floats, size: int) -> Integers:
    """Positions left by the deletions, ascending; `apart` (m, m) are squared distances.

    Of equal losses the last is deleted.
    """
    tie = TIE * float(apart.max(initial=0.0) * weights.sum())
    kept = np.arange(len(apart))
    while len(kept) > size:
        checkpoint()
        there = apart[:, kept]
        nearest = there.argmin(axis=1)
        least, second = np.partition(there, 1, axis=1)[:, :2].T
        # Points nearest to a deleted one would have their second nearest instead.
        loss = np.bincount(nearest, weights * (second - least), minlength=len(kept))
        kept = np.delete(kept, np.flatnonzero(loss <= loss.min() + tie)[-1])
    return kept


def _squares(X: Floats, Z: Floats) -> Floats:
    """Squared distances |x - z|^2 of points (m, d) and (k, d), shape (m, k)."""
    return scipy.spatial.distance.cdist(X, Z, "sqeuclidean")


class Trajectories(NamedTuple):
    """n simulated runs of K steps each.

    Attributes
    ----------
    visits : candidate of each step, shape (n, K)
    bounds : upper bound at each visit when it was chosen, shape (n, K)
    covariance : of the latent f among the visits of each run, by the posterior that the runs
        started from, shape (n, K, K); only the lower triangles are set
    """

    visits: Integers
    bounds: Floats
    covariance: Floats


def draw_trajectories(posterior: Posterior, beta: float, noise: Floats) -> Trajectories:
    """n runs of K steps: visit argmax over X of the run's own mean + sqrt(beta) std, see
    y = mean + sqrt(std^2 + noise_variance) e there, condition the run on it.

    Parameters
    ----------
    posterior : the posterior that all runs start from
    beta : the same at every step
    noise : the standard normal numbers e, shape (n, K)

    Notes
    -----
    Runs are restricted to a short list of candidates. With v(x) the entries that k steps added to
    column x of V, a run's upper bound is mean + e'v + sqrt(beta) sqrt(std^2 - |v|^2), mean and std
    those of the start; by the Cauchy-Schwarz inequality it is at most mean + sqrt(beta + |e|^2)
    std. A candidate for which that reaches the bound of some visit joins the list and the runs are
    drawn again, until none does: the visits are then the same as with all of X. Time and
    memory grow with n K times the length of the list.
    """
    upper = region.upper(posterior, beta)
    tie = ties.of_bound(posterior, beta)
    listed = np.zeros(len(upper), dtype=bool)
    # As many as can be visited at all; the start does not matter for the result.
    listed[np.argsort(-upper, kind="stable")[: noise.size]] = True
    while True:
        drawn = _draw_on(posterior, np.flatnonzero(listed), beta, noise, tie)
        missed = _within_reach(posterior, beta, noise, drawn.bounds - tie) & ~listed
        if not missed.any():
            return drawn
        listed |= missed


def _within_reach(posterior: Posterior, beta: float, noise: Floats, bounds: Floats) -> Booleans:
    """Candidates that mean + sqrt(beta + |e|^2) std puts at or above one of `bounds` (n, K)."""
    before = np.cumsum(noise**2, axis=1) - noise**2
    slopes, heights = np.sqrt(beta + np.maximum(before, 0.0)).ravel(), bounds.ravel()
    order = np.lexsort((heights, -slopes))
    slopes, heights = slopes[order], heights[order]
    # A steeper line with a lower height to reach makes all later ones redundant.
    lowest = np.minimum.accumulate(heights)
    telling = np.append(True, heights[1:] < lowest[:-1])
    reached = np.zeros(len(posterior.mean), dtype=bool)
    for slope, height in zip(slopes[telling], heights[telling], strict=True):
        reached |= posterior.mean + slope * posterior.std >= height
    return reached


def _draw_on(
    posterior: Posterior, indices: Integers, beta: float, noise: Floats, tie: float
) -> Trajectories:
    """The runs with choices among the candidates `indices` (m,) only."""
    # Copies of the last one fill whole groups of columns: see `COLUMNS`. They win no tie.
    indices = np.pad(indices, (0, -len(indices) % COLUMNS), mode="edge")
    part, (n, K) = posterior.restricted(indices), noise.shape
    prior = part.gp.kernel.diagonal(part.candidates)
    added, least = part.gp.effective_noise(prior, signal=posterior.prior_variance), ROUNDING * prior
    mean, variance = np.tile(part.mean, (n, 1)), np.tile(part.raw_variance, (n, 1))
    visits, bounds, among = np.zeros((n, K), dtype=np.intp), np.empty((n, K)), np.empty((n, K, K))
    rows, run = np.empty((n, K, len(indices))), np.arange(n)
    for k in range(K):
        checkpoint()
        np.maximum(variance, least, out=variance)
        upper = mean + np.sqrt(beta) * np.sqrt(variance)
        visits[:, k] = j = (upper >= upper.max(axis=1, keepdims=True) - tie).argmax(axis=1)
        bounds[:, k] = upper[run, j]
        visited, which = np.unique(j, return_inverse=True)
        row = part.covariance(visited)[which]
        among[:, k] = row[run[:, None], visits]
        row -= (rows[run, :k, j][:, None] @ rows[:, :k])[:, 0]
        row /= np.sqrt(variance[run, j] + added[j])[:, None]
        rows[:, k] = row
        mean += noise[:, k : k + 1] * row
        variance -= row**2
    return Trajectories(indices[visits], bounds, among)
