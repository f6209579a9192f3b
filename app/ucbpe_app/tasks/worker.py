"""Work off the event loop, with its progress: one computation at a time for each visitor."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakSet

import panel as pn
import param

from ucbpe_app.tasks.job import InFlight, Job, Superseded
from ucbpe_core.errors import UCBPEError
from ucbpe_core.support.limits import calling

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable


T = TypeVar("T")

# Of one visitor, waiting ones included: each may hold the file that it is to read.
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


# A run holds up to some 200 MB. NumPy releases the interpreter lock in its passes over the rows.
EXECUTOR = Slots(threads=4)
# Files wait for each other and not for runs: one may take a minute, and holds some 100 MB.
FILES = Slots(threads=2)
# What takes pandas some 100 ms.
TABLES = Slots(threads=2)
# Apart from runs to be stepped; who counts rests as long as it counts, see `pages.theory.count`.
COUNTS = Slots(threads=2)
# For what may wait for a network: not among the few threads that compute, and many at a time.
PROBLEMS = ThreadPoolExecutor(max_workers=32, thread_name_prefix="problem")
IN_FLIGHT = InFlight()
_LEFT: WeakSet[Any] = WeakSet()  # documents of sessions that have ended

# Shorter work comes and goes unseen; a progress line that flickers only disturbs.
_PATIENCE, _TICK = 0.2, 0.1


def visitor(state: object) -> Hashable:
    """Whose `state` this is: the session that is served now, or without one the state itself."""
    document: Hashable = pn.state.curdoc
    return id(state) if document is None else document


def leave(document: Hashable) -> None:
    """End the computations of a session at their next checkpoint: see `Worker.work`."""
    _LEFT.add(document)


class _Visit:
    """The visit in which something is asked for of a state."""

    def __init__(self, state: object) -> None:
        self.whose = visitor(state)
        self._session = getattr(self.whose, "session_context", None)

    def over(self) -> bool:
        """Whether the session has ended. It knows itself some time before `leave` is called."""
        ended = self._session is not None and self._session.destroyed
        return ended or self.whose in _LEFT


J = TypeVar("J", bound=Job)


class Latest(Generic[J]):
    """The block of one request: left quietly when another has overtaken it."""

    def __init__(self, job: J) -> None:
        self._job = job

    def __enter__(self) -> J:
        return self._job

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        return kind is Superseded and self._job.stopped


class Worker(param.Parameterized):
    """State whose changes take time; the event loop stays free."""

    busy = param.Number(None, allow_None=True, doc="Share done of what is under way, or None.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._latest: dict[str, Job] = {}

    def latest(self, job: J, of: str = "") -> Latest[J]:
        """Begin a request that overtakes the last one `of` the same kind.

        To be used as ``with state.latest(Job()) as job: ..``: what is awaited there by
        ``work(.., job=job)`` raises `Superseded` once it is overtaken or cancelled, whatever came
        of it, and that ends the block and nothing else.
        """
        self.give_up(of)
        self._latest[of] = job
        return Latest(job)

    def give_up(self, of: str = "") -> None:
        """Stop the last request of this kind, if it is under way."""
        if of in self._latest:
            self._latest.pop(of).stop()

    async def work(
        self,
        function: Callable[..., Any],
        *args: Any,
        job: Job | None = None,
        executor: Executor | Slots = EXECUTOR,
        key: Hashable = None,
    ) -> Any:
        """Call in a worker thread, when this visitor has no other there; keeps `busy` current.

        With a `key`, which says what is computed, what others have under way with the same key is
        waited for, and not computed once more.

        Raises
        ------
        Superseded
            If `job` was stopped meanwhile.
        CancelledError
            If the visitor has left: the models of the page are void, and whoever waits for this
            would draw in them.
        TooManyError
            If this visitor has too much under way.
        """
        visit = _Visit(self)
        if visit.over():
            raise asyncio.CancelledError
        call = partial(_started, visit, job, function, *args)

        async def compute() -> Any:
            if isinstance(executor, Slots):
                return await executor.run(visit.whose, call)
            return await asyncio.get_running_loop().run_in_executor(executor, call)

        if key is not None and job is not None:
            future = asyncio.ensure_future(IN_FLIGHT.join(key, job, compute))
        else:
            future = asyncio.ensure_future(compute())
        await asyncio.wait([future], timeout=_PATIENCE)
        try:
            while not future.done():
                self.busy = job.share if job else 0.0
                await asyncio.wait([future], timeout=_TICK)
        finally:
            self.busy = None
        stopped = job is not None and job.stopped
        if stopped or visit.over():
            if not future.cancelled():
                future.exception()  # seen, so that asyncio does not log it; nobody waits for it
            raise asyncio.CancelledError if visit.over() else Superseded
        return future.result()


def _started(visit: _Visit, job: Job | None, function: Callable[..., Any], *args: Any) -> Any:
    """Call, and leave at once or at a checkpoint when the job is stopped or the visitor has left.

    A cancellation is no Exception: nothing on the way takes it for a fault of the settings.
    """

    def check() -> None:
        if visit.over():
            raise asyncio.CancelledError
        if job is not None:
            job.check()

    check()
    with calling(check):
        return function(*args)
