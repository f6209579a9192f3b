"""A slider, or a measurement, that is moved: from the move to its picture, beside a repaint.

Measured in one browser session, 1-D and 2-D (101x101 candidates), each at the event that its lesson
opens. The mouse drags the lengthscale, or beta's multiplier, or arrow keys move them: each move
gives a new value, and so another run, which is made whole, with every batch, and drawn: in a drag
with the run before it behind, and the axes held. The time goes from the move to the paint after the
run's data are in the figures: first of the event, then of the whole run with its regret. The floor
is the browser alone, painting the same figures from what it already holds. `--served` has the
server compute the runs, as for those that the browser cannot.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle, islice, product
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._table import Table
from benchmarks.step_latency import HELPERS, PRESETS, REPAINT, laboratory, open_tab, p95, run
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.no_engine import NO_ENGINE
from tools import chromium

ROUNDS, STEPS = 5, 20  # 100 of each
WARM_UP = 10
_STRIDE = 23  # px from place to place
_PRESSES = 30  # of one arrow key, then of the other
_REST = 1500  # ms in which the server draws as well, once a slider rests
_HEIGHT = 97  # px up to which a measurement is dragged
_MEASUREMENT = "a measurement"
# As their fields are called in the lessons: a constant beta is shown as the width of the band.
SETTINGS = {
    "1-D": ("Lengthscale", "Band: best guess ±"),
    "2-D": ("Lengthscale", "Scale c"),
}
AIMS = {"1-D": 60.0, "2-D": 150.0}  # ms at the 95th percentile

# Times from the mouse's move to the paint after it; what is held then is kept for the repaints.
_LISTEN = """
() => {
  const {deep, changed, models, painted, held} = window.bench
  const digest = deep(document, ".run[data-digest]") // changes when the server has drawn
  const large = (data) => [...data instanceof Map ? data.values() : Object.values(data)]
    .some((column) => column.length > 200 || column[0]?.length > 200)
  const sources = models.filter(({type, data}) => type === "ColumnDataSource" && large(data))
  let arrived = () => {}
  for (const source of sources) { source.properties.data.change.connect(() => arrived()) }
  const moved = async () => {
    const start = performance.now()
    const byWorker = new Promise((done) => { window.wholeRun = done })
    const once = new Promise((done) => { arrived = done })
    once.then(() => { if (!window.asked) { window.wholeRun() } })
    const whole = Promise.race([byWorker, changed(digest)]).then(painted)
      .then(() => performance.now() - start)
    await once
    await painted()
    window.bench.drags.push(performance.now() - start)
    window.bench.records.push(held())
    window.bench.wholes.push(await whole)
  }
  for (const name of ["pointermove", "keydown"]) { document.addEventListener(name, moved, true) }
}
"""
# `asked` is whether anybody but the page has ever been asked for a run.
_SERVED = f"{NO_ENGINE}\nwindow.asked = true"
_WORKER = """
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given)
    this.addEventListener("message", ({data}) => {
      if (data.drawn && !data.partial) { setTimeout(() => window.wholeRun?.()) }
    })
  }
  postMessage(message) {
    window.asked ||= message.request?.kind === "show" // the first has the texts of modules alone
    super.postMessage(message)
  }
}
"""
_BEGIN = """
() => { Object.assign(window.bench, {drags: [], wholes: [], records: [window.bench.held()]}) }
"""
_TRACK = """
(slider) => {
  const input = window.bench.deep(document, `input[type=range][aria-label="${slider}"]`)
  const {left, top, width, height} = input.getBoundingClientRect()
  return {left: Math.ceil(left), width: Math.floor(width), y: top + height / 2}
}
"""
_CROSS = """
() => {
  const view = [...Bokeh.documents[0]._all_models.values()]
    .filter(({renderers}) => renderers?.some((one) => one.data_source?.name === "as_measured"))
    .map((figure) => Bokeh.index.find_one(figure)).find((one) => one)
  const {data_source} = view.model.renderers.find((one) => one.data_source.name === "data")
  const {left, top} = view.canvas_view.el.getBoundingClientRect()
  const {x_scale, y_scale} = view.frame
  return [left + x_scale.compute(data_source.get("x")[0]),
    top + y_scale.compute(data_source.get("y")[0])]
}
"""


def main() -> None:
    """Print and keep the table."""
    by_server = "--served" in sys.argv[1:]
    script = _SERVED if by_server else _WORKER
    columns = ["page", "setting", "by", "moves", "median, ms", "p95, ms", "aim at p95"]
    table = Table(
        "drag_latency_served" if by_server else "drag_latency",
        "A slider that is moved, to painted",
        [*columns, "whole run, ms", "repaint, ms", "ratio", "ratio at p95"],
        "Whole run: until it is painted with its regret, median. Repaint: of the same pictures "
        "from what the browser holds, median; the ratios are to it.",
    )
    with laboratory() as (url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        hands = ("mouse", _start_drag), ("arrow keys", _focus)
        for name, preset in PRESETS.items():
            ways = [(setting, *hand) for setting, hand in product(SETTINGS[name], hands)]
            if name == "1-D":
                ways.insert(0, (_MEASUREMENT, "mouse", _start_measurement))
            for setting, way, begin in ways:
                tab = open_tab(browser, f"{url}/?preset={preset}", script)
                tab.wait_for_timeout(3000)  # the session is still being set up for a while
                times = _measure(tab, begin(tab, setting))
                table.add(name, setting, way, *times[:3], AIMS[name], *times[3:])
                tab.close()
        browser.close()
    table.keep()


def _measure(tab: Page, moves: Iterator[Callable[[], None]]) -> tuple[float, ...]:
    """Moves; median and p95 of one, of a whole run, of a repaint, and the ratios to that."""
    _make(tab, moves, WARM_UP)
    drags, wholes, repaints = [], [], []
    for _ in range(ROUNDS):
        drags += _make(tab, moves, STEPS)
        tab.wait_for_timeout(_REST)
        repaints += run(tab, REPAINT, STEPS)
        wholes += _make(tab, moves, STEPS, "wholes")
    ratios = [of(drags) / of(repaints) for of in (median, p95)]
    return len(drags), median(drags), p95(drags), median(wholes), median(repaints), *ratios


def _start_drag(tab: Page, setting: str) -> Iterator[Callable[[], None]]:
    """Start to drag a slider; moves to every pixel of it once before any comes again."""
    tab.get_by_role("slider", name=f"{setting} slider").hover()
    tab.mouse.down()  # held, so that the run before stays behind
    _listen(tab)
    track = tab.evaluate(_TRACK, f"{setting} slider")
    left, width = track["left"], track["width"]
    # From the second on: one stride from the end can be where the thumb is.
    return (partial(tab.mouse.move, left + _STRIDE * i % width, track["y"]) for i in count(2))


def _start_measurement(tab: Page, _: str) -> Iterator[Callable[[], None]]:
    """Start to drag the first measurement of a curve; moves up and down."""
    x, y = tab.evaluate(_CROSS)
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x, y - _STRIDE, steps=3)
    _listen(tab)
    return (partial(tab.mouse.move, x, y - _STRIDE * i % _HEIGHT) for i in count(2))


def _focus(tab: Page, setting: str) -> Iterator[Callable[[], None]]:
    """Go to a slider with the keyboard; presses of its arrow keys."""
    tab.get_by_label(setting, exact=True).focus()
    tab.keyboard.press("Tab")
    _listen(tab)
    keys = cycle(["ArrowRight"] * _PRESSES + ["ArrowLeft"] * _PRESSES)
    return (partial(tab.keyboard.press, key) for key in keys)


def _listen(tab: Page) -> None:
    tab.wait_for_timeout(1000)
    tab.evaluate(HELPERS)
    tab.evaluate(_LISTEN)


def _make(
    tab: Page, moves: Iterator[Callable[[], None]], steps: int, what: str = "drags"
) -> list[float]:
    """Make `steps` further moves, each when the picture of the last is painted, or its whole run
    is: "wholes".
    """
    tab.evaluate(_BEGIN)
    for done, move in enumerate(islice(moves, steps), 1):
        move()
        tab.wait_for_function(f"done => window.bench.{what}.length === done", arg=done)
        tab.evaluate("window.bench.rest()")
    times: list[float] = tab.evaluate(f"window.bench.{what}")
    return times


if __name__ == "__main__":
    main()
