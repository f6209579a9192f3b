"""One step on the full Step page, click to painted, beside what no page could avoid.

Measured in one browser session, 1-D and 2-D (101x101 candidates, four panels, decision plane,
regret): the time from a click on Next (or Previous, once at the end) until the picture is painted;
the server's CPU time per step; and a floor made of two parts: the round trip of a callback that
draws nothing, and the browser repainting the same figures from what it already holds: their data,
ranges, scales and titles. The three take turns, so that what else the machine does falls on all of
them alike.
"""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import panel as pn
import panel_material_ui as pmui
from playwright.sync_api import Browser, Page, sync_playwright

from ucbpe_app.components.timeline import Timeline
from ucbpe_app.main import page
from ucbpe_app.server.serve import Access, serve

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._served import served
from benchmarks._table import Table
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tools import chromium

ROUNDS, STEPS = 5, 20  # 100 of each
WARM_UP = 10
_EMPTY = "empty"  # the page whose callback draws nothing
PRESETS = {"1-D": "start", "2-D": "himmelblau"}

# What the scripts below share. A result is in the page with the message that brings the figures;
# Bokeh paints in the next frame, and the second frame begins when the first has been painted.
HELPERS = """
window.bench ??= (() => {
  const deep = (root, selector) => {
    const found = root.querySelector(selector)
    if (found) { return found }
    for (const node of root.querySelectorAll("*")) {
      const inner = node.shadowRoot && deep(node.shadowRoot, selector)
      if (inner) { return inner }
    }
    return null
  }
  const frame = () => new Promise((done) => requestAnimationFrame(done))
  const painted = async () => { await frame(); await frame() }
  const changed = (node) => new Promise((done) => {
    const observer = new MutationObserver(() => { observer.disconnect(); done() })
    observer.observe(node, {attributes: true, childList: true, characterData: true, subtree: true})
  })
  const rest = () => new Promise((done) => setTimeout(done, 60))
  const parts = /^(ColumnDataSource|Range1d|LinearColorMapper|Title|Label|Span|Slope)$/
  const models = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
    .filter((model) => parts.test(model.type))
  const held = () => models.map((model) => model.attributes)
  // Times of `act`, each until `node` has changed and until that is painted.
  const times = async (steps, node, act) => {
    const result = []
    window.bench.records = [held()]
    for (let i = 0; i < steps; i++) {
      await rest()
      const answer = changed(node), start = performance.now()
      act(i)
      await answer
      const answered = performance.now() - start
      await painted()
      result.push([answered, performance.now() - start])
      window.bench.records.push(held())
    }
    return result
  }
  return {deep, changed, painted, rest, held, models, times}
})()
null
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

# The figures of the steps just made, from what the browser holds; nothing is sent.
REPAINT = """
async (steps) => {
  const {models, records, painted, rest} = window.bench
  const changes = (before, after) => models
    .map((model, j) => [model, Object.fromEntries(Object.entries(after[j])
      .filter(([name, value]) => value !== before[j][name]))])
    .filter(([_, values]) => Object.keys(values).length > 0)
  const draw = (all) => all.forEach(([model, values]) => model.setv(values, {sync: false}))
  draw(changes(records[steps], records[0]))
  await painted()
  const repaints = []
  for (let i = 0; i < steps; i++) {
    const all = changes(records[i], records[i + 1])
    await rest()
    const start = performance.now()
    draw(all)
    await painted()
    repaints.push(performance.now() - start)
  }
  return repaints
}
"""


def main() -> None:
    """Print and keep the table."""
    columns = ["page", "steps", "median, ms", "p95, ms", "round trip, ms", "repaint, ms"]
    table = Table(
        "step_latency",
        "A step on the full page, click to painted",
        [*columns, "ratio", "ratio at p95", "server CPU, ms"],
        "Round trip: of an empty callback. Repaint: of the same pictures from what the browser "
        "holds. Both are medians; the ratios are of a step to the sum of both.",
    )
    with laboratory() as (url, pid), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        empty = open_tab(browser, f"{url}/?page={_EMPTY}")
        for name, preset in PRESETS.items():
            tab = open_tab(browser, f"{url}/?preset={preset}")
            tab.keyboard.press("Home")
            tab.wait_for_timeout(3000)  # the session is still being set up for a while
            _report(name, tab, empty, pid, table)
            tab.close()
        browser.close()
    table.keep()


def open_tab(browser: Browser, address: str, before: str = "") -> Page:
    """A page of the dashboard, drawn; `before` is a script that comes first."""
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.add_init_script(before)
    tab.goto(address)
    tab.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    return tab


def _report(name: str, tab: Page, empty: Page, pid: int, table: Table) -> None:
    for page_ in (empty, tab):
        run(page_, _STEP, WARM_UP)
    answers, steps, repaints, cpu = [], [], [], 0.0
    for _ in range(ROUNDS):
        # Nothing is drawn on the empty page: the answer is the end of the round trip.
        answers += [answered for answered, _ in run(empty, _STEP)]
        before = _cpu_seconds(pid)
        steps += [painted for _, painted in run(tab, _STEP)]
        cpu += _cpu_seconds(pid) - before
        repaints += run(tab, REPAINT)
    ratios = [of(steps) / (of(answers) + of(repaints)) for of in (median, p95)]
    times = (median(steps), p95(steps), median(answers), median(repaints))
    table.add(name, len(steps), *times, *ratios, 1e3 * cpu / len(steps))


def run(tab: Page, script: str, steps: int = STEPS) -> list[Any]:
    """What a script times in the page in front."""
    tab.bring_to_front()  # a tab behind another paints nothing
    tab.evaluate(HELPERS)
    return tab.evaluate(script, steps)


def p95(times: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(times, n=20)[-1]


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process so far, from Linux' own accounting."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def laboratory() -> AbstractContextManager[tuple[str, int]]:
    """In a process apart: the laboratory, and a page of a timeline whose callback draws nothing."""
    return served(str(Path(__file__).resolve()), "--serve")


def _serve(port: int) -> None:
    serve(_page, port=port, address="127.0.0.1", access=Access(), num_procs=1)


def _page() -> pmui.Page:
    asked = pn.state.session_args.get("page")
    return _empty_page() if asked == [_EMPTY.encode()] else page()


def _empty_page() -> pmui.Page:
    pn.extension()
    timeline = Timeline(total=200, starts=[0])
    timeline.param.watch(lambda event: timeline.param.update(status=f"{event.new}"), "index")
    return pmui.Page(main=[timeline], busy_indicator=None)


if __name__ == "__main__":
    if "--serve" in sys.argv:
        _serve(int(sys.argv[-1]))
    else:
        main()
