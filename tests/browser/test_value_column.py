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
