"""Export in a real browser: each file is saved as it says, and the lesson needs nothing else."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.image import imread
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Lab, from_disk
from tests.browser.layout import NARROW, PARTS, SIZES, are_large, resized, standing
from tests.browser.student import Student, lesson_of, saved
from tests.browser.test_accessible import findings
from ucbpe_app.files import lesson
from ucbpe_app.files.products import Source, make
from ucbpe_app.links import decode, restore
from ucbpe_app.pictures.asked import asking_of
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.screen import Layers
from ucbpe_app.run.sentences.event import EventText
from ucbpe_core import Trace

_HELD = 2000  # ms that a key is held
_PER_SECOND = 30  # repeats, as keyboards send them

# Holds a key down, and tells which events were shown, and for which a figure was painted.
_HOLD = """
async ({key, ms, every}) => {
  const find = (root, selector) => root.querySelector(selector) ?? [...root.querySelectorAll("*")]
    .reduce((found, node) => found ?? (node.shadowRoot && find(node.shadowRoot, selector)), null)
  const slider = find(document, "[type=range]"), status = find(document, ".status[role=status]")
  const here = () => Number(slider.value)
  const told = [], painted = new Set()
  const observer = new MutationObserver(() => told.push(here()))
  observer.observe(status, {childList: true, characterData: true, subtree: true})
  const {prototype} = Bokeh.require("models/plots/plot_canvas").PlotView
  const paint = prototype._actual_paint
  prototype._actual_paint = function() {
    painted.add(here())
    paint.call(this)
  }
  const press = (repeat) => document.dispatchEvent(
    new KeyboardEvent("keydown", {key, repeat, bubbles: true, cancelable: true}))
  press(false)
  // Two at a time: those of a browser that is late come together, before it has painted the first.
  const timer = setInterval(() => { press(true); press(true) }, every)
  await new Promise((done) => setTimeout(done, ms))
  clearInterval(timer)
  await new Promise((done) => setTimeout(done, 300))
  observer.disconnect()
  prototype._actual_paint = paint
  return {told, painted: [...painted].sort((a, b) => a - b), end: here()}
}
"""


class Dialog:
    """The dialog as somebody uses it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.panel = page.get_by_role("dialog", name="Export")
        self.opener = page.get_by_role("button", name="Export")
        # The timeline's own is behind the dialog.
        self.news = self.panel.get_by_role("status")

    def button(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)

    def saved(self, name: str, folder: Path) -> Path:
        """Where a file now is, under the name that it was saved with."""
        path = saved(self.page, name, folder)
        expect(self.news).to_contain_text(f"Saved {path.name}")
        return path


@pytest.mark.slow
def test_all_of_it_is_taken_away_and_the_lesson_needs_nothing_else(
    lab: Lab, browser: Browser, tmp_path: Path
) -> None:
    student, dialog, page = Student(lab, "figure-2"), Dialog(lab.page), lab.page
    digest = student.replay.trace.digest
    expect(page.locator(".run")).to_have_attribute("data-digest", digest)
    dialog.opener.focus()
    page.keyboard.press("Enter")
    expect(dialog.panel).to_be_visible()
    saves_files(dialog, student.replay, tmp_path)
    file = dialog.saved("HTML lesson", tmp_path)
    page.keyboard.press("Escape")
    expect(dialog.panel).to_be_hidden()
    expect(dialog.opener).to_be_focused()
    student.sees(student.replay.events.index(lesson_of("figure-2").event))

    page.keyboard.press("End")
    student.sees(len(student.replay.events) - 1)
    with from_disk(browser, file) as offline:
        alone = offline.page
        steps(alone, student.replay, file.as_uri())
        paints_each_event_while_a_key_is_held(alone)
        alone.keyboard.press("End")
        expect(alone.get_by_role("status")).to_have_text(student.status.inner_text())
        said = words(student.replay, len(student.replay.events) - 1).sentence
        expect(alone.get_by_text(said, exact=True)).to_be_visible()
        assert offline.requests_that_left() == [offline.url]
        alone.get_by_role("button", name="Dark theme").click()
        assert findings(alone) == []


