"""Which picks are outstanding, and the number t of the batch: the bookkeeping of ask and tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Outstanding:
    """Pick k of batch t, asked and not yet told: the candidate with this index."""

    candidate: int
    t: int
    k: int

    @property
    def place(self) -> tuple[int, int]:
        """(t, k), which no other pick has."""
        return self.t, self.k


@dataclass(frozen=True)
class Ledger:
    """The picks that were asked and not told; every change returns another ledger.

    Attributes
    ----------
    t : iteration of the open batch, or else of the next one
    earlier : outstanding picks of closed batches, oldest first
    untold : outstanding picks of the open batch, in order
    size : number of picks of the open batch, 0 if none is open
    answered : how many of those were told
    """

    t: int = 1
    earlier: tuple[Outstanding, ...] = ()
    untold: tuple[Outstanding, ...] = ()
    size: int = 0
    answered: int = 0

    @property
    def outstanding(self) -> tuple[Outstanding, ...]:
        """All that was asked and not told, oldest first."""
        return self.earlier + self.untold

    @property
    def pending(self) -> tuple[int, ...]:
        """Its candidates."""
        return tuple(pick.candidate for pick in self.outstanding)

    @property
    def untouched(self) -> bool:
        """Whether a batch is open of which nothing was told or given up."""
        return 0 < self.size == len(self.untold)

    @property
    def next_t(self) -> int:
        """Iteration of the batch that would be opened now."""
        return self.t + 1 if self.size else self.t

    def opened(self, picks: Sequence[int]) -> Ledger:
        """A new batch is asked; what is outstanding of the last one waits behind it."""
        t = self.next_t
        untold = tuple(Outstanding(int(candidate), t, k) for k, candidate in enumerate(picks))
        return Ledger(t, self.outstanding, untold, size=len(untold))

    def told(self, members: Iterable[int]) -> tuple[Ledger, tuple[Outstanding | None, ...]]:
        """Results are in: the ledger after them, and the pick that each one answers, if any."""
        earlier, untold = list(self.earlier), list(self.untold)
        answers = []
        for candidate in members:
            # The open batch first: its completion is what moves t on.
            answer = _taken(untold, candidate) or _taken(earlier, candidate)
            answers.append(answer)
        answered = self.answered + len(self.untold) - len(untold)
        settled = replace(self, earlier=tuple(earlier), untold=tuple(untold), answered=answered)
        return settled._closed_if_done(), tuple(answers)

    def withdrawn(self, members: Iterable[int] | None = None) -> Ledger:
        """Picks are given up, every one unless told which; those not outstanding change nothing."""
        given_up = self.pending if members is None else tuple(members)
        earlier, untold = list(self.earlier), list(self.untold)
        for candidate in given_up:
            # The oldest first: it has waited longest.
            _ = _taken(earlier, candidate) or _taken(untold, candidate)
        return replace(self, earlier=tuple(earlier), untold=tuple(untold))._closed_if_done()

    def _closed_if_done(self) -> Ledger:
        """A batch that nobody waits for is closed; without any result it never happened."""
        if not self.size or self.untold:
            return self
        return Ledger(self.t + 1 if self.answered else self.t, self.earlier)


def _taken(picks: list[Outstanding], candidate: int) -> Outstanding | None:
    """Take the first pick of a candidate out of a list."""
    for i, pick in enumerate(picks):
        if pick.candidate == candidate:
            return picks.pop(i)
    return None
