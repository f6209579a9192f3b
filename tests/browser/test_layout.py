"""The Step page in one glance: every part in the window, none over another, and none that moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.layout import (
    CURVE,
    NARROW,
    PARTS,
    ROUNDING,
    SIZES,
    are_large,
    box,
    is_whole,
    standing,
)
from tests.browser.student import choose, lesson_of, open_menu, present
from ucbpe_app.lessons import offered, plain
from ucbpe_app.main import PAGES

LONGEST = max(offered(), key=lambda lesson: len(plain(lesson.caption))).slug


def opened(lab: Lab, size: tuple[int, int], query: str, settings: str = "closed") -> Page:
    lab.keep_settings(settings)
    lab.page.set_viewport_size({"width": size[0], "height": size[1]})
    lab.open(query)
    return lab.page


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("slug", PARTS)
def test_all_is_in_sight(lab: Lab, slug: str, size: tuple[int, int]) -> None:
    width, height = size
    page = opened(lab, size, f"?preset={slug}&event=1.pick.1")
    expect(page.get_by_role("status")).to_contain_text("PE pick 1")
    boxes = standing(page, [*PARTS[slug], "Lesson"], width, height)
    are_large(boxes, PARTS[slug])
    is_whole(page, lesson_of(slug), width, height)
    # The pictures end where the timeline begins, and the numbers of the candidate are in sight.
    first = page.get_by_role("button", name="First event").bounding_box()
    candidate = page.get_by_label("One candidate").bounding_box()
    assert first
    assert candidate
    for name in ("Function", "Relevant region", "Standard deviation"):
        if name in boxes:
            assert boxes[name]["y"] + boxes[name]["height"] <= first["y"] + ROUNDING, name
    assert candidate["y"] + candidate["height"] <= height + ROUNDING


@pytest.mark.slow
@pytest.mark.parametrize("slug", PARTS)
@pytest.mark.parametrize("size", NARROW)
def test_on_a_narrow_screen_the_parts_stand_below_each_other(
    lab: Lab, slug: str, size: tuple[int, int]
) -> None:
    page = opened(lab, size, f"?preset={slug}")
    boxes = standing(page, PARTS[slug], size[0])
    expect(page.get_by_label("Problem", exact=True)).to_be_visible()
    if size == NARROW[0]:  # a good part of a picture is between the bar and the timeline
        timeline = page.get_by_role("button", name="First event").bounding_box()
        assert timeline
        large = boxes["Decision plane" if slug == "mackey-glass" else "Function"]
        assert min(large["y"] + large["height"], timeline["y"]) - max(large["y"], 48) > 130


@pytest.mark.parametrize("width", [1280, 1920])
def test_the_strip_has_room_for_all_that_a_choice_shows(lab: Lab, width: int) -> None:
    """A constant beta has a slider more, which appears when it is chosen."""
    page = opened(lab, (width, 768), "?preset=start", "open")
    last = page.get_by_label("Multiplier c slider", exact=True)
    before = last.bounding_box()
    choose(page, "β schedule", "Constant")
    expect(page.get_by_label("β slider", exact=True)).to_be_visible()
    row = [page.get_by_label(name, exact=True) for name in ("β schedule", "β", "Multiplier c")]
    boxes = [one.bounding_box() for one in (*row, last)]
    for one, other in pairwise(boxes):
        assert one
        assert other
        assert one["x"] + one["width"] <= other["x"] + ROUNDING
    for one in (before, boxes[-1]):
        assert one
        assert one["x"] + one["width"] <= width - 16  # the margin of the strip


def test_the_settings_open_beside_the_pictures_and_stay_as_they_were_left(lab: Lab) -> None:
    page = opened(lab, (1366, 768), "?preset=start")
    problem = page.get_by_label("Problem", exact=True)
    button = page.get_by_role("button", name="Settings", exact=True)
    expect(problem).to_be_hidden()
    button.click()
    expect(problem).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    button.click()
    expect(problem).to_be_hidden()
    opened(lab, (1366, 768), "?preset=himmelblau", "open")
    expect(problem).to_be_visible()


def wrong(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    said = page.get_by_text(f"{label} must be").filter(has_text=f"got {text}")
    expect(said).to_be_in_viewport(ratio=1)


def predict(page: Page) -> None:
    open_menu(page, "Compare")
    page.get_by_role("button", name="Predict", exact=True).click()
    expect(page.get_by_role("region", name="Predict")).to_be_in_viewport(ratio=1)


OPENS: dict[str, Callable[[Page], None]] = {
    "a wrong number": lambda page: wrong(page, "Lengthscale", "abc"),
    "one at the end of the row": lambda page: wrong(page, "Multiplier c", "abc"),
    "the layers": lambda page: open_menu(page, "Show"),
    "comparisons": lambda page: open_menu(page, "Compare"),
    "the answer": lambda page: page.get_by_text("Show answer").click(),
    "the text to edit": lambda page: page.get_by_role("button", name="Edit this lesson").click(),
}


@pytest.mark.parametrize("size", SIZES[:2])
def test_what_opens_moves_no_picture(lab: Lab, size: tuple[int, int]) -> None:
    page, names = opened(lab, size, "?preset=start"), (*CURVE, "Regret")
    before = {name: box(page, name) for name in (*names, "Why this point")}
    for what, act in OPENS.items():
        act(page)
        page.wait_for_timeout(500)  # ms; what moves would have moved
        assert {name: box(page, name) for name in before} == before, what
    lab.open("?preset=start")
    predict(page)
    assert {name: box(page, name) for name in CURVE} == {name: before[name] for name in CURVE}


def test_a_wrong_value_in_the_column_moves_nothing(lab: Lab) -> None:
    page = opened(lab, (1366, 768), "?preset=start", "open")
    below = page.get_by_label("Noise seed", exact=True)
    before = [below.bounding_box(), *(box(page, name) for name in (*CURVE, "Regret"))]
    wrong(page, "Batch size K", "abc")
    page.wait_for_timeout(500)  # ms; as above
    assert [below.bounding_box(), *(box(page, name) for name in (*CURVE, "Regret"))] == before


@pytest.mark.parametrize("slug", ["start", pytest.param(LONGEST, marks=pytest.mark.slow)])
def test_settings_and_all_pages_are_in_the_window_of_a_phone(lab: Lab, slug: str) -> None:
    page = opened(lab, (390, 844), f"?preset={slug}")
    links = page.get_by_role("navigation", name="Pages").get_by_role("link").all()
    settings = page.get_by_role("button", name="Settings", exact=True)
    boxes = [one.bounding_box() for one in (*links, settings)]
    assert len(boxes) == 6
    for one in boxes:
        assert one
        assert one["x"] >= 0
        assert one["x"] + one["width"] <= 390 + ROUNDING
        assert one["y"] + one["height"] <= 844
    for link in links:
        link.click(trial=True)
    is_whole(page, lesson_of(slug), 390, 844)
    kernel = page.get_by_role("combobox", name="Kernel", exact=True)
    expect(kernel).not_to_be_in_viewport()
    settings.click()
    expect(kernel).to_be_in_viewport(ratio=1)
    settings.click()
    expect(page.get_by_role("heading", name=lesson_of(slug).title)).to_be_in_viewport()


@pytest.mark.slow
@pytest.mark.parametrize("size", [(390, 844), (360, 740), (911, 512)])
def test_present_and_theme_are_within_the_window(lab: Lab, size: tuple[int, int]) -> None:
    page = opened(lab, size, "?preset=start", "open")
    for name in ("Copy link", "Present", "Toggle theme"):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_visible()
        place = button.bounding_box()
        assert place
        assert place["x"] + place["width"] <= size[0], name
        button.click(trial=True)


# Columns that do not scroll, with their height and that of their content, where it is more by the
# margin of a last child.
OVERFLOWING = """
() => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (!node.shadowRoot) { continue }
      const column = node.className.includes("layout-Column") && node.clientHeight > 0
      if (column && getComputedStyle(node).overflowY === "visible"
          && node.scrollHeight > node.clientHeight + 10) {
        found.push([node.className, node.clientHeight, node.scrollHeight])
      }
      walk(node.shadowRoot)
    }
  }
  walk(document)
  return found
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
@pytest.mark.parametrize("name", PAGES)
def test_every_column_holds_its_content(lab: Lab, name: str, size: tuple[int, int]) -> None:
    """What follows a shorter one would lie on top of its end."""
    page = opened(lab, size, f"?page={name}", "open")
    assert "layout-Column" in page.evaluate("Bokeh.index.roots[0].shadow_el.innerHTML")
    page.wait_for_function(f"() => ({OVERFLOWING})().length === 0")
    if name == "step" and size[0] == 1280:
        present(page)
        page.wait_for_function(f"() => ({OVERFLOWING})().length === 0")


