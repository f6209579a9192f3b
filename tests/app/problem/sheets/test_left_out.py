"""Slips in a table: columns stay numeric, cells are named, rows left out, texts coded as inputs."""

from __future__ import annotations

import pytest

from tests.app.waiting import run
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_app.problem.sheets.draft import read_lines
from ucbpe_core import InputError
from ucbpe_core.tables.columns import Kind, lines_words, without
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Cell, Role, guess, unreadable
from ucbpe_core.tables.table import Table

ROWS = [(20 + i, 5 + i % 3, 50.5 + i) for i in range(9)]
SLIP = "Temperature,Time,Yield\n" + "\n".join(
    f"{a},{b},{'n.b.' if i == 3 else y}" for i, (a, b, y) in enumerate(ROWS)
)


def taken(text: str) -> TableData:
    data = TableData()
    assert run(data.load(text.encode(), "Mine"))
    return data


def test_one_slip_makes_no_label_of_a_numeric_column() -> None:
    sheet = parse(SLIP)
    assert [one.kind for one in sheet.columns] == [Kind.NUMBERS, Kind.NUMBERS, Kind.FAULTY]
    assert guess(sheet) == (Role.INPUT, Role.INPUT, Role.VALUE)
    assert unreadable(sheet, guess(sheet)) == (Cell(5, "Yield", "n.b."),)


@pytest.mark.parametrize(("faults", "kind"), [(2, Kind.FAULTY), (3, Kind.TEXT), (10, Kind.TEXT)])
def test_few_slips_are_one_in_five(faults: int, kind: Kind) -> None:
    cells = ["?!"] * faults + [str(i) for i in range(10 - faults)]
    assert parse("a,b\n" + "\n".join(f"{cell},1" for cell in cells)).columns[0].kind is kind


def test_many_unreadable_cells_are_counted() -> None:
    text = "a,b\n" + "\n".join(f"{'x' if i % 5 == 0 else i},{i}" for i in range(40))
    with pytest.raises(InputError) as refused:
        Table.of_sheet(parse(text), (Role.INPUT, Role.INPUT))
    assert refused.value.got.startswith("8 cells without: line 2, column a: 'x'; line 7,")
    assert refused.value.got.endswith("; and 3 more")


def test_rows_are_left_out_by_their_lines() -> None:
    sheet = parse(SLIP)
    kept = without(sheet, [5])
    assert len(kept) == 8
    assert 5 not in kept.lines
    assert kept.columns[2].kind is Kind.NUMBERS
    assert Table.of_sheet(kept, guess(kept)).complete
    assert len(sheet) == 9  # unchanged
    with pytest.raises(InputError, match="lines with a row, 2 to 10; got 11"):
        without(sheet, [11])
    with pytest.raises(InputError, match="at least one row"):
        without(sheet, sheet.lines)


def test_lines_are_named_as_people_name_them() -> None:
    sheet = parse(SLIP)
    assert read_lines(" 5, 8-99; 2 ", sheet) == (2, 5, 8, 9, 10)
    assert read_lines("3 - 4", sheet) == (3, 4)
    assert read_lines("", sheet) == ()
    assert read_lines(lines_words((2, 7)), sheet) == (2, 7)
    for text in ("five", "9" * 5000):  # Python reads no whole number of so many digits
        with pytest.raises(InputError, match=f"lines as in 5, 12-14; got '{text[:4]}"):
            read_lines(text, sheet)


def test_the_value_is_asked_for_and_never_taken_in_silence() -> None:
    data = taken(SLIP)
    assert not data.draft.confirmed
    run(data.change(lambda draft: draft.assign({"Temperature": Role.LABEL})))
    assert not data.draft.confirmed  # nothing was said of the value
    run(data.change(lambda draft: draft.assign({"Temperature": Role.VALUE, "Yield": Role.INPUT})))
    assert data.draft.confirmed
    assert run(data.load(b"a,y\n1,2\n3,4\n", "Next"))
    assert not data.draft.confirmed
    run(data.change(lambda draft: draft.confirm(draft.value)))
    assert data.draft.confirmed


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("c,T\nred,1\n,2\n", "a text in every category; got 1 cell without: line 3, column c: ''"),
        ("c,T\nred,1\nred,2\n", "two texts or more in column c; got 'red'"),
        ("c,T\n" + "".join(f"t{i},{i}\n" for i in range(21)), "at most 20 different texts"),
    ],
)
def test_texts_that_cannot_be_inputs_are_refused(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        Table.of_sheet(parse(text), (Role.CATEGORY, Role.INPUT))
