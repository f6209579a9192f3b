"""A belief that is up to date where the maximum can still be, and bounded everywhere else.

The upper confidence bound and R+ ask of a candidate whether mean + c std reaches y_dot, for some
c. One that was left alone after s points, with mean_s and std_s, needs no row to answer. Each of
the points since adds a row v_i and a weight w_i:

    mean_n = mean_s + sum w_i v_i,    std_n^2 = std_s^2 - sum v_i^2.

The vector (v_(s+1), .., v_n, std_n) has the length std_s, so by Cauchy and Schwarz

    mean_n + c std_n = mean_s + (w, c) . (v, std_n) <= mean_s + sqrt(sum w_i^2 + c^2) std_s.

A candidate whose right side is below y_dot lies outside R and R+ and wins no upper bound, whatever
its row is. Its lower bound is no larger, so it is not needed for y_dot either. The others are
`near`: a belief over them alone, which observes and is explored at the cost of their share of the
candidates. A weight is about 1 when the prior is right, so that the right side moves slowly: what
has been far for one batch stays far for several. What comes near gets its rows then
(`condition_like`). None of this approximates: picks, masks and y_dot are the eager ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.linalg import NEGLIGIBLE, ROUNDING
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import read_only

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_core.policies.base import Decision, Policy
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.validation import Booleans, Floats, Integers, Noise

# Below so many candidates whole rows cost less than what this module does to avoid them.
LEAST = 8192
# With more than this share of the candidates active, rows over all of them are as good.
_SHARE = 0.5
# The near ones are chosen so that they need not be chosen again for about so many batches.
_AHEAD = 6
# So many candidates cost little more than one.
_FEW = 1024
# Of y_dot and the deviations: far more than rounding can add to a bound.
_MARGIN = 1e-9


class _Test(NamedTuple):
    """What a batch asks of a candidate: its lower bound, and whether mean + c std is y_dot."""

    sqrt_beta: float
    c_squared: float
    ahead: float  # how much c^2 may grow before the near ones are chosen again

    def lowest(self, belief: Posterior) -> float:
        return float((belief.mean - self.sqrt_beta * belief.std).max())

    def passes(self, mean: Floats, spread: Floats, grown: Floats | float, y_dot: float) -> Booleans:
        """Which candidates the bound allows in, c^2 having grown by so much."""
        margin = _MARGIN * (abs(y_dot) + float(spread.max()))
        return mean + np.sqrt(self.c_squared + grown) * spread >= y_dot - margin


class _Seen(NamedTuple):
    """Mean and spread of every candidate when it was last up to date, after `n` points, (M,)."""

    mean: Floats
    spread: Floats
    n: Integers

    def updated(self, members: Integers, belief: Posterior) -> _Seen:
        fresh = _Seen(self.mean.copy(), self.spread.copy(), self.n.copy())
        fresh.mean[members], fresh.spread[members] = belief.mean, _spread(belief)
        fresh.n[members] = belief.n
        return fresh


@dataclass(eq=False)
class Screened:
    """The belief over M candidates, with rows of its latest points at the `members` alone.

    Immutable in what it says; `posterior` is the same belief with all rows.

    Attributes
    ----------
    near : the belief over the candidates `members`
    members : ascending, shape (m,)
    conditioned_indices : candidate of each of the n points
    """

    active: Posterior
    members: Integers
    conditioned_indices: tuple[int, ...]
    _whole: Posterior
    _seen: _Seen
    # Far candidates that may be asked about soon again, and the belief over them: it lags less.
    _cached: tuple[Integers, Posterior] | None = None

    @classmethod
    def on(cls, posterior: Posterior, members: Integers) -> Screened:
        """The belief, with `members` active."""
        n = np.full(len(posterior.candidates), posterior.n)
        seen = _Seen(posterior.mean, _spread(posterior), n)
        active = posterior.restrict(members)
        return cls(active, members, posterior.conditioned_indices, posterior, seen)

    @property
    def candidates(self) -> Floats:
        return self._whole.candidates

    @property
    def posterior(self) -> Posterior:
        """The same belief everywhere: the rows that were not needed are made, all at once."""
        if self.active.n > self._whole.n:
            since = self.conditioned_indices[self._whole.n :]
            self._whole = self._whole.condition_like(self.active, since)
        return self._whole

    def observe(
        self,
        members: Integers,
        y: Floats,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Screened:
        """The belief after values y (k,) at the candidates `members` (k,)."""
        screened = self._including(members)
        there = np.searchsorted(screened.members, members)
        active = screened.active.observe(there, y, noise_variance, progress)
        known = (*self.conditioned_indices, *members.tolist())
        return replace(screened, active=active, conditioned_indices=known)

    def hallucinate(self, members: Integers) -> Screened:
        """The belief as if the candidates `members` (k,) had been observed at their mean."""
        screened = self._including(members)
        active = screened.active.hallucinate(np.searchsorted(screened.members, members))
        known = (*self.conditioned_indices, *members.tolist())
        return replace(screened, active=active, conditioned_indices=known)

    def decide(self, policy: Policy, t: int, beta: float, beta_next: float) -> Decision:
        """The policy's batch; every candidate that it can ask about has to be active."""
        local = policy.decide_between(self.active, t, beta, beta_next)
        return replace(
            local,
            indices=read_only(self.members[local.indices]),
            region=self._everywhere(local.region),
            region_plus=self._everywhere(local.region_plus),
        )

    def updated_for(self, test: _Test) -> Screened | None:
        """The same belief with all near that can come into the reach; None if these are many."""
        y_dot = test.lowest(self.active)
        squares = np.append(0.0, np.cumsum(self.active.whitened_residuals**2))
        mean, spread, n = self._seen
        grown = squares[-1] - squares[n]
        far = np.ones(len(mean), dtype=bool)
        far[self.members] = False
        comes = np.flatnonzero(far & test.passes(mean, spread, grown, y_dot))
        if len(comes) + len(self.members) > _SHARE * len(mean):
            return None
        if not len(comes):
            return self._shrunk(test)
        soon = np.flatnonzero(far & test.passes(mean, spread, grown + test.ahead, y_dot))
        return self._recalling(comes, soon, test)._shrunk(test)

    def _recalling(self, comes: Integers, soon: Integers, test: _Test) -> Screened:
        """With those that come into reach up to date; active, if one of them is in reach indeed.

        Most often none is: their bound, tight again, keeps them far for a while. Those that would
        come soon are brought up to date with them, and from there the next time.
        """
        if self._cached is not None and np.isin(comes, self._cached[0]).all():
            members, fresh = self._cached[0], self._cached[1].condition_like(self.active)
        else:
            members = soon if len(soon) <= max(len(self.members), _FEW) else comes
            fresh = self._recall(members)
        y_dot = max(test.lowest(self.active), test.lowest(fresh))
        mean, spread = fresh.mean, _spread(fresh)
        seen = self._seen.updated(members, fresh)
        known = replace(self, _seen=seen, _cached=(members, fresh))
        if not test.passes(mean, spread, 0.0, y_dot).any():
            return known
        stays = test.passes(mean, spread, test.ahead, y_dot)
        return known._joined(members[stays], fresh.restrict(np.flatnonzero(stays)))

    def _shrunk(self, test: _Test) -> Screened:
        """Without those near that are far by now, if these are a third of them or more."""
        active = self.active
        stays = test.passes(active.mean, _spread(active), test.ahead, test.lowest(active))
        if 3 * np.count_nonzero(stays) > 2 * len(stays):
            return self
        seen = self._seen.updated(self.members, active)
        part = active.restrict(np.flatnonzero(stays))
        return replace(self, active=part, members=self.members[stays], _seen=seen)

    def _including(self, members: Integers) -> Screened:
        """With all of `members` active."""
        places = np.searchsorted(self.members, members)
        absent = np.append(self.members, -1)[places] != members
        if not absent.any():
            return self
        far = np.unique(members[absent])
        return self._joined(far, self._recall(far))

    def _recall(self, members: Integers) -> Posterior:
        """The belief over far candidates, up to date."""
        return self._whole.restrict(members).condition_like(self.active)

    def _joined(self, members: Integers, fresh: Posterior) -> Screened:
        union = np.concatenate([self.members, members])
        order = np.argsort(union)
        active = self.active.join(fresh, order)
        return replace(self, active=active, members=union[order], _cached=None)

    def _everywhere(self, mask: Booleans) -> Booleans:
        whole = np.zeros(len(self.candidates), dtype=bool)
        whole[self.members] = mask
        return read_only(whole)