PAIRS = {
    "start": ("0.3", ("Function", "Relevant region", "Standard deviation")),
    "himmelblau": ("0.9", ("Function",)),
    "mackey-glass": ("0.2", ("Decision plane",)),
}


@pytest.mark.parametrize("slug", PAIRS)
@pytest.mark.parametrize(
    "size",
    [(1366, 768), *(pytest.param(s, marks=pytest.mark.slow) for s in (SIZES[0], NARROW[1]))],
)
def test_two_settings_on_the_same_data_are_in_sight_and_alike(
    lab: Lab, slug: str, size: tuple[int, int]
) -> None:
    length, names = PAIRS[slug]
    page, wide = opened(lab, size, f"?preset={slug}&event=2.pick.1"), size[0] > 1000
    open_menu(page, "Compare")
    page.get_by_role("button", name="Beside", exact=True).click()
    page.get_by_role("textbox", name="Lengthscale").fill(length)
    page.get_by_role("textbox", name="Lengthscale").press("Enter")
    expect(page.get_by_text(f"Now: lengthscale = {length}")).to_be_visible()
    expect(page.get_by_text("Before: lengthscale =")).to_be_visible()
    timeline = page.get_by_role("button", name="First event").bounding_box()
    assert timeline
    both = [one for name in names for one in (name, f"{name}, other run")]
    boxes = standing(page, both, size[0], timeline["y"] if wide else float("inf"))
    for name in names:
        own, other = boxes[name], boxes[f"{name}, other run"]
        assert abs(own["width"] - other["width"]) < ROUNDING
        assert abs(own["height"] - other["height"]) < ROUNDING
        if wide:
            assert abs(own["y"] - other["y"]) < ROUNDING
            assert other["x"] < own["x"]
    # The link has the data; opened, it shows both again.
    expect(page).to_have_url(re.compile("show=beside.*&data.lengthscale="))
    page.reload()
    expect(page.get_by_text(f"Now: lengthscale = {length}")).to_be_visible()
    open_menu(page, "Compare")
    expect(page.get_by_role("button", name="Keep these data")).to_have_attribute(
        "aria-pressed", "true"
    )
