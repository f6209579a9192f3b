"""Updates of a source: only the columns that have changed are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bokeh.models import ColumnDataSource

    Column = Sequence[Any] | np.ndarray


_FEW = 100  # up to so many entries, text is faster than separate messages


def put(source: ColumnDataSource, columns: Mapping[str, Column]) -> None:
    """Have a source hold these columns, each of them numbers, texts, or images.

    An array takes two separate websocket messages, which the browser handles one by one: the
    candidates' places, the same at every event, would cost as much as the curve over them. A short
    array is sent as a list, within the message about it.
    """
    held, columns = source.data, {name: _light(column) for name, column in columns.items()}
    if held.keys() != columns.keys() or _height(held) != _height(columns):
        source.data = columns  # columns of different heights are never held together
    elif changed := {n: column for n, column in columns.items() if not _same(held[n], column)}:
        held.update(changed)


def _light(column: Column) -> Column:
    if isinstance(column, np.ndarray) and column.size <= _FEW:
        return column.tolist()
    return column


def _height(columns: Mapping[str, Column]) -> int:
    return len(next(iter(columns.values()), ()))


def _same(held: Column, column: Column) -> bool:
    if isinstance(held, np.ndarray) and isinstance(column, np.ndarray):
        return held.dtype == column.dtype and np.array_equal(held, column, equal_nan=True)
    pairs = zip(held, column, strict=True)
    # An image is an entry of its column; NaN is not equal to itself.
    return all(
        _same(a, b) if isinstance(a, np.ndarray) else a == b or (a != a and b != b)
        for a, b in pairs
    )
