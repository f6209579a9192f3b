"""Pure exploration that updates only candidates that could be picked: same picks, fewer rows.

Eager exploration computes, for every pick, a row of the posterior over all candidates, to find the
next argmax. Three facts save most of this work, and none is an approximation:

1. A pick of the batch is made inside R+, so nothing has to be known outside before the batch
   ends; then all K rows are made at once (`Rows.append_all`), in one pass over those before.
2. The standard deviation never grows. What a candidate had before the last picks is an upper bound
   of what it has now, and a candidate whose bound is below that of another cannot win (Contal et
   al. 2013, "Lazy Variance Calculation"), nor tie if it is below by more than the tolerance.
3. A row over some candidates needs nothing of the others but the factor L, and each of its numbers
comes from its own column: it equals, bit for bit, that part of the full row.

So the candidates of R+ are sorted into groups of falling std. For each pick, the groups are visited
in the order of their bounds and updated with the earlier picks (`conditioned_like`), until a bound
is below the best std found by more than the tolerance. Where every pick changes the std everywhere
(a lengthscale as long as the domain), every group is visited, which costs as much as rows over R+.
If R+ is most of X, full rows are then cheaper, and the remaining picks use them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ucbpe_core.gp.conditioning import conditioned_like, restricted
from ucbpe_core.gp.posterior import Posterior
from ucbpe_core.support.limits import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ucbpe_core.support.validation import Integers

# Below this many candidates a full row costs less than avoiding it.
LEAST = 4096
# The first group is small, as it often holds the winner; each one after it is twice as large.
_FIRST, _LARGEST = 256, 4096
# Full rows also serve the coming observations: at most this share of the candidates may be visited
# before exploration switches to full rows.
_SHARE = 1 / 8


class Found(NamedTuple):
    """The winner of one argmax, and its standard deviation."""

    candidate: int
    std: float


def explore(
    posterior: Posterior, indices: Integers, picks: int, given: Sequence[int]
) -> list[Found]:
    """`picks` times argmax over `indices` of the std, after `given` and the picks before.

    `indices` (k,) are candidates in ascending order; ties go to the lowest. Found are fewer picks
    where full rows are cheaper for the others.
    """
    source = posterior
    if given:
        source = Posterior(restricted(posterior.state, given)).hallucinate(range(len(given)))
    groups = list(_groups(posterior, indices))
    size, found = len(posterior.candidates), list[Found]()
    most = max(_SHARE * size, 2 * _FIRST) if 2 * len(indices) > size else size
    while len(found) < picks and (winner := _winner(groups, posterior, source, most)):
        checkpoint()
        best, group = winner
        found.append(best)
        source = group.take(best.candidate)
    return found


@dataclass
class _Group:
    """Candidates `indices`, ascending, with a posterior over them that may lag behind."""

    indices: Integers
    bound: float  # no std here is larger
    part: Posterior | None = None

    def condition_like(self, posterior: Posterior, source: Posterior) -> None:
        """Condition on every point that the source is conditioned on."""
        if self.part is None:
            self.part = Posterior(restricted(posterior.state, self.indices))
        if source.n > self.part.n:
            self.part = Posterior(conditioned_like(self.part.state, source.state))
        self.bound = float(self.part.std.max())

    def first(self, least: float) -> Found | None:
        """The lowest candidate whose std is at least that."""
        assert self.part is not None
        enough = self.part.std >= least
        k = int(np.argmax(enough))
        return Found(int(self.indices[k]), float(self.part.std[k])) if enough[k] else None

    def take(self, candidate: int) -> Posterior:
        """Hallucinate the candidate; returns the posterior for `condition_like` of other groups."""
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

    None if more than `most` candidates would be visited.
    """
    best, current = -np.inf, list[_Group]()
    for group in sorted(groups, key=lambda group: -group.bound):
        if group.bound < best - source.std_tolerance(best):
            break
        opened = sum(len(other.indices) for other in groups if other.part or other is group)
        if opened > most:
            return None
        group.condition_like(posterior, source)
        current.append(group)
        best = max(best, group.bound)
    least = best - source.std_tolerance(best)
    found = ((group.first(least), group) for group in current)
    winners = ((pick, group) for pick, group in found if pick)
    return min(winners, key=lambda pair: pair[0].candidate)
