"""From an input on the full Step page to the picture, beside what no page could avoid.

Measured in one browser session, 1-D and 2-D (101x101 candidates).

A step: from a click on Next (or Previous, once at the end) until the picture is painted (1-D; 2-D:
four panels, decision plane, regret), with the server's CPU time. The floor has two parts: the round
trip of a callback that draws nothing, and the browser repainting the same figures from what it
already holds: their data, ranges, scales and titles. The three take turns, so that what else the
machine does falls on all of them alike.

A slider, or a measurement, that is moved, at the event that the lesson opens. The mouse drags the
lengthscale, or beta's multiplier, or arrow keys move them: each move gives a new value, and so
another run, which is made whole, with every batch, and drawn: in a drag with the run before it
behind, and the axes held. The time goes from the move to the paint after the run's data are in the
figures: first of the event, then of the whole run with its regret. The floor is the repaint alone.
`--served` has the server compute the runs, as for those that the browser cannot.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle, islice, product
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._painted import EMPTY, HELPERS, REPAINT, laboratory, open_tab, p95, run
from benchmarks._table import Table
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tests.browser.no_engine import NO_ENGINE
from tools import chromium

ROUNDS, STEPS = 5, 20  # 100 of each
WARM_UP = 10
PRESETS = {"1-D": "start", "2-D": "himmelblau"}
_SETUP = 3000  # ms for which a session is still being set up
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
_STEP = """
(steps) => {
  const {deep, times} = window.bench
  const forward = deep(document, "[aria-label='Next event']")
  const status = forward.getRootNode().querySelector("[role=status]")  // the timeline's own
  const back = deep(document, "[aria-label='Previous event']")
  let move = window.bench.move ?? forward
  return times(steps, status, () => {
    if (move.getAttribute("aria-disabled") === "true") { move = move === forward ? back : forward }
    window.bench.move = move
    move.click()
  })
}
"""


def main() -> None:
    """Print and keep both tables; with `--served` that of moves alone."""
    by_server = "--served" in sys.argv[1:]
    with laboratory() as (url, pid), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        if not by_server:
            _steps(browser, url, pid)
        _moves(browser, url, by_server)
        browser.close()


def _steps(browser: Browser, url: str, pid: int) -> None:
    columns = ["page", "steps", "median, ms", "p95, ms", "round trip, ms", "repaint, ms"]
    table = Table(
        "step_latency",
        "A step on the full page, click to painted",
        [*columns, "ratio", "ratio at p95", "server CPU, ms"],
        "Round trip: of an empty callback. Repaint: of the same pictures from what the browser "
        "holds. Both are medians; the ratios are of a step to the sum of both.",
    )
    empty = open_tab(browser, f"{url}/?page={EMPTY}")
    for name, preset in PRESETS.items():
        tab = open_tab(browser, f"{url}/?preset={preset}")
        tab.keyboard.press("Home")
        tab.wait_for_timeout(_SETUP)
        _measure_steps(name, tab, empty, pid, table)
        tab.close()
    empty.close()
    table.keep()


def _moves(browser: Browser, url: str, by_server: bool) -> None:
    columns = ["page", "setting", "by", "moves", "median, ms", "p95, ms", "aim at p95"]
    table = Table(
        "drag_latency_served" if by_server else "drag_latency",
        "A slider that is moved, to painted",
        [*columns, "whole run, ms", "repaint, ms", "ratio", "ratio at p95"],
        "Whole run: until it is painted with its regret, median. Repaint: of the same pictures "
        "from what the browser holds, median; the ratios are to it.",
    )
    hands = ("mouse", _start_drag), ("arrow keys", _focus)
    for name, preset in PRESETS.items():
        ways = [(setting, *hand) for setting, hand in product(SETTINGS[name], hands)]
        if name == "1-D":
            ways.insert(0, (_MEASUREMENT, "mouse", _start_measurement))
        for setting, way, begin in ways:
            tab = open_tab(browser, f"{url}/?preset={preset}", _SERVED if by_server else _WORKER)
            tab.wait_for_timeout(_SETUP)
            times = _measure_moves(tab, begin(tab, setting))
            table.add(name, setting, way, *times[:3], AIMS[name], *times[3:])
            tab.close()
    table.keep()


def _measure_steps(name: str, tab: Page, empty: Page, pid: int, table: Table) -> None:
    for page_ in (empty, tab):
        run(page_, _STEP, WARM_UP)
    answers, steps, repaints, cpu = [], [], [], 0.0
    for _ in range(ROUNDS):
        # Nothing is drawn on the empty page: the answer is the end of the round trip.
        answers += [answered for answered, _ in run(empty, _STEP, STEPS)]
        before = _cpu_seconds(pid)
        steps += [painted for _, painted in run(tab, _STEP, STEPS)]
        cpu += _cpu_seconds(pid) - before
        repaints += run(tab, REPAINT, STEPS)
    ratios = [of(steps) / (of(answers) + of(repaints)) for of in (median, p95)]
    times = (median(steps), p95(steps), median(answers), median(repaints))
    table.add(name, len(steps), *times, *ratios, 1e3 * cpu / len(steps))


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process so far, from Linux' own accounting."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _measure_moves(tab: Page, moves: Iterator[Callable[[], None]]) -> tuple[float, ...]:
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
