"""A slider that is dragged: from a move of the mouse to its picture, beside painting the same data.

Measured in one browser session, 1-D and 2-D (101x101 candidates), each at the event that its lesson
opens. The mouse drags the lengthscale, or beta's multiplier: each of its moves gives a new value,
and so another run, which is made whole, with every batch, and drawn with the run before the drag
behind it. The time goes from the move to the paint after the run's data are in the figures: first
of the event, then of the whole run with its regret. The floor is the browser alone, painting the
same figures from what it already holds. `--served` has the server compute the runs, as for those
that the browser cannot.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.step_latency import HELPERS, PRESETS, REPAINT, both, open_tab, p95, run, served
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tools import chromium

ROUNDS, STEPS = 5, 20  # 100 of each
WARM_UP = 10
_STRIDE = 23  # px from place to place
SLIDERS = ("Lengthscale slider", "Multiplier c slider")
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
  document.addEventListener("mousemove", async () => {
    const start = performance.now()
    const byWorker = new Promise((done) => { window.wholeRun = done })
    const whole = Promise.race([byWorker, changed(digest)]).then(painted)
      .then(() => performance.now() - start)
    await new Promise((done) => { arrived = done })
    await painted()
    window.bench.drags.push(performance.now() - start)
    window.bench.records.push(held())
    window.bench.wholes.push(await whole)
  }, true)
}
"""
_NO_WORKER = "delete window.Worker"  # the browser then leaves the runs to the server
_WORKER = """
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given)
    this.addEventListener("message", ({data}) => {
      if (data.drawn && !data.partial) { setTimeout(() => window.wholeRun?.()) }
    })
  }
}
"""
_BEGIN = """
() => { Object.assign(window.bench, {drags: [], wholes: [], records: [window.bench.held()]}) }
"""
_TRACK = """
(slider) => {
  const input = window.bench.deep(document, `input[type=range][aria-label="${slider}"]`)
  const {left, top, width, height} = input.closest(".MuiSlider-root").getBoundingClientRect()
  return {left: Math.ceil(left), width: Math.floor(width), y: top + height / 2}
}
"""


def main() -> None:
    """Print the times, their ratio to a repaint, and the aims."""
    script = _NO_WORKER if "--served" in sys.argv[1:] else _WORKER
    with served() as (url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        for name, preset in PRESETS.items():
            for slider in SLIDERS:
                tab = open_tab(browser, f"{url}/?preset={preset}", script)
                tab.wait_for_timeout(3000)  # the session is still being set up for a while
                _report(name, slider, tab)
                tab.close()
        browser.close()


def _report(name: str, slider: str, tab: Page) -> None:
    tab.get_by_role("slider", name=slider).hover(force=True)
    tab.mouse.down()  # held, so that the run before stays behind
    tab.wait_for_timeout(1000)
    tab.evaluate(HELPERS)
    tab.evaluate(_LISTEN)
    places = _places(tab.evaluate(_TRACK, slider))
    _drag(tab, places, WARM_UP)
    drags, wholes, repaints = [], [], []
    for _ in range(ROUNDS):
        drags += _drag(tab, places, STEPS)
        repaints += run(tab, REPAINT, STEPS)
        wholes += _drag(tab, places, STEPS, "wholes")
    tab.mouse.up()
    print(f"{name}, {slider}: {len(drags)} moves, median / p95 in ms (aim {AIMS[name]:g} at p95)")
    print(f"  move to painted      {both(drags)}")
    print(f"  to the whole run     {both(wholes)}")
    print(f"  repaint of held data {both(repaints)}")
    ratios = [of(drags) / of(repaints) for of in (median, p95)]
    print(f"  move / repaint       {ratios[0]:6.2f} / {ratios[1]:.2f}")


def _places(track: dict[str, int]) -> Iterator[tuple[float, float]]:
    """Every pixel of a slider once before any comes again, so that no run is in the cache."""
    for i in count(1):
        yield track["left"] + _STRIDE * i % track["width"], track["y"]


def _drag(
    tab: Page, places: Iterator[tuple[float, float]], steps: int, what: str = "drags"
) -> list[float]:
    """Move the mouse to `steps` further places, each when the picture of the last is painted, or
    its whole run is: "wholes".
    """
    tab.evaluate(_BEGIN)
    for done, place in enumerate(islice(places, steps), 1):
        tab.mouse.move(*place)
        tab.wait_for_function(f"done => window.bench.{what}.length === done", arg=done)
        tab.evaluate("window.bench.rest()")
    times: list[float] = tab.evaluate(f"window.bench.{what}")
    return times


if __name__ == "__main__":
    main()
