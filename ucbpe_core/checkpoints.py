"""Places in long computations where the caller can interrupt them.

A run reports progress once per batch, and a batch can take minutes. Loops inside it call
`checkpoint`; within `calling(callback)`, in the same thread, this calls the callback. If the
callback raises, the computation ends, and shared posteriors are unchanged.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CALLBACK: ContextVar[Callable[[], None] | None] = ContextVar("checkpoint", default=None)


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
