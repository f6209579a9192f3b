"""A table as text -> a sheet of cells. What is guessed can be declared, and is shown."""

from __future__ import annotations

import csv
import io
from collections import Counter
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.tables import numbers
from ucbpe_core.tables.columns import (
    NUMBERS_PER_FAULT,
    Column,
    Kind,
    Sheet,
    read_column,
)
from ucbpe_core.tables.dialect import Reading, decimal_of, separator_of, split, unescape
from ucbpe_core.tables.limits import ANY, Most
from ucbpe_core.tables.numbers import MOST_LETTERS
from ucbpe_core.tables.row_numbers import made_up_name
from ucbpe_core.tables.times import take_minutes
from ucbpe_core.tables.units import is_unit, named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Heading(NamedTuple):
    """What the top of a table says.

    Attributes
    ----------
    given : the names in it, empty where there is none
    names : one for each column, all different
    rows : how many rows it takes
    remarks : what a person should know of it
    """

    given: tuple[str, ...]
    names: tuple[str, ...]
    rows: int
    remarks: tuple[str, ...]


def start_of(rows: Sequence[Sequence[str]]) -> int:
    """The row with which a table begins: its names, if shorter lines such as a title are above it.

    No row is skipped that has a number and as many cells as most rows: it is one of the table.
    """
    sizes = [next(i for i in range(len(row), 0, -1) if row[i - 1]) for row in rows]
    common_size, _ = max(Counter(sizes).items(), key=lambda item: item[::-1])
    start = longest = 0
    for i, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        numeric = _has_number(row)
        if numeric and size >= common_size:
            break
        if not numeric and size >= common_size and size > longest:
            start = i
        longest = max(longest, size)
    return start


def read_heading(
    rows: Sequence[Sequence[str]], lines: Sequence[int], header: bool | None
) -> Heading:
    """The heading of a table; unless `header` says it, a first line without numbers is one."""
    if header is None:
        header = not _has_number(rows[0])
    given = list(rows[0]) if header else [""] * len(rows[0])
    second = _second_line(given, rows[1:]) if header else ""
    names, remarks = own_names(given, header=header)
    if second:
        remarks.append(f"Line {lines[1]} has {second}: they were added to the names.")
    return Heading(tuple(given), tuple(names), header + bool(second), tuple(remarks))


def _has_number(row: Sequence[str]) -> bool:
    return any(map(_is_number, row))


def _is_number(cell: str) -> bool:
    return bool(numbers.readings(numbers.bare(cell)))


def _second_line(names: list[str], rows: Sequence[Sequence[str]]) -> str:
    """Put a first row of units, or of further names, into the names; which it is.

    It has no number, and texts only above numbers, or above nothing, as before any result. If one
    stands below no name, the line above has names of groups, each over the first of its columns.
    """
    if len(rows) < 2 or _has_number(rows[0]):
        return ""
    texts = {i: cell for i, cell in enumerate(rows[0]) if not numbers.is_missing(cell)}
    count = 0
    for i in texts:
        cells = [_is_number(row[i]) for row in rows[1:] if not numbers.is_missing(row[i])]
        if sum(cells) < NUMBERS_PER_FAULT * (len(cells) - sum(cells)):
            return ""
        count += sum(cells)
    if not count:
        return ""
    grouped_names, group = any(not names[i] for i in texts), ""
    units = not grouped_names and all(map(is_unit, texts.values()))
    for i, name in enumerate(names):
        group = name or group
        above, text = group if grouped_names else name, texts.get(i, "")
        if not units:
            names[i] = " ".join(filter(None, (above, text)))
        elif text and "units" not in named(name):
            names[i] = f"{name} ({text.strip('()[]')})"
    return "units" if units else "names below those of groups" if grouped_names else "further names"


