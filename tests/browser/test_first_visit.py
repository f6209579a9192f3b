"""What a first visit shows at once, and that nothing which opens moves a picture."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import lesson_of, open_menu
from tests.browser.test_one_screen import BESIDE, CURVE, ROUNDING, SIZES, box, overlap
from ucbpe_app.lessons import offered, plain

PHONE = {"width": 390, "height": 844}
LONGEST = max(offered(), key=lambda lesson: len(plain(lesson.caption))).slug
QUESTION = max(offered(), key=lambda lesson: len(lesson.question)).slug
# Of every piece of text in the card: its words, its box, and whether a part around it cuts it off.
_TEXTS = """(card) => {
  const found = []
  const walker = document.createTreeWalker(card, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.textContent.trim() || !node.parentElement.checkVisibility()) { continue }
    const range = document.createRange()
    range.selectNodeContents(node)
    const {left, top, right, bottom} = range.getBoundingClientRect()
    let cut = false
    for (let one = node.parentElement; one; one = one.parentElement ?? one.getRootNode().host) {
      const {overflowX, overflowY, display} = getComputedStyle(one)
      if (display === "contents" || display === "inline") { continue }
      const {left: l, top: t, right: r, bottom: b} = one.getBoundingClientRect()
      const clips = overflowX !== "visible" || overflowY !== "visible"
      cut ||= clips && (left < l - 1 || top < t - 1 || right > r + 1 || bottom > b + 1)
    }
    found.push({words: node.textContent, left, top, right, bottom, cut})
  }
  return found
}"""


def is_whole(page: Page, slug: str, width: int, height: int) -> None:
    """All words of the lesson and its question are in the window, and nothing cuts them off."""
    lesson, card = lesson_of(slug), page.get_by_role("region", name="Lesson", exact=True)
    expect(card.get_by_role("heading", name=lesson.title, exact=True)).to_be_visible()
    texts = card.evaluate(_TEXTS)
    words = "".join("".join(one["words"] for one in texts).split())
    for part in (*plain(lesson.caption).split("\n"), lesson.question):
        assert "".join(part.split()) in words
    for one in texts:
        assert not one["cut"], one
        assert one["left"] >= 0, one
        assert one["top"] >= 0, one
        assert one["right"] <= width, one
        assert one["bottom"] <= height, one


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("slug", ["start", LONGEST, QUESTION])
def test_the_whole_lesson_stands_beside_whole_pictures(
    lab: Lab, slug: str, size: tuple[int, int]
) -> None:
    width, height = size
    page = lab.page
    lab.keep_settings("closed")
    page.set_viewport_size({"width": width, "height": height})
    lab.open(f"?preset={slug}")
    is_whole(page, slug, width, height)
    boxes = {name: box(page, name) for name in ("Lesson", *CURVE, *BESIDE)}
    for name, one in boxes.items():
        assert one["x"] >= 0, name
        assert one["x"] + one["width"] <= width + ROUNDING, name
        assert one["y"] + one["height"] <= height + ROUNDING, name
    for one, other in combinations(boxes, 2):
        assert not overlap(boxes[one], boxes[other]), (one, other)
    player = page.get_by_role("button", name="First event").bounding_box()
    assert player
    for name in CURVE:
        assert boxes[name]["y"] + boxes[name]["height"] <= player["y"] + ROUNDING, name


@pytest.mark.slow
def test_every_lesson_is_whole(lab: Lab) -> None:
    page = lab.page
    lab.keep_settings("closed")
    page.set_viewport_size({"width": 1280, "height": 720})
    lab.open()
    for number, lesson in enumerate(offered(), start=1):
        is_whole(page, lesson.slug, 1280, 720)
        if number < len(offered()):
            page.get_by_role("button", name="Next lesson").click()


def wrong(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    said = page.get_by_text(f"{label} must be").filter(has_text=f"got {text}")
    expect(said).to_be_in_viewport(ratio=1)


def press(page: Page, menu: str, name: str) -> None:
    open_menu(page, menu)
    page.get_by_role("button", name=name, exact=True).click()


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
    page, names = lab.page, (*CURVE, "Regret", "Decision plane", "Why this point")
    lab.keep_settings("closed")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    lab.open("?preset=start")
    before = {name: box(page, name) for name in names}
    for what, act in OPENS.items():
        act(page)
        page.wait_for_timeout(500)  # ms; what moves would have moved
        assert {name: box(page, name) for name in names} == before, what


def test_a_guess_moves_no_picture(lab: Lab) -> None:
    page = lab.page
    lab.keep_settings("closed")
    page.set_viewport_size({"width": 1366, "height": 768})
    lab.open("?preset=start")
    before = [box(page, name) for name in CURVE]
    press(page, "Compare", "Predict")
    expect(page.get_by_role("region", name="Predict")).to_be_in_viewport(ratio=1)
    assert [box(page, name) for name in CURVE] == before


def test_a_wrong_value_in_the_column_moves_nothing(lab: Lab) -> None:
    page, names = lab.page, (*CURVE, "Regret")
    page.set_viewport_size({"width": 1366, "height": 768})
    lab.open("?preset=start")
    below = page.get_by_label("Noise seed", exact=True)
    before = [below.bounding_box(), *(box(page, name) for name in names)]
    wrong(page, "Batch size K", "abc")
    page.wait_for_timeout(500)  # ms; as above
    assert [below.bounding_box(), *(box(page, name) for name in names)] == before


def test_settings_and_all_pages_are_in_the_window_of_a_phone(lab: Lab) -> None:
    page = lab.page
    lab.keep_settings("closed")
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    lab.open("?preset=start")
    links = page.get_by_role("navigation", name="Pages").get_by_role("link").all()
    settings = page.get_by_role("button", name="Settings", exact=True)
    boxes = [one.bounding_box() for one in (*links, settings)]
    assert len(boxes) == 6
    for one in boxes:
        assert one
        assert one["x"] >= 0
        assert one["x"] + one["width"] <= PHONE["width"] + ROUNDING
        assert one["y"] + one["height"] <= PHONE["height"]
    for link in links:
        link.click(trial=True)
    is_whole(page, "start", PHONE["width"], PHONE["height"])
    kernel = page.get_by_role("combobox", name="Kernel", exact=True)
    expect(kernel).not_to_be_in_viewport()
    settings.click()
    expect(kernel).to_be_in_viewport(ratio=1)
    settings.click()
    expect(page.get_by_role("heading", name=lesson_of("start").title)).to_be_in_viewport()
