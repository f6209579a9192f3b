"""Batches by the value of the whole batch, estimated from fixed samples: qUCB and qEI."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.gp.linalg import solve_lower
from ucbpe_core.gp.ties import DERIVED
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.decision import BatchContext, Pick
from ucbpe_core.policies.expected_improvement import best_mean
from ucbpe_core.policies.picking import before_each, pick_largest
from ucbpe_core.support import streams
from ucbpe_core.support.validation import MOST_POINTS, count, set_checked

if TYPE_CHECKING:
    from ucbpe_core.support.validation import Floats


@dataclass(frozen=True)
class _MonteCarlo(Policy):
    """For k = 0 .. K-1: xk = argmax over X of the estimated value of the set x0 .. x(k-1), x."""

    batch_size: int = 10
    samples: int = 128
    seed: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, samples=partial(count, minimum=2, maximum=MOST_POINTS))

    def picks(self, context: BatchContext) -> tuple[Pick, ...]:
        start, chosen = context.posterior, list[Pick]()
        (role,) = self.rules
        z = streams.policy(self.seed, context.t).standard_normal((self.samples, self.batch_size))
        z -= z.mean(axis=0)  # the samples have the mean of the posterior
        for k, posterior in enumerate(before_each(start, chosen, self.batch_size)):
            values = self.values(context, [pick.index for pick in chosen], z[:, : k + 1])
            tolerance = DERIVED * float(np.sqrt(start.prior_variance))
            mask = context.eligible.mask(posterior)
            chosen.append(pick_largest(values, posterior, role, mask, tolerance))
        return tuple(chosen)

    def values(self, context: BatchContext, chosen: list[int], z: Floats) -> Floats:
        """The value of `chosen` with each candidate in turn after them, shape (M,).

        f of the set is mean + L z for each sample z (S, k + 1), L the lower Cholesky factor of its
        posterior covariance, whose rows for the points chosen are the same for all candidates.
        """
        start, k = context.posterior, len(chosen)
        cross = start.covariance(chosen) if k else np.empty((0, len(start.mean)))
        # Picks can be equal, and covariances are differences of numbers as large as the prior
        # variance: what is added makes a factor certain.
        raised = cross[:, chosen] + 1e-12 * start.prior_variance * np.eye(k)
        L = np.asarray(np.linalg.cholesky(raised), dtype=np.float64)
        rows = solve_lower(L, cross) if k else cross
        variance = np.maximum(start.raw_variance - (rows**2).sum(axis=0), 0.0)
        before = z[:, :k] @ L.T  # f of the points chosen, less their means
        new = z[:, :k] @ rows + z[:, k:] * np.sqrt(variance)
        earlier = self.value(context, start.mean[chosen], before).max(axis=1, initial=-np.inf)
        own = self.value(context, start.mean, new)
        return np.maximum(own, earlier[:, None]).mean(axis=0)

    @abstractmethod
    def value(self, context: BatchContext, mean: Floats, deviation: Floats) -> Floats:
        """What each sample says of each point, shape (S, m): that of a set is the largest.

        `deviation` (S, m) is f less its `mean` (m,).
        """


@dataclass(frozen=True)
class QUCB(_MonteCarlo):
    """For k = 0 .. K-1: xk = argmax over X of E[max over j of mean_j + sqrt(beta_t pi / 2)
    |f_j - mean_j|], j the points x0 .. x(k-1) and x, estimated from fixed samples of f.

    For one point it is the upper bound mean + sqrt(beta_t) std, as E|f - mean| = sqrt(2 / pi) std.
    The samples are the same for all candidates and picks of a batch, so that the value is a
    function of the set; points are chosen one after another, not jointly. They are centred, so that
    their mean equals the posterior's: BoTorch takes deviations from the mean of the samples.

    Parameters
    ----------
    batch_size : int, K >= 1
    samples : int, at least 2
        The same at every pick; the standard error falls with their root.
    seed : int, or None
        Batch t draws from the stream (seed, t), so that asking again gives the same batch.
        None: `simulate` derives one from the seed of the run; elsewhere it is 0.

    References
    ----------
    Wilson, Moriconi, Hutter and Deisenroth, The reparameterization trick for acquisition functions,
    2017, by BoTorch's `qUpperConfidenceBound`, which it equals on the same samples.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import QUCB
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), QUCB(batch_size=2, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('qucb', 'qucb')
    """

    name = "qUCB"
    rules = MappingProxyType({"qucb": "argmax over X of E[max of μ + √(βₜ π / 2) |f − μ|]"})

    def value(self, context: BatchContext, mean: Floats, deviation: Floats) -> Floats:
        return mean + np.sqrt(context.beta * np.pi / 2) * np.abs(deviation)


@dataclass(frozen=True)
class QEI(_MonteCarlo):
    """For k = 0 .. K-1: xk = argmax over X of E[max(max over j of f_j - best, 0)], j the points
    x0 .. x(k-1) and x, estimated from fixed samples of f; `best` as in `EIPE`.

    Parameters
    ----------
    batch_size, samples, seed : as for `QUCB`

    References
    ----------
    Ginsbourger, Le Riche and Carraro, 2010, for q points; by BoTorch's `qExpectedImprovement`,
    which it equals on the same samples.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, Matern
    >>> from ucbpe_core.policies import QEI
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), QEI(batch_size=2, seed=0))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> bandit.ask().roles
    ('qei', 'qei')
    """

    name = "qEI"
    rules = MappingProxyType(
        {"qei": "argmax over X of E[max(max f over the batch − μ⁺, 0)]"}
    )  # fmt: skip

    def value(self, context: BatchContext, mean: Floats, deviation: Floats) -> Floats:
        return np.maximum(mean + deviation - best_mean(context.posterior), 0.0)
