"""Ask and tell: choose real experiments, in batches, with results in any order."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core import large
from ucbpe_core.assignment import Guarded
from ucbpe_core.errors import InputError
from ucbpe_core.fitting import fit_from_current
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.ledger import Ledger
from ucbpe_core.policies.base import Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.schedules import BetaSchedule, FiniteBeta
from ucbpe_core.ties import first_best
from ucbpe_core.validation import indices as checked_indices
from ucbpe_core.validation import names_of
from ucbpe_core.validation import values as checked_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.large import Screened
    from ucbpe_core.policies.base import Decision
    from ucbpe_core.validation import Noise


def checked_policy(policy: object) -> Policy:
    """`policy` if it is one."""
    if not isinstance(policy, Policy):
        raise InputError("a Policy", type(policy).__name__, "pass GPUCBPE(batch_size=10), say")
    return policy


def checked_schedule(beta: object) -> BetaSchedule:
    """`beta` if it is a schedule."""
    if not isinstance(beta, BetaSchedule):
        raise InputError("a BetaSchedule", type(beta).__name__, "pass ConstantBeta(4.0), say")
    return beta


class Bandit(Guarded):
    """A batch bandit over M candidates: `ask` for K picks, `tell` what they gave.

    Any part of a batch may be told, in any order; picks still outstanding keep counting as
    hallucinations. `ask` returns the same decision until one of its picks has been told; asking
    again then opens the next batch around the outstanding picks. t counts batches: it moves on
    when a batch has been told whole, or when the next one is opened. A call that raises leaves
    everything as it was.

    Parameters
    ----------
    candidates : points, shape (M, d); of a pandas frame, `names` keeps the columns' names
    gp : the prior
    policy : what is queried next
    beta : schedule of beta_t; `FiniteBeta()` unless given

    `policy` and `schedule` may be assigned: they hold for batches asked from then on. The prior
    changes by `refit`.
    """

    _set_once = frozenset({"names"})
    _checks = MappingProxyType({"policy": checked_policy, "schedule": checked_schedule})
    _remedy = "call refit() to change the prior, or make another Bandit"
    policy: Policy
    schedule: BetaSchedule

    def __init__(
        self,
        candidates: ArrayLike,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
    ) -> None:
        if not isinstance(gp, GaussianProcess):
            raise InputError("a GaussianProcess", type(gp).__name__, "pass GaussianProcess(RBF())")
        self.policy = policy
        self.schedule = FiniteBeta() if beta is None else beta
        self._belief: Posterior | Screened = Posterior.prior(gp, candidates)
        self.names = names_of(candidates)
        self._ledger = Ledger()
        self._decision: Decision | None = None  # of the open batch, while it is untouched

    @classmethod
    def restore(
        cls,
        posterior: Posterior,
        policy: Policy,
        beta: BetaSchedule,
        ledger: Ledger,
        decision: Decision | None = None,
    ) -> Bandit:
        """A bandit in the middle of an experiment.

        Parameters
        ----------
        posterior : the belief after everything told
        policy, beta : as for a new one
        ledger : what is outstanding
        decision : of the open batch, if that is untouched: what `ask` returns

        Raises
        ------
        InputError
            For an outstanding pick that is no candidate, or a decision that is not the open
            batch's.
        """
        bandit = cls(posterior.candidates, posterior.gp, policy, beta)
        checked_indices(list(ledger.pending), len(posterior.candidates), "outstanding picks")
        asked = [pick.candidate for pick in ledger.untold] if ledger.untouched else None
        got = None if decision is None else decision.indices.tolist()
        if asked != got:
            wanted = f"the decision of the open batch, {asked}"
            raise InputError(wanted, str(got), "pass what ask() returned, or None")
        bandit._belief, bandit._ledger, bandit._decision = posterior, ledger, decision
        return bandit

    @property
    def posterior(self) -> Posterior:
        """The belief after everything told; outstanding picks are not in it."""
        return large.full(self._belief)

    @property
    def ledger(self) -> Ledger:
        """What is outstanding, of which batch."""
        return self._ledger

    @property
    def t(self) -> int:
        """Iteration of the batch that is open, or else of the next one."""
        return self._ledger.t

    @property
    def pending(self) -> tuple[int, ...]:
        """Candidates asked and not yet told, oldest first."""
        return self._ledger.pending

    def ask(self) -> Decision:
        """The open decision, or a new one if some of it was told or none is open."""
        if self._decision is not None:
            return self._decision
        pending, t = np.array(self.pending, dtype=np.intp), self._ledger.next_t
        belief = self._belief.hallucinate(pending) if len(pending) else self._belief
        decision, belief = large.decide(belief, self.policy, t, self.schedule)
        if not len(pending):
            self._belief = belief
        self._ledger = self._ledger.opened(decision.indices.tolist())
        self._decision = decision
        return decision

    def tell(
        self,
        indices: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Add measurements y (k,) at the candidates `indices` (k,).

        `noise_variance` is the known noise variance of each, a number or (k,), in squared units of
        y; where it is not given, or None, that of the prior holds.

        Those that answer outstanding picks settle them; any other counts as an observation made
        outside the batches (an initial one, say) and does not advance t. Many of them over many
        candidates take a while, as `progress` (done, total) can tell.

        Raises
        ------
        InputError
            For an unknown index, NaN, infinities, shapes that do not agree or a negative noise
            variance; nothing is added.
        TooLargeError
            If what would have to be kept does not fit in memory; nothing is added.
        """
        members = checked_indices(indices, len(self._belief.candidates))
        measured = checked_values(y, "y", len(members))
        self._belief = self._belief.observe(members, measured, noise_variance, progress)
        self._settle(self._ledger.told(members.tolist())[0])

    def refit(self, fit: Callable[..., GaussianProcess] = fit_from_current) -> GaussianProcess:
        """Fit the prior to everything told, condition it again, and return it.

        What is outstanding stays so, and an open decision stays what it was when it was made.

        Parameters
        ----------
        fit : called as fit(gp, X, y) with the prior in use, X (n, d) and y (n,), returns the one
            to use from now on; unless given, one search for more likelihood
            (`fitting.fit_from_current`). If a noise variance was told with any y, it is called
            with noise_variance=, one number or None per y, as well

        Raises
        ------
        InputError
            For fewer than two different values told, or a fit that is no GaussianProcess; the
            prior stays.
        """
        belief = self.posterior
        process = belief.conditioned()
        y = process.gp.mean + process.L @ process.w
        known = process.known_noise
        with_noise = {} if known.count(None) == len(known) else {"noise_variance": known}
        fitted: object = fit(process.gp, process.X, y, **with_noise)
        if not isinstance(fitted, GaussianProcess):
            got = type(fitted).__name__
            raise InputError("a GaussianProcess", got, "return fit_hyperparameters(gp, X, y).gp")
        again = Posterior.prior(fitted, belief.candidates)
        members = np.array(belief.conditioned_indices, dtype=np.intp)
        if (members >= 0).all():
            self._belief = again.observe(members, y, known)
        else:
            self._belief = again.observe_points(process.X, y, known)
        return fitted

    def withdraw(self, indices: ArrayLike | None = None) -> tuple[int, ...]:
        """Give up outstanding picks, every one unless told which (k,), and return them.

        A batch that nobody waits for any more is closed.

        Raises
        ------
        InputError
            For a pick that is not outstanding; nothing is given up.
        """
        if indices is None:
            given_up = self.pending
        else:
            members = checked_indices(indices, len(self._belief.candidates)).tolist()
            given_up, left = tuple(members), list(self.pending)
            for candidate in given_up:
                if candidate not in left:
                    wanted = f"outstanding picks, among {left}"
                    raise InputError(wanted, str(candidate), "withdraw what was asked")
                left.remove(candidate)
        self._settle(self._ledger.withdrawn(given_up))
        return given_up

    def best(self) -> int:
        """Candidate of highest posterior mean: what to use if the experiment ends now."""
        return first_best(self.posterior.mean, self.posterior.tolerance)

    def _settle(self, ledger: Ledger) -> None:
        self._ledger = ledger
        if not ledger.untouched:
            self._decision = None
