"""What every test leaves behind as it found it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes is the machine's affair: others may be at work on it.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """No garbage is looked for in what is imported: half a million objects, which all stay.

    A sixth of the processor time of the app's tests went there.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def made_loops() -> Iterator[list[asyncio.AbstractEventLoop]]:
    """The event loops that anything made and nobody closed yet.

    `asyncio.get_event_loop` makes one too, without `asyncio.new_event_loop`: both ask the policy.
    """
    made = list[asyncio.AbstractEventLoop]()
    with pytest.MonkeyPatch.context() as patch:
        policy = asyncio.get_event_loop_policy()
        new = policy.new_event_loop

        def kept() -> asyncio.AbstractEventLoop:
            made.append(new())
            return made[-1]

        patch.setattr(policy, "new_event_loop", kept)
        yield made


@pytest.fixture(autouse=True)
def closed_loops(made_loops: list[asyncio.AbstractEventLoop]) -> Iterator[None]:
    """Where no event loop runs, Panel makes one for what it is to execute, and never closes it:
    in a test, or in a fixture that several tests share.
    """
    yield
    idle = [loop for loop in made_loops if not loop.is_running()]
    for loop in idle:
        loop.close()
        made_loops.remove(loop)
    if idle:  # the next test is to find none, rather than a closed one
        asyncio.set_event_loop(None)
