"""Which study runs, with engines that do as they are told."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import pytest

from tests.app.study.conftest import spec_of
from ucbpe_app.study.job import Phase, StudyJob
from ucbpe_app.study.session import Pool
from ucbpe_app.study.views import detail_of, status_of
from ucbpe_core.study import Result, Store, Study, Task

SECONDS = 120


class Engine:
    """`execute` with results that a test puts into `sent`, until None or an error."""

    def __init__(self) -> None:
        self.sent: queue.Queue[Any] = queue.Queue()
        self.asked: tuple[Study, tuple[Task, ...]] | None = None
        self.ended = threading.Event()

    def run(
        self,
        study: Study,
        store: Store,
        *,
        workers: int,
        progress: Callable[[int, int, Result], None],
        cancel: Future[Any],
    ) -> None:
        assert workers >= 1
        self.asked = (study, tuple(store.missing()))
        cancel.add_done_callback(lambda _: self.sent.put(None))
        try:
            while (message := self.sent.get()) is not None:
                if isinstance(message, Exception):
                    raise message
                progress(1, 9, message)
        finally:
            self.ended.set()


class Engines:
    """Hands out engines, and keeps them in the order in which they were started."""

    def __init__(self, **options: Any) -> None:
        self.started: list[Engine] = []
        self.pool = Pool(run=self._run, **options)  # type: ignore[arg-type]

    def _run(self, *arguments: Any, **options: Any) -> None:
        self.started.append(Engine())
        self.started[-1].run(*arguments, **options)

    def finish(self, number: int, results: Sequence[Result]) -> None:
        """Have the engine of that number send all results and end."""
        until(lambda: len(self.started) > number)
        for message in (*results, None):
            self.started[number].sent.put(message)


@pytest.fixture
def engines() -> Engines:
    return Engines()


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "expected it to happen, got silence"
        time.sleep(0.005)


def phase(pool: Pool, job: StudyJob) -> Phase:
    return pool.progress(job).phase


def test_a_study_runs_and_its_results_come_one_by_one(
    engines: Engines, study: Study, results: tuple[Result, ...]
) -> None:
    job = engines.pool.submit(study)
    until(lambda: len(engines.started) == 1)
    engine = engines.started[0]
    engine.sent.put(results[0])
    until(lambda: len(job.results) == 1)
    progress = engines.pool.progress(job)
    assert progress.phase is Phase.RUNNING
    assert (progress.finished, progress.total) == (1, 9)
    assert list(progress.done) == ["GP-UCB-PE", "GP-BUCB", "Random search"]
    assert progress.done[results[0].policy] == 1
    assert progress.seconds_left is None
    assert detail_of(progress) == "1 of 9 runs. Time left: estimating."
    for message in (*results[1:], None):
        engine.sent.put(message)
    until(lambda: job.phase.ended)
    assert phase(engines.pool, job) is Phase.DONE
    assert set(job.results) == set(results)
    assert engine.ended.wait(SECONDS)


def test_others_wait_and_are_told_how_many_come_first(
    engines: Engines, study: Study, results: tuple[Result, ...]
) -> None:
    first = engines.pool.submit(study)
    until(lambda: len(engines.started) == 1)
    second = engines.pool.submit(spec_of(seed=1).study())
    third = engines.pool.submit(spec_of(seed=2).study())
    progress = engines.pool.progress
    assert [progress(job).before for job in (first, second, third)] == [0, 1, 2]
    assert status_of(progress(second)) == "Waiting: 1 study runs before yours."
    assert status_of(progress(third)) == "Waiting: 2 studies run before yours."
    assert len(engines.started) == 1
    second.cancelled.cancel()
    assert phase(engines.pool, second) is Phase.CANCELLED
    assert progress(third).before == 1
    engines.finish(0, results)
    until(lambda: len(engines.started) == 2)
    assert engines.started[1].asked == (third.study, tuple(third.study.tasks()))
    assert engines.started[0].ended.is_set()
    third.cancelled.cancel()


def test_what_is_done_when_it_is_cancelled_is_not_done_again(
    engines: Engines, study: Study, results: tuple[Result, ...]
) -> None:
    job = engines.pool.submit(study)
    until(lambda: len(engines.started) == 1)
    for message in results[:4]:
        engines.started[0].sent.put(message)
    until(lambda: len(job.results) == 4)
    job.cancelled.cancel()
    progress = engines.pool.progress(job)
    assert (progress.phase, progress.finished) == (Phase.CANCELLED, 4)
    assert detail_of(progress) == "4 of 9 runs."

    again = engines.pool.submit(spec_of().study())
    assert engines.pool.progress(again).finished == 4
    engines.finish(1, results[4:])
    until(lambda: again.phase.ended)
    assert set(again.results) == set(results)
    _, tasks = engines.started[1].asked
    assert set(tasks) == {one.task for one in results[4:]}


def test_runs_that_fail_are_counted_and_not_remembered(engines: Engines, study: Study) -> None:
    failed = [Result(*task, error="ValueError: no") for task in study.tasks()]
    job = engines.pool.submit(study)
    engines.finish(0, failed)
    until(lambda: job.phase.ended)
    progress = engines.pool.progress(job)
    assert (progress.phase, progress.failed, progress.finished) == (Phase.DONE, 9, 9)
    assert detail_of(progress) == "9 of 9 runs. 9 failed."
    again = engines.pool.submit(study)
    assert again.results == ()
    again.cancelled.cancel()


def test_more_than_may_wait_are_refused(study: Study) -> None:
    engines = Engines(most_waiting=1)
    jobs = [engines.pool.submit(study)]
    until(lambda: len(engines.started) == 1)
    jobs += [engines.pool.submit(spec_of(seed=seed).study()) for seed in (1, 2)]
    assert [phase(engines.pool, job) for job in jobs[1:]] == [Phase.WAITING, Phase.BROKEN]
    error = engines.pool.progress(jobs[2]).error
    assert error is not None
    assert "at most 1 studies to wait" in str(error)
    for job in jobs:
        job.cancelled.cancel()


def test_a_study_is_here_while_it_waits_or_runs_and_once_all_is_known(
    study: Study, results: tuple[Result, ...]
) -> None:
    engines = Engines()
    pool, other = engines.pool, spec_of(replicates=4).study()
    assert not pool.has(study)
    job, waiting = pool.submit(study), pool.submit(other)
    assert pool.has(study)
    assert pool.has(spec_of().study())  # an equal one, as another page makes it
    assert pool.has(other)
    assert not pool.has(spec_of(replicates=2).study())
    waiting.cancelled.cancel()
    assert not pool.has(other)
    until(lambda: engines.started)
    for result in results:
        engines.started[0].sent.put(result)
    engines.started[0].sent.put(None)
    until(lambda: job.phase.ended)
    assert pool.has(study)
    assert not pool.has(other)
