"""The Problem page in use: a press is answered at whatever moment it comes, and its button stays.

Beside it: a table with names longer than any column, one with a slip, and what stays legible.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import held
from tests.browser.conftest import Lab, Server, exceptions, running
from tests.browser.layout import resized
from tests.browser.test_problem import PATIENCE, Person

SIZES = ((1280, 920), (1000, 720), (390, 844))
STEADY = ("Undo", "Save experiment")
# As soon as the button is in the page, before the figures are drawn: faster than any hand.
AT_ONCE = """() => {
  const walk = (view) => view.model?.data?.caption === "Proposed rows" ? view
    : (view.children_views?.() ?? []).map(walk).find(Boolean)
  const look = () => {
    const view = Object.values(Bokeh.index).map(walk).find(Boolean)
    const button = view?.shadow_el?.querySelector(".actions button")
    button ? button.click() : setTimeout(look)
  }
  look()
}"""


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> held.Steps:
    return held.Steps(tmp_path_factory.mktemp("steps"))


@pytest.fixture(scope="module")
def held_server(tmp_path_factory: pytest.TempPathFactory, steps: held.Steps) -> Iterator[Server]:
    log = tmp_path_factory.mktemp("held") / "log.txt"
    with running(log, program=held.PROGRAM, environment=steps.environment) as server:
        yield server
        assert not exceptions(server.said()), server.said()


@pytest.fixture
def person(page: Page, held_server: Server) -> Iterator[Person]:
    lab = Lab(page, held_server.url)
    lab.open("?page=problem")
    person = Person(page)
    person.press("Example: Four measured so far")
    person.sees("4 values known")
    yield person
    assert not lab.errors, lab.errors


def propose(person: Person) -> None:
    """Begin an experiment, and have its first batch proposed."""
    person.press("Run an experiment")
    person.press("Propose 4 rows")
    person.sees("4 results outstanding")


def hold_down(button: Locator) -> None:
    """Press the mouse's button on the lower edge of a button, and do not let go."""
    box = button.bounding_box()
    assert box
    mouse = button.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    mouse.down()


@pytest.mark.slow
def test_before_the_figures_are_drawn(person: Person) -> None:
    person.page.evaluate(AT_ONCE)
    person.press("Run an experiment")
    person.sees("4 results outstanding")


@pytest.mark.slow
def test_while_a_step_is_computed(person: Person, steps: held.Steps) -> None:
    """An Undo that names an earlier step than the last undoes nothing else."""
    propose(person)
    person.result("1 · x²").fill("66.5")
    with steps.held():
        person.press("Record 1 result")
        steps.wait()
        person.press("Undo batch 1")
    person.sees("3 results outstanding; 5 measurements")
    person.press("Undo 1 result")
    person.sees("4 results outstanding; 4 measurements")
    person.press("Redo 1 result")
    person.sees("3 results outstanding; 5 measurements")


@pytest.mark.slow
def test_while_a_step_is_shown(person: Person, steps: held.Steps) -> None:
    """The mouse's button is down before the step is done, and up when all of the page shows it."""
    names = person.page.get_by_role("navigation", name="Steps")
    with steps.held():
        person.press("Run an experiment")
        steps.wait()
        hold_down(names.get_by_role("button", name="Drawn curve"))
    person.button("Propose 4 rows").wait_for(timeout=PATIENCE)
    person.page.mouse.up()
    on_a_point_that_a_field_is_left_for(person)

    # In the bar.
    person.step("Experiment")
    with steps.held():
        person.press("Propose 4 rows")
        steps.wait()
        hold_down(person.button("Undo 4 results"))
    person.sees("4 results outstanding")
    person.button("Undo batch 1").wait_for(timeout=PATIENCE)
    person.page.mouse.up()
    person.sees("No row is proposed.")

    # In a row, which is the same after that step.
    person.press("Propose 4 rows")
    person.sees("4 results outstanding")
    person.result("1 · x³").fill("66.5")
    withdraw = person.page.get_by_role("button", name="Withdraw this pick").first
    withdraw.scroll_into_view_if_needed()
    with steps.held():
        person.press("Record 1 result")
        steps.wait()
        hold_down(withdraw)
    person.sees("3 results outstanding; 5 measurements")
    person.button("Undo 1 result").wait_for(timeout=PATIENCE)
    person.page.mouse.up()
    person.sees("2 results outstanding; 5 measurements")


def on_a_point_that_a_field_is_left_for(person: Person) -> None:
    """The answer to what was typed comes between press and release."""
    height = person.page.get_by_label("f of point 4", exact=True)
    expect(height).to_have_value("0.9", timeout=PATIENCE)
    height.fill("0,5")
    hold_down(person.button("Remove point 2"))
    expect(height).to_have_value("0.5", timeout=PATIENCE)
    person.page.mouse.up()
    second = person.page.get_by_label("x of point 2", exact=True)
    expect(second).to_have_value("3", timeout=PATIENCE)


@pytest.mark.slow
def test_the_bar_keeps_its_place(person: Person, steps: held.Steps) -> None:
    """Through steps that change labels and the length of the status, and while one is computed."""
    person.press("Run an experiment")
    person.sees("4 measurements")
    person.press("Propose 4 rows")
    person.press("Undo batch 1")
    for size in SIZES:
        resized(person.page, size)
        keeps_its_place(person, steps)


def keeps_its_place(person: Person, steps: held.Steps) -> None:
    person.button("Undo 4 results").wait_for(timeout=PATIENCE)
    before = places(person)
    with steps.held():
        person.press("Propose 4 rows")
        steps.wait()
        person.page.get_by_role("progressbar").filter(visible=True).first.wait_for(timeout=PATIENCE)
        assert places(person) == before
    for name, seen in (
        ("Undo batch 1", "4 results outstanding"),
        ("Redo batch 1", "No row is proposed."),
        ("Undo batch 1", "4 results outstanding"),
    ):
        person.button(name).wait_for(timeout=PATIENCE)
        person.sees(seen)
        assert places(person) == before
        person.press(name)
    redo = person.button("Redo batch 1")
    redo.wait_for(timeout=PATIENCE)
    assert places(person) == before


def places(person: Person) -> dict[str, Any]:
    """Where on the screen the buttons of the bar begin, whatever they say."""
    buttons = {name: person.page.get_by_role("button", name=name).last for name in STEADY}
    boxes = {name: button.bounding_box() or {} for name, button in buttons.items()}
    return {name: (box.get("x"), box.get("y")) for name, box in boxes.items()}
