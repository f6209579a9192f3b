"""Ask and tell over a box: choose real experiments where any setting in a range is possible."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.assignment import Guarded
from ucbpe_core.bandit import checked_schedule
from ucbpe_core.box.decide import BoxDecision, decide
from ucbpe_core.box.results import nearest_picks
from ucbpe_core.box.search import Search
from ucbpe_core.box.surface import Surface
from ucbpe_core.errors import InputError
from ucbpe_core.gp import ConditionedProcess, GaussianProcess
from ucbpe_core.ledger import Ledger
from ucbpe_core.policies import GPUCB, GPUCBPE, Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.schedules import BetaSchedule, CompactBeta
from ucbpe_core.validation import bounds as checked_bounds
from ucbpe_core.validation import count, frozen_copy, non_negative
from ucbpe_core.validation import indices as checked_indices
from ucbpe_core.validation import points as checked_points
from ucbpe_core.validation import values as checked_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.validation import Floats, Noise


def _checked_policy(policy: object) -> GPUCBPE | GPUCB:
    if not isinstance(policy, GPUCBPE | GPUCB):
        got = type(policy).__name__
        raise InputError("GPUCBPE or GPUCB", got, "give candidates, and use Bandit")
    return policy


class BoxBandit(Guarded):
    """A batch bandit over the box of `bounds`: `ask` for K points, `tell` what they gave.

    As `Bandit`, with points in the place of candidates and with the number of a pick, counted
    from 0 over the whole experiment, in the place of its index: results may come in any order and
    in parts, outstanding picks count as hallucinations, `ask` returns the same decision until one
    of its picks has been told or withdrawn, and a call that raises leaves everything as it was.

    A result is told with the setting that was really used, and that is what is conditioned on. It
    settles a pick if it is told with the number of that pick, or if the setting lies within
    `tolerance` of it.

    Each maximum over the box is found by a search (`box.search`): of `samples` scrambled Sobol
    points, and of points around those measured and outstanding, the local maxima are improved by
    random moves, and the `starts` best of them by gradient. It can miss a very narrow peak; the
    README says how often. The search in batch t follows from `seed` and t, so that the same
    results lead to the same picks. It works on the unit cube: a change of the units of x, of
    `bounds` and of the lengthscales alike, changes the picks in no other way.

    Parameters
    ----------
    bounds : low and high of each coordinate, shape (d, 2)
    gp : the prior, with lengthscales in the units of `bounds`
    policy : `GPUCBPE`, or `GPUCB`
    beta : schedule of beta_t; unless given `CompactBeta()`, whose r = 1 is the side of the unit
        cube that the box is scaled to. For `FiniteBeta` the number of candidates is that of the
        samples, and its confidence statement is about these.
    seed, samples, starts : of the search; samples is a power of two
    tolerance : how far from an outstanding pick a setting may be and still settle it, in every
        coordinate, as a share of that side of the box; 0.005 takes settings rounded to a
        hundredth of the side

    Raises
    ------
    InputError
        For bounds that are not (d, 2) with low < high, another policy, counts out of range or a
        negative tolerance.
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
        tolerance: float = 0.005,
    ) -> None:
        self.box = frozen_copy(checked_bounds(bounds, "bounds"))
        if not isinstance(gp, GaussianProcess):
            raise InputError("a GaussianProcess", type(gp).__name__, "pass GaussianProcess(RBF())")
        self.policy = policy  # type: ignore[assignment]  # checked at assignment
        self.schedule = CompactBeta() if beta is None else beta
        if count(samples, "samples") & (samples - 1):
            raise InputError("samples to be a power of two", str(samples), "pass 1024 or 2048, say")
        self._seed, self._samples = count(seed, "seed", minimum=0), samples
        self._starts = count(starts, "starts")
        self._tolerance = non_negative(tolerance, "tolerance")
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
        return frozen_copy(self._points_of(self.pending_numbers))

    @property
    def pending_numbers(self) -> tuple[int, ...]:
        """Their numbers, in the same order: what `tell` and `withdraw` take."""
        return self._ledger.pending

    def ask(self) -> BoxDecision:
        """The open decision, or a new one if some of it was told or none is open."""
        if self._decision is not None:
            return self._decision
        t, K = self._ledger.next_t, self.policy.batch_size
        belief = self._belief.hallucinate_points(self.pending)
        beta, beta_next = self.policy.betas(belief, t, self.schedule, self._samples)
        first = len(self._asked)
        decision = decide(belief, self._search(belief, t), K, t, beta, beta_next, first)
        self._ledger = self._ledger.opened(decision.numbers)
        self._asked = (*self._asked, *decision.points)
        self._decision = decision
        return decision

    def tell(
        self,
        X: ArrayLike | None,
        y: ArrayLike,
        numbers: ArrayLike | None = None,
        noise_variance: Noise = None,
    ) -> None:
        """Add measurements y (k,) at the settings X (k, d) really used, inside the box or not.

        `noise_variance` is the known noise variance of each, a number or (k,), in squared units of
        y; where it is not given, or None, that of the prior holds.

        With `numbers` (k,), result i answers the outstanding pick of number numbers[i], however
        far X[i] is from it; X = None then stands for the settings as they were asked.

        Without, a setting within `tolerance` of an outstanding pick settles it: of all pairs of
        a setting and a pick the nearest first, by the largest difference of a coordinate as a
        share of its side, each pick once; of equally near ones the earlier setting, and the open
        batch before older picks. Any other setting counts as an observation made outside the
        batches and does not advance t.

        Raises
        ------
        InputError
            For NaN, infinities, shapes that do not agree, or a number that is not outstanding or
            given twice, or a negative noise variance; nothing is added.
        IllConditionedError
            When the covariance of the data is not positive definite; nothing is added.
        """
        if numbers is None:
            told = checked_points(self._given(X), "X", len(self.box))
            measured = checked_values(y, "y", len(told))
            answered = nearest_picks(told, self._outstanding(), self.box, self._tolerance)
        else:
            answered = self._outstanding_numbers(numbers)
            asked = self._points_of(answered)
            told = asked if X is None else checked_points(X, "X", len(self.box))
            measured = checked_values(y, "y", len(answered))
            if len(told) != len(answered):
                got = f"{len(told)} and {len(answered)}"
                raise InputError("as many settings as numbers", got, "one number per setting")
        self._belief = self._belief.observe_points(told, measured, noise_variance)
        self._settle(self._ledger.told(answered)[0])

    def withdraw(self, numbers: ArrayLike | None = None) -> tuple[int, ...]:
        """Give up outstanding picks, every one unless the numbers (k,) of some are given, and
        return their numbers.

        A batch that nobody waits for any more is closed.

        Raises
        ------
        InputError
            For a number that is not outstanding, or given twice; nothing is given up.
        """
        given_up = self.pending_numbers if numbers is None else self._outstanding_numbers(numbers)
        self._settle(self._ledger.withdrawn(given_up))
        return given_up

    def best(self) -> Floats:
        """The point of highest posterior mean, shape (d,)."""
        surface = Surface(self.process, 1.0, 0.0)
        return frozen_copy(self._search(self._belief, self.t).maximise(surface).point)

    def _search(self, belief: Posterior, t: int) -> Search:
        low, high = self.box.T
        measured = belief.conditioned().X
        inside = measured[((low <= measured) & (measured <= high)).all(axis=1)]
        return Search.covering(self.box, self._samples, self._starts, (self._seed, t), inside)

    def _points_of(self, numbers: tuple[int, ...]) -> Floats:
        points = [self._asked[number] for number in numbers]
        return np.reshape(points, (len(points), len(self.box)))

    def _outstanding(self) -> dict[int, Floats]:
        """Number and point of each outstanding pick, those of the open batch first."""
        picks = self._ledger.untold + self._ledger.earlier
        return {pick.candidate: self._asked[pick.candidate] for pick in picks}

    def _outstanding_numbers(self, numbers: ArrayLike) -> tuple[int, ...]:
        """`numbers`, if they are of different outstanding picks."""
        given = tuple(checked_indices(numbers, len(self._asked), "numbers").tolist())
        left = list(self.pending_numbers)
        for number in given:
            if number not in left:
                wanted = f"numbers of outstanding picks, each once, among {left}"
                raise InputError(wanted, str(number), "see pending_numbers")
            left.remove(number)
        return given

    def _given(self, X: ArrayLike | None) -> ArrayLike:
        if X is None:
            raise InputError("settings X, or numbers of picks", "neither", "pass numbers=[0], say")
        return X

    def _settle(self, ledger: Ledger) -> None:
        self._ledger = ledger
        if not ledger.untouched:
            self._decision = None
