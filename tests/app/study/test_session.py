"""One visitor: what is shown follows what is chosen, and the own study while it runs."""

from __future__ import annotations

import asyncio

import pytest

from tests.app.study.conftest import ByHand, spec_of
from tests.app.waiting import run
from ucbpe_app.study import session as module
from ucbpe_app.study.job import Phase
from ucbpe_app.study.plan import decode_study, encode_study
from ucbpe_app.study.session import StudySession
from ucbpe_core.study import Result


@pytest.fixture
def pool() -> ByHand:
    return ByHand()


@pytest.fixture
def session(pool: ByHand) -> StudySession:
    opened = StudySession(pool)
    opened.open(decode_study("")[0])
    return opened


@pytest.fixture
def own(session: StudySession) -> StudySession:
    """A study of one's own that has just begun."""
    session.settings.accept(**vars(spec_of()))
    session.start()
    return session


def test_an_own_study_of_a_link_waits_to_be_run(pool: ByHand) -> None:
    session = StudySession(pool)
    session.open(decode_study("policies=ei-pe,gp-ucb-pe&K=4&replicates=5&minus=ei-pe")[0])
    assert session.results is None
    assert session.settings.spec().policies == ("GP-UCB-PE", "EI-PE")
    assert session.moment.reference == "EI-PE"
    assert pool.jobs == []


def test_a_page_that_is_loaded_again_follows_its_study(own: StudySession, pool: ByHand) -> None:
    """The address has its settings; the pool has it until it learns that the first page is gone."""
    opened, _ = decode_study(encode_study(own.moment))
    again = StudySession(pool)
    again.open(opened)
    assert again.active
    assert len(pool.jobs) == 2
    assert pool.jobs[1].study == pool.jobs[0].study
    assert again.moment.settings == own.moment.settings
    own.leave()
    again.cancel()
    other = StudySession(pool)
    other.open(opened)
    assert other.progress is None


def test_it_is_not_drawn_more_often_than_once_a_second(
    own: StudySession, pool: ByHand, results: tuple[Result, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)

    async def follow() -> None:
        nonlocal now
        pool.jobs[-1].add(results[0])
        await own.poll()
        first = own.results
        own.drew(0.01)
        pool.jobs[-1].add(results[1])
        now += 0.9
        await own.poll()
        assert own.results is first
        assert own.progress.finished == 2
        now += 0.2
        await own.poll()
        assert own.results is not first
        # What takes long is drawn the less often, and the end is drawn at once.
        second = own.results
        own.drew(0.2)
        pool.jobs[-1].add(results[2])
        now += 3.9
        await own.poll()
        assert own.results is second
        pool.jobs[-1].cancelled.cancel()
        await own.poll()
        assert own.results is not second
        assert not own.active

    run(follow())


def test_cancel_keeps_what_is_done_and_resume_asks_for_the_same(
    own: StudySession, pool: ByHand, results: tuple[Result, ...]
) -> None:
    first = pool.jobs[-1]
    first.add(results[0])
    own.cancel()
    assert first.cancelled.done()
    assert own.progress.phase is Phase.CANCELLED
    run(own.poll())
    assert own.results.ranking is None  # one run is no complete replicate
    own.settings.accept(seed=99)
    own.resume()
    assert pool.jobs[-1].study == spec_of().study()
    assert own.moment.settings == spec_of()


def test_who_leaves_has_no_study_any_more(own: StudySession, pool: ByHand) -> None:
    own.leave()
    assert pool.jobs[-1].cancelled.done()
    StudySession(ByHand()).leave()


def test_the_last_choice_wins(own: StudySession, pool: ByHand, results: tuple[Result, ...]) -> None:
    for result in results:
        pool.jobs[-1].add(result)

    async def hurry() -> None:
        own.reference = "GP-BUCB"
        slow = asyncio.create_task(own.refresh())
        await asyncio.sleep(0)
        own.reference = "Random search"
        await own.refresh()
        await slow

    run(hurry())
    assert own.results.reference == "Random search"
