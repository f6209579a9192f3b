"""Files that are no small workbook: refused by our own error, before they take time or memory."""

from __future__ import annotations

import asyncio
import io
import json
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.problem.sheets.test_workbook import TABLE
from tests.app.problem.sheets.workbooks import (
    SPREADSHEET,
    in_sheet,
    packed,
    repacked,
    written,
)
from tests.app.waiting import run
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_core import InputError
from ucbpe_core.support.limits import calling
from ucbpe_core.support.optional import of_system
from ucbpe_core.tables import package
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.workbook import read_content, worksheets

CONTENT = written(TABLE)


def _encrypted(content: bytes) -> bytes:
    """With the flag of a password on its first part."""
    at = content.index(b"PK\x01\x02")
    flags = struct.unpack_from("<H", content, at + 8)[0] | 1
    return content[: at + 8] + struct.pack("<H", flags) + content[at + 10 :]


def _padded(size: int) -> bytes:
    return repacked(CONTENT, lambda n, part: part + b" " * size if "sheet1" in n else part)


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "too large": (lambda: _padded(80_000_000), "at most 60 MB unpacked"),
    "a far cell": (
        lambda: in_sheet(CONTENT, rb'r="B2"', b'r="XFD1048576"'),
        "cells from the first to the last",
    ),
    "a far row": (
        lambda: in_sheet(CONTENT, rb'<row r="2"', b'<row r="99999999"'),
        "cells from the first",
    ),
    "many cells": (
        lambda: in_sheet(
            CONTENT, rb"</sheetData>", b"<row>" + b"<c/>" * 1_300_000 + b"</row></sheetData>"
        ),
        "cells from the first",
    ),
    "a place that is none": (lambda: in_sheet(CONTENT, rb'r="B2"', b'r="2B"'), "is damaged"),
    "entities": (
        lambda: in_sheet(CONTENT, rb"<worksheet", b"<!DOCTYPE x><worksheet"),
        "declares entities",
    ),
    "a password": (lambda: _encrypted(CONTENT), "one with a password"),
    "an encrypted or old one": (lambda: b"\xd0\xcf\x11\xe0" + bytes(600), "with a password"),
    "no workbook": (
        lambda: repacked(CONTENT, lambda n, part: None if n == "xl/workbook.xml" else part),
        "another packed file",
    ),
    # `zipfile` unpacks that without limit.
    "other packing": (
        lambda: repacked(CONTENT, lambda _, part: part, zipfile.ZIP_BZIP2),
        "packed in another way",
    ),
    "cut short": (lambda: CONTENT[:-300], "one that is damaged"),
    "no XML": (lambda: in_sheet(CONTENT, rb"<sheetData>", b"<sheetData"), "one that is damaged"),
    "no end": (lambda: in_sheet(CONTENT, rb"</worksheet>", b""), "one that is damaged"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_small_workbook_is_refused_by_our_own_error(what: str) -> None:
    made, said = REFUSED[what]
    content = made()
    with pytest.raises(InputError, match=said):
        read_content(content)


def _far(column: str) -> str:
    first = '<row r="1"><c r="A1"><v>1</v></c></row>'
    return f'{first}<row r="1048576"><c r="{column}1048576"><v>1</v></c></row>'


def _names() -> str:
    return "".join(f"<a{i}/>" for i in range(300_000))


def _laughs() -> str:
    """A sheet in which nine entities make a cell of a billion letters."""
    entities = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10))
    return f'<!DOCTYPE x [<!ENTITY a0 "x">{entities}]><worksheet>&a9;</worksheet>'


