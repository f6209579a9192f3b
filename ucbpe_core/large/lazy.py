"""Pure exploration that works out only what could win: the same picks, a part of the rows.

Eager exploration makes, for every pick, a row of the belief over all candidates, of which the
next argmax needs one number. Three facts save most of it, and none is an approximation:

1. A pick of the batch is made inside R+, so nothing has to be known outside before the batch
   ends; then all K rows are made at once (`Rows.append_all`), in one pass over those before.
2. The deviation never grows. What a candidate had before the last picks is an upper bound of
   what it has now, and a candidate whose bound is below the deviation of another cannot win
   (Contal et al. 2013, "Lazy Variance Calculation").
3. A row over some candidates needs of the others nothing but the factor L, and each number of it
   comes from its own column: over a part it is, bit for bit, the part of the row over all.

So the candidates of R+ are put in groups of falling deviation. A pick looks at the groups in the
order of their bounds, brings each up to date with the picks before (`condition_like`), and ends
at the first bound that is below the best seen. Where every pick changes the deviation everywhere
(a lengthscale as long as the domain), every group has to be looked at: that costs what the rows
over R+ cost. If R+ is most of X the eager rows are then better, and the rest is explored eagerly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.checkpoints import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.posterior import Posterior
    from ucbpe_core.validation import Integers

# Below so many candidates a whole row costs less than what this module does to avoid it.
LEAST = 4096
# The first group is small, as it often holds the winner; each one after it is twice as large.
_FIRST, _LARGEST = 256, 4096
# Over most of the candidates, eager rows serve the observations to come as well: no more than this
# share of them may be looked at in another way before.
_SHARE = 1 / 8


class Found(NamedTuple):
    """The winner of one argmax, and its deviation."""

    candidate: int
    std: float


def explore(
    posterior: Posterior, members: Integers, picks: int, given: Sequence[int]
) -> list[Found]:
    """`picks` times argmax over `members` of the deviation, after `given` and the picks before.

    `members` (k,) are candidates in ascending order; ties go to the lowest.
    """
    source = posterior.restrict(given).hallucinate(range(len(given))) if given else posterior
    groups = list(_groups(posterior, members))
    size, found = len(posterior.candidates), list[Found]()
    most = max(_SHARE * size, 2 * _FIRST) if 2 * len(members) > size else size
    while len(found) < picks and (winner := _winner(groups, posterior, source, most)):
        checkpoint()
        best, group = winner
        found.append(best)
        source = group.take(best.candidate)
    if len(found) < picks:
        after = posterior.hallucinate([*given, *(one.candidate for one in found)])
        found += _eagerly(after, members, picks - len(found))
    return found


@dataclass
class _Group:
    """Candidates `members`, ascending, with a belief over them that may lag behind."""

    members: Integers
    bound: float  # no deviation here is larger
    belief: Posterior | None = None

    def catch_up(self, posterior: Posterior, source: Posterior) -> Found:
        """Know every point that the source knows; return the winner here."""
        belief = posterior.restrict(self.members) if self.belief is None else self.belief
        self.belief = belief.condition_like(source) if source.n > belief.n else belief
        best = int(np.argmax(self.belief.std))
        self.bound = float(self.belief.std[best])
        return Found(int(self.members[best]), self.bound)

    def take(self, candidate: int) -> Posterior:
        """Count the candidate as observed; the belief that others are to follow."""
        assert self.belief is not None
        self.belief = self.belief.hallucinate([np.searchsorted(self.members, candidate)])
        return self.belief


def _groups(posterior: Posterior, members: Integers) -> Iterator[_Group]:
    std = posterior.std[members]
    falling = np.argsort(-std, kind="stable")
    start, size = 0, _FIRST
    while start < len(members):
        part = falling[start : start + size]
        yield _Group(np.sort(members[part]), float(std[part[0]]))
        start, size = start + size, min(2 * size, _LARGEST)


def _winner(
    groups: list[_Group], posterior: Posterior, source: Posterior, most: float
) -> tuple[Found, _Group] | None:
    """The argmax and its group, of equal deviations the lowest candidate.

    None if more than `most` candidates would have been looked at.
    """
    best: tuple[Found, _Group] | None = None
    for group in sorted(groups, key=lambda group: -group.bound):
        if best and group.bound < best[0].std:
            break
        opened = sum(len(one.members) for one in groups if one.belief or one is group)
        if opened > most:
            return None
        own = group.catch_up(posterior, source)
        if best is None or (own.std, -own.candidate) > (best[0].std, -best[0].candidate):
            best = own, group
    return best


def _eagerly(posterior: Posterior, members: Integers, picks: int) -> list[Found]:
    """The same by whole rows, which the observations to come find made."""
    found = list[Found]()
    while True:
        checkpoint()
        std = posterior.std[members]
        best = int(np.argmax(std))
        found.append(Found(int(members[best]), float(std[best])))
        if len(found) == picks:
            return found
        posterior = posterior.hallucinate([members[best]])
