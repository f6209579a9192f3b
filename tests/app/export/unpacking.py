"""A second implementation of what the browser does with a recording, by its description alone."""

from __future__ import annotations

from typing import Any

import numpy as np

SPATIAL, TEMPORAL = 1, 2


def unpacked(headers: list[list[Any]], block: bytes) -> dict[int, np.ndarray]:
    """What the headers say of the bytes, number by number and in the order of the docstring."""
    found: dict[int, np.ndarray] = {}
    hidden: dict[int, int] = {}
    at, before = 0, np.zeros(0)
    for number, kind, shape, quantum, base, expected, width, holes in headers:
        size = int(np.prod(shape))
        planes = np.frombuffer(block, np.uint8, width * size, at).reshape(width, size)
        codes = sum(plane.astype(np.int64) << 8 * order for order, plane in enumerate(planes))
        whole = np.where(codes % 2, -(codes + 1) // 2, codes // 2).reshape(shape)
        at += width * size
        if expected & SPATIAL:
            for axis in range(len(shape)):
                whole = np.cumsum(whole, axis=axis)
        if expected & TEMPORAL:
            whole = whole + before
        before = whole
        found[number] = (base + quantum * whole).astype(kind)
        if holes is not None:
            hidden[number] = holes
    for number, holes in hidden.items():
        found[number][found[holes].astype(bool)] = np.nan
    assert at == len(block)
    return found


def decoded(value: Any, arrays: dict[int, np.ndarray]) -> Any:
    """A value of a track."""
    if isinstance(value, list):
        return [decoded(one, arrays) for one in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]]
    if "number" in value:
        return float(value["number"])
    return {key: decoded(one, arrays) for key, one in value["map"]}
