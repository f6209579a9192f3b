"""The studies of all visitors of a process: one runs at a time, and they take turns.

They use no more of the machine than it can spare: idle priority, bounded memory, a core left. On a
machine so busy that they never get on, set `UCBPE_STUDY_NICE` in the environment.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ucbpe_app.pages.study.job import Phase, ResultCache, StudyJob
from ucbpe_core.errors import InputError, UCBPEError
from ucbpe_core.study.engine import cores, pooled
from ucbpe_core.support.limits import free
from ucbpe_core.support.optional import of_system

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from concurrent.futures import Future

    from ucbpe_app.pages.study.job import Progress
    from ucbpe_core.study import Result, Study, Task

    Run = Callable[[Study, Sequence[Task], threading.Event, Future[None]], Generator[Result]]

resource: Any = of_system("resource")  # None on Windows, which has no such limits

# How many steps behind other processes a study runs: a variable of the environment, 0 to 19.
NICE = "UCBPE_STUDY_NICE"
# How many processes the server has, each of which may run a study; set by `ucbpe app`.
SERVERS = "UCBPE_SERVERS"
_FURTHEST = 19
_MOST_WORKERS = 8
_LEAST_MEMORY, _MOST_MEMORY = 2**30, 2**31  # bytes of a worker

_LOG = logging.getLogger(__name__)

_SLICE = 60.0  # s that a study has while others wait; runs under way are finished then
_MOST_WAITING = 200


class Share(NamedTuple):
    """What a study uses of a machine: so many workers, with so many bytes each."""

    workers: int
    memory: int


def run(
    study: Study, tasks: Sequence[Task], finish: threading.Event, cancel: Future[None]
) -> Generator[Result]:
    """Results as they arrive, as `pooled` yields them, by processes that give way to all others.

    Raises
    ------
    InputError
        For a wrong `UCBPE_STUDY_NICE`.
    WorkersError
        For processes that cannot be started, or are lost twice.
    """
    servers = int(os.environ.get(SERVERS, "1"))
    workers, memory = share(cores(), int(min(free(), 2**50)), servers)
    prepare = partial(give_way, nice(os.environ), memory)
    return pooled(study, tasks, workers, prepare=prepare, finish=finish, cancel=cancel)


def share(cores: int, memory: int, servers: int = 1) -> Share:
    """All cores but one, at most eight, and together at most half of the free memory.

    With one core alone, that one; a worker has one to two GiB, so that a small memory means fewer
    workers. Where a server has several processes, each has as much less.
    """
    memory //= servers
    cores = (cores - 1) // servers + 1
    workers = min(cores - 1, _MOST_WORKERS, memory // 2 // _LEAST_MEMORY)
    workers = max(workers, 1)
    return Share(workers, max(min(memory // 2 // workers, _MOST_MEMORY), _LEAST_MEMORY))


def nice(environment: Mapping[str, str]) -> int | None:
    """How far behind other processes a study runs, as set in the environment; None: behind all.

    Raises
    ------
    InputError
        For anything but 0 to 19.
    """
    text = environment.get(NICE)
    if text is None:
        return None
    if text.isdecimal() and int(text) <= _FURTHEST:
        return int(text)
    raise InputError(f"{NICE} from 0 to {_FURTHEST}", text, "leave it unset, or fix it")


def give_way(steps: int | None, memory: int) -> None:
    """In a worker: run `steps` behind other processes, or behind all, with at most so many bytes.

    A process of the idle class yields at the moment that another one wakes; one of the lowest
    ordinary priority finishes its slice first, and a step of a visitor's waits for it. A run that
    wants more memory fails with MemoryError, and counts as failed.
    """
    if hasattr(os, "nice"):
        os.nice(_FURTHEST if steps is None else steps)
    if steps is None and hasattr(os, "SCHED_IDLE"):  # only on Linux
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    if resource is not None:
        with contextlib.suppress(ValueError, OSError):  # not every system has this limit
            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


class Pool:
    """Runs studies in turn, each in processes of its own that end with its turn.

    A turn ends with the study, or after `slice_seconds` once others wait: the runs under way are
    finished then, and the study goes on after the others. One visitor has one study.

    Nothing is started before the first study: a server that forks does so before.
    """

    def __init__(
        self,
        run: Run = run,
        slice_seconds: float = _SLICE,
        most_waiting: int = _MOST_WAITING,
    ) -> None:
        self._slice, self._most_waiting = slice_seconds, most_waiting
        self._cache = ResultCache()
        self._results = run
        self._turns = ThreadPoolExecutor(1, thread_name_prefix="studies")
        self._waiting: list[StudyJob] = []  # in the order of their turns
        self._current: StudyJob | None = None
        self._turn_over = threading.Event()
        self._lock = threading.Lock()

    def submit(self, study: Study) -> StudyJob:
        """Run a study with one problem when it is its turn; too many are refused."""
        job = StudyJob(study, self._cache.of(study))
        with self._lock:
            if not job.missing:
                job.end()
            elif len(self._waiting) >= self._most_waiting:
                job.end(_full(self._most_waiting))
            else:
                self._queue(job)
        return job

    def has(self, study: Study) -> bool:
        """Whether this study runs or waits here, or all of its results are known."""
        with self._lock:
            under_way = [*self._waiting, *([self._current] if self._current else [])]
        if any(job.study == study and not job.cancelled.done() for job in under_way):
            return True
        return len(self._cache.of(study)) == len(study.tasks())

    def cancel(self, job: StudyJob) -> None:
        """End a study, or take it out of the queue; finished runs are kept."""
        job.cancelled.cancel()
        with self._lock:
            if job in self._waiting:
                self._waiting.remove(job)
                job.end()

    def progress(self, job: StudyJob) -> Progress:
        """How far a study is."""
        with self._lock:
            before = 0
            if job in self._waiting:
                before = self._waiting.index(job) + (self._current is not None)
        return job.progress(before)

    def _queue(self, job: StudyJob) -> None:
        """Have it wait for its turn, within the lock."""
        try:
            self._turns.submit(self._turn, job)
        except RuntimeError as error:  # no more threads: the next study tries again
            job.end(_explained(error))
        else:
            self._waiting.append(job)

    def _turn(self, job: StudyJob) -> None:
        """In the thread of the studies: run one until it has ended, or others are to go on."""
        with self._lock:
            if job not in self._waiting:  # cancelled
                return
            self._waiting.remove(job)
            self._current = job
        error = None
        try:
            self._run(job)
        except Exception as raised:  # noqa: BLE001 - it ends this study, not those that wait
            error = _explained(raised)
        with self._lock:
            self._current = None
            goes_on = job.missing and self._turn_over.is_set() and not job.cancelled.done()
            if goes_on and error is None:
                job.phase = Phase.WAITING
                self._queue(job)
            else:
                job.end(error)

    def _run(self, job: StudyJob) -> None:
        job.load(self._cache.of(job.study))  # another visitor's study may have run meanwhile
        if not job.missing:
            return
        job.start()
        until = time.monotonic() + self._slice
        self._turn_over.clear()
        running = self._results(job.study, job.missing, self._turn_over, job.cancelled)
        with closing(running) as results:
            for result in results:
                job.add(result)
                self._cache.add(job.study, result)
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
