"""The laboratory in a thread of the test's process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import panel as pn
from panel.viewable import Viewable

from ucbpe_app.main import laboratory
from ucbpe_app.private.panel import tornado_of
from ucbpe_app.serve.gate import guard

SECONDS = 300  # on a busy machine


class Inside:
    """A server with one page; sessions end soon after they were left, and at no other time."""

    def __init__(self, page: Callable[[], Viewable]) -> None:
        asyncio.set_event_loop(asyncio.new_event_loop())
        self.server = pn.serve(
            {"/": lambda: None}, port=0, address="127.0.0.1", start=False, show=False,
            verbose=False, websocket_origin=["127.0.0.1"],
            unused_session_lifetime_milliseconds=10**8, check_unused_sessions_milliseconds=100,
        )  # fmt: skip
        self.application = tornado_of(self.server)
        guard(self.application, pages={"/": page})
        self.server.start()
        self.url = f"http://127.0.0.1:{self.server.port}"

    @property
    def sessions(self) -> int:
        return len(self.application.get_sessions("/"))

    def wait_until_left(self) -> None:
        """Until the last session has ended."""
        deadline = time.monotonic() + SECONDS
        while self.sessions:
            assert time.monotonic() < deadline, "expected the session to end"
            time.sleep(0.1)

    def settle(self) -> None:
        """Until all that waits for a thread has been told, and has done what it does then."""
        tasks = asyncio.run_coroutine_threadsafe(_ended(), self.server.io_loop.asyncio_loop)
        tasks.result(SECONDS)


async def _ended() -> None:
    """Every task but those that go on for as long as the server does."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.wait(others, timeout=1.0) if others else None


@contextmanager
def inside(page: Callable[[], Viewable] = laboratory) -> Iterator[Inside]:
    """A server of this page that runs."""
    with ThreadPoolExecutor(1) as thread:
        lab = thread.submit(Inside, page).result(SECONDS)
        thread.submit(lab.server.io_loop.start)
        yield lab
        lab.server.io_loop.add_callback(lab.server.io_loop.stop)
        thread.submit(lab.server.stop).result(SECONDS)
