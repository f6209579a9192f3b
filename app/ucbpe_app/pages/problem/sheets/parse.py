"""A table as text -> a sheet of cells. What is guessed can be declared, and is shown."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ucbpe_app.pages import numbers
from ucbpe_app.pages.numbers import MOST_LETTERS
from ucbpe_app.pages.problem.sheets.columns import Column, column
from ucbpe_app.pages.problem.sheets.limits import MOST_COLUMNS, MOST_ROWS
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.records.sheets import unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEPARATORS = {"\t": "tab", ";": "semicolon", ",": "comma"}  # the likeliest first
DECIMALS = {numbers.POINT: "point", numbers.COMMA: "comma"}
_SAMPLE = 200  # lines looked at to find the separator


@dataclass(frozen=True)
class Reading:
    """How to read a text; None: find out."""

    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None


@dataclass(frozen=True, eq=False)
class Sheet:
    """A table as it was read.

    Attributes
    ----------
    columns : with their cells and numbers
    lines : the line of the text on which each row begins
    reading : how it was read, nothing left open
    remarks : what a person should know of it
    """

    columns: tuple[Column, ...]
    lines: tuple[int, ...] = field(repr=False)
    reading: Reading
    remarks: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.lines)


def parse(text: str, reading: Reading | None = None) -> Sheet:
    """The sheet in a text.

    Raises
    ------
    InputError
        For rows of different lengths, quotes that do not close, or too many rows or columns.
    """
    reading = reading or Reading()
    separator = reading.separator or _separator(text)
    lines, rows = _rows(text, separator)
    header = _is_header(rows) if reading.header is None else reading.header
    head = rows[0] if header else [""] * len(rows[0])
    names, remarks = _names(head, header=header)
    lines, rows = (lines[1:], rows[1:]) if header else (lines, rows)
    if not rows:
        raise InputError("rows under the names", "none", "add rows, or say that there are no names")
    decimal = reading.decimal or _decimal(rows, lines)
    if decimal == numbers.COMMA:
        remarks.append("Decimal comma: 1,5 is read as 1.5.")
    columns = [
        column(name, tuple(row[i] for row in rows), decimal)
        for i, name in enumerate(names)
        # Spreadsheets write separators for columns in which nobody wrote anything.
        if head[i] or any(row[i] for row in rows)
    ]
    done = Reading(separator, decimal, header)
    return Sheet(tuple(columns), tuple(lines), done, tuple(remarks))


def _separator(text: str) -> str:
    """The likeliest separator that cuts every line into as many cells, or else most lines."""
    sample = "\n".join(text.splitlines()[:_SAMPLE])
    best, most = ",", 0
    for separator in SEPARATORS:
        try:
            rows = [row for row in csv.reader(io.StringIO(sample), delimiter=separator) if any(row)]
        except csv.Error:
            continue
        width, count = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width > 1 and count == len(rows):
            return separator
        if width > 1 and count > most:
            best, most = separator, count
    return best


def _rows(text: str, separator: str) -> tuple[list[int], list[list[str]]]:
    """Lines and stripped cells of every row that has any, all of one length."""
    lines, rows = list[int](), list[list[str]]()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            row = [unescape(cell.strip()) for cell in cells]
            if any(row):
                lines.append(line)
                rows.append(row)
                _check_row(rows[0], row, lines)
            line = reader.line_num + 1
    except csv.Error as error:
        remedy = "close the quotes, or choose another separator"
        raise InputError(f"cells in line {line}", str(error), remedy) from None
    if not rows:
        raise InputError("a table", "empty lines", "paste or choose one that has rows")
    if len(rows) > MOST_ROWS + 1:
        wanted, got = f"at most {grouped(MOST_ROWS)} rows", grouped(len(rows))
        raise InputError(wanted, got, "take a part of the table")
    return lines, rows


def _check_row(first: list[str], row: list[str], lines: Sequence[int]) -> None:
    """Make `row` as long as the first one, if only empty cells differ; refuse others."""
    if len(first) > MOST_COLUMNS:
        remedy = "leave some out, or choose another separator"
        raise InputError(f"at most {MOST_COLUMNS} columns", str(len(first)), remedy)
    while len(row) > len(first) and not row[-1]:
        row.pop()
    if len(row) != len(first):
        wanted = f"{len(first)} cells in line {lines[-1]}, as in line {lines[0]}"
        remedy = "add or remove a cell there, or choose another separator"
        raise InputError(wanted, str(len(row)), remedy)
    long = next((cell for cell in row if len(cell) > MOST_LETTERS), None)
    if long is not None:
        wanted = f"at most {MOST_LETTERS} letters in a cell of line {lines[-1]}"
        raise InputError(wanted, grouped(len(long)), "shorten it, or choose another separator")


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """A first line without any number names the columns."""
    is_number = (
        numbers.read(cell, decimal) is not None for cell in rows[0] for decimal in DECIMALS
    )
    return len(rows) > 1 and not any(is_number)


def _names(cells: Sequence[str], *, header: bool) -> tuple[list[str], list[str]]:
    """A name of its own for each column, and what had to be changed."""
    names = list[str]()
    for i, cell in enumerate(cells):
        name = cell or (f"column {i + 1}" if header else f"x{i + 1}")
        twice = 2
        while name in names:
            name, twice = f"{cell} ({twice})", twice + 1
        names.append(name)
    changed = [name for name, cell in zip(names, cells, strict=True) if cell and name != cell]
    remarks = [f"Names occur twice; renamed: {', '.join(changed)}."] if changed else []
    return names, remarks if header else ["No line of names: columns are x1, x2, .."]


def _decimal(rows: Sequence[Sequence[str]], lines: Sequence[int]) -> str:
    """Point or comma, whichever the cells have; both at once are not guessed at."""
    comma = _first(rows, lines, numbers.has_comma)
    if comma is None:
        return numbers.POINT
    point = _first(rows, lines, numbers.has_point)
    if point is not None:
        raise InputError(
            "either decimal points or decimal commas",
            f"{comma[1]} in line {comma[0]} and {point[1]} in line {point[0]}",
            "say which one it is, under Decimal",
        )
    return numbers.COMMA


def _first(
    rows: Sequence[Sequence[str]], lines: Sequence[int], is_one: Callable[[str], bool]
) -> tuple[int, str] | None:
    """Line and text of the first cell for which it is true."""
    for line, row in zip(lines, rows, strict=True):
        for cell in row:
            if is_one(cell):
                return line, cell
    return None
