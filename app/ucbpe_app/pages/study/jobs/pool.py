"""The studies of all visitors of a process: one runs, the others wait for it in turn."""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING

from ucbpe_app.pages.study.jobs.job import StudyJob
from ucbpe_app.pages.study.jobs.known import Known
from ucbpe_app.pages.study.jobs.process import EngineProcess
from ucbpe_core.errors import UCBPEError
from ucbpe_core.study import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.study.jobs.job import Progress
    from ucbpe_core.study import Study

_LOG = logging.getLogger(__name__)


class Pool:
    """Runs studies one after the other, each in processes of its own that end with it.

    Nothing is started before the first study: a server that forks does so before.
    """

    def __init__(
        self, known: Known | None = None, start: Callable[[], EngineProcess] = EngineProcess
    ) -> None:
        self._known = known or Known()
        self._start = start
        self._waiting: deque[StudyJob] = deque()
        self._current: StudyJob | None = None
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()

    def submit(self, study: Study) -> StudyJob:
        """Have a study with one problem run as soon as those before it have ended."""
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
            self._waiting.append(job)
            self._changed.notify()
        return job

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
                job.end()

    def _run(self, job: StudyJob) -> None:
        job.load(self._known.of(job.study))  # another visitor's study may have run meanwhile
        if not job.missing:
            return
        job.start()
        with self._start() as engine:
            for message in engine.run(job.study, job.missing, job.cancelled):
                if isinstance(message, Result):
                    job.add(message)
                    self._known.add(job.study, message)
                else:
                    job.begin()


def _explained(error: Exception) -> UCBPEError:
    """An error for the page; one that nobody foresaw is in the server's log, too."""
    if isinstance(error, UCBPEError):
        return error
    _LOG.error("a study ended early", exc_info=error)
    got = f"{type(error).__name__}: {error}"
    return UCBPEError("the study to run to its end", got, "resume; finished runs are kept")


POOL = Pool()
