"""The verbs that `Bandit`, `BoxBandit` and `Experiment` share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ucbpe_core.assignment import Frozen, exclusive
from ucbpe_core.errors import UCBPEError
from ucbpe_core.fitting import fit_hyperparameters, fit_to_optimise
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.handle import now
from ucbpe_core.plausibility import Watch
from ucbpe_core.policies.base import sized
from ucbpe_core.policies.first_batch import FirstBatch
from ucbpe_core.saving import Saving
from ucbpe_core.steps import Course, recorded
from ucbpe_core.validation import count, instance, measurements, noise_variances

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.fitting import Fit, FitOptions
    from ucbpe_core.handle import Progress, Settings
    from ucbpe_core.history import History
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.steps import Point
    from ucbpe_core.validation import Floats, Noise


MOST_FITTED = 500  # results: a fit takes some 3 s then, and a time that grows with their cube


@dataclass(frozen=True, eq=False)
class Best(Frozen):
    """Where the posterior mean is best: the point to use if the search ends now.

    Attributes
    ----------
    index : of the candidate; -1 over a box
    point : shape (d,)
    value, std : posterior mean and standard deviation of f there

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> best = bandit.best()
    >>> best.index, best.point, round(best.value, 2), round(best.std, 2)
    (10, array([10.]), 0.69, 0.1)
    """

    index: int
    point: Floats
    value: float
    std: float


class AskTell(Saving):
    """A search in batches: ask for points, tell the values measured there."""

    @exclusive
    def ask(self, n: int | None = None) -> Decision:
        """The open decision; a new one if none is open, or if part of it was told or withdrawn.

        Under ``fit="each batch"`` the prior is fitted first, if it has not been since the last
        result; before there is a result, the picks are spread over X.

        Parameters
        ----------
        n : number of picks of a new batch, in place of the policy's `batch_size`, or of `first`

        Raises
        ------
        InputError
            For more picks than candidates, if the policy never repeats a candidate, for picks that
            a policy must not return, and for n of a policy that has no other batch size.
        NothingLeftError
            If no candidate is left to propose: all are withdrawn or failed, or known under
            ``repeats="avoid"``.

        Warns
        -----
        PriorWarning
            For a prior that cannot be right, once until another comes into use.
        RepeatsWarning
            Under ``fit="each batch"``, for a batch in which every pick was measured before.
        KnownValuesWarning
            Once, if f is known everywhere in R+ and `repeats` is "allow".
        """
        if self.decision is not None:
            return self.decision
        if self._unmeasured:
            return self._opened(FirstBatch(self.first if n is None else count(n, "n")))
        self.fit_if_due()
        return self._opened(self.policy if n is None else sized(self.policy, n))

    @exclusive
    def fill(self, n: int = 1) -> Decision:
        """n picks for workers that are free while others run: results one by one, in any order.

        Always a new decision, unlike that of `ask`. The outstanding picks are hallucinated, and
        what role the new ones have can depend on them (`Policy.beside`): GP-UCB-PE explores R+
        while its UCB pick is running. t counts decisions.

        Raises
        ------
        InputError, NothingLeftError
            As `ask`.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> bandit.fill(3).indices
        array([ 0, 20, 10])
        >>> bandit.tell([20], [0.5])  # the second worker is free
        >>> bandit.fill().roles, bandit.pending
        (('pe',), (0, 10, 5))
        """
        if self._unmeasured:
            return self._opened(FirstBatch(count(n, "n")))
        history, fitted = self._history, self._history.plan.fitted
        # With free workers after 1, 2, 4, .. results, then after as many as a batch has.
        enough = fitted + min(max(fitted, 1), self.policy.batch_size)
        if not history.pending or len(history.data) >= enough:
            self.fit_if_due()
        roles = [pick.role for pick in history.outstanding]
        return self._opened(self.policy.beside(roles, n))

    @property
    def first(self) -> int:
        """Size of the first batch under ``fit="each batch"``.

        The least multiple of K that is at least 2 (d + 1), d the number of inputs, and no more than
        there are settings.
        """
        size, least = self.policy.batch_size, 2 * (self._inputs + 1)
        return int(min(size * -(-least // size), self._settings))

    @property
    def _unmeasured(self) -> bool:
        """Whether there is no result yet that a prior could be fitted to."""
        return self._history.plan.fit == "each batch" and not self._history.data

    @property
    def fit_is_due(self) -> bool:
        """Whether, under ``fit="each batch"``, a result came or changed since the last fit."""
        history = self._history
        if history.plan.fit == "never" or not history.data:
            return False
        since = takewhile(lambda step: not step.plans, reversed(Course(self._steps).done))
        return not history.plan.fitted or any(step.changes_data for step in since)

    @exclusive
    def fit_if_due(self) -> bool:
        """Fit the prior to all results now, if that is due; returns whether it was fitted.

        `ask` does it, and `tell` with the last result of a batch. Of more than `MOST_FITTED`
        results it is fitted to so many, evenly spaced in the order told.

        Warns
        -----
        PriorWarning
            If no prior can be fitted to the results; the one in force stays.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> gp = GaussianProcess(Matern())
        >>> bandit = Bandit(range(21), gp, GPUCBPE(batch_size=3), fit="each batch")
        >>> bandit.tell([2, 10, 18], [68.0, 83.0, 71.0])
        >>> bandit.fit_if_due(), bandit.fit_if_due()
        (True, False)
        >>> bandit.history.plan.fitted, round(bandit.gp.mean)
        (3, 74)
        """
        if not self.fit_is_due:
            return False
        told, history = self._posterior, self._history
        n = len(told.y)
        some = np.linspace(0, n - 1, min(n, MOST_FITTED)).astype(int)
        noise = [told.fixed_noise[i] for i in some]
        try:
            gp = fit_to_optimise(
                told.gp, told.points[some], told.y[some], self._fit_seed, self._domain, noise
            )
            fitted = history.planned(replace(history.plan, gp=gp), fitted=len(history.data))
            self._become(fitted)
        except UCBPEError as error:  # results are never lost for want of a fit
            self._watch = self._watch.without_fit(error)
            return False
        return True

    def _opened(self, policy: Policy) -> Decision:
        """The decision of a new batch by this policy."""
        if self._watch.is_due(len(self._history.data)):
            told = self._posterior
            self._watch = self._watch.look(told.gp, told.points, told.y, self._domain)
        beside = bool(self._history.pending)
        decision = self._decide(policy, self._history.next_t)
        if self._sign < 0:
            decision = replace(decision, y_dot=-decision.y_dot)
        self._become(self._history.asked(*recorded(decision, now())))
        self._decision = decision
        if decision.exhausted and decision.known.all():
            self._watch = self._watch.with_all_known()
        elif (
            self._history.plan.fit == "each batch"
            and not (beside and len(decision.indices) == 1)  # one of those that are running
            and self.is_repeated(decision)
        ):
            self._watch.of_repeats()
        return decision

    def is_repeated(self, decision: Decision) -> bool:
        """Whether all its picks are settings that have a result already."""
        measured = map(tuple, self._points(self._history.data).tolist())
        return set(measured).issuperset(map(tuple, decision.points.tolist()))

    @exclusive
    def tell(
        self,
        indices: ArrayLike | Settings | None,
        y: ArrayLike,
        noise_variance: Noise = None,
        *,
        points: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Add measurements y (k,) at `indices` (k,): of candidates, or of picks on a box.

        A value at an outstanding pick is the result of that pick; any other value is an observation
        made outside the batches (e.g. an initial one) and does not advance t.

        Parameters
        ----------
        indices : see above. Or labels, as texts or a pandas Index; settings of a box with names, as
            dicts; or the rows of `Decision.to_frame`. None for measurements at `points` that are
            not asked for; over a box, those within `tolerance` of an outstanding pick are its
            results (`BoxBandit`)
        y : values, (k,)
        noise_variance : known noise variance of each value, a number or (k,), in squared units of
            y; None stands for that of the prior
        points : settings that were really used, (k, d), at any distance from the candidates or
            picks; default these
        progress : called as progress(done, total) during long updates; if it raises, the update is
            cancelled and nothing is added

        Raises
        ------
        InputError
            For an unknown index or label, NaN, infinities, shapes that do not agree or a negative
            noise variance; nothing is added. For a run that gave no value, see `fail`.
        TooLargeError
            If the posterior would not fit in memory; nothing is added.
        IllConditionedError
            When the covariance of the data is not positive definite; nothing is added.
        """
        chosen, where = self._located(indices, points)
        measured = measurements(y, len(chosen)).tolist()
        noise = noise_variances(noise_variance, len(chosen))
        if chosen:
            results = zip(chosen, where, measured, noise, strict=True)
            batch = bool(self._history.pending)
            self._become(self._history.told(results, now()), progress)
            if batch and not self._history.pending:
                self.fit_if_due()

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
        >>> bandit.ask().indices
        array([ 0, 20, 10])
        >>> bandit.withdraw([10]), bandit.fail(20, "the flask broke"), bandit.pending
        ((10,), (20,), (0,))
        >>> bandit.allow([10]), bandit.excluded
        ((10,), (20,))
        """
        chosen = self.pending if indices is None else self._indices(indices)
        return self._ended(chosen, lambda history: history.withdrawn(chosen, now()))

    @exclusive
    def fail(self, index: ArrayLike, reason: str = "") -> tuple[int, ...]:
        """Record that the run of an outstanding pick gave no value, and why; returns its index.

        Like a withdrawn pick it is not proposed again unless `allow` is called. `index` is one of a
        pick, or several (k,).

        Raises
        ------
        InputError
            For a pick that is not outstanding; nothing is recorded.
        """
        chosen = self._indices(index)
        return self._ended(chosen, lambda history: history.failed(chosen, str(reason), now()))

    @exclusive
    def allow(self, indices: ArrayLike | None = None) -> tuple[int, ...]:
        """Allow proposals of withdrawn or failed picks again, by index (k,) or all; returns these.

        It holds for the batches asked from now on.

        Raises
        ------
        InputError
            For a pick that was neither withdrawn nor failed; nothing changes.
        """
        chosen = self.excluded if indices is None else self._indices(indices)
        return self._ended(chosen, lambda history: history.allowed(chosen))

    def _ended(
        self, chosen: tuple[int, ...], verb: Callable[[History], History]
    ) -> tuple[int, ...]:
        if chosen:
            self._become(verb(self._history))
        return chosen

    @exclusive
    def fit(self, seed: int | np.random.Generator = 0, **options: Unpack[FitOptions]) -> Fit:
        """The prior fitted to all values told by `fit_hyperparameters`; nothing changes.

        The domain is the candidates or the box; seed and options are those of
        `fit_hyperparameters`.

        Raises
        ------
        InputError
            For fewer than two distinct values told, or an invalid option.
        """
        told, domain = self._posterior, self._domain
        noise = told.fixed_noise
        return fit_hyperparameters(
            told.gp, told.points, told.y, seed, noise_variance=noise, domain=domain, **options
        )

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
            is passed too, one number or None per y. Default: `AskTell.fit`
        options : starts, workers, priors, fixed and bounds of `fit_hyperparameters`

        Raises
        ------
        InputError
            For fewer than two distinct values told, an invalid option, or if `fit` does not return
            a GaussianProcess; the prior is kept.
        """
        if fit is None:
            fitted = self.fit(**options).gp
        else:
            told = self._posterior
            fixed = told.fixed_noise
            with_noise = {} if fixed.count(None) == len(fixed) else {"noise_variance": fixed}
            fitted = fit(told.gp, told.points, told.y, **with_noise, **options)
        instance(fitted, GaussianProcess, "return fit_hyperparameters(gp, X, y).gp")
        self._become(self._history.planned(replace(self._history.plan, gp=fitted)))
        return fitted

    def silence(self) -> None:
        """Turn off the warnings of `ask`, about the prior and about known values."""
        self._watch = Watch(silent=True)

    @abstractmethod
    def best(self) -> Best:
        """Where the posterior mean is best: the point to use if the search ends now."""

    @property
    @abstractmethod
    def _inputs(self) -> int:
        """How many inputs a person sets."""

    @property
    @abstractmethod
    def _settings(self) -> float:
        """How many settings there are; infinite for a range."""

    @property
    def _fit_seed(self) -> int:
        """The seed of a fit before a batch."""
        return 0

    @property
    @abstractmethod
    def _domain(self) -> Floats:
        """Points (m, d) whose extents are those of the candidates, or of the box."""

    @abstractmethod
    def _decide(self, policy: Policy, t: int) -> Decision:
        """Batch t, of f or of -f."""

    @abstractmethod
    def _indices(self, given: ArrayLike) -> tuple[int, ...]:
        """The indices `given` (k,), in range."""

    @abstractmethod
    def _located(
        self, indices: Any, points: ArrayLike | None
    ) -> tuple[Sequence[int], Sequence[Point | None]]:
        """The index of each result, -1 for none, and its point, both as in a `Trial`."""


def column_of_picks(given: Any) -> Any:
    """The numbers of picks in rows of `Decision.to_frame`; anything else as it is."""
    return given["candidate"] if "candidate" in getattr(given, "columns", ()) else given
