"""Inputs out of bytes: numbers, arrays and texts, and documents that are changed."""

from __future__ import annotations

import copy
import struct
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


_T = TypeVar("_T")

# Where arithmetic changes its ways: zeros, subnormal and greatest numbers, and what is no number.
EDGES = (
    0.0, 1.0, -1.0, 0.5, 2.0, 10.0, -0.0, 1e-8, 1e-16, 5e-324, 1e-300, 1e8, 1e154, 1e300,
    1.7976931348623157e308, np.nan, np.inf, -np.inf,
)  # fmt: skip


class Draw:
    """Takes the bytes from the front; once they are used up, all that is drawn is the first."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, for n up to 256."""
        at, self._at = self._at, self._at + 1
        return self._data[at] % n if at < len(self._data) else 0

    def choose(self, options: Sequence[_T]) -> _T:
        """One of some options."""
        return options[self.below(len(options))]

    def any_of(self, *makers: Callable[[], Any]) -> Any:
        """What one of them makes."""
        return self.choose(makers)()

    def take(self, n: int) -> bytes:
        """The next n bytes, zeros behind the end."""
        at, self._at = self._at, self._at + n
        return self._data[at : self._at].ljust(n, b"\0")

    def rest(self) -> bytes:
        """All that is left."""
        return self._data[self._at :]

    def text(self) -> str:
        """At most 31 bytes of text."""
        return self.take(self.below(32)).decode("utf-8", "replace")

    def number(self) -> float:
        """One of the edges, or any number of double precision."""
        kind = self.below(len(EDGES) + 6)
        if kind < len(EDGES):
            return EDGES[kind]
        if kind < len(EDGES) + 3:  # an ordinary one
            return (self.below(256) - 100) / 16
        found: float = struct.unpack("<d", self.take(8))[0]
        return found


_MOST_CHANGES = 4
_WORDS = (
    "", "kind", "rbf", "matern", "polynomial", "sum", "product", "finite", "compact", "constant",
    "GP-UCB-PE", "GP-UCB", "GP-BUCB", "SM-UCB", "EI-PE", "minimize", "maximize", "ucb", "pe",
    "undo", "redo", "correct", "ask", "tell", "plan", "withdraw", "allow", "avoid",
    "os:system", "\ud800", "\0",
)  # fmt: skip


def changed(document: Any, draw: Draw) -> Any:
    """A copy with some parts replaced, removed, doubled or exchanged."""
    document = copy.deepcopy(document)
    for _ in range(1 + draw.below(_MOST_CHANGES)):
        holder, key = _place(document, draw)
        if holder is None:
            return _value(draw)
        _change(holder, key, draw)
    return document


def _place(document: Any, draw: Draw) -> tuple[Any, Any]:
    """Down from the outermost table or list, until the bytes say stop: what holds it, and where."""
    holder, key, inner = None, None, document
    while isinstance(inner, dict | list) and inner and (holder is None or draw.below(8)):
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        holder, key = inner, keys[draw.below(min(len(keys), 256))]
        inner = holder[key]
    return holder, key


def _change(holder: Any, key: Any, draw: Draw) -> None:
    match draw.below(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, list):
            other = draw.below(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case 3 if isinstance(holder, dict):
            holder[draw.choose(_WORDS)] = _value(draw)
        case 4 if type(holder[key]) is float or holder[key] in range(-9999, 9999):
            holder[key] += draw.choose((1, -1, 1e-9, 0.5, -100))
        case _:
            holder[key] = _value(draw)


def _value(draw: Draw) -> Any:
    return draw.any_of(
        draw.number, lambda: draw.below(256), lambda: -draw.below(256), lambda: None,
        lambda: True, lambda: draw.choose(_WORDS), draw.text, list, dict,
        lambda: 10 ** draw.below(256) * 10**200, lambda: [draw.number(), draw.number()],
        lambda: {"kind": draw.choose(_WORDS)}, lambda: [[draw.number()]], lambda: 2**63,
    )  # fmt: skip
