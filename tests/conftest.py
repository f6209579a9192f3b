"""What every test leaves behind as it found it."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes is the machine's affair: others may be at work on it.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

# Of the tests that take an hour (`make test-slow`), what a new person does: the package installed
# and typed, an extension, the chapters outside the checkout, in a kernel and in a page, a site,
# lessons. A few others have both marks where they stand.
GATE = (
    "tests/test_installed.py",
    "tests/test_packaging.py",
    "tests/app/test_extend.py",
    "tests/tools/test_notebooks.py",
    "tests/tools/test_stepper_in_a_kernel.py",
    "tests/browser/test_notebook.py",
    "tests/browser/test_site.py",
    "tests/browser/test_lessons.py::test_a_student_with_the_keyboard_and_the_tree_alone_finishes_lessons"
    "[chromium-some]",
    "tests/browser/test_campaigns.py::test_a_campaign_left_to_its_defaults",
)


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: tests wait for browsers and servers a quarter of the time."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `.ci/run` runs although it is slow. It comes first: no worker ends long after
    the other.
    """
    for item in items:
        if item.nodeid.startswith(GATE):
            item.add_marker(pytest.mark.gate)
    items.sort(key=lambda item: item.get_closest_marker("gate") is None)


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
