"""Which candidates a batch can depend on, by a bound that needs no rows: see `screening`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core import ties
from ucbpe_core.linalg import ROUNDING

if TYPE_CHECKING:
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Booleans, Floats, Integers

# The active candidates are chosen to last for about this many batches.
_AHEAD = 6
# Of y_dot and the standard deviations: far more than rounding can add to a bound.
_MARGIN = 1e-9


class Test(NamedTuple):
    """What a batch needs of a candidate: its lower bound, and whether mean + c std reaches
    y_dot.
    """

    sqrt_beta: float
    c_squared: float
    ahead: float  # how much c^2 may grow before the active candidates are chosen again
    tolerance: float  # of mean + c std, more than the picks of a batch can make it

    @classmethod
    def of(cls, posterior: Posterior, picks: int, beta: float, beta_next: float) -> Test:
        c_squared = max(beta, 4 * beta_next)
        tolerance = _tolerance(posterior, picks, float(np.sqrt(c_squared)))
        return cls(float(np.sqrt(beta)), c_squared, _AHEAD * picks, tolerance)

    def lower(self, posterior: Posterior) -> Floats:
        return posterior.mean - self.sqrt_beta * posterior.std

    def y_dot(self, posterior: Posterior) -> float:
        return float(self.lower(posterior).max())

    def c(self, grown: Floats | float) -> Floats:
        """c after its square has grown by this much."""
        return np.sqrt(self.c_squared + grown)

    def passes(self, mean: Floats, reach: Floats, c: Floats | float, y_dot: float) -> Booleans:
        """Which candidates the bound mean + c reach cannot exclude."""
        margin = self.tolerance + _MARGIN * (abs(y_dot) + float(reach.max()))
        return mean + c * reach >= y_dot - margin


class Known(NamedTuple):
    """Mean and reach of every candidate when it was last up to date, after `n` points, (M,)."""

    mean: Floats
    reach: Floats
    n: Integers

    def updated(self, indices: Integers, posterior: Posterior) -> Known:
        fresh = Known(self.mean.copy(), self.reach.copy(), self.n.copy())
        fresh.mean[indices], fresh.reach[indices] = posterior.mean, reach_of(posterior)
        fresh.n[indices] = posterior.n
        return fresh


def _tolerance(posterior: Posterior, picks: int, c: float) -> float:
    """More than any tolerance of mean + c std during the batch, whatever its picks are."""
    gp, state = posterior.gp, posterior.state
    v = state.rows.prior_variance
    n = posterior.n + picks + gp.kernel.rounding_units
    noise = float(gp.effective_noise(np.array([v]))[0])
    worst = max(state.last.conditioning, v / noise)
    prior_std, residuals = float(np.sqrt(v)), state.data.residuals
    by_mean = ties.of_mean(prior_std, gp.mean, worst, n, residuals)
    return 2 * (by_mean + c * ties.of_std(prior_std, worst, n))


def reach_of(posterior: Posterior) -> Floats:
    """The standard deviation, but never less than what rounding may hide, shape (M,)."""
    hidden = ROUNDING * posterior.gp.kernel.diagonal(posterior.candidates)
    return np.sqrt(np.maximum(posterior.state.raw_variance, 0.0) + hidden)
