"""The page asks for the value column, and for what to do with cells that it cannot read."""

from __future__ import annotations

import asyncio

import panel_material_ui as pmui

from tests.app.problem.sheets.test_left_out import SLIP
from tests.app.problem.tables import text
from tests.app.problem.test_page import message, say
from tests.app.waiting import change, click, in_a_session, run
from ucbpe_app.problem.layout import Question
from ucbpe_app.problem.page import ProblemPage
from ucbpe_app.problem.sheets.data import TableData
from ucbpe_app.problem.table_section import TableSection
from ucbpe_core.tables.dialect import Reading
from ucbpe_core.tables.roles import Role


def asked(table: TableSection) -> Question:
    """What is asked, or asked first."""
    return table.question if table.question.visible else table.questions.asked[0]


def read(text: str) -> ProblemPage:
    page = ProblemPage()
    say(page.table.upload, message("mine.csv", text.encode()))
    return page


def test_a_slip_is_named_and_its_row_left_out_by_one_click() -> None:
    page = read(SLIP)
    table = page.table
    assert "Is Yield the value to optimise?" in asked(table).text.object
    assert "Not usable yet" in table.status.object
    click(asked(table).buttons[0])
    assert table.experiment.disabled
    assert "line 5, column Yield: &#39;n.b.&#39;" in asked(table).text.object
    assert table.sheet.columns[2]["kind"].startswith("numbers, 1 unreadable, 50.5 to ")
    assert asked(table).buttons[0].label == "Leave out 1 row"
    click(asked(table).buttons[0])
    assert table.left_out.value == "5"
    assert not table.experiment.disabled
    assert table.questions.asked == ()
    assert table.sheet.columns[0]["lines"][:4] == [2, 3, 4, 6]
    change(table.left_out, "value", "5, 40")
    assert "lines with a row" in table.fault.object
    change(table.left_out, "value", "")
    assert table.experiment.disabled


def test_thousands_are_asked_about_before_there_is_a_table() -> None:
    page = read('T,pressure,yield\n20,"950",12\n30,"1,050",17\n')
    table = page.table
    assert asked(table).visible
    assert "1,050 in line 3, column pressure: is it 1050" in asked(table).text.object
    assert table.fault.object == ""
    assert {one.label for one in asked(table).buttons} == {"It is 1050", "It is 1.05"}
    click(asked(table).buttons[0])
    assert "the value to optimise?" in asked(table).text.object
    assert "Thousands are grouped: 1,050 is read as 1050." in table.facts.object
    # An error of another table is no question.
    say(table.upload, message("bad.csv", b"a,b\n1,2,3\n"))
    assert "decimal" not in asked(table).text.object
    assert "2 cells in line 2" in table.fault.object


def test_texts_are_asked_about_and_what_was_said_is_told() -> None:
    page = read("Solvent,T,y\nwater,20,1\nethanol,20,2\nwater,30,3\nacetone,30,\n")
    table = page.table
    click(asked(table).buttons[0])
    assert asked(table).visible
    assert "Solvent is text: water, ethanol, acetone." in asked(table).text.object
    assert table.experiment.disabled
    assert "See the question above the table." in table.status.object
    assert asked(table).buttons[0].label == "Yes, a category"
    click(asked(table).buttons[0])
    assert table.questions.asked == ()
    assert not table.experiment.disabled
    assert "Solvent is a category of 3 texts." in table.facts.object
    say(table.sheet, {"column": "Solvent", "role": "label", "request": 1})
    assert "Solvent, text, is left out: it is not an input." in table.facts.object


TWO_TEXTS = (
    "Solvent,block,T,U,y\nwater,A,20,1,1\nethanol,B,20,2,\nwater,B,30,3,3\nethanol,A,30,4,\n"
)


def uses(*choices: tuple[str, str]) -> list[dict[str, object]]:
    """What a browser sends for these choices."""
    return [
        {"column": column, "role": role, "request": request}
        for request, (column, role) in enumerate(choices, 1)
    ]


