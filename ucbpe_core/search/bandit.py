"""Ask and tell: choose real experiments, in batches, with results in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self, cast

from ucbpe_core.history.plan import Plan
from ucbpe_core.policies.schedules import FiniteBeta
from ucbpe_core.search.place import Candidates, labels_of, of_table
from ucbpe_core.search.search import Search
from ucbpe_core.support.validation import names_of, shared_of
from ucbpe_core.support.validation import points as checked_points
from ucbpe_core.tables.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ucbpe_core.files.schema import Document, Kind, TableRecord
    from ucbpe_core.gp.inducing import Inducing
    from ucbpe_core.gp.posterior import Posterior
    from ucbpe_core.gp.process import GaussianProcess
    from ucbpe_core.policies.base import Policy
    from ucbpe_core.policies.schedules import BetaSchedule
    from ucbpe_core.support.validation import Direction, Fitting, Floats, Repeats, SharedBy


class Bandit(Search):
    """A batch bandit over M candidates, with a fixed prior unless ``fit="each batch"``.

    `ask` for K picks, `tell` the values measured there. The theory is about a fixed prior; whoever
    measures real values wants a fitted one. Results may be told for any part of a batch, in any
    order; picks still outstanding are hallucinated. `ask` returns the same decision until one of
    its picks has been told or withdrawn; the next call then opens a new batch. t counts batches: it
    advances when a batch is complete or the next one is opened. A call that raises changes nothing.

    Minimising f is maximising -f with the prior mean negated: the picks are identical, bit for bit.
    y, `gp`, `posterior`, `process` and `Decision.y_dot` are in the user's units, of f.

    `policy`, `beta`, `repeats`, `shared` and `shared_by` may be assigned, and hold for batches
    asked for after that. `refit` changes the prior.

    Parameters
    ----------
    candidates : points, shape (M, d), or a `Table`, also of categories; its values are not told.
        From a pandas DataFrame, `names` keeps the column names, and `labels` its index as text
        unless that counts the rows
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
    shared, shared_by : names of the inputs that all picks of a batch have in common, and how their
        values are chosen (`Plan`). Without names the inputs are "input 1", "input 2", ..

    Raises
    ------
    InputError
        For candidates that are not (M, d) finite numbers, an argument of the wrong type, or names
        in `shared` that are not some of the inputs.

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
    _place: Candidates

    def __init__(
        self,
        candidates: ArrayLike | Table,
        gp: GaussianProcess,
        policy: Policy,
        beta: BetaSchedule | None = None,
        *,
        direction: Direction = "maximize",
        repeats: Repeats = "allow",
        inducing: Inducing | None = None,
        fit: Fitting = "never",
        shared: Sequence[str] = (),
        shared_by: SharedBy = "first",
    ) -> None:
        beta = FiniteBeta() if beta is None else beta
        together = shared_of(shared), shared_by
        plan = Plan(gp, policy, beta, direction, repeats, inducing, fit, *together)
        self._first = candidates if isinstance(candidates, Table) else None
        super().__init__(_place_of(candidates), plan)

    @property
    def candidates(self) -> Floats:
        """The candidates, shape (M, d)."""
        return self._current.candidates

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the inputs, if the candidates came with names."""
        names = self._place.names
        return None if names is None else tuple(names)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The labels of the candidates, if they came with an index that is not their number."""
        return self._place.labels

    @property
    def posterior(self) -> Posterior:
        """The posterior given all values told, in the units of y; without outstanding picks."""
        return self._posterior

    def _record(self) -> TableRecord:
        from ucbpe_core.files.schema import TableRecord

        if self._first is not None:
            return TableRecord.of_table(self._first)
        return TableRecord.of(self.candidates, self.names, index=self.labels)

    @classmethod
    def _begun(cls, document: Document) -> Self:
        table, plan = cast("TableRecord", document.table), document.plan
        whole = table.labels or table.design or table.output != "y"
        made = table.table() if whole else None
        bandit = cls(
            made or table.candidates.points, plan.gp, plan.policy, plan.beta,
            direction=plan.direction, repeats=plan.repeats, inducing=plan.inducing, fit=plan.fit,
        )  # fmt: skip
        if made is None:
            framed = table.inputs is not None
            bandit._place = replace(
                bandit._place, names=table.inputs, labels=table.index, framed=framed
            )
        return bandit


def _place_of(candidates: ArrayLike | Table) -> Candidates:
    """The candidates as what is searched, with the names that they come with."""
    if isinstance(candidates, Table):
        return of_table(candidates)
    X, names = checked_points(candidates, "candidates"), names_of(candidates)
    return Candidates(X, names, labels_of(candidates), framed=names is not None)
