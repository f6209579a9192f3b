"""Tables and results in Excel workbooks: a cell is what it shows, as the same sheet in CSV."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import openpyxl
import pytest
from openpyxl.chart import BarChart, Reference

from tests.app.problem.sheets.workbooks import (
    SHEET,
    SPREADSHEET,
    STRINGS,
    in_sheet,
    packed,
    repacked,
    written,
)
from tests.app.problem.tables import begun, keys
from tests.app.problem.test_page import message, say
from tests.app.waiting import change, click, run
from ucbpe_app.problem.page import ProblemPage
from ucbpe_app.problem.results import read_results
from ucbpe_app.problem.results_section import ResultsSection
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_core import InputError
from ucbpe_core.tables.columns import Column, Kind, Sheet
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, guess
from ucbpe_core.tables.table import Table
from ucbpe_core.tables.workbook import read_content, worksheets
from ucbpe_core.tables.worksheet import Format, format_of

ROWS: list[list[Any]] = [
    ["id", "T (°C)", "solvent", "pressure", "yield"],
    ["S1", 20, "water", 950, 51],
    ["S2", 30, "THF", 1.125, None],
    [None] * 5,
    ["S3", 40, "water", 1050, None],
]
TABLE: list[list[Any]] = [["temp", "time", "yield"], [20, 5, 41], [30, 10, 52], [50, 15, None]]


def read(content: bytes, **asked: Any) -> tuple[Sheet, Table]:
    """What the page makes of a file, with all remarks in the sheet."""
    text, remarks, reading = read_content(content, Reading(**asked))
    sheet = parse(text, reading)
    sheet = replace(sheet, remarks=(*remarks, *sheet.remarks))
    return sheet, Table.of_sheet(sheet, guess(sheet))


def column(sheet: Sheet, name: str) -> Column:
    return next(one for one in sheet.columns if one.name == name)


def test_a_workbook_is_read_as_the_same_table_in_csv() -> None:
    """Line i is row i, and 1.125 beside 950 is a number: nobody is asked about thousands."""
    data, other = TableData(), TableData()
    assert run(data.load(written(ROWS), "Mine", confirmed=True))
    lines = ("id,T (°C),solvent,pressure,yield", "S1,20,water,950,51", "S2,30,THF,1.125,")
    text = "\n".join([*lines, ",,,,", "S3,40,water,1050,"])
    assert not run(other.load(text.encode(), "Mine"))  # CSV has to ask
    assert run(other.read_as(Reading(decimal=".")))
    sheet, theirs = data.draft.sheet, other.draft.sheet
    assert [(one.name, one.cells) for one in sheet.columns] == [
        (one.name, one.cells) for one in theirs.columns
    ]
    assert sheet.lines == theirs.lines == (2, 3, 5)
    assert data.draft.roles == other.draft.roles
    assert data.draft.roles[2] is Role.CATEGORY
    assert sheet.remarks == ("Worksheet Sheet was read.",)


def test_cells_are_dates_truths_and_the_values_that_formulas_had() -> None:
    day = datetime(2024, 5, 31, 14, 5)
    values = [day.replace(hour=0, minute=0), day, True, "two\nlines", "=2*3", "x", date(1900, 1, 1)]
    rows = [["day", "at", "ok", "long", "twice", "bad", "first"], values]
    content = in_sheet(written(rows), rb"<f>2\*3</f><v ?(/>|></v>)", b"<f>2*3</f><v>6</v>")
    found = read_content(content).text.splitlines()[1].split("\t")
    shown = ["2024-05-31", "2024-05-31 14:05:00", "TRUE", "two lines", "6", "x", "1900-01-01"]
    assert found == shown


def test_numbers_come_back_to_the_last_bit() -> None:
    """As Excel writes them, in 17 digits: 0.41299999999999998, which is 0.413."""
    x = np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)
    x[:2] = 0.413, 1050
    data = "".join(f"<row><c><v>{one:.17g}</v></c><c><v>{one}</v></c></row>" for one in x.tolist())
    text, _, reading = read_content(packed(data))
    assert text.splitlines()[:2] == ["0.413\t0.413", "1050\t1050"]
    np.testing.assert_array_equal(parse(text, reading).columns[0].values, x)


def test_texts_that_cells_share_with_pieces_and_without_how_they_are_spoken() -> None:
    """As Excel writes them, also with a prefix for every name, in UTF-16, and with empty cells."""
    cells = '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>'
    more = '<row r="3"><c r="B3" t="str"><f>""</f><v></v></c><c r="A3"><v>7</v></c></row>'
    content = packed(
        f'<row r="1">{cells}</row>{more}',
        strings=f'<sst xmlns="{SPREADSHEET}"><si><t>a</t><rPh sb="0" eb="1">'
        "<t>spoken</t></rPh></si>"
        '<si><r><t xml:space="preserve">b </t></r><r><t>c</t></r></si></sst>',
        encoding="utf-16",
    )
    assert read_content(content).text == "a\tb c\n\n7\t\n"
    theirs = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Runs"]
    assert [*theirs.values] == [("a", "b c"), (None, None), (7, None)]

    def prefixed(name: str, part: bytes) -> bytes:
        if name not in (STRINGS, SHEET):
            return part
        text = re.sub("<(/?)(?=[a-z])", r"<\1x:", part.decode("utf-16"), flags=re.IGNORECASE)
        return text.replace("xmlns=", "xmlns:x=").encode("utf-16")

    assert read_content(repacked(content, prefixed)).text == "a\tb c\n\n7\t\n"


# X1: a cell that shows 41.3% holds 0.413.
def _percent(*places: str) -> Any:
    def change(_: Any, sheet: Any) -> None:
        for at in places:
            sheet[at].number_format = "0.0%"

    return change


def test_a_percent_format_is_what_the_sheet_shows() -> None:
    rows = [["temp", "time", "yield"], [20, 5, 0.413], [30, 10, 0.57], [40, 15, 0.47]]
    _, choice = read(written(rows, _percent("C2", "C3", "C4")))
    assert choice.y.tolist() == [41.3, 57, 47]
    assert "Per cent: 41.3% is read as 41.3." in choice.remarks


@pytest.mark.parametrize("numbers", [[0.41, 0.52, 47, 55], [0.41, 52, 47, 55], [0.41, 0.52, 47]])
def test_percent_formats_and_plain_numbers_are_not_mixed(numbers: list[float]) -> None:
    """Whichever are more; also in CSV, and in a file of results."""
    shown = [f"B{i}" for i, x in enumerate(numbers, start=2) if x < 1]
    rows = [["temp", "yield"], *([20 + 7 * i, x] for i, x in enumerate(numbers))]
    content = written(rows, _percent(*shown))
    with pytest.raises(InputError, match=r"line \d, column yield: '(41%|47)'"):
        read(content)
    text = read_content(content).text.replace("\t", ",")
    sheet = parse(text)
    assert sheet.columns[1].kind is Kind.FAULTY
    assert any("yield has numbers with and without %" in one for one in sheet.remarks)
    with pytest.raises(InputError, match="column yield"):
        Table.of_sheet(sheet, guess(sheet))
    results = read_content(written([["candidate", "y"], [3, 0.41], [4, 47.0]], _percent("B2")))
    with pytest.raises(InputError, match="a number in line 2, column y; got '41%'"):
        read_results(results.text, begun().current, results.reading)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("General", Format.NUMBER),
        ("#,##0.00;[Red]-#,##0.00", Format.NUMBER),
        ('0.0" % of dry mass"', Format.NUMBER),
        (r"0.0\%", Format.NUMBER),
        ("[$£-809]#,##0.00", Format.NUMBER),
        ("0.00E+00", Format.NUMBER),
        ("# ?/?", Format.NUMBER),
        ("0%;-0%;0", Format.PERCENT),
        ("0.00 %", Format.PERCENT),
        ("[$-409]d-mmm-yy;@", Format.DATE),
        ("yyyy-mm-dd hh:mm", Format.DATE),
        ("mmm", Format.DATE),
        ("h:mm AM/PM", Format.TIME),
        ("mm:ss.0", Format.TIME),
        ("[h]:mm:ss", Format.ELAPSED),
        ("[mm]:ss", Format.ELAPSED),
    ],
)
def test_formats_by_their_codes(code: str, kind: Format) -> None:
    assert format_of(code) is kind


# X2: programs write formulas without their values.
def test_formulas_without_values_are_refused_by_name() -> None:
    rows = [["flow", "time", "yield"], [20, "=A2/4", 41], [30, "=A3/4", 52], [40, "=A4/4", 47]]
    with pytest.raises(InputError, match=r"formula in worksheet Sheet; got none in B2, B3, B4;"):
        read(written(rows))
    with pytest.raises(InputError, match="open the file in Excel, save it there"):
        read_content(written([["candidate", "y"], [1, "=1+1"]]))


# X3: merged cells have their value in each row.
def test_merged_cells_have_their_value_in_each_row() -> None:
    def merge(_: Any, sheet: Any) -> None:
        for ref in ("A1:C1", "A3:A4", "A5:A6", "B7:B9"):
            sheet.merge_cells(ref)

    rows: list[list[Any]] = [["My series"], ["solvent", "temp", "yield"]]
    rows += [["THF", 20, 41], [None, 30, 52], ["DMF", 20, 47], [None, 30, 50], ["DMF", 40, 51]]
    sheet, choice = read(written(rows, merge))
    assert column(sheet, "solvent").cells == ("THF", "THF", "DMF", "DMF", "DMF")
    assert len(sheet) == 5  # no rows where there is nothing but a merged cell
    assert "Merged cells have their value in each row: A3:A4, A5:A6." in choice.remarks


# X4: what nobody sees is not read, and a chart is no table.
def _several(book: Any, sheet: Any) -> None:
    sheet.sheet_state = "hidden"
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3))
    book.create_chartsheet("Chart", 0).add_chart(chart)
    for title, rows in (("Runs", TABLE), ("Notes", [["Read this first."]])):
        other = book.create_sheet(title)
        for row in rows:
            other.append(row)
    book.create_sheet("Secret").sheet_state = "veryHidden"


def test_the_first_worksheet_in_sight_is_read_and_others_can_be_chosen() -> None:
    content = written([["THF", 1], ["DMF", 2], ["DMSO", 3]], _several)
    assert worksheets(content) == ("Runs", "Notes")
    assert [one.name for one in read(content)[0].columns] == ["temp", "time", "yield"]
    assert read_content(content, Reading(worksheet="Notes")).text == "Read this first.\n"
    with pytest.raises(InputError, match="a worksheet Sheet; got Runs, Notes"):
        read_content(content, Reading(worksheet="Sheet"))

    def all_hidden(book: Any, sheet: Any) -> None:
        book.create_chartsheet("Chart")
        sheet.sheet_state = "hidden"

    with pytest.raises(InputError, match="a worksheet in sight; got none"):
        read_content(written(TABLE, all_hidden))


def test_the_page_offers_the_other_worksheets() -> None:
    def notes_first(book: Any, sheet: Any) -> None:
        sheet.title = "Runs"
        book.create_sheet("Notes", 0).append(["Read this first."])

    page = ProblemPage()
    say(page.table.upload, message("mine.xlsx", written(TABLE, notes_first)))
    choice = page.table.reading.worksheet.select
    assert (choice.visible, choice.options, choice.value) == (True, ["Notes", "Runs"], "Notes")
    assert "Worksheet Notes was read. Others to choose: Runs." in page.table.fault.object
    change(choice, "value", "Runs")
    assert "Others to choose" not in page.table.fault.object
    assert [one.name for one in page.table.data.draft.sheet.columns] == ["temp", "time", "yield"]
    assert "Worksheet Runs was read." in page.table.facts.object
    # A file with one has no choice; what was chosen before is not asked of it.
    say(page.table.upload, message("other.xlsx", written(ROWS)))
    assert not choice.visible
    assert page.table.data.asked == Reading()
    assert page.table.data.draft.sheet.columns[0].name == "id"


# X5: what is a number is in no doubt; texts are, as in CSV.
def test_numbers_stored_as_text_with_a_decimal_comma() -> None:
    rows = [["temp", "time", "yield"], ["20,5", 5, 41.2], ["30,5", 10, 52.1], ["40,25", 15, None]]
    sheet, choice = read(written(rows))
    assert choice.inputs == ("temp", "time")
    assert column(sheet, "temp").values.tolist() == [20.5, 30.5, 40.25]
    assert column(sheet, "yield").cells == ("41,2", "52,1", "")
    assert column(sheet, "yield").values.tolist()[:2] == [41.2, 52.1]
    # A person may say otherwise of the texts, never of the numbers.
    sheet, _ = read(written([*rows, [50.5, 20, 12.5]]), decimal=".")
    assert column(sheet, "yield").values[[0, 1, 3]].tolist() == [41.2, 52.1, 12.5]
    assert np.isnan(column(sheet, "temp").values).tolist() == [True, True, True, False]


def test_texts_that_are_numbers_in_two_ways_are_asked_about() -> None:
    content = written([["temp", "conc", "yield"], [20, "1,050", 41], [30, 0.95, 52]])
    with pytest.raises(UndecidedError, match=r"1,050 in line 2, column B") as asked:
        read_content(content)
    assert set(asked.value.answers.values()) == {"It is 1050", "It is 1.05"}
    data = TableData()
    assert not run(data.load(content, "Mine"))
    for decimal, numbers in ((".", [1050, 0.95]), (",", [1.05, 0.95])):
        assert run(data.read_as(Reading(decimal=decimal)))
        assert column(data.draft.sheet, "conc").values.tolist() == numbers


# X8: times and durations.
def test_times_and_durations_are_minutes_if_a_person_says_so() -> None:
    rows = [["heated", "stirred", "yield"], *(
        [time(0, i), timedelta(hours=30, minutes=i, seconds=30), 40 + i * i] for i in (5, 9, 12)
    )]  # fmt: skip
    page = ProblemPage()
    say(page.table.upload, message("mine.xlsx", written(rows)))
    table = page.table
    assert "0:05:00 in line 2, column heated, is a time. As a duration it is 5 minutes" in (
        table.question.text.object
    )
    click(table.question.buttons[0])
    sheet = table.data.draft.sheet
    assert column(sheet, "heated (min)").values.tolist() == [5, 9, 12]
    assert column(sheet, "stirred (min)").values.tolist() == [1805.5, 1809.5, 1812.5]
    assert "stirred is in minutes: 30:05:30 is 1805.5." in sheet.remarks
    # The answer can be changed.
    assert run(table.data.read_as(Reading(minutes=False)))
    assert column(table.data.draft.sheet, "heated").kind is Kind.TEXT


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

    def notes_first(book: Any, sheet: Any) -> None:
        sheet.title = "Results"
        book.create_sheet("Notes", 0).append(["Read this first."])

    section = ResultsSection(state, _done)
    say(section.upload, message("results.xlsx", written(rows, notes_first)))
    assert "Others to choose: Results." in section.message.object
    assert not section.choices.visible
    change(section.worksheet.select, "value", "Results")
    assert "Worksheet Results was read. 3 new results" in section.message.object
    click(section.agree)
    assert [one.y for one in state.current.history.data][-2:] == [1.125 + j for j in picks[:2]]
    assert state.current.history.gone[-1].reason == "it broke"
    assert not section.worksheet.select.visible
    assert section.message.object == ""
    again = read_content(written(rows))
    assert read_results(again.text, state.current, again.reading).again == 3


def test_a_question_about_results_is_answered_on_the_page() -> None:
    state = begun()
    section = ResultsSection(state, _done)
    rows = [["candidate", "y"], [20, "1,050"], [21, 0.95]]
    say(section.upload, message("results.xlsx", written(rows)))
    assert "is it 1050" in section.question.text.object
    say_point = next(one for one in section.question.buttons if one.label == "It is 1.05")
    click(say_point)
    click(section.agree)
    assert [one.y for one in state.current.history.data][-2:] == [1.05, 0.95]


async def _done(step: Any) -> bool:
    await step
    return True


def test_a_formula_in_a_text_stays_text() -> None:
    def quoted(_: Any, sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
        sheet["A2"].data_type = "s"

    assert read_content(written([["a"], ["=1+1"]], quoted)).text == "a\n=1+1\n"
