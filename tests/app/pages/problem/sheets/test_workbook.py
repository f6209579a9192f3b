"""Tables and results in Excel workbooks, and files that are none."""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any

import openpyxl
import pytest

from tests.app.pages.problem.tables import begun, keys
from tests.app.pages.problem.test_page import message, say
from tests.app.waiting import click, run
from ucbpe_app.pages.problem.results import read_results
from ucbpe_app.pages.problem.results_section import ResultsSection
from ucbpe_app.pages.problem.sheets import workbook
from ucbpe_app.pages.problem.sheets.data import TableData
from ucbpe_app.pages.problem.sheets.table import Role
from ucbpe_app.pages.problem.sheets.workbook import read_content
from ucbpe_core import InputError

ROWS: list[list[Any]] = [
    ["id", "T (°C)", "solvent", "pressure", "yield"],
    ["S1", 20, "water", 950, 51],
    ["S2", 30, "THF", 1.125, None],
    [None] * 5,
    ["S3", 40, "water", 1050, None],
]


def written(rows: list[list[Any]] = ROWS, change: Callable[[Any], object] = id) -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    change(book)
    book.save(file)
    return file.getvalue()


def repacked(content: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """With other parts; None leaves one out."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", 8) as new:
        for name in old.namelist():
            if (part := change(name, old.read(name))) is not None:
                new.writestr(name, part)
    return file.getvalue()


def in_sheet(pattern: bytes, by: bytes) -> bytes:
    return repacked(
        written(),
        lambda name, part: re.sub(pattern, by, part, count=1) if "sheet1" in name else part,
    )


def test_a_workbook_is_read_as_the_same_table_in_csv() -> None:
    """Line i is row i, and 1.125 beside 950 is a number: nobody is asked about thousands."""
    data, other = TableData(), TableData()
    assert run(data.load(written(), "Mine", confirmed=True))
    lines = ("id,T (°C),solvent,pressure,yield", "S1,20,water,950,51", "S2,30,THF,1.125,")
    text = "\n".join([*lines, ",,,,", "S3,40,water,1050,"])
    assert not run(other.load(text.encode(), "Mine"))  # CSV has to ask
    assert run(other.read_as(workbook.Reading(decimal=".")))
    sheet, theirs = data.draft.sheet, other.draft.sheet
    assert [(one.name, one.cells) for one in sheet.columns] == [
        (one.name, one.cells) for one in theirs.columns
    ]
    assert sheet.lines == theirs.lines == (2, 3, 5)
    assert data.draft.roles == other.draft.roles
    assert data.draft.roles[2] is Role.CATEGORY
    assert "The first sheet was read." in sheet.remarks


def test_cells_are_dates_truths_and_the_values_that_formulas_had() -> None:
    day = datetime(2024, 5, 31, 14, 5)
    values = [day.replace(hour=0, minute=0), day, True, "two\nlines", "=2*3", "x"]
    rows = [["day", "at", "ok", "long", "twice", "bad"], values]
    content = repacked(
        written(rows),
        lambda name, part: (
            part.replace(b"<f>2*3</f><v></v>", b"<f>2*3</f><v>6</v>")
            .replace(b"<f>2*3</f><v />", b"<f>2*3</f><v>6</v>")
            .replace(b"<f>2*3</f><v/>", b"<f>2*3</f><v>6</v>")
            if "sheet1" in name
            else part
        ),
    )
    found = read_content(content).text.splitlines()[1].split("\t")
    assert found == ["2024-05-31", "2024-05-31 14:05:00", "TRUE", "two lines", "6", "x"]


def test_only_the_first_sheet_is_read_and_a_formula_stays_text_in_what_is_shown() -> None:
    def more(book: Any) -> None:
        book.create_sheet("other").append(["not this"])

    assert "not this" not in read_content(written(change=more)).text


def test_results_come_from_a_workbook_as_from_csv() -> None:
    state = begun()
    run(state.step(lambda one: one.ask()))
    assert len(keys(state)) == 3
    picks = state.current.pending
    rows = [
        ["candidate", "y"],
        *([j, 1.125 + j] for j in picks[:2]),
        [picks[2], "failed: it broke"],
    ]
    section = ResultsSection(state, _done)
    say(section.upload, message("results.xlsx", written(rows)))
    assert "3 new results" in section.message.object
    click(section.agree)
    assert [one.y for one in state.current.history.data][-2:] == [1.125 + j for j in picks[:2]]
    assert state.current.history.gone[-1].reason == "it broke"
    again = read_content(written(rows))
    assert read_results(again.text, state.current, again.reading.decimal).again == 3


async def _done(step: Any) -> bool:
    await step
    return True


def _encrypted(content: bytes) -> bytes:
    """With the flag of a password on its first part."""
    at = content.index(b"PK\x01\x02")
    flags = struct.unpack_from("<H", content, at + 8)[0] | 1
    return content[: at + 8] + struct.pack("<H", flags) + content[at + 10 :]


def _bomb() -> bytes:
    return repacked(written(), lambda n, part: part + b" " * 80_000_000 if "sheet1" in n else part)


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a bomb": (_bomb, "at most 60 MB unpacked"),
    "a far cell": (
        lambda: in_sheet(rb'r="B2"', b'r="XFD1048576"'),
        "cells from the first to the last",
    ),
    "a far row": (lambda: in_sheet(rb'<row r="2"', b'<row r="99999999"'), "cells from the first"),
    "many cells": (
        lambda: in_sheet(rb"</sheetData>", b"<row>" + b"<c/>" * 1_300_000 + b"</row></sheetData>"),
        "cells from the first",
    ),
    "entities": (lambda: in_sheet(rb"<worksheet", b"<!DOCTYPE x><worksheet"), "declares entities"),
    "a password": (lambda: _encrypted(written()), "one with a password"),
    "an encrypted or old one": (lambda: b"\xd0\xcf\x11\xe0" + bytes(600), "with a password"),
    "no workbook": (
        lambda: repacked(written(), lambda n, part: None if n == "xl/workbook.xml" else part),
        "another packed file",
    ),
    "cut short": (lambda: written()[:-300], "one that is damaged"),
    "no XML": (lambda: in_sheet(rb"<sheetData>", b"<sheetData"), "one that is damaged"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_small_workbook_is_refused_by_our_own_error(what: str) -> None:
    made, said = REFUSED[what]
    with pytest.raises(InputError, match=said):
        read_content(made())


def test_a_large_one_is_refused_before_anything_parses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "_rows", lambda _: pytest.fail("parsed"))
    for what in ("a bomb", "a far cell", "many cells", "entities"):
        with pytest.raises(InputError):
            read_content(REFUSED[what][0]())


def test_without_what_reads_it_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(InputError, match=r"openpyxl to be installed.*\[excel\]"):
        read_content(CONTENT)


CONTENT = written()
