"""Threads that compute for many visitors, a share for each.

A visitor has one computation at a time; its others wait in the order in which they were asked for.
Computations of several visitors take turns: whoever has computed the least goes on, and gives way
at the next checkpoint (`ucbpe_core.support.limits`) after its slice if others wait. A short run is
so done soon, however long those are that were asked for before.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import (
    CancelledError,
    Executor,
    Future,
    InvalidStateError,
    ThreadPoolExecutor,
)
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import UCBPEError
from ucbpe_core.support.limits import calling

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

_SLICE = 0.1  # s that a computation has before it gives way
# Begun and paused computations keep what they hold, up to some 200 MB each.
_BEGUN = 12
# Of one visitor, those that wait included: each may hold the file that it is to read.
_MOST = 16


class TooManyError(UCBPEError):
    """A visitor has as much under way as one may have."""


class Left(BaseException):
    """Raised inside a computation whose visitor has left. Nobody waits for what it would give.

    Not an Exception: nothing on the way takes it for a fault of the settings.
    """


class _Task:
    """One computation: its future, and how far it is with its visitor's share of time."""

    def __init__(self, visitor: Hashable, call: Callable[[], Any]) -> None:
        self.visitor, self._call = visitor, call
        self.future: Future[Any] = Future()
        self.left = False
        self.spent = 0.0  # s of computing
        self.since = 0.0

    def run(self, give_way: Callable[[], None]) -> None:
        """Compute; the future has the result or the error."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            with calling(give_way):
                result = self._call()
        except Left:
            self.future.set_exception(CancelledError())
        except BaseException as error:  # noqa: BLE001 - passed on to the waiting caller
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class FairExecutor:
    """At most `slots` computations at a time, for any number of visitors; thread-safe.

    Of each visitor at most `most` are under way or wait. The first of each is with the threads, of
    which there are `begun`; they take them in the order in which they were handed in.
    """

    def __init__(self, slots: int = 2, begun: int = _BEGUN, most: int = _MOST) -> None:
        self._slots, self._most = slots, most
        self._threads = ThreadPoolExecutor(begun, thread_name_prefix="run")
        self._asked: dict[Hashable, deque[_Task]] = {}
        self._computing: set[_Task] = set()
        self._paused: set[_Task] = set()  # wait for a slot
        self._change = threading.Condition()

    def of(self, visitor: Hashable) -> Executor:
        """An executor that computes for one visitor."""
        return _Share(self, visitor)

    def submit(self, visitor: Hashable, call: Callable[[], Any]) -> Future[Any]:
        """Compute when it is this visitor's turn.

        Raises
        ------
        TooManyError
            If this visitor has too many under way; these go on.
        """
        task = _Task(visitor, call)
        with self._change:
            tasks = self._asked.get(visitor, deque[_Task]())
            if sum(not other.future.cancelled() for other in tasks) >= self._most:
                wanted = f"at most {self._most} computations of one visitor at a time"
                raise TooManyError(wanted, "one more", "wait until some of them are done")
            tasks.append(task)
            self._asked[visitor] = tasks
            if len(tasks) == 1:
                self._begin(visitor)
        return task.future

    def leave(self, visitor: Hashable) -> None:
        """End what this visitor has asked for: what waits now, what has begun at a checkpoint."""
        with self._change:
            for task in self._asked.pop(visitor, ()):
                task.left = True
                task.future.cancel()  # unless it is computing
            self._change.notify_all()

    def _begin(self, visitor: Hashable) -> None:
        """Hand the first of a visitor to the threads; where the system has none, that ends it."""
        tasks = self._asked[visitor]
        while tasks:
            try:
                self._threads.submit(self._serve, tasks[0])
            except RuntimeError as error:
                with suppress(InvalidStateError):  # cancelled meanwhile
                    tasks.popleft().future.set_exception(error)
            else:
                return
        del self._asked[visitor]

    def _serve(self, task: _Task) -> None:
        """In a thread: one computation, from its first slot to its end."""
        try:
            if not task.future.done():
                self._wait(task)
                task.run(lambda: self._give_way(task))
        finally:
            self._end(task)

    def _give_way(self, task: _Task) -> None:
        """At a checkpoint: leave if the visitor has left, and let others on after a slice."""
        if task.left:
            raise Left
        now = monotonic()
        if now - task.since < _SLICE:
            return
        with self._change:
            task.spent += now - task.since
            task.since = now
            if all(other.left for other in self._paused):
                return
            self._computing.discard(task)
            self._change.notify_all()
        self._wait(task)
        if task.left:
            raise Left

    def _wait(self, task: _Task) -> None:
        """Wait for a slot; those that have computed the least are served first."""
        with self._change:
            self._paused.add(task)
            self._change.wait_for(lambda: task.left or self._is_next(task))
            self._paused.discard(task)
            self._computing.add(task)
            task.since = monotonic()

    def _is_next(self, task: _Task) -> bool:
        """Whether there is a slot for it: visitors who have left need none."""
        free = self._slots - len(self._computing)
        waiting = (other for other in self._paused if not other.left and other is not task)
        return sum(other.spent < task.spent for other in waiting) < free

    def _end(self, task: _Task) -> None:
        """Visitors take turns in what has not begun, too: the next of this one is the last now."""
        with self._change:
            self._computing.discard(task)
            tasks = self._asked.get(task.visitor)
            if tasks and tasks[0] is task:
                tasks.popleft()
                self._begin(task.visitor)
            self._change.notify_all()


class _Share(Executor):
    """The part of `FairExecutor` that one visitor sees, as an event loop wants it."""

    def __init__(self, turns: FairExecutor, visitor: Hashable) -> None:
        self._turns, self._visitor = turns, visitor

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._turns.submit(self._visitor, lambda: fn(*args, **kwargs))
