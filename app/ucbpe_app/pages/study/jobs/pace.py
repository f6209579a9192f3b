"""The time left of a study, estimated from the finished runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LEAST_SECONDS = 1.0  # of computing behind an estimate


class Pace:
    """What the runs of each policy cost, and how fast they come.

    Time left = time spent x (cost of what is left) / (cost of what is done). A run costs the
    mean time of the finished ones of its policy: policies differ by factors up to 100, so the
    number of runs alone says little. There is no estimate before each policy
    that is left has a finished run.
    """

    def __init__(self, left: Iterable[str]) -> None:
        """Begin with the policies of the runs to come, one entry a run."""
        self._left = Counter(left)
        self._done: Counter[str] = Counter()
        self._spent: defaultdict[str, float] = defaultdict(float)
        self._began = self._last = 0.0

    def finish(self, policy: str, seconds: float, now: float) -> None:
        """A run of `policy` that took `seconds` is there."""
        if not self._done:
            # Not when the processes were started: that took its time only once.
            self._began = now - seconds
        self._last = now
        self._left[policy] -= 1
        self._done[policy] += 1
        self._spent[policy] += seconds

    def seconds_left(self, now: float) -> float | None:
        """Seconds until all runs are done, or None without an estimate."""
        left = {policy: number for policy, number in self._left.items() if number > 0}
        spent = self._last - self._began
        if any(not self._done[policy] for policy in left) or spent < _LEAST_SECONDS:
            return None
        total = self._cost(left) * spent / max(self._cost(self._done), 1e-9)
        return max(total - (now - self._last), 0.0)

    def _cost(self, numbers: Mapping[str, int]) -> float:
        return sum(n * self._spent[policy] / self._done[policy] for policy, n in numbers.items())
