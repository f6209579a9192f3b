"""One visitor of the Study page; and the studies of all, of which one runs at a time."""

from __future__ import annotations

import logging
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING

import param

from ucbpe_app.study.job import Progress, ResultCache, StudyJob
from ucbpe_app.study.plan import StudyMoment, StudySettings
from ucbpe_app.study.results import StudyResults, own_results
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import TABLES, Worker
from ucbpe_core.errors import UCBPEError
from ucbpe_core.study import Store, execute
from ucbpe_core.study.engine import cores
from ucbpe_core.support.limits import free

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.study.plan import StudySpec
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
                wanted = f"at most {self._most_waiting} studies to wait"
                job.error = UCBPEError(wanted, "one more", "try again in some minutes")
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
        except Exception as error:  # noqa: BLE001 - it ends this study, not the waiting ones
            job.error = _explained(error)


def _explained(error: Exception) -> UCBPEError:
    """An error for the page; an unexpected one is also in the server's log."""
    if isinstance(error, UCBPEError):
        return error
    _LOG.error("a study ended early", exc_info=error)
    got = f"{type(error).__name__}: {error}"
    return UCBPEError("the study to run to its end", got, "resume; finished runs are kept")


POOL = Pool()


@cache
def example() -> StudyResults:
    """A small study, run once in this process: what a page shows that has none yet."""
    settings = StudySettings()
    settings.accept(problem="multimodal", batch_size=3, batches=6, initial=2, replicates=8)
    study = settings.spec().study()
    with Store.create_or_open(":memory:", study) as store:
        execute(study, store, workers=0)
        return own_results(study, tuple(store.results()))


# Redrawn at most once a second, and in at most a twentieth of the time.
_LEAST_PAUSE, _MOST_PAUSE, _SHARE = 1.0, 5.0, 20.0


class StudySession(Worker):
    """State of the Study page."""

    reference = param.String("", doc='Policy that the others are compared with, "" for the first.')
    over_time = param.Boolean(False, doc="Whether regrets are wanted against time.")
    results = param.ClassSelector(
        class_=(StudyResults,), default=None, doc="What is on screen, None before anything is."
    )
    started = param.Integer(0, doc="How often the study has been started or resumed.")
    progress = param.ClassSelector(
        class_=Progress, default=None, doc="Of the study, None before the first."
    )

    def __init__(self, pool: Pool = POOL) -> None:
        super().__init__()
        self.settings = StudySettings()
        self._pool = pool
        self._job: StudyJob | None = None
        self.asked: StudySpec | None = None  # settings of the study started last
        self._drawn_results, self._next_drawing = -1, 0.0

    @property
    def moment(self) -> StudyMoment:
        """What is on screen, as a link has it."""
        spec = self.asked or self.settings.spec()
        return StudyMoment(spec, self.reference, self.over_time)

    @property
    def active(self) -> bool:
        """Whether a study runs, or waits, or has ended and is not yet shown whole."""
        return self.progress is not None and (not self.progress.phase.ended or self._stale)

    @property
    def _stale(self) -> bool:
        assert self._job is not None
        return len(self._job.results) != self._drawn_results

    def open(self, moment: StudyMoment) -> None:
        """Take what a link opens.

        A study that runs here, as that of a page that was loaded again, is followed at once.
        """
        self.settings.accept(**vars(moment.settings))
        self.param.update(reference=moment.reference, over_time=moment.over_time)
        if self._pool.has(moment.settings.study()):
            self.start()

    def start(self) -> None:
        """Have the settings' study run, instead of another of this visitor's; show it.

        What is known of it, of an earlier start too, is not run again.
        """
        self._submit(self.settings.spec())

    def resume(self) -> None:
        """Have the study go on that was started last."""
        assert self.asked is not None
        self._submit(self.asked)

    def cancel(self) -> None:
        """End the study, if there is one; finished runs are kept."""
        if self._job is not None:
            self._job.cancelled.cancel()
            self.progress = self._pool.progress(self._job)

    def leave(self) -> None:
        """End the study: the visitor has left, or begins another."""
        if self._job is not None:
            self._job.cancelled.cancel()

    async def poll(self) -> None:
        """Follow the study: its progress and, now and then, its results."""
        if self._job is None:
            return
        self.progress = self._pool.progress(self._job)
        now = time.monotonic()
        if self._stale and (now >= self._next_drawing or self.progress.phase.ended):
            await self.refresh()

    def drew(self, seconds: float) -> None:
        """Drawing took so long: the next one comes the later."""
        pause = min(max(_LEAST_PAUSE, _SHARE * seconds), _MOST_PAUSE)
        self._next_drawing = time.monotonic() + pause

    async def refresh(self) -> None:
        """Summarise the results so far; a later call overtakes this one."""
        if self._job is None:
            return
        study, own = self._job.study, self._job.results
        shown = self.reference, self.over_time
        with self.latest(Job()) as job:
            results = await self.work(own_results, study, own, *shown, job=job, executor=TABLES)
            self._drawn_results = len(own)
            self.results = results

    def _submit(self, spec: StudySpec) -> None:
        self.leave()
        self.asked, self._drawn_results, self._next_drawing = spec, -1, 0.0
        self._job = self._pool.submit(spec.study())
        labels = {plan.label for plan in spec.plans}
        reference = self.reference if self.reference in labels else ""
        self.param.update(
            reference=reference,
            started=self.started + 1,
            progress=self._pool.progress(self._job),
        )
