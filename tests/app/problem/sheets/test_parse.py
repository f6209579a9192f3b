"""Tables as people write them: what is guessed, what is declared, what is refused and where."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.waiting import run
from ucbpe_app.problem.sheets.data import EXAMPLES, TableData
from ucbpe_app.problem.sheets.draft import Draft
from ucbpe_app.problem.sheets.limits import MOST
from ucbpe_core import InputError
from ucbpe_core.tables import numbers
from ucbpe_core.tables.columns import Sheet
from ucbpe_core.tables.dialect import Reading, decode
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, guess
from ucbpe_core.tables.table import Table

INPUT, VALUE, LABEL, UNUSED = Role.INPUT, Role.VALUE, Role.LABEL, Role.UNUSED


def values(sheet: Sheet) -> list[list[float]]:
    return [one.values.tolist() for one in sheet.columns]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_separators_and_line_endings_are_found(separator: str, ending: str) -> None:
    lines = [separator.join(row) for row in (("a", "b"), ("1", "2.5"), ("3", "4e-1"))]
    sheet = parse(ending.join(lines) + ending)
    assert [one.name for one in sheet.columns] == ["a", "b"]
    assert values(sheet) == [[1, 3], [2.5, 0.4]]
    assert sheet.reading == Reading(separator, ".", True)
    assert sheet.lines == (2, 3)


def test_what_is_declared_is_not_guessed() -> None:
    text = "1,5\n2,5\n"
    assert values(parse(text)) == [[1, 2], [5, 5]]  # a comma between two columns
    assert values(parse(text, Reading(separator=";"))) == [[1.5, 2.5]]
    assert [one.name for one in parse("1,2\n3,4", Reading(header=True)).columns] == ["1", "2"]
    assert len(parse("a,b\nc,d\n", Reading(header=False))) == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2", ["a", "b"]),
        ("1,2\n3,4", ["x1", "x2"]),
        ("S1,2\nS2,4", ["x1", "x2"]),  # a number in the first line: no names
        ("a,a,a\n1,2,3", ["a", "a (2)", "a (3)"]),
        ("a,,c\n1,2,3", ["a", "column 2", "c"]),
        ("a,b,,\n1,2,,\n3,4,,", ["a", "b"]),  # as spreadsheets write it
        ('"x, y","say ""hi"""\n1,2', ["x, y", 'say "hi"']),
        ("only\n1\n2", ["only"]),
    ],
)
def test_names_of_columns(text: str, names: list[str]) -> None:
    assert [one.name for one in parse(text).columns] == names


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "a table; got empty lines"),
        ("a,b\n", "rows under the names; got none"),
        ("a,b\n1,2\n3,4,5\n", "2 cells in line 3, as in line 1; got 3"),
        ('a,b\n1,2\n"3,4\n', "cells in line 3; got unexpected end of data; close the quotes"),
        ("a,b\n1," + "x" * 201, "at most 200 letters in a cell of line 2; got 201"),
    ],
)
def test_what_is_no_table_is_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        parse(text, Reading(header=True))


def test_names_alone_and_a_single_row_are_no_table_to_choose_from() -> None:
    """The error says so, and not that no column is an input."""
    with pytest.raises(InputError, match="rows under the names; got none"):
        parse("temp,time,yield\n")
    sheet = parse("temp,time,yield\n60,5,71\n")
    with pytest.raises(InputError, match="at least 2 rows; got 1"):
        Table.of_sheet(sheet, guess(sheet))


def test_the_page_takes_tables_up_to_a_size_and_python_larger_ones() -> None:
    most, text = 20_000, "x\n" + "1\n2\n" * 10_000
    assert len(parse(text, None, MOST)) == most
    assert len(parse(text + "3\n")) == most + 1
    with pytest.raises(InputError, match="at most 20 000 rows; got 20 002"):
        parse(text + "3\n", None, MOST)
    wide = ",".join(["a"] * 61) + "\n" + ",".join(["1"] * 61)
    assert len(parse(wide, Reading(header=True)).columns) == 61
    with pytest.raises(InputError, match="at most 60 columns; got 61"):
        parse(wide, Reading(header=True), MOST)
    many = parse(",".join(f"c{i}" for i in range(21)) + "\n" + ("1," * 20 + "2\n") * 2)
    assert len(Table.of_sheet(many, (INPUT,) * 21).inputs) == 21
    assert "at most 20 inputs; got 21" in str(Draft(many, (INPUT,) * 21).chosen)
    data = TableData()
    assert not run(data.load(b"x" * 5_000_001, "Large"))
    assert "at most 5 MB; got 5.0 MB" in str(data.error)


@pytest.mark.parametrize(
    ("encoding", "letter"),
    [
        *((one, "é") for one in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")),
        ("utf-32", "é"),
        ("latin-1", "é"),
        ("cp1252", "€"),
        ("latin-1", "\x81"),  # what Windows leaves undefined
    ],
)
def test_encodings_with_and_without_a_byte_order_mark(encoding: str, letter: str) -> None:
    text = f"{letter};temp;yield\n1;2;3\n"
    found, remarks = decode(text.encode(encoding))
    assert found == text
    assert bool(remarks) != encoding.startswith("utf")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "a table; got nothing"),
        (b"PK\x03\x04...", "a table; got an Excel workbook"),
        (
            b' { "format" : "ucbpe-history",',
            "a saved experiment, or other JSON; open it as a saved experiment",
        ),
        (b"a,b\n\0,1", "a file of another kind"),
        (b"\xff\xfea", "text in utf-16"),
    ],
)
def test_other_files_are_refused(content: bytes, what: str) -> None:
    with pytest.raises(InputError, match=what):
        decode(content)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8).map(str.strip)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=5
        )
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_any_cells_come_back(rows: list[list[str]], separator: str) -> None:
    """Quotes, line breaks and separators inside cells; lines without any text are left out.

    Comments are, too.
    """
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows([["head"] * len(rows[0]), *rows])
    there = [row for row in rows if any(row)]
    if not there or any(row[0].startswith("#") for row in there):
        return
    sheet = parse(text.getvalue(), Reading(separator, ".", True))
    assert [list(cells) for cells in zip(*(one.cells for one in sheet.columns), strict=True)] == [
        list(row) for row in there
    ]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(-1e100, 1e100))
