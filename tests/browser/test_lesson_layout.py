"""A lesson in one HTML file: no picture lies on another, on desktops and on a phone."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.test_one_screen import PARTS, SIZES, box, overlap
from ucbpe_app.export.products import Source, make
from ucbpe_app.links import decode, restore

_NARROW = [(911, 512), (390, 844)]  # 1366 x 768 enlarged one and a half times, and a phone
_CONTROLS = {"Kernel", "Confidence"}  # a file has none: it says both under "This run"
_ROUNDING = 1.5  # px

# The boxes of all figures and texts; what is in another of them is not counted again.
_BOXES = """
() => {
  const found = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      const leaf = node.matches(".bk-Figure, .html")
      const {left, top, right, bottom} = node.getBoundingClientRect()
      if (leaf && right > left && bottom > top) {
        found.push([node.className, left, top, right, bottom])
      }
      if (node.shadowRoot && !leaf) { walk(node.shadowRoot) }
    }
  }
  walk(document)
  return found
}
"""


class Box(NamedTuple):
    name: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """By more than rounding, both ways."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width > _ROUNDING and height > _ROUNDING


def boxes(page: Page) -> list[Box]:
    """Once Bokeh has laid its figures out."""
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    return [Box(*one) for one in page.evaluate(_BOXES)]


@pytest.fixture(scope="module", params=PARTS)
def written(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path]:
    """A lesson and its file."""
    preset = request.param
    moment, replay, _ = restore(decode(f"preset={preset}&event=1.pick.1")[0])
    file = tmp_path_factory.mktemp("lesson") / "lesson.html"
    file.write_bytes(make("html", Source(moment, replay, None)).data)
    return preset, file


@pytest.mark.slow
@pytest.mark.parametrize("size", [*SIZES, *_NARROW])
def test_no_picture_of_a_lesson_file_lies_on_another(
    written: tuple[str, Path], size: tuple[int, int], browser: Browser
) -> None:
    preset, file = written
    width, height = size
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        page.goto(file.as_uri())
        found = boxes(page)
        expect(page.get_by_role("status")).to_contain_text("PE pick 1")
        named = {name: box(page, name) for name in PARTS[preset] if name not in _CONTROLS}
        run = page.get_by_role("region", name="This run").inner_text()
    figures = 2 + (1 if preset == "mackey-glass" else {"start": 4, "himmelblau": 5}[preset])
    assert sum("bk-Figure" in one.name for one in found) == figures
    assert not [(a, b) for a, b in combinations(found, 2) if a.overlaps(b)]
    assert max(one.right for one in found) <= width
    assert "Kernel" in run
    assert "β" in run
    for one, other in combinations(named, 2):
        assert not overlap(named[one], named[other]), (one, other)
    for name, one in named.items():
        assert one["x"] >= 0, name
        assert one["x"] + one["width"] <= width + _ROUNDING, name
        if size in SIZES:
            least_width, least_height = PARTS[preset][name]
            assert one["y"] + one["height"] <= height + _ROUNDING, name
            assert one["width"] >= least_width, (name, one)
            assert one["height"] >= least_height, (name, one)
