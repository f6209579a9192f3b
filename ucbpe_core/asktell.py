"""What `Bandit` and `BoxBandit` share: the state of an experiment, and its verbs."""

from __future__ import annotations

import secrets
import warnings
from abc import abstractmethod
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Unpack

from ucbpe_core import large
from ucbpe_core.assignment import Guarded
from ucbpe_core.errors import InputError, KnownValuesWarning
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.ledger import Ledger
from ucbpe_core.locking import Locked, exclusive
from ucbpe_core.plausibility import warn_if_implausible
from ucbpe_core.policies.base import Policy
from ucbpe_core.posterior import Posterior
from ucbpe_core.schedules import BetaSchedule
from ucbpe_core.validation import indices as checked_indices
from ucbpe_core.validation import instance, repeats_of, sign_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from ucbpe_core.fitting import FitOptions
    from ucbpe_core.gp import ConditionedProcess
    from ucbpe_core.large import Screened
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.validation import Direction, Floats, Repeats

_ALL_KNOWN = (
    "f is known at every candidate in R+, so all picks of this batch are known and a result tells "
    'nothing new: the search has ended there. Set repeats = "avoid" to go on over the other '
    "candidates, or give the prior a noise_variance"
)


class AskTell(Locked, Guarded):
    """An experiment in batches: the data, the outstanding picks and the open decision.

    Public attributes are in the user's units. Internally, `_current` is the posterior of f, or of
    -f under "minimize", since policies maximise; both have the same rows, and negation is exact.
    All parts are immutable, so `copy.copy` gives an independent experiment. Several threads may
    use one: while one of them asks, tells, withdraws, refits or saves, the others wait.
    """

    _set_once = frozenset({"direction"})
    _checks = MappingProxyType(
        {
            "policy": partial(instance, kind=Policy, remedy="pass GPUCBPE(batch_size=10)"),
            "schedule": partial(instance, kind=BetaSchedule, remedy="pass ConstantBeta(4.0)"),
            "repeats": repeats_of,
        }
    )
    _remedy = "call refit() to change the prior, or make a new one"
    policy: Policy
    schedule: BetaSchedule
    repeats: Repeats
    direction: Direction

    def __init__(
        self,
        candidates: ArrayLike,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule,
        direction: Direction,
        repeats: Repeats,
    ) -> None:
        super().__init__()
        self._sign = sign_of(direction)
        self.direction = direction
        self.policy = policy
        self.schedule = beta
        self.repeats = repeats
        self._warns, self._known_warned = True, False
        self._current: Posterior | Screened = self._prior(gp, candidates)
        self._ledger = Ledger()
        self._decision: Decision | None = None  # of the open batch, until part of it is told
        self._identity = secrets.token_hex(8)  # by which a file is known to be of this bandit
        self._warned, self._looked_at = False, 0  # about the prior in use; at how many values

    @property
    def process(self) -> ConditionedProcess:
        """The posterior given all values told; it predicts at any point, in the units of y."""
        return self._posterior.conditioned()

    @property
    def ledger(self) -> Ledger:
        """The outstanding picks, with their batches."""
        return self._ledger

    @property
    def t(self) -> int:
        """Iteration of the open batch, or of the next one if none is open."""
        return self._ledger.t

    @property
    def pending(self) -> tuple[int, ...]:
        """Indices of the outstanding picks (asked, not yet told), oldest first."""
        return self._ledger.pending

    @property
    def withdrawn(self) -> tuple[int, ...]:
        """Indices that are not proposed again, as their picks were withdrawn, ascending."""
        return self._ledger.excluded

    @property
    @abstractmethod
    def pending_points(self) -> Floats:
        """Points of the outstanding picks, in the same order, shape (p, d)."""

    @exclusive
    def ask(self) -> Decision:
        """The open decision; a new one if none is open, or part of it was told or withdrawn.

        Raises
        ------
        InputError
            For more picks than candidates, if the policy never repeats a candidate, and for picks
            that a policy must not return.
        NothingLeftError
            If none is left to propose: all are withdrawn, or known under ``repeats="avoid"``.

        Warns
        -----
        PriorWarning
            For a prior that cannot be right, once until `refit`.
        KnownValuesWarning
            Once, if f is known everywhere in R+ and `repeats` is "allow".
        """
        if self._decision is None:
            self._check_prior()
            decision = self._decide(self._ledger.next_t)
            self._ledger = self._ledger.opened(decision.indices.tolist())
            self._decision = replace(decision, y_dot=self._sign * decision.y_dot)
            if (
                self._warns
                and not self._known_warned
                and decision.exhausted
                and decision.known.all()
            ):
                self._known_warned = True
                warnings.warn(_ALL_KNOWN, KnownValuesWarning, stacklevel=3)  # past the lock
        return self._decision

    @exclusive
    def refit(
        self, fit: Callable[..., GaussianProcess] | None = None, **options: Unpack[FitOptions]
    ) -> GaussianProcess:
        """Fit the prior to all values told, condition it on them again, and return it.

        Outstanding picks stay outstanding, and the open decision does not change.

        Parameters
        ----------
        fit : called as fit(gp, X, y, **options) with the prior in use, X (n, d) and y (n,); returns
            the prior to use from now on. If any y was told with a noise variance, noise_variance=
            is passed too, one number or None per y. Default: `fit_hyperparameters`, with the
            candidates or the box as its domain
        options : starts, workers, priors, fixed and bounds of `fit_hyperparameters`

        Raises
        ------
        InputError
            For fewer than two distinct values told, an invalid option, or if `fit` does not return
            a GaussianProcess; the prior is kept.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> bandit.tell([0, 5, 10, 15, 20], [20.0, 23.0, 21.0, 22.5, 20.5])
        >>> gp = bandit.refit()
        >>> 20.0 < gp.mean < 23.0
        True
        """
        process, where = self.process, self._current.conditioned_indices
        gp, X, y, known = process.gp, process.X, process.y, process.known_noise
        if fit is None:
            domain = self._domain
            fitted = fit_hyperparameters(
                gp, X, y, noise_variance=known, domain=domain, **options
            ).gp
        else:
            with_noise = {} if known.count(None) == len(known) else {"noise_variance": known}
            fitted = fit(gp, X, y, **with_noise, **options)
        instance(fitted, GaussianProcess, "return fit_hyperparameters(gp, X, y).gp")
        prior = self._prior(fitted, self._current.candidates)
        self._warned, self._looked_at = False, 0
        if -1 in where:
            self._current = prior.observe_points(X, self._sign * y, known)
        else:
            self._current = prior.observe(where, self._sign * y, known)
        return fitted

    @exclusive
    def save(self, path: PathOrFile) -> None:
        """Write a JSON file that `load` resumes from: the next picks are identical, bit for bit.

        It holds the plan, all values told, the outstanding picks and the open decision. An
        `Experiment` also keeps the history: names, times, corrections and undo.

        Parameters
        ----------
        path : the file, or a text file open for writing

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written, or a file of this bandit with results that it lacks: another process has
            saved there meanwhile. An existing file is then left unchanged.
        """
        from ucbpe_core.records import bandit  # not needed unless something is saved

        bandit.save(self, path)

    @exclusive
    def withdraw(self, indices: ArrayLike | None = None) -> tuple[int, ...]:
        """Withdraw outstanding picks, by index (k,) or all by default; returns their indices.

        They will not be measured, so that none of them is proposed again, by any policy, unless
        `allow` is called. A batch with no outstanding picks left is closed.

        Raises
        ------
        InputError
            For a pick that is not outstanding; nothing is withdrawn.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> decision = bandit.ask()
        >>> bandit.withdraw(decision.indices[2:]) + bandit.pending
        (10, 0, 20)
        >>> bandit.withdrawn
        (10,)
        """
        given_up = self.pending if indices is None else self._outstanding(indices)
        self._update(self._ledger.withdrawn(given_up))
        return given_up

    @exclusive
    def allow(self, indices: ArrayLike | None = None) -> tuple[int, ...]:
        """Allow proposals of withdrawn picks again, by index (k,) or all; returns their indices.

        It holds for the batches asked from now on.

        Raises
        ------
        InputError
            For a pick that is not withdrawn; nothing changes.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> bandit.ask().indices
        array([ 0, 20, 10])
        >>> bandit.withdraw(), bandit.ask().indices
        ((0, 20, 10), array([ 1, 19,  9]))
        >>> bandit.allow([0, 10]), bandit.withdrawn
        ((0, 10), (20,))
        """
        chosen = self.withdrawn if indices is None else tuple(self._indices(indices))
        self._ledger = self._ledger.allowed(chosen)
        return chosen

    def _check_prior(self) -> None:
        """Warn once if the prior cannot be right for what was told.

        It is looked at again whenever there are twice as many values: in a few batches of a run.
        """
        n = len(self._current.conditioned_indices)
        if self._warns and not self._warned and n >= 2 * self._looked_at:
            process = large.of_active(self._current).signed(self._sign).conditioned()
            told = process.gp, process.X, process.y, self._domain
            self._warned, self._looked_at = warn_if_implausible(*told), n

    @abstractmethod
    def _decide(self, t: int) -> Decision:
        """Batch t, of f or of -f."""

    @property
    @abstractmethod
    def _domain(self) -> Floats:
        """Points (m, d) whose extents are those of the candidates, or of the box."""

    @property
    @abstractmethod
    def _size(self) -> int:
        """One more than the largest possible index of a pick."""

    @property
    def _posterior(self) -> Posterior:
        """The posterior of f given all values told."""
        return self._maximised.signed(self._sign)

    @property
    def _maximised(self) -> Posterior:
        """The posterior of what the policy maximises: f or -f."""
        return large.full(self._current)

    def _prior(self, gp: GaussianProcess, candidates: ArrayLike) -> Posterior:
        """The prior of f or -f; 0 - mean, because -0.0 would be a different number."""
        instance(gp, GaussianProcess, "pass GaussianProcess(RBF()), for example")
        signed = gp if self._sign > 0 else replace(gp, mean=0.0 - gp.mean)
        return Posterior.prior(signed, candidates)

    def _outstanding(self, given: ArrayLike) -> tuple[int, ...]:
        """The indices `given`; InputError unless each has its own outstanding pick."""
        chosen = tuple(self._indices(given))
        self._ledger.check_outstanding(chosen)
        return chosen

    def _indices(self, given: ArrayLike) -> list[int]:
        """The indices `given` (k,), in range."""
        found: list[int] = checked_indices(given, self._size).tolist()
        return found

    def _restore(self, ledger: Ledger, decision: Decision | None) -> None:
        """Set the outstanding picks and the open decision.

        Raises
        ------
        InputError
            For an outstanding pick with an unknown index, or a decision of another batch.
        """
        checked_indices(list(ledger.pending), self._size, "outstanding picks")
        checked_indices(list(ledger.excluded), self._size, "withdrawn picks")
        asked = [pick.index for pick in ledger.untold] if ledger.untouched else None
        got = None if decision is None else decision.indices.tolist()
        if asked != got:
            wanted = f"the decision of the open batch, {asked}"
            raise InputError(wanted, str(got), "pass what ask() returned, or None")
        self._ledger, self._decision = ledger, decision

    def _update(self, ledger: Ledger) -> None:
        self._ledger = ledger
        if not ledger.untouched:
            self._decision = None
