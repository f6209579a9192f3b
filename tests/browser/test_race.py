"""The Race page in a real browser: stepping, both readings, configurations, links, a phone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import (
    button,
    choose,
    enter,
    event_of,
    painted,
    pictures_of,
    pictures_other_than,
    state_of,
    steps,
    type_into,
)
from ucbpe_app.links import usual
from ucbpe_app.pages.race.link import RaceMoment, decode_race, encode_race
from ucbpe_app.pages.race.measures import Measure, status
from ucbpe_app.pages.race.race import Race, run_race
from ucbpe_app.pages.race.setup import Setup, Unit, race_of

RUN = 20_000  # ms; four runs beside other work
LONG = "the same beginning of a name 01"


@pytest.fixture(scope="module")
def setup() -> Setup:
    return race_of(replace(usual("himmelblau"), batch_size=4, batches=5, initial=6, scale=0.2))


def said(page: Page) -> Locator:
    return page.get_by_role("status")


def sees(page: Page, race: Race, place: int, measure: Measure = Measure.BEST) -> None:
    expect(said(page)).to_have_text(status(race, place, measure), timeout=RUN)


def opened(lab: Lab, setup: Setup, value: int = 0) -> Race:
    race = run_race(setup)
    lab.open(f"?{encode_race(RaceMoment(setup, value))}")
    sees(lab.page, race, race.closest(value))
    return race


def test_the_usual_race_opens_and_is_stepped_forward_and_back(lab: Lab) -> None:
    lab.open("?page=race")
    race = run_race(decode_race("")[0].setup)
    sees(lab.page, race, 3)
    lab.page.keyboard.press("Home")
    sees(lab.page, race, 0)
    painted(lab.page)
    seen = [state_of(lab.page)]
    for i in range(1, 5):
        if i % 2:
            lab.page.keyboard.press("ArrowRight")
        else:
            button(lab.page, "Next batch").click()
        sees(lab.page, race, i)
        painted(lab.page)
        seen.append(state_of(lab.page))
        assert seen[-1] != seen[-2]
    for i in reversed(range(4)):
        lab.page.keyboard.press("PageUp")
        sees(lab.page, race, i)
        painted(lab.page)
        assert state_of(lab.page) == seen[i]
    # Every stop is a batch of the largest K, so that larger steps would be the same.
    expect(button(lab.page, "Forward one batch of the largest K")).to_be_hidden()
    button(lab.page, "End").click()
    sees(lab.page, race, 12)
    assert not lab.errors
    assert not lab.requests_that_left()


CLICKS: dict[str, Callable[[Page], None]] = {
    "a layer": lambda page: button(page, "Truth").click(),
    "a unit": lambda page: page.get_by_text("Equal evaluations", exact=True).click(),
    "a kernel": lambda page: choose(page, "Kernel", "RBF"),
    "a number and Enter": lambda page: enter(page, "Noise variance", "0.4"),
    "a measure": lambda page: choose(page, "Regret", "Each batch"),
}


@pytest.mark.slow
def test_arrows_step_after_a_click(lab: Lab) -> None:
    lab.open("?page=race&preset=start&event=1.observe&T=6")
    place = "Place in the race"
    expect(event_of(lab.page, place)).to_have_value("1")
    for act in CLICKS.values():
        act(lab.page)
        expect(lab.page.get_by_role("progressbar")).to_be_hidden()
        steps(lab.page, slider=place)
        steps(lab.page, "ArrowLeft", -1, slider=place)


@pytest.mark.slow
def test_equal_evaluations_and_the_link_to_step(lab: Lab, setup: Setup) -> None:
    race = opened(lab, setup, 2)
    page = lab.page
    button(page, "Equal evaluations").click()
    by_evaluations = run_race(replace(setup, unit=Unit.EVALUATIONS))
    sees(page, by_evaluations, 8)
    expect(page.get_by_text("8 of 20 evaluations", exact=True)).to_be_visible()
    page.keyboard.press("PageDown")  # an arrow goes from button to button here
    sees(page, by_evaluations, 9)
    button(page, "Previous batch").click()
    sees(page, by_evaluations, 8)
    page.keyboard.press("Shift+ArrowRight")
    sees(page, by_evaluations, 12)
    slider = page.get_by_label("Place in the race", exact=True)
    slider.fill("7")
    sees(page, by_evaluations, 7)
    expect(slider).to_have_attribute("aria-valuetext", "7 of 20 evaluations")
    expect(page.get_by_role("row", name=re.compile("GP-UCB 20 × 1 = 20"))).to_be_visible()

    button(page, "cumulative").click()
    sees(page, by_evaluations, 7, Measure.CUMULATIVE)
    expect(page.get_by_text("Sums over different numbers of batches cannot")).to_be_visible()
    before = pictures_of(page)
    button(page, "Log regret").click()
    pictures_other_than(page, before)

    # GP-UCB has completed 7 batches of one pick.
    runner = by_evaluations.runners[3]
    page.get_by_role("link", name="Open in Step: D, GP-UCB", exact=True).click()
    lab.wait()
    expect(said(page)).to_have_text(runner.state(7).frame.status, timeout=RUN)
    digest = runner.replay.trace.digest
    expect(page.locator(".run")).to_have_attribute("data-digest", digest)
    expect(page.get_by_role("alert")).to_have_count(0)
    assert race.digest != by_evaluations.digest
    assert not lab.errors


@pytest.mark.slow
def test_configurations_are_edited_by_keyboard_and_copied(
    lab: Lab, setup: Setup, context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(lab, setup, 4)
    page = lab.page
    remove = button(page, "Remove configuration D")
    remove.focus()
    page.keyboard.press("Enter")
    sees(page, run_race(setup.removing(3)), 4)
    expect(remove).to_have_count(0)
    card = page.get_by_title("Edit configuration B")
    card.focus()
    page.keyboard.press("Space")
    expect(card).to_have_attribute("aria-pressed", "true")
    type_into(page, "Batch size K", "2")
    type_into(page, "Name", "<i>pairs</i>")
    changed = replace(setup.configurations[1].taking(batch_size=2), label="<i>pairs</i>")
    wanted = setup.removing(3).changing(1, changed)
    race = run_race(wanted)
    sees(page, race, 4)
    expect(page.get_by_text("4 batches of 2", exact=False)).to_be_visible()

    type_into(page, "Lengthscale", "-3")
    expect(page.get_by_text("got -3", exact=False)).to_be_visible()
    sees(page, race, 4)
    type_into(page, "Name", LONG)
    heading = page.locator(".race-heading h3 span, h3 span").filter(has_text=LONG[-12:]).first
    expect(heading).to_be_visible()
    expect(heading).to_have_css("text-overflow", "clip")  # names may differ at their ends
    assert not heading.evaluate("(node) => node.scrollWidth > node.clientWidth + 1")
    type_into(page, "Name", changed.label)

    pictures = pictures_of(page)
    button(page, "Copy link").click()
    expect(button(page, "Link copied")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert decode_race(link.partition("?")[2])[0].setup == wanted
    with context.new_page() as fresh:
        other = Lab(fresh, lab.url)
        other.open(link.removeprefix(f"{lab.url}/"))
        sees(fresh, race, 4)
        expect(fresh.locator(".run")).to_have_attribute("data-digest", race.digest)
        expect(fresh.get_by_role("alert")).to_have_count(0)
        assert len(pictures_of(fresh)) == len(pictures)
        assert not other.errors
    assert not lab.errors
    assert not lab.requests_that_left()


@pytest.mark.slow
def test_a_bad_link_is_told_and_a_finger_can_step(lab: Lab, setup: Setup) -> None:
    page = lab.page
    page.set_viewport_size({"width": 390, "height": 844})
    one_input = setup.sharing(problem="multimodal", lengthscale=0.65, variance=2.3, mean=0.0)
    query = encode_race(RaceMoment(one_input, 2))
    lab.open(f"?{query}&b.K=%3Cb%3E&c.colour=red")
    race = run_race(one_input)
    sees(page, race, 2)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("got b.K=<b>. The link opens with b.K=4.")
    expect(alert).to_contain_text("a field that links have; got c.colour")
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_be_hidden()
    for name in ("Start", "Previous batch", "Next batch", "End"):
        box = button(page, name).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    page.keyboard.press("ArrowRight")
    sees(page, race, 3)
    assert not lab.errors
