"""The Race page in a real browser: stepping, its parts in the window, configurations and links."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import Lab
from tests.browser.layout import NARROW, ROUNDING, SIZES, box, resized, standing
from tests.browser.student import (
    button,
    painted,
    pictures_of,
    state_of,
    type_into,
)
from ucbpe_app.links import usual
from ucbpe_app.race.link import RaceMoment, decode_race, encode_race
from ucbpe_app.race.race import Race, run_race
from ucbpe_app.race.setup import Setup, race_of
from ucbpe_app.race.views import said

STUDY_RUNS = 180_000  # ms until they are done, on a busy machine
STUDY_QUERY = (
    "?page=study&problem=multimodal&policies=gp-ucb-pe,thompson-sampling,random-search"
    "&K=3&T=4&initial=4&replicates=4"
)


@pytest.fixture(scope="module")
def setup() -> Setup:
    return race_of(replace(usual("himmelblau"), batch_size=4, batches=5, initial=6, scale=0.2))


def sees(page: Page, race: Race, place: int) -> None:
    status = page.get_by_role("status")
    expect(status).to_have_text(said(race, place))
    expect(page.get_by_text(said(race, place)).and_(page.locator("p"))).to_be_visible()


def opened(lab: Lab, setup: Setup, value: int = 0) -> Race:
    race = run_race(setup)
    lab.open(f"?{encode_race(RaceMoment(setup, value))}")
    sees(lab.page, race, race.closest(value))
    return race


def test_the_usual_race_opens_is_stepped_forward_and_back_and_in_the_window(lab: Lab) -> None:
    lab.open("?page=race&present=1")
    race = run_race(decode_race("")[0].setup)
    sees(lab.page, race, 3)
    lab.page.keyboard.press("Home")
    sees(lab.page, race, 0)
    # Presenting is of the Step page alone.
    expect(lab.page).to_have_url(re.compile("[?&]at=0(?!.*present)"))
    painted(lab.page)
    seen = [state_of(lab.page)]
    for i in range(1, 5):
        if i % 2:
            lab.page.keyboard.press("ArrowRight")
        else:
            button(lab.page, "Next event").click()
        sees(lab.page, race, i)
        painted(lab.page)
        seen.append(state_of(lab.page))
        assert seen[-1] != seen[-2]
    for i in reversed(range(4)):
        lab.page.keyboard.press("PageUp")
        sees(lab.page, race, i)
        painted(lab.page)
        assert state_of(lab.page) == seen[i]
    button(lab.page, "Last event").click()
    sees(lab.page, race, 12)
    lab.page.wait_for_function("location.search.includes('at=12')")
    is_in_the_window(lab.page, RACE, "Timeline")
    assert not lab.errors
    assert not lab.requests_that_left()


# Least width and height in px at 1280 x 720, by the name of the part.
RACE = {
    "Settings": (1000, 40), "Configurations": (1000, 60), "Regret of all runs": (480, 330),
    "Runs": (560, 330),
}  # fmt: skip
STUDY = {
    "Settings": (1000, 40), "Verdict": (1000, 80), "Regret, means": (480, 330),
    "Ranking": (560, 200),
}  # fmt: skip


def is_in_the_window(page: Page, parts: dict[str, tuple[int, int]], floor: str = "") -> None:
    """Each part, none over another, and on screens above the part named last."""
    for size in (*SIZES, NARROW[1]):
        resized(page, size)
        narrow = size == NARROW[1]
        end = math.inf if narrow else size[1]
        if floor and not narrow:
            end = page.get_by_role("group", name=floor).bounding_box()["y"]
        found = standing(page, parts, size[0], end)
        for name, (width, height) in parts.items():
            assert found[name]["width"] >= (300 if narrow else width), (size, name)
            assert found[name]["height"] >= height, (size, name)


def test_a_second_chart_shares_the_height_with_the_regret(lab: Lab) -> None:
    """Where results arrive one by one: no size of either is written for this page."""
    lab.open("?page=race&preset=one-by-one&unit=time")
    charts = {"Regret of all runs": (480, 330), "Runs": (480, 330)}
    expect(lab.page.get_by_role("status")).to_contain_text("Before the first batch")
    for size in ((1024, 768), *SIZES):
        resized(lab.page, size)
        floor = lab.page.get_by_role("group", name="Timeline").bounding_box()
        found = standing(lab.page, charts, size[0], floor["y"])
        assert found["Regret of all runs"]["height"] >= 330, size
        regret, workers = box(lab.page, "Regret"), box(lab.page, "Workers")
        assert regret["height"] > 2 * workers["height"] > 160, size
        assert regret["y"] + regret["height"] <= workers["y"] + ROUNDING, size
        assert workers["y"] + workers["height"] <= floor["y"], size


def test_a_study_of_a_race_is_in_the_window(lab: Lab) -> None:
    lab.open(STUDY_QUERY)
    button(lab.page, "Run study").click()
    expect(lab.page.get_by_role("table")).to_be_visible(timeout=STUDY_RUNS)
    is_in_the_window(lab.page, STUDY)
    assert not lab.errors


@pytest.mark.slow
def test_configurations_are_edited_by_keyboard_and_copied(
    lab: Lab, setup: Setup, context: BrowserContext
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(lab, setup, 4)
    page = lab.page
    page.get_by_title("Edit configuration D").click()
    remove = button(page, "Remove")
    remove.focus()
    page.keyboard.press("Enter")
    sees(page, run_race(setup.removing(3)), 4)
    expect(remove).to_be_hidden()
    card = page.get_by_title("Edit configuration B")
    card.focus()
    page.keyboard.press("Space")
    expect(card).to_have_attribute("aria-expanded", "true")
    type_into(page, "Batch size K", "2")
    type_into(page, "Name", "<i>pairs</i>")
    changed = replace(setup.configurations[1].taking(batch_size=2), label="<i>pairs</i>")
    wanted = setup.removing(3).changing(1, changed)
    race = run_race(wanted)
    sees(page, race, 4)
    expect(card).to_contain_text("K = 2")

    type_into(page, "Lengthscale", "-3")
    expect(page.get_by_text("got -3", exact=False)).to_be_visible()
    sees(page, race, 4)
    button(page, "Close").click()
    expect(page.get_by_label("Lengthscale", exact=True)).to_be_hidden()
    expect(card).to_be_focused()
    page.keyboard.press("Enter")
    expect(card).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(card).to_have_attribute("aria-expanded", "false")
    expect(card).to_be_focused()

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
