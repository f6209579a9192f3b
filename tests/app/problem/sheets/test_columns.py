"""Columns of texts, such as a solvent: a person says whether they are inputs, and it is kept."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests.app.problem.tables import read, told
from tests.app.waiting import run
from ucbpe_app.problem.experiment import ExperimentState
from ucbpe_app.problem.results import read_results
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_core import Experiment, InputError
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, unreadable
from ucbpe_core.tables.table import Table

SOLVENTS = ("water", "ethanol", "toluene")
TABLE = "Solvent,T,Yield\n" + "".join(
    f"{solvent},{T},\n" for T in range(20, 60, 10) for solvent in SOLVENTS
)


def taken(text: str) -> TableData:
    data = TableData()
    assert run(data.load(text.encode(), "Mine"))
    run(data.change(lambda draft: draft.confirm(draft.value)))
    return data


def test_nothing_is_begun_before_somebody_has_said_what_the_texts_are() -> None:
    data = taken(TABLE)
    assert data.draft.roles == (Role.CATEGORY, Role.INPUT, Role.VALUE)
    assert [one.name for one in data.draft.open_texts] == ["Solvent"]
    assert not data.draft.ready
    run(data.change(lambda draft: draft.assign({"Solvent": Role.CATEGORY})))
    assert data.draft.ready
    assert data.draft.open_texts == ()
    assert data.draft.table.inputs == ("T", *(f"Solvent = {one}" for one in SOLVENTS))
    assert "Solvent is a category of 3 texts." in data.draft.table.remarks
    # Twelve candidates, all different: today's reading made four of them.
    assert len(np.unique(data.draft.table.candidates, axis=0)) == 12


@pytest.mark.parametrize(
    ("cells", "role", "asked"),
    [
        (["A", "B", "A", "C"], Role.CATEGORY, True),
        (["A", "B", "C", "D"], Role.LABEL, True),  # each its own: more likely a name
        (["A", "B", "", "A"], Role.LABEL, True),
        (["A", "A", "A", "A"], Role.LABEL, False),
        ([f"S{i % 25}" for i in range(30)], Role.LABEL, False),
        (["none", "Na", "K", "Na"], Role.CATEGORY, True),  # no missing values, but texts
    ],
)
def test_which_texts_are_asked_about(cells: list[str], role: Role, asked: bool) -> None:
    data = taken("kind,T,y\n" + "".join(f"{cell},{i},1.5\n" for i, cell in enumerate(cells)))
    assert data.draft.roles[0] is role
    assert bool(data.draft.open_texts) == asked


def test_a_column_that_names_the_rows_is_not_asked_about() -> None:
    assert taken("sample,T,y\nA,1,2\nB,2,3\n").draft.ready
    assert not taken("sample,T,y\nA,1,2\nB,2,3\nA,3,4\n").draft.ready  # unless rows share a name


def test_too_many_texts_are_said_to_be_left_out() -> None:
    data = taken("kind,T,y\n" + "".join(f"S{i % 25},{i},1.5\n" for i in range(50)))
    assert data.draft.table.remarks[0] == (
        "kind, with 25 texts, too many to be coded, is left out: it is not an input."
    )


def test_a_text_like_a_missing_value_is_a_category() -> None:
    sheet = parse("salt,T\nNa,1\nK,2\nnone,3\n-,4\nNa,5\n")
    assert unreadable(sheet, (Role.CATEGORY, Role.INPUT)) == ()
    choice = Table.of_sheet(sheet, (Role.CATEGORY, Role.INPUT))
    names = ("salt = Na", "salt = K", "salt = none", "salt = -")
    assert choice.inputs == ("T", *names)
    assert choice.candidates[:, 1:].sum(axis=1).tolist() == [1] * 5


def begun(role: Role) -> ExperimentState:
    data, experiment = taken(TABLE), ExperimentState()
    run(data.change(lambda draft: draft.assign({"Solvent": role})))
    experiment.settings.accept(batch_size=3)
    run(experiment.begin(data.draft.table, "Extraction"))
    return experiment


@pytest.mark.parametrize("role", [Role.CATEGORY, Role.LABEL])
def test_what_is_saved_and_exported_has_the_choice(role: Role) -> None:
    """Save, load, and record by the row's own values: the table's own columns, filled in."""
    experiment = begun(role)
    saved = (experiment.head + experiment.journal).encode()
    other = ExperimentState()
    run(other.open(saved))
    table = other.current.table
    assert table.inputs == experiment.current.table.inputs
    assert table.labels == (("Solvent", SOLVENTS * 4),)
    measured = TABLE.replace("ethanol,30,", "ethanol,30,52.5").replace("water,50,", "water,50,41")
    found = read(other, measured)
    assert (found.candidates, found.y, found.empty) == ((4, 9), (52.5, 41), 10)
    run(other.step(lambda one: one.tell(found.candidates, found.y)))
    # What it exports is recorded already, and is all that another one on the table needs.
    exported = other.csv()
    head = exported.splitlines()[0].split(",")
    assert "label 1: Solvent" in head
    assert ("input 2: Solvent = water" in head) == (role is Role.CATEGORY)
    assert read(other, exported).again == 2
    again = read(experiment, exported)
    assert list(zip(again.candidates, again.y, strict=True)) == list(told(other.current))
    # In Python as well.
    loaded = Experiment.load(io.StringIO(saved.decode()))
    assert read_results(measured, loaded).candidates == (4, 9)


def test_rows_are_known_by_coded_inputs_or_by_the_texts() -> None:
    experiment = begun(Role.CATEGORY).current
    coded = "T,Solvent = water,Solvent = ethanol,Solvent = toluene,y\n30,0,1,0,52.5\n"
    texts = "Yield,Solvent,T\n52.5,ethanol,30\n"
    for text in (coded, texts):
        assert read_results(text, experiment).candidates == (4,)
    with pytest.raises(
        InputError, match="a row of the table with Solvent, T as in line 2; got acetone"
    ):
        read_results("T,Solvent,y\n30,acetone,1\n", experiment)
    with pytest.raises(
        InputError, match="with candidate, Solvent, T as in line 2; got 3, ethanol, 30"
    ):
        read_results("candidate,T,Solvent,y\n3,30,ethanol,1\n", experiment)
