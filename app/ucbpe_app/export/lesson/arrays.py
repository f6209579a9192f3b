"""Arrays in few bytes: numbers to the precision of a picture, stored by what differs.

Each array becomes whole numbers, exact for integers, else ``base + quantum * whole`` with a power
of two for the quantum. What is stored is the difference from what is expected there: the array
before, the neighbours, or both. These differences are small, so their higher bytes are zero, and
bytes of one order lie together: deflate then finds little left to store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from math import ceil, log2
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ucbpe_core.validation import Booleans, Floats, Integers

# Steps of an array's range: a picture has 256 colours, and a point is told to 4 digits.
_PICTURE_BITS, _POINT_BITS = 16, 20
_FINER = 16  # a quantum this much finer than needed is still kept, as differences need one
_LARGEST = 2**28  # beyond it a difference of differences has no room in 32 bits
_SPATIAL, _TEMPORAL = 1, 2  # flags: expected from the neighbours, from the array before
_FLOATS = ("f4", "f8")
_KINDS = {"f4": "float32", "f8": "float64", "u1": "uint8", "i4": "int32", "i8": "int32"}


@dataclass(eq=False)
class _Member:
    """An array as whole numbers, and where NaN stood."""

    kind: str
    whole: Integers
    quantum: float
    base: float
    holes: int | None


@dataclass
class Arrays:
    """Distinct arrays by number; those of a chain are kept in the order in which they came."""

    _members: list[tuple[Hashable, _Member]] = field(default_factory=list)
    _numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    _last: dict[Hashable, _Member] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._members)

    def add(self, array: np.ndarray, chain: Hashable) -> int:
        """The number of an array, which is kept if it is new.

        Raises
        ------
        TypeError
            For numbers that a browser's figures have no use for.
        ValueError
            For infinite ones.
        """
        kind = array.dtype.str[1:]
        if array.dtype.byteorder == ">" or kind not in _KINDS:
            raise TypeError(f"a lesson's file cannot hold numbers of type {array.dtype}")
        key = kind, array.shape, sha256(np.ascontiguousarray(array).tobytes()).digest()
        if key not in self._numbers:
            holes = np.isnan(array) if kind in _FLOATS else np.zeros(0, bool)
            hidden = self.add(holes.astype(np.uint8), (chain, "holes")) if holes.any() else None
            member = _member(kind, array, holes, hidden, self._last.get(chain))
            self._last[chain] = member
            self._numbers[key] = len(self._members)
            self._members.append((chain, member))
        return self._numbers[key]

    def pack(self) -> tuple[list[list[Any]], bytes]:
        """A header per array, and the bytes of all.

        A header is ``[number, kind, shape, quantum, base, expected, width, holes]``: `width` bytes
        per number, those of least order first, each the zigzag code of a difference. An array
        that is expected to be as the one before it follows that one.
        """
        headers, blocks = list[list[Any]](), list[bytes]()
        chains: dict[Hashable, list[int]] = {}
        for number, (chain, _) in enumerate(self._members):
            chains.setdefault(chain, []).append(number)
        for numbers in chains.values():
            last = None
            for number in numbers:
                member = self._members[number][1]
                header, block = _packed(member, last)
                last = member.whole
                headers.append([number, *header])
                blocks.append(block)
        return headers, b"".join(blocks)


def _member(
    kind: str, array: np.ndarray, holes: Booleans, hidden: int | None, last: _Member | None
) -> _Member:
    """An array as whole numbers, on the scale of the last of its chain if that is fine enough."""
    if kind not in _FLOATS:
        return _Member(kind, array.astype(np.int64), 1.0, 0.0, None)
    values = _filled(array.astype(float), holes)
    if not np.isfinite(values).all():
        raise ValueError("a lesson's file cannot hold an infinite number")
    base, quantum = _scale(values, _PICTURE_BITS if kind == "f4" else _POINT_BITS)
    fine = last is not None and last.kind == kind and 0 < quantum / _FINER <= last.quantum
    if last is not None and fine and last.quantum <= quantum:
        again = _whole(values, last.base, last.quantum)
        if np.abs(again).max(initial=0) <= _LARGEST:
            return _Member(kind, again, last.quantum, last.base, hidden)
    return _Member(kind, _whole(values, base, quantum), quantum, base, hidden)


def _scale(values: Floats, bits: int) -> tuple[float, float]:
    """Base and quantum: the range in 2^bits steps or more. A constant has none, and is exact."""
    low, span = float(values.min(initial=np.inf)), float(np.ptp(values)) if values.size else 0.0
    if span == 0:
        return (float(values.flat[0]) if values.size else 0.0), 0.0
    return low, 2.0 ** ceil(log2(span) - bits)


def _whole(values: Floats, base: float, quantum: float) -> Integers:
    if quantum == 0:
        return np.zeros(values.shape, np.int64)
    return np.rint((values - base) / quantum).astype(np.int64)


def _packed(member: _Member, last: Integers | None) -> tuple[list[Any], bytes]:
    """Header and bytes of an array that follows `last` in its chain."""
    expected, codes = _shortest(member.whole, last)
    width = max(1, -(-int(codes.max(initial=0)).bit_length() // 8))
    planes = codes.astype("<u4").reshape(-1, 1).view(np.uint8)[:, :width]
    shape, kind = member.whole.shape, _KINDS[member.kind]
    header = [kind, shape, member.quantum, member.base, expected, width, member.holes]
    return header, np.ascontiguousarray(planes.T).tobytes()


def _filled(values: Floats, holes: Booleans) -> Floats:
    """The values, each hole with the last one before it, or 0: no jumps."""
    if not holes.any():
        return values
    flat, known = values.ravel(), ~holes.ravel()
    source = np.maximum.accumulate(np.where(known, np.arange(flat.size), -1))
    return np.where(source < 0, 0.0, flat[source]).reshape(values.shape)


def _shortest(whole: Integers, last: Integers | None) -> tuple[int, Integers]:
    """The expectation that leaves least to be stored, and the codes of what is left."""
    ways: list[tuple[int, Integers]] = [(_SPATIAL, _left_by_neighbours(whole))]
    if last is not None and last.shape == whole.shape:
        change = whole - last
        ways += [(_TEMPORAL, change), (_SPATIAL | _TEMPORAL, _left_by_neighbours(change))]
    coded = [(way, np.where(left < 0, -2 * left - 1, 2 * left)) for way, left in ways]
    return min(coded, key=lambda one: float(np.log2(1.0 + one[1]).sum()))


def _left_by_neighbours(whole: Integers) -> Integers:
    """What is left of each number once left + upper - upper left neighbour is taken away."""
    left = whole
    for axis in range(whole.ndim):
        left = np.diff(left, axis=axis, prepend=0)
    return left
