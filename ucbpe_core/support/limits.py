"""What a long computation respects: a caller that interrupts it, and the memory that is free.

A run reports progress once per batch, and a batch can take minutes. Loops inside it call
`checkpoint`; within `calling(callback)`, in the same thread, this calls the callback. If the
callback raises, the computation ends, and shared posteriors are unchanged.

What needs much memory says so with `require`: a clear error before memory runs out, where the
system would end the process.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

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
