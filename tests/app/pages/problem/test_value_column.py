"""The page asks for the value column, and for what to do with cells that it cannot read."""

from __future__ import annotations

from tests.app.pages.problem.sheets.test_omission import COLOURS, SLIP
from tests.app.pages.problem.test_page import HOSTILE, message, say
from tests.app.waiting import change, click, in_a_session
from ucbpe_app.pages.problem.page import ProblemPage
from ucbpe_app.pages.problem.sheets.examples import EXAMPLES


def read(text: str) -> ProblemPage:
    page = ProblemPage()
    say(page.table.upload, message("mine.csv", text.encode()))
    return page


def test_nothing_can_be_begun_before_the_value_is_known() -> None:
    page = read(EXAMPLES[0].text)
    table = page.table
    assert table._questions[table.asked].visible
    assert "Is yield (%) the value to optimise?" in table.asked.object
    assert (table.simulate.disabled, table.experiment.disabled) == (True, True)
    assert "Say which column is the value" in table.status.object
    click(table.confirm)
    assert not table._questions[table.asked].visible
    assert (table.simulate.disabled, table.experiment.disabled) == (False, False)


def test_choosing_the_column_answers_too() -> None:
    page = read("a,b\n1,2\n3,4\n5,\n")
    say(page.table.sheet, {"roles": ["value", "unused"]})
    assert page.data.confirmed
    page = read("a,b\n1,2\n3,4\n")
    assert "Which column is the value" in page.table.asked.object
    assert page.table.confirm.label == "No value is measured yet"
    click(page.table.confirm)
    assert not page.table.experiment.disabled


def test_an_example_is_known() -> None:
    page = ProblemPage()
    in_a_session(lambda: page.table._try(EXAMPLES[1]))
    assert not page.table.experiment.disabled


def test_a_slip_is_named_and_its_row_left_out_by_one_click() -> None:
    page = read(SLIP)
    table = page.table
    click(table.confirm)
    assert table.experiment.disabled
    assert "line 5, column Yield: &#x27;n.b.&#x27;" in table.unreadable.object
    assert [one["role"] for one in table.sheet.columns] == ["input", "input", "value"]
    assert table.sheet.columns[2]["kind"].startswith("numbers, 1 unreadable, 50.5 to ")
    assert table.omit.label == "Leave out 1 row"
    click(table.omit)
    assert table.left_out.value == "5"
    assert not table.experiment.disabled
    assert not table._questions[table.unreadable].visible
    assert table.sheet.columns[0]["lines"][:4] == [2, 3, 4, 6]
    change(table.left_out, "value", "5, 40")
    assert "lines with a row" in table.fault.object
    change(table.left_out, "value", "")
    assert table.experiment.disabled


def test_texts_are_coded_and_stay_texts() -> None:
    page = read(COLOURS.replace("red", HOSTILE))
    say(page.table.sheet, {"roles": ["category (one-hot)", "input", "value"]})
    click(page.table.confirm)
    assert page.data.choice.table.inputs[1:] == (f"colour = {HOSTILE}", "colour = blue")
    click(page.table.experiment)
    assert page.steps.active == "experiment"
    page = read(COLOURS.replace("colour,T,y", f"colour,T,{HOSTILE}"))
    say(page.table.sheet, {"roles": ["label", "input", "value"]})
    assert "<img" not in page.table.asked.object
    page = read(SLIP.replace("n.b.", HOSTILE))
    assert "<img" not in page.table.unreadable.object
