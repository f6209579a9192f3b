"""What follows from the journal of an experiment: its state, the posterior and the open
decision.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Unpack

from ucbpe_core.bandit import Bandit
from ucbpe_core.experiment.journal import Asked, Told
from ucbpe_core.experiment.state import State, in_force
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.posterior import Posterior
from ucbpe_core.records.packing import decision_of
from ucbpe_core.region import relevant_region
from ucbpe_core.ties import first_best
from ucbpe_core.validation import indices, sign_of

if TYPE_CHECKING:
    import numpy as np

    from ucbpe_core.experiment.journal import Entry
    from ucbpe_core.experiment.plan import Plan, Table
    from ucbpe_core.experiment.state import Known, Measurement, Opening, Pending
    from ucbpe_core.fitting import Fit, FitOptions
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.ledger import Ledger
    from ucbpe_core.policies.decision import Decision


@dataclass(frozen=True, eq=False)
class Replayed:
    """A table and a journal, and what follows from them; `Experiment` adds the steps."""

    table: Table
    journal: tuple[Entry, ...] = field(repr=False)
    name: str
    id: str
    created: str
    # The experiment before the last step, whose rows the posterior shares.
    _before: Replayed | None = field(default=None, repr=False)
    # Whether a step before this one warned about the prior.
    _warned: bool = field(default=False, repr=False, init=False)

    def __post_init__(self) -> None:
        for entry in self.journal:
            if isinstance(entry, Told | Asked):
                indices(entry.candidates, len(self.table), "candidates")
        # Computed at once, so that an invalid entry is refused on construction.
        _ = self.state, self.posterior, self.decision
        object.__setattr__(self, "_before", None)

    @cached_property
    def state(self) -> State:
        """The state after the journal, without the posterior."""
        return State.after(self.journal)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self.state.plan

    @property
    def ledger(self) -> Ledger:
        """The outstanding picks, with their batches."""
        return self.state.ledger

    @property
    def withdrawn(self) -> tuple[int, ...]:
        """Candidates that are not proposed again, as their picks were withdrawn, ascending."""
        return self.state.ledger.excluded

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every measurement in the order recorded, void ones too."""
        return self.state.measurements

    @property
    def known(self) -> tuple[tuple[int, float], ...]:
        """(candidate, y) of every measurement that counts, in the order recorded."""
        return tuple((candidate, y) for candidate, y, _ in self.state.known)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Every outstanding pick, oldest first."""
        return self.state.pending

    @cached_property
    def posterior(self) -> Posterior:
        """The posterior after every measurement that counts; outstanding picks are not in it."""
        return self._condition(self.plan.gp, self.state.known)

    @cached_property
    def decision(self) -> Decision | None:
        """The decision of the open batch, until part of it is told or withdrawn."""
        opening = self.state.opening
        return None if opening is None else self._decision(opening)

    @property
    def bandit(self) -> Bandit:
        """An independent `Bandit` in the same state."""
        plan = self.plan
        parts = self.posterior, plan.policy, plan.beta, self.ledger, self.decision
        return Bandit.restore(*parts, direction=plan.direction, repeats=plan.repeats)

    @property
    def undoable(self) -> Entry | None:
        """The entry that `undo` would revert."""
        done, _ = in_force(self.journal)
        return done[-1] if len(done) > 1 else None

    @property
    def redoable(self) -> Entry | None:
        """The entry that `redo` would restore."""
        _, undone = in_force(self.journal)
        return undone[0] if undone else None

    def fit(self, seed: int | np.random.Generator = 0, **options: Unpack[FitOptions]) -> Fit:
        """The prior fitted to the measurements by `fit_hyperparameters`; the plan does not change.

        The domain is the table; seed and options are those of `fit_hyperparameters`.

        Raises
        ------
        InputError
            For fewer than two distinct values.
        """
        chosen, y, noise = _columns(self.state.known)
        every = self.table.candidates
        gp, X = self.plan.gp, every[chosen]
        return fit_hyperparameters(gp, X, y, seed, noise_variance=noise, domain=every, **options)

    def best_measured(self) -> Measurement | None:
        """The measurement with the best value under the plan in force; of several, the first."""
        sign = sign_of(self.plan.direction)
        counting = [one for one in self.measurements if one.y is not None]
        return max(counting, key=lambda one: sign * (one.y or 0.0), default=None)

    def best(self) -> int:
        """The candidate with the best posterior mean: the one to use if the experiment ends now."""
        sign = sign_of(self.plan.direction)
        return first_best(sign * self.posterior.mean, self.posterior.tolerance)

    def _condition(self, gp: GaussianProcess, known: Known) -> Posterior:
        """The posterior; it shares the rows of the last step as far as both agree."""
        before = self._before
        if before is None or before.plan.gp != gp:
            shared, same = Posterior.prior(gp, self.table.candidates), 0
        else:
            pairs = zip(before.state.known, known, strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            shared = before.posterior.at(same)
        return shared.observe(*_columns(known[same:]))

    def _decision(self, opening: Opening) -> Decision:
        """The decision of the open batch, from the data of that time.

        Picks, roles and standard deviations are those recorded; R and R+ follow from the posterior.
        """
        asked, gp, known = opening.asked, opening.plan.gp, opening.known
        if gp == self.plan.gp and self.state.known[: len(known)] == known:
            posterior = self.posterior.at(len(known))
        else:
            posterior = self._condition(gp, known)
        start = posterior.hallucinate(list(opening.outstanding))
        maximised = start.signed(sign_of(opening.plan.direction))
        relevant = relevant_region(maximised, asked.beta, asked.beta_next)
        relevant = replace(relevant, y_dot=asked.y_dot)
        return decision_of(asked, asked.t, asked.n, gp, start.candidates, relevant)


def _columns(known: Known) -> tuple[list[int], list[float], list[float | None]]:
    """Candidates, values and noise variances."""
    return [one[0] for one in known], [one[1] for one in known], [one[2] for one in known]
