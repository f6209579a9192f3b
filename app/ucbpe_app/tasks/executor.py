"""Threads that compute for many visitors: each visitor has one computation at a time."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from ucbpe_core.errors import UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

T = TypeVar("T")

# Of one visitor, those that wait included: each may hold the file that it is to read.
_MOST = 16


class TooManyError(UCBPEError):
    """A visitor has as much under way as one may have."""


@dataclass
class _Slot:
    """The one place of a visitor, and how many computations have it or wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked: int = 0


class Slots:
    """A pool of threads in which each visitor has one slot; used on one event loop.

    What a visitor asks for meanwhile waits, in order, and at most `most` are under way or wait.
    """

    def __init__(self, threads: int, most: int = _MOST) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="run")
        self._most = most
        self._slots: dict[Hashable, _Slot] = {}

    async def run(self, visitor: Hashable, call: Callable[[], T]) -> T:
        """What `call` gives, once all that this visitor asked for before has ended.

        Raises
        ------
        TooManyError
            If this visitor has too many under way; these go on.
        """
        slot = self._slots.setdefault(visitor, _Slot())
        if slot.asked >= self._most:
            wanted = f"at most {self._most} computations of one visitor at a time"
            raise TooManyError(wanted, "one more", "wait until some of them are done")
        slot.asked += 1
        try:
            async with slot.lock:
                return await asyncio.get_running_loop().run_in_executor(self._threads, call)
        finally:
            slot.asked -= 1
            if not slot.asked:
                del self._slots[visitor]
