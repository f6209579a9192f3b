"""Ask and tell: choose real experiments, in batches, with results in any order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from ucbpe_core.asktell import AskTell, Best, column_of_picks
from ucbpe_core.assignment import exclusive
from ucbpe_core.errors import InputError
from ucbpe_core.plan import Plan
from ucbpe_core.policies.decision import Eligible
from ucbpe_core.region import relevant_region
from ucbpe_core.schedules import FiniteBeta
from ucbpe_core.ties import first_best
from ucbpe_core.validation import frozen_copy, names_of
from ucbpe_core.validation import indices as checked_indices
from ucbpe_core.validation import points as checked_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.inducing import Inducing
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.decision import Decision
    from ucbpe_core.posterior import Posterior
    from ucbpe_core.records.schema import Document, Kind, TableRecord
    from ucbpe_core.region import RelevantRegion
    from ucbpe_core.saving import Labels
    from ucbpe_core.schedules import BetaSchedule
    from ucbpe_core.steps import Point, Trial
    from ucbpe_core.validation import Direction, Fitting, Floats, Repeats


class Bandit(AskTell):
    """A batch bandit over M candidates, with a fixed prior unless ``fit="each batch"``.

    `ask` for K picks, `tell` the values measured there. The theory is about a fixed prior; whoever
    measures real values wants a fitted one. Results may be told for any part of a batch, in any
    order; picks still outstanding are hallucinated. `ask` returns the same decision until one of
    its picks has been told or withdrawn; the next call then opens a new batch. t counts batches: it
    advances when a batch is complete or the next one is opened. A call that raises changes nothing.

    Minimising f is maximising -f with the prior mean negated: the picks are identical, bit for bit.
    y, `gp`, `posterior`, `process` and `Decision.y_dot` are in the user's units, of f.

    `policy`, `beta` and `repeats` may be assigned, and hold for batches asked for after that.
    `refit` changes the prior.

    Parameters
    ----------
    candidates : points, shape (M, d). From a pandas DataFrame, `names` keeps the column names, and
        `labels` its index as text unless that counts the rows
    gp : the prior
    policy : chooses what to measure next
    beta : schedule of beta_t; default `FiniteBeta()`
    direction : "maximize" or "minimize"
    repeats : "allow" is the paper's rule: without noise it can pick candidates whose value is
        already known, and does so once R+ has no others; `ask` then warns. "avoid" leaves these
        out, continues with the candidates outside R+, and raises when f is known at all of them
        (`Policy.decide`)
    inducing : how an approximate posterior is made, for tens of thousands of observations
        (`inducing.Inducing`); default: the exact one
    fit : "each batch": the first batch is spread over the candidates, then `gp` is fitted to all
        results before each batch (`Plan`); "never": it stays as it is

    Raises
    ------
    InputError
        For candidates that are not (M, d) finite numbers, or an argument of the wrong type.

    Examples
    --------
    >>> import numpy as np
    >>> from ucbpe_core import Bandit, GaussianProcess, GPUCBPE, Matern
    >>> x = np.linspace(0, 1, 11)
    >>> bandit = Bandit(x, GaussianProcess(Matern(lengthscale=0.3)), GPUCBPE(batch_size=3))
    >>> bandit.tell([2, 7], [0.2, 0.7])  # measured before the first batch
    >>> decision = bandit.ask()
    >>> decision.indices, decision.roles
    (array([10,  0,  5]), ('ucb', 'pe', 'pe'))
    >>> bandit.tell(decision.indices[:2], [0.6, 0.9])  # candidate 5 stays outstanding
    >>> bandit
    Bandit(11 candidates: 4 measured, best 0.9 at candidate 0; t = 1, pending [5])
    >>> bandit.best().index
    0
    """

    _kind: ClassVar[Kind] = "bandit"

    def __init__(
        self,
        candidates: ArrayLike,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
        *,
        direction: Direction = "maximize",
        repeats: Repeats = "allow",
        inducing: Inducing | None = None,
        fit: Fitting = "never",
    ) -> None:
        beta = FiniteBeta() if beta is None else beta
        super().__init__(candidates, Plan(gp, policy, beta, direction, repeats, inducing, fit))
        self.names, self.labels = names_of(candidates), _labels_of(candidates)

    @property
    def candidates(self) -> Floats:
        """The candidates, shape (M, d)."""
        return self._current.candidates

    @property
    def posterior(self) -> Posterior:
        """The posterior given all values told, in the units of y; without outstanding picks."""
        return self._posterior

    @exclusive
    def best(self) -> Best:
        posterior = self._current
        j = first_best(posterior.mean, posterior.tolerance)
        mean, std = self._sign * posterior.mean[j], posterior.std[j]
        return Best(j, self.candidates[j], float(mean), float(std))

    def _decide(self, policy: Policy, t: int) -> Decision:
        pending, start = self._history.outstanding, self._current
        if pending:
            start = start.hallucinate(np.array([pick.index for pick in pending], dtype=np.intp))
        eligible = Eligible.without(self.excluded, len(self.candidates), self.repeats)
        return self._labelled(policy.decide(start, t, self.beta, eligible=eligible))

    def _hallucinated(self, posterior: Posterior, trials: Sequence[Trial]) -> Posterior:
        return posterior.hallucinate([trial.index for trial in trials])

    def _relevant(self, posterior: Posterior, betas: tuple[float, float]) -> RelevantRegion:
        return relevant_region(posterior, *betas)

    def _labelled(self, decision: Decision) -> Decision:
        names, labels = self._columns()[0], self.labels
        if labels is not None:
            decision = replace(decision, labels=tuple(labels[j] for j in decision.indices))
        return decision if names is None else replace(decision, names=tuple(names))

    def _indices(self, given: ArrayLike) -> tuple[int, ...]:
        """The indices `given`, or those of labels, or of the rows of a decision's frame."""
        given = column_of_picks(given)
        if _is_index(given):
            given = _rows_of(given, self.labels, framed=self.names is not None)
        elif found := _texts_in(given):
            given = _rows_of(found, self.labels, framed=False)
        return tuple(checked_indices(given, len(self.candidates)).tolist())

    def _located(
        self, indices: Any, points: ArrayLike | None
    ) -> tuple[Sequence[int], Sequence[Point | None]]:
        chosen = None if indices is None else self._indices(indices)
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

    def _points(self, trials: Sequence[Trial]) -> Floats:
        X = [
            self.candidates[trial.index] if trial.point is None else trial.point for trial in trials
        ]
        return frozen_copy(np.reshape(X, (len(X), self.candidates.shape[1])))

    def _record(self) -> TableRecord:
        from ucbpe_core.records.schema import TableRecord

        return TableRecord.of(self.candidates, self.names, index=self.labels)

    @classmethod
    def _begun(cls, document: Document) -> Self:
        table, plan = cast("TableRecord", document.table), document.plan
        handle = cls(
            table.candidates.points, plan.gp, plan.policy, plan.beta, direction=plan.direction,
            repeats=plan.repeats, inducing=plan.inducing, fit=plan.fit,
        )  # fmt: skip
        vars(handle).update(names=table.inputs, labels=table.index)
        return handle

    def _columns(self) -> tuple[Sequence[str] | None, Labels]:
        return self.names, () if self.labels is None else (("", self.labels),)

    @property
    def _domain(self) -> Floats:
        return self.candidates

    @property
    def _inputs(self) -> int:
        return self.candidates.shape[1]

    @property
    def _settings(self) -> float:
        return len(self.candidates)

    @property
    def _extent(self) -> str:
        return f"{len(self.candidates)} candidates"

    def _name(self, trial: Trial) -> str:
        if trial.index < 0:
            return f"{list(trial.point or ())}"
        label = "" if self.labels is None else f" ({self.labels[trial.index]})"
        return f"candidate {trial.index}{label}"


