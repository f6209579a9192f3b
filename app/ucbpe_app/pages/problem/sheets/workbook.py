"""A table in a file, as text: the first sheet of an Excel workbook, or the text of any other file.

A workbook is a packed folder, which may unpack to far more than it is. So what it holds is measured
before anything is read: by its directory, and by the places of its cells.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from datetime import date, datetime, time
from typing import TYPE_CHECKING, NamedTuple

from ucbpe_app.pages.numbers import POINT
from ucbpe_app.pages.problem.sheets.dialect import Reading, decode
from ucbpe_app.pages.problem.sheets.limits import (
    MOST_BYTES,
    MOST_CELLS,
    MOST_PARTS,
    MOST_UNPACKED,
)
from ucbpe_core.errors import InputError, grouped
from ucbpe_core.extras import optional

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKED = b"PK\x03\x04"
_PARTS = frozenset({"[Content_Types].xml", "xl/workbook.xml"})
_WANTED = "an Excel workbook, .xlsx"
_REMEDY = "save it as .xlsx without a password, or as CSV"
# Rows and cells of a sheet, with or without a prefix, and where they say that they are.
_PLACE = re.compile(rb"<(?:\w+:)?(row|c)(?=[\s/>])([^>]*)>")
_AT = re.compile(rb"""\sr\s*=\s*["']([A-Za-z]*)(\d+)["']""")
_DECLARES = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_FLAG_ENCRYPTED = 1
# What its readers raise for files that are none.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ArithmeticError, AttributeError, EOFError, LookupError,
    NotImplementedError, OSError, RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip


class Content(NamedTuple):
    """The text of a file, what a person should know of it, and what is known of how to read it."""

    text: str
    remarks: tuple[str, ...] = ()
    reading: Reading = Reading()


def read_content(content: bytes) -> Content:
    """The table in a file.

    Raises
    ------
    InputError
        As `decode`; and for a workbook that is too large once unpacked, encrypted or damaged, or
        if what reads it is not installed.
    """
    if not content.startswith(_PACKED) or len(content) > MOST_BYTES:
        return Content(*decode(content))
    try:
        _check(content)
        rows = list(_rows(content))
    except _DAMAGED as error:
        if isinstance(error, InputError):
            raise
        got = f"one that is damaged: {type(error).__name__}"
        raise InputError(_WANTED, got, _REMEDY) from None
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    return Content(text.getvalue(), ("The first sheet was read.",), Reading("\t", POINT))


def _check(content: bytes) -> None:
    """Refuse a workbook that is none, or is too large, before it is read."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = packed.infolist()
        if not {part.filename for part in parts} >= _PARTS:
            raise InputError(_WANTED, "another packed file", _REMEDY)
        if any(part.flag_bits & _FLAG_ENCRYPTED for part in parts):
            raise InputError(_WANTED, "one with a password", _REMEDY)
        size = sum(part.file_size for part in parts)
        if size > MOST_UNPACKED or len(parts) > MOST_PARTS:
            wanted = f"at most {MOST_UNPACKED // 1_000_000} MB unpacked, in {MOST_PARTS} parts"
            got = f"{size / 1e6:.0f} MB in {grouped(len(parts))}"
            raise InputError(wanted, got, "copy the table to a workbook of its own")
        for part in parts:  # no more is unpacked than the directory says
            _check_part(packed.read(part))


def _check_part(xml: bytes) -> None:
    """Refuse a sheet whose cells reach too far: rows and columns between them would be filled."""
    if _DECLARES.search(xml):
        raise InputError(_WANTED, "one that declares entities", _REMEDY)
    rows = columns = across = cells = 0
    for kind, attributes in _PLACE.findall(xml):
        at = _AT.search(attributes)
        if kind == b"row":
            across, rows = 0, rows + 1
        else:
            across, cells = across + 1, cells + 1
        if at is not None:
            rows = max(rows, int(at[2]))
            across = max(across, _number(at[1]))
        columns = max(columns, across)
    if max(rows * columns, rows, cells) > MOST_CELLS:
        wanted = f"at most {grouped(MOST_CELLS)} cells from the first to the last"
        got = f"{grouped(rows)} rows of {grouped(columns)}"
        raise InputError(wanted, got, "delete the cells beside and below the table")


def _number(letters: bytes) -> int:
    """The number of a column, from 1: A, B, .., AA."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _rows(content: bytes) -> Iterator[list[str]]:
    """The cells of the first sheet, from its first row on: row i is line i of the text."""
    optional("openpyxl", "excel")  # with which pandas reads it
    frame = optional("pandas", "excel").read_excel(
        io.BytesIO(content), sheet_name=0, header=None, dtype=object, na_filter=False,
        engine="openpyxl",
    )  # fmt: skip
    for row in frame.itertuples(index=False, name=None):
        yield [_text(cell) for cell in row]


def _text(cell: object) -> str:
    """A cell as a person would write it; of a formula, its value when the file was saved."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, datetime):
        midnight = cell.time() == time()
        return str(cell.date()) if midnight else cell.isoformat(" ", "seconds")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, float) and cell != cell:
        return ""
    return " ".join(str(cell).split())
