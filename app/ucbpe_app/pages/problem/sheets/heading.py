"""The top of a table: lines above it, the names of its columns, and a row of units below them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_app.pages import numbers
from ucbpe_app.pages.problem.sheets.columns import NUMBERS_PER_FAULT, bare
from ucbpe_core.records.run_table import named

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    usual, _ = max(Counter(sizes).items(), key=lambda found: found[::-1])
    start = longest = 0
    for i, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        numeric = _has_number(row)
        if numeric and size >= usual:
            break
        if not numeric and size >= usual and size > longest:
            start = i
        longest = max(longest, size)
    return start


def read_heading(
    rows: Sequence[Sequence[str]], lines: Sequence[int], header: bool | None
) -> Heading:
    """The heading of a table; unless `header` says it, a first line without numbers is one."""
    if header is None:
        header = len(rows) > 1 and not _has_number(rows[0])
    given = list(rows[0]) if header else [""] * len(rows[0])
    units = header and _take_units(given, rows[1:])
    names, remarks = _names(given, header=header)
    if units:
        remarks.append(f"Line {lines[1]} has units, which are in the names now.")
    return Heading(tuple(given), tuple(names), header + units, tuple(remarks))


def _has_number(row: Sequence[str]) -> bool:
    return any(map(_is_number, row))


def _is_number(cell: str) -> bool:
    return bool(numbers.readings(bare(cell)))


def _take_units(names: list[str], rows: Sequence[Sequence[str]]) -> bool:
    """Put a first row of units into the names; whether there is one.

    It has no number, and texts only above numbers, or above nothing, as before any result.
    """
    if len(rows) < 2 or _has_number(rows[0]):
        return False
    units = {i: cell for i, cell in enumerate(rows[0]) if not numbers.is_missing(cell)}
    there = 0
    for i in units:
        cells = [_is_number(row[i]) for row in rows[1:] if not numbers.is_missing(row[i])]
        if sum(cells) < NUMBERS_PER_FAULT * (len(cells) - sum(cells)):
            return False
        there += sum(cells)
    if not there:
        return False
    for i, unit in units.items():
        if names[i] and "units" not in named(names[i]):
            names[i] = f"{names[i]} ({unit.strip('()[]')})"
    return True


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