def decide(
    belief: Posterior | Screened, policy: Policy, t: int, schedule: BetaSchedule
) -> tuple[Decision, Posterior | Screened]:
    """The policy's decision, and the same belief, focused where that pays."""
    size = len(belief.candidates)
    policy.check_fits(size)
    latest = belief.active if isinstance(belief, Screened) else belief
    # A deviation that covers rounding can grow as values come, which the bound does not allow for.
    if not policy.confined or size < LEAST or latest.rounded >= NEGLIGIBLE:
        posterior = full(belief)
        return policy.decide(posterior, t, schedule), posterior
    beta, beta_next = policy.betas(latest, t, schedule, size)
    test = _Test(np.sqrt(beta), max(beta, 4 * beta_next), _AHEAD * policy.batch_size)
    screened = belief.updated_for(test) if isinstance(belief, Screened) else None
    if screened is None:
        posterior = full(belief)
        y_dot, spread = test.lowest(posterior), _spread(posterior)
        active = np.flatnonzero(test.passes(posterior.mean, spread, test.ahead, y_dot))
        if len(active) > _SHARE * size:
            return policy.decide(posterior, t, schedule), posterior
        screened = Screened.on(posterior, active)
    return screened.decide(policy, t, beta, beta_next), screened


def full(belief: Posterior | Screened) -> Posterior:
    """The belief with all its rows."""
    return belief.posterior if isinstance(belief, Screened) else belief


def _spread(belief: Posterior) -> Floats:
    """The deviation, but never less than what rounding may hide, shape (M,)."""
    hidden = ROUNDING * belief.gp.kernel.diagonal(belief.candidates)
    return np.sqrt(belief.variance + hidden)
