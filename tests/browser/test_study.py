"""The Study page in a browser: a study begun, paused and resumed, its chart and ranking."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Lab
from tests.browser.student import button, choose, saved
from ucbpe_app.study.plan import decode_study
from ucbpe_app.study.records import curves_of
from ucbpe_core.study.summarise import read_table

STARTS = 180_000  # ms until the processes of a study compute, on a busy machine
# 80 runs of some 80 ms: long enough to be paused by hand.
QUERY = "page=study&policies=gp-ucb-pe,random-search&problem=multimodal&K=5&T=60&replicates=40"


def done(page: Page) -> int:
    """Runs that are done."""
    return int(page.get_by_role("progressbar", name="Runs done").get_attribute("value"))


def until(page: Page, runs: int) -> None:
    """Wait until so many runs are done."""
    for _ in range(STARTS // 100):
        if done(page) >= runs:
            return
        page.wait_for_timeout(100)
    pytest.fail(f"expected {runs} runs, got {done(page)}")


@pytest.mark.slow
def test_a_study_is_started_followed_paused_and_resumed(lab: Lab, tmp_path: Path) -> None:
    page, spec = lab.page, decode_study(QUERY)[0].settings
    lab.open(f"?{QUERY}")
    expect(page.get_by_text("80 runs, about")).to_be_visible()
    button(page, "Run study").click()
    expect(page.get_by_role("status").filter(has_text="Running.")).to_be_visible(timeout=STARTS)
    until(page, 3)
    expect(page.get_by_role("table")).to_contain_text("Random search", timeout=STARTS)
    expect(page.get_by_text(re.compile("About .* left"))).to_be_visible(timeout=STARTS)
    assert done(page) < 80
    button(page, "Pause").click()
    expect(page.get_by_role("status").filter(has_text="Paused.")).to_be_visible(timeout=STARTS)
    expect(button(page, "Resume")).to_be_visible()
    kept_runs = done(page)
    assert 3 <= kept_runs < 80
    page.wait_for_timeout(1500)
    assert done(page) == kept_runs
    found = curves_of(read_table(saved(page, "Curves (CSV)", tmp_path)))
    assert {one.n for one in found} == {kept_runs // 2}
    button(page, "Resume").click()
    expect(page.get_by_role("status").filter(has_text="Done.")).to_be_visible(timeout=STARTS)
    assert done(page) == 80
    expect(page.get_by_text("40 of 40 replicates")).to_be_visible()
    assert len(read_table(saved(page, "Statistics (CSV)", tmp_path)))
    expect(page.get_by_role("table")).to_contain_text("difference to GP-UCB-PE")
    choose(page, "Compared with", "Random search")
    expect(page.get_by_role("table")).to_contain_text("difference to Random search")
    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text }")
    button(page, "Copy link").click()
    page.wait_for_function("window.copied")
    assert decode_study(page.evaluate("new URL(copied).search"))[0].settings == spec
