"""The Step page in one glance: every part in the window, none over another, none too small."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from playwright.sync_api import FloatRect, Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import choose

SIZES = [(1280, 720), (1366, 768), (1920, 1080)]
# Least width and height in px at 1280 x 720, by the name of the part.
CURVE = {"Function": (480, 160), "Relevant region": (480, 50), "Standard deviation": (480, 100)}
MAPS = {"Function": (300, 260), "Relevant region": (150, 30), "Standard deviation": (150, 120)}
PLANE = {"Decision plane": (250, 138)}
BESIDE = {
    "Regret": (400, 150),
    "Why this point": (400, 80),
    "Kernel": (400, 40),
    "Confidence": (200, 40),
}
PARTS = {
    "start": {**CURVE, **PLANE, **BESIDE},
    "himmelblau": {**MAPS, **PLANE, **BESIDE},
    "mackey-glass": {"Decision plane": (500, 280), **BESIDE},
}
ROUNDING = 1.5  # px


def box(page: Page, name: str) -> FloatRect:
    part = page.get_by_role("region", name=name, exact=True)
    expect(part).to_be_visible()
    found = part.bounding_box()
    assert found
    return found


def overlap(one: FloatRect, other: FloatRect) -> bool:
    width = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    height = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return width > ROUNDING and height > ROUNDING


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("lesson", PARTS)
def test_all_is_in_sight(lab: Lab, lesson: str, size: tuple[int, int]) -> None:
    width, height = size
    lab.keep_settings("closed")
    lab.page.set_viewport_size({"width": width, "height": height})
    lab.open(f"?preset={lesson}&event=1.pick.1")
    expect(lab.page.get_by_role("status")).to_contain_text("PE pick 1")
    boxes = {name: box(lab.page, name) for name in PARTS[lesson]}
    for name, (least_width, least_height) in PARTS[lesson].items():
        one = boxes[name]
        assert one["x"] >= 0, name
        assert one["x"] + one["width"] <= width + ROUNDING, name
        assert one["y"] + one["height"] <= height + ROUNDING, name
        assert one["width"] >= least_width, (name, one)
        assert one["height"] >= least_height, (name, one)
    for one, other in combinations(boxes, 2):
        assert not overlap(boxes[one], boxes[other]), (one, other)
    # The pictures end where the timeline begins, and the numbers of the candidate are in sight.
    first = lab.page.get_by_role("button", name="First event").bounding_box()
    candidate = lab.page.get_by_label("One candidate").bounding_box()
    assert first
    assert candidate
    for name in ("Function", "Standard deviation"):
        if name in boxes:
            assert boxes[name]["y"] + boxes[name]["height"] <= first["y"] + ROUNDING
    assert candidate["y"] + candidate["height"] <= height + ROUNDING


@pytest.mark.parametrize("width", [1280, 1366, 1920])
def test_the_strip_has_room_for_all_that_a_choice_shows(lab: Lab, width: int) -> None:
    """A constant beta has a slider more, which appears when it is chosen."""
    page, last = lab.page, lab.page.get_by_label("Multiplier c slider", exact=True)
    page.set_viewport_size({"width": width, "height": 768})
    lab.open("?preset=start")
    before = last.bounding_box()
    choose(page, "β schedule", "Constant")
    expect(page.get_by_label("β slider", exact=True)).to_be_visible()
    row = [page.get_by_label(name, exact=True) for name in ("β schedule", "β", "Multiplier c")]
    boxes = [one.bounding_box() for one in (*row, last)]
    for one, other in pairwise(boxes):
        assert one
        assert other
        assert one["x"] + one["width"] <= other["x"] + ROUNDING
    assert before
    for box_ in (before, boxes[-1]):
        assert box_
        assert box_["x"] + box_["width"] <= width - 16  # the margin of the strip


@pytest.mark.parametrize("lesson", PARTS)
def test_the_settings_open_beside_the_pictures(lab: Lab, lesson: str) -> None:
    lab.keep_settings("closed")
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    lab.open(f"?preset={lesson}")
    problem = lab.page.get_by_label("Problem", exact=True)
    button = lab.page.get_by_role("button", name="Settings", exact=True)
    expect(problem).to_be_hidden()
    button.click()
    expect(problem).to_be_visible()
    expect(button).to_have_attribute("aria-expanded", "true")
    button.click()
    expect(problem).to_be_hidden()


def test_the_settings_stay_as_they_were_left(lab: Lab) -> None:
    lab.open("?preset=start")
    expect(lab.page.get_by_label("Problem", exact=True)).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("lesson", PARTS)
@pytest.mark.parametrize("size", [(911, 512), (390, 844)])
def test_on_a_narrow_screen_the_parts_stand_below_each_other(
    lab: Lab, lesson: str, size: tuple[int, int]
) -> None:
    """1366 x 768 enlarged one and a half times, and a phone."""
    lab.keep_settings("closed")
    lab.page.set_viewport_size({"width": size[0], "height": size[1]})
    lab.open(f"?preset={lesson}")
    boxes = {name: box(lab.page, name) for name in PARTS[lesson]}
    for name, one in boxes.items():
        assert one["x"] >= 0, name
        assert one["x"] + one["width"] <= size[0] + ROUNDING, name
    for one, other in combinations(boxes, 2):
        assert not overlap(boxes[one], boxes[other]), (one, other)
    expect(lab.page.get_by_label("Problem", exact=True)).to_be_visible()
