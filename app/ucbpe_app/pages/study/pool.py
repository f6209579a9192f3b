"""The studies of all visitors of a process: one runs at a time, the others wait in order.

A study has all cores but one, in processes of its own that end with it.
"""

from __future__ import annotations

import logging
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ucbpe_app.pages.study.job import ResultCache, StudyJob
from ucbpe_core.errors import UCBPEError
from ucbpe_core.study import Store, execute
from ucbpe_core.study.engine import cores
from ucbpe_core.support.limits import free

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.pages.study.job import Progress
    from ucbpe_core.study import Outcome, Result, Study

# How many processes the server has, each of which may run a study; set by `ucbpe app`.
SERVERS = "UCBPE_SERVERS"
_MOST_WORKERS = 8
_MEMORY = 2**30  # bytes of a worker
_MOST_WAITING = 200

_LOG = logging.getLogger(__name__)


def workers_of(cores: int, memory: int, servers: int = 1) -> int:
    """How many processes a study has on a machine with so many cores and bytes that are free.

    All cores but one, at most eight, one GiB for each of half of the memory, and at least one;
    where a server has several processes, each has as much less.
    """
    most = (cores - 1) // servers, memory // 2 // servers // _MEMORY
    return max(min(*most, _MOST_WORKERS), 1)


class Pool:
    """Runs studies one after the other, in the order in which they came. One visitor has one.

    Nothing is started before the first study: a server that forks does so before.

    Parameters
    ----------
    run : as `ucbpe_core.study.execute`
    most_waiting : more studies are refused
    """

    def __init__(
        self, run: Callable[..., Outcome] = execute, most_waiting: int = _MOST_WAITING
    ) -> None:
        self._execute, self._most_waiting = run, most_waiting
        self._cache = ResultCache()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studies")
        self._jobs: list[StudyJob] = []  # that have not ended, in order
        self._lock = threading.Lock()

    def submit(self, study: Study) -> StudyJob:
        """Run a study with one problem when those before it have ended; too many are refused."""
        job = StudyJob(study, self._cache.of(study))
        with self._lock:
            before = self._under_way()
            if job.missing and len(before) > self._most_waiting:
                job.error = _full(self._most_waiting)
            elif job.missing:
                try:
                    self._thread.submit(self._run, job)
                except RuntimeError as error:  # no more threads: the next study tries again
                    job.error = _explained(error)
                self._jobs = [*before, job]
        return job

    def has(self, study: Study) -> bool:
        """Whether this study runs or waits here, or all of its results are known."""
        if any(job.study == study for job in self._under_way()):
            return True
        return len(self._cache.of(study)) == len(study.tasks())

    def progress(self, job: StudyJob) -> Progress:
        """How far a study is, and how many are before it."""
        jobs = self._under_way()
        return job.progress(jobs.index(job) if job in jobs else 0)

    def _under_way(self) -> list[StudyJob]:
        return [job for job in self._jobs if not job.phase.ended]

    def _run(self, job: StudyJob) -> None:
        """In the thread of the studies: run one to its end, unless it has been cancelled."""
        if job.phase.ended:
            return
        job.load(self._cache.of(job.study))  # another visitor's study may have run meanwhile

        def keep(done: int, total: int, result: Result) -> None:
            job.add(result)
            self._cache.add(job.study, result)

        servers = int(os.environ.get(SERVERS, "1"))
        workers = workers_of(cores(), int(min(free(), 2**50)), servers)
        job.start()
        try:
            with Store.create_or_open(":memory:", job.study) as store:
                for result in job.results:
                    store.add(result)
                self._execute(
                    job.study, store, workers=workers, progress=keep, cancel=job.cancelled
                )
        except Exception as error:  # noqa: BLE001 - it ends this study, not those that wait
            job.error = _explained(error)


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
