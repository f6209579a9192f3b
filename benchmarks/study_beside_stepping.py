"""One visitor steps while another's study runs, beside stepping alone.

Measured in one browser session against one server, on the 2-D Step page (101x101 candidates, four
panels, decision plane, regret): the time from a click on Next (or Previous, once at the end) until
the answer is in the page. Rounds with and without a study take turns, so that both meet the same
other load of the machine. The study is started on a Study page of another session; its tab stays
open, so that its progress and its charts are part of what the server does meanwhile.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.browser.conftest import CHROMIUM_ARGUMENTS
from tools import chromium

PRESET = "himmelblau"
STUDY = (
    "problem=gaussian-mixture&policies=gp-ucb-pe,greedyucb,random-search&K=10&T=20&replicates=256"
)
MOST = 1.5  # times the p95 of stepping alone
START_MILLISECONDS = 120_000

_STEP = """
async ({steps, warmUp, rest}) => {
  const deep = (root, selector) => {
    const found = root.querySelector(selector)
    if (found) { return found }
    for (const node of root.querySelectorAll("*")) {
      const inner = node.shadowRoot && deep(node.shadowRoot, selector)
      if (inner) { return inner }
    }
    return null
  }
  const forward = deep(document, "[aria-label='Next event']")
  const status = forward.getRootNode().querySelector("[role=status]")  // the timeline's own
  const back = deep(document, "[aria-label='Previous event']")
  let move = forward
  const changed = () => new Promise((done) => {
    const observer = new MutationObserver(() => { observer.disconnect(); done() })
    observer.observe(status, {childList: true, characterData: true, subtree: true})
  })
  const times = []
  for (let i = 0; i < warmUp + steps; i++) {
    await new Promise((done) => setTimeout(done, rest))
    if (move.getAttribute("aria-disabled") === "true") { move = move === forward ? back : forward }
    const answer = changed(), start = performance.now()
    move.click()
    await answer
    if (i >= warmUp) { times.push(performance.now() - start) }
  }
  return times
}
"""


def main() -> int:
    """Print medians, 95th percentiles and their ratio; return 1 if that is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="of each kind (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=100, help="a round (default: %(default)s)")
    options = parser.parse_args()
    alone, beside = list[float](), list[float]()
    with _served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(chromium.find()), args=CHROMIUM_ARGUMENTS
        )
        stepping = _opened(browser, f"{url}/?preset={PRESET}")
        stepping.keyboard.press("Home")
        for seed in range(options.rounds):
            alone += _steps(stepping, options.steps)
            with _study(browser, url, seed):
                beside += _steps(stepping, options.steps)
        browser.close()
    ratio = _p95(beside) / _p95(alone)
    print(f"{len(alone)} steps of each kind, click to answer, median / p95 in ms")
    print(f"  alone                {_both(alone)}")
    print(f"  beside a study       {_both(beside)}")
    print(f"  ratio of the p95     {ratio:6.2f} (at most {MOST})")
    return int(ratio > MOST)


def _steps(tab: Page, steps: int) -> list[float]:
    return tab.evaluate(_STEP, {"steps": steps, "warmUp": 10, "rest": 100})


def _opened(browser: Browser, address: str) -> Page:
    tab = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    tab.goto(address)
    tab.wait_for_function("window.Bokeh?.documents[0]?.is_idle")
    tab.wait_for_timeout(3000)  # the session is still being set up for a while after loading
    return tab


@contextmanager
def _study(browser: Browser, url: str, seed: int) -> Iterator[None]:
    """A study that runs, with results on screen, until the context ends."""
    # With a seed of its own: what is known is not computed again.
    tab = _opened(browser, f"{url}/?page=study&{STUDY}&seed={seed}")
    tab.get_by_role("button", name="Run study").click()
    expect(tab.locator("table")).to_be_visible(timeout=START_MILLISECONDS)
    yield
    status = tab.get_by_role("status")
    assert status.inner_text() == "Running.", f"the study was {status.inner_text()}"
    tab.get_by_role("button", name="Cancel", exact=True).click()
    expect(status).to_have_text("Cancelled.", timeout=START_MILLISECONDS)
    tab.context.close()


def _p95(times: list[float]) -> float:
    return quantiles(times, n=20)[-1]


def _both(times: list[float]) -> str:
    return f"{median(times):6.1f} / {_p95(times):.1f}"


@contextmanager
def _served() -> Iterator[str]:
    """The laboratory as its command serves it, in a process apart."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "app.cli", "app", "--port", str(port)]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()  # one line, once it listens
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


if __name__ == "__main__":
    sys.exit(main())
