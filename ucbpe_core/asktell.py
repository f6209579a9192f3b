"""The verbs that `Bandit`, `BoxBandit` and `Experiment` share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, Unpack

from ucbpe_core import large
from ucbpe_core.assignment import Frozen, exclusive
from ucbpe_core.errors import InputError
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.gp import GaussianProcess
from ucbpe_core.handle import Handle, now
from ucbpe_core.history import Batch, Trial
from ucbpe_core.plausibility import Watch
from ucbpe_core.validation import count, instance, measurements, noise_variances

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import ArrayLike

    from ucbpe_core.fitting import Fit, FitOptions
    from ucbpe_core.handle import Progress
    from ucbpe_core.history import Point
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.records.history import Document
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.records.trials import Columns
    from ucbpe_core.validation import Floats, Noise


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


class AskTell(Handle):
    """A search in batches: ask for points, tell the values measured there."""

    @exclusive
    def ask(self, n: int | None = None) -> Decision:
        """The open decision; a new one if none is open, or part of it was told or withdrawn.

        Parameters
        ----------
        n : number of picks of a new batch, in place of the policy's `batch_size`

        Raises
        ------
        InputError
            For more picks than candidates, if the policy never repeats a candidate, for picks that
            a policy must not return, and for n of a policy that has no other batch size.
        NothingLeftError
            If none is left to propose: all are withdrawn or failed, or known under
            ``repeats="avoid"``.

        Warns
        -----
        PriorWarning
            For a prior that cannot be right, once until another comes into use.
        KnownValuesWarning
            Once, if f is known everywhere in R+ and `repeats` is "allow".
        """
        if self.decision is not None:
            return self.decision
        policy = self.policy if n is None else _sized(self.policy, n)
        if self._watch.is_due(len(self._history.data)):
            process = large.of_active(self._current).signed(self._sign).conditioned()
            self._watch = self._watch.look(process.gp, process.X, process.y, self._domain)
        decision = self._decide(policy, self._history.next_t)
        if self._sign < 0:
            decision = replace(decision, y_dot=-decision.y_dot)
        self._become(self._history.asked(*self._recorded(decision)))
        self._decision, self._opening = decision, self._history
        if decision.exhausted and decision.known.all():
            self._watch = self._watch.with_all_known()
        return decision

    @exclusive
    def tell(
        self,
        indices: ArrayLike | None,
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
        indices : see above; a pandas Index is read as labels. None for measurements at `points`
            that are not asked for; over a box, those within `tolerance` of an outstanding pick are
            its results (`BoxBandit`)
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
            self._become(self._history.told(results, now()), progress)

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
        >>> bandit.excluded
        (10,)
        """
        chosen = self.pending if indices is None else self._indices(indices)
        if chosen:
            self._become(self._history.withdrawn(chosen, now()))
        return chosen

    @exclusive
    def fail(self, index: ArrayLike, reason: str = "") -> tuple[int, ...]:
        """Record that the run of an outstanding pick gave no value, and why; returns its index.

        Like a withdrawn pick it is not proposed again unless `allow` is called. `index` is one of a
        pick, or several (k,).

        Raises
        ------
        InputError
            For a pick that is not outstanding; nothing is recorded.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> decision = bandit.ask()
        >>> bandit.fail(20, "the flask broke")
        (20,)
        >>> [(trial.index, trial.state, trial.reason) for trial in bandit.history.trials]
        [(0, 'pending', ''), (20, 'failed', 'the flask broke'), (10, 'pending', '')]
        """
        chosen = self._indices(index)
        if chosen:
            self._become(self._history.failed(chosen, str(reason), now()))
        return chosen

    @exclusive
    def allow(self, indices: ArrayLike | None = None) -> tuple[int, ...]:
        """Allow proposals of withdrawn or failed picks again, by index (k,) or all; returns these.

        It holds for the batches asked from now on.

        Raises
        ------
        InputError
            For a pick that was neither withdrawn nor failed; nothing changes.

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> bandit.ask().indices
        array([ 0, 20, 10])
        >>> bandit.withdraw(), bandit.ask().indices
        ((0, 20, 10), array([ 1, 19,  9]))
        >>> bandit.allow([0, 10]), bandit.excluded
        ((0, 10), (20,))
        """
        chosen = self.excluded if indices is None else self._indices(indices)
        if chosen:
            self._become(self._history.allowed(chosen))
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
        process = self.process
        noise, domain = process.known_noise, self._domain
        return fit_hyperparameters(
            process.gp, process.X, process.y, seed, noise_variance=noise, domain=domain, **options
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

        Examples
        --------
        >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
        >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=3))
        >>> bandit.tell([0, 5, 10, 15, 20], [20.0, 23.0, 21.0, 22.5, 20.5])
        >>> gp = bandit.refit()
        >>> 20.0 < gp.mean < 23.0
        True
        """
        if fit is None:
            fitted = self.fit(**options).gp
        else:
            process = self.process
            known = process.known_noise
            with_noise = {} if known.count(None) == len(known) else {"noise_variance": known}
            fitted = fit(process.gp, process.X, process.y, **with_noise, **options)
        instance(fitted, GaussianProcess, "return fit_hyperparameters(gp, X, y).gp")
        self._become(self._history.planned(replace(self._history.plan, gp=fitted)))
        return fitted

    def silence(self) -> None:
        """Have `ask` warn of nothing: neither of the prior nor of known values."""
        self._watch = Watch(silent=True)

    @exclusive
    def save(self, path: PathOrFile) -> None:
        """Write a JSON file that `load` resumes from: the next picks are identical, bit for bit.

        `docs/experiment.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written, or a file of this search with picks or results that it lacks: another
            process has saved there meanwhile. An existing file is then left unchanged.
        """
        from ucbpe_core.records import history  # not needed unless something is saved

        history.save(self.document(), path)

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
        from ucbpe_core.records import history

        return cls.resumed(history.read(path))

    @classmethod
    def resumed(cls, document: Document) -> Self:
        """The search of a file that was read by `records.history.read`; errors as `load`."""
        from ucbpe_core.records import text

        with text.building("the file"):
            handle = cls._begun(document)
            object.__setattr__(handle, "id", document.id)
            handle._resume(document.steps)
            return handle

    @exclusive
    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each trial; `docs/experiment.md` describes the columns.

        Parameters
        ----------
        path : the file, or a text file open for writing

        Raises
        ------
        InputError
            For a path that cannot be written. An existing file is then left unchanged.
        """
        from ucbpe_core.records import trials

        trials.write(path, self._history, self._columns())

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
        from ucbpe_core.records import trials

        return trials.frame(self._history, self._columns())

    def _recorded(self, decision: Decision) -> tuple[Batch, list[Trial]]:
        """A decision as a batch of its history, and its picks."""
        time, K = now(), len(decision.indices)
        batch = Batch(
            decision.t, K, decision.n, decision.beta, decision.beta_next, decision.y_dot,
            decision.exhausted, time,
        )  # fmt: skip
        scores = [None if one != one else one for one in decision.scores.tolist()]
        masked = len(decision.region_plus) > 0  # over a box there are no masks
        inside = decision.region_plus[decision.indices].tolist() if masked else [False] * K
        columns = zip(
            decision.indices.tolist(), self._where(decision), [decision.t] * K, range(K),
            decision.roles, decision.stds.tolist(), scores, inside, decision.known.tolist(),
            strict=True,
        )  # fmt: skip
        return batch, [
            Trial(j, x, t, k, role, std, score, inside, known, time=time)
            for j, x, t, k, role, std, score, inside, known in columns
        ]

    @abstractmethod
    def best(self) -> Best:
        """Where the posterior mean is best: the point to use if the search ends now."""

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
        self, indices: ArrayLike | None, points: ArrayLike | None
    ) -> tuple[Sequence[int], Sequence[Point | None]]:
        """The index of each result, -1 for none, and its point, both as in a `Trial`."""

    @abstractmethod
    def _where(self, decision: Decision) -> Sequence[Point | None]:
        """The point of each pick, as in a `Trial`."""

    @abstractmethod
    def document(self) -> Document:
        """What `save` writes of this search."""

    @classmethod
    @abstractmethod
    def _begun(cls, document: Document) -> Self:
        """A search as the file says, before anything was asked or told."""

    @abstractmethod
    def _columns(self) -> Columns:
        """Names of the inputs and labels, for a table of the trials."""


def _sized(policy: Policy, n: int) -> Policy:
    """The policy with batches of n picks."""
    size = count(n, "n")
    try:
        return replace(policy, batch_size=size)  # type: ignore[type-var]
    except TypeError:  # its batch size is not a field
        remedy = "leave n out"
        got = f"{type(policy).__name__}, whose batch_size is fixed"
        raise InputError("a policy with batches of any size", got, remedy) from None
