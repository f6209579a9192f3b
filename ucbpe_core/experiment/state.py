"""The state of an experiment after its journal: bookkeeping, without the posterior."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.experiment.journal import (
    Allowed,
    Asked,
    Corrected,
    Planned,
    Redid,
    Told,
    Undid,
    Withdrew,
)
from ucbpe_core.ledger import Ledger
from ucbpe_core.validation import noise_variances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.experiment.journal import Entry, Proposal
    from ucbpe_core.experiment.plan import Plan
    from ucbpe_core.validation import Direction

Known = tuple[tuple[int, float, float | None], ...]


@dataclass(frozen=True)
class Pending:
    """Outstanding pick k of batch t: when and why it was proposed, and in which direction.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask().tell([0], [0.3])
    >>> [(pending.t, pending.k, pending.proposal.candidate) for pending in experiment.pending]
    [(1, 1, 10)]
    """

    t: int
    k: int
    time: str
    proposal: Proposal
    direction: Direction = "maximize"


@dataclass(frozen=True)
class Measurement:
    """One measurement.

    Attributes
    ----------
    candidate, y : where, and the current value; None if it is void
    time : when it was recorded
    answers : the pick that it is the result of; None if it was not asked for
    noise_variance : of this measurement; None stands for that of the prior

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, Experiment, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import Plan, Table
    >>> plan = Plan(GaussianProcess(RBF(3.0)), GPUCBPE(2), ConstantBeta(4.0))
    >>> experiment = Experiment.begin(Table(("x",), range(11)), plan).ask().tell([0, 4], [0.3, 0.6])
    >>> [(one.candidate, one.y, one.answers is not None) for one in experiment.measurements]
    [(0, 0.3, True), (4, 0.6, False)]
    """

    candidate: int
    y: float | None
    time: str
    answers: Pending | None
    noise_variance: float | None = None


@dataclass(frozen=True)
class Opening:
    """The data when the open batch was asked.

    Attributes
    ----------
    asked, plan : the batch, and the plan that chose it
    known : (candidate, y, noise variance) of every measurement that counted
    outstanding : candidates that were outstanding already
    """

    asked: Asked
    plan: Plan
    known: Known
    outstanding: tuple[int, ...]


@dataclass
class State:
    """The state of an experiment after a number of entries."""

    plan: Plan
    ledger: Ledger = field(default_factory=Ledger)
    opening: Opening | None = None
    # A list and a count, so that reading a journal takes time linear in its length.
    _measured: list[Measurement] = field(default_factory=list)
    _counting: int = 0
    _asked: dict[tuple[int, int], Pending] = field(default_factory=dict, compare=False)

    @classmethod
    def after(cls, journal: Sequence[Entry]) -> State:
        """The state after a journal.

        Raises
        ------
        InputError
            For entries that cannot follow each other.
        """
        entries, _ = in_force(journal)
        if not entries or not isinstance(entries[0], Planned):
            raise InputError("a journal that begins with a plan", "none", "fix the journal")
        state = cls(entries[0].plan)
        asks = [number for number, entry in enumerate(entries) if isinstance(entry, Asked)]
        for number, entry in enumerate(entries[1:], start=1):
            # A batch has a result or is withdrawn before the next is asked: only the last can be
            # open.
            state._apply(entry, last=number >= asks[-1] if asks else True)
        return state

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """Every measurement in the order recorded, void ones too."""
        return tuple(self._measured)

    @property
    def known(self) -> Known:
        """(candidate, y, noise variance) of each measurement that counts, in the order recorded."""
        every = ((one.candidate, one.y, one.noise_variance) for one in self._measured)
        return tuple((j, y, noise) for j, y, noise in every if y is not None)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Every outstanding pick, oldest first."""
        return tuple(self._asked[pick.place] for pick in self.ledger.outstanding)

    def _apply(self, entry: Entry, *, last: bool) -> None:
        match entry:
            case Planned():
                self.plan = entry.plan
            case Asked():
                self._ask(entry, last=last)
            case Told():
                self._tell(entry)
            case Withdrew():
                self._withdraw(entry)
            case Allowed():
                self.ledger = self.ledger.allowed(entry.candidates)
            case Corrected():
                self._correct(entry)

    def _ask(self, entry: Asked, *, last: bool) -> None:
        if self.ledger.untouched:
            wanted = "no new batch before the last has a result or is withdrawn"
            raise InputError(wanted, f"t = {entry.t}", "fix the journal")
        expected = self.ledger.next_t, self._counting + len(self.ledger.pending)
        if (entry.t, entry.n) != expected:
            wanted = f"a batch with t = {expected[0]} after {expected[1]} points"
            raise InputError(wanted, f"t = {entry.t}, n = {entry.n}", "fix the journal")
        policy, roles = self.plan.policy, [pick.role for pick in entry.picks]
        # Where nothing else is left to measure, a batch that avoids repeats is smaller.
        least = 1 if self.plan.repeats == "avoid" else policy.batch_size
        if not least <= len(roles) <= policy.batch_size or not set(roles) <= set(policy.rules):
            wanted = f"{policy.batch_size} picks with roles among {', '.join(policy.rules)}"
            raise InputError(wanted, ", ".join(roles) or "none", "fix the journal")
        known = self.known if last else ()
        self.opening = Opening(entry, self.plan, known, self.ledger.pending)
        self.ledger = self.ledger.opened(entry.candidates)
        for k, pick in enumerate(entry.picks):
            self._asked[entry.t, k] = Pending(entry.t, k, entry.time, pick, self.plan.direction)

    def _tell(self, entry: Told) -> None:
        ledger, answers = self.ledger.told(entry.candidates)
        noise = noise_variances(entry.noise_variance, len(entry.y))
        self._measured += [
            Measurement(j, y, entry.time, self._asked[answer.place] if answer else None, known)
            for j, y, answer, known in zip(entry.candidates, entry.y, answers, noise, strict=True)
        ]
        self._counting += len(entry.y)
        self._settle(ledger)

    def _withdraw(self, entry: Withdrew) -> None:
        self.ledger.check_outstanding(entry.candidates)
        self._settle(self.ledger.withdrawn(entry.candidates))

    def _correct(self, entry: Corrected) -> None:
        number, size = entry.measurement, len(self._measured)
        if not 0 <= number < size:
            wanted = f"a measurement from 0 to {size - 1}" if size else "a measurement"
            raise InputError(wanted, str(number), "they count from 0 in the order recorded")
        before = self._measured[number]
        self._measured[number] = replace(before, y=entry.y)
        self._counting += (entry.y is not None) - (before.y is not None)

    def _settle(self, ledger: Ledger) -> None:
        self.ledger = ledger
        if not ledger.untouched:
            self.opening = None


