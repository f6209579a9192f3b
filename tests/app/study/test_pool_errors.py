"""Whatever goes wrong with one study, the next one runs."""

from __future__ import annotations

import errno
import logging
import os
import threading
from typing import Any

import pytest

from tests.app.study.conftest import spec_of
from tests.app.study.test_pool import Engines, phase, until
from ucbpe_app.study.job import Phase, ResultCache
from ucbpe_app.study.views import detail_of, status_of
from ucbpe_core.study import Result, Study

TOO_MANY = OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def failing_once(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, error: Exception) -> None:
    """Have a function fail the first time that it is called."""
    usual, calls = getattr(owner, name), list[Any]()

    def fail_once(*args: Any, **kwargs: Any) -> Any:
        calls.append(args)
        if len(calls) == 1:
            raise error
        return usual(*args, **kwargs)

    monkeypatch.setattr(owner, name, fail_once)


@pytest.mark.parametrize("error", [TOO_MANY, MemoryError()])
def test_an_error_ends_its_own_study_alone(
    monkeypatch: pytest.MonkeyPatch,
    study: Study,
    results: tuple[Result, ...],
    error: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It is shown; a study that was waiting runs, and so does the same one again."""
    engines = Engines()
    failing_once(monkeypatch, engines.pool, "_execute", error)
    with caplog.at_level(logging.ERROR):
        job = engines.pool.submit(study)
        until(lambda: job.phase.ended)
    progress = engines.pool.progress(job)
    assert (progress.phase, status_of(progress)) == (Phase.BROKEN, "Ended early.")
    assert type(error).__name__ in detail_of(progress)
    assert str(error) in detail_of(progress)
    assert "Resume; finished runs are kept." in detail_of(progress)
    assert caplog.records[0].exc_info[1] is error
    again = engines.pool.submit(study)
    engines.finish(0, results)
    until(lambda: again.phase.ended)
    assert phase(engines.pool, again) is Phase.DONE


def test_an_error_while_results_come(
    monkeypatch: pytest.MonkeyPatch, study: Study, results: tuple[Result, ...]
) -> None:
    """What came before it is kept, the engine is ended, and those that wait get their turn."""
    engines = Engines()
    failing_once(monkeypatch, ResultCache, "add", TypeError("not a result"))
    job = engines.pool.submit(study)
    waiting = engines.pool.submit(spec_of(seed=5).study())
    until(lambda: len(engines.started) == 1)
    for message in results[:1]:
        engines.started[0].sent.put(message)
    until(lambda: job.phase.ended and len(engines.started) == 2)
    assert (phase(engines.pool, job), len(job.results)) == (Phase.BROKEN, 1)
    assert engines.started[0].ended.is_set()
    waiting.cancelled.cancel()


def test_no_thread_to_be_had(
    monkeypatch: pytest.MonkeyPatch, study: Study, results: tuple[Result, ...]
) -> None:
    engines = Engines()
    failing_once(monkeypatch, threading.Thread, "start", RuntimeError("can't start new thread"))
    job = engines.pool.submit(study)
    assert job.phase.ended
    assert "can't start new thread" in detail_of(engines.pool.progress(job))
    again = engines.pool.submit(study)
    engines.finish(0, results)
    until(lambda: again.phase.ended)
