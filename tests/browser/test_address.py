"""The address follows the screen: a reload shows the same moment, the history has no new entry."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import Student
from ucbpe_app.links import decode
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind

WRITE_EVERY = 400  # ms, as in address.js


def follows(page: Page, *fields: str) -> None:
    """The address has these fields."""
    for field in fields:
        expect(page).to_have_url(re.compile(rf"[?&]{re.escape(field)}(&|$)"))


@pytest.mark.slow
def test_a_reload_shows_the_same_moment(lab: Lab) -> None:
    student = Student(lab, "start")
    entries = lab.page.evaluate("history.length")
    student.type("Lengthscale", "0.3")
    spec = replace(student.spec, lengthscale=0.3)
    replay = load(spec)
    student.sees(0, replay)
    for _ in range(10):
        lab.page.keyboard.press("ArrowRight")
    student.sees(10, replay)
    student.open_menu("Show")
    student.button("Log regret").click()
    follows(lab.page, "lengthscale=0.3", "show=log,truth", "event=2.pick.1")
    assert replay.events[10] == Event(2, Kind.PICK, 1)
    moment, errors = decode(lab.page.url.partition("?")[2])
    assert (moment.settings, moment.event, errors) == (spec, replay.events[10], ())
    lab.page.reload()
    lab.wait()
    student.sees(10, replay)
    expect(lab.page.get_by_label("Lengthscale", exact=True)).to_have_value("0.3")
    student.open_menu("Show")
    expect(student.button("Log regret")).to_have_attribute("aria-pressed", "true")
    assert lab.page.evaluate("history.length") == entries


@pytest.mark.slow
def test_an_address_stays_as_it_was_opened_until_something_changes(lab: Lab) -> None:
    student = Student(lab, "start")
    address = lab.page.url
    lab.page.wait_for_timeout(3 * WRITE_EVERY)
    assert lab.page.url == address
    student.button("Next event").click()
    follows(lab.page, "event=1.pick.0")
    student.button("Previous event").click()
    follows(lab.page, "event=1.fit")


@pytest.mark.slow
def test_a_held_key_changes_the_address_seldom(lab: Lab) -> None:
    lab.page.add_init_script("""
        window.writes = []
        const replace = history.replaceState.bind(history)
        history.replaceState = (...all) => { writes.push(performance.now()); replace(...all) }
        history.pushState = () => { throw Error("the history got an entry") }
    """)
    student = Student(lab, "start")
    student.sees(0)
    last = len(student.replay.events) - 1
    for _ in range(last):
        lab.page.keyboard.press("ArrowRight")
    student.sees(last)
    event = student.replay.events[last]
    follows(lab.page, f"event={event.t}.{event.kind}")
    writes = lab.page.evaluate("window.writes")
    gaps = [after - before for before, after in pairwise(writes)]
    assert len(writes) < last / 2
    assert min(gaps, default=WRITE_EVERY) > 0.9 * WRITE_EVERY


@pytest.mark.slow
def test_presenting_and_a_race_and_a_study_are_in_the_address(lab: Lab) -> None:
    student = Student(lab, "start")
    student.button("Present").click()
    follows(lab.page, "present=1")
    lab.page.reload()
    lab.wait()
    expect(student.button("Present")).to_have_attribute("aria-pressed", "true")
    expect(lab.page.get_by_label("Lengthscale", exact=True)).to_be_hidden()
    student.button("Present").click()
    expect(student.button("Present")).to_have_attribute("aria-pressed", "false")
    expect(lab.page).not_to_have_url(re.compile("present=1"))

    lab.open("?page=race&preset=start&event=1.observe&T=6")
    place = lab.page.get_by_label("Place in the race", exact=True)
    expect(place).to_have_value("1")
    for _ in range(2):
        lab.page.keyboard.press("ArrowRight")
    lab.page.get_by_role("button", name="Truth", exact=True).click()
    follows(lab.page, "page=race", "at=3", "show=")
    lab.page.reload()
    lab.wait()
    expect(place).to_have_value("3")
    truth = lab.page.get_by_role("button", name="Truth", exact=True)
    expect(truth).to_have_attribute("aria-pressed", "false")

    lab.open("?page=study")
    axis = lab.page.get_by_role("combobox", name="Axis", exact=True)
    axis.click()
    lab.page.get_by_role("menuitem", name="Log", exact=True).click()
    follows(lab.page, "page=study", "axis=log")
    lab.page.reload()
    lab.wait()
    expect(axis).to_have_text("Log")


def test_a_reload_keeps_the_drawn_curve(lab: Lab) -> None:
    page = lab.page
    lab.open("?page=problem")
    page.get_by_role("button", name="Drawn curve").click()
    height = page.get_by_label("f of point 4", exact=True)
    expect(height).to_have_value("0.9", timeout=60_000)
    height.fill("0.5")
    height.press("Enter")
    expect(height).to_have_value("0.5")
    follows(page, "page=problem", "step=draw")
    page.get_by_role("button", name="Remove point 2").click()
    expect(page.get_by_label("x of point 2", exact=True)).to_have_value("3")
    page.reload()
    lab.wait()
    expect(page.get_by_label("x of point 2", exact=True)).to_have_value("3", timeout=60_000)
    expect(page.get_by_label("f of point 3", exact=True)).to_have_value("0.5")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(height).to_have_value("0.9")
    page.get_by_role("button", name="Table").click()
    expect(page).not_to_have_url(re.compile("step="))
