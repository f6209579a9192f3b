"""A live lesson: how long a batch takes in its worker, and how fast pictures follow a slider.

A batch of the engine is timed inside a worker of Chromium, beside K plain sweeps over the rows that
it reads. Then a lesson's file is opened with no network and its lengthscale dragged, a value with
each frame of the browser: a frame is the time between two pictures painted, each of a whole run
computed. Beside it stands a step of the same file that is played back: on a busy machine both are
slower.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from benchmarks.lesson_file import HOLD
from tests.browser.conftest import CHROMIUM_ARGUMENTS, VIEWPORT
from tools import chromium
from ucbpe_app.export.lesson.live import modules
from ucbpe_app.export.products import Source, make
from ucbpe_app.lessons import find
from ucbpe_app.links import Moment
from ucbpe_app.run.cache import load

BATCH = {"M": 10_000, "n": 300, "K": 10, "repeats": 40}
# Lesson, settings and the most ms of a frame at the median and at p95.
LESSONS = {
    "1-D, 8 batches of 4": ("start", {"batches": 8, "batch_size": 4}, (33, 50)),
    "2-D, 101 x 101, 40 points": (
        "himmelblau",
        {"batches": 5, "batch_size": 4, "initial": 20},
        (150, 150),
    ),
}
FRAMES, WARM_UP, STEPS = 120, 20, 40

_WORKER = """
([texts, options]) => new Promise((done) => {
  const code = `self.onmessage = async ({data: [texts, options]}) => {
    const {measured} = await loaderOf(texts)("live_lesson.js")
    self.postMessage(measured(options))
  }`
  const worker = new Worker(URL.createObjectURL(new Blob([texts["loader.js"], code])))
  worker.onmessage = ({data}) => done(data)
  worker.postMessage([texts, options])
})
"""

_PAGE = """
  const inside = (root) => [...root.querySelectorAll("*")].flatMap((node) => (
    [node, ...node.shadowRoot ? inside(node.shadowRoot) : []]))
  const slider = inside(document).find((node) => (
    node.matches("input[type=range]") && node.getAttribute("aria-label") === name))
  const run = document.querySelector("header .run")
  const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  const move = (i) => {
    slider.value = -60 + (i % 2 ? i % 60 : 60 - i % 60)
    slider.dispatchEvent(new Event("input", {bubbles: true}))
  }
"""

# A value with each frame of the browser, as a hand drags; times between two pictures painted.
_DRAG = f"""
async ([name, frames]) => {{
  {_PAGE}
  const times = []
  const observer = new MutationObserver(async () => {{
    await painted()
    times.push(performance.now())
  }})
  observer.observe(run, {{attributes: true}})
  for (let i = 0; times.length <= frames; i++) {{
    move(i)
    await new Promise(requestAnimationFrame)
  }}
  observer.disconnect()
  return times.slice(1).map((time, i) => time - times[i])
}}
"""

# Each value once the picture of the last one has been painted: how far it is behind the hand.
_WAIT = f"""
async ([name, frames]) => {{
  {_PAGE}
  const drawn = () => new Promise((done) => {{
    const observer = new MutationObserver(() => {{ observer.disconnect(); done() }})
    observer.observe(run, {{attributes: true}})
  }})
  const times = []
  for (let i = 0; i < frames; i++) {{
    const start = performance.now()
    const waits = drawn()
    move(i)
    await waits
    await painted()
    times.push(performance.now() - start)
  }}
  return times
}}
"""


def main() -> None:
    """Print the times beside what is wanted of them."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        _batches(browser)
        for name, (slug, shape, limits) in LESSONS.items():
            _frames(browser, Path(folder), name, _source(slug, shape), limits)
        browser.close()


def _batches(browser: Browser) -> None:
    with browser.new_context(offline=True) as context:
        tab = context.new_page()
        own = Path(__file__).with_suffix(".js")
        texts = {**modules(), own.name: own.read_text(encoding="utf-8")}
        times, sweeps = zip(*tab.evaluate(_WORKER, [texts, BATCH]), strict=True)
    print(f"a batch: {BATCH['M']:,} candidates, n = {BATCH['n']}, K = {BATCH['K']}")
    print(f"  median / p95            {_both(times)} ms, at most 150 at p95")
    ratio = median(times) / median(sweeps)
    print(f"  K sweeps over the rows  {_both(sweeps)} ms: a batch takes {ratio:.1f} times that")


def _source(slug: str, shape: dict[str, int]) -> Source:
    lesson = find(slug)
    assert lesson is not None
    spec = replace(lesson.spec(), **shape)
    replay = load(spec)
    return Source(Moment(spec, replay.events[2], lesson.layers, preset=slug), replay)


def _frames(
    browser: Browser, folder: Path, name: str, source: Source, limits: tuple[int, int]
) -> None:
    plain, product = (make(kind, source) for kind in ("html", "live"))
    file = folder / product.name
    file.write_bytes(product.data)
    with browser.new_context(offline=True, viewport=VIEWPORT) as context:
        tab = context.new_page()
        tab.goto(file.as_uri())
        tab.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
        tab.wait_for_timeout(1500)
        steps = [painted for _, painted in tab.evaluate(HOLD, STEPS)[STEPS // 4 :]]
        frames, waits = (
            tuple(tab.evaluate(code, ["Lengthscale", FRAMES + WARM_UP])[WARM_UP:])
            for code in (_DRAG, _WAIT)
        )
    candidates = len(source.replay.scene.candidates)
    print(f"{name}: {candidates:,} candidates of {source.replay.scene.name}")
    print(f"  a frame of a drag       {_both(frames)} ms, at most {limits[0]} / {limits[1]}")
    print(f"  from hand to picture    {_both(waits)} ms")
    ratio = median(frames) / median(steps)
    print(f"  a step played back      {_both(tuple(steps))} ms, a frame {ratio:.1f} times that")
    more = (len(product.data) - len(plain.data)) / 1e6
    print(f"  file                    {len(product.data) / 1e6:.2f} MB, {more:.2f} MB more")


def _both(times: tuple[float, ...]) -> str:
    return f"{median(times):.1f} / {quantiles(times, n=20)[-1]:.1f}"


if __name__ == "__main__":
    main()