def _is_index(given: object) -> bool:
    """Whether `given` is a pandas Index, without importing pandas."""
    return hasattr(given, "get_indexer") and hasattr(given, "dtype")


def _texts_in(given: Any) -> list[str]:
    """The texts `given`, one or several; none if it is anything else."""
    values = given.tolist() if hasattr(given, "tolist") else given
    values = [values] if isinstance(values, str) else values
    several = isinstance(values, list | tuple) and all(isinstance(one, str) for one in values)
    return list(values) if several else []


def _labels_of(candidates: object) -> tuple[str, ...] | None:
    """The index of a frame or Series, as text; None if it only counts rows, or for an array."""
    index: Any = getattr(candidates, "index", None)
    if not _is_index(index):
        return None
    found = list(index)
    return None if found == list(range(len(found))) else tuple(map(str, found))


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
        got = "a pandas Index" if _is_index(index) else f"{index[0]!r}"
        raise InputError(wanted, got, "pass ints, or make the Bandit from a frame with an index")
    rows, times = {label: row for row, label in enumerate(labels)}, Counter(labels)
    given = [str(label) for label in index]
    for label in given:
        if times[label] != 1:
            got = f"{label!r}, which {times[label]} of them have"
            raise InputError("a label of one candidate", got, "pass row numbers instead")
    return [rows[label] for label in given]