def at_once(table: TableSection, choices: list[dict[str, object]], button: pmui.Button) -> None:
    """Choose, and press, before the first of it is taken."""

    def act() -> None:
        for choice in choices:
            table.sheet.receive(choice)
        button.clicks += 1

    in_a_session(act)


def test_choices_and_a_press_before_the_first_is_taken_all_count() -> None:
    page = read(TWO_TEXTS)
    table = page.table
    click(asked(table).buttons[0])
    choices = uses(
        ("Solvent", "category"), ("block", "label"), ("U", "unused"), ("block", "category")
    )
    at_once(table, choices, table.experiment)
    assert [one.value for one in page.data.draft.roles] == [
        "category", "category", "input", "unused", "value"
    ]  # fmt: skip
    assert table.sheet.answered == 4
    assert page.experiment.current.table.inputs == (
        "T", "Solvent = water", "Solvent = ethanol", "block = A", "block = B"
    )  # fmt: skip


def test_all_questions_are_asked_at_once_with_their_number_and_answered_in_any_order() -> None:
    page = read(TWO_TEXTS)
    table = page.table
    value, solvent, block = table.questions.asked
    assert "Question 1 of 3. Is y the value" in value.text.object
    assert "Question 3 of 3. block is text" in block.text.object
    assert "See the questions above the table." in table.status.object
    click(block.buttons[1])
    assert table.questions.asked == (value, solvent)
    click(value.buttons[0])
    (last,) = table.questions.asked
    assert last is solvent
    assert "Question" not in solvent.text.object
    click(solvent.buttons[0])
    assert table.questions.asked == ()
    assert [one.value for one in page.data.draft.roles[:2]] == ["category", "label"]


def test_no_experiment_is_begun_on_a_table_that_a_choice_before_the_press_made_unusable() -> None:
    page = read("T,name,y\n20,one,1\n30,two,2\n")
    table = page.table
    click(asked(table).buttons[0])
    assert not table.experiment.disabled
    at_once(table, uses(("name", "input")), table.experiment)
    assert page.experiment.current is None
    assert "Leave out 2 rows" in {one.label for one in asked(table).buttons}


def test_an_answer_counts_for_what_it_was_asked_about() -> None:
    """A choice that comes before it makes the page ask about something else."""
    page = read(TWO_TEXTS)
    table = page.table
    click(asked(table).buttons[0])
    assert "Solvent is text" in asked(table).text.object
    at_once(table, uses(("Solvent", "label")), asked(table).buttons[0])  # yes, a category
    assert "block is text" in asked(table).text.object
    assert [one.value for one in page.data.draft.roles[:2]] == ["category", "label"]
    # Rows to leave out are those that were asked about.
    page = read(SLIP)
    table = page.table
    click(asked(table).buttons[0])
    at_once(table, uses(("Yield", "label")), asked(table).buttons[0])
    assert page.data.draft.left_out == ()


def test_a_choice_while_the_file_is_read_another_way_does_not_bring_the_old_reading_back() -> None:
    data = TableData()
    assert run(data.load(text().encode(), "Mine"))

    async def both() -> None:
        choice = data.change(lambda draft: draft.assign({"y": Role.LABEL}))
        await asyncio.gather(data.read_as(Reading(separator=";")), choice)

    run(both())
    assert [one.name for one in data.draft.sheet.columns] == ["sample,in 0,in 1,y"]


def test_a_table_that_cannot_be_read_leaves_the_one_before() -> None:
    data = TableData()
    assert run(data.load(text().encode(), "Mine"))
    sheet, choice = data.draft.sheet, data.draft.table
    assert not run(data.load(b"a,b\n1,2,3\n", "Bad"))
    assert (data.title, data.draft.sheet, data.draft.table) == ("Mine", sheet, choice)
    assert data.error.got == "3"
    # The text of the table before is still what can be read another way.
    assert run(data.read_as(Reading(separator=";")))
    assert [one.name for one in data.draft.sheet.columns] == ["sample,in 0,in 1,y"]
    assert data.error.expected == "at least one input"
    assert run(data.read_as(Reading()))
    assert data.error is None
