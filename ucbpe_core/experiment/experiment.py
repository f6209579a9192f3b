"""A real experiment that is saved: a plan, and the journal of all that happened."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.bandit import Bandit
from ucbpe_core.experiment import file, replay, table_csv
from ucbpe_core.experiment.journal import (
    Asked,
    Corrected,
    Planned,
    Redid,
    Told,
    Undid,
    Withdrew,
    now,
)
from ucbpe_core.experiment.state import State, in_force
from ucbpe_core.fitting import fit_hyperparameters
from ucbpe_core.policies.decision import Decision
from ucbpe_core.posterior import Posterior
from ucbpe_core.ties import first_best
from ucbpe_core.validation import count, indices, noise_variances, real, sign_of, values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ucbpe_core.experiment.journal import Entry, Plan, Table
    from ucbpe_core.experiment.state import Known, Measurement, Opening, Pending
    from ucbpe_core.fitting import Fit
    from ucbpe_core.gp import GaussianProcess
    from ucbpe_core.ledger import Ledger
    from ucbpe_core.records.text import PathOrFile
    from ucbpe_core.validation import Noise


@dataclass(frozen=True, eq=False)
class Experiment:
    """An experiment over the rows of a table. Immutable: every step returns another experiment.

    ::

        experiment = Experiment.begin(table, plan).ask()
        experiment.save("yield.json")

    `ask` proposes a batch, `tell` records results in any order and part by part, and outstanding
    picks keep counting as hallucinations, as in `Bandit`. No recorded result is lost: `undo` takes
    back the last entry of the journal, several levels deep, by adding one that says so. A step
    that raises leaves the experiment as it was, since it returns none.

    Build one with `Experiment.begin`, or read it with `Experiment.load`.

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
    # The experiment before the last step, whose rows the posterior shares.
    _before: Experiment | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for entry in self.journal:
            if isinstance(entry, Told | Asked):
                indices(entry.candidates, len(self.table), "candidates")
        # All at once, so that an entry that cannot be is refused before anybody has the experiment.
        _ = self.state, self.posterior, self.decision
        object.__setattr__(self, "_before", None)

    @classmethod
    def begin(
        cls, table: Table, plan: Plan, name: str = "Experiment", *, time: str | None = None
    ) -> Experiment:
        """An experiment in which nothing has been asked or told."""
        first = Planned.of(plan, time or now())
        return cls(table, (first,), name, secrets.token_hex(8), first.time)

    def save(self, path: PathOrFile) -> None:
        """Write a JSON file that `load` reads back; `docs/experiment.md` describes its fields.

        Parameters
        ----------
        path : where to, or a text file that is open for writing

        Raises
        ------
        InputError
            For a policy, kernel or schedule of a class that is not registered, or a path that
            cannot be written. An earlier file then stays as it was.
        """
        file.save(self, path)

    @classmethod
    def load(cls, path: PathOrFile) -> Experiment:
        """The experiment that `save` wrote; it goes on as the original would.

        Picks are those of the file, wherever it is read. The posterior is conditioned again: on
        one machine that gives the same bits, on another it differs by rounding. Nothing in the
        file is executed.

        Parameters
        ----------
        path : where from, or a text file that is open for reading

        Raises
        ------
        InputError
            For a file that cannot be read, is not JSON, is cut short or changed, has another
            format or version, or holds what cannot have happened.
        """
        return file.load(path, cls)

    def to_csv(self, path: PathOrFile) -> None:
        """Write one row for each measurement that counts; `docs/experiment.md` has the columns.

        Parameters and errors are those of `save`.
        """
        table_csv.write(self, path)

    @cached_property
    def state(self) -> State:
        """Where it stands after the journal, without the posterior."""
        return State.after(self.journal)

    @property
    def plan(self) -> Plan:
        """The plan in force."""
        return self.state.plan

    @property
    def ledger(self) -> Ledger:
        """What is outstanding, of which batch."""
        return self.state.ledger

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
        """The open batch as it was decided, while nothing of it was told or withdrawn."""
        opening = self.state.opening
        return None if opening is None else self._decision(opening)

    @property
    def bandit(self) -> Bandit:
        """A bandit at this point, to go on with on its own."""
        plan = self.plan
        return Bandit.restore(
            self.posterior,
            plan.policy,
            plan.beta,
            self.ledger,
            self.decision,
            direction=plan.direction,
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
        return self._with(Asked.of(self.bandit.ask(), time or now()))

    def tell(
        self,
        candidates: ArrayLike,
        y: ArrayLike,
        noise_variance: Noise = None,
        *,
        time: str | None = None,
    ) -> Experiment:
        """Record measurements y (k,) at the candidates (k,), asked or not.

        `noise_variance` is the known noise variance of each, a number or (k,), in squared units of
        y; where it is not given, or None, that of the prior holds.

        Raises
        ------
        InputError
            For no result, an unknown candidate, NaN, infinities or shapes that do not agree.
        """
        chosen = indices(candidates, len(self.table), "candidates")
        count(len(chosen), "the number of results")
        measured = values(y, "y", len(chosen))
        noise = noise_variances(noise_variance, len(chosen))
        known = None if noise.count(None) == len(noise) else noise
        told = Told(time or now(), tuple(chosen.tolist()), tuple(measured.tolist()), known)
        return self._with(told)

    def withdraw(
        self, candidates: ArrayLike | None = None, *, time: str | None = None
    ) -> Experiment:
        """Withdraw outstanding picks: every one, or those of these candidates."""
        given = self.ledger.pending
        if candidates is not None:
            given = tuple(indices(candidates, len(self.table), "candidates").tolist())
        count(len(given), "the number of outstanding picks to withdraw")
        return self._with(Withdrew(time or now(), given))

    def correct(self, measurement: int, y: float | None, *, time: str | None = None) -> Experiment:
        """Give measurement number `measurement` (from 0, in the order recorded) another value.

        With None it is void: it counts no more. Batches that it had a part in stay as they were.
        """
        number = count(measurement, "measurement", minimum=0)
        value = None if y is None else real(y, "y")
        return self._with(Corrected(time or now(), number, value))

    def replan(self, plan: Plan, *, time: str | None = None) -> Experiment:
        """Choose the next batches by another plan; what is outstanding stays so."""
        return self if plan == self.plan else self._with(Planned.of(plan, time or now()))

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
        return self._with(Undid(time or now()))

    def redo(self, *, time: str | None = None) -> Experiment:
        """Bring back what was taken back last; `InputError` if something was done since."""
        return self._with(Redid(time or now()))

    def fit(self, seed: int | np.random.Generator = 0) -> Fit:
        """The prior of greatest marginal likelihood for the measurements; the plan stays.

        Raises
        ------
        InputError
            For fewer than two different values.
        """
        chosen, y, noise = replay.columns(self.state.known)
        X = self.table.candidates[chosen]
        return fit_hyperparameters(self.plan.gp, X, y, seed, noise_variance=noise)

    def best_measured(self) -> Measurement | None:
        """The measurement of best value for the plan in force, the first if several have it."""
        sign = sign_of(self.plan.direction)
        counting = [one for one in self.measurements if one.y is not None]
        return max(counting, key=lambda one: sign * (one.y or 0.0), default=None)

    def best(self) -> int:
        """Candidate of best posterior mean: what to use if the experiment ends now."""
        sign = sign_of(self.plan.direction)
        return first_best(sign * self.posterior.mean, self.posterior.tolerance)

    def _with(self, entry: Entry) -> Experiment:
        journal = (*self.journal, entry)
        return Experiment(self.table, journal, self.name, self.identity, self.created, self)

    def _condition(self, gp: GaussianProcess, known: Known) -> Posterior:
        """The posterior; it shares the rows of the last step as far as both agree."""
        before = self._before
        if before is None or before.plan.gp != gp:
            prior = Posterior.prior(gp, self.table.candidates)
            return prior.observe(*replay.columns(known))
        return replay.condition(before.posterior, before.state.known, known)

    def _decision(self, opening: Opening) -> Decision:
        gp, known = opening.plan.gp, opening.known
        if gp == self.plan.gp and self.state.known[: len(known)] == known:
            posterior = self.posterior.at(len(known))
        else:
            posterior = self._condition(gp, known)
        return replay.decision(opening, posterior)
