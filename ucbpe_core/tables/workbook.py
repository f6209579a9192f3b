"""A table in a file, as text: a worksheet of an Excel workbook, or the text of any other file."""

from __future__ import annotations

import csv
import io
import posixpath
import zipfile
import zlib
from bisect import bisect_left, bisect_right
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from xml.sax import SAXException

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.tables.dialect import Reading, decimal_of, decode
from ucbpe_core.tables.limits import MOST_CELLS
from ucbpe_core.tables.numbers import COMMA, PERCENT, POINT
from ucbpe_core.tables.package import REMEDY, SMALLER, WANTED, Package
from ucbpe_core.tables.worksheet import (
    Cells,
    Percent,
    Relations,
    Sheets,
    Strings,
    Styles,
    letters,
    place,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    Rows = dict[int, dict[int, str | float]]

_PACKED = b"PK\x03\x04"
_MOST = 5  # ranges named
_WHOLE = 1e15  # up to which a number is written without an exponent
# What its readers raise for files that are none.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ArithmeticError, EOFError, LookupError, NotImplementedError,
    OSError, RuntimeError, SAXException, ValueError,
)  # fmt: skip


class Content(NamedTuple):
    """The text of a file, what a person should know of it, and what is known of how to read it."""

    text: str
    remarks: tuple[str, ...] = ()
    reading: Reading = Reading()


def worksheets(content: bytes) -> tuple[str, ...]:
    """The names of the worksheets in sight; of a file that is no workbook none.

    Raises
    ------
    InputError
        As `read_content`, for a workbook.
    """
    if not _is_workbook(content):
        return ()
    with _refusing_damage():
        return tuple(_Workbook(content).worksheets)


def read_content(content: bytes, asked: Reading | None = None) -> Content:
    """The table in a file, read as a person has asked.

    A workbook gives one worksheet: row i is line i. A cell that holds a number is written with the
    decimal mark of the sheet's texts, so that it is never in doubt.

    Not by openpyxl. Where it reads a sheet in pieces it knows no merged cells, and fills all rows
    and columns up to a far cell; it gives a formula or its value, and so cannot say that there is
    none; and it takes three times as long.

    Raises
    ------
    InputError
        As `decode`; and for a workbook that is too large once unpacked, encrypted or damaged, has
        formulas without values, or no worksheet of this name in sight, or if what reads it is not
        installed.
    UndecidedError
        For texts in a workbook that are numbers in two ways.
    """
    asked = asked or Reading()
    if not _is_workbook(content):
        return Content(*decode(content), asked)
    with _refusing_damage():
        workbook = _Workbook(content)
        name = workbook.find(asked.worksheet)
        cells = workbook.cells(name)
        filled = tuple(_fill(cells.rows, cells.merged))
    if cells.unknown:
        wanted = f"the value of every formula in worksheet {name}"
        got = f"none in {', '.join(cells.unknown)}"
        raise InputError(wanted, got, "open the file in Excel, save it there, and read it again")
    remarks = (f"Worksheet {name} was read.", *filled)
    decimal = asked.decimal or _decimal(cells.rows)
    reading = replace(asked, separator="\t", decimal=decimal, worksheet=name)
    return Content(_written(cells.rows, decimal), remarks, reading)


def _is_workbook(content: bytes) -> bool:
    return content.startswith(_PACKED)


@contextmanager
def _refusing_damage() -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except _DAMAGED as error:
        got = f"one that is damaged: {type(error).__name__}"
        raise InputError(WANTED, got, REMEDY) from None


class _Workbook:
    """A workbook, of which only the parts that are needed are unpacked.

    Attributes
    ----------
    worksheets : the part of each worksheet in sight, by its name; a chart is none
    """

    def __init__(self, content: bytes) -> None:
        self._package = Package(content)
        sheets = self._package.read("xl/workbook.xml", Sheets())
        relations = self._package.read("xl/_rels/workbook.xml.rels", Relations()).found
        self._from_1904 = sheets.from_1904
        self._parts = {
            relation.kind: posixpath.normpath(posixpath.join("/xl", relation.target))[1:]
            for relation in relations.values()
        }
        self.worksheets = {
            sheet.name: posixpath.normpath(posixpath.join("/xl", relations[sheet.relation].target))[
                1:
            ]
            for sheet in sheets.found
            if sheet.visible and relations[sheet.relation].kind == "worksheet"
        }

    def find(self, name: str | None) -> str:
        """The name of the worksheet to read: this one, or else the first."""
        if not self.worksheets:
            raise InputError("a worksheet in sight", "none", "unhide the one with the table")
        if name is None:
            return next(iter(self.worksheets))
        if name not in self.worksheets:
            raise InputError(f"a worksheet {name}", ", ".join(self.worksheets), "choose another")
        return name

    def cells(self, name: str) -> Cells:
        """The cells of a worksheet."""
        read, parts = self._package.read, self._parts
        texts = read(parts["sharedStrings"], Strings()).texts if "sharedStrings" in parts else []
        formats = read(parts["styles"], Styles()).formats if "styles" in parts else []
        return read(self.worksheets[name], Cells(texts, formats, from_1904=self._from_1904))


def _fill(rows: Rows, merged: list[str]) -> Iterator[str]:
    """Give each row of merged cells their value, which only the first one has; and say so.

    Not each column: above the names, a title goes over several.
    """
    numbers, filled, steps = sorted(rows), list[str](), 0
    for ref in merged:
        first, _, last = ref.partition(":")
        (top, column), (bottom, _) = place(first), place(last or first)
        value = rows.get(top, {}).get(column)
        below = numbers[bisect_right(numbers, top) : bisect_left(numbers, bottom + 1)]
        if value is None or not below:
            continue
        steps += len(below)
        if steps > MOST_CELLS:
            wanted = f"at most {grouped(MOST_CELLS)} merged cells"
            raise InputError(wanted, "more", SMALLER)
        for row in below:
            rows[row].setdefault(column, value)
        filled.append(ref)
    if filled:
        more = ", .." if len(filled) > _MOST else ""
        yield f"Merged cells have their value in each row: {', '.join(filled[:_MOST])}{more}."


def _decimal(rows: Rows) -> str:
    """The decimal mark of the texts. Cells that are numbers are in no doubt."""
    texts = {
        number: {i: cell for i, cell in row.items() if isinstance(cell, str)}
        for number, row in rows.items()
    }
    marked = {
        i for row in texts.values() for i, cell in row.items() if POINT in cell or COMMA in cell
    }
    names = sorted(marked)
    table = [[row.get(i, "") for i in names] for row in texts.values()]
    return decimal_of([letters(i) for i in names], table, list(texts), "\t") if table else POINT


def _written(rows: Rows, decimal: str) -> str:
    """As text, with tabs between cells, and row i in line i."""
    text, line = io.StringIO(), 1
    width = max((max(row) for row in rows.values()), default=0)
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    for number in sorted(rows):
        row = rows[number]
        text.write("\n" * (number - line))
        writer.writerow([_text(row.get(i, ""), decimal) for i in range(1, width + 1)])
        line = number + 1
    return text.getvalue()


def _text(cell: str | float, decimal: str) -> str:
    """A cell as a person would write it."""
    if isinstance(cell, str):
        return cell
    whole = cell.is_integer() and abs(cell) < _WHOLE
    text = str(int(cell)) if whole else float.__repr__(cell).replace(POINT, decimal)
    return text + PERCENT if isinstance(cell, Percent) else text
