"""A search over a table that is kept: undo and redo, corrections, and a journal."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Literal, NamedTuple, Self, cast

from ucbpe_core.errors import InputError
from ucbpe_core.history.history import History, edited, rebounded, rows_to_add, widened
from ucbpe_core.history.plan import Edit, Plan
from ucbpe_core.history.steps import Batch, Course, Step, Trial
from ucbpe_core.search.bandit import Bandit
from ucbpe_core.search.place import Candidates, of_table
from ucbpe_core.search.search import Search, now
from ucbpe_core.spaces.design import Design
from ucbpe_core.support.frozen import exclusive
from ucbpe_core.support.validation import count, instance, real, texts
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.files.schema import Document, TableRecord
    from ucbpe_core.history.steps import Verb

__all__ = [
    "Batch",
    "Design",
    "Edit",
    "Entry",
    "Experiment",
    "History",
    "Plan",
    "Step",
    "Table",
    "Trial",
]


class Entry(NamedTuple):
    """A line in the journal of an experiment.

    Attributes
    ----------
    time : when it was taken, in ISO 8601
    verb : what was done
    step : what it changed; for "undo" and "redo" the step which it reverts or restores
    counts : whether it is in force, and not reverted

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.search.experiment import Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment(Table(("x",), range(11)), plan)
    >>> decision = experiment.ask(2)
    >>> experiment.tell(decision.indices[:1], [0.6])
    >>> experiment.undo()
    >>> [(entry.verb, len(entry.step.trials), entry.counts) for entry in experiment.journal]
    [('plan', 0, True), ('ask', 2, True), ('tell', 1, False), ('undo', 1, True)]
    """

    time: str
    verb: Verb
    step: Step
    counts: bool


class Experiment(Bandit):
    """A search over the rows of a table that keeps every step: nothing recorded is lost.

    It has all verbs of `Bandit`, and can correct measurements, change the plan and the table, undo
    and redo.
    `undo` reverts the last step in force, and earlier ones if repeated; it is itself a step.

    Parameters
    ----------
    table : the candidates
    plan : how batches are chosen; default `Plan.recommended` of the table, in batches of 4
    name : its name, for people

    Attributes
    ----------
    name : as given
    id, created : identifier of 16 hexadecimal digits, and when it began

    Examples
    --------
    >>> from ucbpe_core import Experiment, FiniteBeta, GaussianProcess, GPUCBPE, Matern
    >>> from ucbpe_core.search.experiment import Plan, Table
    >>> table = Table(("temperature (°C)",), range(20, 85, 5), output="yield (%)")
    >>> plan = Plan(GaussianProcess(Matern(15.0)), GPUCBPE(batch_size=3), FiniteBeta())
    >>> experiment = Experiment(table, plan)
    >>> experiment.ask().indices  # spread over the table, as there is no result to fit a prior to
    array([11,  6,  0,  7,  8,  3])
    >>> experiment.tell([11, 6], [0.3, 0.8])  # any finished part
    >>> experiment
    Experiment(13 candidates: 2 measured, best 0.8 at candidate 6; t = 1, pending [0, 7, 8, 3])
    >>> experiment.undo()
    >>> experiment.pending
    (11, 6, 0, 7, 8, 3)
    """

    _kind = "experiment"
    _first: Table

    def __init__(self, table: Table, plan: Plan | None = None, name: str = "Experiment") -> None:
        instance(table, Table, "pass Table.from_frame(frame), or Table.read(path)")
        plan = Plan.recommended(table.domain) if plan is None else plan
        Search.__init__(self, of_table(table), instance(plan, Plan, "pass Plan(gp, policy, beta)"))
        (self.name,), self._first = texts([name], "name"), table
        self._edited: tuple[tuple[Edit, ...], Table] = ((), table)  # the table after changes

    @property
    def table(self) -> Table:
        """The candidates as they are now."""
        return self._table_of(self._history)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self._history.plan

    @property
    def created(self) -> str:
        """When it began, in ISO 8601."""
        return self._steps[0].time

    @property
    def journal(self) -> tuple[Entry, ...]:
        """Every step, in order; the first one is the plan."""
        course, entries = Course(), list[Entry]()
        in_force = set(map(id, Course(self._steps).done))
        for step in self._steps:
            counts = bool(step.kind) or id(step) in in_force
            changed = course.target(step.kind) if step.kind else step
            entries.append(Entry(step.time, step.verb, changed, counts))
            course.add(step)
        return tuple(entries)

    @property
    def undoable(self) -> Step | None:
        """The step that `undo` would revert."""
        done = Course(self._steps).done
        return done[-1] if len(done) > 1 else None

    @property
    def redoable(self) -> Step | None:
        """The step that `redo` would restore."""
        undone = Course(self._steps).undone
        return undone[-1] if undone else None

    @exclusive
    def correct(self, measurement: int, y: float | None) -> None:
        """Correct the value of measurement number `measurement`, from 0 in the order told.

        None voids it. Batches chosen with the old value do not change.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.search.experiment import Plan, Table
        >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
        >>> experiment = Experiment(Table(("x",), range(11)), plan)
        >>> experiment.tell([4, 9], [6.0, 0.2])
        >>> experiment.correct(0, 0.6)
        >>> [(trial.index, trial.y) for trial in experiment.history.data]
        [(4, 0.6), (9, 0.2)]
        """
        number = count(measurement, "measurement", minimum=0)
        corrected = self._history.corrected(number, None if y is None else real(y, "y"))
        if corrected is not self._history:
            self._become(corrected)

    @exclusive
    def replan(self, plan: Plan) -> None:
        """Choose the next batches by another plan; outstanding picks stay outstanding."""
        if instance(plan, Plan, "pass Plan(gp, policy, beta)") != self.plan:
            self._become(self._history.planned(plan))

    @exclusive
    def add(self, points: ArrayLike, labels: Sequence[Sequence[str]] = ()) -> None:
        """Add candidates, (k, d), at the end of the table, with the texts of their labels.

        Outstanding picks stay outstanding; the next batch is chosen from the new table.
        `InputError` for a row that the table has already.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.search.experiment import Plan, Table
        >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
        >>> experiment = Experiment(Table(("x",), range(4)), plan)
        >>> experiment.add([7, 8])
        >>> experiment.remove([0])
        >>> experiment.widen("x", [9])
        >>> experiment.table.candidates.ravel()
        array([1., 2., 3., 7., 8., 9.])
        """
        self._edit(rows_to_add(self.table, points, labels))

    @exclusive
    def remove(self, indices: ArrayLike) -> None:
        """Remove candidates, by index (k,): those after them get lower ones.

        What was measured there still counts; a pick outstanding there is withdrawn.
        """
        gone = sorted(set(self._place.indices(indices, self._history)))
        points = map(tuple, self.candidates[gone].tolist())
        self._edit(Edit(removed=tuple(gone), points=tuple(points)))

    @exclusive
    def widen(self, name: str, values: ArrayLike) -> None:
        """Add values of one input, each with all that the other inputs have together."""
        self._edit(widened(self.table, name, values))

    @exclusive
    def set_range(self, name: str, low: float, high: float) -> None:
        """Widen or narrow the range of an input, in a table that was made of ranges.

        The table then has the rows of the new ranges, and the measured or outstanding rows within
        them. A pick outstanding elsewhere is withdrawn; results elsewhere still count.

        Raises
        ------
        InputError
            For a list of candidates, and an input without a range.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.spaces import Real
        >>> from ucbpe_core.search.experiment import Design, Plan, Table
        >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
        >>> design = Design(("heat",), (Real(20, 80, step=20),), most=100)
        >>> experiment = Experiment(Table.of(design), plan)
        >>> experiment.set_range("heat", 40, 120)
        >>> experiment.table.candidates.ravel()
        array([ 40.,  60.,  80., 100., 120.])
        """
        history = self._history
        trials = (*history.data, *history.outstanding)
        used = map(tuple, self._place.points(trials).tolist()) if trials else ()
        self._edit(rebounded(self.table, name, low, high, tuple(used)))

    def _edit(self, edit: Edit) -> None:
        if edit.removed or edit.added:
            edited(self.table, edit)  # before anything changes
            self._become(self._history.edited(edit, len(self.table), now()))

    @exclusive
    def undo(self, step: Step | None = None) -> None:
        """Revert the last step in force; `InputError` if only the plan is left.

        `step` is the one that is meant, as `undoable` gave it: `InputError` if another one was
        taken since.

        Examples
        --------
        >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
        >>> from ucbpe_core.search.experiment import Plan, Table
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
        self._turn("undo", step)

    @exclusive
    def redo(self, step: Step | None = None) -> None:
        """Restore the step reverted last; `InputError` if another was taken since.

        `step` is the one that is meant, as `redoable` gave it.
        """
        self._turn("redo", step)

    def _turn(self, kind: Literal["undo", "redo"], expected: Step | None) -> None:
        step = Course(self._steps).target(kind)
        if expected is not None and step != expected:
            wanted = f"the step to {kind} to be the one meant, {expected.verb}"
            raise InputError(wanted, step.verb, "look at what was done since, and choose again")
        history = self._history
        history = history.before([step]) if kind == "undo" else history.after([step])
        self._become(history, step=Step(now(), kind))

    def document(self) -> Document:
        return replace(super().document(), name=self.name)

    @classmethod
    def _begun(cls, document: Document) -> Self:
        table = cast("TableRecord", document.table).table()
        return cls(table, document.plan, document.name)

    def _table_of(self, history: History) -> Table:
        known, table = self._edited
        if known != history.edits:
            table = reduce(edited, history.edits, self._first)
            self._edited = history.edits, table
        return table

    def _place_of(self, history: History) -> Candidates:
        same = history.edits == self._history.edits
        return self._place if same else of_table(self._table_of(history))
