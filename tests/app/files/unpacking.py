"""A second implementation of what the browser does with a recording, by its description alone."""

from __future__ import annotations

from typing import Any

import numpy as np


def unpacked(headers: list[list[Any]], block: bytes) -> dict[int, np.ndarray]:
    """What the headers say of the bytes, number by number and in the order of the docstring."""
    found, at = dict[int, np.ndarray](), 0
    for number, (kind, shape) in enumerate(headers):
        size = int(np.prod(shape))
        found[number] = np.frombuffer(block, kind, size, at).reshape(shape)
        at += found[number].nbytes
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
