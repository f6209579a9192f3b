"""The steps of a file, taken again.

Each goes through the verb of `History` that made it: a step that the verb refuses, or of which it
makes something else than the file says, is refused.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.files.tables import REMEDY, to_plain
from ucbpe_core.history.history import History
from ucbpe_core.history.steps import Batch, Changed, Course, Step, Trial
from ucbpe_core.support.validation import indices, points

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.files.schema import Document


class Replay:
    """The history of a search, after some of the steps in its file."""

    def __init__(self, document: Document) -> None:
        self.boxed = document.kind == "box"
        self.rows, self.width = document.size
        self.history, self.course = History(()), Course()

    def taken(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """The steps, taken one after the other, with the trials as they were before.

        Raises
        ------
        InputError
            For a step that cannot be taken, or that does something else; it has the path.
        """
        if not steps:
            raise InputError("a step at $.history.steps", "none", REMEDY)
        made = list[Step]()
        for number, step in enumerate(steps):
            path = f"$.history.steps[{number}]"
            with at(path):
                made.append(self._taken(step))
            require_same(made[-1], step, path)
        return tuple(made)

    def _taken(self, step: Step) -> Step:
        """Take a step; return what it did."""
        before = self.history
        if step.kind:
            target = self.course.target(step.kind)
            back = step.kind == "undo"
            self.history = before.before([target]) if back else before.after([target])
            made = Step(step.time, step.kind)
        else:
            self.history = self._after(self._completed(step))
            made = self.history.since(before, step.time)
            self._check_places(made.trials)
        self.course.add(made)
        return made

    def _completed(self, step: Step) -> Step:
        """The step with the trials that it changed as they were before."""
        trials, changes = self.history.trials, list[Changed]()
        for number, trial, _ in step.changed:
            if not 0 <= number < len(trials):
                raise InputError("a change of a trial that was there before", str(number), REMEDY)
            changes.append(Changed(number, trial, trials[number]))
        step = step._replace(changed=tuple(changes))
        if not (step.plans or step.edits or step.batches or step.told or changes):
            raise InputError("a step that changes something", "none", REMEDY)
        if not (step.plans or self.history.plans):
            raise InputError("a plan before anything else", "none", REMEDY)
        return step

    def _after(self, step: Step) -> History:
        """The history after a step, by the verb that made it."""
        history, trials, time = self.history, step.trials, _time_of(step)
        match step.verb:
            case "plan" | "fit":
                return history.planned(step.plans[0], step.plans[0].fitted)
            case "edit":
                edit, rows = step.edits[0], self._rows
                if len(indices(edit.removed, rows)) != len(edit.points):
                    raise InputError("a point for each row removed", str(len(edit.points)), REMEDY)
                return history.edited(edit, rows, time)
            case "ask":
                return asked(history, step.batches[0], step.added, numbered=self.boxed)
            case "tell":
                data = [trial.datum for trial in trials if trial.place >= len(history.measured)]
                return history.told(data, time)
            case "withdraw":
                return history.withdrawn([trial.index for trial in trials], time)
            case "fail":
                return history.failed([trial.index for trial in trials], trials[0].reason, time)
            case "allow":
                return history.allowed([trial.index for trial in trials])
            case _:
                return history.corrected(trials[0].place, trials[0].y)

    @property
    def _rows(self) -> int:
        """The number of candidates, after the changes of the table."""
        return self.rows + sum(edit.growth for edit in self.history.edits)

    def _check_places(self, trials: Sequence[Trial]) -> None:
        """Raise InputError unless trials are at candidates, or at points of the right width."""
        rows = _picks(self.history) if self.boxed else self._rows
        found = [trial for trial in trials if trial.index != -1 or trial.state == "pending"]
        indices([trial.index for trial in found], rows)
        apart = [trial for trial in trials if self.boxed or trial.index == -1 or trial.point]
        if apart:
            X: Any = [trial.point for trial in apart]
            points(X, "points", self.width)


@contextmanager
def at(path: str) -> Iterator[None]:
    """Give the errors of verbs the path of their step."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{error.expected} at {path}", error.got, REMEDY) from None


def asked(
    history: History, batch: Batch, picks: Sequence[Trial], *, numbered: bool = False
) -> History:
    """After a recorded batch: its counts and, over a box, its indices follow from the history."""
    rules, t, first = history.plan.rules, history.next_t, _picks(history)
    for role in {pick.role for pick in picks}.difference(rules):
        raise InputError(f"roles among {', '.join(rules)}", f"{role!r:.60}", REMEDY)
    made = [
        Trial(
            first + k if numbered else pick.index, pick.point, t, k, pick.role, pick.std,
            pick.score, pick.in_region_plus, pick.known, time=pick.time,
        )
        for k, pick in enumerate(picks)
    ]  # fmt: skip
    n = len(history.data) + len(history.outstanding)
    return history.asked(batch._replace(t=t, size=len(picks), n=n), made)


def require_same(made: Step, said: Step, path: str) -> None:
    """Raise InputError for the first field in which a file says something else than was done."""
    _compare(to_plain(made), to_plain(said), path)


def _compare(right: Any, found: Any, path: str) -> None:
    if right == found:
        return
    if isinstance(right, dict) and isinstance(found, dict):
        for name in {**right, **found}:
            _compare(right.get(name), found.get(name), f"{path}.{name}")
    if isinstance(right, list | tuple) and isinstance(found, list | tuple):
        for i, pair in enumerate(zip(right, found, strict=False)):
            _compare(*pair, f"{path}[{i}]")
    wanted, got = ("no field" if one is None else f"{one!r:.60}" for one in (right, found))
    raise InputError(f"{wanted} at {path}", got, REMEDY)


def _picks(history: History) -> int:
    return sum(batch.size for batch in history.batches)


def _time_of(step: Step) -> str:
    """When its trials changed their state, which may be just before it was taken."""
    times = [after.time for _, after, before in step.changed if after.state != before.state]
    return next(iter(times or [trial.time for trial in step.added]), step.time)