# Each of these takes gigabytes or minutes if it is read as a whole, as several programs do.
BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "a far cell in UTF-16": (
        lambda: packed(_far("XFD"), encoding="utf-16"),
        "cells from the first to the last",
    ),
    "a far row in UTF-16": (
        lambda: packed(_far("Z"), encoding="utf-16"),
        "cells from the first to the last",
    ),
    "entities in UTF-16": (
        lambda: repacked(
            packed("", encoding="utf-16"),
            lambda n, part: _laughs().encode("utf-16") if "sheet1" in n else part,
        ),
        "declares entities",
    ),
    "elements in elements": (
        lambda: packed("<a>" * 3_000_000 + "</a>" * 3_000_000),
        "elements in at most 50 others",
    ),
    "a text of 50 MB": (
        lambda: packed(f'<row><c t="inlineStr"><is><t>{"x" * 50_000_000}</t></is></c></row>'),
        "at most 32 767 letters in a cell",
    ),
    "a text in each cell": (
        lambda: packed(
            "<row>" + '<c t="s"><v>0</v></c>' * 900 + "</row>",
            strings=f"<sst xmlns='{SPREADSHEET}'><si><t>{'x' * 32_000}</t></si></sst>",
        ),
        "at most 20 000 000 letters in the cells",
    ),
    "names": (lambda: packed(_names()), "at most 2 000 names"),
    "attributes": (
        lambda: packed("<c " + " ".join(f'a{i}=""' for i in range(300_000)) + "/>"),
        "elements of at most 1 MB",
    ),
    "a comment": (lambda: packed(f"<!--{'x' * 50_000_000}-->"), "elements of at most 1 MB"),
    "merged cells": (
        lambda: packed(
            "<row><c><v>1</v></c></row>" * 2000,
            after="<mergeCells>" + '<mergeCell ref="A1:A2000"/>' * 1000 + "</mergeCells>",
        ),
        "at most 1 500 000 merged cells",
    ),
    "worksheets": (
        lambda: repacked(
            CONTENT,
            lambda n, part: (
                re.sub(rb"<sheet [^>]*>", lambda one: one[0] * 500_000, part)
                if n == "xl/workbook.xml"
                else part
            ),
        ),
        "at most 1000 parts",
    ),
}
# Of addresses: beside what is loaded when it begins.
ROOM = 100_000_000
CHILD = """
import json, resource, sys
from pathlib import Path
from ucbpe_core.tables.workbook import read_content
from ucbpe_core import InputError
import defusedxml.sax

size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
most = size + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (most, most))
found = {}
for file in sorted(Path(sys.argv[2]).iterdir()):
    try:
        found[file.name] = f"read {len(read_content(file.read_bytes()).text)}"
    except (InputError, MemoryError) as error:
        found[file.name] = f"{type(error).__name__}: {error}"
print(json.dumps(found))
"""


@pytest.mark.skipif(of_system("resource") is None or sys.platform != "linux", reason="no limits")
def test_no_workbook_takes_more_memory_than_100_mb(tmp_path: Path) -> None:
    """In a process that has no more: what takes more ends with a MemoryError."""
    for what, (made, _) in BOMBS.items():
        content = made()
        assert len(content) < 5_000_000
        (tmp_path / what).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(ROOM), str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert {*found} == {*BOMBS}
    for what, (_, said) in BOMBS.items():
        assert found[what].startswith("InputError: expected")
        assert said in found[what]


def test_elements_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_ELEMENTS", 1000)
    with pytest.raises(InputError, match="at most 1 000 elements in a part"):
        read_content(packed('<row r="1"/>' * 2000))


def test_a_workbook_that_takes_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package, "MOST_SECONDS", 0)
    with pytest.raises(InputError, match="a workbook that is read in 0 s; got one that takes"):
        read_content(CONTENT)


def test_others_have_their_turns_while_a_workbook_is_read() -> None:
    """The reading gives way as a run does, and the page goes on serving."""
    content = packed('<row r="1"/>' * 300_000)  # 3.6 MB
    turns = list[None]()
    with calling(lambda: turns.append(None)):
        read_content(packed('<row r="1"><c r="A1"><v>1</v></c></row>' + '<row r="1"/>' * 300_000))
    assert len(turns) > 3_600_000 / 2**16

    async def served() -> int:
        data, count = TableData(), 0
        reading = asyncio.ensure_future(data.load(content, "Large"))
        while not reading.done():
            await asyncio.sleep(0.001)
            count += 1
        return count

    assert run(served()) > 10


# X7: formats below the table are no cells.
def test_formatted_cells_that_are_empty_count_for_nothing() -> None:
    below = b'<row r="1048576"><c r="C1048576" s="1"/></row></sheetData>'
    content = in_sheet(CONTENT, rb"</sheetData>", below)
    text, _, reading = read_content(content)
    assert text == read_content(CONTENT).text
    assert len(parse(text, reading)) == 3
    # One row of an empty column to Excel's last one.
    beside = b'<c r="XFD2" s="1"/></row>'
    assert read_content(in_sheet(CONTENT, rb"</row>", beside)).text == text


def test_as_many_rows_as_a_table_has_are_counted_while_reading() -> None:
    rows = "".join(f'<row r="{2 * i}"><c><v>{i}</v></c></row>' for i in range(1, 20_003))
    with pytest.raises(InputError, match="at most 20 000 rows"):
        read_content(packed(rows))
    last = rows.rindex("<row")
    assert read_content(packed(rows[:last])).text.count("\n") == 40_002


def test_without_what_reads_it_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "defusedxml", None)
    monkeypatch.delitem(sys.modules, "defusedxml.sax", raising=False)
    with pytest.raises(InputError, match=r"defusedxml.sax to be installed.*\[excel\]"):
        read_content(CONTENT)
    assert read_content(b"a,b\n1,2\n").text == "a,b\n1,2\n"


def test_a_file_that_is_no_workbook_has_no_worksheets() -> None:
    assert worksheets(b"a,b\n1,2\n") == ()
    with pytest.raises(InputError, match="damaged"):
        worksheets(io.BytesIO(CONTENT).read(200))
