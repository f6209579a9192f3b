"""The history of a search: every point that was proposed or measured, as one immutable value.

Outstanding picks, the number t of the batch, the data of the posterior, the table and the file all
follow from it. Each verb returns another history, which shares all trials that did not change.
`Edits` change a table of candidates in the middle of a search: rows removed and rows added.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from operator import attrgetter, is_not
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.history.plan import Edit
from ucbpe_core.history.steps import Batch, Changed, Step, Trial
from ucbpe_core.spaces.space import Space
from ucbpe_core.support.validation import finite, numeric, sign_of
from ucbpe_core.support.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.history.plan import Plan
    from ucbpe_core.history.steps import Datum
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.tables.table import Table


@dataclass(frozen=True)
class History:
    """Trials, batches and plans, each in the order in which they came. No verb changes it.

    A verb that cannot be carried out raises `InputError`.

    Attributes
    ----------
    plans : the plans; the last one is in force
    trials : the trials; a pick stays where it was asked, whatever becomes of it
    batches : the batches
    edits : the changes of the table

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
    >>> before = bandit.history
    >>> bandit.tell([5, 10], [0.2, 0.7])
    >>> len(before.measured), [(trial.index, trial.y) for trial in bandit.history.measured]
    (0, [(5, 0.2), (10, 0.7)])
    """

    plans: tuple[Plan, ...]
    trials: tuple[Trial, ...] = ()
    batches: tuple[Batch, ...] = ()
    edits: tuple[Edit, ...] = ()

    @cached_property
    def plan(self) -> Plan:
        """The plan in force."""
        return self.plans[-1]

    @cached_property
    def outstanding(self) -> tuple[Trial, ...]:
        """The picks without a result, oldest first."""
        return tuple([self.trials[i] for i in self._pending])

    @property
    def pending(self) -> tuple[int, ...]:
        """Their indices."""
        return tuple([pick.index for pick in self.outstanding])

    @cached_property
    def measured(self) -> tuple[Trial, ...]:
        """Every measurement in the order told, void ones too."""
        told = [trial for trial in self.trials if trial.place >= 0]
        return tuple(sorted(told, key=attrgetter("place")))

    @cached_property
    def data(self) -> tuple[Trial, ...]:
        """Every measurement that counts, in the order told."""
        return tuple([trial for trial in self.measured if trial.y is not None])

    @property
    def excluded(self) -> tuple[int, ...]:
        """Indices that are not proposed again, ascending: of picks withdrawn or failed."""
        return tuple(sorted({trial.index for trial in self.gone if trial.index >= 0}))

    @property
    def gone(self) -> tuple[Trial, ...]:
        """The picks withdrawn or failed that are not allowed again, as asked."""
        return tuple([self.trials[i] for i in self._gone])

    @property
    def best(self) -> Trial | None:
        """The measurement with the best value under the plan in force; of several, the first."""
        sign = sign_of(self.plan.direction)
        return max(self.data, key=lambda trial: sign * (trial.y or 0.0), default=None)

    @cached_property
    def open_picks(self) -> tuple[Trial, ...]:
        """The picks of the last batch that are outstanding."""
        last = self.batches[-1].t if self.batches else 0
        return tuple([trial for trial in self.outstanding if trial.t == last])

    @property
    def untouched(self) -> bool:
        """Whether a batch is open with all its picks outstanding, from the table as it is."""
        if not self.batches or (self.edits and self.edits[-1].since == len(self.batches)):
            return False
        return len(self.open_picks) == self.batches[-1].size

    @property
    def t(self) -> int:
        """Iteration of the open batch, or of the next one if none is open.

        A batch without outstanding picks is closed; t advances if it had any result.
        """
        if not self.batches:
            return 1
        t = self.batches[-1].t
        return t + (not self.open_picks and any(trial.t == t for trial in reversed(self.measured)))

    @property
    def next_t(self) -> int:
        """Iteration of a batch that is asked for now."""
        return self.t + bool(self.open_picks)

    def plan_of(self, trial: Trial) -> Plan:
        """The plan that chose a pick; the one in force for any other trial."""
        every = len(self.batches)
        # Of batches with the same t, all but the last were withdrawn as a whole.
        number = next((i for i in reversed(range(every)) if self.batches[i].t == trial.t), every)
        return next(plan for plan in reversed(self.plans) if plan.since <= number)

    def planned(self, plan: Plan, fitted: int = 0) -> History:
        """After another plan for the batches to come, its prior `fitted` to so many results."""
        plan = replace(plan, since=len(self.batches), fitted=fitted)
        return replace(self, plans=(*self.plans, plan))

    def edited(self, edit: Edit, size: int, time: str = "") -> History:
        """After a change of the table, which had `size` rows."""
        edits = (*self.edits, edit._replace(since=len(self.batches)))
        trials = list(self.trials)
        for number, trial in moved(trials, edit, size, time).items():
            trials[number] = trial
        return replace(self, trials=tuple(trials), edits=edits)

    def asked(self, batch: Batch, picks: Sequence[Trial]) -> History:
        """After a batch was asked for."""
        return self._with({}, picks, (batch,))

    def told(
        self, results: Iterable[Datum], time: str = "", numbers: Sequence[int] | None = None
    ) -> History:
        """After results, each as (index, point, y, noise variance).

        A result at an outstanding pick belongs to the oldest pick there. Any other result becomes a
        trial of its own. A caller who knows the trials passes their `numbers`: a candidate can be
        outstanding twice.
        """
        left, changed, new = list(self._pending), dict[int, Trial](), list[Trial]()
        for place, (index, point, y, noise) in enumerate(results, start=len(self.measured)):
            if numbers is None:
                same = [i for i in left if self.trials[i].index == index]
            else:
                same = [numbers[place - len(self.measured)]]
            if not same:
                measured = Trial(index, point, y=y, noise_variance=noise, state="done", place=place)
                new.append(measured._replace(time=time))
                continue
            number = same[0]
            left.remove(number)
            changed[number] = self.trials[number]._replace(
                point=point, y=y, noise_variance=noise, state="done", place=place, time=time
            )
        return self._with(changed, new)

    def withdrawn(self, indices: Iterable[int], time: str = "") -> History:
        """After outstanding picks were withdrawn, of each index the oldest."""
        return self._changed(self.oldest(indices), state="withdrawn", time=time)

    def failed(self, indices: Iterable[int], reason: str = "", time: str = "") -> History:
        """After the runs of outstanding picks gave no value, of each index the oldest."""
        return self._changed(self.oldest(indices), state="failed", reason=reason, time=time)

    def allowed(self, indices: Iterable[int]) -> History:
        """After withdrawn or failed picks may be proposed again."""
        chosen = set(indices)
        unknown = chosen.difference(self.excluded)
        if unknown:
            remedy = f"name some of {list(self.excluded)}"
            raise InputError("a withdrawn or failed pick", str(min(unknown)), remedy)
        numbers = [i for i in self._gone if self.trials[i].index in chosen]
        return self._changed(numbers, allowed=True)

    def corrected(self, place: int, y: float | None) -> History:
        """After measurement number `place` was given another value; None: it is void."""
        size = len(self.measured)
        if not 0 <= place < size:
            wanted = f"a measurement from 0 to {size - 1}" if size else "a measurement"
            raise InputError(wanted, str(place), "they count from 0 in the order told")
        if self.measured[place].y == y:
            return self
        return self._changed([self.trials.index(self.measured[place])], y=y)

    def oldest(self, indices: Iterable[int]) -> list[int]:
        """The numbers of outstanding picks, of each index the oldest: it has waited longest.

        InputError unless each of `indices` has its own.
        """
        left, found = list(self._pending), list[int]()
        for index in indices:
            number = next((i for i in left if self.trials[i].index == index), None)
            if number is None:
                remedy = f"name each once, among {list(self.pending)}"
                raise InputError("an outstanding pick", str(index), remedy)
            left.remove(number)
            found.append(number)
        return found

    def since(self, before: History, time: str = "") -> Step:
        """The step that leads here from an earlier history."""
        n = len(before.trials)
        # By identity: a verb shares what it does not change.
        numbers = compress(range(n), map(is_not, before.trials, self.trials))
        return Step(
            time,
            plans=self.plans[len(before.plans) :],
            batches=self.batches[len(before.batches) :],
            added=self.trials[n:],
            changed=tuple([Changed(i, self.trials[i], before.trials[i]) for i in numbers]),
            edits=self.edits[len(before.edits) :],
        )

    def after(self, steps: Iterable[Step]) -> History:
        """After steps, undo and redo not among them."""
        return self._through(steps, Step.take)

    def before(self, steps: Iterable[Step]) -> History:
        """Before the steps that led here, the last one first."""
        return self._through(steps, Step.revert)

    @cached_property
    def _pending(self) -> tuple[int, ...]:
        """The numbers of the picks without a result."""
        return tuple([i for i, trial in enumerate(self.trials) if trial.state == "pending"])

    @cached_property
    def _gone(self) -> tuple[int, ...]:
        """The numbers of the picks that are not proposed again."""
        ended = [i for i, trial in enumerate(self.trials) if trial.state in ("withdrawn", "failed")]
        return tuple([i for i in ended if self.trials[i].excluded])

    def _through(self, steps: Iterable[Step], way: Callable[..., None]) -> History:
        parts = list(self.plans), list(self.trials), list(self.batches), list(self.edits)
        for step in steps:
            way(step, *parts)
        plans, trials, batches, edits = parts
        return History(tuple(plans), tuple(trials), tuple(batches), tuple(edits))

    def _changed(self, numbers: Iterable[int], **outcome: Any) -> History:
        return self._with({i: self.trials[i]._replace(**outcome) for i in numbers})

    def _with(
        self,
        changed: Mapping[int, Trial],
        new: Sequence[Trial] = (),
        batches: tuple[Batch, ...] = (),
    ) -> History:
        """The history with some trials, by number, changed, others added, and more batches."""
        trials = [*self.trials, *new]
        for number, trial in changed.items():
            trials[number] = trial
        return History(self.plans, tuple(trials), self.batches + batches, self.edits)


_DIGITS = 9  # of a range: points that differ in later ones are the same but for rounding


def edited(table: Table, edit: Edit) -> Table:
    """The table after a change; `InputError` unless it has the rows removed, and keeps one."""
    M, d = len(table), len(table.inputs)
    gone = list(edit.removed)
    inside = gone == sorted(set(gone)) and all(0 <= j < M for j in gone)
    if not inside or [*map(tuple, table.candidates[gone].tolist())] != [*edit.points]:
        remedy = "name rows of the table as it is now"
        raise InputError(f"rows of a table of {M} to remove", str(gone), remedy)
    if M + edit.growth < 1:
        raise InputError("a table with at least one row", "none", "add rows before you remove all")
    texts = edit.labels or ((("",) * len(table.labels)),) * len(edit.added)
    if [len(one) for one in texts] != [len(table.labels)] * len(edit.added):
        wanted = f"{len(table.labels)} labels for each of {len(edit.added)} rows"
        raise InputError(wanted, str([len(one) for one in texts]), "give one text for each label")
    kept = np.delete(np.arange(M), gone)
    labels = tuple(
        (name, (*(column[j] for j in kept), *(one[i] for one in texts)))
        for i, (name, column) in enumerate(table.labels)
    )
    new = checked_points(edit.added, "points", d) if edit.added else table.candidates[:0]
    X = np.vstack([table.candidates[kept], new])
    design = edit.design or table.design
    return replace(table, candidates=X, labels=labels, design=design, y=None, remarks=())


def moved(trials: Sequence[Trial], edit: Edit, size: int, time: str) -> dict[int, Trial]:
    """The trials that a change of a table of `size` rows gives another index, by their number.

    A trial at a removed row keeps its point, a proposal there is withdrawn, and a trial elsewhere
    is at an added row that has its point: also one whose row is removed and added.
    """
    gone = dict(zip(edit.removed, edit.points, strict=True))
    new = {x: size - len(gone) + i for i, x in enumerate(edit.added)}
    changed = {}
    for number, trial in enumerate(trials):
        if gone.get(trial.index) in new:
            after = trial._replace(index=new[gone[trial.index]])
        elif trial.index in gone:
            after = trial._replace(index=-1, point=trial.point or gone[trial.index])
            if trial.state == "pending":
                after = after._replace(state="withdrawn", time=time)
        elif trial.index < 0:
            place = new.get(trial.point or ())
            after = trial if place is None else trial._replace(index=place, point=None)
        else:
            after = trial._replace(index=trial.index - bisect_left(edit.removed, trial.index))
        if after != trial:
            changed[number] = after
    return changed


def rows_to_add(table: Table, points: ArrayLike, labels: Sequence[Sequence[str]]) -> Edit:
    """The change that adds rows (k, d); `InputError` for one that the table has already."""
    X = checked_points(points, "points", len(table.inputs))
    added = tuple(map(tuple, X.tolist()))
    there = {x: j for j, x in enumerate(map(tuple, table.candidates.tolist()))}
    for i, x in enumerate(added):
        if x in there or x in added[:i]:
            got = f"{list(x)}, which row {there[x]} is" if x in there else f"{list(x)} twice"
            raise InputError("rows that the table does not have", got, "leave it out")
    return Edit(added=added, labels=tuple(map(tuple, labels)) or table.texts_of(X))


def widened(table: Table, name: str, values: ArrayLike) -> Edit:
    """The change that adds values of one input, each with all that the others have together."""
    new, column = _coordinates(table, name, values)
    if len(new) == 0:
        raise InputError("values to add", "none", "pass at least one")
    others = np.unique(np.delete(table.candidates, column, axis=1), axis=0)
    rows = [np.insert(others, [column.start], x, axis=1) for x in new]
    there = set(map(tuple, table.candidates.tolist()))
    added = [x for x in map(tuple, np.vstack(rows).tolist()) if x not in there]
    return Edit(added=tuple(added), labels=table.texts_of(np.array(added)) if added else ())


def _coordinates(table: Table, name: str, values: Any) -> tuple[Floats, slice]:
    """Values of one input as coordinates (k, width), and the columns that these are in."""
    design = table.design
    if design is not None:
        at = design.at(name)
        one = Space((design.kinds[design.names.index(name)],), (name,))
        return one.coordinates(one.read([{name: value} for value in values])), at
    if name not in table.inputs:
        raise InputError(f"one of {', '.join(table.inputs)}", repr(name), "name an input")
    column = table.inputs.index(name)
    new = finite(np.ravel(numeric(values, "values")), "values")
    return np.unique(new)[:, None], slice(column, column + 1)


def rebounded(
    table: Table, name: str, low: float, high: float, used: Sequence[Sequence[float]]
) -> Edit:
    """The change of one range of a design, to be searched again: other rows, in their order.

    Points `used`, measured or proposed, stay rows if they are within the ranges.
    """
    if table.design is None:
        wanted = "a table that was made of ranges"
        raise InputError(wanted, "a list of candidates", "add and remove rows instead")
    design = table.design.bounded(name, low, high)
    least, sides, rows = design.space.box[:, 0], np.ptp(design.space.box, axis=1), design.rows()
    places = {x: j for j, x in enumerate(_tuples(np.round((rows - least) / sides, _DIGITS)))}
    extra = []
    for point in map(np.array, dict.fromkeys(map(tuple, used))):
        u = np.round((point - least) / sides, _DIGITS)
        if (place := places.get(tuple(u.tolist()))) is not None:
            rows[place] = point  # to the last bit, so that what is measured there is found again
        elif ((u >= 0) & (u <= 1)).all():
            extra.append(point)
    rows = np.vstack([rows, *extra])
    texts = replace(table, design=design).texts_of(rows)
    return Edit(
        tuple(range(len(table))), _tuples(table.candidates), _tuples(rows), texts, design
    )  # fmt: skip


def _tuples(X: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, X.tolist()))
