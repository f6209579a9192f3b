"""What may change an object: read-only arrays, also of copies, and one thread at a time."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Frozen:
    """Arrays are read-only in a pickled or deep-copied object, as in the original.

    NumPy does not keep that flag: its copies can be written to. Every frozen record with arrays
    derives from this class.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        lock_arrays(state)
        vars(self).update(state)


def lock_arrays(value: object) -> None:
    """Make arrays read-only, those in tuples, lists and tables too."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple | list):
        for item in value:
            lock_arrays(item)
    elif isinstance(value, dict):
        lock_arrays(list(value.values()))


def exclusive(
    method: Callable[Concatenate[Any, _P], _R],
) -> Callable[Concatenate[Any, _P], _R]:
    """A method that other threads wait for, if theirs are exclusive too: it holds `self._lock`."""

    @wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._lock:
            return method(self, *args, **kwargs)

    return call
