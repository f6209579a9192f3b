"""The history of a search: every point that was proposed or measured, as one immutable value.

Outstanding picks, the number t of the batch, the data of the posterior, the table and the file all
follow from it. Each verb returns another history, which shares all trials that did not change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ucbpe_core.errors import InputError
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ucbpe_core.plan import Plan

State = Literal["pending", "done", "withdrawn", "failed"]
Verb = Literal["plan", "ask", "tell", "withdraw", "fail", "allow", "correct", "undo", "redo"]
Point = tuple[float, ...]
# Index, point, value and noise variance of a measurement.
Datum = tuple[int, Point | None, float | None, float | None]


class Trial(NamedTuple):
    """A point that was proposed or measured, and what came of it.

    Attributes
    ----------
    index : row of the candidate, or number of the pick on a box; -1 for any other point
    point : where it was measured, or is to be; None if that is the candidate
    t, k, role : pick k, from 0, of batch t, from 1, and why it was picked; 0, -1 and "" for a
        measurement that was not asked for
    std, score : standard deviation just before the pick, and value of the criterion that it
        maximised, of -f where f is minimised; None if there is none
    in_region_plus, known : whether it was in R+ when picked, and whether f was known there
    y, noise_variance : the measurement; y is None if there is none, or it was declared void
    state : "pending", "done", "withdrawn" or "failed"
    place : number of the measurement, from 0 in the order told, which is that of the posterior's
        rows; -1 if it was not measured
    time : of the last change of state, in ISO 8601
    reason : why it failed
    allowed : whether it may be proposed again although it was withdrawn or failed

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
    >>> decision = bandit.ask()
    >>> bandit.tell([20], [0.5])
    >>> [(trial.index, trial.t, trial.k, trial.state, trial.y) for trial in bandit.history.trials]
    [(0, 1, 0, 'pending', None), (20, 1, 1, 'done', 0.5)]
    """

    index: int  # type: ignore[assignment] # a tuple has a method of this name
    point: Point | None = None
    t: int = 0
    k: int = -1
    role: str = ""
    std: float | None = None
    score: float | None = None
    in_region_plus: bool = False
    known: bool = False
    y: float | None = None
    noise_variance: float | None = None
    state: State = "pending"
    place: int = -1
    time: str = ""
    reason: str = ""
    allowed: bool = False

    @property
    def excluded(self) -> bool:
        """Whether it is not proposed again."""
        return self.state in ("withdrawn", "failed") and not self.allowed

    @property
    def datum(self) -> Datum:
        """What the posterior depends on."""
        return self.index, self.point, self.y, self.noise_variance


class Batch(NamedTuple):
    """What explains a batch and belongs to none of its picks.

    Attributes
    ----------
    t, size : iteration, from 1, and number of picks
    n : points conditioned on, outstanding picks included
    beta, beta_next : beta_t and beta_(t+1) of the bands
    y_dot : the greatest lower bound; the least upper bound where f is minimised
    exhausted : as in `Decision`
    time : when it was asked, in ISO 8601

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
    >>> decision = bandit.ask()
    >>> [(batch.t, batch.size, batch.n) for batch in bandit.history.batches]
    [(1, 2, 0)]
    """

    t: int
    size: int
    n: int
    beta: float
    beta_next: float
    y_dot: float
    exhausted: bool = False
    time: str = ""


class Step(NamedTuple):
    """A history that was reached, when, and whether by undoing or redoing a step."""

    history: History
    time: str = ""
    kind: Literal["", "undo", "redo"] = ""


class Course:
    """Of steps taken one after the other, those in force, and those that can be redone."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.done: list[Step] = []
        self.undone: list[Step] = []
        for step in steps:
            self.add(step)

    def add(self, step: Step) -> None:
        """After one more step; a new one clears those that could be redone."""
        if step.kind == "undo":
            self.undone.append(self.done.pop())
        elif step.kind == "redo":
            self.done.append(self.undone.pop())
        else:
            self.done.append(step)
            self.undone.clear()

    def target(self, kind: Literal["undo", "redo"]) -> History:
        """The history that undoing or redoing a step leads to; the first one stays."""
        if kind == "undo" and len(self.done) > 1:
            return self.done[-2].history
        if kind == "redo" and self.undone:
            return self.undone[-1].history
        raise InputError(f"a step to {kind}", "none", "take another step")


