"""A real experiment that lasts: a bandit, and the journal of all that happened."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.bandit import Bandit
from ucbpe_core.experiment.folding import State, fold, in_force
from ucbpe_core.experiment.records import (
    Asked,
    Corrected,
    Planned,
    Redid,
    Told,
    Undid,
    Withdrew,
    checked_time,
    now,
)
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.policies.base import Decision
from ucbpe_core.posterior import Posterior
from ucbpe_core.region import relevant_region
from ucbpe_core.ties import first_best
from ucbpe_core.validation import count, frozen_copy, indices, real, values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.experiment.folding import Measurement, Opening, Pending
    from ucbpe_core.experiment.records import Entry, Plan, Table
    from ucbpe_core.fitting import Fit
    from ucbpe_core.gp import GaussianProcess

_Known = tuple[tuple[int, float], ...]


@dataclass(frozen=True, eq=False)
class Experiment:
    """An experiment over the rows of a table. Immutable: every step returns another experiment.

    `ask` proposes a batch, `tell` takes results in any order and part by part, and outstanding
    picks keep counting as hallucinations, as in `Bandit`. Nothing is ever erased: `undo` takes
    back the last entry of the journal, several levels deep, by adding one that says so. A step
    that raises leaves the experiment as it was, since it returns none.

    Build one with `Experiment.begin`, or read it with `from_json`.

    Attributes
    ----------
    table : the candidates
    journal : all that happened, in order; the first entry is the plan
    name, identity, created : what people call it, 16 hexadecimal digits, when it began
    """

    table: Table
    journal: tuple[Entry, ...] = field(repr=False)
    name: str
    identity: str
    created: str
    # The experiment before the last step, whose rows the belief shares.
    _before: Experiment | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        # All at once, so that an entry that cannot be is refused before anybody has the experiment.
        _ = self.state, self.posterior, self.decision
        object.__setattr__(self, "_before", None)

    @classmethod
    def begin(
        cls, table: Table, plan: Plan, name: str = "Experiment", *, time: str | None = None
    ) -> Experiment:
        """An experiment in which nothing has been asked or told."""
        time = _time(time)
        return cls(table, (Planned(time, plan),), name, secrets.token_hex(8), time)

    @cached_property
    def state(self) -> State:
        """Where it stands, without the belief."""
        return fold(self.journal)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self.state.plan

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every measurement in the order told, void ones too."""
        return self.state.measurements

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Every outstanding pick, oldest first."""
        return self.state.pending

    @cached_property
    def posterior(self) -> Posterior:
        """The belief after every measurement that counts; outstanding picks are not in it."""
        return self._condition(self.plan.gp, self.state.known)

    @cached_property
    def decision(self) -> Decision | None:
        """The open batch as it was decided, while nothing of it was told or withdrawn."""
        if self.state.opening is None:
            return None
        return self._decision(self.state.opening)

    @property
    def bandit(self) -> Bandit:
        """A bandit at this point, to go on with on its own."""
        state = self.state
        return Bandit.restore(
            self.posterior, state.plan.policy, state.plan.beta, state.ledger, self.decision
        )

    def ask(self, *, time: str | None = None) -> Experiment:
        """Open the next batch; the experiment itself while a batch is open and untouched.

        Raises
        ------
        InputError
            For more picks than candidates where the policy never repeats one.
        """
        if self.decision is not None:
            return self
        return self._with(Asked.of(self.bandit.ask(), _time(time)))

    def tell(self, candidates: ArrayLike, y: ArrayLike, *, time: str | None = None) -> Experiment:
        """Add measurements y (k,) at the candidates (k,), asked or not.

        Raises
        ------
        InputError
            For no result, an unknown candidate, NaN, infinities or shapes that do not agree.
        """
        members = indices(candidates, len(self.table), "candidates")
        count(len(members), "the number of results")
        measured = values(y, "y", len(members))
        return self._with(Told(_time(time), tuple(members.tolist()), tuple(measured.tolist())))

    def withdraw(
        self, candidates: ArrayLike | None = None, *, time: str | None = None
    ) -> Experiment:
        """Give up outstanding picks: every one, or those of these candidates."""
        given_up = self.state.ledger.pending
        if candidates is not None:
            given_up = tuple(indices(candidates, len(self.table), "candidates").tolist())
        count(len(given_up), "the number of outstanding picks to withdraw")
        return self._with(Withdrew(_time(time), given_up))

    def correct(self, measurement: int, y: float | None, *, time: str | None = None) -> Experiment:
        """Give measurement number `measurement` (from 0, in the order told) another value.

        With None it is void: it counts no more. Batches that it had a part in stay as they were.
        """
        number = count(measurement, "measurement", minimum=0)
        value = None if y is None else real(y, "y")
        return self._with(Corrected(_time(time), number, value))

    def replan(self, plan: Plan, *, time: str | None = None) -> Experiment:
        """Choose the next batches by another plan; what is outstanding stays so."""
        return self if plan == self.plan else self._with(Planned(_time(time), plan))

    @property
    def undoable(self) -> Entry | None:
        """The entry that `undo` would take back."""
        done, _ = in_force(self.journal)
        return done[-1] if len(done) > 1 else None

    @property
    def redoable(self) -> Entry | None:
        """The entry that `redo` would bring back."""
        _, undone = in_force(self.journal)
        return undone[0] if undone else None

    def undo(self, *, time: str | None = None) -> Experiment:
        """Take back the last entry that is in force; `InputError` if only the plan is left."""
        return self._with(Undid(_time(time)))

    def redo(self, *, time: str | None = None) -> Experiment:
        """Bring back what was taken back last; `InputError` if something was done since."""
        return self._with(Redid(_time(time)))

    def fit(self, rng: int | np.random.Generator = 0) -> Fit:
        """The prior of greatest marginal likelihood for the measurements; the plan stays.

        Raises
        ------
        InputError
            For fewer than two different values.
        """
        members, y = _split(self.state.known)
        return fit_hyperparameters(self.plan.gp, self.table.candidates[members], y, rng)

    def best_measured(self) -> Measurement | None:
        """The measurement of highest value, the first if several have it."""
        counting = [one for one in self.measurements if one.y is not None]
        return max(counting, key=lambda one: one.y or 0.0, default=None)

    def best(self) -> int:
        """Candidate of highest posterior mean: what to use if the experiment ends now."""
        return first_best(self.posterior.mean, self.posterior.tolerance)

    def _with(self, entry: Entry) -> Experiment:
        journal = (*self.journal, entry)
        return Experiment(self.table, journal, self.name, self.identity, self.created, self)

    def _condition(self, gp: GaussianProcess, known: _Known) -> Posterior:
        """The belief; it shares the rows of the last step as far as both agree."""
        belief, start = Posterior.prior(gp, self.table.candidates), 0
        before = self._before
        if before is not None and before.plan.gp == gp:
            start = _common(before.state.known, known)
            belief = before.posterior.at(start)
        members, y = _split(known[start:])
        return belief.observe(members, y)

    def _decision(self, opening: Opening) -> Decision:
        asked, gp = opening.asked, opening.plan.gp
        known, now_known = opening.known, self.state.known
        if gp == self.plan.gp and now_known[: len(known)] == known:
            belief = self.posterior.at(len(known))
        else:
            belief = self._condition(gp, known)
        start = belief.hallucinate(list(opening.outstanding))
        relevant = relevant_region(start, asked.beta, asked.beta_next)
        indices = frozen_copy([pick.candidate for pick in asked.picks], np.intp)
        stds = frozen_copy([pick.std for pick in asked.picks])
        return Decision(
            t=asked.t,
            indices=indices,
            points=frozen_copy(start.candidates[indices]),
            roles=tuple(pick.role for pick in asked.picks),
            stds=stds,
            scores=frozen_copy([pick.score for pick in asked.picks]),
            beta=asked.beta,
            beta_next=asked.beta_next,
            y_dot=asked.y_dot,
            region=relevant.region,
            region_plus=relevant.region_plus,
            n=asked.n,
            known=gp.knows(start.candidates[indices], stds),
        )


def _split(known: _Known) -> tuple[list[int], list[float]]:
    return [candidate for candidate, _ in known], [y for _, y in known]


def _common(one: _Known, other: _Known) -> int:
    """How many entries both begin with."""
    for i, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            return i
    return min(len(one), len(other))


def _time(text: str | None) -> str:
    return now() if text is None else checked_time(text)
