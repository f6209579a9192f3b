"""A frame of pandas -> a sheet of cells, as if a spreadsheet had it."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.tables.dialect import decimal_of
from ucbpe_core.tables.numbers import POINT
from ucbpe_core.tables.parse import Heading, own_names, sheet_of

if TYPE_CHECKING:
    import pandas as pd

    from ucbpe_core.tables.columns import Sheet
    from ucbpe_core.tables.dialect import Reading

_INDEX = "index"  # what one without a name is called: it names the rows


def read_frame(frame: pd.DataFrame, reading: Reading) -> Sheet:
    """Its columns, with an index before them that does not count the rows; lines count from 0.

    Cells that are numbers are in no doubt: texts alone can be read in two ways.

    Raises
    ------
    InputError
        For what is no frame, or has no cells.
    UndecidedError
        For such texts, and as `sheet_of`.
    """
    if not hasattr(frame, "iloc") or getattr(frame, "ndim", 0) != 2:
        remedy = "pass a DataFrame, or use Table.read for a file"
        raise InputError("a frame of pandas", type(frame).__name__, remedy)
    if not frame.size:
        raise InputError("a frame with rows and columns", f"shape {frame.shape}", "add some")
    columns = [(str(name), frame.iloc[:, i]) for i, name in enumerate(frame.columns)]
    if list(frame.index) != list(range(len(frame))):
        columns.insert(0, (str(frame.index.name or _INDEX), frame.index.to_series()))
    names, remarks = own_names([name for name, _ in columns], header=True)
    cells = list(zip(*(_values(column) for _, column in columns), strict=True))
    texts = [[one if isinstance(one, str) else "" for one in row] for row in cells]
    lines = range(len(cells))
    decimal = reading.decimal or decimal_of(names, texts, lines, "\t")
    rows = [[_text(one, decimal) for one in row] for row in cells]
    top = Heading(tuple(names), tuple(names), 1, tuple(remarks))
    return sheet_of(top, rows, lines, replace(reading, decimal=decimal))


def _values(column: pd.Series) -> list[Any]:
    """Numbers, and anything else as text, which is empty where there is nothing."""
    return [
        "" if missing else one if _is_number(one) else str(one).strip()
        for one, missing in zip(column.tolist(), column.isna().tolist(), strict=True)
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _text(cell: Any, decimal: str) -> str:
    """A cell as a person would write it; a number reads back exactly."""
    if isinstance(cell, str):
        return cell
    whole = isinstance(cell, int) or (float(cell).is_integer() and abs(cell) < 1e15)
    return str(int(cell)) if whole else repr(float(cell)).replace(POINT, decimal)
