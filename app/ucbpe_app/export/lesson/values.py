"""Values of properties as JSON, their arrays apart, and no value twice."""

from __future__ import annotations

import json
from hashlib import sha256
from math import ceil, isfinite, log2
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable

_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
# A longer list of numbers is smaller as an array.
_MANY = 64
_KINDS = {
    "f4": "float32",
    "f8": "float64",
    "u1": "uint8",
    "i1": "int8",
    "i4": "int32",
    "i8": "int32",
}
# Steps of a picture's range: 16 for each of its 256 colours. Round numbers deflate to less.
_PICTURE_BITS = 12
_POINT_SHARE = 2.0**-20  # of the range of an array of points that its numbers may be off


class Values:
    """The distinct values of a recording, and its distinct arrays by number.

    Written as JSON, with ``{"array": number}`` for an array, ``{"map": [[key, value], ..]}`` for
    a dict, which is an object if its keys are texts, and ``{"number": "NaN"}`` for what JSON has
    no number for.
    """

    def __init__(self) -> None:
        self._arrays: list[np.ndarray] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._places: dict[Hashable, dict[str, int]] = {}
        self._latest: dict[Hashable, Any] = {}

    def put(self, values: list[Any], which: list[int], value: Any, key: Hashable) -> None:
        """Append to `which` the place of `value` in `values`, where it is put if it is new.

        `key` names the property whose values these are.
        """
        if which and value is self._latest.get(key):
            which.append(which[-1])
            return
        self._latest[key] = value
        encoded = self.encode(value)
        places = self._places.setdefault(key, {})
        place = places.setdefault(json.dumps(encoded), len(values))
        if place == len(values):
            values.append(encoded)
        which.append(place)

    def encode(self, value: Any) -> Any:
        """A value as JSON."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"number": _NAMES[str(value)]}
        if isinstance(value, np.ndarray):
            return {"array": self._number(value)}
        if isinstance(value, dict):
            return {"map": [[key, self.encode(item)] for key, item in value.items()]}
        if isinstance(value, list | tuple):
            if len(value) > _MANY and all(type(item) is float for item in value):
                return {"array": self._number(np.array(value))}
            return [self.encode(item) for item in value]
        raise TypeError(f"a lesson's file cannot hold a {type(value).__name__}")

    def pack(self) -> tuple[list[list[Any]], bytes]:
        """Type and shape of each array, and the numbers of all, one array after the other."""
        headers = [[_KINDS[array.dtype.str[1:]], array.shape] for array in self._arrays]
        return headers, b"".join(array.tobytes() for array in self._arrays)

    def _number(self, array: np.ndarray) -> int:
        """The number of an array, which is kept if it is new."""
        kind = array.dtype.str[1:]
        if array.dtype.byteorder == ">" or kind not in _KINDS:
            raise TypeError(f"a lesson's file cannot hold numbers of type {array.dtype}")
        key = kind, array.shape, sha256(np.ascontiguousarray(array).tobytes()).digest()
        if key not in self._numbers:
            self._numbers[key] = len(self._arrays)
            self._arrays.append(_kept(array))
        return self._numbers[key]


def _kept(array: np.ndarray) -> np.ndarray:
    """The array as the file has it: as good as what is drawn of it, in single precision."""
    if array.dtype.kind != "f":
        return array.astype(np.int32) if array.dtype == np.int64 else array
    finite = array[np.isfinite(array)].astype(float)
    span = float(np.ptp(finite)) if finite.size else 0.0
    if array.dtype == np.float32:
        quantum = 2.0 ** (ceil(log2(span)) - _PICTURE_BITS) if span else 0.0
        return (np.rint(array / quantum) * quantum).astype(np.float32) if quantum else array
    with np.errstate(over="ignore"):
        single = array.astype(np.float32)
    error = np.abs(single[np.isfinite(array)] - finite).max(initial=0.0)
    return single if error <= _POINT_SHARE * span else array
