"""Two settings side by side on the same data, in a real browser."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.student import open_menu
from tests.browser.test_one_screen import ROUNDING, box, overlap

PAIRS = {
    "start": ("Function", "Relevant region", "Standard deviation"),
    "himmelblau": ("Function", "Relevant region"),
    "mackey-glass": ("Decision plane",),
}
LENGTHSCALES = {"start": "0.3", "himmelblau": "0.9", "mackey-glass": "0.2"}


@pytest.mark.parametrize("lesson", PAIRS)
@pytest.mark.parametrize(
    "size",
    [
        (1366, 768),
        *(pytest.param(size, marks=pytest.mark.slow) for size in [(1280, 720), (1920, 1080)]),
        pytest.param((390, 844), marks=pytest.mark.slow),
    ],
)
def test_both_are_in_sight_and_alike(lab: Lab, lesson: str, size: tuple[int, int]) -> None:
    width, height = size
    page = lab.page
    lab.keep_settings("closed")
    page.set_viewport_size({"width": width, "height": height})
    lab.open(f"?preset={lesson}&event=2.pick.1")
    open_menu(page, "Compare")
    page.get_by_role("button", name="Beside", exact=True).click()
    page.get_by_role("textbox", name="Lengthscale").fill(LENGTHSCALES[lesson])
    page.get_by_role("textbox", name="Lengthscale").press("Enter")
    expect(page.get_by_text(f"Now: lengthscale = {LENGTHSCALES[lesson]}")).to_be_visible()
    expect(page.get_by_text("Before: lengthscale =")).to_be_visible()
    pairs = [(box(page, name), box(page, f"{name}, other run")) for name in PAIRS[lesson]]
    timeline = page.get_by_role("button", name="First event").bounding_box()
    assert timeline
    boxes = [one for pair in pairs for one in pair]
    for own, other in pairs:
        for one in (own, other):
            assert one["x"] >= 0
            assert one["x"] + one["width"] <= width + ROUNDING
            assert width < 1000 or one["y"] + one["height"] <= timeline["y"] + ROUNDING
        assert abs(own["width"] - other["width"]) < ROUNDING
        assert abs(own["height"] - other["height"]) < ROUNDING
        assert width < 1000 or abs(own["y"] - other["y"]) < ROUNDING
        assert width < 1000 or other["x"] < own["x"]
    for one, another in combinations(boxes, 2):
        assert not overlap(one, another)
    # The link has the data; opened, it shows both again.
    expect(page).to_have_url(re.compile("show=beside.*&data.lengthscale="))
    page.reload()
    expect(page.get_by_text(f"Now: lengthscale = {LENGTHSCALES[lesson]}")).to_be_visible()
    open_menu(page, "Compare")
    expect(page.get_by_role("button", name="Keep these data")).to_have_attribute(
        "aria-pressed", "true"
    )
