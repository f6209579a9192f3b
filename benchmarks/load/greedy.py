"""What others can ask for at most, again and again: nobody is to wait for it."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import numpy as np
from tornado.httpclient import AsyncHTTPClient

from benchmarks._visitors import Student, Visitor, as_map, models_in, page_of

# 1,000 picks of 10,201 candidates are the most that a page runs.
_LARGEST = "problem=gaussian-mixture&policy=thompson-sampling&K=10&T=100&n0=20"
_RIVALS = "&b.policy=sm-ucb&c.policy=local-penalization&d.policy=gp-ucb-pe"
_STUDY = "problem=gaussian-mixture&policies=gp-ucb-pe,gp-bucb,random-search&K=10&T=90&replicates=64"
_FILE, _BUTTON = "preset=himmelblau&K=10&T=40", "HTML lesson"
_PART = 512 * 1024  # bytes of a file in one message, as the page's own script sends it
_PAUSE = 0.2  # s
_RELOADING = 10


class Greedy(Visitor):
    """A visitor of any page who asks for the largest that it makes."""

    async def drain(self) -> None:
        """Take whatever the page is sent, until cancelled."""
        while True:
            try:
                await self.receive("PATCH-DOC")
            except TimeoutError:  # nothing for a while
                continue

    def component(self, name: str) -> str:
        """The id of a component of this class."""
        for model in self.models:
            if model["attributes"].get("class_name") == name:
                return str(model["id"])
        raise AssertionError(f"expected a page with {name}, got one without")

    async def message(self, component: str, **data: Any) -> None:
        """Send what a component's script would send."""
        await self.tell("data_event", component, data=as_map(data))


@asynccontextmanager
async def _there(
    url: str,
    query: str,
    act: Callable[[Greedy], Awaitable[None]] | None = None,
    first: Callable[[Greedy], Awaitable[None]] | None = None,
) -> AsyncIterator[None]:
    """A greedy visitor on a page, who acts again and again until the context ends."""
    visitor = await Greedy.arrive(f"{url}/?{query}")
    if first is not None:
        await first(visitor)
    tasks = [asyncio.create_task(visitor.drain())]

    async def again(act: Callable[[Greedy], Awaitable[None]]) -> None:
        while True:
            await act(visitor)
            await asyncio.sleep(_PAUSE)

    if act is not None:
        tasks.append(asyncio.create_task(again(act)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        visitor.leave()


def run(url: str) -> Any:
    """The largest run, by the slowest policy."""
    return _there(url, f"{_LARGEST}&seed={_new()}")


def race(url: str) -> Any:
    """The largest race: four of these."""
    return _there(url, f"page=race&{_LARGEST}{_RIVALS}&seed={_new()}")


def count(url: str) -> Any:
    """The theory of the largest run."""
    return _there(url, f"page=theory&{_LARGEST.replace('thompson-sampling', 'gp-ucb-pe')}")


@asynccontextmanager
async def study(url: str) -> AsyncIterator[None]:
    """A study near the most that the page takes, with results on its page."""
    student = await Student.arrive(f"{url}/?page=study&{_STUDY}&seed={_new()}")
    await student.begin_study()
    watching = asyncio.create_task(student.watch())
    try:
        yield
    finally:
        await student.cancel()
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        student.leave()


def upload(url: str) -> Any:
    """Tables of the most bytes that are taken, one after the other."""
    table = _table()

    async def act(visitor: Greedy) -> None:
        where = visitor.component("Upload")
        parts = [table[start : start + _PART] for start in range(0, len(table), _PART)]
        for number, part in enumerate(parts):
            data = base64.b64encode(part).decode()
            await visitor.message(
                where, id="x", name="t.csv", part=number, parts=len(parts), data=data
            )

    return _there(url, "page=problem", act)


def export(url: str) -> Any:
    """Lessons in files, one after the other."""

    async def open_dialog(visitor: Greedy) -> None:
        await visitor.message(visitor.component("ExportButton"), do="open")
        while _BUTTON not in (changes := await visitor.receive("PATCH-DOC")):
            pass
        visitor.models += models_in(json.loads(changes))

    async def act(visitor: Greedy) -> None:
        await visitor.press(_BUTTON)

    return _there(url, _FILE, act, open_dialog)


@asynccontextmanager
async def reloads(url: str) -> AsyncIterator[None]:
    """Ten who load a page again and again, without waiting for their websockets."""
    AsyncHTTPClient.configure(None, max_clients=2 * _RELOADING)

    async def again() -> None:
        while True:
            await page_of(f"{url}/?preset=start")

    tasks = [asyncio.create_task(again()) for _ in range(_RELOADING)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _table() -> bytes:
    """20,000 rows in nearly 5 MB."""
    numbers = np.random.default_rng(0).random((20_000, 12))
    head = ",".join(f"x{i}" for i in range(11)) + ",y\n"
    rows = "\n".join(",".join(f"{x:.15f}" for x in row) for row in numbers)
    return (head + rows).encode()[:4_990_000].rpartition(b"\n")[0]


def _new() -> int:
    """A seed of its own: what is known is not computed again."""
    return time.time_ns() % 10_000


KINDS: dict[str, Callable[[str], Any]] = {
    one.__name__: one for one in (run, race, study, count, upload, export, reloads)
}
