"""Columns that number the rows are no inputs, unless there is no other; and the page says so."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from tests.app.problem.test_table_section import read
from tests.app.waiting import click, run
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, guess
from ucbpe_core.tables.table import Table

INPUT, VALUE, LABEL, UNUSED = Role.INPUT, Role.VALUE, Role.LABEL, Role.UNUSED
CATEGORY = Role.CATEGORY


def guessed(text: str) -> tuple[Role, ...]:
    return guess(parse(text))


# T1: `DataFrame.to_csv` and R's `write.csv` write the row number first, with no name.
@pytest.mark.parametrize(
    "text",
    [
        ",temp,time,yield\n0,20,5,41\n1,30,10,52\n2,40,15,\n3,50,12,\n",
        '"","temp","yield"\n"1",20,41\n"2",30,52\n"3",40,NA\n',
        "Unnamed: 0,temp,yield\n0,20,41\n1,30,52\n2,40,\n",
        ",temp,yield\n17,20,41\n4,30,52\n9,40,\n",  # of a part of a frame
    ],
)
def test_an_unnamed_column_that_counts_the_rows_is_no_input(text: str) -> None:
    sheet = parse(text)
    roles = guess(sheet)
    assert roles[0] is LABEL
    assert roles[1] is INPUT
    words = " ".join(Table.of_sheet(sheet, roles).remarks)
    assert f"{sheet.columns[0].name} numbers the rows: a label and no input." in words


def test_what_pandas_writes_comes_back_as_its_columns() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((9, 3)), columns=["a", "b", "yield"])
    for part in (frame, frame[frame["a"] > 0.3], frame.sample(5, random_state=0)):
        file = io.StringIO()
        part.to_csv(file)
        choice = Table.of_sheet(parse(file.getvalue()), guessed(file.getvalue()))
        assert choice.inputs == ("a", "b")
        assert dict(choice.labels)["column 1"] == tuple(map(str, part.index))


@pytest.mark.parametrize(
    "name",
    ["Run", "Run order", "run_order", "RunOrder", "StdOrder", "Obs", "#", "Trial", "Experiment",
     "Exp. No.", "Run #", "subject", "patient", "Patient ID", "block", "identifier", "individual",
     "sl", "rownames", "foo"],
)  # fmt: skip
def test_run_numbers_are_no_inputs(name: str) -> None:
    assert guessed(f"{name},temp,yield\n1,20,41\n2,35,52\n3,47,\n") == (LABEL, INPUT, VALUE)


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        # In any order, and again, under a name of what is measured; elsewhere that is a quantity.
        ("temp,run,y\n20,3,41\n35,1,52\n47,2,\n", (INPUT, LABEL, VALUE)),
        ("block,temp,y\n1,20,41\n1,35,52\n2,47,\n2,55,\n", (LABEL, INPUT, VALUE)),
        ("subject,temp,y\n1,20,41\n1,35,52\n1,47,\n", (LABEL, INPUT, VALUE)),
        ("number,temp,y\n1,20,41\n1,35,52\n2,47,\n", (INPUT, INPUT, VALUE)),
        ("coats,temp,y\n1,20,41\n3,35,52\n2,47,\n", (INPUT, INPUT, VALUE)),
        ("block,temp,y\n0.5,20,41\n1.5,35,52\n", (INPUT, INPUT, VALUE)),
        (",temp,y\n0.5,20,41\n1.5,35,52\n", (INPUT, INPUT, VALUE)),
        # With a slip or a gap in it.
        ("run,temp,y\n1,20,41\n,35,52\n3,47,\n", (LABEL, INPUT, VALUE)),
        ("run,temp,y\n1,20,1\n2,35,2\n3,47,3\n4,55,4\n5a,60,5\n", (LABEL, INPUT, VALUE)),
        # What is measured may count.
        ("temp,yield\n20,1\n35,2\n47,3\n", (INPUT, VALUE)),
        # From 2 on it is no number of rows.
        ("dose,temp,y\n2,20,41\n3,35,52\n4,47,\n", (INPUT, INPUT, VALUE)),
        # Texts: of blocks as well, although several rows have one.
        ("block,temp,y\nA,20,41\nA,35,52\nB,47,\nB,55,\n", (LABEL, INPUT, VALUE)),
        ("solvent,temp,y\nA,20,41\nA,35,52\nB,47,\nB,55,\n", (CATEGORY, INPUT, VALUE)),
    ],
)
def test_what_numbers_rows_and_what_does_not(text: str, roles: tuple[Role, ...]) -> None:
    assert guessed(text) == roles


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("dose,y\n1,41\n2,52\n3,\n", (INPUT, VALUE)),
        ("run,dose,y\n1,1,41\n2,2,52\n3,3,\n", (LABEL, INPUT, VALUE)),
        (",y\n0,41\n1,52\n2,\n", (INPUT, VALUE)),  # a series of pandas
        ("run,name,y\n1,one,41\n2,two,52\n3,three,\n", (INPUT, LABEL, VALUE)),
        # A measured column is no input instead.
        ("dose,value,score\n1,41,3\n2,52,9\n3,40,8\n", (INPUT, INPUT, VALUE)),
    ],
)
def test_without_another_input_the_count_is_one_and_the_table_can_be_used(
    text: str, roles: tuple[Role, ...]
) -> None:
    sheet = parse(text)
    assert guess(sheet) == roles
    name = sheet.columns[roles.index(INPUT)].name
    words = Table.of_sheet(sheet, roles).remarks
    assert any(
        one.startswith(f"{name} is an input, but may only number the rows.") for one in words
    )


def test_the_page_says_it_and_takes_another_answer() -> None:
    table = read("Run,coats,temp,yield\n1,1,20,41\n2,2,35,52\n3,3,47,\n").table
    said = "Run, coats number the rows: labels and no input."
    assert said in table.facts.object
    run(table.data.change(lambda draft: draft.assign({"coats": INPUT})))
    assert table.data.draft.table.inputs == ("coats", "temp")
    assert "Run numbers the rows: a label and no input." in table.facts.object
    assert "coats is an input, but may only number the rows." in table.facts.object


def test_a_block_of_texts_is_asked_about() -> None:
    """Nobody but the person knows whether a block can be chosen."""
    table = read("block,temp,y\nA,20,41\nA,35,52\nB,47,\nB,55,\n").table
    value, question = table.questions.asked
    click(value.buttons[0])
    assert "block is text: A, B. Is it an input?" in question.text.object
    click(question.buttons[0])
    assert table.data.draft.table.inputs == ("temp", "block = A", "block = B")


def test_names_of_rows_as_r_writes_them_are_not_asked_about() -> None:
    data = TableData()
    text = '"","wt","mpg"\n"Mazda RX4",2.62,21\n"Datsun 710",2.32,22.8\n"Valiant",3.46,18.1\n'
    assert run(data.load(text.encode(), "Cars"))
    assert data.draft.roles[0] is LABEL
    assert data.draft.open_texts == ()
