"""Of visitors who have left nothing is kept, whichever page they had."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.model import Model

from benchmarks._visitors import Visitor
from tests.app.serve.inside import SECONDS, Inside, inside
from ucbpe_app.main import PAGES
from ucbpe_app.serve.logs import LogLimits
from ucbpe_app.tasks.worker import Worker
from ucbpe_core.support.limits import checkpoint

KINDS = (Document, Model, Worker, pn.viewable.Viewable)


@pytest.fixture(scope="module")
def lab() -> Iterator[Inside]:
    with inside() as lab:
        yield lab


def held() -> Counter[str]:
    gc.collect()
    kinds = (type(one) for one in gc.get_objects())
    return Counter(kind.__qualname__ for kind in kinds if issubclass(kind, KINDS))


async def come_and_go(lab: Inside, name: str) -> None:
    visitor = await Visitor.arrive(f"{lab.url}/?page={name}")
    await visitor.write("PULL-DOC-REQ", {})  # answered once what came before has been
    await visitor.receive("PULL-DOC-REPLY")
    visitor.leave()


def visit(lab: Inside, name: str) -> None:
    """A visitor comes and goes; on a loop elsewhere, as a browser's test may have one here."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, come_and_go(lab, name)).result(SECONDS)
    lab.wait_until_left()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=[pytest.mark.gate] * (one == "step")) for one in PAGES]
)
def test_a_page_that_was_left_is_gone(lab: Inside, name: str) -> None:
    """What the first visit brings is for all; those after it bring nothing that stays."""
    visit(lab, name)
    before = held()
    for _ in range(3):
        visit(lab, name)
    deadline = time.monotonic() + SECONDS
    while (more := held() - before) and time.monotonic() < deadline:
        time.sleep(1.0)  # until Panel has collected, and what was under way has ended
    assert not more


async def leave_in_mid_run(lab: Inside, name: str, begun: threading.Event) -> None:
    visitor = await Visitor.arrive(f"{lab.url}/?page={name}&problem=himmelblau&K=3")
    assert await asyncio.to_thread(begun.wait, SECONDS)
    visitor.leave()


@pytest.mark.parametrize("name", ["step", "theory"])
def test_a_tab_closed_in_mid_run_ends_it_and_leaves_no_traceback(
    lab: Inside, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Sessions of this server end with their tab, or never; and runs here end if they are left."""
    begun, ended = threading.Event(), threading.Event()

    def endless(*_: object) -> None:
        begun.set()
        try:
            while True:
                checkpoint()
                time.sleep(0.01)
        finally:
            ended.set()

    monkeypatch.setattr("ucbpe_app.widgets.session.restore", endless)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, leave_in_mid_run(lab, name, begun)).result(SECONDS)
    assert ended.wait(SECONDS)
    lab.wait_until_left()
    lab.settle()
    written = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert not [one.getMessage() for one in written if LogLimits().filter(one)]
