"""What every test leaves behind as it found it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def closed_loops(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where no event loop runs, Panel makes one for what it is to execute, and never closes it.

    `asyncio.get_event_loop` makes one too, without `asyncio.new_event_loop`: both ask the policy.
    """
    made = list[asyncio.AbstractEventLoop]()
    policy = asyncio.get_event_loop_policy()
    new = policy.new_event_loop

    def kept() -> asyncio.AbstractEventLoop:
        made.append(new())
        return made[-1]

    monkeypatch.setattr(policy, "new_event_loop", kept)
    yield
    for loop in made:
        if not loop.is_running():
            loop.close()
    if made:  # the next test is to find none, rather than a closed one
        asyncio.set_event_loop(None)
