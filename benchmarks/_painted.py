"""What a browser paints of the laboratory's pages, timed: scripts in the page, and a server."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from pathlib import Path
from statistics import quantiles
from typing import Any

import panel as pn
import panel_material_ui as pmui
from playwright.sync_api import Browser, Page

from ucbpe_app.main import page
from ucbpe_app.serve.serve import Access, serve
from ucbpe_app.widgets.timeline import Timeline

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from benchmarks._served import served

EMPTY = "empty"  # the page whose callback draws nothing

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


def open_tab(browser: Browser, address: str, before: str = "") -> Page:
    """A page of the dashboard, drawn; `before` is a script that comes first."""
    tab = browser.new_page(viewport={"width": 1280, "height": 800})
    tab.add_init_script(before)
    tab.goto(address)
    tab.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    return tab


def run(tab: Page, script: str, steps: int) -> list[Any]:
    """What a script times in the page in front."""
    tab.bring_to_front()  # a tab behind another paints nothing
    tab.evaluate(HELPERS)
    return tab.evaluate(script, steps)


def p95(times: list[float]) -> float:
    """The 95th percentile."""
    return quantiles(times, n=20)[-1]


def laboratory() -> AbstractContextManager[tuple[str, int]]:
    """In a process apart: the laboratory, and a page of a timeline whose callback draws nothing."""
    return served(str(Path(__file__).resolve()))


def _serve(port: int) -> None:
    serve(_page, port=port, address="127.0.0.1", access=Access(), num_procs=1)


def _page() -> pmui.Page:
    asked = pn.state.session_args.get("page")
    return _empty_page() if asked == [EMPTY.encode()] else page()


def _empty_page() -> pmui.Page:
    pn.extension()
    timeline = Timeline(total=200, starts=[0])
    timeline.param.watch(lambda event: timeline.param.update(status=f"{event.new}"), "index")
    return pmui.Page(main=[timeline], busy_indicator=None)


if __name__ == "__main__":
    _serve(int(sys.argv[-1]))
