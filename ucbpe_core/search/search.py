"""A search in progress: ask for points, tell the values measured there, keep it in a file."""

from __future__ import annotations

import secrets
from abc import ABCMeta, abstractmethod
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from itertools import takewhile
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack

import numpy as np

from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.gp.fitting import fit_hyperparameters, fit_to_optimise
from ucbpe_core.gp.fitting.check import Watch
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.history.history import History
from ucbpe_core.history.steps import Course, Step, recorded
from ucbpe_core.policies.base import sized
from ucbpe_core.policies.batched_exploration import FirstBatch
from ucbpe_core.search.place import decided_again, signed_prior, updated
from ucbpe_core.search.worth import Worth, worth_of
from ucbpe_core.support.frozen import exclusive, lock_arrays
from ucbpe_core.support.validation import (
    Keyworded,
    count,
    instance,
    measurements,
    noise_variances,
    sign_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    from numpy.typing import ArrayLike

    from ucbpe_core.files.schema import Document, Kind
    from ucbpe_core.files.sheets import Columns
    from ucbpe_core.files.text import PathOrFile
    from ucbpe_core.gp.fitting import Fit, FitOptions
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.process import ConditionedProcess
    from ucbpe_core.history.plan import Plan
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.search.place import Best, Place, Progress
    from ucbpe_core.support.validation import Direction, Floats, Noise, Repeats, SharedBy

    Settings = Mapping[str, Any] | Sequence[Mapping[str, Any]]


MOST_FITTED = 500  # results: a fit takes some 3 s then, and a time that grows with their cube


def _of_plan(name: str, *, fixed: bool = False) -> Any:
    """An attribute of the plan in force; to assign it, unless it is fixed, makes another plan."""

    def get(search: Search) -> Any:
        return getattr(search.history.plan, name)

    @exclusive
    def assign(search: Search, value: Any) -> None:
        plan = replace(search.history.plan, **{name: value})
        search._become(search.history.planned(plan))

    return property(get, None if fixed else assign)


class Search(Keyworded, metaclass=ABCMeta):
    """A search in batches over a place: its history, and the posterior given all values told.

    Public attributes are in the user's units. Internally, `_current` is the posterior of f, or of
    -f under "minimize", since policies maximise; both have the same rows, and negation is exact.
    All parts are immutable, so `copy.copy` gives an independent search. Several threads may use
    one: while one of them asks, tells, withdraws, refits or saves, the others wait.
    """

    _kind: ClassVar[Kind]
    gp: GaussianProcess = _of_plan("gp", fixed=True)
    policy: Policy = _of_plan("policy")
    beta: BetaSchedule = _of_plan("beta")
    direction: Direction = _of_plan("direction", fixed=True)
    repeats: Repeats = _of_plan("repeats")
    shared: tuple[str, ...] = _of_plan("shared")
    shared_by: SharedBy = _of_plan("shared_by")

    def __init__(self, place: Place, plan: Plan) -> None:
        # Reentrant: what a method calls, such as `progress`, may use the object.
        self._lock = RLock()
        self.id = secrets.token_hex(8)  # by which a file is known to be of this search
        self._watch = Watch()
        place.check(plan)
        self._place = place
        self._history = History((plan,))
        self._steps: tuple[Step, ...] = (Step(now(), plans=(plan,)),)  # all that were taken
        self._current = signed_prior(plan, place.start)
        self._decision: Decision | None = None  # of the open batch, while it is untouched

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock: copies, in this process or in another one, have their own."""
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        lock_arrays(state)
        vars(self).update(state, _lock=RLock())

    @property
    def history(self) -> History:
        """All that was planned, proposed and measured: a value, which never changes."""
        return self._history

    @property
    def process(self) -> ConditionedProcess:
        """The posterior given all values told; it predicts at any point, in the units of y."""
        return self._posterior.conditioned()

    @property
    def t(self) -> int:
        """Iteration of the open batch, or of the next one if none is open."""
        return self._history.t

    @property
    def pending(self) -> tuple[int, ...]:
        """Indices of the outstanding picks (asked, not yet told), oldest first."""
        return self._history.pending

    @property
    def pending_points(self) -> Floats:
        """Points of the outstanding picks, in the same order, shape (p, d)."""
        return self._place.points(self._history.outstanding)

    @property
    def excluded(self) -> tuple[int, ...]:
        """Indices that are not proposed again, ascending: their picks were withdrawn or failed."""
        return self._history.excluded

    @property
    @exclusive
    def decision(self) -> Decision | None:
        """The decision of the open batch, until one of its picks is told, withdrawn or failed."""
        if self._decision is None and self._history.untouched:
            opened = self._current, self._history, self._steps, self._place
            self._decision = decided_again(*opened)
        return self._decision

    def __repr__(self) -> str:
        history = self._history
        best = history.best
        found = "" if best is None else f", best {best.y:.6g} at {self._place.name(best)}"
        counts = f"{len(history.data)} measured{found}; t = {history.t}"
        where, pending = self._place.extent, list(history.pending)
        return f"{type(self).__name__}({where}: {counts}, pending {pending})"

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
        FewerPicksWarning
            For a batch that shares a setting, if no more candidates or settings with it can be
            picked.
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
    def worth(self) -> Worth:
        """What the open batch, or else the next one, is expected to improve, in units of y.

        `worth_of` has the formula. Nothing changes: the batch, and the fit that is due before it,
        are the ones that `ask` makes next.

        Raises
        ------
        InputError, NothingLeftError
            As `ask`; without any result under ``fit="each batch"``; for an approximate posterior.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> bandit.tell([5, 10], [0.2, 0.7])
        >>> worth = bandit.worth()
        >>> round(worth.improvement, 2), worth.picks, round(worth.price, 2)
        (0.35, 3, 0.12)
        """
        if self._unmeasured:
            raise InputError("a result", "none", "tell some: there is no prior to go by before")
        ahead, place = copy(self), self._place
        ahead.silence()
        picks = len(ahead.ask().indices)
        X, x0 = map(place.coordinates, (ahead.pending_points, ahead.best().point[None]))
        return worth_of(ahead.process, x0, X[:-picks], X[-picks:], self._sign)

    @exclusive
    def fill(self, n: int = 1) -> Decision:
        """n picks for workers that are free while others run: results one by one, in any order.

        Always a new decision, unlike that of `ask`. The outstanding picks are hallucinated, and
        the roles of the new ones can depend on them (`Policy.with_pending`): GP-UCB-PE explores R+
        while its UCB pick is running. t counts decisions.

        Raises
        ------
        InputError, NothingLeftError
            As `ask`; and for anything but a whole batch where its picks share a setting.

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
        plan, K = self._history.plan, self.policy.batch_size
        if plan.shared and (self._history.pending or n != K):
            got = f"{n} picks while {len(self._history.pending)} are running"
            remedy = "ask for a batch once the one before is told, or leave shared out"
            wanted = f"batches of {K}, whose picks share {', '.join(plan.shared)}"
            raise InputError(wanted, got, remedy)
        if self._unmeasured:
            return self._opened(FirstBatch(count(n, "n")))
        history, fitted = self._history, self._history.plan.fitted
        # With free workers after 1, 2, 4, .. results, then after as many as a batch has.
        enough = fitted + min(max(fitted, 1), self.policy.batch_size)
        if not history.pending or len(history.data) >= enough:
            self.fit_if_due()
        roles = [pick.role for pick in history.outstanding]
        return self._opened(self.policy.with_pending(roles, n))

    @property
    def first(self) -> int:
        """Size of the first batch under ``fit="each batch"``.

        The least multiple of K that is at least 2 (d + 1), d the number of inputs, and no more than
        there are settings; K where a batch shares a setting.
        """
        size = self.policy.batch_size
        least = 1 if self._history.plan.shared else 2 * (len(self._place.settable) + 1)
        return int(min(size * -(-least // size), self._place.size))

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
        place, n = self._place, len(told.y)
        some = np.linspace(0, n - 1, min(n, MOST_FITTED)).astype(int)
        noise = [told.fixed_noise[i] for i in some]
        try:
            gp = fit_to_optimise(
                told.gp, told.points[some], told.y[some], place.seed, place.domain, noise
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
            self._watch = self._watch.look(told.gp, told.points, told.y, self._place.domain)
        refill = bool(self._history.pending)
        decision = self._place.decide(policy, self._current, self._history, self._history.next_t)
        if self._sign < 0:
            decision = replace(decision, y_dot=-decision.y_dot)
        self._become(self._history.asked(*recorded(decision, now())))
        self._decision = decision
        if self._history.plan.shared and len(decision.indices) < policy.batch_size:
            self._watch.of_fewer(len(decision.indices), self._history.plan.shared)
        if decision.exhausted and decision.known.all():
            self._watch = self._watch.with_all_known()
        elif (
            self._history.plan.fit == "each batch"
            and not (refill and len(decision.indices) == 1)  # a pending one, picked again
            and self.is_repeated(decision)
        ):
            self._watch.of_repeats()
        return decision

    def is_repeated(self, decision: Decision) -> bool:
        """Whether all its picks are settings that have a result already."""
        measured = map(tuple, self._place.points(self._history.data).tolist())
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
            y; None stands for the noise variance of the prior
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
        chosen, where = self._place.located(indices, points, self._history)
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

        They will not be measured, so no policy proposes them again, unless `allow` is called. A
        batch with no outstanding picks left is closed.

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
        chosen = self.pending if indices is None else self._place.indices(indices, self._history)
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
        chosen = self._place.indices(index, self._history)
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
        chosen = self.excluded if indices is None else self._place.indices(indices, self._history)
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

        The domain is the candidates or the box; seed and options are passed to
        `fit_hyperparameters`.

        Raises
        ------
        InputError
            For fewer than two distinct values told, or an invalid option.
        """
        told, domain = self._posterior, self._place.domain
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
            is passed too, one number or None per y. Default: `fit`
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

    @exclusive
    def save(self, path: PathOrFile, *, overwrite: bool = False) -> None:
        """Write a JSON file that `load` resumes from: the next picks are identical, bit for bit.

        `docs/files.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing
        overwrite : whether to replace whatever file is at the path

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written, a file that is not of this search, or one of this search with steps that
            this one lacks: another process has saved there meanwhile. An existing file is then left
            unchanged.
        """
        from ucbpe_core.files import history  # not needed unless something is saved

        history.save(self.document(), path, overwrite=overwrite)

    @classmethod
    def load(cls, path: PathOrFile) -> Self:
        """The search that `save` wrote, by replay of its results; no code in the file is executed.

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is truncated or altered, has another format
            or version, or has invalid content; the message gives the path of the field.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
        >>> bandit.tell([5, 10], [0.2, 0.7])
        >>> bandit.save("bandit.json")
        >>> (Bandit.load("bandit.json").ask().indices == bandit.ask().indices).all().item()
        True
        """
        from ucbpe_core.files import history

        return cls.resumed(history.read(path))

    @classmethod
    def resumed(cls, document: Document) -> Self:
        """The search of a file that was read by `records.history.read`; errors as `load`."""
        from ucbpe_core.files import text as files

        with files.building("the file"):
            document.check(cls._kind)
            search = cls._begun(document)
            search._become(document.history)
            vars(search).update(id=document.id, _steps=document.steps)
            return search

    @exclusive
    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each trial; `docs/files.md` describes the columns.

        `path` is as in `save`; `InputError` if it cannot be written.
        """
        from ucbpe_core.files import sheets

        sheets.write(path, self._history, self._table())

    @exclusive
    def to_frame(self) -> pd.DataFrame:
        """The rows and columns of `to_csv` as a pandas table.

        Raises
        ------
        InputError
            Without pandas, which the extra "study" installs.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
        >>> bandit.tell([5], [0.2])
        >>> decision = bandit.ask()
        >>> bandit.to_frame()[["state", "candidate", "y"]].values.tolist()
        [['done', 5, 0.2], ['pending', 16, nan], ['pending', 0, nan]]
        """
        from ucbpe_core.files import sheets

        return sheets.frame(self._history, self._table())

    def document(self) -> Document:
        """What `save` writes of this search."""
        from ucbpe_core.files.schema import Document

        record = {"box" if self._kind == "box" else "table": self._record()}
        return Document(self._kind, self.id, self._steps, **record)

    def _table(self) -> Columns:
        from ucbpe_core.files.sheets import Columns

        return Columns(self._place.points, self._current.candidates.shape[1], *self._place.columns)

    @exclusive
    def best(self) -> Best:
        """Where the posterior mean is best: the point to use if the search ends now."""
        return self._place.best(self._current, self._history)

    def _become(
        self, history: History, progress: Progress | None = None, step: Step | None = None
    ) -> None:
        """Take another history: the one place where it changes, and what follows from it.

        `step` is the one that was taken; default what is new. If the posterior cannot follow, an
        error is raised and nothing has changed.
        """
        before = self._history
        place = self._place_of(history)
        place.check(history.plan)
        current = updated(self._current, before, history, place, progress)
        if history.plan.gp != before.plan.gp:
            self._watch = self._watch.with_new_prior()
        if history.batches[-1:] != before.batches[-1:] or not history.untouched:
            self._decision = None
        self._place, self._current, self._history = place, current, history
        self._steps += (history.since(before, now()) if step is None else step,)

    @property
    def _sign(self) -> float:
        return sign_of(self._history.plan.direction)

    @property
    def _posterior(self) -> Posterior:
        """The posterior of f given all values told."""
        return self._current.signed(self._sign)

    def _place_of(self, history: History) -> Place:
        """What is searched, after a history."""
        return self._place

    @abstractmethod
    def _record(self) -> Any:
        """What is searched, as in a file."""

    @classmethod
    @abstractmethod
    def _begun(cls, document: Document) -> Self:
        """A search as the file says, before anything was asked or told."""


def now() -> str:
    """The current time for a history: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
