"""What ended sessions held: looked for at once with few visitors, and seldom with many."""

from __future__ import annotations

import gc
import weakref

import pytest

from ucbpe_app.server.gc_throttle import GCThrottle, freeze_survivors


class Held:
    """Something that only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def did(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    done: list[str] = []
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "unfreeze", lambda: done.append("unfreeze"))
    return done


def test_a_single_visitors_memory_is_given_back_at_once(did: list[str]) -> None:
    sweeper = GCThrottle()
    for _ in range(3):
        sweeper._begin(None)
        sweeper._end(None)
    assert did == ["unfreeze"] * 3
    assert (sweeper.alive, sweeper.ended) == (0, 0)


def test_with_many_there_it_is_given_back_for_a_third_of_them(did: list[str]) -> None:
    sweeper = GCThrottle()
    for _ in range(33):
        sweeper._begin(None)
    for _ in range(16):
        sweeper._end(None)
    assert did == ["freeze"] * 8 + ["unfreeze"] + ["freeze"] * 5 + ["unfreeze"] + ["freeze"]
    assert (sweeper.alive, sweeper.ended) == (17, 1)


def test_what_was_frozen_is_collected_once_it_is_let_through() -> None:
    sweeper = GCThrottle()
    sweeper.alive = 3
    gone = weakref.ref(Held())
    try:
        sweeper._end(None)  # 1 ended, 2 there: let through
        assert gc.get_freeze_count() == 0
        sweeper.alive = 9
        gone = weakref.ref(Held())
        sweeper._end(None)
        gc.collect()
        assert gone() is not None  # it waits
        sweeper.ended, sweeper.alive = 2, 5
        sweeper._end(None)
        gc.collect()
        assert gone() is None
    finally:
        gc.unfreeze()


def test_a_full_collection_looks_only_at_what_is_new_since_the_last() -> None:
    gc.callbacks.append(freeze_survivors)
    try:
        old = Held()
        gc.collect(1)
        assert any(one is old for one in gc.get_objects())  # looked at by the next
        gc.collect()
        assert not any(one is old for one in gc.get_objects())
        gone = weakref.ref(Held())
        gc.collect()
        assert gone() is None
        there = weakref.ref(old)
        del old
        gc.collect()
        assert there() is not None
        gc.unfreeze()
        gc.collect()
        assert there() is None
    finally:
        gc.callbacks.remove(freeze_survivors)
        gc.unfreeze()
