"""A lesson in one HTML file: no picture lies on another, on desktops and on a phone."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from ucbpe_app.export.products import Source, make
from ucbpe_app.links import decode, restore

_DESKTOPS = [(1280, 720), (1366, 768), (1920, 1080)]
_PHONE = (390, 844)
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


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["start", "himmelblau", "mackey-glass"])
def test_no_picture_of_a_lesson_file_lies_on_another(
    preset: str, browser: Browser, tmp_path: Path
) -> None:
    moment, _ = decode(f"preset={preset}")
    moment, replay, _ = restore(moment)
    file = tmp_path / "lesson.html"
    file.write_bytes(make("html", Source(moment, replay, None)).data)
    figures = 2 + (1 if preset == "mackey-glass" else {"start": 4, "himmelblau": 5}[preset])
    for width, height in (*_DESKTOPS, _PHONE):
        with browser.new_context(viewport={"width": width, "height": height}) as context:
            page = context.new_page()
            page.goto(file.as_uri())
            found = boxes(page)
        assert sum("bk-Figure" in one.name for one in found) == figures
        wrong = [(a, b) for a, b in combinations(found, 2) if a.overlaps(b)]
        assert not wrong, f"at {width} x {height}"
        assert max(one.right for one in found) <= width
