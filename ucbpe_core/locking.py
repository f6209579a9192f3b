"""One thread at a time: methods that read the state of an object and replace it."""

from __future__ import annotations

from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from ucbpe_core.assignment import Frozen

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Locked(Frozen):
    """An object with a lock. Copies, in this process or in another one, have their own."""

    _lock: Any

    def __init__(self) -> None:
        # Reentrant: what a method calls, such as `progress`, may use the object.
        self._lock = RLock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._lock = RLock()


def exclusive(
    method: Callable[Concatenate[Any, _P], _R],
) -> Callable[Concatenate[Any, _P], _R]:
    """A method of a `Locked` object that other threads wait for, if theirs are exclusive too."""

    @wraps(method)
    def call(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        with self._lock:
            return method(self, *args, **kwargs)

    return call
