"""Rows that are left out of a sheet: those that cannot be used, and those that a person names."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_app.pages import numbers
from ucbpe_app.pages.problem.sheets.columns import column
from ucbpe_app.pages.problem.sheets.table import Role
from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError, grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_app.pages.problem.sheets.columns import Sheet

_TOLD = 5  # cells
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)


class Cell(NamedTuple):
    """A cell that cannot be used: its line in the text, the name of its column, and what it has."""

    line: int
    column: str
    content: str


def unreadable(sheet: Sheet, roles: Sequence[Role]) -> tuple[Cell, ...]:
    """The cells that keep their row from being used, by line.

    Those that are no number in inputs and values; in inputs and categories also empty ones.
    """
    found = list[Cell]()
    for one, role in zip(sheet.columns, roles, strict=True):
        faults = one.faults if role in (Role.INPUT, Role.VALUE) else ()
        missing = one.missing if role is Role.INPUT else ()
        missing = one.blank if role is Role.CATEGORY else missing
        found += [Cell(sheet.lines[i], one.name, one.cells[i]) for i in (*faults, *missing)]
    return tuple(sorted(found))


def unreadable_words(cells: Sequence[Cell]) -> str:
    """Which cells cannot be used, in a sentence; empty for none."""
    if not cells:
        return ""
    told = [f"line {one.line}, column {one.column}: {one.content!r}" for one in cells[:_TOLD]]
    more = f"; and {grouped(len(cells) - _TOLD)} more" if len(cells) > _TOLD else ""
    count = "1 cell" if len(cells) == 1 else f"{grouped(len(cells))} cells"
    return f"{count} cannot be used: {'; '.join(told)}{more}."


def without(sheet: Sheet, lines: Iterable[int]) -> Sheet:
    """The sheet without the rows that begin on these lines of its text.

    Raises
    ------
    InputError
        For a line on which no row begins, or if no row is left.
    """
    gone = set(lines)
    unknown = sorted(gone - set(sheet.lines))
    if unknown:
        wanted = f"lines with a row, {sheet.lines[0]} to {sheet.lines[-1]}"
        raise InputError(wanted, str(unknown[0]), "name lines as they are in the table's text")
    kept = [i for i, line in enumerate(sheet.lines) if line not in gone]
    if not kept:
        raise InputError("at least one row", "none", "keep some")
    decimal = sheet.reading.decimal or numbers.POINT
    return replace(
        sheet,
        columns=tuple(
            column(one.name, tuple(one.cells[i] for i in kept), decimal) for one in sheet.columns
        ),
        lines=tuple(sheet.lines[i] for i in kept),
    )


def read_lines(text: str, sheet: Sheet) -> tuple[int, ...]:
    """The lines of a sheet that a person named, as in "5, 12-14"; of a range those with a row.

    Raises
    ------
    InputError
        For anything else than whole numbers and ranges of them.
    """
    lines = set[int]()
    joined = re.sub(r"(?<!\s)\s*+[-–]\s*", "-", text.strip())
    for part in filter(None, re.split(r"[,;\s]+", joined)):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise InputError("lines as in 5, 12-14", short(repr(part)), "write numbers of lines")
        first, last = int(found[1]), int(found[2] or found[1])
        if found[2] is None:
            lines.add(first)
        else:
            lines.update(line for line in sheet.lines if first <= line <= last)
    return tuple(sorted(lines))


def lines_words(lines: Sequence[int]) -> str:
    """The lines as a person would write them, so that `read_lines` reads them back."""
    return ", ".join(map(str, lines))
