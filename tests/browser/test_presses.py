"""A press is answered at whatever moment it comes, and what can be pressed keeps its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser import held
from tests.browser.conftest import Lab, Server, exceptions, running
from tests.browser.test_problem import PATIENCE, Person

SIZES = {"high": (1280, 920), "low": (1366, 768), "narrow": (1000, 720), "phone": (390, 844)}
STEADY = ("Undo", "Redo", "Propose batch")
# As soon as the button is in the page, before the figures are drawn: faster than any hand.
AT_ONCE = """() => {
  const walk = (view) => view.model?.data?.label?.startsWith?.("Propose batch") ? view
    : (view.children_views?.() ?? []).map(walk).find(Boolean)
  const look = () => {
    const view = Object.values(Bokeh.index).map(walk).find(Boolean)
    const button = view?.shadow_el?.querySelector("button")
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


def places(person: Person) -> dict[str, Any]:
    """Where on the screen the buttons of the bar are, whatever they say."""
    buttons = {name: person.page.get_by_role("button", name=name).last for name in STEADY}
    return {name: button.bounding_box() for name, button in buttons.items()}


def held_down(person: Person, name: str) -> None:
    """The mouse's button is down on the lower edge of a button."""
    box = person.button(name).bounding_box()
    assert box
    person.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
    person.page.mouse.down()


@pytest.mark.slow
def test_a_press_at_each_moment_of_the_first_steps(person: Person, steps: held.Steps) -> None:
    page = person.page
    page.evaluate(AT_ONCE)
    person.press("Run an experiment")
    person.sees("4 results outstanding")

    # While a step is computed: what is pressed comes after it, the same once more does nothing.
    begun = steps.begun()
    person.result("1 · x²").fill("66.5")
    with steps.held():
        person.press("Record 1 result")
        steps.wait(begun + 1)
        person.press("Undo batch 1")
        page.wait_for_timeout(500)
    person.sees("4 results outstanding; 4 measurements")
    person.press("Redo 1 result")
    person.sees("3 results outstanding; 5 measurements")

    # Down before a step is done, up when all of the page shows it.
    person.press("Undo 1 result")
    person.sees("4 results outstanding; 4 measurements")
    person.press("Undo batch 1")
    person.sees("No row is proposed.")
    begun = steps.begun()
    with steps.held():
        person.press("Propose batch 1")
        steps.wait(begun + 1)
        held_down(person, "Undo 4 results")
    person.sees("4 results outstanding")
    person.button("Undo batch 1").wait_for(timeout=PATIENCE)
    page.mouse.up()
    person.sees("No row is proposed.")


@pytest.mark.parametrize("size", SIZES)
def test_the_bar_keeps_its_place(person: Person, steps: held.Steps, size: str) -> None:
    """Through steps that change labels and the length of the status, and while one is computed."""
    width, height = SIZES[size]
    person.page.set_viewport_size({"width": width, "height": height})
    person.press("Run an experiment")
    person.sees("4 measurements")
    person.button("Redo").wait_for(timeout=PATIENCE)
    before, begun = places(person), steps.begun()
    with steps.held():
        person.press("Propose batch 1")
        steps.wait(begun + 1)
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
    person.button("Redo batch 1").wait_for(timeout=PATIENCE)
    assert places(person) == before