def own_names(cells: Sequence[str], *, header: bool) -> tuple[list[str], list[str]]:
    """A name of its own for each column, and what had to be changed."""
    names = list[str]()
    for i, cell in enumerate(cells):
        name = cell or (made_up_name(i) if header else f"x{i + 1}")
        twice = 2
        while name in names:
            name, twice = f"{cell} ({twice})", twice + 1
        names.append(name)
    changed = [name for name, cell in zip(names, cells, strict=True) if cell and name != cell]
    remarks = [f"Names occur twice; renamed: {', '.join(changed)}."] if changed else []
    return names, remarks if header else ["No line has names: columns are x1, x2, .."]


_MOST = 5  # lines
COMMENT = "#"
_PLAIN = set("0123456789+-eE")


def parse(text: str, reading: Reading | None = None, most: Most = ANY) -> Sheet:
    """The sheet in a text; `most` is the largest that is read.

    Not by `pandas.read_csv`. Told to read texts (``dtype=str``), it cuts them into cells as `csv`
    does, in six times the time; it fills rows up, so that nobody hears which ended early or are too
    long, does not say in which line a quote is open, and its C parser reads ``"1"5`` as 15. Told to
    read numbers, it reads 1,5 as 15 where commas are between thousands, and asks nothing about
    1,050.

    Raises
    ------
    InputError
        For rows that are longer than the heading, quotes that do not close, numbers and times that
        can be read in two ways (`UndecidedError`), or too many rows or columns.
    """
    reading = reading or Reading()
    body, declared = split(text)
    separator = reading.separator or declared or separator_of(body)
    lines, rows, comments = _without_comments(
        *_rows(body, separator, 1 if declared is None else 2, most.rows)
    )
    start = 0 if reading.header is False else start_of(rows)
    above, lines, rows = lines[:start], lines[start:], rows[start:]
    short = _even(lines, rows, most.columns)
    top = read_heading(rows, lines, reading.header)
    lines, rows = lines[top.rows :], rows[top.rows :]
    if not rows:
        raise InputError("rows under the names", "none", "add rows, or say that there are no names")
    decimal = reading.decimal or decimal_of(top.names, rows, lines, separator)
    done = replace(reading, separator=separator, decimal=decimal, header=top.rows > 0)
    sheet = sheet_of(top, rows, lines, done)
    return replace(sheet, remarks=(*_line_words(above, short, comments), *sheet.remarks))


def sheet_of(
    top: Heading, rows: Sequence[list[str]], lines: Sequence[int], reading: Reading
) -> Sheet:
    """The sheet of rows of cells whose decimal mark is known.

    Raises
    ------
    UndecidedError
        For times, unless the reading says what they are.
    """
    decimal = reading.decimal or numbers.POINT
    names, in_minutes = take_minutes(top.names, rows, lines, reading)
    columns = [
        read_column(name, tuple(row[i] for row in rows), decimal)
        for i, name in enumerate(names)
        # Spreadsheets write separators for columns in which nobody wrote anything.
        if top.given[i] or any(row[i] for row in rows)
    ]
    remarks = (*top.remarks, *in_minutes, *_number_words(columns, decimal))
    return Sheet(tuple(columns), tuple(lines), reading, remarks)


def _rows(text: str, separator: str, line: int, most: float) -> tuple[list[int], list[list[str]]]:
    """Lines and stripped cells of every row that has any; `line` is the first of the text."""
    lines, rows, first = list[int](), list[list[str]](), line
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            row = [unescape(cell.strip()) for cell in cells]
            if any(row):
                lines.append(line)
                rows.append(row)
            line = reader.line_num + first
    except csv.Error as error:
        remedy = "close the quotes, or choose another separator"
        raise InputError(f"cells in line {line}", str(error), remedy) from None
    if not rows:
        raise InputError("a table", "empty lines", "paste or choose one that has rows")
    if len(rows) > most + 1:
        wanted, got = f"at most {grouped(int(most))} rows", grouped(len(rows))
        raise InputError(wanted, got, "take a part of the table")
    return lines, rows


