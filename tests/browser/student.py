"""The page as somebody uses it: what they do, and what they can compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PATIENCE, Lab
from ucbpe_app.lessons import Lesson, find
from ucbpe_app.lessons.card import last
from ucbpe_app.pictures.asked import asking_of
from ucbpe_app.run.cache import load
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences import EventText

# Every canvas of the page as text, figures hidden or not, in document order.
_PICTURES = """
() => {
  const canvases = []
  const walk = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.tagName === "CANVAS" && node.width > 0) { canvases.push(node) }
      if (node.shadowRoot) { walk(node.shadowRoot) }
    }
  }
  walk(document)
  return canvases.map((canvas) => canvas.toDataURL())
}
"""
_THUMB = """
(input) => {
  const {left, top, width, height} = input.getBoundingClientRect()
  const [low, high] = [Number(input.min), Number(input.max)]
  const half = parseFloat(getComputedStyle(input.parentElement).getPropertyValue("--thumb")) / 2
  const place = (input.valueAsNumber - low) / (high - low)
  return [left + half + place * (width - 2 * half), top + height / 2]
}
"""
# All that the browser's figures hold: data, ranges, titles and colour scales, in a fixed order.
_STATE = """
() => JSON.stringify(Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  .filter((model) => ["ColumnDataSource", "Range1d", "Title", "LinearColorMapper"]
    .includes(model.type))
  .map((model) => [model.id, model.data ?? model.text ?? [model.start, model.end, model.high]]),
  (_, value) => ArrayBuffer.isView(value) ? [...value]
    : value instanceof Map ? Object.fromEntries(value) : Number.isNaN(value) ? "NaN" : value)
"""
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def lesson_of(slug: str) -> Lesson:
    lesson = find(slug)
    assert lesson is not None
    return lesson


def told(lesson: Lesson, replay: Replay, i: int, layers: frozenset[str] | None = None) -> EventText:
    """What is said of an event: nothing of f before the lesson's end, if f is secret.

    With the layers of the lesson, or others that were chosen.
    """
    chosen = Layers.of(lesson.layers if layers is None else layers, plain=lesson.plain)
    shown = asking_of(lesson, replay).layers(chosen, replay, i)
    return replay.frame(i).tell(*shown.words)


def painted(page: Page) -> None:
    """Wait until what was done last is painted."""
    page.evaluate(_PAINTED)


def choose(page: Page, label: str, option: str) -> None:
    """Choose from a menu, and wait until it has closed."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("menuitem", name=option, exact=True).click()
    expect(page.locator("[role=listbox]")).to_have_count(0)  # it has the label of the field, too


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def type_into(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    field.fill(text)
    field.press("Enter")
    field.blur()


def saved(page: Page, name: str, folder: Path) -> Path:
    """Where the file now is that a button saves, under the name that it was saved with."""
    with page.expect_download() as download:
        button(page, name).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def event_of(page: Page, slider: str = "Event") -> Locator:
    """The slider of a timeline, whose value is the event, or the place, on screen."""
    return page.get_by_label(slider, exact=True)


def steps(page: Page, key: str = "ArrowRight", by: int = 1, slider: str = "Event") -> None:
    """A key moves the timeline."""
    page.wait_for_timeout(300)  # what was done last may move it, too
    before = int(event_of(page, slider).input_value())
    page.keyboard.press(key)
    expect(event_of(page, slider)).to_have_value(str(before + by))


def stays(page: Page, key: str = "ArrowRight") -> None:
    """A key does not move the timeline."""
    before = event_of(page).input_value()
    page.keyboard.press(key)
    page.wait_for_timeout(300)
    expect(event_of(page)).to_have_value(before)


def enter(page: Page, label: str, text: str) -> None:
    """Type into a field, which keeps the focus."""
    page.get_by_label(label, exact=True).fill(text)
    page.keyboard.press("Enter")


def open_menu(page: Page, name: str) -> None:
    """Show the tools of a menu of the Step page, "Show" or "Compare"."""
    menu = button(page, name)
    if menu.get_attribute("aria-expanded") != "true":
        menu.click()
    expect(menu).to_have_attribute("aria-expanded", "true")


def thumb(page: Page, name: str) -> tuple[float, float]:
    """Where the thumb of a setting's slider is."""
    x, y = page.get_by_role("slider", name=name, exact=True).evaluate(_THUMB)
    return x, y


def present(page: Page) -> None:
    """Present the page, and wait until it is."""
    button(page, "Present").click()
    expect(button(page, "Esc end: End presenting")).to_be_visible()


def pictures_of(page: Page) -> list[str]:
    """Every canvas of a page, painted."""
    painted(page)
    return page.evaluate(_PICTURES)


def state_of(page: Page) -> dict[str, Any]:
    """What the figures hold in the browser, by model."""
    return dict(json.loads(page.evaluate(_STATE)))


def pictures_other_than(page: Page, before: list[str], what: str = "it") -> list[str]:
    """Every canvas of a page, as soon as one of them differs from before."""
    for _ in range(PATIENCE // 100):
        now = pictures_of(page)
        if now != before:
            return now
        page.wait_for_timeout(100)
    pytest.fail(f"{what} drew nothing new")


class Student:
    """The page as somebody uses it; with `truth`, f and the regret are shown from the start."""

    def __init__(self, lab: Lab, slug: str, predict: str = "off", *, truth: bool = False) -> None:
        self.lab, self.page, self.lesson = lab, lab.page, lesson_of(slug)
        self.shown = self.lesson.layers | ({"truth"} if truth else set())
        self.spec = self.lesson.spec()
        self.replay = load(self.spec)
        show = f"&show={','.join(sorted(self.shown))}" if truth else ""
        lab.open(f"?preset={slug}&predict={predict}{show}")
        self.sees(self.replay.events.index(self.lesson.event))  # once the link has been opened

    def open_menu(self, name: str) -> None:
        open_menu(self.page, name)

    @property
    def status(self) -> Locator:
        return self.page.get_by_role("status")

    def button(self, name: str) -> Locator:
        return button(self.page, name)

    def sees(self, i: int, replay: Replay | None = None) -> None:
        """The status, the sentence and the lit line are those of event i."""
        replay = replay or self.replay
        words = told(self.lesson, replay, i, self.shown)
        expect(self.status).to_have_text(words.status)
        # At the end of the lesson's own run it stands in the reason's place.
        own = replay.trace.digest == self.replay.trace.digest
        card = own and i == last(self.lesson, replay)
        said = "What was found" if card else words.sentence
        expect(self.page.get_by_text(said, exact=True)).to_be_visible()

    def pictures(self) -> list[str]:
        """Every canvas, painted."""
        return pictures_of(self.page)

    def pictures_other_than(self, before: list[str], what: str) -> list[str]:
        """Every canvas, as soon as one of them differs from before."""
        return pictures_other_than(self.page, before, what)

    def state(self) -> dict[str, Any]:
        return state_of(self.page)

    def type(self, label: str, text: str) -> None:
        type_into(self.page, label, text)

    def choice(self, label: str) -> Locator:
        # Not by its label, which its menu shares while it closes.
        return self.page.get_by_role("combobox", name=label, exact=True)

    def choose(self, label: str, option: str) -> None:
        choose(self.page, label, option)
