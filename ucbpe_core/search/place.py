"""What is searched: a `Search` asks it for points, names, regions and picks. Here: a table.

And the posterior that follows from a history, with the rows of the one before where both agree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.region import relevant_region
from ucbpe_core.gp.ties import first_best
from ucbpe_core.history.steps import Course, decided
from ucbpe_core.policies.decision import Eligible
from ucbpe_core.search.shared import check_shared, groups_of
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import frozen_copy, sign_of
from ucbpe_core.support.validation import indices as checked_indices
from ucbpe_core.support.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.region import RelevantRegion
    from ucbpe_core.history.history import History
    from ucbpe_core.history.plan import Plan
    from ucbpe_core.history.steps import Point, Trial
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.support.validation import Floats
    from ucbpe_core.tables.table import Table

    Labels = Sequence[tuple[str, Sequence[str]]]
    Located = tuple[Sequence[int], Sequence[Point | None]]


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


class Place(Frozen, ABC):
    """A set of settings that can be measured; a `History` over it has the trials.

    Attributes
    ----------
    settable : names of the inputs that a person sets
    size : how many settings there are; infinite for a range
    domain : points (m, d) with the same extents as the settings
    extent : the settings in a few words
    start : points of which the posterior is kept, shape (M, d)
    seed : of the fits before a batch
    """

    seed: int

    @property
    @abstractmethod
    def settable(self) -> tuple[str, ...]: ...

    @property
    @abstractmethod
    def size(self) -> float: ...

    @property
    @abstractmethod
    def domain(self) -> Floats: ...

    @property
    @abstractmethod
    def extent(self) -> str: ...

    @property
    @abstractmethod
    def start(self) -> Floats: ...

    def check(self, plan: Plan) -> None:
        """Raise InputError for a plan that shares what cannot be shared here."""
        check_shared(plan.shared, self.settable)

    @abstractmethod
    def name(self, trial: Trial) -> str:
        """Where a trial is measured, in a few words."""

    @abstractmethod
    def points(self, trials: Sequence[Trial]) -> Floats:
        """Where trials are measured, shape (k, d)."""

    def coordinates(self, points: Floats) -> Floats:
        """What the Gaussian process sees of points (k, d)."""
        return points

    @abstractmethod
    def indices(self, given: Any, history: History) -> tuple[int, ...]:
        """The indices `given` (k,), in range."""

    @abstractmethod
    def located(self, indices: Any, points: ArrayLike | None, history: History) -> Located:
        """The index of each result, -1 for none, and its point, both as in a `Trial`."""

    @abstractmethod
    def hallucinated(self, posterior: Posterior, trials: Sequence[Trial]) -> Posterior:
        """The posterior as if the trials had been measured at their mean."""

    @abstractmethod
    def relevant(self, posterior: Posterior, betas: tuple[float, float]) -> RelevantRegion:
        """R and R+ of the candidates; over a box there are no masks."""

    @abstractmethod
    def decide(self, policy: Policy, posterior: Posterior, history: History, t: int) -> Decision:
        """Batch t, of f or of -f, from the posterior given all values told."""

    @abstractmethod
    def labelled(self, decision: Decision) -> Decision:
        """The decision with the labels and names of its picks."""

    @abstractmethod
    def best(self, posterior: Posterior, history: History) -> Best:
        """Where the mean of a posterior, of f or -f, is greatest; in the units of y."""

    @property
    @abstractmethod
    def columns(self) -> tuple[Sequence[str] | None, Labels]:
        """The names of the inputs, if they have any; name and texts of each label."""


@dataclass(frozen=True, eq=False)
class Candidates(Place):
    """The rows of a table.

    Attributes
    ----------
    candidates : points, shape (M, d)
    names : of the inputs; None without
    labels : of the rows, by which results can be told; None without
    titles : columns of a table that are no inputs, each by its name
    framed : whether the rows came as a frame, whose index numbers them unless it has `labels`
    extents : what `domain` is, if not the candidates
    columns_of : names of the inputs that a person sets, each with its columns; None: each column is
        one, named by `names`, or else as in `Decision.to_frame`
    """

    candidates: Floats
    names: Sequence[str] | None = None
    labels: tuple[str, ...] | None = None
    titles: Labels = ()
    framed: bool = False
    extents: Floats | None = None
    columns_of: tuple[tuple[str, slice], ...] | None = None
    seed: int = 0

    @property
    def settable(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self._columns_of)

    @property
    def _columns_of(self) -> tuple[tuple[str, slice], ...]:
        if self.columns_of is not None:
            return self.columns_of
        d = self.candidates.shape[1]
        names = [f"input {i + 1}" for i in range(d)] if self.names is None else self.names
        return tuple((name, slice(i, i + 1)) for i, name in enumerate(names))

    @property
    def size(self) -> float:
        return len(self.candidates)

    @property
    def domain(self) -> Floats:
        return self.candidates if self.extents is None else self.extents

    @property
    def extent(self) -> str:
        return f"{len(self.candidates)} candidates"

    @property
    def start(self) -> Floats:
        return self.candidates

    def name(self, trial: Trial) -> str:
        if trial.index < 0:
            return f"{list(trial.point or ())}"
        label = "" if self.labels is None else f" ({self.labels[trial.index]})"
        return f"candidate {trial.index}{label}"

    def points(self, trials: Sequence[Trial]) -> Floats:
        X = [
            self.candidates[trial.index] if trial.point is None else trial.point for trial in trials
        ]
        return frozen_copy(np.reshape(X, (len(X), self.candidates.shape[1])))

    def indices(self, given: Any, history: History) -> tuple[int, ...]:
        """The indices `given`, or those of labels, or of the rows of a decision's frame."""
        given = column_of_picks(given)
        if is_index(given):
            given = _rows_of(given, self.labels, framed=self.framed)
        elif found := _texts_in(given):
            given = _rows_of(found, self.labels, framed=False)
        return tuple(checked_indices(given, len(self.candidates)).tolist())

    def located(self, indices: Any, points: ArrayLike | None, history: History) -> Located:
        chosen = None if indices is None else self.indices(indices, history)
        if points is None:
            if chosen is None:
                raise InputError("indices, or points", "neither", "pass decision.indices")
            return chosen, [None] * len(chosen)
        X = checked_points(points, "points", self.candidates.shape[1])
        if chosen is None:
            return [-1] * len(X), list(map(tuple, X.tolist()))
        if len(X) != len(chosen):
            got = f"{len(X)} and {len(chosen)}"
            raise InputError("as many points as indices", got, "one point per index")
        same = (self.candidates[list(chosen)] == X).all(axis=1)
        return chosen, [
            None if at_it else tuple(x) for at_it, x in zip(same, X.tolist(), strict=True)
        ]

    def hallucinated(self, posterior: Posterior, trials: Sequence[Trial]) -> Posterior:
        return posterior.hallucinate([trial.index for trial in trials])

    def relevant(self, posterior: Posterior, betas: tuple[float, float]) -> RelevantRegion:
        return relevant_region(posterior, *betas)

    def decide(self, policy: Policy, posterior: Posterior, history: History, t: int) -> Decision:
        if history.outstanding:
            posterior = self.hallucinated(posterior, history.outstanding)
        plan = history.plan
        eligible = self.eligible(plan, history.excluded)
        return self.labelled(policy.decide(posterior, t, plan.beta, eligible=eligible))

    def eligible(self, plan: Plan, excluded: Sequence[int] = ()) -> Eligible:
        """What a batch can be made of under a plan, without the candidates `excluded`."""
        eligible = Eligible.without(excluded, len(self.candidates), plan.repeats)
        if not plan.shared:
            return eligible
        columns = [self.candidates[:, at] for name, at in self._columns_of if name in plan.shared]
        groups = groups_of(np.concatenate(columns, axis=1))
        return replace(eligible, groups=groups, shared_by=plan.shared_by)

    def labelled(self, decision: Decision) -> Decision:
        if self.labels is not None:
            labels = tuple(self.labels[j] for j in decision.indices)
            decision = replace(decision, labels=labels)
        return decision if self.names is None else replace(decision, names=tuple(self.names))

    def best(self, posterior: Posterior, history: History) -> Best:
        j = first_best(posterior.mean, posterior.tolerance)
        mean = sign_of(history.plan.direction) * posterior.mean[j]
        return Best(j, self.candidates[j], float(mean), float(posterior.std[j]))

    @property
    def columns(self) -> tuple[Sequence[str] | None, Labels]:
        return self.names, self.titles if self.labels is None else (("", self.labels),)


