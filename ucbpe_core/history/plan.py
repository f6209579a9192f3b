"""How the batches of a search are chosen, and changes of its table of candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self

from ucbpe_core.gp.inducing import Inducing, prior
from ucbpe_core.gp.kernels import Matern
from ucbpe_core.gp.kernels.scales import scaled_to
from ucbpe_core.gp.process import GaussianProcess
from ucbpe_core.policies.base import Policy
from ucbpe_core.policies.batched_exploration import FirstBatch
from ucbpe_core.policies.expected_improvement import Recommended
from ucbpe_core.policies.schedules import BetaSchedule, FiniteBeta
from ucbpe_core.spaces.design import Design
from ucbpe_core.support.validation import (
    Direction,
    Fitting,
    Repeats,
    SharedBy,
    direction_of,
    fitting_of,
    instance,
    non_negative,
    points,
    repeats_of,
    shared_by_of,
    shared_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from ucbpe_core.gp.posterior import Posterior

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
    """How the next batches are chosen; the prior is always for f itself, not for -f.

    Attributes
    ----------
    gp : the prior
    policy : chooses what to measure next
    beta : schedule of beta_t
    direction : "maximize" or "minimize"
    repeats : "avoid": without noise, no candidate is proposed whose value is known already. A
        `Bandit`, which serves the theory, has another default
    inducing : how an approximate posterior is made; None: the exact one
    fit : "each batch": before there is a result, the picks are spread over X
        (`policies.first_batch`); then the prior is fitted to all results before each batch, by
        `fitting.fit_to_optimise`, with the kernel of `gp`. "never": `gp` stays as it is
    shared : names of the inputs that all picks of a batch have in common, as in one oven. The
        policy chooses the batch among the candidates of one group, those with equal values of these
        inputs (to a billionth of their range); it is smaller where no more of them can be picked.
        R and R+ are computed over all X; where R+ misses the group, it is all of the group. Over
        a box, the first pick is made in the whole box, and the others where these inputs are as
        there
    shared_by : "first": the first pick that the policy makes among all candidates decides the
        group. "sum": it is the group with the greatest sum of the scores of its batch, among
        those whose batch has the most picks, the first of several; for candidates alone, and as
        "first" where picks have no score
    cost : what one measurement costs, in units of y, to compare `Search.worth` with; None where
        it is not known. No batch depends on it
    since : number of batches asked before the plan came into force
    fitted : number of results that `gp` was fitted to under `fit`; 0 for one that was given

    The last two do not enter comparisons.

    Raises
    ------
    InputError
        For a field of another type, an unknown direction, `repeats`, `fit` or `shared_by`, a name
        twice in `shared`, and a negative cost. A search refuses names that its inputs do not have,
        and all of them.

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
    cost: float | None = None
    since: int = field(default=0, compare=False, repr=False)
    fitted: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        direction_of(self.direction)
        repeats_of(self.repeats)
        fitting_of(self.fit)
        object.__setattr__(self, "shared", shared_of(self.shared))
        shared_by_of(self.shared_by)
        if self.cost is not None:
            object.__setattr__(self, "cost", non_negative(self.cost, "cost"))
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
        candidates' points `domain` (m, d).
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
