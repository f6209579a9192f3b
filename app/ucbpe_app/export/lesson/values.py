"""Values of properties as JSON, their arrays apart, and no value twice."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_app.export.lesson.arrays import Arrays

if TYPE_CHECKING:
    from collections.abc import Hashable

_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
# A longer list of numbers is smaller as an array.
_MANY = 64


class Values:
    """The distinct values of a recording.

    Written as JSON, with ``{"array": number}`` for an array, ``{"map": [[key, value], ..]}`` for
    a dict and ``{"number": "NaN"}`` for what JSON has no number for.

    Attributes
    ----------
    arrays : the arrays that the values refer to
    """

    def __init__(self) -> None:
        self.arrays = Arrays()
        self._places: dict[Hashable, dict[str, int]] = {}
        self._latest: dict[Hashable, Any] = {}

    def put(self, values: list[Any], which: list[int], value: Any, chain: Hashable) -> None:
        """Append to `which` the place of `value` in `values`, where it is put if it is new.

        `chain` names the property: arrays of one chain are alike, and stored by what differs.
        """
        if which and value is self._latest.get(chain):
            which.append(which[-1])
            return
        self._latest[chain] = value
        encoded = self.encode(value, chain)
        places = self._places.setdefault(chain, {})
        place = places.setdefault(json.dumps(encoded), len(values))
        if place == len(values):
            values.append(encoded)
        which.append(place)

    def encode(self, value: Any, chain: Hashable) -> Any:
        """A value as JSON."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if isfinite(value) else {"number": _NAMES[str(value)]}
        if isinstance(value, np.ndarray):
            return {"array": self.arrays.add(value, chain)}
        if isinstance(value, dict):
            return {"map": [[key, self.encode(one, chain)] for key, one in value.items()]}
        if isinstance(value, list | tuple):
            if len(value) > _MANY and all(type(one) is float for one in value):
                return {"array": self.arrays.add(np.array(value), chain)}
            return [self.encode(one, chain) for one in value]
        raise TypeError(f"a lesson's file cannot hold a {type(value).__name__}")
