"""A real experiment that is saved: a plan, and the journal of all that happened."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_core.experiment import file, file_csv
from ucbpe_core.experiment.journal import (
    Allowed,
    Asked,
    Corrected,
    Planned,
    Redid,
    Told,
    Undid,
    Withdrew,
    now,
)
from ucbpe_core.experiment.replay import Replayed
from ucbpe_core.validation import count, indices, measurements, noise_variances, real

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.experiment.file import Check
    from ucbpe_core.experiment.journal import Entry
    from ucbpe_core.experiment.plan import Plan, Table
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.validation import Noise


@dataclass(frozen=True, eq=False)
class Experiment(Replayed):
    """An experiment over the rows of a table. Immutable: every step returns another experiment.

    `ask` proposes a batch, `tell` records results in any order and part by part, and outstanding
    picks are hallucinated, as in `Bandit`. No recorded result is lost: `undo` reverts the last
    entry of the journal, and earlier ones if repeated, by adding an entry. A step that raises
    changes nothing.

    Build one with `Experiment.begin`, or read it with `Experiment.load`.

    Attributes
    ----------
    table : the candidates
    journal : all that happened, in order; the first entry is the plan
    name, id, created : display name, identifier of 16 hexadecimal digits, when it began

    Examples
    --------
    >>> from ucbpe_core import Experiment, FiniteBeta, GaussianProcess, GPUCBPE, Matern
    >>> from ucbpe_core.experiment import Plan, Table
    >>> table = Table(("temperature (°C)",), range(20, 85, 5), output="yield (%)")
    >>> plan = Plan(GaussianProcess(Matern(15.0)), GPUCBPE(batch_size=3), FiniteBeta())
    >>> experiment = Experiment.begin(table, plan).ask()
    >>> experiment.decision.indices
    array([ 0, 12,  6])
    >>> experiment.tell([0, 6], [0.3, 0.8]).best_measured().y
    0.8
    """

    @classmethod
    def begin(
        cls, table: Table, plan: Plan, name: str = "Experiment", *, time: str | None = None
    ) -> Experiment:
        """An experiment in which nothing has been asked or told."""
        first = Planned.of(plan, time or now())
        return cls(table, (first,), name, secrets.token_hex(8), first.time)

    def save(self, path: PathOrFile) -> None:
        """Write a JSON file that `load` reads back; `docs/experiment.md` describes its fields.

        Parameters
        ----------
        path : the file, or a text file open for writing

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, a path that cannot
            be written, or a file with entries of this experiment that this journal lacks, saved by
            another process. The existing file is then left unchanged.
        """
        file.save(self, path)

    @classmethod
    def load(cls, path: PathOrFile, check: Check | None = None) -> Experiment:
        """The experiment that `save` wrote; it continues as the original would.

        Picks are those in the file, on every machine. The posterior is conditioned again: on
        one machine that gives the same bits, on another it differs by rounding. Nothing in the
        file is executed.

        Parameters
        ----------
        path : the file, or a text file open for reading
        check : called with the table and the journal before anything is computed from them; if it
            raises, loading ends

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is truncated or altered, has another format
            or version, or is inconsistent.
        """
        return file.load(path, cls, check)

    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each measurement that counts; `docs/experiment.md` has the columns.

        Parameters and errors are those of `save`.
        """
        file_csv.write(self, path)

    def ask(self, *, time: str | None = None) -> Experiment:
        """Open the next batch; returns the experiment itself while a batch is open without results.

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
            For a prior that cannot be right, once for each plan.
        """
        if self.decision is not None:
            return self
        bandit = self.bandit
        bandit._warned = self._warned
        after = self._with(Asked.of(bandit.ask(), time or now()))
        object.__setattr__(after, "_warned", bandit._warned)
        return after

    def tell(
        self,
        candidates: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        *,
        time: str | None = None,
    ) -> Experiment:
        """Record measurements y (k,) at the candidates (k,), asked or not.

        `noise_variance` is the known noise variance of each, a number or (k,), in squared units of
        y; None stands for that of the prior.

        Raises
        ------
        InputError
            For no result, an unknown candidate, NaN, infinities or shapes that do not agree. A pick
            that gave no value is withdrawn instead.
        """
        chosen = indices(candidates, len(self.table), "candidates")
        count(len(chosen), "the number of results")
        measured = measurements(y, len(chosen))
        noise = noise_variances(noise_variance, len(chosen))
        known = None if noise.count(None) == len(noise) else noise
        told = Told(time or now(), tuple(chosen.tolist()), tuple(measured.tolist()), known)
        return self._with(told)

    def withdraw(
        self, candidates: ArrayLike | None = None, *, time: str | None = None
    ) -> Experiment:
        """Withdraw outstanding picks: all of them, or those at these candidates.

        They will not be measured, so that no plan proposes these candidates again, unless `allow`
        is called.
        """
        given = self.ledger.pending
        if candidates is not None:
            given = tuple(indices(candidates, len(self.table), "candidates").tolist())
        count(len(given), "the number of outstanding picks to withdraw")
        return self._with(Withdrew(time or now(), given))

    def allow(self, candidates: ArrayLike | None = None, *, time: str | None = None) -> Experiment:
        """Allow proposals of withdrawn candidates again: of all of them, or of these."""
        given = self.withdrawn
        if candidates is not None:
            given = tuple(indices(candidates, len(self.table), "candidates").tolist())
        count(len(given), "the number of withdrawn candidates to allow")
        return self._with(Allowed(time or now(), given))

    def correct(self, measurement: int, y: float | None, *, time: str | None = None) -> Experiment:
        """Correct the value of measurement number `measurement`, from 0 in the order recorded.

        None voids it. Batches chosen with the old value do not change.
        """
        number = count(measurement, "measurement", minimum=0)
        value = None if y is None else real(y, "y")
        return self._with(Corrected(time or now(), number, value))

    def replan(self, plan: Plan, *, time: str | None = None) -> Experiment:
        """Choose the next batches by another plan; outstanding picks stay outstanding."""
        return self if plan == self.plan else self._with(Planned.of(plan, time or now()))

    def undo(self, *, time: str | None = None) -> Experiment:
        """Revert the last entry in force; `InputError` if only the plan is left.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.experiment import Plan, Table
        >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
        >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).tell([4], [0.6])
        >>> experiment.undo().known, experiment.undo().redo().known
        ((), ((4, 0.6),))
        """
        return self._with(Undid(time or now()))

    def redo(self, *, time: str | None = None) -> Experiment:
        """Restore the entry reverted last; `InputError` if another step was taken since."""
        return self._with(Redid(time or now()))

    def _with(self, entry: Entry) -> Experiment:
        journal = (*self.journal, entry)
        after = Experiment(self.table, journal, self.name, self.id, self.created, self)
        object.__setattr__(after, "_warned", self._warned and after.plan.gp == self.plan.gp)
        return after
