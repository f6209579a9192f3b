"""What a long computation respects: a caller that interrupts it, and the memory that is free.

A run reports progress once per batch, and a batch can take minutes. Loops inside it call
`checkpoint`; within `calling(callback)`, in the same thread, this calls the callback. If the
callback raises, the computation ends, and shared posteriors are unchanged.

What needs much memory says so with `require`: a clear error before memory runs out, where the
system would end the process.

Fits and the search of a box work on small matrices, for which several threads of BLAS wait for each
other: with two, they took six times the time of one. They run in `one_thread`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CALLBACK: ContextVar[Callable[[], None] | None] = ContextVar("checkpoint", default=None)
# Smaller requests are not checked.
_SMALL = 2**26  # bytes
# The rest is left to other processes, and to smaller arrays that accompany the rows.
_SHARE = 0.9
_SYSTEM = Path("/proc/meminfo")
LARGE = 1000  # rows of a matrix from which on threads of BLAS pay


@contextmanager
def calling(callback: Callable[[], None]) -> Iterator[None]:
    """Have every checkpoint within the context call `callback`, after those of outer contexts."""
    outer = _CALLBACK.get()

    def both() -> None:
        if outer is not None:
            outer()
        callback()

    token = _CALLBACK.set(both)
    try:
        yield
    finally:
        _CALLBACK.reset(token)


def checkpoint() -> None:
    """Call the callbacks of the enclosing contexts, if any."""
    callback = _CALLBACK.get()
    if callback is not None:
        callback()


class _Threads:
    """The limit of BLAS, which a process has once: the last that leaves restores what was there."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    @contextmanager
    def one(self) -> Iterator[None]:
        with self._lock:
            if self._inside == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._inside += 1
        try:
            yield
        finally:
            with self._lock:
                self._inside -= 1
                if self._inside == 0:
                    self._limit.restore_original_limits()


@cache
def _controller() -> Any:
    """What knows the libraries that are loaded: looking for them takes a millisecond."""
    import scipy.linalg  # noqa: F401 - which has a BLAS of its own
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


_THREADS = _Threads()


def one_thread(rows: int) -> AbstractContextManager[None]:
    """BLAS with one thread, for matrices of so many rows, if they are small."""
    return _THREADS.one() if rows < LARGE else nullcontext()


def free() -> float:
    """Bytes that can still be allocated here, as Linux reports it; infinite elsewhere."""
    try:
        lines = _SYSTEM.read_text().splitlines()
    except OSError:
        return np.inf
    known = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return float(known[0][1]) * 1024 if known else np.inf


def require(size: int, what: str, remedy: str) -> None:
    """Raise TooLargeError if `size` bytes for `what` are more than is free."""
    if size < _SMALL:
        return
    there = free()
    if size > _SHARE * there:
        wanted = f"at least {size / _SHARE / 1e9:.2g} GB of free memory for {what}"
        raise TooLargeError(wanted, f"{there / 1e9:.2g} GB", remedy)