class Change(NamedTuple):
    """What the step to a history was: the verb, and the trials that it added or changed.

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
    >>> before = bandit.history
    >>> decision = bandit.ask()
    >>> change = bandit.history.since(before)
    >>> change.verb, [trial.index for trial in change.trials]
    ('ask', [0, 20])
    """

    verb: Verb
    trials: tuple[Trial, ...] = ()


@dataclass(frozen=True)
class History:
    """Trials, batches and plans, each in the order in which they came. No verb changes it.

    A verb that cannot be carried out raises `InputError`.

    Attributes
    ----------
    plans : the plans; the last one is in force
    trials : the trials; a pick stays where it was asked, whatever becomes of it
    batches : the batches

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

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self.plans[-1]

    @property
    def outstanding(self) -> tuple[Trial, ...]:
        """The picks without a result, oldest first."""
        return tuple([self.trials[i] for i in self._pending])

    @property
    def pending(self) -> tuple[int, ...]:
        """Their indices."""
        return tuple([self.trials[i].index for i in self._pending])

    @cached_property
    def measured(self) -> tuple[Trial, ...]:
        """Every measurement in the order told, void ones too."""
        found = [one for one in self.trials if one.place >= 0]
        return tuple(sorted(found, key=lambda one: one.place))

    @cached_property
    def data(self) -> tuple[Trial, ...]:
        """Every measurement that counts, in the order told."""
        return tuple([one for one in self.measured if one.y is not None])

    @property
    def excluded(self) -> tuple[int, ...]:
        """Indices that are not proposed again, ascending: of picks withdrawn or failed."""
        return tuple(sorted({one.index for one in self.gone}))

    @property
    def gone(self) -> tuple[Trial, ...]:
        """The picks withdrawn or failed that are not allowed again, as asked."""
        return tuple([self.trials[i] for i in self._gone])

    @property
    def best(self) -> Trial | None:
        """The measurement with the best value under the plan in force; of several, the first."""
        sign = sign_of(self.plan.direction)
        return max(self.data, key=lambda one: sign * (one.y or 0.0), default=None)

    @property
    def open_picks(self) -> tuple[Trial, ...]:
        """The picks of the last batch that are outstanding."""
        if not self.batches:
            return ()
        return tuple([one for one in self.outstanding if one.t == self.batches[-1].t])

    @property
    def untouched(self) -> bool:
        """Whether a batch is open with all its picks outstanding."""
        return bool(self.batches) and len(self.open_picks) == self.batches[-1].size

    @property
    def t(self) -> int:
        """Iteration of the open batch, or of the next one if none is open.

        A batch without outstanding picks is closed; t advances if it had any result.
        """
        if not self.batches:
            return 1
        t = self.batches[-1].t
        return t + (not self.open_picks and any(one.t == t for one in reversed(self.measured)))

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

    def planned(self, plan: Plan) -> History:
        """After another plan for the batches to come."""
        return replace(self, plans=(*self.plans, replace(plan, since=len(self.batches))))

    def asked(self, batch: Batch, picks: Sequence[Trial]) -> History:
        """After a batch was asked for."""
        trials = (*self.trials, *picks)
        pending = (*self._pending, *range(len(self.trials), len(trials)))
        return self._after(trials, _pending=pending, batches=(*self.batches, batch))

    def told(self, results: Iterable[Datum], time: str = "") -> History:
        """After results, each as (index, point, y, noise variance).

        A result at an outstanding pick is that pick's: of the open batch if it has one there, else
        of the oldest. Any other result becomes a trial of its own.
        """
        trials, left, told = list(self.trials), list(self._pending), list[Trial]()
        # The open batch first: completing it advances t.
        last = self.batches[-1].t if self.batches else 0
        for place, (index, point, y, noise) in enumerate(results, start=len(self.measured)):
            same = [i for i in left if trials[i].index == index]
            if same:
                number = next((i for i in same if trials[i].t == last), same[0])
                left.remove(number)
            else:
                number = len(trials)
                trials.append(Trial(index))
            proposal = trials[number][2:9]  # from t to known
            # In half the time of _replace, which would be seen in small batches.
            trials[number] = Trial(index, point, *proposal, y, noise, "done", place, time)
            told.append(trials[number])
        return self._after(
            tuple(trials),
            _pending=tuple(left),
            measured=(*self.measured, *told),
            data=(*self.data, *told),
        )

    def withdrawn(self, indices: Iterable[int], time: str = "") -> History:
        """After outstanding picks were withdrawn, of each index the oldest."""
        return self._ended(indices, lambda one: one._replace(state="withdrawn", time=time))

    def failed(self, indices: Iterable[int], reason: str = "", time: str = "") -> History:
        """After the runs of outstanding picks gave no value, of each index the oldest."""
        return self._ended(
            indices, lambda one: one._replace(state="failed", reason=reason, time=time)
        )

    def allowed(self, indices: Iterable[int]) -> History:
        """After withdrawn or failed picks may be proposed again."""
        chosen = set(indices)
        unknown = chosen.difference(self.excluded)
        if unknown:
            remedy = f"name some of {list(self.excluded)}"
            raise InputError("a withdrawn or failed pick", str(min(unknown)), remedy)
        trials = list(self.trials)
        for number in self._gone:
            if trials[number].index in chosen:
                trials[number] = trials[number]._replace(allowed=True)
        left = tuple(number for number in self._gone if not trials[number].allowed)
        return self._after(tuple(trials), _gone=left)

    def corrected(self, place: int, y: float | None) -> History:
        """After measurement number `place` was given another value; None: it is void."""
        size = len(self.measured)
        if not 0 <= place < size:
            wanted = f"a measurement from 0 to {size - 1}" if size else "a measurement"
            raise InputError(wanted, str(place), "they count from 0 in the order told")
        if self.measured[place].y == y:
            return self
        trials = (one._replace(y=y) if one.place == place else one for one in self.trials)
        return replace(self, trials=tuple(trials))

    def check_pending(self, indices: Iterable[int]) -> None:
        """Raise InputError unless each of `indices` has its own outstanding pick."""
        left = list(self.pending)
        for index in indices:
            if index not in left:
                remedy = f"name each once, among {list(self.pending)}"
                raise InputError("an outstanding pick", str(index), remedy)
            left.remove(index)

    def since(self, before: History | None) -> Change:
        """What a step from `before` to this history was; None: from nothing."""
        if before is None or len(self.plans) > len(before.plans):
            return Change("plan")
        old = (*before.trials, *[None] * (len(self.trials) - len(before.trials)))
        pairs = [(a, b) for a, b in zip(old, self.trials, strict=True) if a is not b]
        trials = tuple(b for _, b in pairs)
        if len(self.batches) > len(before.batches):
            return Change("ask", trials)
        if any(a is None or a.place < b.place for a, b in pairs):
            return Change("tell", tuple(sorted(trials, key=lambda one: one.place)))
        if any(a and b.allowed > a.allowed for a, b in pairs):
            return Change("allow", trials)
        verbs: dict[State, Verb] = {"withdrawn": "withdraw", "failed": "fail"}
        return Change(verbs.get(trials[0].state, "correct"), trials)

    @cached_property
    def _pending(self) -> tuple[int, ...]:
        """The numbers of the picks without a result."""
        return tuple([i for i, one in enumerate(self.trials) if one.state == "pending"])

    @cached_property
    def _gone(self) -> tuple[int, ...]:
        """The numbers of the picks that are not proposed again."""
        return tuple([i for i, one in enumerate(self.trials) if one.excluded])

    def _after(
        self, trials: tuple[Trial, ...], batches: tuple[Batch, ...] | None = None, **known: object
    ) -> History:
        """The history with other trials: what is `known` of these, or stays, is not sought again.

        Looking through all trials at every step would cost more than a small batch.
        """
        history = History(self.plans, trials, self.batches if batches is None else batches)
        kept = ("_pending", "_gone", "measured", "data")
        vars(history).update({name: getattr(self, name) for name in kept} | known)
        return history

    def _ended(self, indices: Iterable[int], end: Callable[[Trial], Trial]) -> History:
        chosen = list(indices)
        self.check_pending(chosen)
        trials, left, gone = list(self.trials), list(self._pending), list(self._gone)
        for index in chosen:
            # The oldest first: it has waited longest.
            number = next(i for i in left if trials[i].index == index)
            left.remove(number)
            gone.append(number)
            trials[number] = end(trials[number])
        return self._after(tuple(trials), _pending=tuple(left), _gone=tuple(sorted(gone)))
