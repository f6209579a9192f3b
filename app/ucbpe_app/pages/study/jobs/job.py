"""One study of one visitor: its results so far, its progress, and a request to cancel it."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ucbpe_app.pages.study.jobs.pace import Pace
from ucbpe_core.study import Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ucbpe_core import UCBPEError
    from ucbpe_core.study import Result, Study


class Phase(StrEnum):
    """The phase of a study."""

    WAITING = "waiting"  # for studies of others
    RUNNING = "running"
    STOPPING = "stopping"
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
    done : runs by policy, those that failed and those known from before included
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
    """A study with one problem, its results so far, and its phase; thread-safe."""

    def __init__(self, study: Study, known: Iterable[Result] = ()) -> None:
        self.study, self.cancelled = study, threading.Event()
        self._lock = threading.Lock()
        self._results: dict[Task, Result] = {}
        self._phase = Phase.WAITING
        self._error: UCBPEError | None = None
        self._pace = Pace(())
        self.load(known)

    @property
    def results(self) -> tuple[Result, ...]:
        """The results, in the order in which they came."""
        with self._lock:
            return tuple(self._results.values())

    @property
    def missing(self) -> tuple[Task, ...]:
        """What is left to run."""
        with self._lock:
            return tuple(task for task in self.study.tasks() if task not in self._results)

    @property
    def ended(self) -> bool:
        """Whether nothing more comes."""
        return self._phase.ended

    def load(self, known: Iterable[Result]) -> None:
        """Add results that need not be computed."""
        with self._lock:
            for result in known:
                self._results[result.task] = result

    def start(self) -> None:
        """Its turn begins."""
        pace = Pace(task.policy for task in self.missing)
        with self._lock:
            self._phase, self._pace = Phase.RUNNING, pace

    def wait(self) -> None:
        """Other studies run before it continues."""
        with self._lock:
            self._phase = Phase.WAITING

    def add(self, result: Result) -> None:
        """Note a finished run."""
        with self._lock:
            self._results[result.task] = result
            self._pace.finish(result.policy, result.seconds, time.monotonic())

    def cancel(self) -> None:
        """Request it to end; finished runs are kept."""
        self.cancelled.set()

    def end(self, error: UCBPEError | None = None) -> None:
        """The end: everything is done, or it was cancelled, or `error` ended it."""
        incomplete = Phase.CANCELLED if self.cancelled.is_set() else Phase.BROKEN
        phase = incomplete if self.missing else Phase.DONE
        with self._lock:
            self._error, self._phase = error, phase

    def progress(self, before: int = 0) -> Progress:
        """How far it is, when `before` studies of others run first."""
        with self._lock:
            counts = Counter(task.policy for task in self._results)
            running = self._phase is Phase.RUNNING
            stopping = self.cancelled.is_set() and not self._phase.ended
            return Progress(
                Phase.STOPPING if stopping else self._phase,
                {plan.label: counts[plan.label] for plan in self.study.policies},
                self.study.replicates,
                sum(result.error is not None for result in self._results.values()),
                self._pace.seconds_left(time.monotonic()) if running else None,
                before,
                self._error,
            )
