"""Workbooks for tests: as openpyxl writes them, and as Excel does, part by part."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Sequence
from typing import Any

import openpyxl

SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET, STRINGS, STYLES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_KINDS = {
    "sheet": ("worksheet", SHEET), "strings": ("sharedStrings", STRINGS),
    "styles": ("styles", STYLES),
}  # fmt: skip
_HEAD = '<?xml version="1.0" encoding="{}"?>\n'


def written(
    rows: Sequence[Sequence[Any]], change: Callable[[Any, Any], object] = lambda book, sheet: None
) -> bytes:
    """A workbook of these rows; `change` gets the workbook and its sheet."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(list(row))
    change(book, book.active)
    book.save(file)
    return file.getvalue()


def repacked(
    content: bytes, change: Callable[[str, bytes], bytes | None], method: int = zipfile.ZIP_DEFLATED
) -> bytes:
    """With other parts; None leaves one out."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", method) as new:
        for name in old.namelist():
            if (part := change(name, old.read(name))) is not None:
                new.writestr(name, part)
    return file.getvalue()


def in_sheet(content: bytes, pattern: bytes, by: bytes) -> bytes:
    """With another text at the first place in the sheet that has a pattern."""
    return repacked(
        content,
        lambda name, part: re.sub(pattern, by, part, count=1) if name == SHEET else part,
    )


def packed(data: str, *, after: str = "", encoding: str = "utf-8", **parts: str) -> bytes:
    """A workbook whose sheet has these rows, as XML, and the parts `strings` and `styles`.

    Excel keeps texts and styles in parts of their own; openpyxl writes texts into cells.
    """
    sheet = f'<worksheet xmlns="{SPREADSHEET}"><sheetData>{data}</sheetData>{after}</worksheet>'
    given = {"sheet": sheet, **parts}
    links = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kind}" Target="/{path}"/>'
        for name, (kind, path) in _KINDS.items()
        if name in given
    )
    types = "".join(
        f'<Override PartName="/{path}" ContentType="{_TYPE}.{kind}+xml"/>'
        for kind, path in (("sheet.main", "xl/workbook.xml"), *(_KINDS[name] for name in given))
    )
    whole = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">{types}</Types>',
        "xl/workbook.xml": f'<workbook xmlns="{SPREADSHEET}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Runs" sheetId="1" r:id="sheet"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{links}'
        "</Relationships>",
        **{_KINDS[name][1]: text for name, text in given.items()},
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in whole.items():
            archive.writestr(name, (_HEAD.format(encoding) + text).encode(encoding))
    return file.getvalue()
