"""A sheet and its columns: cells, the numbers in them, texts, and rows that are left out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.support.frozen import Frozen
from ucbpe_core.support.validation import frozen_copy
from ucbpe_core.tables import numbers
from ucbpe_core.tables.limits import MOST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ucbpe_core.support.validation import Floats
    from ucbpe_core.tables.dialect import Reading

# A column with so many numbers for each cell that is none is one of numbers, with slips in it.
NUMBERS_PER_FAULT = 4


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMBERS = "numbers"
    PARTLY = "numbers, some missing"
    CONSTANT = "one number"
    FAULTY = "numbers, some unreadable"
    TEXT = "text"
    EMPTY = "empty"


@dataclass(frozen=True, eq=False)
class Column(Frozen):
    """A column: shape (M,) of everything.

    Attributes
    ----------
    name : from the first line, or made up
    cells : as written, without space around
    values : the numbers, nan where there is none
    missing : indices of the cells that say that there is no value
    faults : indices of the cells that are neither a number like the others nor missing
    odd : those of them that are a number with a per cent sign among numbers without, or the reverse
    several : indices of those with an error or repeats, as 41 ± 2 or 41; 43: the value, or the mean
    """

    name: str
    cells: tuple[str, ...] = field(repr=False)
    values: Floats = field(repr=False)
    missing: tuple[int, ...]
    faults: tuple[int, ...]
    odd: tuple[int, ...] = ()
    several: tuple[int, ...] = ()

    @property
    def kind(self) -> Kind:
        if len(self.missing) == len(self.cells):
            return Kind.EMPTY
        if self.faults:
            texts = len(self.faults) - len(self.odd)
            read = len(self.cells) - len(self.missing) - texts
            return Kind.FAULTY if read >= NUMBERS_PER_FAULT * texts else Kind.TEXT
        if self.missing:
            return Kind.PARTLY
        return Kind.NUMBERS if np.ptp(self.values) > 0 else Kind.CONSTANT

    @property
    def blank(self) -> tuple[int, ...]:
        """Indices of the empty cells: among texts, any other cell is one, as none, or Na."""
        return tuple(i for i in self.missing if not self.cells[i])

    @property
    def levels(self) -> tuple[str, ...]:
        """The different texts, in the order in which they come."""
        return tuple(cell for cell in dict.fromkeys(self.cells) if cell)

    @property
    def extent(self) -> tuple[float, float] | None:
        """Least and greatest number, if there is any."""
        present = self.values[~np.isnan(self.values)]
        return (float(present.min()), float(present.max())) if len(present) else None


@dataclass(frozen=True, eq=False)
class Sheet(Frozen):
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


def read_column(name: str, cells: tuple[str, ...], decimal: str) -> Column:
    """Read the cells of a column, which have a per cent sign either all (5% is 5) or not at all.

    Of cells of both sorts, those of the rarer one are faults: 5% may be 5 or 0.05 among them.
    """
    values = [numbers.read(cell, decimal) for cell in cells]
    means = {
        i: mean
        for i, number in enumerate(values)
        if number is None and (mean := numbers.mean_of(cells[i], decimal)) is not None
    }
    values = [means.get(i, number) for i, number in enumerate(values)]
    odd = list[int]()
    signs = [i for i, cell in enumerate(cells) if cell.endswith(numbers.PERCENT)]
    if signs:
        signed = {i: numbers.read(numbers.bare(cells[i]), decimal) for i in signs}
        # 0 is 0 with the sign and without it.
        plain = [i for i, number in enumerate(values) if number]
        mostly_signed = sum(map(bool, signed.values())) > len(plain)
        values = [signed.get(i, number) for i, number in enumerate(values)]
        odd = plain if mostly_signed else [i for i, number in signed.items() if number]
        for i in odd:
            values[i] = None
    none = [i for i, number in enumerate(values) if number is None]
    return Column(
        name=name,
        cells=cells,
        values=frozen_copy([np.nan if number is None else number for number in values]),
        missing=tuple(i for i in none if numbers.is_missing(cells[i])),
        faults=tuple(i for i in none if not numbers.is_missing(cells[i])),
        odd=tuple(odd),
        several=tuple(means),
    )


def coded(column: Column) -> list[tuple[str, Floats]]:
    """A column of texts as inputs, one for each text; none of its cells is empty.

    Raises
    ------
    InputError
        For a single text, or too many.
    """
    levels = column.levels
    if len(levels) == 1:
        wanted = f"two texts or more in column {column.name}"
        raise InputError(wanted, repr(levels[0]), "use it as a label")
    if len(levels) > MOST_LEVELS:
        wanted = f"at most {MOST_LEVELS} different texts in column {column.name}"
        raise InputError(wanted, grouped(len(levels)), "use it as a label")
    return [
        (f"{column.name} = {level}", frozen_copy([float(cell == level) for cell in column.cells]))
        for level in levels
    ]


def repeats(column: Column) -> bool:
    """Whether some rows share a text, so that it is more than the name of each row."""
    return 2 <= len(column.levels) < len(column.cells) - len(column.blank)


def is_choice(column: Column, *, identifies: bool) -> bool:
    """Whether a column of texts may be an input; `identifies` says that its name is of rows."""
    texts = column.kind is Kind.TEXT and 2 <= len(column.levels) <= MOST_LEVELS
    return texts and (repeats(column) or not identifies)


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
        raise InputError(wanted, str(unknown[0]), "use the line numbers of the table's text")
    kept = [i for i, line in enumerate(sheet.lines) if line not in gone]
    if not kept:
        raise InputError("at least one row", "none", "keep some")
    decimal = sheet.reading.decimal or numbers.POINT
    return replace(
        sheet,
        columns=tuple(
            read_column(column.name, tuple(column.cells[i] for i in kept), decimal)
            for column in sheet.columns
        ),
        lines=tuple(sheet.lines[i] for i in kept),
    )


def lines_words(lines: Sequence[int]) -> str:
    """The lines as a person would write them,."""
    return ", ".join(map(str, lines))
