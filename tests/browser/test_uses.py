"""Your problem: uses of columns that are chosen faster than the server answers."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.test_problem import Person
from tests.browser.view import show
from tests.browser.wire import Wire
from ucbpe_app.problem.views import SheetView

_TABLE = "block,T,time,y\n1,1,7,3\n2,4,7,9\n3,2,9,\n4,3,9,\n5,5,8,\n6,7,8,\n"


def test_choices_on_their_way_all_count(line: Wire, server: str, page: Page) -> None:
    """Nothing is answered until all is chosen, and the experiment begun by a press."""
    assert server
    lab, person = Lab(page, line.url), Person(page)
    lab.open("?page=problem")
    person.paste(_TABLE)
    person.sees("Is y the value to optimise?")
    person.press("Yes, optimise y")
    expect(person.button("Run an experiment")).to_be_enabled()
    chosen = {"block": "input", "T": "logarithmic", "time": "label"}
    line.hold()
    try:
        for name, use in chosen.items():
            page.get_by_label(f"Use of column {name}", exact=True).select_option(use)
        person.press("Run an experiment")
    finally:
        line.restore()
    person.press("Propose 4 rows")
    person.sees("4 results outstanding; 2 measurements")
    person.step("Table")
    for name, use in chosen.items():
        expect(page.get_by_label(f"Use of column {name}", exact=True)).to_have_value(use)
    assert not lab.errors


def _columns(*roles: str) -> list[dict[str, Any]]:
    common = {"kind": "numbers", "numeric": True, "cells": ["1"], "lines": [2]}
    return [{"name": f"x{i}", "role": role, **common} for i, role in enumerate(roles)]


def test_an_older_answer_changes_no_later_choice(page: Page) -> None:
    values = {"columns": _columns("input", "input"), "uses": ["input", "label", "value"],
              "counted": "line", "caption": "Table", "answered": 0}  # fmt: skip
    show(page, SheetView._esm, values)
    selects = page.get_by_role("combobox")

    def answer(*roles: str, request: int) -> list[str]:
        page.evaluate("(one) => answer({columns: one})", _columns(*roles))
        before = [one.input_value() for one in selects.all()]
        page.evaluate("(one) => answer({answered: one})", request)
        now = [one.input_value() for one in selects.all()]
        assert before == now or request == 3
        return now

    selects.first.select_option("label")
    selects.last.select_option("label")
    selects.last.select_option("value")
    assert page.evaluate("sent") == [
        {"column": "x0", "role": "label", "request": 1},
        {"column": "x1", "role": "label", "request": 2},
        {"column": "x1", "role": "value", "request": 3},
    ]
    first = selects.first.element_handle()
    assert answer("label", "input", request=1) == ["label", "value"]
    assert answer("label", "label", request=2) == ["label", "value"]
    assert answer("label", "label", request=3) == ["label", "label"]  # it was not taken
    assert first.evaluate("(one) => one.isConnected")  # a list that is open stays so
