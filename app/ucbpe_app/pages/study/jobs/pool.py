"""The studies of all visitors of a process: one runs at a time, and they take turns."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from contextlib import closing
from typing import TYPE_CHECKING

from ucbpe_app.pages.study.jobs.job import StudyJob
from ucbpe_app.pages.study.jobs.known import Known
from ucbpe_app.pages.study.jobs.workers import run
from ucbpe_core.errors import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from ucbpe_app.pages.study.jobs.job import Progress
    from ucbpe_core.study import Result, Study, Task

    Run = Callable[[Study, Sequence[Task], threading.Event], Generator[Result | None]]

_LOG = logging.getLogger(__name__)

_SLICE = 60.0  # s that a study has while others wait; runs under way are finished then
_MOST_WAITING = 200


class Pool:
    """Runs studies in turn, each in processes of its own that end with its turn.

    A turn ends with the study, or after `slice_seconds` once others wait: the runs under way are
    finished then, and the study goes on after the others. One visitor has one study.

    Nothing is started before the first study: a server that forks does so before.
    """

    def __init__(
        self,
        known: Known | None = None,
        run: Run = run,
        slice_seconds: float = _SLICE,
        most_waiting: int = _MOST_WAITING,
    ) -> None:
        self._slice, self._most_waiting = slice_seconds, most_waiting
        self._known = known or Known()
        self._results = run
        self._waiting: deque[StudyJob] = deque()
        self._current: StudyJob | None = None
        self._thread: threading.Thread | None = None
        self._turn_over = threading.Event()
        self._changed = threading.Condition()

    def submit(self, study: Study) -> StudyJob:
        """Run a study with one problem when it is its turn; too many are refused."""
        job = StudyJob(study, self._known.of(study))
        if not job.missing:
            job.end()
            return job
        with self._changed:
            try:
                if self._thread is None:
                    self._thread = self._begin()
            except RuntimeError as error:  # no more threads: the next study tries again
                job.end(_explained(error))
                return job
            if len(self._waiting) >= self._most_waiting:
                job.end(_full(self._most_waiting))
                return job
            self._waiting.append(job)
            self._changed.notify()
        return job

    def has(self, study: Study) -> bool:
        """Whether this study runs or waits here, or all of its results are known."""
        with self._changed:
            under_way = [*self._waiting, *([self._current] if self._current else [])]
        if any(job.study == study and not job.cancelled.is_set() for job in under_way):
            return True
        return len(self._known.of(study)) == len(study.tasks())

    def cancel(self, job: StudyJob) -> None:
        """End a study, or take it out of the queue; finished runs are kept."""
        job.cancel()
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end()

    def progress(self, job: StudyJob) -> Progress:
        """How far a study is."""
        with self._changed:
            before = 0
            if job in self._waiting:
                before = self._waiting.index(job) + (self._current is not None)
        return job.progress(before)

    def _begin(self) -> threading.Thread:
        # Not a thread that Python waits for when the server stops.
        thread = threading.Thread(target=self._work, name="studies", daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        while True:
            with self._changed:
                self._current = None
                self._changed.wait_for(lambda: bool(self._waiting))
                self._current = job = self._waiting.popleft()
            try:
                self._run(job)
            except Exception as error:  # noqa: BLE001 - it ends this study, not those that wait
                job.end(_explained(error))
            else:
                self._conclude(job)

    def _conclude(self, job: StudyJob) -> None:
        """Its turn is over: it has ended, or goes on after the others."""
        with self._changed:
            if job.missing and self._turn_over.is_set() and not job.cancelled.is_set():
                job.wait()
                self._waiting.append(job)
                return
        job.end()

    def _run(self, job: StudyJob) -> None:
        job.load(self._known.of(job.study))  # another visitor's study may have run meanwhile
        if not job.missing:
            return
        job.start()
        until = time.monotonic() + self._slice
        self._turn_over.clear()
        with closing(self._results(job.study, job.missing, self._turn_over)) as results:
            for result in results:
                if result is not None:
                    job.add(result)
                    self._known.add(job.study, result)
                if job.cancelled.is_set():
                    return
                with self._changed:
                    if self._waiting and time.monotonic() >= until:
                        self._turn_over.set()


def _explained(error: Exception) -> UCBPEError:
    """An error for the page; an unexpected one is also in the server's log."""
    if isinstance(error, UCBPEError):
        return error
    _LOG.error("a study ended early", exc_info=error)
    got = f"{type(error).__name__}: {error}"
    return UCBPEError("the study to run to its end", got, "resume; finished runs are kept")


def _full(most: int) -> UCBPEError:
    return UCBPEError(f"at most {most} studies to wait", "one more", "try again in some minutes")


POOL = Pool()
