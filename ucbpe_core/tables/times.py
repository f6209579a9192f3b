"""Columns of times, as 0:05:00 or 30:00:00, which become minutes if a person says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ucbpe_core.errors import InputError
from ucbpe_core.tables import numbers
from ucbpe_core.tables.columns import NUMBERS_PER_FAULT
from ucbpe_core.tables.dialect import Reading, Spot, UndecidedError
from ucbpe_core.tables.units import named

if TYPE_CHECKING:
    from collections.abc import Sequence

# Hours, minutes and seconds, as workbooks are written. Of 5:30 nobody knows which they are.
_TIME = re.compile(r"([+-]?)(\d{1,9}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)", re.ASCII)
MINUTES = {True: "minutes", False: "text"}  # what times are read as
_DIGITS = 12  # of a number of minutes: a second is 1/60 of one


def take_minutes(
    names: Sequence[str], rows: Sequence[list[str]], lines: Sequence[int], reading: Reading
) -> tuple[Sequence[str], tuple[str, ...]]:
    """Write the times in the rows as minutes; the names with that unit, and what was done.

    Raises
    ------
    UndecidedError
        For times that are not stated to be durations or times of day.
    InputError
        For a number among times: nobody knows its unit.
    """
    columns = [i for i, cells in enumerate(zip(*rows, strict=True)) if _has_times(cells)]
    if reading.minutes is None and columns:
        raise _question(names, rows, lines, columns[0])
    remarks, named_anew = list[str](), list(names)
    for i in columns if reading.minutes else ():
        example = next(row[i] for row in rows if _TIME.fullmatch(row[i]))
        for row, line in zip(rows, lines, strict=True):
            row[i] = _in_minutes(row[i], Spot(row[i], line, names[i]), reading.decimal)
        if "units" not in named(names[i]):
            named_anew[i] = f"{names[i]} (min)"
        minutes = _minutes(example)
        remarks.append(f"{names[i]} is in minutes: {example} is {minutes:.{_DIGITS}g}.")
    return named_anew, tuple(remarks)


def _has_times(cells: Sequence[str]) -> bool:
    """Whether a column is of times, with slips in it, or mixed with numbers."""
    if not any(":" in cell for cell in cells):
        return False
    written = [cell for cell in cells if not numbers.is_missing(cell)]
    times = sum(_TIME.fullmatch(cell) is not None for cell in written)
    plain = sum(bool(numbers.readings(numbers.bare(cell))) for cell in written)
    texts = len(written) - times - plain
    return plain < NUMBERS_PER_FAULT * times and NUMBERS_PER_FAULT * texts <= times


def _in_minutes(cell: str, spot: Spot, decimal: str | None) -> str:
    if numbers.readings(numbers.bare(cell)):
        remedy = "write times in all cells of the column, or numbers, or read times as text"
        raise InputError(f"a time in every cell of column {spot.column}", str(spot), remedy)
    if not _TIME.fullmatch(cell):
        return cell
    return f"{_minutes(cell):.{_DIGITS}g}".replace(numbers.POINT, decimal or numbers.POINT)


def _minutes(time: str) -> float:
    match = _TIME.fullmatch(time)
    assert match is not None  # which the caller has seen
    sign, hours, minutes, seconds = match.groups()
    number = int(hours) * 60 + int(minutes) + float(seconds) / 60
    return -number if sign == "-" else number


def _question(
    names: Sequence[str], rows: Sequence[Sequence[str]], lines: Sequence[int], i: int
) -> UndecidedError:
    pairs = zip(rows, lines, strict=True)
    row, line = next((row, line) for row, line in pairs if _TIME.fullmatch(row[i]))
    spot = Spot(row[i], line, names[i])
    return UndecidedError(
        "minutes",
        f"{spot}, is a time. As a duration it is {_minutes(row[i]):.{_DIGITS}g} minutes. Read "
        "times as numbers of minutes?",
        str(spot),
        {True: "Yes, in minutes", False: "No, as text"},
        wanted="times of which it is known whether they are durations",
        remedy="say whether they are minutes",
    )