def of_table(table: Table) -> Candidates:
    """The rows of a table as what is searched."""
    return Candidates(
        table.candidates, table.inputs, titles=table.labels, extents=table.domain,
        columns_of=None if table.design is None else table.design.columns_of,
    )  # fmt: skip


def column_of_picks(given: Any) -> Any:
    """The numbers of picks in rows of `Decision.to_frame`; anything else as it is."""
    return given["candidate"] if "candidate" in getattr(given, "columns", ()) else given


def is_index(given: object) -> bool:
    """Whether `given` is a pandas Index, without importing pandas."""
    return hasattr(given, "get_indexer") and hasattr(given, "dtype")


def labels_of(candidates: object) -> tuple[str, ...] | None:
    """The index of a frame or Series, as text; None if it only counts rows, or for an array."""
    index: Any = getattr(candidates, "index", None)
    if not is_index(index):
        return None
    found = list(index)
    return None if found == list(range(len(found))) else tuple(map(str, found))


def _texts_in(given: Any) -> list[str]:
    """The texts `given`, one or several; none if it is anything else."""
    values = given.tolist() if hasattr(given, "tolist") else given
    values = [values] if isinstance(values, str) else values
    several = isinstance(values, list | tuple) and all(isinstance(one, str) for one in values)
    return list(values) if several else []


