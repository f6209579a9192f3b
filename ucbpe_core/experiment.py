"""A search over a table that is kept: undo and redo, corrections, and a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from ucbpe_core.assignment import exclusive
from ucbpe_core.bandit import Bandit
from ucbpe_core.handle import now
from ucbpe_core.history import Batch, Change, Course, History, Step, Trial
from ucbpe_core.plan import Plan, Table
from ucbpe_core.validation import count, real

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.handle import Progress
    from ucbpe_core.history import Verb
    from ucbpe_core.records.history import Document
    from ucbpe_core.records.trials import Columns

__all__ = ["Batch", "Change", "Entry", "Experiment", "History", "Plan", "Table", "Trial"]


class Entry(NamedTuple):
    """A step in the journal of an experiment.

    Attributes
    ----------
    time : when it was taken, in ISO 8601
    verb : what was done
    change : what it changed; that of the step which it reverts or restores for "undo" and "redo"
    history : that it led to
    counts : whether it is in force, and not reverted

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment(Table(("x",), range(11)), plan)
    >>> decision = experiment.ask()
    >>> experiment.tell([10], [0.6])
    >>> experiment.undo()
    >>> [(entry.verb, len(entry.change.trials), entry.counts) for entry in experiment.journal]
    [('plan', 0, True), ('ask', 2, True), ('tell', 1, False), ('undo', 1, True)]
    """

    time: str
    verb: Verb
    change: Change
    history: History
    counts: bool


class Experiment(Bandit):
    """A search over the rows of a table that keeps every step: nothing recorded is lost.

    It has all verbs of `Bandit`, and can correct measurements, change the plan, undo and redo.
    `undo` reverts the last step in force, and earlier ones if repeated; it is itself a step.

    Parameters
    ----------
    table : the candidates
    plan : how batches are chosen
    name : what people call it

    Attributes
    ----------
    table, name : as given
    id, created : identifier of 16 hexadecimal digits, and when it began

    Examples
    --------
    >>> from ucbpe_core import Experiment, FiniteBeta, GaussianProcess, GPUCBPE, Matern
    >>> from ucbpe_core.experiment import Plan, Table
    >>> table = Table(("temperature (°C)",), range(20, 85, 5), output="yield (%)")
    >>> plan = Plan(GaussianProcess(Matern(15.0)), GPUCBPE(batch_size=3), FiniteBeta())
    >>> experiment = Experiment(table, plan)
    >>> experiment.ask().indices
    array([ 0, 12,  6])
    >>> experiment.tell([0, 6], [0.3, 0.8])  # any finished part
    >>> experiment
    Experiment(13 candidates: 2 measured, best 0.8 at candidate 6; t = 1, pending [12])
    >>> experiment.undo()
    >>> experiment.pending
    (0, 12, 6)
    """

    _set_once = Bandit._set_once | {"table", "name", "created"}

    def __init__(self, table: Table, plan: Plan, name: str = "Experiment") -> None:
        super().__init__(
            table.candidates, plan.gp, plan.policy, plan.beta, direction=plan.direction,
            repeats=plan.repeats,
        )  # fmt: skip
        self.table, self.name, self.created = table, name, now()
        self._taken: tuple[Step, ...] = (Step(self._history, self.created),)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self._history.plan

    @property
    def journal(self) -> tuple[Entry, ...]:
        """Every step, in order; the first one is the plan."""
        course, entries = Course(), list[Entry]()
        in_force = {id(step) for step in Course(self._taken).done}
        for step in self._taken:
            before = course.done[-1].history if course.done else None
            if step.kind == "undo" and before is not None:
                change = before.since(step.history)
            else:
                change = step.history.since(before)
            verb: Verb = step.kind or change.verb
            counts = bool(step.kind) or id(step) in in_force
            entries.append(Entry(step.time, verb, change, step.history, counts))
            course.add(step)
        return tuple(entries)

    @property
    def undoable(self) -> Change | None:
        """The change that `undo` would revert."""
        done = Course(self._taken).done
        return done[-1].history.since(done[-2].history) if len(done) > 1 else None

    @property
    def redoable(self) -> Change | None:
        """The change that `redo` would restore."""
        undone = Course(self._taken).undone
        return undone[-1].history.since(self._history) if undone else None

    @exclusive
    def correct(self, measurement: int, y: float | None) -> None:
        """Correct the value of measurement number `measurement`, from 0 in the order told.

        None voids it. Batches chosen with the old value do not change.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.experiment import Plan, Table
        >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
        >>> experiment = Experiment(Table(("x",), range(11)), plan)
        >>> experiment.tell([4, 9], [6.0, 0.2])
        >>> experiment.correct(0, 0.6)
        >>> [(trial.index, trial.y) for trial in experiment.history.data]
        [(4, 0.6), (9, 0.2)]
        """
        number = count(measurement, "measurement", minimum=0)
        self._become(self._history.corrected(number, None if y is None else real(y, "y")))

    @exclusive
    def replan(self, plan: Plan) -> None:
        """Choose the next batches by another plan; outstanding picks stay outstanding."""
        if plan != self.plan:
            self._become(self._history.planned(plan))

    @exclusive
    def undo(self) -> None:
        """Revert the last step in force; `InputError` if only the plan is left.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.experiment import Plan, Table
        >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
        >>> experiment = Experiment(Table(("x",), range(11)), plan)
        >>> experiment.tell([4], [0.6])
        >>> experiment.undo()
        >>> len(experiment.history.data)
        0
        >>> experiment.redo()
        >>> len(experiment.history.data)
        1
        """
        self._turn("undo")

    @exclusive
    def redo(self) -> None:
        """Restore the step reverted last; `InputError` if another was taken since."""
        self._turn("redo")

    def _turn(self, kind: Literal["undo", "redo"]) -> None:
        history = Course(self._taken).target(kind)
        super()._become(history)
        self._taken += (Step(history, now(), kind),)

    def _become(self, history: History, progress: Progress | None = None) -> None:
        if history is not self._history:
            super()._become(history, progress)
            self._taken += (Step(history, now()),)

    @property
    def _steps(self) -> tuple[Step, ...]:
        return self._taken

    def _resume(self, steps: Sequence[Step]) -> None:
        super()._become(steps[-1].history)
        self._taken = tuple(steps)

    def document(self) -> Document:
        from ucbpe_core.records.history import Document, LabelRecord, TableRecord

        table = self.table
        labels = tuple(LabelRecord(name, texts) for name, texts in table.labels)
        record = TableRecord.of(table.candidates, table.inputs, output=table.output, labels=labels)
        return Document("experiment", self.id, self._taken, self.name, self.created, record)

    @classmethod
    def _begun(cls, document: Document) -> Self:
        record = document.table_of("experiment")
        labels = tuple((label.name, label.texts) for label in record.labels)
        table = Table(record.inputs or (), record.points, record.output, labels)
        experiment = cls(table, document.plan, document.name)
        vars(experiment).update(created=document.created)
        return experiment

    def _columns(self) -> Columns:
        from ucbpe_core.records.trials import Columns

        table = self.table
        return Columns(self._points, len(table.inputs), table.inputs, table.labels)
