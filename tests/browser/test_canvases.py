"""What Bokeh's canvases do otherwise, on the page and in a lesson's file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Lab
from ucbpe_app.export.lesson import lesson
from ucbpe_app.lessons import find
from ucbpe_app.run.cache import load
from ucbpe_app.run.settings import RunSpec

_CALL = "\n  setUpCanvases()\n"
_CANVASES = """
() => {
  const {CanvasView} = Bokeh.require("models/canvas/canvas")
  return [...Bokeh.index.query((one) => one instanceof CanvasView)]
    .map((one) => one.events_el.ariaLabel)
}
"""
# Paint every picture: the elements whose styles Bokeh asks for, and the style sheets it writes.
_PAINT = """
async () => {
  const {getPropertyValue} = CSSStyleDeclaration.prototype, {getComputedStyle} = window
  const {PlotView} = Bokeh.require("models/plots/plot_canvas")
  const of = new WeakMap(), asked = new Set(), written = []
  window.getComputedStyle = (element, ...more) => {
    const style = getComputedStyle(element, ...more)
    of.set(style, element)
    return style
  }
  CSSStyleDeclaration.prototype.getPropertyValue = function(name) {
    if (name.startsWith("--bk-")) { asked.add(of.get(this).className) }
    return getPropertyValue.call(this, name)
  }
  const sheets = (root) => [...root.querySelectorAll("*")].flatMap((node) => (
    [node, ...sheets(node.shadowRoot ?? new DocumentFragment())]
      .filter((one) => one.tagName === "STYLE")))
  const observer = new MutationObserver((changes) => written.push(...changes))
  const plots = [...Bokeh.index.query((one) => one instanceof PlotView)]
  const all = plots.flatMap((one) => sheets(one.shadow_el))
  for (const one of all) { observer.observe(one, {childList: true, subtree: true}) }
  for (const one of plots) { one.request_paint() }
  await new Promise((done) => setTimeout(done, 500))
  CSSStyleDeclaration.prototype.getPropertyValue = getPropertyValue
  window.getComputedStyle = getComputedStyle
  observer.disconnect()
  return {asked: [...asked], written: written.length, plots: plots.length, sheets: all.length}
}
"""

# Pixels of every canvas, once they no longer change.
_PIXELS = """
async () => {
  const {CanvasView} = Bokeh.require("models/canvas/canvas")
  const pixels = () => [...Bokeh.index.query((one) => one instanceof CanvasView)].flatMap((one) => (
    [one.primary, one.overlays].map((layer) => layer.canvas.toDataURL())))
  for (let before = null, now = pixels(); ; before = now, now = pixels()) {
    if (String(before) === String(now)) { return now }
    await new Promise((done) => setTimeout(done, 300))
  }
}
"""


def is_set_up(page: Page) -> None:
    page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    canvases = page.evaluate(_CANVASES)
    assert len(canvases) >= 5
    assert all(name.startswith("Picture: ") for name in canvases), canvases
    page.evaluate(_PIXELS)  # all that was still to be painted is there
    page.evaluate(_PAINT)  # labels are placed
    found = page.evaluate(_PAINT)
    assert found["plots"] == len(canvases)
    assert found["sheets"] > 0
    assert found["asked"] == ["bk-Label"]  # y•, whose colour is in a style sheet
    assert found["written"] == 0


def test_the_page(lab: Lab) -> None:
    lab.open("?preset=start&event=2.pick.1")
    is_set_up(lab.page)


def test_a_lesson_file(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "lesson.html"
    file.write_text(lesson(load(RunSpec(batches=2)), start=3), encoding="utf-8")
    page.goto(file.as_uri())
    is_set_up(page)


@pytest.mark.parametrize("preset", ["start", "himmelblau"])
def test_pictures_are_those_of_bokeh(page: Page, tmp_path: Path, preset: str) -> None:
    found = find(preset)
    assert found is not None
    replay = load(replace(found.spec(), batches=2))
    text = lesson(replay, start=3)
    assert text.count(_CALL) == 1
    pixels = []
    for name, words in {"ours": text, "plain": text.replace(_CALL, "")}.items():
        file = tmp_path / f"{name}.html"
        file.write_text(words, encoding="utf-8")
        page.goto(file.as_uri())
        page.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        named = page.evaluate(_CANVASES)
        assert all(named) if name == "ours" else not any(named)
        shown = [page.evaluate(_PIXELS)]
        for _ in replay.events[4:]:
            page.keyboard.press("ArrowRight")
            shown.append(page.evaluate(_PIXELS))
        pixels.append(shown)
    assert pixels[0] == pixels[1]
    assert len({picture for shown in pixels[0] for picture in shown}) > len(replay.events)
