"""The arrows step whatever was clicked before, unless a text caret or an open list needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import Student, choose, open_menu, thumb


def place(page: Page, name: str) -> Locator:
    """The slider of the timeline, whose value is the event on screen."""
    return page.get_by_label(name, exact=True)


def steps(page: Page, slider: str, key: str = "ArrowRight", by: int = 1) -> None:
    """A key moves the timeline."""
    page.wait_for_timeout(300)  # what was done last may move it, too
    before = int(place(page, slider).input_value())
    page.keyboard.press(key)
    expect(place(page, slider)).to_have_value(str(before + by))


def stays(page: Page, slider: str, key: str = "ArrowRight") -> None:
    """A key does not move the timeline."""
    before = place(page, slider).input_value()
    page.keyboard.press(key)
    page.wait_for_timeout(300)
    expect(place(page, slider)).to_have_value(before)


@contextmanager
def told(what: str) -> Iterator[None]:
    """Say after which click it failed."""
    try:
        yield
    except AssertionError as error:
        error.add_note(f"after a click on {what}")
        raise


def enter(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Enter")


ON_STEP: dict[str, Callable[[Page], None]] = {
    "a menu": lambda page: open_menu(page, "Show"),
    "a layer": lambda page: page.get_by_role("button", name="Log regret", exact=True).click(),
    "a slider": lambda page: page.mouse.click(*thumb(page, "Lengthscale slider")),
    "a number and Enter": lambda page: enter(page, "Lengthscale", "0.4"),
    "a candidate and Enter": lambda page: enter(page, "Candidate", "12"),
    "a choice": lambda page: choose(page, "Kernel", "RBF"),
    "the timeline": lambda page: place(page, "Event").click(),
}
ON_RACE: dict[str, Callable[[Page], None]] = {
    "a layer": lambda page: page.get_by_role("button", name="Truth", exact=True).click(),
    "a unit": lambda page: page.get_by_text("Equal evaluations", exact=True).click(),
    "a kernel": lambda page: choose(page, "Kernel", "RBF"),
    "a number and Enter": lambda page: enter(page, "Noise variance", "0.4"),
    "a measure": lambda page: choose(page, "Regret", "Each batch"),
}


@pytest.mark.slow
def test_arrows_step_after_a_click_on_step(lab: Lab) -> None:
    student = Student(lab, "start")
    student.sees(0)
    for what, act in ON_STEP.items():
        with told(what):
            act(lab.page)
            steps(lab.page, "Event")
            steps(lab.page, "Event", "ArrowLeft", -1)
            steps(lab.page, "Event", "PageDown")


@pytest.mark.slow
def test_arrows_step_after_a_click_on_race(lab: Lab) -> None:
    lab.open("?page=race&preset=start&event=1.observe&T=6")
    expect(lab.page.get_by_label("Place in the race", exact=True)).to_have_value("1")
    for what, act in ON_RACE.items():
        with told(what):
            act(lab.page)
            expect(lab.page.get_by_role("progressbar")).to_be_hidden()
            steps(lab.page, "Place in the race")
            steps(lab.page, "Place in the race", "ArrowLeft", -1)


@pytest.mark.slow
def test_a_clicker_steps_while_presenting(lab: Lab) -> None:
    student = Student(lab, "start")
    student.open_menu("Show")
    student.button("Log regret").click()
    student.button("Present").click()
    expect(student.button("Log regret")).to_be_hidden()
    steps(lab.page, "Event", "PageDown")
    for key in "cl":  # the candidate's numbers and the lesson
        lab.page.keyboard.press(key)
    for act in (
        lambda: place(lab.page, "Event").click(),
        lambda: enter(lab.page, "Candidate", "12"),
        lambda: lab.page.get_by_text("Show answer").click(),
    ):
        act()
        steps(lab.page, "Event", "PageDown")
        steps(lab.page, "Event", "ArrowLeft", -1)


@pytest.mark.slow
def test_a_text_caret_and_an_open_list_keep_their_arrows(lab: Lab) -> None:
    student = Student(lab, "start")
    student.sees(0)
    lab.page.get_by_label("Lengthscale", exact=True).click()
    for key in ("ArrowRight", "Home", "End"):
        stays(lab.page, "Event", key)
    student.choice("Kernel").click()
    stays(lab.page, "Event")
    stays(lab.page, "Event", "End")
    lab.page.keyboard.press("Escape")
    steps(lab.page, "Event")


@pytest.mark.slow
def test_what_the_keyboard_has_focused_keeps_its_arrows(lab: Lab) -> None:
    student = Student(lab, "start")
    student.sees(0)
    lengthscale = lab.page.get_by_label("Lengthscale", exact=True)
    lengthscale.click()
    before = lengthscale.input_value()
    lab.page.keyboard.press("Tab")
    slider = lab.page.get_by_label("Lengthscale slider", exact=True)
    expect(slider).to_be_focused()
    stays(lab.page, "Event")
    expect(lengthscale).not_to_have_value(before)
    expect(slider).to_be_focused()
    # Of a group of buttons the keyboard reaches all but one by arrows alone.
    student.open_menu("Show")
    student.button("Truth").click()
    lab.page.keyboard.press("Shift+Tab")
    lab.page.keyboard.press("Tab")
    expect(student.button("Truth")).to_be_focused()
    stays(lab.page, "Event")
    expect(student.button("Measurement band")).to_be_focused()
    # A click ends that. A screen reader's command focuses a slider without a Tab key.
    student.button("Truth").click()
    steps(lab.page, "Event")
    slider.focus()
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
        before = lengthscale.input_value()
        stays(lab.page, "Event", key)
        expect(lengthscale).not_to_have_value(before)
    expect(slider).to_be_focused()
