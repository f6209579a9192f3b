"""What a search consists of before anything is measured: its plan, and a table of candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.gp.inducing import Inducing, prior
from ucbpe_core.gp.kernels import Matern
from ucbpe_core.gp.kernels.scales import scaled_to
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.batched_exploration import FirstBatch
from ucbpe_core.policies.expected_improvement import Recommended
from ucbpe_core.policies.schedules import BetaSchedule, FiniteBeta
from ucbpe_core.spaces.design import Design
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import (
    Direction,
    Fitting,
    Repeats,
    SharedBy,
    count,
    direction_of,
    fitting_of,
    frozen_copy,
    instance,
    points,
    repeats_of,
    shared_by_of,
    shared_of,
    texts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.support.validation import Floats

_REMEDIES = {
    "gp": (GaussianProcess, "pass GaussianProcess(RBF()), for example"),
    "policy": (Policy, "pass GPUCBPE(batch_size=10)"),
    "beta": (
        BetaSchedule,
        "pass ConstantBeta(4.0), or derive a class from BetaSchedule",
    ),
}


@dataclass(frozen=True)
class Plan:
    """How the next batches are chosen; the prior is always that of f itself.

    Attributes
    ----------
    gp : the prior
    policy : chooses what to measure next
    beta : schedule of beta_t
    direction : "maximize" or "minimize"
    repeats : "avoid", unlike that of a `Bandit`, which serves the theory: without noise no
        candidate is proposed whose value is known already
    inducing : how an approximate posterior is made; None: the exact one
    fit : "each batch": before there is a result, the picks are spread over X
        (`policies.first_batch`); then the prior is fitted to all results before each batch, by
        `fitting.fit_to_optimise`, with the kernel of `gp`. "never": `gp` stays as it is
    shared : names of the inputs that all picks of a batch have in common, as in one oven. The batch
        is that of the policy among the candidates of one group, those with equal values of these
        inputs (to a billionth of their range), and is smaller where no more of them can be picked.
        R and R+ stay those of all X; where R+ has none of the group, it is all of the group. Over
        a box, the first pick is made in the whole box, and the others where these inputs are as
        there
    shared_by : "first": the group is that of the first pick that the policy makes among all
        candidates. "sum": it is the one with the greatest sum of the scores of its batch, among
        those whose batch has the most picks, the first of several; for candidates alone, and as
        "first" where picks have no score
    since : number of batches asked before the plan came into force
    fitted : number of results that `gp` was fitted to under `fit`; 0 for one that was given

    The last two do not enter comparisons.

    Raises
    ------
    InputError
        For a field of another type, an unknown direction, `repeats`, `fit` or `shared_by`, and a
        name twice in `shared`. A search refuses names that its inputs do not have, and all of them.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.search.experiment import Plan, Table
    >>> gp = GaussianProcess(RBF(3.0), noise_variance=0.01, mean=2.0)
    >>> plan = Plan(gp, GPUCBPE(2), ConstantBeta(4.0), direction="minimize")
    >>> experiment = Experiment(Table(("x",), range(11)), plan)
    >>> experiment.tell([2, 9], [3.0, 1.0])
    >>> experiment.best().index
    9
    """

    gp: GaussianProcess
    policy: Policy
    beta: BetaSchedule
    direction: Direction = "maximize"
    repeats: Repeats = "avoid"
    inducing: Inducing | None = None
    fit: Fitting = "each batch"
    shared: tuple[str, ...] = ()
    shared_by: SharedBy = "first"
    since: int = field(default=0, compare=False, repr=False)
    fitted: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        direction_of(self.direction)
        repeats_of(self.repeats)
        fitting_of(self.fit)
        object.__setattr__(self, "shared", shared_of(self.shared))
        shared_by_of(self.shared_by)
        for name, (kind, remedy) in _REMEDIES.items():
            instance(getattr(self, name), kind, remedy)
        if self.inducing is not None:
            instance(self.inducing, Inducing, "pass Inducing(), or None for the exact posterior")

    @classmethod
    def recommended(
        cls, domain: ArrayLike, batch_size: int = 4, direction: Direction = "maximize"
    ) -> Self:
        """The plan of whoever wants results: `Recommended`, Matérn 5/2, fitted before each batch.

        Each input has a lengthscale of its own: until the first fit, a third of its extent in the
        points `domain` (m, d), those of the candidates.
        """
        X = points(domain, "domain")
        gp = GaussianProcess(scaled_to(Matern(nu=2.5), X, 1.0))
        return cls(gp, Recommended(batch_size), FiniteBeta(), direction)

    @property
    def rules(self) -> Mapping[str, str]:
        """The roles that its picks can have, as in `Policy.rules`."""
        first = FirstBatch.rules if self.fit == "each batch" else {}
        return {**self.policy.rules, **first}

    def prior(self, candidates: ArrayLike) -> Posterior:
        """The posterior before any data over candidates (M, d)."""
        return prior(self.gp, candidates, self.inducing)


@dataclass(frozen=True, eq=False)
class Table(Frozen):
    """The candidates of an experiment.

    Attributes
    ----------
    inputs : names of the d inputs, units included where there are any
    candidates : points, shape (M, d)
    output : name of what is measured
    labels : names of further columns that identify the candidates to people, and their texts, M
        each; the method ignores them
    design : which settings the rows stand for; None where all inputs are plain numbers

    Raises
    ------
    InputError
        For shapes that do not agree, NaN or infinities, and names or labels that are no text.

    Examples
    --------
    >>> from ucbpe_core.search.experiment import Table
    >>> table = Table(("time (min)",), [5.0, 10.0], "yield (%)", labels=(("flask", ("A", "B")),))
    >>> len(table), table.candidates
    (2, array([[ 5.],
           [10.]]))
    """

    inputs: tuple[str, ...]
    candidates: Floats = field(repr=False)
    output: str = "y"
    labels: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)
    design: Design | None = field(default=None, repr=False)

    @classmethod
    def of(cls, design: Design, output: str = "y", rows: Any = None) -> Self:
        """A table of settings: those that stand for the design, or coordinates (M, D) `rows`."""
        X = design.rows() if rows is None else points(rows, "rows", len(design.columns))
        return cls(design.columns, X, output, design.labels(X), design)

    def __post_init__(self) -> None:
        inputs, (output,) = texts(self.inputs, "inputs"), texts([self.output], "output")
        X = points(self.candidates, "candidates", len(inputs))
        count(len(X), "the number of candidates")
        labels = _labels(self.labels)
        for name, column in labels:
            if len(column) != len(X):
                raise InputError(f"{len(X)} texts of {name}", str(len(column)), "one per candidate")
        vars(self).update(inputs=inputs, output=output, labels=labels)
        if self.design is not None and self.inputs != self.design.columns:
            wanted = f"inputs {', '.join(self.design.columns)}, as in the design"
            raise InputError(wanted, ", ".join(self.inputs), "use Table.of")
        object.__setattr__(self, "candidates", frozen_copy(X))

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of what a person sets."""
        return self.inputs if self.design is None else self.design.names

    @property
    def plain(self) -> tuple[int, ...]:
        """Numbers of the inputs that are what a person sets; the rest is in labels."""
        if self.design is None:
            return tuple(range(len(self.inputs)))
        return tuple(np.flatnonzero(self.design.plain).tolist())

    @property
    def domain(self) -> Floats:
        """Points (m, d) whose extents set default lengthscales and the bounds of a fit."""
        if self.design is None:
            return self.candidates
        # As `Space.domain` has it for the values of a category.
        ends = np.array([self.candidates.min(axis=0), self.candidates.max(axis=0)])
        return frozen_copy(ends + np.array([[-1.0], [1.0]]) * self.design.coded)

    def settings(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """What to set for candidates (k,), by name."""
        X = self.candidates[list(indices)]
        if self.design is not None:
            return self.design.settings(X)
        return [dict(zip(self.inputs, x, strict=True)) for x in X.tolist()]

    def texts_of(self, rows: Floats) -> tuple[tuple[str, ...], ...]:
        """A text for each label of rows (k, d) that are new: that of the setting, or none."""
        own = {} if self.design is None else dict(self.design.labels(rows))
        none = ("",) * len(rows)
        columns = [own.get(name, none) for name, _ in self.labels]
        return tuple(zip(*columns, strict=True)) if columns else ()


def _labels(given: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Pairs of a name and texts."""
    found = list(given) if isinstance(given, list | tuple) else [given]
    if any(not isinstance(pair, list | tuple) or len(pair) != 2 for pair in found):
        got, remedy = f"{given!r:.60}", 'pass e.g. (("flask", ("A", "B")),)'
        raise InputError("labels as pairs of a name and texts", got, remedy)
    return tuple(
        (texts([name], "the name of a label")[0], texts(column, f"label {name}"))
        for name, column in found
    )


class Edit(NamedTuple):
    """A change of the candidates. Rows after a removed one move up; new rows come at the end.

    Attributes
    ----------
    removed, points : numbers of the rows that are removed, ascending, and their inputs
    added : the inputs of the rows that are added
    labels : of each of these, its text in every label of the table
    design : the design of the table from then on; None: as before
    since : the number of batches asked before

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.search.experiment import Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment(Table(("x",), range(4)), plan)
    >>> experiment.remove([1])
    >>> experiment.history.edits[0].removed, experiment.history.edits[0].points
    ((1,), ((1.0,),))
    """

    removed: tuple[int, ...] = ()
    points: tuple[tuple[float, ...], ...] = ()
    added: tuple[tuple[float, ...], ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    design: Design | None = None
    since: int = 0

    @property
    def growth(self) -> int:
        """How many more candidates there are."""
        return len(self.added) - len(self.removed)
