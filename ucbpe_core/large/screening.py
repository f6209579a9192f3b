"""A posterior that is up to date where the maximum can still be, and bounded everywhere else.

The upper confidence bound and R+ depend on a candidate only through whether mean + c std reaches
y_dot, for some c. For a candidate last updated after s points, with mean_s and std_s, this can be
decided without a row. Each later point adds a row v_i and a whitened residual w_i:

    mean_n = mean_s + sum w_i v_i,    std_n^2 = std_s^2 - sum v_i^2.

The vector (v_(s+1), .., v_n, std_n) has length std_s, so by the Cauchy-Schwarz inequality

    mean_n + c std_n = mean_s + (w, c) . (v, std_n) <= mean_s + sqrt(sum w_i^2 + c^2) std_s.

A candidate whose right side is below y_dot, by more than the tolerance of ties, lies outside R and
R+ and neither maximises the upper bound nor ties, whatever its row is. Its lower bound is no
larger, so y_dot does not need it either: it is screened out. The others are active: only a
posterior over them is observed and explored, at the cost of their share of the candidates.
Residuals are about 1 when the prior is right, so the right side changes slowly: a candidate
screened out for one batch stays so for several. If it becomes active again, its rows are computed
then (`conditioned_like`). Nothing is approximated: picks, masks and y_dot are those of the full
computation. Where some candidates may not be picked, that holds as long as the one of the greatest
lower bound may be: its upper bound stays above y_dot. Otherwise full rows are used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core import ties
from ucbpe_core.assignment import Frozen
from ucbpe_core.conditioning import conditioned_like, joined, restricted
from ucbpe_core.linalg import ROUNDING
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.conditioning import State
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision, Eligible
    from ucbpe_core.validation import Booleans, Floats, Integers, Noise

# Below this many candidates full rows cost less than avoiding them.
LEAST = 8192
# With more than this share of the candidates active, full rows are as cheap.
SHARE = 0.5
# This many candidates cost little more than one.
_FEW = 1024
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
        """The test of a batch of so many picks, whatever they are: no tolerance gets larger."""
        gp, state, v = posterior.gp, posterior.state, posterior.state.rows.prior_variance
        c_squared, prior_std = max(beta, 4 * beta_next), float(np.sqrt(v))
        n = posterior.n + picks + gp.kernel.rounding_units
        noise = float(gp.effective_noise(np.array([v]))[0])
        worst = max(state.last.conditioning, v / noise)
        by_mean = ties.of_mean(prior_std, gp.mean, worst, n, state.data.residuals)
        # The masks of R and R+ allow (1 + c) times the tolerance of the mean (`relevant_region`).
        widest = max(by_mean, ties.of_std(prior_std, worst, n))
        tolerance = 2 * (1 + float(np.sqrt(c_squared))) * widest
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


class LastMoments(NamedTuple):
    """Mean and reach of every candidate when it was last up to date, after `n` points, (M,)."""

    mean: Floats
    reach: Floats
    n: Integers

    def updated(self, indices: Integers, posterior: Posterior) -> LastMoments:
        fresh = LastMoments(self.mean.copy(), self.reach.copy(), self.n.copy())
        fresh.mean[indices], fresh.reach[indices] = posterior.mean, reach_of(posterior)
        fresh.n[indices] = posterior.n
        return fresh


def reach_of(posterior: Posterior) -> Floats:
    """The standard deviation, but never less than what rounding may hide, shape (M,)."""
    hidden = ROUNDING * posterior.gp.kernel.diagonal(posterior.candidates)
    return np.sqrt(np.maximum(posterior.state.raw_variance, 0.0) + hidden)


@dataclass(eq=False)
class Screened(Frozen):
    """The posterior over M candidates, with rows of its latest points at the active ones alone.

    Immutable to callers; `posterior` has all rows.

    Attributes
    ----------
    active : the posterior over the candidates `indices`
    indices : of the active candidates, ascending, shape (m,)
    conditioned_indices : candidate of each of the n points
    """

    active: Posterior
    indices: Integers
    conditioned_indices: tuple[int, ...]
    _whole: Posterior
    _last: LastMoments
    # Inactive candidates that a later batch may need, and the posterior over them.
    _cached: tuple[Integers, Posterior] | None = None

    @classmethod
    def on(cls, posterior: Posterior, indices: Integers) -> Screened:
        """The posterior, with the candidates `indices` active."""
        n = np.full(len(posterior.candidates), posterior.n)
        last = LastMoments(posterior.mean, reach_of(posterior), n)
        active = Posterior(restricted(posterior.state, indices))
        return cls(active, indices, posterior.conditioned_indices, posterior, last)

    @property
    def candidates(self) -> Floats:
        return self._whole.candidates

    @property
    def posterior(self) -> Posterior:
        """The posterior over all candidates; missing rows are computed together."""
        if self.active.n > self._whole.n:
            since = self.conditioned_indices[self._whole.n :]
            whole = conditioned_like(self._whole.state, self.active.state, since)
            self._whole = Posterior(whole)
        return self._whole

    def observe(
        self,
        indices: Integers,
        y: Floats,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Screened:
        """The posterior after values y (k,) at the candidates `indices` (k,)."""
        screened, places = self._including(indices)
        active = screened.active.observe(places, y, noise_variance, progress)
        return screened._after(active, indices)

    def hallucinate(self, indices: Integers) -> Screened:
        """The posterior as if the candidates `indices` (k,) had been observed at their mean."""
        screened, places = self._including(indices)
        return screened._after(screened.active.hallucinate(places), indices)

    def decide(
        self,
        policy: Policy,
        t: int,
        beta: float,
        beta_next: float,
        eligible: Eligible,
    ) -> Decision:
        """The policy's batch; every candidate that it can depend on must be active."""
        inside = eligible.among(self.indices)
        local = policy.decide_between(self.active, t, beta, beta_next, inside)
        return replace(
            local,
            indices=read_only(self.indices[local.indices]),
            region=self._everywhere(local.region),
            region_plus=self._everywhere(local.region_plus),
        )

    def updated_for(self, test: Test) -> Screened | None:
        """The same with all that can pass the test active; None if these are many."""
        y_dot = test.y_dot(self.active)
        squares = np.cumsum(np.square((0.0, *self.active.state.data.residuals)))
        grown = squares[-1] - squares  # since a candidate was up to date after 0, 1, .. points
        mean, reach, n = self._last
        out = np.ones(len(mean), dtype=bool)
        out[self.indices] = False
        passing = np.flatnonzero(out & test.passes(mean, reach, test.c(grown)[n], y_dot))
        if len(passing) + len(self.indices) > SHARE * len(mean):
            return None
        if not len(passing):
            return self._shrunk(test)
        if self._cached is not None and np.isin(passing, self._cached[0]).all():
            indices, part = self._cached
            fresh = Posterior(conditioned_like(part.state, self.active.state))
        else:
            # Those that the next batches may need are updated with them.
            ahead = test.c(grown + test.ahead)[n]
            wider = np.flatnonzero(out & test.passes(mean, reach, ahead, y_dot))
            indices = wider if len(wider) <= max(len(self.indices), _FEW) else passing
            fresh = self._recall(indices)
        return self._recalling(indices, fresh, test)._shrunk(test)

    def _after(self, active: Posterior, indices: Integers) -> Screened:
        conditioned = (*self.conditioned_indices, *indices.tolist())
        return replace(self, active=active, conditioned_indices=conditioned)

    def _recalling(self, indices: Integers, fresh: Posterior, test: Test) -> Screened:
        """With `fresh` at these candidates, which become active if one still passes the test.

        Usually none does: their updated bound keeps them out for a while.
        """
        y_dot, reach = max(test.y_dot(self.active), test.y_dot(fresh)), reach_of(fresh)
        last = self._last.updated(indices, fresh)
        updated = replace(self, _last=last, _cached=(indices, fresh))
        if not test.passes(fresh.mean, reach, test.c(0.0), y_dot).any():
            return updated
        kept = np.flatnonzero(test.passes(fresh.mean, reach, test.c(test.ahead), y_dot))
        return updated._joined(indices[kept], restricted(fresh.state, kept))

    def _shrunk(self, test: Test) -> Screened:
        """Without the active candidates that now fail the test, if they are at least a third."""
        active = self.active
        c, y_dot = test.c(test.ahead), test.y_dot(active)
        passing = test.passes(active.mean, reach_of(active), c, y_dot)
        if 3 * np.count_nonzero(passing) > 2 * len(passing):
            return self
        last = self._last.updated(self.indices, active)
        part = Posterior(restricted(active.state, np.flatnonzero(passing)))
        return replace(self, active=part, indices=self.indices[passing], _last=last)

    def _including(self, indices: Integers) -> tuple[Screened, Integers]:
        """With all of `indices` active, and the places of these among the active candidates."""
        places = np.searchsorted(self.indices, indices)
        absent = self.indices.take(places, mode="clip") != indices
        if not absent.any():
            return self, places
        out = np.unique(indices[absent])
        screened = self._joined(out, self._recall(out).state)
        return screened, np.searchsorted(screened.indices, indices)

    def _recall(self, indices: Integers) -> Posterior:
        """The posterior over candidates screened out, up to date."""
        part = restricted(self._whole.state, indices)
        return Posterior(conditioned_like(part, self.active.state))

    def _joined(self, indices: Integers, fresh: State) -> Screened:
        union = np.concatenate([self.indices, indices])
        order = np.argsort(union)
        active = Posterior(joined(self.active.state, fresh, order))
        return replace(self, active=active, indices=union[order], _cached=None)

    def _everywhere(self, mask: Booleans) -> Booleans:
        whole = np.zeros(len(self.candidates), dtype=bool)
        whole[self.indices] = mask
        return read_only(whole)
