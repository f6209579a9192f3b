"""Ranges in place of a list of candidates, and the kinds of inputs."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.problem.test_page import message, say
from tests.app.waiting import change, click, run
from ucbpe_app.problem.edit_section import EditSection
from ucbpe_app.problem.page import ProblemPage
from ucbpe_app.problem.rows import Order, Show, candidates
from ucbpe_app.problem.sheets.data import EXAMPLES, TableData
from ucbpe_app.problem.sheets.ranges import is_ranges, read_ranges
from ucbpe_core import Experiment, InputError
from ucbpe_core.search.experiment import Design
from ucbpe_core.spaces.inputs import Category, Integer, Real, SumConstraint
from ucbpe_core.tables.parse import parse
from ucbpe_core.tables.roles import Role, guess
from ucbpe_core.tables.table import Table

TEXT = """
temperature (°C): 20 to 80 step 5
dose (mM): 0,001 to 1
runs: 1 to 3 whole
solvent: water, THF; with 5 % acid
oil: 0 to 1
water: 0 – 1

oil + water <= 1
yield (%): measured
"""


def test_lines_are_inputs_sums_and_what_is_measured() -> None:
    draft = read_ranges(TEXT.replace("water, THF; with", "water; THF, with"))
    assert draft.design == Design(
        ("temperature (°C)", "dose (mM)", "runs", "solvent", "oil", "water"),
        (
            Real(20, 80, step=5), Real(0.001, 1, log=True), Integer(1, 3),
            Category(("water", "THF, with 5 % acid")), Real(0, 1), Real(0, 1),
        ),
        (SumConstraint(("oil", "water"), 1, at_most=True),),
        2000,
    )  # fmt: skip
    assert draft.roles == (
        Role.INPUT, Role.LOG, Role.WHOLE, Role.CATEGORY, Role.INPUT, Role.INPUT,
    )  # fmt: skip
    assert draft.ready
    table = draft.table
    assert table.output == "yield (%)"
    assert [name for name, _ in table.labels] == ["dose (mM)", "solvent"]
    assert np.all(table.candidates[:, -2:].sum(axis=1) <= 1 + 1e-9)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a: 1 to 2\nb 3 to 4", "a range, a category or a sum.* in line 2"),
        ("a: 1 to 2 mM", "step, whole or log behind a range in line 1; got 'mm'"),
        ("a: 1 to 2\na: 1 to 3", "an input that is not yet there in line 2"),
        ("a: 1 to 2\nb: 0 to 1\na + c = 1", "a sum of a, b in line 3; got 'c'"),
        ("a: 1 to 2\nb: 0 to 1\na + b = 9", "a sum of a, b from 1 to 3; got 9"),
        ("a: 2 to 1", "low < high"),
        ("a: 0 to 1 log", "0 < low < high"),
        ("a: 0.5 to 3 whole", "low to be a whole number|an integer|whole"),
        ("a: 1 to 2\nb: x", "at least two categories"),
        ("a: 1 to 1,000", "which can be read in two ways"),
        ("a: 1 to 2\nb: " + ", ".join(map(str, range(20))), "at most 20 inputs"),
    ],
)
def test_what_cannot_be_is_said_with_its_line(text: str, what: str) -> None:
    assert is_ranges(text)
    with pytest.raises(InputError, match=what):
        read_ranges(text)


def test_a_table_is_no_ranges() -> None:
    assert not any(is_ranges(one.text) for one in EXAMPLES[:2])
    assert is_ranges(EXAMPLES[2].text)
    assert not is_ranges("time: from,y\n1 to 2,3\n")


def test_a_kind_is_changed_in_the_head_of_its_column() -> None:
    data = TableData()
    assert run(data.load(b"a: 1 to 100\nb: 5 to 6\n", "Mine"))
    assert run(data.change(lambda draft: draft.assign({"a": Role.LOG})))
    assert data.draft.table.inputs == ("log10 a", "b")
    assert run(data.change(lambda draft: draft.assign({"a": Role.WHOLE, "b": Role.WHOLE})))
    assert sorted(set(data.draft.table.candidates[:, 1])) == [5, 6]
    before = data.draft
    assert not run(data.change(lambda draft: draft.assign({"a": Role.CATEGORY})))
    assert "a to be category; got a range" in str(data.error)
    assert data.draft is before


def test_ranges_become_an_experiment_and_one_of_them_is_widened_in_its_middle() -> None:
    page = ProblemPage()
    table = page.table
    say(table.upload, message("Pasted table", EXAMPLES[2].text.encode()))
    assert "run an experiment to measure" in table.status.object
    assert table.sheet.uses == ["input", "whole number", "logarithmic", "category"]
    assert [one["role"] for one in table.sheet.columns] == ["input", "input", "category"]
    assert not table.question.visible
    click(table.experiment)
    state = page.experiment
    run(state.step(Experiment.ask))
    shown = page.measuring.rows.proposed.page
    assert shown["names"][:3] == ("solvent", "temperature (°C)", "time (min)")
    assert shown["rows"][0]["cells"][0] in ("water", "ethanol")
    # The values of a category are a lengthscale of 1 apart, as in `minimize`.
    assert state.current.plan.gp.kernel.lengthscale[2:] == (1.0, 1.0)
    edit = EditSection(state, page.measuring.attempt)
    assert "time (min): 2 to 20" in edit.ranges.object
    change(edit.values, "value", "time (min): 2 to 40")
    run(edit.widen())
    assert state.current.table.candidates[:, 1].max() == 40
    assert state.current.journal[-1].verb == "edit"
    assert "change of a range" in page.measuring.undo.label
    change(edit.added, "value", "25.5; 3; water")
    run(edit.add())
    found = candidates(state.current, state.picture.frame, Show.ALL, Order.TABLE, "25.5")
    assert [row.cells[1:4] for row in found.rows] == [("water", "25.5", "3")]
    run(state.undo()), run(state.undo())
    assert state.current.table.candidates[:, 1].max() == 20


def test_a_column_of_a_file_over_decades_is_logarithmic_and_told_as_it_is_written() -> None:
    text = "c,T,y\n" + "".join(f"{c},{T},\n" for c in ("1e-3", "0.01", "0.1") for T in (20, 30, 40))
    sheet = parse(text)
    assert guess(sheet) == (Role.LOG, Role.INPUT, Role.VALUE)
    table = Table.of_sheet(sheet, guess(sheet))
    assert table.inputs == ("log10 c", "T")
    assert np.allclose(table.candidates[::3, 0], [-3, -2, -1])
    assert table.labels == (("c", ("1e-3",) * 3 + ("0.01",) * 3 + ("0.1",) * 3),)
    uneven = parse("c,T,y\n" + "".join(f"{1 + i},{i % 3},\n" for i in range(300)))
    assert guess(uneven)[0] is not Role.LOG
    with pytest.raises(InputError, match=r"above 0 in a logarithmic one.*line 2, column c: '0'"):
        Table.of_sheet(parse(text.replace("1e-3,20", "0,20")), guess(sheet))
