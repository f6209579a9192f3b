"""Pure exploration that works out only what could win: the same picks, a part of the rows.

Eager exploration makes, for every pick, a row of the posterior over all candidates, of which the
next argmax needs one number. Three facts save most of it, and none is an approximation:

1. A pick of the batch is made inside R+, so nothing has to be known outside before the batch
   ends; then all K rows are made at once (`Rows.append_all`), in one pass over those before.
2. The standard deviation never grows. What a candidate had before the last picks is an upper bound
   of what it has now, and a candidate whose bound is below that of another cannot win (Contal et
   al. 2013, "Lazy Variance Calculation"), nor tie if it is below by more than the tolerance.
3. A row over some candidates needs of the others nothing but the factor L, and each number of it
   comes from its own column: over a part it is, bit for bit, the part of the row over all.

So the candidates of R+ are put in groups of falling std. A pick looks at the groups in the order
of their bounds, brings each up to date with the picks before (`condition_like`), and ends at the
first bound that is below the best seen by more than the tolerance. Where every pick changes the
std everywhere (a lengthscale as long as the domain), every group has to be looked at: that costs
what the rows over R+ cost. If R+ is most of X the eager rows are then better, and the rest is
explored eagerly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.checkpoints import checkpoint
from ucbpe_core.large.parts import condition_like, restrict
from ucbpe_core.ties import first_best

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
    """The winner of one argmax, and its standard deviation."""

    candidate: int
    std: float


def explore(
    posterior: Posterior, indices: Integers, picks: int, given: Sequence[int]
) -> list[Found]:
    """`picks` times argmax over `indices` of the std, after `given` and the picks before.

    `indices` (k,) are candidates in ascending order; ties go to the lowest.
    """
    source = restrict(posterior, given).hallucinate(range(len(given))) if given else posterior
    groups = list(_groups(posterior, indices))
    size, found = len(posterior.candidates), list[Found]()
    most = max(_SHARE * size, 2 * _FIRST) if 2 * len(indices) > size else size
    while len(found) < picks and (winner := _winner(groups, posterior, source, most)):
        checkpoint()
        best, group = winner
        found.append(best)
        source = group.take(best.candidate)
    if len(found) < picks:
        after = posterior.hallucinate([*given, *(one.candidate for one in found)])
        found += _eagerly(after, indices, picks - len(found))
    return found


@dataclass
class _Group:
    """Candidates `indices`, ascending, with a posterior over them that may lag behind."""

    indices: Integers
    bound: float  # no std here is larger
    part: Posterior | None = None

    def catch_up(self, posterior: Posterior, source: Posterior) -> None:
        """Condition on every point that the source is conditioned on."""
        part = restrict(posterior, self.indices) if self.part is None else self.part
        self.part = condition_like(part, source) if source.n > part.n else part
        self.bound = float(self.part.std.max())

    def first(self, least: float) -> Found | None:
        """The lowest candidate whose std is at least that."""
        assert self.part is not None
        enough = self.part.std >= least
        k = int(np.argmax(enough))
        return Found(int(self.indices[k]), float(self.part.std[k])) if enough[k] else None

    def take(self, candidate: int) -> Posterior:
        """Count the candidate as observed; the posterior that others are to catch up with."""
        assert self.part is not None
        self.part = self.part.hallucinate([np.searchsorted(self.indices, candidate)])
        return self.part


def _groups(posterior: Posterior, indices: Integers) -> Iterator[_Group]:
    std = posterior.std[indices]
    falling = np.argsort(-std, kind="stable")
    start, size = 0, _FIRST
    while start < len(indices):
        part = falling[start : start + size]
        yield _Group(np.sort(indices[part]), float(std[part[0]]))
        start, size = start + size, min(2 * size, _LARGEST)


def _winner(
    groups: list[_Group], posterior: Posterior, source: Posterior, most: float
) -> tuple[Found, _Group] | None:
    """The argmax and its group, of tied candidates the lowest.

    None if more than `most` candidates would have been looked at.
    """
    best, current = -np.inf, list[_Group]()
    for group in sorted(groups, key=lambda group: -group.bound):
        if group.bound < best - source.std_tolerance:
            break
        opened = sum(len(one.indices) for one in groups if one.part or one is group)
        if opened > most:
            return None
        group.catch_up(posterior, source)
        current.append(group)
        best = max(best, group.bound)
    found = ((group.first(best - source.std_tolerance), group) for group in current)
    return min(((one, group) for one, group in found if one), key=lambda pair: pair[0].candidate)


def _eagerly(posterior: Posterior, indices: Integers, picks: int) -> list[Found]:
    """The same by whole rows, which the observations to come find made."""
    found = list[Found]()
    while True:
        checkpoint()
        std = posterior.std[indices]
        best = first_best(std, posterior.std_tolerance)
        found.append(Found(int(indices[best]), float(std[best])))
        if len(found) == picks:
            return found
        posterior = posterior.hallucinate([indices[best]])