def _rows_of(index: Any, labels: Sequence[str] | None, *, framed: bool) -> list[int]:
    """The row number of each label, of a pandas Index or a list of texts.

    Parameters
    ----------
    labels : of all candidates; None if they have none
    framed : whether the candidates came as a frame, whose rows are then numbered

    Raises
    ------
    InputError
        For candidates without labels that came as an array, and for a label that is missing or
        that several candidates have.
    """
    if labels is None:
        if framed:
            return list(index)
        wanted = "row numbers, as the candidates came without labels"
        got = "a pandas Index" if is_index(index) else f"{index[0]!r}"
        raise InputError(wanted, got, "pass ints, or make the Bandit from a frame with an index")
    rows, times = {label: row for row, label in enumerate(labels)}, Counter(labels)
    given = [str(label) for label in index]
    for label in given:
        if times[label] != 1:
            got = f"{label!r}, which {times[label]} of them have"
            raise InputError("a label of one candidate", got, "pass row numbers instead")
    return [rows[label] for label in given]


if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.history.history import History
    from ucbpe_core.history.plan import Plan
    from ucbpe_core.history.steps import Step, Trial
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.search.place import Place

    Progress = Callable[[int, int], None]


def signed_prior(plan: Plan, candidates: ArrayLike) -> Posterior:
    """The prior of f or -f; 0 - mean, because -0.0 would be a different number."""
    gp = plan.gp
    signed = gp if sign_of(plan.direction) > 0 else replace(gp, mean=0.0 - gp.mean)
    return replace(plan, gp=signed).prior(candidates)


def updated(
    current: Posterior,
    before: History,
    history: History,
    place: Place,
    progress: Progress | None = None,
) -> Posterior:
    """The posterior of a history over a place, of f or -f, from that of the history `before`.

    Parameters
    ----------
    current : the posterior of `before`
    place : that of `history`, which has its own candidates where the table was changed
    progress : as in `Search.tell`
    """
    plan, data = history.plan, history.data
    kept = (before.plan.gp, before.plan.inducing, before.edits)
    if (plan.gp, plan.inducing, history.edits) != kept:
        start, same = signed_prior(plan, place.start), 0
    else:
        start, same = current, _shared(before.data, data)
        if same < len(before.data):
            start = start.at(same)
        if plan.direction != before.plan.direction:
            start = start.signed(-1.0)
    return _told(start, data[same:], sign_of(plan.direction), place, progress)


def _told(
    posterior: Posterior,
    data: Sequence[Trial],
    sign: float,
    place: Place,
    progress: Progress | None,
) -> Posterior:
    """The posterior after more data, of f or -f."""
    for outside, group in groupby(data, lambda trial: trial.point is not None):
        part = list(group)
        y = sign * np.array([trial.y for trial in part], dtype=float)
        every = [trial.noise_variance for trial in part]
        noise = None if every.count(None) == len(every) else every
        if outside:
            X = place.coordinates(place.points(part))
            posterior = posterior.observe_points(X, y, noise)
        else:
            indices = np.array([trial.index for trial in part], dtype=np.intp)
            posterior = posterior.observe(indices, y, noise, progress)
    return posterior


def _shared(before: tuple[Trial, ...], data: tuple[Trial, ...]) -> int:
    """How many data at the beginning are the same for the posterior."""
    if data[: len(before)] == before:  # the usual case, by identity
        return len(before)
    pairs = zip(before, data, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].datum == pair[1].datum, pairs))


def decided_again(
    current: Posterior, history: History, steps: Iterable[Step], place: Place
) -> Decision:
    """The decision of the open batch, from the history in which it was asked.

    Picks, roles and standard deviations are those recorded; R and R+ follow from the posterior.
    """
    batch, picks = history.batches[-1], history.open_picks
    taken = reversed(Course(steps).done)
    asked = history.before(takewhile(lambda step: not step.batches, taken))
    earlier = [trial for trial in asked.outstanding if trial.t < batch.t]
    start = place.hallucinated(updated(current, history, asked, place), earlier)
    relevant = place.relevant(start, (batch.beta, batch.beta_next))
    points, policy = place.points(picks), asked.plan.policy
    return place.labelled(decided(batch, picks, points, relevant, policy, start))
