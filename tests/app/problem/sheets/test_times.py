"""Times become minutes if a person says so; mixed with numbers they are refused."""

from __future__ import annotations

import pytest

from ucbpe_app.problem.results import read_results
from ucbpe_core import GPUCBPE, RBF, ConstantBeta, Experiment, GaussianProcess, InputError
from ucbpe_core.search.experiment import Plan, Table
from ucbpe_core.tables.columns import Kind
from ucbpe_core.tables.dialect import Reading, UndecidedError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, guess

TEXT = "heated,temp;y\n0:05:00,20;1\n1:30:30,30;2\n-30:00:00.6,40;3\nNA,50;4\n".replace(",", ";")


def test_a_question_is_asked_once_and_its_answer_is_how_the_table_is_read() -> None:
    with pytest.raises(UndecidedError, match="0:05:00 in line 2, column heated") as asked:
        parse(TEXT)
    assert (asked.value.field, set(asked.value.answers)) == ("minutes", {True, False})
    sheet = parse(TEXT, Reading(minutes=True))
    heated = sheet.columns[0]
    assert heated.name == "heated (min)"
    assert heated.values.tolist()[:3] == [5, 90.5, -1800.01]
    assert heated.missing == (3,)
    assert sheet.remarks == ("heated is in minutes: 0:05:00 is 5.",)
    assert sheet.reading == Reading(";", ".", True, minutes=True)
    text = parse(TEXT, Reading(minutes=False))
    assert text.columns[0].kind is Kind.TEXT
    assert guess(text)[0] is Role.LABEL


def test_a_unit_that_is_there_stays_and_the_decimal_mark_is_that_of_the_table() -> None:
    sheet = parse("t (h:mm:ss);y\n0:00:30;1,5\n0:01:00;2,5\n", Reading(minutes=True))
    assert sheet.columns[0].name == "t (h:mm:ss)"
    assert sheet.columns[0].cells == ("0,5", "1")
    assert sheet.columns[0].values.tolist() == [0.5, 1]


@pytest.mark.parametrize("cells", [["0:05:00", "7"], ["0:05:00", "0:06:00", "0:07:00", "8.5"]])
def test_times_and_numbers_are_not_mixed(cells: list[str]) -> None:
    text = "heated,y\n" + "".join(f"{cell},{i * i}\n" for i, cell in enumerate(cells))
    with pytest.raises(UndecidedError):
        parse(text)
    wanted = rf"a time in every cell of column heated; got {cells[-1]} in line {len(cells) + 1}"
    with pytest.raises(InputError, match=wanted):
        parse(text, Reading(minutes=True))


@pytest.mark.parametrize(
    "cells",
    [
        ["5:30", "6:30"],  # minutes and seconds, or hours and minutes
        ["1", "2", "3", "4", "0:05:00"],  # numbers, with a slip among them
        ["0:05:00", "red", "blue"],
        ["14:05:00 UTC", "15:05:00 UTC"],
        ["0:65:00", "0:75:00"],
    ],
)
def test_what_is_no_column_of_times_is_not_asked_about(cells: list[str]) -> None:
    text = "heated,y\n" + "".join(f"{cell},{i * i}\n" for i, cell in enumerate(cells))
    assert parse(text).columns[0].cells == tuple(cells)


def test_results_that_are_times_are_asked_about_as_well() -> None:
    table = Table(("T",), [20.0, 30.0], output="heated (min)")
    experiment = Experiment(table, Plan(GaussianProcess(RBF(9.0)), GPUCBPE(2), ConstantBeta(4.0)))
    text = "candidate,heated\n0,0:01:30\n1,0:02:00\n"
    with pytest.raises(UndecidedError, match="0:01:30 in line 2, column heated"):
        read_results(text, experiment)
    found = read_results(text, experiment, Reading(minutes=True))
    assert (found.candidates, found.y) == ((0, 1), (1.5, 2))
    assert found.remarks == ("heated is in minutes: 0:01:30 is 1.5.",)
