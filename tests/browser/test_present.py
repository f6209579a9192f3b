"""Present: what its keys and a clicker bring, and play.

Where everything stands then is in test_layout.py.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from tests.browser.conftest import Lab, Server
from tests.browser.layout import box
from tests.browser.pointing import settled_place
from tests.browser.student import Student, button, enter, event_of, lesson_of, present, steps
from ucbpe_app.run.cache import load


def picture(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_keys_bring_plane_cumulative_regret_and_the_text(lab: Lab, slug: str) -> None:
    page = lab.page
    Student(lab, slug, truth=True)  # without f there is no other regret
    page.set_viewport_size({"width": 1366, "height": 768})
    page.keyboard.press("d")  # is nothing while the page is not presented
    present(page)
    expect(page).to_have_url(re.compile("[?&]present=1"))
    plane, each = picture(page, "Decision plane"), picture(page, "Regret of each batch")
    cumulative = picture(page, "Cumulative regret")
    expect(plane).to_be_hidden()
    expect(cumulative).to_be_hidden()
    for key, shown, hidden in (("d", plane, cumulative), ("r", cumulative, each)):
        page.keyboard.press(key)
        expect(shown).to_be_in_viewport(ratio=0.95)
        expect(hidden).to_be_hidden()
        expect(picture(page, "Function")).to_be_in_viewport(ratio=0.95)
        page.keyboard.press(key)
        expect(shown).to_be_hidden()
    words = "".join(span.words for span in lesson_of(slug).caption[0])
    text = picture(page, "Lesson").get_by_role("paragraph").filter(has_text=words)
    expect(text).to_be_hidden()
    before = box(page, "Function")
    page.keyboard.press("t")
    expect(text).to_be_in_viewport(ratio=1)
    assert box(page, "Function") == before  # which it lies over
    page.keyboard.press("t")
    expect(text).to_be_hidden()
    if slug == "himmelblau":
        numbers_are_whole(page)
    page.keyboard.press("d")
    page.keyboard.press("Escape")
    expect(text).to_be_visible()
    expect(each).to_be_visible()


_CHANGED = """() => {
  const bar = Bokeh.documents[0].all_models.values().find(({type}) => type === "ColorBar")
  const view = Bokeh.index.find_one(bar), {layout} = view, prototype = Object.getPrototypeOf(view)
  const ours = prototype.layout
  const change = (major_label_text_font_size) => {
    try { bar.setv({major_label_text_font_size}) } catch ({message}) { return message }
    return ""
  }
  delete view.layout
  const mended = change("13px")
  delete prototype.layout
  const raised = change("14px")
  Object.assign(prototype, {layout: ours})
  Object.assign(view, {layout})
  return [mended, raised]
}"""


def test_a_scale_of_colours_may_change_before_it_is_laid_out(lab: Lab) -> None:
    """As Present does while a link to a map is opened; see private/color_bar.js."""
    Student(lab, "himmelblau")
    expect(picture(lab.page, "Function")).to_be_visible()
    mended, raised = lab.page.evaluate(_CHANGED)
    assert mended == ""
    assert "dirty" in raised, "Bokeh has mended this: private/color_bar.js can go"


def numbers_are_whole(page: Page) -> None:
    """Those of a candidate."""
    page.keyboard.press("c")
    values = page.locator(".candidate dd").filter(visible=True)
    expect(values.nth(7)).to_be_visible()
    for place in [one.bounding_box() for one in values.all()]:
        assert place is not None
        assert place["x"] + place["width"] <= 1366 - 16
    page.keyboard.press("c")


def swipe(page: Page, start: tuple[float, float], across: float, down: float = 0.0) -> None:
    """A finger goes from a place over the page, as Chromium has it from the screen."""
    screen = page.context.new_cdp_session(page)
    for share in [i / 8 for i in range(9)]:
        at = {"x": start[0] + share * across, "y": start[1] + share * down}
        kind = "touchMove" if share else "touchStart"
        screen.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "presented"), [((390, 844), False), ((1024, 768), True)], ids=["phone", "presented"]
)
def test_a_finger_steps_across_pictures_and_words(
    browser: Browser, server_process: Server, size: tuple[int, int], presented: bool
) -> None:
    viewport: ViewportSize = {"width": size[0], "height": size[1]}
    with browser.new_context(viewport=viewport, has_touch=True, is_mobile=True) as context:
        lab = Lab(context.new_page(), server_process.url)
        lab.open(f"?preset=start&predict=off{'&present=1' * presented}")
        page, event = lab.page, event_of(lab.page)
        expect(
            button(page, "Esc end: End presenting" if presented else "Next event")
        ).to_be_visible()
        settled_place(page, "curve", 0.0, 0.0)
        for name in ("Function", "Lesson", "Why this point", "Regret"):
            part = picture(page, name)
            part.scroll_into_view_if_needed()
            place = part.bounding_box()
            assert place is not None
            middle = place["x"] + place["width"] / 2, place["y"] + min(40, place["height"] / 2)
            swipe(page, middle, -120)
            expect(event).to_have_value("1")
            swipe(page, middle, 120)
            expect(event).to_have_value("0")
            swipe(page, middle, -50)  # too short
            swipe(page, middle, -120, 120)  # it scrolls
        slider = event.bounding_box()
        assert slider is not None
        start = slider["x"] + slider["width"] / 4, slider["y"] + slider["height"] / 2
        swipe(page, start, 100)  # which moves the thumb to where the finger is
        expect(event).not_to_have_value("0")
        assert int(event.input_value()) > 1
        assert not lab.errors


@pytest.mark.slow
def test_a_clicker_keys_of_a_lecture_and_play(lab: Lab) -> None:
    student, page = Student(lab, "start"), lab.page
    event, play = event_of(page), page.get_by_role("button", name="Play")
    student.open_menu("Show")
    student.button("Log regret").click()
    present(page)
    steps(page, "PageDown")

    def choose_a_candidate() -> None:
        page.keyboard.press("c")
        enter(page, "Candidate", "12")

    choose_an_answer = page.locator(".choices button").first.click
    for act in (event.click, choose_a_candidate, choose_an_answer):
        act()
        steps(page, "PageDown")
        steps(page, "ArrowLeft", -1)

    run, without = page.locator(".run"), re.compile("predict=off")
    page.keyboard.press("b")
    wider = load(replace(student.spec, scale=2.0))
    expect(run).to_have_attribute("data-digest", wider.trace.digest)
    page.keyboard.press("Shift+B")
    expect(run).to_have_attribute("data-digest", student.replay.trace.digest)
    page.keyboard.press("p")
    expect(page).not_to_have_url(without)
    page.keyboard.press("p")
    expect(page).to_have_url(without)

    for _ in range(2):  # it closes the answer, and then ends presenting
        page.keyboard.press("Escape")
    speed = page.get_by_role("button", name="Speed")
    event.fill("0")
    student.sees(0)
    for rate in ("2", "4"):
        speed.click()
        expect(speed).to_have_accessible_name(f"Speed {rate}×")
    speed.blur()  # there Space would press it
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("(slider) => slider.value >= 3", arg=event.element_handle())
    page.keyboard.press("ArrowLeft")  # who steps has it stop
    expect(play).to_have_attribute("aria-pressed", "false")
    here = int(event.input_value())
    page.wait_for_timeout(800)
    student.sees(here)
    last = len(student.replay.events) - 1
    event.fill(str(last - 1))
    play.click()
    student.sees(last)
    expect(play).to_have_attribute("aria-pressed", "false")
