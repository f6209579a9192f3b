"""Computations of many visitors take turns, and those of a visitor who has left end."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, Future
from typing import Any
from unittest.mock import Mock

import pytest

from ucbpe_app.tasks.executor import FairExecutor, TooManyError
from ucbpe_app.tasks.job import Job
from ucbpe_core.support.limits import checkpoint

PATIENCE = 60  # s


class Long:
    """A computation of any length: it goes on until it is told to end, by checkpoints."""

    def __init__(self) -> None:
        self.begun, self.enough = threading.Event(), threading.Event()
        self.ended = False

    def __call__(self) -> str:
        self.begun.set()
        try:
            while not self.enough.is_set():
                checkpoint()
        finally:
            self.ended = True
        return "done"


def ended(future: Future[Any]) -> bool:
    """Whether it was given up, once it has ended."""
    try:
        future.result(PATIENCE)
    except CancelledError:
        return True
    return False


def test_a_short_computation_need_not_wait_for_long_ones() -> None:
    turns, long = FairExecutor(slots=1), [Long() for _ in range(5)]
    futures = [turns.submit(f"visitor {i}", one) for i, one in enumerate(long)]
    try:
        for one in long:
            assert one.begun.wait(PATIENCE)
        assert turns.submit("another", lambda: 7).result(PATIENCE) == 7
        assert not any(future.done() for future in futures)
    finally:
        for one in long:
            one.enough.set()
    assert [future.result(PATIENCE) for future in futures] == ["done"] * 5


def test_who_leaves_ends_what_was_asked_for() -> None:
    turns, first, others = FairExecutor(slots=1), Long(), [Long() for _ in range(3)]
    running = turns.submit("leaver", first)
    waiting = [turns.submit("leaver", one) for one in others]
    assert first.begun.wait(PATIENCE)
    turns.leave("leaver")
    assert ended(running)
    assert first.ended
    assert all(ended(future) for future in waiting)
    assert not any(one.begun.is_set() for one in others)
    assert turns.submit("leaver", lambda: "back").result(PATIENCE) == "back"


def test_a_visitor_has_one_computation_at_a_time() -> None:
    turns, order = FairExecutor(slots=2), list[int]()
    long = Long()
    first = turns.submit("one", long)
    later = [turns.submit("one", lambda i=i: order.append(i)) for i in range(3)]
    assert long.begun.wait(PATIENCE)
    assert turns.submit("other", lambda: len(order)).result(PATIENCE) == 0
    assert not any(future.done() for future in later)
    long.enough.set()
    assert first.result(PATIENCE) == "done"
    for future in later:
        future.result(PATIENCE)
    assert order == [0, 1, 2]


def test_at_most_so_many_compute_at_a_time() -> None:
    turns, lock = FairExecutor(slots=2), threading.Lock()
    now, most = [0], [0]

    def computation() -> None:
        for _ in range(50):
            checkpoint()
            with lock:
                now[0] += 1
                most[0] = max(most[0], now[0])
            threading.Event().wait(0.001)
            with lock:
                now[0] -= 1

    futures = [turns.submit(i, computation) for i in range(8)]
    for future in futures:
        future.result(PATIENCE)
    assert 1 <= most[0] <= 2


def test_without_a_thread_one_computation_ends_and_the_next_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns, error = FairExecutor(slots=1), RuntimeError("can't start new thread")
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", Mock(side_effect=error))
        with pytest.raises(RuntimeError, match="new thread"):
            turns.submit("one", lambda: 1).result(PATIENCE)
    assert turns.submit("one", lambda: 2).result(PATIENCE) == 2


def test_more_than_a_visitor_may_have_are_refused_and_the_others_go_on() -> None:
    turns, long = FairExecutor(slots=1, most=3), Long()
    running = turns.submit("greedy", long)
    assert long.begun.wait(PATIENCE)
    waiting = [turns.submit("greedy", lambda: "later") for _ in range(2)]
    for _ in range(2):
        with pytest.raises(TooManyError, match=r"at most 3 computations .* wait until"):
            turns.submit("greedy", lambda: "never")
    assert turns.submit("another", lambda: "now").result(PATIENCE) == "now"
    waiting[0].cancel()  # makes room
    again = turns.submit("greedy", lambda: "last")
    long.enough.set()
    assert running.result(PATIENCE) == "done"
    assert waiting[1].result(PATIENCE) == "later"
    assert again.result(PATIENCE) == "last"


def test_a_job_that_tells_its_progress_lets_others_on() -> None:
    """A file has no loop of the core's: its events are its checkpoints."""
    turns, enough, begun = FairExecutor(slots=1), threading.Event(), threading.Event()
    job = Job()

    def file() -> str:
        begun.set()
        while not enough.is_set():
            job.progress(1, 2)
        return "file"

    made = turns.submit("greedy", file)
    assert begun.wait(PATIENCE)
    assert turns.submit("modest", lambda: 7).result(PATIENCE) == 7
    enough.set()
    assert made.result(PATIENCE) == "file"
