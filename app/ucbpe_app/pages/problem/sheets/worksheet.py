"""The cells of a worksheet."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING

from ucbpe_app.pages.problem.sheets.formats import Format, shown
from ucbpe_app.pages.problem.sheets.limits import MOST_CELLS, MOST_ROWS, MOST_TEXT
from ucbpe_app.pages.problem.sheets.package import SMALLER, Part
from ucbpe_app.pages.problem.sheets.shared import Strings, plain
from ucbpe_core.errors import InputError, grouped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.sax.xmlreader import AttributesImpl

_LAST_ROW, _LAST_COLUMN = 2**20, 2**14  # of Excel
_NAMED = 5  # formulas
_DIGITS = "0123456789"
_PLACE = re.compile(r"([A-Za-z]{1,3})([1-9]\d{0,7})")


class Cells(Part):
    """The cells of a worksheet that have a value.

    Attributes
    ----------
    rows : by the number of the row, from 1, its cells by that of their column
    merged : the ranges of merged cells, as A2:B3
    unknown : the places of the first formulas that were saved without their value
    """

    def __init__(self, texts: Sequence[str], formats: Sequence[Format], *, from_1904: bool) -> None:
        super().__init__()
        self.rows: dict[int, dict[int, str | float]] = {}
        self.merged: list[str] = []
        self.unknown: list[str] = []
        self._texts, self._formats, self._from_1904 = texts, formats, from_1904
        self._row = self._column = self._height = self._width = self._size = 0
        self._kind, self._style = "n", "0"
        self._value: str | None = None
        self._formula = False
        self._inline = Strings()
        self._columns: dict[str, int] = {}

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "c":
            self._go_to(attributes.get("r"))
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
            self._value, self._formula = None, False
        elif tag == "row":
            self._begin(int(attributes.get("r") or self._row + 1))
        elif tag == "f":
            self._formula = True
        elif tag == "mergeCell":
            self.merged.append(attributes["ref"])
        elif tag == "rPh":
            self._inline.opened(tag, attributes)

    def closed(self, tag: str, text: str) -> None:
        if tag == "v":
            self._value = text
        elif tag == "c":
            self._take()
        elif tag in ("t", "rPh"):
            self._inline.closed(tag, text)
        elif tag == "is":
            self._inline.closed("si", "")
            self._value = self._inline.texts.pop()
        elif tag == "sheetData":
            self._check_size()

    def _go_to(self, at: str | None) -> None:
        """To the cell at a place, as B3, or without one to the next."""
        if at is None:
            self._column += 1
        else:
            name = at.rstrip(_DIGITS)
            if name not in self._columns:
                self._columns[name] = place(at)[1]
            if (row := int(at[len(name) :])) != self._row:
                self._begin(row)
            self._column = self._columns[name]
        if self._column > _LAST_COLUMN:
            raise _too_far(self._row, self._column)

    def _begin(self, row: int) -> None:
        """A row begins, with the number that it has, or that its first cell has."""
        self._check_size()
        self._row, self._column = row, 0
        if row > _LAST_ROW:
            raise _too_far(row, self._width)

    def _take(self) -> None:
        """Keep the cell that ends, if it has a value."""
        value = self._value
        if not value:
            # A formula that gives an empty text is saved as a text; its value is empty.
            if self._formula and (value is None or self._kind != "str"):
                self.unknown += [f"{letters(self._column)}{self._row}"][
                    : _NAMED - len(self.unknown)
                ]
            return
        cell = self._read(value)
        if isinstance(cell, str):
            self._size += len(cell)
            if self._size > MOST_TEXT:
                wanted = f"at most {grouped(MOST_TEXT)} letters in the cells of a worksheet"
                raise InputError(wanted, "more", SMALLER)
            if not cell:
                return
        self.rows.setdefault(self._row, {})[self._column] = cell
        self._height, self._width = max(self._height, self._row), max(self._width, self._column)

    def _read(self, value: str) -> str | float:
        kind = self._kind
        if kind == "n":
            x = float(value)
            how = self._formats[int(self._style)] if self._formats else Format.NUMBER
            return shown(x, how, from_1904=self._from_1904) if isfinite(x) else value
        if kind == "s":
            return self._texts[int(value)]
        if kind == "b":
            return "TRUE" if value.strip() == "1" else "FALSE"
        if kind == "d":
            return value.removesuffix("Z").removesuffix("T00:00:00").replace("T", " ")
        return plain(value)

    def _check_size(self) -> None:
        """At the end of each row, which has some thousand cells at most."""
        if len(self.rows) > MOST_ROWS + 1:
            raise InputError(f"at most {grouped(MOST_ROWS)} rows", "more", SMALLER)
        if self._height * self._width > MOST_CELLS:
            raise _too_far(self._height, self._width)


def _too_far(rows: int, columns: int) -> InputError:
    wanted = f"at most {grouped(MOST_CELLS)} cells from the first to the last"
    got = f"{grouped(rows)} rows of {grouped(columns)}"
    return InputError(wanted, got, "delete the cells beside and below the table")


def place(text: str) -> tuple[int, int]:
    """Row and column of a cell, from 1: of B3 they are 3 and 2."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    number = 0
    for letter in match[1].upper():
        number = 26 * number + ord(letter) - ord("A") + 1
    return int(match[2]), number


def letters(column: int) -> str:
    """The name of a column, from 1: A, B, .., AA."""
    name = ""
    while column:
        column, last = divmod(column - 1, 26)
        name = chr(ord("A") + last) + name
    return name
