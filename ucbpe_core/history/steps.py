"""What happens in a search: trials, the batches they belong to, and the steps that change them.

And what these record, as decisions and a posterior.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.history.plan import Edit, Plan
from ucbpe_core.policies.decision import Decision
from ucbpe_core.support.validation import frozen_copy, read_only

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.region import RelevantRegion
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.support.validation import Floats


Verb = Literal[
    "plan", "fit", "ask", "tell", "withdraw", "fail", "allow", "correct", "edit", "undo", "redo"
]
State = Literal["pending", "done", "withdrawn", "failed"]
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
    place : number of the measurement, from 0 in the order told, as the posterior's rows have
        it; -1 if it was not measured
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

    @property
    def proposal(self) -> tuple[Any, ...]:
        """What never changes: the index, and why it was picked."""
        return (
            *(self.index, self.t, self.k, self.role),
            *(self.std, self.score, self.in_region_plus, self.known),
        )


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


def recorded(decision: Decision, time: str) -> tuple[Batch, list[Trial]]:
    """A decision as a batch, and its picks."""
    K = len(decision.indices)
    batch = Batch(
        decision.t, K, decision.n, decision.beta, decision.beta_next, decision.y_dot,
        decision.exhausted, time,
    )  # fmt: skip
    points: Sequence[Point | None] = [None] * K
    inside = [False] * K
    if len(decision.region_plus):
        inside = decision.region_plus[decision.indices].tolist()
    else:  # over a box, where there are no masks
        points = list(map(tuple, decision.points.tolist()))
    scores = [None if score != score else score for score in decision.scores.tolist()]
    columns = zip(
        decision.indices.tolist(), points, [decision.t] * K, range(K), decision.roles,
        decision.stds.tolist(), scores, inside, decision.known.tolist(),
        strict=True,
    )  # fmt: skip
    return batch, [
        Trial(j, x, t, k, role, std, score, inside, known, time=time)
        for j, x, t, k, role, std, score, inside, known in columns
    ]


class Changed(NamedTuple):
    """A trial by its number, from 0, as a step left it, and as it was before, which no file has."""

    number: int
    trial: Trial
    before: Trial = Trial(-1)


class Step(NamedTuple):
    """What took a history to the next one.

    Attributes
    ----------
    time : when it was taken, in ISO 8601
    kind : whether it undoes or redoes another step; it then has nothing else
    plans, batches, added : the plans, batches and trials that it added
    changed : the trials that it changed, by number
    edits : the changes of the table

    Examples
    --------
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> bandit = Bandit(range(21), GaussianProcess(Matern(4.0)), GPUCBPE(batch_size=2))
    >>> before = bandit.history
    >>> decision = bandit.ask()
    >>> step = bandit.history.since(before)
    >>> step.verb, [trial.index for trial in step.trials]
    ('ask', [0, 20])
    >>> bandit.history.before([step]) == before
    True
    """

    time: str = ""
    kind: Literal["", "undo", "redo"] = ""
    plans: tuple[Plan, ...] = ()
    batches: tuple[Batch, ...] = ()
    added: tuple[Trial, ...] = ()
    changed: tuple[Changed, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The trials that it added or changed; measurements in the order told."""
        found = (*(changed.trial for changed in self.changed), *self.added)
        return tuple(sorted(found, key=lambda trial: trial.place))

    @property
    def told(self) -> list[int]:
        """The places of the measurements that it added."""
        new = [changed.trial for changed in self.changed if changed.before.place < 0]
        return sorted(trial.place for trial in (*new, *self.added) if trial.place >= 0)

    @property
    def verb(self) -> Verb:
        """What was done."""
        if self.kind:
            return self.kind
        if self.plans:
            return "fit" if self.plans[-1].fitted else "plan"
        if self.edits:
            return "edit"
        if self.batches:
            return "ask"
        if self.told:
            return "tell"
        _, trial, before = self.changed[0]
        if trial.allowed > before.allowed:
            return "allow"
        verbs: dict[State, Verb] = {"withdrawn": "withdraw", "failed": "fail"}
        return verbs.get(trial.state, "correct")

    @property
    def changes_data(self) -> bool:
        """Whether it adds a measurement, or gives one another value."""
        return bool(self.told) or any(trial.y != before.y for _, trial, before in self.changed)

    @property
    def entries(self) -> int:
        """How much it says."""
        # A row is a tenth of what a pick is.
        rows = sum(1 + (len(edit.removed) + len(edit.added)) // 10 for edit in self.edits)
        trials = len(self.added) + len(self.changed)
        return 1 + len(self.plans) + len(self.batches) + trials + rows

    def take(
        self, plans: list[Plan], trials: list[Trial], batches: list[Batch], edits: list[Edit]
    ) -> None:
        """Change the parts of a history in place."""
        plans += self.plans
        batches += self.batches
        edits += self.edits
        for number, trial, _ in self.changed:
            trials[number] = trial
        trials += self.added

    def revert(
        self, plans: list[Plan], trials: list[Trial], batches: list[Batch], edits: list[Edit]
    ) -> None:
        """Change them back."""
        del edits[len(edits) - len(self.edits) :]
        del plans[len(plans) - len(self.plans) :]
        del batches[len(batches) - len(self.batches) :]
        del trials[len(trials) - len(self.added) :]
        for number, _, before in self.changed:
            trials[number] = before


class Course:
    """Of steps taken one after the other, the steps in force, and the steps that can be redone."""

    def __init__(self, steps: Iterable[Step] = ()) -> None:
        self.done: list[Step] = []
        self.undone: list[Step] = []
        for step in steps:
            self.add(step)

    def add(self, step: Step) -> None:
        """After one more step; a new one clears the steps that could be redone."""
        if step.kind == "undo":
            self.undone.append(self.done.pop())
        elif step.kind == "redo":
            self.done.append(self.undone.pop())
        else:
            self.done.append(step)
            self.undone.clear()

    def target(self, kind: Literal["undo", "redo"]) -> Step:
        """The step that undoing reverts, or redoing restores; the first one stays."""
        if kind == "undo" and len(self.done) > 1:
            return self.done[-1]
        if kind == "redo" and self.undone:
            return self.undone[-1]
        raise InputError(f"a step to {kind}", "none", "take another step")


def observed(posterior: Posterior, data: Sequence[Trial]) -> Posterior:
    """The posterior after more measurements of candidates, each with its own noise variance."""
    return posterior.observe(
        np.array([trial.index for trial in data], dtype=np.intp),
        np.array([trial.y for trial in data], dtype=float),
        [trial.noise_variance for trial in data],
    )


def decided(
    batch: Batch,
    picks: Sequence[Trial],
    points: Floats,
    relevant: RelevantRegion,
    policy: Policy,
    start: Posterior,
) -> Decision:
    """The decision that a history records, of a batch and its picks at points (K, d).

    Masks are not recorded: `relevant` has R and R+, and the policy makes those of its own again
    from `start`, the posterior of what it maximised at batch start.
    """
    indices, roles = [pick.index for pick in picks], tuple(pick.role for pick in picks)
    return Decision(
        t=batch.t,
        indices=frozen_copy(indices, np.intp),
        points=frozen_copy(points),
        roles=roles,
        stds=read_only(np.array([pick.std for pick in picks], dtype=float)),
        scores=read_only(np.array([pick.score for pick in picks], dtype=float)),
        beta=batch.beta,
        beta_next=batch.beta_next,
        y_dot=batch.y_dot,
        region=relevant.region,
        region_plus=relevant.region_plus,
        n=batch.n,
        known=frozen_copy([pick.known for pick in picks], np.bool_),
        exhausted=batch.exhausted,
        explored=(
            policy.explored(start, batch.t, batch.beta, indices, roles)
            if len(relevant.region)
            else ()
        ),
    )
