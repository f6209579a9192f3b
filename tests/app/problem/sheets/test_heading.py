"""The habits of spreadsheets and instruments, around the numbers of a table."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from ucbpe_core import InputError
from ucbpe_core.tables.columns import Sheet
from ucbpe_core.tables.dialect import Reading, separator_of
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, guess
from ucbpe_core.tables.table import Table

BODY = "20,5,41\n30,10,52\n40,15,60\n"
NAMES = ["temp", "time", "yield"]
X = [[20, 5], [30, 10], [40, 15]]
NAMES_WITH_UNITS = ["temp (°F)", "time (min)"]


def names(sheet: Sheet) -> list[str]:
    return [one.name for one in sheet.columns]


@pytest.mark.parametrize("separator", [";", ",", "\t"])
@pytest.mark.parametrize("form", ["sep={}", '"sep={}"', "SEP={}", "\ufeffsep={}"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_the_separator_that_excel_writes_in_a_line_of_its_own(
    separator: str, form: str, ending: str
) -> None:
    body = f"{','.join(NAMES)}\n{BODY}".replace(",", separator).replace("\n", ending)
    sheet = parse(form.format(separator) + ending + body)
    assert names(sheet) == NAMES
    assert sheet.reading.separator == separator
    assert sheet.lines == (3, 4, 5)
    # It decides, also against what would be detected; a person decides against it.
    assert names(parse("sep=;\na,b\n1,5\n")) == ["a,b"]
    assert names(parse("sep=;\na,b\n1,5\n", Reading(separator=","))) == ["a", "b"]


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_cells_missing_at_the_end_of_a_line_are_empty(separator: str) -> None:
    text = "temp,time,yield\n20,5,41\n30,10,52\n40,15\n50,20\n60\n".replace(",", separator)
    sheet = parse(text)
    np.testing.assert_array_equal(sheet.columns[2].values, [41, 52, np.nan, np.nan, np.nan])
    assert "Cells missing at the end of a line count as empty: line 4, 5, 6." in sheet.remarks
    # As pandas reads them.
    theirs = pd.read_csv(io.StringIO(text), sep=separator)
    np.testing.assert_array_equal(theirs["yield"], sheet.columns[2].values)
    # Of an input it is missing, which is asked about, and never a number.
    with pytest.raises(InputError, match="line 6, column time: ''"):
        Table.of_sheet(sheet, guess(sheet))


def test_a_trailing_separator_in_the_heading_or_in_the_lines() -> None:
    for text in (f"temp,time,yield,\n{BODY}", "temp,time,yield\n" + BODY.replace("\n", ",\n")):
        sheet = parse(text)
        assert names(sheet) == NAMES
        assert len(sheet) == 3
        assert sheet.remarks == ()


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("My extraction\n", "line 1"),
        ("My extraction\nOperator,Smith\n\nDate,2024-05-31\n", "lines 1 to 4"),
        ('"Smith, J."\n2024\n', "lines 1 to 2"),
    ],
)
def test_lines_above_the_names_are_not_used(above: str, lines: str) -> None:
    sheet = parse(f"{above}temp,time,yield\n{BODY}")
    assert names(sheet) == NAMES
    assert sheet.remarks == (f"Not used, above the names: {lines}.",)
    assert sheet.lines[0] == above.count("\n") + 2
    assert Table.of_sheet(sheet, guess(sheet)).candidates.tolist() == X
    assert parse(f"{above}temp,time,yield\n{BODY}", Reading(header=True)).lines == sheet.lines


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("temp,time,\n20,5,41\n30,10,52\n", 2),  # a column without a name
        ("S1,20,5\nS2,30,10\n", 2),
        ("name,colour\nA,red\nB,blue\n", 2),
    ],
)
def test_no_row_of_the_table_is_taken_for_a_line_above(text: str, rows: int) -> None:
    assert len(parse(text)) == rows


@pytest.mark.parametrize(
    ("heading", "units", "read"),
    [
        ("temp,time,yield", "°C,min,%", ["temp (°C)", "time (min)", "yield (%)"]),
        ("temp,time,yield", "[°C],(min),", ["temp (°C)", "time (min)", "yield"]),
        ("temp (°C),time,yield", "K,-,%", ["temp (°C)", "time", "yield (%)"]),
        ("temp,time,yield", "K,1/s,g·L⁻¹", ["temp (K)", "time (1/s)", "yield (g·L⁻¹)"]),
        ("temp,time,yield", "°F,min,(of a batch)", [*NAMES_WITH_UNITS, "yield (of a batch)"]),
    ],
)
def test_a_row_of_units_goes_into_the_names(heading: str, units: str, read: list[str]) -> None:
    sheet = parse(f"{heading}\n{units}\n{BODY}")
    assert names(sheet) == read
    assert sheet.lines == (3, 4, 5)
    assert sheet.remarks == ("Line 2 has units: they were added to the names.",)
    choice = Table.of_sheet(sheet, guess(sheet))
    assert (choice.candidates.tolist(), len(choice.known[0])) == (X, 3)


def test_units_with_labels_and_before_any_result() -> None:
    sheet = parse("sample,temp,yield\n,°C,%\nA,20,\nB,30,\n")
    assert names(sheet) == ["sample", "temp (°C)", "yield (%)"]
    assert guess(sheet) == (Role.LABEL, Role.INPUT, Role.VALUE)


@pytest.mark.parametrize(
    "text",
    [
        "colour,temp\nred,high\nblue,low\n",  # no numbers at all
        "colour,temp\nred,?\nblue,20\n",  # the first row of a column of texts
        "temp,yield\nn.a.,n.a.\n20,5\n",  # nothing is a unit
        "temp,yield\n20,high\n30,5\n40,6\n50,7\n60,8\n",
    ],
)
def test_what_is_no_row_of_units(text: str) -> None:
    assert len(parse(text)) == text.count("\n") - 1


TABLE = "temp,time,yield\n20,5,41\n30,10,52\n40,15,47\n"
ALL = ("temp", "time", "yield")


@pytest.mark.parametrize(
    ("text", "names", "said"),
    [
        ("# made by a pump\n" + TABLE, ALL, "line 1."),
        (TABLE.replace("30,", "# it broke\n30,"), ALL, "line 3."),
        ("# of May\n#\n# temp,time,yield\n20,5,41\n30,10,52\n40,15,47\n", ALL, "line 1, 2."),
        (TABLE + "# end\n", ALL, "line 5."),
    ],
)
def test_lines_that_begin_with_a_hash_are_comments(
    text: str, names: tuple[str, ...], said: str
) -> None:
    """NumPy writes the names in one, above the numbers."""
    sheet = parse(text)
    assert tuple(column.name for column in sheet.columns) == names
    assert len(sheet) == 3
    assert sheet.remarks == (f"Comments, which begin with #, are not used: {said}",)


def test_labels_that_begin_with_a_hash_are_labels() -> None:
    sheet = parse("id,x\n#1,2\n#2,3\n#3,5\n")
    assert sheet.columns[0].cells == ("#1", "#2", "#3")
    assert not sheet.remarks


def test_names_below_those_of_groups_are_joined_to_them() -> None:
    """They were taken for units, and that of a column without a group was lost."""
    sheet = parse("conditions,,result\ntemp,time,yield\n20,5,41\n30,10,52\n40,15,\n")
    names = [column.name for column in sheet.columns]
    assert names == ["conditions temp", "conditions time", "result yield"]
    assert "names below those of groups" in sheet.remarks[0]


def test_texts_that_are_no_units_are_further_names() -> None:
    sheet = parse(f"temp,time,yield\nset,ramp,mg/L\n{BODY}")
    assert names(sheet) == ["temp set", "time ramp", "yield mg/L"]
    assert "Line 2 has further names: they were added to the names." in sheet.remarks


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ("| temp | yield |\n|---|---:|\n| 20 | 41,5 |\n| 30 | 52,5 |\n", "pipes, as in Markdown"),
        ("temp|yield\n20|41\n30|52\n", "pipes"),
        ("temp   yield\n20     41\n30     52\n", "blanks"),
        ("reaction temp yield\n20,5 41,5\n30,5 52\n", "blanks"),
    ],
)
def test_what_else_is_between_the_cells_is_said(text: str, got: str) -> None:
    with pytest.raises(InputError, match=f"tabs, semicolons or commas .*; got {got};"):
        parse(text)


@pytest.mark.parametrize("text", ["price\n1 050\n2 100\n", "a|b,y\nc|d,1\n", "x, y\n1, 2, 3\n"])
def test_numbers_with_blanks_in_them_and_pipes_in_texts_are_cells(text: str) -> None:
    assert separator_of(text) == ","


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("temp,yield\n20,41 ± 2\n30,52 +/- 3\n40,\n", [41, 52]),
        ("temp;yield\n20;41,5 ± 2\n30;52,25\n40;\n", [41.5, 52.25]),
        ("temp,yield\n20,41; 43\n30,52\n40,\n", [42, 52]),
    ],
)
def test_a_value_with_its_error_or_repeats_is_a_value(text: str, values: list[float]) -> None:
    """As in the fields of an experiment, where they count; here it is said that they do not."""
    sheet = parse(text)
    choice = Table.of_sheet(sheet, guess(sheet))
    assert len(choice.known[0]) == 2
    assert choice.y is not None
    assert choice.y[:2].tolist() == values
    assert any("errors and repeats count in the fields" in remark for remark in sheet.remarks)


@pytest.mark.parametrize("last", ["Average,,46.67", "note: the pump broke,,"])
def test_the_line_that_keeps_a_small_table_from_an_input_is_named(last: str) -> None:
    sheet = parse(TABLE + last + "\n")
    with pytest.raises(InputError, match=r"leave out line 5, '(Average|note: the pump broke)'"):
        Table.of_sheet(sheet, guess(sheet))
