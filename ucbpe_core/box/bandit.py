"""Ask and tell over a box: choose real experiments where any setting in a range is possible."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Guarded
from ucbpe_core.bandit import checked_schedule
from ucbpe_core.box.decide import BoxDecision, decide
from ucbpe_core.box.search import Search
from ucbpe_core.box.surface import Surface
from ucbpe_core.confidence import BetaSchedule, CompactBeta
from ucbpe_core.errors import InputError
from ucbpe_core.gp import ConditionedProcess, GaussianProcess
from ucbpe_core.ledger import Ledger
from ucbpe_core.policies import GPUCB, GPUCBPE, Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, frozen_copy
from ucbpe_core.validation import points as checked_points
from ucbpe_core.validation import values as checked_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats


def _checked_policy(policy: object) -> GPUCBPE | GPUCB:
    if not isinstance(policy, GPUCBPE | GPUCB):
        got = type(policy).__name__
        raise InputError("GPUCBPE or GPUCB", got, "give candidates, and use Bandit")
    return policy


class BoxBandit(Guarded):
    """A batch bandit over the box of `bounds`: `ask` for K points, `tell` what they gave.

    As `Bandit`, with points in the place of candidates: results may come in any order and in
    parts, outstanding picks count as hallucinations, `ask` returns the same decision until one of
    its picks has been told, and a call that raises leaves everything as it was.

    A maximum over the box is the best of `samples` scrambled Sobol points and of the points
    measured, the `starts` best of them improved by gradient (`box.search`). It is found up to
    that search: a peak narrower than the distance of the samples can be missed. The samples of
    batch t follow from `seed` and t, so that the same results lead to the same picks.

    Parameters
    ----------
    bounds : low and high of each coordinate, shape (d, 2)
    gp : the prior
    policy : `GPUCBPE`, or `GPUCB`
    beta : schedule of beta_t; `CompactBeta(r=longest side)` unless given. For `FiniteBeta` the
        number of candidates is that of the samples, and its confidence statement is about these.
    seed, samples, starts : of the search; samples is a power of two

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high, another policy, or counts out of range.
    """

    _set_once = frozenset({"box"})
    _checks = MappingProxyType({"policy": _checked_policy, "schedule": checked_schedule})
    _remedy = "make another BoxBandit"
    policy: GPUCBPE | GPUCB
    schedule: BetaSchedule

    def __init__(
        self,
        bounds: ArrayLike,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
        *,
        seed: int = 0,
        samples: int = 2048,
        starts: int = 10,
    ) -> None:
        self.box = frozen_copy(checked_bounds(bounds, "bounds"))
        if not isinstance(gp, GaussianProcess):
            raise InputError("a GaussianProcess", type(gp).__name__, "pass GaussianProcess(RBF())")
        self.policy = policy  # type: ignore[assignment]  # checked at assignment
        default = CompactBeta(r=float(np.ptp(self.box, axis=1).max()))
        self.schedule = default if beta is None else beta
        if count(samples, "samples") & (samples - 1):
            raise InputError("samples to be a power of two", str(samples), "pass 1024 or 2048, say")
        self._seed, self._samples = count(seed, "seed", minimum=0), samples
        self._starts = count(starts, "starts")
        # The belief needs a candidate: the middle of the box, of which nobody asks anything.
        self._belief = Posterior.prior(gp, self.box.mean(axis=1)[None])
        self._ledger = Ledger()
        self._asked: tuple[Floats, ...] = ()  # every pick so far; the ledger holds their numbers
        self._decision: BoxDecision | None = None

    @property
    def process(self) -> ConditionedProcess:
        """The belief after everything told, which predicts anywhere."""
        return self._belief.conditioned()

    @property
    def t(self) -> int:
        """Iteration of the batch that is open, or else of the next one."""
        return self._ledger.t

    @property
    def pending(self) -> Floats:
        """Points asked and not yet told, oldest first, shape (p, d)."""
        points = [self._asked[number] for number in self._ledger.pending]
        return frozen_copy(np.reshape(points, (len(points), len(self.box))))

    def ask(self) -> BoxDecision:
        """The open decision, or a new one if some of it was told or none is open."""
        if self._decision is not None:
            return self._decision
        t, K = self._ledger.next_t, self.policy.batch_size
        schedule = self.policy.schedule_in_force(self.schedule)
        beta, beta_next = (schedule(s, self._samples, len(self.box)) for s in (t, t + 1))
        belief = self._belief.hallucinate_points(self.pending)
        decision = decide(belief, self._search(belief, t), K, t, beta, beta_next)
        first = len(self._asked)
        self._ledger = self._ledger.opened(range(first, first + K))
        self._asked = (*self._asked, *decision.points)
        self._decision = decision
        return decision

    def tell(self, X: ArrayLike, y: ArrayLike) -> None:
        """Add measurements y (k,) at points X (k, d), inside the box or not.

        A point that equals an outstanding pick settles it; any other counts as an observation
        made outside the batches and does not advance t.

        Raises
        ------
        InputError
            For NaN, infinities or shapes that do not agree; nothing is added.
        """
        told = checked_points(X, "X", len(self.box))
        measured = checked_values(y, "y", len(told))
        left = list(self._ledger.pending)
        numbers = []
        for x in told:
            same = [number for number in left if np.array_equal(self._asked[number], x)]
            numbers += same[:1]
            left = [number for number in left if number not in same[:1]]
        self._belief = self._belief.observe_points(told, measured)
        self._ledger = self._ledger.told(numbers)[0]
        if not self._ledger.untouched:
            self._decision = None

    def best(self) -> Floats:
        """The point of highest posterior mean, shape (d,)."""
        surface = Surface(self.process, 1.0, 0.0)
        return frozen_copy(self._search(self._belief, self.t).maximise(surface).point)

    def _search(self, belief: Posterior, t: int) -> Search:
        low, high = self.box.T
        measured = belief.conditioned().X
        inside = measured[((low <= measured) & (measured <= high)).all(axis=1)]
        return Search.covering(self.box, self._samples, self._starts, (self._seed, t), inside)