def in_force(journal: Sequence[Entry]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The entries in force, and the reverted ones that can be redone, next first.

    The first entry, the plan, cannot be reverted; a new entry clears those that could be redone.

    Raises
    ------
    InputError
        Where there is nothing to undo or to redo.

    Examples
    --------
    >>> from ucbpe_core import ConstantBeta, GaussianProcess, GPUCBPE, RBF
    >>> from ucbpe_core.experiment import in_force, Plan, Planned, Told, Undid
    >>> time = "2024-05-31T14:05:00+00:00"
    >>> first = Planned.of(Plan(GaussianProcess(RBF()), GPUCBPE(2), ConstantBeta(4.0)), time)
    >>> counted, undone = in_force([first, Told(time, (4,), (0.6,)), Undid(time)])
    >>> counted == (first,), undone[0].y
    (True, (0.6,))
    """
    done: list[Entry] = []
    undone: list[Entry] = []
    for number, entry in enumerate(journal):
        if isinstance(entry, Undid):
            if len(done) < 2:
                raise InputError("an entry to undo", "none", f"correct journal entry {number}")
            undone.append(done.pop())
        elif isinstance(entry, Redid):
            if not undone:
                raise InputError("an entry to redo", "none", f"correct journal entry {number}")
            done.append(undone.pop())
        else:
            done.append(entry)
            undone.clear()
    return tuple(done), tuple(reversed(undone))
