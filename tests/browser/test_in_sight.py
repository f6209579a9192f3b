"""What a person must see is in sight: on a phone, enlarged, in Present, and at a slider."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.student import present, thumb

# Width and height of the part of each visible figure's frame that the window shows.
_FRAMES = """
() => {
  const found = []
  const walk = (view) => {
    if (view.model?.type === "Figure" && view.el.checkVisibility()) {
      const box = view.el.getBoundingClientRect(), {bbox} = view.frame
      const [top, bottom] = [box.top + bbox.top, box.top + bbox.bottom]
      let low = innerHeight
      for (let root = view.el.getRootNode(); root.host; root = root.host.getRootNode()) {
        const strip = root.querySelector?.(".lab-timeline")
        if (strip) { low = Math.min(low, strip.getBoundingClientRect().top) }
      }
      found.push({width: bbox.width, height: bbox.height,
        seen: Math.max(0, Math.min(bottom, low) - Math.max(top, 48))})
    }
    for (const child of view.children_views?.() ?? []) { walk(child) }
  }
  Object.values(Bokeh.index).forEach(walk)
  return found
}
"""


def right(locator: Locator) -> float:
    box = locator.bounding_box()
    assert box
    return box["x"] + box["width"]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(390, 844), (360, 740), (911, 512)])
def test_present_and_theme_are_within_the_window(lab: Lab, width: int, height: int) -> None:
    lab.page.set_viewport_size({"width": width, "height": height})
    lab.open("?preset=start")
    for name in ("Copy link", "Present", "Toggle theme"):
        button = lab.page.get_by_role("button", name=name)
        expect(button).to_be_visible()
        assert right(button) <= width, name
        button.click(trial=True)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", ["start", "himmelblau", "mackey-glass"])
def test_a_picture_is_in_sight_at_150_percent(lab: Lab, lesson: str) -> None:
    """1366 x 768 enlarged one and a half times."""
    lab.page.set_viewport_size({"width": 911, "height": 512})
    lab.open(f"?preset={lesson}")
    lab.page.wait_for_function(f"Math.max(...({_FRAMES})().map(({{seen}}) => seen)) > 100")


@pytest.mark.slow
def test_maps_use_the_room_in_present(lab: Lab) -> None:
    for width, height in ((1366, 768), (1920, 1080)):
        lab.page.set_viewport_size({"width": width, "height": height})
        lab.open("?preset=himmelblau")
        present(lab.page)
        maps = f"({_FRAMES})().slice(0, 4).map(({{width}}) => width)"
        large, small = 0.45 * height, 0.13 * height  # the mean, and the other three beside it
        lab.page.wait_for_function(
            f"Math.max(...{maps}) > {large} && Math.min(...{maps}) > {small}"
        )


@pytest.mark.slow
def test_the_bubble_shows_the_value_and_leaves_the_field_free(lab: Lab) -> None:
    lab.open("?preset=start")
    field = lab.page.get_by_label("Lengthscale", exact=True)
    thumb = lab.page.get_by_role("slider", name="Lengthscale slider")
    # By the keyboard: keys that follow a click step.
    thumb.focus()
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Shift+Tab")
    bubble = lab.page.locator("output:visible")
    expect(bubble).to_have_text("0.65")
    lab.page.keyboard.press("PageUp")
    expect(field).not_to_have_value("0.65")
    expect(bubble).to_have_text(field.input_value())
    box, around = bubble.bounding_box(), field.bounding_box()
    assert box
    assert around
    assert box["x"] >= around["x"] + around["width"]


@pytest.mark.slow
def test_the_value_at_a_slider_stays_under_the_pointer_until_escape(lab: Lab) -> None:
    lab.open("?preset=start")
    page, bubble = lab.page, lab.page.locator("output:visible")
    x, y = thumb(page, "Lengthscale slider")
    page.mouse.move(x, y)
    expect(bubble).to_have_text("0.65")
    box = bubble.bounding_box()
    assert box
    page.mouse.move(x, box["y"] + box["height"] / 2, steps=20)
    expect(bubble).to_have_text("0.65")
    page.mouse.move(x, y, steps=20)
    expect(bubble).to_have_text("0.65")
    page.keyboard.press("Escape")
    expect(bubble).to_have_count(0)
    page.mouse.move(x + 2, y)
    expect(bubble).to_have_count(0)
    page.mouse.move(0, 0)
    page.mouse.move(x, y)
    expect(bubble).to_have_text("0.65")


@pytest.mark.slow
def test_numbers_of_a_candidate_are_whole_in_present(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    lab.open("?preset=himmelblau")
    present(lab.page)
    lab.page.keyboard.press("c")
    values = lab.page.locator(".candidate dd").filter(visible=True)
    expect(values.nth(7)).to_be_visible()
    for i in range(values.count()):
        assert right(values.nth(i)) <= 1366 - 16


@pytest.mark.slow
def test_names_of_a_race_that_differ_at_their_ends_are_whole(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1366, "height": 768})
    lab.open("?page=race")
    name = lab.page.get_by_label("Name", exact=True)
    name.fill("the same beginning of a name 01")
    name.press("Enter")
    heading = lab.page.locator(".race-heading h3 span, h3 span").filter(has_text="of a name 01")
    expect(heading.first).to_be_visible()
    cut = heading.first.evaluate("(node) => node.scrollWidth > node.clientWidth + 1")
    assert not cut
    style = heading.first.evaluate("(node) => getComputedStyle(node).textOverflow")
    assert style == "clip"
