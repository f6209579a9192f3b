"""What sequential GP-UCB might do next: many simulated runs from one posterior, drawn together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import region, ties
from ucbpe_core.assignment import Frozen
from ucbpe_core.limits import checkpoint
from ucbpe_core.linalg import ROUNDING
from ucbpe_core.rows import COLUMNS
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from ucbpe_core.kernels import Kernel
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Floats, Integers


@dataclass(frozen=True, eq=False)
class Trajectories(Frozen):
    """n simulated runs of K steps each.

    Attributes
    ----------
    visits : candidate of each step, shape (n, K)
    bounds : upper bound at each visit when it was chosen, shape (n, K)
    covariance : of the latent f among the visits of each run, by the posterior that the runs
        started from, shape (n, K, K)
    """

    visits: Integers
    bounds: Floats
    covariance: Floats

    def __post_init__(self) -> None:
        for name in ("visits", "bounds", "covariance"):
            object.__setattr__(self, name, read_only(getattr(self, name)))


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
    drawn again, until none does: the visits are then those that all of X would give. Time and
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
    state, (n, K) = posterior.state, noise.shape
    # Copies of the last one fill whole groups of columns: see `COLUMNS`. They win no tie.
    indices = np.pad(indices, (0, -len(indices) % COLUMNS), mode="edge")
    X, V, gp = posterior.candidates[indices], state.rows.columns(indices, state.n), posterior.gp
    prior = gp.kernel.diagonal(X)
    noise_there, least = (
        gp.effective_noise(prior, signal=state.rows.prior_variance),
        ROUNDING * prior,
    )
    mean, variance = (np.tile(of[indices], (n, 1)) for of in (state.mean, state.raw_variance))
    np.maximum(variance, least, out=variance)
    # Runs visit the same candidates: covariances are computed once for all of them.
    covariances, slots = np.empty((0, len(indices))), np.full(len(indices), -1)
    rows, run = np.empty((n, K, len(indices))), np.arange(n)
    visits, bounds = np.empty((n, K), dtype=np.intp), np.empty((n, K))
    for k in range(K):
        checkpoint()
        upper = np.sqrt(variance)
        upper *= np.sqrt(beta)
        upper += mean
        visits[:, k] = j = (upper >= upper.max(axis=1, keepdims=True) - tie).argmax(axis=1)
        bounds[:, k] = upper[run, j]
        new = np.unique(j[slots[j] < 0])
        slots[new] = len(covariances) + np.arange(len(new))
        covariances = np.append(covariances, _covariances(gp.kernel, X, V, new), axis=0)
        earlier = rows[:, :k]
        row = covariances[slots[j]]
        row -= (earlier[run, :, j][:, None] @ earlier)[:, 0]
        row /= np.sqrt(variance[run, j] + noise_there[j])[:, None]
        rows[:, k] = row
        mean += noise[:, k : k + 1] * row
        variance -= row**2
        np.maximum(variance, least, out=variance)
    among = covariances[slots[visits][:, :, None], visits[:, None]]
    return Trajectories(indices[visits], bounds, among)


def _covariances(kernel: Kernel, X: Floats, V: Floats, new: Integers) -> Floats:
    """Posterior covariances k(X_new, X) - V_new'V of some of the points with all of them."""
    rows = kernel.evaluate(X[new], X)
    # Few are new in one step: vector products, for which V need not be rearranged, are faster.
    for row, j in zip(rows, new, strict=True):
        row -= V[:, j] @ V
    return rows
