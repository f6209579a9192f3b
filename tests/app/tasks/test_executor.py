"""Each visitor has one computation at a time; the others' go on beside it."""

from __future__ import annotations

import asyncio
import threading
from unittest.mock import Mock

import pytest

from tests.app.waiting import run
from ucbpe_app.tasks.worker import Slots, TooManyError

PATIENCE = 60  # s


class Long:
    """A computation that goes on until it is told to end."""

    def __init__(self) -> None:
        self.enough = threading.Event()

    def __call__(self) -> str:
        assert self.enough.wait(PATIENCE)
        return "done"


def test_a_visitor_has_one_computation_at_a_time() -> None:
    """In the order in which they are asked for; that of another need not wait for them."""

    async def both() -> None:
        slots, order, long = Slots(2), list[int](), Long()
        first = asyncio.ensure_future(slots.run("one", long))
        later = [asyncio.ensure_future(slots.run("one", lambda i=i: order.append(i)))
                 for i in range(3)]  # fmt: skip
        assert await slots.run("other", lambda: 7) == 7
        assert (order, first.done()) == ([], False)
        long.enough.set()
        assert await first == "done"
        await asyncio.gather(*later)
        assert order == [0, 1, 2]

    run(both())


def test_more_than_a_visitor_may_have_are_refused_and_the_others_go_on() -> None:
    async def greedy() -> None:
        slots, long = Slots(2, most=3), Long()
        asked = [asyncio.ensure_future(slots.run("greedy", long)) for _ in range(3)]
        await asyncio.sleep(0)
        for _ in range(2):
            with pytest.raises(TooManyError, match=r"at most 3 computations .* wait until"):
                await slots.run("greedy", lambda: "never")
        assert await slots.run("another", lambda: "now") == "now"
        long.enough.set()
        assert await asyncio.gather(*asked) == ["done"] * 3
        assert await slots.run("greedy", lambda: "again") == "again"

    run(greedy())


def test_an_error_is_its_own_and_the_next_runs() -> None:
    async def wrong() -> None:
        slots = Slots(1)
        first = asyncio.ensure_future(slots.run("one", lambda: 1 // 0))
        second = asyncio.ensure_future(slots.run("one", lambda: 2))
        with pytest.raises(ZeroDivisionError):
            await first
        assert await second == 2

    run(wrong())


def test_without_a_thread_one_computation_ends_and_the_next_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slots, error = Slots(1), RuntimeError("can't start new thread")

    async def twice() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", Mock(side_effect=error))
            with pytest.raises(RuntimeError, match="new thread"):
                await slots.run("one", lambda: 1)
        assert await slots.run("one", lambda: 2) == 2

    run(twice())
