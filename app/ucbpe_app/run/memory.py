"""How much memory an object holds, counted by its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PLAIN = (int, float, complex, str, bool, type(None), type, range, np.generic)
_OBJECT = 56  # bytes: about what a Python object takes beside what it refers to


def buffers(thing: object) -> dict[int, int]:
    """The memory behind everything that `thing` refers to: id of its owner -> bytes.

    Arrays that view another count as that one, whole, and once however often they are met; so
    runs that share blocks or candidates can be added up by joining what this returns.
    """
    found: dict[int, int] = {}
    waiting, seen = [thing], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, _PLAIN) or id(one) in seen or callable(one):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            while isinstance(one.base, np.ndarray):
                one = one.base
            found[id(one)] = one.nbytes
        elif isinstance(one, bytes | bytearray):
            found[id(one)] = len(one)
        else:
            found[id(one)] = _OBJECT
            waiting.extend(_inside(one))
    return found


def _inside(thing: Any) -> Iterable[object]:
    """What an object refers to: its items and its attributes."""
    if isinstance(thing, dict):
        entries: Mapping[object, object] = thing
        return [*entries.keys(), *entries.values()]
    if isinstance(thing, tuple | list | set | frozenset):
        return thing
    slots = (getattr(thing, name, None) for name in getattr(type(thing), "__slots__", ()))
    return [*slots, *getattr(thing, "__dict__", {}).values()]
