"""A history that changes, and the posterior that follows from it."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.assignment import Locked, exclusive
from ucbpe_core.history import History
from ucbpe_core.plausibility import Watch
from ucbpe_core.stepping import decided
from ucbpe_core.steps import Course, Step
from ucbpe_core.validation import sign_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import ConditionedProcess, GaussianProcess
    from ucbpe_core.plan import Plan
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.region import RelevantRegion
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.steps import Trial
    from ucbpe_core.validation import Direction, Floats, Repeats

    Progress = Callable[[int, int], None]
    Settings = Mapping[str, Any] | Sequence[Mapping[str, Any]]


def _of_plan(name: str, *, fixed: bool = False) -> Any:
    """An attribute of the plan in force; to assign it, unless it is fixed, makes another plan."""

    def get(handle: Handle) -> Any:
        return getattr(handle.history.plan, name)

    @exclusive
    def assign(handle: Handle, value: Any) -> None:
        plan = replace(handle.history.plan, **{name: value})
        handle._become(handle.history.planned(plan))

    return property(get, None if fixed else assign)


class Handle(Locked):
    """A search in progress: its history, and the posterior given all values told.

    Public attributes are in the user's units. Internally, `_current` is the posterior of f, or of
    -f under "minimize", since policies maximise; both have the same rows, and negation is exact.
    All parts are immutable, so `copy.copy` gives an independent handle. Several threads may use
    one: while one of them asks, tells, withdraws, refits or saves, the others wait.
    """

    gp: GaussianProcess = _of_plan("gp", fixed=True)
    policy: Policy = _of_plan("policy")
    beta: BetaSchedule = _of_plan("beta")
    direction: Direction = _of_plan("direction", fixed=True)
    repeats: Repeats = _of_plan("repeats")

    def __init__(self, candidates: ArrayLike, plan: Plan) -> None:
        super().__init__()
        self.id = secrets.token_hex(8)  # by which a file is known to be of this search
        self._watch = Watch()
        self._history = History((plan,))
        self._steps: tuple[Step, ...] = (Step(now(), plans=(plan,)),)  # all that were taken
        self._current = _prior(plan, candidates)
        self._decision: Decision | None = None  # of the open batch, while it is untouched

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
        return self._points(self._history.outstanding)

    @property
    def excluded(self) -> tuple[int, ...]:
        """Indices that are not proposed again, ascending: their picks were withdrawn or failed."""
        return self._history.excluded

    @property
    @exclusive
    def decision(self) -> Decision | None:
        """The decision of the open batch, until one of its picks is told, withdrawn or failed."""
        if self._decision is None and self._history.untouched:
            self._decision = self._decided_again()
        return self._decision

    def __repr__(self) -> str:
        history = self._history
        best = history.best
        found = "" if best is None else f", best {best.y:.6g} at {self._name(best)}"
        counts = f"{len(history.data)} measured{found}; t = {history.t}"
        return f"{type(self).__name__}({self._extent}: {counts}, pending {list(history.pending)})"

    def _become(
        self, history: History, progress: Progress | None = None, step: Step | None = None
    ) -> None:
        """Take another history: the one place where it changes, and what follows from it.

        `step` is the one that was taken; default what is new. If the posterior cannot follow, an
        error is raised and nothing has changed.
        """
        before = self._history
        current = self._conditioned(history, progress)
        if history.plan.gp != before.plan.gp:
            self._watch = self._watch.with_new_prior()
        if history.batches[-1:] != before.batches[-1:] or not history.untouched:
            self._decision = None
        self._current, self._history = current, history
        self._steps += (history.since(before, now()) if step is None else step,)

    def _conditioned(self, history: History, progress: Progress | None = None) -> Posterior:
        """The posterior of a history, which shares the rows of the present one while both agree."""
        plan, before, data = history.plan, self._history, history.data
        kept = (before.plan.gp, before.plan.inducing, before.edits)
        if (plan.gp, plan.inducing, history.edits) != kept:
            start = _prior(plan, self._searched(history))
            same = 0
        else:
            start, same = self._current, _shared(before.data, data)
            if same < len(before.data):
                start = start.at(same)
            if plan.direction != before.plan.direction:
                start = start.signed(-1.0)
        return self._observed(start, data[same:], sign_of(plan.direction), progress)

    def _searched(self, history: History) -> Floats:
        """The candidates of a history."""
        return self._current.candidates

    def _observed(
        self,
        posterior: Posterior,
        data: Sequence[Trial],
        sign: float,
        progress: Progress | None,
    ) -> Posterior:
        """The posterior after more data, of f or -f."""
        for outside, group in groupby(data, lambda trial: trial.point is not None):
            part = list(group)
            y = sign * np.array([trial.y for trial in part], dtype=float)
            every = [trial.noise_variance for trial in part]
            noise = None if every.count(None) == len(every) else every
            if outside:
                X = self._coordinates(self._points(part))
                posterior = posterior.observe_points(X, y, noise)
            else:
                indices = np.array([trial.index for trial in part], dtype=np.intp)
                posterior = posterior.observe(indices, y, noise, progress)
        return posterior

    def _decided_again(self) -> Decision:
        """The decision of the open batch, from the history in which it was asked.

        Picks, roles and standard deviations are those recorded; R and R+ follow from the posterior.
        """
        batch, picks = self._history.batches[-1], self._history.open_picks
        taken = reversed(Course(self._steps).done)
        asked = self._history.before(takewhile(lambda step: not step.batches, taken))
        earlier = [trial for trial in asked.outstanding if trial.t < batch.t]
        start = self._hallucinated(self._conditioned(asked), earlier)
        relevant = self._relevant(start, (batch.beta, batch.beta_next))
        points, policy = self._points(picks), asked.plan.policy
        return self._labelled(decided(batch, picks, points, relevant, policy, start))

    @property
    def _sign(self) -> float:
        return sign_of(self._history.plan.direction)

    @property
    def _posterior(self) -> Posterior:
        """The posterior of f given all values told."""
        return self._current.signed(self._sign)

    @abstractmethod
    def _points(self, trials: Sequence[Trial]) -> Floats:
        """Where trials are measured, shape (k, d)."""

    @abstractmethod
    def _hallucinated(self, posterior: Posterior, trials: Sequence[Trial]) -> Posterior:
        """The posterior as if the trials had been measured at their mean."""

    @abstractmethod
    def _relevant(self, posterior: Posterior, betas: tuple[float, float]) -> RelevantRegion:
        """R and R+ of the candidates; over a box there are no masks."""

    def _coordinates(self, points: Floats) -> Floats:
        """What the Gaussian process sees of points (k, d)."""
        return points

    def _labelled(self, decision: Decision) -> Decision:
        """The decision with the labels of its picks."""
        return decision

    @property
    @abstractmethod
    def _extent(self) -> str:
        """What is searched, in a few words."""

    @abstractmethod
    def _name(self, trial: Trial) -> str:
        """Where a trial is measured, in a few words."""


def now() -> str:
    """The current time for a history: ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _prior(plan: Plan, candidates: ArrayLike) -> Posterior:
    """The prior of f or -f; 0 - mean, because -0.0 would be a different number."""
    gp = plan.gp
    signed = gp if sign_of(plan.direction) > 0 else replace(gp, mean=0.0 - gp.mean)
    return replace(plan, gp=signed).prior(candidates)


def _shared(before: tuple[Trial, ...], data: tuple[Trial, ...]) -> int:
    """How many data at the beginning are the same for the posterior."""
    if data[: len(before)] == before:  # the usual case, by identity
        return len(before)
    pairs = zip(before, data, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].datum == pair[1].datum, pairs))
