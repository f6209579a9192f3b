"""Present: pictures that fill the screen, what its keys bring, and play."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.layout import SIZES, box, standing
from tests.browser.student import Student, lesson_of, present
from ucbpe_app.run.cache import load

LEAST = 0.65  # of the height of the window
LABELS = 18  # px, at least
PICTURES = {
    "start": ("Function", "Standard deviation"),
    "himmelblau": ("Function", "Function"),
    "mackey-glass": ("Decision plane", "Decision plane"),
}


def picture(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name=name, exact=True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "slug", ["start", *(pytest.param(one, marks=pytest.mark.slow) for one in [*PICTURES][1:])]
)
def test_pictures_fill_two_thirds_of_the_height_beside_title_reason_and_regret(
    lab: Lab, slug: str, size: tuple[int, int]
) -> None:
    """All of them whole, none over another, and letters large, at each event of a batch."""
    student, page, lesson = Student(lab, slug), lab.page, lesson_of(slug)
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    present(page)
    said = picture(page, "Lesson")
    expect(said.get_by_role("heading", name=lesson.title)).to_be_in_viewport(ratio=1)
    expect(said.get_by_text(lesson.question)).to_be_in_viewport(ratio=1)
    names = ("Lesson", *dict.fromkeys(PICTURES[slug]), "Why this point", "Regret")
    first, last = PICTURES[slug]
    timeline = page.get_by_role("group", name="Timeline")
    start = student.replay.batch_start(2)
    for i in range(start, start + 5):
        page.get_by_label("Event", exact=True).fill(str(i))
        student.sees(i)
        boxes = standing(page, names, width, height)
        bottom = boxes[last]["y"] + boxes[last]["height"]
        assert bottom - boxes[first]["y"] >= LEAST * height - 0.5, student.replay.events[i]
        below = timeline.bounding_box()
        assert below is not None
        assert bottom <= below["y"], student.replay.events[i]
    text = page.evaluate("0.875 * parseFloat(getComputedStyle(document.documentElement).fontSize)")
    assert text >= LABELS
    sizes = page.evaluate(
        "() => [...Bokeh.documents[0].all_models].filter((one) => /Axis$/.test(one.type))"
        ".map((one) => parseFloat(one.major_label_text_font_size))"
    )
    assert min(sizes) >= LABELS


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["start", "himmelblau"])
def test_keys_bring_plane_cumulative_regret_and_the_text(lab: Lab, slug: str) -> None:
    page = lab.page
    Student(lab, slug)
    page.set_viewport_size({"width": 1366, "height": 768})
    page.keyboard.press("d")  # is nothing while the page is not presented
    present(page)
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
    page.keyboard.press("l")
    expect(text).to_be_in_viewport(ratio=1)
    assert box(page, "Function") == before  # which it lies over
    page.keyboard.press("l")
    expect(text).to_be_hidden()
    page.keyboard.press("d")
    page.keyboard.press("Escape")
    expect(text).to_be_visible()
    expect(each).to_be_visible()


@pytest.mark.slow
def test_numbers_of_a_candidate_are_whole(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    lab.open("?preset=himmelblau")
    present(lab.page)
    lab.page.keyboard.press("c")
    values = lab.page.locator(".candidate dd").filter(visible=True)
    expect(values.nth(7)).to_be_visible()
    for place in [one.bounding_box() for one in values.all()]:
        assert place is not None
        assert place["x"] + place["width"] <= 1366 - 16


@pytest.mark.slow
def test_keys_ask_predict_and_another_beta(lab: Lab) -> None:
    student, page = Student(lab, "start"), lab.page
    present(page)
    page.keyboard.press("b")
    wider = load(replace(student.spec, scale=2.0))
    run = page.locator(".run")
    expect(run).to_have_attribute("data-digest", wider.trace.digest)
    page.keyboard.press("Shift+B")
    expect(run).to_have_attribute("data-digest", student.replay.trace.digest)
    page.keyboard.press("p")
    guess = page.get_by_role("region", name="Predict")
    expect(guess).to_be_visible()
    page.keyboard.press("p")
    expect(guess).to_be_hidden()


@pytest.mark.slow
def test_play_goes_on_by_itself_at_a_speed(lab: Lab) -> None:
    student, page = Student(lab, "start"), lab.page
    event = page.get_by_label("Event", exact=True)
    event.fill("0")
    student.sees(0)
    speed = page.get_by_role("button", name="Speed")
    for rate in ("2", "4"):
        speed.click()
        expect(speed).to_have_accessible_name(f"Speed {rate}×")
    speed.blur()  # there Space would press it
    page.keyboard.press("Space")
    play = page.get_by_role("button", name="Play")
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
