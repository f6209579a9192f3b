"""A lesson's file: how large it is, and how many events a second it paints while a key is held.

Ten batches of ten on a grid of 101x101 and on a curve, each as one HTML file that is opened with no
network. The arrow key is held such that each step is asked for as soon as the last one has been
painted: in the first task after the animation frame that draws it, as the file itself counts the
repeats of a held key. On the screen of a machine with no graphics processor, the
browser's own painting is most of it.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from benchmarks._table import Table
from tests.browser.conftest import CHROMIUM_ARGUMENTS, VIEWPORT
from tools import chromium
from ucbpe_app.export.products import Source, make
from ucbpe_app.lessons import find
from ucbpe_app.links import Moment
from ucbpe_app.run.cache import load
from ucbpe_app.run.settings import RunSpec

LESSONS = {"1-D": "start", "2-D": "himmelblau"}
SHAPE = {"batches": 10, "batch_size": 10}
LARGEST = 10e6  # bytes: what one still puts on a course page
WARM_UP = 10

# Times from a repeat of the key until it is painted, and what the script alone takes of each.
HOLD = """
async (steps) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  // The file counts the next repeat from the task after the one that draws.
  const painted = async () => { await frame(); await frame() }
  const press = () => document.dispatchEvent(new KeyboardEvent("keydown",
    {key: "ArrowRight", repeat: true, bubbles: true, cancelable: true}))
  const times = []
  for (let i = 0; i < steps; i++) {
    const start = performance.now()
    press()
    const set = performance.now() - start
    await painted()
    times.push([set, performance.now() - start])
  }
  return times
}
"""


def main() -> None:
    """Print and keep the table."""
    columns = ["page", "events", "MB", "made in, s", "opened in, s", "events a second"]
    table = Table(
        "lesson_file",
        f"A lesson as one HTML file, of less than {LARGEST / 1e6:.0f} MB",
        [*columns, "a step, ms", "p95, ms", "of it the script, ms"],
    )
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        for name, slug in LESSONS.items():
            table.add(name, *_measure(slug, Path(folder), browser))
        browser.close()
    table.keep()


def _measure(slug: str, folder: Path, browser: Browser) -> tuple[float, ...]:
    source = _source(slug)
    ran = time.perf_counter()
    product = make("html", source)
    made = time.perf_counter()
    file = folder / product.name
    file.write_bytes(product.data)
    events, size = len(source.replay.events), len(product.data)
    opened, times = _held(browser, file, events - 1)
    scripts, painted = zip(*times[WARM_UP:], strict=True)
    assert size < LARGEST, f"{slug}: {size / 1e6:.1f} MB"
    rate = 1e3 * len(painted) / sum(painted)
    step = median(painted), quantiles(painted, n=20)[-1], median(scripts)
    return events, size / 1e6, made - ran, opened, rate, *step


def _source(slug: str) -> Source:
    lesson = find(slug)
    assert lesson is not None
    spec = RunSpec(**{**vars(lesson.spec()), **SHAPE})
    replay = load(spec)
    return Source(Moment(spec, replay.events[0], lesson.layers, preset=slug), replay)


def _held(browser: Browser, file: Path, steps: int) -> tuple[float, list[tuple[float, float]]]:
    with browser.new_context(offline=True, viewport=VIEWPORT) as context:
        tab = context.new_page()
        start = time.perf_counter()
        tab.goto(file.as_uri())
        tab.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        opened = time.perf_counter() - start
        tab.wait_for_timeout(1500)
        times = tab.evaluate(HOLD, steps)
        # Each repeat was a step: then the last event is on screen.
        last = tab.get_by_label("Event", exact=True)
        assert last.input_value() == str(steps), f"{last.input_value()} of {steps} steps"
    return opened, times


if __name__ == "__main__":
    main()
