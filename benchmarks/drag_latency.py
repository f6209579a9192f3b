"""A slider that is dragged: from its input to the painted picture, beside painting the same data.

Measured in one browser session, 1-D and 2-D (101x101 candidates), each at the event that its lesson
opens. Every input is a new value of the lengthscale, or of beta's multiplier, and so another run:
it is made whole, with every batch, and drawn with the run before the drag behind it. The time goes
from the slider's input event to the paint after the run's digest is in the page. The floor is the
browser alone, painting the same figures from what it already holds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks.step_latency import PRESETS, REPAINT, both, open_tab, p95, run, served
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tools import chromium

ROUNDS, STEPS = 5, 20  # 100 of each
WARM_UP = 10
SLIDERS = ("Lengthscale slider", "Multiplier c slider")
AIMS = {"1-D": 60.0, "2-D": 150.0}  # ms at the 95th percentile

_DRAG = """
(steps) => {
  const {deep, times} = window.bench
  const slider = deep(document, `input[type=range][aria-label="${window.chosen}"]`)
  const digest = deep(document, ".run[data-digest]")
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set
  return times(steps, digest, () => {
    // Every place once before any comes again, so that no run is in the cache.
    const at = window.bench.at = (window.bench.at ?? 0) + 1
    const [low, high, step] = [slider.min, slider.max, slider.step].map(Number)
    const places = Math.round((high - low) / step)
    write.call(slider, String(low + step * ((47 * at) % places)))
    slider.dispatchEvent(new Event("input", {bubbles: true}))
    slider.dispatchEvent(new Event("change", {bubbles: true}))
  })
}
"""


def main() -> None:
    """Print the times, their ratio to a repaint, and the aims."""
    with served() as (url, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        for name, preset in PRESETS.items():
            for slider in SLIDERS:
                tab = open_tab(browser, f"{url}/?preset={preset}")
                tab.wait_for_timeout(3000)  # the session is still being set up for a while
                _report(name, slider, tab)
                tab.close()
        browser.close()


def _report(name: str, slider: str, tab: Page) -> None:
    tab.get_by_role("slider", name=slider).hover(force=True)
    tab.mouse.down()  # held, so that the run before stays behind
    tab.wait_for_timeout(1000)
    tab.evaluate("(slider) => { window.bench = null; window.chosen = slider }", slider)
    run(tab, _DRAG, WARM_UP)
    drags, repaints = [], []
    for _ in range(ROUNDS):
        drags += [painted for _, painted in run(tab, _DRAG, STEPS)]
        repaints += run(tab, REPAINT, STEPS)
    tab.mouse.up()
    print(f"{name}, {slider}: {len(drags)} inputs, median / p95 in ms (aim {AIMS[name]:g} at p95)")
    print(f"  input to painted     {both(drags)}")
    print(f"  repaint of held data {both(repaints)}")
    ratios = [of(drags) / of(repaints) for of in (median, p95)]
    print(f"  input / repaint      {ratios[0]:6.2f} / {ratios[1]:.2f}")


if __name__ == "__main__":
    main()
