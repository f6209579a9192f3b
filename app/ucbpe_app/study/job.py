"""One study of one visitor: its results so far, its progress, and what is known of it already.

A result depends on the problem, the policy, K, T, the initial points, beta, the seed and its
replicate. A study with more replicates or one more policy runs only what is new, a class that
opens one link computes its study once, and a cancelled study continues where it was.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict, defaultdict
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ucbpe_core.study.store import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ucbpe_core import UCBPEError
    from ucbpe_core.study import Result, Study, Task


class Phase(StrEnum):
    """The phase of a study."""

    WAITING = "waiting"  # for studies of others
    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    BROKEN = "broken"  # its processes are lost

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self in (Phase.DONE, Phase.CANCELLED, Phase.BROKEN)


@dataclass(frozen=True)
class Progress:
    """The progress of a study.

    Attributes
    ----------
    done : runs by policy, failed ones and ones known from before included
    replicates : runs of each policy in all
    failed : how many of those done
    seconds_left : None until there is an estimate
    before : studies of others that run first
    error : what ended it early
    """

    phase: Phase
    done: Mapping[str, int]
    replicates: int
    failed: int = 0
    seconds_left: float | None = None
    before: int = 0
    error: UCBPEError | None = field(default=None, compare=False)

    @property
    def total(self) -> int:
        """Runs in all."""
        return self.replicates * len(self.done)

    @property
    def finished(self) -> int:
        """Runs that are done."""
        return sum(self.done.values())


class StudyJob:
    """A study with one problem, its results so far, and its phase.

    The thread of the studies writes, the sessions read: each step here is one of a dict or of an
    attribute, which other threads see whole.

    Attributes
    ----------
    study : with one problem
    cancelled : to be cancelled to end the study
    error : what ended it early
    """

    def __init__(self, study: Study, results: Iterable[Result] = ()) -> None:
        self.study, self.cancelled = study, Future[None]()
        self.error: UCBPEError | None = None
        self._results: dict[Task, Result] = {}
        self._pace, self._started, self._planned = Pace(()), False, len(study.tasks())
        self.load(results)

    @property
    def phase(self) -> Phase:
        """What has become of it so far."""
        if len(self._results) == self._planned:
            return Phase.DONE
        if self.cancelled.done():
            return Phase.CANCELLED
        if self.error is not None:
            return Phase.BROKEN
        return Phase.RUNNING if self._started else Phase.WAITING

    @property
    def results(self) -> tuple[Result, ...]:
        """The results, in the order in which they came."""
        return tuple(self._results.copy().values())

    @property
    def missing(self) -> tuple[Task, ...]:
        """What is left to run."""
        return tuple(task for task in self.study.tasks() if task not in self._results)

    def load(self, results: Iterable[Result]) -> None:
        """Add results that need not be computed."""
        self._results.update({result.task: result for result in results})

    def start(self) -> None:
        """Its turn begins."""
        self._pace, self._started = Pace(task.policy for task in self.missing), True

    def add(self, result: Result) -> None:
        """Note a finished run."""
        self._results[result.task] = result
        self._pace.finish(result.policy, result.seconds, time.monotonic())

    def progress(self, before: int = 0) -> Progress:
        """How far it is, when `before` studies of others run first."""
        phase, results = self.phase, self.results
        counts = Counter(result.policy for result in results)
        return Progress(
            phase,
            {plan.label: counts[plan.label] for plan in self.study.policies},
            self.study.replicates,
            sum(result.error is not None for result in results),
            self._pace.seconds_left(time.monotonic()) if phase is Phase.RUNNING else None,
            before,
            self.error,
        )


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
        total = self._cost(left) * spent / max(self._cost(self._done.copy()), 1e-9)
        return max(total - (now - self._last), 0.0)

    def _cost(self, numbers: Mapping[str, int]) -> float:
        return sum(n * self._spent[policy] / self._done[policy] for policy, n in numbers.items())


# A result of T = 200 holds about 5 kB, so a full memory stays near 50 MB.
_MOST_RESULTS = 10_000


class ResultCache:
    """The most recent results of a process, shared by all its sessions; thread-safe."""

    def __init__(self, size: int = _MOST_RESULTS) -> None:
        self._size = size
        self._results: OrderedDict[tuple[str, int], Result] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, study: Study, result: Result) -> None:
        """Keep a result, unless it failed: what failed is tried again."""
        if result.error is not None:
            return
        key = (fingerprint(study, result.problem, result.policy), result.replicate)
        with self._lock:
            self._results[key] = result
            self._results.move_to_end(key)
            while len(self._results) > self._size:
                self._results.popitem(last=False)

    def of(self, study: Study) -> tuple[Result, ...]:
        """The known results of a study, in its order."""
        prints = {
            (problem.label, policy.label): fingerprint(study, problem.label, policy.label)
            for problem in study.problems
            for policy in study.policies
        }
        results = []
        with self._lock:
            for task in study.tasks():
                key = (prints[task.problem, task.policy], task.replicate)
                if key in self._results:
                    self._results.move_to_end(key)
                    results.append(self._results[key])
        return tuple(results)
