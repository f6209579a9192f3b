"""Of visitors who have left nothing is kept, whichever page they had."""

from __future__ import annotations

import asyncio
import gc
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.model import Model

from benchmarks._visitors import Visitor
from ucbpe_app.main import PAGES, page
from ucbpe_app.private.panel import tornado_of
from ucbpe_app.server.gate import guard
from ucbpe_app.tasks.worker import Worker

SECONDS = 300  # on a busy machine
KINDS = (Document, Model, Worker, pn.viewable.Viewable)

pytestmark = pytest.mark.slow


class Lab:
    """The laboratory in a thread of this process; sessions end soon after they were left."""

    def __init__(self) -> None:
        asyncio.set_event_loop(asyncio.new_event_loop())
        self.server = pn.serve(
            {"/": page}, port=0, address="127.0.0.1", start=False, show=False, verbose=False,
            websocket_origin=["127.0.0.1"], unused_session_lifetime_milliseconds=200,
            check_unused_sessions_milliseconds=100,
        )  # fmt: skip
        self.application = tornado_of(self.server)
        guard(self.application)
        self.server.start()
        self.url = f"http://127.0.0.1:{self.server.port}"

    @property
    def sessions(self) -> int:
        return len(self.application.get_sessions("/"))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with ThreadPoolExecutor(1) as thread:
        lab = thread.submit(Lab).result(SECONDS)
        thread.submit(lab.server.io_loop.start)
        yield lab
        lab.server.io_loop.add_callback(lab.server.io_loop.stop)
        thread.submit(lab.server.stop).result(SECONDS)


def held() -> Counter[str]:
    gc.collect()
    kinds = (type(one) for one in gc.get_objects())
    return Counter(kind.__qualname__ for kind in kinds if issubclass(kind, KINDS))


async def come_and_go(lab: Lab, name: str) -> None:
    visitor = await Visitor.arrive(f"{lab.url}/?page={name}")
    await visitor._write("PULL-DOC-REQ", {})  # answered once what came before has been
    await visitor.receive("PULL-DOC-REPLY")
    visitor.leave()


def visit(lab: Lab, name: str) -> None:
    """A visitor comes and goes; on a loop elsewhere, as a browser's test may have one here."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, come_and_go(lab, name)).result(SECONDS)
    ended(lab)


def ended(lab: Lab) -> None:
    deadline = time.monotonic() + SECONDS
    while lab.sessions:
        assert time.monotonic() < deadline, "expected the session to end"
        time.sleep(0.1)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_was_left_is_gone(lab: Lab, name: str) -> None:
    """What the first visit brings is for all; those after it bring nothing that stays."""
    visit(lab, name)
    before = held()
    for _ in range(3):
        visit(lab, name)
    deadline = time.monotonic() + SECONDS
    while (more := held() - before) and time.monotonic() < deadline:
        time.sleep(1.0)  # until Panel has collected, and what was under way has ended
    assert not more
