"""Which picks are outstanding, and the number t of the batch: the bookkeeping of ask and tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Outstanding:
    """Pick k of batch t, asked and without a result: `index` as in `Decision.indices`."""

    index: int
    t: int
    k: int

    @property
    def place(self) -> tuple[int, int]:
        """(t, k), unique to this pick."""
        return self.t, self.k


@dataclass(frozen=True)
class Ledger:
    """The picks that were asked and have no result; every change returns a new ledger.

    Attributes
    ----------
    t : iteration of the open batch, or of the next one if none is open
    earlier : outstanding picks of closed batches, oldest first
    untold : outstanding picks of the open batch, in order
    size : number of picks of the open batch, 0 if none is open
    answered : how many of those have a result
    excluded : indices whose picks were withdrawn, ascending: they are not proposed again
    """

    t: int = 1
    earlier: tuple[Outstanding, ...] = ()
    untold: tuple[Outstanding, ...] = ()
    size: int = 0
    answered: int = 0
    excluded: tuple[int, ...] = ()

    @property
    def outstanding(self) -> tuple[Outstanding, ...]:
        """All outstanding picks, oldest first."""
        return self.earlier + self.untold

    @property
    def pending(self) -> tuple[int, ...]:
        """Their indices."""
        return tuple(pick.index for pick in self.outstanding)

    @property
    def untouched(self) -> bool:
        """Whether a batch is open with all its picks outstanding."""
        return 0 < self.size == len(self.untold)

    @property
    def next_t(self) -> int:
        """Iteration of a batch opened now."""
        return self.t + 1 if self.size else self.t

    def check_outstanding(self, indices: Iterable[int]) -> None:
        """Raise InputError unless each of `indices` has its own outstanding pick."""
        left = list(self.pending)
        for index in indices:
            if index not in left:
                remedy = f"name each once, among {list(self.pending)}"
                raise InputError("an outstanding pick", str(index), remedy)
            left.remove(index)

    def opened(self, indices: Sequence[int]) -> Ledger:
        """After a new batch is asked: outstanding picks of the last one become `earlier`."""
        t = self.next_t
        untold = tuple(Outstanding(int(index), t, k) for k, index in enumerate(indices))
        return Ledger(t, self.outstanding, untold, size=len(untold), excluded=self.excluded)

    def told(self, indices: Iterable[int]) -> tuple[Ledger, tuple[Outstanding | None, ...]]:
        """After results at `indices`: the ledger, and the pick that each one is the result of, if
        any.
        """
        earlier, untold = list(self.earlier), list(self.untold)
        # The open batch first: completing it advances t.
        answers = tuple(_removed(untold, index) or _removed(earlier, index) for index in indices)
        answered = self.answered + len(self.untold) - len(untold)
        left = replace(self, earlier=tuple(earlier), untold=tuple(untold), answered=answered)
        return left._closed_if_done(), answers

    def withdrawn(self, indices: Iterable[int]) -> Ledger:
        """After picks are withdrawn; those not outstanding change nothing."""
        earlier, untold, excluded = list(self.earlier), list(self.untold), set(self.excluded)
        for index in indices:
            # The oldest first: it has waited longest.
            if _removed(earlier, index) or _removed(untold, index):
                excluded.add(index)
        left = replace(self, earlier=tuple(earlier), untold=tuple(untold))
        return replace(left, excluded=tuple(sorted(excluded)))._closed_if_done()

    def allowed(self, indices: Iterable[int]) -> Ledger:
        """After withdrawn picks may be proposed again; InputError for any other."""
        chosen = set(indices)
        if chosen - set(self.excluded):
            remedy = f"name some of {list(self.excluded)}"
            raise InputError("a withdrawn pick", str(min(chosen - set(self.excluded))), remedy)
        return replace(self, excluded=tuple(j for j in self.excluded if j not in chosen))

    def _closed_if_done(self) -> Ledger:
        """A batch without outstanding picks is closed; t advances if it had any result."""
        if not self.size or self.untold:
            return self
        t = self.t + 1 if self.answered else self.t
        return Ledger(t, self.earlier, excluded=self.excluded)


def _removed(picks: list[Outstanding], index: int) -> Outstanding | None:
    """The first pick of that index, removed from the list; None if there is none."""
    found = next((pick for pick in picks if pick.index == index), None)
    if found is not None:
        picks.remove(found)
    return found
