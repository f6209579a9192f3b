"""The Problem page in use: a press that began before a step was done is answered after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page

from tests.browser import held
from tests.browser.conftest import Lab, Server, exceptions, running
from tests.browser.test_problem import Person


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


def hold_down(button: Locator) -> None:
    """Press the mouse's button on the lower edge of a button, and do not let go."""
    box = button.bounding_box()
    assert box
    mouse = button.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    mouse.down()


@pytest.mark.slow
def test_while_a_step_is_shown(person: Person, steps: held.Steps) -> None:
    """The mouse's button is down before the step is done, and up when all of the page shows it."""
    names = person.page.get_by_role("navigation", name="Steps")
    with steps.held():
        person.press("Run an experiment")
        steps.wait()
        hold_down(names.get_by_role("button", name="Table"))
    person.button("Propose 4 rows").wait_for()
    person.page.mouse.up()
    person.button("Run an experiment").wait_for()

    # In the bar.
    person.step("Experiment")
    with steps.held():
        person.press("Propose 4 rows")
        steps.wait()
        hold_down(person.button("Undo fit"))
    person.sees("4 results outstanding")
    person.button("Undo batch 1").wait_for()
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
    person.button("Undo 1 result").wait_for()
    person.page.mouse.up()
    person.sees("2 results outstanding; 5 measurements")