def words(replay: Replay, i: int) -> EventText:
    """Of an event of the lesson "figure-2", whose regret is secret until its end."""
    lesson = lesson_of("figure-2")
    chosen = Layers.of(lesson.layers, plain=lesson.plain)
    return replay.frame(i).tell(*asking_of(lesson, replay).layers(chosen, replay, i).words)


def saves_files(dialog: Dialog, replay: Replay, folder: Path) -> None:
    """Pictures for print, and the run as data."""
    assert imread(dialog.saved("PNG", folder)).shape[1] > 1500  # 17 cm at print resolution
    drawing = ElementTree.parse(dialog.saved("SVG", folder)).getroot()
    assert drawing.tag.endswith("svg")
    assert "in this batch" in "".join(drawing.itertext())  # text is text
    with dialog.saved("JSON", folder).open(encoding="utf-8") as stream:
        assert Trace.load(stream).digest == replay.trace.digest
    with dialog.saved("CSV", folder).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    picks = sum(len(one.indices) for one in replay.trace.decisions)
    assert len(rows) == replay.trace.initial + picks


def steps(page: Page, replay: Replay, address: str) -> None:
    """By its button, by a key, and by a link of the caption."""
    lesson, status = lesson_of("figure-2"), page.get_by_role("status")
    i = replay.events.index(lesson.event)

    def tells(j: int) -> None:
        expect(status).to_have_text(words(replay, j).status)

    expect(page.get_by_role("heading", level=1)).to_have_text(lesson.title)
    tells(i)
    page.get_by_role("button", name="Next event").click()
    tells(i + 1)
    page.keyboard.press("ArrowRight")
    tells(i + 2)
    page.get_by_role("link", name="x⁰").click()
    expect(page).to_have_url(f"{address}#1.pick.0")
    tells(1)
    page.keyboard.press("Home")
    tells(0)


def paints_each_event_while_a_key_is_held(page: Page) -> None:
    """However many that are: none is passed unseen."""
    held = page.evaluate(_HOLD, {"key": "ArrowRight", "ms": _HELD, "every": 1000 / _PER_SECOND})
    passed = list(range(1, held["end"] + 1))
    assert len(passed) > 5
    assert held["told"] == passed
    assert [i for i in held["painted"] if i] == passed


def test_a_browser_that_cannot_unpack_the_lesson_says_so(browser: Browser, tmp_path: Path) -> None:
    _, replay, _ = restore(decode("preset=start&T=1")[0])
    file = tmp_path / "lesson.html"
    file.write_text(lesson(replay), encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script("delete window.DecompressionStream")
        page.goto(file.as_uri())
        note = page.get_by_role("alert")
        expect(note).to_contain_text("the browser has no DecompressionStream")
        expect(note).to_contain_text("Open it in a browser of May 2023 or later.")


def are_in_sight(page: Page, names: Iterable[str]) -> None:
    """Each as a whole: the pictures as they are, the rest once its column is scrolled."""
    for name in names:
        part = page.get_by_role("region", name=name, exact=True)
        part.scroll_into_view_if_needed()
        expect(part).to_be_in_viewport(ratio=0.99)


CONTROLS = {"Kernel", "Confidence"}


@pytest.mark.slow
@pytest.mark.parametrize("preset", PARTS)
def test_no_picture_of_a_lesson_file_lies_on_another(
    preset: str, browser: Browser, tmp_path: Path
) -> None:
    show = ",".join({*lesson_of(preset).layers, "truth"})  # which a lesson has at its end
    moment, replay, _ = restore(decode(f"preset={preset}&event=1.pick.1&show={show}")[0])
    file = tmp_path / "lesson.html"
    file.write_bytes(make("html", Source(moment, replay, None)).data)
    # A file has no controls: it says both under "This run".
    least = {name: PARTS[preset][name] for name in PARTS[preset].keys() - CONTROLS}
    with from_disk(browser, file) as lab:
        page = lab.page
        status = (
            replay.frame(replay.events.index(moment.event)).tell(lesson_of(preset).plain).status
        )
        expect(page.get_by_role("status")).to_have_text(status)
        for size in (*SIZES, *NARROW):
            resized(page, size)
            found = standing(page, least, size[0])
            if size in SIZES:
                are_large(found, least)
                are_in_sight(page, least)
        run = page.get_by_role("region", name="This run").inner_text()
    assert "Kernel" in run
    assert "β" in run
