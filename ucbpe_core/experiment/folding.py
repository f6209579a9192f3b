"""The journal of an experiment -> where it stands. Pure bookkeeping: no belief is computed here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.experiment.records import Asked, Corrected, Planned, Redid, Told, Undid, Withdrew
from ucbpe_core.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.experiment.records import Entry, Plan, Proposal


@dataclass(frozen=True)
class Measurement:
    """One measurement.

    Attributes
    ----------
    candidate, y : where, and the value that counts now; None if it was declared void
    time : when it was told
    answers : the pick that it answers, with its place; None if nobody had asked
    """

    candidate: int
    y: float | None
    time: str
    answers: Pending | None


@dataclass(frozen=True)
class Pending:
    """An outstanding pick: number k of batch t, asked at `time`, and why."""

    t: int
    k: int
    time: str
    proposal: Proposal


@dataclass(frozen=True)
class Opening:
    """What was known when the open batch was asked.

    Attributes
    ----------
    asked, plan : the batch, and the plan that chose it
    known : (candidate, y) of every measurement that counted
    outstanding : candidates that were outstanding already
    """

    asked: Asked
    plan: Plan
    known: tuple[tuple[int, float], ...]
    outstanding: tuple[int, ...]


@dataclass(frozen=True)
class State:
    """Where an experiment stands after a number of entries."""

    plan: Plan
    ledger: Ledger = field(default_factory=Ledger)
    measurements: tuple[Measurement, ...] = ()
    pending: tuple[Pending, ...] = ()
    opening: Opening | None = None

    @property
    def known(self) -> tuple[tuple[int, float], ...]:
        """(candidate, y) of every measurement that counts, in the order told."""
        return tuple((one.candidate, one.y) for one in self.measurements if one.y is not None)

    def after(self, entry: Entry) -> State:
        """The state after one more entry.

        Raises
        ------
        InputError
            For an entry that cannot follow.
        """
        match entry:
            case Planned():
                return replace(self, plan=entry.plan)
            case Asked():
                return self._after_asking(entry)
            case Told():
                return self._after_telling(entry)
            case Withdrew():
                return self._after_withdrawing(entry)
            case Corrected():
                return self._after_correcting(entry)
        raise InputError("an entry that does something", repr(entry), "use in_force first")

    def _after_asking(self, entry: Asked) -> State:
        expected = self.ledger.next_t, len(self.known) + len(self.pending)
        if self.ledger.untouched or (entry.t, entry.n) != expected:
            wanted = f"a batch with t = {expected[0]} after {expected[1]} points"
            if self.ledger.untouched:
                wanted = "no batch asked before a result of the last is told or it is withdrawn"
            raise InputError(wanted, f"t = {entry.t}, n = {entry.n}", "mend the journal")
        self._check_picks(entry)
        picks = tuple(Pending(entry.t, k, entry.time, one) for k, one in enumerate(entry.picks))
        return replace(
            self,
            ledger=self.ledger.opened([one.candidate for one in entry.picks]),
            pending=self.pending + picks,
            opening=Opening(entry, self.plan, self.known, self.ledger.pending),
        )

    def _check_picks(self, entry: Asked) -> None:
        """Refuse a batch that the policy in force does not make."""
        policy = self.plan.policy
        roles = [pick.role for pick in entry.picks]
        if len(roles) != policy.batch_size or not set(roles) <= set(policy.rules):
            wanted = f"{policy.batch_size} picks with roles among {', '.join(policy.rules)}"
            raise InputError(wanted, ", ".join(roles) or "none", "mend the journal")

    def _after_telling(self, entry: Told) -> State:
        ledger, answers = self.ledger.told(entry.candidates)
        by_place = {(one.t, one.k): one for one in self.pending}
        new = tuple(
            Measurement(candidate, y, entry.time, by_place[answer[1:]] if answer else None)
            for candidate, y, answer in zip(entry.candidates, entry.y, answers, strict=True)
        )
        return self._settled(ledger, self.measurements + new)

    def _after_withdrawing(self, entry: Withdrew) -> State:
        left = list(self.ledger.pending)
        for candidate in entry.candidates:
            if candidate not in left:
                raise InputError("an outstanding pick", str(candidate), "withdraw what was asked")
            left.remove(candidate)
        return self._settled(self.ledger.withdrawn(entry.candidates), self.measurements)

    def _after_correcting(self, entry: Corrected) -> State:
        number, size = entry.measurement, len(self.measurements)
        if not 0 <= number < size:
            wanted = f"a measurement from 0 to {size - 1}" if size else "a measurement"
            raise InputError(wanted, str(number), "they count from 0 in the order told")
        changed = replace(self.measurements[number], y=entry.y)
        others = self.measurements
        return replace(self, measurements=(*others[:number], changed, *others[number + 1 :]))

    def _settled(self, ledger: Ledger, measurements: tuple[Measurement, ...]) -> State:
        places = {pick[1:] for pick in ledger.outstanding}
        return replace(
            self,
            ledger=ledger,
            measurements=measurements,
            pending=tuple(one for one in self.pending if (one.t, one.k) in places),
            opening=self.opening if ledger.untouched else None,
        )


def in_force(journal: Sequence[Entry]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The entries that count, and those that were taken back and can be redone, next first.

    The first one, the plan, cannot be taken back; a new entry ends what could be redone.

    Raises
    ------
    InputError
        Where there is nothing to undo or to redo.
    """
    done: list[Entry] = []
    undone: list[Entry] = []
    for number, entry in enumerate(journal):
        if isinstance(entry, Undid):
            if len(done) < 2:
                raise InputError("an entry to undo", "none", f"mend entry {number} of the journal")
            undone.append(done.pop())
        elif isinstance(entry, Redid):
            if not undone:
                raise InputError("an entry to redo", "none", f"mend entry {number} of the journal")
            done.append(undone.pop())
        else:
            done.append(entry)
            undone.clear()
    return tuple(done), tuple(reversed(undone))


def fold(journal: Sequence[Entry]) -> State:
    """Where an experiment stands after its journal."""
    entries, _ = in_force(journal)
    if not entries or not isinstance(entries[0], Planned):
        raise InputError("a journal that begins with a plan", "none", "mend the journal")
    state = State(entries[0].plan)
    for entry in entries[1:]:
        state = state.after(entry)
    return state
