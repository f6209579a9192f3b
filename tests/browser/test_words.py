"""Words that act, in a real browser: numbers that are dragged, terms that light their marks."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab

_WIDTH = """
() => Bokeh.documents.flatMap((one) => [...one.all_models])
  .filter((one) => one.type === "Line" && one.y?.field === "mean")
  .map((one) => one.line_width.value)
"""


def drag(page: Page, word: Locator, by: float) -> None:
    box = word.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by, y, steps=8)


def test_a_number_of_a_caption_is_the_setting(lab: Lab) -> None:
    page = lab.page
    page.set_viewport_size({"width": 1366, "height": 900})
    lab.open("?preset=beta-small")
    number, field = page.get_by_role("slider", name="beta"), page.get_by_role("textbox", name="β")
    expect(number).to_have_text("0.25")
    drag(page, number, 120)
    expect(number).to_have_text("0.5")  # while the pointer is down
    expect(page.get_by_text("before: β = 0.25").first).to_be_visible()
    page.mouse.up()
    expect(page.get_by_text("before: β = 0.25")).to_have_count(0)
    expect(field).to_have_value("0.5")
    page.keyboard.press("Control+z")  # all of the drag
    expect(number).to_have_text("0.25")
    expect(field).to_have_value("0.25")
    page.keyboard.press("Control+Shift+Z")
    expect(number).to_have_text("0.5")
    number.focus()
    page.keyboard.press("ArrowDown")
    expect(number).to_have_text("0.459")
    expect(number).to_be_focused()


@pytest.mark.slow
def test_beta_is_dragged_in_the_sentence(lab: Lab) -> None:
    page = lab.page
    lab.open("?preset=start&event=2.pick.0")
    why = page.get_by_role("region", name="Why this point")
    number = why.get_by_role("slider", name="beta")
    expect(number).to_have_text("4.55")
    number.focus()
    page.keyboard.press("ArrowUp")  # an eighth of a doubling of the root
    expect(number).to_have_text("4.97")
    expect(number).to_be_focused()
    expect(page.get_by_role("textbox", name="Multiplier c")).to_have_value("1.19")


def test_a_term_lights_its_mark(lab: Lab) -> None:
    page = lab.page
    page.set_viewport_size({"width": 1366, "height": 900})
    lab.open("?preset=start")
    card = page.get_by_role("region", name="Lesson")
    assert page.evaluate(_WIDTH) == [2.5]
    card.get_by_text("line", exact=True).hover()
    page.wait_for_function(f"() => ({_WIDTH})()[0] > 5")
    card.get_by_text("band", exact=True).hover()
    page.wait_for_function(f"() => ({_WIDTH})()[0] === 2.5")


@pytest.mark.slow
def test_a_slow_browser_sends_no_number_back_that_has_changed_since(lab: Lab) -> None:
    """A fourth of this machine's speed, at which half of all drags ended at another number."""
    page = lab.page
    page.set_viewport_size({"width": 1366, "height": 900})
    lab.open("?preset=beta-small")
    number, field = page.get_by_role("slider", name="beta"), page.get_by_role("textbox", name="β")
    expect(number).to_have_text("0.25")
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    for by, result in ((120, "0.5"), (-120, "0.25")) * 4:
        drag(page, number, by)
        page.mouse.up()
        expect(number).to_have_text(result)
        page.wait_for_timeout(3_000)  # in which echoes came
        expect(number).to_have_text(result)
        expect(field).to_have_value(result)
