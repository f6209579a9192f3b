"""One visitor of the Study page: the study, its progress and its results."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import param

from ucbpe_app.pages.study.job import Progress
from ucbpe_app.pages.study.link import StudyMoment
from ucbpe_app.pages.study.plan import StudySettings
from ucbpe_app.pages.study.pool import POOL, Pool
from ucbpe_app.pages.study.results import StudyResults, own_results
from ucbpe_app.tasks.job import Job
from ucbpe_app.tasks.worker import TABLES, Worker

if TYPE_CHECKING:
    from ucbpe_app.pages.study.job import StudyJob
    from ucbpe_app.pages.study.plan import StudySpec

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
