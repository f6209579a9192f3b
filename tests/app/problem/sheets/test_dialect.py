"""One reading of numbers for a whole table: what is certain is read, what is not is asked."""

from __future__ import annotations

import copy
import csv
import io
import pickle

import numpy as np
import pandas as pd
import pytest

from tests.app.waiting import run
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_core.tables import numbers
from ucbpe_core.tables.columns import Kind
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import guess
from ucbpe_core.tables.table import Table

POINT, COMMA = numbers.POINT, numbers.COMMA
MIXED = 'T,pressure,y\n20,"950",12\n30,"1,050",17\n40,"1,150",21\n'


def values(text: str, name: str, reading: Reading | None = None) -> list[float]:
    (found,) = (one for one in parse(text, reading).columns if one.name == name)
    return found.values.tolist()


@pytest.mark.parametrize(
    ("text", "name", "read"),
    [
        # Another number of the file is certain, in the same column or in another.
        ('T,p\n20.5,"950"\n30,"1,050"\n', "p", [950, 1050]),
        ('p,q\n"950",1\n"1,050.5",2\n"1,150",3\n', "p", [950, 1050.5, 1150]),
        ("T;p\n20,5;950\n30;1.050\n", "p", [950, 1050]),
        ("p;q\n950;1\n1.050,5;2\n1.150;3\n", "p", [950, 1050.5, 1150]),
        ("p;q\n0,950;1\n1,050;2\n", "p", [0.95, 1.05]),
        ("p;q\n0.950;1\n1.050;2\n", "p", [0.95, 1.05]),
        # More than one mark between thousands is certain by itself.
        ('n,q\n"1,000,000",1\n"900,000",2\n', "n", [1e6, 9e5]),
        ("n;q\n1.000.000;1\n900.000;2\n", "n", [1e6, 9e5]),
        # Commas that separate cells separate no decimals, if no number beside them is without any.
        ("T,p\n20,1.050\n30,2.125\n", "p", [1.05, 2.125]),
        # Spaces and apostrophes only ever group.
        ("n;q\n1\u00a0050;1\n1\u202f250,5;2\n", "n", [1050, 1250.5]),
        ("n;q\n1'050;1\n1’050.5;2\n−2'000'000;3\n", "n", [1050, 1050.5, -2e6]),
        # Per cent is a unit, with 0 in any.
        ("T,y\n1,5%\n2,7.5 %\n3,0\n4,\n", "y", [5, 7.5, 0, np.nan]),
        ('T,y\n1,"1,050%"\n2,2.5%\n', "y", [1050, 2.5]),
    ],
)
def test_numbers_that_are_certain(text: str, name: str, read: list[float]) -> None:
    np.testing.assert_array_equal(values(text, name), read)


@pytest.mark.parametrize(
    ("text", "spot", "large", "small"),
    [
        (MIXED, "1,050 in line 3, column pressure", 1050, 1.05),
        ("T;p\n20;950\n30;1.050\n", "1.050 in line 3, column p", 1050, 1.05),
        ("T,p\n20,950\n30,1.050\n", "1.050 in line 3, column p", 1050, 1.05),
        ('T,p\n20,"-12,345"\n30,"7"\n', "-12,345 in line 2, column p", -12345, -12.345),
        ('T,y\n20,"1,050%"\n30,7%\n', "1,050% in line 2, column y", 1050, 1.05),
    ],
)
def test_numbers_that_can_be_read_in_two_ways_are_asked_about(
    text: str, spot: str, large: float, small: float
) -> None:
    with pytest.raises(UndecidedError) as asked:
        parse(text)
    error = asked.value
    assert error.question.startswith(f"{spot}: is it {large:g}, with a ")
    assert sorted(error.answers.values()) == sorted([f"It is {large:g}", f"It is {small:g}"])
    column = error.question.split("column ")[1].split(":")[0]
    for decimal, answer in error.answers.items():
        read = values(text, column, Reading(decimal=decimal))
        assert float(answer.removeprefix("It is ")) in read
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.answers) == (str(error), error.answers)
    assert copy.copy(error).question == error.question


def test_both_marks_are_asked_about() -> None:
    with pytest.raises(UndecidedError) as asked:
        parse("T;p\n1,5;2\n3;4.5\n")
    assert asked.value.answers == {POINT: "Decimal point", COMMA: "Decimal comma"}


@pytest.mark.parametrize(("decimal", "thousands"), [(POINT, COMMA), (COMMA, POINT), (COMMA, " ")])
def test_the_same_numbers_as_pandas_reads(decimal: str, thousands: str) -> None:
    """A second implementation, on numbers of every size, written with groups."""
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(200, 3)) * 10.0 ** rng.integers(-2, 7, (200, 3)), 2)
    marks = str.maketrans({",": thousands, ".": decimal})
    text = io.StringIO()
    rows = [[f"{one:,.2f}".translate(marks) for one in row] for row in x.tolist()]
    csv.writer(text, delimiter=";").writerows([["a", "b", "c"], *rows])
    sheet = parse(text.getvalue())
    theirs = pd.read_csv(
        io.StringIO(text.getvalue()), sep=";", decimal=decimal, thousands=thousands
    )
    np.testing.assert_array_equal(np.stack([one.values for one in sheet.columns], axis=1), x)
    np.testing.assert_array_equal(theirs.to_numpy(), x)


def test_a_column_is_in_per_cent_or_not() -> None:
    """0.05 and 5% in one column would be a factor of 100: the rarer sort cannot be used."""
    sheet = parse("a,y\n" + "".join(f"{i},{i}%\n" for i in range(1, 9)) + "9,0.5\n")
    assert sheet.columns[1].kind is Kind.FAULTY
    assert sheet.columns[1].faults == (8,)
    assert parse("a,y\n" + "".join(f"{i},{i}\n" for i in range(1, 9)) + "9,5%\n").columns[
        1
    ].faults == (8,)
    assert "Per cent: 1% is read as 1." in sheet.remarks


@pytest.mark.parametrize(
    "word",
    ["PENDING", "#N/A", "n.a.", "NA", "N/A", "-", "–", "", "nan", "TBD", "<NA>", "n.d.", "?"],
)
def test_words_for_no_value_yet(word: str) -> None:
    text = f"temp,yield\n20,41\n30,{word}\n40,52\n"
    choice = Table.of_sheet(parse(text), guess(parse(text)))
    assert (len(choice), len(choice.known[0])) == (3, 2)
    np.testing.assert_array_equal(choice.y, [41, np.nan, 52])


def test_a_question_keeps_its_text_until_it_is_answered() -> None:
    data = TableData()
    assert not run(data.load(MIXED.encode(), "Mine"))
    assert isinstance(data.error, UndecidedError)
    assert data.can_be_read
    assert data.draft is None
    assert run(data.read_as(Reading(decimal=POINT)))
    assert (data.title, data.error) == ("Mine", None)
    assert data.draft.table.candidates[:, 1].tolist() == [950, 1050, 1150]
    # A table that is there stays until the next one is read.
    before = data.draft.table
    assert not run(data.load(MIXED.encode(), "Again"))
    assert (data.title, data.draft.table) == ("Mine", before)
    assert run(data.read_as(Reading(decimal=COMMA)))
    assert data.title == "Again"
    assert data.draft.table.candidates[:, 1].tolist() == [950, 1.05, 1.15]
