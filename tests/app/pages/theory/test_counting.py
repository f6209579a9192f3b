"""The count in the background: it follows, stops, and gives way to a later one."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.app.pages.theory.conftest import run_of, spec_of
from tests.app.waiting import run
from ucbpe_app.pages.theory import counting
from ucbpe_app.pages.theory import state as evidence_state
from ucbpe_app.pages.theory.counting import Count
from ucbpe_app.pages.theory.state import TheoryState
from ucbpe_app.pages.theory.tally import replicates
from ucbpe_app.run.replay import Replay
from ucbpe_app.tasks.job import Job
from ucbpe_core import InputError


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replicate a piece, so that there is something to follow."""
    monkeypatch.setattr(counting, "_PIECE", 0.0)


def test_a_count_is_the_replicates(start: Replay) -> None:
    count, seen = Count(), list[tuple[float | None, int]]()
    count.param.watch(
        lambda event: seen.append((count.share, event.new.prior.replicates if event.new else 0)),
        "tally",
    )
    run(count.start(start.trace, spec_of(), 5))
    expected = [first for name, first in replicates(start.trace, spec_of(), 5, Job())]
    assert count.tally.done
    assert count.tally.prior.left == sum(first > 0 for first in expected[::2])
    assert count.tally.own.left == sum(first > 0 for first in expected[1::2])
    assert not count.under_way
    assert count.seconds is None
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert len(seen) >= 9
    assert [one for _, one in seen][-1] == 5


def test_it_runs_beside_the_event_loop(start: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set()
    piece = counting._piece

    def noted(*args: Any) -> Any:
        threads.add(threading.current_thread())
        return piece(*args)

    monkeypatch.setattr(counting, "_piece", noted)
    run(Count().start(start.trace, spec_of(), 2))
    assert threads
    assert threading.main_thread() not in threads


def test_stopped_it_keeps_what_it_has(start: Replay) -> None:
    count = Count()

    async def stopped() -> None:
        task = asyncio.create_task(count.start(start.trace, spec_of(), 60))
        while count.tally is None or count.tally.prior.replicates < 2:
            await asyncio.sleep(0.001)
        count.stop()
        kept = count.tally
        await task
        assert count.tally is kept

    run(stopped())
    assert not count.under_way
    assert 2 <= count.tally.prior.replicates < 60


def test_a_later_count_overtakes(start: Replay) -> None:
    count, other = Count(), run_of(batches=2)

    async def twice() -> None:
        first = asyncio.create_task(count.start(start.trace, spec_of(), 60))
        while count.tally is None:
            await asyncio.sleep(0.001)
        await count.start(other.trace, spec_of(batches=2), 3)
        await first

    run(twice())
    assert count.tally.wanted == 3
    assert len(count.tally.prior.share) == 2
    assert not count.under_way


def test_a_refusal_is_kept_until_the_next_count(start: Replay) -> None:
    count = Count()
    changes = {"problem": "himmelblau", "kernel": "Matérn", "lengthscale": 50.0, "batches": 1}
    trace = run_of(**changes).trace
    run(count.start(trace, spec_of(**changes), 3))
    assert isinstance(count.error, InputError)
    assert not count.under_way
    run(count.start(start.trace, spec_of(), 1))
    assert count.error is None
    assert count.tally.done


def test_an_error_of_ours_does_not_leave_it_under_way(
    start: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(counting, "_piece", fail)
    count = Count()
    with pytest.raises(ZeroDivisionError):
        run(count.start(start.trace, spec_of(), 1))
    assert not count.under_way


def test_another_run_has_other_evidence_and_its_count_to_begin(start: Replay) -> None:
    state, other = TheoryState(), run_of(batches=2)
    gathering = list[bool]()
    state.param.watch(lambda event: gathering.append(event.new), "gathering")

    async def both() -> None:
        await state.follow(start)
        assert state.run_theory.batches == 8
        await state.count.start(start.trace, spec_of(), 1)
        assert state.count.tally.done
        await state.follow(start)  # nothing new
        assert state.count.tally is not None
        await state.follow(other)

    run(both())
    assert state.run_theory.batches == 2
    assert state.count.tally is None
    assert gathering == [True, False, True, False]


@pytest.mark.slow
def test_the_run_followed_last_is_shown(start: Replay, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though its theory comes first; and who waits for one is told when it is there."""
    state, other = TheoryState(), run_of(batches=2)
    release = threading.Event()
    gather = evidence_state.gather

    def slow(replay: Replay) -> Any:
        if replay is start:
            release.wait(10)
        return gather(replay)

    monkeypatch.setattr(evidence_state, "gather", slow)

    async def overtaken() -> None:
        first = asyncio.create_task(state.follow(start))
        await asyncio.sleep(0)
        await asyncio.gather(state.follow(other), state.follow(other))
        assert state.run_theory.batches == 2
        release.set()
        await first
        assert state.run_theory.batches == 2
        assert not state.gathering

    run(overtaken())