def _without_comments(
    lines: list[int], rows: list[list[str]]
) -> tuple[list[int], list[list[str]], list[int]]:
    """Lines and rows that do not begin with #, and the lines that do.

    The last of those above the numbers has the names, if it has as many cells as they do, as
    `numpy.savetxt` writes it. Where most rows begin with #, it is part of what they say.
    """
    marked = [row[0].startswith(COMMENT) for row in rows]
    if not 0 < 2 * sum(marked) <= len(rows):
        return lines, rows, []
    above = marked.index(False)
    first, name = rows[above], rows[above - 1][0].lstrip(COMMENT).strip() if above else ""
    if name and len(rows[above - 1]) == len(first) > 1 and _has_number(first):
        rows[above - 1][0] = name
        marked[above - 1] = False
    kept = [not comment for comment in marked]
    return list(compress(lines, kept)), list(compress(rows, kept)), list(compress(lines, marked))


def _even(lines: Sequence[int], rows: Sequence[list[str]], most: float) -> list[int]:
    """Make all rows as long as the first one with empty cells, and say which ended early."""
    first, short = rows[0], list[int]()
    if len(first) > most:
        remedy = "leave some out, or choose another separator"
        raise InputError(f"at most {int(most)} columns", str(len(first)), remedy)
    named = max(i for i, cell in enumerate(first, start=1) if cell)
    for line, row in zip(lines, rows, strict=True):
        while len(row) > len(first) and not row[-1]:
            row.pop()
        if len(row) > len(first):
            wanted = f"{len(first)} cells in line {line}, as in line {lines[0]}"
            remedy = "add or remove a cell there, or choose another separator"
            raise InputError(wanted, str(len(row)), remedy)
        if len(row) < named:
            short.append(line)
        row += [""] * (len(first) - len(row))
        long = next((cell for cell in row if len(cell) > MOST_LETTERS), None)
        if long is not None:
            wanted = f"at most {MOST_LETTERS} letters in a cell of line {line}"
            raise InputError(wanted, grouped(len(long)), "shorten it, or choose another separator")
    return short


def _line_words(
    above: Sequence[int], short: Sequence[int], comments: Sequence[int]
) -> Iterator[str]:
    """What is not as the other lines."""
    if comments:
        yield f"Comments, which begin with #, are not used: line {_first_of(comments)}."
    if above:
        many = f"Lines {above[0]} to {above[-1]}" if len(above) > 1 else f"Line {above[0]}"
        yield f"Not used, above the names: {many.lower()}."
    if short:
        yield f"Cells missing at the end of a line count as empty: line {_first_of(short)}."


def _first_of(lines: Sequence[int]) -> str:
    return ", ".join(map(str, lines[:_MOST])) + (", .." if len(lines) > _MOST else "")


def _number_words(columns: Sequence[Column], decimal: str) -> Iterator[str]:
    """How numbers are read that can be read in another way."""
    if decimal == numbers.COMMA:
        yield "Decimal comma: 1,5 is read as 1.5."
    for column in columns:
        if column.odd:
            odd = column.cells[column.odd[0]]
            yield f"{column.name} has numbers with and without %: {odd} is not read."
        if column.several:
            cell, value = column.cells[i := column.several[0]], column.values[i]
            words = "errors and repeats count in the fields of an experiment, not in a table"
            yield f"{column.name}: {cell} is read as {value:.12g}; {words}."
    read = [
        (cell, value)
        for column in columns
        if column.kind is not Kind.TEXT and not set("".join(column.cells)) - {decimal} <= _PLAIN
        for cell, value in zip(column.cells, column.values.tolist(), strict=True)
        # Not a plain number, the usual case, and not a missing one.
        if value == value and not cell.replace(decimal, "", 1).isdecimal()
    ]
    for what, matches in (
        ("Thousands are grouped", lambda cell: numbers.is_grouped(numbers.bare(cell), decimal)),
        ("Per cent", lambda cell: cell.endswith(numbers.PERCENT)),
    ):
        example = next((pair for pair in read if matches(pair[0])), None)
        if example is not None:
            yield f"{what}: {example[0]} is read as {example[1]:.12g}."