def test_numbers_read_back_exactly(x: float) -> None:
    assert numbers.read(repr(x)) == x
    assert numbers.typed(f" {x!r} ", "x") == x
    assert numbers.read(repr(x).replace(".", ","), ",") == x


@pytest.mark.parametrize(
    "text",
    [
        "1_000",
        "inf",
        "1 00",
        "1 000,000.5",
        "१",
        "1e101",
    ],
)
def test_what_is_no_number(text: str) -> None:
    """Python would take some of these for one."""
    assert numbers.read(text) is None
    assert numbers.read(text, ",") is None
    with pytest.raises(InputError, match="to be"):
        numbers.typed(text, "the result")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0,125", 0.125),
        ("-,5", -0.5),
        ("−2", -2.0),
        ("1.050,5", 1050.5),
        ("1'050.5", 1050.5),
    ],
)
def test_a_typed_decimal_comma_is_taken(text: str, number: float) -> None:
    assert numbers.typed(text, "y") == number


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("1,500", "write 1500 or 1.5"),
        ("1,234,567", "write 1234567"),
    ],
)
def test_a_comma_that_may_separate_thousands_is_asked_about(text: str, remedy: str) -> None:
    with pytest.raises(InputError, match="read in two ways") as refused:
        numbers.typed(text, "y")
    assert refused.value.remedy == remedy


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("a,Yield (%)\n1,2\n3,4", (INPUT, VALUE)),
        ("id,a\n1,2\n2,4", (LABEL, INPUT)),
        ("id,a\n1.5,2\n2,4", (INPUT, INPUT)),  # no numbers of rows
        ("name,a,b\nq,1,\nr,2,5", (LABEL, INPUT, VALUE)),  # some are measured
        ("a,b\n1,7\n2,7", (INPUT, UNUSED)),  # constant
        ("a,yield\n1,7\n2,7", (INPUT, VALUE)),
        ("a,value,score\n1,2,3\n4,5,6", (INPUT, INPUT, VALUE)),
        ("a,y\n1,\n2,", (INPUT, VALUE)),
        ("a,yield,quality\n1,41,1\n2,52,1\n", (INPUT, VALUE, UNUSED)),  # the other is constant
    ],
)
def test_what_columns_are_for_is_guessed(text: str, roles: tuple[Role, ...]) -> None:
    assert guess(parse(text)) == roles


def test_a_choice_of_columns() -> None:
    sheet = parse("id,T (°C),p,y\nA,20,1,\nB,30,2,4.5\nC,30,2,NA\n")
    choice = Table.of_sheet(sheet, (LABEL, INPUT, INPUT, VALUE))
    assert choice.inputs == ("T (°C)", "p")
    assert choice.output == "y"
    assert choice.labels == (("id", ("A", "B", "C")),)
    np.testing.assert_array_equal(choice.candidates, [[20, 1], [30, 2], [30, 2]])
    np.testing.assert_array_equal(choice.y, [np.nan, 4.5, np.nan])
    assert (len(choice.known[0]), choice.complete) == (1, False)
    assert choice.remarks == ("1 row has the same inputs as another row. Each stays a candidate.",)
    none = Table.of_sheet(sheet, (LABEL, INPUT, UNUSED, UNUSED))
    assert (none.y, len(none.known[0]), none.complete) == (None, 0, False)


@pytest.mark.parametrize(
    ("text", "roles", "what"),
    [
        ("a,y\n1,2\n3,4", (UNUSED, VALUE), "at least one input; got none"),
        ("a,b,c\n1,2,3\n4,5,6", (INPUT, VALUE, VALUE), "one value column at most; got b, c"),
        (
            "a,b\n1,2\nred,3\n",
            (INPUT, INPUT),
            "a number in every input.*; got 1 cell without: line 3, column a: 'red'; fix",
        ),
        ("a,b\n1,2\n,3\n", (INPUT, INPUT), "line 3, column a: ''"),
        ("a,b\n1,2\n1e200,3\n", (INPUT, INPUT), "line 3, column a: '1e200'"),
        ("a,b\n1,2", (INPUT, INPUT), "at least 2 rows; got 1"),
    ],
)
def test_what_cannot_be_chosen_is_refused(text: str, roles: tuple[Role, ...], what: str) -> None:
    with pytest.raises(InputError, match=what):
        Table.of_sheet(parse(text), roles)


def test_a_constant_input_is_flagged() -> None:
    choice = Table.of_sheet(parse("a,b\n1,7\n3,7"), (INPUT, INPUT))
    assert choice.remarks == ("Not informative, because every row has the same number: b.",)


def test_the_examples_can_be_used_as_they_are() -> None:
    for example, known in zip(EXAMPLES[:2], (399, 4), strict=True):
        text, remarks = decode(example.text.encode())
        sheet = parse(text)
        assert not remarks
        assert not sheet.remarks
        choice = Table.of_sheet(sheet, guess(sheet))
        assert choice.inputs == ("temperature (°C)", "time (min)")
        assert len(choice.known[0]) == known
        assert not choice.remarks
