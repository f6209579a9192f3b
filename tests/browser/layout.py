"""Where parts of a page are: each in the window, none over another, none too small."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page, expect

from ucbpe_app.lessons import Lesson, plain

SIZES = [(1280, 720), (1366, 768), (1920, 1080)]
PHONE = (390, 844)
NARROW = [(911, 512), PHONE]  # 1366 x 768 enlarged one and a half times, and a phone
# Least width and height in px at 1280 x 720, by the name of the part.
CURVE = {"Function": (480, 160), "Relevant region": (480, 40), "Standard deviation": (480, 100)}
MAPS = {"Function": (300, 260), **{f"{one} small map": (80, 80) for one in ("First", "Third")}}
PLANE = {"Decision plane": (250, 138)}
SLICED = {"Decision plane": (440, 280), "Slices": (260, 280)}
BESIDE = {
    "Regret": (400, 140),
    "Why this point": (400, 80),
    "Kernel": (400, 40),
    "Confidence": (200, 40),
}
PARTS = {
    "start": {**CURVE, **BESIDE},
    "himmelblau": {**MAPS, **PLANE, **BESIDE},
    "mackey-glass": {**SLICED, **BESIDE},
}
ROUNDING = 1.5  # px
_LAYOUTS = 50  # that are looked at, 200 ms apart, until all is in its place
_PLACES = "(all) => all.map((one) => Object.values(one.getBoundingClientRect().toJSON()))"


def box(page: Page, name: str) -> FloatRect:
    part = page.get_by_role("region", name=name, exact=True)
    expect(part).to_be_visible()
    found = part.bounding_box()
    assert found
    return found


def resized(page: Page, size: tuple[int, int]) -> None:
    """Give the window this size, and wait until no part of the page moves any more."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    parts, before = page.get_by_role("region"), None
    while (now := parts.evaluate_all(_PLACES)) != before:
        before = now
        page.wait_for_timeout(200)


def overlap(one: FloatRect, other: FloatRect) -> bool:
    width = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    height = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return width > ROUNDING and height > ROUNDING


def standing(
    page: Page, names: Iterable[str], width: float, height: float = math.inf
) -> dict[str, FloatRect]:
    """Where parts are, each within the width and the height, none over another.

    Waits until it is so: a busy machine lays a page out again some time after it had settled.
    """
    for _ in range(_LAYOUTS):
        boxes = {name: box(page, name) for name in names}
        if not (faults := _misplaced(boxes, width, height)):
            return boxes
        page.wait_for_timeout(200)
    raise AssertionError(faults)


def _misplaced(
    boxes: Mapping[str, FloatRect], width: float, height: float
) -> list[tuple[str, ...]]:
    out = [
        (name,)
        for name, one in boxes.items()
        if one["x"] < 0
        or one["x"] + one["width"] > width + ROUNDING
        or one["y"] + one["height"] > height + ROUNDING
    ]
    pairs = combinations(boxes, 2)
    return out + [(one, other) for one, other in pairs if overlap(boxes[one], boxes[other])]


def are_large(boxes: Mapping[str, FloatRect], least: Mapping[str, tuple[float, float]]) -> None:
    """None is smaller than it must be."""
    for name, (width, height) in least.items():
        assert boxes[name]["width"] >= width, (name, boxes[name])
        assert boxes[name]["height"] >= height, (name, boxes[name])


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


def uncut(part: Locator) -> list[dict[str, Any]]:
    """The pieces of text in a part, none of which anything around it cuts off."""
    texts: list[dict[str, Any]] = part.evaluate(_TEXTS)
    assert texts
    assert not [one for one in texts if one["cut"]]
    return texts


def is_whole(page: Page, lesson: Lesson, width: int, height: int) -> None:
    """All words of the lesson and its question are in the window, and nothing cuts them off."""
    card = page.get_by_role("region", name="Lesson", exact=True)
    expect(card.get_by_role("heading", name=lesson.title, exact=True)).to_be_visible()
    texts = uncut(card)
    words = "".join("".join(one["words"] for one in texts).split())
    opening = [one.text for one in lesson.questions if one.at in (None, lesson.event)][:1]
    for part in (*plain(lesson.caption).split("\n"), *([] if lesson.predict else opening)):
        assert "".join(part.split()) in words
    for one in texts:
        assert one["left"] >= 0, one
        assert one["top"] >= 0, one
        assert one["right"] <= width, one
        assert one["bottom"] <= height, one
