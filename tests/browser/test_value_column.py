"""A table with a slip, as somebody brings it: asked for, named, left out, and used."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.app.pages.problem.sheets.test_omission import SLIP
from tests.browser.conftest import Lab
from tests.browser.test_problem import PATIENCE, Person


@pytest.mark.slow
def test_one_slip_costs_one_row(lab: Lab) -> None:
    lab.open("?page=problem")
    person = Person(lab.page)
    person.paste(SLIP)
    person.sees("1 cell cannot be used: line 5, column Yield: 'n.b.'.")
    expect(lab.page.get_by_label("Use of column Yield")).to_have_value("value")
    expect(person.button("Run an experiment")).to_be_disabled()
    person.press("Leave out 1 row")
    person.sees("8 rows, 2 inputs, 8 values known. Say which column is the value")
    expect(person.button("Run an experiment")).to_be_disabled()
    expect(person.button("Leave out 0 rows")).to_have_count(0)
    person.press("Yes, optimise Yield")
    expect(person.button("Yes, optimise Yield")).to_have_count(0)
    expect(person.button("Run an experiment")).to_be_enabled()
    expect(lab.page.get_by_label("Rows left out, by line")).to_have_value("5")
    person.press("Run an experiment")
    expect(person.button("Propose batch 1")).to_be_visible(timeout=3 * PATIENCE)


@pytest.mark.slow
def test_thousands_and_solvents_are_asked_about(lab: Lab) -> None:
    lab.open("?page=problem")
    person = Person(lab.page)
    person.paste(
        'Solvent,pressure,Yield\nwater,"950",41\nethanol,"1,050",52\nwater,"1,150",\nacetone,"900",\n'
    )
    person.sees("1,050 in line 3, column pressure: is it 1050")
    person.sees("A number can be read in two ways: see the question above.")
    person.press("It is 1050")
    person.sees("Thousands are grouped: 1,050 is read as 1050.")
    person.press("Yes, optimise Yield")
    person.sees("Say how Solvent is used: see the question above.")
    expect(person.button("Run an experiment")).to_be_disabled()
    person.press("Code it as 3 inputs")
    person.sees("Solvent is coded as 3 inputs, one for each of its texts.")
    person.sees("4 rows, 4 inputs, 2 values known: they count as measured.")
    expect(lab.page.get_by_label("Use of column Solvent")).to_have_value("category (one-hot)")
    lab.page.get_by_label("Use of column Solvent").select_option("label")
    person.sees("Solvent, text, is left out: it is not an input.")
    expect(person.button("Run an experiment")).to_be_enabled()
