"""Masks as text, and candidates on a grid as its axes: what keeps a file small."""

from __future__ import annotations

import base64
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ucbpe_core.errors import InputError
from ucbpe_core.trace_files.checks import REMEDY, agree, fields, listing, numbers, text, whole
from ucbpe_core.validation import frozen_copy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ucbpe_core.validation import Booleans, Floats


def pack_mask(mask: Booleans) -> dict[str, Any]:
    """{size, mask}: how many candidates, and which: bit j % 8 (least first) of byte j // 8."""
    packed = np.packbits(mask, bitorder="little").tobytes()
    return {"size": int(mask.sum()), "mask": base64.b64encode(packed).decode("ascii")}


def unpack_mask(table: Any, where: str, size: int) -> Booleans:
    """The mask of shape (size,) that `pack_mask` wrote.

    Raises
    ------
    InputError
        For text that is no Base64, or of another length, or a size that is not the mask's.
    """
    given = fields(table, where, ("size", "mask"))
    told = text(given["mask"], f"{where}.mask")
    try:
        content = base64.b64decode(told, validate=True)
    except ValueError as error:  # binascii's, or text that is not ASCII
        raise InputError(f"{where}.mask in Base64", str(error), REMEDY) from None
    bits = np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little")
    if len(content) != -(-size // 8):
        raise InputError(
            f"{where}.mask of {-(-size // 8)} bytes, a bit for each of {size} candidates",
            f"{len(content)} bytes",
            REMEDY,
        )
    mask = frozen_copy(bits[:size], np.bool_)
    # Neither bits beyond the last candidate nor another size.
    agree({**given, "size": whole(given["size"], f"{where}.size")}, pack_mask(mask), where)
    return mask


def pack_candidates(candidates: Floats, grid: Sequence[int]) -> dict[str, Any]:
    """{axes} if the points (M, d) are exactly a grid of that shape in C order; else {points}."""
    if len(grid) == candidates.shape[1]:
        axes = [
            np.moveaxis(column.reshape(grid), i, 0).reshape(grid[i], -1)[:, 0]
            for i, column in enumerate(candidates.T)
        ]
        if _mesh(axes).tobytes() == np.ascontiguousarray(candidates).tobytes():
            return {"axes": [axis.tolist() for axis in axes]}
    return {"points": candidates.tolist()}


def unpack_candidates(table: Any, where: str, size: int, grid: Sequence[int]) -> Floats:
    """The points (size, d) that `pack_candidates` wrote; axes have the lengths of the grid.

    Raises
    ------
    InputError
        For rows of different lengths, anything but finite numbers, or another number of points.
    """
    if isinstance(table, dict) and "axes" in table:
        given = listing(fields(table, where, ("axes",))["axes"], f"{where}.axes")
        axes = [numbers(axis, f"{where}.axes[{i}]") for i, axis in enumerate(given)]
        # A few long axes would make more points than memory holds: count before making them.
        _check_size(prod(map(len, axes)) if axes else 0, where, size)
        agree([*map(len, axes)], [*grid], f"the lengths of {where}.axes")
        return _mesh(axes)
    given = listing(fields(table, where, ("points",))["points"], f"{where}.points")
    rows = [numbers(row, f"{where}.points[{i}]") for i, row in enumerate(given)]
    _check_size(len(rows), where, size)
    lengths = sorted({len(row) for row in rows})
    if len(lengths) != 1:
        raise InputError(f"{where}.points of one length", f"lengths {lengths}", "mend the rows")
    return np.array(rows)


def _mesh(axes: Sequence[Floats]) -> Floats:
    return np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)


def _check_size(got: int, where: str, size: int) -> None:
    if got != size or size == 0:
        raise InputError(f"{where} of {size} points, one for each value", str(got), "mend one")
