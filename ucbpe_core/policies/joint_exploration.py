"""Exploration of R+ by the determinant of the whole batch: its greatest value, or a draw by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import streams
from ucbpe_core.limits import checkpoint
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.picking import explore, pick_largest, pick_upper, picked
from ucbpe_core.validation import MOST_POINTS, count, set_checked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Integers


@dataclass(frozen=True)
class JointExploration(Policy):
    """x0 = argmax over X of mean + sqrt(beta_t) std; then the K-1 points S of R+ with a large
    log det(I + Sigma_S / noise_variance), Sigma the posterior covariance after hallucinating x0.

    This is twice the information that the batch gives about f (Contal et al. 2013, eq. 8), of
    which GP-UCB-PE takes the greedy maximiser. From that one, each pick in turn is exchanged for
    argmax over R+ of the std given all others, until no exchange gains more than a tie: the
    determinant is the product of the squares of that std, plus noise variance, and of what the
    others give alone. The result is never below greedy, and no single exchange improves it; a
    better set may exist. The score of a pick is its std given all others.

    Parameters
    ----------
    batch_size : int, K >= 1
    sweeps : int
        The maximum number of rounds of exchanges.

    References
    ----------
    Contal, Buffoni, Robicquet and Vayatis, ECML 2013, section 3.2. Exchanges: Fedorov, Theory of
    optimal experiments, 1972. Vizier has the determinant as an option, by a search over sets.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import JointExploration
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), JointExploration(batch_size=4))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('ucb', 'joint', 'joint', 'joint')
    """

    name = "Joint PE"
    rules = MappingProxyType(
        {
            "ucb": "argmax over X of μ + √βₜ σ",
            "joint": "argmax over R⁺ of σ, given all other picks, until no exchange improves",
        }
    )
    uses_region = True
    batch_size: int = 10
    sweeps: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, sweeps=partial(count, maximum=MOST_POINTS))

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        first = pick_upper(context.posterior, context.beta)
        after = context.posterior.hallucinate([first.index])
        greedy = explore(after, context.region_plus, self.batch_size - 1)
        chosen = exchanged(after, [pick.index for pick in greedy], context.region_plus, self.sweeps)
        scores = [float(_without(after, chosen, k).std[j]) for k, j in enumerate(chosen)]
        return (first, *picked(after, chosen, "joint", scores))


@dataclass(frozen=True)
class DPPSample(Policy):
    """x0 = argmax over X of mean + sqrt(beta_t) std; then the K-1 points S of R+ are drawn with
    a probability proportional to det(I + Sigma_S / noise_variance): a determinantal point process
    of K-1 points, Sigma the posterior covariance after hallucinating x0.

    The likeliest set is the batch of `JointExploration`, and the greedy one that of GP-UCB-PE: the
    source's DPP-MAX. It is drawn by a chain that starts there: a random pick is exchanged for a
    random candidate of R+ with probability min(1, ratio of the determinants). No point is drawn
    twice while R+ has others. Picks have no score.

    Parameters
    ----------
    batch_size : int, K >= 1
    steps : int
        Of the chain: a multiple of K - 1 large enough to forget the start.
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    Notes
    -----
    Read in the source: abstract, introduction, and that DPP-MAX is UCB-PE. Its kernel could not be
    read: here it is the one whose determinants are the information that GP-UCB-PE maximises, and
    without noise Sigma itself. The chain and its 1,000 steps are choices of this package; where
    noise is 0, sets that hold a known point have probability 0.

    References
    ----------
    Kathuria, Deshpande and Kohli, Batched Gaussian process bandit optimization via determinantal
    point processes, NIPS 2016.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import DPPSample
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), DPPSample(batch_size=4, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('ucb', 'dpp', 'dpp', 'dpp')
    """

    name = "DPP-SAMPLE"
    rules = MappingProxyType(
        {
            "ucb": "argmax over X of μ + √βₜ σ",
            "dpp": "one of K − 1 points of R⁺ drawn with probability ∝ det(I + Σ / σₙ²)",
        }
    )
    uses_region = True
    batch_size: int = 10
    steps: int = 1000
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, steps=partial(count, minimum=0, maximum=MOST_POINTS))

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        first = pick_upper(context.posterior, context.beta)
        after, K = context.posterior.hallucinate([first.index]), self.batch_size
        inside, rng = np.flatnonzero(context.region_plus), streams.policy(self.seed, context.t)
        start = [pick.index for pick in explore(after, context.region_plus, K - 1)]
        start = list(dict.fromkeys(start))
        others = np.setdiff1d(inside, start)
        start += rng.permutation(others)[: K - 1 - len(start)].tolist()
        chosen = drawn(after, start, inside, self.steps, rng)
        if len(chosen) < K - 1:  # R+ has fewer points: again from the first
            chosen = np.resize(chosen, K - 1).tolist()
        return (first, *picked(after, chosen, "dpp", [np.nan] * len(chosen)))


def exchanged(
    posterior: Posterior, chosen: Sequence[int], mask: Booleans, sweeps: int
) -> list[int]:
    """The set after each point in turn is replaced by the argmax over the mask of the std given
    all others, until a sweep of all of them changes none.
    """
    chosen = list(chosen)
    for _ in range(sweeps):
        before = list(chosen)
        for k, j in enumerate(before):
            checkpoint()
            now = _without(posterior, chosen, k)
            best = pick_largest(now.std, now, "joint", mask, now.std_tolerance)
            gain = now.std[best.index] - now.std[j]
            if gain > now.std_tolerance(float(now.std[best.index])):
                chosen[k] = best.index
        if chosen == before:
            break
    return chosen


def _without(posterior: Posterior, chosen: Sequence[int], k: int) -> Posterior:
    """The posterior after all of `chosen` but number k."""
    others = [*chosen[:k], *chosen[k + 1 :]]
    return posterior.hallucinate(others) if others else posterior


def drawn(
    posterior: Posterior,
    start: Sequence[int],
    inside: Integers,
    steps: int,
    rng: np.random.Generator,
) -> list[int]:
    """The set after `steps` steps of a chain over sets of distinct candidates `inside`.

    Its law tends to the one proportional to det(noise_variance I + Sigma_S), as each step proposes
    an exchange and its reverse with the same probability.
    """
    chosen = list(start)
    if not chosen or len(inside) <= len(chosen):
        return chosen
    volume = _log_det(posterior, chosen)
    for _ in range(steps):
        k, j = int(rng.integers(len(chosen))), int(inside[rng.integers(len(inside))])
        chance = rng.random()
        if j in chosen:
            continue
        proposed = [*chosen[:k], j, *chosen[k + 1 :]]
        changed = _log_det(posterior, proposed)
        if chance < np.exp(min(changed - volume, 0.0)):
            chosen, volume = proposed, changed
    return chosen


def _log_det(posterior: Posterior, indices: Sequence[int]) -> float:
    """log det(noise_variance I + Sigma) of these candidates; -inf if it is 0 but for rounding."""
    at = np.asarray(indices, dtype=np.intp)
    V = posterior.state.rows.columns(at, posterior.n)
    Sigma = posterior.gp.kernel.gram(posterior.candidates[at]) - V.T @ V
    Sigma[np.diag_indices_from(Sigma)] += posterior.gp.noise_variance
    sign, value = np.linalg.slogdet(Sigma)
    return float(value) if sign > 0 else -np.inf
